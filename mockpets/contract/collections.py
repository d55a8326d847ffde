"""The keys of records, and what a scenario that defines a collection says of its records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from mockpets.constants import BODY_BYTES, INT64_MAX, INT64_MIN
from mockpets.contract.fields import JSON_TYPES
from mockpets.errors import RequestError
from mockpets.strict_json import dump_json, shown
from mockpets.units import parse_int64, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mockpets.contract.contract_model import Collection, Key, Record

_NOT_IN_KEYS: Final = frozenset(["/", "\x7f", *map(chr, range(32))])
_KEY: Final = "an integer (int64), or a text of 1 to 100 characters without '/'"


class OwnSchema(NamedTuple):
    """The schema of a collection that a scenario defines: any JSON object, with few rules.

    :param key: the name of the property that identifies a record.
    :param required: the properties that a record must have.
    :param types: properties with their JSON type.
    :param properties: those that the definition and its records have.
    """

    key: str
    required: tuple[str, ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    properties: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Return an empty text: records stay when the definition changes."""
        return ""

    @property
    def has_text_keys(self) -> bool:
        """Whether the server assigns UUIDs, because the keys of all records are texts."""
        return (self.key, "string") in self.types

    def new(self, body: object) -> Record:
        """Return a record without a key that is null."""
        record = without_null(_object(body), self.key)
        self.check(record)
        return record

    def replaced(self, record: Record, body: object) -> Record:
        """Return the record that takes the place of another one, with the same key."""
        same_key = {self.key: record[self.key]}
        new: Record = same_key | _object(body) | same_key
        self.check(new)
        return new

    def changed(self, record: Record, patch: object) -> Record:
        """Return a record after a JSON merge patch; a key in the patch is ignored."""
        changes = {name: value for name, value in _object(patch).items() if name != self.key}
        new: Any = merge_patch(record, changes)
        self.check(new)
        return cast("Record", new)

    def dump(self, record: Record) -> bytes:
        """Return a record as JSON, its key first."""
        return dump_record({self.key: record[self.key]} | record)

    def check(self, record: Mapping[str, object]) -> None:
        """Check for missing properties and other types; raise ``invalid_request``."""
        problems = [f"{name} is required" for name in self.required if name not in record]
        problems += [
            f"{name} must be {'an' if kind[0] in 'ao' else 'a'} {kind}, got {shown(record[name])}"
            for name, kind in self.types
            if name in record and kind != JSON_TYPES[type(record[name])]
        ]
        if problems:
            raise RequestError("invalid_request", "; ".join(problems))


def without_null(record: Record, key: str) -> Record:
    """Return a copy of a record, without its key if that is null: the server then assigns one."""
    return {name: value for name, value in record.items() if name != key or value is not None}


def identity(key: Key) -> Key:
    """Return a key in the form in which equal ones are equal: those that a path cannot tell apart.

    The text ``7`` is the integer, and so is ``-0``.
    """
    if key.__class__ is int:
        return key
    number = parse_int64(str(key))
    return key if number is None else number


def key_problem(value: object) -> str:
    """Return what is wrong with a key that a client has chosen; empty if it is valid."""
    if type(value) is int and INT64_MIN <= value <= INT64_MAX:
        return ""
    if (
        isinstance(value, str)
        and 1 <= len(value) <= 100
        and value not in (".", "..")
        and _NOT_IN_KEYS.isdisjoint(value)
    ):
        return ""
    return f"must be {_KEY}, got {shown(value)}"


def required_of(collection: Collection) -> tuple[str, ...]:
    """Return the properties that records of a scenario's collection must have."""
    return collection.schema.required if isinstance(collection.schema, OwnSchema) else ()


def record_problems(
    records: Iterable[Record], collection: Collection
) -> Iterator[tuple[int, str, str, tuple[str, ...]]]:
    """Yield what is wrong with the keys and the required properties of records in a file.

    Each problem is the index of the record, what is wrong, how to fix it, and the property.
    """
    key = collection.key
    first: dict[Key, int] = {}
    required = required_of(collection)
    for index, record in enumerate(records):
        for name in dict.fromkeys((key, *required)):
            if name not in record:
                hint = f"add {name}: {index + 1}" if name == key else f"add {name}"
                yield index, f"missing property {quote(name)}", hint, ()
        if key not in record:
            continue
        if problem := key_problem(record[key]):
            yield index, problem, "", (key,)
        elif (position := first.setdefault(identity(record[key]), index)) != index:
            what = f"item {position + 1} already has the {key} {record[key]}"
            yield index, what, "use unique ids", (key,)


def dump_record(record: Mapping[str, object], most: int = BODY_BYTES) -> bytes:
    """Return a record as JSON; raise ``invalid_request`` or ``payload_too_large``.

    :param most: the size limit, in bytes.
    """
    try:
        row = dump_json(record)
    except (TypeError, ValueError) as error:  # half of a surrogate pair, or 1e9999999999999999999
        message = "the record has a text or a number that JSON cannot represent"
        raise RequestError("invalid_request", message) from error
    if len(row) > most:
        message = f"the record is too large; a record may have at most {most // 1024} KiB"
        raise RequestError("payload_too_large", message)
    return row


def json_types(records: Iterable[Mapping[str, object]]) -> tuple[tuple[str, str], ...]:
    """Return the properties on whose JSON type all records agree, with that type."""
    types: dict[str, set[str]] = {}
    for record in records:
        for name, value in record.items():
            types.setdefault(name, set()).add(JSON_TYPES[type(value)])
    return tuple(
        (name, min(kinds))
        for name, kinds in types.items()
        if len(kinds) == 1 and "null" not in kinds
    )


def merge_patch(target: object, patch: object) -> object:
    """Return a value after a JSON merge patch (RFC 7396, 2): null removes a property."""
    if not isinstance(patch, dict):
        return patch
    result = {**target} if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patch(result.get(name), value)
    return result


def _object(body: object) -> Record:
    if not isinstance(body, dict):
        raise RequestError("invalid_request", f"the body must be an object, got {shown(body)}")
    return body
