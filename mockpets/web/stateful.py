"""What operations of documents do with records, by the role that the inference gave them.

Each act returns a response with the document's own shapes: its envelope, the declared properties,
the totals and links of its paging. `People` are those who log in: a token names one of them.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from mockpets.clock import moment
from mockpets.contract.collections import identity
from mockpets.contract.document_records import (
    OWN,
    DocumentRecords,
    field_of,
    parent_property,
    set_at,
    value_at,
)
from mockpets.contract.fields import INVALID
from mockpets.contract.security import Sent
from mockpets.contract.shapes import mapping, plain
from mockpets.errors import RequestError
from mockpets.records.table import parse_row
from mockpets.seed.values import ABSENT
from mockpets.strict_json import dump_json, same_json
from mockpets.web.documented import Asked, details_of, failed, values_of, with_body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mockpets.contract.details import Api, Details
    from mockpets.contract.inference import Guess, GuessedCollection
    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.model import Operation, Record
    from mockpets.contract.openapi import Node
    from mockpets.contract.query_meanings import Meaning, PropertyPath
    from mockpets.records.store import Store
    from mockpets.web.exchange import Request, Response

_PAGE: Final = 20
"""Records on a page, if neither the request nor the document says how many."""
_CREATED: Final = ("createdat", "created", "createdon", "datecreated", "creationdate", "insertedat")
_UPDATED: Final = ("updatedat", "updated", "updatedon", "dateupdated", "modifiedat", "lastmodified")
_TITLES: Final = ("title", "name", "headline", "subject", "label")
_PASSWORD: Final = f"{OWN}password"


class _FailedError(Exception):
    """The request fails with a documented error.

    :param statuses: see `documented.failed`; also `key`.
    """

    def __init__(self, code: str, statuses: Sequence[int], what: str, key: str = "") -> None:
        super().__init__(what)
        self.code, self.statuses, self.what, self.key = code, statuses, what, key


def act(operation: Operation, request: Request, asked: Asked) -> Response:
    """Return the response of an operation with a role, which changes records."""
    acting = Acting(operation, request, asked)
    try:
        return _ACTS[acting.guess.role](acting)
    except _FailedError as error:
        reasons = [((), error.what)]
        return failed(operation, request, error.code, error.statuses, reasons, error.key)


@dataclass(frozen=True)
class Acting:
    """One operation that acts on the records which a request sees."""

    operation: Operation
    request: Request
    asked: Asked

    @cached_property
    def details(self) -> Details:
        """What the document says of the operation."""
        return details_of(self.operation)

    @property
    def guess(self) -> Guess:
        """What the operation does."""
        return self.details.guess

    @property
    def api(self) -> Api:
        """The document."""
        return self.details.api

    @cached_property
    def guessed(self) -> GuessedCollection:
        """The collection of the operation; `stored` has its records."""
        return self.api.inferred.collections[self.guess.collection]

    @cached_property
    def store(self) -> Store:
        """The records."""
        assert self.operation.collection is not None  # noqa: S101 - a role has one
        return self.store_of(self.operation.collection.name)

    @cached_property
    def records(self) -> DocumentRecords:
        """How they are checked."""
        records = self.store.collection.schema
        assert isinstance(records, DocumentRecords)  # noqa: S101 - those of a document are
        return records

    def store_of(self, name: str) -> Store:
        """Return the records of a collection, by its name in the contracts."""
        session, stack = self.request.exchange.session, self.request.exchange.stack
        assert session is not None  # noqa: S101 - `Playback.respond` sets both
        assert stack is not None  # noqa: S101
        return session.store(stack, stack.contracts.collections[self._full(name)])

    def _full(self, name: str) -> str:
        """Return the name of a collection of this document, beside those of other contracts."""
        stack, own = self.request.exchange.stack, self.operation.collection
        assert stack is not None  # noqa: S101
        label = own.name.partition(".")[0] if own else ""
        return f"{label}.{name}" if f"{label}.{name}" in stack.contracts.collections else name

    # --- People -------------------------------------------------------------------------------

    @cached_property
    def people(self) -> GuessedCollection | None:
        """Those who log in."""
        known = self.api.inferred.collections.values()
        return next((each for each in known if each.is_people and not each.shows), None)

    @cached_property
    def me(self) -> Record | None:
        """The person whose token the request has: the first one for a token of somebody else."""
        token = self._token
        if self.people is None or not token:
            return None
        people = self.store_of(self.people.name)
        row = people.find(_subject(token)) or next(iter(people.save().rows(1)), None)
        return parse_row(row) if row else None

    @property
    def _token(self) -> str:
        request = self.request
        headers = {name.lower(): value for name, value in request.headers.items()}
        found = self.details.security.read(Sent(headers, dict(request.args.lists())))
        return found.key or headers.get("authorization", "").rpartition(" ")[2]

    @property
    def my_key(self) -> object:
        """The key of that person; None without one."""
        return None if self.me is None or self.people is None else self.me[self.people.key]

    # --- Records ------------------------------------------------------------------------------

    def key(self) -> str:
        """Return the key in the request, as a text."""
        guess = self.guess
        if guess.key_in == "token":
            if self.me is None or self.people is None:
                raise _FailedError("unauthorized", (401, 403), "log in first")
            return str(self.me[self.people.key])
        place: Mapping[str, Any] = {"query": self.asked.query, "body": self.body}.get(
            guess.key_in, self.asked.path
        )
        found = place.get(guess.key)
        if found is None and guess.key_in != "body":
            found = next(reversed([*self.asked.path.values()]), None)
        return "" if found is None else str(found)

    @property
    def body(self) -> dict[str, Any]:
        """The object in the body, without its envelope; empty without one."""
        value = self.asked.body
        for name in self.guess.body_envelope:
            value = value.get(name) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def find(self, key: str) -> Record:
        """Return a record by the text of its key; raise `_FailedError` without one."""
        row = self.store.find(key)
        record = None if row is None else parse_row(row)
        if record is None or not self.is_below(record):
            raise self.missing(key)
        return record

    def missing(self, key: str) -> _FailedError:
        """Return the error for a key that no record has."""
        what = f"{self.guess.collection} has no record with the {self.guessed.key} {key[:100]}"
        return _FailedError("not_found", (404, 410, 400, 422), what, key)

    def is_below(self, record: Record) -> bool:
        """Return whether a record belongs to the parents in the path."""
        return all(
            _equal(value_at(record, path or (parent_property(self.guessed.parent),)), value)
            for name, path in self.guess.where.items()
            if (value := self.asked.path.get(name)) is not None
        )

    def check_parent(self) -> None:
        """Raise `_FailedError` if the parent in the path does not exist."""
        guessed, api = self.guessed, self.api
        key = (
            self.asked.path.get(guessed.parent_key)
            if guessed.parent_key in self.guess.where
            else None
        )
        parent = api.inferred.collections.get(guessed.parent)
        if key is None or parent is None or parent.is_open or parent.shows:
            return
        if self.store_of(guessed.parent).find(str(key)) is None:
            what = f"{guessed.parent} has no record with the {parent.key} {str(key)[:100]}"
            raise _FailedError("not_found", (404, 400, 422), what, str(key))

    def check_owner(self, record: Record) -> None:
        """Raise `_FailedError` if the record is somebody else's, and the document lists a 403."""
        owner = value_at(record, self.guessed.owner) if self.guessed.owner else INVALID
        is_listed = "403" in self.details.described.responses
        if is_listed and owner not in (INVALID, None) and not _equal(owner, self.my_key):
            raise _FailedError("forbidden", (403,), "the record is somebody else's")

    def now(self) -> str:
        """Return the time of the session, as in JSON."""
        session = self.request.exchange.session
        assert session is not None  # noqa: S101
        if session.clock is not None:
            return moment(session.clock.now() / 1000)
        from time import time

        return moment(time())

    def changed(self) -> None:
        """Tell those who wait for changes of records."""
        session = self.request.exchange.session
        assert session is not None  # noqa: S101
        session.changes.publish("data")

    # --- What a response shows ----------------------------------------------------------------

    @cached_property
    def _toggles(self) -> dict[str, set[PropertyPath]]:
        """The properties that people switch on and off, by the collection of the records."""
        found: dict[str, set[PropertyPath]] = {}
        for guess in self.api.inferred.operations.values():
            if guess.role == "toggle":
                stored = self.api.stored(guess.collection)
                found.setdefault(stored, set()).update(guess.change)
        return found

    def expanded(self, record: Record, collection: str) -> dict[str, Any]:
        """Return a record with what depends on other records, and on who asks."""
        value = deepcopy(record)
        for path in self._toggles.get(collection, ()):
            people = record.get(OWN + ".".join(path))
            if people is not None or self.people is not None:
                set_at(value, path, self.my_key is not None and self.my_key in (people or ()))
        known = self.api.inferred.collections[collection]
        if known.is_people and (credentials := self._credentials) is not None:
            set_at(value, credentials[-1:], _token_of(record[known.key]))
        path = known.owner
        if len(path) > 1 and self.people is not None and collection != self.people.name:
            row = self.store_of(self.people.name).find(str(value_at(record, path)))
            if row is not None:
                person = self.expanded(parse_row(row), self.people.name)
                embedded = value_at(value, path[:-1])
                embedded = embedded if isinstance(embedded, dict) else {}
                set_at(value, path[:-1], {**embedded, **person})
        return value

    @cached_property
    def _credentials(self) -> PropertyPath | None:
        """Where a log-in has the token, in the record."""
        for guess in self.api.inferred.operations.values():
            if guess.credentials is not None and guess.credentials.token:
                return guess.credentials.token
        return None

    def shown(self, record: Record, schema: Node, at: str = "") -> object:
        """Return a record as a response with a schema has it."""
        stored = self.api.stored(self.guess.collection)
        return self.fitted(
            self.expanded(record, stored), schema, at or str(record.get(self.key_name))
        )

    @property
    def key_name(self) -> str:
        """The property with the key."""
        return self.store.collection.key

    def fitted(self, value: object, schema: Node, at: str) -> object:
        """Return a value as a schema has it: without other properties, with the required ones."""
        field = field_of(self.api, schema, "response")
        accepted = field.accept(value)
        if accepted is not INVALID or not isinstance(value, dict):
            return value if accepted is INVALID else accepted
        values = values_of(self.operation, self.request)
        whole = values.value(schema, kind=self.guess.collection, at=at, echo=value)
        filled = _filled(value, whole, field)
        accepted = field.accept(filled)
        return whole if accepted is INVALID else accepted

    def reply(self, record: Record | None) -> Response:
        """Return the response to a request that succeeds, which may show a record."""
        reply, guess = self.details.success, self.guess
        body: object = ABSENT
        if reply.media_type and record is not None and guess.returns == "record":
            schema: Node = guess.item or self.guessed.schema
            body = self.wrapped(self.shown(record, schema))
        elif reply.media_type:
            values = values_of(self.operation, self.request)
            body = values.example(reply.media)
            if body is ABSENT:
                at = f"{self.operation.name}/{reply.status}"
                body = values.value(reply.schema, at=at, echo=self.asked.echo)
        response = with_body(self.operation, self.request, reply, body)
        if record is not None and response.header("Location") is not None:
            response.set_header("Location", self._location(record))
        return response

    def _location(self, record: Record) -> str:
        path = self.guessed.item_path or self.operation.path
        key = quote(str(record[self.key_name]), safe="")
        *_, base = [each.base for each in self._contracts if self.operation.name in each.operations]
        filled = {name: quote(str(value), safe="") for name, value in self.asked.path.items()}
        names = re.findall(r"\{([^{}]+)\}", path)
        for name in names[:-1]:
            path = path.replace(f"{{{name}}}", filled.get(name, ""))
        path = path.replace(f"{{{names[-1]}}}", key) if names else f"{path}/{key}"
        return f"{self.request.root_path}{base}{path}"

    @property
    def _contracts(self) -> Sequence[Any]:
        stack = self.request.exchange.stack
        assert stack is not None  # noqa: S101
        return stack.contracts.all

    def wrapped(self, value: object) -> object:
        """Return a value in the envelope of the response, whose other parts are filled."""
        envelope = self.guess.envelope
        if not envelope:
            return value
        schema = self.details.success.schema
        body: dict[str, Any] = {}
        set_at(body, envelope, value)
        field = field_of(self.api, schema, "response")
        accepted = field.accept(body)
        if accepted is not INVALID:
            return accepted
        values = values_of(self.operation, self.request)
        whole = values.value(schema, at=f"{self.operation.name}/envelope")
        filled = _filled({}, whole, field)
        set_at(filled, envelope, value)
        return filled


# --- Acts -------------------------------------------------------------------------------------


def _list(acting: Acting) -> Response:
    acting.check_parent()
    guess, guessed = acting.guess, acting.guessed
    stored = acting.api.stored(guess.collection)
    records = [parse_row(row) for row in acting.store.save().rows()]
    if guess.mine:
        path = guessed.owner or (acting.key_name,)
        records = [each for each in records if _equal(value_at(each, path), acting.my_key)]
    records = [each for each in records if acting.is_below(each)]
    pairs = [(each, acting.expanded(each, stored)) for each in records]
    for path, wanted in guess.fixed.items():
        pairs = [pair for pair in pairs if _equal(value_at(pair[1], path), wanted)]
    for name, meaning in guess.query.items():
        if name in acting.asked.query:
            passes = _filter(meaning, acting.asked.query[name])
            pairs = [pair for pair in pairs if passes(*pair)]
    rows = _sorted(acting, [value for _, value in pairs])
    page = _Paging(acting, len(rows))
    schema: Node = guess.item or guessed.schema
    shown = [
        acting.fitted(value, schema, str(value.get(acting.key_name)))
        for value in rows[page.start : page.end]
    ]
    body = acting.wrapped(shown)
    if isinstance(body, dict):
        page.describe(body)
    response = with_body(acting.operation, acting.request, acting.details.success, body)
    if response.header("Link") is not None:
        links = page.links()
        response.remove_header("Link")
        if links:
            response.set_header("Link", ", ".join(f'<{url}>; rel="{rel}"' for rel, url in links))
    for name, value in page.headers():
        if response.header(name) is not None:
            response.set_header(name, str(value))
    return response


def _filter(meaning: Meaning, wanted: Any) -> Callable[[Record, dict[str, Any]], bool]:
    """Return what a record, and the same with all that it shows, must meet."""
    word, path = meaning.word, meaning.path
    several = wanted if isinstance(wanted, list) else [wanted]
    if wanted in ("", []) or word in _NO_FILTERS:
        return lambda *_: True
    match word:
        case "equal":
            return lambda _, value: any(_has(value_at(value, path), each) for each in several)
        case "flag":
            return lambda _, value: not _is_true(wanted) or value_at(value, path) is True
        case "least" | "most":
            sign = 1 if word == "least" else -1
            return lambda _, value: _compared(value_at(value, path), wanted) * sign >= 0
        case "toggled":
            return lambda record, _: any(
                _equal(each, key)
                for each in record.get(OWN + ".".join(path), ())
                for key in several
            )
        case "search":
            return lambda _, value: any(str(each).lower() in _text(value) for each in several)
    return lambda *_: True


_NO_FILTERS: Final = {
    *("limit", "offset", "page", "cursor", "sort", "direction", "fields", "ignored"),
}


def _sorted(acting: Acting, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return records in the order for which the request asks, or in that of the list."""
    asked, words = acting.asked.query, {}
    for name, meaning in acting.guess.query.items():
        if name in asked:
            words[meaning.word] = asked[name]
    sort = words.get("sort", acting.guess.sort)
    sort = sort[0] if isinstance(sort, list) and sort else sort
    if not isinstance(sort, str) or not sort:
        return rows
    text, reverse = sort, str(words.get("direction", "")).lower().startswith("desc")
    if found := re.fullmatch(r"([-+]?)(.+?)(?:[ :_](asc|desc))?", text, re.IGNORECASE):
        reverse = reverse or found[1] == "-" or (found[3] or "").lower() == "desc"
        text = found[2]
    path = tuple(text.split("."))
    known = [row for row in rows if value_at(row, path) not in (INVALID, None)]
    others = [row for row in rows if value_at(row, path) in (INVALID, None)]
    return [*sorted(known, key=lambda row: _order(value_at(row, path)), reverse=reverse), *others]


class _Paging:
    """The page of a list for which a request asks."""

    def __init__(self, acting: Acting, total: int) -> None:
        self.total = total
        self._acting = acting
        self._names = {
            meaning.word: (name, meaning) for name, meaning in acting.guess.query.items()
        }
        is_paged = self._names.keys() & {"limit", "offset", "page", "cursor"}
        limit = self._number("limit")
        self.limit = (_PAGE if limit is None else max(limit, 0)) if is_paged else max(total, 1)
        first = self._names["page"][1].first if "page" in self._names else 1
        page = self._number("page")
        self.start = self._number("offset") or 0
        if page is not None:
            self.start = max(page - first, 0) * self.limit
        if (cursor := self._value("cursor")) is not None:
            self.start = self._after(str(cursor))
        self.first = first
        self.end = self.start + self.limit

    def _value(self, word: str) -> Any:
        name = self._names[word][0] if word in self._names else ""
        return self._acting.asked.query.get(name)

    def _number(self, word: str) -> int | None:
        value = self._value(word)
        return int(value) if isinstance(value, int) and not isinstance(value, bool) else None

    def _after(self, cursor: str) -> int:
        try:
            text = urlsafe_b64decode(cursor.encode() + b"==").decode()
            return int(text.removeprefix("after:"))
        except ValueError:
            return 0

    @staticmethod
    def _cursor(start: int) -> str:
        return urlsafe_b64encode(f"after:{start}".encode()).decode().rstrip("=")

    def _url(self, start: int) -> str:
        """Return the URL of the page that begins at a record."""
        request = self._acting.request
        query = dict(request.args.lists())
        step = max(self.limit, 1)
        if "page" in self._names:
            query[self._names["page"][0]] = [str(start // step + self.first)]
        elif "offset" in self._names:
            query[self._names["offset"][0]] = [str(start)]
        elif "cursor" in self._names:
            query[self._names["cursor"][0]] = [self._cursor(start)]
        text = urlencode(query, doseq=True)
        host = f"{request.scheme}://{request.environ.get('HTTP_HOST', 'localhost')}"
        return f"{host}{quote(request.root_path + request.path)}{'?' + text if text else ''}"

    @property
    def _last(self) -> int:
        """Where the last page begins."""
        step = max(self.limit, 1)
        return max(self.total - 1, 0) // step * step

    def _known(self) -> dict[str, object]:
        """Return what the words of paging are; INVALID if a page has none."""
        step = max(self.limit, 1)
        has_next, has_previous = self.end < self.total, self.start > 0
        before = max(self.start - step, 0)
        number = self.start // step + self.first
        return {
            "total": self.total,
            "count": max(min(self.end, self.total) - self.start, 0),
            "page": number,
            "pages": -(-self.total // step),
            "limit": self.limit,
            "offset": self.start,
            "more": has_next,
            "next": self._url(self.end) if has_next else INVALID,
            "previous": self._url(before) if has_previous else INVALID,
            "first": self._url(0),
            "last": self._url(self._last),
            "self": self._url(self.start),
            "next_page": number + 1 if has_next else INVALID,
            "previous_page": number - 1 if has_previous else INVALID,
            "next_cursor": self._cursor(self.end) if has_next else INVALID,
            "previous_cursor": self._cursor(before) if has_previous else INVALID,
        }

    def describe(self, body: dict[str, Any]) -> None:
        """Set the totals and links beside a list; what a page does not have is left out or null."""
        known, acting = self._known(), self._acting
        field = field_of(acting.api, acting.details.success.schema, "response")
        for path, word in acting.guess.paging.items():
            before = deepcopy(body)
            value = known[word]
            if value is INVALID:
                _remove(body, path)
                if field.accept(body) is INVALID:
                    body.clear()
                    body.update(before)
                    set_at(body, path, None)
            else:
                set_at(body, path, value)
            if field.accept(body) is INVALID:  # of another type, such as a text for a number
                set_at(body, path, str(value))
            if field.accept(body) is INVALID:
                body.clear()
                body.update(before)

    def links(self) -> list[tuple[str, str]]:
        """Return the relations and URLs of the header Link (RFC 8288)."""
        known = self._known()
        names = {"next": "next", "previous": "prev", "first": "first", "last": "last"}
        return [
            (rel, str(known[word])) for word, rel in names.items() if known[word] is not INVALID
        ]

    def headers(self) -> Iterator[tuple[str, object]]:
        """Yield the headers in which services send totals."""
        known = self._known()
        for name in ("X-Total-Count", "X-Total", "Total-Count", "X-Pagination-Total-Count"):
            yield name, known["total"]
        yield "X-Total-Pages", known["pages"]
        yield "X-Page", known["page"]
        yield "X-Per-Page", known["limit"]


def _get(acting: Acting) -> Response:
    key = acting.key()
    if acting.guessed.is_open and acting.store.find(key) is None:
        values = values_of(acting.operation, acting.request)
        echo = {acting.key_name: key}
        name = acting.api.stored(acting.guess.collection)
        schema = acting.api.inferred.collections[name].schema
        record: Any = values.value(schema, kind=name, at=f"{name}/{key}", echo=echo)
        return acting.reply({**record, acting.key_name: key})
    return acting.reply(acting.find(key))


def _create(acting: Acting) -> Response:
    acting.check_parent()
    if acting.guess.many:
        body = acting.asked.body
        for name in acting.guess.body_envelope:
            body = body.get(name) if isinstance(body, dict) else None
        items = body if isinstance(body, list) else []
        made = [_add(acting, item) for item in items if isinstance(item, dict)]
        acting.changed()
        return _many(acting, made)
    record = _add(acting, acting.body)
    acting.changed()
    return _logged_in(acting, record) if acting.guess.credentials else acting.reply(record)


def _many(acting: Acting, records: list[Record]) -> Response:
    if acting.guess.returns == "list":
        schema: Node = acting.guess.item or acting.guessed.schema
        body = acting.wrapped([acting.shown(each, schema) for each in records])
        return with_body(acting.operation, acting.request, acting.details.success, body)
    return acting.reply(records[-1] if records else None)


def _add(acting: Acting, body: dict[str, Any]) -> Record:
    """Add a record with a body, and with what the server gives it."""
    record, guessed, guess = dict(body), acting.guessed, acting.guess
    properties = acting.records.properties
    for name, path in guess.where.items():
        if name in acting.asked.path:
            set_at(record, path or (parent_property(guessed.parent),), acting.asked.path[name])
    if credentials := guess.credentials:
        password = value_at(acting.asked.body, credentials.password)
        record[_PASSWORD] = None if password is INVALID else password
        _check_taken(acting, record, credentials.name[-1:])
    if guessed.owner and acting.my_key is not None and not guessed.is_people:
        set_at(record, guessed.owner, acting.my_key)
    given = record.get(acting.key_name)
    title = next(
        (record[name] for name in properties if plain(name) in _TITLES and name in record), ""
    )
    if given is None and title and plain(acting.key_name) in ("slug", "permalink", "handle"):
        record[acting.key_name] = _free_slug(acting, str(title))
    _complete(acting, record, is_new=True)
    try:
        _, row = acting.store.create(record)
    except RequestError as error:
        if error.code == "conflict":
            raise _FailedError("conflict", (409, 422, 400), error.message, str(given)) from None
        raise
    return parse_row(row)


def _check_taken(acting: Acting, record: Record, path: PropertyPath) -> None:
    """Raise `_FailedError` if another person has the name with which they log in."""
    for row in acting.store.save().rows() if path else ():
        if _equal(value_at(parse_row(row), path), value_at(record, path)):
            what = f"{path[-1]} has already been taken"
            raise _FailedError("conflict", (409, 422, 400), what)


def _free_slug(acting: Acting, title: str) -> str:
    slug = re.sub(r"[^\w]+", "-", title.lower()).strip("-")[:60] or "untitled"
    number, text = 1, slug
    while acting.store.find(text) is not None:
        number, text = number + 1, f"{slug}-{number + 1}"
    return text


def _complete(acting: Acting, record: Record, *, is_new: bool) -> None:
    """Give a record the times of the change, and a new one what it must have."""
    now = acting.now()
    properties = acting.records.properties
    for name, field in properties.items():
        is_time = plain(name) in _UPDATED or (is_new and plain(name) in _CREATED)
        if is_time and "string" in field.types_named:
            is_date = field.openapi.get("format") == "date"
            record[name] = now[:10] if is_date else now
    if not is_new:
        return
    required = acting.records.field().shape.required
    values = values_of(acting.operation, acting.request)
    for name, field in properties.items():
        if name in record or name == acting.key_name:
            continue
        if "default" in field.openapi and field.accept(field.openapi["default"]) is not INVALID:
            record[name] = field.openapi["default"]
        elif name in required:
            record[name] = _initial(field, values, name, acting)


def _initial(field: SchemaField, values: Any, name: str, acting: Acting) -> object:
    """Return what a property of a new record is that the client does not send."""
    types = field.types_named
    candidates: list[object] = []
    if "boolean" in types:
        candidates.append(False)
    if types & {"integer", "number"}:
        candidates.append(0)
    if "array" in types:
        candidates.append([])
    if "null" in types or field.accept(None) is not INVALID:
        candidates.append(None)
    for each in candidates:
        if field.accept(each) is not INVALID:
            return each
    schema = mapping(acting.guessed.schema)
    whole = values.value(schema, kind=acting.guess.collection, at=f"new/{acting.guess.collection}")
    return whole.get(name) if isinstance(whole, dict) else None


def _replace(acting: Acting) -> Response:
    key = acting.key()
    row = acting.store.find(key)
    if row is None and acting.guess.creates:
        name = acting.key_name
        value = identity(key) if "integer" in _types(acting, name) else key
        record = _add(acting, {**acting.body, name: value})
        acting.changed()
        return acting.reply(record)
    before = acting.find(key)
    acting.check_owner(before)
    properties = acting.records.properties
    request = acting.details.bodies_field(acting.guess.body_envelope)
    known = request.shape.fields if request is not None else {}
    kept = {
        name: value for name, value in before.items() if name not in known or name not in properties
    }
    return _write(acting, key, {**kept, **acting.body, acting.key_name: before[acting.key_name]})


def _types(acting: Acting, name: str) -> frozenset[str]:
    field = acting.records.properties.get(name)
    return frozenset() if field is None else field.types_named


def _update(acting: Acting) -> Response:
    key = acting.key()
    before = acting.find(key)
    acting.check_owner(before)
    record = dict(before)
    changes = acting.body or {
        name: value
        for name, value in acting.asked.query.items()
        if name in acting.records.properties
    }
    for name, value in changes.items():
        known = acting.records.properties.get(name)
        if value is None and known is not None and known.accept(None) is INVALID:
            record.pop(name, None)
        elif isinstance(value, dict) and isinstance(record.get(name), dict):
            record[name] = {**record[name], **value}
        else:
            record[name] = value
    record[acting.key_name] = before[acting.key_name]
    return _write(acting, key, record)


def _write(acting: Acting, key: str, record: Record) -> Response:
    _complete(acting, record, is_new=False)
    _, row = acting.store.change(key, lambda _: record)
    acting.changed()
    return acting.reply(parse_row(row))


def _delete(acting: Acting) -> Response:
    key = acting.key()
    record = acting.find(key)
    acting.check_owner(record)
    acting.store.delete(key)
    for child in acting.api.inferred.collections.values():
        if child.parent == acting.guess.collection and not child.shows:
            store, link = (
                acting.store_of(child.name),
                child.link or (parent_property(child.parent),),
            )
            for row in store.save().rows():
                each = parse_row(row)
                if _equal(value_at(each, link), record[acting.key_name]):
                    store.delete(str(each[store.collection.key]))
    acting.changed()
    return acting.reply(record)


def _values(acting: Acting) -> Response:
    found: dict[str, object] = {}
    for row in acting.store.save().rows():
        value = value_at(parse_row(row), acting.guess.values)
        for each in value if isinstance(value, list) else [value]:
            if each is not INVALID:
                found.setdefault(dump_json(each).decode(), each)
    body = acting.wrapped([*found.values()])
    return with_body(acting.operation, acting.request, acting.details.success, body)


def _toggle(acting: Acting) -> Response:
    key, me = acting.key(), acting.my_key
    before = acting.find(key)
    record = deepcopy(before)
    for path, value in acting.guess.change.items():
        if acting.people is None or me is None:
            changes = value_at(record, path) is not value
            set_at(record, path, value)
        else:
            name = OWN + ".".join(path)
            people = [each for each in record.get(name, ()) if each != me]
            changes = (me in record.get(name, ())) is not value
            record[name] = [*people, me] if value else people
        count = value_at(record, acting.guess.counter) if acting.guess.counter else INVALID
        if changes and isinstance(count, int):
            set_at(record, acting.guess.counter, max(count + (1 if value else -1), 0))
    _, row = acting.store.change(key, lambda _: record)
    acting.changed()
    return acting.reply(parse_row(row))


def _act(acting: Acting) -> Response:
    key = acting.key()
    record = deepcopy(acting.find(key))
    acting.check_owner(record)
    for path, value in acting.guess.change.items():
        set_at(record, path, value)
    for name, value in acting.body.items():
        if name in acting.records.properties:
            record[name] = value
    return _write(acting, key, record)


def _one(acting: Acting) -> Response:
    """Read or change a single object, of which there may be one for each parent."""
    acting.check_parent()
    rows = [parse_row(row) for row in acting.store.save().rows()]
    record = next(filter(acting.is_below, rows), None)
    method = acting.operation.method
    if record is None and method in ("PUT", "POST", "PATCH"):
        record = _add(acting, acting.body)
    if record is None:
        raise acting.missing("")
    key = str(record[acting.key_name])
    if method in ("GET", "HEAD"):
        return acting.reply(record)
    if method == "DELETE":
        acting.store.delete(key)
        acting.changed()
        return acting.reply(record)
    return _write(acting, key, {**record, **acting.body})


def _log_in(acting: Acting) -> Response:
    credentials = acting.guess.credentials
    assert credentials is not None  # noqa: S101 - a log-in has them
    name = value_at(acting.asked.body, credentials.name)
    password = value_at(acting.asked.body, credentials.password)
    for row in acting.store.save().rows():
        person = parse_row(row)
        if _equal(value_at(person, credentials.name[-1:]), name):
            if person.get(_PASSWORD) not in (None, password):
                break
            return _logged_in(acting, person)
    what = f"the {credentials.name[-1] if credentials.name else 'name'} or password is invalid"
    raise _FailedError("unauthorized", (401, 403, 422, 400, 404), what)


def _logged_in(acting: Acting, person: Record) -> Response:
    response = acting.reply(person)
    credentials, token = acting.guess.credentials, _token_of(person[acting.key_name])
    if credentials is not None and credentials.token and response.body:
        body = json.loads(response.body)
        if value_at(body, credentials.token) is not INVALID:
            set_at(body, credentials.token, token)
            response.body = dump_json(body) + b"\n"
    if cookie := acting.details.security.cookie or acting.api.cookie:
        response.headers.append(("Set-Cookie", f"{cookie}={token}; Path=/; SameSite=Lax"))
    return response


_ACTS: Final[Mapping[str, Callable[[Acting], Response]]] = {
    "list": _list,
    "create": _create,
    "get": _get,
    "replace": _replace,
    "update": _update,
    "delete": _delete,
    "values": _values,
    "toggle": _toggle,
    "act": _act,
    "one": _one,
    "login": _log_in,
}
"""What an operation does, by its role."""


# --- Pieces -----------------------------------------------------------------------------------


def _token_of(key: object) -> str:
    """Return a token that names a person: a JSON Web Token (RFC 7519) without a real signature."""
    head, claims = {"alg": "HS256", "typ": "JWT"}, {"sub": str(key), "exp": 4102444800}
    parts = [urlsafe_b64encode(dump_json(part)).decode().rstrip("=") for part in (head, claims)]
    return ".".join([*parts, "bW9ja3BldHM"])


def _subject(token: str) -> str:
    """Return the key of the person whom a token names; empty for another token."""
    try:
        claims = json.loads(urlsafe_b64decode(token.split(".")[1].encode() + b"=="))
        return str(claims["sub"])
    except (ValueError, LookupError, TypeError):
        return ""


def _filled(value: dict[str, Any], whole: object, field: SchemaField) -> dict[str, Any]:
    """Return an object with the required properties that it lacks, or has of another form."""
    if not isinstance(whole, dict):
        return value
    shape = field.shape
    result = {}
    for name, each in value.items():
        known = shape.fields.get(name)
        if known is not None and known.accept(each) is INVALID:
            if isinstance(each, dict) and isinstance(whole.get(name), dict):
                result[name] = _filled(each, whole[name], known)
            elif name in whole:
                result[name] = whole[name]
            continue
        result[name] = each
    return {**{name: whole[name] for name in shape.required if name in whole}, **result}


def _remove(body: dict[str, Any], path: PropertyPath) -> None:
    *way, last = path
    below = value_at(body, way)
    if isinstance(below, dict):
        below.pop(last, None)


def _equal(one: object, other: object) -> bool:
    """Return whether two keys or values are equal; a text may stand for a number."""
    if one is INVALID or other is INVALID or one is None or other is None:
        return one is other
    if isinstance(one, (dict, list)) or isinstance(other, (dict, list)):
        return same_json(one, other)
    return one is other or _plain(one) == _plain(other)


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _has(value: object, wanted: object) -> bool:
    """Return whether a value is what a query asks for, or a list that has it."""
    if isinstance(value, list):
        return any(_has(each, wanted) for each in value)
    return _equal(value, wanted)


def _is_true(value: object) -> bool:
    return str(value).lower() in ("true", "1", "yes")


def _order(value: object) -> tuple[int, Any]:
    """Return what numbers and texts are ordered by."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return 1, str(value).lower()
    return 0, value


def _compared(value: object, wanted: object) -> int:
    """Return -1, 0 or 1: how a value compares with that of a range; dates by their day."""
    if value in (INVALID, None):
        return -2
    if isinstance(value, str) and isinstance(wanted, str) and re.fullmatch(r"[\d-]{10}", wanted):
        value = value[:10]
    if isinstance(value, list):
        return max((_compared(each, wanted) for each in value), default=-2)
    one, other = _order(value), _order(wanted)
    return (one > other) - (one < other)


def _text(value: object) -> str:
    """Return all texts of a value in lower case."""
    if isinstance(value, dict):
        return "\n".join(_text(each) for name, each in value.items() if name[:1] != OWN)
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return str(value).lower() if isinstance(value, str) else ""
