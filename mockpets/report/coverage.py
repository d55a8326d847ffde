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
    matrix = report.matrix
    lines = [f"{'state':<12}  {'  '.join(matrix)}"]
    for state in STATES:
        cells = [f"  {counts.get(state, _NO_CELL):>{len(name)}}" for name, counts in matrix.items()]
        if any(state in counts for counts in matrix.values()):
            lines.append(f"{state:<12}{''.join(cells)}")
    served = report.cells - len(report.holes)
    summary = f"{served} of {report.cells} states served: {report.percent} %"
    scenarios = [f"scenarios served: {', '.join(report.scenarios) or 'none'}"]
    if unused := _unused(report):
        scenarios.append(f"shipped scenarios never served: {', '.join(unused)}")
    blocks = [lines, [summary], _holes(report), scenarios]
    return "\n\n".join(filter(None, map("\n".join, blocks)))


def as_markdown(report: CoverageReport) -> str:
    """Return the same as a code block of Markdown, for the summary of a GitHub job."""
    return f"## State coverage\n\n```text\n{as_text(report)}\n```"


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


def _holes(report: CoverageReport) -> Iterator[str]:
    """Yield each hole with the command that fills it; one for an operation without a response."""
    for operation, counts in report.matrix.items():
        if operation in report.never_called:
            yield f"{operation} was never called: {len(counts)} states"
            continue
        for state in [state for state, count in counts.items() if not count]:
            yield f"{operation} {state}: never served; mockpets use {FILLED_BY[state]}"


def _unused(report: CoverageReport) -> list[str]:
    """Return the shipped scenarios that were never active."""
    return sorted(find("scenarios", ()).keys() - set(report.scenarios))
