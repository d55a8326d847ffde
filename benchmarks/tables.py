"""Make Markdown tables and write them into the page of results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Figures = dict[str, float]
    """Measured values by name, such as `first_ms`; what could not be measured is missing."""
    Row = Mapping[str, Any]
    """What was measured of a server; see `compare`."""

RESULTS: Final = Path(__file__).with_name("RESULTS.md")
MARKS: Final[Mapping[str, str]] = {"get": "¹", "remembers": "²"}
"""The marks of cells without a figure, by the ability that the server lacks."""
_FOOTNOTES: Final = {
    MARKS["get"]: "It does not return a record by its id, or returns one for an unknown id.",
    MARKS["remembers"]: "A record that was posted to it cannot be read afterwards.",
}
_END: Final = "<!-- end -->"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def with_footnotes(text: str) -> str:
    """Return a table, followed by the footnotes whose marks it has."""
    notes = [f"{mark} {note}" for mark, note in _FOOTNOTES.items() if f" {mark} " in text]
    return "\n\n".join([text, *notes])


def figure(row: Row, name: str, form: str, ours: Row | None = None) -> str:
    """Return a cell: the value, with its ratio to `ours` if given, or `-` if not measured."""
    value = row["figures"].get(name)
    if value is None:
        return "-"
    base = ours["figures"].get(name) if ours is not None else None
    return format(value, form) + (f" ({value / base:.2f})" if base else "")


def put_into(page: Path, name: str, text: str) -> None:
    """Replace the section of a page that has a name.

    :raise ValueError: if the page lacks the marks of this section.
    """
    begin = f"<!-- measured: {name} -->"
    before, has_begin, rest = page.read_text(encoding="utf-8").partition(begin)
    _, has_end, after = rest.partition(_END)
    if not has_begin or not has_end:
        raise ValueError(f"{page} needs the lines {begin!r} and {_END!r}")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{_END}{after}", encoding="utf-8")
