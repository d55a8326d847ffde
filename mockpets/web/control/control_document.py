"""The control API as an OpenAPI 3.1 document, made from what its views use.

The calls come from `contract.control_calls` and the docstrings of their views, request bodies from
the shapes that read them, and responses from the types in `contract.control_types`. Only objects in
responses may have additional properties.
"""

from __future__ import annotations

import inspect
import re
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from mockpets.constants import CONTROL_PREFIX, ERRORS, SESSION_HEADER, VERSION
from mockpets.contract import control_calls, control_types
from mockpets.contract.contract_model import RecordSchema
from mockpets.contract.control_calls import CALLS, SCENARIO_FILE, TAGS
from mockpets.contract.query_parameters import PARAMETERS
from mockpets.scenario.language import (
    contents,
    control_bodies,
    expectations,
    reply,
    session_export,
)
from mockpets.scenario.language.shapes import Definitions, Shape
from mockpets.web.control.call import VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mockpets.contract.contract_model import Contract, Contracts
    from mockpets.contract.control_calls import Call
    from mockpets.scenario.language.shapes import Schema

_DESCRIPTION: Final = """\
Control a running mockpets: its sessions, active scenarios, records, recorded requests
 and gates.

A call applies to the session in the server's URL (`/~NAME/__mockpets`) or the header
`Mockpets-Session`, or else to `default`. Later versions can add properties to responses.
"""
_SHAPES: Final = {
    each.name: each
    for module in (contents, control_bodies, expectations, reply, session_export)
    for each in vars(module).values()
    if isinstance(each, Shape) and each.name
}
"""Shapes by name; those of request bodies are among them."""
_RETURNED: Final = get_type_hints(
    control_calls, localns={"types": control_types}, include_extras=True
)
"""Constant of a call to the type of its row, which names that of its response."""
_RECORD: Final = {
    "type": "object",
    "description": "A record: an object with any properties.",
    "additionalProperties": True,
}
_PATH_PARAMETERS: Final[Mapping[str, tuple[str, Schema]]] = {
    "name": ("Name", {"type": "string"}),
    "number": ("Number", {"type": "integer", "minimum": 1}),
    "record": ("ID of a record", {"type": "string"}),
}
_ERROR: Final = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}


def document_of(tag: str | None, contracts: Contracts) -> Mapping[str, Any]:
    """Return the OpenAPI 3.1 document of the calls with a tag.

    :param tag: None for all calls that have one.
    :param contracts: those whose operations and records it names.
    """
    calls = {
        name: call
        for name, call in CALLS.items()
        if (call.tag == tag if tag is not None else call.tag)
    }
    definitions = Definitions("#/components/schemas/", contracts)
    # First, so that the shapes refer to them.
    for each in contracts.all:
        definitions.schemas.update(_of_records(each))
    for call in calls.values():
        if call.body in _SHAPES:
            _SHAPES[call.body].schema(definitions)
    schema_of(control_types.Error, definitions)
    definitions.schemas["DataRecord"] = _RECORD

    paths: dict[str, Any] = {}
    for name, call in calls.items():
        operations = paths.setdefault(call.path, {})
        operations[call.method.lower()] = _operation(name, call, definitions)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "mockpets control API",
            "version": VERSION,
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
            "contact": {"name": "The maintainers of mockpets"},
        },
        # Relative to the address of the document, so it works on every host and port.
        "servers": [{"url": CONTROL_PREFIX, "description": "This mock server"}],
        # Without a token where the server needs none, as on loopback.
        "security": [{}, {"bearerAuth": []}],
        "tags": [
            {"name": name, "description": text}
            for name, text in TAGS.items()
            if tag in (None, name)
        ],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(definitions.schemas.items())),
            "parameters": {
                "Session": {
                    "name": SESSION_HEADER,
                    "in": "header",
                    "description": "Name of the session, unless the server's URL names it.",
                    "schema": {"type": "string", "default": "default"},
                }
            },
            "securitySchemes": {
                "bearerAuth": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The control token (`--control-token`) as a bearer token.",
                }
            },
        },
    }


def _operation(name: str, call: Call[Any], definitions: Definitions) -> dict[str, Any]:
    # Up to the first field, such as `:raise`.
    text = _markdown((inspect.getdoc(VIEWS[call]) or "").partition("\n\n:")[0])
    first, *words = name.split("_")
    operation: dict[str, Any] = {
        "operationId": first + "".join(map(str.capitalize, words)),
        "tags": [call.tag],
        "summary": re.split(r"[.;](?:\s|$)", text)[0],
        "description": text,
    }
    if call.caller != "owner":
        operation["security"] = []
    if parameters := [*_parameters(call)]:
        operation["parameters"] = parameters
    if call.body:
        operation["requestBody"] = {
            "required": call.needs_body,
            "content": {
                **(
                    {"application/yaml": {"schema": {"type": "string"}}}
                    if call.body == SCENARIO_FILE
                    else {}
                ),
                "application/json": {"schema": definitions.reference(call.body)},
            },
        }
    operation["responses"] = _responses(name, call, definitions)
    return operation


def _parameters(call: Call[Any]) -> Iterator[dict[str, Any]]:
    """Yield the parameters of a call: in the path, the query and the headers."""
    for name in re.findall(r"{(\w+)}", call.path):
        what, schema = _PATH_PARAMETERS[name]
        subject = call.path.split("/")[1]
        subject = "collection" if subject == "data" else subject[:-1]
        described = {"description": f"{what} of the {subject}.", "schema": schema}
        yield {"name": name, "in": "path", "required": True, **described}
    for name, parameter in PARAMETERS[call.parameters or ""].items():
        described = {"description": parameter.description, "schema": parameter.schema}
        yield {"name": name, "in": "query", **described}
    if call.has_filters:
        # An object in the style `form` is a parameter for each of its properties.
        values = {"type": "object", "additionalProperties": {"type": "string"}}
        described = {"description": "Values of properties.", "schema": values}
        yield {"name": "filters", "in": "query", "style": "form", "explode": True, **described}
    for name, description in call.conditions:
        schema = {"type": "string"}
        yield {"name": name, "in": "header", "description": description, "schema": schema}
    if call.session != "none":
        yield {"$ref": "#/components/parameters/Session"}


def _responses(name: str, call: Call[Any], definitions: Definitions) -> dict[str, Any]:
    """Return the responses of a call: its success, and any error."""
    (kind,) = get_args(_RETURNED[name.upper()])
    if kind is str:
        content = {"text/plain": {"schema": {"type": "string"}}}
        description = "The metrics as text."
    elif kind == dict[str, Any]:
        content = {"application/json": {"schema": {"type": "object"}}}
        description = "An object."
    else:
        schema = schema_of(kind, definitions)
        content = {"application/json": {"schema": schema}}
        named = definitions.schemas[schema["$ref"].rpartition("/")[2]]
        description = named.get("description", "Success.").split("\n\n")[0]
    success = {"description": description, "content": content}
    return {
        "200": success,
        **({"201": {**success, "description": f"Created. {description}"}} if call.creates else {}),
        "default": {"description": "An error.", "content": _ERROR},
    }


def _of_records(contract: Contract) -> dict[str, Schema]:
    """Return the schemas of a contract's records, and of the properties that they name."""
    schemas: Mapping[str, Schema] = contract.document["components"]["schemas"]
    known = {}
    for each in contract.collections.values():
        whole = each.schema.whole if isinstance(each.schema, RecordSchema) else None
        for name in (
            (whole.name, *(one.component for one in whole.fields.values())) if whole else ()
        ):
            if name is not None:
                known[name] = schemas[name]
    return known


def _markdown(docstring: str) -> str:
    """Return a docstring as Markdown that names JSON's values."""
    return re.sub(r"(?<!-)\bNone\b", "null", docstring.replace("``", "`"))


_WORDS: Final[Mapping[str, Callable[[Contracts], list[str]]]] = {
    "Operation": lambda contracts: list(contracts.operations),
    "ErrorCode": lambda contracts: list(dict.fromkeys((*ERRORS, *contracts.failures))),
}
_NAMED: Final = {
    kind: name for name, kind in vars(control_types).items() if get_origin(kind) is Literal
}


def schema_of(kind: Any, definitions: Definitions) -> Schema:
    """Return the schema of a type; the document holds those with names once."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is NotRequired:
        return schema_of(arguments[0], definitions)
    if kind == control_types.Document:
        return definitions.reference("DataRecord")
    if is_typeddict(kind):
        name = kind.__name__
        if name not in definitions.schemas:
            definitions.schemas[name] = _object(kind, definitions)
        return definitions.reference(name)
    if origin is Annotated:
        (name,) = kind.__metadata__
        if name in _SHAPES:
            return _SHAPES[name].schema(definitions)
        words = _WORDS[name](definitions.contracts)
        definitions.schemas.setdefault(name, {"type": "string", "enum": words})
        return definitions.reference(name)
    if origin is Literal:
        schema = {"type": "string", "enum": list(arguments)}
        if kind not in _NAMED:
            return schema
        definitions.schemas.setdefault(_NAMED[kind], schema)
        return definitions.reference(_NAMED[kind])
    if origin in (Union, UnionType):
        schemas = [schema_of(part, definitions) for part in arguments]
        if all(schema.keys() == {"type"} for schema in schemas):
            return {"type": [schema["type"] for schema in schemas]}
        return {"anyOf": schemas}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], definitions)}
    names = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
    return {"type": names[kind]}


def _object(kind: Any, definitions: Definitions) -> Schema:
    hints = get_type_hints(kind, include_extras=True)
    # Its `__required_keys__` are wrong for annotations that are not postponed, before Python 3.13.
    required = [
        name
        for name, hint in hints.items()
        if get_origin(hint) is not NotRequired and name not in kind.__optional_keys__
    ]
    schema: Schema = {
        "type": "object",
        "properties": {name: schema_of(hint, definitions) for name, hint in hints.items()},
    }
    if kind.__doc__:
        schema["description"] = _markdown(inspect.cleandoc(kind.__doc__))
    if required:
        schema["required"] = required
    return schema
