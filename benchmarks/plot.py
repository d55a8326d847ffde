"""Draw the requests per second in the mix and the startup time of each server as an SVG.

Its colours follow the reader's light or dark theme.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.checks import LIKE_OURS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["picture"]

_NAMES_WIDTH = 190
_BARS_WIDTH = 270
_NUMBER_WIDTH = 80
_ROW = 24
_TOP = 78
_BAR = 14
_STYLE = """\
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}
.head{font-weight:600}.small{font-size:12px;fill:#59636e}.ours{font-weight:600}
.mockpets{fill:#0969da}.does{fill:#6e9ecf}.fixed{fill:#c4ccd4}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}
.mockpets{fill:#4493f8}.does{fill:#3b6396}.fixed{fill:#454c54}}"""
_KINDS = {
    "mockpets": "mockpets",
    "does": "checks requests or keeps new pets",
    "fixed": "fixed responses",
}


class _Panel(NamedTuple):
    """A column of bars.

    :param figure: the figure that it shows.
    """

    figure: str
    head: str
    below: str


_PANELS = (
    _Panel("mix", "Requests per second in a front end's mix", "16 connections; longer is better"),
    _Panel("first_ms", "Time to the first response, ms", "shorter is better"),
)


def picture(results: Mapping[str, Any]) -> str:
    """Return the picture of mockpets and its peers, sorted by requests per second.

    :param results: saved results of a run.
    """
    shown = [
        row
        for row in results["rows"]
        if row["kind"] in ("mockpets", "peer") and all(p.figure in row["figures"] for p in _PANELS)
    ]
    shown.sort(key=lambda row: -row["figures"]["mix"])
    height = _TOP + _ROW * len(shown) + 12
    panel = _BARS_WIDTH + _NUMBER_WIDTH
    width = _NAMES_WIDTH + panel * len(_PANELS)
    label = escape(_label(shown))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'width="{width}" height="{height}" aria-label="{label}">',
        f"<style>{_STYLE}</style>",
        *_legend(),
        *_names(shown),
    ]
    for number, column in enumerate(_PANELS):
        parts += _bars(column, shown, _NAMES_WIDTH + panel * number)
    return "\n".join([*parts, "</svg>", ""])


def _label(rows: Sequence[Mapping[str, Any]]) -> str:
    parts = [
        f"{row['name']} {row['figures']['mix']:,.0f} requests per second, "
        f"{row['figures']['first_ms']:,.0f} ms to the first response"
        for row in rows
    ]
    return "; ".join(parts)


def _kind(row: Mapping[str, Any]) -> str:
    if row["kind"] == "mockpets":
        return "mockpets"
    return "does" if LIKE_OURS & set(row["able"]) else "fixed"


def _legend() -> Iterator[str]:
    x = 0
    for kind, label in _KINDS.items():
        yield f'<rect class="{kind}" x="{x}" y="4" width="12" height="12" rx="2"/>'
        yield f'<text class="small" x="{x + 18}" y="15">{label}</text>'
        x += 40 + 7 * len(label)


def _names(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        y = _TOP + _ROW * number + _BAR - 2
        ours = ' class="ours"' if row["kind"] == "mockpets" else ""
        x = _NAMES_WIDTH - 10
        yield f'<text{ours} x="{x}" y="{y}" text-anchor="end">{escape(row["name"])}</text>'


def _bars(column: _Panel, rows: Sequence[Mapping[str, Any]], left: int) -> Iterator[str]:
    """Yield a column: its head, then a bar and a number for each row."""
    yield f'<text class="head" x="{left}" y="44">{column.head}</text>'
    yield f'<text class="small" x="{left}" y="62">{column.below}</text>'
    maximum = max((row["figures"][column.figure] for row in rows), default=1)
    for number, row in enumerate(rows):
        value = row["figures"][column.figure]
        y = _TOP + _ROW * number
        width = max(_BARS_WIDTH * value / maximum, 1)
        yield (
            f'<rect class="{_kind(row)}" x="{left}" y="{y}" width="{width:.1f}" height="{_BAR}" '
            'rx="2"/>'
        )
        yield f'<text x="{left + width + 6:.1f}" y="{y + _BAR - 2}">{value:,.0f}</text>'
