"""Named copies of a session's pets, to go back to."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from time import time
from typing import TYPE_CHECKING

from mockpets.constants import SNAPSHOTS
from mockpets.errors import RequestError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.memory_budget import MemoryBudget
    from mockpets.pets.store import Saved, Store


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A named copy of a session's pets.

    :param at: seconds since 1970.
    """

    name: str
    pets: int
    at: float
    saved: Saved


class Snapshots:
    """Those of one session. Safe to use from several threads.

    :param budget: charged for what they keep.
    :param tell: called after each change.
    """

    __slots__ = ("_budget", "_by_name", "_lock", "_tell")

    def __init__(self, budget: MemoryBudget, tell: Callable[[], None]) -> None:
        self._budget = budget
        self._tell = tell
        self._by_name: dict[str, Snapshot] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._by_name)

    def __contains__(self, name: str) -> bool:
        """Whether there is one of this name."""
        return name in self._by_name

    def all(self) -> list[Snapshot]:
        """Return all, by name."""
        with self._lock:
            return [self._by_name[name] for name in sorted(self._by_name)]

    def keep(self, name: str, store: Store) -> Snapshot:
        """Keep a copy of a store's pets under a name, in place of an earlier one.

        :raise RequestError: ``store_full`` when there are too many, or they hold too much.
        """
        saved = store.save(self._budget)
        snapshot = Snapshot(name, saved.total(), time(), saved)
        with self._lock:
            if name not in self and len(self) >= SNAPSHOTS:
                what = f"a session may have at most {SNAPSHOTS} snapshots; delete one"
                raise RequestError("store_full", what)
            self._by_name[name] = snapshot
        self._tell()
        return snapshot

    def get(self, name: str) -> Snapshot:
        """Return the one of a name.

        :raise RequestError: ``not_found``, with the names there are.
        """
        with self._lock:
            return self._found(name)

    def drop(self, name: str) -> None:
        """Forget the one of a name.

        :raise RequestError: ``not_found``, with the names there are.
        """
        with self._lock:
            self._found(name)
            del self._by_name[name]
        self._tell()

    def _found(self, name: str) -> Snapshot:
        """Return the one of a name; the lock is held."""
        found = self._by_name.get(name)
        if found is None:
            near = did_you_mean(name, self._by_name)
            there = f"there are: {', '.join(sorted(self._by_name)) or 'none'}"
            raise RequestError("not_found", f"there is no snapshot {name[:64]!r}; {near or there}")
        return found
