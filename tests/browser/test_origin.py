"""A page on another origin can read every response that a front end needs, in every scenario."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mockpets.packaged_data import shipped
from tests.pages import foreign_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from mockpets import MockpetsServer

# The responses of `loading` wait for someone to open a gate; then they are those of `default`.
SCENARIOS = sorted({path.stem for path in shipped("scenarios").iterdir()} - {"loading"})
CALLS: dict[str, tuple[str, str, object, bool]] = {
    "list": ("GET", "/v1/pets?limit=2", None, True),
    "list again": ("GET", "/v1/pets?limit=2", None, True),
    "create": ("POST", "/v1/pets", {"name": "Miso", "categoryId": 2}, True),
    "get": ("GET", "/v1/pets/3", None, True),
    "get nothing": ("GET", "/v1/pets/999", None, True),
    "bad query": ("GET", "/v1/pets?limit=0", None, True),
    "bad body": ("POST", "/v1/pets", {"name": 1}, True),
    "no key": ("GET", "/v1/pets", None, False),
    "orders": ("GET", "/v1/store/orders", None, True),
    "no such path": ("GET", "/v1/pet", None, True),
    "other method": ("DELETE", "/v1/pets/3", None, True),
}
"""Maps names to method, target, body, and whether to send the key."""

PLAN = dict.fromkeys(SCENARIOS, CALLS) | {
    # These wait for seconds, so make one call instead of eleven.
    "slow": {"bad query": CALLS["bad query"]},
    "double-submit": {"bad body": CALLS["bad body"]},
}

READ = """
async ([url, session, plan]) => {
  const one = async (scenario, [method, target, body, withKey]) => {
    const headers = {"Mockpets-Session": `${session}-${scenario}`, "Mockpets-Scenario": scenario};
    if (withKey) headers.Authorization = "Bearer mockpets";
    if (body) headers["Content-Type"] = "application/json";
    let response;
    try {
      response = await fetch(url + target, {method, headers, body: body && JSON.stringify(body)});
    } catch { return {broken: true}; }
    const seen = {status: response.status, headers: Object.fromEntries(response.headers)};
    try { seen.text = await response.text(); } catch { return {broken: true}; }
    return seen;
  };
  const all = async ([scenario, calls]) => {
    const seen = {};
    for (const [name, call] of Object.entries(calls)) seen[name] = await one(scenario, call);
    return [scenario, seen];
  };
  return Object.fromEntries(await Promise.all(Object.entries(plan).map(all)));
}
"""

SESSION = "origin"
BROKEN = {"broken-json", "truncated"}
"""Scenarios whose bodies are broken on purpose."""

Seen = dict[str, dict[str, dict[str, Any]]]


def read(browser: Browser, server: MockpetsServer) -> Seen:
    """Return what the page reads, by scenario and call: status, headers and text."""
    with browser.new_context() as context, foreign_page() as port:
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"http://127.0.0.1:{port}")
        responses: Seen = page.evaluate(READ, [server.url, SESSION, PLAN])
        return responses


def test_the_page_can_read_every_response_and_its_headers(
    browser: Browser, server: MockpetsServer
) -> None:
    seen = read(browser, server)
    for scenario, calls in seen.items():
        responses = [each for each in calls.values() if not each.get("broken")]
        for response in responses:
            headers = response["headers"]
            assert headers["mockpets-session"] == f"{SESSION}-{scenario}"
            assert "mockpets-request" in headers and "mockpets-scenario" in headers
            if response["status"] >= 400 and scenario not in BROKEN:
                body = json.loads(response["text"])
                assert set(body) == {"code", "message", "status"}
                assert body["status"] == response["status"]
        assert scenario == "offline" or any(each["status"] >= 400 for each in responses), scenario

    default = seen["default"]
    fetched = default["get"]["headers"]
    assert fetched["sunset"] == "Thu, 05 Dec 2030 00:00:00 GMT"
    assert fetched["deprecation"] == "@1767225600"
    assert 'rel="successor-version"' in fetched["link"]
    assert default["create"]["headers"]["location"] == "/v1/pets/17"
    assert default["no key"]["headers"]["www-authenticate"] == 'Bearer realm="mockpets"'
    assert default["other method"]["headers"]["allow"]
    assert default["bad query"]["headers"]["mockpets-off-contract"]
    assert default["list"]["headers"]["mockpets-stub"] == "-"
    assert default["list"]["headers"]["mockpets-request"] == "1"
    assert default["list"]["headers"]["server-timing"].startswith("app;dur=")
    assert seen["maintenance"]["list"]["headers"]["retry-after"] == "120"
    assert seen["rate-limited"]["list"]["headers"]["retry-after"] == "5"
    assert seen["retry"]["list"]["headers"]["mockpets-stub"] == "retry/fail-twice"
    assert seen["flaky"]["list"]["headers"]["mockpets-seed"] == "1"
    assert seen["offline"]["list"] == seen["truncated"]["list"] == {"broken": True}
