"""The request log as a table that fits the terminal: one line for each request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from mockpets.cli.layout import columns, cut, has_colour
from mockpets.client.request_line import cells
from mockpets.errors import printable

if TYPE_CHECKING:
    from mockpets.contract.control_types import RequestSummary

_NAMES: Final = ("#", "time", "request", "status", "took", "stubs, notes")
_WIDTHS: Final = (4, 8, 6, 12)
"""Of number, time, status and duration."""
_GAP: Final = "  "
_REQUEST: Final = 0.6
"""The share of the rest of the line that the request gets; stubs and notes get the other."""


def header() -> str:
    """Return the names of the columns."""
    return _line(*_NAMES)


def row(summary: RequestSummary) -> str:
    """Return a request as a line, of which only the status is coloured."""
    number, time, method, target, status, took, _, remarks = cells(summary)
    if summary["held_ms"] is not None:
        took = f"held {summary['held_ms'] / 1000:.1f} s"
    rest = _GAP.join(filter(None, (*map(printable, summary["stubs"]), remarks)))
    time = time.partition(".")[0]
    return _line(number, time, f"{method} {target}", status, took, rest, colour=_colour(summary))


def _line(*values: str, colour: str | None = None) -> str:
    number, time, request, status, took, rest = values
    first, second, third, fourth = _WIDTHS
    room = columns() - sum(_WIDTHS) - len(_GAP) * (len(_NAMES) - 1)
    wide = max(int(room * _REQUEST), 1)
    shown = click.style(status, fg=colour) if colour and has_colour() else status
    cells = (
        f"{number:>{first}}",
        f"{time:<{second}}",
        f"{cut(request, wide):<{wide}}",
        shown + " " * (third - len(status)),
        f"{took:<{fourth}}",
        cut(rest, max(room - wide, 1)),
    )
    return _GAP.join(cells).rstrip()


def _colour(summary: RequestSummary) -> str | None:
    """Return red for errors of the server, yellow for errors of the client."""
    status, outcome = summary["status"] or 0, summary["outcome"]
    if outcome == "pending":
        return None
    if outcome == "broken" or status >= 500:
        return "red"
    return "yellow" if outcome == "client_left" or status >= 400 else None
