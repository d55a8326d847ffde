"""The loops of users: the requests of a session's life, and the benchmark of the rest."""

from __future__ import annotations

import pytest

from benchmarks.loops import (
    CLIENTS,
    LEAST,
    measure_life,
    measure_panel,
    measure_reload,
    measure_tests,
)
from tests.programs import need


@pytest.mark.parametrize("client", CLIENTS)
def test_a_sessions_life_takes_no_needless_requests(client: str) -> None:
    program = CLIENTS[client][0]
    if "/" not in program:  # else our Python
        need(program)
    life = measure_life(client, 3)
    assert life.requests == LEAST
    assert life.ms > 0


def test_a_test_with_a_session_takes_two_requests() -> None:
    figures = measure_tests(3, 1)
    assert figures["session_requests"] == 2, "create and delete"
    assert figures["loaded_requests"] == 0
    assert figures["session_ms"] > 0


def test_both_ways_to_save_a_scenario_are_measured() -> None:
    figures = measure_reload(4)
    assert min(figures["renamed_ms"], figures["written_ms"]) > 0


@pytest.mark.slow
@pytest.mark.browser
def test_the_panel_lists_each_request_and_stays_small() -> None:
    need("chromium")
    figures = measure_panel(400, 1)
    assert figures["rows"] == 300, "not more, however many arrive"
    assert figures["paint_ms"] > 0
    assert figures["files"] > 10
