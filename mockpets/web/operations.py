"""What operations do with the records of a collection.

`_VIEWS` has what the contract's operations do; `serve` is for collections that scenarios define.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar, cast
from urllib.parse import parse_qsl, quote

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.urls import iri_to_uri

from mockpets.clock import time_text
from mockpets.constants import LIST_METHODS, RECORD_METHODS
from mockpets.contract.collections import OwnSchema
from mockpets.contract.contract_model import (
    LIMIT,
    DocumentOperation,
    Page,
    RecordSchema,
    Schema,
)
from mockpets.contract.error_messages import BODY_TOO_LARGE
from mockpets.contract.fields import IntegerText
from mockpets.errors import RequestError
from mockpets.records.store import NO_FILTERS
from mockpets.records.table import index_key
from mockpets.redaction import redacted_target
from mockpets.strict_json import json_array, parse_json
from mockpets.web.jobs import run_job
from mockpets.web.messages import Response

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

    from mockpets.constants import NoteCode, Role
    from mockpets.contract.contract_model import Contracts, Operation, Record
    from mockpets.records.store import Change, Contents, Filters, Store
    from mockpets.scenario.scenario_model import Canned
    from mockpets.session.session import Session
    from mockpets.web.flask_app import App
    from mockpets.web.messages import Request, Steps

T = TypeVar("T")


def add_routes(app: App, contracts: Contracts, respond: Callable[..., Steps]) -> None:
    """Add the operations of the contracts to the app.

    :param respond: `Playback.respond`, which calls an operation if no stub responds.
    """
    for operation in contracts.operations.values():
        app.add_operation(operation, partial(respond, operation, act_of(operation)))


def act_of(operation: Operation) -> Callable[..., Response]:
    """Return what an operation does with a request and the records that it sees."""
    if isinstance(operation, DocumentOperation):
        return partial(_of_document, operation)  # its modules slow down the start
    assert operation.role is not None  # noqa: S101 - built-in ones have one
    return partial(_VIEWS[operation.role], operation)


def _of_document(
    operation: DocumentOperation, request: Request, store: Store | None = None
) -> Response:
    """Respond to a request to an operation of a document."""
    respond, act, show = _of_documents()
    if store is not None:
        return respond(operation, request, act, store)
    has_condition = operation.method == "GET" and operation.details.conditions
    return respond(operation, request, show if has_condition else None, None)


@cache
def _of_documents() -> tuple[Callable[..., Response], ...]:
    """Import what responds for documents: it slows down the start, and importing each request."""
    from mockpets.web.kept_responses import respond
    from mockpets.web.stateful.conditions import show
    from mockpets.web.stateful.roles import act

    return respond, act, show


def list_records(operation: Operation, request: Request, store: Store) -> Response:
    """Respond with a page of records, or raise ``invalid_request``."""
    query = _list_query(operation, request)
    if query.error is not None:
        raise RequestError("invalid_request", query.error)
    return Response(store.page(query.asked.limit, query.filters) + b"\n")


def page_response(reply: Canned, request: Request) -> Response:
    """Return a reply that is a page, with the records that the operation of a request would list.

    :raise RequestError: ``invalid_request``, unless the operation is that of a document.
    """
    operation = request.operation
    assert operation is not None  # noqa: S101 - only a list has pages
    if isinstance(operation, DocumentOperation):
        from mockpets.web.stateful.roles import list_page  # as in `_of_document`

        return list_page(operation, request, reply.body)
    query = _list_query(operation, request)
    if query.error is not None:
        raise RequestError("invalid_request", query.error)
    records = query.asked.first(json.loads(reply.body))
    body = operation.responses[200].schema.dump_all(records) + b"\n"
    return Response(body, reply.status, reply.headers)


def _list_query(operation: Operation, request: Request) -> _Query:
    """Return the query of a request, and note what has no effect.

    The caller raises an error in it: a traceback with one more frame costs a 400 256 bytes.
    """
    raw = request.environ.get("QUERY_STRING", "")
    read = _read_query if len(raw) <= _CACHED_LENGTH else _read_query.__wrapped__
    query = read(operation, raw)
    request.notes += query.notes
    if query.error is not None:
        session = request.session
        if session is not None and not session.shared.limits.logs_values:
            notes = dict(request.notes)
            if "limit_out_of_range" in notes:  # without the value
                notes["limit_out_of_range"] = _OUT_OF_RANGE
            request.notes[:] = notes.items()
    return query


class _Query(NamedTuple):
    """A parsed query of a list.

    :param error: why it is invalid; None if it is valid.
    """

    asked: Page
    filters: Filters
    notes: tuple[tuple[NoteCode, str], ...]
    error: str | None


_OUT_OF_RANGE: Final = "limit is not between 1 and 100"
_CACHED_LENGTH: Final = 256
"""The longest query, in characters, to keep in the cache."""


_PAGING: Final = {"page", "offset", "cursor"}
"""Parameters with which other services select the next page."""


@lru_cache(256)
def _read_query(operation: Operation, raw: str) -> _Query:
    """Parse a query; cached, because without it the mix takes 1.36 times as long."""
    parameters: dict[str, list[str]] = {}
    # Decoded in the same way as `request.args`, which stubs match on.
    text = raw.encode("latin-1").decode("utf-8", "replace")
    for name, value in parse_qsl(text, keep_blank_values=True, errors="werkzeug.url_quote"):
        parameters.setdefault(name, []).append(value)
    ignored = parameters.keys() - operation.query.fields.keys()
    notes = ignored_note("ignored_query", "parameters", ignored)
    if ignored & _PAGING:
        notes = ((notes[0][0], f"{notes[0][1]}; the contract has no paging"),)
    try:
        page = operation.page(parameters)
    except RequestError as error:
        limits = parameters.get("limit", [])
        if any(re.fullmatch(r"[-+]?[0-9]+", limit) for limit in limits):
            note = f"limit={', '.join(limits)[:40]}{_OUT_OF_RANGE.removeprefix('limit')}"
            notes = (*notes, ("limit_out_of_range", note))
        return _Query(Page(0, {}), NO_FILTERS, notes, error.message)
    filters: Filters = {name: {index_key(value): None} for name, value in page.filters.items()}
    return _Query(page, filters or NO_FILTERS, notes, None)


def create_record(operation: Operation, request: Request, store: Store) -> Response:
    """Add the record of the body.

    :raise RequestError: ``invalid_request``, ``payload_too_large``, ``store_full``.
    """
    _note_query(request)
    new = _given(operation, request)
    session = request.session
    assert session is not None  # noqa: S101 - `Playback.respond` sets it
    session.check_name(new)
    row, record = store.create(new)
    session.changes.publish("data")
    return _created(request, row, f"{operation.path}/{record[store.collection.key]}")


def _given(operation: Operation, request: Request) -> Record:
    """Return the record in a body, and note which properties have no effect."""
    body = json_body(request)
    assert operation.body is not None  # noqa: S101 - a role that adds or replaces has a body
    _note_unknown(request, body, operation.body.schema)
    return operation.body.schema.load(body)


def _note_query(request: Request) -> None:
    """Note the query parameters of an operation that uses none."""
    if request.environ.get("QUERY_STRING"):
        request.notes += ignored_note("ignored_query", "parameters", set(request.args))


def _note_unknown(request: Request, body: object, schema: Schema) -> None:
    if isinstance(body, dict) and (names := body.keys() - schema.fields.keys()):
        request.notes += ignored_note("ignored_members", "properties", names)


def _created(request: Request, row: bytes, path: str) -> Response:
    """Return the response for something new, with its path."""
    # Keep the prefix of the request, so that the path works behind a proxy.
    location = request.root_path + path
    response = Response(row + b"\n", 201)
    location = location if location.isascii() else iri_to_uri(location)
    response.headers.append(("Location", location))
    return response


def get_record(operation: Operation, request: Request, store: Store) -> Response:
    """Respond with the record whose key is in the path.

    :raise RequestError: ``gone`` if the session's clock was set and the operation is removed by its
        time; the collection's error for a key that no record has.
    """
    _note_query(request)
    session, removal = request.session, operation.removal
    # Not by the real time: suites must not break on a day in 2030.
    if session is not None and session.clock and removal is not None:
        now = session.clock.now()
        if now >= removal.at:
            request.notes.append(("clock", f"the session's clock shows {time_text(now)}"))
            raise RequestError("gone", removal.message)
    key = key_of(request)
    row = store.find(key)
    if row is None:  # not by `Store.get`, whose frame in the traceback costs a 404 256 bytes
        raise store.collection.missing(key)
    return Response(row + b"\n")


def replace_record(operation: Operation, request: Request, store: Store) -> Response:
    """Replace the record whose key is in the path; the key stays.

    :raise RequestError: as `create_record`, and the error for a key that no record has.
    """
    new = _given(operation, request)
    key = store.collection.key
    return _changed(request, store, lambda record: {key: record[key], **new})


def update_record(_: Operation, request: Request, store: Store) -> Response:
    """Change properties of the record whose key is in the path; null removes an optional one.

    :raise RequestError: as `replace_record`.
    """
    body, schema = json_body(request, *_PATCH_TYPES), store.collection.schema
    assert isinstance(schema, RecordSchema)  # noqa: S101 - scenarios' own have no operations
    _note_unknown(request, body, schema.given)
    if isinstance(body, dict):
        body = {name: body[name] for name in schema.given.fields if name in body}
    return _changed(request, store, lambda record: schema.changed(record, body))


def _changed(request: Request, store: Store, change: Change) -> Response:
    _note_query(request)
    row, _ = store.change(key_of(request), change)
    _publish(request)
    return Response(row + b"\n")


def delete_record(_: Operation, request: Request, store: Store) -> Response:
    """Delete the record whose key is in the path, or raise the error for an unknown one."""
    _note_query(request)
    store.delete(key_of(request))
    _publish(request)
    return Response(status=204)


def key_of(request: Request) -> str:
    """Return the key in the path of a request: its last parameter."""
    *_, key = (request.view_args or {}).values()
    return cast("str", key)


def _publish(request: Request) -> None:
    session = request.session
    assert session is not None  # noqa: S101 - `Playback.respond` sets it
    session.changes.publish("data")


_VIEWS: Final[Mapping[Role, Callable[[Operation, Request, Store], Response]]] = {
    "list": list_records,
    "create": create_record,
    "get": get_record,
    "replace": replace_record,
    "update": update_record,
    "delete": delete_record,
}
"""What an operation does, by its role."""

# --- Collections that scenarios define --------------------------------------------------------

_PAGE_SIZE: Final = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
_LIST_QUERY: Final = Schema("list", {LIMIT: IntegerText(_PAGE_SIZE)})
"""The parameter that lists of scenarios have."""
_PATCH_TYPES: Final = ("application/json", "application/merge-patch+json")


async def serve(request: Request, session: Session, store: Store, key: str) -> Response:
    """Respond to a request whose method the collection of a scenario has.

    :param key: the key in the path; empty for the list.
    :raise RequestError: ``not_found``, ``invalid_request``, ``conflict``, ``payload_too_large``,
        ``store_full``.
    """
    collection, schema = store.collection, store.collection.schema
    assert isinstance(schema, OwnSchema)  # noqa: S101 - the contract's have views of their own
    request.notes.append(collection.note)
    method = "GET" if request.method == "HEAD" else request.method
    action = (RECORD_METHODS if key else LIST_METHODS)[method]
    if action == "list":
        return await _page(request, store)
    if action == "get":
        return Response(store.get(key) + b"\n")
    if action == "delete":
        store.delete(key)
        session.changes.publish("data")
        return Response(status=204)
    body, name = json_body(request, *(_PATCH_TYPES if action == "update" else ())), collection.key
    if action == "create":
        row, record = store.create(schema.new(body))
        session.changes.publish("data")
        return _created(request, row, f"{collection.path}/{quote(str(record[name]), safe='')}")
    change = schema.replaced if action == "replace" else schema.changed
    row, record = store.change(key, lambda record: change(record, body))
    session.changes.publish("data")
    if isinstance(body, dict) and body.get(name, record[name]) != record[name]:
        request.notes += ignored_note("ignored_members", "properties", {name})
    return Response(row + b"\n")


async def _page(request: Request, store: Store) -> Response:
    """Respond with the first records that have the values in the query."""
    query = dict(request.args.lists()) if request.environ.get("QUERY_STRING") else {}
    limit = _LIST_QUERY.of_query(query)[LIMIT]
    query.pop(LIMIT, None)
    filters, others = filters_of(query), query.keys() - {*store.collection.schema.properties}

    def read(records: Contents) -> tuple[bytes, set[str]]:
        unknown = others - records.names(others)
        known = {name: filters[name] for name in filters if name not in unknown}
        return json_array(records.rows(limit, known)), unknown

    page, unknown = await read_records(request, store, read, filters, others)
    request.notes += ignored_note("ignored_query", "parameters", unknown)
    return Response(page + b"\n")


async def read_records(
    request: Request,
    store: Store,
    read: Callable[[Contents], T],
    filters: Filters,
    names: Collection[str],
) -> T:
    """Return what a function returns for the records of a store; the worker reads many.

    :param filters: those with which it reads, and the `names` that it looks for in all records.
    """
    is_slow = store.is_slow(filters, names)
    job = partial(store.query, read, is_slow=is_slow)
    return await run_job(request, job, "reading the records", is_long=is_slow)


def filters_of(query: Mapping[str, Sequence[str]]) -> Filters:
    """Return the filters for which texts in a query stand, by property."""
    return {
        name: {key: None for text in texts for key in _meanings(text)}
        for name, texts in query.items()
    }


def _meanings(text: str) -> Iterator[Hashable]:
    """Yield the JSON values for which a text in a query may stand: ``3`` for 3 and for "3"."""
    yield index_key(text)
    try:
        value = parse_json(text.encode())
    except RequestError:
        return
    if not isinstance(value, (str, list, dict)):
        yield index_key(value)


_NAMES_NOTED: Final = 8
"""The number of names that one note lists."""


def ignored_note(code: NoteCode, what: str, names: set[str]) -> tuple[tuple[NoteCode, str], ...]:
    """Return a note that names what has no effect, unless there is nothing."""
    if not names:
        return ()
    # A name may be a whole pair, as `token%3Dabc` is.
    listed = [redacted_target(f"?{name}")[1:] for name in sorted(names)[:_NAMES_NOTED]]
    shown = ", ".join(repr(name[:40]) for name in listed)
    more = ", ..." if len(names) > _NAMES_NOTED else ""
    return ((code, f"ignored {what}: {shown}{more}"),)


def json_body(request: Request, *types: str) -> object:
    """Return the value of the JSON body.

    :param types: what the Content-Type may be; by default, application/json.
    :raise RequestError: ``payload_too_large`` if it is longer than `BODY_BYTES`;
        ``invalid_request`` if it is invalid, or if the headers do not announce JSON in UTF-8.
    """
    try:
        raw = request.get_data()
    except RequestEntityTooLarge as error:
        raise RequestError("payload_too_large", BODY_TOO_LARGE) from error
    environ = request.environ
    if environ.get("CONTENT_TYPE") == "application/json" and "HTTP_CONTENT_ENCODING" not in environ:
        return parse_json(raw)  # the common case
    if request.mimetype not in (types or ("application/json",)):
        content_type = request.headers.get("Content-Type")
        problem = "Content-Type is missing"
        if content_type:
            problem = f"Content-Type must be application/json, got {content_type[:80]}"
        hint = "send the header 'Content-Type: application/json'"
        raise RequestError("invalid_request", f"{problem}; {hint}")
    charset = request.mimetype_params.get("charset", "utf-8")
    if charset.lower() not in ("utf-8", "utf8"):
        raise RequestError("invalid_request", f"the charset must be utf-8, got {charset[:80]}")
    encoding = request.headers.get("Content-Encoding", "identity")
    if encoding.lower() != "identity":
        message = f"Content-Encoding {encoding[:80]} is not supported; send the body uncompressed"
        raise RequestError("invalid_request", message)
    return parse_json(raw)
