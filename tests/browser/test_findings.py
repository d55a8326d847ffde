"""The findings and the state coverage of a session, which follow its requests."""

from __future__ import annotations

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


@by_keyboard
def test_a_missing_state_names_the_scenario_that_serves_it(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    panel.view("Findings")
    coverage = panel.page.get_by_role("region", name="State coverage")
    served = coverage.get_by_role("row", name="success")
    expect(served.get_by_role("cell").first).to_have_text("1")
    panel.use(panel.button("Use empty to serve empty for listPets"))
    expect(panel.active).to_have_text(["empty"])
    panel.call("GET", "/v1/pets")
    expect(coverage.get_by_role("row", name="empty").get_by_role("cell").first).to_have_text("1")
