"""The forms of the panel and the reference page, the theme and the copy buttons."""

from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.browser.panel import Panel, by_keyboard
from tests.browsers import FIREFOX


def choose(panel: Panel, name: str) -> Locator:
    """Choose an operation, or any path, and return its form."""
    panel.use(panel.button(name))
    return panel.page.get_by_role("form", name=f"Call {name[0].lower()}{name[1:]}")


def response(panel: Panel) -> Locator:
    return panel.page.locator("main .response")


@by_keyboard
def test_try_each_operation(panel: Panel) -> None:
    panel.view("Try it")
    form = panel.page.get_by_role("form", name="Call listPets")
    panel.write(form.get_by_role("textbox", name="limit"), "0")
    panel.use(panel.button("Call listPets"))
    expect(response(panel)).to_contain_text("400")
    expect(response(panel)).to_contain_text("mockpets-off-contract")
    expect(response(panel).locator(".code")).to_contain_text('"message": "limit must be an integer')

    form = choose(panel, "createPet")
    panel.write(form.get_by_role("textbox", name="Key"), "")
    panel.use(panel.button("Call createPet"))
    expect(response(panel)).to_contain_text("www-authenticate")
    panel.write(form.get_by_role("textbox", name="Key"), "mockpets")
    panel.use(panel.button("Call createPet"))
    expect(response(panel).get_by_role("status")).to_contain_text("201")

    form = choose(panel, "getPet")
    panel.choose(form.get_by_role("combobox", name="Scenario"), "missing")
    panel.use(panel.button("Call getPet"))
    expect(response(panel).get_by_role("status")).to_contain_text("404")
    expect(response(panel)).to_contain_text("Thu, 05 Dec 2030 00:00:00 GMT")


@by_keyboard
def test_send_any_path_and_method(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")  # a request outside the contract creates no session
    panel.view("Try it")
    form = choose(panel, "Any path")
    method = form.get_by_role("combobox", name="Method")
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
    expect(method.locator("option")).to_have_text(methods)
    panel.choose(method, "PUT")
    panel.write(form.get_by_role("textbox", name="Path"), "/v1/store/orders/3?fast=1")
    panel.write(form.get_by_role("textbox", name="Body"), '{"quantity": 1}')
    panel.write(form.get_by_role("textbox", name="Headers"), "X-Trace: a b\nAccept: text/plain")
    panel.use(panel.button("Call any path"))
    expect(response(panel).get_by_role("status")).to_contain_text("404")

    request = panel.call("GET", "/__mockpets/requests/2").json
    assert (request["method"], request["path"]) == ("PUT", "/v1/store/orders/3")
    assert request["request"]["body"]["text"] == '{"quantity": 1}'
    headers = {name.lower(): value for name, value in request["request"]["headers"]}
    assert headers["x-trace"] == "a b"
    assert headers["accept"] == "text/plain"
    assert headers["content-type"] == "application/json"
    panel.use(response(panel).get_by_role("link", name="Request 2"))
    expect(panel.page.locator("#entry")).to_contain_text("/v1/store/orders/3?fast=1")


@by_keyboard
def test_sent_requests_can_be_edited_and_sent_again(panel: Panel) -> None:
    panel.view("Try it")
    form = panel.page.get_by_role("form", name="Call listPets")
    for limit in range(1, 22):
        panel.page.get_by_role("textbox", name="limit").fill(str(limit))
        panel.button("Call listPets").click()
        expect(response(panel).get_by_role("status")).to_contain_text(f"Request {limit}")
    sent = panel.page.get_by_role("region", name="Sent").get_by_role("button")
    expect(sent).to_have_count(20)  # the oldest goes first
    expect(sent.last).to_contain_text("limit=2")
    panel.page.reload()
    panel.use(sent.nth(1))
    form = panel.page.get_by_role("form", name="Call any path")
    expect(form.get_by_role("textbox", name="Path")).to_have_value("/v1/pets?limit=20")
    expect(form.get_by_role("textbox", name="Key")).to_have_value("mockpets")
    panel.write(form.get_by_role("textbox", name="Path"), "/v1/pets?limit=2")
    panel.use(panel.button("Call any path"))

    expect(response(panel).get_by_role("status")).to_contain_text("200")
    expect(sent.first).to_contain_text("limit=2")


def test_an_invalid_request_is_explained_and_not_sent(panel: Panel) -> None:
    panel.view("Try it")
    form = choose(panel, "Any path")
    for field, text, valid, message in (
        ("Path", "https://evil.test/v1/pets", "/v1/pets", "must begin with /"),
        ("Headers", "no colon", "", '"no colon" is not a header'),
        ("Headers", "X-A: 1\nbad name: x", "", '"bad name: x" is not a header'),
    ):
        form.get_by_role("textbox", name=field).fill(text)
        expect(form.get_by_role("alert")).to_contain_text(message)
        panel.button("Call any path").click()
        expect(response(panel).get_by_role("alert")).to_contain_text(message)
        expect(panel.button("Explain")).to_be_disabled()
        form.get_by_role("textbox", name=field).fill(valid)
    assert panel.call("GET", "/__mockpets/requests").json["total"] == 0


def test_the_reference_shows_the_contract_with_forms(
    session: str, visit: Callable[..., Panel]
) -> None:
    plain = visit(session, "/__mockpets/docs", java_script_enabled=False)
    expect(plain.page.get_by_role("heading", name="GET /v1/pets", exact=True)).to_be_visible()
    panel = visit(session, "/__mockpets/docs")
    main = panel.page.locator("main")
    # Firefox leaves out of it what is in closed details.
    text = main.text_content() or "" if FIREFOX else main.inner_text()
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
    card.get_by_text("Try getPet").click()
    card.get_by_role("button", name="Call getPet").click()
    expect(card.locator(".response")).to_contain_text("sunset")
