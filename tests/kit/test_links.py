"""Links and the cookie in a real browser, with an Express app that renders and proxies."""

import json
import random
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from mockpets import MockpetsServer, Settings
from tests.browser.test_toolbar import OPEN
from tests.pages import serving
from tests.programs import need, need_package

pytestmark = [pytest.mark.browser, pytest.mark.node]
LONG = pytest.mark.long

APP = Path(__file__).with_name("links-app.mjs")
SCENARIOS = {
    "empty": 200, "sold-out": 200, "crowded": 200, "awkward-names": 200, "big-ids": 200,
    "unauthorized": 401, "rate-limited": 429, "server-error": 500, "maintenance": 503,
    "broken-json": 200,
}  # fmt: skip
"""Scenario to the status of listPets."""
CALL = """
async ([method, body]) => {
  const headers = { Authorization: "Bearer mockpets", "Content-Type": "application/json" };
  const path = method === "POST" ? "/v1/pets" : "/v1/pets?limit=100";
  const response = await fetch(path, { method, headers, body });
  const names = ["Mockpets-Session", "Mockpets-Scenario"].map((name) => response.headers.get(name));
  return [response.status, ...names, await response.text()];
}
"""


@contextmanager
def third_party(received: list[dict[str, str]]) -> Iterator[str]:
    """Run a server on another host, and collect the headers of its requests."""

    def respond(_: str, headers: Mapping[str, str]) -> tuple[str, str]:
        received.append(dict(headers))
        return "text/plain", ""

    with serving(respond) as url:
        yield url.replace("localhost", "127.0.0.1")


@pytest.fixture
def app() -> Iterator[str]:
    """Run the app, whose third party must receive nothing of ours."""
    received: list[dict[str, str]] = []
    need_package("express")
    with MockpetsServer(Settings(port=0)) as server, third_party(received) as third:
        command = [need("node"), str(APP), server.url, third]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield f"http://localhost:{int(process.stdout.readline())}"
            finally:
                process.terminate()
    assert len(received) > 1
    assert not [each for each in received if "mockpets" in json.dumps(each).lower()]
    assert not [each for each in received if "Cookie" in each]


def call(page: Page, method: str = "GET", body: object = None) -> Any:
    """Call the API from the page; return the status, session, scenarios and text."""
    return page.evaluate(CALL, [method, None if body is None else json.dumps(body)])


@pytest.mark.parametrize("count", [3, pytest.param(len(SCENARIOS), marks=LONG)])
def test_a_link_opens_each_scenario_in_a_fresh_context(
    app: str, browser: Browser, count: int
) -> None:
    for scenario, status in [*SCENARIOS.items()][-count:]:
        with browser.new_context() as context:
            page = context.new_page()
            page.goto(f"{app}/pets?a=1&mockpets=demo%2B{scenario}#top")

            assert page.url == f"{app}/pets?a=1#top"
            assert page.locator("h1").inner_text() == f"{status} demo {scenario}"
            assert call(page)[:3] == [status, "demo", scenario]


def test_the_cookie_goes_with_forms_until_an_empty_link_deletes_it(
    app: str, browser: Browser
) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{app}/?mockpets=demo%2Bretry")
        with page.expect_navigation() as posted:
            page.evaluate("document.forms[0].submit()")
        page.goto(f"{app}/?mockpets=")

        assert posted.value is not None
        # A form has no key.
        assert (posted.value.status, posted.value.header_value("mockpets-session")) == (401, "demo")
        assert page.locator("h1").inner_text() == "200 default default"
        assert context.cookies() == []


def test_a_proxied_toolbar_needs_no_further_permission(app: str, browser: Browser) -> None:
    """The page allows only its own origin. The toolbar switches the session of the cookie."""
    with browser.new_context() as context:
        page = context.new_page()
        page.add_init_script(OPEN)
        page.goto(f"{app}/strict?mockpets=demo%2Bempty")
        page.locator("#pill").wait_for()
        page.keyboard.press("Alt+m")
        expect(page.locator("#add")).to_be_focused()
        with page.expect_navigation():
            page.keyboard.type("sold-o")
            page.keyboard.press("Control+Enter")
        page.goto(app)

        assert page.locator("h1").inner_text() == "200 demo sold-out"


def test_an_unknown_name_in_a_link_is_reported_once(app: str, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{app}/?mockpets=demo%2Bemtpy")
        first, second = call(page), call(page)

    assert first[0] == 422
    assert "did you mean 'empty'? The name comes from the cookie mockpets" in first[3]
    assert second[:3] == [200, "default", "default"]


@pytest.mark.parametrize("actions", [20, pytest.param(200, marks=LONG)])
def test_two_contexts_do_not_disturb_each_other(app: str, browser: Browser, actions: int) -> None:
    """In random order: lists, new pets and pages that the server renders."""
    choice = random.Random(41)
    added: dict[str, list[str]] = {"one": [], "two": []}
    with browser.new_context() as first, browser.new_context() as second:
        pages = {"one": first.new_page(), "two": second.new_page()}
        for name, page in pages.items():
            page.goto(f"{app}/?mockpets={name}%2Bempty")
        for number in range(actions):
            name = choice.choice(["one", "two"])
            page = pages[name]
            action = choice.choices(["add", "list", "open"], [5, 5, 1])[0]
            if action == "add":
                added[name].append(f"{name}-{number}")
                body = {"name": added[name][-1], "categoryId": 1}
                assert call(page, "POST", body)[:2] == [201, name]
                continue
            if action == "open":
                page.goto(f"{app}/{number}")
                text = page.locator("p").inner_text()
            else:
                text = call(page)[3]
            assert sorted(pet["name"] for pet in json.loads(text)) == sorted(added[name])
