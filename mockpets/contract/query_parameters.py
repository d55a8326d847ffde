"""The query parameters of the control API: one declaration reads and documents a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mockpets.constants import INT64_MAX, INT64_MIN
from mockpets.contract.fields import INT64, parse_int64
from mockpets.errors import did_you_mean
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from mockpets.contract.model import Contracts


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter; `read` returns a value, or raises ValueError with what was expected.

    :param names: returns the names of which the text must be one.
    """

    description: str
    schema: Mapping[str, object]
    read: Callable[[str], Any]
    names: Callable[[Contracts], Collection[str]] | None = None

    def value(self, text: str, contracts: Contracts) -> Any:
        """Return the value of a text, or raise ValueError."""
        if self.names is not None:
            one_of(text, self.names(contracts))
        return self.read(text)


def one_of(text: str, words: Collection[str]) -> str:
    """Return a text that is one of some words, or raise ValueError."""
    if text not in words:
        near = did_you_mean(text, words)
        message = f"must be one of {', '.join(words)}, got {quote(text)}"
        raise ValueError(f"{message}; {near}" if near else message)
    return text


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
