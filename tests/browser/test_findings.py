"""The findings of a session, which follow its requests."""

from playwright.sync_api import expect

from tests.browser.panel import Panel, by_keyboard


@by_keyboard
def test_findings_appear_with_the_requests_that_show_them(panel: Panel) -> None:
    panel.view("Findings")
    expect(panel.page.get_by_text("No findings", exact=True)).to_be_visible()
    panel.call("GET", "/v1/pets?sort=name")
    finding = panel.page.get_by_role("group").filter(has_text="Unknown query parameter")
    expect(finding).to_contain_text("error · 1 finding")
    expect(finding).to_contain_text("sort")
    expect(finding).to_contain_text("Rename or remove the parameter.")

    panel.use(finding.get_by_role("link", name="Request 1"))
    expect(panel.page.locator("#entry")).to_contain_text("/v1/pets?sort=name")
