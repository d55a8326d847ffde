"""What all sessions of one server share: where they begin, and what they may hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from mockpets.constants import DELAY_SECONDS, PETS_AT_ONCE
from mockpets.errors import NotReady
from mockpets.pets.table import make_table
from mockpets.scenario.model import Generated
from mockpets.session.change_feed import ChangeFeed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.contract.schemas import Pet
    from mockpets.journal.journal import Journal
    from mockpets.memory_budget import MemoryBudget
    from mockpets.pets.table import Table, TableCache
    from mockpets.scenario.library import Library


@dataclass(frozen=True)
class SharedState:
    """What all sessions of one server share.

    :param library: returns the scenarios as they are now; a reload puts in a new library.
    :param start: the pets a session starts with.
    :param scenarios: those active in a new session.
    :param max_new: pets that requests may add to a store.
    :param journal: makes the journal of a session.
    :param pets: the budget of what sessions do not share.
    :param snapshots: the budget of theirs.
    :param max_delay: seconds that the delays of one answer together are cut to.
    :param max_name: characters that the name of a new pet may have; None for any number.
    :param breaks: whether scenarios may break connections.
    :param documents: whether scenarios may be sent as documents.
    :param changes: what every session hears of.
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
    breaks: bool = True
    documents: bool = True
    changes: ChangeFeed = field(default_factory=ChangeFeed)

    def table(
        self, pets: tuple[Pet, ...] | Generated, seed: int, *, at_once: bool = False
    ) -> Table:
        """Return pets as a table; those that are generated are shared.

        :param seed: what generated pets grow from that name no seed.
        :raise Refusal: ``store_full`` when they are too many.
        :raise NotReady: `at_once`, and many pets have to be made first.
        """
        if not isinstance(pets, Generated):
            return make_table(pets, self.pets)
        own = seed if pets.seed is None else pets.seed
        make = partial(self.tables.make, pets.count, own, pets.locale or self.locale)
        if at_once and pets.count > PETS_AT_ONCE and not self.tables.has(*make.args):
            raise NotReady(make)
        return make()
