"""The contract as an OpenAPI 3.1 document, made from the schemas that validate requests.

Responses that the contract does not list but mockpets sends are marked ``x-off-contract``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import (
    API_PREFIX,
    INTERFACE_VERSION,
    PET_PATH,
    PETS_BY_REQUEST,
    PETS_PATH,
)
from mockpets.contract.error_messages import MISSING_KEY, no_animal
from mockpets.contract.fields import Int64
from mockpets.contract.schemas import (
    LIST_PARAMETERS,
    NEW_PET_FIELDS,
    PET_FIELDS,
    ErrorSchema,
    ListQuerySchema,
    NewPetSchema,
    PetSchema,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.fields import ContractField

_DESCRIPTION: Final = """\
A pet store catalogue over HTTP with JSON bodies, as served by mockpets. Clients can list animals,
filtered by availability and limited in page size, add an animal, and fetch one by its identifier.

Responses marked `x-off-contract` are additions by mockpets: the contract does not list them.
"""

_KEY_HEADER: Final = {
    "description": "How to authenticate (RFC 6750).",
    "schema": {"type": "string"},
    "example": 'Bearer realm="mockpets"',
}
_DEPRECATION_HEADERS: Final = {
    "Deprecation": {
        "description": "When the operation was deprecated (RFC 9745).",
        "schema": {"type": "string"},
        "example": "@1767225600",
    },
    "Sunset": {
        "description": "When the operation will be removed (RFC 8594).",
        "schema": {"type": "string"},
        "example": "Thu, 05 Dec 2030 00:00:00 GMT",
    },
    "Link": {
        "description": "The operation to use instead, and its documentation (RFC 8288).",
        "schema": {"type": "string"},
        "example": '</v1/pets>; rel="successor-version"',
    },
}


def _example(fields: Mapping[str, ContractField]) -> dict[str, object]:
    """Return an object whose properties have the values of their examples."""
    return {name: field.metadata["example"] for name, field in fields.items()}


def _response(description: str, schema: object, example: object, **more: object) -> dict[str, Any]:
    """Return a response object with a JSON body."""
    content = {"application/json": {"schema": schema, "example": example}}
    return {"description": description, "content": content, **more}


def _error(status: int, code: str, message: str, **more: Any) -> dict[str, Any]:
    """Return a response object with an Error body; `more` may hold headers and extensions."""
    example = {"code": code, "message": message, "status": status}
    description = more.pop("description")
    return _response(description, "Error", example, **more)


def _unauthorized(**headers: Any) -> dict[str, Any]:
    return _error(
        401,
        "unauthorized",
        MISSING_KEY,
        description="Missing or invalid API key.",
        headers={"WWW-Authenticate": _KEY_HEADER, **headers},
    )


def _list_pets() -> dict[str, Any]:
    *others, last = LIST_PARAMETERS
    parameters = filter(None, [", ".join(others), last])
    return {
        "operationId": "listPets",
        "summary": "List all animals",
        "description": "Returns a page of animals in ascending order of id.",
        "parameters": [{"in": "query", "schema": ListQuerySchema}],
        "responses": {
            "200": _response(
                "A page of animals.", {"type": "array", "items": "Pet"}, [_example(PET_FIELDS)]
            ),
            "400": _error(
                400,
                "invalid_request",
                'limit must be an integer from 1 to 100, got "0"',
                description=f"A {' or '.join(parameters)} that the contract does not allow.",
                **{"x-off-contract": True},
            ),
            "401": _unauthorized(),
        },
    }


def _create_pet() -> dict[str, Any]:
    location = {
        "description": "URL of the new animal, relative to the server.",
        "schema": {"type": "string"},
        "example": "/v1/pets/17",
    }
    return {
        "operationId": "createPet",
        "summary": "Add an animal",
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": "NewPet",
                    "example": _example(NEW_PET_FIELDS),
                }
            },
        },
        "responses": {
            "201": _response(
                "Animal added; the body carries the assigned id.",
                "Pet",
                _example(PET_FIELDS),
                headers={"Location": location},
            ),
            "400": _error(
                400,
                "invalid_request",
                "name is required",
                description="Body missing required fields or containing invalid values.",
            ),
            "401": _unauthorized(),
            "413": _error(
                413,
                "payload_too_large",
                "the body is too large; send at most 64 KiB",
                description="The body is too large.",
                **{"x-off-contract": True},
            ),
            "507": _error(
                507,
                "store_full",
                f"requests can add at most {PETS_BY_REQUEST} pets; delete some, reset the "
                "session, or start the server with a higher --max-pets",
                description="The session has reached its limit of new pets.",
                **{"x-off-contract": True},
            ),
        },
    }


def _get_pet() -> dict[str, Any]:
    pet_id = {
        "in": "path",
        "name": "petId",
        "required": True,
        "description": "Identifier of the animal to retrieve.",
        "schema": dict(Int64.openapi),
    }
    return {
        "operationId": "getPet",
        "summary": "Get an animal",
        "description": "Deprecated; to be removed on 5 December 2030. Use listPets with the status "
        "filter.",
        "deprecated": True,
        "parameters": [pet_id],
        "responses": {
            "200": _response(
                "The requested animal.", "Pet", _example(PET_FIELDS), headers=_DEPRECATION_HEADERS
            ),
            "401": _unauthorized(**_DEPRECATION_HEADERS),
            "404": _error(
                404,
                "pet_not_found",
                no_animal(404),
                description="The animal could not be found.",
                headers=_DEPRECATION_HEADERS,
            ),
        },
    }


@cache
def document() -> Mapping[str, Any]:
    """Return the OpenAPI 3.1 document; do not modify it."""
    from apispec import APISpec  # a slow import that would delay the start
    from apispec.ext.marshmallow import MarshmallowPlugin

    spec = APISpec(
        title="Pet store",
        version=INTERFACE_VERSION,
        openapi_version="3.1.0",
        plugins=[MarshmallowPlugin()],
        info={"description": _DESCRIPTION},
        # Relative to the address of the document, so it works on every host and port.
        servers=[{"url": API_PREFIX, "description": "This mock server"}],
        security=[{"bearerAuth": []}],
    )
    spec.components.security_scheme(
        "bearerAuth",
        {"type": "http", "scheme": "bearer", "description": "The API key as a bearer token."},
    )
    for name, schema in {"NewPet": NewPetSchema, "Pet": PetSchema, "Error": ErrorSchema}.items():
        spec.components.schema(name, schema=schema)
    spec.path(
        path=PETS_PATH.removeprefix(API_PREFIX),
        operations={"get": _list_pets(), "post": _create_pet()},
    )
    spec.path(path=PET_PATH.removeprefix(API_PREFIX), operations={"get": _get_pet()})
    return spec.to_dict()
