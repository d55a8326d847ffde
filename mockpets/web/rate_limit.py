"""A rate limit with token buckets: one for each visitor, and one for all of them together.

A bucket is one number, the time at which it will be full again (the generic cell rate algorithm of
ITU-T I.371). Each request moves that time forward, and is rejected if that would exceed the
bucket's size.
"""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import PUBLIC_BURST

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUNDING: Final = 1e-6
"""The rounding error in seconds after adding hundreds of floats."""


class Rate(NamedTuple):
    """How many requests a bucket allows.

    :param per_second: the sustained rate.
    :param burst: the size of the bucket: requests allowed at once after a pause.
    """

    per_second: float
    burst: int

    def wait(self, full_at: float, now: float) -> float:
        """Return the seconds until a bucket has a token."""
        seconds = full_at - now - (self.burst - 1) / self.per_second
        return seconds if seconds > _ROUNDING else 0.0

    def taken(self, full_at: float, now: float) -> float:
        """Return when a bucket will be full after a token is taken now."""
        return max(full_at, now) + 1 / self.per_second


def visitor_rate(per_second: int) -> Rate:
    """Return the rate of visitors for a number of requests per second."""
    return Rate(per_second, per_second * PUBLIC_BURST)


class RateLimit:
    """Limits requests to a rate for each visitor and a rate for all of them together.

    Safe to use from several threads.
    A rejected request takes no token. Only visitors whose bucket is not full are kept in memory, so
    their number is bounded: by the requests that the rate for all allows while one bucket fills.

    :param together: the rate for all visitors together.
    :param visitor: the rate for each visitor.
    :param clock: returns monotonic seconds.
    """

    def __init__(
        self, together: Rate, visitor: Rate, clock: Callable[[], float] = monotonic
    ) -> None:
        self._together = together
        self._visitor = visitor
        self._clock = clock
        self._full_at = clock()
        self._visitors: dict[str, float] = {}
        """The time at which each visitor's bucket will be full, in order of the last request."""
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of visitors in memory."""
        return len(self._visitors)

    def check(self, visitor: str) -> float:
        """Count a request and return 0, or return the seconds to wait if it is above the limit."""
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
        """Return the seconds until a request would be allowed, without counting one."""
        now = self._clock()
        with self._lock:
            return self._seconds(visitor, now)

    def is_used_up(self) -> bool:
        """Return whether all visitors together are above their rate."""
        now = self._clock()
        with self._lock:
            return self._together.wait(self._full_at, now) > 0

    def _seconds(self, visitor: str, now: float) -> float:
        """Return the seconds until a visitor's request is allowed; the caller holds the lock."""
        full_at = self._visitors.get(visitor, now)
        return max(self._visitor.wait(full_at, now), self._together.wait(self._full_at, now))

    def _forget(self, now: float) -> None:
        """Forget up to two visitors with a full bucket: more than each request can add."""
        for _ in range(2):
            oldest = next(iter(self._visitors))
            if self._visitors[oldest] > now:
                break
            del self._visitors[oldest]
