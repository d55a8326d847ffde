"""The view "Why this response?", of recorded requests and in the form that sends requests."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, expect

from mockpets import MockpetsServer, Settings
from tests.browser.panel import Panel, by_keyboard

UNAUTHORIZED = {"error": "unauthorized"}


def use(panel: Panel, *stubs: dict[str, Any]) -> None:
    document = {"description": "d", "stubs": stubs}
    assert panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": document}).status == 200
    # Another scenario in its list replaces the form, so wait until the panel knows it.
    expect(panel.active).to_have_text(["inline-1"])


def why(panel: Panel, number: int = 1) -> Locator:
    """Open a recorded request and its explanation."""
    panel.page.evaluate("number => { location.hash = `#requests/${number}`; }", number)
    expect(panel.entry).to_have_attribute("aria-label", f"Request {number}")
    panel.page.get_by_role("tab", name="Why").click()
    return panel.page.locator(".why")


def stub(section: Locator, name: str) -> Locator:
    return section.locator(".stubs > li").filter(has_text=f"/{name} ")


def cells(table: Locator) -> list[list[str]]:
    """Return the texts of a table's body."""
    expect(table).to_be_visible()
    rows = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    found: list[list[str]] = table.locator("tbody tr").evaluate_all(rows)
    return found


# --- Recorded requests ------------------------------------------------------------------------


def test_a_recorded_request_shows_the_stub_that_responds(panel: Panel) -> None:
    use(
        panel,
        {"name": "wait", "delay": "1ms"},
        {"name": "first", "times": 2, "reply": UNAUTHORIZED},
        {"name": "later", "reply": {"error": "pet_not_found"}, "match": {"operation": "getPet"}},
    )
    panel.call("GET", "/v1/pets")
    panel.rows.last.click()
    handled = "Handled by stubs inline-1/wait, inline-1/first."  # the first one does not respond
    expect(panel.entry.get_by_role("tabpanel")).to_contain_text(handled)
    section = why(panel)

    expect(section.get_by_role("status")).to_contain_text("401 Stub inline-1/first responds")
    expect(section.get_by_role("status")).to_contain_text("inline-1/wait applies too.")
    expect(section.locator("dl")).to_have_text("Response fromStub inline-1/first")
    expect(section.locator(".stubs summary")).to_have_text(
        [
            "inline-1/wait applies",
            "inline-1/first responds: use 1 of 2",
            "inline-1/later not reached: an earlier stub responds",
        ]
    )
    expect(stub(section, "first")).to_contain_text("For every request: responds with 401")
    expect(stub(section, "first")).to_contain_text("at most 2 times")
    expect(stub(section, "first").get_by_text("at most 2 times")).to_be_visible()
    later = stub(section, "later")
    expect(later.get_by_role("table")).to_be_hidden()
    panel.use(later.locator("summary"))
    expect(later.get_by_role("table")).to_be_visible()

    panel.call("GET", "/v1/pets", key=None)
    section = why(panel, 2)
    expect(section.get_by_role("status")).to_contain_text(
        "401 Before any scenario ran: the API key is missing; send"
    )
    expect(section.locator("dl")).to_have_text("Response fromA check that rejects the request")
    expect(section.locator(".stubs")).to_have_count(0)


def test_a_request_that_no_stub_matches_shows_the_nearest_and_what_fails(panel: Panel) -> None:
    users = {"operation": "listPets", "query": {"status": "sold"}, "headers": {"x-user": "ann"}}
    use(
        panel,
        {"name": "other", "match": {"operation": "getPet"}, "reply": {"error": "pet_not_found"}},
        {"name": "near", "match": users, "reply": UNAUTHORIZED},
    )
    panel.call("GET", "/v1/pets?status=sold", headers={"X-User": "bob"})
    section = why(panel)

    expect(section.get_by_role("status")).to_contain_text(
        "200 Operation listPets responds with 200; no stub responds to this request "
        "(nearest: inline-1/near)."
    )
    expect(section.locator("dl")).to_have_text("Response fromOperation listPets")
    expect(section.locator(".stubs summary")).to_have_text(
        ["inline-1/other does not match", "inline-1/near does not match nearest"]
    )
    expect(stub(section, "other").get_by_role("table")).to_be_hidden()
    table = section.get_by_role("table", name="Conditions of inline-1/near")
    assert cells(table) == [
        ["operation", "listPets", "listPets", "✓ yes"],
        ["query.status", '"sold"', '"sold"', "✓ yes"],
        ["headers.x-user", '"ann"', '"bob"', "✗ no"],
    ]
    backgrounds = table.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => getComputedStyle(row).backgroundColor)"
    )
    assert backgrounds[0] == backgrounds[1] != backgrounds[2]


def test_a_failed_explanation_is_reported_and_opening_again_retries(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    panel.page.route("**/explain", lambda route: route.abort())
    section = why(panel)
    alert = panel.entry.get_by_role("alert")
    expect(alert).to_have_text("Cannot reach the server. Is it still running?")
    panel.page.unroute("**/explain")
    panel.page.get_by_role("tab", name="Request").click()
    panel.page.get_by_role("tab", name="Why").click()
    expect(section.locator("dl")).to_be_visible()
    expect(alert).to_have_count(0)


def test_a_part_of_the_page_that_cannot_be_loaded_says_so(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    panel.page.route("**/details.js", lambda route: route.abort())
    why(panel)
    expect(panel.entry.get_by_role("alert")).to_contain_text("A part of the page could not be")


# --- Requests that are not sent ---------------------------------------------------------------


@by_keyboard
def test_explain_shows_what_would_respond_and_changes_nothing(panel: Panel) -> None:
    use(panel, {"name": "once", "times": 1, "reply": UNAUTHORIZED})
    before = panel.call("GET", "/__mockpets/state").json["counts"]
    panel.view("Try it")
    response = panel.page.locator(".response")
    for _ in range(2):  # the second would find the stub used up, had the first counted
        panel.use(panel.button("Explain"))
        expect(response).to_contain_text("The request was not sent. If you send it now:")
        expect(response.get_by_role("status")).to_contain_text(
            "401 Stub inline-1/once responds with 401"
        )
        expect(response.locator(".stubs summary")).to_have_text(
            "inline-1/once responds: use 1 of 1"
        )

    assert panel.call("GET", "/__mockpets/requests").json["total"] == 0
    assert panel.call("GET", "/__mockpets/state").json["counts"] == before
    panel.use(panel.button("Call listPets"))
    expect(response.get_by_role("status")).to_contain_text("401 Unauthorized in")
    panel.use(panel.button("Explain"))
    expect(response.locator(".stubs summary")).to_have_text("inline-1/once used up: 1 of 1")


def test_explain_has_all_that_the_form_has(panel: Panel) -> None:
    big = {"operation": "createPet", "body": {"categoryId": 9007199254740993}}
    use(panel, {"name": "big", "match": big, "reply": {"error": "invalid_request"}})
    panel.view("Try it")
    response = panel.page.locator(".response")
    panel.page.get_by_role("textbox", name="limit").fill("0")
    panel.button("Explain").click()
    expect(response.get_by_role("status")).to_contain_text("limit must be an integer")
    panel.page.get_by_role("combobox", name="Scenario").select_option("maintenance")
    panel.button("Explain").click()
    expect(response.get_by_role("status")).to_contain_text("503 Stub maintenance/")
    panel.page.get_by_role("textbox", name="Key").fill("wrong")
    panel.button("Explain").click()
    expect(response.get_by_role("status")).to_contain_text("the API key is invalid")

    panel.page.get_by_role("combobox", name="Scenario").select_option(index=0)
    panel.page.get_by_role("textbox", name="Key").fill("mockpets")
    panel.button("createPet").click()
    panel.button("JSON").click()
    body = panel.page.get_by_role("textbox", name="Body")
    body.fill('{"name": "Miso", "categoryId": 9007199254740993}')  # with every digit
    panel.button("Explain").click()
    expect(response.get_by_role("status")).to_contain_text("400 Stub inline-1/big responds")
    body.fill('{"name": ')
    panel.button("Explain").click()
    expect(response.get_by_role("alert")).to_contain_text("The body is not valid JSON")
    assert panel.call("GET", "/__mockpets/requests").json["total"] == 0


def test_the_reference_explains_a_request_if_it_may_call_the_control_api(
    session: str, visit: Callable[..., Panel]
) -> None:
    card = visit(session, "/__mockpets/docs").page.locator("#getPet")
    card.get_by_text("Try getPet").click()
    card.get_by_role("button", name="Explain").click()
    expect(card.get_by_role("status")).to_contain_text("200 Operation getPet responds with 200")

    with MockpetsServer(Settings(port=0, control_token="a-token-of-many-letters")) as server:
        page = visit(server.url, "/__mockpets/docs").page
        page.get_by_text("Try getPet").click()
        expect(page.get_by_role("button", name="Call getPet")).to_be_visible()
        expect(page.get_by_role("button", name="Explain")).to_have_count(0)
