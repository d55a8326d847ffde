"""The fields of the contract's schemas: each says what it expects and shows what came."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from marshmallow import ValidationError, fields

from mockpets.constants import INT64_MAX, INT64_MIN, PAGE_MAX, PAGE_MIN, PET_STATUSES
from mockpets.strict_json import shown


class _Field(fields.Field[Any]):
    """A field that refuses with one sentence: what was expected, and what came."""

    expected = ""

    def accept(self, value: object) -> object:
        """Return the value as the program uses it, or None when it is not acceptable."""
        raise NotImplementedError

    def _deserialize(self, value: object, *_: object, **__: object) -> object:
        accepted = self.accept(value)
        if accepted is None:
            raise ValidationError(f"{self.expected}, got {shown(value)}")
        return accepted

    def make_error(self, key: str, **_: object) -> ValidationError:
        """Return our words for the two faults that marshmallow finds before `accept` is asked."""
        return ValidationError("is required" if key == "required" else f"{self.expected}, got null")


class Int64(_Field):
    """An integer of 64 bits, as JSON Schema counts: ``1.0`` is 1; ``"1"`` and ``true`` are not."""

    expected = f"must be an integer from {INT64_MIN} to {INT64_MAX} (int64)"

    def accept(self, value: object) -> int | None:
        """Return the integer."""
        if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
            return None
        # The range first: int() of a Decimal such as 1e999999 would take for ever.
        if INT64_MIN <= value <= INT64_MAX and value == int(value):
            return int(value)
        return None


class Text(_Field):
    """A string that UTF-8 can carry. The contract sets no length, so an empty one will do."""

    expected = "must be a string of Unicode text"

    def accept(self, value: object) -> str | None:
        """Return the text."""
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:  # half a surrogate pair
                return None
            return value
        return None


class Status(_Field):
    """A PetStatus."""

    expected = "must be one of " + ", ".join(PET_STATUSES)

    def accept(self, value: object) -> str | None:
        """Return the status."""
        return value if isinstance(value, str) and value in PET_STATUSES else None


class Limit(_Field):
    """The size of a page, from a query: ASCII digits alone, since int() takes ``٣`` and ``1_0``."""

    expected = f"must be an integer from {PAGE_MIN} to {PAGE_MAX}"

    def accept(self, value: object) -> int | None:
        """Return the number."""
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value):
            number = int(value)
            return number if PAGE_MIN <= number <= PAGE_MAX else None
        return None
