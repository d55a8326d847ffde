"""Check the schemas that operations reach, so that later readers find only what they expect.

A part of the wrong type that holds schemas is a problem. Any other keyword with a wrong value is
dropped and noted: real documents often have ``required: true`` at a property.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mockpets.contract.constraints import NOUNS
from mockpets.contract.document_references import CHAIN, BrokenReferenceError, got
from mockpets.contract.fields import is_number, is_whole
from mockpets.contract.patterns import matcher
from mockpets.errors import nearest
from mockpets.strict_json import REMOVE_QUOTES
from mockpets.units import either, quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.contract.document_references import Path, References

_TYPES: Final = tuple(NOUNS)
_MAY_BE_BOOLEAN: Final = ("additionalProperties", "unevaluatedItems", "unevaluatedProperties")
_ONE: Final = frozenset(
    (
        *("items", "not", "contains", "propertyNames", "if", "then", "else", "contentSchema"),
        *_MAY_BE_BOOLEAN,
    )
)
_SEVERAL: Final = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_NAMED: Final = frozenset(("properties", "patternProperties", "dependentSchemas"))
_NOT_ENFORCED: Final = frozenset(
    (
        *("if", "contains", "dependentRequired", "dependentSchemas", "unevaluatedItems"),
        *("unevaluatedProperties", "$dynamicRef", "$recursiveRef"),
    )
)
"""Keywords that constrain values, and that no field enforces."""
_COUNTS: Final = (
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    *("minContains", "maxContains"),
)
_FLAGS: Final = ("nullable", "readOnly", "writeOnly", "uniqueItems", "deprecated")


def _is_count(value: object) -> bool:
    return is_number(value) and value >= 0 and is_whole(value)


def _is_positive(value: object) -> bool:
    return is_number(value) and value > 0


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def _is_bound(value: object) -> bool:
    return _is_flag(value) or is_number(value)


_VALUES: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    **dict.fromkeys(_COUNTS, (_is_count, "an integer of at least 0")),
    **dict.fromkeys(("minimum", "maximum"), (is_number, "a number")),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), (_is_bound, "a number")),
    "multipleOf": (_is_positive, "a number greater than 0"),
    **dict.fromkeys(_FLAGS, (_is_flag, "true or false")),
    "required": (_is_names, "a list of property names"),
    "enum": (_is_list, "a list of values"),
    **dict.fromkeys(("pattern", "format", "title", "description"), (_is_text, "a string")),
}


class SchemaCheck:
    """Checks schemas, each once.

    :param add: adds a problem: path, what, hint.
    :param note: notes a part that is not enforced: sentence, path.
    :param broken: adds the problem of a broken reference.
    """

    def __init__(
        self,
        references: References,
        add: Callable[[Path, str, str], None],
        note: Callable[[str, Path], None],
        broken: Callable[[Path, BrokenReferenceError], None],
    ) -> None:
        self._references = references
        self._add = add
        self._note = note
        self._broken = broken
        self.properties: set[str] = set()
        """The names of all properties."""
        self._endless: set[str] = set()
        """References that lead only to each other, which have a problem."""
        self._seen: set[int] = set()
        self._stack: list[tuple[dict[str, Any], Path]] = []

    def check(self, holder: dict[str, Any], key: str, at: Path) -> None:
        """Check the schema under a key of an object, and all that it refers to.

        :param at: the path of the schema.
        """
        self._push(holder, key, at)
        while self._stack:  # no recursion: schemas are as deep as the document likes
            self._schema(*self._stack.pop())

    def _push(self, holder: Any, key: Any, at: Path) -> None:
        """Normalize a schema in its holder, and remember to check it."""
        schema = holder[key]
        if schema is None or isinstance(schema, bool):
            holder[key] = {"not": {}} if schema is False else {}
            return
        if isinstance(schema, dict):
            if id(schema) not in self._seen:
                self._seen.add(id(schema))
                self._stack.append((schema, at))
            return
        hint = f"write {{type: {schema}}}" if schema in _TYPES else ""
        self._add(at, f"must be a schema (a mapping), got {got(schema)}", hint)
        holder[key] = {}

    def _schema(self, schema: dict[str, Any], at: Path) -> None:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            self._reference(schema, (*at, "$ref"))
        elif reference is not None and "$ref" in schema:
            self._add((*at, "$ref"), f"must be a string, got {got(reference)}", "")
            del schema["$ref"]
        for key in [*schema]:
            value = schema[key]
            if key in _NOT_ENFORCED and value is not True:
                self._note(f"`{key}` is not enforced", (*at, key))
            if key in _VALUES:
                self._value(schema, key, at)
            elif key in _ONE:
                self._one(schema, key, at)
            elif key in _SEVERAL:
                self._several(schema, key, at)
            elif key in _NAMED:
                self._named(schema, key, at)
            elif key == "type":
                self._type(schema, at)
            elif key == "discriminator":
                self._discriminator(schema, at)
        if "pattern" in schema and matcher(schema["pattern"]) is None:
            why = "it has a repeat inside a repeat, or Python cannot read it"
            what = f"the pattern {quote(schema['pattern'])} is not enforced: {why}"
            self._note(what, (*at, "pattern"))

    def _reference(self, schema: dict[str, Any], at: Path) -> None:
        """Check what a reference leads to, and that it leads to more than references."""
        reference = schema["$ref"]
        chain: set[str] = set()
        for _ in range(CHAIN):
            chain.add(reference)
            try:
                target, target_path = self._references.target(reference)
            except BrokenReferenceError as error:
                self._broken(at, error)
                schema.pop("$ref")
                return
            holder = {"": target}
            self._push(holder, "", target_path)
            target = holder[""]
            if not isinstance(target, dict) or not isinstance(target.get("$ref"), str):
                return
            reference = target["$ref"]
        what = f"the reference {quote(schema['$ref'])} leads only to other references"
        if not chain & self._endless:
            self._add(at, what, "let one of them lead to a schema")
        self._endless |= chain

    def _one(self, schema: dict[str, Any], key: str, at: Path) -> None:
        value = schema[key]
        if key in _MAY_BE_BOOLEAN and isinstance(value, bool):
            return
        if key == "items" and isinstance(value, list):  # as JSON Schema had it before 2020
            schema["prefixItems"] = schema.pop(key)
            self._several(schema, "prefixItems", at, "items")
            return
        self._push(schema, key, (*at, key))

    def _several(self, schema: dict[str, Any], key: str, at: Path, place: str = "") -> None:
        value = schema[key]
        if value is None or value == []:
            del schema[key]
        elif isinstance(value, list):
            for index in range(len(value)):
                self._push(value, index, (*at, place or key, index))
        else:
            what = f"must be a list of schemas, got {got(value)}"
            self._add((*at, key), what, f"write {key}: [...]")
            del schema[key]

    def _named(self, schema: dict[str, Any], key: str, at: Path) -> None:
        value = schema[key]
        if value is None:
            del schema[key]
        elif isinstance(value, dict):
            if key == "properties":
                self.properties.update(value)
            for name in value:
                self._push(value, name, (*at, key, name))
        else:
            what = f"must be a mapping of names to schemas, got {got(value)}"
            self._add((*at, key), what, "")
            del schema[key]

    def _value(self, schema: dict[str, Any], key: str, at: Path) -> None:
        value = schema[key]
        accepts, expected = _VALUES[key]
        if accepts(value):
            return
        del schema[key]
        if value is None or value == []:
            return
        if key == "required" and isinstance(value, list):
            schema[key] = [each for each in value if isinstance(each, str)]
        self._drop(key, value, expected, at)

    def _drop(self, key: str, value: object, expected: str, at: Path) -> None:
        hint = ""
        if isinstance(value, str) and "string" not in expected:
            hint = f"; {REMOVE_QUOTES}" if value.lstrip("-").replace(".", "", 1).isdigit() else ""
        what = f"`{key}` is ignored: it must be {expected}, got {got(value)}{hint}"
        self._note(what, (*at, key))

    def _type(self, schema: dict[str, Any], at: Path) -> None:
        value = schema["type"]
        if isinstance(value, str) and value in _TYPES:
            return
        listed = value if isinstance(value, list) else [value]
        # `null` without quotes is not a text in YAML.
        types = ["null" if each is None and value is not None else each for each in listed]
        known = [each for each in types if isinstance(each, str) and each in _TYPES]
        if not known:
            del schema["type"]
        else:
            schema["type"] = known if isinstance(value, list) else known[0]
        if len(known) < len(types) and value is not None:
            wrong = next(each for each in types if each not in known)
            near = (
                nearest(wrong, {each: each for each in _TYPES}) if isinstance(wrong, str) else None
            )
            hint = f"; did you mean '{near}'?" if near else ""
            what = f"`type` is ignored: it must be {either(_TYPES)}, got {got(wrong)}{hint}"
            self._note(what, (*at, "type"))

    def _discriminator(self, schema: dict[str, Any], at: Path) -> None:
        value = schema["discriminator"]
        if not isinstance(value, dict) or not isinstance(value.get("propertyName"), str):
            del schema["discriminator"]
            if value is not None:
                self._drop("discriminator", value, "a mapping with propertyName", at)
            return
        mapping = value.get("mapping")
        if not isinstance(mapping, dict):
            value.pop("mapping", None)
            return
        for name, each in [*mapping.items()]:
            place = (*at, "discriminator", "mapping", name)
            if not isinstance(each, str):
                self._add(place, f"must be a reference, got {got(each)}", "")
                del mapping[name]
                continue
            if not any(mark in each for mark in "#./"):  # the name of a component
                each = f"#/components/schemas/{each}"
            holder = {"$ref": each}
            self._reference(holder, place)
            if holder:
                mapping[name] = each
            else:
                del mapping[name]
