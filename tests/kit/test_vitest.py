"""kit/vitest.js gives each Vitest test its own session."""

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.kit.project import install_kit, write_kit
from tests.kit.test_playwright import echo
from tests.pages import serving
from tests.programs import need, run_within

pytestmark = pytest.mark.node

FILES = Path(__file__).with_name("vitest")
CONFIG = """\
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { setupFiles: ["SETUP"], testTimeout: 60_000, hookTimeout: 60_000 }, // for busy machines
});
"""


@dataclass(frozen=True)
class Outcome:
    """The outcomes of a run.

    :param errors: the messages of each test by its title, also of tests that have passed.
    """

    statuses: dict[tuple[str, str], str]
    errors: dict[str, list[str]]
    output: str


@pytest.fixture
def server() -> Iterator[MockpetsServer]:
    """Like the one that `startServer()` starts."""
    with MockpetsServer(Settings(port=0, sessions="declared")) as running:
        yield running


def run_vitest(
    folder: Path, files: dict[str, str], *options: str, packaged: bool = False, **variables: str
) -> Outcome:
    """Run our test files in a project.

    :param files: the name in the project of each file, with its name in `FILES`.
    :param packaged: whether the kit is the npm package, and not in the folder ``mockpets``.
    """
    install_kit(folder)
    write_kit(folder / "mockpets")
    shutil.copy(FILES / "app.ts", folder)
    setup = "mockpets/vitest" if packaged else "./mockpets/vitest.js"
    (folder / "vitest.config.mts").write_text(CONFIG.replace("SETUP", setup))
    for name, source in files.items():
        text = (FILES / source).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace("./mockpets/", "mockpets/") if packaged else text)
    reporters = ("--reporter=default", "--reporter=json", "--outputFile=report.json")
    command = (need("vitest"), "run", "--no-color", *reporters, *options)
    done = run_within(240, folder, *command, **variables)
    output = done.stdout + done.stderr
    assert (folder / "report.json").exists(), output
    tests = [
        (Path(file["name"]).name, test)
        for file in json.loads((folder / "report.json").read_text())["testResults"]
        for test in file["assertionResults"]
    ]
    return Outcome(
        {(name, test["title"]): test["status"] for name, test in tests},
        {test["title"]: test.get("failureMessages") or [] for _, test in tests},
        output,
    )


@pytest.mark.parametrize(("packaged", "options"), [
    pytest.param(False, ("--maxWorkers=2",), id="copied files", marks=pytest.mark.long),
    pytest.param(True, ("--no-isolate", "--maxWorkers=1"), id="package, files share their modules"),
])  # fmt: skip
def test_each_test_has_its_own_session(
    server: MockpetsServer, tmp_path: Path, packaged: bool, options: tuple[str, ...]
) -> None:
    files = {f"sessions-{copy}.test.ts": "sessions.test.ts" for copy in "abcd"}
    files |= {f"dom-{copy}.test.ts": "dom.test.ts" for copy in "ab"}
    with serving(echo) as third:
        outcome = run_vitest(
            tmp_path, files, *options, packaged=packaged, MOCKPETS_URL=server.url, THIRD_URL=third
        )

    failed = {test: outcome.errors for test, each in outcome.statuses.items() if each != "passed"}
    assert failed == {}, outcome.output
    assert len(outcome.statuses) == 4 * 10 + 2 * 5
    sessions = ControlClient(server.url).sessions()
    assert [session["name"] for session in sessions] == ["default"]  # the others are deleted


def test_failed_tests_show_why_and_skipped_ones_reach_no_state(
    server: MockpetsServer, tmp_path: Path
) -> None:
    files = {name: name for name in ("failing.test.ts", "states.test.ts")}
    outcome = run_vitest(tmp_path, files, MOCKPETS_URL=server.url)
    by_file: dict[str, dict[str, str]] = {name: {} for name in files}
    for (name, title), status in outcome.statuses.items():
        by_file[name][title] = status
    statuses = by_file["failing.test.ts"]

    assert statuses.pop("outside of a block, nothing changes") == "passed"
    assert {*statuses.values()} == {"failed"}
    for title, message in {
        "a verification": 'query.limit: expected "4", got "3"',
        "a concurrent test": "remove 'concurrent', or move the test out of this block",
        "an unknown scenario": "unknown scenario 'emtpy'; did you mean 'empty'?",
        "an unknown scenario of a block": "unknown scenario 'emtpy'; did you mean 'empty'?",
        "an unknown option": "unknown key 'sed'; did you mean 'seed'?",
        "a server that is not there": "cannot connect to http://localhost:1 ",
        "a call in a test": "at the top of a test file or of a describe, not in a test",
    }.items():
        [error] = outcome.errors[title]
        assert message in error
        assert "mockpets/" not in error or title == "a call in a test", error
    assert re.search(
        r"> a verification\nrequests to mockpets:\n   1  [0-9:.]{12}  GET    /v1/pets\?limit=3 ",
        outcome.output,
    )
    assert re.search(
        r"> an assertion without requests\nrequests to mockpets:\nno requests to http",
        outcome.output,
    )
    assert "secret" not in outcome.output.partition("Failed Tests")[0]

    assert by_file["states.test.ts"] == {
        "empty: lists pets": "passed",
        "missing: lists pets": "skipped",
        "missing: fetches a pet": "passed",
        "empty: fails": "failed",
        "missing: fails": "failed",
        "missing: has scenarios of its own": "failed",
        "all hooks have run after a skipped test": "passed",
    }, outcome.output
    assert "[scenario missing affected no request]" in outcome.output
    assert (
        'cannot start with scenario "slow" too'
        in outcome.errors["missing: has scenarios of its own"][0]
    )
    for title in ("empty: fails", "missing: fails"):
        assert "expected 1 to be 2" in outcome.errors[title][0]
    assert [each["name"] for each in ControlClient(server.url).sessions()] == ["default"]


def test_a_lost_session_is_the_first_error(server: MockpetsServer, tmp_path: Path) -> None:
    outcome = run_vitest(tmp_path, {"lost.test.ts": "lost.test.ts"}, MOCKPETS_URL=server.url)

    assert [*outcome.statuses.values()] == ["failed", "failed", "passed"], outcome.output
    compared, idle, _ = outcome.errors.values()
    assert len(compared) == 2
    assert len(idle) == 1
    for errors in (compared, idle):
        assert re.search(r"session lost-test-ts-\w+ was lost: the server was restarted", errors[0])
    shown = outcome.output.partition("Failed Tests")[2]
    assert shown.index("was lost") < shown.index("AssertionError")
    assert "requests to mockpets" not in outcome.output
