"""The pets in the Data view: edit in place, filter, add, delete and replace."""

import json
import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.panel import Panel, by_keyboard
from tests.browsers import FIREFOX


def rows(panel: Panel) -> Locator:
    return panel.page.locator("table.editable tbody tr")


def cell(panel: Panel, name: str, pet: str) -> Locator:
    """Return the field for a property of a pet, such as ``name`` of ``1, Buster``."""
    return panel.page.get_by_label(f"{name} of record {pet}", exact=True)


@by_keyboard
def test_edit_every_property_in_place(panel: Panel) -> None:
    panel.view("Data")
    panel.write(cell(panel, "name", "1, Buster"), "Nala <b>")
    panel.page.keyboard.press("Enter")
    name = cell(panel, "name", "1, Nala <b>")
    expect(name).to_have_value("Nala <b>")
    panel.write(cell(panel, "categoryId", "1, Nala <b>"), "7")
    panel.page.keyboard.press("Tab")
    expect(panel.page.locator("#news")).to_contain_text("categoryId of record 1 is now 7")
    panel.choose(cell(panel, "status", "1, Nala <b>"), "pending")
    expect(panel.page.locator("#news")).to_contain_text("status of record 1 is now pending")
    pet = panel.call("GET", "/v1/pets/1").json
    assert pet == {"id": 1, "name": "Nala <b>", "categoryId": 7, "status": "pending"}

    # A key within a second would continue the search for "pending".
    cell(panel, "status", "1, Nala <b>").press("Home")
    expect(panel.page.locator("#news")).to_contain_text("Record 1 now has no status")
    assert "status" not in panel.call("GET", "/v1/pets/1").json


def test_an_invalid_value_is_explained_and_what_is_entered_survives_changes(panel: Panel) -> None:
    before = panel.call("GET", "/v1/pets/1").json
    panel.view("Data")
    field = cell(panel, "categoryId", "1, Buster")
    for text in ("two", "", "9" * 30):
        field.fill(text)
        field.press("Enter")
        expect(panel.page.locator(".toast.failed")).to_contain_text("categoryId must be an integer")
        expect(field).to_have_attribute("aria-invalid", "true")
        field.press("Escape")
        expect(field).to_have_value(str(before["categoryId"]))
        expect(field).not_to_have_attribute("aria-invalid", "true")
    assert panel.call("GET", "/v1/pets/1").json == before

    panel.button("Add a record").click()
    form = panel.page.get_by_role("form", name="Add a record")
    name = form.get_by_role("textbox", name="name")
    name.fill("Nala")
    field.fill("77")
    panel.call("PATCH", "/__mockpets/data/pets/2", json_body={"name": "Changed"})
    expect(cell(panel, "name", "2, Changed")).to_be_visible()
    expect(field).to_have_value("77")
    expect(name).to_have_value("Nala")


@by_keyboard
def test_add_and_delete_pets_and_undo(panel: Panel) -> None:
    panel.view("Data")
    expect(rows(panel)).to_have_count(16)
    panel.use(panel.button("Add a record"))
    form = panel.page.get_by_role("form", name="Add a record")
    panel.write(form.get_by_role("textbox", name="categoryId"), "two")
    panel.use(form.get_by_role("button"))
    expect(form.get_by_role("status")).to_contain_text("400: categoryId must be an integer")
    expect(form.get_by_role("status")).to_contain_text('got "two"')
    panel.write(form.get_by_role("textbox", name="categoryId"), "2")
    panel.write(form.get_by_role("textbox", name="name"), "Nala")
    panel.choose(form.get_by_role("combobox", name="status"), "pending")
    panel.use(form.get_by_role("button"))
    expect(form.get_by_role("status")).to_have_text("201: Added record 17, Nala.")
    expect(rows(panel)).to_have_count(17)

    panel.use(panel.button("Delete record 16, Bear"))
    expect(rows(panel)).to_have_count(16)
    assert panel.call("GET", "/v1/pets/16").status == 404
    panel.use(panel.page.get_by_role("button", name="Undo"))
    expect(rows(panel)).to_have_count(17)
    assert panel.call("GET", "/v1/pets/16").json["name"] == "Bear"


def test_ids_beyond_safe_integers_stay_exact(panel: Panel) -> None:
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": "big-ids"})
    panel.view("Data")
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
    panel.view("Data")
    panel.button("Replace all").click()
    form = panel.page.get_by_role("form", name="Replace all records")
    for source, field, text, message in (
        ("Generated records", "Count", "-1", "count: must be"),
        ("Fixture file", "Name", "nothing", "fixture"),
        ("JSON", "Records", '[{"id": 1}', "JSON"),
        ("JSON", "Records", '[{"id": 1}]', "name"),
    ):
        form.get_by_role("combobox", name="With").select_option(label=source)
        form.get_by_role("textbox", name=field).fill(text)
        form.get_by_role("button", name="Replace").click()
        expect(panel.page.locator(".toast.failed").last).to_contain_text(message)
    expect(panel.page.get_by_role("button", name="Undo")).to_have_count(0)
    expect(rows(panel)).to_have_count(16)

    form.get_by_role("textbox", name="Records").fill('[{"id": 9, "name": "Miso", "categoryId": 2}]')
    form.get_by_role("button", name="Replace").click()
    expect(rows(panel)).to_have_count(1)
    assert panel.call("GET", "/v1/pets").json == [{"id": 9, "name": "Miso", "categoryId": 2}]
    form.get_by_role("combobox", name="With").select_option(label="Generated records")
    form.get_by_role("textbox", name="Count").fill("250")
    form.get_by_role("button", name="Replace").click()
    expect(rows(panel)).to_have_count(100)
    expect(panel.page.get_by_text("250 records, first 100 shown")).to_be_visible()
    panel.button("Show more").click()
    expect(rows(panel)).to_have_count(200)
    panel.page.get_by_role("button", name="Undo").last.click()
    expect(rows(panel)).to_have_count(1)


@pytest.mark.skipif(FIREFOX, reason="over BiDi, Playwright has no download events")
def test_export_the_pets(panel: Panel) -> None:
    panel.view("Data")
    with panel.page.expect_download() as download:
        panel.button("Export JSON").click()
    exported = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert exported == panel.call("GET", "/v1/pets?limit=100").json


def test_show_more_pets(panel: Panel) -> None:
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": "crowded"})
    panel.view("Data")
    expect(rows(panel)).to_have_count(100)
    expect(
        panel.page.get_by_text(
            "5,000 records, first 100 shown · /v1/pets · records from scenario crowded"
        )
    ).to_be_visible()
    panel.button("Show more").click()

    expect(rows(panel)).to_have_count(200)


@by_keyboard
def test_filter_pets_by_status(panel: Panel) -> None:
    panel.view("Data")
    expect(rows(panel)).to_have_count(16)
    panel.use(panel.page.get_by_role("combobox", name="Filter"), "s")
    panel.page.keyboard.type("status:" if panel.way == "mouse" else "tatus:")
    options = panel.page.get_by_role("listbox", name="Filters").get_by_role("option")
    expect(options).to_have_text(["status:available", "status:pending", "status:sold"])
    panel.page.keyboard.press("ArrowUp")
    panel.page.keyboard.press("Enter")
    expect(panel.page.get_by_text("3 of 16 records · /v1/pets")).to_be_visible()
    sold = panel.call("GET", "/v1/pets?status=sold").json
    expect(rows(panel).locator("th")).to_have_text([str(pet["id"]) for pet in sold])
    panel.call("POST", "/v1/pets", json_body={"name": "A", "categoryId": 1, "status": "sold"})
    expect(panel.page.get_by_text("4 of 17 records · /v1/pets")).to_be_visible()


@pytest.mark.skipif(FIREFOX, reason="over BiDi, Playwright has no download events")
def test_export_what_the_filter_shows(panel: Panel) -> None:
    panel.page.goto(f"{panel.url}/__mockpets/#data/pets?filter=status:sold")
    expect(rows(panel)).to_have_count(3)
    with panel.page.expect_download() as download:
        panel.button("Export JSON").click()
    exported = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert exported == panel.call("GET", "/v1/pets?status=sold").json
