"""Memory limits that all sessions share, which are parts of `--memory`.

A budget is a counter that rises with what sessions take. Only the deletion of single records lowers
it. Code that frees anything else calls `note_freed`, and at the limit, all that is still held is
counted again. So a table counts once, however many sessions share it.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Protocol

from mockpets.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


class Shared(Protocol):
    """Something that counts once, however many sessions hold it; `size` is in bytes."""

    @property
    def size(self) -> int: ...


class MemoryBudget:
    """A maximum number of bytes. Safe to use from several threads.

    :param what: what uses them, in the plural, such as ``records``; for messages.
    :param setting: the option that sets the limit, for messages; empty if the client cannot set it.
    :param parent: the budget that this one is a part of; what is shared counts only there.
    """

    def __init__(
        self, limit: int, what: str, setting: str = "", parent: MemoryBudget | None = None
    ) -> None:
        self.limit = limit
        self.what = what
        self.setting = setting
        self.count: Callable[[Collection[Shared]], tuple[int, int]] = self._as_taken
        """Returns how many bytes are held, and how many more the argument needs; waits for no lock,
        since callers of `take` hold some."""
        self.make_room: Callable[[], bool] = lambda: False
        """Called when the budget is used up, to free what can go first; returns whether it did."""
        self._parent = parent
        self._used = 0
        self._was_freed = False
        """Whether to count again at the limit: with 5,000 sessions this takes 7 ms, too long for
        each request that a full server rejects."""
        self._lock = Lock()

    def fork(self) -> MemoryBudget:
        """Return a budget with as much in use; what is taken of it does not count here."""
        copy = MemoryBudget(self.limit, self.what, self.setting)
        copy._used, copy._was_freed = self._used, True
        return copy

    @property
    def used(self) -> int:
        """How many bytes are held, counted on each access."""
        return self.count(())[0]

    def _as_taken(self, shared: Collection[Shared]) -> tuple[int, int]:
        return self._used, sum(each.size for each in shared)

    def take(self, size: int, shared: Collection[Shared] = ()) -> None:
        """Reserve bytes, or return some if the size is negative.

        :param shared: what will be held with them, perhaps by others already.
        :raise RequestError: ``store_full`` if fewer are left; nothing is reserved then.
        """
        with self._lock:
            more = size
            if shared and self._parent is None:
                more += sum(each.size for each in shared)
            is_at_limit = more > 0 and self._used + more > self.limit
            if is_at_limit:
                more = self._fit(size, more, shared)
            if self._parent is not None:
                self._parent.take(size, shared)
            self._used += more
            if is_at_limit or more != size:  # what can go first may go, or others took `shared` too
                self._was_freed = True

    def _fit(self, size: int, more: int, shared: Collection[Shared]) -> int:
        """Return how many of the bytes to take are not held yet, or raise as `take`."""
        if self._was_freed or more != size:
            self._was_freed = False  # first, since another thread may free something now
            more = size + self._count(shared)
            if self._used + more > self.limit and self.make_room():
                more = size + self._count(shared)
        if more > 0 and self._used + more > self.limit:
            fix = f", or start the server with a higher {self.setting}" if self.setting else ""
            whose = "one address's sessions" if self._parent else "all sessions"
            raise RequestError(
                "store_full",
                f"the {self.what} of {whose} together may use at most "
                f"{self.limit / 2**20:.6g} MiB; reset or drop sessions, or use fewer or "
                f"smaller {self.what}{fix}",
            )
        return more

    def _count(self, shared: Collection[Shared]) -> int:
        self._used, more = self.count(shared)
        return more

    def note_freed(self) -> None:
        """Note that something may have been freed that does not return its bytes; never waits."""
        self._was_freed = True
        if self._parent is not None:
            self._parent.note_freed()
