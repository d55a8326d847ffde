"""Regular expressions and formats of JSON Schema: which of them hold for a text.

A `pattern` is a regular expression of ECMAScript. Python cannot read some of them, and others, such
as ``(a+)+$``, take it exponential time. Those are not enforced: see `matcher`.
"""

from __future__ import annotations

import re
import warnings
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONGEST: Final = 2000
"""Maximum length of a pattern, and of a text that is compared with one, in characters."""
_STEPS: Final = 3 * 10**8
"""Maximum number of ways to compare a text with a pattern, which take at most about a second."""
_FEW: Final = 32
"""A repeat that can have at most this many lengths costs little."""
_TOKEN: Final = re.compile(
    r"""
    (?P<escape>\\.)
    | (?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])
    | (?P<look>\(\?<?[=!])
    | (?P<open>\((?:\?:|\?P?<\w+>)?)
    | (?P<close>\))
    | (?P<bar>\|)
    | (?P<count>(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_IN_SET: Final = {"d": "0-9", "w": "A-Za-z0-9_"}
_CLASSES: Final = {**_IN_SET, "D": "^0-9", "W": "^A-Za-z0-9_"}
"""Of ASCII characters only, unlike in Python."""


class _Group:
    """A group while a pattern is read.

    :param starts: the first token of each alternative; empty for an empty one.
    :param varies: whether a part can match texts of different lengths.
    """

    def __init__(self) -> None:
        self.starts = [""]
        self.varies = False

    @property
    def is_ambiguous(self) -> bool:
        """Whether a text may match in several ways, which each repeat multiplies."""
        plain = all(len(start) == 1 and start.isalnum() for start in self.starts)
        distinct = plain and len(set(self.starts)) == len(self.starts)
        return self.varies or (len(self.starts) > 1 and not distinct)


def _repeats_a_repeat(pattern: str) -> bool:
    """Return whether a group that can match in several ways is repeated."""
    groups = [_Group()]
    last: _Group | None = None
    """The group that has just ended."""
    for token in _TOKEN.finditer(pattern):
        kind, text = token.lastgroup, token[0]
        if kind in ("open", "look"):
            groups[-1].starts[-1] = groups[-1].starts[-1] or text
            groups.append(_Group())
        elif kind == "close":
            if len(groups) == 1:
                return True  # not a pattern
            last = groups.pop()
            groups[-1].varies |= last.varies
            continue
        elif kind == "bar":
            groups[-1].starts.append("")
        elif kind == "count":
            low, high = _bounds(text)
            if last is not None and high > 1 and last.is_ambiguous:
                return True
            groups[-1].varies |= low != high
        else:
            groups[-1].starts[-1] = groups[-1].starts[-1] or text
        last = None
    return False


def _bounds(count: str) -> tuple[float, float]:
    if count[0] in "*+?":
        return {"*": (0, float("inf")), "+": (1, float("inf")), "?": (0, 1)}[count[0]]
    low, comma, high = count.rstrip("?+")[1:-1].partition(",")
    return int(low), (int(high) if high else float("inf")) if comma else int(low)


def _python(pattern: str) -> str:
    """Return a pattern of ECMAScript as one of Python."""

    def translated(token: re.Match[str]) -> str:
        text = token[0]
        if token.lastgroup == "other" and text == "$":
            return r"\Z"  # Python's $ is also in front of a line feed at the end
        if token.lastgroup == "escape" and text[1] in _CLASSES:
            return f"[{_CLASSES[text[1]]}]"
        if token.lastgroup == "set":
            return re.sub(r"\\(.)", lambda part: _IN_SET.get(part[1], part[0]), text)
        if token.lastgroup == "open" and text.startswith("(?<"):
            return f"(?P{text[2:]}"
        return text

    return _TOKEN.sub(translated, pattern)


def _longest_text(pattern: str) -> int:
    """Return the maximum length of a text that is compared with a pattern.

    Each repeat, and a start anywhere in the text, may multiply the steps by the text's length.
    """
    counts = (_bounds(token[0]) for token in _TOKEN.finditer(pattern) if token["count"])
    repeats = sum(high - low > _FEW for low, high in counts)
    starts = 0 if pattern.startswith("^") and "|" not in pattern else 1
    return min(_LONGEST, int(_STEPS ** (1 / max(repeats + starts, 1))))


@cache
def matcher(pattern: str) -> Callable[[str], bool] | None:
    """Return a function that returns whether a text matches; None if the pattern is not enforced.

    A pattern that Python cannot read, or that has a repeat inside a repeat, is not enforced. A text
    for which the comparison could take seconds counts as a match.
    """
    if len(pattern) > _LONGEST or _repeats_a_repeat(pattern):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as of "[[" in a set
            regex = re.compile(_python(pattern))
    except (re.error, OverflowError, RecursionError):
        return None
    longest = _longest_text(pattern)
    return lambda text: len(text) > longest or regex.search(text) is not None


_DAY: Final = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_HOUR: Final = r"(?:[01]\d|2[0-3]):[0-5]\d"
_OFFSET: Final = rf"(?:[Zz]|[+-]{_HOUR})"
_DATE_TIME: Final = rf"{_DAY}[Tt]{_HOUR}:[0-5]\d(?:\.\d+)?{_OFFSET}"


@cache
def _regex(pattern: str) -> re.Pattern[str]:
    """Return a pattern of a format, which is compiled only for a document that uses it."""
    return re.compile(pattern, re.ASCII)


@lru_cache(256)  # most are of today
def _is_day(text: str) -> bool:
    """Return whether a day that matches `_DAY` exists."""
    from datetime import date  # not needed for a start

    try:
        return bool(date(*map(int, text.split("-"))))
    except ValueError:
        return False


def _is_date(text: str) -> bool:
    return _regex(_DAY).fullmatch(text) is not None and _is_day(text)


def _is_date_time(text: str) -> bool:
    return _regex(_DATE_TIME).fullmatch(text) is not None and _is_day(text[:10])


def _is_time(text: str) -> bool:
    return _regex(rf"{_HOUR}(?::[0-5]\d(?:\.\d+)?)?{_OFFSET}?").fullmatch(text) is not None


def _is_uuid(text: str) -> bool:
    pattern = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    return _regex(pattern).fullmatch(text) is not None


def _is_uri(text: str) -> bool:
    return _regex(r'[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]*').fullmatch(text) is not None


def _is_address(version: int, text: str) -> bool:
    import ipaddress  # not needed for a start

    if "%" in text:  # the scope of an IPv6 address
        return False
    try:
        return ipaddress.ip_address(text).version == version
    except ValueError:
        return False


def _is_base64(text: str) -> bool:
    return _regex(r"[A-Za-z0-9+/_=\s-]*").fullmatch(text) is not None


FORMATS: Final[Mapping[str, tuple[str, Callable[[str], bool]]]] = {
    "date": ("a date such as 2030-12-05", _is_date),
    "date-time": ("a date and time such as 2030-12-05T14:30:00Z", _is_date_time),
    "time": ("a time such as 14:30:00Z", _is_time),
    "uuid": ("a UUID", _is_uuid),
    "email": ("an email address", lambda text: "@" in text),
    "uri": ("a URL such as https://example.com/", _is_uri),
    "ipv4": ("an IPv4 address", lambda text: _is_address(4, text)),
    "ipv6": ("an IPv6 address", lambda text: _is_address(6, text)),
    "byte": ("Base64", _is_base64),
}
"""What a text in each format is, and whether a text is one; others are not enforced."""
