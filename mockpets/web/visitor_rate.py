"""A rate for each visitor of a public server, and rates for the networks that IPv6 visitors are in.

An IPv6 customer has not one address or network of 64 bits, but hundreds of them.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from mockpets.constants import PUBLIC_NETWORKS
from mockpets.session.visitors import visitor_names
from mockpets.web.rate_limit import Rate, RateLimit

if TYPE_CHECKING:
    from collections.abc import Callable


class VisitorRate:
    """Limits each visitor, the networks that it is in, and all visitors together.

    A rejected request takes no token, of none of the limits.

    :param together: the rate for all visitors together.
    :param visitor: the rate for each visitor; networks have a multiple of it (`PUBLIC_NETWORKS`).
    :param clock: returns monotonic seconds.
    """

    def __init__(
        self, together: Rate, visitor: Rate, clock: Callable[[], float] = monotonic
    ) -> None:
        multiples = (1, *(network.rates for network in PUBLIC_NETWORKS))
        self._limits = tuple(
            RateLimit(together, Rate(visitor.per_second * each, visitor.burst * each), clock)
            for each in multiples
        )
        """For the visitor itself, then for its networks."""

    def check(self, address: str) -> float:
        """Count a request and return 0, or return the seconds to wait if it is above a limit.

        :param address: the visitor's address.
        """
        seconds = self.wait(address)
        if not seconds:
            for limit, name in zip(self._limits, _names(address), strict=False):
                limit.check(name)
        return seconds

    def wait(self, address: str) -> float:
        """Return the seconds until a request would be allowed, without counting one."""
        pairs = zip(self._limits, _names(address), strict=False)  # IPv4 has only the first
        return max(limit.wait(name) for limit, name in pairs)

    def is_used_up(self) -> bool:
        """Return whether all visitors together are above their rate."""
        return self._limits[0].is_used_up()


def _names(address: str) -> tuple[str, ...]:
    return visitor_names(address, b"")  # no secret: the names stay in memory
