"""The example `examples/react`: its app, its Playwright tests and the kit's files in it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from mockpets.cli.scenario_check import check
from tests.programs import need

EXAMPLE = Path(__file__).parents[2] / "examples" / "react"
THIRD_PARTY = Path(__file__).with_name("third-party.spec.ts")
REPEAT = int(os.environ.get("REPEAT_EACH", "1"))
"""How often each test of the example runs; `.ci/long` sets it."""
COMMANDS = Path(sys.executable).parent  # has `mockpets`


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the example in which `npm install` has run."""
    folder = tmp_path_factory.mktemp("react")
    listed = subprocess.run(
        [need("git"), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=EXAMPLE,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (EXAMPLE / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(EXAMPLE / name, folder / name)
    options = ["--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    subprocess.run([need("npm"), "install", *options], cwd=folder, check=True, timeout=300)
    return folder


@pytest.fixture
def example(installed: Path, tmp_path: Path) -> Path:
    """A copy that the test may change."""
    folder = tmp_path / "react"
    shutil.copytree(installed, folder, ignore=shutil.ignore_patterns("node_modules"))
    (folder / "node_modules").symlink_to(installed / "node_modules")
    return folder


def playwright(folder: Path, *options: str) -> tuple[int, str]:
    """Run the Playwright tests of a copy on free ports; return the exit status and the output."""
    with ExitStack() as stack:  # both ports at the same time, so that they differ
        probes = [stack.enter_context(socket.socket()) for _ in range(2)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        mock, app = (probe.getsockname()[1] for probe in probes)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(COMMANDS), os.environ["PATH"]]),
        "HOME": str(folder),  # for Chromium
        "CHROMIUM": need("chromium"),
        "MOCKPETS_URL": f"http://localhost:{mock}",
        "PORT": str(app),
    }
    # Playwright stops its servers when this time is over; a timeout of ours would leave them.
    command = [need("npx"), "playwright", "test", "--global-timeout=600000", *options]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def compile_types(folder: Path) -> tuple[int, str]:
    command = [need("npm"), "run", "--silent", "typecheck"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.slow
def test_the_suite_passes_with_four_workers_on_one_server(example: Path) -> None:
    status, output = playwright(example, f"--repeat-each={REPEAT}")

    assert f"Running {10 * REPEAT} tests using 4 workers" in output
    assert (
        status,
        re.findall(r"^ +\d+ (?:passed|failed|flaky|skipped)", output, re.MULTILINE),
    ) == (
        0,
        [f"  {10 * REPEAT} passed"],
    ), output


@pytest.mark.slow
def test_the_suite_fails_if_its_tests_share_one_session(example: Path) -> None:
    """In parallel only: one test at a time passes, so nothing but the shared session is broken."""
    client = example / "tests" / "mockpets" / "client.js"
    text = client.read_text(encoding="utf-8")
    shared, replaced = re.subn(r"(static slug\(.*\) \{)\n", r'\1\n    return "shared";\n', text)
    assert replaced == 1
    client.write_text(shared, encoding="utf-8")

    status, output = playwright(example, "--workers=1")
    assert status == 0, output
    assert "10 passed" in output

    status, output = playwright(example, "--max-failures=1")
    assert status == 1, output
    assert re.search(r"^ +\d+ failed$", output, re.MULTILINE), output


@pytest.mark.slow
def test_a_third_party_loads_although_the_page_sends_the_session(example: Path) -> None:
    shutil.copy2(THIRD_PARTY, example / "tests")

    status, output = playwright(example, THIRD_PARTY.name)
    assert status == 0, output
    assert "2 passed" in output
    assert compile_types(example) == (0, "")


@pytest.mark.slow
def test_a_misspelt_scenario_does_not_compile(example: Path) -> None:
    assert compile_types(example) == (0, "")

    spec = example / "tests" / "list.spec.ts"
    text = spec.read_text(encoding="utf-8")
    assert 'mock.use("empty")' in text
    spec.write_text(text.replace('mock.use("empty")', 'mock.use("emtpy")'), encoding="utf-8")
    status, output = compile_types(example)
    assert status != 0
    assert output.startswith("tests/list.spec.ts(4,18): error TS2345: Argument of type '\"emtpy\"'")
    assert output.count("error TS") == 1


def test_the_files_of_the_kit_are_up_to_date() -> None:
    options = ["--out", "tests/mockpets", "--playwright", "--scenarios-dir", "scenarios"]
    command = [str(COMMANDS / "mockpets"), "kit", "--check", *options]
    done = subprocess.run(command, cwd=EXAMPLE, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_scenarios_of_the_example_have_no_problems() -> None:
    result = check([EXAMPLE / "scenarios"], [], [])

    assert (result.problems, result.warnings) == ((), ())


def test_the_readme_of_the_example_names_scripts_that_exist() -> None:
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    scripts = (EXAMPLE / "package.json").read_text(encoding="utf-8")
    named = set(re.findall(r"npm (?:run )?(dev|test|typecheck|build)\b", text))

    assert {"dev", "test"} <= named
    assert [name for name in named if f'"{name}":' not in scripts] == []
