"""Public mode (``--public``): a session and a rate limit for each visitor and its token attempts.

A visitor is identified by the client's address; behind a trusted proxy, by the forwarded address.
"""

from __future__ import annotations

import secrets
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING

from mockpets.constants import (
    CONTROL_PREFIX,
    OPERATIONS,
    PUBLIC_NETWORKS,
    PUBLIC_VISITOR_RATE,
    TOKEN_GUESSES,
)
from mockpets.errors import RequestError
from mockpets.session.visitors import visitor_name, visitor_names
from mockpets.web.rate_limit import Rate
from mockpets.web.visitor_rate import VisitorRate

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.web.exchange import Request


class VisitorSessions:
    """Names the sessions of visitors and limits their rate.

    :param clock: returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._secret = secrets.token_bytes(32)
        self._limit = VisitorRate(Rate(*PUBLIC_VISITOR_RATE), clock)

    def name(self, request: Request) -> str:
        """Return the name of the session of a request's visitor."""
        return visitor_name(_address(request), self._secret)

    def networks(self, request: Request, sessions: int) -> dict[str, int]:
        """Return the networks that a request's visitor is in, and their maximum of sessions.

        :param sessions: the maximum number of sessions of all visitors together.
        """
        _, *names = visitor_names(_address(request), self._secret)
        shares = (max(int(sessions * network.sessions), 1) for network in PUBLIC_NETWORKS)
        return dict(zip(names, shares, strict=False))  # IPv4 has none

    def admit(self, request: Request) -> None:
        """Count a request against the rates of its visitor, its networks and all visitors together.

        Preflights are not limited, because a page cannot read the error; nor is the control API,
        which requires a token.

        :raise RequestError: ``rate_limited``, with the seconds to wait.
        """
        if request.method == "OPTIONS" or request.path.startswith(CONTROL_PREFIX):
            return
        seconds = self._limit.check(_address(request))
        if seconds:
            if request.endpoint in OPERATIONS:  # no view runs that would set it
                request.exchange.operation = request.endpoint
            raise _too_many("requests", seconds)


class TokenAttempts:
    """Limits failed attempts with a wrong control token, for each address and for all together.

    Above a limit, valid tokens are rejected too: those from the same address, or those from every
    address while all together exceed `PUBLIC_RATE`, which also bounds the addresses in memory.

    :param clock: returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._limit = VisitorRate(Rate(*TOKEN_GUESSES), clock)

    def admit(self, request: Request) -> None:
        """Check that a request's address has attempts left, without counting one.

        :raise RequestError: ``rate_limited``, with the seconds to wait.
        """
        if seconds := self._limit.wait(_address(request)):
            raise _too_many("wrong control tokens", seconds)

    def count(self, request: Request) -> None:
        """Count a failed attempt."""
        self._limit.check(_address(request))


def _address(request: Request) -> str:
    return request.remote_addr or ""


def _too_many(what: str, seconds: float) -> RequestError:
    """Return the error for a client that must wait some seconds."""
    wait = str(ceil(seconds))
    message = f"too many {what}; try again in {wait} s"
    return RequestError("rate_limited", message, [("Retry-After", wait)])
