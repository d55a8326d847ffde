"""Read an unquoted scalar of a scenario file: null, a boolean, a number or a string.

YAML versions and parsers disagree here (some read ``no`` as false, 0777 as 511, 1:30 as 90 and
2030-12-05 as a date), so the rules are our own: JSON's literals and numbers mean what they mean in
JSON, everything else is a string, and ambiguous scalars are rejected.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from typing import Final

from mockpets.lexemes import YAML_WORDS
from mockpets.strict_json import load_json_of
from mockpets.units import quote

Scalar = str | int | Decimal | bool | None
"""A number with a fraction or an exponent is exact, as in requests (`strict_json`)."""

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NUMBER_LENGTH: Final = 40
"""Characters; enough for an int64 and a float in full."""
_AMBIGUOUS: Final = re.compile(
    r"(?i:yes|no|on|off)"
    r"|[+-]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"  # YAML's
    r"|-?Infinity|NaN"  # JavaScript's
    r"|[+-]?(?:[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"  # base 60
    r"|0[xob][0-9a-fA-F_]+"
    r"|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?"  # +5, 0777, 1_000, 5.
    r"|\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?)"
)


def is_number(word: str) -> bool:
    """Return whether an unquoted scalar is a number, which is not too large or too long."""
    if len(word) > _NUMBER_LENGTH or _NUMBER.fullmatch(word) is None or math.isinf(float(word)):
        return False
    try:
        Decimal(word)
    except InvalidOperation:  # the exponent is too low for Decimal
        return False
    return True


def read_scalar(word: str) -> Scalar:
    """Return the value of an unquoted scalar.

    :raise ValueError: with the problem and the hint, if it is ambiguous or not a JSON number.
    """
    if word in YAML_WORDS:
        return YAML_WORDS[word]
    if number := _NUMBER.fullmatch(word):
        # int() takes very long for a long number, or raises its own error.
        if is_number(word):
            return Decimal(word) if number[1] or number[2] else int(word)
        raise ValueError(f"the number {quote(word)} is too large or too long", "shorten it")
    if _AMBIGUOUS.fullmatch(word):
        what = f"{quote(word)} is ambiguous: parsers read it as different values"
        raise ValueError(what, f'quote it: "{word}", or write true, false or a JSON number')
    return word


def read_json_scalar(word: str) -> Scalar:
    """Return the value of a scalar in JSON, where numbers may be as large and long as in requests.

    :raise ValueError: with the problem, if it is no JSON number, or one that nothing can hold.
    """
    return load_json_of(word) if _NUMBER.fullmatch(word) else read_scalar(word)
