"""Every view passes axe and fits the window, at several widths and in both themes."""

import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from mockpets import MockpetsServer, Settings
from tests.browser.panel import Panel
from tests.server.raw_http import Wire, port_of

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES: dict[str, object] = {"type": "tag", "values": TAGS}

CHECK = """
async (runOnly) => {
  const {violations} = await axe.run({runOnly, resultTypes: ["violations"]});
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
SMALL = """
() => [...document.querySelectorAll("button, select, summary, textarea, input, [role=option]")]
  .filter((node) => node.checkVisibility() && !node.closest("[aria-hidden=true]"))
  .map((node) => node.closest(node.type === "checkbox" ? "label, td, th" : ".field") ?? node)
  .map((target) => [target.outerHTML.slice(0, 200), target.getBoundingClientRect()])
  .filter(([, {width, height}]) => width > 1 && Math.min(width, height) < 24)
  .map(([html, {width, height}]) => `${html} ${width} x ${height}`)
"""
"""Every control below 24 px (WCAG 2.2); axe ignores small ones that have space around them."""
QUICK = [(1440, "light"), (390, "dark")]
"""Widths and themes."""
MATRIX = [(width, theme) for width in (1440, 768, 390) for theme in ("light", "dark")]
LOOKS = MATRIX if os.environ.get("ALL_LOOKS") else QUICK
"""In `.ci/long`, all of them."""


def inspect(page: Page, view: str) -> None:
    """Check the page against axe's rules, the size of the window, and every scroller."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    for width, theme in LOOKS:
        if page.viewport_size != {"width": width, "height": 844}:
            page.set_viewport_size({"width": width, "height": 844})
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        place = f"{view}, {width} px, {theme}"
        assert page.evaluate(CHECK, RULES) == [], place
        for side in ("Width",) if view == "reference" else ("Width", "Height"):
            inner = f"document.documentElement.scroll{side} - inner{side}"
            assert page.evaluate(inner) <= 0, f"{place}: {side}"
        assert page.evaluate(EMPTY_SCROLL) == [], place
        assert page.evaluate(SMALL) == [], place
    page.set_viewport_size({"width": LOOKS[0][0], "height": 844})


def fill(panel: Panel) -> None:
    """Create content for every view."""
    for query in ("limit=0", "limit=2", "x=1"):
        panel.call("GET", f"/v1/pets?{query}")
    panel.call("GET", "/v1/pets", key=None)
    panel.call("GET", "/v1/nothing" + "-and-on" * 30)
    panel.call("GET", "/v1/pets/1", scenario="maintenance")
    delayed = {"description": "d", "stubs": [{"match": {"operation": "listPets"}, "delay": "60ms"}]}
    body = {"scenario": ["missing", "awkward-names", delayed]}
    assert panel.call("PUT", "/__mockpets/scenario", json_body=body).status == 200
    panel.call("GET", "/v1/pets?limit=3")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return a folder with a scenario whose name has sixty letters."""
    (tmp_path / f"{'long-' * 11}names.yaml").write_text("description: Long.\n", encoding="utf-8")
    return tmp_path


LOADED = {
    "requests": ".row.request",
    "requests/1": "#entry .code",
    "scenarios": ".scenario-list .row",
    "states": ".operation",
    "data": "table.editable tbody tr",
    "sessions": "table tbody tr",
    "findings": ".findings p",
    "contract": ".operations tbody tr",
    "try": "main form",
}
"""What shows that a view is complete."""


def test_every_view(visit: Callable[..., Panel], own: Path) -> None:
    with MockpetsServer(Settings(port=0, scenarios_dir=(own,))) as server:
        panel = visit(f"{server.url}/~looks", reduced_motion="reduce")
        page = panel.page
        expect(page.get_by_text("No requests yet.")).to_be_visible()
        inspect(page, "at the start")
        fill(panel)
        (own / "broken.yaml").write_text("description: 1\nstub: 2\n", encoding="utf-8")
        expect(page.get_by_title("Problems in scenario files")).to_be_visible()
        for view, loaded in LOADED.items():
            page.evaluate("view => { location.hash = view; }", view)
            expect(page.locator(loaded).last).to_be_visible()
            inspect(page, view)
            if view == "requests/1":
                for tab in ("Request", "Why", "Timing", "Diff"):
                    page.get_by_role("tab", name=tab).click()
                    expect(page.get_by_role("tabpanel")).not_to_be_empty()
                    if tab == "Why":
                        expect(page.locator(".why")).to_be_visible()
                    inspect(page, f"{view}, {tab}")
        hold = {"description": "d", "stubs": [{"hold": "door"}]}
        panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": hold})
        with Wire(port_of(server.url)) as wire:
            wire.get("/~looks/v1/pets", "Authorization: Bearer mockpets")
            page.evaluate("location.hash = 'requests'")
            panel.rows.filter(has_text="Release").click()
            expect(page.locator(".held-banner")).to_be_visible()
            inspect(page, "held")
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
        expect(page.get_by_role("heading", name="Schemas")).to_be_visible()
        inspect(page, "reference")


def test_no_heading_has_a_focus_ring(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    for view in ("Requests", "Scenarios", "States", "Data", "Sessions"):
        panel.view(view)
        assert panel.page.evaluate("!document.activeElement.matches('h1, h2, h3, main, section')")
    panel.view("Requests")
    panel.rows.first.click()
    expect(panel.entry).to_be_visible()
    assert panel.page.evaluate("!document.activeElement.matches('h1, h2, h3, article, section')")


def test_the_token_dialog(visit: Callable[..., Panel]) -> None:
    with MockpetsServer(Settings(port=0, control_token="a-token-of-many-letters")) as server:
        page = visit(server.url).page
        expect(page.get_by_role("dialog")).to_be_visible()
        inspect(page, "token")
