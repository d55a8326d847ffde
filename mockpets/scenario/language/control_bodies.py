"""Parse the bodies of the control API with the shapes of scenario files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, Final

from mockpets.clock import MOMENT, MOMENT_RULE, REAL, ClockChange, parse_moment
from mockpets.constants import (
    FILE_BYTES,
    FILE_NODES,
    FIXTURE_NODES,
    INLINE,
    INT64_MAX,
    NAME_LENGTH,
    SCENARIO_NAME,
    WAITING_RESPONSES,
)
from mockpets.errors import DocumentError, InputError
from mockpets.scenario.language.contents import DATA, content_shape
from mockpets.scenario.language.contract_check import canned
from mockpets.scenario.language.diagnostics import Diagnostics
from mockpets.scenario.language.mappings import ByKind, Object, not_both, some
from mockpets.scenario.language.parser import read
from mockpets.scenario.language.reply import ONE_REPLY, Draft
from mockpets.scenario.language.scenario import DELAY, SCENARIO
from mockpets.scenario.language.shapes import ListOf, Number, Parsed, Shape, Value, kebab_case
from mockpets.scenario.matching import operations_of
from mockpets.scenario.scenario_model import PASS, Match
from mockpets.strict_json import dump_json
from mockpets.text_files import check_text
from mockpets.units import DURATION, parse_duration, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from mockpets.contract.contract_model import Collection as Definition
    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.language.shapes import Definitions, Schema
    from mockpets.scenario.library import Library
    from mockpets.scenario.scenario_model import Content, Delay, Reply, Scenario

BODY: Final = "body"
"""The name of the body in problems."""


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """The changes to a session that a body asks for; None keeps the current value.

    :param names: the scenarios as written, including the names of documents.
    :param inline: the documents by name, each as a scenario and as JSON.
    """

    names: tuple[str, ...] | None = None
    inline: Mapping[str, tuple[Scenario, str]] = field(default_factory=dict)
    seed: int | None = None
    data: Mapping[str, Content] | None = None
    clock: ClockChange | None = None


@dataclass(frozen=True, slots=True)
class _Scenarios(Shape):
    """A scenario's name, a document, or a list of these.

    `read` returns the names, and the documents by name: each as a scenario and as a JSON value.
    """

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        is_list = node.kind == "list"
        names: list[str] = []
        inline: dict[str, tuple[Any, Any]] = {}
        for position, item in enumerate(node.items if is_list else (node,), 1):
            here = diagnostics.at(position) if is_list else diagnostics
            if item.kind == "text":
                names.append(str(item.value))
            elif item.kind == "mapping":
                name = _name_of(item) or INLINE.format(len(inline) + 1)
                own = replace(
                    here, name=name, problems=[], warnings=[], pages={}, own_fixtures=set()
                )
                _check_name(item, own, {*inline} | {*diagnostics.taken})
                inline[name] = _DOCUMENT.read(item, own), item.plain()
                names.append(name)
                diagnostics.documents.extend(own.problems)
            else:
                here.reject(item, "a scenario name or a scenario document")
        if is_list and not node.items:
            diagnostics.add(node, "must have at least one scenario, got an empty list")
        return tuple(names), inline

    def _json_schema(self, definitions: Definitions) -> Schema:
        name = {"type": "string", "description": "The name of a scenario."}
        one = [name, _DOCUMENT.schema(definitions)]
        many = {
            "type": "array",
            "description": "Names and documents; the first takes precedence.",
            "items": {"anyOf": one},
            "minItems": 1,
        }
        return {"anyOf": [*one, many]}


def _name_of(document: Node) -> str:
    """Return the name that a document gives itself; empty if it has none, or an invalid one."""
    node, _ = document.find(("name",))
    name = str(node.value) if node.kind == "text" else ""
    return name if len(name) <= NAME_LENGTH and re.fullmatch(SCENARIO_NAME, name) else ""


def _check_name(document: Node, diagnostics: Diagnostics, taken: Collection[str]) -> None:
    """Report a document's name that a scenario file or an earlier document has."""
    name = _name_of(document)
    if name in taken:
        # It would hide the other one from requests that select it by name.
        what = f"another scenario already has the name {quote(name)}"
    elif re.fullmatch(INLINE.format("[0-9]+"), name):
        what = f"{quote(name)} is reserved for scenarios without a name"
    else:
        return
    diagnostics.add(document, what, "choose another name", at=("name",))


_DOCUMENT: Final = replace(
    SCENARIO,
    fields={"name": kebab_case("Name of the scenario.", "a scenario name"), **SCENARIO.fields},
    required=(),
    name="ScenarioDocument",
)
SCENARIO_SELECTION: Final = _Scenarios("A scenario name, a scenario document, or a list of them.")
SEED: Final = Number("Seed for the generated records and random decisions.", 0, INT64_MAX)
ACTIVATION: Final = Object(
    "The scenarios to activate.",
    {"scenario": SCENARIO_SELECTION},
    ("scenario",),
    name="ScenarioSelection",
)


def _milliseconds(text: str) -> int:
    return round(parse_duration(text, inf) * 1000)


CLOCK: Final = Object(
    "A change to the clock of a session.",
    {
        "now": ByKind(
            "Its new time (RFC 3339), or a date; null for the real time.",
            {
                "text": Parsed("A time.", MOMENT_RULE, MOMENT, parse_moment),
                "nothing": Value("The real time.", ("nothing",), convert=lambda *_: REAL),
            },
            f"{MOMENT_RULE}, or null",
        ),
        "frozen": Value(
            "Whether the clock stands still; by default unchanged, at first false.",
            ("boolean",),
        ),
        "advance": Parsed(
            "How far to move it, such as 90m or 30d.",
            "a duration such as 90m",
            DURATION,
            _milliseconds,
        ),
    },
    rules=(
        some(("now", "frozen", "advance"), "changes nothing"),
        not_both("now", "advance", "set the time to move to"),
    ),
    name="ClockChange",
    convert=lambda values, *_: ClockChange(**values),
)
SESSION: Final = Object(
    "The scenarios, seed, data and clock of a session.",
    {
        "scenario": SCENARIO_SELECTION,
        "seed": SEED,
        "data": DATA,
        "clock": CLOCK,
    },
    name="SessionContents",
)

LOG_IN: Final = Object(
    "The user to log in.",
    {
        "user": Value(
            "Properties that the user has, such as the name; by default, the first user.",
            ("mapping",),
        )
    },
    name="UserSelection",
)

RELEASE: Final = Object(
    "The responses to release, and what to send in their place.",
    {
        "requests": ListOf(
            "The numbers of their requests.",
            Number("A number.", 1, INT64_MAX),
            1,
            WAITING_RESPONSES,
        ),
        "reply": replace(
            ONE_REPLY, description="The response to send; by default the prepared one.", name=""
        ),
        "delay": replace(
            DELAY, description="How long each waits before it is sent, such as 3s.", name=""
        ),
    },
    ("requests",),
    name="Release",
)


def parse_session_config(text: str, library: Library, *, session: bool) -> SessionConfig:
    """Return the session changes that a body asks for.

    :param session: allow a seed, data and a clock too, and make scenarios optional.
    :raise DocumentError: every problem of the documents, if the rest of the body is valid.
    :raise InputError: every problem of the rest.
    """
    check_text(text, BODY, FILE_BYTES)
    known, taken = library.scenarios.keys(), library.sources.keys()
    diagnostics = Diagnostics(
        BODY, library.contracts, known=known, taken=taken, fixtures=library.shelf()
    )
    shape = SESSION if session else ACTIVATION
    values = read(text, shape, diagnostics, is_json=True, nodes=FILE_NODES)
    return config_of(values, diagnostics, library)


def config_of(values: dict[str, Any], diagnostics: Diagnostics, library: Library) -> SessionConfig:
    """Return the session changes that the values of a valid body ask for.

    :raise DocumentError: every problem of the documents.
    """
    if diagnostics.documents:
        try:
            replace(diagnostics, problems=diagnostics.documents).close()
        except InputError as error:
            raise DocumentError(error.problems) from None
    names, documents = values.pop("scenario", (None, {}))
    for scenario, _ in documents.values():
        if problems := library.problems_of(scenario):
            raise DocumentError(problems)
    # Written as JSON only now: an invalid document can have half of a surrogate pair, which JSON
    # in UTF-8 cannot.
    inline = {
        name: (scenario, dump_json(value).decode()) for name, (scenario, value) in documents.items()
    }
    return SessionConfig(names, inline, **values)


def parse_clock(text: str, library: Library) -> ClockChange:
    """Return the change to a clock that a body asks for, or raise InputError."""
    diagnostics = Diagnostics(BODY, library.contracts)
    change: ClockChange = read(text, CLOCK, diagnostics, is_json=True, nodes=FILE_NODES)
    return change


def parse_user(text: str, contracts: Contracts) -> dict[str, Any]:
    """Return the properties of the user that a body selects; none if it is empty."""
    check_text(text, BODY, FILE_BYTES)
    if not text.strip():
        return {}
    diagnostics = Diagnostics(BODY, contracts)
    values = read(text, LOG_IN, diagnostics, is_json=True, nodes=FILE_NODES)
    properties: dict[str, Any] = values.get("user", {})
    return properties


def parse_content(text: str, library: Library, collection: Definition) -> Content:
    """Return the contents of a collection in a body, as under ``data`` in a scenario file.

    :raise InputError: every problem; the caller checks the keys of a scenario's own collection.
    """
    diagnostics = Diagnostics(BODY, library.contracts, fixtures=library.shelf())
    shape = content_shape(None if collection.owner else collection)
    content: Content = read(text, shape, diagnostics, is_json=True, nodes=FIXTURE_NODES)
    return content


def parse_release(
    text: str, library: Library, match_of: Callable[[int], Match]
) -> tuple[dict[int, Reply], Delay | None]:
    """Return what to send for each request that a body releases, and how long each waits before.

    :param match_of: returns what selects a request that waits, by number; raises for any other.
    :raise InputError: every problem.
    """
    check_text(text, BODY, FILE_BYTES)
    diagnostics = Diagnostics(BODY, library.contracts, fixtures=library.shelf())
    values = read(text, RELEASE, diagnostics, is_json=True, nodes=FILE_NODES)
    draft = values.get("reply", PASS)
    replies: dict[int, Reply] = {}
    for number in dict.fromkeys(values["requests"]):
        match = match_of(number)
        if not isinstance(draft, Draft):
            replies[number] = draft
        elif draft.page and any(
            each not in library.contracts.paged for each in operations_of(match, library.contracts)
        ):
            what = f"only lists respond with a page, and request {number} is another one"
            draft.diagnostics.add(draft.node, what, "release requests of lists alone")
        else:
            replies[number] = reply = canned(draft, match, off_contract=True)
            if reply.template is not None:  # the body of the request is gone
                what = "references are for the replies of stubs"
                draft.diagnostics.add(draft.node, what, "write the values")
    diagnostics.close()
    return replies, values.get("delay")
