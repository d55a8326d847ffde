"""How long until the first 200? From the start of the process; `process.started` measures it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.tables import figure

if TYPE_CHECKING:
    from benchmarks.tables import Row

FIGURE: Final = "first_ms"
HEAD: Final = ("first 200, ms",)


def cells(row: Row, ours: Row) -> list[str]:
    """Return the cells of a row, as in `HEAD`."""
    return [figure(row, "first_ms", ",.0f", ours)]
