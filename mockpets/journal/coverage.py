"""Count which states of each operation a server has served, over all its sessions.

`Coverage.observe` runs for every request, so it only adds one to a number. Which states a response
fills is decided when somebody reads the counts.
"""

from __future__ import annotations

from collections import Counter
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast, get_args

from mockpets.constants import OPERATIONS, CoverageState
from mockpets.contract.schemas import RESPONSES
from mockpets.faults import INCOMPLETE_FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockpets.constants import DelayClass, Operation
    from mockpets.contract.control_types import CoverageRow
    from mockpets.scenario.engine import Outcome

    _Rest = tuple[Operation | None, tuple[CoverageState, ...]]

COVERAGE_KEYS: Final = 4096
"""Maximum number of counters of the state coverage."""

STATES: Final[tuple[CoverageState, ...]] = get_args(CoverageState)
LONG_DELAY: Final = 1.0
"""The delay in seconds from which a response is slow."""
_EMPTY_LIST: Final = b"[]\n"


def states_of(operation: Operation) -> tuple[CoverageState, ...]:
    """Return the states that an operation can have: its cells in the matrix."""
    return tuple(
        state
        for state in STATES
        if (state != "empty" or operation == "listPets")
        and (not state.isdigit() or int(state) in RESPONSES[operation])
    )


class Effects(NamedTuple):
    """What scenarios, or the request itself, did to a response."""

    fault: str | None = None
    delay: DelayClass = "none"
    is_held: bool = False
    is_throttled: bool = False
    wrong_body: bool = False


class Served(NamedTuple):
    """What one counter counts.

    :param operation: None for a request that matches no operation of the contract.
    :param status: None if the connection was broken instead.
    :param is_empty: the body is an empty list.
    :param scenarios: empty if the request was rejected before its scenarios were selected.
    """

    operation: Operation | None
    status: int | None
    is_empty: bool
    scenarios: tuple[str, ...]
    effects: Effects


class Coverage:
    """The counters of one app; safe to use from several threads.

    :param max_keys: the largest number of counters. Clients can combine scenarios at will; what
        exceeds this number is counted by operation and states only, of which there are few.
    """

    def __init__(self, max_keys: int = COVERAGE_KEYS) -> None:
        self._max_keys = max_keys
        self._lock = Lock()
        self._counts: dict[tuple[object, ...], list[int]] = {}
        """By the fields of `Served`, as a plain tuple, since making the named one takes a call. A
        count is a list of one number, so that adding to it hashes the key only once."""
        self._without_scenarios: Counter[_Rest] = Counter()

    def observe(
        self,
        operation: Operation | None,
        status: int | None,
        scenarios: tuple[str, ...],
        outcome: Outcome,
        body: bytes,
    ) -> None:
        """Count one response; see `Served`."""
        effects = _effects(outcome) if outcome.stubs or outcome.delay else None
        key = (operation, status, body == _EMPTY_LIST, scenarios, effects)
        with self._lock:
            try:
                self._counts[key][0] += 1
            except KeyError:
                self._add(key)

    def _add(self, key: tuple[object, ...]) -> None:
        """Add a counter, or count by operation and states if there are too many."""
        if len(self._counts) < self._max_keys:
            self._counts[key] = [1]
            return
        served = _served(key)
        self._without_scenarios[served.operation, _states(served)] += 1

    def __len__(self) -> int:
        """Return the number of counters."""
        return len(self._counts) + len(self._without_scenarios)

    def rows(self) -> list[CoverageRow]:
        """Return the counts."""
        with self._lock:
            counts = {key: count for key, [count] in self._counts.items()}
            rest = dict(self._without_scenarios)
        rows = [_row(_served(key), count) for key, count in counts.items()]
        rows += [
            {
                "operation": operation,
                "states": list(states),
                "status": None,
                "scenarios": None,
                "fault": None,
                "delay": None,
                "count": count,
            }
            for (operation, states), count in rest.items()
        ]
        return summed(rows)

    def clear(self) -> int:
        """Start again at zero; return how many responses were counted."""
        with self._lock:
            total = sum(count for [count] in self._counts.values())
            total += self._without_scenarios.total()
            self._counts.clear()
            self._without_scenarios.clear()
        return total


def _effects(outcome: Outcome) -> Effects:
    delay, reply = outcome.delay, outcome.reply
    return Effects(
        outcome.fault,
        "none" if not delay else "short" if delay < LONG_DELAY else "long",
        outcome.hold is not None,
        outcome.throttle is not None,
        reply is not None and reply.wrong_body,
    )


def _served(key: tuple[Any, ...]) -> Served:
    operation, status, is_empty, scenarios, effects = key
    return Served(operation, status, is_empty, scenarios, effects or Effects())


def _row(served: Served, count: int) -> CoverageRow:
    return {
        "operation": served.operation,
        "states": list(_states(served)),
        "status": served.status,
        "scenarios": list(served.scenarios),
        "fault": served.effects.fault,
        "delay": served.effects.delay,
        "count": count,
    }


def _states(served: Served) -> tuple[CoverageState, ...]:
    """Return the states that a response fills, in order; none without an operation."""
    return tuple(sorted(_filled(served), key=STATES.index))


def _filled(served: Served) -> Iterator[CoverageState]:
    """Yield the states that a response fills.

    The status of a broken or malformed response does not count: the client cannot use its body.
    """
    if served.operation is None:
        return
    effects = served.effects
    if served.status is None or effects.fault in INCOMPLETE_FAULTS:
        yield "broken"
    elif effects.fault is not None or effects.wrong_body:
        yield "malformed"
    else:
        yield _state_of_status(served.operation, served.status)
        if served.is_empty and served.operation == "listPets":
            yield "empty"
    if effects.delay == "long" or effects.is_throttled:
        yield "slow"
    if effects.is_held:
        yield "held"


def _state_of_status(operation: Operation, status: int) -> CoverageState:
    if status not in RESPONSES[operation]:
        return "5xx" if status >= 500 else "off contract"
    return "success" if status < 300 else cast("CoverageState", str(status))


def summed(rows: Iterable[CoverageRow]) -> list[CoverageRow]:
    """Return rows in a stable order, with those that differ only in their count added up."""
    sums: dict[tuple[object, ...], CoverageRow] = {}
    for row in rows:
        scenarios = None if row["scenarios"] is None else tuple(row["scenarios"])
        states = tuple(row["states"])
        key = (row["operation"], states, row["status"], scenarios, row["fault"], row["delay"])
        count = row["count"] + (sums[key]["count"] if key in sums else 0)
        sums[key] = {**row, "count": count}
    return sorted(sums.values(), key=_order)


def _order(row: CoverageRow) -> tuple[object, ...]:
    operations: list[str | None] = [*OPERATIONS, None]
    return (
        operations.index(row["operation"]),
        row["status"] or 0,
        row["scenarios"] or [],
        row["fault"] or "",
        row["delay"] or "",
        row["states"],
    )
