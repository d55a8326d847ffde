"""How often strangers may ask, or guess: token buckets, one for all and one for each visitor.

Pure but for a clock. A bucket is one number, the moment at which it will be full again (the
generic cell rate algorithm of ITU-T I.371): a request moves that moment on, and may not move it
further than the bucket's size into the future.
"""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUNDING: Final = 1e-6
"""Seconds that a bucket of hundreds of tokens may be off, one float added to another."""


class Rate(NamedTuple):
    """How many requests are let through.

    :param a_second: in the long run.
    :param burst: at once, after a rest.
    """

    a_second: float
    burst: int

    def wait(self, full_at: float, now: float) -> float:
        """Return the seconds until a bucket has a token."""
        seconds = full_at - now - (self.burst - 1) / self.a_second
        return seconds if seconds > _ROUNDING else 0.0

    def taken(self, full_at: float, now: float) -> float:
        """Return when a bucket will be full that a token is taken from now."""
        return max(full_at, now) + 1 / self.a_second


class RateLimit:
    """Lets requests through at a rate for all and a rate for each visitor; for several threads.

    What is refused takes no token. So the visitors it has to remember, whose buckets are not full,
    are never more than the rate for all lets through while a visitor's bucket fills, however many
    ask.

    :param clock: seconds, never going back.
    """

    def __init__(
        self, together: Rate, visitor: Rate, clock: Callable[[], float] = monotonic
    ) -> None:
        self._together = together
        self._visitor = visitor
        self._clock = clock
        self._full_at = clock()
        self._visitors: dict[str, float] = {}
        """When the bucket of each will be full; who took a token last is last."""
        self._lock = Lock()

    def __len__(self) -> int:
        """Return how many visitors it remembers."""
        return len(self._visitors)

    def check(self, visitor: str) -> float:
        """Let a request through, or say how many seconds later it would be; 0 lets it through."""
        now = self._clock()
        with self._lock:
            seconds = self._seconds(visitor, now)
            if not seconds:
                self._full_at = self._together.taken(self._full_at, now)
                full_at = self._visitors.pop(visitor, now)
                self._visitors[visitor] = self._visitor.taken(full_at, now)
                self._forget(now)
            return seconds

    def wait(self, visitor: str) -> float:
        """Return the seconds until a request would be let through, without letting one."""
        now = self._clock()
        with self._lock:
            return self._seconds(visitor, now)

    def _seconds(self, visitor: str, now: float) -> float:
        """Return the seconds until there is a token for a visitor; the lock is held."""
        full_at = self._visitors.get(visitor, now)
        return max(self._visitor.wait(full_at, now), self._together.wait(self._full_at, now))

    def _forget(self, now: float) -> None:
        """Forget up to two visitors whose buckets are full: more than one comes with a request."""
        for _ in range(2):
            oldest = next(iter(self._visitors))
            if self._visitors[oldest] > now:
                break
            del self._visitors[oldest]
