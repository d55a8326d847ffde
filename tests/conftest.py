"""What all tests share: servers, callers, markers, workers, and the report of missing programs."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from typing import TYPE_CHECKING

# pytester forgets the modules that a run inside this one imported. A library that was in use before
# would then exist twice, with exception classes that differ: so these are imported first.
import httpcore  # noqa: F401
import httpx  # noqa: F401
import hypothesis
import pytest
import requests  # noqa: F401

from mockpets import MockpetsServer, Settings, create_app
from tests.doors import Caller, Inside, Socket
from tests.programs import MISSING

pytest_plugins = ["pytester"]

# No deadline: machines differ, and a busy one would fail a test that is right.
hypothesis.settings.register_profile("mockpets")
hypothesis.settings.load_profile("mockpets")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs like this, and their children inherit it: Ctrl-C, which some
    # tests send to a program, would do nothing.
    signal.signal(signal.SIGINT, signal.default_int_handler)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


CONTRACT_URL = os.environ.get("CONTRACT_URL")
"""A running server with the default settings, to be checked against the contract as well."""
DOORS = ["inside", "socket", *(["url"] if CONTRACT_URL else [])]


@pytest.fixture(scope="module", params=DOORS)
def call(request: pytest.FixtureRequest) -> Iterator[Caller]:
    """A caller of a server that a module shares: first in the process, then over a socket."""
    if CONTRACT_URL and request.param == "url":
        yield Caller(Socket(CONTRACT_URL))
        return
    if request.param == "inside":
        yield Caller(Inside(create_app(Settings())))
        return
    with MockpetsServer(Settings(port=0)) as server:
        yield Caller(Socket(server.url))


@pytest.fixture
def fresh() -> Callable[..., Caller]:
    """Make a caller of a server of its own, with these settings."""

    def make(**settings: object) -> Caller:
        return Caller(Inside(create_app(Settings(**settings))))  # type: ignore[arg-type]  # a test's own settings

    return make


# --- Which tests run, and where -----------------------------------------------------------------


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Use no workers for tests that are named one by one, so that `-s` and prints work as usual."""
    return 0 if any("::" in argument for argument in config.args) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a browser."""
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("browser")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the programs that this machine lacks, each with the number of tests that it skipped."""
    skipped = terminalreporter.stats.get("skipped", [])
    programs = Counter(
        match[1] for report in skipped if (match := re.search(MISSING, str(report.longrepr)))
    )
    if programs:
        listed = ", ".join(f"{name} ({count} tests)" for name, count in sorted(programs.items()))
        terminalreporter.write_line(
            f"skipped for missing programs: {listed}; .ci/run installs them"
        )
