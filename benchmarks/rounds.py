"""Measure the subjects one after another, round after round, and return the medians.

Short rounds spread other activity of the machine over all subjects. Each round has another order,
so that the after-effects of one subject do not always hit the same next one.
"""

from __future__ import annotations

from random import Random
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.load import send_load
from benchmarks.mix import mix
from benchmarks.mix_load import send_mix, time_mix
from benchmarks.process import started
from benchmarks.subjects import NEW

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.checks import CheckResult
    from benchmarks.process import Server
    from benchmarks.subjects import Subject

__all__ = ["Figures", "Plan", "measure", "medians"]

Figures = dict[str, float]
"""Measured values by name: `mix`, `mix_p50` and `mix_p99`; `mix_get_p50` and so on for each
operation at a low rate; `list_16`, `p50_16` and `p99_16` with 16 connections; `create`;
`first_ms`; `rss_start`, `pss_start`, `rss_load`, `pss_load` in MiB."""

_CREATE_CONNECTIONS = 16


class Plan(NamedTuple):
    """How much to measure.

    :param seconds: duration of each measurement.
    :param starts: number of extra starts, which measure only the time to the first response.
    """

    rounds: int
    seconds: int
    connections: tuple[int, ...]
    starts: int


def measure(
    subjects: Sequence[Subject],
    checked: Mapping[str, CheckResult],
    plan: Plan,
    log: Callable[[str], None],
    skip: Callable[[str, str], None],
) -> dict[str, list[Figures]]:
    """Return the figures of each start by subject; figures that could not be measured are missing.

    :param checked: what each subject can do, by name.
    :param log: receives progress messages.
    :param skip: receives the name of a subject and why a part of a turn is not measured.
    """
    results: dict[str, list[Figures]] = {subject.name: [] for subject in subjects}
    turns = [f"start {number + 1} of {plan.starts}" for number in range(plan.starts)]
    turns += [f"round {number + 1} of {plan.rounds}" for number in range(plan.rounds)]
    for number, turn in enumerate(turns):
        for subject in Random(number).sample(subjects, len(subjects)):
            log(f"{turn}: {subject.name}")
            figures: Figures = {}
            results[subject.name].append(figures)
            abilities = checked[subject.name]
            try:
                with started(subject) as server:
                    figures["first_ms"] = server.first_ms
                    if number >= plan.starts:
                        _load(subject, server, plan, figures, create=abilities.creates)
                if number >= plan.starts and "list" in abilities.statuses:
                    # Another start, since the mix needs a server without the many new pets.
                    with started(subject) as server:
                        _mix(subject, server, plan, figures, abilities.statuses)
            except (OSError, RuntimeError) as error:
                skip(subject.name, f"{turn} is incomplete: {error}")
    return results


def _load(subject: Subject, server: Server, plan: Plan, figures: Figures, *, create: bool) -> None:
    """Measure a running subject and add the results to `figures`.

    :raise RuntimeError: if it fails under load; `figures` keeps the earlier measurements.
    """
    if (memory := server.memory()) is not None:
        figures["rss_start"], figures["pss_start"] = memory
    send_load(server.port, subject.page(), 16, subject.warm_seconds)
    for connections in plan.connections:
        load = send_load(server.port, subject.page(), connections, plan.seconds)
        for name, value in zip(("list", "p50", "p99"), load, strict=True):
            figures[f"{name}_{connections}"] = value
    if create:
        load = send_load(server.port, subject.pets_target, _CREATE_CONNECTIONS, plan.seconds, NEW)
        figures["create"], figures["create_p99"] = load.rate, load.p99
    if (memory := server.memory()) is not None:
        figures["rss_load"], figures["pss_load"] = memory


def _mix(
    subject: Subject, server: Server, plan: Plan, figures: Figures, statuses: Mapping[str, int]
) -> None:
    """Measure the mix on a running subject and add the results to `figures`.

    :param statuses: the status of each part of its mix.
    :raise RuntimeError: if it fails under load or responds unlike in the check.
    """
    sequence = mix(subject, statuses)
    send_mix(server.port, sequence, statuses, subject.warm_seconds)
    load = send_mix(server.port, sequence, statuses, plan.seconds)
    figures["mix"], figures["mix_p50"], figures["mix_p99"] = load
    figures.update(time_mix(server.port, sequence, statuses, plan.seconds))


def medians(samples: Sequence[Figures]) -> Figures:
    """Return the median of each figure over the starts that measured it."""
    names = dict.fromkeys(name for figures in samples for name in figures)
    return {name: median(item[name] for item in samples if name in item) for name in names}
