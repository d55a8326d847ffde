"""The shapes of `data`: the contents of collections by name.

Contents are a list of records, a fixture, or a number of records to generate. A contract's schema
checks each record; unlike a request, a file must not have other properties. Records of a collection
that a scenario defines are any JSON objects; `scenario` checks their keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import INT64_MAX, RECORDS_GENERATED
from mockpets.contract.collections import dump_record, record_problems
from mockpets.contract.contract_model import RecordSchema
from mockpets.contract.document_records import DocumentRecords
from mockpets.contract.fields import INT64_BOUNDS, INVALID, Integer, split_hint
from mockpets.errors import InputError, RequestError, did_you_mean
from mockpets.records.table import parse_row
from mockpets.scenario.language.likely_mistakes import NEAR
from mockpets.scenario.language.mappings import ByKey, ByKind, Object, meant, unknown_key
from mockpets.scenario.language.shapes import Choice, ListOf, Number, Shape, Value, kebab_case
from mockpets.scenario.scenario_model import EVERYTHING, Generated
from mockpets.seed.generated_records import complete, generate
from mockpets.seed.names import LOCALES
from mockpets.strict_json import json_array
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mockpets.contract.contract_model import Collection, Key, Record
    from mockpets.contract.contract_model import Schema as Fields
    from mockpets.contract.fields import ContractField, Invalid
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Kind, Node
    from mockpets.scenario.language.shapes import Definitions, Schema

CANNED_RECORDS: Final = 1000
"""Maximum number of records in a canned page: ten times what the built-in contract allows."""


@dataclass(frozen=True, slots=True)
class Page:
    """Records as the body of a list's response."""

    count: int
    body: bytes


@dataclass(frozen=True, slots=True)
class _Record(Shape):
    """A record of a contract's collection, with no other properties.

    :param of: the schema of a record.
    """

    of: Fields

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "mapping":
            return diagnostics.reject(node, f"a {self.of.name} object")
        known = self.of.fields
        for name, (key, _) in node.members.items():
            if name in known:
                continue
            if diagnostics.is_full:  # the nearest name takes as long as all the rest of a record
                diagnostics.add(key, f"unknown key {quote(name)}")
            else:
                unknown_key(key, name, known, diagnostics)
        record = self.of.accept(node.plain())
        if record is not INVALID:
            return record
        for path, problem in self.of.problems(node.plain()):
            if path and path[0] not in node.members and meant(str(path[0]), node, known):
                continue
            what, hint = split_hint(problem)
            child, _ = node.find(path)
            if "string" in what and child.kind in ("integer", "number", "boolean"):
                hint = f'quote it: "{child.shown()}"'
            diagnostics.add(node, what, hint, at=path)
        return INVALID

    def _json_schema(self, definitions: Definitions) -> Schema:
        fields = self.of.fields
        return {
            "type": "object",
            "properties": {name: _property(field, definitions) for name, field in fields.items()},
            "required": [name for name, field in fields.items() if field.required],
            "additionalProperties": False,
        }


def _property(field: ContractField, definitions: Definitions) -> Schema:
    bounds = INT64_BOUNDS if isinstance(field, Integer) else {}
    schema = {**field.openapi, **field.metadata, **bounds}
    if field.component is None:
        return schema
    definitions.schemas.setdefault(field.component, schema)
    return definitions.reference(field.component)


def _by_key(
    collection: Collection, records: tuple[Record, ...], node: Node, diagnostics: Diagnostics
) -> tuple[Record, ...]:
    """Return records in the order of their keys, which must be unique."""
    key = collection.key
    first: dict[object, int] = {}
    for index, item in enumerate(node.items):
        key_node, _ = item.find((key,))
        if key_node.kind not in ("integer", "number"):
            continue
        if first.setdefault(key_node.value, index) != index:
            one = collection.name.removesuffix("s")
            what = f"{one} {first[key_node.value] + 1} already has the {key} {key_node.shown()}"
            diagnostics.add(node, what, f"use unique {key}s", at=(index, key))
    return tuple(sorted(records, key=lambda record: record[key]))


def _fixture(name: str, node: Node, diagnostics: Diagnostics, collection: Collection | None) -> Any:
    if name not in diagnostics.fixtures:
        advice = "for your own, add its folder with --fixtures-dir"
        return diagnostics.unknown(node, "fixture", name, diagnostics.fixtures, advice)
    if collection is None:
        diagnostics.own_fixtures.add(name)
    records = diagnostics.fixtures[name](collection)
    if isinstance(records, InputError):
        what = f"fixture {quote(name)} is invalid: {records.problems[0]}"
        return diagnostics.add(node, what, "fix the fixture")
    return records


def _fixture_page(collection: Collection, name: str, node: Node, diagnostics: Diagnostics) -> Any:
    """Return a page of a fixture's records; all pages of a file share the JSON of a fixture."""
    rows = _fixture(name, node, diagnostics, collection)
    if rows is INVALID:
        return INVALID
    if len(rows) > CANNED_RECORDS:
        kind = collection.name
        what = f"a page must have at most {CANNED_RECORDS} {kind}, {quote(name)} has {len(rows)}"
        hint = f"use data: {{{kind}: {name}}} in the scenario, and let the real operation respond"
        return diagnostics.add(node, what, hint)
    key = collection.label, name
    if key not in diagnostics.pages:
        diagnostics.pages[key] = json_array(rows) + b"\n"
    return Page(len(rows), diagnostics.pages[key])


def _rows(
    collection: Collection, records: tuple[Record, ...], node: Node, diagnostics: Diagnostics
) -> tuple[bytes, ...]:
    return tuple(map(collection.schema.dump, _by_key(collection, records, node, diagnostics)))


def _places(node: Node) -> list[int]:
    """Return the indexes of the objects in a list, because what reads it drops other items."""
    return [index for index, item in enumerate(node.items) if item.kind == "mapping"]


def _as_rows(records: tuple[dict[str, Any], ...], node: Node, diagnostics: Diagnostics) -> Any:
    """Return records as JSON; report those that are too large."""
    rows = []
    for index, record in zip(_places(node), records, strict=True):
        try:
            rows.append(dump_record(record))
        except RequestError as error:
            diagnostics.add(node, error.message, at=(index,))
    return tuple(rows)


_FIXTURE: Final = kebab_case("A fixture name.", "a fixture name")
_RECORDS: Final = ListOf(
    "The records, each a JSON object.", Value("A record.", ("mapping",)), convert=_as_rows
)


def _completed_rows(
    collection: Collection, records: tuple[Record, ...], node: Node, diagnostics: Diagnostics
) -> tuple[bytes, ...]:
    """Return records of a document's collection as JSON; incomplete ones are completed."""
    schema = collection.schema
    assert isinstance(schema, DocumentRecords)  # noqa: S101 - others have the contract's schema
    places = _places(node)
    for index, record in zip(places, records, strict=True):
        for path, problem in schema.problems(record):
            what, hint = split_hint(problem)
            diagnostics.add(node, what, hint, at=(index, *path))
        _check_names(schema, node.items[index], diagnostics.at(index + 1))
    for index, what, hint, path in record_problems(records, collection):
        if collection.key in records[index]:  # else it gets one
            diagnostics.add(node, what, hint, at=(places[index], *path))
    parents = _parents(collection, diagnostics)
    return tuple(map(collection.schema.dump, complete(collection, records, parents)))


def _check_names(schema: DocumentRecords, node: Node, diagnostics: Diagnostics) -> None:
    """Report properties that a record cannot have; warn about those that are probably misspelt."""
    for name, (key, _) in node.members.items():
        if name in schema.properties or name == schema.key:
            continue
        what = f"{quote(name)} is not a property of {schema.guessed.name}"
        if not schema.allows(name):
            known = ", ".join(schema.properties)
            hint = did_you_mean(name, schema.properties) or f"properties: {known}"
            diagnostics.at(name).add(key, what, hint)
        elif near := did_you_mean(name, schema.properties, NEAR):
            diagnostics.at(name).warn(key, what, near)


def _parent(collection: Collection | None) -> str:
    """Return the name of the collection to whose records those of another one belong; or empty."""
    if collection is None or not isinstance(collection.schema, DocumentRecords):
        return ""
    return collection.sibling(collection.schema.guessed.parent)


def _parents(collection: Collection, diagnostics: Diagnostics) -> Sequence[Key] | None:
    """Return the keys of the parents that the same data has; None if it has none."""
    name = _parent(collection)
    content = diagnostics.contents.get(name)
    if content is None:
        return None
    parent = diagnostics.contracts.collections[name]
    if isinstance(content, Generated):
        seed = 1 if content.seed is None else content.seed
        records = generate(parent, content.count, seed, content.locale or "")
    else:
        records = map(parse_row, content)
    return [each[parent.key] for each in records]


def _noun(collection: Collection) -> str:
    """Return how messages call the records of a contract's collection."""
    schema = collection.schema
    return f"{schema.whole.name} objects" if isinstance(schema, RecordSchema) else "records"


@lru_cache(64)
def _records_of(collection: Collection) -> ListOf:
    """Return the shape of records of a contract's collection."""
    if not isinstance(collection.schema, RecordSchema):
        what = f"Records of {collection.name}; what is missing is generated."
        item = Value("A record.", ("mapping",))
        return ListOf(what, item, convert=partial(_completed_rows, collection))
    fields = collection.schema.whole
    record = _Record(f"A {fields.name} of the contract.", fields, name=f"{fields.name}Input")
    what = f"{fields.name} objects with unique {collection.key}s."
    return ListOf(what, record, convert=partial(_rows, collection))


@lru_cache(64)
def _page_of(collection: Collection) -> Shape:
    """Return the shape of a page of a contract's collection."""
    kind = _noun(collection)

    def listed(records: tuple[Record, ...], node: Node, diagnostics: Diagnostics) -> Page:
        if isinstance(collection.schema, RecordSchema):
            return Page(len(records), collection.schema.whole.dump_all(records) + b"\n")
        rows = _completed_rows(collection, records, node, diagnostics)
        return Page(len(rows), json_array(rows) + b"\n")

    return ByKind(
        f"{kind} or a fixture name; the query of the request applies.",
        {
            "text": replace(_FIXTURE, convert=partial(_fixture_page, collection)),
            "list": ListOf(
                f"{kind}, in the order of the response.",
                _records_of(collection).item,
                most=CANNED_RECORDS,
                convert=listed,
            ),
        },
        f"a list of {kind} or a fixture name",
    )


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page in a file, to be read when the list that responds with it is known."""

    node: Node
    diagnostics: Diagnostics
    _pages: dict[Collection, Any] = field(default_factory=dict, compare=False)

    @property
    def is_empty(self) -> bool:
        """Whether it is a list without records, which is a page of any collection."""
        return self.node.kind == "list" and not self.node.items

    def read(self, collection: Collection) -> Page | Invalid:
        """Return the page of a collection's records, or report its problems, once."""
        if collection not in self._pages:
            self._pages[collection] = _page_of(collection).read(self.node, self.diagnostics)
        page: Page | Invalid = self._pages[collection]
        return page


@dataclass(frozen=True, slots=True)
class _AnyPage(Shape):
    """A page of any list; `read` returns a `PageSource`."""

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        return PageSource(node, diagnostics)

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema of a page of any list of the contracts."""
        lists = dict.fromkeys(each.collection for each in definitions.contracts.paged)
        pages = [_page_of(each).schema(definitions) for each in lists if each]
        return pages[0] if len(pages) == 1 else {"anyOf": pages} if pages else {"type": "array"}


PAGE: Final = _AnyPage("A page of records.")
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
    convert=lambda values, *_: Generated(**values),
)


def _listed(records: Shape) -> Object:
    """Return the shape of records as `mockpets data --json` prints them."""
    return Object(
        "Records, as in a response of the control API.",
        {"records": records},
        required=("records",),
        convert=lambda values, *_: values["records"],
    )


@lru_cache(64)
def _content_of(collection: Collection) -> ByKind:
    """Return the shape of the contents of a contract's collection."""
    name, records = collection.name, _records_of(collection)
    return ByKind(
        f"{name.capitalize()}: a list, the name of a fixture, a number of generated {name}, or "
        "what to generate.",
        name=f"{name.capitalize()}Content",
        kinds={
            "text": replace(_FIXTURE, convert=partial(_fixture, collection=collection)),
            "list": records,
            "integer": replace(_COUNT, convert=lambda count, *_: Generated(count)),
            "mapping": ByKey(
                f"{name.capitalize()} to generate, or {name}.",
                {
                    **dict.fromkeys(("count", "seed", "locale"), _GENERATED),
                    "records": _listed(records),
                },
            ),
        },
        expected=f"a fixture name, a list of {_noun(collection)}, a number or "
        "{count, seed, locale}",
    )


@dataclass(frozen=True, slots=True)
class _OwnContent(ByKind):
    """Contents of a collection that a scenario defines, of which none can be generated."""

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind in ("integer", "number") or node.members.keys() & _GENERATED.fields.keys():
            name = str(diagnostics.path[-1]) if diagnostics.path else ""
            what = "records can be generated only for a collection of the contract"
            hint = did_you_mean(name, diagnostics.contracts.collections)
            hint = hint or "write a list of records, or the name of a fixture"
            return diagnostics.add(node, what, hint)
        return ByKind._parse(self, node, diagnostics)


_OWN_CONTENT: Final = _OwnContent(
    "Records of a collection that a scenario defines: a list, or the name of a fixture.",
    name="RecordsContent",
    kinds={
        "text": replace(_FIXTURE, convert=partial(_fixture, collection=None)),
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


def content_shape(collection: Collection | None) -> Shape:
    """Return the shape of the contents of a contract's collection; None for a scenario's."""
    return _OWN_CONTENT if collection is None else _content_of(collection)


def records_shape(collection: Collection | None, *, with_mapping: bool) -> Shape:
    """Return the shape of a file of records.

    :param collection: of a contract; None for a scenario's.
    :param with_mapping: whether it may have the form that `mockpets data --json` prints.
    """
    records = _RECORDS if collection is None else _records_of(collection)
    if not with_mapping:
        return records
    kinds: Mapping[Kind, Shape] = {"list": records, "mapping": _listed(records)}
    return ByKind("Records of a collection.", kinds, "a list of records")


@dataclass(frozen=True, slots=True)
class _Nothing(Shape):
    """An empty list."""

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind == "list" and not node.items:
            return ()
        hint = f"{quote(EVERYTHING)} is every collection; name the one that has these records"
        return diagnostics.reject(node, "an empty list", hint)

    def _json_schema(self, _: Definitions) -> Schema:
        return {"type": "array", "maxItems": 0}


_EVERYTHING: Final = _Nothing("Empties every collection.")


@dataclass(frozen=True, slots=True)
class _Data(Shape):
    """The contents of collections by name; `read` returns a dict of the valid ones."""

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "mapping":
            names = [*diagnostics.contracts.collections, "orders"]
            hint = f"name the collection: data: {{{names[0]}: ...}}"
            hint = hint if node.kind != "nothing" else ""
            return diagnostics.reject(node, "a mapping of collections", hint)
        known = diagnostics.contracts.collections
        values: dict[str, Any] = {}
        diagnostics = replace(diagnostics, contents=values)
        for name in _parents_first(node.members, known):
            shape = _EVERYTHING if name == EVERYTHING else content_shape(known.get(name))
            value = shape.read(node.members[name][1], diagnostics.at(name))
            if value is not INVALID:
                values[name] = value
        return {name: values[name] for name in node.members if name in values}

    def _json_schema(self, definitions: Definitions) -> Schema:
        return {
            "type": "object",
            "properties": {
                **{
                    name: _content_of(each).schema(definitions)
                    for name, each in definitions.contracts.collections.items()
                },
                EVERYTHING: _EVERYTHING.schema(definitions),
            },
            "additionalProperties": _OWN_CONTENT.schema(definitions),
        }


def _parents_first(names: Iterable[str], known: Mapping[str, Collection]) -> list[str]:
    """Return the names of collections, each one after that of its parent."""
    result: list[str] = []
    for name in names:
        way = [name]
        while (parent := _parent(known.get(way[-1]))) in names and parent not in way:
            way.append(parent)
        result += reversed(way)
    return [*dict.fromkeys(result)]


DATA: Final = _Data(
    "The records of collections by name; * means every collection. Other collections keep the "
    "records of the session."
)
