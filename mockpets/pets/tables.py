"""Generated pets, made once for all sessions and scenarios that ask for the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.constants import TABLES
from mockpets.errors import Refusal
from mockpets.pets.store import make_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mockpets.budget import Budget
    from mockpets.contract import Pet
    from mockpets.pets.store import Table

__all__ = ["Tables"]


class Tables:
    """Tables by count, seed and locale. Safe to use from several threads.

    :param generate: returns pets made from count, seed and locale.
    :param budget: what the tables may hold; they are charged to it as long as anyone uses them.
    """

    def __init__(
        self,
        generate: Callable[[int, int, str], Iterable[Pet]],
        budget: Budget | None = None,
    ) -> None:
        self._generate = generate
        self._budget = budget
        self._made: dict[tuple[int, int, str], Table] = {}

    def has(self, count: int, seed: int, locale: str) -> bool:
        """Whether these pets are made already."""
        return (count, seed, locale) in self._made

    def make(self, count: int, seed: int, locale: str) -> Table:
        """Return these pets; asked again soon, the same table.

        :raise Refusal: ``store_full`` when they do not fit into the budget.
        """
        key = count, seed, locale
        table = self._made.get(key)
        if table is None:
            pets = self._generate(*key)
            try:
                table = make_table(pets, self._budget)
            except Refusal:
                self._made = {}  # what no one uses any more makes room
                table = make_table(self._generate(*key), self._budget)
            # A new dict, so that no other thread sees it change; the oldest goes.
            self._made = dict([*self._made.items(), (key, table)][-TABLES:])
        return table
