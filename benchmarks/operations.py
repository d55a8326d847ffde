"""How fast is one operation alone? Lists, single records and creates, at full speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.contracts import COUNT
from benchmarks.load import CONNECTIONS, LEVELS, Request, send
from benchmarks.tables import MARKS, figure

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from benchmarks.subjects import Subject
    from benchmarks.tables import Figures, Row

_STATUSES: Final = {"list": 200, "get": 200, "create": 201}
_NEEDS: Final = {"get": "get", "create": "remembers"}
"""The ability that a server must have for an operation. Others send the same record each time."""


def measure(
    subject: Subject, port: int, seconds: int, levels: Iterable[int], able: Container[str]
) -> Figures:
    """Return the rates, and the latencies of lists.

    :param able: the abilities of the subject.
    :raise RuntimeError: if it fails under load.
    """
    page = [Request("list", subject.page())]
    send(port, page, _STATUSES, subject.warm_seconds)
    figures: Figures = {}
    for connections in levels:
        load = send(port, page, _STATUSES, seconds, connections)
        for name, value in zip(("list", "p50", "p99"), load, strict=True):
            figures[f"{name}_{connections}"] = value
    alone = {
        "get": [Request("get", subject.record(number)) for number in range(1, COUNT + 1)],
        "create": [Request("create", subject.targets.create, subject.contract.new)],
    }
    for name, requests in alone.items():
        if _NEEDS[name] in able:
            figures[name] = send(port, requests, _STATUSES, seconds).rate
    return figures


FIGURE: Final = "list_16"
HEAD: Final = (
    *(f"list r/s, {connections} conn." for connections in LEVELS),
    *("list p50 ms", "list p99 ms", "get r/s", "create r/s"),
)


def cells(row: Row, ours: Row) -> list[str]:
    """Return the cells of a row, as in `HEAD`."""
    rates = [figure(row, f"list_{connections}", ",.0f", ours) for connections in LEVELS]
    times = [figure(row, f"{name}_{CONNECTIONS}", ".2f") for name in ("p50", "p99")]
    alone = [
        figure(row, name, ",.0f", ours)
        + (f" {MARKS[ability]}" if ability not in row["able"] else "")
        for name, ability in _NEEDS.items()
    ]
    return [*rates, *times, *alone]
