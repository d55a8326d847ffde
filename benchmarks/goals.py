"""Compare the results with the goals.

The goals are ratios within one run, since absolute figures differ on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.checks import LIKE_OURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["OWN_CODE", "Goal", "goals"]

_STACK = "waitress, raw"
_SCRIPT = "waitress, Flask"
_SLOW_STARTERS = ("Prism", "Mockoon", "mocks-server", "Scalar", "WireMock", "MockServer")
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
    ours, stack, script = rows["mockpets"], rows.get(_STACK), rows.get(_SCRIPT)
    peers = [row for row in rows.values() if row["kind"] == "peer"]
    doing = [row for row in peers if LIKE_OURS & set(row["able"])]
    coded = [row for row in doing if row["name"].endswith(OWN_CODE)]
    like = [row for row in doing if row not in coded]
    slow = [row for row in peers if row["name"] in _SLOW_STARTERS]
    yield _ratio("list, 16 connections", "list_16", ours, stack, 0.75)
    yield _ratio("list, 16 connections", "list_16", ours, stack, 1.0)
    for group, how in ((like, "by itself"), (coded, "with its user's code")):
        each = f"each peer that checks requests or keeps pets {how}"
        yield _ahead(
            "list, 16 connections", f"faster than {each}", "list_16", ours, group, more=True
        )
        yield _ahead("list p99, 16 connections", f"below {each}", "p99_16", ours, group)
        yield _ahead("create", f"faster than {each}", "create", ours, group, more=True)
    what = "first 200"
    ratio = _quotient(ours, "first_ms", script)
    goal = "at most 2.5 times a one-route Flask script"
    yield Goal(what, goal, _times(ratio), None if ratio is None else ratio <= 2.5)
    yield _ahead(what, f"before {', '.join(_SLOW_STARTERS)}", "first_ms", ours, slow)
    large = [row for row in peers if row["name"] not in _OTHERS]
    yield _ahead("RSS after load", "below each Node and Java peer", "rss_load", ours, large)


def _ratio(
    what: str, name: str, ours: Mapping[str, Any], other: Mapping[str, Any] | None, goal: float
) -> Goal:
    ratio = _quotient(ours, name, other)
    text = f"at least {goal:g} of a constant response from stock waitress"
    return Goal(what, text, _times(ratio), None if ratio is None else ratio >= goal)


def _quotient(ours: Mapping[str, Any], name: str, other: Mapping[str, Any] | None) -> float | None:
    if other is None or name not in ours["figures"] or name not in other["figures"]:
        return None
    return float(ours["figures"][name] / other["figures"][name])


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


def _times(ratio: float | None) -> str:
    return "not measured" if ratio is None else f"{ratio:.2f}"


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
