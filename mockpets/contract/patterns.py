"""Which regular expressions of a document can be enforced."""

from __future__ import annotations

import re
from typing import Final

_LENGTH: Final = 2000
_WAYS: Final = 1000
"""Maximum number of ways in which a limited repeat inside a limited repeat may match."""
_TOKEN: Final = re.compile(
    r"\\."
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|\((?:\?(?:P?<[A-Za-z_]\w*>|<?[=!]|[a-zA-Z-]*:))?"
    r"|\)"
    r"|[*+?]|\{\d+(?:,\d*)?\}"
    r"|.",
    re.DOTALL,
)
_UNLIMITED: Final = 10**9


def why_not_enforced(pattern: str) -> str:
    """Return why a pattern cannot be enforced, or an empty string.

    Python backtracks: ``(a+)+$`` takes seconds for a text of 24 letters, and twice as long for each
    more. So a repeat inside a repeat is not enforced unless both are small.
    """
    if len(pattern) > _LENGTH:
        return f"it is longer than {_LENGTH} characters"
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return "Python cannot compile it"
    return "it has a repeat inside a repeat" if _has_nested_repeats(pattern) else ""


def _has_nested_repeats(pattern: str) -> bool:
    widths = [1]  # for each open group, the number of lengths that its largest repeat can have
    last = 1  # that of the atom before a quantifier
    was_quantifier = False
    for match in _TOKEN.finditer(pattern):
        part = match[0]
        if part in "*+?" or (part[0] == "{" and len(part) > 1):
            if was_quantifier:  # `+?` and `{2}?` are only lazy
                was_quantifier = False
                continue
            was_quantifier = True
            least, most = _bounds(part)
            if last > 1 and _is_too_many(last, most):
                return True
            width = most - least + 1 if most > least else 1
            widths[-1] = max(widths[-1], width, last)
            continue
        was_quantifier = False
        last = 1
        if part[0] == "(" and not part.startswith("\\"):
            widths.append(1)
        elif part == ")" and len(widths) > 1:
            last = widths.pop()
            widths[-1] = max(widths[-1], last)
    return False


def _bounds(part: str) -> tuple[int, int]:
    if part[0] != "{":
        return (1 if part == "+" else 0), (1 if part == "?" else _UNLIMITED)
    low, comma, high = part[1:-1].partition(",")
    least = int(low[:9])
    return least, int(high[:9]) if high else _UNLIMITED if comma else least


def _is_too_many(width: int, repeats: int) -> bool:
    if repeats >= _UNLIMITED:
        return True
    if width >= _UNLIMITED:
        return repeats > 3
    return repeats > 10 or width**repeats > _WAYS
