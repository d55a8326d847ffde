"""A server that is open to strangers (``--public``): each has a session, and may ask so often.

Who a visitor is, the client's address says; behind a trusted proxy, the one that the proxy tells.
"""

from __future__ import annotations

import secrets
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING

from mockpets.constants import CONTROL_PREFIX, OPERATIONS, PUBLIC_RATE, PUBLIC_VISITOR_RATE
from mockpets.errors import Refusal
from mockpets.rate import Rate, RateLimit, visitor_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.web.messages import Request

__all__ = ["Strangers"]


class Strangers:
    """The visitors of one server.

    :param clock: seconds, never going back.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._secret = secrets.token_bytes(32)
        self._limit = RateLimit(Rate(*PUBLIC_RATE), Rate(*PUBLIC_VISITOR_RATE), clock)

    def name(self, request: Request) -> str:
        """Return the name of the session that a request's visitor has."""
        return visitor_name(request.remote_addr or "", self._secret)

    def admit(self, request: Request) -> None:
        """Let a request pass, unless its visitor or all of them together ask too often.

        Preflights pass, since a page could not read why they did not, and the control API does,
        which has a token.

        :raise Refusal: ``rate_limited``, with when to ask again.
        """
        if request.method == "OPTIONS" or request.path.startswith(CONTROL_PREFIX):
            return
        seconds = self._limit.check(self.name(request))
        if seconds:
            if request.endpoint in OPERATIONS:  # no view comes to say so
                request.exchange.operation = request.endpoint
            what = f"too many requests; ask again in {ceil(seconds)} s"
            raise Refusal("rate_limited", what, [("Retry-After", str(ceil(seconds)))])
