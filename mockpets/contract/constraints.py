"""The constraints of JSON Schema on a value itself: types, ranges, lengths, patterns and formats.

Each function reads the constraints of some schemas, all of which must hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from math import inf
from operator import le, lt
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard

from mockpets.contract.fields import is_number, is_unicode
from mockpets.contract.patterns import FORMATS, matcher
from mockpets.strict_json import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    Node = Mapping[str, Any]

_PATTERN_SHOWN: Final = 60
"""Characters of a pattern that a message repeats: about a line."""
NOUNS: Final[Mapping[str, str]] = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
"""Each JSON type, as messages name it."""
INTEGERS: Final[Mapping[str, Node]] = {
    "int32": {"minimum": -(2**31), "maximum": 2**31 - 1},
    "int64": {"minimum": -(2**63), "maximum": 2**63 - 1},
}
"""The range of each format of integers, as a schema."""


class Check(NamedTuple):
    """One constraint on the values of one type.

    :param expected: describes a valid value.
    :param got: describes an invalid one.
    """

    is_valid: Callable[[Any], bool]
    expected: str
    got: Callable[[Any], str] = shown

    def problem(self, value: object) -> str:
        """Return what is wrong with an invalid value."""
        return f"{self.expected}, got {self.got(value)}"


class Limits(NamedTuple):
    """The range of a number; None for an open end."""

    low: Any = None
    excludes_low: bool = False
    high: Any = None
    excludes_high: bool = False

    @property
    def allow(self) -> Callable[[Any], bool]:
        """What returns whether a number is in the range."""
        low = -inf if self.low is None else self.low
        high = inf if self.high is None else self.high
        if not self.excludes_low and not self.excludes_high:
            return lambda value: low <= value <= high
        is_above, is_below = lt if self.excludes_low else le, lt if self.excludes_high else le
        return lambda value: is_above(low, value) and is_below(value, high)

    @property
    def text(self) -> str:
        """The range as the end of a message, such as `` from 1 to 5``."""
        low, excludes_low, high, excludes_high = self
        if low is not None and high is not None and not excludes_low and not excludes_high:
            return f" from {low} to {high}"
        texts = []
        if low is not None:
            texts.append(f"greater than {low}" if excludes_low else f"of at least {low}")
        if high is not None:
            texts.append(f"less than {high}" if excludes_high else f"of at most {high}")
        return f" {' and '.join(texts)}" if texts else ""


def types_of(node: Node) -> frozenset[str] | None:
    """Return the JSON types that a schema allows; None if it lists no known type."""
    listed = node.get("type")
    names = [listed] if isinstance(listed, str) else listed if isinstance(listed, list) else []
    types = {name for name in names if isinstance(name, str) and name in NOUNS}
    if "number" in types:
        types.add("integer")
    return frozenset(types) or None


def limits_of(nodes: Sequence[Node]) -> Limits:
    """Return the range that all schemas allow for a number."""
    low, excludes_low, high, excludes_high = Limits()
    for node in nodes:
        for is_open, limit in _limits(node, "minimum", "exclusiveMinimum"):
            if low is None or (limit, is_open) > (low, excludes_low):
                low, excludes_low = limit, is_open
        for is_open, limit in _limits(node, "maximum", "exclusiveMaximum"):
            if high is None or (limit, not is_open) < (high, not excludes_high):
                high, excludes_high = limit, is_open
    return Limits(low, excludes_low, high, excludes_high)


def _limits(node: Node, keyword: str, exclusive: str) -> Iterator[tuple[bool, Any]]:
    """Yield whether a limit is exclusive, and the limit.

    `exclusive` is a boolean in OpenAPI 3.0, and a number in 3.1.
    """
    limit, other = node.get(keyword), node.get(exclusive)
    if _is_limit(limit):
        yield other is True, limit
    if _is_limit(other):
        yield True, other


def text_checks(nodes: Sequence[Node]) -> tuple[Check, ...]:
    checks = [Check(is_unicode, "must be a string of Unicode text")]
    checks += _sizes(nodes, "minLength", "maxLength", "character", "characters")
    for pattern in _texts(nodes, "pattern"):
        if (is_match := matcher(pattern)) is not None:
            checks.append(Check(is_match, f"must match the pattern {pattern[:_PATTERN_SHOWN]}"))
    for name in _texts(nodes, "format"):
        if name in FORMATS:
            noun, is_valid = FORMATS[name]
            checks.append(Check(is_valid, f"must be {noun}"))
    return tuple(checks)


def number_checks(nodes: Sequence[Node], *, is_integer: bool) -> tuple[Check, ...]:
    checks = [Check(is_finite, "must be a number that JSON can represent")]
    limits = limits_of(nodes)
    if limits != Limits():
        noun = NOUNS["integer" if is_integer else "number"]
        checks.append(Check(limits.allow, f"must be {noun}{limits.text}"))
    for node in nodes:
        step, name = node.get("multipleOf"), node.get("format")
        if _is_limit(step) and step > 0:
            check = partial(_is_multiple, step=Decimal(str(step)))
            checks.append(Check(check, f"must be a multiple of {step}"))
        if isinstance(name, str) and name in INTEGERS and is_integer:
            limits = limits_of([INTEGERS[name]])
            checks.append(Check(limits.allow, f"must be an integer{limits.text} ({name})"))
    return tuple({check.expected: check for check in checks}.values())


def list_checks(nodes: Sequence[Node]) -> tuple[Check, ...]:
    """Return the checks of an array, without those of its items."""
    checks = _sizes(nodes, "minItems", "maxItems", "item", "items")
    if any(node.get("uniqueItems") is True for node in nodes):
        checks.append(
            Check(
                lambda value: len(set(map(json_key, value))) == len(value),
                "must have unique items",
                lambda value: f"{shown(next(_repeated(value)))} twice",
            )
        )
    return tuple(checks)


def object_checks(nodes: Sequence[Node]) -> tuple[Check, ...]:
    """Return the checks of an object, without those of its properties."""
    return tuple(_sizes(nodes, "minProperties", "maxProperties", "property", "properties"))


def _sizes(nodes: Sequence[Node], least: str, most: str, singular: str, plural: str) -> list[Check]:
    """Return the check of a length, unless every length is valid."""
    lows = [node[least] for node in nodes if _is_limit(node.get(least))]
    highs: list[Any] = [node[most] for node in nodes if _is_limit(node.get(most))]
    low: Any = max(lows, default=0)
    high: Any = min(highs, default=None)
    if high is None:
        text = f"at least {low} {singular if low == 1 else plural}"
    elif low <= 0:
        text = f"at most {high} {singular if high == 1 else plural}"
    elif low > high:  # a contradiction of the document
        text = f"at least {low} and at most {high} {plural}"
    elif low == high:
        text = f"exactly {low} {singular if low == 1 else plural}"
    else:
        text = f"{low} to {high} {plural}"
    if low <= 0 and high is None:
        return []
    longest = inf if high is None else high
    return [
        Check(
            lambda value: low <= len(value) <= longest,
            f"must have {text}",
            lambda value: str(len(value)),
        )
    ]


def _texts(nodes: Sequence[Node], keyword: str) -> list[str]:
    """Return the different strings that schemas have for a keyword."""
    texts = [node.get(keyword) for node in nodes]
    return list(dict.fromkeys(text for text in texts if isinstance(text, str)))


def json_key(value: object) -> Hashable:
    """Return a key that equal JSON values share: 1 and 1.0 are equal, true and 1 are not."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return (dict, frozenset((name, json_key(each)) for name, each in value.items()))
    if isinstance(value, (list, tuple)):
        return (list, tuple(map(json_key, value)))
    return (isinstance(value, bool), value)


def _repeated(items: Sequence[object]) -> Iterator[object]:
    seen = set()
    for item in items:
        key = json_key(item)
        if key in seen:
            yield item
        seen.add(key)


def _is_limit(value: object) -> TypeGuard[int | float | Decimal]:
    return is_number(value) and is_finite(value)


def is_finite(value: Any) -> bool:
    if value.__class__ is int:
        return True
    return value.is_finite() if isinstance(value, Decimal) else abs(value) != float("inf")


def _is_multiple(value: Any, step: Decimal) -> bool:
    """Return whether a number is an exact multiple; Decimal's remainder has limited precision.

    Linear in the number of digits, of which `int` would take quadratic time.
    """
    number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        return True  # another check rejects it
    _, digits, exponent = number.as_tuple()
    _, step_digits, step_exponent = step.as_tuple()
    divisor = int(Decimal((0, step_digits, 0)))
    shift = int(exponent) - int(step_exponent)
    if shift < 0:
        digits, rest = digits[:shift], digits[shift:]
        if any(rest):
            return False
    remainder = 0
    for digit in digits:
        remainder = (remainder * 10 + digit) % divisor
    return remainder * int(pow(10, max(shift, 0), divisor)) % divisor == 0
