"""What the server sets in the records of a document: times, defaults, required properties, slugs.

Guessed from the names and schemas of the properties of a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.clock import time_text
from mockpets.contract.fields import INVALID
from mockpets.contract.schema_shapes import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mockpets.contract.contract_model import Record
    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.query_meanings import PropertyPath

_CREATED: Final = ("createdat", "created", "createdon", "datecreated", "creationdate", "insertedat")
_UPDATED: Final = ("updatedat", "updated", "updatedon", "dateupdated", "modifiedat", "lastmodified")
_TITLES: Final = ("title", "name", "headline", "subject", "label")
_SLUGS: Final = ("slug", "permalink", "handle")


class Time(NamedTuple):
    """A property with a time that the server sets.

    :param length: of the text: that of a time, or of a date.
    :param is_updated: whether changes set it, too.
    """

    name: str
    length: int
    is_updated: bool


class Completion(NamedTuple):
    """The properties that the server sets in one of the objects with the properties of a record.

    :param way: to the object; empty for the record itself.
    :param initial: the defaults, and the first values of other required properties; `INVALID` for
        one that must be generated.
    """

    way: PropertyPath
    times: Sequence[Time]
    initial: Mapping[str, object]

    def part(self, record: Record) -> dict[str, Any]:
        """Return the object in a record, copied if it is below."""
        for name in self.way:
            known = record.get(name)
            record[name] = record = dict(known) if isinstance(known, dict) else {}
        return record


def titles_of(names: Iterable[str], key: str) -> list[str]:
    """Return the properties of which the first one sent becomes the slug; empty for other keys."""
    return [name for name in names if plain(name) in _TITLES] if plain(key) in _SLUGS else []


def completion_of(way: PropertyPath, field: SchemaField, key: str) -> Completion:
    """Return what the server sets, except the key."""
    times, initial = [], {}
    for name, each in field.shape.fields.items():
        if "string" in each.types_named and plain(name) in _CREATED + _UPDATED:
            longest = "2024-12-31" if each.openapi.get("format") == "date" else time_text(0)
            times.append(Time(name, len(longest), plain(name) in _UPDATED))
        if name == key:
            continue
        default = each.openapi.get("default", INVALID)
        if default is not INVALID and each.accept(default) is not INVALID:
            initial[name] = default
        elif name in field.shape.required:
            initial[name] = _first_value(each)
    return Completion(way, times, initial)


def _first_value(field: SchemaField) -> object:
    """Return the value of a required property without a default; `INVALID` to generate one."""
    types = field.types_named
    candidates: list[object] = [
        *field.openapi.get("enum", ())[:1],
        *([False] if "boolean" in types else ()),
        *([0] if types & {"integer", "number"} else ()),
        *([[]] if "array" in types else ()),
        None,
    ]
    return next((each for each in candidates if field.accept(each) is not INVALID), INVALID)
