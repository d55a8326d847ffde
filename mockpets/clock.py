"""A session's clock: a time that tests choose, frozen or running, in place of the real time.

Times are in milliseconds since 1970, in UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from functools import lru_cache
from time import time_ns
from typing import Final, NamedTuple

MOMENT: Final = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2}))?"
)
"""A date and time (RFC 3339), or a date; also valid in JSON Schema. Does not check the range."""
MOMENT_RULE: Final = "a date and time such as 2030-12-06T09:00:00Z"
REAL: Final = "real"
"""Stands for the real time where None stands for another default."""
LATEST: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Clock(NamedTuple):
    """A clock that was set.

    :param ms: the time at which it stands still; for a running clock, how far it is ahead of the
        real time, which is negative if it is behind.
    """

    ms: int
    frozen: bool

    def now(self) -> int:
        """Return its time."""
        return min(max(self.ms if self.frozen else self.ms + real_time(), 0), LATEST)


class ClockChange(NamedTuple):
    """A change to a clock.

    :param now: its new time, `REAL` for the real time, or None to keep the time.
    :param frozen: whether it stands still; None for as before, and a clock that was not set runs.
    :param advance: how far to move it.
    """

    now: int | str | None = None
    frozen: bool | None = None
    advance: int = 0

    def applied(self, clock: Clock | None) -> Clock | None:
        """Return a changed clock; None stands for a clock that is not set."""
        real, before = real_time(), clock or Clock(0, frozen=False)
        if self.now == REAL:
            return Clock(real, frozen=True) if self.frozen else None
        moment = (0 if before.frozen else real) + before.ms if self.now is None else int(self.now)
        moment = min(moment + self.advance, LATEST)
        is_frozen = before.frozen if self.frozen is None else self.frozen
        return Clock(moment if is_frozen else moment - real, is_frozen)


def real_time() -> int:
    return time_ns() // 1_000_000


def moment(seconds: float) -> str:
    """Return a time in seconds since 1970 as ``2026-11-21T07:00:00.123Z`` (RFC 3339)."""
    return time_text(round(seconds * 1_000_000) // 1000)


def time_text(time: int) -> str:
    """Return a time as `moment` does."""
    return f"{_second_text(time // 1000)}.{time % 1000:03}Z"


@lru_cache(64)  # several records are often made in one second
def _second_text(time: int) -> str:
    return (_EPOCH + timedelta(seconds=time)).isoformat()[:19]


def http_date(time: int) -> str:
    """Return a time as the value of the header ``Date`` (RFC 9110, part 5.6.7)."""
    return formatdate(time // 1000, usegmt=True)


def parse_moment(text: str) -> int:
    """Return a time from a date and time with an offset, or from a date, when it starts in UTC.

    :raise ValueError: it is neither, does not exist, or is before 1970.
    """
    try:
        if re.fullmatch(MOMENT, text):
            parsed = datetime.fromisoformat(text.upper())
            time = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)) - _EPOCH
            if time >= timedelta(0):
                return time // timedelta(milliseconds=1)
    except (ValueError, OverflowError):  # such as 30 February
        pass
    hint = ""
    if re.fullmatch(MOMENT, f"{text}Z"):
        hint = "; add the offset: Z for UTC"
    shown = text if len(text) <= 40 else text[:37] + "..."
    raise ValueError(f"must be {MOMENT_RULE}, from 1970 on, got {shown!r}{hint}")
