"""The loops of users: the requests of a session's life, and the benchmark of the rest."""

from __future__ import annotations

import sys

import pytest

from benchmarks.loops import (
    CLIENTS,
    LEAST,
    count_life,
    measure_commands,
    measure_panel,
    measure_reload,
    measure_tests,
    report,
    time_life,
)
from tests.programs import need, need_packages


def with_markers(client: str) -> object:
    """Return a client with the markers of its test; all but our client in Python are slow."""
    marks = [] if CLIENTS[client][0] == sys.executable else [pytest.mark.node]
    if client != "Python, `ControlClient`":
        marks.append(pytest.mark.slow)
    return pytest.param(client, marks=marks)


@pytest.mark.parametrize("client", [*map(with_markers, CLIENTS)])
def test_a_sessions_life_takes_no_needless_requests(client: str) -> None:
    if (program := CLIENTS[client][0]) != sys.executable:
        need(program)
        need_packages()
    # Before its first call, a client also compares the numbers of the protocol.
    assert LEAST <= count_life(client, lives=3) <= LEAST + 1 / 3


@pytest.mark.slow
@pytest.mark.long
def test_the_life_of_a_session_is_timed() -> None:
    for client in CLIENTS:
        if client.partition(",")[0] in ("Python", "pytest"):
            assert time_life(client, 2) > 0, client


@pytest.mark.slow
@pytest.mark.long
def test_a_test_with_a_session_takes_two_requests() -> None:
    figures = measure_tests(3, 1)
    # Create and delete; before the first, the protocol's numbers are compared once.
    assert 2 <= figures["session_requests"] <= 2 + 1 / 3
    assert figures["loaded_requests"] == 0
    assert figures["session_ms"] > 0


@pytest.mark.slow
def test_commands_are_compared_with_what_they_import() -> None:
    assert measure_commands(1).keys() == {"help_ms", "use_ms", "health_ms"}


@pytest.mark.slow
def test_both_ways_to_save_a_scenario_are_measured() -> None:
    figures = measure_reload(4)
    assert min(figures["renamed_ms"], figures["written_ms"]) > 0


def test_the_tables_have_what_was_measured() -> None:
    text = report(
        {
            "Python, `ControlClient`": {"ms": 4.25, "requests": 8.0},
            "tests": {
                "loaded_ms": 0.1,
                "loaded_cpu_ms": 0.0,
                "session_ms": 1.5,
                "session_cpu_ms": 1.25,
                "session_requests": 2.0,
            },
            "commands": {"help_ms": 9.4, "use_ms": 12.3, "health_ms": 11.0},
        }
    )
    assert "| Python, `ControlClient` | 4.2 | 8 |" in text
    assert "| more than without our plugin | 1.50 ms, processor 1.25 ms |" in text
    assert "| `mockpets --help` | more than `python -c 'import click'` | 9 ms |" in text
    assert "the panel" not in text, "it was not measured"


@pytest.mark.browser
@pytest.mark.slow
def test_the_panel_lists_each_request_and_stays_small() -> None:
    need("chromium")
    figures = measure_panel(400, 1)
    assert figures["rows"] == 300, "not more, however many arrive"
    assert figures["paint_ms"] > 0
    assert figures["files"] > 10
