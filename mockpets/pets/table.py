"""Tables of pets as JSON, with indexes; generated tables are shared by many stores."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mockpets.constants import PET_STATUSES, TABLES
from mockpets.contract.serialization import dump_pet
from mockpets.errors import RequestError
from mockpets.memory_budget import Charge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mockpets.constants import PetStatus
    from mockpets.contract.schemas import Pet
    from mockpets.memory_budget import MemoryBudget

ENTRY_BYTES: Final = 200
"""The charge for a pet in addition to its JSON: its id, its index entries, and some reserve."""


@dataclass(slots=True, eq=False)
class Table:
    """Pets as JSON by id.

    :param ids: ascending, of the pets with a status; those of all pets for None.
    :param frozen: whether the table is shared, and so read-only.
    :param charge: its charge to a budget as long as the table is in use; None if its store is
        charged instead.
    """

    rows: dict[int, bytes]
    ids: dict[PetStatus | None, list[int]]
    frozen: bool = False
    charge: Charge | None = None

    @property
    def next_id(self) -> int:
        """The lowest id, from 1, that is higher than all ids in the table."""
        return max([0, *self.ids[None][-1:]]) + 1

    def some(self, after: int | None, limit: int, status: PetStatus | None = None) -> list[bytes]:
        """Return pets as JSON, as `Saved.rows` does."""
        ids = self.ids[status]
        start = 0 if after is None else bisect_right(ids, after)
        return list(map(self.rows.__getitem__, ids[start : start + limit]))

    def put(self, pet: Pet, row: bytes) -> None:
        """Add a pet with a new id; `row` is its JSON."""
        self.rows[pet["id"]] = row
        for status in {None, pet.get("status")}:
            insort(self.ids[status], pet["id"])

    def drop(self, pet: Pet) -> None:
        """Remove a pet of this table."""
        del self.rows[pet["id"]]
        for status in {None, pet.get("status")}:
            ids = self.ids[status]
            del ids[bisect_left(ids, pet["id"])]

    def copy(self) -> Table:
        """Return a writable, independent copy."""
        return Table(self.rows.copy(), {status: ids.copy() for status, ids in self.ids.items()})


def make_table(pets: Iterable[Pet], budget: MemoryBudget | None = None) -> Table:
    """Return a frozen table of pets with distinct ids, or raise ``store_full``."""
    charge = Charge(budget)
    table = Table({}, {status: [] for status in (None, *PET_STATUSES)}, frozen=True, charge=charge)
    for pet in sorted(pets, key=lambda pet: pet["id"]):
        table.put(pet, dump_pet(pet))
    charge.add(sum(map(len, table.rows.values())) + ENTRY_BYTES * len(table.rows))
    return table


class TableCache:
    """Caches tables by count, seed and locale, for several threads; charges those in use."""

    def __init__(
        self, generate: Callable[[int, int, str], Iterable[Pet]], budget: MemoryBudget | None = None
    ) -> None:
        self._generate = generate
        self._budget = budget
        self._tables: dict[tuple[int, int, str], Table] = {}

    def fork(self, budget: MemoryBudget) -> TableCache:
        """Return a cache that has the same tables, and keeps and charges new ones for itself."""
        copy = TableCache(self._generate, budget)
        copy._tables = self._tables
        return copy

    def has(self, count: int, seed: int, locale: str) -> bool:
        """Return whether the cache has the table for these pets."""
        return (count, seed, locale) in self._tables

    def make(self, count: int, seed: int, locale: str) -> Table:
        """Return the table for these pets, cached if possible, or raise ``store_full``."""
        key = count, seed, locale
        table = self._tables.get(key)
        if table is None:
            pets = self._generate(*key)
            try:
                table = make_table(pets, self._budget)
            except RequestError:
                self._tables = {}  # frees the tables that are no longer in use
                table = make_table(self._generate(*key), self._budget)
            # A new dict, because other threads may read the old one; the oldest table is dropped.
            self._tables = dict([*self._tables.items(), (key, table)][-TABLES:])
        return table
