"""Durations and rates as people write them: ``300ms``, ``2 kB/s``.

A number without a unit is rejected: 5 could mean seconds or milliseconds.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from mockpets.constants import DELAY_SECONDS

_NUMBER: Final = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)"
DURATION: Final = _NUMBER + " ?(ms|s|m)"
"""The pattern of a duration, without its range; a regular expression valid in JSON Schema too."""
RATE: Final = _NUMBER + " ?(B|kB|MB)/s"
"""The pattern of a rate, without its range."""

_SECONDS: Final = {"ms": Decimal("0.001"), "s": Decimal(1), "m": Decimal(60)}
_LONG: Final = {"s": Decimal(1), "m": Decimal(60), "h": Decimal(3600)}
INTERVAL_SECONDS: Final = 7 * 24 * 3600
"""The longest time between two events: a week."""
_BYTES: Final = {"B": Decimal(1), "kB": Decimal(1000), "MB": Decimal(1_000_000)}


def quote(text: str) -> str:
    """Return a text as messages quote it: at most 80 characters, control characters escaped."""
    return repr(text if len(text) <= 80 else text[:77] + "...")


def parse_duration(text: str) -> float:
    """Return a duration in seconds.

    :param text: ``300ms``, ``2s``, ``1.5s``, ``1m``.
    :raise ValueError: it is not a duration, has no unit, or is over `DELAY_SECONDS`.
    """
    seconds = _amount(DURATION, text, _SECONDS)
    if seconds is None:
        unit = ""
        if re.fullmatch(_NUMBER, text):
            # The likelier unit first: no one waits for 300 seconds.
            units = ("ms", "s") if "." not in text and int(text) >= 50 else ("s", "ms")
            unit = f": say the unit, {' or '.join(quote(text + each) for each in units)}"
        raise ValueError(f"must be a duration such as 300ms, 1.5s or 1m, got {quote(text)}{unit}")
    if seconds > DELAY_SECONDS:
        raise ValueError(f"must be a duration of at most {DELAY_SECONDS:g}s, got {quote(text)}")
    return float(seconds)


def parse_interval(text: str) -> float:
    """Return the time between two events in seconds; 0 for never.

    :param text: ``30s``, ``15m``, ``1h``, ``0s``.
    :raise ValueError: it is not such a time, has no unit, or is over a week.
    """
    seconds = _amount(_NUMBER + " ?(s|m|h)", text, _LONG)
    if seconds is None or seconds > INTERVAL_SECONDS:
        raise ValueError(f"must be a time such as 30m or 1h, at most 168h, got {quote(text)}")
    return float(seconds)


def parse_rate(text: str) -> int:
    """Return a rate in bytes a second, a fraction of a byte left out.

    :param text: ``500 B/s``, ``2 kB/s`` (2000), ``1 MB/s``.
    :raise ValueError: it is not a rate, has no unit, or is less than one byte a second.
    """
    rate = _amount(RATE, text, _BYTES)
    if rate is None:
        bare = re.fullmatch(_NUMBER, text)
        unit = f": say the unit, {quote(text + ' B/s')} or {quote(text + ' kB/s')}" if bare else ""
        raise ValueError(f"must be a rate such as 500 B/s or 2 kB/s, got {quote(text)}{unit}")
    if rate < 1:
        raise ValueError(f"must be a rate of at least 1 B/s, got {quote(text)}")
    return int(rate)


def _amount(pattern: str, text: str, units: dict[str, Decimal]) -> Decimal | None:
    """Return a number times its unit, or None when the text is not of the pattern."""
    found = re.fullmatch(pattern, text)
    return Decimal(found[1]) * units[found[2]] if found else None
