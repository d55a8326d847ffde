"""The counters of the state coverage: their number is bounded, and every response counts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from mockpets.constants import OPERATIONS
from mockpets.journal.coverage import Coverage, states_of
from mockpets.scenario.engine import NOTHING, Outcome


def test_the_matrix_has_27_cells() -> None:
    assert {name: len(states_of(name)) for name in OPERATIONS} == {
        "listPets": 9,
        "createPet": 9,
        "getPet": 9,
    }
    assert "empty" in states_of("listPets")
    assert "400" in states_of("createPet")
    assert "404" in states_of("getPet")


def test_beyond_the_bound_responses_count_by_operation_and_states() -> None:
    coverage = Coverage(max_keys=2)
    for number in range(100):
        coverage.observe("listPets", 200, (f"s{number}",), NOTHING, b"[]\n")
    coverage.observe("listPets", 200, ("s1",), NOTHING, b"[]\n")  # has a counter
    coverage.observe("getPet", 500, ("s1",), Outcome(delay=2.0), b"")

    kept = [row for row in coverage.document()["rows"] if row["scenarios"] is not None]
    rest = [row for row in coverage.document()["rows"] if row["scenarios"] is None]
    assert [(row["scenarios"], row["count"]) for row in kept] == [(["s0"], 1), (["s1"], 2)]
    assert [(row["operation"], row["states"], row["count"]) for row in rest] == [
        ("listPets", ["success", "empty"], 98),
        ("getPet", ["5xx", "slow"], 1),
    ]
    assert all((row["status"], row["fault"], row["delay"]) == (None, None, None) for row in rest)
    assert coverage.clear() == 102
    assert coverage.document()["rows"] == []


def test_no_response_is_lost_between_threads() -> None:
    coverage = Coverage()

    def observe(_: int) -> None:
        for _ in range(2_000):
            coverage.observe("listPets", 200, ("default",), NOTHING, b"")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(observe, range(4)))

    assert [row["count"] for row in coverage.document()["rows"]] == [8_000]
