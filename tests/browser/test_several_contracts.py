"""The panel and the reference page of a server with several contracts."""

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


@by_keyboard
def test_try_the_operations_of_each_contract(panel: Panel) -> None:
    panel.view("Try it")
    chooser = panel.page.get_by_role("combobox", name="Operation")
    groups = chooser.locator("optgroup")
    expect(groups).to_have_count(3)
    labels = groups.evaluate_all("groups => groups.map((group) => group.label)")
    assert labels == ["Shop, /api/shop", "Blog, /api/blog", "Pet store, /v1"]
    expect(groups.nth(1).locator("option")).to_have_text(["list", "add", "hello"])
    expect(chooser).to_have_value("shop.list")

    panel.choose(chooser, "getPet")
    panel.use(panel.button("Call getPet"))
    expect(panel.page.locator("main .response").get_by_role("status")).to_contain_text("200")
    panel.choose(chooser, "Any path")
    expect(panel.page.get_by_role("form", name="Call any path")).to_be_visible()


def test_operations_with_the_same_name_are_told_apart(panel: Panel) -> None:
    panel.view("Try it")
    chooser = panel.page.get_by_role("combobox", name="Operation")
    for label in ("blog", "shop"):
        chooser.select_option(f"{label}.hello")
        panel.button("Call hello").click()
        expect(panel.page.locator("main .response .code")).to_contain_text(f"I am {label}")
    panel.view("Requests")
    panel.view("Try it")  # which shows what was chosen last
    expect(chooser).to_have_value("shop.hello")
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
    panel.use(card.get_by_role("button", name="Call blog.hello"))
    expect(card.locator(".response")).to_contain_text("I am blog")
    with panel.page.expect_navigation(url="**/openapi.json?contract=blog"):
        panel.use(panel.page.get_by_role("link", name="openapi.json"))
