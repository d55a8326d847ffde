"""Every problem of an invalid value: a contract's schemas as marshmallow schemas.

`contract_model` imports this module only for an invalid value. Importing marshmallow takes a fifth
of a start, most of it for a regular expression for e-mail addresses that mockpets never uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from marshmallow import EXCLUDE, Schema, ValidationError, fields

from mockpets.contract.fields import INVALID

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.contract.fields import ContractField, ValueProblem


class _Field(fields.Field[Any]):
    """marshmallow's view of a field."""

    def __init__(self, field: ContractField) -> None:
        super().__init__(required=field.required)
        self.field = field

    def _deserialize(self, value: object, *_: object, **__: object) -> object:
        accepted = self.field.accept(value)
        if accepted is INVALID:
            raise ValidationError(self.field.problem(value))
        return accepted

    def make_error(self, key: str, **_: object) -> ValidationError:
        """Return our message for the two problems that marshmallow reports before `accept`."""
        message = "is required" if key == "required" else f"{self.field.expected}, got null"
        return ValidationError(message)


class JsonObject(Schema):
    """A JSON object; properties that the contract does not have are ignored."""

    class Meta:
        """marshmallow's options."""

        unknown = EXCLUDE

    error_messages = {"type": "must be an object"}  # noqa: RUF012 - only marshmallow reads it


def validator(described: Mapping[str, ContractField]) -> Callable[..., list[ValueProblem]]:
    """Return a function that returns every problem of a value; an empty list if it is valid.

    Its argument `partial` says whether required properties may be missing.
    """
    own: dict[str, fields.Field[Any]] = {name: _Field(each) for name, each in described.items()}
    schema = JsonObject.from_dict(own)()

    def problems(value: object, *, partial: bool = False) -> list[ValueProblem]:
        messages: dict[str, list[str]] = {}
        try:
            schema.load(cast("Any", value), partial=partial)
        except ValidationError as error:
            # A frame of marshmallow refers to the error, which refers to the frame, and so to those
            # of the request and the records that it uses, until Python collects garbage.
            error.__traceback__ = None
            messages = cast("dict[str, list[str]]", error.messages)
        return [
            (() if name == "_schema" else (name,), message)
            for name, property_messages in messages.items()
            for message in property_messages
        ]

    return problems
