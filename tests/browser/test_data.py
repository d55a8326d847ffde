"""The records of resources: edit in place, add, delete and replace, with mouse and keyboard."""

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.panel import Panel, by_keyboard

ORDERS = [
    {"id": 1, "petId": 3, "status": "placed", "lines": [{"quantity": 2}]},
    {"id": 2, "petId": 9, "status": "<b>shipped"},
]
SHOP: dict[str, Any] = {
    "description": "A shop.",
    "resources": [
        {"path": "/v1/store/orders", "items": ORDERS, "required": ["petId"]},
        {"path": "/v1/carts", "items": [{"id": "a", "total": 1.5}]},
    ],
}


@pytest.fixture
def shop(panel: Panel) -> Panel:
    """Open the Data view of a session whose scenario has two resources."""
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": SHOP})
    panel.view("Data")
    expect(rows(panel)).to_have_count(2)
    return panel


def rows(panel: Panel) -> Locator:
    return panel.page.locator("table.data tbody tr")


def orders(panel: Panel) -> Any:
    return panel.call("GET", "/v1/store/orders").json


@by_keyboard
def test_edit_records_in_place(shop: Panel) -> None:
    for label, text, news in (
        ("status of 1", "sold <i>", "status of 1 is now sold <i>"),
        ("petId of 1", "7", "petId of 1 is now 7"),
        ("lines of 1", '[{"quantity": 3}]', "lines of 1 is now"),
        ("status of 2", "", "2 now has no status"),
    ):
        shop.write(shop.page.get_by_label(label, exact=True), text)
        shop.page.keyboard.press("Enter")
        expect(shop.page.locator("#news")).to_contain_text(news)
    field = shop.page.get_by_label("petId of 1", exact=True)
    for invalid in ("seven", ""):
        field.fill(invalid)
        field.press("Enter")
        expect(shop.page.locator(".toast.failed")).to_contain_text("petId")
        expect(field).to_have_attribute("aria-invalid", "true")
        field.press("Escape")
        expect(field).to_have_value("7")
    assert orders(shop) == [
        {"id": 1, "petId": 7, "status": "sold <i>", "lines": [{"quantity": 3}]},
        {"id": 2, "petId": 9},
    ]


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

    shop.use(shop.button("Delete 1"))
    expect(rows(shop)).to_have_count(2)
    shop.use(shop.page.get_by_role("button", name="Undo"))
    expect(rows(shop)).to_have_count(3)
    assert orders(shop)[:2] == ORDERS

    shop.use(shop.button("Replace all"))
    form = shop.page.get_by_role("form", name="Replace all records")
    shop.write(form.get_by_role("textbox"), '[{"petId": 8}]')
    shop.use(form.get_by_role("button", name="Replace"))
    expect(rows(shop)).to_have_count(1)
    shop.use(shop.page.get_by_role("button", name="Undo"))
    expect(rows(shop)).to_have_count(3)


def test_records_follow_the_requests_and_another_resource_is_chosen(shop: Panel) -> None:
    shop.call("POST", "/v1/store/orders", json_body={"petId": 4})
    expect(rows(shop)).to_have_count(3)
    shop.page.get_by_role("button", name="carts").click()
    expect(rows(shop)).to_have_count(1)
    expect(shop.page.get_by_label("total of a", exact=True)).to_have_value("1.5")
    shop.page.reload()
    expect(shop.page.get_by_label("total of a", exact=True)).to_be_visible()
    shop.activate("default")
    expect(shop.page.get_by_text("No resources")).to_be_visible()
