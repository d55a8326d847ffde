"""Regular expressions and formats of JSON Schema: which of them hold for a text.

A `pattern` is one of ECMAScript, which Python cannot always read, and which may take Python an
exponential time, such as ``(a+)+$``. Those are not enforced: see `enforces`.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PATTERN_TEXT: Final = 2000
"""Maximum length of a text that a pattern is compared with, in characters.

Two repeats that can match the same text take a time that grows with its square.
"""
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


@cache
def compiled(pattern: str) -> re.Pattern[str] | None:
    """Return a pattern for `search`; None if it is not enforced."""
    if len(pattern) > PATTERN_TEXT or _repeats_a_repeat(pattern):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as of "[[" in a set
            return re.compile(_python(pattern))
    except (re.error, OverflowError, RecursionError):
        return None


def enforces(pattern: str) -> bool:
    """Return whether texts are compared with a pattern.

    One that Python cannot read, or with a repeat inside a repeat, is not enforced.
    """
    return compiled(pattern) is not None


_DAY: Final = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_HOUR: Final = r"(?:[01]\d|2[0-3]):[0-5]\d"
_OFFSET: Final = rf"(?:[Zz]|[+-]{_HOUR})"


def _is_day(text: str) -> bool:
    from datetime import date  # not needed for a start

    try:
        return bool(date(int(text[:4]), int(text[5:7]), int(text[8:10])))
    except ValueError:
        return False


def _is_date(text: str) -> bool:
    return re.fullmatch(_DAY, text, re.ASCII) is not None and _is_day(text)


def _is_date_time(text: str) -> bool:
    pattern = rf"{_DAY}[Tt]{_HOUR}:[0-5]\d(?:\.\d+)?{_OFFSET}"
    return re.fullmatch(pattern, text, re.ASCII) is not None and _is_day(text)


def _is_time(text: str) -> bool:
    return re.fullmatch(rf"{_HOUR}(?::[0-5]\d(?:\.\d+)?)?{_OFFSET}?", text, re.ASCII) is not None


def _is_uuid(text: str) -> bool:
    return re.fullmatch(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text) is not None


def _is_uri(text: str) -> bool:
    return re.fullmatch(r'[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]*', text) is not None


def _is_address(version: int, text: str) -> bool:
    import ipaddress  # not needed for a start

    if "%" in text:  # the scope of an IPv6 address
        return False
    try:
        return ipaddress.ip_address(text).version == version
    except ValueError:
        return False


def _is_base64(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9+/_=\s-]*", text) is not None


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
