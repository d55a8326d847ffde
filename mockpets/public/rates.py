"""Rates of requests: a token bucket for each address, and one for all."""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.addresses import client_of

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUNDING: Final = 1e-6
"""The rounding error in seconds after adding hundreds of floats."""


class Rate(NamedTuple):
    """How many requests a token bucket allows: in the long run, and at once after a pause.

    A bucket is one number, the time at which it will be full again. Each request moves that time
    forward, and is rejected if that would exceed the bucket's size.
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


class RateLimit:
    """Limits each address, and all together. Safe to use from several threads.

    A rejected request takes no token. Only buckets that are not full are kept in memory, so their
    number is bounded: by the requests that the rate for all allows while one bucket fills.
    """

    def __init__(self, together: Rate, each: Rate, clock: Callable[[], float] = monotonic) -> None:
        self._together, self._each, self._clock = together, each, clock
        self._full_at = clock()
        self._buckets: dict[str, float] = {}
        """When each bucket will be full, in order of the last request."""
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of buckets in memory."""
        return len(self._buckets)

    def check(self, address: str, *, counts: bool = True) -> float:
        """Return 0 for a request that is allowed, else the seconds to wait.

        :param counts: whether to count it, if it is allowed.
        """
        client, now = client_of(address), self._clock()
        with self._lock:
            full_at = self._buckets.get(client, now)
            wait = max(self._together.wait(self._full_at, now), self._each.wait(full_at, now))
            if counts and not wait:
                self._full_at = self._together.taken(self._full_at, now)
                self._buckets.pop(client, None)
                self._buckets[client] = self._each.taken(full_at, now)
                self._forget(now)
            return wait

    def _forget(self, now: float) -> None:
        """Forget full buckets: two, which is more than each request can add."""
        for _ in range(2):
            oldest = next(iter(self._buckets))
            if self._buckets[oldest] > now:
                break
            del self._buckets[oldest]

    def is_used_up(self) -> bool:
        """Return whether all together are above their rate."""
        return self._together.wait(self._full_at, self._clock()) > 0
