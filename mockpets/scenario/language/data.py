"""The shapes of `data`: the contents of collections by name.

Contents are a list of records, a fixture, or a number of records to generate. The contract's schema
checks each Pet; unlike a request, a file must not have other properties. Records of a collection
that a scenario defines are any JSON objects; `scenario` checks their keys.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import INT64_MAX, RECORDS_GENERATED
from mockpets.contract.collections import dump_record
from mockpets.contract.fields import INT64_BOUNDS, INVALID, Integer, split_hint
from mockpets.contract.pet_store import COLLECTIONS, PET_STORE, PETS
from mockpets.errors import InputError, RequestError, did_you_mean
from mockpets.scenario.language.mappings import ByKey, ByKind, Object, meant, unknown_key
from mockpets.scenario.language.shapes import Choice, ListOf, Number, Shape, Value, kebab_case
from mockpets.scenario.model import EVERYTHING, Generated
from mockpets.seed.names import LOCALES
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.fields import ContractField
    from mockpets.contract.model import Record
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Kind, Node
    from mockpets.scenario.language.shapes import Definitions, Schema

_PET_SCHEMA: Final = PET_STORE.schemas["Pet"]
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
        known = _PET_SCHEMA.fields
        for name, (key, _) in node.members.items():
            if name in known:
                continue
            if diagnostics.is_full:  # the nearest name takes as long as all the rest of a record
                diagnostics.add(key, f"unknown key {quote(name)}")
            else:
                unknown_key(key, name, known, diagnostics)
        pet = _PET_SCHEMA.accept(node.plain())
        if pet is not INVALID:
            return pet
        for path, problem in _PET_SCHEMA.problems(node.plain()):
            if path and path[0] not in node.members and meant(str(path[0]), node, known):
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
                name: _property(field, definitions) for name, field in _PET_SCHEMA.fields.items()
            },
            "required": [name for name, field in _PET_SCHEMA.fields.items() if field.required],
            "additionalProperties": False,
        }


def _property(field: ContractField, definitions: Definitions) -> Schema:
    bounds = INT64_BOUNDS if isinstance(field, Integer) else {}
    schema = {**field.openapi, **field.metadata, **bounds}
    if field.component is None:
        return schema
    definitions.schemas.setdefault(field.component, schema)
    return definitions.reference(field.component)


def _by_id(pets: tuple[Record, ...], node: Node, diagnostics: Diagnostics) -> tuple[Record, ...]:
    first: dict[object, int] = {}
    for index, item in enumerate(node.items):
        id_node, _ = item.find(("id",))
        if id_node.kind not in ("integer", "number"):
            continue
        if first.setdefault(id_node.value, index) != index:
            what = f"pet {first[id_node.value] + 1} already has the id {id_node.shown()}"
            diagnostics.add(node, what, "use unique ids", at=(index, "id"))
    return tuple(sorted(pets, key=lambda pet: pet["id"]))


def _fixture(name: str, node: Node, diagnostics: Diagnostics, collection: str) -> Any:
    if name not in diagnostics.fixtures:
        advice = "for your own, add its folder with --fixtures-dir"
        return diagnostics.unknown(node, "fixture", name, diagnostics.fixtures, advice)
    if not collection:
        diagnostics.own_fixtures.add(name)
    records = diagnostics.fixtures[name](collection)
    if isinstance(records, InputError):
        what = f"fixture {quote(name)} is invalid: {records.problems[0]}"
        return diagnostics.add(node, what, "fix the fixture")
    return records


def _fixture_page(name: str, node: Node, diagnostics: Diagnostics) -> Any:
    """Return a page of a fixture's pets; all pages of a file share the JSON of a fixture."""
    pets = _fixture(name, node, diagnostics, PETS.name)
    if pets is INVALID:
        return INVALID
    if len(pets) > CANNED_PETS:
        what = f"a page must have at most {CANNED_PETS} pets, {quote(name)} has {len(pets)}"
        hint = f"use data: {{pets: {name}}} in the scenario, and let the real operation respond"
        return diagnostics.add(node, what, hint)
    if name not in diagnostics.pages:
        diagnostics.pages[name] = b"[" + b",".join(pets) + b"]\n"
    return Page(len(pets), diagnostics.pages[name])


def _rows(pets: tuple[Record, ...], node: Node, diagnostics: Diagnostics) -> tuple[bytes, ...]:
    return tuple(map(_PET_SCHEMA.dump, _by_id(pets, node, diagnostics)))


def _as_rows(records: tuple[dict[str, Any], ...], node: Node, diagnostics: Diagnostics) -> Any:
    """Return records as JSON; report those that are too large."""
    rows = []
    for index, record in enumerate(records):
        try:
            rows.append(dump_record(record))
        except RequestError as error:
            diagnostics.add(node, error.message, at=(index,))
    return tuple(rows)


_PET: Final = _PetShape("A Pet of the contract.", name="PetInput")
_FIXTURE: Final = kebab_case("A fixture name.", "a fixture name")
_PETS: Final = ListOf("Pet objects with unique ids.", _PET, then=_rows)
_RECORDS: Final = ListOf(
    "The records, each a JSON object.", Value("A record.", ("mapping",)), then=_as_rows
)
PAGE: Final = ByKind(
    "Pet objects or a fixture name; status and limit of the request apply.",
    {
        "text": replace(_FIXTURE, then=_fixture_page),
        "list": ListOf(
            "Pet objects, in the order of the response.",
            _PET,
            most=CANNED_PETS,
            then=lambda pets, *_: Page(len(pets), _PET_SCHEMA.dump_all(pets) + b"\n"),
        ),
    },
    "a list of Pet objects or a fixture name",
)
_COUNT: Final = Number("The number of records to generate.", 0, RECORDS_GENERATED)
_GENERATED: Final = Object(
    "Records to generate.",
    {
        "count": _COUNT,
        "seed": Number(
            "Seed for the generated records; by default, the server's seed.", 0, INT64_MAX
        ),
        "locale": Choice(
            "Locale of the generated names; by default, the server's locale.", tuple(LOCALES)
        ),
    },
    required=("count",),
    name="GeneratedRecords",
    then=lambda values, *_: Generated(**values),
)


def _listed(records: Shape) -> Object:
    """Return the shape of records as `mockpets data --json` prints them."""
    return Object(
        "Records, as in a response of the control API.",
        {"records": records},
        required=("records",),
        then=lambda values, *_: values["records"],
    )


PETS_CONTENT: Final = ByKind(
    "Pets: a list, the name of a fixture, a number of generated pets, or what to generate.",
    name="PetsContent",
    kinds={
        "text": replace(_FIXTURE, then=partial(_fixture, collection=PETS.name)),
        "list": _PETS,
        "integer": replace(_COUNT, then=lambda count, *_: Generated(count)),
        "mapping": ByKey(
            "Pets to generate, or pets.",
            {
                **dict.fromkeys(("count", "seed", "locale"), _GENERATED),
                "records": _listed(_PETS),
            },
        ),
    },
    expected="a fixture name, a list of Pet objects, a number or {count, seed, locale}",
)


@dataclass(frozen=True, slots=True)
class _OwnContent(ByKind):
    """Contents of a collection that a scenario defines, of which none can be generated."""

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind in ("integer", "number") or node.members.keys() & _GENERATED.fields.keys():
            name = str(diagnostics.path[-1]) if diagnostics.path else ""
            what = "records can be generated only for a collection of the contract"
            hint = did_you_mean(name, COLLECTIONS)
            hint = hint or "write a list of records, or the name of a fixture"
            return diagnostics.add(node, what, hint)
        return ByKind._take(self, node, diagnostics)


_OWN_CONTENT: Final = _OwnContent(
    "Records of a collection that a scenario defines: a list, or the name of a fixture.",
    name="RecordsContent",
    kinds={
        "text": replace(_FIXTURE, then=partial(_fixture, collection="")),
        "list": _RECORDS,
        "mapping": _listed(_RECORDS),
    },
    expected="a fixture name or a list of records",
)


CONTENT: Final = ByKind(
    "The contents of a collection: a list of records, the name of a fixture, a number of records "
    "to generate, what to generate, or an object with `records`.",
    name="RecordsSource",
    kinds={
        "text": _FIXTURE,
        "list": _RECORDS,
        "integer": _COUNT,
        "mapping": ByKey(
            "Records to generate, or records.",
            {"count": _GENERATED, "records": _listed(_RECORDS)},
        ),
    },
    expected="a fixture name, a list of records, a number or {count, seed, locale}",
)
"""The shape of `content_shape`, for the documentation of the control API."""


def content_shape(collection: str) -> Shape:
    """Return the shape of the contents of a collection, by its name, or of `EVERYTHING`."""
    shapes: Mapping[str, Shape] = {PETS.name: PETS_CONTENT, EVERYTHING: _EVERYTHING}
    return shapes.get(collection, _OWN_CONTENT)


def records_shape(collection: str, *, with_mapping: bool) -> Shape:
    """Return the shape of a file of records.

    :param with_mapping: whether it may have the form that `mockpets data --json` prints.
    """
    records = _PETS if collection == PETS.name else _RECORDS
    if not with_mapping:
        return records
    kinds: Mapping[Kind, Shape] = {"list": records, "mapping": _listed(records)}
    return ByKind("Records of a collection.", kinds, "a list of records")


@dataclass(frozen=True, slots=True)
class _Nothing(Shape):
    """An empty list."""

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind == "list" and not node.items:
            return ()
        hint = f"{quote(EVERYTHING)} is every collection; name the one that has these records"
        return diagnostics.reject(node, "an empty list", hint)

    def _looks(self, _: Definitions) -> Schema:
        return {"type": "array", "maxItems": 0}


_EVERYTHING: Final = _Nothing("Empties every collection.")


@dataclass(frozen=True, slots=True)
class _Data(Shape):
    """The contents of collections by name; `read` returns a dict of the valid ones."""

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "mapping":
            hint = "name the collection: data: {pets: ...}" if node.kind != "nothing" else ""
            return diagnostics.reject(node, "a mapping of collections", hint)
        values = {
            name: content_shape(name).read(value, diagnostics.at(name))
            for name, (_, value) in node.members.items()
        }
        return {name: value for name, value in values.items() if value is not INVALID}

    def _looks(self, definitions: Definitions) -> Schema:
        return {
            "type": "object",
            "properties": {
                PETS.name: PETS_CONTENT.schema(definitions),
                EVERYTHING: _EVERYTHING.schema(definitions),
            },
            "additionalProperties": _OWN_CONTENT.schema(definitions),
        }


DATA: Final = _Data(
    "The contents of collections by name; * is every collection. A collection without contents has "
    "those of the session."
)
