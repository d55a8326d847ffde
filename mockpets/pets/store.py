"""The pets of one session: kept serialised, found by id or by status, shared until written.

A `Table` is the data with its indexes; a `Store` starts on a table that any number of stores
share, and takes a copy of its own when it is first written to. Answers are bytes: a page costs
the page, whatever the size of the catalogue.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from mockpets.constants import INT64_MAX, PET_STATUSES
from mockpets.contract import dump_pet
from mockpets.errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.contract import NewPet, Pet

__all__ = ["Store", "Table", "make_table"]


@dataclass(slots=True)
class Table:
    """Pets with their indexes.

    :param rows: id to the pet as JSON.
    :param ids: every id, ascending.
    :param by_status: status to the ids of the pets that have it, ascending; a pet without a
        status is in none.
    :param next_id: what the next new pet gets; beyond int64 when there is none left.
    """

    rows: dict[int, bytes]
    ids: list[int]
    by_status: dict[str, list[int]]
    next_id: int

    def copy(self) -> Table:
        """Return a table that can be written to without this one noticing."""
        by_status = {status: ids.copy() for status, ids in self.by_status.items()}
        return Table(self.rows.copy(), self.ids.copy(), by_status, self.next_id)

    def add(self, pet: Pet) -> bytes:
        """Put in a pet whose id is new, and return it as JSON."""
        row = dump_pet(pet)
        self.rows[pet["id"]] = row
        insort(self.ids, pet["id"])
        if "status" in pet:
            insort(self.by_status[pet["status"]], pet["id"])
        self.next_id = max(self.next_id, pet["id"] + 1)
        return row


def make_table(pets: Iterable[Pet]) -> Table:
    """Return a table of pets whose ids are distinct."""
    table = Table({}, [], {status: [] for status in PET_STATUSES}, next_id=1)
    for pet in sorted(pets, key=lambda pet: pet["id"]):
        table.add(pet)
    return table


class Store:
    """What the three operations act on. Safe to use from several threads.

    :param start: the pets it begins with, and goes back to; never written to.
    :param max_new: pets that requests may add before a reset.
    """

    def __init__(self, start: Table, max_new: int) -> None:
        self._start = start
        self._table = start
        self._max_new = max_new
        self._new = 0
        self._lock = Lock()

    def page(self, limit: int, status: str | None = None) -> bytes:
        """Return the first pets by id as a JSON array: at most `limit`, of one status if given."""
        with self._lock:
            table = self._table
            ids = table.ids if status is None else table.by_status[status]
            rows = [table.rows[number] for number in ids[:limit]]
        return b"[" + b",".join(rows) + b"]"

    def get(self, pet_id: int) -> bytes | None:
        """Return one pet as JSON, or None when there is none of that id."""
        with self._lock:
            return self._table.rows.get(pet_id)

    def create(self, new: NewPet) -> tuple[int, bytes]:
        """Add a pet; return its id and the pet as JSON.

        :raise Refusal: ``store_full`` at `max_new`, or when int64 has no id left.
        """
        with self._lock:
            if self._new >= self._max_new:
                raise Refusal(
                    "store_full",
                    f"requests may add at most {self._max_new} pets; reset the session, "
                    "or start the server with a higher --max-pets",
                )
            if self._table.next_id > INT64_MAX:
                raise Refusal("store_full", "the pets at hand use the highest id that int64 has")
            if self._table is self._start:
                self._table = self._start.copy()
            pet_id = self._table.next_id
            row = self._table.add({"id": pet_id, **new})
            self._new += 1
        return pet_id, row

    def reset(self) -> None:
        """Go back to the pets it began with."""
        with self._lock:
            self._table = self._start
            self._new = 0
