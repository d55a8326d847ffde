"""The contract with the resources of scenarios as an OpenAPI 3.1 document, for typed clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import API_PREFIX, PAGE_DEFAULT, PAGE_MAX, PAGE_MIN
from mockpets.contract.openapi import document
from mockpets.scenario.resources import STATUSES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mockpets.scenario.library import Stack
    from mockpets.scenario.resources import Action, Resource

    Schema = dict[str, Any]

_LIMIT: Final = {
    "type": "integer",
    "minimum": PAGE_MIN,
    "maximum": PAGE_MAX,
    "default": PAGE_DEFAULT,
}
_SUMMARIES: Final[Mapping[Action, tuple[str, str]]] = {
    "list": ("list{}", "List the records"),
    "create": ("create{}Record", "Add a record"),
    "get": ("get{}Record", "Get a record"),
    "replace": ("replace{}Record", "Replace a record"),
    "update": ("update{}Record", "Apply a JSON merge patch to a record"),
    "delete": ("delete{}Record", "Delete a record"),
}
"""The form of the operation's ID, and what it does."""
_TEXTS: Final = {
    200: "The record, or the records.",
    201: "The new record.",
    204: "The record is deleted.",
    400: "Body missing required properties or containing invalid values.",
    401: "Missing or invalid API key.",
    404: "No record has this ID.",
    409: "Another record has this ID.",
}


def document_with(stack: Stack) -> Mapping[str, Any]:
    """Return the contract's document with the paths of the resources that a stack serves."""
    contract = document()
    if not stack.resources:
        return contract
    paths, schemas = {**contract["paths"]}, {**contract["components"]["schemas"]}
    hidden = stack.hidden()
    for resource in stack.resources:
        if resource not in hidden:
            name = _name(resource, schemas)
            schemas |= _schemas(resource, name)
            paths |= _paths(resource, name)
    components = {**contract["components"], "schemas": schemas}
    tags = [*contract["tags"], {"name": "resources", "description": "Of the active scenarios."}]
    return {**contract, "tags": tags, "paths": paths, "components": components}


def _name(resource: Resource, taken: Collection[str]) -> str:
    """Return the start of the names of a resource's schemas and operations."""
    name = _pascal(resource.name)
    if name in taken or f"{name}Record" in taken:  # such as `Pets`
        name = _pascal(resource.scenario) + name
    return name


def _pascal(name: str) -> str:
    words = "".join(letter if letter.isalnum() else " " for letter in name).split()
    return "".join(word[:1].upper() + word[1:] for word in words)


def _schemas(resource: Resource, name: str) -> dict[str, Schema]:
    """Return the schemas of a record in responses and requests, and of a merge patch."""
    properties: dict[str, Schema] = {}
    for each in resource.properties:
        kind = resource.types.get(each)
        properties[each] = {} if kind is None else {"type": kind}
        if kind == "array":
            properties[each]["items"] = {}
    kinds = {"number": "integer", "string": "string"}
    key_kind = resource.types.get(resource.key, "")
    properties[resource.key] = {"type": kinds.get(key_kind, ["integer", "string"])}
    record: Schema = {"type": "object", "properties": properties}
    required = [each for each in resource.required if each != resource.key]
    new = {**record, "required": required} if required else record
    removable = {
        each: {**kind, "type": [kind["type"], "null"]}
        for each, kind in properties.items()
        if each not in (resource.key, *required) and "type" in kind
    }
    return {
        f"{name}Record": {**record, "required": [resource.key, *required]},
        f"New{name}Record": new,
        f"{name}Patch": {**record, "properties": {**properties, **removable}},
    }


def _paths(resource: Resource, name: str) -> dict[str, Any]:
    """Return the operations of a resource by path and method."""
    path = resource.path.removeprefix(API_PREFIX)
    found = {
        place: {
            method.lower(): _operation(resource, action, name)
            for method, action in resource.methods(of_record=place != path).items()
        }
        for place in (path, f"{path}/{{{resource.key}}}")
    }
    return {place: operations for place, operations in found.items() if operations}


def _operation(resource: Resource, action: Action, name: str) -> dict[str, Any]:
    form, summary = _SUMMARIES[action]
    record = _reference(f"{name}Record")
    success = {"type": "array", "items": record} if action == "list" else record
    responses: dict[str, Any] = {}
    for status in sorted((*STATUSES[action], 401)):
        responses[str(status)] = {"description": _TEXTS[status]}
        if status != 204:
            schema = success if status < 300 else _reference("Error")
            responses[str(status)]["content"] = {"application/json": {"schema": schema}}
    operation: dict[str, Any] = {
        "operationId": form.format(name),
        "tags": ["resources"],
        "summary": summary,
        "description": f"Resource {resource.label}, which the contract does not have.",
        "x-off-contract": True,
    }
    kinds = _schemas(resource, name)[f"{name}Record"]["properties"]
    if action == "list":
        filters = {each: kinds[each] for each in kinds if each != "limit"}
        parameters = [("query", each, kind) for each, kind in {**filters, "limit": _LIMIT}.items()]
        operation["parameters"] = [_parameter(*each) for each in parameters]
    elif action != "create":
        operation["parameters"] = [_parameter("path", resource.key, kinds[resource.key])]
    if action in ("create", "replace", "update"):
        kind = f"{name}Patch" if action == "update" else f"New{name}Record"
        media = "application/merge-patch+json" if action == "update" else "application/json"
        content = {media: {"schema": _reference(kind)}}
        operation["requestBody"] = {"required": True, "content": content}
    return {**operation, "responses": responses}


def _parameter(place: str, name: str, schema: Schema) -> dict[str, Any]:
    required = {"required": True} if place == "path" else {}
    return {"in": place, "name": name, **required, "schema": schema}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
