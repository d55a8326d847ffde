"""The records of a collection that a document describes: a `model.Records`.

A record has what clients have sent and what responses show, and properties of its own, which begin
with ``~`` and are never shown: the key of its parent, and who has switched something on.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import SERVER_BODY_BYTES
from mockpets.contract.collections import dump_record, merge_patch
from mockpets.contract.contract_model import sentence
from mockpets.contract.fields import INVALID
from mockpets.contract.schema_shapes import RESOURCE
from mockpets.errors import RequestError
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mockpets.contract.completion import Completion
    from mockpets.contract.contract_model import Record
    from mockpets.contract.details import Api
    from mockpets.contract.fields import ValueProblem
    from mockpets.contract.inference import GuessedCollection
    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.contract.schema_fields import Direction

OWN: Final = "~"
"""What the names of properties that no response shows begin with."""


_SELF_LINKS: Final = (("_links", "self", "href"), ("links", "self", "href"), ("links", "self"))


def parent_property(parent: str) -> str:
    """Return the property with the key of a record's parent, if records do not show it."""
    return f"{OWN}{parent}"


def link_of(collection: GuessedCollection) -> PropertyPath:
    """Return the property with the key of a record's parent, which records may not show."""
    return collection.link or (parent_property(collection.parent),)


def visible(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a record that clients may send and see."""
    if OWN not in "".join(record):  # as most of those that clients send
        return dict(record)
    return {name: value for name, value in record.items() if name[:1] != OWN}


class DocumentRecords:
    """How the records of a document's collection are checked and written."""

    def __init__(self, api: Api, guessed: GuessedCollection) -> None:
        self.api: Final = api
        self.guessed: Final = guessed

    @property
    def key(self) -> str:
        """The property with the key; one that no response shows for a single object."""
        return self.guessed.key or f"{OWN}id"

    def field(self, direction: Direction = "response") -> SchemaField:
        """Return the schema of a record."""
        return self.api.fields.field(self.guessed.schema, direction=direction)

    @cached_property
    def properties(self) -> Mapping[str, SchemaField]:
        """The properties of a record in a response."""
        return self.field().shape.fields

    @property
    def has_text_keys(self) -> bool:
        """Whether keys may be texts, so that the server assigns UUIDs."""
        key = self.properties.get(self.guessed.key)
        return key is not None and "string" in key.types_named

    @cached_property
    def completions(self) -> Sequence[Completion]:
        """What the server sets in a record and, by JSON:API, in its `attributes`."""
        from mockpets.contract.completion import completion_of  # a start needs none

        field, key = self.field(), self.key
        made = [completion_of((), field, key)]
        if self.is_resource:
            made.append(completion_of(("attributes",), field.shape.fields["attributes"], ""))
        return made

    @cached_property
    def titles(self) -> Sequence[str]:
        """The properties of which the server makes a slug as the key; empty for other keys."""
        from mockpets.contract.completion import titles_of  # a start needs none

        return titles_of(self.properties, self.key)

    @property
    def is_resource(self) -> bool:
        """Whether the records are those of JSON:API, with other properties in `attributes`."""
        return self.properties.keys() >= RESOURCE

    @cached_property
    def self_link(self) -> PropertyPath:
        """The property with the URL of a record, by HAL or JSON:API; empty without one."""
        for path in _SELF_LINKS:
            fields = self.properties
            for name in path[:-1]:
                fields = fields[name].shape.fields if name in fields else {}
            if path[-1] in fields:
                return path
        return ()

    @cached_property
    def digest(self) -> str:
        """A digest of what a record is: with another one, the records start again."""
        place = dump_json([self.guessed.parent, self.guessed.link, self.guessed.is_single])
        return f"{self.api.document.digest(self.guessed.schema)} {place.decode()}"

    def new(self, body: object) -> Record:
        """Return the record of a body of the control API, whose parts may be missing."""
        if not isinstance(body, dict):
            raise RequestError("invalid_request", "the body must be an object")
        self.check(body)
        return dict(body)

    def changed(self, record: Record, patch: object) -> Record:
        """Return a record after a JSON merge patch."""
        new = merge_patch(record, patch)
        if not isinstance(new, dict):
            raise RequestError("invalid_request", "the body must be an object")
        new[self.key] = record[self.key]
        self.check(new)
        return new

    def problems(self, record: Record) -> list[ValueProblem]:
        """Return the problems of the properties that a record has; missing ones are none."""
        return [
            ((name, *path), what)
            for name, value in record.items()
            if name in self.properties
            for path, what in self.properties[name].problems(value)
            if what != "is required"
        ]

    def allows(self, name: str) -> bool:
        """Return whether a record may have a property."""
        return name[:1] == OWN or self.field().shape.of(name) is not None

    def check(self, record: Record) -> None:
        """Check the properties that a record has; missing ones are no problem."""
        if problems := self.problems(record):
            raise RequestError("invalid_request", sentence(problems))

    def dump(self, record: Record) -> bytes:
        """Return a record as JSON, which may be as large as a body; else as `dump_record`."""
        return dump_record(record, SERVER_BODY_BYTES)


def value_at(record: object, path: Iterable[str]) -> object:
    """Return the value at a path; `INVALID` without one. Lists stand for each of their items."""
    value = record
    for name in path:
        if isinstance(value, list):
            found = (value_at(item, (name,)) for item in value)
            value = [each for each in found if each is not INVALID]
        elif isinstance(value, dict) and name in value:
            value = value[name]
        else:
            return INVALID
    return value


def set_at(record: dict[str, Any], path: PropertyPath, value: object) -> None:
    """Set the value at a path, and make the objects on the way."""
    *way, last = path
    for name in way:
        below = record.get(name)
        record[name] = below = dict(below) if isinstance(below, dict) else {}
        record = below
    record[last] = value
