"""The model of the state coverage report: which states of each operation were served, and holes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mockpets.constants import OPERATIONS
from mockpets.journal.coverage import states_of, summed
from mockpets.scenario.files import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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


@dataclass(frozen=True, slots=True)
class Hole:
    """A state of an operation that was never served.

    :param scenario: the shipped scenario that serves it.
    """

    operation: Operation
    state: CoverageState
    scenario: str


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
    def holes(self) -> tuple[Hole, ...]:
        """Every hole, also of operations that were never called."""
        return tuple(
            Hole(operation, state, FILLED_BY[state])
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
