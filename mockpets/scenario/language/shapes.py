"""Shapes: what a part of a file may look like, declared once and used twice.

Each shape can `read` a node, reporting all that is wrong with it, and give its JSON `schema`, so
that the loader and the editor that uses the schema cannot disagree. What a schema cannot say (that
a name exists, that the contract has such an answer) is left to the function in `then`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from mockpets.errors import did_you_mean
from mockpets.scenario.language.diagnostics import INVALID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Kind, Node

Schema = dict[str, Any]
"""A JSON Schema, 2020-12."""


_WORDS: Final[dict[Kind, tuple[str, str]]] = {
    "text": ("text", "string"),
    "integer": ("a number", "number"),
    "number": ("a number", "number"),
    "boolean": ("true or false", "boolean"),
    "nothing": ("null", "null"),
    "list": ("a list", "array"),
    "mapping": ("a mapping", "object"),
}
"""Kind of node to its name for people, and for JSON Schema."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What all shapes have.

    :param description: for the person who writes the file; shown by editors.
    :param then: makes the value that `read` returns of the one that the shape has found, or
        reports what is wrong with it and returns `INVALID`.
    """

    description: str
    then: Callable[[Any, Node, Diagnostics], Any] | None = field(default=None, kw_only=True)

    def read(self, node: Node, diagnostics: Diagnostics) -> Any:
        """Return the value of a node, or `INVALID`."""
        value = self._take(node, diagnostics)
        return (
            value if value is INVALID or self.then is None else self.then(value, node, diagnostics)
        )

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"description": self.description, **self._looks()}

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        raise NotImplementedError

    def _looks(self) -> Schema:
        raise NotImplementedError


# --- Single values ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Value(Shape):
    """Any JSON value of some kinds, read as it is."""

    kinds: tuple[Kind, ...]

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind in self.kinds:
            return node.plain()
        return diagnostics.refuse(node, either(_WORDS[kind][0] for kind in self.kinds))

    def _looks(self) -> Schema:
        return {"type": list(dict.fromkeys(_WORDS[kind][1] for kind in self.kinds))}


@dataclass(frozen=True, slots=True)
class Text(Shape):
    """Text.

    :param expected: in words, what the pattern wants; begins with ``text``.
    :param pattern: of the whole text; one that JSON Schema reads alike.
    :param most: characters.
    """

    expected: str = "text"
    pattern: str = ""
    most: int | None = None

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        text = node.value
        if node.kind == "text" and isinstance(text, str):
            short = self.most is None or len(text) <= self.most
            if short and (not self.pattern or re.fullmatch(self.pattern, text)):
                return text
        return diagnostics.refuse(node, self.expected)

    def _looks(self) -> Schema:
        looks: Schema = {"type": "string"}
        if self.pattern:
            looks["pattern"] = f"^(?:{self.pattern})$"
        if self.most is not None:
            looks["maxLength"] = self.most
        return looks


@dataclass(frozen=True, slots=True)
class Parsed(Shape):
    """Text that a parser makes a value of: a duration, a rate.

    :param expected: in words, what the parser wants.
    :param pattern: what the text looks like; the parser may refuse more.
    :param parse: raises ValueError that says what was expected and what came.
    """

    expected: str
    pattern: str
    parse: Callable[[str], Any]

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind not in ("text", "integer", "number"):
            return diagnostics.refuse(node, self.expected)
        try:
            return self.parse(str(node.value) if node.kind == "text" else node.shown())
        except ValueError as error:
            diagnostics.add(node, str(error))
            return INVALID

    def _looks(self) -> Schema:
        return {"type": "string", "pattern": f"^(?:{self.pattern})$"}


@dataclass(frozen=True, slots=True)
class Number(Shape):
    """A number of a range, its ends included; 1.0 is an integer, as JSON Schema counts."""

    low: int
    high: int
    whole: bool = True

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        value = node.value
        if (
            node.kind in ("integer", "number")
            and isinstance(value, (int, Decimal))
            and self.low <= value <= self.high
            and (not self.whole or value == int(value))
        ):
            return int(value) if self.whole else float(value)
        kind = "an integer" if self.whole else "a number"
        return diagnostics.refuse(node, f"{kind} from {self.low} to {self.high}")

    def _looks(self) -> Schema:
        kind = "integer" if self.whole else "number"
        return {"type": kind, "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Choice(Shape):
    """One of a few words."""

    words: tuple[str, ...]

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind == "text" and node.value in self.words:
            return node.value
        if node.kind != "text":
            return diagnostics.refuse(node, either(self.words))
        what = f"must be {either(self.words)}, got {node.shown()}"
        diagnostics.add(node, what, did_you_mean(str(node.value), self.words))
        return INVALID

    def _looks(self) -> Schema:
        return {"enum": list(self.words)}


# --- Several of a kind ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListOf(Shape):
    """A list; read as a tuple of those that can be used."""

    item: Shape
    least: int = 0
    most: int | None = None

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "list":
            return diagnostics.refuse(node, "a list")
        count = len(node.items)
        if count < self.least or (self.most is not None and count > self.most):
            bounds = f"at least {self.least}" if count < self.least else f"at most {self.most}"
            diagnostics.add(node, f"must have {bounds}, has {count}")
        found = [
            self.item.read(item, diagnostics.at(place)) for place, item in enumerate(node.items, 1)
        ]
        return tuple(value for value in found if value is not INVALID)

    def _looks(self) -> Schema:
        looks: Schema = {"type": "array", "items": self.item.schema()}
        if self.least:
            looks["minItems"] = self.least
        if self.most is not None:
            looks["maxItems"] = self.most
        return looks


@dataclass(frozen=True, slots=True)
class OneOrMany(Shape):
    """One value, or a list of them; read as a tuple, `INVALID` if any of them is."""

    item: Shape
    most: int | None = None

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "list":
            value = self.item.read(node, diagnostics)
            return INVALID if value is INVALID else (value,)
        found: tuple[Any, ...] = self._many().read(node, diagnostics)
        return found if len(found) == len(node.items) else INVALID

    def _looks(self) -> Schema:
        return {"anyOf": [self.item.schema(), self._many().schema()]}

    def _many(self) -> ListOf:
        return ListOf(self.description, self.item, 1, self.most)


def either(words: Iterable[str]) -> str:
    """Return ``a, b or c``."""
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} or {last}" if first else last
