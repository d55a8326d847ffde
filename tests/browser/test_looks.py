"""Every view passes axe and fits the window, in both themes and at several widths."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from mockpets import MockpetsServer, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.browser.panel import Panel

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
VIEWS = ("scenarios", "requests", "requests/1", "pets", "try", "gates", "sessions")

CHECK = """
async (exclude) => {
  const {violations} = await axe.run({exclude});
  return violations.map(({id, help, nodes}) =>
    `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html)}`);
}
"""


def inspect(page: Page, view: str, exclude: tuple[str, ...] = ()) -> None:
    """Check the page against axe's rules and the width of the window.

    :param exclude: selectors of elements that were checked before.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    assert page.evaluate(CHECK, list(exclude)) == [], view
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, view


def fill(panel: Panel) -> None:
    """Create content for every view."""
    for query in ("limit=0", "limit=2", "x=1"):
        panel.call("GET", f"/v1/pets?{query}")
    panel.call("GET", "/v1/pets", key=None)
    panel.call("GET", "/v1/nothing" + "-and-on" * 30)
    panel.call("GET", "/v1/pets/1", scenario="maintenance")
    panel.call("PUT", "/__mockpets/snapshots/before")
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": ["missing", "awkward-names"]})


@pytest.mark.parametrize(
    ("width", "theme"),
    [
        (360, "dark"),
        (1440, "light"),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in ((360, "light"), (768, "dark"), (1440, "dark"))
        ),
    ],
)
def test_every_view(session: str, visit: Callable[..., Panel], width: int, theme: str) -> None:
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": theme}
    panel = visit(session, reduced_motion="reduce", **options)
    page = panel.page
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    inspect(page, "at the start")
    fill(panel)
    expect(panel.active).to_have_count(2)
    for view in VIEWS:
        page.evaluate("view => { location.hash = view; }", view)
        shown = "requests" if view == "scenarios" and width >= 1100 else view.partition("/")[0]
        expect(page.locator(f"#view-{shown}")).to_be_visible()
        if view == "requests/1":
            expect(page.locator("#entry-title")).to_be_visible()
            page.locator("details.why > summary").click()
            expect(page.locator("details.why dl")).to_be_visible()
        if view == "pets":
            expect(page.locator("#pet-rows tr").first).to_be_visible()
            page.locator("#add-pet button").click()
            expect(page.locator("#add-response")).to_contain_text("201")
        if view == "try":
            panel.button("Call listPets").click()
            expect(page.locator(".response pre")).to_be_visible()
            inspect(page, "response", (".scenarios",))
            page.get_by_role("combobox", name="Scenario").select_option("missing")
            panel.button("Explain").click()
            page.locator(".stubs summary").click()
            expect(page.locator(".stubs tr.fails")).to_be_visible()
        if view == "sessions":
            page.get_by_role("textbox", name="Name").fill("?")
            panel.button("Create session").click()
            expect(page.get_by_role("alert").locator(".notice")).to_be_visible()
        inspect(page, view, () if shown == "scenarios" else (".scenarios",))
    page.evaluate("location.hash = 'scenarios'")
    panel.button("Details of missing").click()
    expect(panel.scenario("missing").locator(".facts")).to_be_visible()
    inspect(page, "details of a scenario")
    page.goto(f"{session}/__mockpets/docs")
    expect(panel.button("Call getPet")).to_be_visible()
    inspect(page, "reference")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_token_dialog(visit: Callable[..., Panel], theme: str) -> None:
    with MockpetsServer(Settings(port=0, control_token="a-token-of-many-letters")) as server:
        page = visit(server.url, color_scheme=theme).page
        expect(page.get_by_role("dialog")).to_be_visible()
        inspect(page, "token")
