"""The body of an error: its schema, or the example as a template, filled with the real reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mockpets.contract.schema_shapes import plain
from mockpets.seed.error_values import (
    ADDRESSES,
    FALSE,
    FIELDS,
    GENERAL,
    LISTS,
    MAIN_CODES,
    MAIN_TITLES,
    MOMENTS,
    REASONS,
    STATUSES,
    TITLES,
    Slot,
    dotted,
    named,
    scalars,
    sentence,
)
from mockpets.seed.values import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mockpets.contract.openapi_loader import Node, Path
    from mockpets.seed.error_values import Error
    from mockpets.seed.merged_schemas import Shape
    from mockpets.seed.values import Values

_DEEPEST: Final = 8
"""Levels of a body that are searched for a place for the message."""


def error_body(schema: Node, template: object, error: Error, values: Values) -> object:
    """Return a valid body, with the reasons wherever its schema has room for them."""
    body = _Writer(error, values).write(schema, Slot("", template))
    if body is not ABSENT and values.is_valid(schema, body):
        return body
    base = template
    if base is ABSENT:
        base = values.value(schema, kind="error", at=f"error/{error.status}")
    for path in _texts_in(base, ()):
        changed = _with_text(base, path, error.text)
        base = changed if values.is_valid(schema, changed) else base
    return base


def _texts_in(value: object, path: Path) -> Iterator[Path]:
    """Yield the paths to the texts of a value that may be a reason."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _texts_in(part, (*path, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _texts_in(part, (*path, index))
    elif isinstance(value, str):
        names = [plain(each) for each in path if isinstance(each, str)]
        if not names or names[-1] in REASONS | TITLES:
            yield path


def _with_text(value: Any, path: Path, text: str) -> object:
    """Return a copy of a value with another text at a path."""
    if not path:
        return text
    changed = value.copy()
    changed[path[0]] = _with_text(value[path[0]], path[1:], text)
    return changed


def _has_no_text(shape: Shape) -> bool:
    return not any(plain(name) in REASONS | TITLES | LISTS for name in shape.properties)


class _Writer:
    """Writes the body of an error for a schema."""

    def __init__(self, error: Error, values: Values) -> None:
        self._error = error
        self._values = values

    def write(self, schema: Node, slot: Slot) -> Any:
        """Return a valid value, or that of the template, which may be ABSENT."""
        if slot.depth <= _DEEPEST:
            shapes = self._values.branches(schema, slot.template)
            if slot.template is ABSENT:
                shapes.sort(key=_has_no_text)
            for shape in shapes:
                value = self._of_shape(schema, shape, slot)
                if value is not ABSENT and self._values.is_valid(schema, value):
                    return value
        return slot.template

    def _of_shape(self, schema: Node, shape: Shape, slot: Slot) -> Any:
        is_free = not shape.types and not shape.properties and shape.choices is None
        is_object = isinstance(slot.template, dict) or not (slot.depth or slot.template != ABSENT)
        if "object" in shape.types or shape.properties or (is_free and is_object):
            return self._object(shape, slot)
        if "array" in shape.types or (is_free and isinstance(slot.template, list)):
            return self._array(shape, slot)
        for candidate in scalars(self._error, shape, slot):
            if candidate is not ABSENT and self._values.is_valid(schema, candidate):
                return candidate
        return ABSENT

    # Objects

    def _object(self, shape: Shape, slot: Slot) -> Any:
        example: Mapping[str, Any] = slot.template if isinstance(slot.template, dict) else {}
        is_open = shape.additional is not None
        is_entry = slot.entry is not None and bool(example)
        if not shape.properties and is_open and slot.depth and not is_entry:
            return self._map(shape, slot, example)
        if not shape.properties and is_open and not example:
            example = {"message": ABSENT}  # an object without a schema
        result: dict[str, object] = {}
        names = dict.fromkeys((*shape.properties, *shape.required, *example))
        groups = self._by_listed(shape) if slot.key in LISTS else {}
        for name in names:
            schema = shape.properties.get(name, shape.additional)
            if schema is None:
                continue
            beside = frozenset(plain(each) for each in names if each != name)
            part = slot.below(name, example.get(name, ABSENT), slot.entry)._replace(beside=beside)
            is_required = name in shape.required
            value: object = ABSENT
            if name in groups:
                value = self._of_property(schema, part, groups[name])
            elif (
                is_required
                or name in example
                or (not example and self._is_known(self._values.shape(schema), part))
            ):
                value = self.write(schema, part)
            if value is ABSENT and is_required:
                at = f"error/{self._error.status}/{name}"
                value = self._values.value(schema, name=name, kind="error", at=at)
            if value is not ABSENT:
                result[name] = value
        return result

    def _is_known(self, shape: Shape, slot: Slot) -> bool:
        """Return whether an optional property is one that an error fills."""
        key, error = slot.key, self._error
        if slot.entry is not None and key in FIELDS:
            return bool(slot.entry[0]) and not (key == "parameter" and "pointer" in slot.beside)
        if {"array", "object"} & set(shape.types) or shape.properties:
            is_alone = not slot.beside & (REASONS | TITLES)
            return key in LISTS and (error.is_invalid or is_alone or key == "error")
        if key in ADDRESSES:
            return bool(error.request_path) and slot.entry is None
        if key == "type":
            return "uri" in shape.format
        return key in REASONS | STATUSES | MOMENTS | FALSE | MAIN_CODES | MAIN_TITLES

    def _map(self, shape: Shape, slot: Slot, example: Mapping[str, Any]) -> Any:
        """Return a map of property to its problems, such as ``{"title": ["is missing"]}``."""
        schema: Node = shape.additional or {}
        if slot.entry is not None and not example:
            return {"field": dotted(slot.entry[0]), "message": slot.entry[1]}
        if not self._error.is_invalid and example:
            return {
                named(self._error, name): self.write(schema, slot.below(name, part, slot.entry))
                for name, part in example.items()
            }
        part = next(iter(example.values()), ABSENT)
        result: dict[str, object] = {}
        for name, whats in self._by_property().items():
            value = self._of_property(schema, slot.below("", part, None), whats)
            if value is ABSENT:
                return example or ABSENT
            result[name] = value
        return result

    def _of_property(self, schema: Node, slot: Slot, whats: list[str]) -> object:
        """Return the problems of a property: a list or a text, as its schema asks for."""
        if slot.template is ABSENT and self._values.is_valid(schema, whats):
            return whats
        error = self._error._replace(reasons=[((), what) for what in whats], is_invalid=True)
        return _Writer(error, self._values).write(schema, slot._replace(name="message"))

    def _by_listed(self, shape: Shape) -> dict[str, list[str]]:
        """Return listed property to its problems; those of others stand in a general one."""
        general = next((name for name in shape.properties if plain(name) in GENERAL), "")
        result: dict[str, list[str]] = {}
        if self._error.is_invalid:
            for place, what in self._error.reasons:
                name = next((each for each in reversed(place) if each in shape.properties), general)
                # A general property alone, such as `body`, may have the name of an invalid one.
                is_named = name in place and (name != general or len(shape.properties) > 1)
                text = what if is_named else sentence((place, what))
                result.setdefault(str(name), []).append(text)
        elif general:
            result[general] = [self._error.text]
        return result

    def _by_property(self) -> dict[str, list[str]]:
        """Return property to what is wrong with it; all of the body is ``body``."""
        groups: dict[str, list[str]] = {}
        for place, what in self._error.reasons or [((), self._error.title)]:
            name = next((each for each in reversed(place) if isinstance(each, str)), "")
            groups.setdefault(name or self._error.name or "body", []).append(what)
        return groups

    # Arrays

    def _array(self, shape: Shape, slot: Slot) -> Any:
        example = slot.template if isinstance(slot.template, list) else []
        items: Node = shape.items or {}
        if slot.entry is not None and slot.key in FIELDS:  # a place as a list of its steps
            steps = ("body", *slot.entry[0])
            return [each for each in steps if self._values.is_valid(items, each)] or ABSENT
        if not self._error.is_invalid and example:
            return [self.write(items, slot.below("", each, slot.entry)) for each in example]
        part = example[0] if example else ABSENT
        reasons = list(self._error.reasons) or [((), self._error.title)]
        result = []
        for reason in reasons[: shape.counts[1]]:
            value = self.write(items, slot.below("", part, reason))
            if value is ABSENT:
                return ABSENT
            result.append(value)
        return result
