"""The panel and the reference page of a server with several contracts."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from mockpets import MockpetsServer, Settings
from tests.browser.panel import Panel, by_keyboard
from tests.web.documents import document, json_of, operation, write

ORDER = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockpetsServer]:
    """Start a server with two documents whose operations have the same names, and the pet store."""
    folder = tmp_path_factory.mktemp("contracts")
    given = []
    for name in ("shop", "blog"):
        listed = operation(name="list", _200=json_of({"type": "array", "items": ORDER}))
        added = operation(name="add", body=json_of(ORDER), _201=json_of(ORDER))
        hello = operation(name="hello", _200=json_of({"type": "string"}, example=f"I am {name}"))
        paths = {f"/{name}/things": {"get": listed, "post": added}, f"/{name}/hi": {"get": hello}}
        file = write(folder / f"{name}.json", document(paths, name.title()))
        given.append(f"/api/{name}={file}")
    with MockpetsServer(Settings(port=0, contract=(*given, "pet-store"))) as running:
        yield running


def choose(panel: Panel, name: str) -> None:
    """Choose an operation, or any path, from the list."""
    panel.use(panel.page.get_by_role("button", name="Operation: "))
    panel.page.get_by_role("combobox", name="Search operations").fill(name)
    option = panel.page.get_by_role("dialog").get_by_role("option", name=name)
    expect(option).to_have_attribute("aria-selected", "true")
    panel.page.keyboard.press("Enter")


@by_keyboard
def test_try_the_operations_of_each_contract(panel: Panel) -> None:
    panel.view("Try it")
    chooser = panel.page.get_by_role("button", name="Operation: ")
    expect(chooser).to_have_text(re.compile("^shop.list"))
    panel.use(chooser)
    groups = panel.page.get_by_role("listbox", name="Search operations").get_by_role("group")
    expect(groups).to_have_count(4)
    labels = groups.evaluate_all("groups => groups.map((group) => group.ariaLabel)")
    assert labels == [
        "Shop, /api/shop",
        "Blog, /api/blog",
        "Pet store, /v1: pets",
        "Other requests",
    ]
    names = groups.nth(1).get_by_role("option").locator(".name")
    expect(names).to_have_text(["blog.list", "blog.add", "blog.hello"])
    panel.page.keyboard.type("getpet")
    expect(panel.page.get_by_role("dialog").get_by_role("option")).to_have_count(1)
    panel.page.keyboard.press("Enter")

    panel.use(panel.button("Call getPet"))
    expect(panel.page.locator("main .response").get_by_role("status")).to_contain_text("200")
    choose(panel, "Any path")
    expect(panel.page.get_by_role("form", name="Call any path")).to_be_visible()


def test_operations_with_the_same_name_are_told_apart(panel: Panel) -> None:
    panel.view("Try it")
    for label in ("blog", "shop"):
        choose(panel, f"{label}.hello")
        panel.button(f"Call {label}.hello").click()
        expect(panel.page.locator("main .response .code")).to_contain_text(f"I am {label}")
    panel.view("Requests")
    panel.view("Try it")  # which shows what was chosen last
    expect(panel.page.get_by_role("button", name="Operation: shop.hello")).to_be_visible()
    sent = panel.call("GET", "/__mockpets/requests").json["requests"]
    assert [each["path"] for each in sent] == ["/api/blog/blog/hi", "/api/shop/shop/hi"]


def test_a_record_of_another_contract_than_the_first_is_added_with_a_form(panel: Panel) -> None:
    panel.view("Data")
    panel.page.get_by_role("tab", name="blog.things").click()
    panel.button("Add a record").click()
    form = panel.page.get_by_role("form", name="Add a record")
    form.get_by_role("textbox", name="name").fill("Tea")
    form.get_by_role("button").click()
    expect(form.get_by_role("status")).to_contain_text("201")


def test_choose_a_contract_on_the_reference_page(session: str, visit: Callable[..., Panel]) -> None:
    panel = visit(session, "/__mockpets/docs", "keyboard")
    contracts = panel.page.get_by_role("navigation", name="Contracts")
    current = contracts.locator("[aria-current=page]")
    expect(current).to_have_text("Shop /api/shop")
    panel.use(contracts.get_by_role("link", name="Blog"))
    expect(current).to_have_text("Blog /api/blog")
    expect(panel.page.get_by_role("heading", level=2).first).to_have_text("Blog 1")

    card = panel.page.locator("[id='blog.hello']")
    panel.use(card.get_by_text("Try blog.hello"))
    panel.use(card.get_by_role("button", name="Call blog.hello"))
    expect(card.locator(".response")).to_contain_text("I am blog")
    with panel.page.expect_navigation(url="**/openapi.json?contract=blog"):
        panel.use(panel.page.get_by_role("link", name="openapi.json"))
