"""The Data view, and the toolbar, of a server of an OpenAPI document with 50 collections."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from mockpets import MockpetsServer, Settings
from tests.browser.panel import Panel
from tests.browser.test_toolbar import OPEN
from tests.pages import foreign_page
from tests.web.checked_client import at, content, ok, op, several, thing, write

ID = {"type": "integer", "readOnly": True}
BOARD = thing(
    *("id", "title"),
    id=ID,
    title="string",
    level={"type": "integer", "enum": [1, 2, 3]},
    done="boolean",
    place=thing("city", city="string", floors=several({"type": "integer"})),
    kind={"enum": ["a", "b", None]},
)
DATE = {"type": "string", "format": "date"}
NOTE = thing("id", "text", id=ID, text="string")
SETTINGS = thing("name", name={"type": "string", "example": "Ours"}, opens="integer")
PATHS = {
    "/boards": {
        "get": op(thing(data=several(BOARD))),
        "post": op(thing("data", data=BOARD), BOARD, status=201),
    },
    "/boards/{boardId}": at("boardId", get=op(BOARD)),
    "/boards/{boardId}/notes": at(
        "boardId", get=op(several(NOTE)), post=op(NOTE, NOTE, status=201)
    ),
    "/settings": {
        "get": op(SETTINGS),
        "put": {**op(SETTINGS), "requestBody": content(SETTINGS), "responses": ok(SETTINGS)},
    },
    **{
        f"/c{number}s": {"get": op(several(thing("id", id=ID, name="string", due=DATE)))}
        for number in range(47)
    },
}
BOARDS = [
    {"id": 1, "title": "One", "level": 1, "done": True, "place": {"city": "Bern", "floors": [1]}},
    {"id": 2, "title": "Two", "kind": "b"},
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockpetsServer]:
    file = write(tmp_path_factory.mktemp("api"), PATHS, servers=[{"url": "/api"}])
    with MockpetsServer(Settings(port=0, contract=(str(file),))) as running:
        yield running


@pytest.fixture
def boards(panel: Panel) -> Panel:
    panel.call("PUT", "/__mockpets/data/boards", json_body=BOARDS)
    panel.view("Data")
    expect(cell(panel, "title", "1, One")).to_be_visible()
    return panel


def cell(panel: Panel, name: str, record: str) -> Locator:
    return panel.page.get_by_label(f"{name} of record {record}", exact=True)


def stored(panel: Panel, number: int) -> object:
    return panel.call("GET", f"/__mockpets/data/boards/{number}").json


def test_values_of_every_type_are_shown_and_changed(boards: Panel) -> None:
    news = boards.page.locator("#news")
    level, done = cell(boards, "level", "1, One"), cell(boards, "done", "1, One")
    expect(level).to_have_value("1")
    expect(done).to_have_value("true")
    expect(cell(boards, "level", "2, Two")).to_have_value("")
    assert done.locator("option").all_text_contents() == ["Not set", "true", "false"]
    assert cell(boards, "kind", "2, Two").locator("option").count() == 3, "null is no option"
    level.select_option("3")
    expect(news).to_contain_text("level of record 1 is now 3")
    done.select_option("false")
    expect(news).to_contain_text("done of record 1 is now false")
    expect(done).to_have_value("false")  # the table was rendered again
    place = cell(boards, "place", "1, One")
    expect(place).to_have_text("{city, floors}")
    boards.write_nested(place, '{"city": "Basel", "floors": [1, 2]}')
    expect(news).to_contain_text("place of record 1 is now")
    assert stored(boards, 1) == {
        **BOARDS[0], "level": 3, "done": False, "place": {"city": "Basel", "floors": [1, 2]},
    }  # fmt: skip
    dialog = boards.page.get_by_role("dialog")
    for text, problem in (
        ("Bern", 'place must be an object, got "Bern"'),
        ('{"city": 7}', "place.city must be a string"),
    ):
        boards.write_nested(place, text)
        expect(dialog.get_by_role("alert")).to_contain_text(problem)
        expect(dialog.get_by_role("textbox")).to_have_value(text)
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_have_count(0)
    boards.use(place)
    expect(dialog.get_by_role("textbox")).to_have_value(re.compile('"city": "Basel",\n'))
    boards.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    boards.write_nested(cell(boards, "place", "2, Two"), '{"city": "Chur"}')
    expect(cell(boards, "place", "2, Two")).to_have_text("{city}")
    boards.button("Delete record 1, One").click()
    expect(boards.page.locator("table.editable tbody tr")).to_have_count(1)
    boards.page.get_by_role("button", name="Undo").click()
    expect(level).to_have_value("3")


def test_what_is_entered_outlives_a_change_by_others(boards: Panel) -> None:
    level, title = cell(boards, "level", "2, Two"), cell(boards, "title", "2, Two")
    title.fill("Mine")
    boards.call("PATCH", "/__mockpets/data/boards/2", json_body={"title": "Theirs", "level": 2})
    expect(cell(boards, "level", "2, Theirs")).to_have_value("2")
    title = cell(boards, "title", "2, Theirs")
    expect(title).to_have_value("Mine")
    title.press("Enter")
    expect(boards.page.locator("#news")).to_contain_text("title of record 2 is now Mine")
    expect(level).to_have_count(0)

    boards.use(cell(boards, "place", "1, One"))
    place = boards.page.get_by_role("dialog").get_by_role("textbox")
    place.fill('{"city": "Basel"}')
    changes = {"place": {"city": "Chur"}, "level": 2}
    boards.call("PATCH", "/__mockpets/data/boards/1", json_body=changes)
    expect(cell(boards, "level", "1, One")).to_have_value("2")
    expect(place).to_have_value('{"city": "Basel"}')
    boards.button("Save").click()
    expect(boards.page.locator("#news")).to_contain_text("place of record 1 is now")
    assert stored(boards, 1) == {**BOARDS[0], "level": 2, "place": {"city": "Basel"}}


def test_a_record_is_added_with_nested_values(boards: Panel) -> None:
    boards.button("Add a record").click()
    form = boards.page.get_by_role("form", name="Add a record")
    place = form.get_by_role("textbox", name="place")
    expect(place).to_have_attribute("placeholder", '{"city":"text","floors":[1]}')
    place.fill('{"city": "Bern"}')
    form.get_by_role("combobox", name="done").select_option("false")
    form.get_by_role("combobox", name="level").select_option("2")
    form.get_by_role("textbox", name="title").fill("7")
    form.get_by_role("button").click()
    expect(form.get_by_role("status")).to_have_text("201: Added record 17, 7.")
    added = {"id": 17, "title": "7", "level": 2, "done": False, "place": {"city": "Bern"}}
    assert stored(boards, 17) == added


def test_a_record_of_a_parent_is_added(panel: Panel) -> None:
    panel.page.goto(f"{panel.url}/__mockpets/#data/notes")
    heads = panel.page.locator("table.editable thead th")
    expect(heads).to_have_text(["id", "of boards", "text"])
    panel.button("Add a record").click()
    form = panel.page.get_by_role("form", name="Add a record")
    form.get_by_role("textbox", name="text").fill("Mine")
    form.get_by_role("textbox", name="of boards").fill("3")
    form.get_by_role("button").click()
    expect(form.get_by_role("status")).to_have_text("Added record 33.")
    assert {"id": 33, "text": "Mine"} in panel.call("GET", "/api/boards/3/notes").json
    expect(cell(panel, "of boards", "33, Mine")).to_have_value("3")

    panel.button("Add a generated record").click()
    expect(panel.page.locator(".toast")).to_contain_text("Added generated record 34.")
    rows = panel.page.locator("table.editable tbody tr")
    expect(rows).to_have_count(34)
    expect(rows.last.get_by_role("textbox").last).not_to_have_value("")
    panel.page.get_by_role("button", name="Undo").click()
    expect(rows).to_have_count(33)


def test_a_collection_without_operations_that_write_has_columns_and_forms(panel: Panel) -> None:
    panel.call("PUT", "/__mockpets/data/c0s", json_body=[{"id": 1}])
    panel.page.goto(f"{panel.url}/__mockpets/#data/c0s")
    heads = panel.page.locator("table.editable thead th")
    expect(heads).to_have_text(["id", "name", "due"])
    due = cell(panel, "due", "1")
    due.fill("2030-04-05")
    due.press("Enter")
    expect(panel.page.locator("#news")).to_have_text("due of record 1 is now 2030-04-05")
    assert panel.call("GET", "/__mockpets/data/c0s/1").json == {"id": 1, "due": "2030-04-05"}
    panel.button("Add a record").click()
    form = panel.page.get_by_role("form", name="Add a record")
    form.get_by_label("due").fill("2030-04-06")
    form.get_by_role("button").click()
    expect(form.get_by_role("status")).to_have_text("Added record 17.")
    added = panel.call("GET", "/__mockpets/data/c0s/17").json
    assert (added["due"], type(added["name"])) == ("2030-04-06", str)


def test_a_collection_without_records(boards: Panel) -> None:
    boards.button("Replace all").click()
    form = boards.page.get_by_role("form", name="Replace all records")
    form.get_by_role("combobox", name="With").select_option("clear")
    form.get_by_role("button").click()
    expect(boards.page.get_by_text("No records.")).to_be_visible()
    assert boards.call("GET", "/api/boards").json == {"data": []}
    boards.page.get_by_role("button", name="Undo").click()
    expect(cell(boards, "title", "2, Two")).to_be_visible()


def test_a_single_object_has_no_key_and_is_not_added(panel: Panel) -> None:
    panel.page.goto(f"{panel.url}/__mockpets/#data/settings")
    heads = panel.page.locator("table.editable thead th")
    expect(heads).to_have_text(["record", "name", "opens"])
    panel.button("Add a record").click()
    form = panel.page.get_by_role("form", name="Add a record")
    form.get_by_role("textbox", name="name").fill("Mine")
    form.get_by_role("button").click()
    failed = form.get_by_role("status")
    expect(failed).to_contain_text("settings is a single object, which exists already")
    name = cell(panel, "name", "1, Ours")
    name.fill("Mine")
    name.press("Enter")
    expect(panel.page.locator("#news")).to_contain_text("name of record 1 is now Mine")
    assert panel.call("GET", "/api/settings").json["name"] == "Mine"


@pytest.mark.parametrize("width", [1440, 390])
def test_every_tab_of_fifty_collections_can_be_reached(panel: Panel, width: int) -> None:
    panel.page.set_viewport_size({"width": width, "height": 800})
    panel.page.goto(f"{panel.url}/__mockpets/#data/settings")
    tabs = panel.page.get_by_role("tab")
    expect(tabs).to_have_count(50)
    last = panel.page.get_by_role("tab", name="settings 1")
    expect(last).to_have_attribute("aria-selected", "true")
    expect(last).to_be_in_viewport()
    last.press("ArrowRight")
    first = panel.page.get_by_role("tab", name="boards 16")
    expect(first).to_have_attribute("aria-selected", "true")
    expect(first).to_be_in_viewport()
    expect(first).to_be_focused()


# --- The toolbar in a page that calls the document's API ------------------------------------------

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Boards</title>
<main><button id="add">Add</button><p id="out"></p></main>
<script type="module" src="{url}/__mockpets/toolbar.js"></script>
<script type="module">
const call = async (method, path, body) => {{
  const headers = {{ Authorization: "Bearer a", "Content-Type": "application/json" }};
  const options = {{ method, headers, body, credentials: "include" }};
  const sent = await fetch(`{url}/api${{path}}`, options);
  return [sent.status, await sent.json()];
}};
const load = async () => {{
  const [status, {{ data }}] = await call("GET", "/boards");
  out.textContent = `${{status}} ${{data?.length}}`;
}};
add.onclick = () => call("POST", "/boards", '{{"title": "Mine"}}').then(load);
addEventListener("mockpets", (event) => {{ event.preventDefault(); load(); }});
load();
</script>"""


def test_the_toolbar_of_a_page_that_calls_the_document(
    server: MockpetsServer, browser: Browser
) -> None:
    with foreign_page(PAGE.format(url=server.url)) as port, browser.new_context() as context:
        page = context.new_page()
        page.add_init_script(OPEN)
        page.goto(f"http://localhost:{port}/?mockpets=toolbar")
        out = page.locator("#out")
        expect(out).to_have_text("200 16")
        page.locator("#add").click()
        expect(out).to_have_text("200 17")
        page.keyboard.press("Alt+m")
        expect(page.locator(".request").first).to_contain_text("/boards")
        expect(page.get_by_role("dialog", name="mockpets")).to_contain_text("POST")
        page.get_by_role("button", name="Reset", exact=True).click()
        expect(out).to_have_text("200 16")
        page.get_by_role("button", name="Undo").click()
        expect(out).to_have_text("200 17")
        page.get_by_role("combobox", name="Add a scenario").fill("empty")
        page.keyboard.press("Enter")
        expect(out).to_have_text("200 0")


def test_a_contract_without_collections_says_so(
    tmp_path: Path, visit: Callable[..., Panel]
) -> None:
    file = write(tmp_path, {"/ping": {"post": op(thing(at="string"))}})
    with MockpetsServer(Settings(port=0, contract=(str(file),))) as running:
        panel = visit(running.url)
        panel.view("Data")
        expect(panel.page.get_by_role("heading", name="No collections.")).to_be_visible()
