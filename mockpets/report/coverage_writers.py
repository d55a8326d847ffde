"""Write a report on the state coverage as text, Markdown or JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from mockpets.constants import VERSION
from mockpets.journal.coverage import STATES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mockpets.report.coverage import CoverageReport

_NO_CELL: Final = "-"
"""In place of a number: the operation cannot have this state."""


def as_text(report: CoverageReport) -> str:
    """Return the matrix, and below it each hole with the command that fills it."""
    [head, *rows] = _table(report)
    lines = [
        f"{state:<12}"
        + "".join(f"  {cell:>{len(name)}}" for cell, name in zip(cells, head[1:], strict=True))
        for state, *cells in (head, *rows)
    ]
    lines += ["", _summary(report), ""]
    lines += [f"{what}; {command}" if command else what for what, command in _holes(report)]
    lines += ["", *_scenarios(report)]
    return "\n".join(_without_gaps(lines))


def as_markdown(report: CoverageReport) -> str:
    """Return the same as Markdown, for a pull request or the summary of a CI job."""
    [head, *rows] = [f"| {' | '.join(row)} |" for row in _table(report)]
    rule = f"|---|{'---:|' * len(report.matrix)}"
    lines = ["## State coverage", "", f"**{_summary(report)}**", "", head, rule, *rows, ""]
    lines += [
        f"- {what}; `{command}`" if command else f"- {what}" for what, command in _holes(report)
    ]
    lines += ["", *(f"{line}\n" for line in _scenarios(report))]
    return "\n".join(_without_gaps(lines)).rstrip()


def as_json(report: CoverageReport) -> str:
    """Return the rows as ``GET coverage`` has them, so that the text can be read again.

    The rows are those of all operations; `summary` is about the selected ones. In ASCII, so that
    every terminal and shell keeps it unchanged.
    """
    document = {
        "version": VERSION,
        "total": sum(row["count"] for row in report.rows),
        "rows": report.rows,
        "summary": {
            "percent": report.percent,
            "matrix": report.matrix,
            "holes": [asdict(hole) for hole in report.holes],
            "never_called": report.never_called,
            "scenarios": report.scenarios,
            "unused_scenarios": report.unused_scenarios,
        },
    }
    return json.dumps(document, indent=2)


WRITERS: Final[Mapping[str, Callable[[CoverageReport], str]]] = {
    "text": as_text,
    "markdown": as_markdown,
    "github": as_text,  # for the log; the summary of the job is Markdown
    "json": as_json,
}
"""Format to its writer."""


# --- What the text and Markdown have in common --------------------------------------------------


def _table(report: CoverageReport) -> list[list[str]]:
    """Return the matrix with a row for each state, which fits a narrow terminal."""
    matrix = report.matrix
    used = [state for state in STATES if any(state in counts for counts in matrix.values())]
    return [
        ["state", *matrix],
        *(
            [state, *(str(counts.get(state, _NO_CELL)) for counts in matrix.values())]
            for state in used
        ),
    ]


def _summary(report: CoverageReport) -> str:
    served = report.cells - len(report.holes)
    return f"{served} of {report.cells} states served: {report.percent} %"


def _holes(report: CoverageReport) -> Iterator[tuple[str, str]]:
    """Yield each hole, and the command that fills it; one for an operation without a response."""
    for operation, counts in report.matrix.items():
        if operation in report.never_called:
            yield f"{operation} was never called: {len(counts)} states", ""
            continue
        for hole in report.holes:
            if hole.operation == operation:
                yield f"{operation} {hole.state}: never served", f"mockpets use {hole.scenario}"


def _scenarios(report: CoverageReport) -> Iterator[str]:
    yield f"scenarios served: {', '.join(report.scenarios) or 'none'}"
    if report.unused_scenarios:
        yield f"shipped scenarios never served: {', '.join(report.unused_scenarios)}"


def _without_gaps(lines: list[str]) -> Iterator[str]:
    """Yield lines without repeated empty ones."""
    for before, line in zip([None, *lines], lines, strict=False):
        if line or before:
            yield line
