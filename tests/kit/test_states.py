"""`states()`: one Playwright test under every scenario, and the table of the results."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.constants import BUILT_IN_CONTRACT
from mockpets.scenario.contract_files import load_contracts
from mockpets.scenario.library import load_library
from tests.docs.page import ROOT, SHOP, blocks
from tests.kit.project import REPORTED, Outcomes, run_playwright
from tests.kit.test_playwright import front_end
from tests.pages import serving

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.long]

GAUNTLET = Path(__file__).with_name("gauntlet")
SCENARIOS = load_library((), ()).descriptions()
UNREACHED = {
    *("after-removal", "create-rejected", "double-submit", "expired-key", "flaky-create"),
    *("missing", "orders"),
}
"""Scenarios that do not change the first request for the list."""


@pytest.fixture
def server() -> Iterator[MockpetsServer]:
    """Like the one that `webServer()` starts."""
    with MockpetsServer(Settings(port=0, sessions="declared")) as running:
        yield running


def without_status(server: MockpetsServer) -> set[str]:
    """Return the scenarios whose pets, as a page lists them, include one without a status."""
    names = set()
    for name in SCENARIOS:
        control = ControlClient(server.url, "pets")
        control.make_session("pets", scenario=name)
        if control.scenario(name)["data"]:
            pets = control.records("pets")[:100]
            names |= {name} if any("status" not in pet for pet in pets) else set()
        control.drop_session("pets")
    return names


def run(
    server: MockpetsServer,
    folder: Path,
    path: str,
    spec: str,
    query: str,
    collection: str = "/v1/pets",
    contract: str = BUILT_IN_CONTRACT,
) -> Outcomes:
    """Run a spec against the page of the gauntlet; return the outcomes by the state.

    :param collection: the path of the list that the page shows.
    """
    page = (GAUNTLET / "index.html").read_text(encoding="utf-8").replace("/v1/pets", collection)
    with serving(front_end(server.url, page)) as app:
        variables = {"MOCKPETS_URL": server.url, "APP_URL": app, "APP_PATH": query}
        outcomes = run_playwright(folder, {path: spec}, REPORTED, contract, **variables)
    return {title.removeprefix("smoke: "): each for title, each in outcomes.items()}


def test_exactly_the_states_that_show_a_bug_fail(server: MockpetsServer, tmp_path: Path) -> None:
    smoke = (GAUNTLET / "smoke.spec.ts").read_text(encoding="utf-8")
    crashing = without_status(server)
    assert {"no-status", "full-page", "awkward-names", "crowded"} <= crashing
    causes = {
        **dict.fromkeys(crashing, "an uncaught error"),
        "offline": "a spinner",
        "unauthorized": "a blank page",
    }
    by_state = run(server, tmp_path, "tests/smoke.spec.ts", smoke, "/?bugs")

    assert {name: each.status for name, each in by_state.items()} == {
        **dict.fromkeys(SCENARIOS, "passed"),
        **dict.fromkeys(causes, "failed"),
        **dict.fromkeys(UNREACHED, "skipped"),
    }
    for name, cause in causes.items():
        assert by_state[name].errors[0].startswith(f"Error: {cause}")
    for name in UNREACHED:
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
    assert len(markdown) == 4 + len(SCENARIOS)
    [missing] = [line for line in markdown if "smoke: missing" in line]
    assert missing.endswith("| scenario missing affected no request |")
    assert f"{len(UNREACHED)} skipped" in markdown[0]


def test_the_test_that_the_documentation_shows_passes(
    server: MockpetsServer, tmp_path: Path
) -> None:
    page = ROOT / "docs/bugs/every-state.md"
    [shown] = [block for block in blocks(page) if block.mark == "kit file"]
    by_state = run(server, tmp_path, shown.argument, shown.text, "/")

    assert {name: each.status for name, each in by_state.items()} == {
        name: "skipped" if name in UNREACHED else "passed" for name in SCENARIOS
    }


def test_the_same_test_passes_in_the_states_of_another_api(tmp_path: Path) -> None:
    """The page lists the orders of the documentation's own API in place of pets."""
    [shown] = [
        block for block in blocks(ROOT / "docs/bugs/every-state.md") if block.mark == "kit file"
    ]
    folder, contract = tmp_path / "project", str(tmp_path / SHOP.argument)
    Path(contract).write_text(SHOP.text, encoding="utf-8")
    folder.mkdir()
    settings = Settings(port=0, sessions="declared", contract=(contract,))
    with MockpetsServer(settings) as server:
        by_state = run(server, folder, shown.argument, shown.text, "/", "/api/orders", contract)

    fitting = load_library((), (), contracts=load_contracts([contract])).descriptions()
    assert {"empty", "loading", "offline"} <= fitting.keys() < SCENARIOS.keys()
    assert {name: each.status for name, each in by_state.items()} == {
        name: "skipped" if name in UNREACHED else "passed" for name in fitting
    }
