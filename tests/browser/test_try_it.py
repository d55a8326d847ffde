"""The forms of the panel and the reference page, the theme and the copy buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.panel import Panel, both_ways

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Route


@both_ways
def test_try_each_operation(panel: Panel) -> None:
    panel.view("Try it")
    response = panel.page.locator(".response")
    panel.write(panel.page.get_by_role("textbox", name="limit"), "0")
    panel.use(panel.button("Call listPets"))
    expect(response).to_contain_text("400")
    expect(response).to_contain_text("mockpets-off-contract")
    expect(response.locator("pre")).to_contain_text('"message": "limit must be an integer')

    panel.use(panel.page.get_by_role("radio", name="listPets"), "ArrowDown")
    if panel.way == "mouse":
        panel.page.get_by_role("radio", name="createPet").click()
    panel.write(panel.page.get_by_role("textbox", name="Key"), "")
    panel.use(panel.button("Call createPet"))
    expect(response).to_contain_text("www-authenticate")
    panel.write(panel.page.get_by_role("textbox", name="Key"), "mockpets")
    panel.use(panel.button("Call createPet"))
    expect(response.get_by_role("status")).to_contain_text("201")

    panel.use(panel.page.get_by_role("radio", name="createPet"), "ArrowDown")
    if panel.way == "mouse":
        panel.page.get_by_role("radio", name="getPet").click()
    panel.choose(panel.page.get_by_role("combobox", name="Scenario"), "missing")
    panel.use(panel.button("Call getPet"))
    expect(response.get_by_role("status")).to_contain_text("404")
    expect(response).to_contain_text("sunset: Thu, 05 Dec 2030 00:00:00 GMT")


def test_a_broken_connection_is_reported(panel: Panel) -> None:
    panel.view("Try it")
    panel.page.get_by_role("combobox", name="Scenario").select_option("offline")
    panel.button("Call listPets").click()

    expect(panel.page.locator(".response")).to_contain_text("No response: the connection failed")
    panel.view("Requests")
    expect(panel.rows.first).to_contain_text("broken")
    expect(panel.rows.first).to_contain_text("connection_reset")


def test_the_reference_shows_the_contract_with_forms(
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
        "off contract: added by mockpets",
        "store_full",
    ):
        assert words in text
    card = panel.page.locator("#getPet")
    card.get_by_role("button", name="Call getPet").click()
    expect(card.locator(".response")).to_contain_text("sunset")


def test_the_reference_works_without_scripts(session: str, visit: Callable[..., Panel]) -> None:
    panel = visit(session, "/__mockpets/docs", java_script_enabled=False)

    expect(panel.page.get_by_role("heading", name="GET /v1/pets", exact=True)).to_be_visible()


def test_the_panel_follows_the_contract(session: str, visit: Callable[..., Panel]) -> None:
    panel = visit(session)

    def extend(route: Route) -> None:
        contract = route.fetch().json()
        size = {"type": "string", "enum": ["small", "big"], "examples": ["big"]}
        contract["components"]["schemas"]["NewPet"]["properties"] |= {
            "coatColor": {"type": "string", "examples": ["black"]},
            "size": size,
        }
        category = {"in": "query", "name": "categoryId", "schema": {"type": "integer"}}
        contract["paths"]["/pets"]["get"]["parameters"] += [
            category,
            {"in": "query", "name": "size", "schema": size},
        ]
        route.fulfill(json=contract)

    panel.page.route("**/openapi.json", extend)
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
    with panel.page.expect_request("**/v1/pets") as request:
        form.get_by_role("button").click()
    assert request.value.post_data_json == {
        "name": "Miso",
        "categoryId": 2,
        "status": "available",
        "size": "big",
    }


# --- The page itself --------------------------------------------------------------------------


@both_ways
def test_the_theme_is_stored(panel: Panel) -> None:
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = panel.page.evaluate(background)
    panel.choose(panel.page.get_by_label("Theme"), "Dark")
    dark = panel.page.evaluate(background)
    panel.page.reload()

    assert dark != light
    assert panel.page.evaluate(background) == dark
    expect(panel.page.get_by_label("Theme")).to_have_value("dark")


@both_ways
def test_copy_the_base_url_and_the_key(panel: Panel) -> None:
    panel.allow_paste()
    for name, text in (("Copy base URL", f"{panel.url}/v1"), ("Copy key", "mockpets")):
        panel.use(panel.button(name))
        expect(panel.button(name)).to_have_text("Copied")
        assert panel.paste() == text
