"""Report how the cost of a request grows: a table, goals, and a picture with one plot per curve."""

from __future__ import annotations

from html import escape
from math import log10
from typing import TYPE_CHECKING, Final

from benchmarks.curves import CURVES
from benchmarks.goals import Goal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Curves = Mapping[str, Mapping[str, float]]
    """Microseconds by size, by name of a curve, as `measure_curves` returns them."""

__all__ = ["CURVES_BEGIN", "CURVES_END", "curve_goals", "curves_picture", "curves_table"]

CURVES_BEGIN: Final = "<!-- curves: made by python -m benchmarks, do not edit -->"
CURVES_END: Final = "<!-- curves: end -->"
_LIMIT: Final = 1.2
"""The goal: at most this many times the cost of the smallest size."""

_COLUMNS: Final = 3
_WIDTH: Final = 260
_HEIGHT: Final = 190
_LEFT: Final = 34
_TOP: Final = 34
_PLOT_WIDTH: Final = 200
_PLOT_HEIGHT: Final = 110
_STYLE: Final = """\
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#59636e}
.head{font-size:13px;font-weight:600;fill:#1f2328}
.axis{stroke:#c4ccd4}.goal{stroke:#bc4c00;stroke-dasharray:4 3}
polyline{fill:none;stroke:#0969da;stroke-width:2}circle{fill:#0969da}
@media(prefers-color-scheme:dark){text{fill:#9198a1}.head{fill:#e6edf3}.axis{stroke:#454c54}
.goal{stroke:#f0883e}polyline{stroke:#4493f8}circle{fill:#4493f8}}"""


def _ratios(values: Mapping[str, float]) -> dict[int, float]:
    """Return the cost at each size as a ratio to the smallest size."""
    sizes = sorted(map(int, values))
    return {size: values[str(size)] / values[str(sizes[0])] for size in sizes}


def curves_table(curves: Curves) -> str:
    """Return the table of all curves, from the smallest size to the limit."""
    lines = [
        "| as this grows | µs of CPU per list request, by size | limit to small |",
        "| --- | --- | --- |",
    ]
    for name, values in curves.items():
        ratios = _ratios(values)
        cells = "; ".join(f"{size:,}: {values[str(size)]:.0f}" for size in ratios)
        lines.append(f"| {CURVES[name].what} | {cells} | {ratios[max(ratios)]:.2f} |")
    return "\n".join(lines)


def curve_goals(curves: Curves) -> Iterator[Goal]:
    """Yield the goal of each curve."""
    for name, curve in CURVES.items():
        ratios = _ratios(curves[name]) if name in curves else {}
        first, last = f"{curve.sizes[0]:,}", f"{curve.sizes[-1]:,}"
        goal = f"at most {_LIMIT} times the CPU time with {first}"
        what = f"list with {last} {curve.what}"
        if curve.sizes[-1] not in ratios:
            yield Goal(what, goal, "not measured", None)
        else:
            ratio = ratios[curve.sizes[-1]]
            yield Goal(what, goal, f"{ratio:.2f}", ratio <= _LIMIT)


def curves_picture(curves: Curves) -> str:
    """Return one plot for each curve: the size, logarithmic, and the ratio to the smallest size."""
    rows = -(-len(curves) // _COLUMNS)
    highest = max((max(_ratios(values).values()) for values in curves.values()), default=1)
    top = max(1.5, highest * 1.05)
    label = "; ".join(
        f"{CURVES[name].what}: "
        + ", ".join(f"{ratio:.2f} at {size:,}" for size, ratio in _ratios(values).items())
        for name, values in curves.items()
    )
    width, height = _COLUMNS * _WIDTH, rows * _HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'width="{width}" height="{height}" '
        f'aria-label="CPU time per request, as a ratio to the smallest size: {escape(label)}">',
        f"<style>{_STYLE}</style>",
    ]
    for number, (name, values) in enumerate(curves.items()):
        x, y = number % _COLUMNS * _WIDTH, number // _COLUMNS * _HEIGHT
        parts.append(f'<g transform="translate({x} {y})">')
        parts += [*_plot(CURVES[name].what, _ratios(values), top), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _plot(what: str, ratios: Mapping[int, float], top: float) -> Iterator[str]:
    """Yield the plot of one curve."""
    bottom = _TOP + _PLOT_HEIGHT

    def y(ratio: float) -> float:
        return bottom - _PLOT_HEIGHT * ratio / top

    points = _points(list(ratios), [y(ratio) for ratio in ratios.values()])
    yield f'<text class="head" x="{_LEFT}" y="18">{escape(what)}</text>'
    right = _LEFT + _PLOT_WIDTH
    yield f'<line class="axis" x1="{_LEFT}" y1="{bottom}" x2="{right}" y2="{bottom}"/>'
    yield f'<line class="axis" x1="{_LEFT}" y1="{y(1):.1f}" x2="{right}" y2="{y(1):.1f}"/>'
    goal = f"{y(_LIMIT):.1f}"
    yield f'<line class="goal" x1="{_LEFT}" y1="{goal}" x2="{right}" y2="{goal}"/>'
    for ratio in (0, 1, _LIMIT):
        text = f'x="{_LEFT - 6}" y="{y(ratio) + 4:.1f}" text-anchor="end"'
        yield f"<text {text}>{ratio:g}</text>"
    yield f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}"/>'
    for (a, b), size in zip(points, ratios, strict=True):
        yield f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5"/>'
        yield f'<text x="{a:.1f}" y="{bottom + 18}" text-anchor="middle">{size:,}</text>'


def _points(sizes: Sequence[int], heights: Sequence[float]) -> list[tuple[float, float]]:
    """Return the coordinates of the points; the sizes are on a logarithmic axis."""
    low, high = log10(sizes[0]), log10(sizes[-1])
    share = [(log10(size) - low) / ((high - low) or 1) for size in sizes]
    return [
        (_LEFT + _PLOT_WIDTH * part, height) for part, height in zip(share, heights, strict=True)
    ]
