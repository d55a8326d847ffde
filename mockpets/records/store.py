"""The records that one session has of a collection.

A `Store` starts from a table that many stores share and never write to. It keeps what differs: the
records that it added or changed, and those of the base that are gone, deleted or changed. So a
session costs only what it changed, whatever the size of the base. Saved tables are frozen and
shared too: a store copies its own ones before it writes to them.

Records are returned as bytes, so that a page costs no more than its size.
"""

from __future__ import annotations

from bisect import bisect_right
from contextlib import suppress
from decimal import Decimal
from hashlib import blake2b
from heapq import merge
from itertools import chain, filterfalse, islice
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar, cast
from uuid import UUID

from mockpets.constants import INT64_MAX
from mockpets.contract.collections import identity, key_problem, without_null
from mockpets.contract.error_messages import store_full
from mockpets.errors import RequestError
from mockpets.kept_results import Results
from mockpets.records.table import (
    RESULTS,
    dumped,
    empty_table,
    index_key,
    make_table,
    parse_row,
)
from mockpets.strict_json import json_array

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Hashable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from mockpets.contract.contract_model import Key, Record
    from mockpets.memory_budget import MemoryBudget
    from mockpets.records.table import Condition, Table
    from mockpets.records.views import Selection, View

    Filters = Mapping[str, Mapping[Hashable, None]]
    """The values that a property may have, as `index_key` returns them; a record must have one."""
    Change = Callable[[Record], Record]

T = TypeVar("T")

NO_FILTERS: Final[Filters] = {}
_BATCH_BYTES: Final = 64 * 1024
"""The most JSON to parse at once, with `_RECORD_BYTES` for each record: it takes 3 ms."""
_RECORD_BYTES: Final = 100
"""The size that a record counts besides its JSON, so that many small ones end a batch too."""
_RESPONSES: Final = 64 * 1024
"""Maximum size of the responses that a store remembers, in bytes; a single one may exceed it."""
_RESPONSE_BYTES: Final = 500
"""The size of a remembered response in addition to its body and headers."""
_VIEW: Final = "view"
"""Begins the keys of the lists among the results of a table."""
_FOLLOWED: Final = 1000
"""Maximum number of changes that a list follows; with more, it is made again."""
_NO_KEYS_LEFT: Final = "the highest int64 id is already used; reset the session"


class FirstResponse(NamedTuple):
    """The response to a request, for when the client repeats the request.

    :param request: a digest of it.
    :param code: of the error; None without one.
    """

    request: bytes
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    code: str | None

    @property
    def size(self) -> int:
        """What it takes, in bytes."""
        headers = sum(len(name) + len(value) for name, value in self.headers)
        return len(self.body) + headers + _RESPONSE_BYTES


_NO_RESPONSES: Final[Mapping[bytes, FirstResponse]] = MappingProxyType({})


class Contents(NamedTuple):
    """The records of a store at one moment.

    :param base: a shared table.
    :param changed: the records that were added or changed.
    :param gone: the records of the base that were deleted or changed, as they are in the base.
    :param size: what all but `base` takes, in bytes; 0 in a store, see `Store.size`.
    :param next_key: higher than every integer key that the store has assigned so far; for keys
        that are texts, the number of the next one.
    :param responses: those to remember, by a digest of what identifies the request.
    """

    base: Table
    changed: Table
    gone: Table
    size: int = 0
    next_key: int = 1
    responses: Mapping[bytes, FirstResponse] = _NO_RESPONSES

    def find(self, key: Key) -> int | None:
        """Return the place of the record with a key, an `identity`; None without one."""
        place = self.changed.find(key) if self.changed.rows else None
        if place is None:
            place = self.base.find(key)
            if place in self.gone.rows:
                return None
        return place

    def known(self, key: Key) -> int:
        """Return the place of the record with a key, also one in a path; raise ``not_found``."""
        place = self.find(identity(key))
        if place is None:
            raise self.base.collection.missing(str(key))
        return place

    def row(self, place: int) -> bytes | None:
        """Return the record at a place as JSON; None without one."""
        row = self.changed.rows.get(place)
        return row if row or place in self.gone.rows else self.base.rows.get(place)

    def total(self, filters: Filters = NO_FILTERS) -> int:
        """Return how many records meet the filters."""
        conditions = self._indexed(filters)
        if conditions is None:
            return sum(1 for _ in self._matching(filters, None))
        return self._length(conditions) - sum(len(self.gone.at(each)) for each in conditions)

    def rows(
        self, limit: int | None = None, filters: Filters = NO_FILTERS, after: int | None = None
    ) -> list[bytes]:
        """Return the first records that meet the filters as JSON, in order.

        :param after: only those after this place.
        """
        conditions = self._indexed(filters)
        if conditions is None:
            return [*islice(self._matching(filters, after), limit)]
        base, changed = self.base, self.changed
        if self.gone.rows or len(conditions) != 1:
            if limit is None:  # to sort them all is faster than to merge
                places = sorted(chain.from_iterable(self._walks(conditions, after)))
                return [*map(self._row, places)]
            return [*islice(map(self._row, self._walk(conditions, after)), limit)]
        # Without a changed record of the base, its own ones follow.
        condition = conditions[0]
        rows = _some(base, condition, after, limit)
        if changed.rows and (limit is None or len(rows) < limit):
            rows += _some(changed, condition, after, limit and limit - len(rows))
        return rows

    def is_slow(self, filters: Filters, names: Collection[str] = ()) -> bool:
        """Return whether `rows`, `total` or `names` must parse many records.

        :param names: the argument of `names`; empty if it is not called.
        """
        if not names and self._indexed(filters) is not None:
            return False
        size = 0
        for place in self._walk([None], None) if names else self._candidates(filters, None):
            size += len(self._row(place)) + _RECORD_BYTES
            if size > _BATCH_BYTES:
                return True
        return False

    def _row(self, place: int) -> bytes:
        return self.changed.rows.get(place) or self.base.rows[place]

    def _walk(self, conditions: Sequence[Condition | None], after: int | None) -> Iterator[int]:
        """Yield the places of the records that meet one of some conditions; None is met by all."""
        return merge(*self._walks(conditions, after))

    def _walks(
        self, conditions: Sequence[Condition | None], after: int | None
    ) -> Iterator[Iterator[int]]:
        """Yield what `_walk` does in several iterators, each in order."""
        for condition in conditions:
            kept = _after(self.base.at(condition), after)
            yield filterfalse(self.gone.rows.__contains__, kept)
            yield _after(self.changed.at(condition), after)

    def _indexed(self, filters: Filters) -> list[Condition | None] | None:
        """Return the conditions to which filters amount; None if the records must be read."""
        if not filters:
            return [None]
        if len(filters) == 1:
            ((name, values),) = filters.items()
            if name in self.base.collection.filters:
                if len(values) == 1:
                    return [(name, next(iter(values)))]
                return self._met(name, values)
        return None

    def _met(self, name: str, values: Iterable[Hashable]) -> list[Condition | None]:
        """Return the conditions for the values of a property, without those no record meets."""
        conditions = [(name, value) for value in values]
        return [each for each in conditions if self.base.at(each) or self.changed.at(each)]

    def _matching(self, filters: Filters, after: int | None) -> Iterator[bytes]:
        """Yield the records that meet filters; all candidates are read."""
        for place in self._candidates(filters, after):
            row = self._row(place)
            record = parse_row(row)
            if all(
                name in record and index_key(record[name]) in values
                for name, values in filters.items()
            ):
                yield row

    def _candidates(self, filters: Filters, after: int | None) -> Iterator[int]:
        """Yield the places of the records with one of the keys, of the shortest index, or all."""
        key = self.base.collection.key
        if key in filters:
            # A Decimal is found like the integer that it equals, also as a place.
            keys = (value for value in filters[key] if isinstance(value, (int, str, Decimal)))
            places = map(self.find, map(identity, cast("Iterator[Key]", keys)))
            return _after(sorted({int(each) for each in places if each is not None}), after)
        names = [name for name in self.base.collection.filters if name in filters]
        walks = [self._met(name, filters[name]) for name in names]
        return self._walk(min(walks, key=self._length, default=[None]), after)

    def _length(self, conditions: Sequence[Condition | None]) -> int:
        return sum(len(self.base.at(each)) + len(self.changed.at(each)) for each in conditions)

    def names(self, wanted: Iterable[str]) -> set[str]:
        """Return which of these properties any record has."""
        missing, found = set(wanted), set[str]()
        for place in self._walk([None], None) if missing else ():
            found |= missing & parse_row(self._row(place)).keys()
            if len(found) == len(missing):
                break
        return found


def _some(
    table: Table, condition: Condition | None, after: int | None, limit: int | None
) -> list[bytes]:
    places = table.at(condition)
    start = 0 if after is None else bisect_right(places, after)
    end = None if limit is None else start + limit
    return list(map(table.rows.__getitem__, places[start:end]))


def _after(places: Sequence[int], after: int | None) -> Iterator[int]:
    if after is None:
        return iter(places)
    return map(places.__getitem__, range(bisect_right(places, after), len(places)))


class Unsaved(NamedTuple):
    """Changes: all records, or else the changed ones by place as JSON, None for a deleted one."""

    contents: Contents | None
    rows: Mapping[int, bytes | None]
    next_key: int


class _Kept:
    """A list of a store.

    Not a dataclass, which delays a start.

    :param before: the places that changed since, each with the record that was there, if any.
    """

    __slots__ = ("before", "view")

    def __init__(self, view: View, before: dict[int, bytes | None]) -> None:
        self.view = view
        self.before = before


class Store:
    """The records of a collection that operations and the control API use. Thread-safe.

    Keys that the store assigns are never reused before a reset, even if records are deleted,
    replaced or restored.

    :param start: the initial records, also after a reset; the store never writes to this table.
    :param max_new: by how many records requests may exceed the base.
    :param budget: the memory for its records; None for no limit.
    :param seed: of keys that are texts.
    """

    # They save 200 bytes, 3 % of what a session takes.
    __slots__ = (
        *("_budget", "_changed", "_lock", "_max_new", "_next_key", "_now", "_on_change"),
        *("_results", "_revision", "_saved_key", "_seed", "_views", "collection", "size", "start"),
    )

    def __init__(
        self, start: Table, max_new: int, budget: MemoryBudget | None = None, seed: int = 0
    ) -> None:
        self.collection = start.collection
        self.start = start
        self._max_new = max_new
        self._seed = seed
        self._next_key = start.highest + 1
        self._budget = budget
        self.size = 0
        """What its records take in addition to its tables, in bytes."""
        self._now = self._plain(start)
        self._results = Results(RESULTS)
        self._revision = object()
        self._views: Results | None = None
        self._lock = Lock()
        self._on_change: Callable[[int], object] = lambda _: None
        self._saved_key = self._next_key
        self._changed: dict[int, None] | None = None
        """The places of the records that changed; None for all, also if the store is not saved."""

    def _plain(self, table: Table) -> Contents:
        """Return the records of a table, none of which has changed."""
        empty = empty_table(self.collection)
        return Contents(table, empty, empty)

    @property
    def is_changed(self) -> bool:
        """Whether the records differ from the initial ones, or a key was assigned."""
        return not self._is_as_at_start or self._next_key != self.start.highest + 1

    @property
    def _is_as_at_start(self) -> bool:
        now = self._now
        return now.base is self.start and not now.changed.rows and not now.gone.rows

    @property
    def base(self) -> Table:
        """The shared table of which its records differ: the initial one, unless it was replaced."""
        return self._now.base

    @property
    def assigned(self) -> range:
        """The keys that creates have got since the start or the last reset."""
        return range(self.start.highest + 1, self._next_key)

    # --- Reading ------------------------------------------------------------------------------

    def is_slow(self, filters: Filters, names: Collection[str] = ()) -> bool:
        """Return whether to call `query` on another thread, as `Contents.is_slow` does."""
        with self._lock:
            return self._now.is_slow(filters, names)

    def query(self, read: Callable[[Contents], T], *, is_slow: bool) -> T:
        """Return what a function returns for the current records.

        :param is_slow: whether it takes long, so that no other thread may wait for it. The next
            change then copies the store's own records, since the function still reads them.
        """
        if is_slow:
            return read(self.save())
        with self._lock:
            return read(self._now)

    def page(self, limit: int, filters: Filters = NO_FILTERS) -> bytes:
        """Return the first records that meet filters, at most `limit`, as a JSON array."""
        return json_array(self.rows(limit, filters))

    def place(self, text: str) -> int | None:
        """Return the place of the record whose key is a text in a path; None without one."""
        with self._lock:
            return self._now.find(identity(text))

    def find(self, text: str) -> bytes | None:
        """Return the record whose key is a text in a path, as JSON; None without one."""
        key = identity(text)
        with self._lock:
            place = self._now.find(key)
            return None if place is None else self._now.row(place)

    def get(self, text: str) -> bytes:
        """Return what `find` does, or raise ``not_found``."""
        row = self.find(text)
        if row is None:
            raise self.collection.missing(text)
        return row

    def total(self, filters: Filters = NO_FILTERS) -> int:
        """Return how many records meet filters."""
        with self._lock:
            return self._now.total(filters)

    def rows(
        self, limit: int | None = None, filters: Filters = NO_FILTERS, after: str | None = None
    ) -> list[bytes]:
        """Return records as JSON, as `Contents.rows` does.

        :param after: only those after the one with this key, or raise ``not_found``.
        """
        with self._lock:
            place = None if after is None else self._now.known(after)
            return self._now.rows(limit, filters, place)

    @property
    def results(self) -> Results:
        """What callers have computed of the current records; the next change empties it.

        Get it before the records, so that what is computed of older ones is not kept. Stores that
        changed nothing share it.
        """
        return self.start.results if self._is_as_at_start else self._results

    @property
    def revision(self) -> object:
        """Stands for the current records: the next change replaces it.

        Stores that changed nothing share it. Get it before the records, as `results`.
        """
        return self.start.revision if self._is_as_at_start else self._revision

    def view(self, key: Hashable, make: Callable[[], Selection]) -> View:
        """Return a list of records, which is kept and follows changes.

        :param key: identifies the selection.
        :param make: returns the selection of a list that is not kept.
        """
        base = self._now.base
        shared: View | None = base.results.get((_VIEW, key))
        if shared is None:  # without the lock, since it may take long
            shared = base.results.keep((_VIEW, key), make().of_table(base))
        with self._lock:
            now = self._now
            if now.base is base:
                return self._followed(key, shared) if now.changed.rows or now.gone.rows else shared
        return self.view(key, make)  # another thread has replaced all records

    def _followed(self, key: Hashable, shared: View) -> View:
        """Return a list after the changes since the base."""
        if self._views is None:
            self._views = Results(RESULTS)
        kept: _Kept | None = self._views.get(key)
        if kept is None:
            now = self._now
            places = dict.fromkeys([*now.gone.rows, *now.changed.rows])
            kept = self._views.keep(key, _Kept(shared, {p: now.base.rows.get(p) for p in places}))
        if kept.before:
            kept.view, kept.before = kept.view.after(kept.before, self._now.row), {}
        return kept.view

    def rows_at(self, places: Sequence[int]) -> list[bytes]:
        """Return the records at some places, without those that were deleted, as JSON."""
        with self._lock:
            now = self._now
            if now.gone.rows:
                return [*filter(None, map(now.row, places))]
            # The same without a step of Python for each record.
            rows = map(now.changed.rows.get, places, map(now.base.rows.get, places))
            return [*filter(None, rows)]

    # --- Writing ------------------------------------------------------------------------------

    def create(self, record: Record) -> tuple[bytes, Record]:
        """Add a record with the key that it has, or else a new one; return it as JSON, and itself.

        :raise RequestError: ``conflict`` for a key that is taken, ``invalid_request`` for another
            invalid one, ``store_full``, ``payload_too_large``.
        """
        name = self.collection.key
        with self._lock:
            now, following = self._now, self._next_key
            if len(now.changed.rows) - len(now.gone.rows) >= self._max_new:
                what = "records" if self.collection.owner else self.collection.name
                raise RequestError("store_full", store_full(self._max_new, what))
            key = record.get(name)
            if key is None:
                key, following = self._new_key(following, now.find)
                record = {name: key, **record}
                record[name] = key  # a client may have sent null
            elif problem := key_problem(key):
                raise RequestError("invalid_request", f"{name} {problem}")
            elif now.find(identity(key)) is not None:
                raise self.collection.taken(key)
            elif isinstance(key, int) and key <= self.collection.highest_counted:
                following = max(following, key + 1)
            row = self.collection.schema.dump(record)
            if self.collection.is_ordered and isinstance(key, int):
                place = key
            else:
                place = 1 + max([0, *now.base.places[-1:], *now.changed.places[-1:]])
            self._take(len(row) + self.collection.entry_bytes)
            self._open_changed().put(place, record, row)
            self._next_key = following
            self._mark(place, None)
        self._on_change(self._next_key - self._saved_key)
        return row, record

    def _new_key(self, number: int, find: Callable[[Key], int | None]) -> tuple[Key, int]:
        """Return a key that `find` does not know, and the number after that of the key."""
        has_text_keys = self.collection.schema.has_text_keys
        while number <= INT64_MAX:
            key: Key = number
            if has_text_keys:
                # From the session's seed, so that a test finds the same keys in each run.
                source = f"{self._seed}/{self.collection.label}/{number}".encode()
                key = str(UUID(bytes=blake2b(source, digest_size=16).digest(), version=4))
            number += 1
            if self.collection.is_ordered or find(key) is None:  # a client may have chosen it
                return key, number
        raise RequestError("store_full", _NO_KEYS_LEFT)

    def change(self, key: Key, make: Change) -> tuple[bytes, Record]:
        """Replace the record with a key, also one in a path; return it as JSON, and itself.

        :param make: returns the new record, with the same key.
        :raise RequestError: ``not_found``, ``payload_too_large``, ``store_full``; what `make` does.
        """
        entry = self.collection.entry_bytes
        with self._lock:
            place = self._now.known(key)
            old = self._now._row(place)
            record = parse_row(old)
            new = make(record)
            row = self.collection.schema.dump(new)
            if place in self._now.changed.rows:
                self._take(len(row) - len(old))
                self._open_changed().replace(place, record, new, row)
            else:
                self._take(len(row) + 2 * entry)
                self._open_gone().put(place, record, old)
                self._open_changed().put(place, new, row)
            self._mark(place, old)
        self._on_change(self.unsaved_keys)
        return row, new

    def delete(self, key: Key) -> None:
        """Delete the record with a key, also one in a path; raise ``not_found``, ``store_full``."""
        entry = self.collection.entry_bytes
        with self._lock:
            place = self._now.known(key)
            row = self._now._row(place)
            # Without filters, only the key is in an index.
            record = parse_row(row) if self.collection.filters else {self.collection.key: key}
            if place in self._now.changed.rows:
                self._open_changed().drop(place, record)
                self._take(-len(row) - entry)
            else:
                self._take(entry)
                self._open_gone().put(place, record, row)
            self._mark(place, row)
        self._on_change(self.unsaved_keys)

    def _take(self, size: int) -> None:
        if self._budget is not None:
            self._budget.take(size)
        self.size += size

    def _mark(self, place: int, before: bytes | None) -> None:
        """Note that the record at a place changed, and which one was there before, if any."""
        self._revision = object()
        if self._results:
            self._results = Results(RESULTS)
        if self._views:
            for key, kept in [*self._views.items()]:
                kept.before.setdefault(place, before)
                if len(kept.before) > _FOLLOWED:
                    del self._views[key]
        if self._changed is not None:
            self._changed[place] = None

    def _open_changed(self) -> Table:
        """Return the table of its changed records, writable."""
        if self._now.changed.frozen:
            self._now = self._now._replace(changed=self._now.changed.copy())
        return self._now.changed

    def _open_gone(self) -> Table:
        if self._now.gone.frozen:
            self._now = self._now._replace(gone=self._now.gone.copy())
        return self._now.gone

    def read(self, records: Sequence[Record]) -> Table:
        """Return records as a table for `replace`; those without a key get a new one.

        This may run on another thread while requests create records: none gets the same key.

        :raise RequestError: ``conflict`` or ``invalid_request``, with the number of the record;
            ``store_full`` if no key is left.
        """
        name = self.collection.key
        taken: dict[Key, int] = {}
        records = [without_null(record, name) for record in records]
        for number, record in enumerate(records, 1):
            try:
                self.collection.schema.check(record)
                if name not in record:
                    continue
                key = record[name]
                if problem := key_problem(key):
                    raise RequestError("invalid_request", f"{name} {problem}")
                if taken.setdefault(identity(key), number) != number:
                    raise self.collection.taken(key)
            except RequestError as error:
                raise error.copy(f"record {number}: {error.message}") from error
        with self._lock:
            counted = self.collection.highest_counted
            numbers = (key for key in taken if isinstance(key, int) and key <= counted)
            following = max(self._next_key, max(numbers, default=0) + 1)
            keyed = []
            for record in records:
                if name not in record:
                    key, following = self._new_key(following, taken.get)
                    record = {**record, name: key}
                keyed.append(record)
            self._next_key = following
        return make_table(self.collection, dumped(self.collection, keyed))

    def replace(self, table: Table) -> None:
        """Replace all records until the next reset by a table, or raise ``store_full``."""
        with self._lock:
            self._switch_to(self._plain(table))
        self._on_change(self.unsaved_keys)

    # --- Repeated requests --------------------------------------------------------------------

    def first_response(self, key: bytes) -> FirstResponse | None:
        """Return the response that `remember` was given with a key; None if it is forgotten."""
        return self._now.responses.get(key)

    def remember(self, key: bytes, response: FirstResponse) -> None:
        """Remember a response like a record, unless memory is full; the oldest ones are forgotten.

        It is forgotten when the records are replaced, and comes back when they are restored.
        """
        with self._lock:
            responses = {**self._now.responses, key: response}
            before = size = sum(each.size for each in self._now.responses.values())
            size += response.size
            while size > _RESPONSES and len(responses) > 1:
                size -= responses.pop(next(iter(responses))).size
            with suppress(RequestError):
                self._take(size - before)
                self._now = self._now._replace(responses=responses)

    # --- Saving and restoring -----------------------------------------------------------------

    def save(self) -> Contents:
        """Return the current records, which can be restored any number of times."""
        with self._lock:
            self._now.changed.frozen = self._now.gone.frozen = True
            return self._now._replace(size=self.size, next_key=self._next_key)

    def fork(self) -> Store:
        """Return a store with the same records and the same next key, not saved to a file."""
        copy = Store(self.start, self._max_new, seed=self._seed)
        copy._switch_to(self.save())
        return copy

    def restore(self, saved: Contents, taken: int = 0) -> None:
        """Restore saved records, but no key that was assigned since; or raise ``store_full``.

        :param taken: the bytes that were taken of the memory for them before.
        """
        with self._lock:
            self.size += taken
            self._switch_to(saved)
        self._on_change(self.unsaved_keys)

    @property
    def next_key(self) -> int:
        """The lowest integer that a new record can get, or the number of the next text."""
        return self._next_key

    def skip_keys(self, first: int) -> None:
        """Assign no key below an integer."""
        with self._lock:
            self._next_key = max(self._next_key, min(first, INT64_MAX + 1))

    def _switch_to(self, contents: Contents) -> None:
        """Replace all records, or raise ``store_full``."""
        if self._budget is not None:
            self._budget.take(contents.size - self.size, [contents.base])
        self.size = contents.size
        # Equal records are unchanged, wherever they come from; comparing them ends early.
        base = self.start if contents.base.rows == self.start.rows else contents.base
        self._now = contents._replace(base=base, size=0)
        self._results, self._revision, self._views = Results(RESULTS), object(), None
        highest = max(contents.base.highest, contents.changed.highest)
        self._next_key = max(self._next_key, contents.next_key, highest + 1)
        self._changed = None
        if self._budget is not None:
            self._budget.note_freed()

    # --- Saving to a file ---------------------------------------------------------------------

    def track(self, on_change: Callable[[int], None]) -> None:
        """Call a function with `unsaved_keys` after each change from now on."""
        with self._lock:
            self._on_change = on_change

    @property
    def unsaved_keys(self) -> int:
        """How many keys were assigned since `take_unsaved`."""
        return self._next_key - self._saved_key

    def take_unsaved(self, *, everything: bool = False) -> Unsaved:
        """Return what changed since the last call, or all records."""
        with self._lock:
            changed, self._changed = self._changed, {}
            self._saved_key = self._next_key
            if changed is None or everything:
                self._now.changed.frozen = self._now.gone.frozen = True
                return Unsaved(self._now, {}, self._next_key)
            rows = {place: self._now.row(place) for place in changed}
            return Unsaved(None, rows, self._next_key)
