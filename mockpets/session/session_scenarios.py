"""The scenarios that only one session has."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mockpets.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.memory_budget import MemoryBudget
    from mockpets.scenario.library import Library
    from mockpets.scenario.scenario_model import Scenario

    Sources = Mapping[str, tuple[Scenario, str]]
    """Scenarios by name, with their source."""

_MEMORY: Final = 2.25
"""Bytes that a scenario takes for each of its source: one of 248 kB takes 550 kB."""


@dataclass(frozen=True, eq=False)
class Documents:
    """The scenarios that a session has in addition to those of files, or in their place.

    :param sent: those that were sent in a request, until others are active.
    :param overrides: those that stay until they are dropped; they take precedence.
    """

    sent: Sources = field(default_factory=dict)
    overrides: Sources = field(default_factory=dict)
    _merged: list[tuple[Library, Library]] = field(default_factory=list, init=False, repr=False)
    """The library of files that was used last, and the same with these scenarios."""

    @cached_property
    def by_name(self) -> Sources:
        return {**self.sent, **self.overrides}

    @cached_property
    def size(self) -> int:
        """What they take of the memory, in bytes."""
        return round(_MEMORY * sum(len(source) for _, source in self.by_name.values()))

    def taken(self, budget: MemoryBudget) -> Documents:
        """Take their memory, or raise ``store_full``; return them."""
        try:
            budget.take(self.size)
        except RequestError as error:
            raise error.copy(f"the scenario does not fit: {error.message}") from error
        return self

    def library(self, files: Library) -> Library:
        """Return a library with these scenarios: the same object until a file changes."""
        for known, merged in self._merged:
            if known is files:
                return merged
        merged = files.plus({name: scenario for name, (scenario, _) in self.by_name.items()})
        self._merged[:] = [(files, merged)]
        return merged

    def without(self, name: str) -> Documents:
        """Return all but the one with a name."""
        sent, overrides = (
            {each: group[each] for each in group if each != name}
            for group in (self.sent, self.overrides)
        )
        return Documents(sent, overrides)


NO_DOCUMENTS: Final = Documents()
