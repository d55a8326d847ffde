"""Fit what the commands print to the terminal, without breaking a word."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Final
from unicodedata import east_asian_width

import click

from mockpets.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_COLUMNS: Final = (40, 120)
"""The narrowest and the widest text; longer lines are hard to read."""
TERM_COLUMNS: Final = 30
"""The widest first column of a definition list; a longer term gets a line of its own."""


def columns() -> int:
    """Return the width of the terminal in columns, within bounds; 80 without a terminal."""
    import shutil  # slow to import, and most commands print no help

    narrowest, widest = _COLUMNS
    return max(narrowest, min(shutil.get_terminal_size().columns, widest))


def wrap(text: str, first: str = "", rest: str = "") -> str:
    """Return a text in lines that fit the terminal; `first` begins the first, `rest` the others."""
    import textwrap

    return textwrap.fill(
        text,
        columns(),
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def on_terminal() -> bool:
    """Return whether standard output is a terminal, whose lines should fit its width."""
    return sys.stdout is not None and sys.stdout.isatty()


def has_colour() -> bool:
    """Return whether standard output is a terminal on which the user wants colours."""
    return on_terminal() and not os.environ.get("NO_COLOR")


def excerpt(lines: Sequence[str], line: int, column: int) -> list[str]:
    """Return a line of a file, cut to the terminal's width, and below it a caret.

    :param line: from 1; without this line, the result is empty.
    :param column: from 1, in characters; 0 for no caret.
    """
    if line > len(lines):
        return []
    prefix = f"  {line} | "
    text, position = lines[line - 1], max(column - 1, 0)
    room = columns() - len(prefix)
    start = 0 if len(text) <= room else max(0, position - room // 2)
    before, after = printable(text[start:position]), printable(text[position:])
    rows = [cut(f"{prefix}{before}{after}", columns())]
    if column:
        # An East Asian character takes two cells of a terminal.
        cells = sum(2 if east_asian_width(character) in "WF" else 1 for character in before)
        rows.append(" " * (len(prefix) - 2) + "| " + " " * cells + "^")
    return rows


def cut(text: str, width: int) -> str:
    """Return a text of at most this many characters, with an ellipsis where it is cut."""
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}\N{HORIZONTAL ELLIPSIS}"


def can_print(text: str) -> bool:
    """Return whether the encoding of standard output has all characters of a text."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def hang(line: str) -> str:
    """Return a line in lines that fit the terminal, the others indented deeper than the first."""
    indent = line[: len(line) - len(line.lstrip())]
    return wrap(line.lstrip(), indent, f"{indent}    ") if line else line


def table(rows: Iterable[Sequence[object]]) -> list[str]:
    """Return rows as lines with aligned columns; numbers are aligned to the right."""
    columns = []
    for column in zip(*rows, strict=True):
        cells = [*map(str, column)]
        width = max(map(len, cells))
        is_number = all(re.fullmatch("[0-9.-]*", cell) for cell in cells[1:])
        columns.append([f"{cell:{'>' if is_number else '<'}{width}}" for cell in cells])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


class HelpFormatter(click.HelpFormatter):
    """Writes help texts and definition lists; click's own breaks words at hyphens."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        super().__init__(indent_increment, width or columns(), max_width)

    def write_text(self, text: str) -> None:
        """Write paragraphs, each wrapped."""
        indent = " " * self.current_indent
        paragraphs = re.split(r"\n\s*\n", text.strip())
        self.write("\n\n".join(wrap(paragraph, indent, indent) for paragraph in paragraphs) + "\n")

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = TERM_COLUMNS, col_spacing: int = 2
    ) -> None:
        """Write terms with their definitions, which are wrapped with a hanging indent."""
        rows = list(rows)
        first = min(max((len(term) for term, _ in rows), default=0), col_max) + col_spacing
        indent, hanging = " " * self.current_indent, " " * (self.current_indent + first)
        for term, definition in rows:
            if len(term) + col_spacing <= first:
                lines = wrap(definition, f"{indent}{term:<{first}}", hanging)
            else:
                lines = f"{indent}{term}\n{wrap(definition, hanging, hanging)}"
            self.write(lines.rstrip() + "\n")


click.Context.formatter_class = HelpFormatter
