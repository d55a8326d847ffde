"""Measure servers one after another, round after round, and return the medians.

Short rounds spread other activity of the machine over all servers. Each round has another order,
so that the after-effects of one server do not always hit the same next one.
"""

from __future__ import annotations

from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks import memory, mix, operations, start
from benchmarks.checks import check, statuses
from benchmarks.process import started
from benchmarks.subjects import OURS, SCRIPT
from benchmarks.tables import table, with_footnotes

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from types import ModuleType

    from benchmarks.process import Server
    from benchmarks.subjects import Subject
    from benchmarks.tables import Figures, Row

QUESTIONS: Final[Mapping[str, ModuleType]] = {
    "mix": mix,
    "operations": operations,
    "start": start,
    "memory": memory,
}


class Plan(NamedTuple):
    """How much to measure.

    :param seconds: duration of each measurement.
    :param connections: numbers of connections for the mix and for lists.
    :param starts: number of extra starts, which measure only the time to the first response.
    """

    rounds: int
    seconds: int
    connections: tuple[int, ...]
    starts: int


def compare(
    subjects: Sequence[Subject],
    plan: Plan,
    questions: Container[str],
    check_machine: Callable[[], None],
    log: Callable[[str], None],
) -> tuple[list[Row], list[str]]:
    """Return a row for each server that passes the check, and what was not measured and why.

    :param questions: keys of `QUESTIONS`.
    :param check_machine: called before each turn of a server, and after the last one.
    """
    skipped: list[str] = []

    def skip(name: str, error: Exception) -> None:
        skipped.append(f"{name}: {error}")
        log(f"SKIPPED: {skipped[-1]}")

    rows: dict[str, dict[str, Any]] = {}
    for subject in subjects:
        try:
            rows[subject.name] = _checked(subject)
        except (OSError, RuntimeError) as error:
            skip(subject.name, error)
    turns = [f"start {number + 1} of {plan.starts}" for number in range(plan.starts)]
    turns += [f"round {number + 1} of {plan.rounds}" for number in range(plan.rounds)]
    passed = [subject for subject in subjects if subject.name in rows]
    for number, turn in enumerate(turns):
        for subject in Random(number).sample(passed, len(passed)):
            if number >= plan.starts:
                check_machine()
            log(f"{turn}: {subject.name}")
            row, figures = rows[subject.name], dict[str, float]()
            row["samples"].append(figures)
            try:
                with started(subject) as server:
                    figures["first_ms"] = server.first_ms
                    if number >= plan.starts and subject.name != SCRIPT:
                        figures |= _alone(subject, server, plan, row, questions)
                if number >= plan.starts and "mix" in questions and "list" in row["statuses"]:
                    # Another start, since the mix needs a server without the many new records.
                    with started(subject) as server:
                        figures |= mix.measure(
                            subject, server.port, row["statuses"], plan.seconds, plan.connections
                        )
            except (OSError, RuntimeError) as error:
                skip(subject.name, RuntimeError(f"{turn} is incomplete: {error}"))
    check_machine()
    return [{**row, "figures": medians(row["samples"])} for row in rows.values()], skipped


def _checked(subject: Subject) -> dict[str, Any]:
    """Return a row without figures.

    :raise OSError, RuntimeError: the server cannot be timed.
    """
    row: dict[str, Any] = {"name": subject.name, "version": subject.version, "note": subject.note}
    row |= {"contract": subject.contract.name}
    row |= {"able": [], "statuses": {}, "samples": []}
    if subject.name != SCRIPT:
        with started(subject) as server:
            row["able"] = check(subject, server.port)
            expected = mix.demanded(subject.contract)
            row["statuses"] = statuses(server.port, mix.requests(subject), expected)
    return row


def _alone(
    subject: Subject, server: Server, plan: Plan, row: Row, questions: Container[str]
) -> Figures:
    """Return the memory at rest, the speed of single operations, and the memory after them.

    :raise RuntimeError: it fails under load.
    """
    if "operations" not in questions and "memory" not in questions:
        return {}
    figures = memory.measure(server.pid, "rest")
    figures |= operations.measure(subject, server.port, plan.seconds, plan.connections, row["able"])
    return figures | memory.measure(server.pid, "load")


def medians(samples: Sequence[Figures]) -> Figures:
    """Return the median of each figure over the starts that measured it."""
    names = dict.fromkeys(name for figures in samples for name in figures)
    return {name: median(item[name] for item in samples if name in item) for name in names}


def report(rows: Sequence[Row], questions: Container[str]) -> Iterator[str]:
    """Yield a table for each question, of the servers with figures for it, the fastest first."""
    ours = next(row for row in rows if row["name"] == OURS)
    ordered = sorted(rows, key=lambda row: -row["figures"].get("mix_16", 0))
    for name, question in QUESTIONS.items():
        if name in questions:
            measured = [row for row in ordered if question.FIGURE in row["figures"]]
            lines = [[_label(row), *question.cells(row, ours)] for row in measured]
            yield f"### {name.capitalize()}"
            yield with_footnotes(table(["", *question.HEAD], lines))


def _label(row: Row) -> str:
    name, comma, variant = row["name"].partition(",")
    version = f" {row['version']}" if row["version"] else ""
    label = f"{name}{version}{comma}{variant}"
    return f"**{label}**" if name == OURS and not comma else label
