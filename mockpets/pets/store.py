"""The pets of one session: kept serialised, found by id or by filters, shared as far as can be.

A `Table` is pets with their indexes. A `Store` lays two over each other: a base that any number of
stores share and none writes to, and its own with what requests added. The ids of the own pets are
above all of the base's, so a list is the one after the other, and a session costs what it adds,
whatever the size of the catalogue. Only to change or delete a pet of the base takes a copy of the
base first. A table in a snapshot is frozen and shared in turn: who wants to write to it, copies it.

Answers are bytes: a page costs the page.
"""

from __future__ import annotations

import json
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from mockpets.constants import INT64_MAX
from mockpets.contract.serialization import dump_pet
from mockpets.errors import RequestError
from mockpets.memory_budget import Charge
from mockpets.pets.table import ENTRY_BYTES, Table, make_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.schemas import NewPet, Pet, PetFilters
    from mockpets.memory_budget import MemoryBudget

_NO_PETS: Final = make_table([])


class Saved(NamedTuple):
    """The pets of a store at one moment.

    :param shared: the table that `base` is, or is a copy of.
    :param own: those that requests added.
    :param charge: for `own`, and for `base` when it is a copy.
    :param next_id: above every id that its store has given so far; whoever restores it goes on
        above this and above all that is here.
    """

    shared: Table
    base: Table
    own: Table
    charge: Charge
    next_id: int = 1

    def total(self, filters: PetFilters = ()) -> int:
        """Return how many pets pass the filters."""
        return len(self.base.ids[filters]) + len(self.own.ids[filters])

    def rows(self, after: int | None, limit: int, filters: PetFilters = ()) -> list[bytes]:
        """Return the pets that pass the filters as JSON, by id, ascending.

        :param after: only ids above this one.
        :param limit: at most this many.
        """
        found = self.base.some(after, limit, filters)
        if len(found) < limit and self.own.rows:
            found += self.own.some(after, limit - len(found), filters)
        return found

    def row(self, pet_id: int) -> bytes | None:
        """Return one pet as JSON, or None when there is none of that id."""
        return self.base.rows.get(pet_id) or self.own.rows.get(pet_id)


def _plain(table: Table) -> Saved:
    """Return the pets of a table and no others, with nothing to charge for."""
    return Saved(table, table, _NO_PETS, Charge(None))


class Store:
    """What the three operations and the control API act on. Safe to use from several threads.

    No id is given twice before a reset, whatever is deleted, replaced or restored.

    :param start: the pets it begins with, and goes back to; never written to.
    :param max_new: pets added by requests that may be there at once.
    :param budget: charged for these, and for a copy of the base.
    """

    __slots__ = ("_charge", "_lock", "_max_new", "_next_id", "_now", "start")

    def __init__(self, start: Table, max_new: int, budget: MemoryBudget | None = None) -> None:
        self.start = start
        self._max_new = max_new
        self._next_id = start.next_id
        self._charge = Charge(budget)
        self._now = _plain(start)._replace(charge=self._charge)
        self._lock = Lock()

    def page(self, limit: int, filters: PetFilters = ()) -> bytes:
        """Return the first pets by id that pass the filters, at most `limit`, as a JSON array."""
        with self._lock:
            rows = self._now.rows(None, limit, filters)
        return b"[" + b",".join(rows) + b"]"

    def get(self, pet_id: int) -> bytes | None:
        """Return one pet as JSON, or None when there is none of that id."""
        with self._lock:
            return self._now.row(pet_id)

    def total(self, filters: PetFilters = ()) -> int:
        """Return how many pets pass the filters."""
        with self._lock:
            return self._now.total(filters)

    def rows(self, after: int | None, limit: int, filters: PetFilters = ()) -> list[bytes]:
        """Return the pets that pass the filters as JSON, as `Saved.rows` does."""
        with self._lock:
            return self._now.rows(after, limit, filters)

    def create(self, new: NewPet) -> tuple[int, bytes]:
        """Add a pet; return its id and the pet as JSON.

        :raise RequestError: ``store_full`` at `max_new`, when int64 has no id left, or when the
            budget is used up.
        """
        with self._lock:
            own, pet_id = self._now.own, self._next_id
            if len(own.rows) >= self._max_new:
                raise RequestError(
                    "store_full",
                    f"requests may add at most {self._max_new} pets; delete some, reset the "
                    "session, or start the server with a higher --max-pets",
                )
            if pet_id > INT64_MAX:
                what = "the highest id that int64 has is used; reset the session"
                raise RequestError("store_full", what)
            pet: Pet = {"id": pet_id, **new}
            row = dump_pet(pet)
            self._charge.add(len(row) + ENTRY_BYTES)
            self._open_own().put(pet, row)
            self._next_id += 1
        return pet_id, row

    def change(self, pet_id: int, changes: Mapping[str, object]) -> bytes:
        """Set properties of a pet; return it as JSON.

        :param changes: as `load_pet_change` returns them; None removes a property.
        :raise RequestError: ``pet_not_found``, or ``store_full`` when the budget is used up.
        """
        with self._lock:
            old = self._known(pet_id)
            values = {**old, **changes}
            pet = cast("Pet", {name: each for name, each in values.items() if each is not None})
            row = dump_pet(pet)
            table = self._open(pet_id, len(row))
            table.drop(old)
            table.put(pet, row)
        return row

    def delete(self, pet_id: int) -> None:
        """Take out a pet.

        :raise RequestError: ``pet_not_found``, or ``store_full`` when the budget is used up.
        """
        with self._lock:
            pet = self._known(pet_id)
            table = self._open(pet_id, 0)
            table.drop(pet)
            if table is self._now.own:
                self._charge.add(-ENTRY_BYTES)

    def _known(self, pet_id: int) -> Pet:
        """Return one pet."""
        row = self._now.row(pet_id)
        if row is None:
            raise RequestError("pet_not_found", f"no animal has the id {pet_id}")
        return cast("Pet", json.loads(row))

    def _open(self, pet_id: int, size: int) -> Table:
        """Return the table that has a pet, ready to be written to, its change charged.

        :param size: bytes of the JSON that takes the place of the pet's.
        """
        now = self._now
        if old := now.own.rows.get(pet_id):
            self._charge.add(size - len(old))
            return self._open_own()
        old = now.base.rows[pet_id]
        if now.base is now.shared:
            size += ENTRY_BYTES * len(now.shared.rows)
        elif old is not now.shared.rows[pet_id]:  # changed before, so it was charged
            size -= len(old)
        self._charge.add(size)
        if now.base.frozen:
            self._now = now._replace(base=now.base.copy())
        return self._now.base

    def _open_own(self) -> Table:
        """Return the table of own pets, ready to be written to."""
        if self._now.own.frozen:
            self._now = self._now._replace(own=self._now.own.copy())
        return self._now.own

    def replace(self, table: Table) -> None:
        """Have these pets from now on; a reset still goes back to the start."""
        with self._lock:
            self._turn_to(_plain(table))

    def save(self, budget: MemoryBudget | None) -> Saved:
        """Return the pets as they are now, to be restored as often as one likes.

        :param budget: charged for what would be kept for the snapshot's sake alone, if its store
            went on: the pets that requests added, and a copy of the base.
        :raise RequestError: ``store_full`` when the budget has not as much left.
        """
        charge = Charge(budget)
        with self._lock:
            charge.add(self._charge.size)
            self._now.base.frozen = self._now.own.frozen = True
            return self._now._replace(charge=charge, next_id=self._next_id)

    def restore(self, saved: Saved) -> None:
        """Have the pets of a snapshot again, of this store or another one; its ids count as given.

        :raise RequestError: ``store_full`` when the budget is used up.
        """
        with self._lock:
            self._turn_to(saved)

    def reset(self) -> None:
        """Go back to the pets it began with."""
        with self._lock:
            self._turn_to(_plain(self.start))
            self._next_id = self.start.next_id

    def _turn_to(self, pets: Saved) -> None:
        """Have other pets, charged to this store."""
        self._charge.add(pets.charge.size - self._charge.size)
        self._now = pets._replace(charge=self._charge)
        used = (self._next_id, pets.next_id, pets.base.next_id, pets.own.next_id)
        self._next_id = max(used)
