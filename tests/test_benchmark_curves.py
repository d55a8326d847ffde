"""The benchmark's curves: their table, and a measurement of each at small sizes."""

from pathlib import Path

import pytest

from benchmarks import curves
from benchmarks.curves import CURVES, measure, report


def test_the_table_compares_the_largest_size_with_the_smallest_and_the_goal() -> None:
    measured = {"stubs": {"10": 50.0, "50": 51.0, "200": 75.0}, "pets": {"50": 50.0, "9000": 75.0}}
    assert report(measured).split("\n")[2:] == [
        "| stubs in the active stack | 10: 50; 50: 51; 200: 75 | 1.50 | 1.5 |",
        "| pets | 50: 50; 9,000: 75 | 1.50 (missed) | 1.2 |",
    ]


@pytest.mark.long
def test_every_curve_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {name: curve._replace(sizes=(16, 32)) for name, curve in CURVES.items()}
    monkeypatch.setattr(curves, "CURVES", small)
    monkeypatch.setattr(curves, "_REQUESTS", 64)
    logged: list[str] = []
    measured = measure(tmp_path, 1, logged.append)
    assert measured.keys() == small.keys(), logged
    assert all(set(values) == {"16", "32"} for values in measured.values())
    assert all(value > 0 for values in measured.values() for value in values.values())
