"""Parse integers, and durations, rates and sizes such as ``300ms``, ``2 kB/s`` and ``64MiB``.

An amount without a unit is rejected: 5 could mean seconds or milliseconds.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mockpets.constants import (
    DELAY_SECONDS,
    EXPRESSION,
    EXPRESSION_LENGTH,
    INT64_MAX,
    INT64_MIN,
    NAME_LENGTH,
    SCENARIO_NAME,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from decimal import Decimal

_NUMBER: Final = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)"
DURATION: Final = _NUMBER + " ?(ms|s|m|h|d)"
RATE: Final = _NUMBER + " ?(B|kB|MB)/s"
"""Regular expressions, also valid in JSON Schema; they do not check the range."""

_SECONDS: Final = {"ms": "0.001", "s": "1", "m": "60", "h": "3600", "d": "86400"}
_BYTES: Final = {"B": "1", "kB": "1000", "MB": "1000000"}
_INT64_DIGITS: Final = len(str(INT64_MAX))
_SIZES: Final = {"KiB": str(2**10), "MiB": str(2**20), "GiB": str(2**30)}


def quote(text: str) -> str:
    """Return a text in quotes for a message: at most 80 characters, control characters escaped."""
    return repr(text if len(text) <= 80 else text[:77] + "...")


def got(value: object) -> str:
    """Return ``got`` and the value, shortened."""
    shown = str(value).lower() if isinstance(value, bool) else repr(value)
    return f"got {shown if len(shown) <= 60 else shown[:57] + '...'}"


def dotted(path: Iterable[str | int]) -> str:
    """Return a path as messages show it: ``stubs.2.reply.status``, positions from 1."""
    return ".".join(
        str(step) if isinstance(step, int) or re.fullmatch(r"[\w$-]{1,80}", step) else quote(step)
        for step in path
    )


def hyphenated(text: str) -> str:
    """Return a text as file names have it: ``create-article-422`` for ``CreateArticle-422``."""
    words = re.sub("([a-z0-9])([A-Z])", r"\1-\2", text)
    return re.sub("[^a-z0-9]+", "-", words.lower()).strip("-")


def counted(number: int, noun: str) -> str:
    """Return ``1 request`` or ``2 requests``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def either(words: Iterable[str], conjunction: str = "or") -> str:
    """Return ``a, b or c``."""
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def shortened(words: Iterable[str], conjunction: str = "or", most: int = 12) -> str:
    """Return what `either` does; of more words, the first ones and the number of the others."""
    known = [*dict.fromkeys(words)]
    if len(known) <= most:
        return either(known, conjunction)
    return f"{', '.join(known[:most])} {conjunction} {len(known) - most} more"


def switch(text: str) -> bool:
    """Return true or false, from a common spelling."""
    word = text.lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0"):
        return False
    raise ValueError(f"must be true or false, {got(text)}")


@lru_cache(64)  # a change reads the key of its record three times
def parse_int64(text: str) -> int | None:
    """Return a text, such as a path segment, as an int64; None if it is not one.

    Unlike `parse_integer`, it allows no leading zeros: a record has one path.
    """
    digits = text[1:] if text[:1] == "-" else text
    # A regular expression would take longer, and every request for a record comes here.
    if not digits.isdigit() or not digits.isascii() or len(digits) > _INT64_DIGITS:
        return None
    if digits[0] == "0" and digits != "0":
        return None
    number = int(text)
    return number if INT64_MIN <= number <= INT64_MAX else None


def parse_name(text: str) -> str:
    """Return the name of a scenario or fixture, or raise ValueError."""
    if re.fullmatch(SCENARIO_NAME, text) and len(text) <= NAME_LENGTH:
        return text
    form = f"kebab-case (a-z, 0-9, single hyphens; at most {NAME_LENGTH} characters)"
    raise ValueError(f"must be in {form}, got {quote(text)}")


def is_expression(name: str) -> bool:
    """Return whether a name is ``OPERATION:STATE``; those of scenario files have no colon."""
    return ":" in name


def is_valid_expression(name: str) -> bool:
    """Return whether an expression has the form that `EXPRESSION_RULE` names."""
    return len(name) <= EXPRESSION_LENGTH and re.fullmatch(EXPRESSION, name) is not None


def parse_duration(text: str, longest: float = DELAY_SECONDS) -> float:
    """Return a duration in seconds.

    :param text: ``300ms``, ``2s``, ``1.5m``, ``1h``, ``30d``; at most `longest` seconds.
    :raise ValueError: it is not a duration, has no unit, or is too long.
    """
    seconds = _amount(DURATION, text, _SECONDS)
    is_long = longest >= int(_SECONDS["h"])
    if seconds is None:
        unit = ""
        if re.fullmatch(_NUMBER, text):
            # The likelier unit first: 300 seconds would be a very long delay.
            units = ("ms", "s") if "." not in text and int(text) >= 50 else ("s", "ms")
            unit = f"; add a unit: {' or '.join(quote(text + name) for name in units)}"
        example = "30s, 90m or 1h" if is_long else "300ms, 1.5s or 1m"
        raise ValueError(f"must be a duration such as {example}, got {quote(text)}{unit}")
    if seconds > longest:
        limit = f"{longest / int(_SECONDS['h']):g}h" if is_long else f"{longest:g}s"
        raise ValueError(f"must be a duration of at most {limit}, got {quote(text)}")
    return float(seconds)


def parse_integer(text: str, low: int, high: int, digits: int = 19) -> int | None:
    """Return the integer in an inclusive range that a text is, or None.

    :param digits: the most, also of leading zeros; int() rejects thousands of them.
    """
    # Only ASCII digits: int() also accepts `٣` and `1_0`.
    number = int(text) if re.fullmatch(f"-?[0-9]{{1,{digits}}}", text) else None
    return number if number is not None and low <= number <= high else None


def parse_rate(text: str) -> int:
    """Return a rate in bytes per second, rounded down.

    :param text: ``500 B/s``, ``2 kB/s`` (2000), ``1 MB/s``.
    :raise ValueError: it is not a rate, has no unit, or is less than one byte per second.
    """
    rate = _amount(RATE, text, _BYTES)
    if rate is None:
        number = re.fullmatch(_NUMBER, text)
        unit = f"; add a unit: {quote(text + ' B/s')} or {quote(text + ' kB/s')}" if number else ""
        raise ValueError(f"must be a rate such as 500 B/s or 2 kB/s, got {quote(text)}{unit}")
    if rate < 1:
        raise ValueError(f"must be a rate of at least 1 B/s, got {quote(text)}")
    return int(rate)


def parse_size(text: str) -> int:
    """Return a size in bytes, rounded down.

    :param text: ``512KiB``, ``64MiB``, ``1.5GiB``.
    :raise ValueError: it is not a size, or has no unit.
    """
    size = _amount(_NUMBER + " ?(KiB|MiB|GiB)", text, _SIZES)
    if size is not None:
        return int(size)
    raise ValueError(f"must be a size such as 64MiB or 1GiB, got {quote(text)}")


def size_text(size: float) -> str:
    """Return a size in bytes as text that `parse_size` reads, such as ``64MiB``."""
    unit = "GiB" if size >= 2**30 else "MiB"
    return f"{size / int(_SIZES[unit]):.3g}{unit}"


def _amount(pattern: str, text: str, units: Mapping[str, str]) -> Decimal | None:
    from decimal import Decimal  # slow to import, and most commands parse no amount

    match = re.fullmatch(pattern, text)
    return Decimal(match[1]) * Decimal(units[match[2]]) if match else None
