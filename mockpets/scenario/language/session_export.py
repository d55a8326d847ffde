"""The shape of an exported session: what `GET sessions/NAME/export` returns and `PUT` reads."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.constants import (
    FIXTURE_NODES,
    INT64_MAX,
    SCENARIO_NAME,
    SESSION_NAME,
    STACK_DEPTH,
    STACKS,
    VERSION,
)
from mockpets.errors import RequestError, invalid
from mockpets.scenario.language.control_bodies import (
    BODY,
    CLOCK,
    SCENARIO_SELECTION,
    SEED,
    session_config,
)
from mockpets.scenario.language.diagnostics import Diagnostics
from mockpets.scenario.language.mappings import MapOf, Object
from mockpets.scenario.language.parser import parse
from mockpets.scenario.language.pets import PETS
from mockpets.scenario.language.shapes import ListOf, Number, Text, Value, kebab_case
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.schemas import Pet
    from mockpets.scenario.language.control_bodies import SessionConfig
    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.library import Library
    from mockpets.scenario.model import Scenario

    Names = tuple[str, ...]

FORMAT: Final = 1
"""The version of the document; increased if an older mockpets cannot read it correctly."""
DRAWS: Final = 10_000_000
"""Random numbers that an import can draw in a second."""


class ExportedPets(NamedTuple):
    """The pets of a store.

    :param added: how many of them, the last ones, requests have added.
    :param next_id: the next ID that the store assigns.
    """

    pets: tuple[Any, ...]
    added: int
    next_id: int


def _pets(values: Any, node: Node, diagnostics: Diagnostics) -> Any:
    pets, added = values["pets"], values["added"]
    if added > len(pets):
        what = f"must be at most the number of pets, {len(pets)}, got {added}"
        return diagnostics.add(node, what, at=("added",))
    highest = pets[-1]["id"] if pets else 0
    if values["next_id"] <= highest:
        what = f"must be greater than the id {highest}, got {values['next_id']}"
        return diagnostics.add(node, what, at=("next_id",))
    return ExportedPets(**values)


_PETS: Final = Object(
    "Pets now.",
    {
        "pets": PETS,
        "added": Number("How many of them, the last ones, requests have added.", 0, INT64_MAX),
        "next_id": Number("The id of the next pet.", 1, INT64_MAX + 1),
    },
    ("pets", "added", "next_id"),
    name="ExportedPets",
    then=_pets,
)
_COUNT: Final = Object(
    "The requests that a stub has skipped because of `after`, and those that it applied to.",
    {"passed": Number("Skipped.", 0, INT64_MAX), "used": Number("Applied to.", 0, INT64_MAX)},
    ("passed", "used"),
    name="ExportedCount",
)


_STACK: Final = Object(
    "The counters, and the pets if they define some, of scenarios that were used together.",
    {
        "scenarios": ListOf(
            "Their names, in order.", kebab_case("A name.", "a scenario name"), 1, STACK_DEPTH
        ),
        "counters": MapOf("The counters by stub.", _COUNT, "stub", r"[a-z0-9/-]{1,200}"),
        "pets": _PETS,
    },
    ("scenarios", "counters"),
    name="ExportedStack",
)
_RECORDS: Final = Object(
    "The records of a resource.",
    {
        "scenario": kebab_case("The scenario that defines it.", "a scenario name"),
        "name": Text("Its name."),
        "next": Number("The next id, or the number of the next UUID.", 1, INT64_MAX + 1),
        "records": Value("The records, in order.", ("list",)),
    },
    ("scenario", "name", "next", "records"),
    name="ExportedRecords",
)
EXPORT: Final = Object(
    "A session to take to another server. The log is not imported.",
    {
        "mockpets": Text("The version that wrote it.", limit=100),
        "format": Number("The version of the document.", 1, FORMAT),
        "session": Text("The name of the session.", "a session name", SESSION_NAME),
        "scenario": SCENARIO_SELECTION,
        "overrides": MapOf(
            "The texts of scenarios that only this session has.",
            Text("A scenario file."),
            "scenario name",
            SCENARIO_NAME,
        ),
        "seed": SEED,
        "draws": Number("How many random numbers its stubs have drawn.", 0, DRAWS),
        "clock": CLOCK,
        "start": replace(PETS, description="The pets that a reset restores."),
        "pets": _PETS,
        "stacks": ListOf("What it keeps for combinations of scenarios.", _STACK, most=STACKS),
        "records": ListOf("The changed records of its resources.", _RECORDS),
        "log": Value("The request log (HAR 1.2).", ("mapping",)),
    },
    ("format", "scenario", "seed", "pets"),
    name="SessionExport",
)


@dataclass(frozen=True)
class ImportedSession:
    """The contents of an exported session.

    :param start: None for the same pets as now.
    :param stores: the pets by the names of the stack; the session's own have no names.
    :param counters: by the names of the stack, then by the label of the stub: `passed` and `used`.
    """

    config: SessionConfig
    draws: int
    start: tuple[Pet, ...] | None
    stores: Mapping[Names, ExportedPets]
    counters: Mapping[Names, Mapping[str, Mapping[str, int]]]
    records: list[dict[str, Any]]
    overrides: Mapping[str, tuple[Scenario, str]]


def parse_export(text: str, library: Library) -> ImportedSession:
    """Return the contents of an exported session.

    :raise DocumentError: every problem of the scenario documents, if the rest is valid.
    :raise InputError: every problem of the rest, or that a newer version has written it.
    """
    document = parse(text, BODY, is_json=True, nodes=FIXTURE_NODES)
    _check_format(document.root)
    overrides = _overrides(document.root, library)
    library = library.plus({name: scenario for name, (scenario, _) in overrides.items()})
    known, taken = library.scenarios.keys(), library.sources.keys()
    diagnostics = Diagnostics(BODY, known=known, taken=taken, fixtures=library.shelf())
    diagnostics.problems.extend(document.problems)
    values = EXPORT.read(document.root, diagnostics)
    diagnostics.close()
    config = session_config(
        {name: values[name] for name in ("scenario", "seed", "clock") if name in values},
        diagnostics,
    )
    stacks: tuple[dict[str, Any], ...] = values.get("stacks", ())
    complete = library.plus({name: scenario for name, (scenario, _) in config.inline.items()})
    for place, stack in enumerate(stacks):
        node, _ = document.root.find(("stacks", place))
        _check_stack(stack, node, complete, diagnostics.at("stacks").at(place + 1))
    diagnostics.close()
    stores = {stack["scenarios"]: stack["pets"] for stack in stacks if "pets" in stack}
    return ImportedSession(
        config,
        values.get("draws", 0),
        values.get("start"),
        {(): values["pets"], **stores},
        {stack["scenarios"]: stack["counters"] for stack in stacks},
        [*values.get("records", ())],
        overrides,
    )


def _check_format(root: Node) -> None:
    """Raise InputError if a newer version has written a document, which then may have any keys."""
    version, _ = root.find(("format",))
    if version.kind != "integer" or not isinstance(version.value, int) or version.value <= FORMAT:
        return
    writer, _ = root.find(("mockpets",))
    by = f"mockpets {writer.value}" if writer.kind == "text" else "a newer mockpets"
    what = f"was exported by {quote(by)[1:-1]} in format {version.value}"
    hint = f"mockpets {VERSION} reads format {FORMAT}: update this server"
    raise invalid(BODY, what, hint, (version.line, version.column))


def _overrides(root: Node, library: Library) -> dict[str, tuple[Scenario, str]]:
    """Return the scenarios that only the session has; the shape reports what is not text.

    :raise DocumentError: every problem of the first invalid one.
    """
    from mockpets.scenario.check import load_text  # it imports all of this package

    node, _ = root.find(("overrides",))
    texts = {name: text.value for name, (_, text) in node.members.items() if node is not root}
    return {
        name: (load_text(name, text, library), text)
        for name, text in texts.items()
        if re.fullmatch(SCENARIO_NAME, name) and isinstance(text, str)
    }


def _check_stack(
    stack: Mapping[str, Any], node: Node, library: Library, diagnostics: Diagnostics
) -> None:
    """Report the scenarios and stubs that the server does not have."""
    try:
        known = library.stack(stack["scenarios"])
    except RequestError as error:
        hint = "start the server with the folder of its file (--scenarios-dir)"
        diagnostics.add(node, error.message, hint, at=("scenarios",))
        return
    labels = {stub.label for stub in known.stubs}
    for label in stack["counters"]:
        if label not in labels:
            hint = "the server has another version of the scenario"
            diagnostics.add(node, f"unknown stub {quote(label)}", hint, at=("counters", label))
