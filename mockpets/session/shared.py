"""The state that all sessions of one server share: initial values and limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from mockpets.constants import DELAY_SECONDS
from mockpets.errors import NotReady
from mockpets.pets.table import make_table
from mockpets.scenario.model import Generated
from mockpets.session.change_feed import ChangeFeed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.contract.schemas import Pet
    from mockpets.journal.journal import Journal
    from mockpets.memory_budget import MemoryBudget
    from mockpets.pets.table import Table, TableCache
    from mockpets.scenario.library import Library
    from mockpets.scenario.model import Scenario

PETS_AT_ONCE: Final = 500
"""Pets to generate on the app's thread, which blocks other requests for a few milliseconds."""


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
    :param documents: whether clients may send scenarios in requests.
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
    snapshots: MemoryBudget
    max_delay: float = DELAY_SECONDS
    max_name: int | None = None
    allows_connection_faults: bool = True
    documents: bool = True
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
