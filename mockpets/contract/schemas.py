"""What the contract declares: the schemas of pets, errors and queries, and the responses.

One set of fields validates requests, scenario files, fixtures and the state file
(`serialization`, `validation`), and becomes the OpenAPI document (`openapi`). Everything else reads
its lists from here: a property of a pet is declared in `NEW_PET_FIELDS` and typed in `NewPet`, a
query parameter of listPets is declared in `LIST_FIELDS`.

Source: pet-store-interface.md, parts 2, 4, 7 and 8; where it is silent,
docs/reference/contract.md.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, NotRequired, TypedDict

from mockpets.constants import PAGE_DEFAULT, PetStatus
from mockpets.contract.fields import HttpStatus, Int64, Limit, Status, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mockpets.contract.fields import ContractField


class NewPet(TypedDict):
    """The body of createPet."""

    name: str
    categoryId: int
    status: NotRequired[PetStatus]


class Pet(NewPet):
    """A pet in a response."""

    id: int


NEW_PET_FIELDS: Final[Mapping[str, ContractField]] = {
    "name": Text("The animal's name.", "Miso", required=True),
    "categoryId": Int64("Identifier of the category the animal belongs to.", 2, required=True),
    "status": Status(
        "Availability. No default is stated: an omitted status stays omitted.", "available"
    ),
}
"""NewPet: the body of createPet (contract, part 2)."""

PET_FIELDS: Final[Mapping[str, ContractField]] = {
    "id": Int64("Unique identifier, assigned by the service on creation.", 17, required=True),
    **NEW_PET_FIELDS,
}
"""Pet: an animal in a response (contract, part 2), its properties in the order of responses."""


class ListQuery(NamedTuple):
    """The query of listPets, with defaults filled in; a `status` of None lists all pets."""

    limit: int
    status: PetStatus | None

    def first(self, pets: Iterable[Pet]) -> list[Pet]:
        """Return the first of these pets with the status, at most `limit`."""
        listed = (pet for pet in pets if self.status in (None, pet.get("status")))
        return list(islice(listed, self.limit))


LIST_FIELDS: Final[Mapping[str, ContractField]] = {
    "limit": Limit("Maximum number of animals returned.", default=PAGE_DEFAULT),
    "status": Status("Filters by availability status."),
}
"""The query of listPets (contract, part 4); each parameter at most once."""
LIST_PARAMETERS: Final = tuple(LIST_FIELDS)

ERROR_FIELDS: Final[Mapping[str, ContractField]] = {
    "code": Text("Machine-readable error code.", "invalid_request", required=True),
    "message": Text("Human-readable description.", "name is required", required=True),
    "status": HttpStatus("The HTTP status code.", 400, required=True),
}
"""Error: the body of every error (contract, parts 2 and 7)."""

Kind = Literal["NewPet", "Pet", "Error", "ListQuery"]
FIELDS: Final[Mapping[Kind, Mapping[str, ContractField]]] = {
    "NewPet": NEW_PET_FIELDS,
    "Pet": PET_FIELDS,
    "Error": ERROR_FIELDS,
    "ListQuery": LIST_FIELDS,
}

RESPONSES: Final[dict[str, dict[int, Kind | Literal["Pets"]]]] = {
    "listPets": {200: "Pets", 401: "Error"},
    "createPet": {201: "Pet", 400: "Error", 401: "Error"},
    "getPet": {200: "Pet", 401: "Error", 404: "Error"},
}
"""The schema of each body that the contract lists, by operation and status (part 4)."""
