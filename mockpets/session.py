"""One isolated world: the pets, the active scenarios, what their stubs have counted, and chance.

A session is handed along with each request; nothing else reaches its state. The scenarios of a
request form a stack, and what a stack counts and the pets it brings are kept per session and
stack until reset, so that naming a scenario for one request at a time still makes progress.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from random import Random
from threading import Lock
from typing import TYPE_CHECKING

from mockpets.constants import PETS_AT_ONCE, STACKS, TABLES
from mockpets.errors import NotReady, Refusal
from mockpets.gates import Gates
from mockpets.pets.store import Store, make_table
from mockpets.scenario.engine import Count, decide
from mockpets.scenario.model import Generated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mockpets.contract import Pet
    from mockpets.pets.store import Table
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.library import Library, Stack
    from mockpets.scenario.matching import Facts

__all__ = ["Activation", "Session", "Tables", "World"]


class Tables:
    """Generated pets, for sessions and scenarios to share. Safe to use from several threads.

    :param generate: returns pets made from count, seed and locale.
    """

    def __init__(self, generate: Callable[[int, int, str], Iterable[Pet]]) -> None:
        self._generate = generate
        self._made: dict[tuple[int, int, str], Table] = {}

    def has(self, count: int, seed: int, locale: str) -> bool:
        """Whether these pets are made already."""
        return (count, seed, locale) in self._made

    def make(self, count: int, seed: int, locale: str) -> Table:
        """Return these pets; asked again soon, the same table."""
        key = count, seed, locale
        table = self._made.get(key)
        if table is None:
            table = make_table(self._generate(*key))
            # A new dict, so that no other thread sees it change; the oldest goes.
            self._made = dict([*self._made.items(), (key, table)][-TABLES:])
        return table


@dataclass(frozen=True)
class World:
    """What all sessions of one server share.

    :param library: returns the scenarios as they are now; a reload puts in a new library.
    :param start: the pets a session starts with.
    :param scenarios: those active in a new session.
    :param max_new: pets that requests may add to a store.
    """

    library: Callable[[], Library]
    tables: Tables
    start: Table
    scenarios: tuple[str, ...]
    seed: int
    max_new: int
    locale: str


@dataclass(slots=True)
class Activation:
    """A stack of scenarios in use by one session.

    :param library: the one that `stack` was made from; another one since means: look again.
    :param counts: one for each stub of the stack.
    :param store: the pets the stack brings, or the session's own.
    """

    library: Library
    stack: Stack
    counts: list[Count]
    store: Store


class Session:
    """The state of one session. Safe to use from several threads.

    :param name: how clients name it.
    """

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self.active = world.scenarios
        self._world = world
        self._own = Store(world.start, world.max_new)
        self._random = Random(world.seed)
        self._activations: dict[tuple[str, ...], Activation] = {}
        self._plain: dict[tuple[str, ...], Activation] = {}
        """Those of stacks that leave nothing to remember, so that they can be dropped."""
        self._lock = Lock()
        self.gates = Gates()
        """Where its answers are held."""

    @property
    def breaks(self) -> bool:
        """Whether a stub of its active scenarios breaks connections."""
        try:
            return self.stack(self.active).breaks
        except Refusal:  # its file is gone
            return False

    @property
    def seed(self) -> int:
        """The number that everything random in this session grows from."""
        return self._world.seed

    def stack(self, names: tuple[str, ...]) -> Stack:
        """Return these scenarios put together; nothing is kept of it.

        :raise Refusal: ``unknown_scenario`` for a name that the library lacks.
        """
        library = self._world.library()
        known = self._activations.get(names) or self._plain.get(names)
        return known.stack if known and known.library is library else library.stack(names)

    def use(self, names: tuple[str, ...], *, at_once: bool = False) -> Activation:
        """Return the stack of these scenarios as this session has it, activating it if it is new.

        :raise Refusal: ``unknown_scenario`` for a name that the library lacks, ``busy`` when the
            session keeps as many stacks as it may.
        :raise NotReady: `at_once`, and many pets have to be made first.
        """
        library = self._world.library()
        known = self._activations.get(names) or self._plain.get(names)
        if known is not None and known.library is library:
            return known
        stack = library.stack(names)
        if not stack.stubs and stack.pets is None:
            plain = Activation(library, stack, [], self._own)
            self._plain = {**(self._plain if len(self._plain) < STACKS else {}), names: plain}
            return plain
        # Outside the lock, since it may take long; of two that come at once, one is dropped.
        brought = self._brought(stack, at_once=at_once)
        with self._lock:
            known = self._activations.get(names)
            if known is not None and known.stack == stack:
                known.library = library
                return known
            if known is None and len(self._activations) >= STACKS:
                raise Refusal(
                    "busy",
                    f"{STACKS} different stacks of scenarios are in use already; "
                    "name one of those, or reset the session",
                )
            if known is not None and known.stack.pets == stack.pets:
                store = known.store  # the file changed, but not its pets
            else:
                store = brought or self._own
            fresh = Activation(library, stack, [Count() for _ in stack.stubs], store)
            self._activations[names] = fresh
            return fresh

    def _brought(self, stack: Stack, *, at_once: bool) -> Store | None:
        """Return a store of the pets that a stack brings; None when it brings none.

        :raise NotReady: `at_once`, and many pets have to be made first.
        """
        pets, world = stack.pets, self._world
        if pets is None:
            return None
        if not isinstance(pets, Generated):
            return Store(make_table(pets), world.max_new)
        seed = self.seed if pets.seed is None else pets.seed
        make = partial(world.tables.make, pets.count, seed, pets.locale or world.locale)
        if at_once and pets.count > PETS_AT_ONCE and not world.tables.has(*make.args):
            raise NotReady(make)
        return Store(make(), world.max_new)

    def activate(self, names: tuple[str, ...]) -> None:
        """Have these scenarios active, their counters begun anew; a failure changes nothing.

        :raise Refusal: ``unknown_scenario`` for a name that the library lacks.
        """
        self._world.library().stack(names)
        with self._lock:
            known = self._activations.get(names)
            if known is not None:
                known.counts = [Count() for _ in known.stack.stubs]
            self.active = names

    def decide(self, activation: Activation, facts: Facts) -> Outcome:
        """Return what happens to one request, counted once."""
        with self._lock:
            return decide(activation.stack.stubs, activation.counts, facts, self._random)

    def reset(self) -> None:
        """Go back to the start: pets, counters and random numbers; active scenarios stay."""
        with self._lock:
            self._own.reset()
            self._activations.clear()
            self._random.seed(self.seed)
