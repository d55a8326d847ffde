"""`python -m benchmarks --scale`: processes behind HAProxy."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.__main__ import main
from benchmarks.balanced import BALANCED_BEGIN, BALANCED_END, Cost, balanced_table
from tests.docs.page import ROOT
from tests.programs import need

if TYPE_CHECKING:
    from pathlib import Path


def results(cores: int | None) -> dict[str, Any]:
    """Return a run on a machine with a number of cores."""
    machine = {"processor": "AMD EPYC", "cores": cores, "load": 0.1, "python": "Python 3.11.7"}
    costs = {"direct": Cost(9000, 100.4, 0), "2": Cost(1234.5, 120, 99.6)}
    return {"at": "2026-11-22", "machine": machine, "costs": costs}


@pytest.mark.tool
@pytest.mark.slow
@pytest.mark.long
def test_it_measures_each_number_of_processes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    need("haproxy")
    need("wrk")
    options = ["--scale", "--rounds", "1", "--seconds", "1", "--cache", str(tmp_path)]

    assert main(options) == 0
    rows = capsys.readouterr().out.splitlines()[4:]
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
    assert balanced_table(results(3)).splitlines()[4:] == [
        "| direct | 9,000 | 100 µs | 0 µs |",
        "| 2 behind HAProxy | 1,234 (too few cores) | 120 µs | 100 µs |",
    ]
    assert "too few" not in balanced_table(results(4))
    assert balanced_table(results(None)).count("too few") == 2


def test_a_saved_run_is_written_between_the_marks_of_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, page = tmp_path / "run.json", tmp_path / "page.md"
    saved.write_text(json.dumps(results(2)), encoding="utf-8")
    page.write_text(f"before\n\n{BALANCED_BEGIN}\nold\n{BALANCED_END}\n\nafter\n", "utf-8")

    assert main(["--scale", "--load", str(saved), "--write", str(page)]) == 0
    text = balanced_table(results(2))
    assert capsys.readouterr().out == text
    assert page.read_text("utf-8") == (
        f"before\n\n{BALANCED_BEGIN}\n\n{text}\n{BALANCED_END}\n\nafter\n"
    )


def test_the_performance_page_has_the_marks() -> None:
    text = (ROOT / "docs" / "understand" / "performance.md").read_text(encoding="utf-8")

    assert text.index(BALANCED_BEGIN) < text.index(BALANCED_END)


def test_a_page_without_the_marks_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, page = tmp_path / "run.json", tmp_path / "page.md"
    saved.write_text(json.dumps(results(2)), encoding="utf-8")
    page.write_text("nothing\n", "utf-8")

    assert main(["--scale", "--load", str(saved), "--write", str(page)]) == 1
    assert BALANCED_BEGIN in capsys.readouterr().err
