"""Calls from the panel and the reference page, and the page's own controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.panel import Panel, both_ways

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Route


@both_ways
def test_each_operation_is_tried(panel: Panel) -> None:
    panel.view("Try it")
    answer = panel.page.locator(".answer")
    panel.write(panel.page.get_by_role("textbox", name="limit"), "0")
    panel.use(panel.button("Call listPets"))
    expect(answer).to_contain_text("400")
    expect(answer).to_contain_text("mockpets-off-contract")
    expect(answer.locator("pre")).to_contain_text('"message": "limit must be an integer')

    panel.use(panel.page.get_by_role("radio", name="listPets"), "ArrowDown")
    if panel.way == "mouse":
        panel.page.get_by_role("radio", name="createPet").click()
    panel.write(panel.page.get_by_role("textbox", name="Key"), "")
    panel.use(panel.button("Call createPet"))
    expect(answer).to_contain_text("www-authenticate")
    panel.write(panel.page.get_by_role("textbox", name="Key"), "mockpets")
    panel.use(panel.button("Call createPet"))
    expect(answer.get_by_role("status")).to_contain_text("201")

    panel.use(panel.page.get_by_role("radio", name="createPet"), "ArrowDown")
    if panel.way == "mouse":
        panel.page.get_by_role("radio", name="getPet").click()
    panel.choose(panel.page.get_by_role("combobox", name="Scenario"), "missing")
    panel.use(panel.button("Call getPet"))
    expect(answer.get_by_role("status")).to_contain_text("404")
    expect(answer).to_contain_text("sunset: Thu, 05 Dec 2030 00:00:00 GMT")


def test_a_broken_answer_is_told_as_one(panel: Panel) -> None:
    panel.view("Try it")
    panel.page.get_by_role("combobox", name="Scenario").select_option("offline")
    panel.button("Call listPets").click()

    expect(panel.page.locator(".answer")).to_contain_text("no answer: the connection broke")
    panel.view("Requests")
    expect(panel.rows.first).to_contain_text("broken")
    expect(panel.rows.first).to_contain_text("connection_reset")


def test_the_reference_has_the_contract_and_the_same_forms(
    session: str, visit: Callable[..., Panel]
) -> None:
    panel = visit(session, "/__mockpets/docs")
    text = panel.page.locator("main").inner_text()
    for words in (
        "GET /v1/pets",
        "POST /v1/pets",
        "1 to 100, default 20",
        "NewPet",
        "@1767225600",
        "Thu, 05 Dec 2030 00:00:00 GMT",
        "off contract: mockpets' own",
        "store_full",
    ):
        assert words in text
    card = panel.page.locator("#getPet")
    card.get_by_role("button", name="Call getPet").click()
    expect(card.locator(".answer")).to_contain_text("sunset")


def test_the_reference_needs_no_script(session: str, visit: Callable[..., Panel]) -> None:
    panel = visit(session, "/__mockpets/docs", java_script_enabled=False)

    expect(panel.page.get_by_role("heading", name="GET /v1/pets", exact=True)).to_be_visible()


def test_what_the_contract_gains_the_panel_shows(session: str, visit: Callable[..., Panel]) -> None:
    panel = visit(session)

    def gain(route: Route) -> None:
        contract = route.fetch().json()
        size = {"type": "string", "enum": ["small", "big"], "example": "big"}
        contract["components"]["schemas"]["NewPet"]["properties"] |= {
            "coatColor": {"type": "string", "example": "black"},
            "size": size,
        }
        category = {"in": "query", "name": "categoryId", "schema": {"type": "integer"}}
        contract["paths"]["/pets"]["get"]["parameters"] += [
            category,
            {"in": "query", "name": "size", "schema": size},
        ]
        route.fulfill(json=contract)

    panel.page.route("**/openapi.json", gain)
    panel.page.reload()
    panel.view("Try it")
    panel.page.get_by_role("textbox", name="categoryId").fill("2")
    panel.page.get_by_role("combobox", name="size").select_option("small")
    panel.button("Call listPets").click()
    panel.view("Requests")
    expect(panel.rows.first).to_contain_text("/v1/pets?categoryId=2&size=small")

    panel.view("Pets")
    expect(panel.page.locator("#pet-columns")).to_have_text(
        "IdNameCategory idStatusCoat colorSizeDelete"
    )
    expect(panel.page.get_by_label("Size of pet 1, Buster")).to_have_value("")
    form = panel.page.get_by_role("form", name="Add a pet")
    form.get_by_label("Coat color").fill("")
    with panel.page.expect_request("**/v1/pets") as sent:
        form.get_by_role("button").click()
    assert sent.value.post_data_json == {
        "name": "Miso",
        "categoryId": 2,
        "status": "available",
        "size": "big",
    }


# --- The page itself --------------------------------------------------------------------------


@both_ways
def test_light_and_dark_are_chosen_and_kept(panel: Panel) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = panel.page.evaluate(ground)
    panel.choose(panel.page.get_by_label("Theme"), "Dark")
    dark = panel.page.evaluate(ground)
    panel.page.reload()

    assert dark != light
    assert panel.page.evaluate(ground) == dark
    expect(panel.page.get_by_label("Theme")).to_have_value("dark")


@both_ways
def test_base_url_and_key_are_copied(panel: Panel) -> None:
    panel.allow_paste()
    for name, text in (("Copy the base URL", f"{panel.url}/v1"), ("Copy the key", "mockpets")):
        panel.use(panel.button(name))
        expect(panel.button(name)).to_have_text("Copied")
        assert panel.paste() == text
