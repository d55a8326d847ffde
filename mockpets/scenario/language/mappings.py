"""Shapes of mappings, and shapes told apart by what stands there; see `shapes`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockpets.errors import did_you_mean
from mockpets.scenario.language.diagnostics import INVALID
from mockpets.scenario.language.shapes import Schema, Shape, either
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Kind, Node


@dataclass(frozen=True, slots=True)
class Rule:
    """Which keys of a mapping go together.

    :param broken: tells of the keys that are there.
    """

    schema: Schema
    broken: Callable[[Collection[str]], bool]
    what: str
    hint: str


def not_both(first: str, second: str, hint: str) -> Rule:
    """Return the rule that two keys exclude each other."""
    return Rule(
        {"not": {"required": [first, second]}},
        lambda keys: first in keys and second in keys,
        f"'{first}' and '{second}' exclude each other",
        hint,
    )


def needs(key: str, other: str, hint: str) -> Rule:
    """Return the rule that a key stands only beside another."""
    return Rule(
        {"dependentRequired": {key: [other]}},
        lambda keys: key in keys and other not in keys,
        f"'{key}' needs '{other}' beside it",
        hint,
    )


def some(wanted: Collection[str], hint: str) -> Rule:
    """Return the rule that one of some keys must be there, or more."""
    return Rule(
        {"anyOf": [{"required": [key]} for key in wanted]},
        lambda keys: not any(key in keys for key in wanted),
        f"must have {either(wanted)}",
        hint,
    )


@dataclass(frozen=True, slots=True)
class Object(Shape):
    """A mapping with fixed keys; read as a dict of those that are there, `INVALID` ones too.

    :param misplaced: keys that people look for here, to what to tell them.
    """

    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    misplaced: Mapping[str, str] = field(default_factory=dict)

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "mapping":
            return diagnostics.refuse(node, "a mapping")
        values = {}
        for name, (key, value) in node.members.items():
            if name in self.fields:
                values[name] = self.fields[name].read(value, diagnostics.at(name))
            else:
                unknown_key(key, name, self.fields, diagnostics, self.misplaced.get(name, ""))
        for name in self.required:
            if name not in node.members and not meant(name, node, self.fields):
                means = self.fields[name].description.rstrip(".")
                hint = f"add {name}: {means[:1].lower()}{means[1:]}"
                diagnostics.add(node, f"the key '{name}' is missing", hint)
        # With an unknown key there, who knows what was meant; one problem will do.
        for rule in self.rules if node.members.keys() <= self.fields.keys() else ():
            if rule.broken(node.members):
                diagnostics.add(node, rule.what, rule.hint)
        return values

    def _looks(self) -> Schema:
        looks: Schema = {
            "type": "object",
            "properties": {name: shape.schema() for name, shape in self.fields.items()},
            "additionalProperties": False,
        }
        if self.required:
            looks["required"] = list(self.required)
        if self.rules:
            looks["allOf"] = [rule.schema for rule in self.rules]
        return looks


@dataclass(frozen=True, slots=True)
class MapOf(Shape):
    """A mapping whose keys are names of the user's own; read as a dict of what can be used.

    :param expected: in words, what a key must be.
    :param pattern: of the whole key.
    """

    item: Shape
    expected: str
    pattern: str

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "mapping":
            return diagnostics.refuse(node, "a mapping")
        found = {}
        for name, (key, value) in node.members.items():
            if not re.fullmatch(self.pattern, name):
                diagnostics.add(key, f"a key here must be {self.expected}, got {quote(name)}")
            found[name] = self.item.read(value, diagnostics.at(name))
        return {name: value for name, value in found.items() if value is not INVALID}

    def _looks(self) -> Schema:
        return {
            "type": "object",
            "propertyNames": {"pattern": f"^(?:{self.pattern})$"},
            "additionalProperties": self.item.schema(),
        }


@dataclass(frozen=True, slots=True)
class ByKind(Shape):
    """One of several shapes, told apart by the kind of node; ``integer`` stands for any number."""

    kinds: Mapping[Kind, Shape]
    expected: str

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        shape = self.kinds.get("integer" if node.kind == "number" else node.kind)
        return shape.read(node, diagnostics) if shape else diagnostics.refuse(node, self.expected)

    def _looks(self) -> Schema:
        return {"anyOf": _schemas(self.kinds.values())}


@dataclass(frozen=True, slots=True)
class ByKey(Shape):
    """One of several mappings, told apart by the first of these keys that is there.

    Stands where `ByKind` has found a mapping.

    :param misplaced: keys that people look for here, to what to tell them.
    """

    keys: Mapping[str, Object]
    misplaced: Mapping[str, str] = field(default_factory=dict)

    def _take(self, node: Node, diagnostics: Diagnostics) -> Any:
        for name, shape in self.keys.items():
            if name in node.members:
                return shape.read(node, diagnostics)
        for name, (key, _) in node.members.items():
            unknown_key(key, name, self.keys, diagnostics, self.misplaced.get(name, ""))
        if not node.members:
            diagnostics.add(node, f"must have {either(self.keys)}")
        return INVALID

    def _looks(self) -> Schema:
        return {"anyOf": _schemas(self.keys.values())}


def _schemas(shapes: Collection[Shape]) -> list[Schema]:
    """Return the schema of each shape once."""
    found: list[Schema] = []
    for shape in shapes:
        schema = shape.schema()
        if schema not in found:
            found.append(schema)
    return found


def meant(name: str, node: Node, known: Collection[str]) -> bool:
    """Whether a key that is missing stands there misspelt, of which `unknown_key` tells."""
    return any(did_you_mean(key, [name]) for key in node.members if key not in known)


def unknown_key(
    key: Node, name: str, known: Collection[str], diagnostics: Diagnostics, advice: str = ""
) -> None:
    """Tell of a key that means nothing where it stands."""
    hint = advice or " ".join(
        filter(None, [did_you_mean(name, known), f"known here: {', '.join(known)}"])
    )
    diagnostics.add(key, f"unknown key {quote(name)}", hint)
