"""The list of scenarios and the editor, with the mouse and with the keyboard only."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from mockpets import MockpetsServer, Settings
from mockpets.scenario.library import load_library
from tests.browser.panel import Panel, by_keyboard
from tests.http_client import Client, OverSocket

MINE = """\
description: Mine.
stubs:
  - name: first
    match: {operation: listPets}
    reply: {status: 503}
"""


@pytest.fixture
def own(
    tmp_path: Path, visit: Callable[..., Panel], request: pytest.FixtureRequest
) -> Iterator[Panel]:
    """Open the panel of a server with one scenario of its own, ``mine``."""
    (tmp_path / "mine.yaml").write_text(MINE, encoding="utf-8")
    with MockpetsServer(Settings(port=0, scenarios_dir=(tmp_path,))) as server:
        panel = visit(server.url, way=getattr(request, "param", "mouse"))
        panel.view("Scenarios")
        yield panel
        panel.page.goto("about:blank")


by_keyboard_own = pytest.mark.parametrize("own", ["keyboard"], indirect=True)


def row(panel: Panel, name: str) -> Locator:
    link = panel.page.get_by_role("link", name=re.compile(rf"^{re.escape(name)}( |$)"))
    return panel.page.locator(".scenario-list .row").filter(has=link)


def unfold(panel: Panel) -> None:
    """Show the scenarios of all groups."""
    folded = panel.page.locator(".scenario-list h2 [aria-expanded=false]")
    expect(panel.page.locator(".scenario-list h2").first).to_be_visible()
    while folded.count():
        folded.first.click()


def box(panel: Panel, name: str) -> Locator:
    """Return the checkbox that stacks a scenario."""
    return panel.page.get_by_role("checkbox", name=f"Activate {name}", exact=True)


def open_editor(panel: Panel, name: str) -> Locator:
    """Open a scenario and return the field with its text."""
    panel.use(row(panel, name).get_by_role("link"))
    field = panel.page.get_by_role("textbox", name=f"Source of {name}", exact=True)
    expect(field).not_to_have_value("")
    return field


def put_caret(field: Locator, text: str) -> None:
    """Put the caret of a field behind a text."""
    field.evaluate(
        """(field, text) => {
            const end = field.value.indexOf(text) + text.length;
            field.focus();
            field.setSelectionRange(end, end);
        }""",
        text,
    )


def save(panel: Panel) -> None:
    """Save with the keys of the button."""
    panel.page.keyboard.press("Control+s")


# --- The list ---------------------------------------------------------------------------------


@by_keyboard
def test_stack_scenarios_with_their_checkboxes(panel: Panel) -> None:
    panel.view("Scenarios")
    unfold(panel)
    expect(panel.active).to_have_text(["default"])
    panel.use(box(panel, "empty"), "Space")
    expect(panel.active).to_have_text(["empty"])
    assert panel.call("GET", "/v1/pets").json == []

    panel.use(box(panel, "slow"), "Space")
    expect(panel.active).to_have_text(["slow", "empty"])
    for name, place in (("slow", "1"), ("empty", "2")):
        expect(box(panel, name)).to_be_checked()
        expect(row(panel, name).locator(".stack-box")).to_have_text(place)

    open_editor(panel, "retry")  # activates nothing
    panel.page.get_by_text("What it does").click()
    expect(panel.page.locator(".does")).to_contain_text("retry/fail-twice")
    expect(panel.active).to_have_text(["slow", "empty"])
    panel.use(box(panel, "slow"), "Space")
    panel.use(box(panel, "empty"), "Space")
    expect(panel.active).to_have_text(["default"])
    assert len(panel.call("GET", "/v1/pets").json) == 16

    # The document of a test, which has no name that activates it, stays.
    document = {"scenario": {"description": "No pet.", "stubs": [{"delay": "1ms"}]}}
    panel.call("PUT", "/__mockpets/scenario", json_body=document)
    expect(panel.active).to_have_text(["inline-1"])
    panel.activate("slow", stack=True)
    expect(panel.active).to_have_text(["slow", "inline-1"])


@by_keyboard_own
def test_your_own_come_first_and_the_shipped_groups_are_counts(own: Panel) -> None:
    groups = own.page.locator(".scenario-list section")
    heads = groups.get_by_role("button")
    shipped = load_library([], []).grouped()
    counts = [f"{title} {len(names)}" for title, names in shipped.items()]
    expect(heads).to_have_text(["Your own 1", *counts])
    expect(groups.locator(".row")).to_have_count(1)

    first = groups.nth(1)
    own.use(first.get_by_role("button"))
    expect(first.locator(".row b")).to_have_text([*next(iter(shipped.values()))])
    own.use(first.get_by_role("button"))
    expect(first.locator(".row")).to_have_count(0)


@by_keyboard
def test_search_names_and_descriptions(panel: Panel) -> None:
    panel.view("Scenarios")
    search = panel.page.get_by_role("searchbox", name="Search scenarios")
    expect(search).to_be_visible()
    panel.page.keyboard.press("/")
    expect(search).to_be_focused()
    panel.write(search, "503")
    expect(row(panel, "retry")).to_be_visible()
    panel.write(search, "empt")
    expect(panel.page.locator(".scenario-list .row b").first).to_have_text("empty")
    panel.page.keyboard.press("Enter")

    expect(panel.active).to_have_text(["empty"])
    panel.write(search, "no such thing")
    expect(panel.page.get_by_text("No scenarios match the search")).to_be_visible()


def test_the_link_of_a_response_leads_to_its_stub(own: Panel) -> None:
    own.call("GET", "/v1/pets", scenario="mine")
    own.page.evaluate("location.hash = 'requests/1'")
    own.page.get_by_role("link", name="mine/first").click()
    field = own.page.get_by_role("textbox", name="Source of mine")
    expect(field).to_be_focused()
    assert field.evaluate("field => field.value.slice(0, field.selectionStart)").endswith(
        "stubs:\n"
    )


def test_a_broken_file_shows_where_and_keeps_the_last_valid_version(
    own: Panel, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    expect(row(own, "mine")).to_contain_text("Mine.")
    file.write_text("description: Mine.\nstubs:\n  - replie: pass\n", encoding="utf-8")
    expect(row(own, "mine").locator(".server")).to_have_text(
        re.compile(r"^3:5: .*did you mean 'reply'")
    )
    expect(box(own, "mine")).to_be_enabled()
    open_editor(own, "mine")
    expect(own.page.locator(".strip")).to_contain_text("did you mean 'reply'?")

    own.page.get_by_role("link", name="1 problem").click()
    assert own.page.url.endswith("#scenarios/mine")
    file.write_text("description: Fixed.\n", encoding="utf-8")
    expect(row(own, "mine")).to_contain_text("Fixed.")
    expect(own.page.locator(".strip")).to_have_count(0)
    expect(own.page.get_by_role("link", name="1 problem")).to_have_count(0)

    problem = own.page.get_by_text("Changed files are not reloaded until you fix this:")
    (tmp_path / "mine.yml").write_text("description: Other.\n", encoding="utf-8")
    expect(problem).to_be_visible()
    expect(own.page.locator(".folder-problems li")).to_have_text(
        re.compile(r"mine\.yml: mine\.yaml also has the name 'mine'; rename or remove one")
    )
    (tmp_path / "mine.yml").rename(tmp_path / "other.yml")
    expect(row(own, "other")).to_contain_text("Other.")
    expect(problem).to_be_hidden()


# --- The editor -------------------------------------------------------------------------------


@by_keyboard_own
def test_write_check_and_save_a_scenario(own: Panel, tmp_path: Path) -> None:
    own.use(own.button("New scenario"))
    name = own.page.get_by_role("textbox", name="Scenario name")
    for text, message in (("mine", "exists"), ("retry", "another name"), ("../up", "name")):
        name.fill(text)
        save(own)
        expect(own.page.locator(".strip[role=alert]")).to_contain_text(message)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.yaml"]
    own.write(name, "outage")
    field = own.page.get_by_role("textbox", name="Source of the new scenario")
    own.write(field, "description: Out.\nstubs:\n- reply: {status: 503}")  # Enter indents
    save(own)

    expect(row(own, "outage")).to_contain_text("Out.")
    saved = (tmp_path / "outage.yaml").read_text(encoding="utf-8")
    assert saved == "description: Out.\nstubs:\n  - reply: {status: 503}"
    own.use(own.button("Activate"))
    expect(own.active).to_have_text(["outage"])
    assert own.call("GET", "/v1/pets").status == 503


@by_keyboard_own
def test_a_problem_is_shown_while_one_types_and_fixed(own: Panel, tmp_path: Path) -> None:
    field = open_editor(own, "mine")
    put_caret(field, "reply: {status: 503}")
    own.page.keyboard.type("\ndealy: 1s")
    strip = own.page.locator(".strip")
    expect(strip).to_contain_text("unknown key 'dealy'; did you mean 'delay'?")
    expect(own.page.locator(".editor .wavy")).to_have_text("dealy")
    expect(field).to_have_attribute("aria-invalid", "true")
    place = strip.get_by_role("button", name="Go to line 6, column 5")
    expect(place).to_have_text("6:5")

    own.use(strip.get_by_role("button", name="Fix"))
    expect(field).to_have_value(re.compile(r"\n    delay: 1s\n"))
    expect(strip).to_have_count(0)
    expect(field).to_be_focused()
    own.page.keyboard.press("Control+z")  # like every change of the text
    expect(field).to_have_value(re.compile(r"\n    dealy: 1s\n"))
    expect(strip).to_be_visible()
    save(own)
    expect(own.page.get_by_text("Edited")).to_be_visible()
    assert (tmp_path / "mine.yaml").read_text(encoding="utf-8") == MINE
    own.page.reload()  # the text survives
    expect(field).to_have_value(re.compile(r"\n    dealy: 1s\n"))

    field.fill('description: Mine.\nstubs:\n  - replie: pass\n  - reply: {status: "503"}\n')
    strip.get_by_role("button", name="Problem 1 of 2: show the next").click()
    expect(strip).to_contain_text("remove the quotes")
    strip.get_by_role("button", name=re.compile("^Go to line 4")).click()
    assert field.evaluate("field => field.selectionStart") == 63


@by_keyboard_own
def test_a_file_that_changed_meanwhile_is_not_overwritten_by_accident(
    own: Panel, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    field = open_editor(own, "mine")
    put_caret(field, "description: Mine")
    own.page.keyboard.type(" and edited")
    file.write_text("description: Theirs.\n", encoding="utf-8")
    save(own)
    alert = own.page.locator(".strip[role=alert]")
    expect(alert).to_contain_text("changed")
    assert file.read_text(encoding="utf-8") == "description: Theirs.\n"
    edited = MINE.replace("Mine", "Mine and edited")
    expect(field).to_have_value(edited)

    own.use(own.button("Discard my changes"))
    expect(field).to_have_value("description: Theirs.\n")
    own.use(own.page.get_by_role("button", name="Undo"))
    expect(field).to_have_value(edited)
    file.unlink()
    expect(row(own, "mine")).to_have_count(0)
    save(own)
    expect(alert).to_contain_text("deleted")
    own.use(alert.get_by_role("button", name="Overwrite the file"))
    expect(alert).to_have_count(0)
    expect(row(own, "mine")).to_contain_text("Mine and edited.")
    assert file.read_text(encoding="utf-8") == edited


@by_keyboard_own
def test_undo_brings_back_changes_to_a_deleted_file(own: Panel, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    field = open_editor(own, "mine")
    put_caret(field, "description: Mine")
    own.page.keyboard.type(" and edited")
    edited = MINE.replace("Mine", "Mine and edited")
    file.unlink()
    expect(row(own, "mine")).to_have_count(0)
    save(own)
    own.use(own.button("Discard my changes"))
    expect(own.page.get_by_text("The file of mine was deleted.")).to_be_visible()
    expect(field).to_have_count(0)

    own.use(own.page.get_by_role("button", name="Undo"))
    expect(field).to_have_value(edited)
    own.page.reload()
    expect(field).to_have_value(edited)
    alert = own.page.locator(".strip[role=alert]")
    expect(alert).to_contain_text("The file was deleted since you started editing.")
    own.use(alert.get_by_role("button", name="Overwrite the file"))
    expect(alert).to_have_count(0)
    expect(row(own, "mine")).to_contain_text("Mine and edited.")
    assert file.read_text(encoding="utf-8") == edited


@by_keyboard_own
def test_duplicate_a_shipped_scenario_to_change_it(own: Panel, tmp_path: Path) -> None:
    own.page.get_by_role("searchbox").fill("retry")
    shipped = open_editor(own, "retry").input_value()
    expect(own.button("Save")).to_have_count(0)
    own.use(own.button("Duplicate retry"))
    expect(own.page.get_by_role("textbox", name="Scenario name")).to_have_value("retry-copy")
    expect(own.page.get_by_role("textbox", name="Source of the new scenario")).to_have_value(
        shipped
    )
    save(own)

    expect(own.page.get_by_role("heading", name="retry-copy")).to_be_visible()
    assert (tmp_path / "retry-copy.yaml").read_text(encoding="utf-8") == shipped


@by_keyboard_own
def test_record_a_scenario(own: Panel, tmp_path: Path) -> None:
    own.call("GET", "/v1/pets/1")
    own.menu("Menu", "Record from the next request")
    expect(own.page.get_by_text("Recording. Use your app")).to_be_visible()
    own.call("GET", "/v1/pets/999")
    own.call("GET", "/v1/owners")
    own.menu("Menu", "Save recording as a scenario")

    expect(own.page.get_by_text("Recorded 2 requests with 0 stubs.")).to_be_visible()
    expect(own.page.get_by_role("textbox", name="Scenario name")).to_have_value("recorded")
    save(own)
    expect(own.page.get_by_role("heading", name="recorded")).to_be_visible()
    text = (tmp_path / "recorded.yaml").read_text(encoding="utf-8")
    assert text.startswith("description: 'Recorded: 2 requests of session default.'")


def test_without_a_folder_a_text_is_saved_for_this_session(visit: Callable[..., Panel]) -> None:
    with MockpetsServer(Settings(port=0)) as bare:
        panel = visit(f"{bare.url}/~w1", "/__mockpets/#scenarios/+", way="keyboard")
        panel.write(panel.page.get_by_role("textbox", name="Scenario name"), "outage")
        new = panel.page.get_by_role("textbox", name="Source of the new scenario")
        panel.write(new, "description: Out.\nstubs: [{reply: {status: 503}}]")
        save(panel)
        expect(row(panel, "outage")).to_contain_text("Out.")
        expect(panel.page.locator(".strip")).to_contain_text("Saved for this session only.")
        panel.use(panel.button("Activate"))
        expect(panel.active).to_have_text(["outage"])
        assert panel.call("GET", "/v1/pets").status == 503
        assert Client(OverSocket(bare.url))("GET", "/v1/pets").status == 200

        field = panel.page.get_by_role("textbox", name="Source of outage", exact=True)
        panel.write(field, "description: Out.\nstubs: [{reply: {status: 502}}]")
        panel.use(panel.page.get_by_role("button", name="Save for this session"))
        expect(panel.page.locator("#news")).to_have_text("Saved outage for this session")
        assert panel.call("GET", "/v1/pets").status == 502

        panel.use(panel.button("Discard"))
        expect(row(panel, "outage")).to_have_count(0)
        expect(panel.active).to_have_text(["default"])
        panel.use(panel.page.get_by_role("button", name="Undo"))
        expect(row(panel, "outage")).to_contain_text("Out.")
        panel.page.goto("about:blank")


@by_keyboard_own
def test_try_a_scenario_on_a_request_without_sending_it(own: Panel) -> None:
    own.call("GET", "/v1/pets/3")
    own.call("GET", "/v1/pets?limit=2", scenario="mine")
    own.call("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 2})
    open_editor(own, "mine")
    tried = own.page.locator(".try-on")
    expect(tried.get_by_role("combobox")).to_have_value("2")
    expect(tried).to_contain_text("GET /v1/pets?limit=2")
    expect(tried.get_by_role("status")).to_contain_text("503 stub mine/first responds with 503")

    own.choose(tried.get_by_role("combobox"), "Request 1")
    expect(tried.get_by_role("status")).to_contain_text("200")
    expect(tried.get_by_role("status")).to_contain_text("1 other stub does not match")
    assert own.call("GET", "/__mockpets/requests").json["total"] == 3

    field = own.page.get_by_role("textbox", name="Source of mine")
    field.fill(MINE.replace("listPets", "getPet").replace("503", "502"))
    expect(tried.get_by_role("status")).to_contain_text("502 stub mine/first responds with 502")
    expect(tried.get_by_role("status")).to_contain_text("not saved yet")
    field.fill(MINE.replace("listPets", "getPet").replace("reply", "repyl"))
    expect(tried.get_by_role("status")).to_contain_text("last valid version")
    expect(tried.get_by_role("status")).to_contain_text("502")
