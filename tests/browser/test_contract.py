"""The panel and the reference page of a server of a document with 300 operations."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from mockpets import MockpetsServer, Settings
from tests.browser.panel import Panel, by_keyboard
from tests.browser.test_looks import inspect
from tests.browsers import FIREFOX
from tests.web.checked_client import at, content, ok, op, several, thing, write

ACTIONS = ("archive", "restore", "share", "audit", "lock", "approve", "reject", "export", "print")
STATUS = {"type": "string", "enum": ["draft", "active"]}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 50}
SCHEMAS = {
    "Status": STATUS,
    "Statuses": {"type": "array", "items": {"$ref": "#/components/schemas/Status"}},
}


RECORD = thing(
    *("id", "name"),
    id={"type": "integer", "readOnly": True},
    name="string",
    status=STATUS,
    done="boolean",
    place=thing(city="string"),
)


def named(method: str, name: str, tag: str, operation: dict[str, Any]) -> dict[str, Any]:
    return {**operation, "operationId": f"{method}{name}", "tags": [tag]}


def paths() -> dict[str, Any]:
    """Return 15 operations for each of 20 collections."""
    result: dict[str, Any] = {}
    for number in range(20):
        name, tag, item = f"Thing{number}", f"Things {number}", RECORD
        key = f"thing{number}Id"
        query = [
            {"name": "limit", "in": "query", "schema": LIMIT},
            {"name": "done", "in": "query", "schema": {"type": "boolean"}},
            {"name": "status", "in": "query", "schema": {"$ref": "#/components/schemas/Statuses"}},
        ]
        listed = {**op(several(item)), "parameters": query}
        deleted = {"responses": {"204": {"description": "Deleted."}}}
        result[f"/thing{number}s"] = {
            "get": named("list", f"{name}s", tag, listed),
            "post": named("create", name, tag, op(item, item, status=201)),
        }
        result[f"/thing{number}s/{{{key}}}"] = at(
            key,
            get=named("get", name, tag, op(item)),
            put=named("replace", name, tag, op(item, item)),
            patch=named("update", name, tag, op(item, item)),
            delete=named("delete", name, tag, deleted),
        )
        for action in ACTIONS:
            body = {"requestBody": forms(item), "responses": ok(thing(at="string"))}
            path = f"/thing{number}s/{{{key}}}/{action}"
            result[path] = at(key, post=named(action, name, tag, body))
    return result


def forms(item: dict[str, Any]) -> dict[str, Any]:
    """Return a body that may be of several media types."""
    types = ("multipart/form-data", "application/x-www-form-urlencoded", "application/json")
    return {"content": {name: content(item)["content"]["application/json"] for name in types}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockpetsServer]:
    basic = {"type": "http", "scheme": "basic"}
    file = write(
        tmp_path_factory.mktemp("api"),
        paths(),
        servers=[{"url": "/api"}],
        security=[{"basic": []}],
        tags=[{"name": "Things 1", "description": "The first ones."}],
        components={"schemas": SCHEMAS, "securitySchemes": {"basic": basic}},
        webhooks={"changed": {"post": {"responses": {}}}},
    )
    with MockpetsServer(Settings(port=0, contract=(str(file),))) as running:
        yield running


def row(panel: Panel, name: str) -> Locator:
    link = panel.page.get_by_role("link", name=name, exact=True)
    return panel.page.locator(".operations tr").filter(has=link)


@by_keyboard
def test_the_contract_says_what_each_operation_does_and_leads_to_it(panel: Panel) -> None:
    page = panel.page
    panel.view("Contract")
    shown = page.locator(".operations tbody tr:not(.head)")
    expect(shown).to_have_count(300)
    cells = row(panel, "listThing3s").locator("th, td")
    expect(cells.nth(1)).to_have_text("GET /thing3s")
    expect(cells.nth(2)).to_have_text("list (rule list)")
    expect(cells.nth(3)).to_contain_text("filters done, status")
    expect(row(panel, "lockThing3").locator("td").nth(1)).to_have_text("example (rule example)")
    expect(page.get_by_role("region", name="Notes")).to_contain_text("webhooks are not sent")

    search = page.get_by_role("searchbox", name="Search operations")
    page.keyboard.press("/")  # the table has 600 tab stops
    panel.write(search, "thing7 lock")
    expect(shown).to_have_count(1)
    panel.use(page.get_by_role("button", name="With state 120"))
    expect(page.get_by_text("No operations match the search.")).to_be_visible()
    panel.use(panel.button("Clear the search"))
    expect(shown).to_have_count(300)

    page.keyboard.press("/")
    panel.write(search, "getThing7")
    expect(shown).to_have_count(1)
    panel.use(page.get_by_role("link", name="States of getThing7"))
    expect(page.locator(".operation")).to_have_count(1)
    page.go_back()
    panel.use(page.get_by_role("link", name="Records of thing7s"))
    expect(page.get_by_role("tab", name="thing7s")).to_have_attribute("aria-selected", "true")
    page.go_back()
    panel.use(page.get_by_role("link", name="getThing7", exact=True))
    expect(page.get_by_role("form", name="Call getThing7")).to_be_visible()


def test_try_it_has_a_form_for_parameters_and_for_each_media_type(panel: Panel) -> None:
    page = panel.page
    page.goto(f"{panel.url}/__mockpets/#try/listThing2s")
    form = page.get_by_role("form", name="Call listThing2s")
    form.get_by_role("textbox", name="limit").fill("3")
    form.get_by_role("combobox", name="done").select_option("false")
    status = form.get_by_role("textbox", name="status")
    expect(status).to_have_attribute("placeholder", "draft, active, comma-separated")
    status.fill("draft, active")
    form.get_by_role("textbox", name="Key").fill("ada:secret")
    panel.button("Call listThing2s").click()
    expect(page.locator("main .response").get_by_role("status")).to_contain_text("200")

    panel.use(page.get_by_role("button", name="Operation: listThing2s"))
    page.keyboard.type("sharething2")
    expect(page.get_by_role("dialog").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    form = page.get_by_role("form", name="Call shareThing2")
    form.get_by_role("textbox", name="name required").fill("Miso & co")
    form.get_by_role("textbox", name="place").fill('{"city": "Bern"}')
    form.get_by_role("combobox", name="done").select_option("Not set")
    texts = []
    for number, name in enumerate(("application/json", "multipart/form-data",
                                   "application/x-www-form-urlencoded"), 1):  # fmt: skip
        form.get_by_role("combobox", name="Media type").select_option(name)
        field = form.get_by_role("textbox", name="name required")
        expect(field).to_have_value("Miso & co" if number == 1 else "text")
        field.fill("Miso & co")
        expect(form.get_by_label("curl command")).to_contain_text("Miso")
        panel.button("Call shareThing2").click()
        expect(page.locator(".sent li")).to_have_count(number + 1)
        entry = panel.call("GET", f"/__mockpets/requests/{number + 1}").json
        texts.append(entry["request"]["body"]["text"])
        assert entry["status"] == 200, entry
    first = panel.call("GET", "/__mockpets/requests/1").json
    assert first["target"].endswith("/api/thing2s?limit=3&done=false&status=draft&status=active")
    assert json.loads(texts[0]) == {
        "name": "Miso & co", "status": "draft", "place": {"city": "Bern"},
    }  # fmt: skip
    assert 'name="name"\r\n\r\nMiso & co\r\n' in texts[1]
    assert "name=Miso+%26+co&status=draft" in texts[2]


def test_the_body_is_a_form_or_json(panel: Panel) -> None:
    panel.page.goto(f"{panel.url}/__mockpets/#try/createThing1")
    form = panel.page.get_by_role("form", name="Call createThing1")
    expect(form.get_by_text("name required", exact=True)).to_be_visible()
    form.get_by_role("textbox", name="name required").fill("Tea")
    form.get_by_role("button", name="JSON").click()
    body = form.get_by_role("textbox", name="Body")
    shown = json.loads(body.input_value())
    assert shown == {"name": "Tea", "status": "draft", "done": True, "place": {"city": "text"}}
    body.fill('{"name": "Big", "done": 12345678901234567890')
    expect(form.get_by_text("Fix the JSON to see the form.")).to_be_visible()
    body.fill('{"name": "Big", "done": 12345678901234567890}')
    form.get_by_role("button", name="Form").click()
    expect(form.get_by_role("combobox", name="done")).to_have_value("12345678901234567890")
    form.get_by_role("textbox", name="name required").fill("Bigger")
    expect(form.get_by_label("curl command")).to_contain_text("12345678901234567890")


def test_requests_are_filtered_and_grouped_by_operation(panel: Panel) -> None:
    for path in ("thing1s", "thing2s", "thing1s", "nothing"):
        panel.call("GET", f"/api/{path}", headers={"Authorization": "Basic YTpi"}, key=None)
    expect(panel.rows).to_have_count(4)
    panel.button("Group by operation").click()
    expect(panel.page.locator(".row.run > :first-child")).to_have_text(
        [
            "listThing1s 2 requests",
            "listThing2s 1 request",
            "Not in the contract 1 request, 1 failed",
        ]
    )
    keys = panel.rows.evaluate_all("rows => rows.map((row) => row.dataset.key)")
    assert keys == ["1", "3", "2", "4"]
    panel.page.keyboard.press("/")
    panel.page.keyboard.type("operation:thing19")
    expect(panel.page.get_by_role("listbox").get_by_role("option")).to_have_count(15)
    panel.page.get_by_role("combobox", name="Filter").fill("operation:listThing2s ")
    expect(panel.rows).to_have_count(1)
    panel.button("Remove operation:listThing2s").click()
    panel.row(3).click()
    panel.entry.get_by_role("link", name="listThing1s").first.click()
    expect(panel.rows).to_have_count(2)
    expect(panel.button("Remove operation:listThing1s")).to_be_visible()


def test_the_reference_is_searched_and_its_forms_open(
    session: str, visit: Callable[..., Panel]
) -> None:
    plain = visit(session, "/__mockpets/docs", java_script_enabled=False)
    contents = plain.page.get_by_role("navigation", name="Contents")
    expect(contents.locator("summary")).to_have_count(20)
    assert contents.locator("summary").first.inner_text() == "Things 1 15", "described tags first"
    if not FIREFOX:  # over BiDi, Playwright cannot turn scripts off
        expect(contents.get_by_role("searchbox")).to_be_hidden()

    panel = visit(session, "/__mockpets/docs", "keyboard")
    contents = panel.page.get_by_role("navigation", name="Contents")
    search = contents.get_by_role("searchbox", name="Search operations")
    expect(search).to_be_visible()
    panel.page.keyboard.press("/")
    expect(search).to_be_focused()
    panel.page.keyboard.type("things 12 lock")
    expect(contents.get_by_role("link")).to_have_text(["POST lockThing12", "Schemas", "Panel"])
    panel.page.keyboard.press("Enter")
    card = panel.page.locator("#lockThing12")
    expect(card.get_by_role("heading", name="POST /api/thing12s")).to_be_in_viewport()
    panel.use(card.get_by_text("Try lockThing12"))
    # Each poll for what is not there yet blocks this page for seconds, unless it is by CSS.
    card.locator("form").wait_for(state="attached")
    panel.use(card.get_by_role("button", name="Call lockThing12"))
    expect(card.locator(".response").get_by_role("status")).to_contain_text("200")
    search.fill("nothing")
    expect(contents.get_by_role("status")).to_have_text("No operations match the search.")
    search.fill("")
    expect(contents.get_by_role("link")).to_have_text(["Schemas", "Panel"])


@pytest.mark.parametrize("late", ["docs.js", "form.js", "openapi.json", "state"])
def test_a_form_of_the_reference_opens_however_late_its_parts_load(
    session: str, visit: Callable[..., Panel], late: str
) -> None:
    page, held = visit(session, "/").page, list[Route]()
    page.route(f"**/{late}", lambda route: held.append(route), times=1)
    card = page.locator("#lockThing12")
    with page.expect_request(f"**/{late}"):
        page.goto(f"{session}/__mockpets/docs", wait_until="commit")
        card.get_by_text("Try lockThing12").click()
    expect(card.get_by_text("This form needs JavaScript.")).to_be_visible()
    held[0].continue_()
    card.locator("form").wait_for(state="attached")
    expect(card.get_by_role("button", name="Call lockThing12")).to_be_visible()


def test_a_form_of_the_reference_that_cannot_be_loaded_says_so(
    session: str, visit: Callable[..., Panel]
) -> None:
    panel = visit(session, "/__mockpets/docs")
    panel.page.route("**/form.js", lambda route: route.abort())
    panel.page.get_by_text("Try lockThing12").click()

    card = panel.page.locator("#lockThing12")
    expect(card.get_by_text("The form could not be loaded.")).to_be_visible()


@pytest.mark.long
def test_views_of_300_operations_pass_axe_and_fit_the_window(panel: Panel) -> None:
    page = panel.page
    panel.view("Contract")
    expect(page.locator(".operations tbody tr").last).to_be_attached()
    inspect(page, "contract")
    page.get_by_role("searchbox").fill("nothing")
    expect(page.get_by_text("No operations match the search.")).to_be_visible()
    inspect(page, "contract, empty")
    page.goto(f"{panel.url}/__mockpets/#try/shareThing1")
    expect(page.get_by_role("form", name="Call shareThing1")).to_be_visible()
    inspect(page, "try")
    page.get_by_role("button", name="Operation: ").click()
    expect(page.get_by_role("dialog").get_by_role("option").last).to_be_attached()
    inspect(page, "operations")
    page.goto(f"{panel.url}/__mockpets/#data/thing1s")
    page.get_by_role("button", name="Add a record").click()
    expect(page.get_by_role("form", name="Add a record")).to_be_visible()
    inspect(page, "data")
    page.locator(".folded").first.click()
    inspect(page, "nested value")
