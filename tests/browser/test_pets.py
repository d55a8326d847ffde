"""The pets: edit in place, add, delete and replace, with mouse and keyboard."""

import json
import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.panel import Panel, by_keyboard
from tests.browsers import FIREFOX


def rows(panel: Panel) -> Locator:
    return panel.page.locator("table.pets tbody tr")


def cell(panel: Panel, name: str, pet: str) -> Locator:
    """Return the field for a property of a pet, such as ``Name`` of ``1, Buster``."""
    return panel.page.get_by_label(f"{name} of pet {pet}", exact=True)


@by_keyboard
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


def test_an_invalid_value_is_explained_and_what_is_entered_survives_changes(panel: Panel) -> None:
    before = panel.call("GET", "/v1/pets/1").json
    panel.view("Pets")
    field = cell(panel, "Category id", "1, Buster")
    for text in ("two", "", "9" * 30):
        field.fill(text)
        field.press("Enter")
        expect(panel.page.locator(".toast.failed")).to_contain_text("categoryId must be an integer")
        expect(field).to_have_attribute("aria-invalid", "true")
        field.press("Escape")
        expect(field).to_have_value(str(before["categoryId"]))
        expect(field).not_to_have_attribute("aria-invalid", "true")
    assert panel.call("GET", "/v1/pets/1").json == before

    panel.button("Add a pet").click()
    name = panel.page.get_by_role("form", name="Add a pet").get_by_role("textbox", name="Name")
    name.fill("Nala")
    field.fill("77")
    panel.call("PATCH", "/__mockpets/pets/2", json_body={"name": "Changed"})
    expect(cell(panel, "Name", "2, Changed")).to_be_visible()
    expect(field).to_have_value("77")
    expect(name).to_have_value("Nala")


@by_keyboard
def test_add_and_delete_pets_and_undo(panel: Panel) -> None:
    panel.view("Pets")
    expect(rows(panel)).to_have_count(16)
    panel.use(panel.button("Add a pet"))
    form = panel.page.get_by_role("form", name="Add a pet")
    panel.write(form.get_by_role("textbox", name="Category id"), "two")
    panel.use(form.get_by_role("button"))
    expect(form.get_by_role("status")).to_contain_text("400: categoryId must be an integer")
    expect(form.get_by_role("status")).to_contain_text('got "two"')
    panel.write(form.get_by_role("textbox", name="Category id"), "2")
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


def test_generate_and_paste_pets_show_more_and_undo(panel: Panel) -> None:
    panel.view("Pets")
    panel.button("Replace all").click()
    form = panel.page.get_by_role("form", name="Replace all pets")
    for source, field, text, message in (
        ("Generate", "Number", "-1", "count: must be"),
        ("Load a fixture", "Name", "nothing", "fixture"),
        ("Paste JSON", "Pets", '[{"id": 1}', "JSON"),
        ("Paste JSON", "Pets", '[{"id": 1}]', "name"),
    ):
        form.get_by_role("combobox", name="From").select_option(label=source)
        form.get_by_role("textbox", name=field).fill(text)
        form.get_by_role("button", name="Replace").click()
        expect(panel.page.locator(".toast.failed").last).to_contain_text(message)
    expect(panel.page.get_by_role("button", name="Undo")).to_have_count(0)
    expect(rows(panel)).to_have_count(16)

    form.get_by_role("textbox", name="Pets").fill('[{"id": 9, "name": "Miso", "categoryId": 2}]')
    form.get_by_role("button", name="Replace").click()
    expect(rows(panel)).to_have_count(1)
    assert panel.call("GET", "/v1/pets").json == [{"id": 9, "name": "Miso", "categoryId": 2}]
    form.get_by_role("combobox", name="From").select_option(label="Generate")
    form.get_by_role("textbox", name="Number").fill("250")
    form.get_by_role("button", name="Replace").click()
    expect(rows(panel)).to_have_count(100)
    expect(panel.page.get_by_text("250 pets, the first 100")).to_be_visible()
    panel.button("Show more").click()
    expect(rows(panel)).to_have_count(200)
    panel.page.get_by_role("button", name="Undo").last.click()
    expect(rows(panel)).to_have_count(1)


@pytest.mark.skipif(FIREFOX, reason="over BiDi, Playwright has no download events")
def test_export_the_pets(panel: Panel) -> None:
    panel.view("Pets")
    with panel.page.expect_download() as download:
        panel.button("Export JSON").click()
    exported = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert exported == panel.call("GET", "/v1/pets?limit=100").json


def test_show_more_pets(panel: Panel) -> None:
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": "crowded"})
    panel.view("Pets")
    expect(rows(panel)).to_have_count(100)
    expect(panel.page.get_by_text("5,000 pets, the first 100 · crowded")).to_be_visible()
    panel.button("Show more").click()

    expect(rows(panel)).to_have_count(200)
