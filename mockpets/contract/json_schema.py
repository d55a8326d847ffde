"""Validate values by JSON Schemas, as in OpenAPI 3.0 and 3.1.

A `SchemaField` is the conjunction of some schemas: a schema, its target if it is a reference, and
the parts of its `allOf`. Everything is made when a value first needs it, since a schema may contain
itself. `schema_fields` collects the parts, `constraints` checks a value itself, and
`schema_validation` reports the problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property, partial
from operator import is_
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.constants import PROBLEMS_SHOWN
from mockpets.contract.constraints import (
    NOUNS,
    is_finite,
    json_key,
    limits_of,
    list_checks,
    number_checks,
    object_checks,
    text_checks,
    types_of,
)
from mockpets.contract.fields import (
    INVALID,
    JSON_TYPES,
    POSITION,
    ContractField,
    Invalid,
    is_number,
    is_unicode,
    is_whole,
    parse_number,
)
from mockpets.contract.patterns import matcher
from mockpets.errors import did_you_mean
from mockpets.kept_results import Results
from mockpets.strict_json import REMOVE_QUOTES, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from mockpets.contract.constraints import Check
    from mockpets.contract.fields import ValueProblem

    Node = Mapping[str, Any]
    Make = Callable[[tuple[object, ...]], "SchemaField"]
    """Returns the field of the conjunction of some schemas of the document."""
    Validate = Callable[["SchemaField", object], list[ValueProblem]]
    Accept = Callable[[Any, "Memo"], object]
    Checks = Sequence[Callable[[Any], bool]]

NESTED_CHOICES: Final = 40
"""Levels of nested `oneOf`, `anyOf` and `not` that are enforced."""
_CHOICES_SHOWN: Final = 10
"""The number of choices that a message lists."""
_LONG: Final = 10**40
"""An integer of this size or larger stays a Decimal, as in strict_json: int() may take forever."""
_PLANS: Final = 32
"""For each schema: clients send the same few properties all the time."""
_KEPT_LENGTH: Final = 1024
"""Characters of the names of an object's properties whose `Plan` may be kept."""
_HIDDEN: Final = object()
"""The result for a property that the direction hides, whatever other schemas keep of it."""
NEVER_VALID: Final[Mapping[str, Any]] = {"not": True}
"""The schema `false`, for which no value is valid."""
ASSUMED: Final = object()
"""The result for a value that is already being validated by the same schema."""


class Part(NamedTuple):
    """One schema of a conjunction, without its reference and its `allOf`.

    :param is_nullable: whether null is valid, whatever the node says.
    """

    node: Node
    is_nullable: bool


class Memo:
    """The results so far for one value: each schema validates each part of it once.

    :param keeps_undeclared: whether properties that no schema declares are kept.
    :param hides: whether a result has hidden properties, marked by `_HIDDEN`.
    """

    __slots__ = ("depth", "hides", "keeps_undeclared", "results")

    def __init__(self, keeps_undeclared: bool) -> None:
        self.results: dict[tuple[int, int], object] = {}
        self.depth = 0
        self.keeps_undeclared = keeps_undeclared
        self.hides = False


class SchemaField(ContractField):
    """The field of a value that a document describes.

    `accept` returns the value without what the schema does not describe, or the value itself if
    everything is described: an undeclared property is kept only if `additionalProperties` allows it
    explicitly, or if no property is declared.

    :param parts: the schemas that must all hold; empty if every value is valid.
    :param is_hidden: whether a property is left out in the direction of the fields: those that are
        read-only in a request, and write-only in a response.
    :param name: the name of the schema in the document; empty for an inline schema.
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
        self._nodes = [part.node for part in parts]
        self.make = make
        self._name_of = name_of
        self.is_hidden = is_hidden
        self._validate = validate

    def accept(self, value: object, *, keeps_undeclared: bool = False) -> object:
        """Return the value without what the schema does not describe, or `INVALID`.

        :param keeps_undeclared: leave out only what the direction hides.
        """
        memo = Memo(keeps_undeclared)
        result = self.accept_within(value, memo)
        return _without_hidden(result) if memo.hides else result

    def accept_within(self, value: Any, memo: Memo) -> object:
        """Return the result of `accept` for a part of the value to which `memo` belongs.

        It has hidden properties as `_HIDDEN`, since another schema may keep them.
        """
        accept = self.accepts.get(value.__class__)
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
        """Return at most `PROBLEMS_SHOWN` problems of a value; an empty list if it is valid."""
        if self.accept(value) is not INVALID:
            return []
        return self._validate(self, value)[:PROBLEMS_SHOWN] or [((), "is invalid")]

    def problems_here(self, value: Any) -> list[str]:
        """Return the problems of a value itself, without its properties, items and choices."""
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
            of = "one of " if len(names) > 1 else ""
            return f"must be {of}{', '.join(names)}" if names else "must not be sent"
        if self._is_never:
            return "must not be sent"
        if self.types is None:
            return "must be a valid value"
        types = [name for name in NOUNS if name in self.types]
        if "number" in types:
            types.remove("integer")
        if "null" in types:
            types.remove("null")
        if self._allows_null:
            types.append("null")
        limits = limits_of(self._nodes).text
        nouns = [NOUNS[name] + (limits if name in ("integer", "number") else "") for name in types]
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
        if value.__class__ not in self.accepts:
            return True
        if self._is_integer and is_number(value) and not is_whole(value):
            return True
        return not self._is_listed(value)

    @cached_property
    def types(self) -> frozenset[str] | None:
        """The JSON types that all parts allow; None if no part lists one."""
        types: frozenset[str] | None = None
        for node in self._nodes:
            own = types_of(node)
            if own is not None:
                types = own if types is None else types & own
        return types

    @cached_property
    def _enum(self) -> Mapping[Hashable, object] | None:
        """The values that all parts list; None if no part lists any."""
        result: dict[Hashable, object] | None = None
        for node in self._nodes:
            listed = [node["const"]] if "const" in node else []
            for values in (listed, node.get("enum")):
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
    def plain(self) -> Mapping[type, Checks]:
        """What checks a value of each valid type that is accepted as it is; without choices."""
        known: dict[type, Checks] = {
            str: [each.is_valid for each in self._of_text],
            int: [each.is_valid for each in self._of_number if each.is_valid is not is_finite],
            bool: (),
        }
        listed = () if self._enum is None else (self._is_listed,)
        plain = {kind: (*listed, *checks) for kind, checks in known.items() if self._allows(kind)}
        return {**plain, type(None): ()} if self._allows_null else plain

    @cached_property
    def accepts(self) -> Mapping[type, Accept]:
        """The function that accepts a value of each valid type, without its choices."""
        known: dict[type, Accept] = {
            **dict.fromkeys((float, Decimal), self._accept_number),
            list: self._accept_list,
            dict: self._accept_object if self.parts else self._accept_any_object,
        }
        if self._enum is not None:
            known = {kind: partial(self._accept_listed, each) for kind, each in known.items()}
        plain = {kind: partial(_accept_plain, checks) for kind, checks in self.plain.items()}
        return plain | {kind: each for kind, each in known.items() if self._allows(kind)}

    def _allows(self, kind: type) -> bool:
        """Return whether values of a type other than null may be valid."""
        name = JSON_TYPES[kind]
        names = {"number", "integer"} if name == "number" else {name}
        return not self._is_never and (self.types is None or bool(self.types & names))

    @property
    def _is_never(self) -> bool:
        return any(node is NEVER_VALID for node in self._nodes)

    def _is_listed(self, value: object) -> bool:
        return self._enum is None or json_key(value) in self._enum

    def _accept_listed(self, accept: Accept, value: object, memo: Memo) -> object:
        return accept(value, memo) if self._is_listed(value) else INVALID

    @cached_property
    def _allows_null(self) -> bool:
        """Whether null is valid, except for the choices."""
        for node, is_nullable in self.parts:
            types = types_of(node)
            listed = [node["const"]] if "const" in node else node.get("enum", [None])
            is_listed = not isinstance(listed, list) or not listed or None in listed
            is_typed = types is None or "null" in types
            if not (is_nullable or (is_listed and is_typed and node is not NEVER_VALID)):
                return False
        return True

    def _checks(self, value: object) -> Sequence[Check]:
        kind = JSON_TYPES.get(value.__class__)
        if kind == "string":
            return self._of_text
        if kind == "number":
            return self._of_number
        if kind == "array":
            return self._of_list
        return self._of_object if kind == "object" else ()

    @cached_property
    def _of_text(self) -> tuple[Check, ...]:
        return text_checks(self._nodes)

    @cached_property
    def _of_number(self) -> tuple[Check, ...]:
        return number_checks(self._nodes, is_integer=self._is_integer)

    @cached_property
    def _of_list(self) -> tuple[Check, ...]:
        return list_checks(self._nodes)

    @cached_property
    def _of_object(self) -> tuple[Check, ...]:
        return object_checks(self._nodes)

    def _accept_number(self, value: Any, _: Memo) -> object:
        if self._is_integer:
            if not is_whole(value):
                return INVALID
            if -_LONG < value < _LONG:
                value = int(value)
        for check in self._of_number:
            if not check.is_valid(value):
                return INVALID
        return value

    @cached_property
    def items(self) -> Items:
        """The fields of the items of an array."""
        return Items.of(self._nodes, self.make)

    def _accept_list(self, value: list[Any], memo: Memo) -> object:
        for check in self._of_list:
            if not check.is_valid(value):
                return INVALID
        head, tail, _ = self.items
        kinds = {*map(type, value)}
        if len(kinds) == 1 and not head and not tail.choices:
            checks = tail.plain.get(*kinds)
            if checks is not None:
                for is_valid in checks:  # without a call for each item
                    if not all(map(is_valid, value)):
                        return INVALID
                return value
        result = []
        for index, item in enumerate(value):
            field = tail if index >= len(head) else head[index]
            accepted = field.accept_within(item, memo)
            if accepted is INVALID:
                return INVALID
            result.append(accepted)
        return value if all(map(is_, result, value)) else result

    @cached_property
    def shape(self) -> Shape:
        """The fields of the properties of an object."""
        return Shape(self._nodes, self.make)

    def _accept_object(self, value: dict[str, Any], memo: Memo) -> object:
        key = (*value, *map(type, value.values()))
        plan: Plan | Invalid | None = self.shape.plans.get(key)
        if plan is None:
            plan = self._plan_of(value)
            if sum(map(len, value)) <= _KEPT_LENGTH:
                self.shape.plans.keep(key, plan)
        if plan is INVALID:
            return INVALID
        texts, checks, parts, hidden, undeclared = plan
        if texts and not is_unicode("".join(map(value.__getitem__, texts))):
            return INVALID
        for name, is_valid in checks:
            if not is_valid(value[name]):
                return INVALID
        result = value
        for name, accept in parts:
            accepted = accept(value[name], memo)
            if accepted is not value[name]:
                if accepted is INVALID:
                    return INVALID
                if result is value:
                    result = dict(value)
                result[name] = accepted
        if hidden:
            memo.hides = True
            result = {**result, **hidden}
        if undeclared and not memo.keeps_undeclared:
            result = dict(result)
            for name in undeclared:
                del result[name]
        return result

    def _plan_of(self, value: dict[str, Any]) -> Plan | Invalid:
        """Return how objects with the names and types of a value are accepted."""
        shape, plan = self.shape, Plan([], [], [], {}, [])
        if not shape.required <= value.keys():
            return INVALID
        if not all(check.is_valid(value) for check in self._of_object):
            return INVALID
        for name, item in value.items():
            fields, kind = shape.of(name), item.__class__
            if fields is None or not shape.is_name(name):
                return INVALID
            if not fields:
                plan.undeclared.append(name)
            elif any(each.is_hidden for each in fields):
                plan.hidden[name] = _HIDDEN
            elif any(kind not in each.accepts for each in fields):
                return INVALID
            elif len(fields) > 1:
                plan.parts.append((name, partial(_accept_by_all, fields)))
            elif fields[0].choices:
                plan.parts.append((name, fields[0].accept_within))
            elif kind not in fields[0].plain:
                plan.parts.append((name, fields[0].accepts[kind]))
            else:
                checks = fields[0].plain[kind]
                plan.checks.extend((name, each) for each in checks if each is not is_unicode)
                if kind is str:
                    plan.texts.append(name)
        return plan

    def _accept_any_object(self, value: dict[str, Any], memo: Memo) -> object:
        """Return what `_accept_object` does without a schema, in fewer calls.

        Beside a `oneOf` or `anyOf`, objects in objects have many such values.
        """
        result = {}
        for name, item in value.items():
            accept = self.accepts.get(item.__class__)
            accepted = INVALID if accept is None or not is_unicode(name) else accept(item, memo)
            if accepted is INVALID:
                return INVALID
            result[name] = accepted
        return result

    @cached_property
    def choices(self) -> tuple[Choices, ...]:
        """The alternatives of all parts."""
        return tuple(
            choices
            for part in self.parts
            for choices in _choices_of(part, self.make, self._name_of)
        )

    def _with_choices(self, value: object, own: object, memo: Memo) -> object:
        """Return the result for a value with the properties of its choices, or `INVALID`."""
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
        """`dict` and `list`, if the schema itself describes properties and items."""
        kinds: set[type] = set()
        if self.shape.declares:
            kinds.add(dict)
        if self.items.declares:
            kinds.add(list)
        return frozenset(kinds)

    @cached_property
    def declares(self) -> frozenset[type]:
        """`dict` and `list`, if the schema or one of its choices describes properties and items."""
        return frozenset(kind for field in self.in_place() for kind in field._declares)

    @cached_property
    def types_named(self) -> frozenset[str]:
        """The types that the schema, or one of its choices, lists."""
        return frozenset(name for field in self.in_place() for name in field.types or ())

    def may_have(self, name: str) -> bool:
        """Return whether a value may be an object, or a list that has the position."""
        wanted = {"object", "array"} if POSITION.fullmatch(name) else {"object"}
        fields = (self, *self._leaves())
        own, *others = (each.types is None or bool(each.types & wanted) for each in fields)
        return own and any(others)

    def inside(self, name: str) -> list[SchemaField]:
        """Return the fields that describe a property, or the item at a position."""
        fields: list[SchemaField] = []
        for each in self.in_place():
            fields += each.shape.of(name) or ()
            if each.items.declares and POSITION.fullmatch(name):
                fields.append(each.items.at(int(name)))
        return [each for each in fields if each.parts]

    @property
    def properties(self) -> Iterable[str]:
        """The names of the properties that an object has, also in one of the choices."""
        return dict.fromkeys(name for each in self.in_place() for name in each.shape.fields)

    def allows(self, name: str) -> bool:
        """Return whether a valid object may have a property."""
        return self._allows_here(name) and any(each._allows_here(name) for each in self._leaves())

    def _allows_here(self, name: str) -> bool:
        return not self.shape.fields or self.shape.of(name) is not None

    def _leaves(self) -> Iterator[SchemaField]:
        """Yield the fields for the same value that have no choices."""
        return (
            each
            for each in self.in_place()
            if all(choices.kind == "not" for choices in each.choices)
        )

    def in_place(self) -> Iterator[SchemaField]:
        """Yield the fields for the same value: the field itself, and its choices at any depth."""
        pending, seen = [self], {id(self)}
        while pending:
            field = pending.pop()
            yield field
            for choices in field.choices:
                for _, branch in choices.branches if choices.kind != "not" else ():
                    if id(branch) not in seen:
                        seen.add(id(branch))
                        pending.append(branch)


class Items(NamedTuple):
    """The fields of the items of an array.

    :param head: one for each of the first items.
    :param tail: the field of all other items.
    :param declares: whether the schema describes items.
    """

    head: tuple[SchemaField, ...]
    tail: SchemaField
    declares: bool

    @classmethod
    def of(cls, nodes: Sequence[Node], make: Make) -> Items:
        """Return the fields of the items of a conjunction."""
        heads, tails = [], []
        for node in nodes:
            head, tail = node.get("prefixItems"), node.get("items", True)
            if isinstance(tail, list):  # of an earlier JSON Schema
                head, tail = tail, True
            heads.append(head if isinstance(head, list) else [])
            tails.append(tail)
        length = max(map(len, heads), default=0)
        return cls(
            tuple(
                make(
                    tuple(
                        head[index] if index < len(head) else tail
                        for head, tail in zip(heads, tails, strict=True)
                    )
                )
                for index in range(length)
            ),
            make(tuple(tail for tail in tails if tail is not True)),
            any("items" in node or "prefixItems" in node for node in nodes),
        )

    def at(self, index: int) -> SchemaField:
        """Return the field of an item."""
        return self.head[index] if index < len(self.head) else self.tail


class Plan(NamedTuple):
    """How objects are accepted that have the same properties, with values of the same types.

    :param texts: the properties with a text, which must be Unicode.
    :param checks: what else checks a value that is accepted as it is, by property.
    :param parts: what accepts any other value, by property.
    :param hidden: the properties that the direction hides.
    :param undeclared: those that no schema describes.
    """

    texts: list[str]
    checks: list[tuple[str, Callable[[Any], bool]]]
    parts: list[tuple[str, Accept]]
    hidden: dict[str, object]
    undeclared: list[str]


class Shape:
    """The fields of the properties of an object, from all schemas of a conjunction.

    :param fields: those of the declared properties, by name.
    :param required: the names of required properties, in order.
    :param patterns: whether a name matches a pattern, and the field of its property.
    :param other: the field of all other properties; None if they are not allowed.
    :param drops_others: whether other properties are ignored, unless they are required.
    :param names: the field of each name; None if all names are valid.
    :param validator: the marshmallow schema, which `schema_validation` makes.
    """

    def __init__(self, nodes: Sequence[Node], make: Make) -> None:
        declared: dict[str, list[object]] = {}
        patterns: dict[str, list[object]] = {}
        others: list[object] = []
        names: list[object] = []
        is_parent = False
        for node in nodes:
            for known, keyword in ((declared, "properties"), (patterns, "patternProperties")):
                properties = node.get(keyword)
                for name, each in properties.items() if isinstance(properties, Mapping) else ():
                    known.setdefault(name, []).append(each)
            if isinstance(node.get("additionalProperties"), (bool, Mapping)):
                others.append(node["additionalProperties"])
            if "propertyNames" in node:
                names.append(node["propertyNames"])
            is_parent |= "discriminator" in node and not {"oneOf", "anyOf"} & node.keys()
        self.validator: Any = None
        self.fields = {name: make(tuple(each)) for name, each in declared.items()}
        self.patterns = [
            (is_match, make(tuple(each)))
            for pattern, each in patterns.items()
            if (is_match := matcher(pattern)) is not None
        ]
        self.declares = bool(declared or patterns or others)
        self.drops_others = False
        self.other: SchemaField | None = None
        if len(self.patterns) < len(patterns):
            self.other = make(())  # a pattern that is not enforced may match any name
        elif False not in others:
            self.other = make(tuple(others))
            self.drops_others = self.declares and not others and not is_parent
        self.names = make(tuple(names)) if names else None
        listed = [name for node in nodes for name in _names(node.get("required"))]
        self.required = dict.fromkeys(
            name for name in listed if name not in self.fields or not self.fields[name].is_hidden
        ).keys()
        self.plans = Results(_PLANS)
        """Each `Plan`, or `INVALID`, by the names of an object's properties and their types."""

    def of(self, name: str) -> tuple[SchemaField, ...] | None:
        """Return the fields of a property; () if it is dropped, None if it is not allowed."""
        fields = [field for is_match, field in self.patterns if is_match(name)]
        if name in self.fields:
            fields.insert(0, self.fields[name])
        if fields or (self.drops_others and name not in self.required):
            return tuple(fields)
        return None if self.other is None else (self.other,)

    def is_name(self, name: str) -> bool:
        """Return whether a property may have a name."""
        return is_unicode(name) and (self.names is None or self.names.accept(name) is not INVALID)


class Choices(NamedTuple):
    """The alternatives of a ``oneOf`` or ``anyOf``, or the single one of a ``not``.

    :param kind: ``oneOf``, ``anyOf`` or ``not``.
    :param branches: the name of each in the document, which may be empty, and its field.
    :param skips_null: whether null is valid without matching any of them.
    :param tag: the property of the discriminator; empty without one.
    :param tagged: the branch for each value of that property.
    """

    kind: str
    branches: tuple[tuple[str, SchemaField], ...]
    skips_null: bool
    tag: str = ""
    tagged: Mapping[str, SchemaField] = {}

    def chosen(self, value: object) -> SchemaField | None:
        """Return the branch that the value's discriminator names; None without one."""
        tag = value.get(self.tag) if self.tag and isinstance(value, dict) else None
        return self.tagged.get(tag) if isinstance(tag, str) else None

    def matches(self, value: object, memo: Memo) -> list[tuple[SchemaField, object]] | None:
        """Return the branches that a value matches, with their results; None if it is invalid."""
        chosen = self.chosen(value)
        branches = [each for _, each in self.branches] if chosen is None else [chosen]
        results = [(each, each.accept_within(value, memo)) for each in branches]
        if self.kind == "not":
            return [] if results[0][1] in (INVALID, ASSUMED) else None
        matching = [(each, result) for each, result in results if result is not INVALID]
        is_valid = len(matching) == 1 if self.kind == "oneOf" else matching
        return matching if is_valid else None


def _choices_of(part: Part, make: Make, name_of: Callable[[Node], str]) -> Iterator[Choices]:
    """Yield the alternatives of one schema of a conjunction."""
    node = part.node
    for kind in ("oneOf", "anyOf"):
        listed = node.get(kind)
        if isinstance(listed, list) and listed:
            names = [name_of(each) if isinstance(each, Mapping) else "" for each in listed]
            branches = tuple(zip(names, [make((each,)) for each in listed], strict=True))
            tag, tagged = _tags(node.get("discriminator"), listed, branches)
            yield Choices(kind, branches, part.is_nullable, tag, tagged)
    if isinstance(node.get("not"), (bool, Mapping)) and node is not NEVER_VALID:
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


def _names(required: object) -> Iterator[str]:
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str):
            yield name


def _accept_plain(checks: Checks, value: object, _: Memo) -> object:
    for is_valid in checks:
        if not is_valid(value):
            return INVALID
    return value


def _accept_by_all(fields: Sequence[SchemaField], value: object, memo: Memo) -> object:
    kept = [each.accept_within(value, memo) for each in fields]
    return INVALID if INVALID in kept else _merged(value, kept)


def _without_hidden(result: Any) -> Any:
    """Return the result of a field without hidden properties."""
    if isinstance(result, dict):
        return {name: _without_hidden(each) for name, each in result.items() if each is not _HIDDEN}
    return [*map(_without_hidden, result)] if isinstance(result, list) else result


def _merged(value: Any, results: Sequence[Any]) -> object:
    """Return a value with everything that one of several schemas keeps of it and none hides."""
    if _HIDDEN in results:
        return _HIDDEN
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
