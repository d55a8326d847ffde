"""The problems of an invalid value of an OpenAPI document: its schemas as marshmallow schemas.

`schema_fields` imports this module only for an invalid value: see `validation`.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, cast

from marshmallow import ValidationError, fields

from mockpets.constants import PROBLEMS_SHOWN
from mockpets.contract.fields import INVALID, split_hint
from mockpets.contract.json_schema import ASSUMED, NESTED_CHOICES, Memo
from mockpets.contract.validation import JsonObject
from mockpets.errors import did_you_mean
from mockpets.strict_json import shown

if TYPE_CHECKING:
    from mockpets.contract.fields import ValueProblem
    from mockpets.contract.json_schema import Choices, SchemaField

_COMPARED: Final = 200
"""How many alternatives are compared with one value to find the nearest ones."""
_NAME_SHOWN: Final = 60
"""Characters of the name of a property that a message repeats."""


class _Walk:
    """The validation of one value.

    :param depth: the number of choices around the part that is validated.
    :param left: how many alternatives may still be compared.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.left = _COMPARED


_walk: ContextVar[_Walk] = ContextVar("walk")
"""marshmallow calls the fields of a schema, and has no argument for it."""


def problems_of(field: SchemaField, value: object) -> list[ValueProblem]:
    """Return the problems of a document's value: all, or at least `PROBLEMS_SHOWN`.

    The list is empty if the value is valid.
    """
    token = _walk.set(_Walk())
    try:
        return _problems(field, value)
    finally:
        _walk.reset(token)


class _Value(fields.Field[Any]):
    """marshmallow's view of a document's schema; its messages are problems with paths."""

    def __init__(self, field: SchemaField, name: str, *, is_required: bool) -> None:
        allows_null = field.accept(None) is not INVALID
        super().__init__(required=is_required, allow_none=allows_null, data_key=name)
        self.field = field

    def _deserialize(self, value: object, *_: object, **__: object) -> object:
        if problems := _problems(self.field, value):
            raise ValidationError(problems)
        return value

    def make_error(self, key: str, **_: object) -> ValidationError:
        """Return our problems in place of the two that marshmallow finds itself."""
        missing: list[ValueProblem] = [((), "is required")]
        return ValidationError(missing if key == "required" else _problems(self.field, None))


def _problems(field: SchemaField, value: object) -> list[ValueProblem]:
    problems: list[ValueProblem] = [((), what) for what in field.problems_here(value)]
    if field.is_wrong_type(value):
        return problems
    if isinstance(value, dict):
        problems += _of_object(field, value)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            problems += _of_part(index, field.items.at(index), item)
            if len(problems) >= PROBLEMS_SHOWN:
                break
    return problems or _of_choices(field, value)


def _of_part(step: str | int, field: SchemaField, value: object) -> list[ValueProblem]:
    """Return the problems of a property or an item; fast if it is valid, since most are."""
    return [] if field.accept(value) is not INVALID else _below(step, _problems(field, value))


def _below(step: str | int, problems: list[ValueProblem]) -> list[ValueProblem]:
    return [((step, *path), what) for path, what in problems]


def _of_object(field: SchemaField, value: dict[str, object]) -> list[ValueProblem]:
    """Return the problems of properties: by marshmallow of the declared ones, then of others."""
    shape = field.shape
    if shape.validator is None:
        anything = field.make(())
        declared = {name: each for name, each in shape.fields.items() if not each.is_hidden}
        undeclared = [name for name in shape.required if name not in shape.fields]
        named = {**declared, **dict.fromkeys(undeclared, anything)}
        own: dict[str, fields.Field[Any]] = {
            # A name of our own: one of the document may be `Meta`, or have dots.
            f"p{index}": _Value(each, name, is_required=name in shape.required)
            for index, (name, each) in enumerate(named.items())
        }
        shape.validator = JsonObject.from_dict(own)()
    problems: list[ValueProblem] = []
    try:
        shape.validator.load(value)
    except ValidationError as error:
        error.__traceback__ = None  # as in `validator`
        messages = cast("dict[str, list[ValueProblem]]", error.messages)
        for name, found in messages.items():
            problems += _below(name, found)
    for name, item in value.items():
        if len(problems) >= PROBLEMS_SHOWN:  # a name that is like another one takes long to find
            break
        step = name if len(name) <= _NAME_SHOWN else name[:_NAME_SHOWN] + "..."
        others = shape.of(name)
        if not shape.is_name(name):
            problems.append(((), f"must not have a property with the name {shown(name)}"))
        elif others is None:
            near = did_you_mean(name[:_NAME_SHOWN], shape.fields)
            what = "is not a known property"
            problems.append(((step,), f"{what}; {near}" if near else what))
        elif not any(each.is_hidden for each in others):
            for each in others:
                if each is not shape.fields.get(name):
                    problems += _of_part(step, each, item)
    return problems


def _of_choices(field: SchemaField, value: object) -> list[ValueProblem]:
    walk = _walk.get()
    if walk.depth >= NESTED_CHOICES:
        return []
    walk.depth += 1
    problems: list[ValueProblem] = []
    for choices in field.choices:
        memo = Memo(keeps_undeclared=False)
        memo.depth = walk.depth
        memo.results[id(field), id(value)] = ASSUMED
        is_skipped = value is None and choices.skips_null
        if not is_skipped and choices.matches(value, memo) is None:
            problems += _of_nearest(choices, value, memo)
    walk.depth -= 1
    return problems


def _of_nearest(choices: Choices, value: object, memo: Memo) -> list[ValueProblem]:
    """Return the problems of the alternative that an invalid value was probably meant for."""
    if choices.kind == "not":
        return [((), f"must not match the schema of 'not', got {shown(value)}")]
    chosen = choices.chosen(value)
    if chosen is not None:
        return _problems(chosen, value)
    matching = [
        name or field.expected.removeprefix("must be ")
        for name, field in choices.branches
        if field.accept_within(value, memo) is not INVALID
    ]
    if matching:
        what = f"must match only one schema of 'oneOf', but matches {' and '.join(matching)}"
        return [((), what)]
    if choices.tag and isinstance(value, dict):
        if choices.tag not in value:
            return [((choices.tag,), "is required")]
        tags = {id(field): tag for tag, field in reversed([*choices.tagged.items()])}
        known = ", ".join(tag for tag in choices.tagged if tag in tags.values())
        return [((choices.tag,), f"must be one of {known}, got {shown(value[choices.tag])}")]
    fields = [field for _, field in choices.branches]
    walk = _walk.get()
    walk.left -= len(fields)
    if walk.left < 0:
        return [((), f"must match a schema of {choices.kind!r}")]
    if all(field.is_wrong_type(value) for field in fields):
        expected = dict.fromkeys(field.expected.removeprefix("must be ") for field in fields)
        hints = [field.problems_here(value)[0] for field in fields]
        got = next((each.partition(", got ")[2] for each in hints if split_hint(each)[1]), "")
        return [((), f"must be {' or '.join(expected)}, got {got or shown(value)}")]
    found = [_problems(field, value) for field in fields if not field.is_wrong_type(value)]
    return min(found, key=lambda each: (any(not path for path, _ in each), len(each)))
