"""Fields of values that are sent as texts: in a path, a query, a header, a cookie or a form."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from mockpets.contract.fields import INVALID, ContractField, parse_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.contract.fields import ValueProblem
    from mockpets.contract.json_schema import SchemaField


_ONLY_TEXT: Final = frozenset({"string"})
_INDEX: Final = 10
"""Digits of an index that is too long for a list."""


class TextField(ContractField):
    """A value that is sent as a text, or as a list or an object of texts."""

    def __init__(self, field: SchemaField) -> None:
        super().__init__(field.openapi, component=field.component)
        self.field = field

    @property
    def expected(self) -> str:  # type: ignore[override]
        """What a value must be, as the start of a message."""
        return self.field.expected

    @cached_property
    def is_list(self) -> bool:
        """Whether a list may be valid."""
        return "array" in self.field.types_named or self._is_only(list)

    @cached_property
    def is_object(self) -> bool:
        """Whether an object may be valid."""
        return "object" in self.field.types_named or self._is_only(dict)

    @cached_property
    def is_scalar(self) -> bool:
        """Whether a single text may be valid."""
        types = self.field.types_named - {"array", "object", "null"}
        return bool(types) or not (self.is_list or self.is_object)

    def _is_only(self, kind: type) -> bool:
        return not self.field.types_named and kind in self.field.declares

    def accept(self, value: object) -> object:
        """Return the value with the types of its schema, or `INVALID`."""
        if not isinstance(value, str):
            return self.field.accept(_typed(self.field, value))
        if self.field.types_named == _ONLY_TEXT:  # the only candidate
            return self.field.accept(value)
        accepted = map(self.field.accept, _candidates(self.field, value))
        return next((each for each in accepted if each is not INVALID), INVALID)

    def problem(self, value: object) -> str:
        """Return the first problem of an invalid value."""
        return self.problems(value)[0][1]

    def problems(self, value: object) -> list[ValueProblem]:
        """Return every problem of a value; none if it is valid."""
        return self.field.problems(_typed(self.field, value))


def _typed(field: SchemaField, value: object) -> object:
    """Return a value whose texts are converted to the types of a schema.

    A text stays one where no other type is valid.
    """
    if isinstance(value, dict) and (text := TextField(field)).is_list and not text.is_object:
        value = _as_list(value)
    if isinstance(value, str):
        candidates: list[object] = list(_candidates(field, value))
    elif isinstance(value, (list, dict)):
        candidates = [_typed_parts(each, value) for each in field.in_place()]
    else:
        return value
    valid = (each for each in candidates if field.accept(each) is not INVALID)
    return next(valid, candidates[0])


def _as_list(value: dict[str, object]) -> dict[str, object] | list[object]:
    """Return an object such as that of ``ids[0]=7&ids[1]=8``, or of ``ids[]=7``, as a list."""
    if not value or not all(key.isdecimal() and len(key) < _INDEX for key in value if key):
        return value
    result: list[object] = []
    for key in sorted(value, key=lambda key: int(key or "0")):
        part = value[key]
        result += part if not key and isinstance(part, list) else [part]
    return result


def _typed_parts(field: SchemaField, value: list[object] | dict[str, object]) -> object:
    if isinstance(value, list):
        return [_typed(field.items.at(index), each) for index, each in enumerate(value)]
    typed = {}
    for name, each in value.items():
        fields = field.shape.of(name) or ()
        typed[name] = _typed(fields[0], each) if fields else each
    return typed


def _candidates(field: SchemaField, text: str) -> Iterator[object]:
    """Yield the values that a text may stand for, the likeliest first."""
    types = field.types_named
    if not types:  # such as of an enum without a type
        yield text
    if not types or types & {"integer", "number"}:
        number = parse_number(text)
        if number is not None:
            yield number
    if (not types or "boolean" in types) and text in ("true", "false"):
        yield text == "true"
    if text in ("", "null") and "string" not in types and field.accept(None) is not INVALID:
        yield None
    if "array" in types:  # a query or a form can have a single item of it
        yield from (_typed_parts(each, [text]) for each in field.in_place())
    if types:
        yield text
