"""Compare the values of records with keys, and with the values of queries."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from mockpets.contract.document_records import OWN
from mockpets.contract.fields import INVALID, is_number
from mockpets.records.table import index_key
from mockpets.strict_json import dump_text, same_json

if TYPE_CHECKING:
    from collections.abc import Hashable

_NUMBER: Final = re.compile(r"-?\d{1,40}(\.\d{1,40})?(E[+-]\d{1,3})?")


def equal(one: object, other: object) -> bool:
    """Return whether two values are equal; a text may stand for a number or a boolean."""
    if one is INVALID or other is INVALID or one is None or other is None:
        return one is other
    if isinstance(one, (dict, list)) or isinstance(other, (dict, list)):
        return same_json(one, other)
    return _text(one) == _text(other) or (is_number(one) and is_number(other) and one == other)


def has(value: object, wanted: object) -> bool:
    """Return whether a value equals the one of a query, or is a list that contains it."""
    if isinstance(value, list):
        return any(has(each, wanted) for each in value)
    return equal(value, wanted)


def written(value: object) -> tuple[bytes, ...]:
    """Return texts of which a row has one if it has a value that is `equal` to this one.

    No texts are returned if there may be others. Looking for a text takes a hundredth of the time
    of parsing the row.
    """
    if isinstance(value, str):
        return (dump_text(value)[1:-1].encode(),)
    if isinstance(value, bool):
        return (_text(value).encode(),)
    return (b"%d" % value, b"E+", b"e+") if isinstance(value, int) else ()  # 500 may be 5E+2


def index_keys(value: object) -> dict[Hashable, None]:
    """Return the keys that an index has for the values that are `equal` to a text or number."""
    text = _text(value)
    keys: dict[Hashable, None] = {text: None}
    if _NUMBER.fullmatch(text):
        keys[Decimal(text)] = None  # equals the integer
    elif text in ("true", "false"):
        keys[index_key(text == "true")] = None
    return keys


def is_true(value: object) -> bool:
    """Return whether the value of a query switches something on."""
    return str(value).lower() in ("true", "1", "yes")


def compare(value: object, limit: object) -> int | None:
    """Return -1, 0 or 1 if a value is less than a limit, equal or greater; None for no value.

    The greatest item of a list counts. A limit that is a date includes the times of that day.
    """
    if value is INVALID or value is None:
        return None
    if isinstance(value, list):
        results = (compare(each, limit) for each in value)
        return max((each for each in results if each is not None), default=None)
    one, other = sort_key(value), sort_key(limit)
    if isinstance(value, str) and isinstance(limit, str):
        first, second = _time(value), _time(limit)
        if re.fullmatch(r"[\d-]{10}", limit):
            one = sort_key(value[:10])
        elif first and second:
            return (first > second) - (first < second)
    return (one > other) - (one < other)


def sort_key(value: object) -> tuple[int, Any]:
    """Return a key that sorts numbers before texts, whose case is ignored."""
    return (0, value) if is_number(value) else (1, str(value).lower())


def contains(value: object, text: str) -> bool:
    """Return whether any text in a value contains another one, in any case."""
    text, pending = text.lower(), [value]
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            if text in each.lower():
                return True
        elif isinstance(each, dict):
            pending += [part for name, part in each.items() if name[:1] != OWN]
        elif isinstance(each, list):
            pending += each
    return False


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _time(text: str) -> datetime | None:
    """Return a time, in UTC if it has no offset; None for another text."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
