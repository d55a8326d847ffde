"""Public mode (``--public``): a session for each visitor, and limits for its requests.

A visitor is identified by the client's address; behind a trusted proxy, by the forwarded address.
"""

from __future__ import annotations

import logging
import secrets
from collections import Counter, defaultdict
from functools import partial
from math import ceil, inf
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import (
    CONNECTIONS,
    HEALTH_PATH,
    PUBLIC_IDLE_SECONDS,
    PUBLIC_SHARE,
    READY_PATH,
    WAITING_RESPONSES,
)
from mockpets.errors import RequestError
from mockpets.session.visitors import visitor_name, visitor_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mockpets.constants import ResponseEnd
    from mockpets.interface import OnEnd
    from mockpets.scenario.library import Library
    from mockpets.settings import Settings
    from mockpets.web.messages import Request

PUBLIC_RATE: Final = 2000
"""Requests per second of all visitors together."""
PUBLIC_ADDRESS_SESSIONS: Final = 1 / 50
"""The part of the sessions that one address can have, and can create in `PUBLIC_CREATE_SECONDS`."""
PUBLIC_CREATE_SECONDS: Final = 600.0
PUBLIC_BURST: Final = 2
"""How many seconds of its rate a visitor, or all together, can use at once."""
TOKEN_GUESSES: Final = (1 / 3, 20)
"""Failed attempts at the control token per second, and in a burst, from one address."""

_NETWORK_SESSIONS: Final = (PUBLIC_ADDRESS_SESSIONS, 1 / 16, 1 / 4)
"""The parts of the sessions that the visitors of each of `visitor_names` have."""
_NETWORK_RATES: Final = (1, 2, 4)
"""The same as multiples of the rate of one visitor."""
_IN_PROGRESS: Final = CONNECTIONS // PUBLIC_SHARE
"""Maximum number of responses in progress for one visitor."""
_WAITING_RESPONSES: Final = WAITING_RESPONSES // PUBLIC_SHARE
"""The same for a response that would be delayed, throttled or held."""
_RETRY_SECONDS: Final = 1.0
"""When to retry a request that is rejected because of responses in progress."""
_REQUESTS: Final = "requests"
_LOG_SECONDS: Final = 60.0
"""The interval in which each limit is logged at most once."""
_log: Final = logging.getLogger("mockpets")


class VisitorSessions:
    """Names the sessions of visitors, and limits their rates and their responses in progress.

    A check that fails raises ``rate_limited``, with the seconds to wait.

    :param sessions: the maximum number of sessions of all visitors together.
    :param guarded: the endpoints that require the control token.
    """

    def __init__(
        self,
        settings: Settings,
        sessions: int,
        library: Callable[[], Library],
        guarded: Collection[str] = (),
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._guarded = guarded
        self._library = library
        self._sessions = sessions
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        together, visitor = _rate(PUBLIC_RATE), _rate(settings.visitor_rate)
        # A page cannot read the error of a preflight, so it has as many of them as requests; and
        # the monitoring of a busy server must not fail because of its visitors.
        new = partial(RateLimit, together, visitor, clock)
        self._limits: dict[str, RateLimit] = defaultdict(new)
        # Above it, valid tokens are rejected too: those of the same address, or all of them.
        self._attempts = RateLimit(together, Rate(*TOKEN_GUESSES), clock)
        share = self._share(PUBLIC_ADDRESS_SESSIONS)
        # One address must not replace the idle sessions of all others, not even over time.
        self._created = RateLimit(
            Rate(sessions / PUBLIC_IDLE_SECONDS, sessions),
            Rate(share / PUBLIC_CREATE_SECONDS, share),
            clock,
        )
        self._in_progress = Counter[str]()
        self._logged: dict[str, float] = {}
        """The time at which each limit was logged; there are about ten."""

    def name(self, request: Request) -> str:
        """Return the name of the session of a visitor's address, the default of its requests."""
        return visitor_name(_address(request), self._secret)

    def networks(self, request: Request) -> dict[str, int]:
        """Return a visitor's address and networks, by name, and their maximum of sessions."""
        names = visitor_names(_address(request), self._secret)
        # IPv4 has no networks.
        return dict(zip(names, map(self._share, _NETWORK_SESSIONS), strict=False))

    def _share(self, part: float) -> int:
        return max(int(self._sessions * part), 1)

    def count_creation(self, request: Request) -> None:
        """Count one more session with a name of its own against the limit of its visitor."""
        seconds = self._created.check(_address(request))
        _reject(seconds, "new sessions of one address, above its part of --max-sessions")

    def admit(self, request: Request) -> None:
        """Count a request against the limits of its visitor, its networks, and all visitors.

        A call that requires the token only counts if its caller has none: `count_rejected`.
        """
        if request.endpoint in self._guarded:
            return
        # No view sets it if the request is rejected.
        known = self._library().contracts.operations
        request.operation = known.get(request.endpoint or "")
        request.session_name = name = self.name(request)
        if self._in_progress[name] >= _IN_PROGRESS:
            _reject(_RETRY_SECONDS, "requests in progress")
        kind = _REQUESTS
        if request.method == "OPTIONS":
            kind = "OPTIONS requests"
        elif request.path in (HEALTH_PATH, READY_PATH):
            kind = "health checks"
        self._check(kind, request)

    def check_attempts(self, request: Request) -> None:
        """Check that an address has not sent too many wrong control tokens."""
        _reject(self._attempts.check(_address(request), counts=False), "wrong control tokens")

    def count_rejected(self, request: Request, *, has_token: bool) -> None:
        """Count a call whose control token is missing or invalid."""
        if has_token:
            self._attempts.check(_address(request))
        self._check(_REQUESTS, request)

    def _check(self, kind: str, request: Request) -> None:
        limit = self._limits[kind]
        if seconds := limit.check(_address(request)):
            whose = "one visitor, above --visitor-rate"
            if limit.is_used_up():
                whose = f"all visitors together, above {PUBLIC_RATE} a second"
            _reject(seconds, f"{kind} of {whose}")

    def check_parked(self, request: Request) -> None:
        """Check that one more response of a visitor may be delayed, throttled or held."""
        if self._in_progress[self.name(request)] >= _WAITING_RESPONSES:
            _reject(_RETRY_SECONDS, "delayed, throttled or held responses")

    def track(self, request: Request, on_end: OnEnd | None) -> OnEnd | None:
        """Count a response as in progress until it has ended, if our server sends it.

        :param on_end: what to call at the end besides; returned if there is no end.
        """
        if request.incoming.server is None:
            return on_end
        name = self.name(request)
        self._in_progress[name] += 1
        return partial(self._end, name, on_end)

    def _end(self, name: str, on_end: OnEnd | None, end: ResponseEnd) -> None:
        self._in_progress[name] -= 1
        if not self._in_progress[name]:
            del self._in_progress[name]
        if on_end is not None:
            on_end(end)

    @property
    def records_word(self) -> str:
        """What records are called: by the name of the collection if there is only one."""
        names = [*self._library().contracts.collections]
        return names[0] if len(names) == 1 else "records"

    def log_limit(self, error: RequestError) -> None:
        """Log an error about a limit, each limit at most once a minute."""
        if error.code not in _VISITOR_MESSAGES:
            return
        now, limit = self._clock(), error.message.partition(";")[0]  # without the seconds to wait
        if now - self._logged.get(limit, -inf) >= _LOG_SECONDS:
            self._logged[limit] = now
            _log.warning("a limit is reached: %s", error.message)


_VISITOR_MESSAGES: Final[dict[str, str]] = {
    "rate_limited": "too many requests at the moment; try again {when}",
    "busy": "too many people use this demo at the moment; try again {when}",
    "store_full": "there is no room for more {records}; start again with the original {records}, "
    "or try again later",
    "session_dropped": "your changes were removed, because you were away and others needed the "
    "room; try again to start with the original {records}",
}
"""What a visitor reads about a limit: what happened and what to do. The log has the limit."""


def for_visitor(error: RequestError, records: str = "records") -> RequestError:
    """Return an error with its message for visitors, who are not operators.

    :param records: what records are called.
    """
    text = _VISITOR_MESSAGES.get(error.code)
    if text is None:
        if error.for_visitors is None:
            return error
        return error.copy(error.for_visitors)
    seconds = dict(error.headers).get("Retry-After")
    unit = "second" if seconds == "1" else "seconds"
    when = f"in {seconds} {unit}" if seconds else "later"
    return error.copy(text.format(when=when, records=records))


def _address(request: Request) -> str:
    return request.remote_addr or ""


def _rate(per_second: int) -> Rate:
    return Rate(per_second, per_second * PUBLIC_BURST)


def _reject(seconds: float, what: str) -> None:
    if seconds:
        wait = str(ceil(seconds))
        message = f"too many {what}; try again in {wait} s"
        raise RequestError("rate_limited", message, [("Retry-After", wait)])


# --- Rates ------------------------------------------------------------------------------------

_ROUNDING: Final = 1e-6
"""The rounding error in seconds after adding hundreds of floats."""


class Rate(NamedTuple):
    """How many requests a token bucket allows: in the long run, and at once after a pause.

    A bucket is one number, the time at which it will be full again (the generic cell rate algorithm
    of ITU-T I.371). Each request moves that time forward, and is rejected if that would exceed the
    bucket's size.
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
    """Limits each visitor, the networks that it is in, and all visitors together.

    An IPv6 customer has hundreds of networks of 64 bits; `_NETWORK_RATES` has the multiples of
    the visitor's rate that the networks around them get.

    Safe to use from several threads. A rejected request takes no token. Only buckets that are not
    full are kept in memory, so their number is bounded: by the requests that the rate for all
    allows while one bucket fills.
    """

    def __init__(
        self, together: Rate, visitor: Rate, clock: Callable[[], float] = monotonic
    ) -> None:
        self._rates = [Rate(visitor.per_second * n, visitor.burst * n) for n in _NETWORK_RATES]
        self._together = together
        self._clock = clock
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
        for _ in range(count):
            oldest = next(iter(self._buckets))
            if self._buckets[oldest] > now:
                break
            del self._buckets[oldest]

    def is_used_up(self) -> bool:
        """Return whether all visitors together are above their rate."""
        return self._together.wait(self._full_at, self._clock()) > 0
