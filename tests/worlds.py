"""Worlds for tests of sessions, without an app around them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mockpets.budget import Budget
from mockpets.journal import Journals
from mockpets.pets.seed import generate
from mockpets.pets.store import make_table
from mockpets.pets.tables import Tables
from mockpets.scenario.library import Library
from mockpets.world import World

if TYPE_CHECKING:
    from mockpets.scenario.model import Scenario


def world(*scenarios: Scenario, budget: int = 2**20, max_new: int = 10) -> World:
    """A world that knows these scenarios, has no pets and none active."""
    library = Library({one.name: one for one in scenarios}, {}, {})
    pets = Budget(budget, "pets")
    return World(
        library=lambda: library,
        tables=Tables(generate, pets),
        start=make_table([]),
        scenarios=(),
        seed=1,
        max_new=max_new,
        locale="en_US",
        journal=partial(Journals(2**20).new, 100),
        pets=pets,
        snapshots=Budget(budget, "snapshots"),
    )
