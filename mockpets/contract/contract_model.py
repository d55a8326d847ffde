"""The model of a contract: its operations, collections, the schemas of their bodies, its errors.

`document.read` makes a `Contract` of an OpenAPI document; `pet_store` has the built-in one, and
`records` keeps the records of a `Collection`. Data classes are few: each delays a start.
"""

from __future__ import annotations

import dataclasses
import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from mockpets.constants import (
    GENERATED_RECORDS,
    INT64_MAX,
    INT64_MIN,
    LIST_METHODS,
    RECORD_METHODS,
    ROLES,
    SAFE_INTEGER,
)
from mockpets.contract.fields import INVALID, Integer
from mockpets.contract.path_tree import Routes, is_parameter, names_in, segment_pattern
from mockpets.errors import RequestError, did_you_mean
from mockpets.strict_json import dump_json, json_array
from mockpets.units import parse_int64, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol, TypeAlias

    from mockpets.constants import NoteCode, Role
    from mockpets.contract.details import Api, Details
    from mockpets.contract.fields import ContractField, Invalid, ValueProblem
    from mockpets.contract.json_schema import SchemaField

    AnyBody: TypeAlias = "Body | DocumentBody"
    """The body of a contract, or that of a document with any JSON Schema."""

    # Here, because making a protocol delays a start.

    class Records(Protocol):
        """How the records of a collection are checked, changed and written.

        What is invalid raises ``invalid_request``.
        """

        @property
        def digest(self) -> str:
            """A digest of the definition; empty if records stay when it changes."""
            ...

        @property
        def properties(self) -> Iterable[str]:
            """The names that the definition has; any of these properties is a filter."""
            ...

        @property
        def has_text_keys(self) -> bool:
            """Whether the server assigns UUIDs instead of integers."""
            ...

        def new(self, body: object) -> Record: ...

        def changed(self, record: Record, patch: object) -> Record:
            """Return a record with other properties, after a JSON merge patch."""
            ...

        def check(self, record: Record) -> None: ...

        def dump(self, record: Record) -> bytes:
            """Return a record as JSON."""
            ...


T = TypeVar("T")
Record = dict[str, Any]
"""An object of a collection."""
Key = int | str
"""What identifies a record in its collection; `collections.identity` returns it."""
DOCUMENT: Final = "document"
"""The generator of the collections of documents."""
LIMIT: Final = "limit"
"""The parameter with the size of a page."""
_SHOWN: Final = 100
"""How much of a key a message repeats, in characters."""
_KEY_SHOWN: Final = 40
"""The same for a key that is not valid."""
_ENTRY_BYTES: Final = 200
"""For the place of a record, index entries, and some reserve."""
_KEY_BYTES: Final = 100
"""For the key itself, in the table and in the index."""
_VALUE_BYTES: Final = 250
"""For an index entry of a value that no other record may have."""


class Schema:
    """A JSON object, or the query of an operation: its properties in order, by name."""

    def __init__(self, name: str, fields: Mapping[str, ContractField]) -> None:
        self.name: Final = name
        self.fields: Final = fields

    def inside(self, name: str) -> Sequence[ContractField]:
        """Return the field of a property; an empty sequence for an unknown one."""
        return (self.fields[name],) if name in self.fields else ()

    def accept(self, value: object, *, partial: bool = False) -> Record | Invalid:
        """Return an object without other properties, or `INVALID`.

        :param partial: whether properties may be missing, and have no defaults; also below.
        """
        if not isinstance(value, dict):
            return INVALID
        result = {}
        for name, field in self.fields.items():
            if name in value:
                accepted = field.accept(value[name])
                if accepted is INVALID:
                    return INVALID
                result[name] = accepted
            elif partial:
                continue
            elif field.required:
                return INVALID
            elif field.default is not None:
                result[name] = field.default
        return result

    def problems(self, value: object, *, partial: bool = False) -> list[ValueProblem]:
        """Return every problem of a value; none if it is valid."""
        if self.accept(value, partial=partial) is not INVALID:
            return []
        return self._validate(value, partial=partial)

    @cached_property
    def _validate(self) -> Callable[..., list[ValueProblem]]:
        from mockpets.contract.validation import validator  # imports marshmallow: see there

        return validator(self.fields)

    def load(self, value: object) -> Record:
        """Return what `accept` does, or raise ``invalid_request`` with every problem."""
        accepted = self.accept(value)
        if accepted is INVALID:
            raise RequestError("invalid_request", sentence(self.problems(value)))
        return accepted

    def of_query(self, parameters: Mapping[str, Sequence[str]]) -> Record:
        """Return the values of a query.

        :param parameters: others than those of the schema are ignored.
        :raise RequestError: ``invalid_request``, with every problem.
        """
        known = {name: values for name, values in parameters.items() if name in self.fields}
        problems: list[ValueProblem] = [
            ((name,), f"must be sent only once, got {len(values)} values")
            for name, values in known.items()
            if len(values) > 1
        ]
        single = {name: values[0] for name, values in known.items() if len(values) == 1}
        query = self.accept(single)
        if query is INVALID:
            problems += self.problems(single)
        if problems or query is INVALID:
            raise RequestError("invalid_request", sentence(problems))
        return query

    def dump(self, record: Mapping[str, object]) -> bytes:
        """Return an object as JSON, with its properties in order."""
        return dump_json({name: record[name] for name in self.fields if name in record})

    def dump_all(self, records: Iterable[Mapping[str, object]]) -> bytes:
        """Return objects as a JSON array."""
        return json_array(map(self.dump, records))


def sentence(problems: Iterable[ValueProblem]) -> str:
    """Return the problems of a body or a query as the message of an error."""
    return "; ".join(f"{'.'.join(map(str, path)) or 'the body'} {what}" for path, what in problems)


class Body(NamedTuple):
    """The body of a request or a response: an object, or a list of them.

    :param name: of its schema in the document.
    """

    name: str
    schema: Schema
    is_list: bool = False

    def allows(self, _: str) -> bool:
        """Return that an object may have any other property, which is ignored."""
        return True

    def knows(self, name: str) -> bool:
        """Return whether the schema has a property."""
        return name in self.schema.fields

    def inside(self, name: str) -> Sequence[ContractField]:
        """Return the field of a property."""
        return self.schema.inside(name)

    @property
    def properties(self) -> Iterable[str]:
        return self.schema.fields

    def problems(self, value: object) -> list[ValueProblem]:
        """Return every problem of a value; none if it is valid."""
        if not self.is_list:
            return self.schema.problems(value)
        if not isinstance(value, list):
            return [((), f"must be an array of {self.name.lower()}")]
        return [
            ((index, *path), what)
            for index, item in enumerate(value)
            for path, what in self.schema.problems(item)
        ]


class DocumentBody:
    """The body of a request or a response, for scenarios and reports: a counterpart of `Body`."""

    is_list = False

    def __init__(self, name: str, field: SchemaField) -> None:
        self.name: Final = name
        self.field: Final = field

    def problems(self, value: object) -> list[ValueProblem]:
        """Return every problem of a value; none if it is valid."""
        return self.field.problems(value)

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.name, self.field.shape.fields)

    def allows(self, name: str) -> bool:
        """Return whether a valid object may have a property."""
        return self.field.allows(name)

    def inside(self, name: str) -> Sequence[ContractField]:
        """Return the fields that describe a property, or the item at a position."""
        return self.field.inside(name)

    @property
    def properties(self) -> Iterable[str]:
        """The names of the properties, also those in one of the choices."""
        return self.field.properties

    def knows(self, name: str) -> bool:
        """Return whether the schema describes a property, also by a pattern."""
        return not self.field.shape.fields or bool(self.field.shape.of(name))


class Failure(NamedTuple):
    """An error that the contract describes.

    :param message: of a stub that sends the error without a message of its own.
    """

    code: str
    status: int
    message: str


class Missing(NamedTuple):
    """What a collection responds with if no record has a key.

    :param message: with ``{key}`` in place of the key.
    """

    failure: Failure
    message: str


class Removal(NamedTuple):
    """What says that an operation is deprecated, and goes.

    :param deprecation: the value of the header, by RFC 9745; `sunset` is that of RFC 8594. Either
        is empty if the date is unknown.
    :param successor: the path of the operation to use instead; or empty.
    :param note: for the request log.
    :param message: of the error that it responds with afterwards.
    """

    deprecation: str
    sunset: str
    successor: str
    note: str
    message: str

    @property
    def at(self) -> int:
        """When the operation goes, in milliseconds since 1970."""
        from email.utils import parsedate_to_datetime  # not needed for a start

        return int(parsedate_to_datetime(self.sunset).timestamp()) * 1000


@dataclasses.dataclass(frozen=True, eq=False, repr=False)  # a repr delays a start
class Operation:
    """An operation of a contract.

    :param path: with the contract's base path, such as ``/v1/orders/{id}``.
    :param collection: that to which `role` does something; None without a role.
    :param parameters: those in the path.
    :param query: those in the query.
    :param body: of the request; None if it has none.
    :param statuses: of the responses that the contract lists.
    :param responses: the bodies of those that have one; of a document also by ``4XX`` or default.
    :param default: the body of the responses that it does not list; None if it has none.
    :param details: what the document says, unless it is the built-in one.
    """

    name: str
    method: str
    path: str
    role: Role | None
    collection: Collection | None
    parameters: Schema
    query: Schema
    body: AnyBody | None
    statuses: tuple[int, ...]
    responses: Mapping[int, AnyBody]
    default: AnyBody | None
    removal: Removal | None
    details: Details | None

    def credentials(self, key: str) -> list[tuple[str, str, str]]:
        """Return place, name and value of what a request needs to have a key."""
        if self.details is None:
            return [("header", "Authorization", f"Bearer {key}")]
        return self.details.security.sample(key)

    def in_path(self, path: str) -> dict[str, str]:
        """Return the parameters in a path of the operation, as texts."""
        pairs = zip(self.path.split("/"), path.split("/"), strict=False)
        found = {}
        for template, text in pairs:
            if is_parameter(template):
                found[template[1:-1]] = text
            elif "{" in template and (match := segment_pattern(template).fullmatch(text)):
                found |= dict(zip(names_in(template), match.groups(), strict=True))
        return found

    def lists(self, status: int) -> bool:
        """Return whether the contract describes responses with a status."""
        if self.details is not None:
            return self.details.response(status) is not None
        return status in self.statuses

    @property
    def most(self) -> int:
        """The maximum size of a page."""
        limit: int = self.query.fields[LIMIT].openapi["maximum"]
        return limit

    def page(self, parameters: Mapping[str, Sequence[str]]) -> Page:
        """Return the page of a list for which a query asks; raise as `Schema.of_query`."""
        query = self.query.of_query(parameters)
        return Page(query.pop(LIMIT), query)

    def response_body(self, status: int) -> AnyBody | None:
        """Return the body of a response; None if it has none, or none that is JSON."""
        is_known = status in self.statuses or self.details is not None
        return self.responses.get(status) if is_known else self.default

    def body_problems(self, status: int, value: object) -> list[ValueProblem]:
        """Return the problems of a response's body; an error must repeat its status."""
        body = self.response_body(status)
        if body is None:
            return []
        problems = body.problems(value)
        repeats = self.default is not None and body.schema is self.default.schema
        repeats = repeats and isinstance(body.schema.fields.get("status"), Integer)
        if repeats and not problems and value["status"] != status:  # type: ignore[index]  # the schema has checked it
            problems.append((("status",), f"must repeat the HTTP status, {status}"))
        return problems


class DocumentOperation(Operation):
    """An operation that an OpenAPI document describes."""

    details: Details


class Page(NamedTuple):
    """The part of a list for which a query asks.

    :param filters: the value that each of these properties must have.
    """

    limit: int
    filters: Mapping[str, object]

    def first(self, records: Iterable[Record]) -> list[Record]:
        """Return the first of these records that the page has."""
        filters = self.filters.items()
        listed = (
            record
            for record in records
            if all(record.get(name) == value for name, value in filters)
        )
        return list(islice(listed, self.limit))


class RecordSchema(NamedTuple):
    """The records of a contract's collection; see `Records`.

    :param whole: a record in a response; `given` is what a client sends.
    """

    whole: Schema
    given: Schema

    @property
    def digest(self) -> str:
        """Return an empty text: records stay when the definition changes."""
        return ""

    @property
    def properties(self) -> Iterable[str]:
        """The names of the properties of a record."""
        return self.whole.fields

    @property
    def has_text_keys(self) -> bool:
        """Return False: the server assigns integers."""
        return False

    def new(self, body: object) -> Record:
        """Return the record of a body, which must not have other properties, unlike a request's."""
        if body != {}:  # which `load` explains better
            self._change(body)  # rejects other properties, with the nearest name
        return self.given.load(body)

    def changed(self, record: Record, patch: object) -> Record:
        """Return a record with other properties; null removes an optional one."""
        values = {**record, **self._change(patch)}
        return {name: value for name, value in values.items() if value is not None}

    def check(self, record: Record) -> None:
        """Do nothing: what reads records of a contract has checked them."""

    def dump(self, record: Record) -> bytes:
        """Return a record as JSON."""
        return self.whole.dump(record)

    def _change(self, value: object) -> Record:
        """Return the properties to set on a record, with None for each one to remove."""
        given = self.given.fields
        if not isinstance(value, dict) or not value:
            what = f"the body must be an object with at least one of {', '.join(given)}"
            raise RequestError("invalid_request", what)
        problems: list[ValueProblem] = []
        removed: Record = {}
        changed = {}
        for name, wanted in value.items():
            if name in self.whole.fields and name not in given:
                problems.append(((name,), "cannot be changed"))
            elif name not in given:
                hint = did_you_mean(name, given) or f"known properties: {', '.join(given)}"
                problems.append((("unknown property",), f"{quote(name)}; {hint}"))
            elif wanted is None and not given[name].required:
                removed[name] = None
            else:
                changed[name] = wanted
        changes = self.given.accept(changed, partial=True)
        if changes is INVALID:
            problems += self.given.problems(changed, partial=True)
        if problems or changes is INVALID:
            raise RequestError("invalid_request", sentence(problems))
        return changes | removed


@dataclasses.dataclass(frozen=True, repr=False)  # as `Operation`
class Collection:
    """Records that several operations share.

    :param path: of the list; a record is one segment below it.
    :param schema: how records are checked.
    :param owner: the scenario whose file defines it; empty for the contract's.
    :param key: the name of the property that identifies a record.
    :param is_ordered: whether all keys are integers that the server assigns, and lists are in
        their order. Otherwise clients may choose keys, and lists are in the order of arrival.
    :param filters: the properties with an index, by which a list is filtered fast.
    :param only: what clients may do.
    :param absent: the error for a key that no record has; None for ``not_found``.
    :param generator: the name of what generates its records: see `seed.generated_records`.
    :param renamed: the collections of its contract whose name another contract has, too: that name,
        and the one in its place, such as ``blog.users``.
    :param position: line and column of the definition; not compared, as that of a stub.
    """

    name: str
    path: str
    schema: Records
    owner: str = ""
    key: str = "id"
    is_ordered: bool = False
    filters: tuple[str, ...] = ()
    only: tuple[Role, ...] = ROLES
    absent: Missing | None = None
    generator: str = ""
    renamed: tuple[tuple[str, str], ...] = ()
    position: tuple[int, int] = dataclasses.field(default=(0, 0), compare=False)

    @cached_property
    def label(self) -> str:
        """Its name, after that of the scenario that defines it."""
        return f"{self.owner}/{self.name}" if self.owner else self.name

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Its name, and for that of a scenario SCENARIO.NAME."""
        return (self.name, f"{self.owner}.{self.name}") if self.owner else (self.name,)

    def sibling(self, name: str) -> str:
        """Return the name of a collection of its contract, which differs if it is `renamed`."""
        return dict(self.renamed).get(name, name)

    @property
    def is_of_document(self) -> bool:
        """Whether a document describes its records."""
        return self.generator == DOCUMENT

    @cached_property
    def note(self) -> tuple[NoteCode, str]:
        """The note of a request that it serves."""
        return "resource", f"resource {self.label}"

    @cached_property
    def entry_bytes(self) -> int:
        """The charge for a record in addition to its JSON, in bytes."""
        if self.is_ordered:  # the key is the place, and few values are different
            return _ENTRY_BYTES
        return _ENTRY_BYTES + _KEY_BYTES + _VALUE_BYTES * len(self.filters)

    @cached_property
    def highest_counted(self) -> int:
        """The highest key that the keys of new records exceed; those above it were chosen.

        A client that sends the highest int64 as a key would otherwise end all creates.
        """
        return INT64_MAX if self.is_ordered else SAFE_INTEGER

    def methods(self, *, of_record: bool) -> dict[str, Role]:
        """Return the methods that the list, or a record of it, has."""
        known = RECORD_METHODS if of_record else LIST_METHODS
        return {method: action for method, action in known.items() if action in self.only}

    def missing(self, text: str) -> RequestError:
        """Return the error for a key that no record has; `text` is as in a path."""
        if self.absent is None:
            message = f"{self.name} has no record with the {self.key} {text[:_SHOWN]}"
            return RequestError("not_found", message)
        failure = self.absent.failure
        return RequestError.described(failure.code, failure.status, self.absent_message(text))

    def absent_message(self, text: str) -> str:
        """Return the message of `absent` for a key, or for a segment of a path in its place."""
        assert self.absent is not None  # noqa: S101 - only a contract's collection has one
        message = self.absent.message
        if parse_int64(text) is not None:
            return message.format(key=text)
        example = ", such as 7"
        if re.fullmatch("-?[1-9][0-9]*", text):
            example = f" from {INT64_MIN} to {INT64_MAX}"
        rule = f"an {self.key} is an integer{example}"
        return f"{message.format(key=repr(text[:_KEY_SHOWN]))}: {rule}"

    def taken(self, key: object) -> RequestError:
        """Return the error for a key that another record has."""
        message = f"{self.name} already has a record with the {self.key} {key}"
        return RequestError("conflict", message)


class Contract(NamedTuple):
    """A contract: what its OpenAPI document says, as the program uses it.

    :param name: as messages call the service.
    :param label: what stands before the names of its parts if another contract has the same.
    :param base: the path of its first server, such as ``/v1``; empty for the root.
    :param document: as clients get it; do not modify it.
    :param undescribed: method and path of operations that exist without a description.
    :param api: what its document says; None for the built-in one.
    """

    name: str
    label: str
    base: str
    document: Mapping[str, Any]
    operations: Mapping[str, Operation]
    undescribed: tuple[tuple[str, str], ...]
    schemas: Mapping[str, Schema]
    collections: Mapping[str, Collection]
    failures: Mapping[str, Failure]
    api: Api | None = None

    @property
    def paths(self) -> list[str]:
        """The paths of the operations, each once, those without a description last."""
        described = (each.path for each in self.operations.values())
        return list(dict.fromkeys((*described, *(path for _, path in self.undescribed))))


class Contracts:
    """The contracts that a server has, each at its base path, and all their parts by name."""

    def __init__(self, *contracts: Contract) -> None:
        self.all: Final = contracts
        self.operations: Final = _merged(each.operations for each in contracts)
        self.collections: Final = _merged(each.collections for each in contracts)
        self.failures: Final = _merged(each.failures for each in contracts)
        described = [(each.method, each.path, each) for each in self.operations.values()]
        bare = [(method, path, None) for each in contracts for method, path in each.undescribed]
        self.routes: Final = Routes([*described, *bare])

    @property
    def base(self) -> str:
        """The base path of the first contract, for examples and hints."""
        return self.all[0].base

    def labelled(self, label: str) -> Contract:
        """Return the contract with a label that one has; the first one if it is empty."""
        return next(each for each in self.all if label in ("", each.label))

    def starts(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return what collections contain at first: a file, or how many records to generate.

        :param given: what the user says of some of them.
        """
        return {**dict.fromkeys(self.collections, GENERATED_RECORDS), **given}

    def describes(self, path: str) -> bool:
        """Return whether a contract describes an operation at a path."""
        return any(self.routes.at(path).values())

    def serves(self, path: str) -> bool:
        """Return whether a path is below the base path of a contract, or is one."""
        return any(f"{path}/".startswith(f"{each.base}/") for each in self.all)

    def operation_named(self, name: str) -> Operation | None:
        """Return the operation with a name, in any case; or None."""
        return self.operations.get(name) or self._by_lower_name.get(name.lower())

    @cached_property
    def _by_lower_name(self) -> Mapping[str, Operation]:
        return {name.lower(): operation for name, operation in self.operations.items()}

    def operation_at(self, method: str, path: str) -> Operation | None:
        """Return the operation of a request, or None; HEAD counts as GET, if it has no own."""
        known = self.routes.at(path)
        return known.get(method) or (known.get("GET") if method == "HEAD" else None)

    @property
    def paged(self) -> list[Operation]:
        """The lists for which a scenario can give a page."""
        return [each for each in self.operations.values() if each.role == "list"]


def _merged(parts: Iterable[Mapping[str, T]]) -> Mapping[str, T]:
    """Return mappings as one."""
    return {name: part for each in parts for name, part in each.items()}
