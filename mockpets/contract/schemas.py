"""What the contract declares: the schemas of pets, errors and queries, and the responses.

One set of marshmallow schemas validates requests, scenario files, fixtures and the state file
(`contract.serialization`), and becomes the OpenAPI document (`contract.openapi`). Everything else
reads its lists from here: a property of a pet is declared in `NewPetSchema` and typed in `NewPet`,
a query parameter of listPets is declared in `ListQuerySchema`.

Source: pet-store-interface.md, parts 2, 4, 7 and 8; where it is silent,
docs/reference/contract.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, NotRequired, TypedDict, cast

from marshmallow import EXCLUDE, Schema

from mockpets.constants import PAGE_DEFAULT, PetStatus
from mockpets.contract.fields import Filter, HttpStatus, Int64, Limit, Status, Text

if TYPE_CHECKING:
    from mockpets.contract.fields import ContractField


class NewPet(TypedDict):
    """The body of createPet."""

    name: str
    categoryId: int
    status: NotRequired[PetStatus]


class Pet(NewPet):
    """A pet in a response."""

    id: int


class _Object(Schema):
    """A JSON object; properties that the contract does not have are ignored."""

    class Meta:
        """marshmallow's options."""

        unknown = EXCLUDE

    error_messages = {"type": "must be an object"}  # noqa: RUF012 - only marshmallow reads it


class NewPetSchema(_Object):
    """NewPet: the body of createPet (contract, part 2)."""

    name = Text("The animal's name.", "Miso", required=True)
    categoryId = Int64(  # noqa: N815 - the contract's spelling
        "Identifier of the category the animal belongs to.", 2, required=True
    )
    status = Status(
        "Availability. No default is stated: an omitted status stays omitted.", "available"
    )


class PetSchema(NewPetSchema):
    """Pet: an animal in a response (contract, part 2)."""

    id = Int64("Unique identifier, assigned by the service on creation.", 17, required=True)


NEW_PET_FIELDS: Final = cast("dict[str, ContractField]", NewPetSchema().fields)
_PET_ONLY: Final = PetSchema(exclude=tuple(NEW_PET_FIELDS)).fields
PET_FIELDS: Final = {**cast("dict[str, ContractField]", _PET_ONLY), **NEW_PET_FIELDS}
"""The properties by name, in the order in which responses have them."""

PetFilters = tuple[tuple[str, object], ...]
"""Properties and their values, all of which a pet must have to be listed."""


class ListQuery(NamedTuple):
    """The query of listPets, with defaults filled in."""

    limit: int
    filters: PetFilters


class ListQuerySchema(_Object):
    """The query of listPets (contract, part 4); each parameter at most once."""

    limit = Limit("Maximum number of animals returned.", load_default=PAGE_DEFAULT)
    status = Filter(PET_FIELDS, "status", "Filters by availability status.")


LIST_FIELDS: Final = cast("dict[str, ContractField]", ListQuerySchema().fields)
LIST_PARAMETERS: Final = tuple(LIST_FIELDS)
FILTERS: Final = {name: field for name, field in LIST_FIELDS.items() if isinstance(field, Filter)}
"""The query parameters that select pets by a property."""


class ErrorSchema(_Object):
    """Error: the body of every error (contract, parts 2 and 7)."""

    code = Text("Machine-readable error code.", "invalid_request", required=True)
    message = Text("Human-readable description.", "name is required", required=True)
    status = HttpStatus("The HTTP status code.", 400, required=True)


RESPONSES: Final[dict[str, dict[int, str]]] = {
    "listPets": {200: "Pets", 401: "Error"},
    "createPet": {201: "Pet", 400: "Error", 401: "Error"},
    "getPet": {200: "Pet", 401: "Error", 404: "Error"},
}
"""The schema of each body that the contract lists, by operation and status (part 4)."""
