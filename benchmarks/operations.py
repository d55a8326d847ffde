"""How fast is one operation alone? Lists and creates with a key, at full speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.load import CONNECTIONS, LEVELS, Request, send
from benchmarks.subjects import NEW
from benchmarks.tables import figure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.subjects import Subject
    from benchmarks.tables import Figures, Row

_STATUSES: Final = {"list": 200, "create": 201}


def measure(
    subject: Subject, port: int, seconds: int, levels: Iterable[int], *, creates: bool
) -> Figures:
    """Return the rates, and the latencies of lists.

    :param creates: whether the subject can create pets.
    :raise RuntimeError: if it fails under load.
    """
    page = [Request("list", subject.page())]
    send(port, page, _STATUSES, subject.warm_seconds)
    figures: Figures = {}
    for connections in levels:
        load = send(port, page, _STATUSES, seconds, connections)
        for name, value in zip(("list", "p50", "p99"), load, strict=True):
            figures[f"{name}_{connections}"] = value
    if creates:
        new = [Request("create", subject.pets_target, NEW)]
        figures["create"] = send(port, new, _STATUSES, seconds).rate
    return figures


FIGURE: Final = "list_16"
HEAD: Final = (
    *(f"list r/s, {connections} conn." for connections in LEVELS),
    *("list p50 ms", "list p99 ms", "create r/s"),
)


def cells(row: Row, ours: Row) -> list[str]:
    """Return the cells of a row, as in `HEAD`."""
    rates = [figure(row, f"list_{connections}", ",.0f", ours) for connections in LEVELS]
    times = [figure(row, f"{name}_{CONNECTIONS}", ".2f") for name in ("p50", "p99")]
    return [*rates, *times, figure(row, "create", ",.0f", ours)]
