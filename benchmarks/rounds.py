"""Measure the subjects side by side: one after the other, round after round, then the medians.

Whatever else the machine does in a minute meets all of them alike, and what one leaves behind, the
memory of a large process for example, meets another in each round: each has an order of its own.
"""

from __future__ import annotations

from random import Random
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.load import ask
from benchmarks.process import started
from benchmarks.subjects import NEW

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.process import Server
    from benchmarks.subjects import Subject

__all__ = ["Figures", "Plan", "measure", "medians"]

Figures = dict[str, float]
"""What was measured, by name: `list_16`, `p50_16` and `p99_16` with 16 connections; `create`;
`first_ms`; `rss_start`, `pss_start`, `rss_load`, `pss_load` in MiB."""

_CREATE_CONNECTIONS = 16


class Plan(NamedTuple):
    """How much is measured.

    :param seconds: of each measurement.
    :param starts: besides those of the rounds, for the time to the first answer alone.
    """

    rounds: int
    seconds: int
    connections: tuple[int, ...]
    starts: int


def measure(
    subjects: Sequence[Subject],
    creates: Mapping[str, bool],
    plan: Plan,
    say: Callable[[str], None],
) -> dict[str, list[Figures]]:
    """Return each subject's figures of each start; what could not be had of one is missing.

    :param creates: subject's name to whether it answers a POST.
    :param say: is told what happens.
    """
    found: dict[str, list[Figures]] = {subject.name: [] for subject in subjects}
    turns = [f"start {number + 1} of {plan.starts}" for number in range(plan.starts)]
    turns += [f"round {number + 1} of {plan.rounds}" for number in range(plan.rounds)]
    for number, turn in enumerate(turns):
        for subject in Random(number).sample(subjects, len(subjects)):
            say(f"{turn}: {subject.name}")
            figures: Figures = {}
            found[subject.name].append(figures)
            try:
                with started(subject) as server:
                    figures["first_ms"] = server.first_ms
                    if number >= plan.starts:
                        _load(subject, server, plan, figures, create=creates[subject.name])
            except (OSError, RuntimeError) as error:
                say(f"  {subject.name}, {turn}, is not complete: {error}")
    return found


def _load(subject: Subject, server: Server, plan: Plan, figures: Figures, *, create: bool) -> None:
    """Put into `figures` what a subject that has just started gives.

    :raise RuntimeError: it fails under load; what was measured before is kept.
    """
    if (memory := server.memory()) is not None:
        figures["rss_start"], figures["pss_start"] = memory
    ask(server.port, subject.page(), 16, subject.warm_seconds)
    for connections in plan.connections:
        load = ask(server.port, subject.page(), connections, plan.seconds)
        for name, value in zip(("list", "p50", "p99"), load, strict=True):
            figures[f"{name}_{connections}"] = value
    if create:
        load = ask(server.port, subject.pets_target, _CREATE_CONNECTIONS, plan.seconds, NEW)
        figures["create"], figures["create_p99"] = load.rate, load.p99
    if (memory := server.memory()) is not None:
        figures["rss_load"], figures["pss_load"] = memory


def medians(samples: Sequence[Figures]) -> Figures:
    """Return the median of each figure over the starts that have it."""
    names = dict.fromkeys(name for figures in samples for name in figures)
    return {name: median(item[name] for item in samples if name in item) for name in names}
