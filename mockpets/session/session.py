"""One isolated session: pets, active scenarios, their counters, random numbers, and journal.

The scenarios of a request form a stack. A session keeps the counters and the pets of each stack
until the reset, so that a sequence continues even if each request names the scenario itself.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from secrets import token_hex
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.clock import REAL
from mockpets.constants import (
    DEFAULT_SCENARIO,
    DELAY_SECONDS,
    SESSION_HEADER,
    SESSION_ID_HEADER,
    STACKS,
)
from mockpets.errors import NotReady, RequestError
from mockpets.pets.store import Store
from mockpets.pets.table import make_table
from mockpets.scenario.engine import Count, decide
from mockpets.scenario.library import document_message
from mockpets.scenario.model import Generated
from mockpets.session.change_feed import ChangeFeed
from mockpets.session.data import CLOCK_PART, Data
from mockpets.session.gates import Gates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mockpets.clock import Clock, ClockChange
    from mockpets.constants import Change
    from mockpets.contract.schemas import Pet
    from mockpets.journal.journal import Journal
    from mockpets.memory_budget import MemoryBudget
    from mockpets.pets.store import Saved
    from mockpets.pets.table import Table, TableCache
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.library import Library, Stack
    from mockpets.scenario.matching import Facts
    from mockpets.scenario.model import Scenario
    from mockpets.scenario.resources import Resource
    from mockpets.session.data import SavedRecords

_RESET_KINDS: Final[tuple[Change, ...]] = ("pets", "requests", "scenario")
"""What a reset changes."""
OVERRIDES: Final = 20
"""Maximum number of overrides in one session."""
PETS_AT_ONCE: Final = 500
"""Pets to generate on the app's thread, which blocks other requests for a few milliseconds."""


@dataclass(slots=True)
class Activation:
    """A stack of scenarios in use by one session.

    :param library: that of `stack`, which may be outdated if the session has a newer one.
    :param counts: the counters by the position of the stub in the stack.
    :param store: the pets that the stack defines, or the session's own.
    """

    library: Library
    stack: Stack
    counts: defaultdict[int, Count]
    store: Store


class Mark(NamedTuple):
    """The beginning of a recording.

    :param number: of the last request before it; `resets` are those of the journal.
    :param pets: as JSON by id; `records` are those of each resource.
    """

    number: int
    resets: int
    pets: Mapping[int, bytes]
    records: Mapping[Resource, Sequence[bytes]] = MappingProxyType({})


class StackStore(NamedTuple):
    """The store of a stack of scenarios that defines pets, with `Stack.pets_digest`."""

    pets_digest: str
    store: Store


@dataclass(frozen=True)
class SharedState:
    """The state that all sessions of one server share.

    :param library: returns the current library; a reload replaces it.
    :param start: the initial pets of a session; `scenarios` and `seed` are initial values too.
    :param max_new: the maximum number of pets that requests may add to a store.
    :param locale: of generated pets, unless a scenario sets another.
    :param pets: the memory budget of pets that are not shared.
    :param max_delay: the maximum total delay of a response, in seconds.
    :param max_name: the maximum length of a new pet's name, in characters.
    :param is_public: whether clients may neither send scenarios nor break connections.
    :param clock: the initial clock of a session; None for the real time.
    """

    library: Callable[[], Library]
    tables: TableCache
    start: Table
    scenarios: tuple[str, ...]
    seed: int
    max_new: int
    locale: str
    journal: Callable[[], Journal]
    pets: MemoryBudget
    max_delay: float = DELAY_SECONDS
    max_name: int | None = None
    is_public: bool = False
    clock: Clock | None = None
    changes: ChangeFeed = field(default_factory=ChangeFeed)

    def library_with(self, inline: Mapping[str, tuple[Scenario, str]]) -> Library:
        """Return the library with scenarios that were sent in a request, with their source."""
        return self.library().plus({name: scenario for name, (scenario, _) in inline.items()})

    def table(
        self, pets: tuple[Pet, ...] | Generated, seed: int, *, at_once: bool = False
    ) -> Table:
        """Return pets as a table; tables of generated pets are shared.

        :param seed: of generated pets, unless `pets` sets another.
        :raise RequestError: ``store_full`` if the pets exceed the memory budget.
        :raise NotReady: `at_once` is set and many pets must be generated first.
        """
        if not isinstance(pets, Generated):
            return make_table(pets, self.pets)
        seed = seed if pets.seed is None else pets.seed
        make = partial(self.tables.make, pets.count, seed, pets.locale or self.locale)
        if at_once and pets.count > PETS_AT_ONCE and not self.tables.has(*make.args):
            raise NotReady(make, f"generating {pets.count} pets")
        return make()


class Session:
    """The state of one session. Safe to use from several threads."""

    def __init__(self, name: str, shared: SharedState, pets: MemoryBudget | None = None) -> None:
        self._pets = pets or shared.pets
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
        self.on_change: Callable[[], None] | None = None
        """Called after a change of what the state file keeps; None if no file keeps the session."""
        self.data = Data(self._pets, partial(self.changes.publish, "data"))
        self.own = self._new_store(shared.start)
        """Its own pets, used unless a scenario defines others."""
        self._random: Random | None = None
        """Lazy: seeding is slow."""
        self._merged: tuple[Library, Library] | None = None
        """The library of files, and the same with this session's own scenarios."""
        self._activations: dict[tuple[str, ...], Activation] = {}
        self._restored: dict[tuple[str, ...], StackStore] = {}
        """The stores from before a restart whose stacks were not used since."""
        self._plain: dict[tuple[str, ...], Activation] = {}
        """Stacks without stubs and pets: they have no state, so they can be dropped."""
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
        library = self.library
        known = self._activations.get(names) or self._plain.get(names)
        return known.stack if known and known.library is library else library.stack(names)

    def use(self, names: tuple[str, ...], *, at_once: bool = False) -> Activation:
        """Return this session's activation of a stack.

        :raise RequestError: ``unknown_scenario``; ``busy`` if the session has too many stacks;
            ``store_full`` if the stack has too many pets.
        :raise NotReady: `at_once` is set, and many pets must be generated first.
        """
        library = self.library
        known = self._activations.get(names) or self._plain.get(names)
        if known is not None and known.library is library:
            return known
        stack = library.stack(names)
        if not stack.stubs and stack.pets is None:
            plain = Activation(library, stack, defaultdict(Count), self.own)
            self._plain = {**(self._plain if len(self._plain) < STACKS else {}), names: plain}
            return plain
        # Outside the lock, because it may take long. Of two made at the same time, one is dropped.
        new_store = None if stack.pets is None else self._store_of(stack, at_once=at_once)
        with self._lock:
            known = self._activations.get(names)
            if known is not None and known.stack == stack:
                known.library = library
                return known
            if known is None and len(self._activations) >= STACKS:
                raise RequestError(
                    "busy",
                    f"the session already uses {STACKS} different combinations of scenarios; "
                    "use one of those, or reset the session",
                )
            # The scenario file may have changed, but not its pets.
            keeps_pets = known is not None and known.stack.pets == stack.pets
            store = known.store if known and keeps_pets else new_store or self.own
            fresh = Activation(library, stack, defaultdict(Count), store)
            self._activations[names] = fresh
            self._restored.pop(names, None)
        if known is not None:
            self.note_change()  # the pets of the old store are gone
        return fresh

    def _store_of(self, stack: Stack, *, at_once: bool) -> Store:
        """Return the store of a stack that defines pets: from before a restart, or a new one."""
        restored = self._restored.get(stack.names)
        if restored is not None and restored.pets_digest == stack.pets_digest:
            return restored.store
        assert stack.pets is not None  # noqa: S101 - the caller checks it
        return self._new_store(self.shared.table(stack.pets, self.seed, at_once=at_once))

    def _new_store(self, start: Table) -> Store:
        store = Store(start, self.shared.max_new, self._pets)
        if self.on_change is not None:
            store.track(self.on_change)
        return store

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
            outdated = {key for key in self._activations if self.inline.keys() & set(key)}
            for key in outdated:  # a new inline scenario may have the name of an earlier one
                del self._activations[key]
            self._plain = {}
            removed = {name for name, known in self.inline.items() if inline.get(name) is not known}
            self.inline, self._merged = inline, None
            kept = self.overrides.keys() - inline.keys()
            self.overrides = {name: self.overrides[name] for name in kept}
            known = self._activations.get(names)
            if known is not None:
                known.counts = defaultdict(Count)
            self.active = names
        if removed and self.data.is_changed:
            self.data.drop(removed)
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
            self._merged, self._plain = None, {}
            if document is None and name not in self.library.scenarios:
                rest = tuple(each for each in self.active if each != name)
                self.active = rest or (DEFAULT_SCENARIO,)
        self.note_change()
        self.changes.publish("scenario")

    def put_on_top(
        self, names: tuple[str, ...], inline: Mapping[str, tuple[Scenario, str]]
    ) -> None:
        """Activate scenarios like those that are active: counters and pets go on.

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
        activation = self.use(names)
        with self._lock:
            if before.stack.pets == activation.stack.pets:
                activation.store = before.store
            for place, stub in enumerate(activation.stack.stubs):
                if places.get(stub.label) in counts:
                    activation.counts[place] = replace(counts[places[stub.label]])

    def check(self, names: tuple[str, ...], inline: Mapping[str, tuple[Scenario, str]]) -> None:
        """Check that scenarios can be activated, without the inline ones that this would remove.

        :raise RequestError: ``unknown_scenario``.
        """
        for name in names:
            if name in self.inline and name not in inline:
                raise RequestError("unknown_scenario", document_message(name))
        self.shared.library_with({**self.overrides, **inline}).stack(names)

    def decide(self, activation: Activation, facts: Facts) -> Outcome:
        """Return the outcome of a request, and count the request."""
        stubs, counts, max_delay = activation.stack.stubs, activation.counts, self.shared.max_delay
        with self._lock:
            if self._random is None:
                self._random = Random(self.seed)
            return decide(stubs, counts, facts, self._random, max_delay)

    def fork(self, shared: SharedState) -> Session:
        """Return a copy in which requests can be tried out: they change nothing in this session."""
        copy = Session(self.name, shared)
        copy.identify(self.id)
        with self._lock:
            copy.active, copy.seed, copy.clock = self.active, self.seed, self.clock
            copy.inline, copy.overrides, copy._merged = self.inline, self.overrides, self._merged
            copy.journal.last, copy.journal.resets = self.journal.last, self.journal.resets
            copy.own, copy.data = self.own.fork(), self.data.fork()
            copy._activations = {
                names: replace(
                    known,
                    counts=defaultdict(Count, {n: replace(c) for n, c in known.counts.items()}),
                    store=copy.own if known.store is self.own else known.store.fork(),
                )
                for names, known in self._activations.items()
            }
            copy._restored = {
                names: known._replace(store=known.store.fork())
                for names, known in self._restored.items()
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
        """Reset pets, records, counters, random numbers and the journal; the rest stays."""
        with self._lock:
            self.own.reset()
            self.data.reset()
            self._activations.clear()
            self._restored.clear()
            self._random = None
        self.note_change()
        self.journal.reset()
        for kind in _RESET_KINDS:
            self.changes.publish(kind)

    def take_out(self) -> Callable[[], None]:
        """Take out what a reset removes; return a function that puts it back.

        :raise RequestError: ``store_full`` if there is no memory to keep the pets and records.
        """
        saved, data = self.own.save(self._pets), self.data.save(self._pets)
        log = self.journal.detach()
        with self._lock:
            activations, restored = self._activations.copy(), self._restored.copy()
            random = self._random

        def put_back() -> None:
            self._restore(saved, data)
            with self._lock:
                self._activations, self._restored, self._random = activations, restored, random
            if self.on_change is not None:
                self.track(self.on_change)  # the file has other pets and other IDs by now
            self.journal.put_back(log, restart=True)
            self.note_change()
            for kind in _RESET_KINDS:
                self.changes.publish(kind)

        return put_back

    def start_from(self, seed: int, start: Table) -> None:
        """Replace the initial pets and the seed, and reset the session."""
        with self._lock:
            self.seed = seed
            self.own = self._new_store(start)
            self._plain = {}
        self.reset()

    @property
    def is_changed(self) -> bool:
        """Whether it has anything to lose: changed pets, other scenarios, a clock."""
        return (
            self.active != self.shared.scenarios
            or self.clock != self.shared.clock
            or self.own.start is not self.shared.start
            or self.data.is_changed
            or any(store.is_changed for _, store in self.stores().values())
        )

    def pets_held(self) -> int:
        """Return the number of pets in all stores of the session."""
        return sum(store.total() for _, store in self.stores().values())

    def track(self, on_change: Callable[[], None]) -> None:
        """Call a function after each change of what the state file keeps."""
        self.on_change = on_change
        self.data.track(on_change)
        for _, store in self.stores().values():
            store.track(on_change)

    def must_reserve_id(self, resource: Resource) -> bool:
        """Whether the state file must reserve IDs before a record gets one."""
        return resource.scenario not in self.documents and not self.data.has_reserved_id(resource)

    def parts(self) -> dict[str, Any]:
        """Return what else the state file keeps, by the name of the part."""
        is_own_clock = self.clock != self.shared.clock
        parts: dict[str, Any] = {
            part: each
            for part, each in self.data.parts().items()
            if part.split(" ")[1] not in self.documents
        }
        if is_own_clock:
            parts[CLOCK_PART] = self.clock or REAL
        return parts

    def _restore(self, pets: Saved, data: SavedRecords) -> None:
        """Restore its own pets and the records; on ``store_full``, neither."""
        before = self.data.save(None)
        self.data.restore(data)
        try:
            self.own.restore(pets)
        except RequestError:
            self.data.restore(before)
            raise

    def note_change(self) -> None:
        """Call what `track` was given."""
        if self.on_change is not None:
            self.on_change()

    def stores(self) -> dict[tuple[str, ...], StackStore]:
        """Return the stores by the names of their stack; the session's own has no names."""
        with self._lock:
            stores = {(): StackStore("", self.own), **self._restored}
            for names, known in self._activations.items():
                if known.store is not self.own:
                    stores[names] = StackStore(known.stack.pets_digest, known.store)
            return stores

    def restore(
        self,
        active: tuple[str, ...] | None,
        seed: int | None,
        stores: Mapping[tuple[str, ...], StackStore],
        parts: Mapping[str, Any],
    ) -> None:
        """Restore what the state file kept, before the session is used; None as in a new one."""
        self.active = self.shared.scenarios if active is None else active
        self.seed = self.shared.seed if seed is None else seed
        self._restored = dict(stores)
        self.own = self._restored.pop(()).store
        self.data.restore_parts(parts)
        if clock := parts.get(CLOCK_PART):
            self.clock = None if clock == REAL else clock
