"""The contract as an OpenAPI 3.1 document, made from the schemas that validate requests.

Responses that the contract does not list but mockpets sends are marked ``x-off-contract``.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import API_PREFIX, ERRORS, PET_PATH, PETS_BY_REQUEST, PETS_PATH
from mockpets.contract.error_messages import (
    BODY_TOO_LARGE,
    MISSING_KEY,
    TOO_MANY_PARKED,
    no_animal,
    store_full,
)
from mockpets.contract.fields import Int64, Status
from mockpets.contract.schemas import (
    LIST_PARAMETERS,
    NEW_PET_FIELDS,
    PET_FIELDS,
    RESPONSES,
    ErrorSchema,
    ListQuerySchema,
    NewPetSchema,
    PetSchema,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.constants import ErrorCode
    from mockpets.contract.fields import ContractField

INTERFACE_VERSION: Final = "1.0.0"

_DESCRIPTION: Final = """\
A pet store catalogue over HTTP with JSON bodies, as served by mockpets. Clients can list animals,
filtered by availability and limited in page size, add an animal, and fetch one by its identifier.

Responses marked `x-off-contract` are additions by mockpets: the contract does not list them.
"""

_LICENSE: Final = {
    "name": "MIT, the license of mockpets, which generated this document",
    "identifier": "MIT",
}
_CONTACT: Final = {"name": "The maintainers of mockpets, not those of the service"}


def _header(description: str, name: str, example: str) -> dict[str, object]:
    examples = {name: {"value": example}}
    return {"description": description, "schema": {"type": "string"}, "examples": examples}


_KEY_HEADER: Final = _header(
    "How to authenticate (RFC 6750).", "missing", 'Bearer realm="mockpets"'
)
_LOCATION: Final = _header("URL of the new animal, relative to the server.", "pet", "/v1/pets/17")
_DEPRECATION: Final = {
    "Deprecation": _header("When the operation was deprecated (RFC 9745).", "date", "@1767225600"),
    "Sunset": _header(
        "When the operation will be removed (RFC 8594).", "date", "Thu, 05 Dec 2030 00:00:00 GMT"
    ),
    "Link": _header(
        "The operation to use instead, and its documentation (RFC 8288).",
        "successor",
        '</v1/pets>; rel="successor-version"',
    ),
}


def _example(fields: Mapping[str, ContractField]) -> dict[str, object]:
    return {name: field.metadata["examples"][0] for name, field in fields.items()}


def _content(schema: str, name: str, example: object) -> dict[str, Any]:
    return {"application/json": {"schema": schema, "examples": {name: {"value": example}}}}


def _pet_response(description: str, headers: Mapping[str, object]) -> dict[str, Any]:
    content = _content("Pet", "pet", _example(PET_FIELDS))
    return {"description": description, "content": content, "headers": headers}


def _error(code: ErrorCode, message: str, description: str, **more: object) -> dict[str, Any]:
    """Return a response object with an Error body; `more` may hold headers."""
    example = {"code": code, "message": message, "status": ERRORS[code]}
    return {"description": description, "content": _content("Error", code, example), **more}


_DEFAULT: Final = _error(
    "busy",
    TOO_MANY_PARKED,
    "Any other error: the contract says that all errors have this body.",
)


def _operation(
    name: str,
    summary: str,
    description: str,
    responses: dict[int, dict[str, Any]],
    headers: Mapping[str, object] = MappingProxyType({}),
    **more: object,
) -> dict[str, Any]:
    """Return an operation object.

    :param responses: the default and 401 are added, with these headers.
    """
    key_headers = {"WWW-Authenticate": _KEY_HEADER, **headers}
    unauthorized = _error(
        "unauthorized", MISSING_KEY, "Missing or invalid API key.", headers=key_headers
    )
    listed = {}
    for status, response in sorted({**responses, 401: unauthorized}.items()):
        off_contract = {} if status in RESPONSES[name] else {"x-off-contract": True}
        listed[str(status)] = {**response, **off_contract}
    return {
        "operationId": name,
        "tags": ["pets"],
        "summary": summary,
        "description": description,
        **more,
        "responses": {**listed, "default": _DEFAULT},
    }


def _operations() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the operations by path and method."""
    *others, last = LIST_PARAMETERS
    parameters = " or ".join(filter(None, [", ".join(others), last]))
    pets = _content("Pets", "pets", [_example(PET_FIELDS)])
    list_pets = _operation(
        "listPets",
        "List all animals",
        "Returns a page of animals in ascending order of id.",
        {
            200: {"description": "A page of animals.", "content": pets},
            400: _error(
                "invalid_request",
                'limit must be an integer from 1 to 100, got "0"',
                f"A {parameters} that the contract does not allow.",
            ),
        },
        parameters=[{"in": "query", "schema": ListQuerySchema}],
    )
    new_pet = _content("NewPet", "pet", _example(NEW_PET_FIELDS))
    create_pet = _operation(
        "createPet",
        "Add an animal",
        "Adds a new animal. The service assigns its id.",
        {
            201: _pet_response(
                "Animal added; the body carries the assigned id.", {"Location": _LOCATION}
            ),
            400: _error(
                "invalid_request",
                "name is required",
                "Body missing required fields or containing invalid values.",
            ),
            413: _error("payload_too_large", BODY_TOO_LARGE, "The body is too large."),
            507: _error(
                "store_full",
                store_full(PETS_BY_REQUEST),
                "The session has reached its limit of new pets.",
            ),
        },
        requestBody={"required": True, "content": new_pet},
    )
    pet_id = {
        "in": "path",
        "name": "petId",
        "required": True,
        "description": "Identifier of the animal to retrieve.",
        "schema": dict(Int64.openapi),
    }
    missing = "The animal could not be found."
    get_pet = _operation(
        "getPet",
        "Get an animal",
        "Deprecated; to be removed on 5 December 2030. Use listPets with the status filter.",
        {
            200: _pet_response("The requested animal.", _DEPRECATION),
            404: _error("pet_not_found", no_animal(404), missing, headers=_DEPRECATION),
        },
        _DEPRECATION,
        deprecated=True,
        parameters=[pet_id],
    )
    return {PETS_PATH: {"get": list_pets, "post": create_pet}, PET_PATH: {"get": get_pet}}


def _named(_: object, field: ContractField, ret: dict[str, Any], **__: object) -> dict[str, Any]:
    """Replace the type in `ret`, a field's schema so far, by a reference to its component."""
    if getattr(field, "component", None) is None:
        return {}
    for key in field.openapi:
        del ret[key]
    return {"$ref": f"#/components/schemas/{field.component}"}


@cache
def document() -> Mapping[str, Any]:
    """Return the OpenAPI 3.1 document; do not modify it."""
    from apispec import APISpec  # a slow import that would delay the start
    from apispec.ext.marshmallow import MarshmallowPlugin

    plugin = MarshmallowPlugin()
    spec = APISpec(
        title="Pet store",
        version=INTERFACE_VERSION,
        openapi_version="3.1.0",
        plugins=[plugin],
        info={"description": _DESCRIPTION, "license": _LICENSE, "contact": _CONTACT},
        # Relative to the address of the document, so it works on every host and port.
        servers=[{"url": API_PREFIX, "description": "This mock server"}],
        security=[{"bearerAuth": []}],
        tags=[{"name": "pets", "description": "The animals of the catalogue."}],
    )
    converter: Any = plugin.converter  # apispec has no types for it
    converter.add_attribute_function(_named)
    spec.components.security_scheme(
        "bearerAuth",
        {"type": "http", "scheme": "bearer", "description": "The API key as a bearer token."},
    )
    status = {**Status.openapi, "description": "Availability of an animal."}
    spec.components.schema("PetStatus", status)
    for name, schema in {"NewPet": NewPetSchema, "Pet": PetSchema, "Error": ErrorSchema}.items():
        spec.components.schema(name, schema=schema)
    pets = {"type": "array", "items": "Pet", "description": "A page of animals."}
    spec.components.schema("Pets", pets)
    for path, operations in _operations().items():
        spec.path(path=path.removeprefix(API_PREFIX), operations=operations)
    return spec.to_dict()
