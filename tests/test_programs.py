"""The report of programs that this machine lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import programs

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """
import pytest
from tests.programs import need

@pytest.fixture(scope="module")
def browser():
    return need("chromium")

@pytest.mark.parametrize("number", range(3))
def test_page(browser, number):
    pass

def test_script():
    need("node")

def test_python():
    pass
"""


@pytest.mark.parametrize("workers", ["0", "1"])
def test_missing_programs_are_listed_at_the_end(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    monkeypatch.setenv("PATH", str(pytester.mkdir("empty")))
    monkeypatch.delenv("CI", raising=False)
    result = run(pytester, workers)

    result.assert_outcomes(passed=1, skipped=4)
    assert result.outlines[-2:-1] == [
        "skipped for missing programs: chromium (tests: 3), node (tests: 1); .ci/run installs them"
    ]


def test_in_ci_a_missing_program_is_a_failure(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(pytester.mkdir("empty")))
    monkeypatch.setenv("CI", "true")
    result = run(pytester, "0")

    result.assert_outcomes(passed=1, failed=1, errors=3)
    assert "skipped for missing programs" not in result.stdout.str()


def test_a_program_of_an_npm_package_comes_before_one_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("venv", "node_modules/.bin"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "playwright").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "venv"))
    monkeypatch.setattr(programs, "NODE_MODULES", tmp_path / "node_modules")

    assert programs.need("playwright") == str(tmp_path / "node_modules/.bin/playwright")


def run(pytester: pytest.Pytester, workers: str) -> pytest.RunResult:
    pytester.makepyfile(TESTS)
    pytest_options = ["-p", "xdist", "-p", "tests.programs", "-n", workers, "-ra"]
    return pytester.runpytest_inprocess(*pytest_options)
