"""State coverage: which states of each operation a server has served, over all its sessions.

Define the states, count responses, add up the counts of several servers, and find the holes.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast, get_args

from mockpets.constants import OPERATIONS, VERSION, CoverageState
from mockpets.contract.schemas import RESPONSES
from mockpets.faults import INCOMPLETE_FAULTS
from mockpets.scenario.engine import reply_of
from mockpets.scenario.model import PASS, Canned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mockpets.constants import DelayClass, Operation
    from mockpets.contract.control_types import CoverageRow, StateCoverage
    from mockpets.journal.entry import Entry
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.model import Reply

COVERAGE_KEYS: Final = 4096
"""Maximum number of counters of the state coverage."""

STATES: Final[tuple[CoverageState, ...]] = get_args(CoverageState)
LONG_DELAY: Final = 1.0
"""The delay in seconds from which a response is slow."""
_EMPTY_LIST: Final = b"[]\n"


# --- States -----------------------------------------------------------------------------------


def states_of(operation: Operation) -> tuple[CoverageState, ...]:
    """Return the states that an operation can have: its cells in the matrix."""
    return tuple(
        state
        for state in STATES
        if (state != "empty" or operation == "listPets")
        and (not state.isdigit() or int(state) in RESPONSES[operation])
    )


class Served(NamedTuple):
    """A kind of response, which has its own counter.

    :param operation: None for a request that matches no operation of the contract.
    :param status: None if the connection was broken instead.
    :param is_empty: the body is an empty list.
    :param scenarios: empty if the request was rejected before its scenarios were selected; None for
        the responses that have no counter of their own.
    """

    operation: Operation | None
    status: int | None
    is_empty: bool
    scenarios: tuple[str, ...] | None
    fault: str | None = None
    delay: DelayClass = "none"
    is_held: bool = False
    is_throttled: bool = False
    wrong_body: bool = False

    def states(self) -> tuple[CoverageState, ...]:
        """Return the states that the response fills, in order; none without an operation."""
        return tuple(sorted(self._filled(), key=STATES.index))

    def _filled(self) -> Iterator[CoverageState]:
        if self.operation is None:
            return
        # The client cannot use a broken or malformed response, so its status does not count.
        if self.status is None or self.fault in INCOMPLETE_FAULTS:
            yield "broken"
        elif self.fault is not None or self.wrong_body:
            yield "malformed"
        else:
            yield _state_of_status(self.operation, self.status)
            if self.is_empty and self.operation == "listPets":
                yield "empty"
        if self.delay == "long" or self.is_throttled:
            yield "slow"
        if self.is_held:
            yield "held"


def _state_of_status(operation: Operation, status: int) -> CoverageState:
    if status not in RESPONSES[operation]:
        return "5xx" if status >= 500 else "off contract"
    return "success" if status < 300 else cast("CoverageState", str(status))


# --- Counters ---------------------------------------------------------------------------------


class Coverage:
    """The counters of one app; safe to use from several threads.

    :param max_keys: the largest number of counters with scenarios, because clients can combine
        these at will. Further responses are counted without them.
    """

    def __init__(self, max_keys: int = COVERAGE_KEYS) -> None:
        self._max_keys = max_keys
        self._lock = Lock()
        self._counts: dict[tuple[Any, ...], list[int]] = {}
        """By the fields of `Served`, as a plain tuple, which takes no call to make. A count is a
        list of one number, so that adding to it hashes the key only once."""

    def observe(
        self,
        operation: Operation | None,
        status: int | None,
        scenarios: tuple[str, ...],
        outcome: Outcome,
        body: bytes,
    ) -> None:
        """Count one response. It runs for every request, so it only adds one to a number."""
        key: tuple[Any, ...] = (operation, status, body == _EMPTY_LIST, scenarios)
        if outcome.stubs or outcome.delay:
            key += _effects(outcome)
        with self._lock:
            try:
                self._counts[key][0] += 1
            except KeyError:
                if len(self._counts) >= self._max_keys:
                    key = (*key[:3], None, *key[4:])
                self._counts.setdefault(key, [0])[0] += 1

    def __len__(self) -> int:
        """Return the number of counters."""
        return len(self._counts)

    def document(self) -> StateCoverage:
        """Return the counts as the control API does."""
        with self._lock:
            counts = [(key, count) for key, [count] in self._counts.items()]
        rows = [_row(Served(*key), count) for key, count in counts]
        return {"version": VERSION, "total": total(rows), "rows": summed(rows)}

    def clear(self) -> int:
        """Start again at zero; return how many responses were counted."""
        with self._lock:
            cleared = sum(count for [count] in self._counts.values())
            self._counts.clear()
        return cleared


def _effects(outcome: Outcome) -> tuple[object, ...]:
    """Return the fields of `Served` about what scenarios, or the request itself, did."""
    delay, reply = outcome.delay, outcome.reply
    return (
        outcome.fault,
        _delay_class(delay),
        outcome.hold is not None,
        outcome.throttle is not None,
        reply is not None and reply.wrong_body,
    )


def _delay_class(delay: float) -> DelayClass:
    return "none" if not delay else "short" if delay < LONG_DELAY else "long"


def _row(kind: Served, count: int) -> CoverageRow:
    is_counted = kind.scenarios is not None
    return {
        "operation": kind.operation,
        "states": [*kind.states()],
        "status": kind.status if is_counted else None,
        "scenarios": None if kind.scenarios is None else [*kind.scenarios],
        "fault": kind.fault if is_counted else None,
        "delay": kind.delay if is_counted else None,
        "count": count,
    }


# --- Adding up --------------------------------------------------------------------------------


def total(rows: Iterable[CoverageRow]) -> int:
    """Return how many responses rows count."""
    return sum(row["count"] for row in rows)


def summed(rows: Iterable[CoverageRow]) -> list[CoverageRow]:
    """Return rows in a stable order, with those that differ only in their count added up."""
    operations: list[str | None] = [*OPERATIONS, None]
    sums: dict[tuple[Any, ...], CoverageRow] = {}
    for row in rows:
        scenarios = row["scenarios"]
        key = (
            operations.index(row["operation"]),
            row["status"] or 0,
            tuple(scenarios or ()),
            row["fault"] or "",
            row["delay"] or "",
            tuple(row["states"]),
            scenarios is None,
        )
        count = row["count"] + (sums[key]["count"] if key in sums else 0)
        sums[key] = {**row, "count": count}
    return [sums[key] for key in sorted(sums)]


def rows_of(entries: Iterable[Entry]) -> list[CoverageRow]:
    """Return the rows of the requests in a journal."""
    return summed(_row(_served(entry), 1) for entry in entries)


def _served(entry: Entry) -> Served:
    reply: Reply = PASS
    steps = entry.trace.steps if entry.trace else ()
    if entry.trace and steps and steps[-1].result == "applies":
        reply = reply_of(entry.trace.stubs[steps[-1].position], steps[-1].used)
    return Served(
        entry.operation,
        entry.status,
        entry.response.body == _EMPTY_LIST,
        entry.scenarios,
        entry.fault,
        _delay_class(entry.delay_ms / 1000),
        entry.hold is not None,
        entry.throttle is not None,
        isinstance(reply, Canned) and reply.wrong_body and reply.status == entry.status,
    )


# --- Judging ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """The state coverage of some operations.

    :param rows: of all operations.
    :param matrix: operation to state to the number of responses; an operation has only the states
        that it can have.
    """

    rows: list[CoverageRow]
    matrix: Mapping[Operation, Mapping[CoverageState, int]]

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

    @property
    def scenarios(self) -> list[str]:
        """The scenarios that were active for at least one response."""
        return sorted({name for row in self.rows for name in row["scenarios"] or ()})


def build(
    rows: Iterable[CoverageRow], operations: Iterable[Operation] = OPERATIONS
) -> CoverageReport:
    """Return the report on rows, which may come from several servers.

    :param operations: the rows of the matrix; at least one.
    """
    merged = summed(rows)
    matrix = {operation: dict.fromkeys(states_of(operation), 0) for operation in operations}
    for row in merged:
        if row["operation"] in matrix:
            counts = matrix[row["operation"]]
            for state in counts.keys() & row["states"]:
                counts[state] += row["count"]
    return CoverageReport(merged, matrix)
