"""The guard against tests that sleep."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests import sleep_guard

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """
import subprocess, sys, time, pytest

def test_asleep():
    time.sleep(0.2)

def test_busy():
    while time.thread_time() < 0.3: pass

def test_short():
    time.sleep(0.01)

def test_waits_for_a_process():
    subprocess.run([sys.executable, "-c", "import time; time.sleep(0.2)"], check=True)

@pytest.mark.sleeps("shows the marker")
def test_with_a_reason():
    time.sleep(0.2)
"""


@pytest.fixture
def _short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sleep_guard, "LIMIT", 0.1)


@pytest.mark.usefixtures("_short_limit")
@pytest.mark.skipif(not sleep_guard._queued(), reason="needs Linux' schedstat")
def test_an_in_process_test_that_sleeps_fails(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sleep_guard, "_idle", time.monotonic)
    result = run(pytester)

    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["E*asleep for 0.2 of 0.2 s; if it must wait, mark it with *"])


@pytest.mark.usefixtures("_short_limit")
def test_on_a_busy_machine_a_test_may_wait(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sleep_guard, "_idle", lambda: 7.0)

    run(pytester).assert_outcomes(passed=5)


@pytest.mark.usefixtures("_short_limit")
def test_nothing_is_checked_where_the_system_does_not_measure(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sleep_guard, "_THREADS", tmp_path / "missing")

    run(pytester).assert_outcomes(passed=5)


def run(pytester: pytest.Pytester) -> pytest.RunResult:
    pytester.makepyfile(TESTS)
    return pytester.runpytest_inprocess("-p", "tests.sleep_guard", "-p", "no:randomly")
