"""Snapshots: named copies of a session's pets and records, to restore later."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Final

from mockpets.errors import RequestError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.memory_budget import MemoryBudget
    from mockpets.pets.store import Saved, Store
    from mockpets.session.data import Data, SavedRecords

SNAPSHOTS: Final = 100
"""Maximum number of snapshots in one session."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A named copy of pets and records: how many pets, and the time in seconds since 1970."""

    name: str
    pets: int
    at: float
    saved: Saved
    records: SavedRecords


class Snapshots:
    """The snapshots of one session. Safe to use from several threads."""

    __slots__ = ("_budget", "_by_name", "_changed", "_lock")

    def __init__(self, budget: MemoryBudget, changed: Callable[[], None]) -> None:
        self._budget = budget
        self._changed = changed
        self._by_name: dict[str, Snapshot] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of snapshots."""
        return len(self._by_name)

    def __contains__(self, name: str) -> bool:
        """Return whether a snapshot has this name."""
        return name in self._by_name

    def all(self) -> list[Snapshot]:
        """Return all snapshots, sorted by name."""
        with self._lock:
            return [self._by_name[name] for name in sorted(self._by_name)]

    def keep(self, name: str, store: Store, data: Data) -> Snapshot:
        """Save a copy of pets and records, replacing an earlier one, or raise ``store_full``."""
        saved = store.save(self._budget)
        snapshot = Snapshot(name, saved.total(), time(), saved, data.save(self._budget))
        with self._lock:
            self._check_room(name)
            self._by_name[name] = snapshot
        self._changed()
        return snapshot

    def drop(self, name: str) -> Snapshot:
        """Delete a snapshot and return it, or raise as `get`."""
        snapshot = self.get(name)
        self._by_name.pop(name, None)  # two calls at once may delete it
        self._changed()
        return snapshot

    def put_back(self, snapshot: Snapshot) -> None:
        """Put a deleted snapshot back, unless there is one of its name; or raise as `keep`."""
        with self._lock:
            self._check_room(snapshot.name)
            self._by_name.setdefault(snapshot.name, snapshot)
        self._changed()

    def _check_room(self, name: str) -> None:
        if name not in self and len(self) >= SNAPSHOTS:
            message = f"a session may have at most {SNAPSHOTS} snapshots; delete one"
            raise RequestError("store_full", message)

    def get(self, name: str) -> Snapshot:
        """Return a snapshot, or raise `RequestError` ``not_found``."""
        snapshot = self._by_name.get(name)
        if snapshot is None:
            names = ", ".join(sorted([*self._by_name]))
            hint = f"known: {names}" if names else "the session has no snapshots"
            hint = did_you_mean(name, [*self._by_name]) or hint
            raise RequestError("not_found", f"unknown snapshot {name[:64]!r}; {hint}")
        return snapshot
