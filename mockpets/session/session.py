"""One isolated session: records, active scenarios, their counters, random numbers, and request log.

The scenarios of a request form a stack. All stacks that contain a stub share its counter, so that a
sequence continues even if each request names the scenario itself. Records belong to the scenario
that gives a collection content, or to the session itself (`Binding`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from random import Random
from secrets import token_hex
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from mockpets.constants import (
    DEFAULT_SCENARIO,
    OVERRIDES,
    SESSION_HEADER,
    SESSION_ID_HEADER,
)
from mockpets.errors import RequestError
from mockpets.limits import USUAL
from mockpets.records.saved import Records
from mockpets.records.store import Store
from mockpets.records.table import empty_table, make_table, parse_row, rows_of
from mockpets.scenario.engine import decide
from mockpets.scenario.library import document_message
from mockpets.scenario.scenario_model import EVERYTHING, Generated
from mockpets.seed.generated_records import complete
from mockpets.session.change_feed import ChangeFeed
from mockpets.session.gates import Gates
from mockpets.session.session_scenarios import NO_DOCUMENTS, Documents

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from mockpets.clock import Clock, ClockChange
    from mockpets.constants import Change
    from mockpets.contract.contract_model import Collection, Record
    from mockpets.limits import Limits
    from mockpets.memory_budget import MemoryBudget
    from mockpets.records.store import Contents
    from mockpets.records.table import Table, TableCache
    from mockpets.request_log.request_log import RequestLog
    from mockpets.scenario.engine import Count, Outcome
    from mockpets.scenario.library import Binding, Library, Stack
    from mockpets.scenario.matching import Facts
    from mockpets.scenario.scenario_model import Content, Scenario
    from mockpets.session.session_scenarios import Sources

    Place = tuple[str, str]
    """The label of a collection, and the scenario that gives it content: see `Binding.place`."""

T = TypeVar("T")
_RESET_KINDS: Final[tuple[Change, ...]] = ("data", "requests", "scenario")
"""What a reset changes."""
_LOADED_KINDS: Final[tuple[Change, ...]] = ("data", "scenario", "clock")
"""What a snapshot changes."""
_RANDOM_VERSION: Final = 3
"""What `Random.getstate` begins with in each Python that can run mockpets."""
RECORDS_ON_APP_THREAD: Final = 500
"""Records to generate on the app's thread, which blocks other requests for a few milliseconds."""


class Kept(NamedTuple):
    """The records of a collection that a session keeps.

    :param binding: from which they started.
    """

    binding: Binding
    store: Store

    def is_of(self, binding: Binding) -> bool:
        """Return whether a collection is defined as when these records started."""
        if self.binding is binding:  # whose digest takes long for a large schema
            return True
        mine, other = self.store.collection, binding.collection
        return self.binding.digest == binding.digest and (mine is other or mine == other)


class Snapshot(NamedTuple):
    """All that decides how a session responds, at one moment.

    :param starts: see `Session.starts`.
    :param records: of the collections that may differ from their initial ones.
    :param counters: by the label of the stub; nothing counts with them.
    :param random: the state of the random numbers; None if none was drawn.
    :param skipped_keys: see `Session.skipped_keys`.
    """

    active: tuple[str, ...]
    seed: int
    clock: Clock | None
    starts: Mapping[str, Table]
    records: Mapping[Place, Records]
    documents: Documents = NO_DOCUMENTS
    counters: Mapping[str, Count] = MappingProxyType({})
    random: tuple[int, ...] | None = None
    skipped_keys: int = 0

    def contents(self, binding: Binding) -> Contents | None:
        """Return the records of a collection; None for the initial ones."""
        records = self.records.get(binding.place)
        return None if records is None or records.digest != binding.digest else records.contents

    def count_into(self, tables: set[Table]) -> int:
        """Add its shared tables to a set; return how many bytes its other records take."""
        return _count_into(tables, self.starts, self.records)

    def take(self, budget: MemoryBudget, size: int = 0) -> None:
        """Take the memory for its records, and more bytes, or raise ``store_full``."""
        tables: set[Table] = set()
        budget.take(size + self.count_into(tables), tables)


class Work(NamedTuple):
    """Work that is too long for the app's thread.

    :param what: a description for error messages, such as ``generating 1000 orders``.
    """

    run: Callable[[], object]
    what: str


class Mark(NamedTuple):
    """The beginning of a recording.

    :param number: of the last request before it; `resets` are those of the request log.
    :param stack: the scenarios whose collections are recorded.
    """

    number: int
    resets: int
    stack: Stack
    start: Snapshot


@dataclass(frozen=True, eq=False, repr=False)  # which delay a start
class SharedState:
    """The state that all sessions of one server share.

    :param library: returns the current library; a reload replaces it.
    :param starts: the initial records of collections, by label; `scenarios` and `seed` are initial
        values too.
    :param locale: of generated records, unless a scenario sets another.
    :param records: the memory for the records of all sessions.
    :param clock: the initial clock of a session; None for the real time.
    :param started: when the server started, in ms since 1970.
    """

    library: Callable[[], Library]
    tables: TableCache
    starts: Mapping[str, Table]
    scenarios: tuple[str, ...]
    seed: int
    locale: str
    request_log: Callable[[], RequestLog]
    records: MemoryBudget
    limits: Limits = USUAL
    clock: Clock | None = None
    started: int = 0
    changes: ChangeFeed = field(default_factory=ChangeFeed)

    def table(self, collection: Collection, content: Content, seed: int) -> Table:
        """Return contents as a table; tables of generated records are shared.

        :param seed: of generated records, unless `content` sets another.
        :raise RequestError: ``store_full`` if generated records do not fit into the memory.
        """
        if not isinstance(content, Generated):
            return make_table(collection, rows_of(content))
        return self._generation(collection, content, seed)()

    def work_for(
        self, collection: Collection, content: Content | None, seed: int
    ) -> Sequence[Work]:
        """Return the work to do before `table` is fast, if many records must be generated."""
        if not isinstance(content, Generated) or content.count <= RECORDS_ON_APP_THREAD:
            return ()
        make = self._generation(collection, content, seed)
        if self.tables.has(*make.args):
            return ()
        return (Work(make, f"generating {content.count} {collection.name}"),)

    def _generation(self, collection: Collection, content: Generated, seed: int) -> partial[Table]:
        seed = seed if content.seed is None else content.seed
        locale = content.locale or self.locale
        return partial(self.tables.make, collection, content.count, seed, locale)

    def work_for_starts(self, contents: Mapping[str, Content], seed: int) -> Sequence[Work]:
        """Return the work to do before `starts_with` is fast; raise what it raises."""
        library, names = self.library(), contents.keys() - {EVERYTHING}
        work = [self.work_for(library.collection(name), contents[name], seed) for name in names]
        return [*chain.from_iterable(work)]

    def starts_with(self, contents: Mapping[str, Content], seed: int) -> Mapping[str, Table]:
        """Return the initial records of collections with other contents, by name or SCENARIO.NAME.

        :raise RequestError: as `table`; ``not_found`` for an unknown collection,
            ``invalid_request`` or ``conflict`` for records that do not fit, ``store_full``.
        """
        library, starts = self.library(), dict(self.starts)
        if EVERYTHING in contents:
            starts = {one.label: empty_table(one) for one in library.collections()}
        for name in contents.keys() - {EVERYTHING}:
            collection, content = library.collection(name), contents[name]
            if collection.owner and isinstance(content, tuple):
                store = Store(empty_table(collection), 0, seed=seed)
                table = store.read([*map(parse_row, content)])
            else:
                table = self.table(collection, content, seed)
            starts[collection.label] = table
        self.records.take(0, {*starts.values()})
        return starts

    def new_store(
        self,
        binding: Binding,
        starts: Mapping[str, Table],
        seed: int,
        budget: MemoryBudget,
    ) -> Store:
        """Return a collection with its initial records, or raise as `table`.

        :param starts: as in `Session.starts`.
        """
        collection, content = binding.collection, binding.content
        if content is None:
            start = starts.get(collection.label, empty_table(collection))
            if start.collection != collection:  # its file has changed
                start = _restarted(start, collection)
        else:
            start = self.table(collection, content, seed)
        return Store(start, self.limits.records, budget, seed)


class Session:
    """The state of one session. Safe to use from several threads."""

    def __init__(self, name: str, shared: SharedState, records: MemoryBudget | None = None) -> None:
        self._budget = records or shared.records
        self.name = name
        self.identify(token_hex(8))
        self.active = shared.scenarios
        self.seed = shared.seed
        self.clock = shared.clock
        self.changes = ChangeFeed(shared.changes)
        self.gates = Gates(partial(self.changes.publish, "gates"))
        self.request_log = shared.request_log()
        self.documents = NO_DOCUMENTS
        self.mark: Mark | None = None
        self.owner = ""
        """The `Owner.key`; empty if it has none."""
        self.unnamed_before = 0
        """The `SessionRegistry.unnamed` when the session began."""
        self.used = 0.0
        """When, in seconds of the registry's clock."""
        self.shared = shared
        self.on_change: Callable[[int], None] | None = None
        """Called after a change of what the state file keeps, with `Store.unsaved_keys`; None if no
        file keeps the session."""
        self.starts = shared.starts
        """The records with which collections start, by label, unless a scenario defines others."""
        self.skipped_keys = 0
        """How many keys a collection skips that no request has asked for yet: a server that
        crashed, or this one before an undo, may have assigned them."""
        self.restarts = 0
        """How often all of its content was replaced."""
        self._kept: dict[Place, Kept] = {}
        self._waiting: Mapping[Place, Records] = {}
        """The records of a snapshot that no request has asked for yet."""
        self._random: Random | None = None
        """Lazy: seeding is slow."""
        self._counters: dict[str, Count] = {}
        """By the label of the stub, of those that have counted a request."""
        self._lock = Lock()

    def identify(self, session_id: str) -> None:
        """Set the ID, which differs from that of all other sessions that had this name."""
        self.id = session_id
        self.headers = ((SESSION_HEADER, self.name), (SESSION_ID_HEADER, session_id))

    @property
    def has_connection_fault(self) -> bool:
        """Whether a stub of the active scenarios breaks connections."""
        try:
            return self.stack(self.active).has_connection_fault
        except RequestError:  # a scenario's file was deleted
            return False

    @property
    def library(self) -> Library:
        """The scenarios that this session knows: those in files, and its own."""
        files, documents = self.shared.library(), self.documents
        return documents.library(files) if documents.sent or documents.overrides else files

    def stack(self, names: tuple[str, ...]) -> Stack:
        """Return the stack of these scenarios, or raise `RequestError` ``unknown_scenario``."""
        return self.library.stack(names)

    # --- Records ------------------------------------------------------------------------------

    def count_into(self, tables: set[Table]) -> int:
        """Add its shared tables to a set; return how many bytes the rest of its content takes."""
        size = self.documents.size
        if self._waiting or self.starts is not self.shared.starts:  # few
            size += _count_into(tables, self.starts, self._waiting)
        for _, store in self._kept.values():
            size += store.size
            tables.add(store.start)
            tables.add(store.base)
        if self.mark is not None:
            self.mark.start.count_into(tables)  # the stores still have most of the rest
        return size

    def store(self, stack: Stack, collection: Collection) -> Store:
        """Return the records of a collection that a request with these scenarios sees.

        :raise RequestError: ``store_full`` if the scenario's records exceed the memory budget.
        """
        return self.store_of(stack.binding(collection))

    def made(self, binding: Binding) -> Store | None:
        """Return what `store_of` returns, if it was made before; else None."""
        kept = self._kept.get(binding.place)
        return kept.store if kept is not None and kept.is_of(binding) else None

    def work_for(self, binding: Binding) -> Sequence[Work]:
        """Return the work to do before `store_of` is fast, if many records must be generated."""
        if self.made(binding) is not None:
            return ()
        return self.shared.work_for(binding.collection, binding.content, self.seed)

    def store_of(self, binding: Binding) -> Store:
        """Return the records of a collection and the scenario that gives it content, as `store`."""
        if (known := self.made(binding)) is not None:
            return known
        kept = self._kept.get(binding.place)
        # Outside the lock, because it may take long. Of two made at the same time, one is dropped.
        store = self._new_store(binding, kept)
        with self._lock:
            kept = self._kept.get(binding.place)
            if kept is not None and kept.is_of(binding):
                return kept.store
            self._keep(binding, store)
        if kept is not None:
            self.note_change()  # the records of the old definition may be gone
        return store

    def _new_store(self, binding: Binding, before: Kept | None) -> Store:
        """Return the store of a collection; with the records from before if they still count."""
        store = self.shared.new_store(binding, self.starts, self.seed, self._budget)
        records = self._waiting.get(binding.place)
        if before is not None:  # perhaps other properties are required now
            records = Records(before.binding.digest, before.store.save())
        if records is not None and records.digest == binding.digest:
            store.restore(records.after(store.start), taken=records.contents.size)
        store.skip_keys(store.start.highest + 1 + self.skipped_keys)
        self._budget.take(0, {store.start, store.base})
        return store

    def _keep(self, binding: Binding, store: Store) -> None:
        """Keep the store of a collection; the caller holds the lock."""
        self._kept = {**self._kept, binding.place: Kept(binding, store)}
        if binding.place in self._waiting:
            others = self._waiting.items()
            self._waiting = {place: each for place, each in others if place != binding.place}
            self._budget.note_freed()
        if self.on_change is not None:
            store.track(self.on_change)

    def records(self) -> Mapping[Place, tuple[str, Store | Contents]]:
        """Return the records by place, with their digest: contents wait for the first request."""
        with self._lock:
            waiting = {place: (each.digest, each.contents) for place, each in self._waiting.items()}
            kept = {place: (each.binding.digest, each.store) for place, each in self._kept.items()}
            return {**waiting, **kept}

    def records_held(self) -> int:
        """Return the number of records in all collections of the session."""
        with self._lock:
            used: dict[Place, Store | Contents] = {
                **{place: each.contents for place, each in self._waiting.items()},
                **{place: each.store for place, each in self._kept.items()},
            }
        unused = (table for label, table in self.starts.items() if (label, "") not in used)
        generated = sum(len(table.rows) for table in unused)
        return generated + sum(records.total() for records in used.values())

    # --- Scenarios ----------------------------------------------------------------------------

    def activate(
        self,
        names: tuple[str, ...],
        sent: Sources | None = None,
        restart: Container[str] | None = None,
    ) -> None:
        """Activate scenarios; an error changes nothing.

        :param sent: scenarios that were sent in the request.
        :param restart: those whose counters start again, with those of what they extend, unless
            a scenario that stays active has the same stub. By default, those that become active; if
            exactly these are active already, all of them.
        :raise RequestError: ``unknown_scenario``; ``store_full`` if they take too much memory.
        """
        sent = sent or {}
        names = self.check(names, sent)
        with self._lock:
            before = self.documents
            overrides = {name: each for name, each in before.overrides.items() if name not in sent}
            documents = Documents(sent, overrides).taken(self._budget)
            if restart is None:
                restart = names if {*names} == {*self.active} else {*names} - {*self.active}
            library = documents.library(self.shared.library())
            started = library.stack([name for name in names if name in restart])
            others = library.stack([name for name in names if name not in restart])
            for stub in {*started.stubs} - {*others.stubs}:
                self._counters.pop(stub.label, None)
            removed = {name for name, known in before.sent.items() if sent.get(name) is not known}
            self._replace_documents(documents)
            self.active = names
            self._kept = records_without(removed, self._kept)
            self._waiting = records_without(removed, self._waiting)
        self.note_change()
        self.changes.publish("scenario")

    def set_clock(self, change: ClockChange) -> None:
        """Change the clock, which a reset keeps like the active scenarios."""
        with self._lock:
            self.clock = change.applied(self.clock)
        self.note_change()
        self.changes.publish("clock")

    def override(self, name: str, document: tuple[Scenario, str] | None) -> None:
        """Use another scenario in place of that of a file; None uses the file again.

        An active scenario that then has no file is deactivated.

        :raise RequestError: ``busy`` if the session has too many; ``store_full`` if they take too
            much memory.
        """
        with self._lock:
            known = self.documents.overrides.items()
            others = {other: each for other, each in known if other != name}
            if document is not None and len(others) >= OVERRIDES:
                message = f"the session already has {OVERRIDES} overrides; delete one"
                raise RequestError("busy", message)
            overrides = others if document is None else {**others, name: document}
            documents = Documents(self.documents.sent, overrides)
            self._replace_documents(documents.taken(self._budget))
            if document is None and name not in self.library.scenarios:
                rest = tuple(each for each in self.active if each != name)
                self.active = rest or (DEFAULT_SCENARIO,)
        self.note_change()
        self.changes.publish("scenario")

    def _replace_documents(self, documents: Documents) -> None:
        """Remove the counters of scenarios whose text changes; the caller holds the lock."""
        before, now = self.documents.by_name, documents.by_name
        same = {name for name in before.keys() & now.keys() if before[name][1] == now[name][1]}
        changed = before.keys() - same
        for label in [label for label in self._counters if label.partition("/")[0] in changed]:
            del self._counters[label]
        self.documents = documents

    def put_on_top(self, names: tuple[str, ...], sent: Sources) -> None:
        """Activate scenarios like those that are active: counters and records are kept.

        :param sent: new scenarios; those that are active and were sent in a request stay.
        :raise RequestError: ``unknown_scenario``.
        """
        kept = {name: known for name, known in self.documents.sent.items() if name in names}
        self.activate(names, {**kept, **sent}, restart=sent)

    def check(self, names: tuple[str, ...], sent: Sources) -> tuple[str, ...]:
        """Return the scenarios that these names would activate, without those sent before.

        :raise RequestError: ``unknown_scenario``.
        """
        for name in names:
            if name in self.documents.sent and name not in sent:
                raise RequestError("unknown_scenario", document_message(name))
        documents = Documents({}, {**self.documents.overrides, **sent})
        return documents.library(self.shared.library()).stack(names).names

    def decide(self, stack: Stack, facts: Facts) -> Outcome:
        """Return the outcome of a request, and count the request.

        :raise RequestError: ``busy`` if the session counts too many stubs.
        """
        with self._lock:
            if self._random is None:
                self._random = Random(self.seed)
            random, max_delay = self._random, self.shared.limits.delay_seconds
            return decide(stack.stubs, self._counters, facts, random, max_delay)

    # --- The whole session --------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return the session as it is now."""
        with self._lock:
            records = dict(self._waiting)
            for place, (binding, store) in self._kept.items():
                if store.is_changed:
                    records[place] = Records(binding.digest, store.save())
            return Snapshot(
                self.active,
                self.seed,
                self.clock,
                self.starts,
                records,
                self.documents,
                self._counters.copy(),
                None if self._random is None else self._random.getstate()[1],
                self.skipped_keys,
            )

    def copy(self, shared: SharedState, without: str = "") -> Session:
        """Return a copy over other shared state, on whose records requests may act; `free` it.

        :param without: a scenario whose text in this session does not count.
        """
        copy, snapshot = Session(self.name, shared), self.snapshot()
        if without:
            snapshot = snapshot._replace(documents=snapshot.documents.without(without))
        copy.identify(self.id)
        copy.request_log.last, copy.request_log.resets = (
            self.request_log.last,
            self.request_log.resets,
        )
        copy.load(snapshot)
        return copy

    def load(self, snapshot: Snapshot) -> None:
        """Become what a snapshot has; the request log stays.

        :raise RequestError: ``store_full``; the session then has its initial records.
        """
        with self._lock:
            self.active, self.seed, self.clock = snapshot.active, snapshot.seed, snapshot.clock
            self.documents, self.starts = snapshot.documents, snapshot.starts
            self._clear()  # first, because the new records may need the memory
            self._counters = dict(snapshot.counters)
            self.skipped_keys = snapshot.skipped_keys
            if snapshot.random is not None:
                self._random = Random()
                self._random.setstate((_RANDOM_VERSION, snapshot.random, None))
            snapshot.take(self._budget)
            self._waiting = snapshot.records
        self.note_change()
        for kind in _LOADED_KINDS:
            self.changes.publish(kind)

    def put_back(self, snapshot: Snapshot, log: RequestLog) -> None:
        """Put back what a reset removed; no key that was assigned since is assigned again.

        :param log: what the request log had.
        :raise RequestError: as `load`.
        """
        now, records = self.snapshot(), dict(snapshot.records)
        for place, (binding, store) in self._kept.items():
            if place not in records:
                initial = store.fork()
                initial.replace(store.start)
                records[place] = Records(binding.digest, initial.save())
            contents = records[place].contents
            next_key = max(contents.next_key, store.next_key)
            records[place] = records[place]._replace(contents=contents._replace(next_key=next_key))
        self.load(
            now._replace(
                records=records,
                counters=snapshot.counters,
                random=snapshot.random,
                skipped_keys=snapshot.skipped_keys,
            )
        )
        self.request_log.put_back(log, restart=True)
        self.changes.publish("requests")

    def check_name(self, record: Record) -> None:
        """Check the length of a new record's name; raise `RequestError` ``invalid_request``."""
        limit, name = self.shared.limits.name_length, record.get("name")
        if limit is not None and isinstance(name, str) and len(name) > limit:
            message = f"name must have at most {limit} characters on this server, got {len(name)}"
            raise RequestError("invalid_request", message)

    def reset(self) -> None:
        """Reset records, counters, random numbers and the request log; the rest stays."""
        self.start_from(self.seed, self.starts)

    def free(self) -> None:
        """Free the memory of a session that was removed.

        Without this, it would stay in use until Python finds the reference cycles of requests and
        errors that refer to the session.
        """
        self._kept, self._waiting, self.mark = {}, {}, None
        self.documents = NO_DOCUMENTS
        self.request_log.close()

    def start_from(self, seed: int, starts: Mapping[str, Table]) -> None:
        """Replace the seed and the initial records of collections, and reset the session."""
        with self._lock:
            self.seed, self.starts = seed, starts
            self._clear()
        self.note_change()
        self.request_log.reset()
        for kind in _RESET_KINDS:
            self.changes.publish(kind)

    def _clear(self) -> None:
        """Remove records, counters and random numbers; the caller holds the lock."""
        self._kept, self._waiting, self.skipped_keys = {}, {}, 0
        self._counters, self._random = {}, None
        self.restarts += 1
        self._budget.note_freed()

    @property
    def is_changed(self) -> bool:
        """Whether it has anything to lose: changed records, other scenarios, a clock."""
        return (
            self.active != self.shared.scenarios
            or self.clock != self.shared.clock
            or self.starts is not self.shared.starts
            or bool(self._waiting)
            or any(each.store.is_changed for each in self._kept.values())
        )

    def track(self, on_change: Callable[[int], None]) -> None:
        """Call a function after each change of what the state file keeps."""
        self.on_change = on_change
        for each in self._kept.values():
            each.store.track(on_change)

    def note_change(self) -> None:
        """Note that it may have freed memory, and call what `track` was given."""
        self._budget.note_freed()
        if self.on_change is not None:
            self.on_change(0)


def _count_into(
    tables: set[Table], starts: Mapping[str, Table], records: Mapping[Place, Records]
) -> int:
    """Add shared tables to a set; return how many bytes the rest of the records takes."""
    if isinstance(starts, dict):  # else they are initial: of size 0, and perhaps not made yet
        tables.update(starts.values())
    tables.update([contents.base for _, contents in records.values()])
    return sum([contents.size for _, contents in records.values()])


def records_without(scenarios: set[str], records: Mapping[Place, T]) -> dict[Place, T]:
    """Return the records of collections that no scenario of a set defines or gives content."""
    return {
        (label, giver): records[label, giver]
        for label, giver in records
        if not scenarios & {label.partition("/")[0], giver}
    }


def _restarted(start: Table, collection: Collection) -> Table:
    """Return initial records for the new definition of a collection; none if they do not fit."""
    records = complete(collection, [*map(parse_row, start.in_order())])
    try:
        table = Store(empty_table(collection), 0).read(records)
    except RequestError:
        return empty_table(collection)
    table.size = start.size
    return table
