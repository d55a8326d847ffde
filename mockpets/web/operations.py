"""What operations do with the records of a collection.

`list_pets`, `create_pet` and `get_pet` are the contract's; `serve` is for the collections that
scenarios define.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl, quote

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.urls import iri_to_uri

from mockpets.clock import time_text
from mockpets.constants import OPERATIONS, PETS_PATH
from mockpets.contract.collections import LIST_METHODS, RECORD_METHODS, OwnSchema
from mockpets.contract.error_messages import BODY_TOO_LARGE, REMOVED
from mockpets.contract.schemas import LIST_PARAMETERS, NEW_PET_FIELDS, ListQuery
from mockpets.contract.serialization import dump_pets, load_list_query, load_new_pet
from mockpets.errors import RequestError
from mockpets.records.store import NO_FILTERS
from mockpets.records.table import index_key
from mockpets.redaction import redacted_target
from mockpets.strict_json import parse_json
from mockpets.web.exchange import Response
from mockpets.web.jobs import run_job

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

    import flask

    from mockpets.constants import NoteCode
    from mockpets.records.store import Contents, Filters, Store
    from mockpets.session.session import Session
    from mockpets.web.exchange import Request

T = TypeVar("T")


def add_routes(app: flask.Flask, respond: Callable[..., Response]) -> None:
    """Add the contract's operations to the app.

    :param respond: `Playback.respond`, which calls an operation if no stub responds.
    """
    views = {"listPets": list_pets, "createPet": create_pet, "getPet": get_pet}
    for operation, (method, path) in OPERATIONS.items():
        app.add_url_rule(
            path.replace("{petId}", "<pet_id>"),
            operation,
            partial(respond, operation, views[operation]),
            methods=[method],
            # The last route handles OPTIONS: Flask's own response is a 200 with HTML.
            provide_automatic_options=False,
        )


def list_pets(request: Request, store: Store) -> Response:
    """Respond to listPets: a page of pets by ID. Raise ``invalid_request``."""
    query = _list_query(request)
    if query.error is not None:
        raise RequestError("invalid_request", query.error)
    return Response(store.page(query.asked.limit, query.filters) + b"\n")


def selected_pets(page: bytes, request: Request) -> bytes:
    """Return those pets of a page, in JSON, that listPets would list; raise ``invalid_request``."""
    query = _list_query(request)
    if query.error is not None:
        raise RequestError("invalid_request", query.error)
    return dump_pets(query.asked.first(json.loads(page))) + b"\n"


def _list_query(request: Request) -> _Query:
    """Return the query of a request, and note what has no effect.

    The caller raises an error in it: a traceback with one more frame costs a 400 256 bytes.
    """
    raw = request.environ.get("QUERY_STRING", "")
    query = _read_query(raw) if len(raw) <= _CACHED_LENGTH else _read_query.__wrapped__(raw)
    request.exchange.notes += query.notes
    if query.error is not None:
        session = request.exchange.session
        if session is not None and session.shared.is_public:
            notes = dict(request.exchange.notes)
            if "limit_out_of_range" in notes:  # without the value
                notes["limit_out_of_range"] = _OUT_OF_RANGE
            request.exchange.notes[:] = notes.items()
    return query


class _Query(NamedTuple):
    """A parsed query of listPets.

    :param error: why it is invalid; None if it is valid.
    """

    asked: ListQuery
    filters: Filters
    notes: tuple[tuple[NoteCode, str], ...]
    error: str | None


_OUT_OF_RANGE: Final = "limit is not between 1 and 100"
_CACHED_LENGTH: Final = 256
"""The longest query, in characters, to keep in the cache."""


_PAGING: Final = {"page", "offset", "cursor"}
"""Parameters with which other services select the next page."""


@lru_cache(256)
def _read_query(raw: str) -> _Query:
    """Parse a query; cached, because without it the mix takes 1.36 times as long."""
    parameters: dict[str, list[str]] = {}
    # Decoded in the same way as `request.args`, which stubs match on.
    text = raw.encode("latin-1").decode("utf-8", "replace")
    for name, value in parse_qsl(text, keep_blank_values=True, errors="werkzeug.url_quote"):
        parameters.setdefault(name, []).append(value)
    ignored = parameters.keys() - set(LIST_PARAMETERS)
    notes = ignored_note("ignored_query", "parameters", ignored)
    if ignored & _PAGING:
        notes = ((notes[0][0], f"{notes[0][1]}; the contract has no paging"),)
    try:
        query = load_list_query(parameters)
    except RequestError as error:
        limits = parameters.get("limit", [])
        if any(re.fullmatch(r"[-+]?[0-9]+", limit) for limit in limits):
            note = f"limit={', '.join(limits)[:40]}{_OUT_OF_RANGE.removeprefix('limit')}"
            notes = (*notes, ("limit_out_of_range", note))
        return _Query(ListQuery(0, None), NO_FILTERS, notes, error.message)
    filters: Filters = NO_FILTERS if query.status is None else {"status": {query.status: None}}
    return _Query(query, filters, notes, None)


def create_pet(request: Request, store: Store) -> Response:
    """Respond to createPet, or raise ``invalid_request``, ``payload_too_large``, ``store_full``."""
    if request.environ.get("QUERY_STRING"):
        request.exchange.notes += ignored_note("ignored_query", "parameters", set(request.args))
    body = json_body(request)
    if isinstance(body, dict):
        names = body.keys() - NEW_PET_FIELDS
        request.exchange.notes += ignored_note("ignored_members", "properties", names)
    new = load_new_pet(body)
    session = request.exchange.session
    assert session is not None  # noqa: S101 - `Playback.respond` sets it
    session.check_name(new["name"])
    pet_id, row = store.create(new)  # type: ignore[arg-type]  # a TypedDict
    session.changes.publish("data")
    return _created(request, row, f"{PETS_PATH}/{pet_id}")


def _created(request: Request, row: bytes, path: str) -> Response:
    """Return the response for something new, with its path."""
    # Keep the prefix of the request, so that the path works behind a proxy.
    location = request.root_path + path
    response = Response(row + b"\n", 201)
    location = location if location.isascii() else iri_to_uri(location)
    response.headers.append(("Location", location))
    return response


def get_pet(request: Request, store: Store) -> Response:
    """Respond to getPet.

    :raise RequestError: ``gone`` if the session's clock was set and the operation is removed by its
        time; ``pet_not_found``, also for an ID that is not an int64.
    """
    if request.environ.get("QUERY_STRING"):
        request.exchange.notes += ignored_note("ignored_query", "parameters", set(request.args))
    session = request.exchange.session
    # Not by the real time: suites must not break on a day in 2030.
    if session is not None and session.clock and (now := session.clock.now()) >= _REMOVED_AT:
        request.exchange.notes.append(("clock", f"the session's clock shows {time_text(now)}"))
        raise RequestError("gone", REMOVED)
    text: str = (request.view_args or {})["pet_id"]
    row = store.find(text)
    if row is None:
        raise store.collection.missing(text)
    return Response(row + b"\n")


# --- Collections that scenarios define --------------------------------------------------------

_PATCH_TYPES: Final = ("application/json", "application/merge-patch+json")


def serve(request: Request, session: Session, store: Store, key: str) -> Response:
    """Respond to a request whose method the collection of a scenario has.

    :param key: the key in the path; empty for the list.
    :raise RequestError: ``not_found``, ``invalid_request``, ``conflict``, ``payload_too_large``,
        ``store_full``.
    """
    exchange, collection, schema = request.exchange, store.collection, store.collection.schema
    assert isinstance(schema, OwnSchema)  # noqa: S101 - the contract's have views of their own
    exchange.notes.append(collection.note)
    method = "GET" if request.method == "HEAD" else request.method
    action = (RECORD_METHODS if key else LIST_METHODS)[method]
    if action == "list":
        return _page(request, store)
    if action == "get":
        return Response(store.get(key) + b"\n")
    if action == "delete":
        store.delete(key)
        session.changes.publish("data")
        return Response(status=204)
    body, name = json_body(request, *(_PATCH_TYPES if action == "update" else ())), collection.key
    if action == "create":
        new_key, row = store.create(schema.new(body))
        session.changes.publish("data")
        return _created(request, row, f"{collection.path}/{quote(str(new_key), safe='')}")
    change = schema.replaced if action == "replace" else schema.changed
    new_key, row = store.change(key, lambda record: change(record, body))
    session.changes.publish("data")
    if isinstance(body, dict) and body.get(name, new_key) != new_key:
        exchange.notes += ignored_note("ignored_members", "properties", {name})
    return Response(row + b"\n")


def _page(request: Request, store: Store) -> Response:
    """Respond with the first records that have the values in the query."""
    query = dict(request.args.lists()) if request.environ.get("QUERY_STRING") else {}
    limits = {name: query.pop(name) for name in ("limit",) if name in query}
    limit = load_list_query(limits).limit
    filters, others = filters_of(query), query.keys() - {*store.collection.properties}

    def read(records: Contents) -> tuple[bytes, set[str]]:
        unknown = others - records.names(others)
        known = {name: filters[name] for name in filters if name not in unknown}
        return records.page(limit, known), unknown

    page, unknown = read_records(request, store, read, filters, others)
    request.exchange.notes += ignored_note("ignored_query", "parameters", unknown)
    return Response(page + b"\n")


def read_records(
    request: Request,
    store: Store,
    read: Callable[[Contents], T],
    filters: Filters,
    names: Collection[str],
) -> T:
    """Return what a function returns for the records of a store; the worker reads many.

    :param filters: those with which it reads, and the `names` that it looks for in all records.
    :raise NotReady: as `run_job`.
    """
    is_slow = store.is_slow(filters, names)
    job = partial(store.query, read, is_slow=is_slow)
    return run_job(request, job, "reading the records", is_long=is_slow)


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
_REMOVED_AT: Final = 1_922_659_200_000
"""`SUNSET`, in milliseconds since 1970; not parsed, because that would slow the start."""


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
