"""Views with what opens in them pass axe and fit the window."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from mockpets import MockpetsServer, Settings
from tests.browser.panel import Panel
from tests.browser.test_looks import inspect

LONG = (
    "description: Long.\nstubs:\n" + "  - {reply: {status: 503, text: '%s'}}\n" % ("x" * 200) * 60
)

USE = """
(scenario) => fetch("scenario", {
  method: "PUT", headers: {"Content-Type": "application/json"}, body: JSON.stringify({scenario}),
})
"""


def scenarios(page: Page) -> None:
    """Open the editor with a problem, a rejected name, and what a scenario does."""
    page.evaluate("location.hash = 'scenarios/mine'")
    field = page.get_by_role("textbox", name="Source of mine")
    expect(field).to_have_value(LONG)
    field.fill(LONG + "    dealy: 1s\n")
    expect(page.locator(".strip")).to_be_visible()
    expect(page.locator(".try-on [role=status]")).not_to_be_empty()
    page.get_by_text("What it does").click()
    inspect(page, "scenarios, problem")
    page.evaluate("location.hash = 'scenarios/+'")
    page.get_by_role("textbox", name="Scenario name").fill("<b>")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".strip[role=alert]")).to_be_visible()
    inspect(page, "scenarios, new")


def states(page: Page) -> None:
    """Show every state of an operation, some of them active, and what is held."""
    page.evaluate(USE, ["getPet:503", "getPet:3s", "all:hold"])
    page.evaluate("location.hash = 'states'")
    page.get_by_role("button", name="More states of getPet").click()
    expect(page.locator(".states [aria-pressed=true]")).to_have_count(3)
    inspect(page, "states")


def pets(page: Page) -> None:
    """Open each form, filter, and leave an invalid value in a cell."""
    page.evaluate("location.hash = 'data'")
    cell = page.get_by_label("categoryId of record 1, Buster")
    cell.fill("two")
    cell.press("Enter")
    expect(cell).to_have_attribute("aria-invalid", "true")
    for name in ("Add a record", "Replace all"):
        page.get_by_role("button", name=name, exact=True).click()
        inspect(page, f"data, pets, {name}")
    for text, shown in (
        ("status:", page.get_by_role("option", name="status:sold")),
        ("status:sold ", page.get_by_text("3 of 16 records")),
        ("color:red ", page.get_by_text("No records match the filter.")),
    ):
        page.get_by_role("combobox", name="Filter").fill(text)
        expect(shown).to_be_visible()
        inspect(page, f"data, filter {text}")


def data(page: Page) -> None:
    """Show the records of a hidden collection, with each form and an invalid value."""
    records = [{"id": 1, "petId": 3, "note": "x" * 300}]
    resources = [{"path": f"/v1/{n}s"} for n in ("order", *(f"thing{n}" for n in range(20)))]
    shop = {"name": "shop", "resources": resources, "data": {"orders": records}}
    other = {"name": "other", "resources": [{"path": "/v1/orders"}]}
    page.evaluate(USE, [{"description": "d", **each} for each in (other, shop)])
    page.evaluate("location.hash = 'data/shop.orders'")
    cell = page.get_by_label("petId of record 1", exact=True)
    cell.fill("two")
    cell.press("Enter")
    expect(cell).to_have_attribute("aria-invalid", "true")
    for name in ("Add a record", "Replace all"):
        page.get_by_role("button", name=name, exact=True).click()
        inspect(page, f"data, orders, {name}")


def sessions(page: Page) -> None:
    """Select a session, open the form, and delete the session."""
    page.evaluate("location.hash = 'sessions'")
    page.get_by_role("button", name="New session").click()
    inspect(page, "sessions, form")
    row = page.locator("tbody tr").filter(has_text="other")
    row.hover()
    inspect(page, "sessions, hover")
    row.get_by_role("button", name="Delete session other").click()
    expect(page.locator(".toast")).to_contain_text("Deleted other")
    inspect(page, "sessions, toast")


def findings(page: Page) -> None:
    """Show findings with requests."""
    page.evaluate("location.hash = 'findings'")
    expect(page.get_by_text("Unknown query parameter")).to_be_visible()
    inspect(page, "findings")


def tries(page: Page) -> None:
    """Send a request, explain it, and open the form for any path with an invalid header."""
    page.evaluate("location.hash = 'try'")
    page.get_by_role("button", name="Call listPets").click()
    expect(page.locator("main .response .code")).to_be_visible()
    inspect(page, "try, response")
    page.get_by_role("button", name="Explain").click()
    expect(page.locator("main .response .why")).to_be_visible()
    inspect(page, "try, explanation")
    page.get_by_role("button", name="Any path").click()
    page.get_by_role("textbox", name=re.compile("^Headers")).fill("no")
    expect(page.get_by_role("alert").filter(has_text="is not a header")).to_be_visible()
    inspect(page, "try, any path")


def reference(page: Page) -> None:
    """Search the contents, and open the form of an operation."""
    page.evaluate("location.href = 'docs'")
    page.get_by_role("searchbox", name="Search operations").fill("create")
    page.get_by_text("Try createPet").click()
    expect(page.get_by_role("button", name="Call createPet")).to_be_visible()
    inspect(page, "reference")


VIEWS = [
    *(states, data, findings),
    *(
        pytest.param(view, marks=pytest.mark.long)
        for view in (scenarios, pets, sessions, tries, reference)
    ),
]


@pytest.mark.parametrize("view", VIEWS)
def test_what_opens_in_a_view(
    visit: Callable[..., Panel], tmp_path: Path, view: Callable[[Page], None]
) -> None:
    (tmp_path / "mine.yaml").write_text(LONG, encoding="utf-8")
    with MockpetsServer(Settings(port=0, scenarios_dir=(tmp_path,))) as server:
        panel = visit(f"{server.url}/~looks", reduced_motion="reduce")
        panel.call("GET", "/v1/pets?sort=" + "name" * 30)
        panel.call("PUT", "/__mockpets/sessions/other")
        expect(panel.rows.first).to_be_visible()
        view(panel.page)
