"""Every view passes axe and fits the window, in both themes and at several widths."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from mockpets import MockpetsServer, Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.browser.panel import Panel

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

CHECK = """
async (values) => {
  const {violations} = await axe.run({runOnly: {type: "tag", values}});
  return violations.map(({id, help, nodes}) =>
    `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html)}`);
}
"""
EMPTY_SCROLL = """
() => [...document.querySelectorAll("*")].filter((node) => {
  if (node.tagName === "TEXTAREA") return false;  // its lines are no elements
  if (!/auto|scroll/.test(getComputedStyle(node).overflowY)) return false;
  if (node.scrollHeight <= node.clientHeight + 1) return false;
  // The end of what it scrolls to must be content.
  const top = node.getBoundingClientRect().top - node.scrollTop;
  const box = (each) => each.getBoundingClientRect();
  const within = [...node.querySelectorAll("*")].filter((each) => box(each).height > 0);
  const end = Math.max(...within.map((each) => box(each).bottom - top));
  return node.scrollHeight - end > 100;
}).map((node) => `${node.tagName}.${node.className} ${node.scrollHeight}`)
"""
"""Every scroller that ends in emptiness."""


def inspect(page: Page, view: str) -> None:
    """Check the page against axe's rules, the width of the window, and every scroller."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    assert page.evaluate(CHECK, list(TAGS)) == [], view
    for side in ("Width",) if view == "reference" else ("Width", "Height"):
        inner = f"document.documentElement.scroll{side} - inner{side}"
        assert page.evaluate(inner) <= 0, f"{view}: {side}"
    assert page.evaluate(EMPTY_SCROLL) == [], view


def fill(panel: Panel) -> None:
    """Create content for every view."""
    for query in ("limit=0", "limit=2", "x=1"):
        panel.call("GET", f"/v1/pets?{query}")
    panel.call("GET", "/v1/pets", key=None)
    panel.call("GET", "/v1/nothing" + "-and-on" * 30)
    panel.call("GET", "/v1/pets/1", scenario="maintenance")
    panel.call("PUT", "/__mockpets/snapshots/before")
    delayed = {"description": "d", "stubs": [{"match": {"operation": "listPets"}, "delay": "60ms"}]}
    body = {"scenario": ["missing", "awkward-names", delayed]}
    assert panel.call("PUT", "/__mockpets/scenario", json_body=body).status == 200
    panel.call("GET", "/v1/pets?limit=3")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return a folder with a scenario whose name has sixty letters."""
    (tmp_path / f"{'long-' * 11}names.yaml").write_text("description: Long.\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("width", "theme"),
    [
        (390, "dark"),
        (1440, "light"),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in ((390, "light"), (768, "dark"), (768, "light"), (1440, "dark"))
        ),
    ],
)
def test_every_view(visit: Callable[..., Panel], own: Path, width: int, theme: str) -> None:
    options = {"viewport": {"width": width, "height": 844}, "color_scheme": theme}
    with MockpetsServer(Settings(port=0, scenarios_dir=(own,))) as server:
        panel = visit(f"{server.url}/~looks", reduced_motion="reduce", **options)
        page = panel.page
        expect(page.get_by_text("No requests yet.")).to_be_visible()
        inspect(page, "at the start")
        fill(panel)
        (own / "broken.yaml").write_text("description: 1\nstub: 2\n", encoding="utf-8")
        if width > 700:
            expect(page.get_by_title("Problems in scenario files")).to_be_visible()
        for view in ("requests", "requests/1", "scenarios", "pets", "sessions", "findings", "try"):
            page.evaluate("view => { location.hash = view; }", view)
            expect(page.locator(f"main#view-{view.partition('/')[0]}")).to_be_visible()
            if view == "requests":
                expect(panel.rows.last).to_be_visible()
            if view == "requests/1":
                for tab in ("Response", "Request", "Why", "Timing", "Diff"):
                    page.get_by_role("tab", name=tab).click()
                    if tab == "Why":
                        expect(page.locator(".why")).to_be_visible()
                    inspect(page, f"{view}, {tab}")
            page.wait_for_timeout(300)  # what the view loads
            inspect(page, view)
        page.evaluate("location.hash = 'requests'")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        inspect(page, "keys")
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        page.keyboard.type("re")
        expect(page.get_by_role("option", name="retry").first).to_be_visible()
        inspect(page, "palette")
        page.keyboard.press("Escape")
        page.get_by_title("Switch session").click()
        expect(page.get_by_role("option", name="Copy base URL")).to_be_visible()
        inspect(page, "sessions")
        page.keyboard.press("Escape")
        panel.button("Menu").click()
        inspect(page, "menu")
        page.goto(f"{server.url}/__mockpets/docs")
        expect(panel.page.get_by_role("heading", name="Schemas")).to_be_visible()
        inspect(page, "reference")


def test_no_heading_has_a_focus_ring(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    for view in ("Requests", "Scenarios", "Pets", "Sessions"):
        panel.view(view)
        assert panel.page.evaluate("!document.activeElement.matches('h1, h2, h3, main, section')")
    panel.view("Requests")
    panel.rows.first.click()
    expect(panel.entry).to_be_visible()
    assert panel.page.evaluate("!document.activeElement.matches('h1, h2, h3, article, section')")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_token_dialog(visit: Callable[..., Panel], theme: str) -> None:
    with MockpetsServer(Settings(port=0, control_token="a-token-of-many-letters")) as server:
        page = visit(server.url, color_scheme=theme).page
        expect(page.get_by_role("dialog")).to_be_visible()
        inspect(page, "token")
