"""Shapes: declarations of what a part of a file may contain.

A shape can `read` a node, reporting every problem, and return its JSON `schema`, so that the
loader and an editor that uses the schema cannot disagree. The function in `convert` checks what a
schema cannot express, such as that a name exists or that the contract has a response.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from mockpets.constants import ACTIVE_NAME, EXPRESSION_LENGTH, NAME_LENGTH, SCENARIO_NAME
from mockpets.contract.fields import INVALID, is_whole
from mockpets.errors import did_you_mean
from mockpets.units import either, shortened

if TYPE_CHECKING:
    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Kind, Node
    from mockpets.scenario.language.yaml_scalars import Scalar

Schema = dict[str, Any]
"""A JSON Schema, 2020-12."""
_JSON_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,9})?"
"""A number in quotes for which a message says to remove them."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """The schemas that a document holds once, by name, at a location such as ``#/$defs/``.

    :param contracts: those whose names they list.
    """

    location: str
    contracts: Contracts
    schemas: dict[str, Schema] = field(default_factory=dict)

    def reference(self, name: str) -> Schema:
        """Return the schema that refers to the one of this name."""
        return {"$ref": f"{self.location}{name}"}


Convert = Callable[[Any, "Node", "Diagnostics"], Any] | None
_NAMES: Final[dict[Kind, tuple[str, str]]] = {
    "text": ("a string", "string"),
    "integer": ("a number", "number"),
    "number": ("a number", "number"),
    "boolean": ("true or false", "boolean"),
    "nothing": ("null", "null"),
    "list": ("a list", "array"),
    "mapping": ("a mapping", "object"),
}
"""Kind of node to its name in messages and in JSON Schema."""
ANY_KIND: Final = tuple(_NAMES)


@dataclass(frozen=True, slots=True)
class Shape:
    """The base of all shapes.

    :param description: editors show it.
    :param name: of its schema in a document, and so of a type in generated code; without a name,
        the schema is written where it is used.
    :param convert: converts the value that `read` returns, or reports a problem and returns
        `INVALID`.
    """

    description: str
    name: str = field(default="", kw_only=True)
    convert: Convert = field(default=None, kw_only=True)

    def read(self, node: Node, diagnostics: Diagnostics) -> Any:
        """Return the value of a node, or `INVALID`."""
        value = self._parse(node, diagnostics)
        if value is INVALID or self.convert is None:
            return value
        return self.convert(value, node, diagnostics)

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema; if the shape has a name, a reference to it in `definitions`."""
        if not self.name:
            return {"description": self.description, **self._json_schema(definitions)}
        if self.name not in definitions.schemas:
            looks = self._json_schema(definitions)
            definitions.schemas[self.name] = {"description": self.description, **looks}
        reference = definitions.reference(self.name)
        if self.description != definitions.schemas[self.name]["description"]:
            reference["description"] = self.description
        return reference

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        raise NotImplementedError

    def _json_schema(self, definitions: Definitions) -> Schema:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ByContracts(Shape):
    """A shape that names parts of the contracts.

    :param make: returns it; cached, because most documents are about the same contracts.
    """

    make: Callable[[Contracts], Shape]

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        return self.make(diagnostics.contracts).read(node, diagnostics)

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema of the shape."""
        return self.make(definitions.contracts).schema(definitions)


# --- Single values ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Value(Shape):
    """Any JSON value of some kinds, unchanged.

    :param mapping_hint: how to fix a mapping.
    """

    kinds: tuple[Kind, ...]
    mapping_hint: str = ""

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind in self.kinds:
            return node.plain()
        return diagnostics.reject(
            node,
            either(_NAMES[kind][0] for kind in self.kinds),
            self.mapping_hint if node.kind == "mapping" else "",
            is_string=self.kinds[0] == "text",
            is_quoted=self.kinds == ("boolean",) and node.value in ("true", "false"),
        )

    def _json_schema(self, _: Definitions) -> Schema:
        looks: Schema = {"type": list(dict.fromkeys(_NAMES[kind][1] for kind in self.kinds))}
        if "list" in self.kinds:
            looks["items"] = {"description": "A JSON value."}
        if "mapping" in self.kinds:
            looks["additionalProperties"] = True  # else generated types allow no property
        return looks


@dataclass(frozen=True, slots=True)
class Text(Shape):
    """A string.

    :param expected: the pattern in words, for messages.
    :param pattern: a regular expression for the whole string, with the same meaning in JSON Schema.
    :param advise: returns how to fix an invalid string, or an empty string.
    """

    expected: str = "a string"
    pattern: str = ""
    limit: int | None = None
    advise: Callable[[str], str] = lambda _: ""

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "text":
            return diagnostics.reject(node, self.expected, is_string=True)
        text = str(node.value)
        is_short = self.limit is None or len(text) <= self.limit
        if is_short and (not self.pattern or re.fullmatch(self.pattern, text)):
            return text
        return diagnostics.reject(node, self.expected, self.advise(text))

    def _json_schema(self, _: Definitions) -> Schema:
        if self.pattern.isalpha():  # matches only itself
            return {"type": "string", "const": self.pattern}
        looks: Schema = {"type": "string"}
        if self.pattern:
            looks["pattern"] = f"^(?:{self.pattern})$"
        if self.limit is not None:
            looks["maxLength"] = self.limit
        return looks


def kebab_case(
    description: str, kind: str = "a name in kebab-case", convert: Convert = None
) -> Text:
    """Return the shape of a name such as that of a scenario."""
    expected = f"{kind} (a-z, 0-9, single hyphens; at most {NAME_LENGTH} characters)"
    return Text(description, expected, SCENARIO_NAME, NAME_LENGTH, convert=convert)


def active_name(description: str) -> Text:
    """Return the shape of what a session can have active: a scenario's name, or an expression."""
    expected = "the name of a scenario in kebab-case, or OPERATION:STATE"
    return Text(description, expected, ACTIVE_NAME, EXPRESSION_LENGTH)


@dataclass(frozen=True, slots=True)
class Parsed(Shape):
    """A string that a parser converts, such as a duration or a rate.

    :param parse: returns the value, or raises ValueError; may be stricter than `pattern`.
    """

    expected: str
    pattern: str
    parse: Callable[[str], Any]

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind not in ("text", "integer", "number"):
            return diagnostics.reject(node, self.expected)
        try:
            return self.parse(str(node.value) if node.kind == "text" else node.shown())
        except ValueError as error:
            return diagnostics.add(node, str(error))

    def _json_schema(self, _: Definitions) -> Schema:
        return {"type": "string", "pattern": f"^(?:{self.pattern})$"}


@dataclass(frozen=True, slots=True)
class Number(Shape):
    """A number in an inclusive range; 1.0 is an integer, as in JSON Schema."""

    low: int
    high: int
    whole: bool = True

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        value = node.value
        if node.kind in ("integer", "number") and self._accepts(value):
            return int(value) if self.whole else float(value)
        kind = "an integer" if self.whole else "a number"
        text = value if node.kind == "text" and isinstance(value, str) else ""
        percent = None if self.whole else re.fullmatch(rf"({_JSON_NUMBER}) ?%", text)
        share = Decimal(percent[1]) / 100 if percent else None
        return diagnostics.reject(
            node,
            f"{kind} from {self.low} to {self.high}",
            f"did you mean {share:f}?" if self._accepts(share) else "",
            is_quoted=bool(re.fullmatch(_JSON_NUMBER, text)) and self._accepts(Decimal(text)),
        )

    def _accepts(self, value: Scalar) -> TypeGuard[int | Decimal]:
        return (
            isinstance(value, (int, Decimal))
            and self.low <= value <= self.high
            and (not self.whole or is_whole(value))
        )

    def _json_schema(self, _: Definitions) -> Schema:
        kind = "integer" if self.whole else "number"
        return {"type": kind, "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Choice(Shape):
    """One of a few strings; `advice` is the hint for a string that is near to none of them.

    :param most: how many of them a message lists; None for all.
    """

    words: tuple[str, ...]
    advice: str = ""
    most: int | None = None

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "text":
            return diagnostics.reject(node, self._expected())
        if node.value in self.words:
            return node.value
        hint = did_you_mean(str(node.value), self.words) or self.advice
        return diagnostics.reject(node, self._expected(), hint)

    def _expected(self) -> str:
        return shortened(self.words, most=self.most or len(self.words))

    def _json_schema(self, _: Definitions) -> Schema:
        return {"type": "string", "enum": list(self.words)}


# --- Lists ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListOf(Shape):
    """A list; `read` returns a tuple of the valid items."""

    item: Shape
    least: int = 0
    most: int | None = None

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "list":
            return diagnostics.reject(node, "a list")
        count = len(node.items)
        if count < self.least or (self.most is not None and count > self.most):
            word, limit = ("least", self.least) if count < self.least else ("most", self.most)
            items = "item" if limit == 1 else "items"
            diagnostics.add(node, f"must have at {word} {limit} {items}, got {count}")
        values = [
            self.item.read(item, diagnostics.at(position))
            for position, item in enumerate(node.items, 1)
        ]
        return tuple(value for value in values if value is not INVALID)

    def _json_schema(self, definitions: Definitions) -> Schema:
        looks: Schema = {"type": "array", "items": self.item.schema(definitions)}
        if self.least:
            looks["minItems"] = self.least
        if self.most is not None:
            looks["maxItems"] = self.most
        return looks


@dataclass(frozen=True, slots=True)
class OneOrMany(Shape):
    """One value or a list of values; `read` returns a tuple, or `INVALID` if any value is."""

    item: Shape
    most: int | None = None

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "list":
            value = self.item.read(node, diagnostics)
            return INVALID if value is INVALID else (value,)
        values: tuple[Any, ...] = self._many().read(node, diagnostics)
        return values if len(values) == len(node.items) else INVALID

    def _json_schema(self, definitions: Definitions) -> Schema:
        return {"anyOf": [self.item.schema(definitions), self._many().schema(definitions)]}

    def _many(self) -> ListOf:
        return ListOf(self.description, self.item, 1, self.most)
