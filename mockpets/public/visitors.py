"""Visitors, each identified by the client's address: their sessions, rates, shares and messages.

Behind a trusted proxy, the address is the forwarded one.
"""

from __future__ import annotations

import logging
import secrets
from collections import Counter, defaultdict
from functools import partial
from math import ceil, inf
from time import monotonic
from typing import TYPE_CHECKING, Final

from mockpets.addresses import client_of
from mockpets.admission import Admission, Owner
from mockpets.constants import HEALTH_PATH, READY_PATH
from mockpets.errors import RequestError
from mockpets.public import public_limits as numbers
from mockpets.public.rates import Rate, RateLimit
from mockpets.public.visitor_names import is_chosen, name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.constants import ResponseEnd
    from mockpets.interface import OnEnd
    from mockpets.limits import Limits

_RETRY_SECONDS: Final = 1.0
"""When to retry a request that is rejected because of responses in progress."""
_REQUESTS: Final = "requests"
_LOG_SECONDS: Final = 60.0
"""The interval in which each limit is logged at most once."""
_log: Final = logging.getLogger("mockpets")


class Visitors(Admission):
    """Limits visitors, and gives each a session.

    :param limits: of all visitors together.
    :param rate: requests per second of one visitor.
    :param records_word: returns what messages call records, such as ``pets``.
    """

    has_sessions = True

    def __init__(
        self,
        limits: Limits,
        rate: int,
        records_word: Callable[[], str],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._limits, self._records_word, self._clock = limits, records_word, clock
        self._sessions = max(limits.sessions // numbers.SESSION_PART, 1)
        """The maximum number of sessions of one address."""
        self._secret = secrets.token_bytes(32)
        together, each = (Rate(one, one * numbers.BURST) for one in (numbers.RATE, rate))
        # A page cannot read the error of a preflight, so it has as many of them as requests; and
        # the monitoring of a busy server must not fail because of its visitors.
        new = partial(RateLimit, together, each, clock)
        self._rates: dict[str, RateLimit] = defaultdict(new)
        self._attempts = RateLimit(together, Rate(*numbers.TOKEN_ATTEMPTS), clock)
        # One address must not replace the idle sessions of all others, not even over time.
        self._created = RateLimit(
            Rate(limits.sessions / limits.idle_seconds, limits.sessions),
            Rate(self._sessions / numbers.CREATE_SECONDS, self._sessions),
            clock,
        )
        self._in_progress = Counter[str]()
        self._logged: dict[str, float] = {}
        """The time at which each limit was logged; there are about ten."""

    def admit(self, address: str, method: str, path: str) -> None:
        """Count a request against the limits of its visitor and of all."""
        if self._in_progress[client_of(address)] >= numbers.IN_PROGRESS:
            _reject(_RETRY_SECONDS, "requests in progress")
        kind = _REQUESTS
        if method == "OPTIONS":
            kind = "OPTIONS requests"
        elif path in (HEALTH_PATH, READY_PATH):
            kind = "health checks"
        self._check_rate(kind, address)

    def _check_rate(self, kind: str, address: str) -> None:
        rate = self._rates[kind]
        if seconds := rate.check(address):
            whose = "one visitor, above --visitor-rate"
            if rate.is_used_up():
                whose = f"all visitors together, above {numbers.RATE} a second"
            _reject(seconds, f"{kind} of {whose}")

    def session(self, address: str, named: str | None) -> str:
        """Return the session of the address, or the chosen one that the request names."""
        own = name_of(address, self._secret)
        if named is None or named == own or is_chosen(named):
            return named or own
        message = (
            f"visitors cannot use the session {named!r}; remove the name from the request, or let "
            "your page make one: 'v-' and 32 random hexadecimal digits"
        )
        raise RequestError("invalid_session", message)

    def owner(self, address: str, session: str) -> Owner:
        """Return the visitor; count the session if its name is chosen."""
        if is_chosen(session):
            seconds = self._created.check(address)
            _reject(seconds, "new sessions of one address, above its part of --max-sessions")
        memory = self._limits.record_memory // numbers.MEMORY_PART
        return Owner(client_of(address), self._sessions, memory)

    def check_parked(self, address: str) -> None:
        """Check that one more response of a visitor may be delayed, throttled or held."""
        if self._in_progress[client_of(address)] >= numbers.PARKED:
            _reject(_RETRY_SECONDS, "delayed, throttled or held responses")

    def track(self, address: str, on_end: OnEnd | None) -> OnEnd:
        """Count a response as in progress until it has ended."""
        visitor = client_of(address)
        self._in_progress[visitor] += 1
        return partial(self._end, visitor, on_end)

    def _end(self, visitor: str, on_end: OnEnd | None, end: ResponseEnd) -> None:
        self._in_progress[visitor] -= 1
        if not self._in_progress[visitor]:
            del self._in_progress[visitor]
        if on_end is not None:
            on_end(end)

    def check_token(self, address: str, *, is_valid: bool | None) -> None:
        """Count a wrong control token, and a request without a valid one."""
        if is_valid is not None:
            # Valid ones are rejected too, otherwise the attempts could continue.
            _reject(self._attempts.check(address, counts=not is_valid), "wrong control tokens")
        if not is_valid:
            self._check_rate(_REQUESTS, address)

    def reword(self, error: RequestError) -> RequestError:
        """Return an error with its message for visitors, who are not operators; log a limit."""
        text = _MESSAGES.get(error.code)
        if text is None:
            short = error.without_advice
            return error if short is None else error.copy(short)
        now, limit = self._clock(), error.message.partition(";")[0]  # without the seconds to wait
        if now - self._logged.get(limit, -inf) >= _LOG_SECONDS:
            self._logged[limit] = now
            _log.warning("a limit is reached: %s", error.message)
        seconds = dict(error.headers).get("Retry-After")
        unit = "second" if seconds == "1" else "seconds"
        when = f"in {seconds} {unit}" if seconds else "later"
        return error.copy(text.format(when=when, records=self._records_word()))


_MESSAGES: Final[dict[str, str]] = {
    "rate_limited": "too many requests at the moment; try again {when}",
    "busy": "too many people use this demo at the moment; try again {when}",
    "store_full": "there is no room for more {records}; start again with the original {records}, "
    "or try again later",
    "session_dropped": "your changes were removed, because you were away and others needed the "
    "room; try again to start with the original {records}",
}
"""What a visitor reads about a limit: what happened and what to do. The log has the limit."""


def _reject(seconds: float, what: str) -> None:
    if seconds:
        wait = str(ceil(seconds))
        message = f"too many {what}; try again in {wait} s"
        raise RequestError("rate_limited", message, [("Retry-After", wait)])
