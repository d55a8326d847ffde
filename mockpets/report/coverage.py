"""The report on the state coverage: which states of each operation were served, and the holes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mockpets.constants import OPERATIONS, VERSION
from mockpets.journal.coverage import STATES, states_of, summed
from mockpets.scenario.files import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mockpets.constants import CoverageState, Operation
    from mockpets.contract.control_types import CoverageRow

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


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """The state coverage of some operations.

    :param rows: of all operations.
    :param matrix: operation to state to the number of responses; an operation has only the states
        that it can have.
    :param scenarios: those that were active for at least one response.
    :param unused_scenarios: the shipped ones that never were.
    """

    rows: tuple[CoverageRow, ...]
    matrix: Mapping[Operation, Mapping[CoverageState, int]]
    scenarios: tuple[str, ...]
    unused_scenarios: tuple[str, ...]

    @property
    def holes(self) -> tuple[tuple[Operation, CoverageState], ...]:
        """The states that were never served, also of operations that were never called."""
        return tuple(
            (operation, state)
            for operation, counts in self.matrix.items()
            for state, count in counts.items()
            if not count
        )

    @property
    def never_called(self) -> tuple[Operation, ...]:
        """The operations without a single response."""
        return tuple(
            operation for operation, counts in self.matrix.items() if not any(counts.values())
        )

    @property
    def cells(self) -> int:
        """The number of states of all operations together."""
        return sum(map(len, self.matrix.values()))

    @property
    def percent(self) -> int:
        """The served part of the cells in percent, rounded down."""
        return 100 * (self.cells - len(self.holes)) // self.cells


def build(
    rows: Iterable[CoverageRow], operations: Iterable[Operation] = OPERATIONS
) -> CoverageReport:
    """Return the report on rows, which may come from several servers.

    :param operations: the rows of the matrix; at least one.
    """
    merged = tuple(summed(rows))
    matrix = {each: dict.fromkeys(states_of(each), 0) for each in operations}
    for row in merged:
        if row["operation"] in matrix:
            for state in row["states"]:
                matrix[row["operation"]][state] += row["count"]
    scenarios = {name for row in merged for name in row["scenarios"] or ()}
    unused = find("scenarios", ()).keys() - scenarios
    return CoverageReport(merged, matrix, tuple(sorted(scenarios)), tuple(sorted(unused)))


# --- Formats ------------------------------------------------------------------------------------


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
    """Return the same as Markdown, for a pull request or the summary of a CI job."""
    [head, *rows] = [f"| {' | '.join(row)} |" for row in _table(report)]
    table = "\n".join([head, f"|---|{'---:|' * len(report.matrix)}", *rows])
    holes = (
        f"- {what}; `{command}`" if command else f"- {what}" for what, command in _holes(report)
    )
    blocks = ["## State coverage", f"**{_summary(report)}**", table, "\n".join(holes)]
    return "\n\n".join(filter(None, [*blocks, *_scenarios(report)]))


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
            "holes": [
                {"operation": operation, "state": state, "scenario": FILLED_BY[state]}
                for operation, state in report.holes
            ],
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
    if report.unused_scenarios:
        yield f"shipped scenarios never served: {', '.join(report.unused_scenarios)}"
