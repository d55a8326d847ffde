"""The shape of an exported session: what `GET sessions/NAME/export` returns and `PUT` reads."""

from __future__ import annotations

import struct
from base64 import b64decode
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.constants import (
    COUNTED_STUBS,
    EXPRESSION,
    FIXTURE_BYTES,
    INT64_MAX,
    OVERRIDES,
    SCENARIO_NAME,
    VERSION,
)
from mockpets.contract.fields import INVALID
from mockpets.errors import invalid
from mockpets.scenario.language.contents import DATA, records_shape
from mockpets.scenario.language.control_bodies import (
    BODY,
    CLOCK,
    SCENARIO_SELECTION,
    SEED,
    SessionConfig,
    config_of,
)
from mockpets.scenario.language.diagnostics import Diagnostics
from mockpets.scenario.language.mappings import ByKind, MapOf, Object
from mockpets.scenario.language.parser import parse
from mockpets.scenario.language.shapes import (
    ListOf,
    Number,
    Shape,
    Text,
    Value,
    active_name,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.library import Library
    from mockpets.scenario.scenario_model import Scenario

FORMAT: Final = 1
"""The version of the document; increased if an older mockpets cannot read it correctly."""
_STATE: Final = struct.Struct(">624II")
"""The state of `random.Random`: a table of integers, and the position in it."""
_HIGHEST_BIT: Final = 1 << 31
"""Of the first word of the generator's state, whose other bits are not used (MT19937)."""
_NODES: Final = FIXTURE_BYTES // 2
"""More than a body can hold, even with the shortest values: `[0,0]`."""


class ExportedRecords(NamedTuple):
    """The records of a collection, as JSON.

    :param name: of the collection, or SCENARIO.NAME.
    :param giver: the scenario that gives it content; empty for the session's own records.
    :param next_key: as in `Store`.
    """

    name: str
    giver: str
    next_key: int
    rows: tuple[bytes, ...]


class ExportedSession(NamedTuple):
    """An exported session.

    :param config: its scenarios, seed, initial records and clock.
    :param overrides: scenarios that replace those of files in this session only, with their text.
    :param counters: `passed` and `used` of a `Count`, by the label of the stub.
    :param random: the state of its random numbers; None if it has drawn none.
    """

    config: SessionConfig
    overrides: Mapping[str, tuple[Scenario, str]]
    counters: Mapping[str, Mapping[str, int]]
    random: tuple[int, ...] | None
    data: tuple[ExportedRecords, ...]


def _records(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    name = values["collection"]
    shape = records_shape(diagnostics.contracts.collections.get(name), with_mapping=False)
    rows = shape.read(node.find(("records",))[0], diagnostics.at("records"))
    if rows is INVALID:
        return INVALID
    return ExportedRecords(name, values.get("scenario") or "", values["next"], rows)


def _state(text: str, node: Node, diagnostics: Diagnostics) -> Any:
    try:
        raw = b64decode(text, validate=True)
    except ValueError:
        raw = b""
    if len(raw) == _STATE.size:
        first, *others, position = state = _STATE.unpack(raw)
        # Of the first integer, only the highest bit counts; from zeros, only zeros follow.
        if position <= len(others) + 1 and (first & _HIGHEST_BIT or any(others)):
            return state
    what = "must be the state of random numbers as an export has it"
    return diagnostics.add(node, what, "remove it to start from the seed")


_LABEL: Final = rf"{SCENARIO_NAME}/[^\x00-\x1f]{{1,100}}|{EXPRESSION}"
_COUNT: Final = Number("A number of requests.", 0, INT64_MAX)
_COUNTERS: Final = MapOf(
    "The counters by stub.",
    Object(
        "The requests that `after` skipped, and those to which the stub applied.",
        {"passed": _COUNT, "used": _COUNT},
        ("passed", "used"),
        name="ExportedCount",
    ),
    "stub",
    _LABEL,
    most=COUNTED_STUBS,
)
_NO_GIVER: Final = Value("The session's own records.", ("nothing",))
_DATA: Final = Object(
    "The records of a collection that differ from its initial ones.",
    {
        "collection": Text("The collection, or SCENARIO.NAME."),
        "scenario": ByKind(
            "The scenario that provides its records; null for the session's own records.",
            {"text": active_name("A scenario."), "nothing": _NO_GIVER},
            "the name of a scenario, or null",
        ),
        "next": Number("The next ID, or the number of the next UUID.", 1, INT64_MAX + 1),
        "records": Value("The records, in order.", ("list",)),
    },
    ("collection", "next", "records"),
    name="ExportedRecords",
    convert=_records,
)
SESSION_EXPORT: Final[Shape] = Object(
    "A session that another server can import.",
    {
        "mockpets": Text("The version that wrote it."),
        "format": Number("The version of the document.", 1, FORMAT),
        "session": Text("The name of the session."),
        "scenario": SCENARIO_SELECTION,
        "overrides": MapOf(
            "The texts of scenarios that only this session has.",
            Text("A scenario file."),
            "scenario",
            SCENARIO_NAME,
            most=OVERRIDES,
        ),
        "seed": SEED,
        "random": Text("The state of its random numbers (base64).", convert=_state),
        "clock": CLOCK,
        "starts": replace(DATA, description="The records that a reset restores."),
        "counters": _COUNTERS,
        "data": ListOf("The records that differ from the initial ones.", _DATA),
        "log": Value("The request log (HAR 1.2), which an import ignores.", ("mapping",)),
    },
    ("format", "scenario", "seed"),
    name="SessionExport",
)


def parse_export(text: str, library: Library) -> ExportedSession:
    """Return the session of an export.

    :param library: the scenarios that it can name.
    :raise DocumentError: every problem of scenarios in it, if the rest is valid.
    :raise InputError: every problem of the rest.
    """
    from mockpets.scenario.check import load_text

    diagnostics = Diagnostics(
        BODY,
        library.contracts,
        known=library.scenarios.keys(),
        taken=library.sources.keys(),
        fixtures=library.shelf(),
    )
    document = parse(text, BODY, is_json=True, nodes=_NODES, is_data=True)
    _check_version(document.root)
    values = SESSION_EXPORT.read(document.root, diagnostics)
    diagnostics.problems.extend(document.problems)  # last: see `Diagnostics.is_full`
    diagnostics.close()
    names = {"scenario": "scenario", "seed": "seed", "clock": "clock", "starts": "data"}
    config = {name: values[key] for key, name in names.items() if key in values}
    return ExportedSession(
        config_of(config, diagnostics, library),
        {
            name: (load_text(name, each, library), each)
            for name, each in values.get("overrides", {}).items()
        },
        values.get("counters", {}),
        values.get("random"),
        values.get("data", ()),
    )


def _check_version(root: Node) -> None:
    """Check that no newer mockpets wrote an export: the rest may be different in any way."""
    (number, _), (version, _) = root.find(("format",)), root.find(("mockpets",))
    if isinstance(number.value, int) and number.value > FORMAT:
        writer = f"mockpets {version.value}" if version.kind == "text" else "a newer mockpets"
        what = f"was exported by {writer} in format {number.value}"
        hint = f"mockpets {VERSION} reads format {FORMAT}: update this server"
        raise invalid(BODY, what, hint, (number.line, number.column))
