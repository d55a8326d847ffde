"""What schemas and names look like: the words and shapes that inference compares.

Schemas are compared by structure after resolving; where both have a component's name, by name.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mockpets.contract.openapi_loader import Document, Node

_NOTHING: Final[Mapping[str, Any]] = {}  # one object: `Shapes` knows schemas by their id
_DEPTH: Final = 12
"""How deep parts of a schema may nest; circular parts end here."""
_ENVELOPE_DEPTH: Final = 3
"""Objects around a list or a record, as in ``{"data": {"items": {"edges": [...]}}}``."""
_NAMES: Final = 10_000
"""Names to remember what functions return for them; some are those that clients send."""
_IRREGULAR: Final = {
    "people": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "leaves": "leaf",
    "criteria": "criterion",
    "indices": "index",
    "aliases": "alias",
    "movies": "movie",
    "cookies": "cookie",
    "calories": "calorie",
    "ties": "tie",
}
_UNCOUNTED: Final = frozenset({"media", "news", "series", "species", "status", "data", "staff"})
_LIST_NAMES: Final = ("data", "results", "items", "entries", "records", "list", "content", "values")
_RECORD_NAMES: Final = ("data", "result", "item", "response", "record", "payload", "entity")
_ENVELOPES: Final = ("data", "result", "response", "payload", "embedded", "body", "results")
"""Names, as `plain` returns them, of objects that hold the array of a list."""
_ABOUT: Final = re.compile(
    "status|message|success|(meta|warning|error|link)s?|metadata|code|ok|jsonapi|included"
    "|requestid|timestamp|kind|type|object|pagination|paging"
)
"""Names of properties, as `plain` returns them, that stand beside a record in its envelope."""
RESOURCE: Final = frozenset({"type", "id", "attributes"})
"""The properties that a record has in JSON:API."""


@lru_cache(_NAMES)
def plain(name: str) -> str:
    """Return a name's letters and digits in lower case: ``petId`` and ``pet_id`` are ``petid``."""
    return re.sub(r"[\W_]", "", name.lower())


@lru_cache(_NAMES)
def singular(word: str) -> str:
    """Return an English word, in any style, without its plural's ending: ``posts`` is ``post``.

    Of several words, the last one changes: ``special events`` is ``special event``.
    """
    start = word[: word.rfind(" ") + 1]
    last = word[len(start) :]
    lower = last.lower()
    if lower in _IRREGULAR:
        return start + _IRREGULAR[lower]
    if lower in _UNCOUNTED or re.search("(ss|us|is)$", lower):
        return word
    if lower.endswith("ies") and len(last) > 4:
        return f"{word[:-3]}y"
    if re.search("(ss|x|ch|sh|[^aeo]us)es$", lower):  # statuses, but not houses
        return word[:-2]
    return word[:-1] if lower.endswith("s") and len(last) > 2 else word


@cache
def is_plural(word: str) -> bool:
    """Return whether a word, such as the last segment of a path, names several things."""
    return singular(word) != word or word.lower() in _UNCOUNTED - {"status"}


@cache
def stem(word: str) -> str:
    """Return what forms of a verb share: cancel, cancelled and isCanceled are ``cancel``."""
    text = re.sub("^(is|has|was|viewer)(?=[A-Z_])", "", word)
    text = re.sub("(ing|ed|e|d|s|es)$", "", plain(text))
    return text[:-1] if len(text) > 3 and text[-1] == text[-2] else text


def same_stem(one: str, other: str) -> bool:
    """Return whether two words are forms of one verb: ``activate`` and ``active`` are."""
    shorter, longer = sorted((stem(one), stem(other)), key=len)
    return len(shorter) > 1 and (
        shorter == longer
        or (len(shorter) >= 5 and longer.startswith(shorter) and len(longer) - len(shorter) <= 2)
    )


def mapping(value: object) -> Mapping[str, Any]:
    """Return a value if it is an object, else an empty one: a document may be invalid here."""
    return value if isinstance(value, dict) else _NOTHING


class Flat(NamedTuple):
    """A schema without references and `allOf`.

    :param type: the JSON type, without null; empty if the schema does not say.
    :param name: the name of its component; empty if it is written inline.
    :param items: the schema of an array's items; None if there is none.
    :param values: of an enum or a const.
    :param node: the schema as written, for what is not here.
    """

    type: str
    name: str
    properties: Mapping[str, Node]
    required: frozenset[str]
    items: Node | None
    values: tuple[object, ...]
    format: str
    node: Node


_EMPTY: Final = Flat("", "", {}, frozenset(), None, (), "", {})


class Unwrapped(NamedTuple):
    """Where a list, or a record, is in a body: the keys down to it, and the record's schema."""

    path: tuple[str, ...]
    item: Node


class Shapes:
    """Looks at the schemas of one document; each is flattened once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._flat: dict[int, tuple[Node, Flat]] = {}  # with the node: an id is only unique alive
        self._insides: dict[int, tuple[Mapping[str, Node], Mapping[str, Node], list[str]]] = {}
        # What `listing` and `record` have found: many rules ask for the same.
        self._lists: dict[tuple[int, str, bool], tuple[object, Unwrapped | None]] = {}
        self._records: dict[tuple[int, str], tuple[object, Unwrapped | None]] = {}

    def copy(self) -> Shapes:
        """Return one that knows the same schemas. This one does not learn what the copy looks at.

        In circular schemas, what is looked at first decides where the circle ends.
        """
        copied = Shapes(self._document)
        copied._flat = self._flat.copy()
        copied._insides = self._insides.copy()
        copied._lists = self._lists.copy()
        copied._records = self._records.copy()
        return copied

    def type_of(self, schema: object) -> str:
        """Return the type of a schema, as `flat` does, but without its parts if it names one."""
        node = mapping(schema)
        kind = node.get("type")
        if isinstance(kind, str) and kind != "null" and "$ref" not in node:
            return kind
        return self.flat(node).type

    def flat(self, schema: object, depth: int = 0) -> Flat:
        """Return a schema with its parts merged; a value that is not an object is an empty one."""
        node = mapping(schema)
        known = self._flat.get(id(node))
        if known:
            return known[1]
        self._flat[id(node)] = (node, _EMPTY)  # of a circular part
        flat = self._merged(node, depth)
        self._flat[id(node)] = (node, flat)
        return flat

    def _merged(self, schema: Node, depth: int) -> Flat:
        node = mapping(self._document.resolve(schema))
        if node is not schema:  # a reference: many lead to one schema
            flat, name = self.flat(node, depth), self._document.name_of(schema)
            return flat._replace(name=name) if name else flat
        parts = []
        if depth < _DEPTH:
            parts = [self.flat(part, depth + 1) for part in _nodes(node.get("allOf"))]
            parts += self._branches(node, depth)
        kinds = node.get("type")
        kinds = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
        kind = next((str(each) for each in kinds if each != "null"), "")
        properties: dict[str, Node] = {}
        for group in (*(part.properties for part in parts), mapping(node.get("properties"))):
            for name, each in group.items():
                both = name in properties and properties[name] is not each
                properties[name] = {"allOf": [properties[name], each]} if both else each
        items = [*(part.items for part in parts), node.get("items")]
        arrays = [mapping(each) for each in items if mapping(each)]
        values = node.get("enum", [node["const"]] if "const" in node else ())
        return Flat(
            kind
            or next((part.type for part in parts if part.type), "")
            or ("object" if properties else "array" if arrays else ""),
            self._document.name_of(schema) or next((p.name for p in parts if p.name), ""),
            properties,
            frozenset(node.get("required", ())).union(*(part.required for part in parts)),
            (arrays[0] if len(arrays) == 1 else {"allOf": arrays}) if arrays else None,
            tuple(values) or next((part.values for part in parts if part.values), ()),
            str(node.get("format") or next((part.format for part in parts if part.format), "")),
            node,
        )

    def _branches(self, node: Node, depth: int) -> Iterator[Flat]:
        """Yield the branches of `oneOf` and `anyOf` but null; of several, only what is an object.

        The name of one of several branches is not the name of the schema.
        """
        for keyword in ("oneOf", "anyOf"):
            branches = [self.flat(part, depth + 1) for part in _nodes(node.get(keyword))]
            branches = [each for each in branches if each.node.get("type") != "null"]
            if len(branches) == 1:
                yield branches[0]
            elif all(branch.type == "object" for branch in branches):
                common = [branch.required for branch in branches]
                for branch in branches:
                    required = frozenset.intersection(*common)
                    yield branch._replace(name="", required=required)

    def is_record(self, schema: object) -> bool:
        """Return whether a schema is an object that may be a record, not a map of values."""
        if self.type_of(schema) != "object":
            return False
        flat = self.flat(schema)
        return bool(flat.properties) or not flat.node.get("items")

    def placed(self, schema: object) -> dict[tuple[str, ...], Node]:
        """Return the properties of a record by path, also those in the `attributes` of JSON:API."""
        properties = self.flat(schema).properties
        result: dict[tuple[str, ...], Node] = {(name,): each for name, each in properties.items()}
        if properties.keys() >= RESOURCE:
            inner = self.flat(properties["attributes"]).properties
            result |= {("attributes", name): each for name, each in inner.items()}
        return result

    def same_record(self, one: object, other: object) -> bool:
        """Return whether two schemas describe one kind of record, by name or by most properties."""
        first, second = self.flat(one), self.flat(other)
        if first.name and second.name:
            return first.name == second.name
        common = len(first.properties.keys() & second.properties.keys())
        return common > 1 and common * 5 >= 3 * len(first.properties.keys() | second.properties)

    def listing(self, schema: object, segment: str, *, of_values: bool = False) -> Unwrapped | None:
        """Return where the array of a list is in a body; None if there is none, or several.

        The array may stand below an object named ``data`` or like the path's last segment.

        >>> shapes.listing({"properties": {"posts": {"items": POST}, "total": INTEGER}}, "posts")
        Unwrapped(("posts",), POST)

        :param of_values: look for an array of texts or numbers, not of records.
        """
        key = id(schema), segment, of_values
        known = self._lists.get(key)
        if known is None:
            found = self._listing(self.flat(schema), segment, of_values, ())
            known = self._lists[key] = schema, found
        return known[1]

    def _listing(
        self, flat: Flat, segment: str, of_values: bool, path: tuple[str, ...]
    ) -> Unwrapped | None:
        if flat.type == "array":
            item = flat.items
            if item is None:
                return None
            kind = self.type_of(item)
            fits = kind not in ("object", "array", "") if of_values else self.is_record(item)
            return Unwrapped(path, item) if fits else None
        if flat.type != "object" or len(path) >= _ENVELOPE_DEPTH:
            return None
        arrays = {
            name: found
            for name, each in flat.properties.items()
            if self.type_of(each) == "array"
            and (found := self._listing(self.flat(each), segment, of_values, (*path, name)))
        }
        best = _named(arrays, segment, _LIST_NAMES)
        if best or len(arrays) == 1:
            return arrays[best or next(iter(arrays))]
        for name, each in flat.properties.items():
            is_envelope = plain(name) in _ENVELOPES or _alike(name, segment)
            if not arrays and is_envelope and self.type_of(each) == "object":
                found = self._listing(self.flat(each), segment, of_values, (*path, name))
                if found:
                    return found
        return None

    def record(self, schema: object, segment: str) -> Unwrapped | None:
        """Return where the record is in a body: ``{"user": {...}}`` has it at ``("user",)``.

        :return: None if the body is not an object.
        """
        key = id(schema), segment
        known = self._records.get(key)
        if known is None:
            known = self._records[key] = schema, self._record(schema, segment)
        return known[1]

    def _record(self, schema: object, segment: str) -> Unwrapped | None:
        path: tuple[str, ...] = ()
        flat = self.flat(schema)
        if not self.is_record(schema):
            return None
        item = mapping(schema)
        while len(path) < _ENVELOPE_DEPTH:
            inner, others = self._inside(flat.properties)
            best = _named(inner, segment, _RECORD_NAMES)
            has_key = any(plain(name) in ("id", "uuid") for name in others)
            if not (best and not has_key) and not (len(others) == 1 and others[0] in inner):
                break
            name = best or others[0]
            path, item, flat = (*path, name), inner[name], self.flat(inner[name])
        return Unwrapped(path, item)

    def _inside(self, properties: Mapping[str, Node]) -> tuple[Mapping[str, Node], Sequence[str]]:
        """Return which properties are records, and the names of those not about a response."""
        known = self._insides.get(id(properties))
        if known is None:
            inner = {
                name: each
                for name, each in properties.items()
                if self.is_record(each) and self.flat(each).properties
            }
            others = [name for name in properties if not _ABOUT.fullmatch(plain(name))]
            known = self._insides[id(properties)] = (properties, inner, others)
        return known[1:]

    def property_at(self, schema: object, path: tuple[str, ...]) -> Flat:
        """Return the schema of a property at a path, through arrays; empty if there is none."""
        flat = self.flat(schema)
        for name in path:
            if flat.type == "array":
                flat = self.flat(flat.items)
            flat = self.flat(flat.properties.get(name))
        return flat


def _nodes(value: object) -> list[Node]:
    return [mapping(each) for each in value] if isinstance(value, list) else []


def _alike(name: str, segment: str) -> bool:
    """Return whether a property is named like a segment of a path, in singular or plural."""
    return bool(segment) and singular(plain(name)) == singular(plain(segment))


def _named(names: Iterable[str], segment: str, usual: tuple[str, ...]) -> str:
    """Return the name that is like the segment, else the first usual one, else an empty one."""
    names = list(names)
    like = [name for name in names if _alike(name, segment)]
    like += [name for word in usual for name in names if plain(name) == word]
    return like[0] if like else ""
