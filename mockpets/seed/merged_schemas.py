"""What a schema asks for in one place: references followed, ``allOf`` merged, 3.0 read as 3.1."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mockpets.contract.constraints import INTEGERS, limits_of
from mockpets.strict_json import same_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.contract.openapi_loader import Document, Node

Number = int | Decimal
_Item = TypeVar("_Item")

_DEEPEST: Final = 40
"""Levels of ``allOf`` that are followed."""
_SIGNS: Final[Mapping[str, tuple[str, ...]]] = {
    "object": ("properties", "additionalProperties", "patternProperties", "required"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("pattern", "minLength", "maxLength", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""Keywords that imply a type where a schema has none."""
_NUMERIC_FORMATS: Final = {"int32": "integer", "int64": "integer", "float": "number"}


@dataclass(frozen=True, eq=False)
class Shape:
    """A schema, merged. Properties and items are still schemas.

    :param keys: the references and ids of the schemas that it is made of.
    :param types: allowed types without null; empty if all are.
    :param low: minimum, and whether it is excluded; `high` likewise.
    """

    name: str = ""
    keys: frozenset[str | int] = frozenset()
    types: tuple[str, ...] = ()
    is_nullable: bool = True
    choices: tuple[object, ...] | None = None
    properties: Mapping[str, Node] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    has_required: bool = False
    additional: Node | None = field(default_factory=dict)
    key_schema: Node | None = None
    key_patterns: Mapping[str, Node] = field(default_factory=dict)
    dependent: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sizes: tuple[int, int | None] = (0, None)
    items: Node | None = field(default_factory=dict)
    prefix: tuple[Node, ...] = ()
    contains: tuple[Node, int] | None = None
    lengths: tuple[int, int | None] = (0, None)
    counts: tuple[int, int | None] = (0, None)
    is_unique: bool = False
    low: tuple[Number, bool] | None = None
    high: tuple[Number, bool] | None = None
    multiples: tuple[Number, ...] = ()
    patterns: tuple[str, ...] = ()
    format: str = ""
    unions: tuple[Sequence[Node], ...] = ()
    forbidden: tuple[Node, ...] = ()
    tag: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[object, ...] = ()
    default: tuple[object, ...] = ()
    is_read_only: bool = False


class Shapes:
    """The shapes of a document's schemas, each merged once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        # Schemas and shapes are kept with the result, because their ids are the key.
        self._shapes: dict[int, tuple[object, Shape]] = {}
        self._branches: dict[tuple[int, int], tuple[Shape, object, Shape]] = {}
        self._merged: dict[tuple[int, int], tuple[Node, Node, Node]] = {}

    def of(self, schema: object) -> Shape:
        """Return the shape of a schema, also of true and false."""
        return self._of(schema, frozenset())

    def with_branch(self, shape: Shape, branch: Node) -> Shape:
        """Return the shape of a schema whose first union is replaced by one of its branches.

        Where the branch allows only its own properties, optional ones beside the union go.
        """
        key = id(shape), id(branch)
        if key not in self._branches:
            rest, other = replace(shape, unions=shape.unions[1:]), self.of(branch)
            if other.additional is None:
                kept = {*other.properties, *rest.required}
                listed = {name: part for name, part in rest.properties.items() if name in kept}
                rest = replace(rest, properties=listed)
            name = other.name or shape.name
            self._branches[key] = shape, branch, replace(both(rest, other), name=name)
        return self._branches[key][2]

    def merged(self, one: Node, other: Node) -> Node:
        """Return the schema of what is valid for two schemas, the same one each time."""
        key = id(one), id(other)
        if key not in self._merged:
            self._merged[key] = one, other, {"allOf": [one, other]}
        return self._merged[key][2]

    def _of(self, schema: object, around: frozenset[int]) -> Shape:
        """Return the shape of a part of some schemas; a circular part is left out."""
        known = self._shapes.get(id(schema))
        if known is not None:
            return known[1]
        shape = Shape()
        if isinstance(schema, dict):
            node = self._document.resolve(schema)
            if id(node) in around or len(around) > _DEEPEST:
                return shape
            shape = _own(node)
            for part in node.get("allOf", ()):
                shape = both(shape, self._of(part, around | {id(node)}))
            key = schema.get("$ref") or (id(schema) if "properties" in node else None)
            keys = shape.keys if key is None else shape.keys | {key}
            name = self._document.name_of(schema) or shape.name
            shape = replace(shape, name=name, keys=keys)
        self._shapes[id(schema)] = schema, shape
        return shape


def _own(node: Node) -> Shape:
    """Return the shape of a resolved schema without its ``allOf``."""
    types, is_nullable = _types(node)
    form = node.get("format", "")
    low, excludes_low, high, excludes_high = limits_of([node, INTEGERS.get(form, {})])
    tag = node.get("discriminator") or {}
    shape: dict[str, Any] = {
        "types": types,
        "is_nullable": is_nullable,
        "choices": _choices(node),
        "properties": node.get("properties", {}),
        "required": tuple(node.get("required", ())),
        "has_required": bool(node.get("required")),
        "additional": _rest(node.get("additionalProperties")),
        "key_schema": node.get("propertyNames"),
        "key_patterns": node.get("patternProperties", {}),
        "dependent": node.get("dependentRequired", {}),
        "sizes": (_count(node, "minProperties") or 0, _count(node, "maxProperties")),
        "items": _rest(node.get("items")),
        "prefix": tuple(node.get("prefixItems", ())),
        "lengths": (_count(node, "minLength") or 0, _count(node, "maxLength")),
        "counts": (_count(node, "minItems") or 0, _count(node, "maxItems")),
        "is_unique": node.get("uniqueItems") is True,
        "low": None if low is None else (low, excludes_low),
        "high": None if high is None else (high, excludes_high),
        "multiples": (node["multipleOf"],) if "multipleOf" in node else (),
        "patterns": (node["pattern"],) if "pattern" in node else (),
        "format": form,
        "forbidden": (node["not"],) if "not" in node else (),
        "tag": tag.get("propertyName", ""),
        "tags": tag.get("mapping", {}),
        "examples": _examples(node),
        "default": (node["default"],) if "default" in node else (),
        "is_read_only": node.get("readOnly") is True,
        "unions": tuple(node[keyword] for keyword in ("oneOf", "anyOf") if node.get(keyword)),
    }
    if "contains" in node:
        least = node.get("minContains", 1)
        shape["contains"] = (node["contains"], int(least)) if least else None
    return Shape(**shape)


def _rest(schema: object) -> Node | None:
    """Return the schema for what is not listed, or None if nothing else is allowed."""
    if schema is False:
        return None
    return schema if isinstance(schema, dict) else {}


def _types(node: Node) -> tuple[tuple[str, ...], bool]:
    """Return the types of a schema without null, and whether null is allowed."""
    listed = node.get("type", ())
    types: tuple[str, ...] = (listed,) if isinstance(listed, str) else tuple(listed)
    if not types:
        implied = [name for name, signs in _SIGNS.items() if any(sign in node for sign in signs)]
        values = _choices(node)
        if values is not None or not implied:
            return (), values is None or None in values
        form = _NUMERIC_FORMATS.get(node.get("format", ""))
        return (form or implied[0],), node.get("nullable") is True
    is_nullable = "null" in types or node.get("nullable") is True
    return tuple(each for each in types if each != "null") or ("null",), is_nullable


def _choices(node: Node) -> tuple[object, ...] | None:
    if "const" in node:
        return (node["const"],)
    return tuple(node["enum"]) if "enum" in node else None


def _count(node: Node, keyword: str) -> int | None:
    return int(node[keyword]) if keyword in node else None


def _examples(node: Node) -> tuple[object, ...]:
    listed = node.get("examples")
    examples = list(listed) if isinstance(listed, list) else []
    if "example" in node:
        examples.insert(0, node["example"])
    return tuple(examples)


def both(one: Shape, other: Shape) -> Shape:
    """Return the shape of what is valid for two shapes.

    A part without additional properties allows those of the other part, too: that is what the
    authors of such documents mean.
    """
    properties: dict[str, Any] = dict(one.properties)
    for name, schema in other.properties.items():
        known = properties.get(name)
        properties[name] = schema if known is None else _all_of(known, schema)
    return Shape(
        name=one.name or other.name,
        keys=one.keys | other.keys,
        types=_common_types(one.types, other.types),
        is_nullable=one.is_nullable and other.is_nullable,
        choices=_common_choices(one.choices, other.choices),
        properties=properties,
        required=tuple(dict.fromkeys(one.required + other.required)),
        has_required=one.has_required or other.has_required,
        additional=_all_of(one.additional, other.additional),
        key_schema=_all_of(one.key_schema or {}, other.key_schema or {}) or None,
        key_patterns={**one.key_patterns, **other.key_patterns},
        dependent={**one.dependent, **other.dependent},
        sizes=_range(one.sizes, other.sizes),
        items=_all_of(one.items, other.items),
        prefix=one.prefix or other.prefix,
        contains=one.contains or other.contains,
        lengths=_range(one.lengths, other.lengths),
        counts=_range(one.counts, other.counts),
        is_unique=one.is_unique or other.is_unique,
        low=max(filter(None, (one.low, other.low)), default=None),
        high=min(filter(None, (one.high, other.high)), key=_high_key, default=None),
        multiples=_distinct(one.multiples + other.multiples),
        patterns=tuple(dict.fromkeys(one.patterns + other.patterns)),
        format=one.format or other.format,
        unions=_distinct(one.unions + other.unions),
        forbidden=_distinct(one.forbidden + other.forbidden),
        tag=one.tag or other.tag,
        tags=one.tags or other.tags,
        examples=_distinct(one.examples + other.examples),
        default=one.default or other.default,
        is_read_only=one.is_read_only or other.is_read_only,
    )


def _distinct(items: tuple[_Item, ...]) -> tuple[_Item, ...]:
    """Return each object once, since a schema may be a part of another one in several ways."""
    return tuple({id(each): each for each in items}.values())


def _high_key(bound: tuple[Number, bool]) -> tuple[Number, bool]:
    return bound[0], not bound[1]


def _common_types(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    if not one or not other:
        return one or other
    common = [each for each in one if each in other]
    if "integer" in one + other and "number" in one + other and "integer" not in common:
        common = [each for each in common if each != "number"] + ["integer"]
    return tuple(common) or one


def _common_choices(
    one: tuple[object, ...] | None, other: tuple[object, ...] | None
) -> tuple[object, ...] | None:
    if one is None or other is None:
        return other if one is None else one
    return tuple(each for each in one if any(same_json(each, known) for known in other))


def _all_of(one: Node | None, other: Node | None) -> Node | None:
    if one is None or other is None:
        return None
    if one is other:
        return one
    return {"allOf": [one, other]} if one and other else one or other


def _range(one: tuple[int, int | None], other: tuple[int, int | None]) -> tuple[int, int | None]:
    ends = [end for end in (one[1], other[1]) if end is not None]
    return max(one[0], other[0]), min(ends, default=None)


def step_of(shape: Shape) -> Number:
    """Return what a number must be a multiple of; 0 for any number."""
    steps = [Decimal(each) for each in shape.multiples if each > 0]
    if "integer" in shape.types and "number" not in shape.types:
        steps.append(Decimal(1))
    if not steps:
        return 0
    scale = 10 ** max(0, *(-int(each.as_tuple().exponent) for each in steps))
    common = Decimal(math.lcm(*(int(each * scale) for each in steps))) / scale
    return int(common) if common == int(common) else common
