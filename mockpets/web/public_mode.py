"""Public mode (``--public``): a session and limits for each visitor and its token attempts.

A visitor is identified by the client's address; behind a trusted proxy, by the forwarded address.
"""

from __future__ import annotations

import logging
import secrets
from collections import Counter
from functools import partial
from math import ceil, inf
from time import monotonic
from typing import TYPE_CHECKING, Final

from mockpets.constants import (
    CONNECTIONS,
    HEALTH_PATH,
    OPERATIONS,
    PARKED,
    PUBLIC_ADDRESS_SESSIONS,
    PUBLIC_CREATE_SECONDS,
    PUBLIC_IDLE_SECONDS,
    PUBLIC_NETWORKS,
    PUBLIC_SHARE,
    READY_PATH,
    TOKEN_GUESSES,
)
from mockpets.errors import RequestError
from mockpets.session.visitors import visitor_name, visitor_names
from mockpets.web.rate_limit import Rate, visitor_rate
from mockpets.web.visitor_rate import VisitorRate
from mockpets.wsgi_extension import ON_END, ORDER, SERVER

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mockpets.constants import ErrorCode, ResponseEnd
    from mockpets.settings import Settings
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
_LOG_SECONDS: Final = 60.0
_log: Final = logging.getLogger("mockpets")


class VisitorSessions:
    """Names the sessions of visitors, and limits their rate and their responses in progress.

    :param settings: the rates.
    :param sessions: the maximum number of sessions of all visitors together.
    :param guarded: the endpoints that require the control token.
    :param clock: returns monotonic seconds.
    """

    def __init__(
        self,
        settings: Settings,
        sessions: int,
        guarded: Collection[str] = (),
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._guarded = guarded
        self._sessions = sessions
        self._secret = secrets.token_bytes(32)
        # A page cannot read the error of a preflight, so it has as many of them as requests; and
        # the monitoring of a busy server must not fail because of its visitors.
        self._limits = {
            kind: VisitorRate(
                visitor_rate(settings.public_rate),
                visitor_rate(settings.public_visitor_rate),
                clock,
            )
            for kind in (_REQUESTS, _OPTIONS, _HEALTH)
        }
        share = self._share(PUBLIC_ADDRESS_SESSIONS)
        # One address must not replace the idle sessions of all others, not even over time.
        self._created = VisitorRate(
            Rate(sessions / PUBLIC_IDLE_SECONDS, sessions),
            Rate(share / PUBLIC_CREATE_SECONDS, share),
            clock,
        )
        self._in_progress = Counter[str]()

    def name(self, request: Request) -> str:
        """Return the name of the session of a visitor's address, the default of its requests."""
        return visitor_name(_address(request), self._secret)

    def networks(self, request: Request) -> dict[str, int]:
        """Return a visitor's address and networks, by name, and their maximum of sessions."""
        names = visitor_names(_address(request), self._secret)
        parts = PUBLIC_ADDRESS_SESSIONS, *(network.sessions for network in PUBLIC_NETWORKS)
        return dict(zip(names, map(self._share, parts), strict=False))  # IPv4 has no networks

    def _share(self, part: float) -> int:
        return max(int(self._sessions * part), 1)

    def check_creation(self, request: Request) -> None:
        """Check that a visitor may create one more session with a name of its own.

        :raise RequestError: ``rate_limited``, with the seconds to wait.
        """
        if seconds := self._created.wait(_address(request)):
            raise _too_many(
                "new sessions of one address, above its part of --max-sessions", seconds
            )

    def count_creation(self, request: Request) -> None:
        """Count a session that a visitor has created with a name of its own."""
        self._created.check(_address(request))

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
        limit = self._limits[kind]
        if seconds := limit.check(_address(request)):
            whose, option = "one visitor", "--public-visitor-rate"
            if limit.is_used_up():
                whose, option = "all visitors together", "--public-rate"
            raise _too_many(f"{kind} of {whose}, above {option}", seconds)

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


_VISITOR_MESSAGES: Final[dict[ErrorCode, str]] = {
    "rate_limited": "too many requests at the moment; try again {when}",
    "busy": "too many people use this demo at the moment; try again {when}",
    "store_full": "there is no room for more pets; start again with the original pets, or try "
    "again later",
    "session_dropped": "your changes were removed, because you were away and others needed the "
    "room; try again to start with the original pets",
}
"""What a visitor reads about a limit: what happened and what to do. The log has the limit."""


def for_visitor(error: RequestError) -> RequestError:
    """Return an error with its message for visitors, who are not operators."""
    text = _VISITOR_MESSAGES.get(error.code)
    if text is None:
        if error.for_visitors is None:
            return error
        return RequestError(error.code, error.for_visitors, error.headers, error.details)
    seconds = dict(error.headers).get("Retry-After")
    unit = "second" if seconds == "1" else "seconds"
    when = f"in {seconds} {unit}" if seconds else "later"
    return RequestError(error.code, text.format(when=when), error.headers)


class LimitLog:
    """Logs which limits visitors have reached: each at most once a minute.

    :param clock: returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._logged: dict[str, float] = {}
        """The time at which each limit was logged; there are about ten."""

    def add(self, error: RequestError) -> None:
        """Log an error, unless it is not about a limit or was logged during the last minute."""
        if error.code not in _VISITOR_MESSAGES:
            return
        now, limit = self._clock(), error.message.partition(";")[0]  # without the seconds to wait
        if now - self._logged.get(limit, -inf) < _LOG_SECONDS:
            return
        self._logged[limit] = now
        _log.warning("a limit is reached: %s", error.message)


class TokenAttempts:
    """Limits failed attempts with a wrong control token, for each address and for all together.

    Above a limit, valid tokens are rejected too: those from the same address, or those from every
    address while all together exceed `together`, which also bounds the addresses in memory.

    :param together: the failed attempts per second of all addresses together.
    :param clock: returns monotonic seconds.
    """

    def __init__(self, together: int, clock: Callable[[], float] = monotonic) -> None:
        self._limit = VisitorRate(visitor_rate(together), Rate(*TOKEN_GUESSES), clock)

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
