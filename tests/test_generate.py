"""`python -m generate`: what it writes, what it reports, and that a new scenario needs no more."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generate import ROOT, __main__, declarations, npm_programs
from mockpets import packaged_data
from mockpets.packaged_data import shipped

SCENARIO = """\
description: Every response takes eight seconds.
group: Slow responses
stubs: [{delay: 8s}]
"""
LISTING = (
    *("tests/cli/test_completion.py", "tests/cli/test_layout.py", "tests/docs/test_budgets.py"),
    *("tests/kit/test_declarations.py", "tests/scenario/test_describe.py"),
    *("tests/scenario/test_library.py", "tests/scenario/test_shipped.py"),
)
"""Tests that compare lists of all shipped scenarios; they show most mistakes in seconds."""


@pytest.fixture
def no_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(npm_programs, "NODE_MODULES", tmp_path)
    known = "kit/contract.d.ts, kit/scenarios.d.ts and kit/scenarios.js"
    names = (known, "kit/control.d.ts", "kit/toolbar.js")
    monkeypatch.setattr(__main__, "PARTS", {name: __main__.PARTS[name] for name in names})


@pytest.mark.usefixtures("no_npm")
def test_a_missing_npm_package_is_named_and_the_rest_is_checked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = __main__.main(["--check"])
    *missing, _, last = capsys.readouterr().out.splitlines()

    assert status == 0
    assert missing == [
        f"not checked: {file}: {program} is not installed; to install it: npm install"
        for file, program in {
            "kit/control.d.ts": "openapi-typescript",
            "kit/toolbar.js": "rolldown",
        }.items()
    ]
    assert last == "all other generated files are up to date"


def test_a_shipped_scenario_without_a_group_is_an_error_and_not_a_traceback(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("scenarios", "fixtures"):
        shutil.copytree(shipped(kind), tmp_path / "_shipped" / kind)
    file = tmp_path / "_shipped" / "scenarios" / "crawl.yaml"
    file.write_text(SCENARIO.replace("group: Slow responses\n", ""), encoding="utf-8")
    monkeypatch.setattr(packaged_data, "_PACKAGE", tmp_path)
    monkeypatch.setattr(__main__, "PARTS", {"kit/": declarations.scenarios})

    assert __main__.main(["--check"]) == 1
    assert capsys.readouterr().err.startswith(
        "scenarios/crawl.yaml (shipped): a shipped scenario requires a group; add one of Empty "
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of this checkout without npm packages, in which there is a new scenario."""
    folder = tmp_path_factory.mktemp("checkout") / "mockpets"
    names = ("node_modules", ".venv", ".git", "build", "dist", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*names), symlinks=True)
    (folder / "scenarios" / "crawl.yaml").write_text(SCENARIO, encoding="utf-8")
    return folder


def python(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """Run Python in a checkout, whose packages it and the programs that it starts find first."""
    done = subprocess.run(
        (sys.executable, *arguments),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).splitlines()


@pytest.mark.long
def test_a_new_scenario_needs_its_file_and_one_command(checkout: Path) -> None:
    status, before = python(checkout, "-m", "generate", "--check")
    stale = {line.removeprefix("out of date: ") for line in before if line.startswith("out of")}
    assert status == 1
    assert before[-1] == "to write these files, run: .venv/bin/python -m generate"
    assert stale >= {
        *("kit/scenarios.js", "kit/scenarios.d.ts"),
        *("examples/react/tests/mockpets/scenarios.js", "docs/reference/shipped-scenarios.md"),
        *("docs/start/get-started.md", "tests/cli/golden/scenarios-80.txt"),
    }

    status, written = python(checkout, "-m", "generate")
    assert status == 0, written
    assert {line.removeprefix("wrote: ") for line in written if line.startswith("wrote")} == stale
    assert python(checkout, "-m", "generate", "--check")[0] == 0

    status, output = python(checkout, "-m", "pytest", "-q", "-n0", *LISTING)
    assert status == 0, "\n".join(output)


@pytest.mark.long
def test_no_other_test_needs_a_change_for_a_new_scenario(checkout: Path) -> None:
    assert python(checkout, "-m", "generate")[0] == 0
    status, output = python(checkout, "-m", "pytest", "-q")
    assert status == 0, "\n".join(output)
