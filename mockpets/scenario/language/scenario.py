"""The shape of a whole scenario file, and the `Scenario` that comes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from mockpets.constants import NAME_LENGTH, SCENARIO_NAME, STACK_DEPTH
from mockpets.faults import CONNECTION_FAULTS
from mockpets.scenario.language.contract_check import canned
from mockpets.scenario.language.diagnostics import INVALID
from mockpets.scenario.language.mappings import ByKey, ByKind, Object, needs, not_both, some
from mockpets.scenario.language.match import MATCH
from mockpets.scenario.language.pets import BROUGHT
from mockpets.scenario.language.reply import FAULT, REPEAT, REPLY, SEQUENCE, Draft, Sequence
from mockpets.scenario.language.shapes import ListOf, Number, OneOrMany, Parsed, Text, Value
from mockpets.scenario.model import Delay, Match, Reply, Scenario, Stub
from mockpets.units import DURATION, RATE, parse_duration, parse_rate, quote

if TYPE_CHECKING:
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node

_LINE: Final = r"[^\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
"""A character of one line that reads as it is: no control, no turn of direction, none unseen."""
_MOST: Final = 1_000_000
"""Requests that a stub can count to."""


# --- Delay ------------------------------------------------------------------------------------


def _between(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    if INVALID in values.values() or len(values) < 2:
        return INVALID
    low, high = values["min"], values["max"]
    if low > high:
        diagnostics.add(node, "min must not be over max", "swap them")
        return INVALID
    return Delay("range", low, high)


def _percentiles(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    if INVALID in values.values() or len(values) < 2:
        return INVALID
    low, high = values["p50"], values["p95"]
    if not 0 < low < high:
        diagnostics.add(node, "p50 must be over 0 and under p95", "half of the answers are faster")
        return INVALID
    return Delay("percentiles", low, high)


def _duration(description: str) -> Parsed:
    return Parsed(description, "a duration such as 300ms, 1.5s or 1m", DURATION, parse_duration)


_FIXED: Final = replace(
    _duration("A duration."), then=lambda seconds, *_: Delay("fixed", seconds, seconds)
)
_RANGE: Final = Object(
    "Evenly spread.",
    {"min": _duration("The shortest."), "max": _duration("The longest.")},
    required=("min", "max"),
    then=_between,
)
_PERCENTILES: Final = Object(
    "Spread as networks do, log-normal.",
    {
        "p50": _duration("Half of the answers are faster."),
        "p95": _duration("One answer in twenty is slower."),
    },
    required=("p50", "p95"),
    then=_percentiles,
)
_DELAY: Final = ByKind(
    "How late the answer is: 300ms, 2s, 1m; or drawn anew for each, at most 60s.",
    {
        "text": _FIXED,
        "integer": _FIXED,
        "mapping": ByKey(
            "A delay drawn anew for each answer.",
            {"min": _RANGE, "max": _RANGE, "p50": _PERCENTILES, "p95": _PERCENTILES},
        ),
    },
    "a duration such as 300ms, {min, max} or {p50, p95}",
)


# --- Stubs ------------------------------------------------------------------------------------


def _stub(values: dict[str, Any], _node: Node, diagnostics: Diagnostics) -> Any:
    """Return a stub; of one that is not all right, hold against the contract what can be."""
    written, match = _written(values), values.get("match", Match())
    off_contract = values.get("off_contract", False)
    if INVALID in (written, match, off_contract):
        return INVALID
    replies = tuple(
        _reply(reply, match, values.get("fault"), off_contract=off_contract)
        for reply in written.replies
    )
    if INVALID in values.values():
        return INVALID
    return Stub(
        label=f"{diagnostics.name}/{values.get('name', diagnostics.path[-1])}",
        match=match,
        replies=replies,
        repeat=written.repeat,
        **{key: values[key] for key in _TAKEN_OVER if key in values},
    )


def _written(values: dict[str, Any]) -> Any:
    """Return a stub's replies as a sequence, however they are written."""
    found = values.get("sequence", values.get("reply", ()))
    if found is INVALID or isinstance(found, Sequence):
        return found
    replies = found if isinstance(found, tuple) else (found,)
    return Sequence(replies, values.get("repeat", "last"))


def _reply(draft: Any, match: Match, fault: Any, *, off_contract: bool) -> Reply:
    """Return one reply as the engine plays it."""
    if not isinstance(draft, Draft):
        return cast("Reply", draft)  # pass, or a fault of its own
    ready = canned(draft, match, off_contract=off_contract)
    if fault in CONNECTION_FAULTS:
        what = f"with fault {fault} this reply can never be sent"
        hint = "leave one of them out, or say reply: pass to have the operation done all the same"
        draft.diagnostics.add(draft.node, what, hint)
    elif fault not in (None, INVALID) and not ready.body:
        what = f"this reply has no body that {fault} could spoil"
        draft.diagnostics.add(draft.node, what, "give it one, or leave the fault out")
    return ready


def _once(stubs: tuple[Stub, ...], node: Node, diagnostics: Diagnostics) -> tuple[Stub, ...]:
    """Return stubs, whose names must differ; one without a name has its place for it."""
    first: dict[str, int] = {}
    for place, item in enumerate(node.items, 1):
        at, steps = item.find(("name",))
        name = str(at.value) if at.kind == "text" else str(place)
        if first.setdefault(name, place) != place:
            what = f"the name {quote(name)} is taken by stub {first[name]}"
            diagnostics.at(place, *steps).add(at, what, "give each stub its own")
    return stubs


_TAKEN_OVER: Final = ("after", "times", "probability", "delay", "throttle", "fault", "hold")
_ELSEWHERE: Final = {
    **dict.fromkeys(("error", "message", "page", "status", "text"), "it belongs under reply"),
    **dict.fromkeys(("method", "operation", "path", "petId", "query"), "it belongs under match"),
    **dict.fromkeys(("body", "headers"), "it belongs under match or reply"),
}
_NAME: Final = Text(
    "Its name, for the journal and the Mockpets-Stub header; by default its place, 1, 2, ...",
    "text, a name in kebab-case (a-z, 0-9, single dashes)",
    SCENARIO_NAME,
    NAME_LENGTH,
)
_STUB: Final = Object(
    "What some requests get. One that has only delay, throttle or hold adds itself to the answer "
    "of another stub, or of the real operation.",
    {
        "name": _NAME,
        "match": MATCH,
        "after": Number("Lets so many matching requests pass first.", 0, _MOST),
        "times": Number("Then takes part in so many requests, and no more.", 1, _MOST),
        "probability": Number("How often it takes part: 0.25 is one in four.", 0, 1, whole=False),
        "reply": REPLY,
        "sequence": SEQUENCE,
        "repeat": REPEAT,
        "delay": _DELAY,
        "throttle": Parsed(
            "The bytes a second that the answer is sent with: 500 B/s, 2 kB/s.",
            "a rate such as 500 B/s or 2 kB/s",
            RATE,
            parse_rate,
        ),
        "fault": FAULT,
        "hold": Text(
            "The gate that keeps the answer back until it is opened by the control API.",
            "text, a name in kebab-case (a-z, 0-9, single dashes)",
            SCENARIO_NAME,
            NAME_LENGTH,
        ),
        "off_contract": Value(
            "Says that a reply which the contract does not have is meant.", ("boolean",)
        ),
    },
    rules=(
        not_both("reply", "sequence", "a sequence holds all replies"),
        needs("repeat", "sequence", "a single reply is always repeated"),
        some(("reply", "sequence", "fault", "delay", "throttle", "hold"), "it does nothing so far"),
    ),
    misplaced=_ELSEWHERE,
    then=_stub,
)


# --- The file ---------------------------------------------------------------------------------


def _known(name: str, node: Node, diagnostics: Diagnostics) -> Any:
    """Return the name of a scenario that can be extended."""
    if name == diagnostics.name:
        diagnostics.add(node, "a scenario cannot extend itself", "leave it out")
        return INVALID
    return (
        name
        if name in diagnostics.known
        else diagnostics.unknown(node, "scenario", name, diagnostics.known)
    )


def _scenario(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    if INVALID in values.values() or "description" not in values:
        return INVALID
    at, _ = node.find(("extends",))
    return Scenario(
        name=diagnostics.name,
        description=values["description"],
        extends=tuple(dict.fromkeys(values.get("extends", ()))),
        pets=values.get("pets"),
        stubs=values.get("stubs", ()),
        source=diagnostics.file,
        extends_at=(at.line, at.column) if "extends" in values else (0, 0),
    )


SCENARIO: Final = Object(
    "A scenario of mockpets: what its requests get.",
    {
        "$schema": Text("Where an editor finds this schema; mockpets does not look."),
        "description": Text(
            "One line that says what the scenario is for, shown in every list.",
            "text of one line, at most 200 characters",
            rf"(?!\s){_LINE}+",
            200,
        ),
        "extends": OneOrMany(
            "Scenarios whose stubs come after the own ones, in this order.",
            Text(
                "A scenario's name.",
                "text, the name of a scenario (a-z, 0-9, single dashes)",
                SCENARIO_NAME,
                NAME_LENGTH,
                then=_known,
            ),
            STACK_DEPTH,
        ),
        "pets": BROUGHT,
        "stubs": ListOf(
            "Tried in order; the first that answers ends the search.", _STUB, then=_once
        ),
    },
    required=("description",),
    misplaced={"version": "the file was made for a newer mockpets"},
    then=_scenario,
)
