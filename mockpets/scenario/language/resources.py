"""The shape of `resources`: collections of records at paths outside the contract."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import API_PREFIX
from mockpets.errors import RequestError
from mockpets.scenario.language.diagnostics import INVALID
from mockpets.scenario.language.mappings import Object
from mockpets.scenario.language.match import SEGMENT, advise_path, operation_at
from mockpets.scenario.language.shapes import Choice, ListOf, Text, Value, kebab_case
from mockpets.scenario.resources import ACTIONS, Resource, id_problem, row_of
from mockpets.units import quote

if TYPE_CHECKING:
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node


def _resource(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    path, key = values["path"], values.get("id", "id")
    if operation := operation_at(None, path):
        what = f"{quote(path)} is a path of {operation}, an operation of the contract"
        hint = "use another path; stubs and pets change what operations return"
        return diagnostics.add(node, what, hint, at=("path",))
    before, given = len(diagnostics.problems), values.get("items", ())
    if len(given) < len(node.find(("items",))[0].items):
        return INVALID  # reported; the others have other positions
    items = _rows(given, key, values.get("required", ()), node, diagnostics)
    if len(diagnostics.problems) > before:
        return INVALID
    return Resource(
        path,
        values.get("name", path.rpartition("/")[2]),
        diagnostics.name,
        items,
        key,
        values.get("required", ()),
        values.get("only", ACTIONS),
        (node.line, node.column),
    )


def _rows(
    items: tuple[dict[str, Any], ...],
    key: str,
    required: tuple[str, ...],
    node: Node,
    diagnostics: Diagnostics,
) -> tuple[bytes, ...]:
    """Return records as JSON; report those without a valid ID or a required property."""
    rows: list[bytes] = []
    first: dict[str, int] = {}
    for index, item in enumerate(items):
        at = ("items", index)
        for name in dict.fromkeys((key, *required)):
            if name not in item:
                hint = f"add {name}: {index + 1}" if name == key else f"add {name}"
                diagnostics.add(node, f"missing property {quote(name)}", hint, at=at)
        if key not in item:
            continue
        record_id, at_id = item[key], (*at, key)
        if problem := id_problem(record_id):
            diagnostics.add(node, problem, at=at_id)
            continue
        if (position := first.setdefault(str(record_id), index)) != index:
            what = f"item {position + 1} already has the {key} {record_id}"
            diagnostics.add(node, what, "use unique ids", at=at_id)
        try:
            rows.append(row_of(item))
        except RequestError as error:
            diagnostics.add(node, error.message, at=at)
    return tuple(rows)


def _distinct(
    resources: tuple[Resource, ...], node: Node, diagnostics: Diagnostics
) -> tuple[Resource, ...]:
    """Return resources, whose names and paths must be unique."""
    for what in ("name", "path"):
        first: dict[str, Resource] = {}
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


_PROPERTY: Final = Text("The name of a property.", "the name of a property", r"[\s\S]+", 100)
_RESOURCE: Final = Object(
    "A collection of records that clients can list, add, change and delete.",
    {
        "path": Text(
            "Path of the list, outside the contract. A record is one segment below it.",
            f"a path such as {API_PREFIX}/store/orders, without wildcards",
            rf"{API_PREFIX}(?:/{SEGMENT})+",
            advise=advise_path,
        ),
        "items": ListOf(
            "The initial records, which a reset restores.",
            Value("A record: any JSON object with an ID.", ("mapping",)),
        ),
        "id": replace(_PROPERTY, description="Name of the property that is the ID, by default id."),
        "required": ListOf("Properties that each record must have.", _PROPERTY),
        "only": ListOf(
            f"What clients may do: {', '.join(ACTIONS)}. By default, all of it.",
            Choice("What a client may do.", ACTIONS),
            least=1,
        ),
        "name": kebab_case("Name in the control API. By default, the path's last segment."),
    },
    required=("path",),
    misplaced={"pets": "use items", "records": "use items", "data": "use items"},
    name="Resource",
    then=_resource,
)
RESOURCES: Final = ListOf(
    "Collections that keep what clients send, at paths outside the contract.",
    _RESOURCE,
    then=_distinct,
)
