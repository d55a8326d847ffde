"""Pets with their indexes, kept serialised, and generated tables that many stores share."""

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

_INDEXED: Final = tuple(dict.fromkeys(each.compares for each in FILTERS.values()))
_OPEN: Final = [name for name in _INDEXED if "enum" not in PET_FIELDS[name].openapi]
"""Properties with any number of values, of which each has a list of ids in the index."""
ENTRY_BYTES: Final = 200 + 250 * len(_OPEN)
"""What a pet is charged beside its JSON: its id, its places in the indexes, and some room."""


class _Index(dict["PetFilters", list[int]]):
    """Filters to the ids of the pets that pass them, ascending.

    It holds the ids for no filter and for each single one, so that a page costs the page; those
    for several filters are found when they are asked for.
    """

    def __missing__(self, filters: PetFilters) -> list[int]:
        if len(filters) < 2:
            return []
        lists = sorted((self[(each,)] for each in filters), key=len)
        return sorted(set(lists[0]).intersection(*lists[1:]))


@dataclass(slots=True, eq=False)
class Table:
    """Pets with their indexes.

    :param rows: id to the pet as JSON.
    :param ids: filters to the ids of the pets that pass them, ascending; under ``()`` all ids.
    :param frozen: it is shared, and never written to again.
    :param charge: what it takes of a budget as long as anyone has it; None for what its store is
        charged for.
    """

    rows: dict[int, bytes]
    ids: _Index
    frozen: bool = False
    charge: Charge | None = None

    @property
    def next_id(self) -> int:
        """The lowest id from 1 that is above all that are here."""
        return max([0, *self.ids[()][-1:]]) + 1

    def some(self, after: int | None, limit: int, filters: PetFilters = ()) -> list[bytes]:
        """Return pets as JSON, as `Saved.rows` does."""
        ids = self.ids[filters]
        start = 0 if after is None else bisect_right(ids, after)
        return list(map(self.rows.__getitem__, ids[start : start + limit]))

    def put(self, pet: Pet, row: bytes) -> None:
        """Put in a pet whose id is new here.

        :param row: the pet as JSON.
        """
        values: Mapping[str, object] = pet
        pet_id = pet["id"]
        self.rows[pet_id] = row
        insort(self.ids[()], pet_id)
        for name in _INDEXED:
            if name in values:
                insort(self.ids.setdefault(((name, values[name]),), []), pet_id)

    def drop(self, pet: Pet) -> None:
        """Take out a pet that is here."""
        values: Mapping[str, object] = pet
        pet_id = pet["id"]
        del self.rows[pet_id]
        del self.ids[()][bisect_left(self.ids[()], pet_id)]
        for name in _INDEXED:
            if name in values:
                key = ((name, values[name]),)
                if len(self.ids[key]) == 1:
                    del self.ids[key]  # a property may have any number of values over time
                else:
                    del self.ids[key][bisect_left(self.ids[key], pet_id)]

    def copy(self) -> Table:
        """Return a table that can be written to without this one noticing."""
        return Table(self.rows.copy(), _Index({key: ids.copy() for key, ids in self.ids.items()}))


def make_table(pets: Iterable[Pet], budget: MemoryBudget | None = None) -> Table:
    """Return a frozen table of pets whose ids are distinct.

    :param budget: charged as long as anyone has the table.
    :raise RequestError: ``store_full`` when the budget has not as much left.
    """
    charge = Charge(budget)
    table = Table({}, _Index({(): []}), frozen=True, charge=charge)
    for pet in sorted(pets, key=lambda pet: pet["id"]):
        table.put(pet, dump_pet(pet))
    charge.add(sum(map(len, table.rows.values())) + ENTRY_BYTES * len(table.rows))
    return table


class TableCache:
    """Tables by count, seed and locale. Safe to use from several threads.

    :param generate: returns pets made from count, seed and locale.
    :param budget: what the tables may hold; they are charged to it as long as anyone uses them.
    """

    def __init__(
        self,
        generate: Callable[[int, int, str], Iterable[Pet]],
        budget: MemoryBudget | None = None,
    ) -> None:
        self._generate = generate
        self._budget = budget
        self._made: dict[tuple[int, int, str], Table] = {}

    def has(self, count: int, seed: int, locale: str) -> bool:
        """Whether these pets are made already."""
        return (count, seed, locale) in self._made

    def make(self, count: int, seed: int, locale: str) -> Table:
        """Return these pets; asked again soon, the same table.

        :raise RequestError: ``store_full`` when they do not fit into the budget.
        """
        key = count, seed, locale
        table = self._made.get(key)
        if table is None:
            pets = self._generate(*key)
            try:
                table = make_table(pets, self._budget)
            except RequestError:
                self._made = {}  # what no one uses any more makes room
                table = make_table(self._generate(*key), self._budget)
            # A new dict, so that no other thread sees it change; the oldest goes.
            self._made = dict([*self._made.items(), (key, table)][-TABLES:])
        return table
