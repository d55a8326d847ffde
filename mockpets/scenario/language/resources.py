"""The shape of `resources`: collections of records at paths outside the contract."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import BASE_MARK, CONTROL_PREFIX, ROLES
from mockpets.contract.collections import OwnSchema, json_types, required_of
from mockpets.contract.contract_model import Collection
from mockpets.records.table import parse_row
from mockpets.scenario.language.mappings import Object
from mockpets.scenario.language.match import SEGMENT, operation_at
from mockpets.scenario.language.shapes import Choice, ListOf, Text, kebab_case
from mockpets.units import quote

if TYPE_CHECKING:
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.scenario_model import Content


def _resource(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    path, key = values["path"], values.get("id", "id")
    if operation := operation_at(None, path, diagnostics.contracts):
        what = f"{quote(path)} is a path of {operation}, an operation of the contract"
        hint = "use another path; stubs and data change what operations return"
        return diagnostics.add(node, what, hint, at=("path",))
    name = values.get("name", path.rpartition("/")[2])
    if name in diagnostics.contracts.collections:
        what = f"the contract already has a collection with the name {quote(name)}"
        return diagnostics.add(node, what, "add another name", at=("name",))
    required, filters = values.get("required", ()), values.get("filters", ())
    return Collection(
        name,
        path,
        OwnSchema(key, required, properties=tuple(dict.fromkeys((key, *required, *filters)))),
        owner=diagnostics.name,
        key=key,
        filters=filters,
        only=values.get("only", ROLES),
        position=(node.line, node.column),
    )


def with_records(collection: Collection, rows: Content) -> Collection:
    """Return a collection that knows the properties of its records, and on which types they agree.

    :param rows: what the file that defines it says of its contents.
    """
    if not isinstance(rows, tuple):
        return collection
    records = [parse_row(row) for row in rows]
    types = json_types(records)
    properties = tuple(dict.fromkeys(chain(collection.schema.properties, *records)))
    schema = OwnSchema(collection.key, required_of(collection), types, properties)
    return replace(collection, schema=schema)


def _distinct(
    resources: tuple[Collection, ...], node: Node, diagnostics: Diagnostics
) -> tuple[Collection, ...]:
    """Return resources, whose names and paths must be unique."""
    for what in ("name", "path"):
        first: dict[str, Collection] = {}
        for resource in resources:
            value = getattr(resource, what)
            if first.setdefault(value, resource) is not resource:
                index = next(
                    index
                    for index, item in enumerate(node.items)
                    if (item.line, item.column) == resource.position
                )
                hint = "use a unique path" if what == "path" else "add a unique name"
                problem = f"another resource already has the {what} {quote(value)}"
                diagnostics.add(node, problem, hint, at=(index, what))
    return resources


def _own_path(path: str, node: Node, diagnostics: Diagnostics) -> Any:
    if path == CONTROL_PREFIX or path.startswith((f"{CONTROL_PREFIX}/", f"/{BASE_MARK}")):
        what = f"{quote(path)} is a path of mockpets itself"
        example = f"{diagnostics.contracts.base}/orders"
        return diagnostics.add(node, what, f"use another path, such as {example}")
    return path


_CONTENTS: Final = "give the records by the name of the collection: data: {orders: [...]}"
_FILTERS: Final = 8
"""Maximum number of filters: each is an index that every change updates."""
_PROPERTY: Final = Text("The name of a property.", "the name of a property", r"[\s\S]+", 100)
_RESOURCE: Final = Object(
    "A collection of records that clients can list, add, change and delete.",
    {
        "path": Text(
            "Path of the list, outside the contract. A record is one segment below it.",
            "a path such as /v1/store/orders, without wildcards",
            rf"(?:/{SEGMENT})+",
            convert=_own_path,
        ),
        "id": replace(_PROPERTY, description="Name of the ID property, by default id."),
        "required": ListOf("Properties that each record must have.", _PROPERTY),
        "filters": ListOf(
            "Properties with an index, for fast filters. Other properties are filters, too.",
            _PROPERTY,
            most=_FILTERS,
        ),
        "only": ListOf(
            f"What clients may do: {', '.join(ROLES)}. By default, all of these.",
            Choice("What a client may do.", ROLES),
            least=1,
        ),
        "name": kebab_case("Name in the control API. By default, the path's last segment."),
    },
    required=("path",),
    misplaced=dict.fromkeys(("items", "records", "data"), _CONTENTS),
    name="Resource",
    convert=_resource,
)
RESOURCES: Final = ListOf(
    "Collections that keep what clients send, at paths outside the contract.",
    _RESOURCE,
    convert=_distinct,
)
