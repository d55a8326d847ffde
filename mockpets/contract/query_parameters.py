"""The query parameters of the control API: one declaration reads and documents a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mockpets.constants import INT64_MAX, INT64_MIN
from mockpets.contract.fields import INT64, parse_int64
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter; `read` returns a value, or raises ValueError with what was expected."""

    description: str
    schema: Mapping[str, object]
    read: Callable[[str], Any]


def integer(
    description: str, low: int = INT64_MIN, high: int = INT64_MAX, unit: str = "", **options: object
) -> Parameter:
    """Return a parameter whose value is an integer in an inclusive range; by default, an int64."""

    def read(text: str) -> int:
        number = parse_int64(text)
        if number is None or not low <= number <= high:
            is_open = low > INT64_MIN and high == INT64_MAX
            expected = f"of at least {low}" if is_open else f"from {low} to {high}"
            raise ValueError(f"must be an integer {expected}{unit}, got {quote(text)}")
        return number

    schema = dict(INT64)
    if low > INT64_MIN:
        schema["minimum"] = low
    if high < INT64_MAX:
        schema["maximum"] = high
    return Parameter(description, {**schema, **options}, read)
