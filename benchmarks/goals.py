"""Compare the results with the goals.

The goals are ratios within one run, since absolute figures differ on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.checks import ABILITIES, LIKE_OURS
from benchmarks.subjects import BEFORE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["OWN_CODE", "Goal", "goals"]

_SCRIPT = "waitress, Flask"
_OTHERS = ("apimock-rs", "Connexion")
"""Peers that run on neither Node nor Java."""
OWN_CODE = ", own code"
"""The suffix of peers whose users write the code for the job."""


class Goal(NamedTuple):
    """A row of the table of goals.

    :param reached: None if it could not be measured.
    """

    what: str
    goal: str
    measured: str
    reached: bool | None


def goals(results: Mapping[str, Any]) -> list[Goal]:
    """Return all goals.

    :param results: saved results of a run.
    """
    rows = {row["name"]: row for row in results["rows"]}
    return [*_peer_goals(rows), *_own_goals(results["scale"])]


def _peer_goals(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[Goal]:
    ours = rows["mockpets"]
    peers = [row for row in rows.values() if row["kind"] == "peer"]
    whole = [row for row in peers if set(ABILITIES) <= set(row["able"])]
    doing = [row for row in peers if LIKE_OURS & set(row["able"])]
    large = [row for row in peers if row["name"] not in _OTHERS]
    lists, mountebank = "json-server beta", f"mountebank{OWN_CODE}"
    if BEFORE in rows:
        goal = "times the version before"
        yield _ratio("mix", goal, "mix", ours, rows[BEFORE], 1.4, more=True)
    goal = "more than 1 times the best peer that does the whole job, own code included"
    yield _ahead("mix", goal, "mix", ours, whole, more=True)
    goal = "below each peer that checks requests or keeps pets"
    yield _ahead("mix p99", goal, "mix_p99", ours, doing)
    goal = f"of {lists}, which checks nothing"
    yield _ratio("list, 16 connections", goal, "list_16", ours, rows.get(lists), 0.9, more=True)
    goal = "more than 1 times mountebank with its user's code"
    other = [row for name, row in rows.items() if name == mountebank]
    yield _ahead("create", goal, "create", ours, other, more=True)
    goal = "times a one-route Flask script"
    yield _ratio("first 200", goal, "first_ms", ours, rows.get(_SCRIPT), 1.6)
    yield _ahead("RSS after load", "below each Node and Java peer", "rss_load", ours, large)


def _ratio(
    what: str,
    goal: str,
    name: str,
    ours: Mapping[str, Any],
    other: Mapping[str, Any] | None,
    limit: float,
    *,
    more: bool = False,
) -> Goal:
    """Compare with one other row.

    :param goal: its text after the limit.
    :param limit: the greatest ratio that reaches the goal, or the least one if more is better.
    """
    text = f"at {'least' if more else 'most'} {limit:g} {goal}"
    if other is None or name not in ours["figures"] or name not in other["figures"]:
        return Goal(what, text, "not measured", None)
    ratio = ours["figures"][name] / other["figures"][name]
    return Goal(what, text, f"{ratio:.2f}", ratio >= limit if more else ratio <= limit)


def _ahead(
    what: str,
    goal: str,
    name: str,
    ours: Mapping[str, Any],
    others: Iterable[Mapping[str, Any]],
    *,
    more: bool = False,
) -> Goal:
    """Compare with the best of the others and name those ahead of us."""
    known = [row for row in others if name in row["figures"]]
    if not known or name not in ours["figures"]:
        return Goal(what, goal, "not measured", None)
    own = ours["figures"][name]
    better = [
        row["name"]
        for row in known
        if (row["figures"][name] >= own if more else row["figures"][name] <= own)
    ]
    best = (max if more else min)(known, key=lambda row: row["figures"][name])
    measured = f"{own / best['figures'][name]:.2f} of the best, {best['name']}"
    if len(better) > 1:
        measured += f"; behind {'; '.join(better)}"
    return Goal(what, goal, measured, not better)


# --- Goals of mockpets alone --------------------------------------------------------------------


def _own_goals(scale: Mapping[str, float]) -> Iterator[Goal]:
    for name, suffix in (("list", ""), ("status", ", with the status filter")):
        few, many = scale.get(f"{name}_of_16"), scale.get(f"{name}_of_100000")
        what = f"list from 100,000 pets{suffix}"
        yield _at_most(what, "times the time from 16 pets", few and many and few / many, 1.2)
    yield _at_most("generate 100,000 pets", "ms", scale.get("generate_ms"), 1000)
    generate, faker = scale.get("generate_ms"), scale.get("faker_ms")
    elements = "times Faker's unweighted elements"
    yield _at_most("generate 100,000 pets", elements, generate and faker and generate / faker, 2)
    new_session = "new session with 10,000 pets"
    yield _at_most(new_session, "µs", scale.get("session_us"), 50)
    yield _at_most(new_session, "kB", scale.get("session_kb"), 2)
    idle, parked = scale.get("idle_p99"), scale.get("parked_p99")
    what = "p99 with 500 parked responses"
    yield _at_most(what, "times idle", idle and parked and parked / idle, 3)
    bare, full = scale.get("bare"), scale.get("full")
    what = "list with a full request log, 25 scenarios and 200 sessions"
    yield _at_most(what, "times the time without them", bare and full and bare / full, 1.1)


def _at_most(what: str, unit: str, value: float | None, limit: float) -> Goal:
    """Return a goal that a value up to a limit reaches."""
    goal = f"at most {limit:,g} {unit}"
    if value is None:
        return Goal(what, goal, "not measured", None)
    return Goal(what, goal, f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", value <= limit)
