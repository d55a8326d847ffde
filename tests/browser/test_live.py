"""Live updates: per session, and without moving the rows that the user reads."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Request, Route, expect

from mockpets import MockpetsServer, Settings
from tests.browser.panel import Panel
from tests.browsers import FIREFOX

FOCUSED = "node => node === document.activeElement"
SCROLLED_TO_END = """() => {
    const list = document.querySelector('.scroller');
    return list.scrollHeight - list.scrollTop - list.clientHeight < 8;
}"""


def top_of(panel: Panel, number: int) -> float:
    box = panel.row(number).bounding_box()
    assert box is not None
    return box["y"]


def rows_are(panel: Panel, count: int) -> None:
    """Wait until the list, which is at its end, shows this request."""
    expect(panel.row(count)).to_be_visible()


def test_changes_by_other_clients_appear(panel: Panel) -> None:
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": ["slow", "empty"]})
    expect(panel.active).to_have_text(["slow", "empty"])
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": "default"})
    panel.call("POST", "/v1/pets", json_body={"name": "Nala", "categoryId": 2})
    expect(panel.rows).to_have_count(1)
    views = panel.page.get_by_role("navigation", name="Views")
    expect(views.get_by_role("link", name="Data")).to_contain_text("17")
    panel.call("DELETE", "/__mockpets/requests")
    panel.call("GET", "/v1/pets")

    expect(panel.rows).to_have_count(1)
    expect(panel.rows.first).to_contain_text("GET")
    panel.call("POST", "/__mockpets/reset")
    expect(panel.rows).to_have_count(0)


def test_a_restarted_request_log_shows_no_old_rows(panel: Panel) -> None:
    for limit in (1, 2, 3):
        panel.call("GET", f"/v1/pets?limit={limit}")
    expect(panel.rows).to_have_count(3)
    # Right after a change, so that the panel's next poll comes after the restart.
    panel.call("GET", "/v1/pets/1")
    panel.call("DELETE", "/__mockpets/sessions/" + panel.url.rpartition("/~")[2])
    panel.call("GET", "/v1/pets?limit=99")

    expect(panel.rows).to_have_count(1)
    expect(panel.rows.first).to_contain_text("limit=99")


def test_the_list_sticks_to_its_end_unless_one_reads_elsewhere(panel: Panel) -> None:
    for _ in range(60):
        panel.call("GET", "/v1/pets?limit=1")
    rows_are(panel, 60)
    expect(panel.row(60)).to_be_in_viewport()
    assert panel.page.evaluate(SCROLLED_TO_END)
    assert panel.rows.count() < 60  # only those in view, and near it
    panel.rows.last.hover()
    panel.page.mouse.wheel(0, -600)
    expect(panel.row(60)).not_to_be_in_viewport()
    before = top_of(panel, 35)
    for _ in range(5):
        panel.call("GET", "/v1/pets?limit=2")

    expect(panel.button("5 new requests")).to_be_visible()
    assert top_of(panel, 35) == before
    panel.button("5 new requests").click()
    expect(panel.row(65)).to_be_in_viewport()
    expect(panel.row(65)).to_be_focused()
    expect(panel.button("5 new requests")).to_have_count(0)

    panel.row(60).click()
    expect(panel.entry).to_be_visible()
    before = top_of(panel, 60)
    for _ in range(30):
        panel.call("GET", "/v1/pets?limit=2")
    expect(panel.button("30 new requests")).to_be_visible()
    assert top_of(panel, 60) == before
    expect(panel.entry).to_have_attribute("aria-label", "Request 60")


def test_the_focus_stays_while_requests_arrive(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    expect(panel.rows).to_have_count(1)
    panel.rows.first.focus()
    for _ in range(5):
        panel.call("GET", "/v1/pets")

    expect(panel.rows).to_have_count(6)
    assert panel.row(1).evaluate(FOCUSED)


WATCH = """() => {
    window.longest = 0;
    new PerformanceObserver((list) => {
        for (const task of list.getEntries()) {
            window.longest = Math.max(window.longest, task.duration);
        }
    }).observe({type: "longtask"});
}"""


@pytest.mark.long  # it measures times, which another test on the machine changes
@pytest.mark.skipif(FIREFOX, reason="Firefox does not report long tasks")
def test_two_thousand_requests_in_ten_seconds(panel: Panel) -> None:
    """The list stays on the open request, without a task over 50 ms, and with few rows."""
    for _ in range(40):
        panel.call("GET", "/v1/pets?limit=1")
    rows_are(panel, 40)
    panel.row(30).click()
    expect(panel.entry).to_contain_text("Details")
    before = top_of(panel, 30)
    panel.page.evaluate(WATCH)
    for start in range(0, 2000, 200):
        panel.page.wait_for_timeout(500)
        for _ in range(start, start + 200):
            panel.call("GET", "/v1/pets?limit=1")
    rows = re.compile("^20[4-9][0-9]$")  # with the head, and one for each run
    expect(panel.page.get_by_role("grid")).to_have_attribute("aria-rowcount", rows, timeout=20000)
    expect(panel.button("2,000 new requests")).to_be_visible()

    assert top_of(panel, 30) == before
    assert panel.rows.count() < 80
    assert panel.page.evaluate("window.longest") <= 50
    panel.page.locator(".scroller").evaluate("node => { node.scrollTop = node.scrollHeight; }")
    expect(panel.row(2040)).to_be_in_viewport()
    assert panel.page.evaluate("window.longest") <= 50


def test_two_sessions_in_two_browsers_are_independent(
    server: MockpetsServer, visit: Callable[..., Panel]
) -> None:
    left, right = (visit(f"{server.url}/~{name}") for name in ("left", "right"))
    left.activate("empty")
    right.activate("unauthorized")
    expect(left.active).to_have_text(["empty"])
    expect(right.active).to_have_text(["unauthorized"])
    left.call("GET", "/v1/pets")
    right.call("GET", "/v1/pets?limit=3")
    right.call("GET", "/v1/pets?limit=4")

    expect(left.rows).to_have_count(1)
    expect(left.rows.first).to_contain_text("200")
    expect(right.rows).to_have_count(2)
    expect(right.rows.first).to_contain_text("401")
    left.page.get_by_title("Switch session").click()
    for name in ("left", "right"):
        expect(left.page.get_by_role("option", name=name).first).to_be_visible()
    expect(left.page.get_by_role("option", name="left").first).to_contain_text("current")


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
    expect(panel.rows).to_have_count(1)
    with panel.page.expect_event("requestfailed") as failed:
        panel.page.evaluate(set_hidden, True)
    assert "events?since=" in failed.value.url
    panel.call("GET", "/v1/pets")
    expect(panel.rows).to_have_count(1)
    panel.page.evaluate(set_hidden, False)

    expect(panel.rows).to_have_count(2)


@pytest.mark.parametrize("calls", [0, 1])
def test_the_panel_reconnects_to_a_restarted_server(
    visit: Callable[..., Panel], calls: int
) -> None:
    with MockpetsServer(Settings(port=0)) as first:
        panel = visit(first.url)
        expect(panel.page.get_by_text("Live", exact=True)).to_be_visible()
        for _ in range(calls):  # without one, both servers have counted no change
            panel.call("GET", "/v1/pets")
        expect(panel.rows).to_have_count(calls)
        port = int(first.url.rpartition(":")[2])
    expect(panel.page.get_by_text("Disconnected", exact=True)).to_be_visible()
    expect(panel.page.get_by_text("Cannot reach the server.")).to_be_visible()
    with MockpetsServer(Settings(port=port, scenario=("empty",))):
        expect(panel.page.get_by_text("Live", exact=True)).to_be_visible()
        expect(panel.active).to_have_text(["empty"])
        expect(panel.rows).to_have_count(0)


# --- The control token ------------------------------------------------------------------------

TOKEN = "a-token-of-many-letters"


def test_the_panel_takes_a_token_from_its_url_or_prompts_for_it(
    visit: Callable[..., Panel],
) -> None:
    with MockpetsServer(Settings(port=0, control_token=TOKEN)) as server:
        linked = visit(server.url, f"/__mockpets/#token={TOKEN}")
        expect(linked.active).to_have_text(["default"])
        assert linked.page.url == f"{server.url}/__mockpets/"
        linked.page.get_by_role("link", name="Reference").click()
        assert TOKEN not in linked.page.url
        linked.page.get_by_text("Try getPet").click()
        expect(linked.page.get_by_role("combobox", name="Scenario")).to_be_visible()

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


# --- Behind a prefix --------------------------------------------------------------------------


@pytest.mark.skipif(FIREFOX, reason="over BiDi, Playwright cannot read request bodies")
def test_all_urls_keep_a_prefix(server: MockpetsServer, visit: Callable[..., Panel]) -> None:
    """The panel works behind a reverse proxy that maps mockpets to a folder of a site."""

    def forward(route: Route) -> None:
        route.fulfill(response=route.fetch(url=route.request.url.replace("/mock/", "/")))

    panel = visit(server.url, "/__mockpets/health")
    panel.page.route("**/mock/**", forward)
    panel.page.goto(f"{server.url}/mock/~prefixed/__mockpets/")
    expect(panel.page.get_by_text(f"{server.url}/mock/~prefixed/v1")).to_be_visible()
    panel.activate("empty")
    panel.page.evaluate("fetch('../v1/pets', {headers: {Authorization: 'Bearer mockpets'}})")
    panel.rows.first.click()
    panel.button("Resend").click()
    expect(panel.page.locator(".toast")).to_contain_text("Resent as request 2: 200.")
    panel.view("Sessions")
    expect(panel.page.locator("#view-sessions")).not_to_be_empty()
    panel.page.get_by_title("Switch session").click()
    panel.page.get_by_role("option", name="default").first.click()
    panel.page.wait_for_url(f"{server.url}/mock/__mockpets/#sessions")
