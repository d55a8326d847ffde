"""Shapes of mappings, and shapes that choose by the kind or key of a node; see `shapes`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from mockpets.contract.fields import INVALID
from mockpets.errors import nearest
from mockpets.scenario.language.shapes import Definitions, Schema, Shape
from mockpets.units import either, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Kind, Node


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint on keys: no mapping has all of `present` and none of `absent`."""

    present: Collection[str]
    absent: Collection[str]
    what: str
    hint: str

    def is_violated(self, keys: Collection[str]) -> bool:
        """Return whether a mapping with these keys violates the rule."""
        lacks = not any(key in keys for key in self.absent)
        return lacks and all(key in keys for key in self.present)

    def excluded(self) -> Schema:
        """Return the JSON Schema of the mappings that violate the rule."""
        keys = {**dict.fromkeys(self.present, True), **dict.fromkeys(self.absent, False)}
        required = {"required": list(self.present)} if self.present else {}
        return {"description": self.what, **required, "properties": keys}


def not_both(first: str, second: str, hint: str) -> Rule:
    """Return the rule that a mapping has at most one of two keys."""
    return Rule((first, second), (), f"'{first}' and '{second}' cannot be combined", hint)


def needs(key: str, other: str, hint: str) -> Rule:
    """Return the rule that one key requires another."""
    return Rule((key,), (other,), f"'{key}' requires '{other}'", hint)


def some(wanted: Collection[str], what: str) -> Rule:
    """Return the rule that a mapping has at least one of some keys."""
    return Rule((), wanted, what, f"add {either(wanted)}")


@dataclass(frozen=True, slots=True)
class Object(Shape):
    """A mapping with fixed keys; `read` returns a dict of those present.

    :param misplaced: a key that belongs elsewhere to a hint that gives its place. In a mapping with
        ``data``, collections belong there.
    :param list_hint: how to fix a list in place of the mapping.
    :param is_partial: whether a dict with `INVALID` values is returned, instead of `INVALID`.
    """

    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    misplaced: Mapping[str, str] = field(default_factory=dict)
    list_hint: str = ""
    is_partial: bool = False

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "mapping":
            hint = self.list_hint if node.kind == "list" else ""
            return diagnostics.reject(node, "a mapping", hint)
        values = {}
        for name, (key, value) in node.members.items():
            if name in self.fields:
                values[name] = self.fields[name].read(value, diagnostics.at(name))
            elif "data" in self.fields and name in diagnostics.contracts.collections:
                hint = f"write it under data: 'data: {{{name}: ...}}'"
                diagnostics.add(key, f"unknown key {quote(name)}", hint)
            else:
                unknown_key(key, name, self.fields, diagnostics, self.misplaced)
        for name in self.required:
            if name not in node.members and not meant(name, node, self.fields):
                meaning = self.fields[name].description.rstrip(".")
                hint = f"add {meaning[:1].lower()}{meaning[1:]}"
                diagnostics.add(node, f"missing key '{name}'", hint)
        # An unknown key may be a misspelt one, so a violated rule would be a second problem.
        for rule in self.rules if node.members.keys() <= self.fields.keys() else ():
            if rule.is_violated(node.members):
                diagnostics.add(node, rule.what, rule.hint)
        is_valid = INVALID not in values.values() and values.keys() >= {*self.required}
        return values if is_valid or self.is_partial else INVALID

    def _json_schema(self, definitions: Definitions) -> Schema:
        looks: Schema = {
            "type": "object",
            "properties": {name: shape.schema(definitions) for name, shape in self.fields.items()},
            "additionalProperties": False,
        }
        if self.required:
            looks["required"] = list(self.required)
        # Not as `allOf` or `anyOf`: code generators make types of these that allow any property.
        excluded = [rule.excluded() for rule in self.rules]
        if excluded:
            looks["not"] = excluded[0] if len(excluded) == 1 else {"anyOf": excluded}
        return looks


@dataclass(frozen=True, slots=True)
class MapOf(Shape):
    """A mapping whose keys the author chooses; `read` returns a dict of the valid values.

    :param keys: what a key is, such as ``header name``.
    :param pattern: a regular expression for the whole key; `hint` is how to fix an invalid one, for
        which `advise` returns nothing better.
    """

    item: Shape
    keys: str
    pattern: str
    hint: str = ""
    most: int | None = None
    advise: Callable[[str], str] = lambda _: ""

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if node.kind != "mapping":
            return diagnostics.reject(node, "a mapping")
        count = len(node.members)
        if self.most is not None and count > self.most:
            diagnostics.add(node, f"must have at most {self.most} keys, got {count}")
        values = {}
        for name, (key, value) in node.members.items():
            if not re.fullmatch(self.pattern, name):
                hint = self.advise(name) or self.hint
                diagnostics.add(key, f"invalid {self.keys} {quote(name)}", hint)
            values[name] = self.item.read(value, diagnostics.at(name))
        return {name: value for name, value in values.items() if value is not INVALID}

    def _json_schema(self, definitions: Definitions) -> Schema:
        looks: Schema = {
            "type": "object",
            "propertyNames": {"pattern": f"^(?:{self.pattern})$"},
            "additionalProperties": self.item.schema(definitions),
        }
        if self.most is not None:
            looks["maxProperties"] = self.most
        return looks


@dataclass(frozen=True, slots=True)
class ByKind(Shape):
    """One of several shapes, chosen by the kind of node; ``integer`` means any number."""

    kinds: Mapping[Kind, Shape]
    expected: str

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        shape = self.kinds.get("integer" if node.kind == "number" else node.kind)
        return shape.read(node, diagnostics) if shape else diagnostics.reject(node, self.expected)

    def _json_schema(self, definitions: Definitions) -> Schema:
        return _any_of(self.kinds.values(), definitions)


@dataclass(frozen=True, slots=True)
class ByKey(Shape):
    """One of several mappings, chosen by the first of these keys that is present; for `ByKind`."""

    keys: Mapping[str, Object]
    misplaced: Mapping[str, str] = field(default_factory=dict)

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        for name, shape in self.keys.items():
            if name in node.members:
                return shape.read(node, diagnostics)
        for name, (key, _) in node.members.items():
            unknown_key(key, name, self.keys, diagnostics, self.misplaced)
        if not node.members:
            diagnostics.add(node, "is empty", f"add {either(self.keys)}")
        return INVALID

    def _json_schema(self, definitions: Definitions) -> Schema:
        return _any_of(self.keys.values(), definitions)


def _any_of(shapes: Collection[Shape], definitions: Definitions) -> Schema:
    schemas = [shape.schema(definitions) for shape in shapes]
    distinct = [schema for index, schema in enumerate(schemas) if schema not in schemas[:index]]
    return {"anyOf": distinct}


def meant(name: str, node: Node, known: Collection[str]) -> bool:
    """Return whether a missing key is present but misspelt, which `unknown_key` reports."""
    return any(_nearest_key(key, (name,)) for key in node.members if key not in known)


def unknown_key(
    key: Node,
    name: str,
    known: Collection[str],
    diagnostics: Diagnostics,
    misplaced: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Report a key that is not one of the known ones, with the nearest one, else with all."""
    hint = misplaced.get(name, "")
    if not hint:
        near = _nearest_key(name, (*known, *misplaced))
        hint = f"did you mean '{near}'?" if near else f"known keys: {', '.join(known)}"
        if near in misplaced:
            hint += f" {misplaced[near]}"
    diagnostics.add(key, f"unknown key {quote(name)}", hint)


_ALIASES: Final = {
    **dict.fromkeys(("mappings", "routes", "handlers"), "stubs"),
    **dict.fromkeys(("request", "httpRequest"), "match"),
    **dict.fromkeys(("response", "respond", "httpResponse"), "reply"),
    "responses": "sequence",
    "statusCode": "status",
    **dict.fromkeys(("delayMs", "latency", "fixedDelayMilliseconds"), "delay"),
    **dict.fromkeys(("url", "urlPath", "endpoint"), "path"),
    **dict.fromkeys(("queryParameters", "queryStringParameters"), "query"),
    **dict.fromkeys(("requestHeaders", "responseHeaders"), "headers"),
    **dict.fromkeys(("json", "jsonBody"), "body"),
}
"""Words of other mock servers (WireMock, MockServer, Mockoon, MSW) to our keys."""


@lru_cache(256)  # a key is often misspelt in every record
def _nearest_key(name: str, known: tuple[str, ...]) -> str:
    """Return the known key that is spelled, or called elsewhere, almost like a name, or ``""``."""
    aliases = {alias: key for alias, key in _ALIASES.items() if key in known}
    return nearest(name, aliases | {key: key for key in known}) or ""
