"""The shapes of pets: a list of Pet objects, a fixture name, or a number of pets to generate.

The contract's schema checks each Pet; unlike a request, a file must not have other properties.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import INT64_MAX, PETS_GENERATED
from mockpets.contract.fields import split_hint
from mockpets.contract.schemas import PET_FIELDS
from mockpets.contract.serialization import InvalidPetError, dump_pets, load_pet
from mockpets.errors import InputError
from mockpets.pets.names import LOCALES
from mockpets.scenario.language.diagnostics import INVALID
from mockpets.scenario.language.mappings import ByKind, Object, meant, unknown_key
from mockpets.scenario.language.shapes import Choice, ListOf, Number, Shape, kebab_case
from mockpets.scenario.model import Generated
from mockpets.units import quote

if TYPE_CHECKING:
    from mockpets.contract.fields import ContractField
    from mockpets.contract.schemas import Pet
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.language.shapes import Definitions, Schema

CANNED_PETS: Final = 1000
"""Maximum number of pets in a canned page: ten times what the contract allows."""


@dataclass(frozen=True, slots=True)
class Page:
    """Pets as the body of a listPets response."""

    count: int
    body: bytes


@dataclass(frozen=True, slots=True)
class _PetShape(Shape):
    """A Pet object as the contract has it, with no other properties."""

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "mapping":
            return diagnostics.reject(node, "a Pet object")
        for name, (key, _) in node.members.items():
            if name not in PET_FIELDS:
                unknown_key(key, name, PET_FIELDS, diagnostics)
        try:
            return load_pet(node.plain())
        except InvalidPetError as invalid:
            for path, problem in invalid.problems:
                if path and path[0] not in node.members and meant(str(path[0]), node, PET_FIELDS):
                    continue
                what, hint = split_hint(problem)
                child, _ = node.find(path)
                if "string" in what and child.kind in ("integer", "number", "boolean"):
                    hint = f'quote it: "{child.shown()}"'
                diagnostics.add(node, what, hint, at=path)
            return INVALID

    def _looks(self, definitions: Definitions) -> Schema:
        return {
            "type": "object",
            "properties": {
                name: _property(field, definitions) for name, field in PET_FIELDS.items()
            },
            "required": [name for name, field in PET_FIELDS.items() if field.required],
            "additionalProperties": False,
        }


def _property(field: ContractField, definitions: Definitions) -> Schema:
    schema = {**field.openapi, **field.metadata, **getattr(field, "bounds", {})}
    if field.component is None:
        return schema
    definitions.schemas.setdefault(field.component, schema)
    return definitions.reference(field.component)


def _by_id(pets: tuple[Pet, ...], node: Node, diagnostics: Diagnostics) -> tuple[Pet, ...]:
    first: dict[object, int] = {}
    for index, item in enumerate(node.items):
        id_node, _ = item.find(("id",))
        if id_node.kind not in ("integer", "number"):
            continue
        if first.setdefault(id_node.value, index) != index:
            what = f"pet {first[id_node.value] + 1} already has the id {id_node.shown()}"
            diagnostics.add(node, what, "use unique ids", at=(index, "id"))
    return tuple(sorted(pets, key=lambda pet: pet["id"]))


def _fixture_pets(name: str, node: Node, diagnostics: Diagnostics) -> Any:
    if name not in diagnostics.fixtures:
        advice = "for your own, add its folder with --fixtures-dir"
        return diagnostics.unknown(node, "fixture", name, diagnostics.fixtures, advice)
    pets = diagnostics.fixtures[name]()
    if isinstance(pets, InputError):
        what = f"fixture {quote(name)} is invalid: {pets.problems[0]}"
        return diagnostics.add(node, what, "fix the fixture")
    return pets


def _fixture_page(name: str, node: Node, diagnostics: Diagnostics) -> Any:
    """Return a page of a fixture's pets; all pages of a file share the JSON of a fixture."""
    pets = _fixture_pets(name, node, diagnostics)
    if pets is INVALID:
        return INVALID
    if len(pets) > CANNED_PETS:
        what = f"a page must have at most {CANNED_PETS} pets, {quote(name)} has {len(pets)}"
        hint = f"use pets: {name} in the scenario, and let the real operation respond"
        return diagnostics.add(node, what, hint)
    if name not in diagnostics.pages:
        diagnostics.pages[name] = dump_pets(pets) + b"\n"
    return Page(len(pets), diagnostics.pages[name])


_PET: Final = _PetShape("A Pet of the contract.", name="PetInput")
PETS: Final = ListOf("Pet objects with unique ids.", _PET, then=_by_id)
_FIXTURE: Final = kebab_case("A fixture name.", "a fixture name")
PETS_FILE: Final = ByKind(
    "Pets as in a fixture, or as the control API lists them.",
    {
        "list": PETS,
        "mapping": Object(
            "Pets.", {"pets": PETS}, required=("pets",), then=lambda values, *_: values["pets"]
        ),
    },
    "a list of Pet objects",
)
PAGE: Final = ByKind(
    "Pet objects or a fixture name; status and limit of the request apply.",
    {
        "text": replace(_FIXTURE, then=_fixture_page),
        "list": ListOf(
            "Pet objects, in the order of the response.",
            _PET,
            most=CANNED_PETS,
            then=lambda pets, *_: Page(len(pets), dump_pets(pets) + b"\n"),
        ),
    },
    "a list of Pet objects or a fixture name",
)
_COUNT: Final = Number("The number of pets to generate.", 0, PETS_GENERATED)


PETS_SOURCE: Final = ByKind(
    "A list of pets, the name of a fixture, a number of generated pets, or what to generate. A "
    "scenario without pets uses those of the session.",
    name="PetsSource",
    kinds={
        "text": replace(_FIXTURE, then=_fixture_pets),
        "list": PETS,
        "integer": replace(_COUNT, then=lambda count, *_: Generated(count)),
        "mapping": Object(
            "Pets to generate.",
            {
                "count": _COUNT,
                "seed": Number(
                    "Seed for the generated pets; by default, the server's seed.", 0, INT64_MAX
                ),
                "locale": Choice(
                    "Locale of the generated names; by default, the server's locale.",
                    tuple(LOCALES),
                ),
            },
            required=("count",),
            name="GeneratedPets",
            then=lambda values, *_: Generated(**values),
        ),
    },
    expected="a fixture name, a list of Pet objects, a number or {count, seed, locale}",
)
