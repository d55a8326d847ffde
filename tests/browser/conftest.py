"""Fixtures: a server for each module, and pages that fail their test on any script error."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, expect

from mockpets import MockpetsServer, Settings
from tests.browser.panel import Panel
from tests.browsers import FIREFOX

SECONDS = 20
"""The time limit for every step: on a busy machine, a page takes several times as long."""
expect.set_options(timeout=SECONDS * 1000)

HELD = """\
description: Responses to createPet wait at the gate checkout.
stubs:
  - match: {operation: createPet}
    reply: pass
    hold: checkout
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockpetsServer]:
    """Start a server for the tests of a module; each test has its own session."""
    folder = tmp_path_factory.mktemp("scenarios")
    (folder / "held.yaml").write_text(HELD, encoding="utf-8")
    with MockpetsServer(Settings(port=0, scenarios_dir=(folder,))) as running:
        yield running


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Panel]]:
    """Open pages, each in its own browser context; at the end, fail on problems of any page."""
    panels: list[Panel] = []

    def open_page(
        url: str, path: str = "/__mockpets/", way: str = "mouse", **options: object
    ) -> Panel:
        context_options = {"viewport": {"width": 1440, "height": 900}, **options}
        context = browser.new_context(**context_options)  # type: ignore[arg-type]  # passed through
        context.set_default_timeout(SECONDS * 1000)
        if FIREFOX and "color_scheme" in options:
            # Firefox cannot emulate the system's scheme, so choose the theme as the panel does.
            choose = f"localStorage.setItem('mockpets-theme', '{options['color_scheme']}')"
            context.add_init_script(f"if (origin !== 'null') {choose};")
        panel = Panel(context.new_page(), url, way)
        panels.append(panel)
        panel.page.goto(url + path)
        return panel

    yield open_page
    for panel in panels:
        # Else a route that still handles a poll would fail the next test.
        panel.page.unroute_all(behavior="ignoreErrors")
        panel.page.context.close()
    assert [problem for panel in panels for problem in panel.problems] == []


@pytest.fixture
def session(server: MockpetsServer) -> str:
    """Return the URL of a session for this test only."""
    return f"{server.url}/~test-{uuid4().hex[:12]}"


@pytest.fixture
def panel(session: str, visit: Callable[..., Panel], request: pytest.FixtureRequest) -> Panel:
    """Open the panel of the test's session, to be used with the test's input device.

    An app on the same host has left a cookie, which must not have any effect on the panel.
    """
    opened = visit(session, way=getattr(request, "param", "mouse"))
    opened.page.context.add_cookies(
        [{"name": "mockpets", "value": "other+server-error", "url": session}]
    )
    expect(opened.page.get_by_text("Live", exact=True)).to_be_visible()
    return opened
