"""`states()`: one Playwright test under many scenarios, and the table of the results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.scenario.library import load_library
from tests.docs.page import ROOT, blocks
from tests.kit.project import REPORTED, Outcomes, run_playwright
from tests.kit.test_playwright import front_end
from tests.pages import serving

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.slow]

GAUNTLET = Path(__file__).with_name("gauntlet")
CAUSES = {
    "no-status": "an uncaught error",
    "full-page": "an uncaught error",
    "awkward-names": "an uncaught error",
    "offline": "a spinner",
    "unauthorized": "a blank page",
}
"""What the bugs of the page show, by state."""
PASSED = {"empty", "loading", "slow", "maintenance", "broken-json"}
SKIPPED = {"missing", "orders"}
"""States that do not change the first request for the list."""


def run(folder: Path, path: str, spec: str, query: str) -> Outcomes:
    """Run a spec against the page of the gauntlet; return the outcomes by the title."""
    page = (GAUNTLET / "index.html").read_text(encoding="utf-8")
    with (
        # Like the one that `webServer()` starts.
        MockpetsServer(Settings(port=0, sessions="declared")) as server,
        serving(front_end(server.url, page)) as app,
    ):
        variables = {"MOCKPETS_URL": server.url, "APP_URL": app, "APP_PATH": query}
        return run_playwright(folder, {path: spec}, config=REPORTED, **variables)


def test_exactly_the_states_that_show_a_bug_fail(tmp_path: Path) -> None:
    smoke = (GAUNTLET / "smoke.spec.ts").read_text(encoding="utf-8")
    outcomes = run(tmp_path, "tests/smoke.spec.ts", smoke, "/?bugs")
    by_state = {title.removeprefix("smoke: "): each for title, each in outcomes.items()}

    assert {name: each.status for name, each in by_state.items()} == {
        **dict.fromkeys(CAUSES, "failed"),
        **dict.fromkeys(PASSED, "passed"),
        **dict.fromkeys(SKIPPED, "skipped"),
    }
    for name, cause in CAUSES.items():
        assert by_state[name].errors[0].startswith(f"Error: {cause}")
    for name in SKIPPED:
        assert by_state[name].skip_reason == f"scenario {name} affected no request"

    # The table has the same results, and each page a screenshot.
    text = (tmp_path / "state-sheet/states.html").read_text(encoding="utf-8")
    rows = re.findall(r'<tr id="\d+" class="(\w+).*?"><th scope="row"><b>([a-z0-9-]+)</b>', text)
    assert {name: result for result, name in rows} == {
        name: each.status for name, each in by_state.items()
    }
    images = re.findall(r'data-shot="([a-z0-9-]+) · ', text)
    assert images == [name for _, name in rows]
    assert not re.search(r'(?:src|href)="(?!#|data:image/png)', text), "it is one file"
    markdown = (tmp_path / "state-sheet/states.md").read_text(encoding="utf-8").splitlines()
    assert len(markdown) == 4 + len(by_state)
    [missing] = [line for line in markdown if "smoke: missing" in line]
    assert missing.endswith("| scenario missing affected no request |")
    assert f"{len(SKIPPED)} skipped" in markdown[0]


@pytest.mark.long
def test_the_test_that_the_documentation_shows_passes(tmp_path: Path) -> None:
    page = ROOT / "docs/bugs/every-state.md"
    [shown] = [block for block in blocks(page) if block.mark == "kit file"]
    outcomes = run(tmp_path, shown.argument, shown.text, "/")

    assert outcomes.keys() == {f"smoke: {name}" for name in load_library((), ()).descriptions()}
    assert {each.status for each in outcomes.values()} == {"passed", "skipped"}
