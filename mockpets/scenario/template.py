"""The scenario file that ``mockpets new`` writes, with a commented-out example of every key."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mockpets.constants import CONTRACT_ERRORS, OPERATIONS
from mockpets.faults import CONNECTION_FAULTS, FAULTS
from mockpets.units import either

_FILE: Final = Path(__file__).with_name("template.yaml")
"""Lines that begin with ``##`` explain; the lines that begin with ``#`` below are an example."""


def new_scenario(name: str) -> str:
    """Return the text of a new scenario file."""
    words = {
        "NAME": name,
        "BASE": "slow" if name != "slow" else "retry",  # a scenario cannot extend itself
        "ERRORS": either(CONTRACT_ERRORS),
        "FAULTS": ", ".join(FAULTS),
        "BODY_FAULT": next(fault for fault in FAULTS if fault not in CONNECTION_FAULTS),
        "CONNECTION_FAULT": next(fault for fault in FAULTS if fault in CONNECTION_FAULTS),
        "OPERATIONS": either(OPERATIONS),
    }
    text = _FILE.read_text(encoding="utf-8")
    for placeholder, word in words.items():
        text = text.replace(f"<{placeholder}>", word)
    return text
