"""Requests to the real service, and what comes back; `mockpets compare` sends GET and HEAD."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from mockpets.constants import API_PREFIX, INT64_MAX, OPERATIONS, PAGE_DEFAULT, PAGE_MAX, PAGE_MIN
from mockpets.contract.schemas import FILTERS, PET_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mockpets.constants import Operation

    Redact = Callable[[str], str]

Key = Literal["valid", "invalid", "missing"]


@dataclass(frozen=True, slots=True)
class Probe:
    """A request.

    :param target: relative to the base URL: ``/pets?limit=1``.
    :param status: the status of mockpets.
    :param limit: the largest number of pets in the response.
    :param filter: name and value of a query parameter that selects pets.
    :param invalid: the invalid value in the request, to which the contract lists no response.
    :param pet_id: the ID of a pet that the service has listed.
    """

    operation: Operation
    target: str
    status: int = 200
    method: Literal["GET", "HEAD", "POST"] = "GET"
    key: Key = "valid"
    limit: int = PAGE_DEFAULT
    filter: tuple[str, str] | None = None
    invalid: str = ""
    pet_id: int | None = None


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """A request that was sent, and what came back.

    :param at: in ISO 8601 with milliseconds, in UTC.
    :param status: of a complete response; None if there is none.
    :param headers: by name in lower case; of repeated ones, the first.
    :param value: of the JSON body; None if it is not JSON.
    :param problem: why there is no complete response, such as ``no complete response within 10s``,
        or why its body is not JSON; otherwise empty.
    """

    probe: Probe
    at: str
    status: int | None
    headers: Mapping[str, str]
    value: object
    problem: str

    @property
    def pets(self) -> list[object] | None:
        """The page of a listPets that responds as expected; its items need not be pets."""
        is_page = self.probe.operation == "listPets" and self.status == self.probe.status == 200
        return self.value if is_page and isinstance(self.value, list) else None


_PETS: Final = OPERATIONS["listPets"][1].removeprefix(API_PREFIX)


def _list_probes() -> Iterator[Probe]:
    """Yield the requests of listPets, the most important first."""
    yield Probe("listPets", _PETS)
    yield Probe("listPets", _PETS, 401, key="missing")
    yield Probe("listPets", _PETS, 401, key="invalid")
    for limit in (PAGE_MIN, PAGE_MAX):
        yield Probe("listPets", f"{_PETS}?limit={limit}", limit=limit)
    for name, field in FILTERS.items():
        for value in _values(field.openapi):
            yield Probe("listPets", f"{_PETS}?{name}={value}", filter=(name, value))
    yield Probe("listPets", f"{_PETS}?limit={PAGE_MIN}", method="HEAD", limit=PAGE_MIN)
    invalid = [f"limit={value}" for value in (PAGE_MIN - 1, PAGE_MAX + 1, "abc")]
    invalid += [f"{name}=unknown" for name, field in FILTERS.items() if _values(field.openapi)]
    for query in invalid:
        yield Probe("listPets", f"{_PETS}?{query}", 400, invalid=query)


def _values(schema: Mapping[str, object]) -> list[str]:
    values = schema.get("enum")
    return values if isinstance(values, list) else []


LIST_PROBES: Final = tuple(_list_probes())
_KNOWN_PETS: Final = 2
"""Pets to request, because one may be deleted between the list and getPet."""
_REMOVED: Final = (404, 405, 410, 501)
"""The statuses of an operation that no longer exists."""


def next_probe(results: Sequence[ProbeResult]) -> Probe | None:
    """Return the request to send after these, or None if all were sent.

    It depends on the results, because getPet needs the ID of a pet that exists.
    """
    sent = {result.probe for result in results}
    probes = (*LIST_PROBES, *_pet_probes(results))
    return next((probe for probe in probes if probe not in sent), None)


def _pet_probes(results: Sequence[ProbeResult]) -> Iterator[Probe]:
    ids = listed_ids(results)
    statuses = [each.status for each in results if each.probe.pet_id is not None]
    for pet_id in ids[:_KNOWN_PETS]:
        yield Probe("getPet", f"{_PETS}/{pet_id}", pet_id=pet_id)
        if statuses[:1] != [404]:
            break
    if is_removed(results):
        return
    missing = next(number for number in range(INT64_MAX, 0, -1) if number not in ids)
    yield Probe("getPet", f"{_PETS}/{missing}", 404)
    yield Probe("getPet", f"{_PETS}/{ids[0] if ids else missing}", 401, key="invalid")
    yield Probe("getPet", f"{_PETS}/abc", 404, invalid="the ID abc")


def listed_ids(results: Iterable[ProbeResult]) -> list[int]:
    """Return the valid IDs in all pages, in order of their appearance."""
    ids: dict[int, None] = {}
    for result in results:
        for pet in result.pets or ():
            pet_id = PET_FIELDS["id"].accept(pet.get("id")) if isinstance(pet, dict) else None
            if isinstance(pet_id, int):
                ids[pet_id] = None
    return [*ids]


def is_removed(results: Iterable[ProbeResult]) -> bool:
    """Return whether getPet responds for no listed pet as if it did not exist."""
    statuses = [each.status for each in results if each.probe.pet_id is not None]
    return bool(statuses) and all(status in _REMOVED for status in statuses)
