"""The shell: scenario chips, session switcher, palette, keys, undo, menu, and what it loads."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Request, expect

from mockpets import MockpetsServer
from tests.browser.panel import Panel, by_keyboard
from tests.browsers import FIREFOX
from tests.http_client import Client, OverSocket

PICKER = re.compile("Search")


@by_keyboard
def test_activate_stack_reorder_and_deactivate_scenarios(panel: Panel) -> None:
    panel.activate("empty")
    expect(panel.active).to_have_text(["empty"])
    panel.activate("slow", stack=True)
    expect(panel.active).to_have_text(["slow", "empty"])
    panel.reach(panel.page.locator("#active .chip-name").nth(1))
    panel.page.keyboard.press("Shift+ArrowLeft")
    expect(panel.active).to_have_text(["empty", "slow"])
    expect(panel.page.locator("#active .chip-name").first).to_be_focused()
    if FIREFOX:  # over BiDi, Playwright does not drag here
        panel.page.keyboard.press("Shift+ArrowRight")
    else:
        panel.active.nth(1).drag_to(panel.active.nth(0))
    expect(panel.active).to_have_text(["slow", "empty"])
    panel.use(panel.button("Deactivate slow"))
    expect(panel.active).to_have_text(["empty"])
    panel.use(panel.button("Deactivate empty"))
    expect(panel.active).to_have_text(["default"])
    expect(panel.button("Deactivate default")).to_have_count(0)


def test_the_palette_searches_descriptions_and_actions(panel: Panel) -> None:
    panel.page.keyboard.press("Control+k")
    panel.page.keyboard.type("no pets at")
    expect(panel.page.get_by_role("option").first).to_contain_text("empty")
    panel.page.get_by_role("combobox", name=PICKER).fill("nothing has this name")
    expect(panel.page.get_by_text("Nothing matches")).to_be_visible()
    panel.page.keyboard.press("Enter")
    panel.page.get_by_role("combobox", name=PICKER).fill("go to data")
    panel.page.keyboard.press("Enter")
    expect(panel.page.locator("#view-data")).to_be_visible()
    panel.page.keyboard.press("Control+k")
    panel.page.keyboard.type("retry")
    panel.page.keyboard.press("Alt+Enter")
    expect(panel.page.locator("#view-scenarios")).to_be_visible()
    assert panel.page.url.endswith("#scenarios/retry")
    expect(panel.active).to_have_text(["default"])


def test_an_invalid_name_of_a_session_is_reported_as_one(panel: Panel) -> None:
    panel.page.get_by_title("Switch session").click()
    panel.page.keyboard.type("a/b")
    panel.page.get_by_role("option", name="Create a/b").click()
    expect(panel.page.locator(".toast")).to_contain_text("invalid name 'a/b'")


@by_keyboard
def test_create_and_switch_a_session(panel: Panel, server: MockpetsServer) -> None:
    panel.allow_paste()
    name = f"created-by-{panel.way}"
    panel.use(panel.page.get_by_title("Switch session"))
    panel.page.keyboard.type(name)
    panel.page.get_by_role("option", name=f"Create {name}").wait_for()
    panel.page.keyboard.press("Enter")
    panel.page.wait_for_url(f"{server.url}/~{name}/__mockpets/#requests")
    expect(panel.page.locator("#session")).to_have_text(name)
    for page in ("pets?a=1&mockpets=old", "?other", ""):  # the last one is the panel
        referer = f"http://localhost:5173/{page}" if page else panel.page.url
        Client(OverSocket(server.url))("GET", f"/~{name}/v1/pets", headers={"Referer": referer})
    for what, text in (
        ("base URL", f"{server.url}/~{name}/v1"),
        ("header", f"Mockpets-Session: {name}"),
        ("key", f"mockpets~{name}"),
        ("link", f"http://localhost:5173/?other&mockpets={name}"),
    ):
        panel.use(panel.page.get_by_title("Switch session"))
        panel.page.keyboard.type(f"copy {what}")
        panel.wait_for_copy(lambda: panel.page.keyboard.press("Enter"))
        assert panel.paste() == text
    panel.use(panel.page.get_by_title("Switch session"))
    panel.page.keyboard.type("default")
    expect(panel.page.get_by_role("option", name="default").first).to_be_visible()
    panel.page.keyboard.press("Enter")
    panel.page.wait_for_url(f"{server.url}/__mockpets/#requests")


@by_keyboard
def test_reset_and_undo(panel: Panel) -> None:
    panel.call("POST", "/v1/pets", json_body={"name": "Nala", "categoryId": 2})
    expect(panel.rows).to_have_count(1)
    panel.page.keyboard.press("r")
    expect(panel.rows).to_have_count(0)
    assert panel.call("GET", "/__mockpets/data/pets?limit=1").json["total"] == 16
    panel.use(panel.page.get_by_role("button", name="Undo"))
    expect(panel.rows).to_have_count(1)
    assert panel.call("GET", "/__mockpets/data/pets?limit=1").json["total"] == 17


def test_the_clock_is_set_shown_and_unset(panel: Panel) -> None:
    panel.menu("Menu", "Clock")
    dialog = panel.page.get_by_role("dialog", name="Clock")
    dialog.get_by_label("Time").fill("tomorrow")
    dialog.get_by_role("button", name="Set the clock").click()
    expect(panel.page.locator(".toast.failed")).to_contain_text("tomorrow")
    dialog.get_by_label("Time").fill("2030-12-06T09:00:00Z")
    dialog.get_by_role("button", name="Set the clock").click()
    shown = panel.page.get_by_title("Session clock")
    expect(shown).to_have_text("2030-12-06 09:00, frozen")
    expect(dialog).to_have_count(0)
    assert panel.call("GET", "/v1/pets/1").status == 410

    shown.click()
    expect(dialog.get_by_role("checkbox", name="Frozen")).to_be_checked()
    dialog.get_by_role("button", name="Real time").click()
    expect(shown).to_have_count(0)
    assert panel.call("GET", "/v1/pets/1").status == 200


def test_keys_open_views_unless_one_types(panel: Panel) -> None:
    panel.page.keyboard.press("/")
    panel.page.keyboard.type("grxj?")
    expect(panel.page.get_by_role("combobox", name="Filter")).to_have_value("grxj?")
    expect(panel.page.get_by_role("dialog")).to_have_count(0)
    panel.page.get_by_role("combobox", name="Filter").blur()
    for key, view in (
        ("s", "scenarios"),
        ("a", "states"),
        ("d", "data"),
        ("e", "sessions"),
        ("c", "contract"),
        ("t", "try"),
    ):
        panel.page.keyboard.press("g")
        panel.page.keyboard.press(key)
        expect(panel.page.locator(f"#view-{view}")).to_be_visible()
    panel.page.keyboard.press("g")
    panel.page.keyboard.press("r")
    expect(panel.page.locator("#view-requests")).to_be_visible()
    panel.page.keyboard.press("?")
    dialog = panel.page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_contain_text("Go to Reference")
    panel.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    panel.page.keyboard.press("g")
    panel.page.keyboard.press("f")
    panel.page.wait_for_url("**/docs")


@pytest.mark.skipif(FIREFOX, reason="over BiDi, Playwright cannot read sizes of bodies")
def test_the_first_load_is_small_and_its_files_are_cached(
    session: str, visit: Callable[..., Panel]
) -> None:
    panel = visit("about:blank", path="")
    loaded: list[Request] = []
    panel.page.on("request", lambda each: loaded.append(each))
    panel.page.goto(f"{session}/__mockpets/")
    expect(panel.page.get_by_text("No requests yet.")).to_be_visible()
    panel.page.wait_for_timeout(500)
    urls = [each.url.removeprefix(session) for each in loaded if "data:" not in each.url]
    assert len(urls) <= 12, urls
    sizes = [len(each.response().body()) for each in loaded if "/panel/" in each.url]  # type: ignore[union-attr]
    assert sum(sizes) <= 160_000
    for each in loaded:
        response = each.response() if "/panel/" in each.url else None
        if response is not None:
            assert "immutable" in response.headers["cache-control"]
    loaded.clear()
    panel.page.reload()
    expect(panel.page.get_by_text("No requests yet.")).to_be_visible()
    entries = panel.page.evaluate(
        "performance.getEntriesByType('resource').filter((each) => each.name.includes('/panel/'))"
        ".map((each) => each.transferSize)"
    )
    assert set(entries) == {0}


# --- 390 px -----------------------------------------------------------------------------------


def test_a_phone_has_tabs_and_opens_a_request_over_the_whole_window(
    session: str, visit: Callable[..., Panel]
) -> None:
    panel = visit(session, viewport={"width": 390, "height": 844}, has_touch=True)
    page = panel.page

    def tap(target: Locator) -> None:
        target.click() if FIREFOX else target.tap()  # BiDi has no touch screen

    expect(page.get_by_text("No requests yet.")).to_be_visible()
    for limit in range(1, 20):
        panel.call("GET", f"/v1/pets?status=available&limit={limit}")
    expect(panel.row(19)).to_be_in_viewport()
    box = panel.rows.last.bounding_box()
    assert box is not None
    assert box["height"] == 52
    list_box = page.locator(".scroller").bounding_box()
    assert list_box is not None
    assert list_box["y"] <= 90
    tap(panel.row(19))
    sheet = panel.entry.bounding_box()
    assert sheet == {"x": 0, "y": 0, "width": 390, "height": 844}
    tap(panel.button("Back"))
    expect(panel.entry).to_have_count(0)
    tap(panel.button("Filter"))
    page.get_by_role("combobox", name="Filter").fill("limit=19")
    expect(panel.rows).to_have_count(1)
    tap(page.get_by_role("navigation", name="Views").get_by_text("More"))
    tap(page.get_by_role("dialog", name="More").get_by_text("Sessions"))
    expect(page.locator("#view-sessions")).to_be_visible()
    tap(page.get_by_title("Active scenarios"))
    page.keyboard.type("empty")
    tap(page.get_by_role("option", name="empty").first)
    expect(page.get_by_title("Active scenarios")).to_have_text("empty")
