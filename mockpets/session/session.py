"""One isolated world: pets, active scenarios, what their stubs have counted, chance, journal.

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

from mockpets.constants import STACKS
from mockpets.errors import RequestError
from mockpets.pets.store import Store
from mockpets.scenario.engine import Count, decide
from mockpets.session.change_feed import ChangeFeed
from mockpets.session.gates import Gates
from mockpets.session.snapshots import Snapshots

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.schemas import Pet
    from mockpets.pets.store import Saved
    from mockpets.pets.table import Table
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.library import Library, Stack
    from mockpets.scenario.matching import Facts
    from mockpets.scenario.model import Generated, Scenario
    from mockpets.session.shared import SharedState


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

    __slots__ = (
        "_activations",
        "_inline",
        "_lock",
        "_own",
        "_plain",
        "_random",
        "_seen",
        "_shared",
        "active",
        "changes",
        "documents",
        "gates",
        "journal",
        "name",
        "seed",
        "snapshots",
        "used",
    )

    def __init__(self, name: str, shared: SharedState) -> None:
        self.name = name
        self.active = shared.scenarios
        self.seed = shared.seed
        """The number that everything random in this session grows from."""
        self.changes = ChangeFeed(shared.changes)
        self.gates = Gates(partial(self.changes.tell, "gates"))
        """Where its answers are held."""
        self.journal = shared.journal()
        self.snapshots = Snapshots(shared.snapshots, partial(self.changes.tell, "snapshots"))
        self.documents: Mapping[str, str] = {}
        """The scenarios that are this session's alone, as they were sent."""
        self.used = 0.0
        """When it was last used, by the clock of the registry."""
        self._shared = shared
        self._own = Store(shared.start, shared.max_new, shared.pets)
        self._random: Random | None = None
        """Made when a stub first leaves something to chance: it takes as much as all the rest."""
        self._inline: Mapping[str, Scenario] = {}
        self._seen: tuple[Library, Library] | None = None
        self._activations: dict[tuple[str, ...], Activation] = {}
        self._plain: dict[tuple[str, ...], Activation] = {}
        """Those of stacks that leave nothing to remember, so that they can be dropped."""
        self._lock = Lock()

    @property
    def may_break(self) -> bool:
        """Whether this server breaks connections."""
        return self._shared.breaks

    @property
    def breaks(self) -> bool:
        """Whether a stub of its active scenarios breaks connections."""
        try:
            return self.stack(self.active).breaks
        except RequestError:  # its file is gone
            return False

    # --- Scenarios ----------------------------------------------------------------------------

    @property
    def library(self) -> Library:
        """The scenarios that this session knows: those of files, and its own."""
        files = self._shared.library()
        if not self._inline:
            return files
        # The same object until a file changes, since activations hold on to it.
        if self._seen is None or self._seen[0] is not files:
            self._seen = files, files.plus(self._inline)
        return self._seen[1]

    def stack(self, names: tuple[str, ...]) -> Stack:
        """Return these scenarios put together; nothing is kept of it.

        :raise RequestError: ``unknown_scenario`` for a name that the library lacks.
        """
        library = self.library
        known = self._activations.get(names) or self._plain.get(names)
        return known.stack if known and known.library is library else library.stack(names)

    def use(self, names: tuple[str, ...], *, at_once: bool = False) -> Activation:
        """Return the stack of these scenarios as this session has it, activating it if it is new.

        :raise RequestError: ``unknown_scenario`` for a name that the library lacks, ``busy`` when
            the session keeps as many stacks as it may, ``store_full`` when its pets are too many.
        :raise NotReady: `at_once`, and many pets have to be made first.
        """
        library = self.library
        known = self._activations.get(names) or self._plain.get(names)
        if known is not None and known.library is library:
            return known
        stack = library.stack(names)
        if not stack.stubs and stack.pets is None:
            plain = Activation(library, stack, [], self._own)
            self._plain = {**(self._plain if len(self._plain) < STACKS else {}), names: plain}
            return plain
        # Outside the lock, since it may take long; of two that come at once, one is dropped.
        brought = None if stack.pets is None else self._store_of(stack.pets, at_once=at_once)
        with self._lock:
            known = self._activations.get(names)
            if known is not None and known.stack == stack:
                known.library = library
                return known
            if known is None and len(self._activations) >= STACKS:
                raise RequestError(
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

    def _store_of(self, pets: tuple[Pet, ...] | Generated, *, at_once: bool) -> Store:
        """Return a new store of some pets.

        :raise NotReady: `at_once`, and many pets have to be made first.
        """
        shared = self._shared
        return Store(shared.table(pets, self.seed, at_once=at_once), shared.max_new, shared.pets)

    def activate(
        self, names: tuple[str, ...], inline: Mapping[str, tuple[Scenario, str]] | None = None
    ) -> None:
        """Have these scenarios active, their counters begun anew; a failure changes nothing.

        :param inline: scenarios of documents, with the documents, for this session until it
            activates others.
        :raise RequestError: ``unknown_scenario`` for a name that the library lacks.
        """
        own = {name: scenario for name, (scenario, _) in (inline or {}).items()}
        self._shared.library().plus(own).stack(names)
        with self._lock:
            gone = {key for key in self._activations if self._inline.keys() & set(key)}
            for key in gone:  # another document may have the name of an earlier one
                del self._activations[key]
            self._plain = {}
            self._inline, self._seen = own, None
            self.documents = {name: text for name, (_, text) in (inline or {}).items()}
            known = self._activations.get(names)
            if known is not None:
                known.counts = [Count() for _ in known.stack.stubs]
            self.active = names
        self.changes.tell("scenario")

    def decide(self, activation: Activation, facts: Facts) -> Outcome:
        """Return what happens to one request, counted once."""
        stack, most = activation.stack, self._shared.max_delay
        with self._lock:
            if self._random is None:
                self._random = Random(self.seed)
            return decide(stack.stubs, activation.counts, facts, self._random, most)

    @property
    def own(self) -> Store:
        """The pets that it has when no scenario brings others."""
        return self._own

    @property
    def active_of_files(self) -> tuple[str, ...]:
        """The active scenarios that are no documents."""
        return tuple(name for name in self.active if name not in self._inline)

    def adopt(self, pets: Saved, names: tuple[str, ...] | None, seed: int | None) -> None:
        """Be as a session was before a restart.

        :param names: its active scenarios, None for those that a new session has; likewise `seed`.
        :raise RequestError: ``store_full`` when there is no room for its pets.
        """
        self._own.restore(pets)
        if names:
            self.activate(names)
        if seed is not None:
            self.seed = seed
            self._random = None

    def check_name(self, name: str) -> None:
        """Let the name of a new pet pass.

        :raise RequestError: ``invalid_request`` when this server takes only shorter ones.
        """
        most = self._shared.max_name
        if most is not None and len(name) > most:
            what = f"name must have at most {most} characters on this server, got {len(name)}"
            raise RequestError("invalid_request", what)

    # --- The start ----------------------------------------------------------------------------

    def reset(self) -> None:
        """Go back to the start: pets, counters, random numbers and journal.

        Active scenarios and snapshots stay.
        """
        with self._lock:
            self._own.reset()
            self._activations.clear()
            self._random = None
        self.journal.reset()
        for kind in ("pets", "requests", "scenario"):
            self.changes.tell(kind)

    def start_from(self, seed: int, start: Table) -> None:
        """Have another start, and go back to it."""
        with self._lock:
            self.seed = seed
            self._own = Store(start, self._shared.max_new, self._shared.pets)
            self._plain = {}
        self.reset()

    def pets_held(self) -> int:
        """Return how many pets there are in the stores that are in use."""
        used = {id(each.store): each.store for each in list(self._activations.copy().values())}
        used[id(self._own)] = self._own
        return sum(store.total() for store in used.values())
