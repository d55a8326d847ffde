"""The contract as an OpenAPI 3.1 document, made from the schemas that validate requests.

Responses that the contract does not list but mockpets sends are marked ``x-off-contract``.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import API_PREFIX, ERRORS, PET_PATH, PETS_PATH, RECORDS_BY_REQUEST
from mockpets.contract.error_messages import (
    BODY_TOO_LARGE,
    MISSING_KEY,
    TOO_MANY_PARKED,
    no_animal,
    store_full,
)
from mockpets.contract.fields import Int64, Status
from mockpets.contract.schemas import (
    ERROR_FIELDS,
    LIST_FIELDS,
    NEW_PET_FIELDS,
    PET_FIELDS,
    RESPONSES,
)
from mockpets.units import either

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.constants import ErrorCode
    from mockpets.contract.fields import ContractField

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


def _header(description: str, example: str) -> dict[str, object]:
    examples = {"header": {"value": example}}
    return {"description": description, "schema": {"type": "string"}, "examples": examples}


_KEY_HEADER: Final = _header("How to authenticate (RFC 6750).", 'Bearer realm="mockpets"')
_LOCATION: Final = _header("URL of the new animal, relative to the server.", "/v1/pets/17")
_DEPRECATION: Final = {
    "Deprecation": _header("When the operation was deprecated (RFC 9745).", "@1767225600"),
    "Sunset": _header(
        "When the operation will be removed (RFC 8594).", "Thu, 05 Dec 2030 00:00:00 GMT"
    ),
    "Link": _header(
        "The operation to use instead, and its documentation (RFC 8288).",
        '</v1/pets>; rel="successor-version"',
    ),
}


def _example(fields: Mapping[str, ContractField]) -> dict[str, object]:
    return {name: field.metadata["examples"][0] for name, field in fields.items()}


def _content(schema: str, name: str, example: object) -> dict[str, Any]:
    examples = {name: {"value": example}}
    return {"application/json": {"schema": _reference(schema), "examples": examples}}


def _reference(schema: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{schema}"}


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
    """Return an operation object; add the default response and 401, with these headers."""
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
                f"A {either(LIST_FIELDS)} that the contract does not allow.",
            ),
        },
        parameters=[
            {"in": "query", "name": name, **field.metadata, "schema": field.schema()}
            for name, field in LIST_FIELDS.items()
        ],
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
                store_full(RECORDS_BY_REQUEST),
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
        "schema": Int64.openapi,
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


def _object(fields: Mapping[str, ContractField]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            name: {**field.schema(), **field.metadata} for name, field in fields.items()
        },
        "required": sorted(name for name, field in fields.items() if field.required),
    }


@cache
def document() -> Mapping[str, Any]:
    """Return the OpenAPI 3.1 document; do not modify it."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Pet store",
            "version": "1.0.0",
            "description": _DESCRIPTION,
            "license": _LICENSE,
            "contact": _CONTACT,
        },
        # Relative to the address of the document, so it works on every host and port.
        "servers": [{"url": API_PREFIX, "description": "This mock server"}],
        "security": [{"bearerAuth": []}],
        "tags": [{"name": "pets", "description": "The animals of the catalogue."}],
        "paths": {
            path.removeprefix(API_PREFIX): operations for path, operations in _operations().items()
        },
        "components": {
            "schemas": {
                "PetStatus": {**Status.openapi, "description": "Availability of an animal."},
                "NewPet": _object(NEW_PET_FIELDS),
                "Pet": _object(PET_FIELDS),
                "Error": _object(ERROR_FIELDS),
                "Pets": {
                    "type": "array",
                    "items": _reference("Pet"),
                    "description": "A page of animals.",
                },
            },
            "securitySchemes": {
                "bearerAuth": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The API key as a bearer token.",
                }
            },
        },
    }
