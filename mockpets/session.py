"""One isolated world: the pets, the active scenarios, what their stubs have counted, and chance.

A session is handed along with each request; nothing else reaches its state. The scenarios of a
request form a stack, and what a stack counts and the pets it brings are kept per session and
stack until reset, so that naming a scenario for one request at a time still makes progress.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from threading import Lock
from typing import TYPE_CHECKING

from mockpets.constants import STACKS
from mockpets.errors import Refusal
from mockpets.pets.store import Store, make_table
from mockpets.scenario.engine import Count, decide
from mockpets.scenario.model import Generated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockpets.contract import Pet
    from mockpets.pets.store import Table
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.library import Library, Stack
    from mockpets.scenario.matching import Facts

__all__ = ["Activation", "Session", "World"]


@dataclass(frozen=True)
class World:
    """What all sessions of one server share.

    :param library: returns the scenarios as they are now; a reload puts in a new library.
    :param start: the pets a session starts with.
    :param scenarios: those active in a new session.
    :param generate: makes pets from count, seed and locale.
    """

    library: Callable[[], Library]
    start: Table
    scenarios: tuple[str, ...]
    seed: int
    max_new: int
    locale: str
    generate: Callable[[int, int, str], Sequence[Pet]]


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
        self._lock = Lock()

    @property
    def seed(self) -> int:
        """The number that everything random in this session grows from."""
        return self._world.seed

    def use(self, names: tuple[str, ...]) -> Activation:
        """Return the stack of these scenarios as this session has it, activating it if it is new.

        :raise Refusal: ``unknown_scenario`` for a name that the library lacks, ``busy`` when the
            session keeps as many stacks as it may.
        """
        library = self._world.library()
        with self._lock:
            known = self._activations.get(names)
            if known is not None and known.library is library:
                return known
            stack = library.stack(names)
            if known is not None and known.stack == stack:
                known.library = library
                return known
            if known is None and len(self._activations) >= STACKS:
                raise Refusal(
                    "busy",
                    f"this session keeps count for {STACKS} stacks of scenarios already; reset it",
                )
            counts = [Count() for _ in stack.stubs]
            fresh = Activation(library, stack, counts, self._store(stack, known))
            self._activations[names] = fresh
            return fresh

    def _store(self, stack: Stack, before: Activation | None) -> Store:
        """Return the store that a stack acts on: its own when it brings pets."""
        if stack.pets is None:
            return self._own
        if before is not None and before.stack.pets == stack.pets:
            return before.store  # the file changed, but not its pets
        pets = stack.pets
        if isinstance(pets, Generated):
            seed = self.seed if pets.seed is None else pets.seed
            pets = tuple(self._world.generate(pets.count, seed, pets.locale or self._world.locale))
        return Store(make_table(pets), self._world.max_new)

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
