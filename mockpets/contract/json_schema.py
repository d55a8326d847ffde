"""What a JSON Schema, as in OpenAPI 3.0 and 3.1, demands of a value.

A `SchemaField` is the conjunction of some schemas: a schema, its target if it is a reference, and
the parts of its `allOf`. Everything is made when a value first needs it, since a schema may contain
itself. `schema_fields` finds the parts, and `schema_validation` reports the problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard

from mockpets.constants import PROBLEMS_SHOWN
from mockpets.contract.fields import INVALID, ContractField, is_number, parse_number
from mockpets.contract.patterns import FORMATS, PATTERN_TEXT, compiled
from mockpets.errors import did_you_mean
from mockpets.strict_json import REMOVE_QUOTES, shown

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from mockpets.contract.fields import ValueProblem

    Node = Mapping[str, Any]
    Make = Callable[[tuple[object, ...]], "SchemaField"]
    """Returns the field of the conjunction of some schemas of the document."""
    Validate = Callable[["SchemaField", object], list[ValueProblem]]

NESTED_CHOICES: Final = 40
"""How many `oneOf`, `anyOf` and `not` around each other are enforced."""
_CHOICES_SHOWN: Final = 10
_PATTERN_SHOWN: Final = 60
_NOUNS: Final[Mapping[str, str]] = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_TYPES: Final[Mapping[type, str]] = {
    str: "string",
    int: "number",
    Decimal: "number",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
    type(None): "null",
}
_RANGES: Final = {"int32": 2**31, "int64": 2**63}
_LONG: Final = 10**40
"""From here on, an integer stays a Decimal, as in strict_json: int() may take forever."""
_DROPPED: Final = object()
"""The result for a property that is left out."""
ASSUMED: Final = object()
"""The result for a value that is being compared with the same schema already."""


class Part(NamedTuple):
    """One schema of a conjunction, without its reference and its `allOf`.

    :param is_nullable: whether null is valid, whatever else it says.
    """

    node: Node
    is_nullable: bool


class Memo:
    """What is known while one value is validated: each schema sees each part of it once."""

    __slots__ = ("depth", "results")

    def __init__(self) -> None:
        self.results: dict[tuple[int, int], object] = {}
        self.depth = 0


class Check(NamedTuple):
    """One rule for the values of one type.

    :param expected: what a valid value is.
    :param got: returns what an invalid one is.
    """

    is_valid: Callable[[Any], bool]
    expected: str
    got: Callable[[Any], str] = shown

    def problem(self, value: object) -> str:
        """Return what is wrong with an invalid value."""
        return f"{self.expected}, got {self.got(value)}"


def json_key(value: object) -> Hashable:
    """Return what is equal for JSON values that are equal: 1 is 1.0, but true is not 1."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return (dict, frozenset((name, json_key(each)) for name, each in value.items()))
    if isinstance(value, (list, tuple)):
        return (list, tuple(map(json_key, value)))
    return (isinstance(value, bool), value)


class SchemaField(ContractField):
    """A value of a document: what it must be, and the problems of one that is not.

    `accept` returns the value without what the schema does not describe: an undeclared property is
    kept only if `additionalProperties` allows it explicitly, or if no property is declared.

    :param parts: the schemas that must all hold; none if every value is valid.
    :param is_hidden: whether a property is left out in the direction of the fields: those that are
        read-only in a request, and write-only in a response.
    :param name: that of the schema in the document; empty for an inline one.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        make: Make,
        name_of: Callable[[Node], str],
        validate: Validate,
        is_hidden: bool,
        name: str,
    ) -> None:
        whole: dict[str, Any] = {}
        for part in parts:
            whole |= part.node
        super().__init__(whole, component=name or None)
        self.parts = parts
        self.make = make
        self._name_of = name_of
        self.is_hidden = is_hidden
        self._validate = validate

    def accept(self, value: object) -> object:
        """Return the value without what the schema does not describe, or `INVALID`."""
        return self.accept_within(value, Memo())

    def accept_within(self, value: Any, memo: Memo) -> object:
        """Return what `accept` does, for a part of the value that `memo` is for."""
        accept = self._accepts.get(value.__class__)
        if accept is None:
            return INVALID
        if not self.choices:
            return accept(value, memo)
        key = (id(self), id(value))
        if key in memo.results:
            return memo.results[key]
        memo.results[key] = ASSUMED
        result = accept(value, memo)
        if result is not INVALID and memo.depth < NESTED_CHOICES:
            memo.depth += 1
            result = self._with_choices(value, result, memo)
            memo.depth -= 1
        memo.results[key] = result
        return result

    def problem(self, value: object) -> str:
        """Return the first problem of an invalid value."""
        return self.problems(value)[0][1]

    def problems(self, value: object) -> list[ValueProblem]:
        """Return every problem of a value, up to `PROBLEMS_SHOWN`; none if it is valid."""
        if self.accept(value) is not INVALID:
            return []
        return self._validate(self, value)[:PROBLEMS_SHOWN] or [((), "is invalid")]

    def problems_here(self, value: Any) -> list[str]:
        """Return what is wrong with a value itself, not with its properties, items or choices."""
        if self.is_wrong_type(value):
            return [self._mismatch(value)]
        failed = [each for each in self._checks(value) if not each.is_valid(value)]
        return [each.problem(value) for each in failed]

    @property
    def expected(self) -> str:  # type: ignore[override]
        """What a value must be, as the start of a message."""
        if self._enum is not None:
            allowed = self._allowed
            names = [each if isinstance(each, str) else shown(each) for each in allowed]
            if len(names) > _CHOICES_SHOWN:
                names[_CHOICES_SHOWN:] = [f"{len(names) - _CHOICES_SHOWN} more"]
            return f"must be one of {', '.join(names)}" if names else "must not be sent"
        if self._is_never:
            return "must not be sent"
        if self.types is None:
            return "must be a valid value"
        types = [name for name in _NOUNS if name in self.types]
        if "number" in types:
            types.remove("integer")
        if "null" in types:
            types.remove("null")
        if self._allows_null:
            types.append("null")
        nouns = [
            _NOUNS[name] + (self._range if name in ("integer", "number") else "") for name in types
        ]
        return f"must be {' or '.join(nouns)}" if nouns else "must not be sent"

    def _mismatch(self, value: object) -> str:
        if isinstance(value, str):
            typed = (parse_number(value), {"true": True, "false": False}.get(value))
            if any(each is not None and self.accept(each) is not INVALID for each in typed):
                return f"{self.expected}, got the text {shown(value)}; {REMOVE_QUOTES}"
        problem = f"{self.expected}, got {shown(value)}"
        if isinstance(value, str) and self._enum is not None and len(self._enum) > _CHOICES_SHOWN:
            near = did_you_mean(value, [each for each in self._allowed if isinstance(each, str)])
            return f"{problem}; {near}" if near else problem
        return problem

    def is_wrong_type(self, value: Any) -> bool:
        """Return whether a value has another type, or is not one of the listed values."""
        if value is None:
            return not self._allows_null
        if value.__class__ not in self._accepts:
            return True
        is_listed = self._enum is None or json_key(value) in self._enum
        is_whole = not self._is_integer or not is_number(value) or _is_whole(value)
        return not (is_listed and is_whole)

    @cached_property
    def types(self) -> frozenset[str] | None:
        """The types of JSON that all parts allow; None if no part names one."""
        types: frozenset[str] | None = None
        for part in self.parts:
            own = _types_of(part.node)
            if own is not None:
                types = own if types is None else types & own
        return types

    @cached_property
    def _enum(self) -> Mapping[Hashable, object] | None:
        """The values that all parts list; None if no part lists any."""
        result: dict[Hashable, object] | None = None
        for part in self.parts:
            listed = [part.node["const"]] if "const" in part.node else []
            for values in (listed, part.node.get("enum")):
                if isinstance(values, list) and values:
                    own = {json_key(each): each for each in values}
                    if result is not None:
                        own = {key: each for key, each in own.items() if key in result}
                    result = own
        return result

    @property
    def _allowed(self) -> list[object]:
        """The listed values that have the right type."""
        listed = (self._enum or {}).values()
        allowed = [each for each in listed if not self.is_wrong_type(each)]
        return [*allowed, None] if self._allows_null and None not in allowed else allowed

    @cached_property
    def _is_integer(self) -> bool:
        return self.types is not None and "number" not in self.types

    @cached_property
    def _accepts(self) -> dict[type, Callable[[Any, Memo], object]]:
        """For each type that a value may have, what accepts it without its choices."""
        accepts: dict[type, Callable[[Any, Memo], object]] = {}
        if self._allows_null:
            accepts[type(None)] = _itself
        if self._is_never:
            return accepts
        known: dict[type, Callable[[Any, Memo], object]] = {
            str: partial(_accept_text, tuple(check.is_valid for check in self._of_text)),
            **dict.fromkeys((int, float, Decimal), self._accept_number),
            bool: _itself,
            list: self._accept_list,
            dict: self._accept_object,
        }
        for kind, accept in known.items():
            names = {_TYPES[kind], "integer"} if accept == self._accept_number else {_TYPES[kind]}
            if self.types is None or self.types & names:
                accepts[kind] = accept if self._enum is None else partial(self._listed, accept)
        return accepts

    @property
    def _is_never(self) -> bool:
        return any(part.node is NOTHING for part in self.parts)

    def _listed(self, accept: Callable[[Any, Memo], object], value: object, memo: Memo) -> object:
        is_listed = self._enum is not None and json_key(value) in self._enum
        return accept(value, memo) if is_listed else INVALID

    @cached_property
    def _allows_null(self) -> bool:
        """Whether null is valid, except for the choices."""
        for node, is_nullable in self.parts:
            types = _types_of(node)
            listed = [node["const"]] if "const" in node else node.get("enum", [None])
            is_listed = not isinstance(listed, list) or not listed or None in listed
            is_typed = types is None or "null" in types
            if not (is_nullable or (is_listed and is_typed and node is not NOTHING)):
                return False
        return True

    def _checks(self, value: object) -> Sequence[Check]:
        kind = _TYPES.get(value.__class__)
        if kind == "string":
            return self._of_text
        if kind == "number":
            return self._of_number
        if kind == "array":
            return self._of_list
        return self._of_object if kind == "object" else ()

    @cached_property
    def _of_text(self) -> tuple[Check, ...]:
        checks = [Check(_is_unicode, "must be a string of Unicode text")]
        checks += self._sizes("minLength", "maxLength", "character", "characters")
        for pattern in dict.fromkeys(self._texts("pattern")):
            if (regex := compiled(pattern)) is not None:
                checks.append(
                    Check(
                        partial(_matches, regex),
                        f"must match the pattern {pattern[:_PATTERN_SHOWN]}",
                    )
                )
        for name in dict.fromkeys(self._texts("format")):
            if name in FORMATS:
                noun, is_valid = FORMATS[name]
                checks.append(Check(is_valid, f"must be {noun}"))
        return tuple(checks)

    @cached_property
    def _limits(self) -> tuple[Any, bool, Any, bool]:
        """The lowest number, whether it is excluded, the highest, and whether it is."""
        low, is_above, high, is_below = None, False, None, False
        for node, _ in self.parts:
            for is_open, limit in _limits_of(node, "minimum", "exclusiveMinimum"):
                if low is None or (limit, is_open) > (low, is_above):
                    low, is_above = limit, is_open
            for is_open, limit in _limits_of(node, "maximum", "exclusiveMaximum"):
                if high is None or (limit, not is_open) < (high, not is_below):
                    high, is_below = limit, is_open
        return low, is_above, high, is_below

    @property
    def _range(self) -> str:
        low, is_above, high, is_below = self._limits
        if low is not None and high is not None and not is_above and not is_below:
            return f" from {low} to {high}"
        texts = []
        if low is not None:
            texts.append(f"greater than {low}" if is_above else f"of at least {low}")
        if high is not None:
            texts.append(f"less than {high}" if is_below else f"of at most {high}")
        return f" {' and '.join(texts)}" if texts else ""

    @cached_property
    def _of_number(self) -> tuple[Check, ...]:
        checks = [Check(_is_finite, "must be a number that JSON can represent")]
        low, is_above, high, is_below = self._limits

        def is_within(value: Any) -> bool:
            return (low is None or (value > low if is_above else value >= low)) and (
                high is None or (value < high if is_below else value <= high)
            )

        if low is not None or high is not None:
            noun = _NOUNS["integer" if self._is_integer else "number"]
            checks.append(Check(is_within, f"must be {noun}{self._range}"))
        for node, _ in self.parts:
            step, name = node.get("multipleOf"), node.get("format")
            if _is_limit(step) and step > 0:
                check = partial(_is_multiple, step=Decimal(str(step)))
                checks.append(Check(check, f"must be a multiple of {step}"))
            if isinstance(name, str) and name in _RANGES and self._is_integer:
                end = _RANGES[name]
                expected = f"must be an integer from {-end} to {end - 1} ({name})"
                checks.append(Check(partial(_is_between, -end, end - 1), expected))
        return tuple(dict.fromkeys(checks))

    @cached_property
    def _of_list(self) -> tuple[Check, ...]:
        checks = self._sizes("minItems", "maxItems", "item", "items")
        if any(node.get("uniqueItems") is True for node, _ in self.parts):
            checks.append(
                Check(
                    lambda value: len(set(map(json_key, value))) == len(value),
                    "must have unique items",
                    lambda value: f"{shown(next(_repeated(value)))} twice",
                )
            )
        return tuple(checks)

    @cached_property
    def _of_object(self) -> tuple[Check, ...]:
        return tuple(self._sizes("minProperties", "maxProperties", "property", "properties"))

    def _sizes(self, least: str, most: str, singular: str, plural: str) -> list[Check]:
        """Return the check of a length, unless every length is valid."""
        lows = [node[least] for node, _ in self.parts if _is_limit(node.get(least))]
        highs: list[Any] = [node[most] for node, _ in self.parts if _is_limit(node.get(most))]
        low: Any = max(lows, default=0)
        high: Any = min(highs, default=None)
        if high is None:
            text = f"at least {low} {singular if low == 1 else plural}"
        elif low <= 0 or low > high:
            text = f"at most {high} {singular if high == 1 else plural}"
        elif low == high:
            text = f"exactly {low} {singular if low == 1 else plural}"
        else:
            text = f"{low} to {high} {plural}"
        if low <= 0 and high is None:
            return []
        return [
            Check(
                lambda value: low <= len(value) and (high is None or len(value) <= high),
                f"must have {text}",
                lambda value: str(len(value)),
            )
        ]

    def _texts(self, keyword: str) -> Iterator[str]:
        for node, _ in self.parts:
            if isinstance(text := node.get(keyword), str):
                yield text

    def _accept_number(self, value: Any, _: Memo) -> object:
        if self._is_integer and value.__class__ is not int:
            if not _is_whole(value):
                return INVALID
            if -_LONG < value < _LONG:
                value = int(value)
        for check in self._of_number:
            if not check.is_valid(value):
                return INVALID
        return value

    @cached_property
    def items(self) -> Items:
        """What the items of a list must be."""
        heads, tails = [], []
        for node, _ in self.parts:
            head, tail = node.get("prefixItems"), node.get("items", True)
            if isinstance(tail, list):  # of an earlier JSON Schema
                head, tail = tail, True
            heads.append(head if isinstance(head, list) else [])
            tails.append(tail)
        length = max(map(len, heads), default=0)
        return Items(
            tuple(
                self.make(
                    tuple(
                        head[index] if index < len(head) else tail
                        for head, tail in zip(heads, tails, strict=True)
                    )
                )
                for index in range(length)
            ),
            self.make(tuple(tail for tail in tails if tail is not True)),
            any("items" in node or "prefixItems" in node for node, _ in self.parts),
        )

    def _accept_list(self, value: list[Any], memo: Memo) -> object:
        for check in self._of_list:
            if not check.is_valid(value):
                return INVALID
        result = []
        head, tail, _ = self.items
        for index, item in enumerate(value):
            field = tail if index >= len(head) else head[index]
            accepted = field.accept_within(item, memo)
            if accepted is INVALID:
                return INVALID
            result.append(accepted)
        return result

    @cached_property
    def shape(self) -> Shape:
        """What the properties of an object must be."""
        return Shape([node for node, _ in self.parts], self.make)

    def _accept_object(self, value: dict[str, Any], memo: Memo) -> object:
        shape = self.shape
        for check in self._of_object:
            if not check.is_valid(value):
                return INVALID
        for name in shape.required:
            if name not in value:
                return INVALID
        result = {}
        for name, item in value.items():
            field = shape.simple.get(name)
            if field is None:
                accepted = self._accept_other(name, item, memo)
            elif field.is_hidden:
                continue
            else:
                accepted = field.accept_within(item, memo)
            if accepted is INVALID:
                return INVALID
            if accepted is not _DROPPED:
                result[name] = accepted
        return result

    def _accept_other(self, name: str, item: object, memo: Memo) -> object:
        """Return the value of a property that has no field of its own, or several fields."""
        fields = self.shape.of(name)
        if fields is None or not self.shape.is_name(name):
            return INVALID
        if not fields or any(each.is_hidden for each in fields):
            return _DROPPED
        kept = [each.accept_within(item, memo) for each in fields]
        if INVALID in kept:
            return INVALID
        return kept[0] if len(kept) == 1 else _merged(item, kept)

    @cached_property
    def choices(self) -> tuple[Choices, ...]:
        """The alternatives of which a value must meet some, or none."""
        return tuple(
            choices
            for part in self.parts
            for choices in _choices_of(part, self.make, self._name_of)
        )

    def _with_choices(self, value: object, own: object, memo: Memo) -> object:
        """Return the result of a value with what its choices add to it, or `INVALID`."""
        added = []
        for choices in self.choices:
            if value is None and choices.skips_null:
                continue
            matches = choices.matches(value, memo)
            if matches is None:
                return INVALID
            added += matches
        kind = value.__class__
        results = [
            result
            for field, result in added
            if result is not ASSUMED and (kind not in (dict, list) or kind in field.declares)
        ]
        if kind in self._declares or not results:
            results.insert(0, own)
        return results[0] if len(results) == 1 else _merged(value, results)

    @property
    def _declares(self) -> frozenset[type]:
        """The types of which the schema itself describes the parts: dict and list."""
        kinds: set[type] = set()
        if self.shape.declares:
            kinds.add(dict)
        if self.items.declares:
            kinds.add(list)
        return frozenset(kinds)

    @cached_property
    def declares(self) -> frozenset[type]:
        """The types of which the schema, or one of its choices, describes the parts."""
        return frozenset(kind for field in self._in_place() for kind in field._declares)

    @cached_property
    def types_named(self) -> frozenset[str]:
        """The types that the schema, or one of its choices, names."""
        return frozenset(name for field in self._in_place() for name in field.types or ())

    def _in_place(self) -> Iterator[SchemaField]:
        """Yield the field and those of all choices, also of theirs: they are for the same value."""
        pending, seen = [self], {id(self)}
        while pending:
            field = pending.pop()
            yield field
            for choices in field.choices:
                for _, branch in choices.branches if choices.kind != "not" else ():
                    if id(branch) not in seen:
                        seen.add(id(branch))
                        pending.append(branch)

    def typed(self, value: object) -> object:
        """Return a value that has texts, as in a query or a form, with those of its schema's types.

        A text stays one where no other type is valid.
        """
        if isinstance(value, str):
            candidates: list[object] = list(self._candidates(value))
        elif isinstance(value, (list, dict)):
            candidates = [field._typed_parts(value) for field in self._in_place()]
        else:
            return value
        valid = (each for each in candidates if self.accept(each) is not INVALID)
        return next(valid, candidates[0])

    def _typed_parts(self, value: list[object] | dict[str, object]) -> object:
        if isinstance(value, list):
            return [self.items.at(index).typed(each) for index, each in enumerate(value)]
        typed = {}
        for name, each in value.items():
            fields = self.shape.of(name) or ()
            typed[name] = fields[0].typed(each) if fields else each
        return typed

    def _candidates(self, text: str) -> Iterator[object]:
        """Yield the values for which a text may stand, the likeliest first."""
        types = self.types_named
        if not types:  # such as of an enum without a type
            yield text
        if not types or types & {"integer", "number"}:
            number = parse_number(text)
            if number is not None:
                yield number
        if (not types or "boolean" in types) and text in ("true", "false"):
            yield text == "true"
        if text in ("", "null") and "string" not in types and self.accept(None) is not INVALID:
            yield None
        if "array" in types:  # of which a query or a form can have one item
            yield from (field._typed_parts([text]) for field in self._in_place())
        if types:
            yield text


class TextField(ContractField):
    """A value that is sent as texts, such as a parameter: a text, a list or an object of them."""

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
        return self.field.accept(self.field.typed(value))

    def problem(self, value: object) -> str:
        """Return the first problem of an invalid value."""
        return self.problems(value)[0][1]

    def problems(self, value: object) -> list[ValueProblem]:
        """Return every problem of a value; none if it is valid."""
        return self.field.problems(self.field.typed(value))


class Items(NamedTuple):
    """What the items of a list must be.

    :param head: the fields of the first items, one for each.
    :param tail: that of the others.
    :param declares: whether the schema says anything about items.
    """

    head: tuple[SchemaField, ...]
    tail: SchemaField
    declares: bool

    def at(self, index: int) -> SchemaField:
        """Return the field of an item."""
        return self.head[index] if index < len(self.head) else self.tail


class Shape:
    """What the properties of an object must be, by all parts of a conjunction.

    :param fields: the declared properties, by name.
    :param required: the names that must be there.
    :param patterns: the fields of properties whose names match.
    :param other: that of the others; None if they must not be there.
    :param drops_others: whether others are ignored.
    :param names: what each name must be; None if it may be any.
    :param validator: the schema of marshmallow, which `schema_validation` makes.
    """

    def __init__(self, nodes: Sequence[Node], make: Make) -> None:
        declared: dict[str, list[object]] = {}
        patterns: dict[str, list[object]] = {}
        others: list[object] = []
        names: list[object] = []
        is_parent = False
        for node in nodes:
            for found, keyword in ((declared, "properties"), (patterns, "patternProperties")):
                properties = node.get(keyword)
                for name, each in properties.items() if isinstance(properties, Mapping) else ():
                    found.setdefault(name, []).append(each)
            if isinstance(node.get("additionalProperties"), (bool, Mapping)):
                others.append(node["additionalProperties"])
            if "propertyNames" in node:
                names.append(node["propertyNames"])
            is_parent |= "discriminator" in node and not {"oneOf", "anyOf"} & node.keys()
        self.validator: Any = None
        self.fields = {name: make(tuple(each)) for name, each in declared.items()}
        self.patterns = [
            (regex, make(tuple(each)))
            for pattern, each in patterns.items()
            if (regex := compiled(pattern)) is not None
        ]
        self.declares = bool(declared or patterns or others)
        self.drops_others = False
        self.other: SchemaField | None = None
        if len(self.patterns) < len(patterns):
            self.other = make(())  # one that is not enforced may be that of any name
        elif False not in others:
            self.other = make(tuple(others))
            self.drops_others = self.declares and not others and not is_parent
        self.names = make(tuple(names)) if names else None
        listed = [name for node in nodes for name in _names(node.get("required"))]
        self.required = tuple(
            name
            for name in dict.fromkeys(listed)
            if name not in self.fields or not self.fields[name].is_hidden
        )
        self.simple = {} if self.patterns or self.names else self.fields
        """The properties whose value has one field, and whose name needs no check."""

    def of(self, name: str) -> tuple[SchemaField, ...] | None:
        """Return the fields of a property, () if it is dropped, or None if it must not be there."""
        found = [field for regex, field in self.patterns if regex.search(name)]
        if name in self.fields:
            found.insert(0, self.fields[name])
        if found or self.drops_others:
            return tuple(found)
        return None if self.other is None else (self.other,)

    def is_name(self, name: str) -> bool:
        """Return whether a property may have a name."""
        return _is_unicode(name) and (self.names is None or self.names.accept(name) is not INVALID)


class Choices(NamedTuple):
    """Alternatives: the value must meet one of them, exactly one, or not the only one.

    :param kind: ``oneOf``, ``anyOf`` or ``not``.
    :param branches: the name of each in the document, which may be empty, and its field.
    :param skips_null: whether null is valid without any of them.
    :param tag: the name of the property that decides; empty without one.
    :param tagged: the branch for each of its values.
    """

    kind: str
    branches: tuple[tuple[str, SchemaField], ...]
    skips_null: bool
    tag: str = ""
    tagged: Mapping[str, SchemaField] = {}

    def chosen(self, value: object) -> SchemaField | None:
        """Return the branch that the value names itself, if any."""
        tag = value.get(self.tag) if self.tag and isinstance(value, dict) else None
        return self.tagged.get(tag) if isinstance(tag, str) else None

    def matches(self, value: object, memo: Memo) -> list[tuple[SchemaField, object]] | None:
        """Return the branches that a value meets, with their results; None if it is invalid."""
        chosen = self.chosen(value)
        branches = [each for _, each in self.branches] if chosen is None else [chosen]
        results = [(each, each.accept_within(value, memo)) for each in branches]
        if self.kind == "not":
            return [] if results[0][1] in (INVALID, ASSUMED) else None
        matching = [(each, result) for each, result in results if result is not INVALID]
        is_valid = len(matching) == 1 if self.kind == "oneOf" else matching
        return matching if is_valid else None


NOTHING: Final[Mapping[str, Any]] = {"not": True}
"""The schema `false`, for which no value is valid."""


def _choices_of(part: Part, make: Make, name_of: Callable[[Node], str]) -> Iterator[Choices]:
    node = part.node
    for kind in ("oneOf", "anyOf"):
        listed = node.get(kind)
        if isinstance(listed, list) and listed:
            names = [name_of(each) if isinstance(each, Mapping) else "" for each in listed]
            branches = tuple(zip(names, [make((each,)) for each in listed], strict=True))
            tag, tagged = _tags(node.get("discriminator"), listed, branches)
            yield Choices(kind, branches, part.is_nullable, tag, tagged)
    if isinstance(node.get("not"), (bool, Mapping)) and node is not NOTHING:
        yield Choices("not", (("", make((node["not"],))),), part.is_nullable)


def _tags(
    described: object, listed: Sequence[object], branches: Sequence[tuple[str, SchemaField]]
) -> tuple[str, Mapping[str, SchemaField]]:
    """Return the property that a discriminator names, and the branch for each of its values."""
    tag = described.get("propertyName") if isinstance(described, Mapping) else None
    if not isinstance(described, Mapping) or not isinstance(tag, str):
        return "", {}
    names = {name: field for name, field in branches if name}
    tagged = {}
    mapping = described.get("mapping")
    for value, target in mapping.items() if isinstance(mapping, Mapping) else ():
        for node, (name, field) in zip(listed, branches, strict=True):
            if isinstance(node, Mapping) and target in (node.get("$ref"), name):
                tagged[value] = field
    return tag, tagged | {name: each for name, each in names.items() if name not in tagged}


def _types_of(node: Node) -> frozenset[str] | None:
    """Return the types that a schema names; None if it names none that JSON has."""
    named = node.get("type")
    names = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    types = {name for name in names if isinstance(name, str) and name in _NOUNS}
    if "number" in types:
        types.add("integer")
    return frozenset(types) or None


def _limits_of(node: Node, keyword: str, exclusive: str) -> Iterator[tuple[bool, Any]]:
    """Yield limits of a number, each after whether it is excluded.

    `exclusive` is a boolean in OpenAPI 3.0, else a number.
    """
    limit, other = node.get(keyword), node.get(exclusive)
    if _is_limit(limit):
        yield other is True, limit
    if _is_limit(other):
        yield True, other


def _names(required: object) -> Iterator[str]:
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str):
            yield name


def _is_limit(value: object) -> TypeGuard[int | float | Decimal]:
    return is_number(value) and _is_finite(value)


def _is_whole(value: Any) -> bool:
    if isinstance(value, Decimal):
        # Not by int(), which takes forever for 1e999999.
        return value.is_finite() and value == value.to_integral_value()
    return isinstance(value, int) or bool(value.is_integer())


def _is_finite(value: Any) -> bool:
    if value.__class__ is int:
        return True
    return value.is_finite() if isinstance(value, Decimal) else abs(value) != float("inf")


def _is_between(low: int, high: int, value: Any) -> bool:
    return bool(low <= value <= high)


def _is_multiple(value: Any, step: Decimal) -> bool:
    """Return whether a number is an exact multiple, which Decimal's remainder cannot always say."""
    number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        return True  # another check rejects it
    top, bottom = number.as_tuple(), step.as_tuple()
    digits = int(Decimal((0, top.digits, 0)))
    divisor = int(Decimal((0, bottom.digits, 0)))
    shift = int(top.exponent) - int(bottom.exponent)
    if shift >= 0:
        return digits * int(pow(10, shift, divisor)) % divisor == 0
    if -shift > len(top.digits) + 1:
        return digits == 0
    return digits % (divisor * int(10**-shift)) == 0


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return False
    return True


def _itself(value: object, _: Memo) -> object:
    return value


def _matches(regex: re.Pattern[str], text: str) -> bool:
    return len(text) > PATTERN_TEXT or regex.search(text) is not None


def _accept_text(checks: Sequence[Callable[[str], bool]], value: str, _: Memo) -> object:
    for is_valid in checks:
        if not is_valid(value):
            return INVALID
    return value


def _repeated(items: Sequence[object]) -> Iterator[object]:
    seen = set()
    for item in items:
        key = json_key(item)
        if key in seen:
            yield item
        seen.add(key)


def _merged(value: Any, results: Sequence[Any]) -> object:
    """Return what several schemas have accepted of a value: everything that one of them keeps."""
    if isinstance(value, dict):
        return {
            name: _merged(each, kept)
            for name, each in value.items()
            if (kept := [result[name] for result in results if name in result])
        }
    if isinstance(value, list):
        return [
            _merged(each, [result[index] for result in results]) for index, each in enumerate(value)
        ]
    return next((each for each in results if each.__class__ is int), results[0])
