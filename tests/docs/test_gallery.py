"""The gallery of states: its pictures exist, are shown and are small."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
LARGEST = 40_000


def test_every_picture_is_shown_and_small() -> None:
    pictures = (DOCS / "screenshots/states").iterdir()
    sizes = {path.stem: path.stat().st_size for path in pictures}
    page = (DOCS / "bugs/every-state.md").read_text(encoding="utf-8")
    shown = re.findall(r"screenshots/states/([\w-]+)\.png", page)

    assert len(shown) == 12
    assert {*shown} == sizes.keys()
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}
