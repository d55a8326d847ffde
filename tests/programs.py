"""Programs that some tests call, and the report of those that this machine lacks."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter

import pytest


def need(name: str) -> str:
    """Return the path of a program. Without it the test is skipped; in CI it fails."""
    path = shutil.which(name)
    if path is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop(f"the program {name} is not installed")
    return path


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the missing programs, each with the number of tests that were skipped for it."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = (
        re.search(r"the program (\S+) is not installed", str(report.longrepr)) for report in skipped
    )
    programs = Counter(reason[1] for reason in reasons if reason)
    if programs:
        counts = ", ".join(f"{name} (tests: {count})" for name, count in sorted(programs.items()))
        terminalreporter.write_line(
            f"skipped for missing programs: {counts}; .ci/run installs them"
        )
