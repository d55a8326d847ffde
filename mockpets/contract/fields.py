"""The fields of the contract's schemas: each converts a value, or states what it expected.

A field also provides its OpenAPI type, so a schema adds only a description and an example. Keep
imports light: `validation` makes marshmallow's schemas from them, but only when they are needed.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from mockpets.constants import INT64_MAX, INT64_MIN, PAGE_DEFAULT, PAGE_MAX, PAGE_MIN, PET_STATUSES
from mockpets.errors import RequestError
from mockpets.strict_json import REMOVE_QUOTES, parse_json, shown

if TYPE_CHECKING:
    from collections.abc import Mapping


def parse_int64(text: str) -> int | None:
    """Return a text, such as a path segment, as an int64; None if it is not one."""
    if re.fullmatch(r"-?(0|[1-9][0-9]{0,18})", text):
        number = int(text)
        return number if INT64_MIN <= number <= INT64_MAX else None
    return None


def _is_number(value: object) -> TypeGuard[int | float | Decimal]:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _parse_number(text: str) -> object:
    """Return a text as the number that it is in JSON; None if it is not one."""
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
    """A property of a JSON object, or a query parameter.

    `openapi` is its type in OpenAPI, and `component` the name that the contract gives to the type.

    :param default: the value of a missing one; None if it has none.
    """

    expected: str
    openapi: ClassVar[Mapping[str, object]]
    component: ClassVar[str | None] = None

    def __init__(
        self,
        description: str,
        example: object = None,
        *,
        required: bool = False,
        default: object = None,
    ) -> None:
        examples = {} if example is None else {"examples": [example]}
        self.metadata: dict[str, Any] = {"description": description, **examples}
        self.required = required
        self.default = default

    def schema(self) -> Mapping[str, object]:
        """Return its type in the OpenAPI document: a reference if the contract names the type."""
        if self.component is None:
            return self.openapi
        return {"$ref": f"#/components/schemas/{self.component}"}

    def accept(self, value: object) -> object:
        """Return the value as the program uses it, or None if it is invalid."""
        raise NotImplementedError

    def problem(self, value: object) -> str:
        """Return what is wrong with an invalid value."""
        return f"{self.expected}, got {shown(value)}"


class Int64(ContractField):
    """A 64-bit integer as in JSON Schema: ``1.0`` is valid; ``"1"`` and ``true`` are not."""

    expected = "must be an integer"
    openapi: ClassVar[Mapping[str, object]] = {"type": "integer", "format": "int64"}
    bounds: ClassVar[Mapping[str, int]] = {"minimum": INT64_MIN, "maximum": INT64_MAX}
    """The range, which is not in the OpenAPI document: JavaScript would round it."""

    def problem(self, value: object) -> str:
        """Return what is wrong; the range only for a number outside it, to keep messages short."""
        if _is_number(value) and not INT64_MIN <= value <= INT64_MAX:
            return f"{self.expected} from {INT64_MIN} to {INT64_MAX} (int64), got {shown(value)}"
        if isinstance(value, str) and self.accept(_parse_number(value)) is not None:
            return f"{self.expected}, got the text {shown(value)}; {REMOVE_QUOTES}"
        return super().problem(value)

    def accept(self, value: object) -> int | None:
        """Return the integer."""
        # The range first: int() of a Decimal such as 1e999999 would take forever.
        if _is_number(value) and INT64_MIN <= value <= INT64_MAX and value == int(value):
            return int(value)
        return None


class HttpStatus(Int64):
    """The HTTP status that an Error body repeats."""

    openapi: ClassVar[Mapping[str, object]] = {"type": "integer"}


class Text(ContractField):
    """A string that UTF-8 can encode; may be empty, since the contract sets no minimum length."""

    expected = "must be a string of Unicode text"
    openapi: ClassVar[Mapping[str, object]] = {"type": "string"}

    def accept(self, value: object) -> str | None:
        """Return the text."""
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:  # half a surrogate pair
                return None
            return value
        return None


class Status(ContractField):
    """A PetStatus."""

    expected = "must be one of " + ", ".join(PET_STATUSES)
    openapi: ClassVar[Mapping[str, object]] = {"type": "string", "enum": list(PET_STATUSES)}
    component = "PetStatus"

    def accept(self, value: object) -> str | None:
        """Return the status."""
        return value if isinstance(value, str) and value in PET_STATUSES else None


class Limit(ContractField):
    """The page size in a query: only ASCII digits, since int() also accepts ``٣`` and ``1_0``."""

    expected = f"must be an integer from {PAGE_MIN} to {PAGE_MAX}"
    openapi: ClassVar[Mapping[str, object]] = {
        "type": "integer",
        "minimum": PAGE_MIN,
        "maximum": PAGE_MAX,
        "default": PAGE_DEFAULT,
    }

    def accept(self, value: object) -> int | None:
        """Return the number."""
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value):
            number = int(value)
            return number if PAGE_MIN <= number <= PAGE_MAX else None
        return None
