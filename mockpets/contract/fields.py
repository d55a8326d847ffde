"""The fields of a contract's schemas: each converts a value, or states what it expected.

`field_of` makes a field of an OpenAPI schema. Keep imports light: `validation` makes marshmallow's
schemas from them, but only when they are needed.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from mockpets.constants import INT64_MAX, INT64_MIN
from mockpets.errors import RequestError
from mockpets.strict_json import REMOVE_QUOTES, parse_json, shown
from mockpets.units import parse_int64, parse_integer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ValueProblem = tuple[tuple[str | int, ...], str]
"""The path to an invalid value, as keys and indexes from the root, and what is wrong with it."""
INT64: Final[Mapping[str, object]] = {"type": "integer", "format": "int64"}
INT64_BOUNDS: Final[Mapping[str, object]] = {"minimum": INT64_MIN, "maximum": INT64_MAX}
"""The range, which is not in OpenAPI documents: JavaScript would round it."""
JSON_TYPES: Final[Mapping[type, str]] = {
    bool: "boolean",
    str: "string",
    int: "number",
    float: "number",
    Decimal: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
POSITION: Final = re.compile("[0-9]{1,9}")
"""A position in a list; int() rejects thousands of digits."""
_ABOUT: Final = ("description", "examples")
_DIGITS: Final = 9
"""Of a parameter with a lower maximum; a longer text has zeros for no reason."""


if TYPE_CHECKING:
    from enum import Enum
else:
    Enum = object  # making an Enum delays a start


class Invalid(Enum):
    """The type of `INVALID`, so that a type checker can tell it apart."""

    INVALID = object()


INVALID: Final = Invalid.INVALID
"""Stands for an invalid value, since None is a valid one: null."""


def is_number(value: object) -> TypeGuard[int | float | Decimal]:
    """Return whether a value is a number of JSON, which true is not."""
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def is_whole(value: float | Decimal) -> bool:
    """Return whether a number has no fraction: 1.0 is an integer, as in JSON Schema."""
    if isinstance(value, Decimal):
        # Not by int(), which takes forever for 1e999999.
        return value.is_finite() and value == value.to_integral_value()
    return isinstance(value, int) or value.is_integer()


def is_unicode(text: str) -> bool:
    """Return whether UTF-8 can encode a text: it cannot encode half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def parse_number(text: str) -> object:
    """Return a text as the number that it is in JSON; None if it is not one."""
    number = parse_int64(text)
    if number is not None:  # the rest takes longer
        return number
    if not re.fullmatch(r"[-+.0-9eE]+", text):
        return None
    try:
        return parse_json(text.encode())
    except RequestError:
        return None


def split_hint(problem: str) -> tuple[str, str]:
    """Return a field's problem without its hint, and the hint, which may be empty."""
    what = problem.removesuffix(f"; {REMOVE_QUOTES}")
    return what, "" if what == problem else REMOVE_QUOTES


class ContractField:
    """A property of a JSON object, or a parameter.

    :param openapi: its schema in the document, resolved.
    :param required: whether it must be there.
    :param component: the name that the document gives to the type; None without one.
    """

    expected: str

    def __init__(
        self, openapi: Mapping[str, Any], *, required: bool = False, component: str | None = None
    ) -> None:
        self.openapi = {name: part for name, part in openapi.items() if name not in _ABOUT}
        self.metadata = {name: openapi[name] for name in _ABOUT if name in openapi}
        self.required = required
        self.component = component
        self.default: object = openapi.get("default")
        """The value of a missing one; None if it has none."""

    def may_have(self, name: str) -> bool:  # noqa: ARG002 - for `SchemaField`
        """Return whether a value may be an object, or a list that has the position."""
        return False

    def inside(self, name: str) -> Sequence[ContractField]:  # noqa: ARG002 - for `SchemaField`
        """Return the fields that describe a property, or the item at a position."""
        return ()

    @property
    def properties(self) -> Iterable[str]:
        """The names of the properties that an object has."""
        return ()

    def allows(self, name: str) -> bool:  # noqa: ARG002 - for `SchemaField`
        """Return whether a valid object may have a property."""
        return True

    def accept(self, value: object) -> object:
        """Return the value as the program uses it, or `INVALID`."""
        raise NotImplementedError

    def problem(self, value: object) -> str:
        """Return what is wrong with an invalid value."""
        return f"{self.expected}, got {shown(value)}"

    def problems(self, value: object) -> list[ValueProblem]:
        """Return every problem of a value; none if it is valid."""
        return [] if self.accept(value) is not INVALID else [((), self.problem(value))]


class Integer(ContractField):
    """An integer as in JSON Schema, at most an int64: ``1.0`` is valid; ``"1"`` and ``true`` not.

    The message has the default range only for a number outside of it, to keep messages short.
    """

    def __init__(self, openapi: Mapping[str, Any], **options: Any) -> None:
        super().__init__(openapi, **options)
        self.low: int = openapi.get("minimum", INT64_MIN)
        self.high: int = openapi.get("maximum", INT64_MAX)
        self.expected = "must be an integer"
        if "maximum" in openapi:
            self.expected += f" from {self.low} to {self.high}"
        elif "minimum" in openapi:
            self.expected += f" of at least {self.low}"

    def problem(self, value: object) -> str:
        """Return what is wrong with an invalid value."""
        if is_number(value) and not INT64_MIN <= value <= INT64_MAX:
            return f"must be an integer from {INT64_MIN} to {INT64_MAX} (int64), got {shown(value)}"
        if isinstance(value, str) and self.accept(parse_number(value)) is not INVALID:
            return f"{self.expected}, got the text {shown(value)}; {REMOVE_QUOTES}"
        return super().problem(value)

    def accept(self, value: object) -> int | Invalid:
        if is_number(value) and self.low <= value <= self.high and is_whole(value):
            return int(value)
        return INVALID


class IntegerText(Integer):
    """An integer as a text."""

    def problem(self, value: object) -> str:
        """Return what is wrong with an invalid value."""
        return ContractField.problem(self, value)

    def accept(self, value: object) -> int | Invalid:
        digits = max(_DIGITS, len(str(self.high)))
        text = value if isinstance(value, str) else ""
        number = parse_integer(text, self.low, self.high, digits)
        return INVALID if number is None else number


class Text(ContractField):
    """A string that UTF-8 can encode; may be empty."""

    expected = "must be a string of Unicode text"

    def accept(self, value: object) -> str | Invalid:
        return value if isinstance(value, str) and is_unicode(value) else INVALID


class Choice(ContractField):
    """One of some texts."""

    def __init__(self, openapi: Mapping[str, Any], **options: Any) -> None:
        super().__init__(openapi, **options)
        self.choices: tuple[str, ...] = tuple(openapi["enum"])
        self.expected = f"must be one of {', '.join(self.choices)}"

    def accept(self, value: object) -> str | Invalid:
        return value if isinstance(value, str) and value in self.choices else INVALID


def field_of(openapi: Mapping[str, Any], *, is_text: bool = False, **options: Any) -> ContractField:
    """Return the field of an OpenAPI schema.

    :param openapi: resolved.
    :param is_text: whether values are texts, as in a query.
    :raise ValueError: no field has its type.
    """
    if "enum" in openapi:
        return Choice(openapi, **options)
    if openapi["type"] == "integer":
        return (IntegerText if is_text else Integer)(openapi, **options)
    if openapi["type"] == "string":
        return Text(openapi, **options)
    raise ValueError(f"no field for the type {openapi['type']!r}")
