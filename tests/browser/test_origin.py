"""A page on another origin reads all that a front end needs, under every shipped scenario."""

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
from tests.doors import Caller, Socket

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from mockpets import MockpetsServer

SCENARIOS = sorted(path.stem for path in shipped("scenarios").iterdir())
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
"""Name to method, target, body, and whether the key is sent."""

PLAN = dict.fromkeys(SCENARIOS, CALLS) | {
    # What waits for seconds is asked for one call, not eleven.
    "slow": {"bad query": CALLS["bad query"]},
    "double-submit": {"bad body": CALLS["bad body"]},
}

READ = """
async ([url, session, plan]) => {
  const one = async (scenario, [method, target, body, withKey]) => {
    const headers = {"Mockpets-Session": `${session}-${scenario}`, "Mockpets-Scenario": scenario};
    if (withKey) headers.Authorization = "Bearer mockpets";
    if (body) headers["Content-Type"] = "application/json";
    let answer;
    try {
      answer = await fetch(url + target, {method, headers, body: body && JSON.stringify(body)});
    } catch { return {broken: true}; }
    const seen = {status: answer.status, headers: Object.fromEntries(answer.headers)};
    try { seen.text = await answer.text(); } catch { return {broken: true}; }
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
    """What the page reads: scenario to call to status, headers and text."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(origin)
    found: Seen = page.evaluate(READ, [server.url, session, PLAN])
    context.close()
    return found


def ask(server: MockpetsServer, name: str, scenario: str, call: str) -> dict[str, Any]:
    """Make the same call without a browser, as the oracle of what was there to read."""
    method, target, body, with_key = CALLS[call]
    caller = Caller(Socket(server.url))
    headers = {"Mockpets-Session": name, "Origin": "http://front.test"}
    try:
        answer = caller(
            method, target, headers=headers, json_body=body, scenario=scenario,
            key="mockpets" if with_key else None,
        )  # fmt: skip
    except (OSError, http.client.HTTPException):
        return {"broken": True}
    return {"status": answer.status, "headers": answer.headers, "text": answer.body.decode()}


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """Leave of an answer what two sessions have in common."""
    # Of this session, and of this moment; and a browser repeats a request by itself when the
    # connection that it used again breaks, so it may have made more.
    own = {"mockpets-session", "server-timing", "mockpets-request"}
    wanted = {name.lower() for name in EXPOSED_HEADERS} - own
    kept = {name: value for name, value in answer.get("headers", {}).items() if name in wanted}
    return {**answer, "headers": kept}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_page_reads_what_there_is(
    seen: Seen, server: MockpetsServer, session: str, scenario: str
) -> None:
    for call in PLAN[scenario]:
        read = seen[scenario][call]
        there = ask(server, f"{session}-{scenario}-2", scenario, call)
        if FIREFOX and there == {"broken": True} and read.get("status", 200) >= 400:
            # It holds only a 2xx against its Content-Length, and gives what came of another.
            assert len(read["text"]) == int(read["headers"]["content-length"]) // 2
            continue
        assert comparable(read) == comparable(there), call


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_error_has_a_body_to_read(seen: Seen, scenario: str) -> None:
    if scenario in {"broken-json", "truncated"}:
        return  # their bodies are broken on purpose; the test above compares them
    errors = [one for one in seen[scenario].values() if one.get("status", 0) >= 400]
    for one in errors:
        body = json.loads(one["text"])
        assert set(body) == {"code", "message", "status"}
        assert body["status"] == one["status"]
    assert errors or scenario == "offline"


def test_the_headers_that_front_ends_wait_for(seen: Seen) -> None:
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
