"""The scenario file that ``mockpets new`` writes, with a commented-out example of every key."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_name("template.yaml")
"""Lines that begin with ``##`` explain; the lines that begin with ``#`` below are an example."""


def new_scenario(name: str) -> str:
    """Return the text of a new scenario file."""
    base = "slow" if name != "slow" else "retry"  # a scenario cannot extend itself
    text = _FILE.read_text(encoding="utf-8")
    return text.replace("<NAME>", name).replace("<BASE>", base)
