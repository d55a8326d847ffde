"""Strangers: with ``--public`` each has a session, and may ask so often; none may guess for long.

Who a visitor is, the client's address says; behind a trusted proxy, the one that the proxy tells.
"""

from __future__ import annotations

import secrets
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING

from mockpets.constants import (
    CONTROL_PREFIX,
    OPERATIONS,
    PUBLIC_RATE,
    PUBLIC_VISITOR_RATE,
    TOKEN_GUESSES,
)
from mockpets.errors import RequestError
from mockpets.session.visitors import visitor_name
from mockpets.web.rate_limit import Rate, RateLimit

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.web.exchange import Request


class VisitorSessions:
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

        :raise RequestError: ``rate_limited``, with when to ask again.
        """
        if request.method == "OPTIONS" or request.path.startswith(CONTROL_PREFIX):
            return
        seconds = self._limit.check(self.name(request))
        if seconds:
            if request.endpoint in OPERATIONS:  # no view comes to say so
                request.exchange.operation = request.endpoint
            raise _too_many("requests", seconds)


class TokenAttempts:
    """Wrong control tokens: an address may send so many, and none is looked at beyond.

    While one guesses on, a right token from the same address may not get in, nor one from any while
    all together guess more than `PUBLIC_RATE`, which bounds how many addresses are remembered.

    :param clock: seconds, never going back.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._limit = RateLimit(Rate(*PUBLIC_RATE), Rate(*TOKEN_GUESSES), clock)

    def admit(self, request: Request) -> None:
        """Let a request pass whose token may be looked at.

        :raise RequestError: ``rate_limited``, with when to ask again.
        """
        if seconds := self._limit.wait(_who(request)):
            raise _too_many("wrong control tokens", seconds)

    def count(self, request: Request) -> None:
        """Count a token that is wrong."""
        self._limit.check(_who(request))


def _who(request: Request) -> str:
    return visitor_name(request.remote_addr or "", b"")  # told to no one


def _too_many(what: str, seconds: float) -> RequestError:
    """Return the refusal of who has to wait for so long."""
    wait = str(ceil(seconds))
    message = f"too many {what}; ask again in {wait} s"
    return RequestError("rate_limited", message, [("Retry-After", wait)])
