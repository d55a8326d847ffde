"""The view of the states: one click on a chip sets a response of an operation for the session."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from mockpets import MockpetsServer, Settings
from tests.browser.panel import Panel, by_keyboard
from tests.server.raw_http import Wire, port_of
from tests.web.documents import document, json_of, operation, write

ITEM = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
LISTED = json_of({"type": "array", "items": ITEM})


def states(panel: Panel, name: str) -> Locator:
    """Return the chips of an operation."""
    return panel.page.get_by_role("group", name=name, exact=True)


def chip(panel: Panel, expression: str) -> Locator:
    name, _, state = expression.partition(":")
    return states(panel, name).get_by_role("button", name=state, exact=True)


def press(panel: Panel, expression: str) -> None:
    """Use a chip; by keyboard, the chips of an operation are one tab stop."""
    if panel.way == "mouse":
        chip(panel, expression).click()
        return
    name, _, state = expression.partition(":")
    panel.reach(states(panel, name).locator("[tabindex='0']"))
    names = states(panel, name).get_by_role("button").all_text_contents()
    focused = panel.page.evaluate("document.activeElement.textContent")
    steps = names.index(state) - names.index(focused)
    for _ in range(abs(steps)):
        panel.page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")
    expect(chip(panel, expression)).to_be_focused()
    panel.page.keyboard.press("Enter")


def pressed(panel: Panel) -> Locator:
    return panel.page.locator(".states [aria-pressed=true]")


@by_keyboard
def test_a_click_sets_a_state_and_another_releases_it(panel: Panel) -> None:
    panel.view("States")
    expect(states(panel, "getPet").get_by_role("button")).to_have_text(
        ["200", "401", "404", "500", "3s", "hold", "offline", ""]
    )
    press(panel, "getPet:404")
    expect(panel.active).to_have_text(["getPet:404"])
    expect(pressed(panel)).to_have_text(["404"])
    assert panel.call("GET", "/v1/pets/3").status == 404

    # Another response replaces it; what an operation also waits for stays, as do other operations.
    press(panel, "listPets:empty")
    expect(panel.active).to_have_text(["listPets:empty", "getPet:404"])
    press(panel, "getPet:3s")
    expect(panel.active).to_have_text(["getPet:3s", "listPets:empty", "getPet:404"])
    press(panel, "getPet:hold")
    press(panel, "getPet:offline")
    expect(panel.active).to_have_text(
        ["getPet:offline", "getPet:hold", "getPet:3s", "listPets:empty"]
    )
    assert panel.call("GET", "/v1/pets").json == []

    for number, name in enumerate(["getPet:3s", "getPet:hold", "listPets:empty"]):
        press(panel, name)
        expect(panel.active).to_have_count(3 - number)
    panel.use(panel.button("Deactivate getPet:offline"))
    expect(panel.active).to_have_text(["default"])
    expect(pressed(panel)).to_have_count(0)
    assert panel.call("GET", "/v1/pets/3").status == 200


def test_two_clicks_at_once_set_both_states(panel: Panel) -> None:
    panel.view("States")
    chips = [chip(panel, each).element_handle() for each in ("getPet:404", "listPets:empty")]
    panel.page.evaluate("(chips) => chips.forEach((each) => each.click())", chips)

    expect(panel.active).to_have_text(["listPets:empty", "getPet:404"])


def test_states_stack_on_scenarios_and_the_head_leads_to_them(panel: Panel) -> None:
    panel.activate("empty")
    panel.view("States")
    chip(panel, "all:401").click()
    expect(panel.active).to_have_text(["all:401", "empty"])
    assert panel.call("GET", "/v1/pets").status == 401
    panel.view("Requests")
    panel.rows.first.click()
    panel.entry.get_by_role("link", name="all:401").click()
    expect(panel.page.get_by_role("searchbox", name="Search operations")).to_have_value("all")
    panel.view("Data")
    panel.active.first.click()
    expect(chip(panel, "all:401")).to_have_attribute("aria-pressed", "true")
    chip(panel, "all:401").click()
    expect(panel.active).to_have_text(["empty"])


def test_more_states_and_those_that_others_set(panel: Panel) -> None:
    body = {"scenario": ["GETPET:250ms", "getPet:507"]}
    assert panel.call("PUT", "/__mockpets/scenario", json_body=body).status == 200
    panel.view("States")
    expect(pressed(panel)).to_have_text(["507", "250ms"])
    expect(chip(panel, "getPet:malformed_json")).to_have_count(0)
    panel.button("More states of getPet").click()
    chip(panel, "getPet:malformed_json").click()
    expect(panel.active).to_have_text(["getPet:malformed_json", "getPet:250ms"])
    chip(panel, "getPet:3s").click()
    expect(panel.active).to_have_text(["getPet:3s", "getPet:malformed_json"])
    panel.button("Fewer states of getPet").click()
    expect(chip(panel, "getPet:stall")).to_have_count(0)
    expect(pressed(panel)).to_have_text(["3s", "malformed_json"])


def test_the_head_scrolls_to_every_active_state(panel: Panel) -> None:
    panel.page.set_viewport_size({"width": 768, "height": 800})
    names = [f"all:{number}ms" for number in range(100, 120)]
    assert panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": names}).status == 200
    expect(panel.active).to_have_count(20)
    expect(panel.active.last).not_to_be_in_viewport()
    panel.button("Deactivate all:119ms").click()
    expect(panel.active).to_have_count(19)


def test_what_a_state_holds_is_released_beside_it(panel: Panel, server: MockpetsServer) -> None:
    panel.view("States")
    chip(panel, "getPet:hold").click()
    expect(panel.active).to_have_text(["getPet:hold"])
    path = panel.url.removeprefix(server.url)
    with Wire(port_of(server.url)) as wire:
        wire.get(f"{path}/v1/pets/3", "Authorization: Bearer mockpets")
        release = states(panel, "getPet").get_by_role("button", name="Release 1")
        release.click()
        assert wire.read().status == 200
        expect(release).to_have_count(0)


# --- Documents ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockpetsServer]:
    """Start a server with 300 operations of 150 collections, and the pet store."""
    paths = {
        f"/thing{number}s": {
            "get": operation(name=f"list{number}", _200=LISTED),
            "post": operation(name=f"add{number}", body=json_of(ITEM), _201=json_of(ITEM)),
        }
        for number in range(150)
    }
    file = write(tmp_path_factory.mktemp("large") / "large.json", document(paths))
    with MockpetsServer(Settings(port=0, contract=(f"/api={file}", "pet-store"))) as server:
        yield server


def test_300_operations_are_folded_and_searched(
    large: MockpetsServer, visit: Callable[..., Panel]
) -> None:
    panel = visit(f"{large.url}/~large", "/__mockpets/#states")
    search = panel.page.get_by_role("searchbox", name="Search operations")
    expect(search).to_have_attribute("placeholder", "Search 303 operations")
    operations = panel.page.locator(".operation")
    expect(operations).to_have_count(1)  # all
    group = panel.page.get_by_role("region", name="thing7s", exact=True)
    group.get_by_role("button", name="thing7s").click()
    expect(group.locator(".operation b")).to_have_text(["list7", "add7"])

    search.fill("POST thing149s")
    expect(operations).to_have_count(1)
    chip(panel, "add149:201").click()
    expect(panel.active).to_have_text(["add149:201"])
    panel.page.reload()  # the search is in the address
    expect(search).to_have_value("POST thing149s")
    search.fill("no such thing")
    expect(panel.page.get_by_text("No operations match the search.")).to_be_visible()
    search.fill("")
    expect(pressed(panel)).to_have_text(["201"])  # its group is open


def test_operations_of_a_reloaded_document_with_the_same_name_are_told_apart(
    tmp_path: Path, visit: Callable[..., Panel]
) -> None:
    users = operation(name="listUsers")
    documents = [
        write(tmp_path / f"{name}.json", document({f"/{name}/users": {"get": users}}, name))
        for name in ("blog", "shop")
    ]
    given = [f"/{file.stem}={file}" for file in documents]
    with MockpetsServer(Settings(port=0, contract=(*given,))) as server:
        panel = visit(server.url, "/__mockpets/#states")
        chip(panel, "blog.listUsers:500").click()
        expect(panel.active).to_have_text(["blog.listUsers:500"])
        assert panel.call("GET", "/blog/blog/users").status == 500
        assert panel.call("GET", "/shop/shop/users").status == 200
        users["responses"]["404"] = {"description": "No shop."}
        write(documents[1], document({"/shop/users": {"get": users}}, "shop"))
        chip(panel, "shop.listUsers:404").click()
        expect(panel.active).to_have_text(["shop.listUsers:404", "blog.listUsers:500"])
        expect(chip(panel, "blog.listUsers:404")).to_have_count(0)
        panel.page.goto("about:blank")


def test_scenarios_without_a_place_in_the_document_are_listed_with_the_reason(
    tmp_path: Path, visit: Callable[..., Panel]
) -> None:
    ping = {"/ping": {"get": operation(name="ping", _200=json_of({}), _404=json_of({}))}}
    file = write(tmp_path / "ping.json", document(ping))
    with MockpetsServer(Settings(port=0, contract=(str(file),))) as running:
        panel = visit(running.url)
        panel.view("Scenarios")
        panel.page.get_by_role("button", name="Skipped").click()
        skipped = panel.page.get_by_role("listitem").filter(
            has_text="no operation has the role get"
        )
        expect(skipped).to_contain_text("missing")
        expect(skipped.get_by_role("checkbox")).to_have_count(0)
