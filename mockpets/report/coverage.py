"""Write the state coverage with its holes, and the scenario that fills each of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import VERSION
from mockpets.journal.coverage import STATES, total
from mockpets.scenario.files import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mockpets.constants import CoverageState
    from mockpets.journal.coverage import CoverageReport

FILLED_BY: Final[Mapping[CoverageState, str]] = {
    "success": "default",
    "empty": "empty",
    "400": "create-rejected",
    "401": "unauthorized",
    "404": "missing",
    "5xx": "server-error",
    "slow": "slow",
    "held": "loading",
    "broken": "offline",
    "malformed": "broken-json",
    "off contract": "rate-limited",
}
"""State to the shipped scenario that serves it."""
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
    holes = (f"{what}; {command}" if command else what for what, command in _holes(report))
    blocks = ["\n".join(lines), _summary(report), "\n".join(holes), "\n".join(_scenarios(report))]
    return "\n\n".join(filter(None, blocks))


def as_markdown(report: CoverageReport) -> str:
    """Return the same as Markdown, for the summary of a GitHub job."""
    [head, *rows] = [f"| {' | '.join(row)} |" for row in _table(report)]
    table = "\n".join([head, f"|---|{'---:|' * len(report.matrix)}", *rows])
    holes = (
        f"- {what}; `{command}`" if command else f"- {what}" for what, command in _holes(report)
    )
    blocks = ["## State coverage", f"**{_summary(report)}**", table, "\n".join(holes)]
    return "\n\n".join(filter(None, [*blocks, *_scenarios(report)]))


def as_document(report: CoverageReport) -> dict[str, Any]:
    """Return the rows of all operations, and a summary of the selected ones."""
    return {
        "version": VERSION,
        "total": total(report.rows),
        "rows": report.rows,
        "summary": {
            "percent": report.percent,
            "matrix": report.matrix,
            "holes": [
                {"operation": operation, "state": state, "scenario": FILLED_BY[state]}
                for operation, state in report.holes
            ],
            "never_called": report.never_called,
            "scenarios": report.scenarios,
            "unused_scenarios": _unused(report),
        },
    }


def as_json(report: CoverageReport) -> str:
    """Return the JSON object in ASCII, so that every terminal and shell keeps it unchanged."""
    return json.dumps(as_document(report), indent=2)


WRITERS: Final[Mapping[str, Callable[[CoverageReport], str]]] = {
    "text": as_text,
    "github": as_text,
    "markdown": as_markdown,
    "json": as_json,
}


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
        for state in [state for state, count in counts.items() if not count]:
            yield f"{operation} {state}: never served", f"mockpets use {FILLED_BY[state]}"


def _scenarios(report: CoverageReport) -> Iterator[str]:
    yield f"scenarios served: {', '.join(report.scenarios) or 'none'}"
    if unused := _unused(report):
        yield f"shipped scenarios never served: {', '.join(unused)}"


def _unused(report: CoverageReport) -> list[str]:
    """Return the shipped scenarios that were never active."""
    return sorted(find("scenarios", ()).keys() - set(report.scenarios))
