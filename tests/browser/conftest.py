"""A browser for each module, and pages that fail their test when a script of theirs does.

It is Chromium, or with ``TEST_BROWSER=firefox`` an unchanged Firefox by WebDriver BiDi.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from playwright.sync_api import expect, sync_playwright

from mockpets import MockpetsServer, Settings
from tests.browser.panel import FIREFOX, Panel
from tests.programs import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Playwright

HELD = """\
description: Adding a pet waits at the gate checkout.
stubs:
  - match: {operation: createPet}
    reply: pass
    hold: checkout
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = firefox(playwright) if FIREFOX else chromium(playwright)
        yield found
        found.close()


def chromium(playwright: Playwright) -> Browser:
    rules = "--host-resolver-rules=MAP evil.test 127.0.0.1"
    return playwright.chromium.launch(
        executable_path=need("chromium"), args=["--no-sandbox", "--no-proxy-server", rules]
    )


def firefox(playwright: Playwright) -> Browser:
    return playwright.firefox.launch(
        channel="moz-firefox",  # by BiDi, which needs no build of Playwright's own
        executable_path=need("firefox-esr"),
        firefox_user_prefs={"network.dns.localDomains": "evil.test", "network.proxy.type": 0},
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockpetsServer]:
    """A server that the tests of a module share; each has a session of its own."""
    folder = tmp_path_factory.mktemp("scenarios")
    (folder / "held.yaml").write_text(HELD, encoding="utf-8")
    with MockpetsServer(Settings(port=0, scenarios_dir=(folder,))) as running:
        yield running


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Panel]]:
    """Open pages, each in a browser context of its own; afterwards nothing may have gone wrong."""
    panels: list[Panel] = []

    def open_page(
        url: str, path: str = "/__mockpets/", way: str = "mouse", **options: object
    ) -> Panel:
        shape = {"viewport": {"width": 1440, "height": 900}, **options}
        context = browser.new_context(**shape)  # type: ignore[arg-type]  # handed on
        context.set_default_timeout(10_000)
        if FIREFOX and "color_scheme" in options:
            # What the system says cannot be set here, so it is chosen as in the panel.
            chosen = f"localStorage.setItem('mockpets-theme', '{options['color_scheme']}')"
            context.add_init_script(f"if (origin !== 'null') {chosen};")
        panel = Panel(context.new_page(), url, way)
        panels.append(panel)
        panel.page.goto(url + path)
        return panel

    yield open_page
    for panel in panels:
        panel.page.context.close()
    assert [flaw for panel in panels for flaw in panel.flaws] == []


@pytest.fixture
def session(server: MockpetsServer) -> str:
    """The address of a session that no other test has."""
    return f"{server.url}/~test-{uuid4().hex[:12]}"


@pytest.fixture
def panel(session: str, visit: Callable[..., Panel], request: pytest.FixtureRequest) -> Panel:
    """The panel of a session of its own, used in the way that the test asks for."""
    opened = visit(session, way=getattr(request, "param", "mouse"))
    expect(opened.page.get_by_text("Live", exact=True)).to_be_visible()
    return opened
