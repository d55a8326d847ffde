"""Every problem of an invalid value: the contract's fields as marshmallow schemas.

`serialization` imports this module only for an invalid value. Importing marshmallow takes a fifth
of a start, most of it for a regular expression for e-mail addresses that mockpets never uses.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, cast

from marshmallow import EXCLUDE, Schema, ValidationError, fields

from mockpets.contract.schemas import FIELDS

if TYPE_CHECKING:
    from mockpets.contract.fields import ContractField
    from mockpets.contract.schemas import Kind

ValueProblem = tuple[tuple[str | int, ...], str]
"""The path to an invalid value, as keys and indexes from the root, and what is wrong with it."""


class _Field(fields.Field[Any]):
    """marshmallow's view of a field."""

    def __init__(self, field: ContractField) -> None:
        super().__init__(required=field.required)
        self.field = field

    def _deserialize(self, value: object, *_: object, **__: object) -> object:
        accepted = self.field.accept(value)
        if accepted is None:
            raise ValidationError(self.field.problem(value))
        return accepted

    def make_error(self, key: str, **_: object) -> ValidationError:
        """Return our message for the two problems that marshmallow reports before `accept`."""
        message = "is required" if key == "required" else f"{self.field.expected}, got null"
        return ValidationError(message)


class _Object(Schema):
    """A JSON object; properties that the contract does not have are ignored."""

    class Meta:
        """marshmallow's options."""

        unknown = EXCLUDE

    error_messages = {"type": "must be an object"}  # noqa: RUF012 - only marshmallow reads it


@cache
def _schema(kind: Kind) -> Schema:
    own: dict[str, fields.Field[Any]] = {
        name: _Field(field) for name, field in FIELDS[kind].items()
    }
    return _Object.from_dict(own)()


def problems(kind: Kind, value: object, *, partial: bool = False) -> list[ValueProblem]:
    """Return every problem of a value; an empty list if it is valid.

    :param partial: whether required properties may be missing.
    """
    messages = _schema(kind).validate(cast("Any", value), partial=partial)
    return [
        (() if name == "_schema" else (name,), message)
        for name, property_messages in messages.items()
        for message in property_messages
    ]
