"""The list of scenarios, with the mouse and with the keyboard only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from mockpets import MockpetsServer, Settings
from mockpets.scenario.library import SHIPPED_SCENARIOS
from tests.browser.panel import Panel, both_ways

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@both_ways
def test_activate_and_stack_scenarios(panel: Panel) -> None:
    expect(panel.active).to_have_text(["default"])
    panel.use(panel.pick("empty"))
    expect(panel.active).to_have_text(["empty"])
    expect(panel.pick("empty")).to_have_attribute("aria-pressed", "true")
    assert panel.call("GET", "/v1/pets").json == []

    panel.use(panel.button("Add slow"))
    expect(panel.active).to_have_text(["slow", "empty"])
    expect(panel.scenario("slow")).to_contain_text("Active, #1")
    expect(panel.scenario("empty")).to_contain_text("Active, #2")

    panel.use(panel.button("Remove slow"))
    expect(panel.active).to_have_text(["empty"])
    panel.use(panel.button("Deactivate empty"))
    expect(panel.active).to_have_text(["default"])
    assert len(panel.call("GET", "/v1/pets").json) == 16


def test_scenarios_are_grouped_by_need_with_your_own_first(panel: Panel) -> None:
    groups = panel.page.locator("#scenario-groups .group")

    expect(groups.locator("h3")).to_have_text(["Your own", *SHIPPED_SCENARIOS])
    for position, names in enumerate(SHIPPED_SCENARIOS.values(), 1):
        expect(groups.nth(position).locator("li[data-key] .name")).to_have_text([*names])


@both_ways
def test_enter_in_the_search_activates_the_first_result(panel: Panel) -> None:
    panel.write(panel.page.get_by_role("searchbox"), "empt")
    expect(panel.page.locator("#scenario-groups li[data-key] .name").first).to_have_text("empty")
    panel.page.keyboard.press("Enter")

    expect(panel.active).to_have_text(["empty"])
    panel.write(panel.page.get_by_role("searchbox"), "no such thing")
    expect(panel.page.get_by_text("No scenarios match the search")).to_be_visible()


@both_ways
def test_details_show_what_a_scenario_does_and_its_source(panel: Panel) -> None:
    panel.use(panel.button("Details of retry"))
    facts = panel.scenario("retry").locator(".facts")
    expect(facts).to_contain_text("retry/fail-twice")
    expect(facts).to_contain_text("responds with 503")
    panel.use(facts.locator("summary"))

    expect(facts.locator("pre")).to_contain_text("Retry-After: 1")
    panel.use(panel.button("Details of retry"))
    expect(facts).to_be_hidden()


def test_an_invalid_file_shows_its_problems_and_keeps_the_last_valid_version(
    tmp_path: Path, visit: Callable[..., Panel]
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("description: Mine.\n", encoding="utf-8")
    with MockpetsServer(Settings(port=0, scenarios_dir=(tmp_path,))) as server:
        panel = visit(server.url)
        expect(panel.scenario("mine")).to_contain_text("Mine.")
        file.write_text("description: Mine.\nstubs:\n  - replie: pass\n", encoding="utf-8")
        expect(panel.scenario("mine").locator(".problems")).to_contain_text(
            re.compile(r"mine\.yaml:3:5: .*did you mean 'reply'")
        )
        expect(panel.pick("mine")).to_be_enabled()
        file.write_text("description: Fixed.\n", encoding="utf-8")
        expect(panel.scenario("mine")).to_contain_text("Fixed.")
        expect(panel.scenario("mine").locator(".problems li")).to_have_count(0)


def test_two_files_of_one_name_are_shown_until_one_is_renamed(
    tmp_path: Path, visit: Callable[..., Panel]
) -> None:
    (tmp_path / "mine.yaml").write_text("description: Mine.\n", encoding="utf-8")
    with MockpetsServer(Settings(port=0, scenarios_dir=(tmp_path,))) as server:
        panel = visit(server.url)
        expect(panel.scenario("mine")).to_contain_text("Mine.")
        problem = panel.page.get_by_text("Changed files are not reloaded until you fix this:")
        expect(problem).to_be_hidden()
        (tmp_path / "mine.yml").write_text("description: Other.\n", encoding="utf-8")
        expect(problem).to_be_visible()
        expect(panel.page.locator("#folder-problems li")).to_have_text(
            re.compile(r"mine\.yml: mine\.yaml also has the name 'mine'; rename or remove one")
        )
        expect(panel.scenario("mine")).to_contain_text("Mine.")
        (tmp_path / "mine.yml").rename(tmp_path / "other.yml")
        expect(panel.scenario("other")).to_contain_text("Other.")
        expect(problem).to_be_hidden()
