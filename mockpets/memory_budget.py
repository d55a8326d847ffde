"""Bytes that all sessions share: what one of them takes, the others cannot.

A leaf beside errors, and safe to use from several threads. A `MemoryBudget` is the bound; a
`Charge` is what one owner has taken of it. An owner that is dropped gives its bytes back without
anyone's help, since its charge goes with it.
"""

from __future__ import annotations

from collections import deque
from threading import Lock

from mockpets.errors import RequestError


class MemoryBudget:
    """So many bytes and no more.

    :param limit: bytes.
    :param what: what takes them, in the plural: ``pets``, ``snapshots``.
    """

    def __init__(self, limit: int, what: str) -> None:
        self.limit = limit
        self.what = what
        self._used = 0
        self._lock = Lock()
        # Bytes given back that are not subtracted yet. A charge may be collected at any moment,
        # also by a thread that holds the lock right now: giving must not wait for it.
        self._given: deque[int] = deque()

    @property
    def used(self) -> int:
        """How many bytes are taken."""
        with self._lock:
            return self._settled()

    def take(self, size: int) -> None:
        """Take so many bytes.

        :raise RequestError: ``store_full`` when fewer are left; none are taken then.
        """
        with self._lock:
            used = self._settled() + size
            if used > self.limit:
                raise RequestError(
                    "store_full",
                    f"the {self.what} of all sessions together may take at most "
                    f"{self.limit / 2**20:.3g} MiB; reset or drop sessions, or use fewer or "
                    f"smaller {self.what}",
                )
            self._used = used

    def give(self, size: int) -> None:
        """Give so many bytes back; never waits."""
        if size:  # else sessions that come and go would pile up nothings until someone takes
            self._given.append(size)

    def _settled(self) -> int:
        """Return how many bytes are taken, now that all given back are subtracted."""
        while self._given:
            self._used -= self._given.popleft()
        return self._used


class Charge:
    """What one owner has taken of a budget, given back when the charge is closed or collected.

    Its owner sees to it that no two threads add at once.

    :param budget: None when nobody counts.
    """

    __slots__ = ("_budget", "size")

    def __init__(self, budget: MemoryBudget | None) -> None:
        self._budget = budget
        self.size = 0
        """Bytes."""

    def add(self, size: int) -> None:
        """Take so many bytes more, or give some back when it is negative.

        :raise RequestError: ``store_full`` when the budget has fewer left; nothing changes then.
        """
        if self._budget is not None and size > 0:
            self._budget.take(size)
        elif self._budget is not None:
            self._budget.give(-size)
        self.size += size

    def close(self) -> None:
        """Give everything back."""
        self.add(-self.size)

    def __del__(self) -> None:
        """Give everything back: the owner is gone."""
        self.close()
