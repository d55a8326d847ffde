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
from datetime import UTC, datetime
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
from mockpets.contract.json_patch import json_patch
from mockpets.contract.query_meanings import Meaning
from mockpets.contract.security import Sent
from mockpets.contract.shapes import mapping, plain
from mockpets.errors import RequestError
from mockpets.records.table import parse_row
from mockpets.seed.values import ABSENT
from mockpets.strict_json import dump_json, parse_json, same_json
from mockpets.web.documented import Asked, details_of, failed, values_of, with_body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mockpets.contract.details import Api, Details
    from mockpets.contract.inference import Guess, GuessedCollection
    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.model import Key, Operation, Record
    from mockpets.contract.openapi import Node
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.records.store import Change, Store
    from mockpets.seed.values import Values
    from mockpets.web.exchange import Request, Response

    _Make = Callable[["Acting", Record, dict[str, Any]], Record]
    """Returns a record after a change with a body."""

_PAGE: Final = 20
"""Records on a page, if neither the request nor the document says how many."""
_CREATED: Final = ("createdat", "created", "createdon", "datecreated", "creationdate", "insertedat")
_UPDATED: Final = ("updatedat", "updated", "updatedon", "dateupdated", "modifiedat", "lastmodified")
_TITLES: Final = ("title", "name", "headline", "subject", "label")
_PASSWORD: Final = f"{OWN}password"
_GONE: Final = f"{OWN}gone"
"""Of a deleted record whose collection has every other key."""


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
    except RequestError as error:
        if error.code != "invalid_request":
            raise
        return failed(operation, request, error.code, (400, 422), [((), error.message)])


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
        row = people.find(_subject(token)) or next(iter(people.rows(1)), None)
        return parse_row(row) if row else None

    @property
    def _token(self) -> str:
        request = self.request
        headers = {name.lower(): value for name, value in request.headers.items()}
        found = self.details.security.read(Sent(headers, dict(request.args.lists())))
        cookie = request.cookies.get(self.api.cookie) if self.api.cookie else None
        return found.key or cookie or headers.get("authorization", "").rpartition(" ")[2]

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
        return _visible(value) if isinstance(value, dict) else {}

    @property
    def several(self) -> list[dict[str, Any]]:
        """The objects of the list in the body, without its envelope."""
        value = self.asked.body
        for name in self.guess.body_envelope:
            value = value.get(name) if isinstance(value, dict) else None
        items = value if isinstance(value, list) else []
        return [_visible(each) for each in items if isinstance(each, dict)]

    def find(self, key: str) -> Record:
        """Return a record by the text of its key; raise `_FailedError` without one."""
        self.check_parent()
        row = self.store.find(key)
        record = None if row is None else parse_row(row)
        if record is None and self.guessed.is_open and not self.guessed.shows:
            record = self.opened(key)
        if record is None or _GONE in record or not self.is_below(record):
            raise self.missing(key)
        return record

    def opened(self, key: str) -> Record:
        """Return the record of a collection in which every key exists, as it is at first."""
        name, kept = self.guess.collection, self.key_of(key)
        values = values_of(self.operation, self.request)
        echo = {self.key_name: kept}
        made = values.value(self.guessed.schema, kind=name, at=f"{name}/{key}", echo=echo)
        record = {**made, **echo} if isinstance(made, dict) else echo
        for path, value in self.links:
            set_at(record, path, value)
        return record

    def key_of(self, text: str) -> Key:
        """Return a key with the type that it has in records."""
        field = self.records.properties.get(self.key_name)
        is_number = field is not None and "integer" in field.types_named
        return identity(text) if is_number else text

    def put(self, key: str, make: Change) -> Record:
        """Change a record that exists, and return it.

        :param make: gets the present one, which may be newer than that of `find`.
        """
        if self.store.find(key) is None:
            _, row = self.store.create(make(self.opened(key)))
        else:
            _, row = self.store.change(key, make)
        return parse_row(row)

    def missing(self, key: str) -> _FailedError:
        """Return the error for a key that no record has."""
        what = f"{self.guess.collection} has no record with the {self.guessed.key} {key[:100]}"
        return _FailedError("not_found", (404, 410, 400, 422), what, key)

    def is_below(self, record: Record) -> bool:
        """Return whether a record belongs to the parents in the path."""
        return all(
            _equal(known := value_at(record, path), value)
            # Every parent that is no record has those with which the server starts.
            or (known is INVALID and path[0][:1] == OWN and not self.guessed.parent)
            for path, value in self.links
        )

    @cached_property
    def links(self) -> list[tuple[PropertyPath, object]]:
        """The properties that say to which parents in the path a record belongs, with the keys.

        A record has the key of its parent. Those before are the parent's.
        """
        guessed, result = self.guessed, []
        names = [name for name in self.guess.where if self.asked.path.get(name) is not None]
        for name in names:
            path = self.guess.where[name]
            if not path and name == names[-1]:
                path = guessed.link or (parent_property(guessed.parent),)
            elif not path and not guessed.parent:
                path = (parent_property(f".{name}"),)
            if path:
                result.append((path, self.asked.path[name]))
        return result

    def check_parent(self) -> None:
        """Raise `_FailedError` if the parents in the path do not exist, or belong elsewhere."""
        known = self.api.inferred.collections
        guessed: GuessedCollection = self.guessed
        child: Record | None = None
        for name in reversed([*self.guess.where]):
            key, parent = self.asked.path.get(name), known.get(guessed.parent)
            if key is None or parent is None or parent.is_open or parent.shows:
                return
            row = self.store_of(guessed.parent).find(str(key))
            link = guessed.link or (parent_property(guessed.parent),)
            if row is None or not (child is None or _equal(value_at(child, link), key)):
                what = f"{guessed.parent} has no record with the {parent.key} {str(key)[:100]}"
                raise _FailedError("not_found", (404, 400, 422), what, str(key))
            guessed, child = parent, parse_row(row)

    def check_owner(self, record: Record) -> None:
        """Raise `_FailedError` if the record is somebody else's, and the document lists a 403."""
        owner = value_at(record, self.guessed.owner) if self.guessed.owner else INVALID
        is_listed = "403" in self.details.described.responses
        if is_listed and owner not in (INVALID, None) and not _equal(owner, self.my_key):
            raise _FailedError("forbidden", (403,), "the record is somebody else's")

    def set_given(self, record: Record, change: Mapping[PropertyPath, object]) -> None:
        """Set properties to the values that corrections, or the names of operations, give."""
        for path, value in change.items():
            given = self.given(value, record)
            if isinstance(value, dict) and value.keys() == {"slugify"} and path == (self.key_name,):
                given = _free_slug(self, str(given))
            set_at(record, path, given)

    def given(self, value: object, record: Record) -> object:
        """Return the value of a correction: ``{from: me}``, ``{slugify: title}``, or the value."""
        match value:
            case {"from": "me"}:
                return self.my_key
            case {"from": str(text)}:
                place, *path = text.split(".")
                asked = self.asked
                known: dict[str, object] = {"body": asked.body, "path": dict(asked.path)}
                known["query"] = dict(asked.query)
                found = value_at(known.get(place), path)
                return None if found is INVALID else found
            case {"slugify": str(name)}:
                return _slug(str(value_at(record, name.split("."))))
        return value

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
        value = dict(record)  # `set_at` copies what is below
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

    def reply(self, record: Record | None, *, is_new: bool = False) -> Response:
        """Return the response to a request that succeeds, which may show a record.

        :param is_new: whether a PUT has created it.
        """
        reply, guess = self.details.success, self.guess
        if is_new and "201" in self.details.described.responses:
            reply = self.details.reply(201, self.details.described.responses["201"])
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
        base = self.operation.path.removesuffix(self.details.described.path)
        filled = {name: quote(str(value), safe="") for name, value in self.asked.path.items()}
        names = re.findall(r"\{([^{}]+)\}", path)
        for name in names[:-1]:
            path = path.replace(f"{{{name}}}", filled.get(name, ""))
        path = path.replace(f"{{{names[-1]}}}", key) if names else f"{path}/{key}"
        return f"{self.request.root_path}{base}{path}"

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
    asked, sorts = acting.asked.query, _sorts(acting)
    filters = [
        _filter(meaning, asked[name])
        for name, meaning in guess.query.items()
        if name in asked and meaning.word not in _NO_FILTERS and asked[name] not in ("", [])
    ]
    for path, value in guess.fixed.items():
        filters.append(_filter(Meaning("equal", path), acting.given(value, {})))
    every = acting.store.rows()
    is_whole = not (filters or sorts or guess.mine or acting.links or guessed.is_open)
    page = _Paging(acting, len(every))
    if is_whole and page.cursor is None:  # thousands of records take long to read
        rows = [parse_row(row) for row in every[page.start : page.end]]
    else:
        rows = _selected(acting, [*map(parse_row, every)], filters, sorts)
        page = _Paging(acting, len(rows), rows)
        rows = rows[page.start : page.end]
    schema: Node = guess.item or guessed.schema
    shown = [
        acting.fitted(acting.expanded(each, stored), schema, str(each.get(acting.key_name)))
        for each in rows
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


def _selected(
    acting: Acting,
    records: list[Record],
    filters: Sequence[Callable[[Record, Record], bool]],
    sorts: Sequence[tuple[PropertyPath, bool]],
) -> list[Record]:
    """Return those of all records that a list has, in its order."""
    guess = acting.guess
    stored = acting.api.stored(guess.collection)
    if guess.mine:
        path = acting.guessed.owner or (acting.key_name,)
        records = [each for each in records if _equal(value_at(each, path), acting.my_key)]
    records = [each for each in records if _GONE not in each and acting.is_below(each)]
    if filters:
        pairs = ((each, acting.expanded(each, stored)) for each in records)
        records = [each for each, whole in pairs if all(passes(each, whole) for passes in filters)]
    for path, reverse in reversed(sorts):  # a sort keeps the order of equal records
        known = [each for each in records if value_at(each, path) not in (INVALID, None)]
        others = [each for each in records if value_at(each, path) in (INVALID, None)]
        known.sort(key=lambda each, path=path: _order(value_at(each, path)), reverse=reverse)  # type: ignore[misc]
        records = [*known, *others]
    return records


def _filter(meaning: Meaning, wanted: Any) -> Callable[[Record, dict[str, Any]], bool]:
    """Return what a record, and the same with all that it shows, must meet."""
    word, path = meaning.word, meaning.path
    several = wanted if isinstance(wanted, list) else [wanted]
    match word:
        case "equal":
            return lambda _, value: any(_has(value_at(value, path), each) for each in several)
        case "flag":
            return lambda _, value: not _is_true(wanted) or value_at(value, path) is True
        case "least" | "most":
            allowed = (0, 1) if word == "least" else (0, -1)
            return lambda _, value: _compared(value_at(value, path), wanted) in allowed
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


def _sorts(acting: Acting) -> list[tuple[PropertyPath, bool]]:
    """Return the properties by which a list is sorted, and whether in reverse order."""
    asked, words, result = acting.asked.query, {}, []
    for name, meaning in acting.guess.query.items():
        if name in asked:
            words[meaning.word] = asked[name]
    sort = words.get("sort") or acting.guess.sort
    names = {plain(name): name for name in acting.records.properties}
    for text in ",".join(map(str, sort if isinstance(sort, list) else [sort])).split(","):
        found = re.fullmatch(r"([-+]?)(.+?)(?:[ :_](asc|desc))?", text.strip(), re.IGNORECASE)
        if found is not None:
            reverse = str(words.get("direction", "")).lower().startswith("desc")
            reverse = reverse or found[1] == "-" or (found[3] or "").lower() == "desc"
            first, *rest = found[2].split(".")
            result.append(((names.get(plain(first), first), *rest), reverse))
    return result


class _Paging:
    """The page of a list for which a request asks."""

    def __init__(self, acting: Acting, total: int, rows: Sequence[Record] = ()) -> None:
        self.total = total
        self._acting, self._rows = acting, rows
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
        self.cursor = self._value("cursor")
        if self.cursor is not None:
            self.start = self._after(str(self.cursor))
        self.first = first
        self.end = self.start + self.limit

    def _value(self, word: str) -> Any:
        name = self._names[word][0] if word in self._names else ""
        return self._acting.asked.query.get(name)

    def _number(self, word: str) -> int | None:
        value = self._value(word)
        return int(value) if isinstance(value, int) and not isinstance(value, bool) else None

    def _after(self, cursor: str) -> int:
        """Return where the page after a cursor begins, which may be the key of a record."""
        key = self._acting.key_name
        for place, row in enumerate(self._rows, 1):
            if _equal(row.get(key), cursor):
                return place
        try:
            text = urlsafe_b64decode(cursor.encode() + b"==").decode()
            return max(int(text.removeprefix("after:")), 0)
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
        has_next, has_previous = self.limit > 0 and self.end < self.total, self.start > 0
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
            # Of another type: a text for a number. No link: null, or nothing, as is allowed.
            for each in (None,) if value is INVALID else (value, str(value)):
                set_at(body, path, each)
                if field.accept(body) is not INVALID:
                    break
            else:
                _remove(body, path)
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
    return acting.reply(acting.find(acting.key()))


def _create(acting: Acting) -> Response:
    acting.check_parent()
    if acting.guess.many:
        made = [_add(acting, item) for item in acting.several]
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
    for path, value in acting.links:
        set_at(record, path, value)
    if credentials := guess.credentials:
        _check_taken(acting, record, credentials.name[-1:])
    if guessed.owner and acting.my_key is not None and not guessed.is_people:
        set_at(record, guessed.owner, acting.my_key)
    acting.set_given(record, guessed.sets)
    if guess.role == "create":
        acting.set_given(record, guess.change)
    given = record.get(acting.key_name)
    title = next(
        (record[name] for name in properties if plain(name) in _TITLES and name in record), ""
    )
    if given is None and title and plain(acting.key_name) in ("slug", "permalink", "handle"):
        record[acting.key_name] = _free_slug(acting, str(title))
    _complete(acting, record, is_new=True)
    _hide_password(acting, record)
    try:
        _, row = acting.store.create(record)
    except RequestError as error:
        if error.code == "conflict":
            raise _FailedError("conflict", (409, 422, 400), error.message, str(given)) from None
        raise
    return parse_row(row)


def _check_taken(acting: Acting, record: Record, path: PropertyPath) -> None:
    """Raise `_FailedError` if another person has the name with which they log in."""
    is_named = path and value_at(record, path) not in (INVALID, None)
    for row in acting.store.rows() if is_named else ():
        if _equal(value_at(parse_row(row), path), value_at(record, path)):
            what = f"{path[-1]} has already been taken"
            raise _FailedError("conflict", (409, 422, 400), what)


def _hide_password(acting: Acting, record: Record) -> None:
    """Keep the password with which a person logs in where no response shows it."""
    if not acting.guessed.is_people:
        return
    for guess in acting.api.inferred.operations.values():
        name = guess.credentials.password[-1] if guess.credentials else ""
        if name in record:
            record[_PASSWORD] = record.pop(name)


def _slug(title: str) -> str:
    return re.sub(r"[^\w]+", "-", title.lower()).strip("-")[:60] or "untitled"


def _free_slug(acting: Acting, title: str) -> str:
    slug = _slug(title)
    number, text = 1, slug
    while acting.store.find(text) is not None:
        number, text = number + 1, f"{slug}-{number + 1}"
    return text


def _complete(acting: Acting, record: Record, *, is_new: bool) -> None:
    """Give a record the times of the change, and a new one what it must have."""
    now = acting.now()
    properties = acting.records.properties
    for name, field in properties.items():
        is_first = is_new and plain(name) in _CREATED and name not in record
        is_time = plain(name) in _UPDATED or is_first
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
            record[name] = _initial(field, values, name, acting, record)


def _initial(
    field: SchemaField, values: Values, name: str, acting: Acting, record: Record
) -> object:
    """Return what a property of a new record is that the client does not send."""
    types = field.types_named
    candidates: list[object] = [*field.openapi.get("enum", ())[:1]]
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
    kind = acting.guess.collection
    at = f"new/{kind}/{acting.store.next_key}"
    whole = values.value(schema, kind=kind, at=at, echo=record)
    return whole.get(name) if isinstance(whole, dict) else None


def _replace(acting: Acting) -> Response:
    if acting.guess.many:
        return _each(acting, _replaced)
    key = acting.key()
    if acting.store.find(key) is None and acting.guess.creates:
        record = _add(acting, {**acting.body, acting.key_name: acting.key_of(key)})
        acting.changed()
        return acting.reply(record, is_new=True)
    return acting.reply(_write(acting, key, lambda before: _replaced(acting, before, acting.body)))


def _replaced(acting: Acting, before: Record, body: dict[str, Any]) -> Record:
    """Return a record with the properties of a body only, and what clients cannot send."""
    properties = acting.records.properties
    request = acting.details.bodies_field(acting.guess.body_envelope)
    fields = request.shape.fields if request is not None else {}
    sent = {name for name, field in fields.items() if not field.is_hidden} & properties.keys()
    kept = {name: value for name, value in before.items() if name not in sent}
    return {**kept, **body}


def _update(acting: Acting) -> Response:
    if acting.guess.many:
        return _each(acting, _merged)
    key = acting.key()
    make = _patched if acting.guess.patch == "json-patch" else _merged
    body = acting.body or {
        name: value
        for name, value in acting.asked.query.items()
        if name in acting.records.properties
    }
    return acting.reply(_write(acting, key, lambda before: make(acting, before, body)))


def _merged(acting: Acting, before: Record, body: dict[str, Any]) -> Record:
    return _merge(before, body, acting.records.field())


def _merge(before: Record, patch: dict[str, Any], field: SchemaField | None) -> Record:
    """Return an object after a merge patch (RFC 7396); null stays where it is allowed."""
    result = dict(before)
    for name, value in patch.items():
        known = field.shape.fields.get(name) if field is not None else None
        if value is None and (known is None or known.accept(None) is INVALID):
            result.pop(name, None)
        elif isinstance(value, dict):
            below = result.get(name)
            result[name] = _merge(below if isinstance(below, dict) else {}, value, known)
        else:
            result[name] = value
    return result


def _patched(acting: Acting, before: Record, _: dict[str, Any]) -> Record:
    """Return a record after the JSON Patch in the body, which must be valid."""
    own = {name: value for name, value in before.items() if name[:1] == OWN}
    try:
        new = json_patch(_visible(before), acting.asked.body)
    except ValueError as error:
        raise _FailedError("invalid_request", (400, 422), str(error)) from None
    except LookupError as error:
        raise _FailedError("conflict", (409, 422, 400), str(error.args[0])) from None
    new = (
        {**_visible(new), acting.key_name: before[acting.key_name]}
        if isinstance(new, dict)
        else new
    )
    problems = acting.records.field().problems(new)
    if problems or not isinstance(new, dict):
        what = "; ".join(f"{'.'.join(map(str, path))} {what}".strip() for path, what in problems)
        raise _FailedError("invalid_request", (422, 400), what)
    return {**new, **own}


def _write(acting: Acting, key: str, make: Change) -> Record:
    """Change a record that may be changed, and return it."""
    before = acting.find(key)
    acting.check_owner(before)
    # Outside the lock of the store, because it may read the same one.
    after = deepcopy(make(before)) if acting.guess.change else {}
    acting.set_given(after, acting.guess.change)

    def changed(record: Record) -> Record:
        new = {**make(record), acting.key_name: record[acting.key_name]}
        for path in acting.guess.change:
            new = deepcopy(new)
            set_at(new, path, value_at(after, path))
        _hide_password(acting, new)
        _complete(acting, new, is_new=False)
        return new

    record = acting.put(str(before[acting.key_name]), changed)
    acting.changed()
    return record


def _each(acting: Acting, make: _Make) -> Response:
    """Change each record of the list in the body."""
    key = acting.guess.key
    items = {str(item.get(key)): item for item in acting.several}
    for each in items:
        acting.find(each)  # all exist, or none is changed
    made = [
        _write(acting, each, lambda before, item=item: make(acting, before, item))  # type: ignore[misc]
        for each, item in items.items()
    ]
    return _many(acting, made)


def _delete(acting: Acting) -> Response:
    if not acting.guess.many:
        record = acting.find(acting.key())
        acting.check_owner(record)
        _drop(acting, acting.api.stored(acting.guess.collection), record)
        acting.changed()
        return acting.reply(record)
    records = [parse_row(row) for row in acting.store.rows()]
    records = [each for each in records if acting.is_below(each)]
    if name := acting.guess.key:
        place = acting.asked.query if acting.guess.key_in == "query" else acting.body
        wanted = place.get(name) or [each.get(name) for each in acting.several]
        keys = wanted if isinstance(wanted, list) else [wanted]
        if not keys:
            raise _FailedError("invalid_request", (400, 422, 404), f"{name} is required")
        records = [each for each in records if _has(keys, each[acting.key_name])]
        if not records:
            raise acting.missing(", ".join(map(str, keys)))
    for record in records:
        _drop(acting, acting.api.stored(acting.guess.collection), record)
    acting.changed()
    return acting.reply(None)


def _drop(acting: Acting, collection: str, record: Record) -> None:
    """Delete a record and those that belong to it."""
    store = acting.store_of(collection)
    key = record[store.collection.key]
    guessed = acting.api.inferred.collections[collection]
    if guessed.is_open or (guessed.is_single and not guessed.parent):
        gone = {store.collection.key: key, _GONE: True}
        if store.find(str(key)) is None:
            store.create(gone)
        else:
            store.change(str(key), lambda _: gone)
    else:
        store.delete(str(key))
    for child in acting.api.inferred.collections.values():
        if child.parent == collection and not child.shows:
            link = child.link or (parent_property(child.parent),)
            for row in acting.store_of(child.name).rows():
                each = parse_row(row)
                if _equal(value_at(each, link), key):
                    _drop(acting, child.name, each)


def _values(acting: Acting) -> Response:
    found: dict[str, object] = {}
    for row in acting.store.rows():
        value = value_at(parse_row(row), acting.guess.values)
        for each in value if isinstance(value, list) else [value]:
            if each is not INVALID:
                found.setdefault(dump_json(each).decode(), each)
    body = acting.wrapped([*found.values()])
    return with_body(acting.operation, acting.request, acting.details.success, body)


def _toggle(acting: Acting) -> Response:
    key, me = acting.key(), acting.my_key
    acting.find(key)

    def changed(before: Record) -> Record:
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
        return record

    record = acting.put(key, changed)
    acting.changed()
    return acting.reply(record)


def _act(acting: Acting) -> Response:
    known = acting.records.properties
    body = {name: value for name, value in acting.body.items() if name in known}

    return acting.reply(_write(acting, acting.key(), lambda before: {**before, **body}))


def _one(acting: Acting) -> Response:
    """Read or change a single object, of which there may be one for each parent."""
    acting.check_parent()
    rows = [parse_row(row) for row in acting.store.rows()]
    record = next((each for each in rows if _GONE not in each and acting.is_below(each)), None)
    method = acting.operation.method
    if record is None and not acting.guessed.parent and not rows:  # of a scenario without records
        record = _first(acting)
        if method not in ("GET", "HEAD"):
            _, row = acting.store.create(record)
            record = parse_row(row)
    if record is None and method in ("PUT", "POST", "PATCH"):
        record = _add(acting, acting.body)
        acting.changed()
        return acting.reply(record, is_new=True)
    if record is None:
        raise acting.missing("")
    if method in ("GET", "HEAD"):
        return acting.reply(record)
    key = str(record[acting.key_name])
    if method == "DELETE":
        _drop(acting, acting.guess.collection, record)
        acting.changed()
        return acting.reply(record)
    make: _Make = _replaced if method == "PUT" else _merged
    make = _patched if acting.guess.patch == "json-patch" else make
    return acting.reply(_write(acting, key, lambda before: make(acting, before, acting.body)))


def _first(acting: Acting) -> Record:
    """Return the single object with which the server starts."""
    guessed = acting.guessed
    values = values_of(acting.operation, acting.request)
    return {**values.record(guessed.name, guessed.schema, 1), acting.key_name: 1}


def _log_in(acting: Acting) -> Response:
    credentials = acting.guess.credentials
    assert credentials is not None  # noqa: S101 - a log-in has them
    name = value_at(acting.asked.body, credentials.name)
    password = value_at(acting.asked.body, credentials.password)
    for row in acting.store.rows():
        person = parse_row(row)
        if not credentials.name or _equal(value_at(person, credentials.name[-1:]), name):
            if person.get(_PASSWORD) not in (None, password):
                break
            return _logged_in(acting, person)
    what = f"the {credentials.name[-1] if credentials.name else 'name'} or password is invalid"
    raise _FailedError("unauthorized", (401, 403, 422, 400, 404), what)


def _logged_in(acting: Acting, person: Record) -> Response:
    response = acting.reply(person)
    credentials, token = acting.guess.credentials, _token_of(person[acting.key_name])
    if credentials is not None and credentials.token and response.body:
        body = parse_json(response.body)
        if isinstance(body, dict):
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


def _visible(record: dict[str, Any]) -> dict[str, Any]:
    """Return the properties that clients may send and see."""
    return {name: value for name, value in record.items() if name[:1] != OWN}


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


def _compared(value: object, wanted: object) -> int | None:
    """Return how a value compares with that of a range: -1, 0 or 1, or None for no value.

    A time is compared with a date by its day.
    """
    if value in (INVALID, None):
        return None
    if isinstance(value, list):
        found = (_compared(each, wanted) for each in value)
        return max((each for each in found if each is not None), default=None)
    one, other = _order(value), _order(wanted)
    if isinstance(value, str) and isinstance(wanted, str):
        first, second = _time(value), _time(wanted)
        if re.fullmatch(r"[\d-]{10}", wanted):
            one = _order(value[:10])
        elif first and second:
            return (first > second) - (first < second)
    return (one > other) - (one < other)


def _time(text: str) -> datetime | None:
    """Return a time with its offset, by default UTC; None for another text."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _text(value: object) -> str:
    """Return all texts of a value in lower case."""
    if isinstance(value, dict):
        return "\n".join(_text(each) for name, each in value.items() if name[:1] != OWN)
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return str(value).lower() if isinstance(value, str) else ""
