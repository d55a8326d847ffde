"""One isolated session: records, active scenarios, their counters, random numbers, and journal.

The scenarios of a request form a stack. A session keeps the counters of each stack until the reset,
so that a sequence continues even if each request names the scenario itself. Its records belong to
the scenario that gives a collection content, or to the session itself (`Binding`).
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from secrets import token_hex
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import (
    DEFAULT_SCENARIO,
    DELAY_SECONDS,
    OVERRIDES,
    SESSION_HEADER,
    SESSION_ID_HEADER,
    STACKS,
)
from mockpets.contract.pet_store import PETS
from mockpets.errors import NotReady, RequestError
from mockpets.records.saved import saved_records
from mockpets.records.store import Store
from mockpets.records.table import empty_table, make_table, parse_row, rows_of
from mockpets.scenario.engine import Count, decide
from mockpets.scenario.library import document_message
from mockpets.scenario.model import EVERYTHING, Generated
from mockpets.session.change_feed import ChangeFeed
from mockpets.session.gates import Gates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mockpets.clock import Clock, ClockChange
    from mockpets.constants import Change
    from mockpets.contract.collections import Collection
    from mockpets.journal.journal import Journal
    from mockpets.memory_budget import MemoryBudget
    from mockpets.records.saved import SavedRecords
    from mockpets.records.table import Table, TableCache
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.library import Binding, Library, Stack
    from mockpets.scenario.matching import Facts
    from mockpets.scenario.model import Content, Scenario

    Place = tuple[str, str]
    """The label of a collection, and the scenario that gives it content: see `Binding.place`."""

_RESET_KINDS: Final[tuple[Change, ...]] = ("data", "requests", "scenario")
"""What a reset changes."""
_RANDOM_VERSION: Final = 3
"""What `Random.getstate` begins with in each Python that can run mockpets."""
RECORDS_AT_ONCE: Final = 500
"""Records to generate on the app's thread, which blocks other requests for a few milliseconds."""


@dataclass(slots=True)
class Activation:
    """A stack of scenarios in use by one session.

    :param counts: the counters by the position of the stub in the stack.
    """

    stack: Stack
    counts: defaultdict[int, Count]


class Mark(NamedTuple):
    """The beginning of a recording.

    :param number: of the last request before it; `resets` are those of the journal.
    :param records: of each collection, as JSON.
    """

    number: int
    resets: int
    records: Mapping[Collection, Sequence[bytes]] = MappingProxyType({})


class Kept(NamedTuple):
    """The records of a collection that a session keeps.

    :param digest: of the definition from which they started: `Binding.digest`.
    """

    digest: str
    store: Store

    def is_of(self, binding: Binding) -> bool:
        """Return whether a collection is defined as when these records started."""
        mine, other = self.store.collection, binding.collection
        return self.digest == binding.digest and (mine is other or mine == other)


@dataclass(frozen=True)
class Snapshot:
    """All that decides how a session responds, as another server can take it over.

    :param inline: see `Session.inline`; the same for `overrides` and `starts`.
    :param kept: the records that differ from the initial ones.
    :param counters: by the names of a stack, then by the label of a stub.
    :param random: the state of the random numbers; None if none was drawn.
    """

    active: tuple[str, ...]
    seed: int
    clock: Clock | None
    inline: Mapping[str, tuple[Scenario, str]]
    overrides: Mapping[str, tuple[Scenario, str]]
    starts: Mapping[str, Table]
    kept: Mapping[Place, Kept]
    counters: Mapping[tuple[str, ...], Mapping[str, Count]]
    random: tuple[int, ...] | None


@dataclass(frozen=True)
class SharedState:
    """The state that all sessions of one server share.

    :param library: returns the current library; a reload replaces it.
    :param starts: the initial records of collections, by label; `scenarios` and `seed` are initial
        values too.
    :param max_new: by how many records requests may exceed what a collection contains.
    :param locale: of generated records, unless a scenario sets another.
    :param records: the memory budget of records that are not shared.
    :param max_delay: the maximum total delay of a response, in seconds.
    :param max_name: the maximum length of a new pet's name, in characters.
    :param is_public: whether clients may neither send scenarios nor break connections.
    :param clock: the initial clock of a session; None for the real time.
    """

    library: Callable[[], Library]
    tables: TableCache
    starts: Mapping[str, Table]
    scenarios: tuple[str, ...]
    seed: int
    max_new: int
    locale: str
    journal: Callable[[], Journal]
    records: MemoryBudget
    max_delay: float = DELAY_SECONDS
    max_name: int | None = None
    is_public: bool = False
    clock: Clock | None = None
    changes: ChangeFeed = field(default_factory=ChangeFeed)

    def library_with(self, inline: Mapping[str, tuple[Scenario, str]]) -> Library:
        """Return the library with scenarios that were sent in a request, with their source."""
        return self.library().plus({name: scenario for name, (scenario, _) in inline.items()})

    def table(
        self, collection: Collection, content: Content, seed: int, *, at_once: bool = False
    ) -> Table:
        """Return contents as a table; tables of generated records are shared.

        :param seed: of generated records, unless `content` sets another.
        :raise RequestError: ``store_full`` if the records exceed the memory budget.
        :raise NotReady: `at_once` is set and many records must be generated first.
        """
        if not isinstance(content, Generated):
            return make_table(collection, rows_of(content), self.records)
        seed = seed if content.seed is None else content.seed
        locale = content.locale or self.locale
        make = partial(self.tables.make, collection, content.count, seed, locale)
        if at_once and content.count > RECORDS_AT_ONCE and not self.tables.has(*make.args):
            raise NotReady(make, f"generating {content.count} {collection.name}")
        return make()

    def starts_with(
        self, contents: Mapping[str, Content], seed: int, *, at_once: bool = False
    ) -> Mapping[str, Table]:
        """Return the initial records of collections with other contents, by name or SCENARIO.NAME.

        :raise RequestError: as `table`; ``not_found`` for an unknown collection,
            ``invalid_request`` or ``conflict`` for records that do not fit.
        """
        library, starts = self.library(), dict(self.starts)
        if EVERYTHING in contents:
            starts = {one.label: empty_table(one) for one in library.collections()}
        for name in contents.keys() - {EVERYTHING}:
            collection, content = library.collection(name), contents[name]
            if collection.owner and isinstance(content, tuple):
                store = Store(empty_table(collection), 0, seed=seed)
                table = store.read([*map(parse_row, content)], self.records)
            else:
                table = self.table(collection, content, seed, at_once=at_once)
            starts[collection.label] = table
        return starts

    def new_store(
        self,
        binding: Binding,
        starts: Mapping[str, Table],
        seed: int,
        budget: MemoryBudget,
        *,
        at_once: bool = False,
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
            start = self.table(collection, content, seed, at_once=at_once)
        return Store(start, self.max_new, budget, seed)


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
        self.journal = shared.journal()
        self.inline: Mapping[str, tuple[Scenario, str]] = {}
        """The scenarios that were sent in a request, with their source, until others are active."""
        self.overrides: Mapping[str, tuple[Scenario, str]] = {}
        """Scenarios that replace those of files in this session only, with their source."""
        self.mark: Mark | None = None
        self.networks: tuple[str, ...] = ()
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
        self.unclaimed: Mapping[Place, SavedRecords] = {}
        """What the state file has of collections that no request has asked for yet."""
        self.skipped_keys = 0
        """How many keys a collection skips that no request has asked for yet: a server that
        crashed, or this one before an undo, may have assigned them."""
        self._kept: dict[Place, Kept] = {}
        self._random: Random | None = None
        """Lazy: seeding is slow."""
        self._merged: tuple[Library, Library] | None = None
        """The library of files, and the same with this session's own scenarios."""
        self._activations: dict[tuple[str, ...], Activation] = {}
        """By the names of the stack, of those that have stubs."""
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
    def documents(self) -> dict[str, tuple[Scenario, str]]:
        """The scenarios of this session only, with their source."""
        return {**self.inline, **self.overrides}

    @property
    def library(self) -> Library:
        """The scenarios that this session knows: those in files, and its own."""
        files = self.shared.library()
        if not self.inline and not self.overrides:
            return files
        # The same object until a file changes, because activations are compared by it.
        if self._merged is None or self._merged[0] is not files:
            self._merged = files, self.shared.library_with(self.documents)
        return self._merged[1]

    def stack(self, names: tuple[str, ...]) -> Stack:
        """Return the stack of these scenarios, or raise `RequestError` ``unknown_scenario``."""
        return self.library.stack(names)

    # --- Records ------------------------------------------------------------------------------

    def store(self, stack: Stack, collection: Collection = PETS, *, at_once: bool = False) -> Store:
        """Return the records of a collection that a request with these scenarios sees.

        :raise RequestError: ``store_full`` if the scenario's records exceed the memory budget.
        :raise NotReady: `at_once` is set, and many records must be generated first.
        """
        return self.store_of(stack.binding(collection), at_once=at_once)

    def store_of(self, binding: Binding, *, at_once: bool = False) -> Store:
        """Return the records of a collection and the scenario that gives it content, as `store`."""
        kept = self._kept.get(binding.place)
        if kept is not None and kept.is_of(binding):
            return kept.store
        # Outside the lock, because it may take long. Of two made at the same time, one is dropped.
        store = self._new_store(binding, kept, at_once=at_once)
        with self._lock:
            kept = self._kept.get(binding.place)
            if kept is not None and kept.is_of(binding):
                return kept.store
            self._keep(binding, store)
        if kept is not None:
            self.note_change()  # the records of the old definition may be gone
        return store

    def _new_store(self, binding: Binding, before: Kept | None, *, at_once: bool) -> Store:
        """Return the store of a collection; with the records from before if they still count."""
        store = self.shared.new_store(
            binding, self.starts, self.seed, self._budget, at_once=at_once
        )
        saved = self.unclaimed.get(binding.place)
        if before is not None:  # perhaps other properties are required now
            saved = saved_records(before.store, before.digest)
        if saved is not None and saved.digest == binding.digest:
            saved.charge.close()
            store.restore(saved.contents(store.start, self._budget))
        store.skip_keys(store.start.highest + 1 + self.skipped_keys)
        return store

    def _keep(self, binding: Binding, store: Store) -> None:
        """Keep the store of a collection; the caller holds the lock."""
        self._kept = {**self._kept, binding.place: Kept(binding.digest, store)}
        others = self.unclaimed.keys() - {binding.place}
        self.unclaimed = {place: self.unclaimed[place] for place in others}
        if self.on_change is not None:
            store.track(self.on_change)

    def records(self) -> tuple[Mapping[Place, Kept], Mapping[Place, SavedRecords]]:
        """Return the records that requests have asked for, and those that the state file had."""
        with self._lock:
            return self._kept, self.unclaimed

    def records_held(self) -> int:
        """Return the number of records in all collections of the session."""
        kept = self._kept
        unused = (table for label, table in self.starts.items() if (label, "") not in kept)
        own = sum(len(table.rows) for table in unused)
        return own + sum(each.store.total() for each in kept.values())

    # --- Scenarios ----------------------------------------------------------------------------

    def activate(
        self, names: tuple[str, ...], inline: Mapping[str, tuple[Scenario, str]] | None = None
    ) -> None:
        """Activate scenarios and reset their counters; an error changes nothing.

        :param inline: scenarios that were sent in the request, with their source.
        :raise RequestError: ``unknown_scenario``.
        """
        inline = inline or {}
        self.check(names, inline)
        with self._lock:
            for key in [key for key in self._activations if self.inline.keys() & {*key}]:
                # A new inline scenario may have the name of an earlier one.
                del self._activations[key]
            removed = {name for name, known in self.inline.items() if inline.get(name) is not known}
            self.inline, self._merged = inline, None
            others = self.overrides.keys() - inline.keys()
            self.overrides = {name: self.overrides[name] for name in others}
            known = self._activations.get(names)
            if known is not None:
                known.counts = defaultdict(Count)
            self.active = names
            self._kept = {
                (label, giver): each
                for (label, giver), each in self._kept.items()
                if not removed & {label.partition("/")[0], giver}
            }
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

        :raise RequestError: ``busy`` if the session has too many.
        """
        with self._lock:
            others = {each: self.overrides[each] for each in self.overrides.keys() - {name}}
            if document is not None and len(others) >= OVERRIDES:
                message = f"the session already has {OVERRIDES} overrides; delete one"
                raise RequestError("busy", message)
            self.overrides = others if document is None else {**others, name: document}
            self._merged = None
            if document is None and name not in self.library.scenarios:
                rest = tuple(each for each in self.active if each != name)
                self.active = rest or (DEFAULT_SCENARIO,)
        self.note_change()
        self.changes.publish("scenario")

    def put_on_top(
        self, names: tuple[str, ...], inline: Mapping[str, tuple[Scenario, str]]
    ) -> None:
        """Activate scenarios like those that are active: counters and records go on.

        :param inline: new scenarios; those that are active and were sent in a request stay.
        :raise RequestError: ``unknown_scenario``.
        """
        kept = {name: known for name, known in self.inline.items() if name in names}
        before = self._activations.get(self.active)
        counts = {} if before is None else dict(before.counts)
        self.activate(names, {**kept, **inline})
        if before is None:
            return
        places = {stub.label: place for place, stub in enumerate(before.stack.stubs)}
        stack = self.stack(names)
        with self._lock:
            now = self._counts(stack)
            for place, stub in enumerate(stack.stubs):
                if places.get(stub.label) in counts:
                    now[place] = replace(counts[places[stub.label]])

    def check(self, names: tuple[str, ...], inline: Mapping[str, tuple[Scenario, str]]) -> None:
        """Check that scenarios can be activated, without the inline ones that this would remove.

        :raise RequestError: ``unknown_scenario``.
        """
        for name in names:
            if name in self.inline and name not in inline:
                raise RequestError("unknown_scenario", document_message(name))
        self.shared.library_with({**self.overrides, **inline}).stack(names)

    def decide(self, stack: Stack, facts: Facts) -> Outcome:
        """Return the outcome of a request, and count the request.

        :raise RequestError: ``busy`` if the session has counters for too many stacks.
        """
        with self._lock:
            counts = self._counts(stack)
            if self._random is None:
                self._random = Random(self.seed)
            return decide(stack.stubs, counts, facts, self._random, self.shared.max_delay)

    def _counts(self, stack: Stack) -> defaultdict[int, Count]:
        """Return the counters of a stack; the caller holds the lock."""
        known = self._activations.get(stack.names)
        if known is not None and (known.stack is stack or known.stack == stack):
            known.stack = stack
            return known.counts
        if known is None and len(self._activations) >= STACKS:
            raise RequestError(
                "busy",
                f"the session already uses {STACKS} different combinations of scenarios; "
                "use one of those, or reset the session",
            )
        self._activations[stack.names] = fresh = Activation(stack, defaultdict(Count))
        return fresh.counts

    # --- The whole session --------------------------------------------------------------------

    def fork(self, shared: SharedState) -> Session:
        """Return a copy in which requests can be tried out: they change nothing in this session."""
        copy = Session(self.name, shared)
        copy.identify(self.id)
        with self._lock:
            copy.active, copy.seed, copy.clock = self.active, self.seed, self.clock
            copy.inline, copy.overrides, copy._merged = self.inline, self.overrides, self._merged
            copy.journal.last, copy.journal.resets = self.journal.last, self.journal.resets
            copy.starts, copy.unclaimed = self.starts, self.unclaimed
            copy.skipped_keys = self.skipped_keys
            copy._kept = {
                place: each._replace(store=each.store.fork()) for place, each in self._kept.items()
            }
            copy._activations = {
                names: Activation(
                    known.stack,
                    defaultdict(Count, {n: replace(c) for n, c in known.counts.items()}),
                )
                for names, known in self._activations.items()
            }
            if self._random is not None:
                copy._random = Random()
                copy._random.setstate(self._random.getstate())
        return copy

    def check_name(self, name: str) -> None:
        """Check the length of a new pet's name; raise `RequestError` ``invalid_request``."""
        limit = self.shared.max_name
        if limit is not None and len(name) > limit:
            message = f"name must have at most {limit} characters on this server, got {len(name)}"
            raise RequestError("invalid_request", message)

    def reset(self) -> None:
        """Reset records, counters, random numbers and the journal; the rest stays."""
        with self._lock:
            self._kept, self.unclaimed, self.skipped_keys = {}, {}, 0
            self._activations = {}
            self._random = None
        self.note_change()
        self.journal.reset()
        for kind in _RESET_KINDS:
            self.changes.publish(kind)

    def free(self) -> None:
        """Free the memory of a session that was removed.

        Without this, it would stay in use until Python finds the reference cycles of requests and
        errors that refer to the session.
        """
        self._kept, self.unclaimed, self.mark = {}, {}, None
        self.journal.close()

    def take_out(self) -> Callable[[], None]:
        """Take out the journal, and return a function that puts back what a reset removes."""
        log = self.journal.detach()
        kept, unclaimed, skipped = dict(self._kept), dict(self.unclaimed), self.skipped_keys
        activations, random = self._activations, self._random

        def put_back() -> None:
            with self._lock:
                for place, now in self._kept.items():  # no key that it assigned is assigned again
                    next_key = now.store.next_key
                    if place in kept:
                        kept[place].store.skip_keys(next_key)
                    elif (saved := unclaimed.get(place)) is not None:
                        next_key = max(next_key, saved.next_key)
                        unclaimed[place] = replace(saved, next_key=next_key)
                    else:
                        now.store.replace(now.store.start)
                        kept[place] = now
                self._kept, self.unclaimed, self.skipped_keys = kept, unclaimed, skipped
                self._activations, self._random = activations, random
            if self.on_change is not None:
                self.track(self.on_change)  # the file has other records by now
            self.journal.put_back(log, restart=True)
            self.note_change()
            for kind in _RESET_KINDS:
                self.changes.publish(kind)

        return put_back

    def start_from(self, seed: int, starts: Mapping[str, Table]) -> None:
        """Replace the seed and the initial records of collections, and reset the session."""
        with self._lock:
            self.seed = seed
            self.starts = starts
        self.reset()

    def snapshot(self) -> Snapshot:
        """Return the session as it is now; its stores are the session's own."""
        library = self.library
        for place in (*self._kept, *self.unclaimed):
            binding = library.binding(*place)
            if binding is not None:  # else no request can reach the records
                self.store_of(binding)
        with self._lock:
            kept = {
                place: each
                for place, each in self._kept.items()
                if each.store.is_changed and library.binding(*place) is not None
            }
            counters = {
                names: {
                    known.stack.stubs[position].label: replace(count)
                    for position, count in known.counts.items()
                }
                for names, known in self._activations.items()
                if known.counts
            }
            state = None if self._random is None else self._random.getstate()[1]
            return Snapshot(
                *(self.active, self.seed, self.clock, self.inline, self.overrides, self.starts),
                *(kept, counters, state),
            )

    def load(self, snapshot: Snapshot) -> None:
        """Become what a snapshot has; the journal starts again.

        Counters of scenarios and stubs that this server does not have are left out.
        """
        self.journal.reset()
        with self._lock:
            self.active, self.seed, self.clock = snapshot.active, snapshot.seed, snapshot.clock
            self.inline, self.overrides = snapshot.inline, snapshot.overrides
            self.starts, self._kept = snapshot.starts, {**snapshot.kept}
            self.unclaimed, self.skipped_keys, self._merged = {}, 0, None
            self._activations, self._random = {}, None
            if snapshot.random is not None:
                self._random = Random()
                self._random.setstate((_RANDOM_VERSION, snapshot.random, None))
            for names, counts in snapshot.counters.items():
                with suppress(RequestError):  # no such scenario here
                    stack = self.stack(names)
                    known = self._counts(stack)
                    for position, stub in enumerate(stack.stubs):
                        if stub.label in counts:
                            known[position] = replace(counts[stub.label])
        if self.on_change is not None:
            self.track(self.on_change)
        self.note_change()
        for kind in (*_RESET_KINDS, "clock"):
            self.changes.publish(kind)

    @property
    def is_changed(self) -> bool:
        """Whether it has anything to lose: changed records, other scenarios, a clock."""
        return (
            self.active != self.shared.scenarios
            or self.clock != self.shared.clock
            or self.starts is not self.shared.starts
            or bool(self.unclaimed)
            or any(each.store.is_changed for each in self._kept.values())
        )

    def track(self, on_change: Callable[[int], None]) -> None:
        """Call a function after each change of what the state file keeps."""
        self.on_change = on_change
        for each in self._kept.values():
            each.store.track(on_change)

    def note_change(self) -> None:
        """Call what `track` was given."""
        if self.on_change is not None:
            self.on_change(0)

    def restore(
        self,
        active: tuple[str, ...],
        seed: int,
        clock: Clock | None,
        starts: Mapping[str, Table],
        records: Mapping[Place, SavedRecords],
        *,
        skipped_keys: int,
    ) -> None:
        """Restore what the state file kept, before the session is used."""
        self.active, self.seed, self.clock = active, seed, clock
        self.starts, self.unclaimed = starts, records
        self.skipped_keys = skipped_keys


def _restarted(start: Table, collection: Collection) -> Table:
    """Return initial records for the new definition of a collection; none if they do not fit."""
    try:
        return Store(empty_table(collection), 0).read([parse_row(row) for row in start.in_order()])
    except RequestError:
        return empty_table(collection)
