"""Memory limits that all sessions share, which are parts of `--memory`.

Safe to use from several threads. A `MemoryBudget` is the limit, and a `Charge` counts what one
owner uses of it. When an owner is garbage-collected, its charge returns the bytes.
"""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import TYPE_CHECKING

from mockpets.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable


class MemoryBudget:
    """A maximum number of bytes.

    :param what: what uses them, in the plural, such as ``records``; for messages.
    :param setting: the option that sets the limit, for messages; empty if the client cannot set it.
    :param parent: the budget that this one is a part of.
    """

    def __init__(
        self, limit: int, what: str, setting: str = "", parent: MemoryBudget | None = None
    ) -> None:
        self.limit = limit
        self.what = what
        self.setting = setting
        self.make_room: Callable[[], object] = lambda: None
        """Called when the budget is used up, to give back what can go first."""
        self._parent = parent
        self._used = 0
        self._lock = Lock()
        # Returned bytes that are not subtracted yet. A charge may be garbage-collected at any time,
        # even on the thread that holds the lock: `give` must not wait for the lock.
        self._returned: deque[int] = deque()

    def fork(self) -> MemoryBudget:
        """Return a budget with as much in use; what it is charged does not count against this."""
        copy = MemoryBudget(self.limit, self.what, self.setting)
        copy._used = self.used
        return copy

    @property
    def used(self) -> int:
        """Return how many bytes are in use."""
        with self._lock:
            return self._settle()

    def take(self, size: int) -> None:
        """Reserve bytes.

        :raise RequestError: ``store_full`` if fewer are left; nothing is reserved then.
        """
        with self._lock:
            used = self._settle() + size
            if used > self.limit:
                self.make_room()
                used = self._settle() + size
            if used > self.limit:
                fix = f", or start the server with a higher {self.setting}" if self.setting else ""
                whose = "one address's sessions" if self._parent else "all sessions"
                raise RequestError(
                    "store_full",
                    f"the {self.what} of {whose} together may use at most "
                    f"{self.limit / 2**20:.6g} MiB; reset or drop sessions, or use fewer or "
                    f"smaller {self.what}{fix}",
                )
            if self._parent is not None:
                self._parent.take(size)
            self._used = used

    def give(self, size: int) -> None:
        """Return bytes to the budget; never waits."""
        if size:  # else empty sessions would fill the queue with zeros until the next `take`
            self._returned.append(size)
            if self._parent is not None:
                self._parent.give(size)

    def _settle(self) -> int:
        """Subtract the returned bytes; return how many are in use."""
        while self._returned:
            self._used -= self._returned.popleft()
        return self._used


class Charge:
    """The bytes that one owner uses, returned when the charge is closed or garbage-collected.

    The owner must not call `add` from two threads at the same time.

    :param budget: None for no limit.
    """

    __slots__ = ("_budget", "size")

    def __init__(self, budget: MemoryBudget | None) -> None:
        self._budget = budget
        self.size = 0

    def add(self, size: int) -> None:
        """Reserve more bytes, or return some if the size is negative.

        :raise RequestError: ``store_full`` if the budget has fewer left; nothing changes then.
        """
        if self._budget is not None and size > 0:
            self._budget.take(size)
        elif self._budget is not None:
            self._budget.give(-size)
        self.size += size

    def close(self) -> None:
        """Return all bytes to the budget."""
        self.add(-self.size)

    __del__ = close
