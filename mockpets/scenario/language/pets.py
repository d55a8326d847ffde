"""The shapes of pets: a list of them, a fixture's name, a number of them to generate.

What a Pet is, the contract's schema alone knows; a file, unlike a request, must not have more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import (
    CANNED_PETS,
    INT64_MAX,
    NAME_LENGTH,
    PETS_GENERATED,
    SCENARIO_NAME,
)
from mockpets.contract.schemas import PET_FIELDS
from mockpets.contract.serialization import InvalidPetError, dump_pets, load_pet
from mockpets.errors import InputError
from mockpets.pets.names import LOCALES
from mockpets.scenario.language.diagnostics import INVALID
from mockpets.scenario.language.mappings import ByKind, Object, meant, unknown_key
from mockpets.scenario.language.shapes import Choice, ListOf, Number, Schema, Shape, Text
from mockpets.scenario.model import Generated
from mockpets.units import quote

if TYPE_CHECKING:
    from mockpets.contract.schemas import Pet
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node


@dataclass(frozen=True, slots=True)
class Page:
    """Pets as an answer of listPets, ready to be sent."""

    count: int
    body: bytes


@dataclass(frozen=True, slots=True)
class _PetShape(Shape):
    """A Pet object as the contract has it, with no other properties."""

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "mapping":
            return diagnostics.refuse(node, "a Pet object")
        for name, (key, _) in node.members.items():
            if name not in PET_FIELDS:
                unknown_key(key, name, PET_FIELDS, diagnostics)
        try:
            return load_pet(node.plain())
        except InvalidPetError as invalid:
            for path, what in invalid.problems:
                if path and path[0] not in node.members and meant(str(path[0]), node, PET_FIELDS):
                    continue
                at, steps = node.find(path)
                if at.kind != "unusable":
                    quoted = "string" in what and at.kind in ("integer", "number", "boolean")
                    hint = f'quote it: "{at.shown()}"' if quoted else ""
                    diagnostics.at(*steps).add(at, what, hint)
            return INVALID

    def _looks(self) -> Schema:
        properties = {}
        for name, each in PET_FIELDS.items():
            # OpenAPI's metadata has one example where JSON Schema has a list of them.
            looks = {key: value for key, value in each.metadata.items() if key != "example"}
            properties[name] = {**looks, "examples": [each.metadata["example"]]}
        return {
            "type": "object",
            "properties": properties,
            "required": [name for name, each in PET_FIELDS.items() if each.required],
            "additionalProperties": False,
        }


def _by_id(pets: tuple[Pet, ...], node: Node, diagnostics: Diagnostics) -> tuple[Pet, ...]:
    """Return pets in the order of their ids, none of which may come twice."""
    first: dict[object, int] = {}
    for place, item in enumerate(node.items, 1):
        at = item.members["id"][1] if "id" in item.members else item
        if at.kind in ("integer", "number") and first.setdefault(at.value, place) != place:
            what = f"the id {at.shown()} is taken by pet {first[at.value]}"
            diagnostics.at(place, "id").add(at, what, "give each pet its own")
    return tuple(sorted(pets, key=lambda pet: pet["id"]))


def _from_shelf(name: str, node: Node, diagnostics: Diagnostics) -> Any:
    """Return a fixture's pets."""
    if name not in diagnostics.fixtures:
        return diagnostics.unknown(node, "fixture", name, diagnostics.fixtures)
    try:
        return diagnostics.fixtures[name]
    except InputError as error:
        what = f"the fixture {quote(name)} cannot be used: {error.problems[0]}"
        diagnostics.add(node, what, "mend it first")
        return INVALID


def _page_from_shelf(name: str, node: Node, diagnostics: Diagnostics) -> Any:
    """Return a page of a fixture's pets, which are made JSON once for all pages of a file."""
    pets = _from_shelf(name, node, diagnostics)
    if pets is INVALID:
        return INVALID
    if len(pets) > CANNED_PETS:
        what = f"a page must have at most {CANNED_PETS} pets, {quote(name)} has {len(pets)}"
        diagnostics.add(
            node, what, f"bring them with pets: {name}, and let the real operation answer"
        )
        return INVALID
    if name not in diagnostics.pages:
        diagnostics.pages[name] = dump_pets(pets) + b"\n"
    return Page(len(pets), diagnostics.pages[name])


def _generated(values: Any, _node: Node, _diagnostics: Diagnostics) -> Any:
    """Return what is to be generated."""
    right = "count" in values and INVALID not in values.values()
    return Generated(**values) if right else INVALID


_PET: Final = _PetShape("A Pet, as the contract has it.")
PETS: Final = ListOf("Pet objects, each with an id of its own.", _PET, then=_by_id)
_SHELVED: Final = Text(
    "The name of a fixture.",
    "text, the name of a fixture (a-z, 0-9, single dashes)",
    SCENARIO_NAME,
    NAME_LENGTH,
    then=_from_shelf,
)
PAGE: Final = ByKind(
    "Pet objects, or a fixture's name.",
    {
        "text": replace(_SHELVED, then=_page_from_shelf),
        "list": ListOf(
            "Pet objects, sent in this order.",
            _PET,
            most=CANNED_PETS,
            then=lambda pets, *_: Page(len(pets), dump_pets(pets) + b"\n"),
        ),
    },
    "a list of Pet objects or a fixture's name",
)
_COUNT: Final = Number("How many pets to generate.", 0, PETS_GENERATED)
BROUGHT: Final = ByKind(
    "The pets that the scenario brings, in a store of its own; left out, the session's pets stay.",
    {
        "text": _SHELVED,
        "list": PETS,
        "integer": replace(_COUNT, then=lambda count, *_: Generated(count)),
        "mapping": Object(
            "Pets to generate.",
            {
                "count": _COUNT,
                "seed": Number("What they grow from; by default, the server's.", 0, INT64_MAX),
                "locale": Choice(
                    "Where their names come from; by default, the server's.", tuple(LOCALES)
                ),
            },
            required=("count",),
            then=_generated,
        ),
    },
    "a fixture's name, a list of Pet objects, a number or {count, seed, locale}",
)
