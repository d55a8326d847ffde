"""Measure the subjects side by side: one after the other, round after round, then the medians.

Whatever else the machine does in a minute meets all of them alike. Each round starts a subject
anew, so that its start and its memory are measured as often as its speed.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.load import ask
from benchmarks.process import started
from benchmarks.subjects import NEW

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.subjects import Subject

__all__ = ["Figures", "Plan", "measure", "medians"]

Figures = dict[str, float]
"""What was measured, by name: `list_16`, `p50_16` and `p99_16` with 16 connections; `create`;
`first_ms`; `rss_start`, `pss_start`, `rss_load`, `pss_load` in MiB."""

_CREATE_CONNECTIONS = 16


class Plan(NamedTuple):
    """How much is measured.

    :param seconds: of each measurement.
    """

    rounds: int
    seconds: int
    connections: tuple[int, ...]


def measure(
    subjects: Sequence[Subject],
    creates: Mapping[str, bool],
    plan: Plan,
    say: Callable[[str], None],
) -> dict[str, list[Figures]]:
    """Return each subject's figures, one value a round; a figure that could not be had is missing.

    :param creates: subject's name to whether it answers a POST.
    :param say: is told what happens.
    """
    found: dict[str, list[Figures]] = {subject.name: [] for subject in subjects}
    for number in range(1, plan.rounds + 1):
        for subject in subjects:
            say(f"round {number} of {plan.rounds}: {subject.name}")
            figures: Figures = {}
            found[subject.name].append(figures)
            try:
                _round(subject, plan, figures, create=creates[subject.name])
            except (OSError, RuntimeError) as error:
                say(f"  {subject.name}, round {number}, is not complete: {error}")
    return found


def _round(subject: Subject, plan: Plan, figures: Figures, *, create: bool) -> None:
    """Put into `figures` what one run of a subject gives.

    :raise RuntimeError: it fails under load; what was measured before is kept.
    """
    with started(subject) as server:
        figures["first_ms"] = server.first_ms
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
    """Return the median of each figure over the rounds that have it."""
    names = dict.fromkeys(name for figures in samples for name in figures)
    return {name: median(item[name] for item in samples if name in item) for name in names}
