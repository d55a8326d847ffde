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
from mockpets.contract.error_messages import MISSING_KEY, TOO_MANY_PARKED, no_animal
from mockpets.contract.fields import Int64, Status
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

_LICENSE: Final = {
    "name": "MIT, the license of mockpets, which generated this document",
    "identifier": "MIT",
}
_CONTACT: Final = {"name": "The maintainers of mockpets, not those of the service"}

_KEY_HEADER: Final = {
    "description": "How to authenticate (RFC 6750).",
    "schema": {"type": "string"},
    "examples": {"missing": {"value": 'Bearer realm="mockpets"'}},
}
_DEPRECATION_HEADERS: Final = {
    "Deprecation": {
        "description": "When the operation was deprecated (RFC 9745).",
        "schema": {"type": "string"},
        "examples": {"date": {"value": "@1767225600"}},
    },
    "Sunset": {
        "description": "When the operation will be removed (RFC 8594).",
        "schema": {"type": "string"},
        "examples": {"date": {"value": "Thu, 05 Dec 2030 00:00:00 GMT"}},
    },
    "Link": {
        "description": "The operation to use instead, and its documentation (RFC 8288).",
        "schema": {"type": "string"},
        "examples": {"successor": {"value": '</v1/pets>; rel="successor-version"'}},
    },
}


def _example(fields: Mapping[str, ContractField]) -> dict[str, object]:
    """Return an object whose properties have the values of their examples."""
    return {name: field.metadata["examples"][0] for name, field in fields.items()}


def _content(schema: object, name: str, example: object) -> dict[str, Any]:
    """Return a content object: a JSON body with one named example."""
    return {"application/json": {"schema": schema, "examples": {name: {"value": example}}}}


def _response(description: str, schema: object, name: str, example: object) -> dict[str, Any]:
    """Return a response object with a JSON body."""
    return {"description": description, "content": _content(schema, name, example)}


def _error(status: int, code: str, message: str, **more: Any) -> dict[str, Any]:
    """Return a response object with an Error body; `more` may hold headers and extensions."""
    example = {"code": code, "message": message, "status": status}
    return {**_response(more.pop("description"), "Error", code, example), **more}


def _unauthorized(**headers: Any) -> dict[str, Any]:
    return _error(
        401,
        "unauthorized",
        MISSING_KEY,
        description="Missing or invalid API key.",
        headers={"WWW-Authenticate": _KEY_HEADER, **headers},
    )


def _default() -> dict[str, Any]:
    return _error(
        503,
        "busy",
        TOO_MANY_PARKED,
        description="Any other error: the contract says that all errors have this body.",
    )


def _list_pets() -> dict[str, Any]:
    *others, last = LIST_PARAMETERS
    parameters = filter(None, [", ".join(others), last])
    return {
        "operationId": "listPets",
        "tags": ["pets"],
        "summary": "List all animals",
        "description": "Returns a page of animals in ascending order of id.",
        "parameters": [{"in": "query", "schema": ListQuerySchema}],
        "responses": {
            "200": _response("A page of animals.", "Pets", "pets", [_example(PET_FIELDS)]),
            "400": _error(
                400,
                "invalid_request",
                'limit must be an integer from 1 to 100, got "0"',
                description=f"A {' or '.join(parameters)} that the contract does not allow.",
                **{"x-off-contract": True},
            ),
            "401": _unauthorized(),
            "default": _default(),
        },
    }


def _create_pet() -> dict[str, Any]:
    location = {
        "description": "URL of the new animal, relative to the server.",
        "schema": {"type": "string"},
        "examples": {"pet": {"value": "/v1/pets/17"}},
    }
    return {
        "operationId": "createPet",
        "tags": ["pets"],
        "summary": "Add an animal",
        "description": "Adds a new animal. The service assigns its id.",
        "requestBody": {
            "required": True,
            "content": _content("NewPet", "pet", _example(NEW_PET_FIELDS)),
        },
        "responses": {
            "201": {
                **_response(
                    "Animal added; the body carries the assigned id.",
                    "Pet",
                    "pet",
                    _example(PET_FIELDS),
                ),
                "headers": {"Location": location},
            },
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
            "default": _default(),
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
        "tags": ["pets"],
        "summary": "Get an animal",
        "description": "Deprecated; to be removed on 5 December 2030. Use listPets with the status "
        "filter.",
        "deprecated": True,
        "parameters": [pet_id],
        "responses": {
            "200": {
                **_response("The requested animal.", "Pet", "pet", _example(PET_FIELDS)),
                "headers": _DEPRECATION_HEADERS,
            },
            "401": _unauthorized(**_DEPRECATION_HEADERS),
            "404": _error(
                404,
                "pet_not_found",
                no_animal(404),
                description="The animal could not be found.",
                headers=_DEPRECATION_HEADERS,
            ),
            "default": _default(),
        },
    }


def _named(_: object, field: ContractField, ret: dict[str, Any], **__: object) -> dict[str, Any]:
    """Replace the type of a field by a reference to its component, if it has one.

    :param ret: the field's schema so far; the name is apispec's.
    """
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
    spec.path(
        path=PETS_PATH.removeprefix(API_PREFIX),
        operations={"get": _list_pets(), "post": _create_pet()},
    )
    spec.path(path=PET_PATH.removeprefix(API_PREFIX), operations={"get": _get_pet()})
    return spec.to_dict()
