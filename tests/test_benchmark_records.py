"""The benchmark of records: its table, and a measurement at small sizes."""

import pytest

from benchmarks import records
from benchmarks.records import OPERATIONS, measure, report


def test_the_table_compares_ten_thousand_records_with_the_fewest_and_the_goal() -> None:
    pets = {
        "create": {100: 50.0, 10_000: 75.0, 100_000: 90.0},
        "delete": {100: 50.0, 10_000: 75.0, 100_000: 90.0},
    }
    assert report({"pets": pets}).split("\n")[2:] == [
        "| pets | create | 50 | 75 | 90 | 1.50 (missed) | 1.2 |",
        "| pets | delete | 50 | 75 | 90 | 1.50 |  |",
    ]


@pytest.mark.parametrize("name", ["pets", "orders"])
def test_every_operation_is_measured(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_REQUESTS", 5)
    measured = measure(name, (40, 60), 1)
    assert measured.keys() == set(OPERATIONS)
    assert all(set(values) == {40, 60} for values in measured.values())
    assert all(value > 0 for values in measured.values() for value in values.values())
