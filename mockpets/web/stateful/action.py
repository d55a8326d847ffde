"""One call of an operation: the records that it reads or changes, and the person who calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mockpets.contract.collections import identity
from mockpets.contract.document_records import (
    OWN,
    DocumentRecords,
    link_of,
    parent_property,
    set_at,
    value_at,
    visible,
)
from mockpets.contract.fields import INVALID
from mockpets.records.table import parse_row
from mockpets.strict_json import dump_json
from mockpets.web.documented import session_of, values_of
from mockpets.web.stateful.expansion import expanded, owner_of
from mockpets.web.stateful.tokens import key_of_token
from mockpets.web.stateful.value_comparison import equal, index_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.contract.contract_model import DocumentOperation, Key, Record
    from mockpets.contract.inference import GuessedCollection
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.records.store import Change, Filters, Store
    from mockpets.web.documented import Arguments
    from mockpets.web.messages import Request

_OWN_JSON: Final = f'"{OWN}'.encode()
_FIRST: Final = "first"
_KNOWN: Final = "known"
"""Stand in `Store.results` for the key of the first person, and for people by key."""
GONE: Final = f"{OWN}gone"
"""A property of a deleted record whose collection has every other key."""
_GONE_JSON: Final = dump_json(GONE)


class ActionError(Exception):
    """The request fails with a documented error.

    :param statuses: see `documented.failed`; also `key` and `kind`.
    """

    def __init__(
        self, code: str, statuses: Sequence[int], message: str, key: str = "", kind: str = ""
    ) -> None:
        super().__init__(message)
        self.code, self.statuses, self.key, self.kind = code, statuses, key, kind


class Action:
    """One call of an operation that reads or changes records.

    Not a frozen dataclass, which takes three times as long to make.

    :param arguments: the values in the request.
    :param store: the records of its collection; None if the caller does not have them.
    """

    # Not cached properties, whose lock takes as long as reading a request.
    _people: Store | None = None
    _known: dict[str, bytes | None] | None = None
    _my_key: object = INVALID

    def __init__(
        self,
        operation: DocumentOperation,
        request: Request,
        arguments: Arguments,
        store: Store | None = None,
    ) -> None:
        self.operation: Final = operation
        self.request: Final = request
        self.arguments: Final = arguments
        self.session: Final = session_of(request)
        self.details: Final = operation.details
        self.guess: Final = self.details.guess
        """What the operation does."""
        self.api: Final = self.details.api
        self.collection: Final = self.details.collection
        """That of the operation; its records may be those of another one."""
        if store is None or self.collection.shows:
            store = self.store_of(self.details.stored)
        schema = store.collection.schema
        assert isinstance(schema, DocumentRecords)  # noqa: S101 - those of a document are
        self.store: Final = store
        self.schema: Final = schema
        """Of the records in the store."""
        self.key_name: Final = store.collection.key
        self.additions: Final = self.details.additions
        """What is added to the records in responses."""
        self.parents: Final = self._parents() if self.guess.where else []
        """The properties with the keys of the parents in the path, with these keys.

        A record has the key of its parent; those before are in the parent.
        """
        self.values: Final = values_of(self.api, self.session)
        """What generates values."""

    @property
    def host(self) -> str:
        """What URLs in responses begin with."""
        return f"{self.request.scheme}://{self.request.environ.get('HTTP_HOST', 'localhost')}"

    def store_of(self, name: str) -> Store:
        """Return the records of a collection of the document."""
        stack, collection = self.request.stack, self.operation.collection
        assert stack is not None  # noqa: S101 - `Playback.respond` sets it
        assert collection is not None  # noqa: S101 - an operation with a role has one
        found = stack.contracts.collections[collection.sibling(name)]
        store = self.session.store(stack, found)
        if self.operation.method == "GET":  # only its response is kept
            self.request.also_read += ((found, store.revision),)
        return store

    def people(self) -> Store:
        """Return the records of those who log in, of whom there must be a collection."""
        if self._people is None:
            assert self.api.people is not None  # noqa: S101 - the caller has checked it
            self._people = self.store_of(self.api.people.name)
        return self._people

    @property
    def people_revision(self) -> object:
        """The `Store.revision` of the people whom records embed; None if they embed nobody."""
        return self.people().revision if self.additions.owner else None

    def person_in(self, row: bytes, record: Record | None = None) -> bytes | None:
        """Return the person whom a record embeds; None without one. See `expanded`."""
        path = self.additions.owner
        if not path:
            return None
        known = self._known
        if known is None:
            known = self._known = self.people().results.setdefault(_KNOWN, {})
        key = owner_of(row, path) if record is None else str(value_at(record, path))
        if key not in known:
            known[key] = self.people().find(key)
        return known[key]

    def expanded(self, row: bytes, record: Record | None = None) -> Record:
        """Return a record with its `additions`, as the person who calls sees it.

        :param record: that of `row`, which is returned if nothing is added; None if the caller does
            not have it.
        """
        record = parse_row(row) if record is None else record
        if self.additions.is_empty:
            return record
        person = self.person_in(row, record)
        # Without properties of their own, nobody has switched anything on.
        is_switched = self.additions.is_personal and _OWN_JSON in row + (person or b"")
        return expanded(self.additions, record, self.my_key if is_switched else None, person)

    def publish(self) -> None:
        """Notify those who wait for changes of records."""
        self.session.changes.publish("data")

    @property
    def my_key(self) -> object:
        """The key of the person whose token the request has; None without a token.

        An unknown token is that of the first person.
        """
        if self._my_key is INVALID:
            self._my_key = self._read_my_key()
        return self._my_key

    def _read_my_key(self) -> object:
        request, people = self.request, self.api.people
        if people is None:
            return None
        cookie = request.cookies.get(self.api.cookie) if self.api.cookie else None
        token = request.credential or cookie
        token = token or request.environ.get("HTTP_AUTHORIZATION", "").rpartition(" ")[2]
        if not token:
            return None
        store = self.people()
        if key := key_of_token(token):
            row = store.find(key)
            if row is not None:
                return parse_row(row)[people.key]
        results = store.results
        if _FIRST not in results:
            rows = store.rows(1)
            results[_FIRST] = parse_row(rows[0])[people.key] if rows else None
        return results[_FIRST]

    # --- The request --------------------------------------------------------------------------

    @property
    def key(self) -> str:
        """The key in the request, as a text; empty without one."""
        place: Mapping[str, Any] = self.arguments.path
        match self.guess.key_in:
            case "token":
                if self.my_key is None:
                    raise ActionError("unauthorized", (401, 403), "log in first")
                return str(self.my_key)
            case "query":
                place = self.arguments.query
            case "body":
                place = self.body
        key = place.get(self.guess.key)
        if key is None and self.guess.key_in != "body":
            key = next(reversed([*self.arguments.path.values()]), None)
        return "" if key is None else str(key)

    @property
    def body(self) -> dict[str, Any]:
        """A new object with what is in the body, without its envelope; empty without one."""
        body = self._body
        return visible(body) if isinstance(body, dict) else {}

    @property
    def items(self) -> list[dict[str, Any]]:
        """New objects with what is in the list in the body, without its envelope."""
        items = self._body if isinstance(self._body, list) else []
        return [visible(each) for each in items if isinstance(each, dict)]

    @property
    def _body(self) -> object:
        value = self.arguments.body
        for name in self.guess.body_envelope:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    # --- Records ------------------------------------------------------------------------------

    def find(self, key: str) -> bytes:
        """Return the record with a key as JSON, or raise `ActionError`."""
        self.check_parents()
        row = self.store.find(key)
        if row is None and self.collection.is_open and not self.collection.shows:
            row = dump_json(self.first_version(key))
        if row is None or not self.is_here(row):
            raise self.missing(key)
        return row

    def is_here(self, row: bytes) -> bool:
        """Return whether a record was not deleted, and belongs to the parents in the path."""
        if not self.parents and _GONE_JSON not in row:  # faster than to parse it
            return True
        record = parse_row(row)
        return GONE not in record and self.is_below(record)

    def put(self, key: Key, change: Change) -> tuple[bytes, Record]:
        """Change a record that `find` has returned; return it as JSON, and itself.

        :param change: gets the current record, which another request may have changed since.
        """
        if self.collection.is_open and self.store.find(str(key)) is None:
            changed = self.store.create(change(self.first_version(str(key))))
        else:
            changed = self.store.change(key, change)
        self.publish()
        return changed

    def first_version(self, key: str) -> Record:
        """Return the unchanged record of a collection in which every key exists."""
        name, echo = self.guess.collection, {self.key_name: self.typed_key(key)}
        made = self.values.value(self.collection.schema, kind=name, at=f"{name}/{key}", echo=echo)
        record = {**made, **echo} if isinstance(made, dict) else echo
        for path, value in self.parents:
            set_at(record, path, value)
        return record

    def typed_key(self, text: str) -> Key:
        """Return a key with the type that it has in records."""
        field = self.schema.properties.get(self.key_name)
        is_number = field is not None and "integer" in field.types_named
        return identity(text) if is_number else text

    def missing(self, key: str) -> ActionError:
        """Return the error for a key without a record."""
        message = _no_record(self.collection, key)
        return ActionError("not_found", (404, 410, 400, 422), message, key)

    # --- Parents and owners -------------------------------------------------------------------

    def _parents(self) -> list[tuple[PropertyPath, object]]:
        result = []
        names = [name for name in self.guess.where if self.arguments.path.get(name) is not None]
        for name in names:
            path = self.guess.where[name]
            if not path and name == names[-1]:
                path = link_of(self.collection)
            elif not path and not self.collection.parent:
                path = (parent_property(f".{name}"),)
            if path:
                result.append((path, self.arguments.path[name]))
        return result

    def is_below(self, record: Record) -> bool:
        """Return whether a record belongs to the parents in the path."""
        return is_below(self.collection, self.parents, record)

    @property
    def below(self) -> Filters:
        """What the records below the parents in the path meet, if that has an index."""
        indexed = self.store.collection.filters if self.collection.parent else ()
        return {
            name: index_keys(value)
            for (name, *more), value in self.parents
            if name in indexed and not more
        }

    def check_parents(self) -> None:
        """Raise `ActionError` if the parents in the path do not exist, or belong elsewhere."""
        if not self.guess.where:
            return
        collections, collection = self.api.inferred.collections, self.collection
        child: bytes | None = None
        for name in reversed([*self.guess.where]):
            key, parent = self.arguments.path.get(name), collections.get(collection.parent)
            if key is None or parent is None or parent.is_open or parent.shows:
                return
            row = self.store_of(parent.name).find(str(key))
            is_linked = child is None or equal(value_at(parse_row(child), link_of(collection)), key)
            if row is None or not is_linked:
                message = _no_record(parent, str(key))
                raise ActionError("not_found", (404, 400, 422), message, str(key), parent.name)
            collection, child = parent, row

    def check_owner(self, row: bytes) -> None:
        """Raise `ActionError` if another person owns a record and the document lists a 403."""
        path = self.collection.owner
        if not path or "403" not in self.details.described.responses:
            return
        owner = value_at(parse_row(row), path)
        if owner not in (INVALID, None) and not equal(owner, self.my_key):
            raise ActionError("forbidden", (403,), "the record belongs to another user")


def is_below(
    collection: GuessedCollection, parents: Sequence[tuple[PropertyPath, object]], record: Record
) -> bool:
    """Return whether a record of a collection belongs to `Action.parents`."""
    return all(
        equal(known := value_at(record, path), value)
        # Below a parent that has no records are the records with which the server starts.
        or (known is INVALID and path[0][:1] == OWN and not collection.parent)
        for path, value in parents
    )


def _no_record(collection: GuessedCollection, key: str) -> str:
    return f"{collection.name} has no record with the {collection.key} {key[:100]}"
