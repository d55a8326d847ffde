"""The contracts to measure: their records, and the requests that every server gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.contract.pet_store import PET_STORE as SHIPPED
from mockpets.contract.reading import read
from mockpets.seed.generator import generate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.contract.contract_model import Record

ROOT: Final = Path(__file__).parent.parent
LIMIT: Final = 20
COUNT: Final = 50
"""Number of records at the start."""
MISSING_ID: Final = 999_999_999
NEW_NAME: Final = "Benchmark"
"""The name of the record that is posted."""


class Query(NamedTuple):
    """What a list request selects.

    :param filter: empty for no filter.
    """

    limit: int = LIMIT
    filter: str = ""
    page: int = 1


class Targets(NamedTuple):
    """How a server spells the requests, and where its lists are.

    :param list: target of a list without a filter, with `{limit}` and `{page}`.
    :param filter: the query parameter that filters the list.
    :param create: target of a create.
    :param get: target of a single record, with `{id}`.
    :param property: property of the response with the list; empty if the response is the list.
    """

    list: str
    filter: str
    create: str
    get: str
    property: str = ""


class Contract(NamedTuple):
    """A contract whose list, get and create are measured.

    :param name: also the key of its table in `peers.toml`.
    :param section: the section of the page of results.
    :param document: its OpenAPI document.
    :param base: the base path of the document's server.
    :param collection: the path of the list in the document, without its slash also the name of
        the collection.
    :param item: the path of a record in the document.
    :param options: what `mockpets serve` needs in addition; `{records}` is a file with `records`.
    :param records: the records at the start.
    :param matches: whether a record matches a filter.
    :param targets: the spelling of the contract.
    :param totals: the other properties of the timed page.
    :param timed: the list that is timed, with `LIMIT` records.
    :param queries: the lists of the mix.
    :param abilities: lists that show what a server can do, such as filtering, by its name.
    :param new: the body that is posted; `timed` never has this record.
    :param listed: a list that has it.
    :param invalid: the status that the contract demands for an invalid request.
    """

    name: str
    section: str
    document: Mapping[str, Any]
    base: str
    collection: str
    item: str
    options: tuple[str, ...]
    records: tuple[Record, ...]
    matches: Callable[[Record, str], bool]
    targets: Targets
    totals: Mapping[str, int]
    timed: Query
    queries: tuple[Query, ...]
    abilities: Mapping[str, Query]
    new: str
    listed: Query
    invalid: int

    def selected(self, query: Query) -> list[Record]:
        """Return the records at the start that a list has."""
        matching = [
            each for each in self.records if not query.filter or self.matches(each, query.filter)
        ]
        return matching[(query.page - 1) * query.limit : query.page * query.limit]

    def page(self) -> object:
        """Return the value of the timed page."""
        records = self.selected(self.timed)
        return {self.targets.property: records, **self.totals} if self.targets.property else records

    def all_abilities(self) -> tuple[str, ...]:
        """Return the names of the abilities, in the order of the tables; see `checks`."""
        envelope = ("envelope",) if self.targets.property else ()
        return ("key", *self.abilities, *envelope, "get", "rejects", "remembers")


def _pet_store() -> Contract:
    statuses = ("", "available", "sold")
    return Contract(
        name="pet-store",
        section="servers",
        document=SHIPPED.document,
        base="/v1",
        collection="/pets",
        item="/pets/{petId}",
        options=(f"--data=pets={COUNT}",),
        records=tuple(generate(COUNT, 1, "en_US")),
        matches=lambda pet, status: pet.get("status") == status,
        targets=Targets("/v1/pets?limit={limit}", "status", "/v1/pets", "/v1/pets/{id}"),
        totals={},
        timed=Query(filter="available"),
        queries=tuple(
            Query(limit, status)
            for limit in (5, 10, 20, 25, 30, 40, 50, 60, 80, 100)
            for status in statuses
        ),
        abilities={"limit": Query(5, "available"), "status": Query(filter="sold")},
        new=json.dumps({"name": NEW_NAME, "categoryId": 2, "status": "pending"}),
        listed=Query(100, "pending"),
        invalid=400,
    )


def _clinic() -> Contract:
    file = ROOT / "examples" / "clinic" / "api" / "clinic.yaml"
    document = read(file.read_text(encoding="utf-8"), file.name)
    if not isinstance(document, dict):
        raise TypeError(f"{file} is not an OpenAPI document")
    names, species = ("Miso", "Juniper", "Clover", "Rex", "Kiwi"), ("cat", "dog", "rabbit")
    return Contract(
        name="clinic",
        section="clinic",
        document=document,
        base="/api",
        collection="/patients",
        item="/patients/{patientId}",
        options=(f"--contract={file}", "--data=patients={records}"),
        records=tuple(
            {
                "id": number,
                "name": f"{names[number % len(names)]} {number}",
                "species": species[number % len(species)],
                "bornOn": f"{2010 + number % 15}-04-12",
                "ownerId": 1 + number % 10,
            }
            for number in range(1, COUNT + 1)
        ),
        matches=lambda patient, part: part.lower() in patient["name"].lower(),
        targets=Targets(
            "/api/patients?limit={limit}&page={page}",
            "q",
            "/api/patients",
            "/api/patients/{id}",
            "patients",
        ),
        totals={"page": 1, "pages": 3, "total": COUNT},
        timed=Query(),
        # Without a filter, for which most servers compare every new patient, too.
        queries=tuple(
            Query(limit, page=page)
            for limit in (2, 4, 5, 8, 10, 12, 15, 20, 24, 25)
            for page in (1, 2)
        ),
        abilities={"limit": Query(5), "page": Query(page=2), "q": Query(filter="kiwi")},
        new=json.dumps({"name": NEW_NAME, "species": "cat", "ownerId": 1}),
        listed=Query(50, page=2),
        invalid=422,
    )


PET_STORE: Final = _pet_store()
CLINIC: Final = _clinic()
CONTRACTS: Final[Mapping[str, Contract]] = {each.name: each for each in (PET_STORE, CLINIC)}
