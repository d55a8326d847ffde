"""Tables of pets as JSON, with indexes; generated tables are shared by many stores."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mockpets.constants import TABLES
from mockpets.contract.schemas import FILTERS, PET_FIELDS
from mockpets.contract.serialization import dump_pet
from mockpets.errors import RequestError
from mockpets.memory_budget import Charge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mockpets.contract.schemas import Pet, PetFilters
    from mockpets.memory_budget import MemoryBudget

_INDEXED: Final = tuple(dict.fromkeys(field.compares for field in FILTERS.values()))
_OPEN: Final = [name for name in _INDEXED if "enum" not in PET_FIELDS[name].openapi]
"""Properties that can have any value; each value has a list of ids in the index."""
ENTRY_BYTES: Final = 200 + 250 * len(_OPEN)
"""The charge for a pet in addition to its JSON: its id, its index entries, and some reserve."""


class _Index(dict["PetFilters", list[int]]):
    """Filters to the ascending ids of the pets that pass them; for several, computed on demand."""

    def __missing__(self, filters: PetFilters) -> list[int]:
        if len(filters) < 2:
            return []
        lists = sorted((self[(single,)] for single in filters), key=len)
        return sorted(set(lists[0]).intersection(*lists[1:]))


@dataclass(slots=True, eq=False)
class Table:
    """Pets as JSON by id, with their indexes.

    :param frozen: whether the table is shared, and so read-only.
    :param charge: its charge to a budget as long as the table is in use; None if its store is
        charged instead.
    """

    rows: dict[int, bytes]
    ids: _Index
    frozen: bool = False
    charge: Charge | None = None

    @property
    def next_id(self) -> int:
        """The lowest id, from 1, that is higher than all ids in the table."""
        return max([0, *self.ids[()][-1:]]) + 1

    def some(self, after: int | None, limit: int, filters: PetFilters = ()) -> list[bytes]:
        """Return pets as JSON, as `Saved.rows` does."""
        ids = self.ids[filters]
        start = 0 if after is None else bisect_right(ids, after)
        return list(map(self.rows.__getitem__, ids[start : start + limit]))

    def put(self, pet: Pet, row: bytes) -> None:
        """Add a pet with a new id; `row` is its JSON."""
        values: Mapping[str, object] = pet
        pet_id = pet["id"]
        self.rows[pet_id] = row
        insort(self.ids[()], pet_id)
        for name in _INDEXED:
            if name in values:
                insort(self.ids.setdefault(((name, values[name]),), []), pet_id)

    def drop(self, pet: Pet) -> None:
        """Remove a pet of this table."""
        values: Mapping[str, object] = pet
        pet_id = pet["id"]
        del self.rows[pet_id]
        del self.ids[()][bisect_left(self.ids[()], pet_id)]
        for name in _INDEXED:
            if name in values:
                key = ((name, values[name]),)
                if len(self.ids[key]) == 1:
                    del self.ids[key]  # otherwise the index grows with each new value
                else:
                    del self.ids[key][bisect_left(self.ids[key], pet_id)]

    def copy(self) -> Table:
        """Return a writable, independent copy."""
        return Table(self.rows.copy(), _Index({key: ids.copy() for key, ids in self.ids.items()}))


def make_table(pets: Iterable[Pet], budget: MemoryBudget | None = None) -> Table:
    """Return a frozen table of pets with distinct ids, or raise ``store_full``."""
    charge = Charge(budget)
    table = Table({}, _Index({(): []}), frozen=True, charge=charge)
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
