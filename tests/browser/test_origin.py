"""A page on another origin can read every response that a front end needs, in every scenario."""

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from playwright.sync_api import Browser

from mockpets import MockpetsServer
from mockpets.constants import EXPOSED_HEADERS
from mockpets.packaged_data import shipped
from tests.browsers import FIREFOX
from tests.http_client import Client, OverSocket
from tests.pages import foreign_page

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

Seen = dict[str, dict[str, dict[str, Any]]]


def read(browser: Browser, server: MockpetsServer) -> Seen:
    """Return what the page reads, by scenario and call: status, headers and text."""
    with browser.new_context() as context, foreign_page() as port:
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"http://127.0.0.1:{port}")
        responses: Seen = page.evaluate(READ, [server.url, SESSION, PLAN])
        return responses


def call_directly(server: MockpetsServer, session: str, scenario: str, call: str) -> dict[str, Any]:
    """Make the same call without a browser, as the reference."""
    method, target, body, with_key = CALLS[call]
    caller = Client(OverSocket(server.url))
    headers = {"Mockpets-Session": f"{session}-{scenario}", "Origin": "http://front.test"}
    try:
        response = caller(
            method, target, headers=headers, json_body=body, scenario=scenario,
            key="mockpets" if with_key else None,
        )  # fmt: skip
    except (OSError, http.client.HTTPException):
        return {"broken": True}
    return {"status": response.status, "headers": response.headers, "text": response.body.decode()}


def call_all_directly(server: MockpetsServer) -> Seen:
    """Make the same calls without a browser, at the same time for all scenarios."""

    def call_all(scenario: str) -> dict[str, dict[str, Any]]:
        session = f"{SESSION}-2"
        return {each: call_directly(server, session, scenario, each) for each in PLAN[scenario]}

    with ThreadPoolExecutor(len(SCENARIOS)) as pool:
        return dict(zip(SCENARIOS, pool.map(call_all, SCENARIOS), strict=True))


def comparable(response: dict[str, Any]) -> dict[str, Any]:
    """Remove the headers of a response that differ between two sessions."""
    # Request numbers differ because a browser repeats a request when a reused connection breaks.
    varying = {"mockpets-session", "mockpets-session-id", "server-timing", "mockpets-request"}
    names = {name.lower() for name in EXPOSED_HEADERS} - varying
    kept = {name: value for name, value in response.get("headers", {}).items() if name in names}
    return {**response, "headers": kept}


def check_response(actual: dict[str, Any], expected: dict[str, Any]) -> None:
    """Compare what the page reads with what a program reads."""
    if FIREFOX and expected == {"broken": True} and actual.get("status", 200) >= 400:
        # Firefox checks the Content-Length of 2xx only, and returns partial bodies of others.
        assert len(actual["text"]) == int(actual["headers"]["content-length"]) // 2
    else:
        assert comparable(actual) == comparable(expected)


def check_error(response: dict[str, Any]) -> None:
    body = json.loads(response["text"])
    assert set(body) == {"code", "message", "status"}
    assert body["status"] == response["status"]


def test_the_page_can_read_every_response_and_its_headers(
    browser: Browser, server: MockpetsServer
) -> None:
    with ThreadPoolExecutor(1) as pool:
        calls = pool.submit(call_all_directly, server)
        seen = read(browser, server)
        direct = calls.result()
    problems = {}
    for scenario, call in [(each, call) for each in SCENARIOS for call in PLAN[each]]:
        response = seen[scenario][call]
        try:
            check_response(response, direct[scenario][call])
            if response.get("status", 0) >= 400 and scenario not in {"broken-json", "truncated"}:
                check_error(response)  # the others are broken on purpose
        except (AssertionError, ValueError) as problem:
            problems[scenario, call] = str(problem)
    assert problems == {}
    for scenario in {*SCENARIOS} - {"offline"}:
        assert any(each.get("status", 0) >= 400 for each in seen[scenario].values()), scenario

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
