"""The examples of a document: of media objects, and the records and texts in them."""

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.contract.constraints import json_key
from mockpets.contract.media_types import json_media
from mockpets.contract.openapi_loader import operations
from mockpets.contract.schema_shapes import plain
from mockpets.seed.places import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from mockpets.contract.openapi_loader import Document, Node
    from mockpets.seed.merged_schemas import Shapes

ABSENT: Final = object()
"""Stands for no value, since None is null."""

_DEEPEST: Final = 12
"""Levels of an example whose parts are used as examples too; circular schemas end here."""


class _Found(NamedTuple):
    """What examples of responses have for one schema, in lists and elsewhere."""

    in_lists: list[object]
    alone: list[object]


class Examples:
    """The valid examples of a document, read at the first use."""

    def __init__(
        self, document: Document, shapes: Shapes, is_valid: Callable[[Node, object], bool]
    ) -> None:
        self._document = document
        self._shapes = shapes
        self._is_valid = is_valid
        self._references: dict[str, Node] = {}
        # With the schema, because its id may be the key.
        self._records: dict[str | int, tuple[Node, Sequence[Any]]] = {}
        self._values: dict[str | int, tuple[Node, Sequence[object]]] = {}

    def of_media(self, media: Node) -> Iterator[tuple[str, Any]]:
        """Yield name and value of the valid examples of a media object."""
        schema = media["schema"]
        for name, example in self._listed(media):
            if self._is_valid(schema, example):
                yield name, deepcopy(example)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of records that the schemas of the document describe."""
        components = self._document.root.get("components")
        schemas = components.get("schemas") if isinstance(components, dict) else None
        names = map(kind_of, schemas if isinstance(schemas, dict) else ())
        return frozenset(name for name in names if len(name) > 2 and "error" not in name)

    def records(self, schema: Node) -> Sequence[Any]:
        """Return the valid objects that responses have as examples for a schema.

        Those of lists come first. Of several with the same key, the first one counts.
        """
        known = self._records.get(_place_of(schema))
        if known is None:
            known = self._records[_place_of(schema)] = schema, self._valid_records(schema)
        return known[1]

    def record(self, schema: Node, number: int) -> object:
        """Return record `number`, from 1; ABSENT if there are fewer."""
        records = self.records(schema)
        return deepcopy(records[number - 1]) if 0 < number <= len(records) else ABSENT

    def keys(self, kind: str) -> Sequence[object]:
        """Return the keys of the records that examples have for a schema, by its last word."""
        return self._keys.get(kind.rpartition(" ")[2], ())

    @cached_property
    def _keys(self) -> Mapping[str, Sequence[object]]:
        """The keys of the records in examples, by the last word of their kind."""
        keys: dict[str, Sequence[object]] = {}
        for place in self._found:
            name = self._document.name_of({"$ref": place}) if isinstance(place, str) else ""
            word = kind_of(name).rpartition(" ")[2]
            if word and word not in keys:
                known = map(_key, self.records({"$ref": place}))
                keys[word] = [key for key in known if key is not None]
        return keys

    def values(self, schema: Node) -> Sequence[object]:
        """Return the different values that examples have for the schema of a property."""
        known = self._values.get(_place_of(schema))
        if known is None:
            values = [each for each in self._all(schema) if not isinstance(each, (dict, list))]
            known = self._values[_place_of(schema)] = schema, values
        return known[1]

    def _valid_records(self, schema: Node) -> list[object]:
        result: list[object] = []
        keys: set[object] = set()
        for example in self._all(schema):
            key = _key(example)
            is_new = key is None or key not in keys
            if isinstance(example, dict) and is_new and self._is_valid(schema, example):
                result.append(example)
                keys.add(key)
        return result

    def _all(self, schema: Node) -> Iterable[Any]:
        """Return the different examples of a schema, those of lists first."""
        found = self._found.get(_place_of(schema))
        different: dict[Hashable, Any] = {}
        for example in (*found.in_lists, *found.alone) if found else ():
            different.setdefault(json_key(example), example)
        return different.values()

    def _listed(self, media: Node) -> Iterator[tuple[str, Any]]:
        if "example" in media:
            yield "", media["example"]
        for name, example in media.get("examples", {}).items():
            resolved = self._document.resolve(example)
            if "value" in resolved:
                yield name, resolved["value"]

    @cached_property
    def _found(self) -> Mapping[str | int, _Found]:
        """The examples of successful responses and of their parts, by the place of the schema."""
        found: dict[str | int, _Found] = defaultdict(lambda: _Found([], []))
        for operation in operations(self._document):
            for status, response in operation.responses.items():
                media = json_media(response.get("content", {}))
                if media is None or status[:1] != "2":
                    continue
                for _, example in self._listed(media[1]):
                    self._note(found, media[1]["schema"], example, 0, is_listed=False)
        return found

    def _note(
        self,
        found: dict[str | int, _Found],
        schema: Node,
        example: object,
        depth: int,
        *,
        is_listed: bool,
    ) -> None:
        """Note an example for its schema, its parts and their properties."""
        if depth > _DEEPEST or not isinstance(schema, dict):
            return
        shape = self._shapes.of(schema)
        for place in dict.fromkeys((_place_of(schema), *shape.keys)):
            if place == _place_of(schema) or self._is_like(place, example):
                (found[place].in_lists if is_listed else found[place].alone).append(example)
        if isinstance(example, dict):
            for name, part in shape.properties.items():
                if name in example:
                    self._note(found, part, example[name], depth + 1, is_listed=is_listed)
        elif isinstance(example, list) and shape.items:
            for item in example:
                self._note(found, shape.items, item, depth + 1, is_listed=True)

    def _is_like(self, place: str | int, example: object) -> bool:
        """Return whether an example has most properties of a part of its schema."""
        if not isinstance(place, str) or not isinstance(example, dict):
            return False
        names = self._shapes.of(self._references.setdefault(place, {"$ref": place})).properties
        return 2 * sum(name in example for name in names) >= max(len(names), 1)


def _place_of(schema: Node) -> str | int:
    reference: str | None = schema.get("$ref")
    return reference or id(schema)


def _key(record: object) -> object:
    """Return the value that identifies a record, or None."""
    if isinstance(record, dict):
        for name, value in record.items():
            if plain(name) in {"id", "uuid", "slug", "key"} and isinstance(value, (str, int)):
                return value
        for name, value in record.items():
            if plain(name).endswith("id") and isinstance(value, (str, int)):
                return value
    return None
