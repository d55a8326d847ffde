"""Public mode (``--public``): a session and limits for each visitor and its token attempts.

A visitor is identified by the client's address; behind a trusted proxy, by the forwarded address.
"""

from __future__ import annotations

import secrets
from collections import Counter
from functools import partial
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Final

from mockpets.constants import (
    CONNECTIONS,
    HEALTH_PATH,
    OPERATIONS,
    PARKED,
    PUBLIC_NETWORKS,
    PUBLIC_SHARE,
    PUBLIC_VISITOR_RATE,
    READY_PATH,
    TOKEN_GUESSES,
)
from mockpets.errors import RequestError
from mockpets.session.visitors import visitor_name, visitor_names
from mockpets.web.rate_limit import Rate
from mockpets.web.visitor_rate import VisitorRate
from mockpets.wsgi_extension import ON_END, ORDER, SERVER

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mockpets.constants import ResponseEnd
    from mockpets.web.exchange import Request
    from mockpets.wsgi_extension import DeliveryOrder, OnEnd

_IN_PROGRESS: Final = CONNECTIONS // PUBLIC_SHARE
"""Maximum number of responses in progress for one visitor."""
_PARKED: Final = PARKED // PUBLIC_SHARE
"""The same for a response that would be delayed, throttled or held."""
_RETRY_SECONDS: Final = 1.0
"""When to retry a request that is rejected because of responses in progress."""
_REQUESTS: Final = "requests"
_OPTIONS: Final = "OPTIONS requests"
_HEALTH: Final = "health checks"


class VisitorSessions:
    """Names the sessions of visitors, and limits their rate and their responses in progress.

    :param guarded: the endpoints that require the control token.
    :param clock: returns monotonic seconds.
    """

    def __init__(
        self, guarded: Collection[str] = (), clock: Callable[[], float] = monotonic
    ) -> None:
        self._guarded = guarded
        self._secret = secrets.token_bytes(32)
        # A page cannot read the error of a preflight, so it has as many of them as requests; and
        # the monitoring of a busy server must not fail because of its visitors.
        self._limits = {
            kind: VisitorRate(Rate(*PUBLIC_VISITOR_RATE), clock)
            for kind in (_REQUESTS, _OPTIONS, _HEALTH)
        }
        self._in_progress = Counter[str]()

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
        """Count a request against the limits of its visitor, its networks, and all visitors.

        A call that requires the token only counts if its caller has none: `count_rejected`.

        :raise RequestError: ``rate_limited``, with the seconds to wait.
        """
        if request.endpoint in self._guarded:
            return
        if request.endpoint in OPERATIONS:  # no view sets it if the request is rejected
            request.exchange.operation = request.endpoint
        request.exchange.name = name = self.name(request)
        if self._in_progress[name] >= _IN_PROGRESS:
            raise _too_many("requests in progress", _RETRY_SECONDS)
        kind = _REQUESTS
        if request.method == "OPTIONS":
            kind = _OPTIONS
        elif request.path in (HEALTH_PATH, READY_PATH):
            kind = _HEALTH
        self._check(kind, request)

    def count_rejected(self, request: Request) -> None:
        """Count a call whose control token is missing or invalid.

        :raise RequestError: ``rate_limited``, with the seconds to wait.
        """
        self._check(_REQUESTS, request)

    def _check(self, kind: str, request: Request) -> None:
        if seconds := self._limits[kind].check(_address(request)):
            raise _too_many(kind, seconds)

    def check_parked(self, request: Request) -> None:
        """Check that one more response of a request's visitor may be delayed, throttled or held.

        :raise RequestError: ``rate_limited``.
        """
        if self._in_progress[self.name(request)] >= _PARKED:
            raise _too_many("delayed, throttled or held responses", _RETRY_SECONDS)

    def track(self, request: Request) -> None:
        """Count a response as in progress until it has ended, if our server sends it."""
        environ = request.environ
        order: DeliveryOrder | None = environ.get(ORDER)
        if SERVER not in environ or (order is not None and order.retry):
            return  # it has no end, and only the owner's calls are retried
        name = self.name(request)
        self._in_progress[name] += 1
        environ[ON_END] = partial(self._end, name, environ.get(ON_END))

    def _end(self, name: str, on_end: OnEnd | None, end: ResponseEnd) -> None:
        self._in_progress[name] -= 1
        if not self._in_progress[name]:
            del self._in_progress[name]
        if on_end is not None:
            on_end(end)


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
