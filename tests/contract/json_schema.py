"""The oracle: jsonschema, for the schemas of an OpenAPI 3.0 or 3.1 document."""

from collections.abc import Callable
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from mockpets.contract.openapi_loader import Document, Node

_URI = "urn:document"


def is_valid_by(document: Document) -> Callable[[Node, object], bool]:
    """Return a function that validates a value by a schema of a document."""
    root = _as_json_schema(document.root)
    registry: Registry[Any] = Registry().with_resource(_URI, DRAFT202012.create_resource(root))
    validators: dict[int, tuple[Node, Any]] = {}

    def is_valid(schema: Node, value: object) -> bool:
        known = validators.get(id(schema))
        if known is None:
            absolute = _as_json_schema(schema, _URI)
            validator = Draft202012Validator(absolute, registry=registry)
            known = validators[id(schema)] = schema, validator
        return bool(known[1].is_valid(value))

    return is_valid


def _as_json_schema(node: Any, base: str = "") -> Any:
    """Return a schema of OpenAPI 3.0 or 3.1 as JSON Schema; references get a base."""
    if isinstance(node, list):
        return [_as_json_schema(each, base) for each in node]
    if not isinstance(node, dict):
        return node
    result = {
        name: part
        if name in {"example", "examples", "enum", "const"}
        else _as_json_schema(part, base)
        for name, part in node.items()
        if name not in {"nullable", "x-topics"}
    }
    if isinstance(node.get("$ref"), str):
        result["$ref"] = base + node["$ref"]
    for keyword in ("Minimum", "Maximum"):
        exclusive, plain = f"exclusive{keyword}", keyword.lower()
        if isinstance(node.get(exclusive), bool):
            del result[exclusive]
            if node[exclusive] and plain in result:
                result[exclusive] = result.pop(plain)
    if node.get("nullable") is True and isinstance(node.get("type"), str):
        result["type"] = [node["type"], "null"]
        if "enum" in result and None not in result["enum"]:
            result["enum"] = [*result["enum"], None]
    return result
