"""Tables of records as JSON, with indexes; tables of initial records are shared by many stores.

Each record has a place: an integer by which lists are in order. In an ordered collection it is the
key; in others it is the number of the record in the order of arrival.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, cast
from weakref import WeakValueDictionary

from mockpets.constants import TABLES
from mockpets.contract.collections import identity
from mockpets.kept_results import Results
from mockpets.strict_json import dump_json, load_json

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence

    from mockpets.contract.contract_model import Collection, Key, Record
    from mockpets.memory_budget import MemoryBudget

    Condition = tuple[str, Hashable]
    """The name of a filter, and the `index_key` of a value."""


RESULTS: Final = 16
"""Most are lists of records in another order, each with 8 bytes for each record."""


def parse_row(row: bytes) -> Record:
    return cast("Record", load_json(row.decode()))


def index_key(value: object) -> Hashable:
    """Return what is equal for values that are equal in JSON's sense: 1 is 1.0, true is not 1."""
    if value is None or isinstance(value, (bool, list, dict)):
        return dump_json(value)
    return value


@dataclass(slots=True, eq=False, weakref_slot=True)
class Table:
    """Records as JSON by place.

    :param keys: the place by the `identity` of the key; None if the key is the place.
    :param places: all of them, ascending.
    :param index: the places of the records with a value, ascending.
    :param highest: the highest integer key up to `highest_counted` that a record has or had.
    :param frozen: whether the table is shared, and so read-only.
    :param size: what a frozen table takes of the memory for records, in bytes; 0 for the initial
        records of a server, and in a store, which counts its own ones.
    :param results: of a frozen table; see `Store.results`, also for `revision`.
    """

    collection: Collection
    keys: dict[Key, int] | None
    rows: dict[int, bytes] = field(default_factory=dict)
    places: list[int] = field(default_factory=list)
    index: dict[Condition, list[int]] = field(default_factory=dict)
    highest: int = 0
    frozen: bool = False
    size: int = 0
    results: Results = field(default_factory=partial(Results, RESULTS))
    revision: object = field(default_factory=object)
    _digest: str = ""

    @property
    def digest(self) -> str:
        """A digest of the records of a frozen table."""
        if not self._digest:
            self._digest = blake2b(b"\n".join(self.in_order()), digest_size=16).hexdigest()
        return self._digest

    def at(self, condition: Condition | None) -> Sequence[int]:
        """Return the places of the records that meet a condition, or all, ascending."""
        return self.places if condition is None else self.index.get(condition, ())

    def find(self, key: Key) -> int | None:
        """Return the place of the record with a key, an `identity`; None without one."""
        if self.keys is not None:
            return self.keys.get(key)
        return key if key in self.rows else None

    def put(self, place: int, record: Record, row: bytes) -> None:
        """Add a record at a free place; `row` is its JSON."""
        self.rows[place] = row
        insort(self.places, place)
        self._add_to_index(place, self._conditions(record))
        key = record[self.collection.key]
        if self.keys is not None:
            self.keys[identity(key)] = place
        if isinstance(key, int) and self.highest < key <= self.collection.highest_counted:
            self.highest = key

    def drop(self, place: int, record: Record) -> None:
        """Remove a record of this table."""
        del self.rows[place]
        del self.places[bisect_left(self.places, place)]
        self._drop_from_index(place, self._conditions(record))
        if self.keys is not None:
            del self.keys[identity(record[self.collection.key])]

    def replace(self, place: int, old: Record, new: Record, row: bytes) -> None:
        """Replace a record of this table by one with the same key; `row` is its JSON."""
        self.rows[place] = row
        before, after = self._conditions(old), self._conditions(new)
        if before != after:
            self._drop_from_index(place, before)
            self._add_to_index(place, after)

    def _add_to_index(self, place: int, conditions: Iterable[Condition]) -> None:
        for condition in conditions:
            insort(self.index.setdefault(condition, []), place)

    def _drop_from_index(self, place: int, conditions: Iterable[Condition]) -> None:
        for condition in conditions:
            places = self.index[condition]
            del places[bisect_left(places, place)]
            if not places:
                del self.index[condition]

    def _conditions(self, record: Mapping[str, object]) -> list[Condition]:
        """Return the conditions with an index that a record meets."""
        return [
            (name, index_key(record[name])) for name in self.collection.filters if name in record
        ]

    def in_order(self) -> list[bytes]:
        """Return all records as JSON."""
        return list(map(self.rows.__getitem__, self.places))

    def copy(self) -> Table:
        """Return a writable, independent copy."""
        return Table(
            self.collection,
            None if self.keys is None else self.keys.copy(),
            self.rows.copy(),
            self.places.copy(),
            {condition: places.copy() for condition, places in self.index.items()},
            self.highest,
        )


_EMPTY: Final[WeakValueDictionary[Collection, Table]] = WeakValueDictionary()
"""Weak, since a document that was reloaded has other collections."""


def empty_table(collection: Collection) -> Table:
    """Return a frozen table without records, which the stores of a collection share."""
    table = _EMPTY.get(collection)
    if table is None:
        table = Table(collection, None if collection.is_ordered else {}, frozen=True)
        _EMPTY[collection] = table
    return table


def rows_of(rows: Iterable[bytes]) -> Iterator[tuple[Record, bytes]]:
    """Yield records with their rows, as `make_table` takes them."""
    return ((parse_row(row), row) for row in rows)


def dumped(collection: Collection, records: Iterable[Record]) -> Iterator[tuple[Record, bytes]]:
    """Yield records with their rows; raise ``invalid_request`` or ``payload_too_large``."""
    return ((record, collection.schema.dump(record)) for record in records)


def make_table(collection: Collection, records: Iterable[tuple[Record, bytes]]) -> Table:
    """Return a frozen table of records with distinct keys.

    :param records: in order, unless the collection is ordered by key; each with its JSON.
    """
    key, table = collection.key, empty_table(collection).copy()
    if collection.is_ordered:
        for record, row in sorted(records, key=lambda pair: cast("int", pair[0][key])):
            table.put(record[key], record, row)
    else:
        for place, (record, row) in enumerate(records):
            table.put(place, record, row)
    table.size = sum(map(len, table.rows.values())) + collection.entry_bytes * len(table.rows)
    table.frozen = True
    return table


class TableCache:
    """Caches tables of generated records, for several threads.

    :param generate: returns records of a collection by count, seed and locale.
    :param budget: of which it takes the memory for those that it keeps.
    """

    def __init__(
        self,
        generate: Callable[[Collection, int, int, str], Iterable[Record]],
        budget: MemoryBudget,
    ) -> None:
        self._generate = generate
        self._budget = budget
        self.kept: Mapping[tuple[Collection, int, int, str], Table] = {}
        """Never changed, since other threads may read it."""

    def fork(self, budget: MemoryBudget) -> TableCache:
        """Return a cache that has the same tables, and keeps new ones for itself."""
        copy = TableCache(self._generate, budget)
        copy.kept = self.kept
        return copy

    def keep(self, used: Container[Table]) -> None:
        """Drop all tables but these."""
        self.kept = {key: table for key, table in self.kept.items() if table in used}

    def has(self, collection: Collection, count: int, seed: int, locale: str) -> bool:
        """Return whether the cache has the table for these records."""
        return (collection, count, seed, locale) in self.kept

    def make(self, collection: Collection, count: int, seed: int, locale: str) -> Table:
        """Return the table for these records, cached if possible, or raise ``store_full``."""
        key = collection, count, seed, locale
        table = self.kept.get(key)
        if table is None:
            table = make_table(collection, dumped(collection, self._generate(*key)))
            self._budget.take(0, [table])
            # Without the oldest one, if there are too many.
            self.kept = dict([*self.kept.items(), (key, table)][-TABLES:])
        return table
