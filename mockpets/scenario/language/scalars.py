"""What a word without quotes is in a scenario file: nothing, true, false, a number or text.

YAML's versions and readers disagree here (``no`` is false, 0777 is 511, 1:30 is 90, 2030-12-05 a
date, to some), so the rules are our own: JSON's words and numbers are what they are in JSON,
everything else is text, and what another reader would take for something else is refused.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Final

from mockpets.units import quote

Scalar = str | int | Decimal | bool | None
"""A number with a fraction or an exponent is exact, as in requests (`json_text.parse_json`)."""

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_SWITCHES: Final = frozenset({"yes", "no", "on", "off"})
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NUMBER_LENGTH: Final = 40
"""Characters; enough for an int64 and a float in full."""
_NO_NUMBER: Final = re.compile(
    r"[+-]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"  # YAML's
    r"|-?Infinity|NaN"  # JavaScript's
)
_DOUBTFUL: Final = re.compile(
    r"[+-]?(?:[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"  # base 60
    r"|0[xob][0-9a-fA-F_]+"
    r"|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?"  # +5, 0777, 1_000, 5.
    r"|\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?)"
)


def read_scalar(word: str) -> Scalar:
    """Return what a word without quotes stands for.

    :raise ValueError: with two texts, what is wrong and what to do: it could be read in more than
        one way, or is a number that JSON does not have.
    """
    if word in _WORDS:
        return _WORDS[word]
    if found := _NUMBER.fullmatch(word):
        # A long one takes int() for ever, or is refused by it with an error of its own.
        if len(word) <= _NUMBER_LENGTH and not math.isinf(float(word)):
            return Decimal(word) if found[1] or found[2] else int(word)
        raise ValueError(f"the number {quote(word)} is too large or too long", "shorten it")
    if word.lower() in _SWITCHES:
        raise ValueError(
            f"{quote(word)} is true or false to some readers of YAML, and text to others",
            f'write true or false, or quote it: "{word}"',
        )
    if _NO_NUMBER.fullmatch(word):
        raise ValueError(f"{quote(word)} is no number that JSON has", f'quote it: "{word}"')
    if _DOUBTFUL.fullmatch(word):
        raise ValueError(
            f"{quote(word)} is not the same number to every reader of YAML",
            "write it as JSON does, or quote it",
        )
    return word
