"""A rate limit with token buckets: for each visitor, its networks, and all visitors together.

A bucket is one number, the time at which it will be full again (the generic cell rate algorithm of
ITU-T I.371). Each request moves that time forward, and is rejected if that would exceed the
bucket's size.
"""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import PUBLIC_NETWORKS
from mockpets.session.visitors import visitor_names

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUNDING: Final = 1e-6
"""The rounding error in seconds after adding hundreds of floats."""


class Rate(NamedTuple):
    """How many requests a bucket allows: in the long run, and at once after a pause."""

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
    """Limits each visitor, the networks that it is in, and all visitors together.

    An IPv6 customer has hundreds of networks of 64 bits; `PUBLIC_NETWORKS` has the multiples of
    the visitor's rate that the networks around them get.

    Safe to use from several threads. A rejected request takes no token. Only buckets that are not
    full are kept in memory, so their number is bounded: by the requests that the rate for all
    allows while one bucket fills.
    """

    def __init__(
        self, together: Rate, visitor: Rate, clock: Callable[[], float] = monotonic
    ) -> None:
        multiples = (1, *(network.rates for network in PUBLIC_NETWORKS))
        self._rates = [Rate(visitor.per_second * n, visitor.burst * n) for n in multiples]
        self._together = together
        self._clock = clock
        self._full_at = clock()
        self._buckets: dict[str, float] = {}
        """When each bucket will be full, in order of the last request."""
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of buckets in memory."""
        return len(self._buckets)

    def check(self, address: str) -> float:
        """Count a request and return 0, or return the seconds to wait if it is above a limit."""
        return self._wait(address, counts=True)

    def wait(self, address: str) -> float:
        """Return the seconds until a request would be allowed, without counting one."""
        return self._wait(address, counts=False)

    def _wait(self, address: str, *, counts: bool) -> float:
        names = visitor_names(address, b"")  # no secret: the names stay in memory
        rates = [*zip(names, self._rates, strict=False)]  # IPv4 has no networks
        now = self._clock()
        with self._lock:
            seconds = [rate.wait(self._buckets.get(name, now), now) for name, rate in rates]
            wait = max(self._together.wait(self._full_at, now), *seconds)
            if counts and not wait:
                self._full_at = self._together.taken(self._full_at, now)
                for name, rate in rates:
                    self._buckets[name] = rate.taken(self._buckets.pop(name, now), now)
                self._forget(2 * len(rates), now)  # more than each request can add
            return wait

    def _forget(self, count: int, now: float) -> None:
        """Forget some full buckets."""
        for _ in range(count):
            oldest = next(iter(self._buckets))
            if self._buckets[oldest] > now:
                break
            del self._buckets[oldest]

    def is_used_up(self) -> bool:
        """Return whether all visitors together are above their rate."""
        return self._together.wait(self._full_at, self._clock()) > 0
