"""The model of a contract: its operations, the schemas of their bodies, and its errors.

`document.read` makes a `Contract` of an OpenAPI document; `pet_store` has the built-in one. The
model does without data classes, which would delay a start by 3 %.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from mockpets.contract.fields import INVALID
from mockpets.errors import RequestError, did_you_mean
from mockpets.strict_json import dump_json
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mockpets.contract.fields import ContractField, Invalid, ValueProblem
    from mockpets.contract.routes import Routes

Record = dict[str, Any]
"""An object of a collection."""
Role = Literal["list", "create", "get", "replace", "update", "delete"]
"""What an operation does to a collection."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)
LIMIT: Final = "limit"
"""The parameter with the size of a page."""


class Schema:
    """A JSON object, or the query of an operation: its properties in order, by name."""

    def __init__(self, name: str, fields: Mapping[str, ContractField]) -> None:
        self.name: Final = name
        self.fields: Final = fields

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

    def dump(self, record: Mapping[str, object]) -> bytes:
        """Return an object as JSON, with its properties in order."""
        return dump_json({name: record[name] for name in self.fields if name in record})

    def dump_all(self, records: Iterable[Mapping[str, object]]) -> bytes:
        """Return objects as a JSON array."""
        return b"[" + b",".join(map(self.dump, records)) + b"]"


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

    :param deprecation: the value of the header, by RFC 9745; `sunset` is that of RFC 8594.
    :param successor: the operation to use instead.
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


class Operation(NamedTuple):
    """An operation of a contract.

    :param path: with the contract's base path, such as ``/v1/orders/{id}``.
    :param collection: the name of that to which `role` does something.
    :param parameters: those in the path.
    :param query: those in the query.
    :param body: of the request; None if it has none.
    :param statuses: of the responses that the contract lists.
    :param responses: the bodies of those that have one.
    """

    name: str
    method: str
    path: str
    role: Role
    collection: str
    parameters: Schema
    query: Schema
    body: Body | None
    statuses: tuple[int, ...]
    responses: Mapping[int, Body]
    removal: Removal | None = None

    def in_path(self, path: str) -> dict[str, str]:
        """Return the parameters in a path of the operation, as texts."""
        pairs = zip(self.path.split("/"), path.split("/"), strict=False)
        return {name[1:-1]: text for name, text in pairs if name[:1] == "{"}

    @property
    def most(self) -> int:
        """The maximum size of a page."""
        limit: int = self.query.fields[LIMIT].openapi["maximum"]
        return limit

    def page(self, parameters: Mapping[str, Sequence[str]]) -> Page:
        """Return the page of a list for which a query asks.

        :param parameters: those that the operation does not have are ignored.
        :raise RequestError: ``invalid_request``, with every problem.
        """
        known = {name: values for name, values in parameters.items() if name in self.query.fields}
        problems: list[ValueProblem] = [
            ((name,), f"must be sent only once, got {len(values)} values")
            for name, values in known.items()
            if len(values) > 1
        ]
        single = {name: values[0] for name, values in known.items() if len(values) == 1}
        query = self.query.accept(single)
        if query is INVALID:
            problems += self.query.problems(single)
        if problems or query is INVALID:
            raise RequestError("invalid_request", sentence(problems))
        return Page(query.pop(LIMIT), query)


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
    """The records of a contract's collection; what is invalid raises ``invalid_request``.

    :param whole: a record in a response; `given` is what a client sends.
    """

    whole: Schema
    given: Schema

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


class Contract(NamedTuple):
    """A contract: what its OpenAPI document says, as the program uses it.

    :param base: the path of its first server, such as ``/v1``.
    :param document: as clients get it; do not modify it.
    :param undescribed: method and path of operations that exist without a description.
    :param routes: the names of all operations by path and method; empty for an undescribed one.
    :param error: the body of every error.
    """

    base: str
    document: Mapping[str, Any]
    operations: Mapping[str, Operation]
    undescribed: tuple[tuple[str, str], ...]
    schemas: Mapping[str, Schema]
    failures: Mapping[str, Failure]
    error: Body
    routes: Routes

    @property
    def paths(self) -> list[str]:
        """The paths of the operations, each once, those without a description last."""
        described = (each.path for each in self.operations.values())
        return list(dict.fromkeys((*described, *(path for _, path in self.undescribed))))

    def operation_at(self, method: str, path: str) -> Operation | None:
        """Return the operation of a request, or None; HEAD counts as GET."""
        name = self.routes.at(path).get("GET" if method == "HEAD" else method)
        return self.operations[name] if name else None

    def role_of(self, operation: str | None) -> Role | None:
        """Return what an operation, if any, does to its collection."""
        return None if operation is None else self.operations[operation].role

    def of_role(self, role: Role, collection: str) -> Operation:
        """Return the operation that does something to a collection; raise KeyError without one."""
        for operation in self.operations.values():
            if (operation.role, operation.collection) == (role, collection):
                return operation
        raise KeyError(role, collection)

    def body_problems(self, operation: str, status: int, value: object) -> list[ValueProblem]:
        """Return the problems of a response's body; an error must repeat its status."""
        described = self.operations[operation]
        if status in described.statuses and status not in described.responses:
            return []
        body = described.responses.get(status, self.error)
        problems = body.problems(value)
        if body.schema is self.error.schema and not problems and value["status"] != status:  # type: ignore[index]  # the schema has checked it
            problems.append((("status",), f"must repeat the HTTP status, {status}"))
        return problems
