"""Fit what the commands print to the terminal, without breaking a word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

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
    """Return a text in lines that fit the terminal; a word that is longer stays whole.

    :param first: begins the first line.
    :param rest: begins all other lines.
    """
    import textwrap

    return textwrap.fill(
        text,
        columns(),
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def table(rows: Iterable[Sequence[object]]) -> list[str]:
    """Return rows as lines with aligned columns; numbers are aligned to the right."""
    cells = [[*map(str, row)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    is_number = [
        all(re.fullmatch("[0-9.-]*", cell) for cell in column[1:])
        for column in zip(*cells, strict=True)
    ]
    return [
        "  ".join(
            f"{cell:>{width}}" if right else f"{cell:<{width}}"
            for cell, width, right in zip(row, widths, is_number, strict=True)
        ).rstrip()
        for row in cells
    ]


class HelpFormatter(click.HelpFormatter):
    """Writes help texts and definition lists; click's own breaks words at hyphens."""

    def __init__(
        self,
        indent_increment: int = 2,
        width: int | None = None,
        max_width: int | None = None,
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
