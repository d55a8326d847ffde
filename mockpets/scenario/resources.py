"""Resources: collections of records that a scenario defines and each session keeps.

A `Resource` is the definition. `Records` are all of its records at one moment, which never change:
each write returns others, so that an undo and a save need no copy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast, get_args
from uuid import UUID

from mockpets.constants import BODY_BYTES, INT64_MAX, INT64_MIN
from mockpets.contract.error_messages import store_full
from mockpets.contract.fields import parse_int64
from mockpets.errors import RequestError
from mockpets.strict_json import dump_json, load_json, parse_json, same_json, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mockpets.constants import NoteCode


Action = Literal["list", "create", "get", "replace", "update", "delete"]
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
LIST_METHODS: Final[Mapping[str, Action]] = {"GET": "list", "POST": "create"}
RECORD_METHODS: Final[Mapping[str, Action]] = {
    "GET": "get",
    "PUT": "replace",
    "PATCH": "update",
    "DELETE": "delete",
}
Id = int | str
_SHOWN: Final = 100
"""How much of an ID a message repeats, in characters."""
_TEXT_ID: Final = r"(?!\.{1,2}$)[^/\x00-\x1f\x7f]{1,100}"
_ID: Final = "an integer (int64), or a text of 1 to 100 characters without '/'"
_ROW_BYTES: Final = 250
"""The charge for a record in addition to its JSON."""
_TYPES: Final[Mapping[type, str]] = {
    bool: "boolean",
    str: "string",
    int: "number",
    Decimal: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}


class Records(NamedTuple):
    """The records of a resource.

    :param digest: of the definition from which they started.
    :param key: the name of the property that is the ID.
    :param rows: the records as JSON by ID, in the order in which they were added.
    :param next: the next ID, or the number of the next UUID.
    :param size: what to charge for them, in bytes.
    """

    digest: str
    key: str
    rows: Mapping[Id, bytes]
    next: int
    size: int

    def find(self, text: str) -> Id | None:
        """Return the ID that a text in a path names; None if no record has it."""
        number = parse_int64(text)
        if number is not None and number in self.rows:
            return number
        return text if text in self.rows else None

    def with_row(self, record_id: Id, row: bytes, following: int) -> Records:
        """Return the records with one added or replaced."""
        old = self.rows.get(record_id)
        size = self.size + len(row) - (-_ROW_BYTES if old is None else len(old))
        return self._replace(rows={**self.rows, record_id: row}, next=following, size=size)

    def without(self, record_id: Id) -> Records:
        """Return the records without one."""
        rows = {**self.rows}
        size = self.size - len(rows.pop(record_id)) - _ROW_BYTES
        return self._replace(rows=rows, size=size)

    def matching(self, filters: Mapping[str, Sequence[str]]) -> Iterator[tuple[Id, bytes]]:
        """Yield the records with these values, by property; one of several values is enough."""
        wanted = {name: [*_meanings(texts)] for name, texts in filters.items()}
        may_match = [_pattern(name, values) for name, values in wanted.items()]
        for record_id, row in self.rows.items():
            if all(search(row) for search in may_match):  # so that few rows are parsed
                record = _parsed(row) if wanted else {}
                if all(
                    name in record and any(same_json(value, record[name]) for value in values)
                    for name, values in wanted.items()
                ):
                    yield record_id, row

    def has(self, name: str) -> bool:
        """Return whether any record has a property."""
        mark = dump_json(name) + b":"
        return any(mark in row and name in _parsed(row) for row in self.rows.values())


def _parsed(row: bytes) -> dict[str, Any]:
    return cast("dict[str, Any]", load_json(row.decode()))


def _meanings(texts: Iterable[str]) -> Iterator[object]:
    """Yield the JSON values for which texts in a query may stand: ``3`` for 3 and for "3"."""
    for text in texts:
        yield text
        try:
            value = parse_json(text.encode())
        except RequestError:
            continue
        if not isinstance(value, (str, list, dict)):
            yield value


def _pattern(name: str, values: Iterable[object]) -> Callable[[bytes], object]:
    """Return a search that finds something in each row whose property has one of some values."""
    forms = []
    for value in values:
        if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
            size: Decimal = abs(Decimal(value))
            is_whole = 0 < size <= INT64_MAX and size == int(size)
            # It may also be written as 3E+2; any other number in many ways.
            forms.append(b"%d|-?[0-9.]+E" % int(value) if is_whole else b"-?[0-9]")
        else:
            forms.append(re.escape(dump_json(value)))
    return re.compile(re.escape(dump_json(name)) + b":(?:" + b"|".join(forms) + b")").search


def records_of(digest: str, key: str, rows: Mapping[Id, bytes], following: int) -> Records:
    """Return records with their size."""
    size = sum(map(len, rows.values())) + _ROW_BYTES * len(rows)
    return Records(digest, key, rows, following, size)


def id_problem(value: object) -> str:
    """Return what is wrong with an ID; empty if it is valid."""
    if type(value) is int and INT64_MIN <= value <= INT64_MAX:
        return ""
    if isinstance(value, str) and re.fullmatch(_TEXT_ID, value):
        return ""
    return f"must be {_ID}, got {shown(value)}"


def row_of(record: Mapping[str, object]) -> bytes:
    """Return a record as JSON; raise ``invalid_request`` or ``payload_too_large``."""
    try:
        row = dump_json(record)
    except (TypeError, ValueError) as error:  # half of a surrogate pair, or 1e9999999999999999999
        message = "the record has a text or a number that JSON cannot represent"
        raise RequestError("invalid_request", message) from error
    if len(row) > BODY_BYTES:
        message = f"the record is too large; a record may have at most {BODY_BYTES // 1024} KiB"
        raise RequestError("payload_too_large", message)
    return row


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


@dataclass(frozen=True)
class Resource:
    """A collection that a scenario defines.

    :param path: of the list; a record is one segment below it.
    :param name: in the control API; unique in the scenario's file.
    :param scenario: whose file defines it.
    :param items: the initial records as JSON, each with an ID.
    :param key: the name of the property that is the ID.
    :param required: the properties that a record must have.
    :param only: what clients may do.
    :param position: line and column in the file; not compared, as that of a stub.
    """

    path: str
    name: str
    scenario: str
    items: tuple[bytes, ...] = ()
    key: str = "id"
    required: tuple[str, ...] = ()
    only: tuple[Action, ...] = ACTIONS
    position: tuple[int, int] = field(default=(0, 0), compare=False)

    @cached_property
    def label(self) -> str:
        """Its name with that of the scenario."""
        return f"{self.scenario}/{self.name}"

    @cached_property
    def note(self) -> tuple[NoteCode, str]:
        """The note of a request that it serves."""
        return "resource", f"resource {self.label}"

    @cached_property
    def start(self) -> Records:
        """The initial records."""
        rows = {_parsed(row)[self.key]: row for row in self.items}
        digest = blake2b(dump_json(self.key) + b"".join(self.items), digest_size=8).hexdigest()
        following = 1 + max((0, *(record_id for record_id in rows if isinstance(record_id, int))))
        return records_of(digest, self.key, rows, following)

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The JSON type of each property on which all items agree."""
        types: dict[str, set[str]] = {}
        for row in self.items:
            for name, value in _parsed(row).items():
                types.setdefault(name, set()).add(_TYPES[type(value)])
        return {
            name: min(kinds)
            for name, kinds in types.items()
            if len(kinds) == 1 and "null" not in kinds
        }

    @cached_property
    def properties(self) -> tuple[str, ...]:
        """The properties that the file names."""
        items = (name for row in self.items for name in _parsed(row))
        return tuple(dict.fromkeys((self.key, *self.required, *items)))

    def methods(self, *, of_record: bool) -> dict[str, Action]:
        """Return the methods that the list, or a record of it, has."""
        known = RECORD_METHODS if of_record else LIST_METHODS
        return {method: action for method, action in known.items() if action in self.only}

    def found(self, now: Records, text: str) -> Id:
        """Return the ID that a text in a path names, or raise ``not_found``."""
        record_id = now.find(text)
        if record_id is None:
            message = f"{self.name} has no record with the {self.key} {text[:_SHOWN]}"
            raise RequestError("not_found", message)
        return record_id

    # Each of these returns new records, and the ID of the changed one; `text` names it in a path.
    # They raise `RequestError` ``invalid_request``, ``payload_too_large``, ``conflict``,
    # ``store_full`` or ``not_found``.

    def create(self, now: Records, body: object, seed: int, max_new: int) -> tuple[Records, Id]:
        """Add a record, with the ID that it has, or else a new one."""
        self._check_total(len(now.rows) + 1, max_new)
        record_id, row, following = self._new(now, body, seed)
        return now.with_row(record_id, row, following), record_id

    def set_all(self, now: Records, body: object, seed: int, max_new: int) -> Records:
        """Return the records of a list, in its order; those without an ID get one."""
        if not isinstance(body, list):
            raise RequestError("invalid_request", f"the body must be a list, got {shown(body)}")
        self._check_total(len(body), max_new)
        rows: dict[Id, bytes] = {}
        building, ids = now._replace(rows=rows), dict.fromkeys(range(len(body)), cast("Id", 0))
        new = [not isinstance(one, dict) or one.get(self.key) is None for one in body]
        # First the records with an ID, so that no other record gets it.
        for position in sorted(ids, key=new.__getitem__):
            try:
                ids[position], row, following = self._new(building, body[position], seed)
            except RequestError as error:
                message = f"record {position + 1}: {error.message}"
                raise RequestError(error.code, message) from error
            rows[ids[position]] = row
            building = building._replace(next=following)
        ordered = {record_id: rows[record_id] for record_id in ids.values()}
        return records_of(now.digest, self.key, ordered, building.next)

    def _check_total(self, total: int, max_new: int) -> None:
        if total - len(self.items) > max_new:
            raise RequestError("store_full", store_full(max_new, "records"))

    def _new(self, now: Records, body: object, seed: int) -> tuple[Id, bytes, int]:
        """Return the ID and the JSON of a new record, and the next number."""
        given, following = _object(body), now.next
        record = {name: value for name, value in given.items() if (name, value) != (self.key, None)}
        self._check(record)
        record_id = record.get(self.key)
        if record_id is None:
            record_id, following = self._new_id(now, seed)
        elif problem := id_problem(record_id):
            raise RequestError("invalid_request", f"{self.key} {problem}")
        elif now.find(str(record_id)) is not None:
            message = f"{self.name} already has a record with the {self.key} {record_id}"
            raise RequestError("conflict", message)
        elif isinstance(record_id, int):
            following = max(following, record_id + 1)
        return record_id, row_of({self.key: record_id} | record), following

    def replace(self, now: Records, text: str, body: object) -> tuple[Records, Id]:
        """Replace a record, which keeps its ID."""
        record_id = self.found(now, text)
        row = self._checked({self.key: record_id} | _object(body) | {self.key: record_id})
        return now.with_row(record_id, row, now.next), record_id

    def update(self, now: Records, text: str, body: object) -> tuple[Records, Id]:
        """Apply a JSON merge patch to a record, which keeps its ID."""
        record_id = self.found(now, text)
        patch = {name: value for name, value in _object(body).items() if name != self.key}
        record: Any = merge_patch(_parsed(now.rows[record_id]), patch)
        return now.with_row(record_id, self._checked(record), now.next), record_id

    def delete(self, now: Records, text: str) -> tuple[Records, Id]:
        """Delete a record."""
        record_id = self.found(now, text)
        return now.without(record_id), record_id

    def _new_id(self, now: Records, seed: int) -> tuple[Id, int]:
        """Return a new ID and the next number."""
        number, is_text = now.next, self.types.get(self.key) == "string"
        while number <= INT64_MAX:
            # From the session's seed, so that a test finds the same IDs in each run.
            source = blake2b(f"{seed}/{self.label}/{number}".encode(), digest_size=16)
            new: Id = str(UUID(bytes=source.digest(), version=4)) if is_text else number
            number += 1
            if now.find(str(new)) is None:  # a client may have chosen it
                return new, number
        message = "the highest int64 id is already used; reset the session"
        raise RequestError("store_full", message)

    def _check(self, record: Mapping[str, object]) -> None:
        """Raise ``invalid_request`` for missing properties and other types."""
        problems = [f"{name} is required" for name in self.required if name not in record]
        problems += [
            f"{name} must be {'an' if kind[0] in 'ao' else 'a'} {kind}, got {shown(record[name])}"
            for name, kind in self.types.items()
            if name in record and kind != _TYPES[type(record[name])]
        ]
        if problems:
            raise RequestError("invalid_request", "; ".join(problems))

    def _checked(self, record: Mapping[str, object]) -> bytes:
        self._check(record)
        return row_of(record)


def _object(body: object) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise RequestError("invalid_request", f"the body must be an object, got {shown(body)}")
    return body
