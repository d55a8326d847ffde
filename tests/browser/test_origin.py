"""A page on another origin can read every response that a front end needs, in every scenario."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from mockpets.constants import EXPOSED_HEADERS
from mockpets.packaged_data import shipped
from tests.browser.foreign_page import foreign_page
from tests.browser.panel import FIREFOX
from tests.http_client import Client, OverSocket

if TYPE_CHECKING:
    from collections.abc import Iterator

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

Seen = dict[str, dict[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    with foreign_page() as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def session() -> str:
    return f"origin-{uuid4().hex[:8]}"


@pytest.fixture(scope="module")
def seen(browser: Browser, server: MockpetsServer, origin: str, session: str) -> Seen:
    """Return what the page reads, by scenario and call: status, headers and text."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(origin)
    responses: Seen = page.evaluate(READ, [server.url, session, PLAN])
    context.close()
    return responses


def call_directly(server: MockpetsServer, name: str, scenario: str, call: str) -> dict[str, Any]:
    """Make the same call without a browser, as the reference."""
    method, target, body, with_key = CALLS[call]
    caller = Client(OverSocket(server.url))
    headers = {"Mockpets-Session": name, "Origin": "http://front.test"}
    try:
        response = caller(
            method, target, headers=headers, json_body=body, scenario=scenario,
            key="mockpets" if with_key else None,
        )  # fmt: skip
    except (OSError, http.client.HTTPException):
        return {"broken": True}
    return {"status": response.status, "headers": response.headers, "text": response.body.decode()}


def comparable(response: dict[str, Any]) -> dict[str, Any]:
    """Remove the headers of a response that differ between two sessions."""
    # Request numbers differ because a browser repeats a request when a reused connection breaks.
    varying = {"mockpets-session", "mockpets-session-id", "server-timing", "mockpets-request"}
    names = {name.lower() for name in EXPOSED_HEADERS} - varying
    kept = {name: value for name, value in response.get("headers", {}).items() if name in names}
    return {**response, "headers": kept}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_page_can_read_every_response(
    seen: Seen, server: MockpetsServer, session: str, scenario: str
) -> None:
    for call in PLAN[scenario]:
        actual = seen[scenario][call]
        expected = call_directly(server, f"{session}-{scenario}-2", scenario, call)
        if FIREFOX and expected == {"broken": True} and actual.get("status", 200) >= 400:
            # Firefox checks the Content-Length of 2xx only, and returns partial bodies of others.
            assert len(actual["text"]) == int(actual["headers"]["content-length"]) // 2
            continue
        assert comparable(actual) == comparable(expected), call


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_error_has_a_readable_body(seen: Seen, scenario: str) -> None:
    if scenario in {"broken-json", "truncated"}:
        return  # broken on purpose; the test above compares these bodies
    errors = [response for response in seen[scenario].values() if response.get("status", 0) >= 400]
    for response in errors:
        body = json.loads(response["text"])
        assert set(body) == {"code", "message", "status"}
        assert body["status"] == response["status"]
    assert errors or scenario == "offline"


def test_the_page_can_read_the_headers(seen: Seen) -> None:
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
