"""Read pets from CSV (RFC 4180) as the events of a document: a list of mappings.

The header row names the properties; the type of a property decides how its cells are read, and an
empty cell is a missing property.
"""

from __future__ import annotations

import csv
import re
from io import StringIO
from typing import TYPE_CHECKING, Final

from mockpets.contract.fields import Int64
from mockpets.contract.schemas import PET_FIELDS
from mockpets.errors import InputError, Problem, did_you_mean
from mockpets.scenario.language.nodes import Event
from mockpets.units import counted, quote

if TYPE_CHECKING:
    from collections.abc import Iterator


_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,9})?")


def csv_events(text: str, shown: str) -> Iterator[Event]:
    """Yield the events of a CSV text with a header row; each row has its line and column 1.

    :raise InputError: its header is wrong.
    """
    names: list[str] = []
    for line, cells in _rows(text):
        if isinstance(cells, str):
            yield Event("problem", line, 1, cells)
        elif not any(cells):
            continue
        elif not names:
            names = _header(cells, shown, line)
            yield Event("list", line, 1)
        elif len(cells) != len(names):
            what = f"has {counted(len(cells), 'cell')}, but the header has {len(names)}"
            hint = "put quotes around a cell that contains a comma"
            yield Event("problem", line, 1, f"{what}; {hint}")
        else:
            yield Event("mapping", line, 1)
            for name, cell in zip(names, cells, strict=True):
                if cell:
                    yield Event("quoted", line, 1, name)
                    is_number = isinstance(PET_FIELDS[name], Int64) and _NUMBER.fullmatch(cell)
                    yield Event("word" if is_number else "quoted", line, 1, cell)
            yield Event("end", line, 1)
    if names:
        yield Event("end", 1, 1)


def _rows(text: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield the line on which a row starts and its cells, or what ends the reading."""
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        yield line, f'is not valid CSV: {error}; write a quote inside quotes as ""'


def _header(cells: list[str], shown: str, line: int) -> list[str]:
    names = [cell.strip() for cell in cells]
    known = f"columns: {', '.join(PET_FIELDS)}"
    hints = {name: did_you_mean(name, PET_FIELDS) or known for name in names}
    if len(names) == 1 and any(mark in names[0] for mark in ";\t"):
        hints = dict.fromkeys(names, "separate the cells with commas")
    problems = [
        Problem(shown, line, 1, "", f"unknown column {quote(name)}", hints[name])
        for name in names
        if name not in PET_FIELDS
    ]
    problems += [
        Problem(shown, line, 1, "", f"duplicate column {quote(name)}", "remove one of them")
        for place, name in enumerate(names)
        if name in names[:place]
    ]
    if problems:
        raise InputError(problems)
    return names
