"""The benchmark's curves: their report, and a measurement of each at small sizes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from benchmarks import curves
from benchmarks.curve_report import CURVES_BEGIN, CURVES_END, curve_goals
from benchmarks.curves import CURVES, measure_curves
from benchmarks.subjects import PETS, ours
from mockpets.pets.generator import generate
from tests.test_benchmarks import ROOT, run

if TYPE_CHECKING:
    from pathlib import Path

MEASURED = {
    "stubs": {"10": 50.0, "100": 51.0, "10000": 55.0},
    "pets": {"50": 50.0, "100000": 75.0},
}
RESULTS = {
    "at": "2026-01-01",
    "command": "python -m benchmarks --curves",
    "rounds": 3,
    "seconds": 2,
    "machine": {"cores": 2, "load": 0.1, "python": "Python 3"},
    "rows": [],
    "skipped": [],
    "scale": {},
    "curves": MEASURED,
}


def test_a_curve_reaches_its_goal_if_its_end_costs_at_most_a_fifth_more() -> None:
    goals = {goal.what: (goal.measured, goal.reached) for goal in curve_goals(MEASURED)}
    assert goals["list with 10,000 stubs in the active stack"] == ("1.10", True)
    assert goals["list with 100,000 pets"] == ("1.50", False)
    assert goals["list with 1,000 open connections"] == ("not measured", None)
    assert len(goals) == len(CURVES)


def test_curves_become_a_section_and_a_picture(tmp_path: Path) -> None:
    page, saved = tmp_path / "page.md", tmp_path / "saved.json"
    page.write_text(f"Before.\n\n{CURVES_BEGIN}\nold\n{CURVES_END}\n\nAfter.\n", encoding="utf-8")
    saved.write_text(json.dumps(RESULTS), encoding="utf-8")
    for _ in range(2):
        process = run("--load", saved, "--write", page)
        assert process.returncode == 0, process.stderr
    text = page.read_text(encoding="utf-8")
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    assert "old" not in text
    assert "| pets | 50: 50; 100,000: 75 | 1.50 |" in text
    assert "](page-curves.svg)" in text
    picture = (tmp_path / "page-curves.svg").read_text(encoding="utf-8")
    image = ElementTree.fromstring(picture)  # noqa: S314 - a trusted file
    assert "pets: 1.00 at 50, 1.50 at 100,000" in image.attrib["aria-label"]
    assert "prefers-color-scheme:dark" in picture
    points = {line.attrib["points"] for line in image.iter("{http://www.w3.org/2000/svg}polyline")}
    assert len(points) == 2


def test_a_page_without_a_place_for_curves_stays_unchanged(tmp_path: Path) -> None:
    page, saved = tmp_path / "page.md", tmp_path / "saved.json"
    page.write_text("nothing here\n", encoding="utf-8")
    saved.write_text(json.dumps(RESULTS), encoding="utf-8")
    process = run("--load", saved, "--write", page)
    assert process.returncode == 1
    assert f"needs the lines '{CURVES_BEGIN}' and '{CURVES_END}'" in process.stderr
    assert page.read_text(encoding="utf-8") == "nothing here\n"


def test_curves_are_not_combined_with_options_of_other_measurements() -> None:
    process = run("--curves", "--only", "Prism", "--short")
    assert process.returncode == 2
    assert "--curves measures only mockpets; remove --short, --only" in process.stderr


def test_the_performance_page_has_the_curves_and_their_picture() -> None:
    folder = ROOT / "docs" / "understand"
    text = (folder / "performance.md").read_text(encoding="utf-8")
    assert text.index(CURVES_BEGIN) < text.index("](performance-curves.svg)")
    assert text.index("](performance-curves.svg)") < text.index(CURVES_END)
    assert (folder / "performance-curves.svg").exists()


@pytest.mark.slow
def test_every_curve_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {name: curve._replace(sizes=(16, 32)) for name, curve in CURVES.items()}
    monkeypatch.setattr(curves, "CURVES", small)
    monkeypatch.setattr(curves, "_REQUESTS", 64)
    logged: list[str] = []
    [subject, *_] = ours(tmp_path, generate(PETS, 1, "en_US"))
    measured = measure_curves(subject, 1, logged.append)
    assert measured.keys() == small.keys(), logged
    assert all(set(values) == {"16", "32"} for values in measured.values())
    assert all(value > 0 for values in measured.values() for value in values.values())
