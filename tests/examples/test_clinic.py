"""The example `examples/clinic`: its app, its tests, its document and the files made from it."""

import re
import shutil
from pathlib import Path

import pytest

from mockpets.contract.contract_description import description
from mockpets.scenario.contract_files import load_contracts
from tests.examples.project import EXAMPLES, REPEAT, copy, install, outcomes, playwright
from tests.programs import need, run

CLINIC = EXAMPLES / "clinic"
TESTS = 38 * REPEAT


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the example in which `npm install` has run."""
    return install("clinic", tmp_path_factory.mktemp("clinic"))


@pytest.fixture
def example(installed: Path, tmp_path: Path) -> Path:
    """A copy with the kit."""
    folder = copy(installed, tmp_path / "clinic")
    done = run(folder, need("npm"), "run", "--silent", "kit")
    assert done.returncode == 0, done.stderr
    return folder


def states_of(document: Path) -> dict[str, str]:
    """Return whether each operation of a document has state."""
    described = description(load_contracts([str(document)]).all[0])
    return {each["name"]: each["state"] for each in described["operations"]}


def test_the_suite_passes_with_four_workers_on_one_server(example: Path) -> None:
    status, output = playwright(example, f"--repeat-each={REPEAT}")

    assert f"Running {TESTS} tests using 4 workers" in output
    assert (status, outcomes(output)) == (0, [f"{TESTS} passed"]), output


def test_the_state_sheet_shows_an_expression_in_each_row(example: Path) -> None:
    status, output = playwright(example, "--config", "playwright.states.config.ts")
    sheet = (example / "state-sheet/states.html").read_text(encoding="utf-8")

    assert (status, outcomes(output)) == (0, ["12 passed"]), output
    states = set(re.findall(r'data-shot="(\w+:[\w:]+) · ', sheet))
    assert len(states) == 12
    assert sheet.count("data-shot=") == 6 * len(states)
    assert "scrolls sideways" not in sheet
    assert "uncaught error" not in sheet


def test_a_clone_compiles_and_builds(installed: Path, tmp_path: Path) -> None:
    """Without the kit, which git ignores: npm runs `kit` before `typecheck`."""
    folder = copy(installed, tmp_path / "clinic")
    assert not (folder / "tests/mockpets").exists()

    done = run(folder, need("npm"), "run", "--silent", "build")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "dist/index.html").exists()


def test_the_types_are_those_of_the_document(installed: Path, tmp_path: Path) -> None:
    folder = copy(installed, tmp_path / "clinic")
    types = folder / "src/api/schema.d.ts"
    committed = types.read_text(encoding="utf-8")
    types.unlink()

    done = run(folder, need("npm"), "run", "--silent", "types")
    assert done.returncode == 0, done.stdout + done.stderr
    assert types.read_text(encoding="utf-8") == committed


def test_every_operation_has_state_one_of_them_by_a_correction(tmp_path: Path) -> None:
    alone = tmp_path / "clinic.yaml"
    shutil.copy2(CLINIC / "api/clinic.yaml", alone)

    assert {*states_of(CLINIC / "api/clinic.yaml").values()} == {"state"}
    guessed = states_of(alone)
    assert [name for name in guessed if guessed[name] != "state"] == ["cancelAppointment"]


@pytest.mark.slow
def test_the_files_for_mockpets_have_no_problems() -> None:
    """With the settings of `mockpets.toml`, as a user runs it."""
    done = run(CLINIC, "mockpets", "check")

    assert (done.returncode, done.stderr) == (0, "")
    assert "0 problems" in done.stdout
    assert "warning" not in done.stdout
