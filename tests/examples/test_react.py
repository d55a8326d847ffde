"""The example `examples/react`: its app, its tests and the kit's files in it."""

import json
import re
import shutil
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.packaged_data import shipped
from mockpets.scenario.check import check
from tests.examples.project import (
    EXAMPLES,
    REPEAT,
    check_kit,
    copy,
    install,
    outcomes,
    playwright,
    share_one_session,
)
from tests.programs import free_port, need, run

SCENARIOS = EXAMPLES / "react" / "scenarios"
THIRD_PARTY = Path(__file__).with_name("third-party.spec.ts")
STATES = ("--config", "playwright.states.config.ts")
STORYBOOK = ("--config", "playwright.storybook.config.ts")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the example in which `npm install` has run."""
    return install("react", tmp_path_factory.mktemp("react"))


@pytest.fixture
def example(installed: Path, tmp_path: Path) -> Path:
    """A copy that the test may change."""
    return copy(installed, tmp_path / "react")


def vitest(folder: Path, *options: str) -> tuple[int, str]:
    """Run the Vitest tests of a copy on a free port; return the exit status and the output."""
    port = free_port()
    command = (need("npm"), "run", "--silent", "test:unit", "--", *options)
    done = run(folder, *command, MOCKPETS_URL=f"http://localhost:{port}", NO_COLOR="1")
    return done.returncode, done.stdout + done.stderr


def test_the_suite_passes_with_four_workers_on_one_server(example: Path) -> None:
    status, output = playwright(example, f"--repeat-each={REPEAT}")

    assert f"Running {24 * REPEAT} tests using 4 workers" in output
    assert (status, outcomes(output)) == (0, [f"{24 * REPEAT} passed"]), output


def test_the_suite_fails_if_its_tests_share_one_session(example: Path) -> None:
    """In parallel only: one test at a time passes, so nothing but the shared session is broken."""
    share_one_session(example)

    status, output = playwright(example, "--workers=1")
    assert status == 0, output
    assert "24 passed" in output

    status, output = playwright(example, "--max-failures=1")
    assert status == 1, output
    assert any("failed" in each for each in outcomes(output)), output


def test_the_smoke_test_passes_under_every_scenario(example: Path) -> None:
    """Two are skipped, because this test places no order. The spec of the sheet is another."""
    skipped = {"orders", "shop"}
    names = {path.stem for path in (*shipped("scenarios").iterdir(), *SCENARIOS.iterdir())}
    settings = Settings(port=0, scenarios_dir=(example / "scenarios",), sessions="declared")

    with MockpetsServer(settings) as server:
        status, output = playwright(example, *STATES, "smoke.spec.ts", MOCKPETS_URL=server.url)
    assert (status, outcomes(output)) == (0, ["2 skipped", f"{len(names) - 2} passed"]), output
    table = output.partition("States: ")[2]
    assert {*re.findall(r"^  ([a-z-]+) +passed", table, re.MULTILINE)} == names - skipped
    reason = r"^  ([a-z-]+) +skipped .*scenario \1 affected no request$"
    assert {*re.findall(reason, table, re.MULTILINE)} == skipped
    pages = (example / "state-sheet/states.html").read_text(encoding="utf-8")
    assert pages.count("data-shot=") == len(names)


def test_the_state_sheet_shows_every_state_in_three_widths_and_two_themes(example: Path) -> None:
    names = {path.stem for path in (*shipped("scenarios").iterdir(), *SCENARIOS.iterdir())}
    status, output = playwright(example, *STATES, "sheet.spec.ts")
    sheet = (example / "state-sheet/states.html").read_text(encoding="utf-8")

    assert status == 0, output
    assert sheet.count("data-shot=") == 6 * len(names)
    assert "scrolls sideways" not in sheet
    assert "uncaught error" not in sheet
    assert len(sheet) < 4_000_000


def test_the_unit_tests_pass_in_parallel_on_one_server(example: Path) -> None:
    status, output = vitest(example)

    assert status == 0, output
    assert re.search(r"Test Files +3 passed \(3\)", output), output
    assert re.search(r"Tests +14 passed \(14\)", output), output


def test_the_unit_tests_fail_if_they_share_one_session(example: Path) -> None:
    """In parallel only, as for Playwright."""
    share_one_session(example)

    status, output = vitest(example, "--no-file-parallelism")
    assert status == 0, output
    assert re.search(r"Tests +14 passed \(14\)", output), output

    status, output = vitest(example, "--maxWorkers=3")
    assert status == 1, output
    assert re.search(r"Tests +\d+ failed", output), output


def test_a_third_party_loads_although_the_page_sends_the_session(example: Path) -> None:
    shutil.copy2(THIRD_PARTY, example / "tests")

    status, output = playwright(example, THIRD_PARTY.name)
    assert status == 0, output
    assert "2 passed" in output
    done = run(example, need("npm"), "run", "--silent", "typecheck")
    assert (done.returncode, done.stdout) == (0, "")


def test_the_tests_of_the_built_storybook_pass(example: Path) -> None:
    status, output = playwright(example, *STORYBOOK, f"--repeat-each={REPEAT}")

    assert status == 0, output
    assert f"{8 * REPEAT} passed" in output


def test_the_tests_of_the_stories_fail_if_the_stories_share_one_session(example: Path) -> None:
    loader = example / "tests" / "mockpets" / "storybook.js"
    text = loader.read_text(encoding="utf-8")
    shared, replaced = re.subn(r"Mockpets\.slug\(id, RUN.*?\)\)", '"shared"', text)
    assert replaced == 1
    loader.write_text(shared, encoding="utf-8")

    status, output = playwright(example, *STORYBOOK, "--workers=1", "-g", "in different states")
    assert status == 1, output
    assert "1 failed" in output


@pytest.mark.slow
def test_the_files_of_the_kit_are_up_to_date() -> None:
    parts = ["--playwright", "--vitest", "--storybook"]
    options = ["tests/mockpets", *parts, "--scenarios-dir", "scenarios"]
    assert check_kit("react", *options) == (0, "")


def test_the_scenarios_of_the_example_have_no_problems() -> None:
    result = check([EXAMPLES / "react" / "scenarios"], [], [])

    assert (result.problems, result.warnings) == ((), ())


@pytest.mark.parametrize("name", ["react", "next", "clinic"])
def test_the_readme_of_an_example_names_scripts_that_exist(name: str) -> None:
    text = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    scripts = json.loads((EXAMPLES / name / "package.json").read_text(encoding="utf-8"))["scripts"]
    named = set(re.findall(r"npm (?:run )?(dev|test(?::\w+)?|typecheck|build)\b", text))

    assert {"dev", "test"} <= named <= scripts.keys()
