"""Live updates: per session, and without moving the rows that the user reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from mockpets import MockpetsServer, Settings
from tests.browsers import FIREFOX

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Request, Route

    from tests.browser.panel import Panel

FOCUSED = "node => node === document.activeElement"


def top_of(panel: Panel, number: int) -> float:
    box = panel.page.locator(f"#request-list li[data-key='{number}']").bounding_box()
    assert box is not None
    return box["y"]


def test_one_click_activates_the_empty_scenario(panel: Panel) -> None:
    """The panel opens with the base URL, the key and the scenarios."""
    expect(panel.page.locator("#base-url")).to_have_text(f"{panel.url}/v1")
    expect(panel.page.locator("#key")).to_have_text("mockpets")
    expect(panel.page.get_by_text("No requests yet.")).to_be_visible()
    expect(panel.pick("empty")).to_be_in_viewport()
    panel.pick("empty").click()

    expect(panel.active).to_have_text(["empty"])
    assert panel.call("GET", "/v1/pets").json == []
    expect(panel.rows.first).to_contain_text("GET", timeout=2000)


def test_changes_by_other_clients_appear(panel: Panel) -> None:
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": ["slow", "empty"]})
    expect(panel.active).to_have_text(["slow", "empty"])
    panel.view("Pets")
    expect(panel.page.get_by_text("No pets. Clients get an empty list.")).to_be_visible()
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": "default"})
    panel.call("POST", "/v1/pets", json_body={"name": "Nala", "categoryId": 2})
    expect(panel.page.locator("#pet-rows tr").last).to_contain_text("Nala")
    panel.view("Requests")
    expect(panel.rows).to_have_count(1)
    panel.call("DELETE", "/__mockpets/requests")
    panel.call("GET", "/v1/pets")

    expect(panel.rows).to_have_count(1)
    expect(panel.rows.first).to_contain_text("GET")
    panel.call("POST", "/__mockpets/reset")
    expect(panel.rows).to_have_count(0)


@pytest.mark.parametrize("end", ["reset", "drop"])
def test_a_restarted_request_log_shows_no_old_rows(panel: Panel, end: str) -> None:
    for limit in (1, 2, 3):
        panel.call("GET", f"/v1/pets?limit={limit}")
    expect(panel.rows).to_have_count(3)
    # Right after a change, so that the panel's next poll comes after the restart.
    panel.call("GET", "/v1/pets/1")
    if end == "drop":
        panel.call("DELETE", "/__mockpets/sessions/" + panel.url.rpartition("/~")[2])
    else:
        panel.call("POST", "/__mockpets/reset")
    panel.call("GET", "/v1/pets?limit=99")

    expect(panel.rows).to_have_count(1)
    expect(panel.rows.first).to_contain_text("limit=99")


def test_new_rows_do_not_move_the_list(panel: Panel) -> None:
    for _ in range(60):
        panel.call("GET", "/v1/pets?limit=1")
    expect(panel.rows).to_have_count(60)
    panel.rows.nth(40).scroll_into_view_if_needed()
    panel.rows.nth(40).hover()
    panel.page.mouse.wheel(0, 50)
    expect(panel.page.locator("#request-top")).not_to_be_in_viewport()
    before = top_of(panel, 20)
    for _ in range(5):
        panel.call("GET", "/v1/pets?limit=2")

    expect(panel.button("Show 5 new requests")).to_be_visible()
    expect(panel.rows).to_have_count(60)
    assert top_of(panel, 20) == before
    panel.button("Show 5 new requests").click()
    expect(panel.rows).to_have_count(65)
    expect(panel.rows.first).to_be_in_viewport()
    assert panel.rows.first.evaluate(FOCUSED)


def test_opening_a_request_does_not_move_the_list(panel: Panel) -> None:
    panel.call("GET", "/v1/pets?limit=1")
    expect(panel.rows).to_have_count(1)
    panel.button("Pause").click()
    panel.call("GET", "/v1/pets?limit=2")
    expect(panel.button("Show 1 new request")).to_be_visible()
    panel.rows.first.click()
    expect(panel.page.locator("#entry-title")).to_have_text("Request 1")
    panel.page.get_by_role("article").get_by_role("button", name="Close").click()
    panel.view("Pets")
    panel.view("Requests")

    expect(panel.button("Show 1 new request")).to_be_visible()
    expect(panel.rows).to_have_count(1)


def test_the_focus_stays_while_requests_arrive(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    expect(panel.rows).to_have_count(1)
    panel.rows.first.focus()
    for _ in range(5):
        panel.call("GET", "/v1/pets")

    expect(panel.rows).to_have_count(6)
    assert panel.rows.last.evaluate(FOCUSED)


def test_a_button_skips_to_the_requests(panel: Panel) -> None:
    panel.page.keyboard.press("Tab")
    expect(panel.button("Skip to requests")).to_be_in_viewport()
    panel.page.keyboard.press("Enter")

    assert panel.page.locator("#view-requests").evaluate(FOCUSED)


def test_the_list_has_at_most_300_rows(panel: Panel) -> None:
    for _ in range(320):
        panel.call("GET", "/v1/pets?limit=1")
    expect(panel.rows.first.locator(".no")).to_have_text("320")

    expect(panel.rows).to_have_count(300)
    expect(panel.page.locator("#count-requests")).to_have_text("320")


def test_two_sessions_in_two_browsers_are_independent(
    server: MockpetsServer, visit: Callable[..., Panel]
) -> None:
    left, right = (visit(f"{server.url}/~{name}") for name in ("left", "right"))
    left.pick("empty").click()
    right.pick("unauthorized").click()
    expect(left.active).to_have_text(["empty"])
    expect(right.active).to_have_text(["unauthorized"])
    left.call("GET", "/v1/pets")
    right.call("GET", "/v1/pets?limit=3")
    right.call("GET", "/v1/pets?limit=4")

    expect(left.rows).to_have_count(1)
    expect(left.rows.first).to_contain_text("200")
    expect(right.rows).to_have_count(2)
    expect(right.rows.first).to_contain_text("401")
    right.view("Pets")
    right.button("Delete pet 1, Buster").click()
    expect(right.page.locator("#pet-rows tr")).to_have_count(15)
    expect(left.page.locator("#count-pets")).to_have_text("0")
    left.view("Sessions")
    for name in ("left", "right"):
        expect(left.page.locator(f"li[data-key='{name}']")).to_be_visible()
    expect(left.page.locator("li[data-key='left']")).to_contain_text("Current")


def test_a_hidden_page_uses_no_connection(panel: Panel) -> None:
    """Browsers open at most six connections to a server; panels in other tabs must use none."""
    set_hidden = """(hidden) => {
        Object.defineProperty(document, "hidden", {configurable: true, value: hidden});
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    before = panel.call("GET", "/__mockpets/events").json["change"]

    def is_next_poll(request: Request) -> bool:
        since = re.search(r"events\?since=(\d+)", request.url)
        return since is not None and int(since[1]) > before

    with panel.page.expect_request(is_next_poll):
        panel.call("GET", "/v1/pets")
    with panel.page.expect_event("requestfailed") as failed:
        panel.page.evaluate(set_hidden, True)
    assert "events?since=" in failed.value.url
    panel.call("GET", "/v1/pets")
    expect(panel.rows).to_have_count(1)
    panel.page.evaluate(set_hidden, False)

    expect(panel.rows).to_have_count(2)


def test_the_panel_reconnects_to_a_restarted_server(visit: Callable[..., Panel]) -> None:
    with MockpetsServer(Settings(port=0)) as first:
        panel = visit(first.url)
        expect(panel.page.get_by_text("Live", exact=True)).to_be_visible()
        panel.call("GET", "/v1/pets")
        expect(panel.rows).to_have_count(1)
        port = int(first.url.rpartition(":")[2])
    expect(panel.page.get_by_text("Disconnected", exact=True)).to_be_visible()
    expect(panel.page.get_by_text("Cannot reach the server.")).to_be_visible()
    with MockpetsServer(Settings(port=port, scenario=("empty",))):
        expect(panel.page.get_by_text("Live", exact=True)).to_be_visible()
        expect(panel.active).to_have_text(["empty"])
        expect(panel.rows).to_have_count(0)


# --- The control token ------------------------------------------------------------------------

TOKEN = "a-token-of-many-letters"


def test_the_panel_prompts_for_a_token_and_stores_it(
    visit: Callable[..., Panel],
) -> None:
    with MockpetsServer(Settings(port=0, control_token=TOKEN)) as server:
        panel = visit(server.url)
        dialog = panel.page.get_by_role("dialog", name="Control token")
        expect(dialog).to_be_visible()
        panel.page.keyboard.press("Escape")
        dialog.get_by_label("Token").fill("wrong-token-of-many-letters")
        dialog.get_by_role("button").click()
        expect(dialog).to_contain_text("The server rejected the token")
        dialog.get_by_label("Token").fill(TOKEN)
        panel.page.keyboard.press("Enter")
        expect(panel.active).to_have_text(["default"])
        panel.page.reload()
        expect(panel.active).to_have_text(["default"])
        kept = panel.page.evaluate("[Object.values(sessionStorage), Object.values(localStorage)]")
        assert kept == [[TOKEN], []]


def test_a_token_is_removed_from_the_url(visit: Callable[..., Panel]) -> None:
    with MockpetsServer(Settings(port=0, control_token=TOKEN)) as server:
        panel = visit(server.url, f"/__mockpets/#token={TOKEN}")

        expect(panel.active).to_have_text(["default"])
        assert panel.page.url == f"{server.url}/__mockpets/"
        panel.page.get_by_role("link", name="Reference").click()
        assert TOKEN not in panel.page.url
        expect(panel.page.get_by_role("combobox", name="Scenario").first).to_be_visible()


# --- Behind a prefix --------------------------------------------------------------------------


@pytest.mark.skipif(FIREFOX, reason="over BiDi, Playwright cannot read request bodies")
def test_all_urls_keep_a_prefix(server: MockpetsServer, visit: Callable[..., Panel]) -> None:
    """The panel works behind a reverse proxy that maps mockpets to a folder of a site."""

    def forward(route: Route) -> None:
        route.fulfill(response=route.fetch(url=route.request.url.replace("/mock/", "/")))

    panel = visit(server.url, "/__mockpets/health")
    panel.page.route("**/mock/**", forward)
    panel.page.goto(f"{server.url}/mock/~prefixed/__mockpets/")
    expect(panel.page.locator("#base-url")).to_have_text(f"{server.url}/mock/~prefixed/v1")
    panel.pick("empty").click()
    expect(panel.active).to_have_text(["empty"])
    panel.view("Try it")
    panel.button("Call listPets").click()
    expect(panel.page.locator(".response")).to_contain_text("mockpets-session: prefixed")
    panel.view("Sessions")
    link = panel.page.get_by_role("link", name="Open panel of default")
    expect(link).to_have_attribute("href", f"{server.url}/mock/__mockpets/")
    panel.page.unroute_all(behavior="ignoreErrors")  # a poll is still waiting
