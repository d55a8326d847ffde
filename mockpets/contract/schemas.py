"""The contract as code: its schemas, and what each operation may answer.

One set of marshmallow schemas validates requests, scenario and fixture files, and becomes the
OpenAPI document (`web.openapi`). The border: bytes and plain values in, plain values or a list
of flaws out; nothing here knows files, HTTP messages or Flask.

Source: pet-store-interface.md, parts 2, 4, 7 and 8; where that is silent, the README's table of
decisions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NotRequired, TypedDict, cast

from marshmallow import EXCLUDE, Schema, ValidationError

from mockpets.constants import (
    INT64_MAX,
    INT64_MIN,
    PAGE_DEFAULT,
    PAGE_MAX,
    PAGE_MIN,
    PET_STATUSES,
    PetStatus,
)
from mockpets.contract.fields import Int64, Limit, Status, Text
from mockpets.errors import RequestError, did_you_mean
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Mapping

Flaw = tuple[tuple[str | int, ...], str]
"""Where in a value something is wrong, as keys and indexes from its root, and what."""


class NewPet(TypedDict):
    """The body of createPet."""

    name: str
    categoryId: int
    status: NotRequired[PetStatus]


class Pet(NewPet):
    """A pet as answers have it."""

    id: int


class ListQuery(TypedDict):
    """The query of listPets, defaults filled in."""

    limit: int
    status: NotRequired[str]


# --- Schemas. The metadata is what the OpenAPI document shows ---------------------------------

_INT64: Final = {"type": "integer", "format": "int64", "minimum": INT64_MIN, "maximum": INT64_MAX}
_STATUS: Final = {"type": "string", "enum": list(PET_STATUSES)}


class _Object(Schema):
    """A JSON object; members that the contract does not have are ignored."""

    class Meta:
        """marshmallow's options."""

        unknown = EXCLUDE

    error_messages = {"type": "must be an object"}  # noqa: RUF012 - marshmallow reads it, no one writes


class NewPetSchema(_Object):
    """NewPet: the body of createPet (contract, part 2)."""

    name = Text(
        required=True,
        metadata={"type": "string", "description": "The animal's name.", "example": "Miso"},
    )
    categoryId = Int64(  # noqa: N815 - the contract's spelling
        required=True,
        metadata={
            **_INT64,
            "description": "Identifier of the category the animal belongs to.",
            "example": 2,
        },
    )
    status = Status(
        metadata={
            **_STATUS,
            "description": "Availability. No default is stated: left out, it stays left out.",
            "example": "available",
        },
    )


class PetSchema(NewPetSchema):
    """Pet: what answers hold (contract, part 2)."""

    id = Int64(
        required=True,
        metadata={
            **_INT64,
            "description": "Unique identifier, assigned by the service on creation.",
            "example": 17,
        },
    )


class ErrorSchema(_Object):
    """Error: the body of every error (contract, parts 2 and 7)."""

    code = Text(
        required=True,
        metadata={
            "type": "string",
            "description": "Machine-readable error code.",
            "example": "invalid_request",
        },
    )
    message = Text(
        required=True,
        metadata={
            "type": "string",
            "description": "Human-readable description.",
            "example": "name is required",
        },
    )
    status = Int64(
        required=True,
        metadata={"type": "integer", "description": "The HTTP status code.", "example": 400},
    )


class ListQuerySchema(_Object):
    """The query of listPets (contract, part 4); each parameter at most once."""

    limit = Limit(
        load_default=PAGE_DEFAULT,
        metadata={
            "type": "integer",
            "minimum": PAGE_MIN,
            "maximum": PAGE_MAX,
            "default": PAGE_DEFAULT,
            "description": "Maximum number of animals returned.",
        },
    )
    status = Status(metadata={**_STATUS, "description": "Filters by availability status."})


_NEW_PET = NewPetSchema()
_PET = PetSchema()
_PETS = PetSchema(many=True)
_ERROR = ErrorSchema()
_LIST_QUERY = ListQuerySchema()

NEW_PET_MEMBERS: Final = frozenset(_NEW_PET.fields)
LIST_PARAMETERS: Final = frozenset(_LIST_QUERY.fields)
"""What the contract knows of a body and of a query; anything else is ignored."""

RESPONSES: Final[dict[str, dict[int, str]]] = {
    "listPets": {200: "Pets", 401: "Error"},
    "createPet": {201: "Pet", 400: "Error", 401: "Error"},
    "getPet": {200: "Pet", 401: "Error", 404: "Error"},
}
"""Operation to status to the body's schema: everything that the contract lists (part 4)."""


# --- Reading ----------------------------------------------------------------------------------


def _flatten(
    messages: Mapping[Any, Any] | list[Any], path: tuple[str | int, ...] = ()
) -> list[Flaw]:
    """Return marshmallow's nested messages as flaws, in the order they came."""
    if isinstance(messages, list):
        return [(path, str(text)) for text in messages]
    found: list[Flaw] = []
    for key, value in messages.items():
        found += _flatten(value, path if key == "_schema" else (*path, key))
    return found


def _said(faults: list[Flaw]) -> str:
    """Return flaws as one sentence that names each field."""
    return "; ".join(f"{'.'.join(map(str, path)) or 'the body'} {text}" for path, text in faults)


def load_new_pet(value: object) -> NewPet:
    """Return the pet that a createPet body holds, members that are not the contract's left out.

    :raise RequestError: ``invalid_request``; the message names every wrong field.
    """
    try:
        return cast("NewPet", _NEW_PET.load(cast("Any", value)))
    except ValidationError as error:
        raise RequestError("invalid_request", _said(_flatten(error.messages))) from error


def load_list_query(parameters: Mapping[str, list[str]]) -> ListQuery:
    """Return the query of listPets; parameters that the contract does not have are left out.

    :param parameters: every value of each parameter, in order.
    :raise RequestError: ``invalid_request``; the message names every wrong parameter.
    """
    known = {name: values for name, values in parameters.items() if name in _LIST_QUERY.fields}
    twice = [
        ((name,), f"must be given once, was given {len(values)} times")
        for name, values in known.items()
        if len(values) > 1
    ]
    single = {name: values[0] for name, values in known.items() if len(values) == 1}
    try:
        query = cast("ListQuery", _LIST_QUERY.load(single))
    except ValidationError as error:
        raise RequestError("invalid_request", _said([*twice, *_flatten(error.messages)])) from error
    if twice:
        raise RequestError("invalid_request", _said(list(twice)))
    return query


def parse_pet_id(text: str) -> int | None:
    """Return the int64 that a path segment is, or None when it is none (no animal has it)."""
    if re.fullmatch(r"-?(0|[1-9][0-9]{0,18})", text):
        number = int(text)
        return number if INT64_MIN <= number <= INT64_MAX else None
    return None


def pet_flaws(value: object) -> list[Flaw]:
    """Return what keeps a value from being a Pet; nothing when it is one."""
    return _flatten(_PET.validate(cast("Any", value)))


def change_flaws(value: object) -> str:
    """Return what keeps a value from being a change of a pet's members; empty when it is one.

    A status of null takes the status away. The id stays what it is.
    """
    if not isinstance(value, dict) or not value:
        return f"the body must be an object with some of {', '.join(_NEW_PET.fields)}"
    members = {**value}
    faults: list[Flaw] = []
    for name in [name for name in value if name not in _NEW_PET.fields]:
        hint = did_you_mean(name, _NEW_PET.fields)
        faults.append(((name,), f"cannot be changed; {hint}" if hint else "cannot be changed"))
        del members[name]
    if members.get("status", "") is None:
        del members["status"]
    return (
        _said([*faults, *_flatten(_NEW_PET.validate(members, partial=True))])
        if (faults or members)
        else ""
    )


def body_flaws(operation: str, status: int, value: object) -> list[Flaw]:
    """Return what keeps a value from being the body that the contract has for an answer.

    :param operation: one of `RESPONSES`.
    :param status: one that the contract lists for it.
    """
    kind = RESPONSES[operation][status]
    if kind == "Pets":
        if not isinstance(value, list):
            return [((), "must be an array of pets")]
        return _flatten(_PETS.validate(value))
    schema = _PET if kind == "Pet" else _ERROR
    faults = _flatten(schema.validate(cast("Any", value)))
    if kind == "Error" and not faults and cast("dict[str, Any]", value)["status"] != status:
        faults.append((("status",), f"must repeat the HTTP status, {status}"))
    return faults


# --- Writing ----------------------------------------------------------------------------------


def dump_pet(pet: Pet) -> bytes:
    """Return a pet as JSON, its members in the contract's order with the id first."""
    ordered: dict[str, object] = {
        "id": pet["id"],
        "name": pet["name"],
        "categoryId": pet["categoryId"],
    }
    if "status" in pet:
        ordered["status"] = pet["status"]
    return dump_json(ordered)
