"""The report of programs that this machine lacks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests import programs

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """
import pytest
from tests.programs import need, need_package, need_packages

@pytest.fixture(scope="module")
def browser():
    return need("chromium")

@pytest.mark.browser
@pytest.mark.parametrize("number", range(3))
def test_page(browser, number):
    pass

@pytest.mark.node
def test_script():
    need("node")

@pytest.mark.node
def test_npm_program():
    need("vitest")

@pytest.mark.node
def test_npm_package():
    need_package("axios")

@pytest.mark.node
def test_npm_packages():
    need_packages()

def test_python():
    pass
"""


@pytest.mark.slow
def test_missing_programs_are_listed_at_the_end(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(pytester.mkdir("empty")))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(programs, "NODE_MODULES", pytester.path / "no-such-folder")
    result = run(pytester)

    result.assert_outcomes(passed=1, skipped=7)
    npm = "is not installed; to install it: npm install --prefix tests"
    assert result.outlines[-6:-1] == [
        f"skipped 1 tests: .package-lock.json {npm}",
        f"skipped 1 tests: axios {npm}",
        "skipped 3 tests: chromium is not installed; to install it: apt-get install chromium",
        "skipped 1 tests: node is not installed; to install it: apt-get install nodejs",
        f"skipped 1 tests: vitest {npm}",
    ]


def test_half_of_the_npm_packages_are_missing_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest would fail when it imports them."""
    modules = tmp_path / "node_modules"
    for name in ("tool", "library"):
        (modules / name).mkdir(parents=True)
    listed: dict[str, Any] = {"packages": {"node_modules/tool": {}, "node_modules/library": {}}}
    (modules / ".package-lock.json").write_text(json.dumps(listed), encoding="utf-8")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(programs, "NODE_MODULES", modules)
    monkeypatch.setattr(programs, "_running", [])  # this test needs no marker

    assert programs.need_package("tool") == modules / "tool"
    (modules / "library").rmdir()
    programs._missing_package.cache_clear()
    with pytest.raises(pytest.skip.Exception, match="node_modules/library is not installed"):
        programs.need_package("tool")


@pytest.mark.slow
def test_in_ci_a_missing_program_is_a_failure(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(pytester.mkdir("empty")))
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(programs, "NODE_MODULES", pytester.path / "no-such-folder")
    result = run(pytester)

    result.assert_outcomes(passed=1, failed=4, errors=3)
    assert "skipped" not in result.stdout.str()


@pytest.mark.slow
def test_a_test_that_needs_a_program_must_have_its_marker(pytester: pytest.Pytester) -> None:
    """So that the README's command needs nothing but Python, also where the program exists."""
    result = run(pytester, tests=TESTS.replace("@pytest.mark.node", "@pytest.mark.tool"))

    result.stdout.fnmatch_lines(["E*this test needs node: mark it with @pytest.mark.node"])
    result.stdout.fnmatch_lines(["E*this test needs axios: mark it with @pytest.mark.node"])


def test_a_program_of_an_npm_package_comes_before_one_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("venv", "node_modules/.bin"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "playwright").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "venv"))
    monkeypatch.setattr(programs, "NODE_MODULES", tmp_path / "node_modules")
    monkeypatch.setattr(programs, "_running", [])  # this test needs no marker

    assert programs.need("playwright") == str(tmp_path / "node_modules/.bin/playwright")


def run(pytester: pytest.Pytester, tests: str = TESTS) -> pytest.RunResult:
    pytester.makepyfile(tests)
    pytester.makeini("[pytest]\nmarkers =\n" + "".join(f"  {name}\n" for name in programs.GROUPS))
    return pytester.runpytest_inprocess("-p", "tests.programs", "-ra")
