"""The Data view: a tab for each collection, and the records of those that scenarios define."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.panel import Panel, by_keyboard

ORDERS = [
    {"id": 1, "petId": 3, "status": "placed", "lines": [{"quantity": 2}]},
    {"id": 2, "petId": 9, "status": "<b>shipped"},
]
SHOP: dict[str, Any] = {
    "name": "shop",
    "description": "A shop.",
    "resources": [{"path": "/v1/store/orders", "required": ["petId"]}, {"path": "/v1/carts"}],
    "data": {"orders": ORDERS, "carts": [{"id": "a", "total": 1.5}]},
}


@pytest.fixture
def shop(panel: Panel) -> Panel:
    """Open the orders of a session whose scenario defines two collections."""
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": SHOP})
    panel.view("Data")
    expect(rows(panel)).to_have_count(16)
    panel.page.evaluate("location.hash = 'data/shop.orders'")
    expect(rows(panel)).to_have_count(2)
    return panel


def rows(panel: Panel) -> Locator:
    return panel.page.locator("table.editable tbody tr")


def tab(panel: Panel, name: str) -> Locator:
    return panel.page.get_by_role("tab", name=name)


def field(panel: Panel, name: str, record: object) -> Locator:
    return panel.page.get_by_label(f"{name} of record {record}", exact=True)


def orders(panel: Panel) -> Any:
    return panel.call("GET", "/v1/store/orders").json


@by_keyboard
def test_edit_records_in_place(shop: Panel) -> None:
    for name, record, text, news in (
        ("status", 1, "sold <i>", "status of record 1 is now sold <i>"),
        ("petId", 1, "7", "petId of record 1 is now 7"),
        ("status", 2, "", "Record 2 now has no status"),
    ):
        shop.write(field(shop, name, record), text)
        shop.page.keyboard.press("Enter")
        expect(shop.page.locator("#news")).to_contain_text(news)
    expect(field(shop, "lines", 1)).to_have_text(re.compile("items?$"))
    shop.write_nested(field(shop, "lines", 1), '[{"quantity": 3}]')
    expect(shop.page.locator("#news")).to_contain_text("lines of record 1 is now")
    expect(field(shop, "lines", 1)).to_have_text("1 item")
    pet = field(shop, "petId", 1)
    for invalid in ("seven", ""):
        pet.fill(invalid)
        pet.press("Enter")
        expect(shop.page.locator(".toast.failed")).to_contain_text("petId")
        expect(pet).to_have_attribute("aria-invalid", "true")
        pet.press("Escape")
        expect(pet).to_have_value("7")
    assert orders(shop) == [
        {"id": 1, "petId": 7, "status": "sold <i>", "lines": [{"quantity": 3}]},
        {"id": 2, "petId": 9},
    ]


def test_an_edit_removes_properties_of_an_object_and_keeps_every_digit(shop: Panel) -> None:
    body = (
        '[{"id":"a","big":12345678901234567890,"text":"1234567890123456789",'
        '"address":{"city":"Bonn","zip":{"code":1.50,"old":true},"floor":4}}]'
    )
    json = {"Content-Type": "application/json"}
    shop.call("PUT", "/__mockpets/data/carts", body=body.encode(), headers=json)
    tab(shop, "carts").click()
    expect(field(shop, "big", "a")).to_have_value("12345678901234567890")
    expect(field(shop, "text", "a")).to_have_value("1234567890123456789")
    address = field(shop, "address", "a")
    expect(address).to_have_text("{city, zip, floor}")
    shop.write_nested(address, '{"city": "Köln", "zip": {"code": 1.50}}')
    expect(shop.page.locator("#news")).to_contain_text("address of record a is now")
    expect(address).to_have_text("{city, zip}")
    expect(address).to_have_attribute("title", '{"city":"Köln","zip":{"code":1.50}}')
    text = field(shop, "text", "a")
    text.fill("9234567890123456789")
    text.press("Enter")
    expect(shop.page.locator("#news")).to_contain_text("text of record a is now")
    changed = (
        '[{"id":"a","big":12345678901234567890,"text":"9234567890123456789",'
        '"address":{"city":"Köln","zip":{"code":1.50}}}]'
    )
    assert shop.call("GET", "/v1/carts").body.decode().strip() == changed
    shop.button("Delete record a").click()
    expect(shop.page.get_by_text("No records.")).to_be_visible()
    shop.page.get_by_role("button", name="Undo").click()
    expect(rows(shop)).to_have_count(1)
    assert shop.call("GET", "/v1/carts").body.decode().strip() == changed


@by_keyboard
def test_add_delete_and_replace_records_and_undo(shop: Panel) -> None:
    shop.use(shop.button("Add a record"))
    form = shop.page.get_by_role("form", name="Add a record")
    shop.write(form.get_by_role("textbox"), '{"petId": 5}')
    shop.use(form.get_by_role("button", name="Add"))
    expect(rows(shop)).to_have_count(3)
    assert orders(shop)[2] == {"id": 3, "petId": 5}
    shop.write(form.get_by_role("textbox"), '{"petId": "five"}')
    shop.use(form.get_by_role("button", name="Add"))
    expect(shop.page.locator(".toast.failed")).to_contain_text("petId")

    shop.use(shop.button("Delete record 1"))
    expect(rows(shop)).to_have_count(2)
    shop.use(shop.page.get_by_role("button", name="Undo"))
    expect(rows(shop)).to_have_count(3)
    assert orders(shop)[:2] == ORDERS

    shop.use(shop.button("Replace all"))
    form = shop.page.get_by_role("form", name="Replace all records")
    expect(form.get_by_role("option")).to_have_text(["JSON", "Fixture file", "No records"])
    shop.write(form.get_by_role("textbox"), '[{"petId": 8}]')
    shop.use(form.get_by_role("button", name="Replace"))
    expect(rows(shop)).to_have_count(1)
    shop.use(shop.page.get_by_role("button", name="Undo"))
    expect(rows(shop)).to_have_count(3)

    shop.choose(form.get_by_role("combobox", name="With"), "No records")
    shop.use(form.get_by_role("button", name="Delete all"))
    expect(shop.page.get_by_text("No records.")).to_be_visible()
    assert orders(shop) == []
    shop.use(shop.page.get_by_role("button", name="Undo").last)
    expect(rows(shop)).to_have_count(3)


def test_records_follow_the_requests_and_another_collection_is_chosen(shop: Panel) -> None:
    shop.call("POST", "/v1/store/orders", json_body={"petId": 4})
    expect(rows(shop)).to_have_count(3)
    expect(tab(shop, "orders")).to_have_text("orders 3")
    tab(shop, "carts").click()
    expect(rows(shop)).to_have_count(1)
    expect(field(shop, "total", "a")).to_have_value("1.5")
    shop.page.reload()
    expect(field(shop, "total", "a")).to_be_visible()
    shop.activate("default")
    expect(rows(shop)).to_have_count(16)
    expect(shop.page.get_by_role("tab")).to_have_text(["pets 16"])
    expect(shop.page.locator(".toast")).to_have_count(0)


@by_keyboard
def test_the_arrow_keys_open_the_tabs(shop: Panel) -> None:
    shop.reach(tab(shop, "orders"))
    for key, name, count in (("ArrowRight", "carts", 1), ("ArrowRight", "pets", 16)):
        shop.page.keyboard.press(key)
        expect(tab(shop, name)).to_be_focused()
        expect(tab(shop, name)).to_have_attribute("aria-selected", "true")
        expect(rows(shop)).to_have_count(count)
    shop.page.keyboard.press("ArrowLeft")
    shop.page.keyboard.press("ArrowLeft")
    expect(rows(shop)).to_have_count(2)


def test_filter_by_any_property_page_and_share_the_url(shop: Panel) -> None:
    many = [{"id": n, "petId": n % 2, "to": "a b"} for n in range(1, 501)]
    shop.call("PUT", "/__mockpets/data/orders", json_body=[*many, {"id": 501, "petId": 1}])
    expect(shop.page.get_by_text("501 records, first 100 shown ·")).to_be_visible()
    shop.page.keyboard.press("/")
    shop.page.keyboard.type("pet")
    expect(shop.page.get_by_role("option", name="petId:")).to_be_visible()
    expect(shop.page.get_by_text("Filter by a property and its value")).to_be_visible()
    shop.page.keyboard.press("ArrowDown")
    shop.page.keyboard.press("Enter")
    shop.page.keyboard.type("1 ")
    expect(shop.page.get_by_text("251 of 501 records, first 100 shown ·")).to_be_visible()
    expect(rows(shop).locator("th").nth(1)).to_have_text("3")
    for count in (200, 251):
        shop.use(shop.button("Show more"))
        expect(rows(shop)).to_have_count(count)
    expect(shop.button("Show more")).to_have_count(0)
    expect(rows(shop).last.locator("th")).to_have_text("501")
    shop.page.get_by_role("combobox", name="Filter").click()
    shop.page.keyboard.type('to:"a b" ')
    expect(shop.page.get_by_text("250 of 501 records, first 100 shown ·")).to_be_visible()
    shop.page.reload()
    expect(shop.page.get_by_text("250 of 501 records, first 100 shown ·")).to_be_visible()
    shop.use(shop.button("Remove petId:1"))
    expect(shop.page.get_by_text("500 of 501 records, first 100 shown ·")).to_be_visible()

    filter_field = shop.page.get_by_role("combobox", name="Filter")
    filter_field.fill("petid:x ")
    expect(shop.page.get_by_text("no record of orders has the property 'petid'")).to_be_visible()
    expect(shop.page.get_by_text("did you mean 'petId'")).to_be_visible()
    shop.use(shop.button("Clear the filter"))
    expect(rows(shop)).to_have_count(100)
    expect(shop.page.locator(".toast")).to_have_count(0)


def test_whose_records_are_shown_is_said_and_those_that_are_hidden(shop: Panel) -> None:
    words = shop.page.get_by_text(" records · ")
    expect(words).to_have_text("2 records · /v1/store/orders · records from scenario shop")
    tab(shop, "pets").click()
    expect(words).to_have_text("16 records · /v1/pets · session records")
    other = {"name": "other", "resources": [{"path": "/v1/store/orders"}], "data": {"pets": 2}}
    body = {"scenario": [{"description": "d", **other}, SHOP]}
    shop.call("PUT", "/__mockpets/scenario", json_body=body)
    expect(words).to_have_text("2 records · /v1/pets · records from scenario other")
    names = ["pets 2", "orders 0", "carts 1", "orders 2, hidden"]
    expect(shop.page.get_by_role("tab")).to_have_text(names)
    tab(shop, "orders 2, hidden").click()
    expect(rows(shop)).to_have_count(2)
    hidden = "Requests do not reach these records: scenario other comes before shop"
    expect(shop.page.get_by_text(hidden)).to_be_visible()
    shop.button("Delete record 1").click()
    expect(rows(shop)).to_have_count(1)
    tab(shop, "orders 0").click()
    expect(shop.page.get_by_text("No records.")).to_be_visible()
    expect(shop.page.get_by_text(hidden)).to_have_count(0)
