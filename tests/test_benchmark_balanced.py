"""`python -m benchmarks --scale`: processes behind HAProxy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from benchmarks.__main__ import main
from benchmarks.balanced import Cost, balanced_table
from tests.programs import need

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_it_measures_each_number_of_processes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    need("haproxy")
    need("wrk")
    options = ["--scale", "--rounds", "1", "--seconds", "1", "--cache", str(tmp_path)]

    assert main(options) == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split("|")[1].strip() for row in rows] == [
        "direct",
        *(f"{count} behind HAProxy" for count in (1, 2, 4)),
    ]
    assert all(int(re.findall(r"[\d,]+", row.split("|")[2])[0].replace(",", "")) for row in rows)
    assert all("| 0 µs |" not in row for row in rows[1:])


@pytest.mark.parametrize(
    ("programs", "missing"), [([], "wrk"), (["wrk"], "HAProxy")], ids=["none", "only wrk"]
)
def test_a_missing_program_is_named(
    programs: list[str],
    missing: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in programs:
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert main(["--scale", "--cache", str(tmp_path / "cache")]) == 1
    assert f"{missing} is not installed; install it" in capsys.readouterr().err


def test_a_rate_without_enough_cores_is_marked() -> None:
    """Each process, HAProxy and wrk need a core."""
    costs = {"direct": Cost(9000, 100.4, 0), "2": Cost(1234.5, 120, 99.6)}

    assert balanced_table(costs, 3).splitlines()[2:] == [
        "| direct | 9,000 | 100 µs | 0 µs |",
        "| 2 behind HAProxy | 1,234 (too few cores) | 120 µs | 100 µs |",
    ]
    assert "too few" not in balanced_table(costs, 4)
    assert balanced_table(costs, None).count("too few") == 2
