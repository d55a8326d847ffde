"""The pets: edit in place, add, delete, replace and snapshots, with mouse and keyboard."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.panel import Panel, both_ways
from tests.browsers import FIREFOX

if TYPE_CHECKING:
    from playwright.sync_api import Locator


def rows(panel: Panel) -> Locator:
    return panel.page.locator("table.pets tbody tr")


def cell(panel: Panel, name: str, pet: str) -> Locator:
    """Return the field for a property of a pet, such as ``Name`` of ``1, Buster``."""
    return panel.page.get_by_label(f"{name} of pet {pet}", exact=True)


@both_ways
def test_edit_every_property_in_place(panel: Panel) -> None:
    panel.view("Pets")
    panel.write(cell(panel, "Name", "1, Buster"), "Nala <b>")
    panel.page.keyboard.press("Enter")
    name = cell(panel, "Name", "1, Nala <b>")
    expect(name).to_have_value("Nala <b>")
    panel.write(cell(panel, "Category id", "1, Nala <b>"), "7")
    panel.page.keyboard.press("Tab")
    expect(panel.page.locator("#news")).to_contain_text("Category id of pet 1 is now 7")
    panel.choose(cell(panel, "Status", "1, Nala <b>"), "pending")
    expect(panel.page.locator("#news")).to_contain_text("Status of pet 1 is now pending")
    pet = panel.call("GET", "/v1/pets/1").json
    assert pet == {"id": 1, "name": "Nala <b>", "categoryId": 7, "status": "pending"}

    # A key within a second would continue the search for "pending".
    cell(panel, "Status", "1, Nala <b>").press("Home")
    expect(panel.page.locator("#news")).to_contain_text("Pet 1 now has no status")
    assert "status" not in panel.call("GET", "/v1/pets/1").json


@pytest.mark.parametrize("text", ["two", "1.5", "", "9" * 30, "<b>"])
def test_an_invalid_value_is_explained_and_changes_nothing(panel: Panel, text: str) -> None:
    before = panel.call("GET", "/v1/pets/1").json
    panel.view("Pets")
    field = cell(panel, "Category id", "1, Buster")
    panel.write(field, text)
    panel.page.keyboard.press("Enter")
    expect(panel.page.locator(".toast.failed")).to_contain_text("categoryId must be an integer")
    expect(field).to_have_attribute("aria-invalid", "true")
    assert panel.call("GET", "/v1/pets/1").json == before

    field.focus()
    panel.page.keyboard.press("Escape")
    expect(field).to_have_value(str(before["categoryId"]))
    expect(field).not_to_have_attribute("aria-invalid", "true")


def test_what_is_being_entered_survives_changes_of_others(panel: Panel) -> None:
    panel.view("Pets")
    panel.button("Add a pet").click()
    name = panel.page.get_by_role("form", name="Add a pet").get_by_role("textbox", name="Name")
    name.fill("Nala")
    field = cell(panel, "Category id", "1, Buster")
    field.fill("77")
    panel.call("PATCH", "/__mockpets/pets/2", json_body={"name": "Changed"})
    expect(cell(panel, "Name", "2, Changed")).to_be_visible()
    expect(field).to_have_value("77")
    expect(name).to_have_value("Nala")
    field.press("Enter")
    expect(panel.page.locator("#news")).to_contain_text("Category id of pet 1 is now 77")
    assert panel.call("GET", "/v1/pets/1").json["categoryId"] == 77


@both_ways
def test_add_and_delete_pets_and_undo(panel: Panel) -> None:
    panel.view("Pets")
    expect(rows(panel)).to_have_count(16)
    panel.use(panel.button("Add a pet"))
    form = panel.page.get_by_role("form", name="Add a pet")
    panel.write(form.get_by_role("textbox", name="Name"), "Nala")
    panel.choose(form.get_by_role("combobox", name="Status"), "pending")
    panel.use(form.get_by_role("button"))
    expect(form.get_by_role("status")).to_have_text("201: Added Nala with id 17.")
    expect(rows(panel)).to_have_count(17)

    panel.use(panel.button("Delete pet 16, Bear"))
    expect(rows(panel)).to_have_count(16)
    assert panel.call("GET", "/v1/pets/16").status == 404
    panel.use(panel.page.get_by_role("button", name="Undo"))
    expect(rows(panel)).to_have_count(17)
    assert panel.call("GET", "/v1/pets/16").json["name"] == "Bear"


@both_ways
def test_the_form_shows_the_error_message(panel: Panel) -> None:
    panel.view("Pets")
    panel.use(panel.button("Add a pet"))
    form = panel.page.get_by_role("form", name="Add a pet")
    panel.write(form.get_by_role("textbox", name="Category id"), "two")
    panel.use(form.get_by_role("button"))

    expect(form.get_by_role("status")).to_contain_text("400: categoryId must be an integer")
    expect(form.get_by_role("status")).to_contain_text('got "two"')


def test_ids_beyond_safe_integers_stay_exact(panel: Panel) -> None:
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": "big-ids"})
    panel.view("Pets")
    before = panel.call("GET", "/v1/pets?limit=100").body
    number = re.findall(r'"id":(\d+)', before.decode())[0]
    assert int(number) > 2**53
    expect(rows(panel).first.locator("th")).to_have_text(number)
    rows(panel).first.get_by_role("button").click()
    expect(panel.page.get_by_text(number, exact=True)).to_have_count(0)
    assert panel.call("GET", f"/v1/pets/{number}").status == 404

    panel.page.get_by_role("button", name="Undo").click()
    expect(panel.page.get_by_text(number, exact=True)).to_be_visible()
    assert panel.call("GET", "/v1/pets?limit=100").body == before


@both_ways
def test_generate_load_and_paste_pets(panel: Panel) -> None:
    panel.view("Pets")
    panel.use(panel.button("Replace all"))
    form = panel.page.get_by_role("form", name="Replace all pets")
    panel.write(form.get_by_role("textbox", name="Number"), "3")
    panel.use(form.get_by_role("button", name="Replace"))
    expect(rows(panel)).to_have_count(3)

    panel.choose(form.get_by_role("combobox", name="From"), "Paste JSON")
    panel.write(
        form.get_by_role("textbox", name="Pets"), '[{"id": 9, "name": "Miso", "categoryId": 2}]'
    )
    panel.use(form.get_by_role("button", name="Replace"))
    expect(rows(panel)).to_have_count(1)
    assert panel.call("GET", "/v1/pets").json == [{"id": 9, "name": "Miso", "categoryId": 2}]
    panel.use(panel.page.get_by_role("button", name="Undo"))
    expect(rows(panel)).to_have_count(3)


@pytest.mark.parametrize(
    ("source", "field", "text", "message"),
    [
        ("Generate", "Number", "many", "count: must be"),
        ("Generate", "Number", "-1", "count: must be"),
        ("Load a fixture", "Name", "nothing", "fixture"),
        ("Paste JSON", "Pets", '[{"id": 1}', "JSON"),
        ("Paste JSON", "Pets", '[{"id": 1}]', "name"),
    ],
)
def test_pets_that_cannot_be_loaded_change_nothing(
    panel: Panel, source: str, field: str, text: str, message: str
) -> None:
    panel.view("Pets")
    panel.button("Replace all").click()
    form = panel.page.get_by_role("form", name="Replace all pets")
    form.get_by_role("combobox", name="From").select_option(label=source)
    form.get_by_role("textbox", name=field).fill(text)
    form.get_by_role("button", name="Replace").click()

    expect(panel.page.locator(".toast.failed")).to_contain_text(message)
    expect(panel.page.get_by_role("button", name="Undo")).to_have_count(0)
    expect(rows(panel)).to_have_count(16)


@pytest.mark.skipif(FIREFOX, reason="over BiDi, Playwright has no download events")
def test_export_the_pets(panel: Panel) -> None:
    panel.view("Pets")
    with panel.page.expect_download() as download:
        panel.button("Export JSON").click()
    exported = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert exported == panel.call("GET", "/v1/pets?limit=100").json


@both_ways
def test_save_restore_and_delete_a_snapshot(panel: Panel) -> None:
    panel.view("Pets")
    panel.use(panel.button("Snapshots"))
    snapshots = panel.page.get_by_role("region", name="Snapshots")
    panel.write(snapshots.get_by_label("Name"), "before")
    panel.use(panel.button("Save"))
    expect(snapshots).to_contain_text("before 16 pets")
    panel.use(panel.button("Delete pet 1, Buster"))
    expect(rows(panel)).to_have_count(15)

    panel.use(panel.button("Restore snapshot before"))
    expect(rows(panel)).to_have_count(16)
    panel.use(panel.button("Delete snapshot before"))
    expect(snapshots.locator("li")).to_have_count(0)
    panel.use(panel.page.get_by_role("button", name="Undo"))
    expect(snapshots).to_contain_text("before 16 pets")
    panel.write(snapshots.get_by_label("Name"), "Before")
    panel.use(panel.button("Save"))
    expect(panel.page.locator(".toast.failed")).to_contain_text("There is a snapshot before.")


def test_show_more_pets(panel: Panel) -> None:
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": "crowded"})
    panel.view("Pets")
    expect(rows(panel)).to_have_count(100)
    expect(panel.page.get_by_text("5,000 pets, the first 100 · crowded")).to_be_visible()
    panel.button("Show more").click()

    expect(rows(panel)).to_have_count(200)
