"""The pets of one session, stored as JSON and shared between sessions where possible.

A `Table` has pets and their indexes. A `Store` has two tables: a base that many stores share and
never write to, and its own table for the pets that requests add. Ids in its own table are higher
than all ids in the base, so a list is the base followed by the own table. A session costs only what
it adds, whatever the size of the base. To change or delete a pet of the base, the store copies the
base first. Saved tables are frozen and shared too: a store copies them before writing.

Pets are returned as bytes, so that a page costs no more than its size.
"""

from __future__ import annotations

import json
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from mockpets.constants import INT64_MAX
from mockpets.contract.error_messages import no_animal, store_full
from mockpets.contract.serialization import dump_pet
from mockpets.errors import RequestError
from mockpets.memory_budget import Charge
from mockpets.pets.table import ENTRY_BYTES, Table, make_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.constants import PetStatus
    from mockpets.contract.schemas import NewPet, Pet
    from mockpets.memory_budget import MemoryBudget

_NO_PETS: Final = make_table([])


class Saved(NamedTuple):
    """The pets of a store at one moment.

    :param shared: the original of `base`, which is the same table or a copy.
    :param own: the pets that requests added; `charge` is for them, and for a copied base.
    :param next_id: higher than every id that the store has assigned so far.
    """

    shared: Table
    base: Table
    own: Table
    charge: Charge
    next_id: int = 1

    def total(self, status: PetStatus | None = None) -> int:
        """Return how many pets have a status, or any."""
        return len(self.base.ids[status]) + len(self.own.ids[status])

    def rows(self, after: int | None, limit: int, status: PetStatus | None = None) -> list[bytes]:
        """Return at most `limit` pets with a status, or all, as JSON, by id, from above `after`."""
        rows = self.base.some(after, limit, status)
        if len(rows) < limit and self.own.rows:
            rows += self.own.some(after, limit - len(rows), status)
        return rows

    def row(self, pet_id: int) -> bytes | None:
        """Return one pet as JSON, or None if the id does not exist."""
        return self.base.rows.get(pet_id) or self.own.rows.get(pet_id)


class Unsaved(NamedTuple):
    """Changes: all pets, or else the changed ones by ID as JSON, None for a deleted pet."""

    pets: Saved | None
    rows: Mapping[int, bytes | None]
    next_id: int


def _plain(table: Table) -> Saved:
    """Return the pets of a table, without own pets or a charge."""
    return Saved(table, table, _NO_PETS, Charge(None))


class Store:
    """The pets that the operations and the control API use. Safe to use from several threads.

    Ids are never reused before a reset, even if pets are deleted, replaced or restored. If the
    store is saved to a file, the file reserves IDs before the store assigns them, so that not even
    a crash makes the server assign one twice.

    :param start: the initial pets, also after a reset; the store never writes to this table.
    :param max_new: the maximum number of pets added by requests.
    :param budget: charged for these, and for a copy of the base.
    """

    # They save 200 bytes, 3 % of what a session takes.
    __slots__ = (
        *("_changed", "_charge", "_lock", "_max_new", "_next_id", "_now", "_on_change"),
        *("_reserved", "start"),
    )

    def __init__(self, start: Table, max_new: int, budget: MemoryBudget | None = None) -> None:
        self.start = start
        self._max_new = max_new
        self._next_id = start.next_id
        self._charge = Charge(budget)
        self._now = _plain(start)._replace(charge=self._charge)
        self._lock = Lock()
        self._on_change: Callable[[], object] = lambda: None
        self._changed: dict[int, None] | None = None
        """The IDs of the pets that changed; None for all, also if the store is not saved."""
        self._reserved = INT64_MAX + 2
        """The lowest ID that the file has not reserved; higher than all without a file."""

    @property
    def is_changed(self) -> bool:
        """Whether the pets differ from the initial ones, or an id was assigned."""
        now = self._now
        return (
            now.base is not self.start or bool(now.own.rows) or self._next_id != self.start.next_id
        )

    def has_assigned(self, pet_id: int) -> bool:
        """Return whether a create has got this id since the start or the last reset."""
        return self.start.next_id <= pet_id < self._next_id

    def page(self, limit: int, status: PetStatus | None = None) -> bytes:
        """Return the first pets by id with a status, or of all, at most `limit`, as JSON."""
        with self._lock:
            rows = self._now.rows(None, limit, status)
        return b"[" + b",".join(rows) + b"]"

    def get(self, pet_id: int) -> bytes | None:
        """Return one pet as JSON, or None if the id does not exist."""
        with self._lock:
            return self._now.row(pet_id)

    def total(self, status: PetStatus | None = None) -> int:
        """Return how many pets have a status, or any."""
        with self._lock:
            return self._now.total(status)

    def rows(self, after: int | None, limit: int, status: PetStatus | None = None) -> list[bytes]:
        """Return the pets with a status, or all, as JSON, as `Saved.rows` does."""
        with self._lock:
            return self._now.rows(after, limit, status)

    def create(self, new: NewPet) -> tuple[int, bytes]:
        """Add a pet; return its id and the pet as JSON, or raise ``store_full``."""
        with self._lock:
            own, pet_id = self._now.own, self._next_id
            if len(own.rows) >= self._max_new:
                raise RequestError("store_full", store_full(self._max_new))
            if pet_id > INT64_MAX:
                message = "the highest int64 id is already used; reset the session"
                raise RequestError("store_full", message)
            pet: Pet = {"id": pet_id, **new}
            row = dump_pet(pet)
            self._charge.add(len(row) + ENTRY_BYTES)
            self._open_own().put(pet, row)
            self._next_id += 1
            self._mark(pet_id)
        self._on_change()
        return pet_id, row

    def change(self, pet_id: int, changes: Mapping[str, object]) -> bytes:
        """Set properties of a pet, or remove those with the value None; return it as JSON.

        :raise RequestError: ``pet_not_found``, or ``store_full`` if the budget is used up.
        """
        with self._lock:
            old = self._known(pet_id)
            values = {**old, **changes}
            pet = cast("Pet", {name: value for name, value in values.items() if value is not None})
            row = dump_pet(pet)
            table = self._open(pet_id, len(row))
            table.drop(old)
            table.put(pet, row)
            self._mark(pet_id)
        self._on_change()
        return row

    def delete(self, pet_id: int) -> None:
        """Delete a pet, or raise ``pet_not_found`` or ``store_full``."""
        with self._lock:
            pet = self._known(pet_id)
            table = self._open(pet_id, 0)
            table.drop(pet)
            if table is self._now.own:
                self._charge.add(-ENTRY_BYTES)
            self._mark(pet_id)
        self._on_change()

    def _mark(self, pet_id: int) -> None:
        if self._changed is not None:
            self._changed[pet_id] = None

    def _known(self, pet_id: int) -> Pet:
        row = self._now.row(pet_id)
        if row is None:
            raise RequestError("pet_not_found", no_animal(pet_id))
        return cast("Pet", json.loads(row))

    def _open(self, pet_id: int, size: int) -> Table:
        """Charge for a change of a pet to a size in bytes, and return its table, writable."""
        now = self._now
        if old := now.own.rows.get(pet_id):
            self._charge.add(size - len(old))
            return self._open_own()
        old = now.base.rows[pet_id]
        if now.base is now.shared:
            size += ENTRY_BYTES * len(now.shared.rows)
        elif old is not now.shared.rows[pet_id]:  # changed before, so it is already charged
            size -= len(old)
        self._charge.add(size)
        if now.base.frozen:
            self._now = now._replace(base=now.base.copy())
        return self._now.base

    def _open_own(self) -> Table:
        if self._now.own.frozen:
            self._now = self._now._replace(own=self._now.own.copy())
        return self._now.own

    def replace(self, table: Table) -> None:
        """Replace all pets by those of a table; a reset still restores the initial ones."""
        with self._lock:
            self._switch_to(_plain(table))
        self._on_change()

    def save(self, budget: MemoryBudget | None) -> Saved:
        """Return the current pets; they can be restored any number of times.

        :param budget: charged for what only these keep in memory when the store changes.
        :raise RequestError: ``store_full`` if the budget is too small.
        """
        charge = Charge(budget)
        with self._lock:
            charge.add(self._charge.size)
            self._now.base.frozen = self._now.own.frozen = True
            return self._now._replace(charge=charge, next_id=self._next_id)

    def fork(self) -> Store:
        """Return a store with the same pets and the same next ID, which is not saved to a file."""
        copy = Store(self.start, self._max_new)
        saved = self.save(None)
        copy._now = saved._replace(charge=copy._charge)
        copy._next_id = saved.next_id
        return copy

    def restore(self, saved: Saved) -> None:
        """Restore saved pets, but not the ids, or raise ``store_full``."""
        with self._lock:
            self._switch_to(saved)
        self._on_change()

    def reset(self) -> None:
        """Restore the initial pets and ids."""
        with self._lock:
            self._switch_to(_plain(self.start))
            self._next_id = self.start.next_id
        self._on_change()

    def _switch_to(self, pets: Saved) -> None:
        """Replace all pets, and charge them to this store."""
        self._charge.add(pets.charge.size - self._charge.size)
        self._now = pets._replace(charge=self._charge)
        next_ids = (self._next_id, pets.next_id, pets.base.next_id, pets.own.next_id)
        self._next_id = max(next_ids)
        self._changed = None

    # --- Saving to a file ---------------------------------------------------------------------

    def track(self, on_change: Callable[[], None]) -> None:
        """Call a function after each change from now on, for a file that has reserved no IDs."""
        with self._lock:
            self._on_change = on_change
            self._reserved = 0

    @property
    def has_reserved_id(self) -> bool:
        """Whether the next ID is reserved in the file, or the store is not saved."""
        return self._next_id < self._reserved

    def take_unsaved(self, *, everything: bool = False) -> Unsaved:
        """Return what changed since the last call, or all pets."""
        with self._lock:
            changed, self._changed = self._changed, {}
            if changed is None or everything:
                self._now.base.frozen = self._now.own.frozen = True
                return Unsaved(self._now, {}, self._next_id)
            rows = {pet_id: self._now.row(pet_id) for pet_id in changed}
            return Unsaved(None, rows, self._next_id)

    def reserve(self, first_free: int) -> None:
        """Set the lowest ID that the file has not reserved.

        Call this with a lower ID before the file has it, and with a higher one afterwards.
        """
        self._reserved = first_free
