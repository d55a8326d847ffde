"""Programs that some tests call, and the report of those that this machine lacks."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


NODE_MODULES = Path(__file__).parent / "node_modules"
"""What `npm install` makes of ``tests/package.json``."""


def need(name: str) -> str:
    """Return the path of a program, preferably of an npm package.

    An active `.venv` has another `playwright` on the PATH: the one of the Python package.
    Without the program the test is skipped; in CI it fails.
    """
    path = shutil.which(name, path=NODE_MODULES / ".bin") or shutil.which(name)
    if path is None:
        _stop(name)
    return path


def need_file(package: str, path: str) -> Path:
    """Return the path of a file of an npm package; without the package as `need`."""
    file = NODE_MODULES / package / path
    if not file.exists():
        _stop(package)
    return file


def _stop(name: str) -> NoReturn:
    stop = pytest.fail if os.environ.get("CI") else pytest.skip
    stop(f"the program {name} is not installed")


@pytest.hookimpl(wrapper=True, tryfirst=True)  # the last line, below the list of skipped tests
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """List the missing programs, each with the number of tests that were skipped for it."""
    yield
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
