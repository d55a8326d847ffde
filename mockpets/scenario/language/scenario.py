"""The shape of a scenario file, which reads it as a `Scenario`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from mockpets.constants import EXTENDS_DEPTH, NEEDS
from mockpets.contract.collections import record_problems
from mockpets.contract.fields import INVALID
from mockpets.faults import NO_RESPONSE_FAULTS
from mockpets.records.table import parse_row
from mockpets.scenario.language.contents import DATA
from mockpets.scenario.language.contract_check import canned
from mockpets.scenario.language.likely_mistakes import warn_conditions
from mockpets.scenario.language.mappings import ByKey, ByKind, Object, needs, not_both, some
from mockpets.scenario.language.match import MATCH
from mockpets.scenario.language.reply import FAULT, REPEAT, REPLY, SEQUENCE, Draft
from mockpets.scenario.language.resources import RESOURCES, with_records
from mockpets.scenario.language.shapes import (
    Choice,
    ListOf,
    Number,
    OneOrMany,
    Parsed,
    Text,
    Value,
    kebab_case,
)
from mockpets.scenario.scenario_model import Delay, Match, Reply, Scenario, Stub
from mockpets.units import DURATION, RATE, parse_duration, parse_rate, quote

if TYPE_CHECKING:
    from mockpets.contract.contract_model import Collection
    from mockpets.contract.fields import Invalid
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.scenario_model import Content

_LINE: Final = r"[^\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
"""A visible character of one line: no control, text direction or zero-width character."""
_MAX_COUNT: Final = 1_000_000
"""The highest number of requests that a stub counts."""


# --- Delay ------------------------------------------------------------------------------------


def _between(values: dict[str, float], node: Node, diagnostics: Diagnostics) -> Delay | Invalid:
    low, high = values["min"], values["max"]
    if low > high:
        return diagnostics.add(node, "min is greater than max", "swap them")
    return Delay("range", low, high)


def _percentiles(values: dict[str, float], node: Node, diagnostics: Diagnostics) -> Delay | Invalid:
    low, high = values["p50"], values["p95"]
    if not 0 < low < high:
        what = "p50, the median, must be greater than 0 and less than p95"
        return diagnostics.add(node, what, "change p50 or p95")
    return Delay("percentiles", low, high)


def _duration(description: str) -> Parsed:
    return Parsed(description, "a duration such as 300ms, 1.5s or 1m", DURATION, parse_duration)


_FIXED: Final = replace(
    _duration("A duration."), convert=lambda seconds, *_: Delay("fixed", seconds, seconds)
)
_RANGE: Final = Object(
    "A random delay, evenly distributed.",
    {"min": _duration("The shortest delay."), "max": _duration("The longest delay.")},
    required=("min", "max"),
    name="DelayRange",
    convert=_between,
)
_PERCENTILES: Final = Object(
    "A random delay, distributed as in real networks (log-normal).",
    {
        "p50": _duration("The median delay."),
        "p95": _duration("The 95th percentile: one delay in twenty is longer."),
    },
    required=("p50", "p95"),
    name="DelayPercentiles",
    convert=_percentiles,
)
DELAY: Final = ByKind(
    "Delay of each response, such as 300ms, 2s or 1m, at most 60s; or a random delay.",
    {
        "text": _FIXED,
        "integer": _FIXED,
        "mapping": ByKey(
            "A random delay for each response.",
            {"min": _RANGE, "max": _RANGE, "p50": _PERCENTILES, "p95": _PERCENTILES},
        ),
    },
    "a duration such as 300ms, {min, max} or {p50, p95}",
    name="Delay",
)


# --- Stubs ------------------------------------------------------------------------------------


def _stub(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    """Return a stub; check the replies against the contract even if another key is invalid."""
    reply, match = values.get("reply"), values.get("match", Match())
    drafts = values.get("sequence", (reply,) if reply else ())
    off_contract = values.get("off_contract", False)
    if INVALID in (reply, drafts, match, off_contract):
        return INVALID
    replies = tuple(
        _reply(draft, match, values.get("fault"), off_contract=off_contract) for draft in drafts
    )
    if INVALID in values.values():
        return INVALID
    warn_conditions(node, match, replies, diagnostics)
    return Stub(
        label=f"{diagnostics.name}/{values.get('name', diagnostics.path[-1])}",
        match=match,
        replies=replies,
        position=(node.line, node.column),
        **{key: values[key] for key in _COPIED if key in values},
    )


def _reply(draft: Any, match: Match, fault: Any, *, off_contract: bool) -> Reply:
    if not isinstance(draft, Draft):
        return cast("Reply", draft)  # pass, or a fault
    response = canned(draft, match, off_contract=off_contract)
    if fault in NO_RESPONSE_FAULTS:
        what = f"fault {fault} ends the connection before this reply"
        hint = "remove one of them, or use reply: pass to run the operation anyway"
        draft.diagnostics.add(draft.node, what, hint)
    elif fault not in (None, INVALID) and not response.body:
        what = f"fault {fault} requires a body, but this reply has an empty body"
        draft.diagnostics.add(draft.node, what, "add a body, or remove the fault")
    return response


def _unique(stubs: tuple[Stub, ...], node: Node, diagnostics: Diagnostics) -> tuple[Stub, ...]:
    """Return stubs, whose names must be unique; the default name is the position from 1."""
    first: dict[str, int] = {}
    for index, item in enumerate(node.items):
        name_node, _ = item.find(("name",))
        name = str(name_node.value) if name_node.kind == "text" else str(index + 1)
        if first.setdefault(name, index) != index:
            what = f"stub {first[name] + 1} already has the name {quote(name)}"
            diagnostics.add(node, what, "use unique names", at=(index, "name"))
    return stubs


_COPIED: Final = (
    *("repeat", "after", "times", "probability"),
    *("delay", "throttle", "fault", "hold"),
)
_MISPLACED: Final = {
    **dict.fromkeys(("error", "message", "page", "status", "text"), "move it under reply"),
    **dict.fromkeys(
        ("method", "operation", "params", "path", "query", "role"), "move it under match"
    ),
    **dict.fromkeys(("body", "headers"), "move it under match or reply"),
}
_STUB: Final = Object(
    "Changes the response to matching requests. With only delay, throttle or hold, it affects the "
    "response of a later stub or of the real operation.",
    {
        "name": kebab_case(
            "Name in the request log and the Mockpets-Stub header. By default, the stub's position."
        ),
        "match": MATCH,
        "after": Number("Number of matching requests to skip first.", 0, _MAX_COUNT),
        "times": Number("Maximum number of requests to apply to after that.", 1, _MAX_COUNT),
        "probability": Number(
            "Probability that it applies to a request: 0.25 is one in four.", 0, 1, whole=False
        ),
        "reply": REPLY,
        "sequence": SEQUENCE,
        "repeat": REPEAT,
        "delay": DELAY,
        "throttle": Parsed(
            "Rate at which the server sends the response, such as 500 B/s or 2 kB/s.",
            "a rate such as 500 B/s or 2 kB/s",
            RATE,
            parse_rate,
        ),
        "fault": FAULT,
        "hold": kebab_case(
            "Name of a gate that holds the response until the control API opens it."
        ),
        "off_contract": Value("Allow replies that deviate from the contract.", ("boolean",)),
    },
    rules=(
        not_both("reply", "sequence", "put all replies into sequence"),
        needs("repeat", "sequence", "remove repeat: a single reply always repeats"),
        some(("reply", "sequence", "fault", "delay", "throttle", "hold"), "the stub has no effect"),
    ),
    misplaced=_MISPLACED,
    is_partial=True,
    name="Stub",
    convert=_stub,
)


# --- The file ---------------------------------------------------------------------------------


def _known(name: str, node: Node, diagnostics: Diagnostics) -> Any:
    if name == diagnostics.name:
        return diagnostics.add(node, "a scenario cannot extend itself", "remove it")
    if name in diagnostics.known:
        return name
    return diagnostics.unknown(node, "scenario", name, diagnostics.known)


def _scenario(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Scenario:
    extends, _ = node.find(("extends",))
    contents, _ = node.find(("data",))
    data: dict[str, Content] = values.get("data", {})
    resources = []
    for resource in values.get("resources", ()):
        rows = data.get(resource.name, ())
        _check_records(rows, resource, node, diagnostics)
        resources.append(with_records(resource, rows))
    return Scenario(
        name=diagnostics.name,
        description=values.get("description", ""),
        extends=tuple(dict.fromkeys(values.get("extends", ()))),
        stubs=values.get("stubs", ()),
        source=diagnostics.file,
        data=data,
        resources=tuple(resources),
        group=values.get("group", "Your own"),
        extends_at=(extends.line, extends.column) if "extends" in values else (0, 0),
        data_at={name: (key.line, key.column) for name, (key, _) in contents.members.items()}
        if data
        else {},
        own_fixtures=tuple(sorted(diagnostics.own_fixtures)),
        warnings=tuple(diagnostics.warnings),
    )


def _check_records(
    rows: Content, collection: Collection, node: Node, diagnostics: Diagnostics
) -> None:
    """Report records without a valid key or a required property, at their place in the file."""
    if not isinstance(rows, tuple):
        return
    place = ("data", collection.name)
    is_list = node.find(place)[0].kind == "list"
    for index, what, hint, part in record_problems(map(parse_row, rows), collection):
        if is_list:
            diagnostics.add(node, what, hint, at=(*place, index, *part))
        else:
            diagnostics.add(node, f"record {index + 1}: {what}", "fix the fixture", at=place)


_UNDER_DATA: Final = "write them under data, by the name of their collection"
SCENARIO: Final = Object(
    "A mockpets scenario: data, stubs that change responses, and resources.",
    {
        "$schema": Text("URL of this schema, for editors; mockpets ignores it."),
        "description": Text(
            "One line that describes the scenario.",
            "one line of at most 200 visible characters, without leading spaces",
            rf"(?!\s){_LINE}+",
            200,
        ),
        "group": Choice("Heading in lists of scenarios. By default, Your own.", NEEDS),
        "extends": OneOrMany(
            "Scenarios whose stubs follow this scenario's stubs, in this order.",
            kebab_case("A scenario name.", "a scenario name", _known),
            EXTENDS_DEPTH,
        ),
        "data": DATA,
        "stubs": ListOf(
            "Stubs, checked in order; the first one that responds ends the search.",
            _STUB,
            convert=_unique,
        ),
        "resources": RESOURCES,
    },
    required=("description",),
    misplaced={
        **dict.fromkeys(("items", "records"), _UNDER_DATA),
        "name": "remove it: the file name is the scenario's name",
        "version": "this file requires a newer version of mockpets",
    },
    list_hint="put the list under 'stubs:' and add 'description:'; a list of records is a fixture, "
    "which belongs in a folder of --fixtures-dir",
    name="Scenario",
    convert=_scenario,
)
