"""A recorded request and its response, from the request log or from a HAR file."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, unquote, urlencode
from zlib import crc32

from mockpets.constants import ERRORS
from mockpets.contract.document_records import DocumentRecords, link_of
from mockpets.redaction import is_secret
from mockpets.request_log.entry import Entry, Message
from mockpets.strict_json import deeper_than, dump_text, load_json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mockpets.contract.contract_model import Key

    Assigned = Callable[[str, str], bool]
    """Whether a server has assigned an id: to a kind, such as ``orders``, and as text."""

_ADDED: Final = re.compile(
    "access-control-.*|alt-svc|age|cache-control|connection|content-(?:encoding|length|type)|date|"
    "deprecation|etag|expires|keep-alive|last-modified|link|location|mockpets-.*|pragma|server|"
    "server-timing|sunset|timing-allow-origin|transfer-encoding|vary|via|www-authenticate|"
    "content-security-policy.*|cross-origin-.*|nel|origin-agent-cluster|permissions-policy|"
    "referrer-policy|report-to|strict-transport-security|"
    "x-(?:cache|content-type-options|dns-prefetch-control|download-options|frame-options|"
    "permitted-cross-domain-policies|powered-by|request-id|runtime|xss-protection)|(?:set-)?cookie",
    re.IGNORECASE,
)
"""Headers that servers add, or that are right only for the response that they were made for."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SUCCESS: Final = 2
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})")
_CLOCK: Final = 5.0
"""How many seconds a time in a response may be from the response, as the clocks differ."""
_LEVELS: Final = 64
"""The most levels of a body that is read as JSON; what compares two bodies recurses."""


class IdNames(NamedTuple):
    """The properties of records that have ids.

    :param link: that with the id of the parent, whose collection is `parent`; empty without one.
    """

    key: str
    link: str = ""
    parent: str = ""


class Exchange(Entry):
    """A recorded request and its response, made by `exchange_of`.

    Its target is from the contract's base path on. Its status is None if there is no response,
    because it was lost or is not sent yet; its response has only a size then, if the operation ran.
    """

    __slots__ = ()

    @property
    def has_key(self) -> bool:
        """Whether the request had a valid API key."""
        return self.trace is not None or self.status != ERRORS["unauthorized"]

    @property
    def body(self) -> object:
        """The value of the JSON body of the response; None if it is not JSON."""
        try:
            value: object = load_json_of(self.response.body.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            return None
        return None if deeper_than(value, _LEVELS) else value

    @property
    def created_id(self) -> Key | None:
        """The id that the server assigned in this response; None if it created no record.

        A text with half of a surrogate pair is not an id, because no target can have it.
        """
        if self.operation is not None and self.operation.details is not None:
            is_created = self.operation.role == "create" and (self.status or 0) // 100 == _SUCCESS
        else:
            is_created = self.method == "POST" and self.status == HTTPStatus.CREATED
        records = self.records if is_created else []
        value = records[0].get(self.id_names.key) if len(records) == 1 else None
        if isinstance(value, str):
            return None if _SURROGATE.search(value) else value
        return value if type(value) is int else None

    @property
    def lasting_body(self) -> object:
        """The body without the times at which an operation of a document made it."""
        if self.operation is None or self.operation.details is None:
            return self.body
        start, end = self.at - _CLOCK, self.at + (self.total_ms or 0) / 1000 + _CLOCK
        return _without_times(self.body, start, end)

    @property
    def id_names(self) -> IdNames:
        """The properties of its records that have ids."""
        collection = self.operation.collection if self.operation is not None else None
        if collection is None:
            return IdNames("id")
        if not isinstance(collection.schema, DocumentRecords):
            return IdNames(collection.key)
        guessed = collection.schema.guessed
        link = link_of(guessed)
        if not guessed.parent or len(link) > 1:
            return IdNames(collection.key)
        return IdNames(collection.key, link[0], collection.sibling(guessed.parent))

    @property
    def records(self) -> list[dict[str, Any]]:
        """The records in the body of the response, without the envelope of a document."""
        body: Any = self.body
        operation = self.operation
        if operation is not None and operation.details is not None:
            guess = operation.details.guess
            if guess.returns not in ("list", "record") or not operation.lists(self.status or 0):
                return []
            for name in guess.envelope:
                body = body.get(name) if isinstance(body, dict) else None
        return [each for each in (body if isinstance(body, list) else [body]) if _is_object(each)]

    def with_key(self, key: str, target: str) -> tuple[dict[str, str], str]:
        """Return the headers, and the target, with which a request has a key."""
        if self.operation is None:
            return {"Authorization": f"Bearer {key}"}, target
        needed = self.operation.credentials(key)
        query = urlencode([(name, value) for place, name, value in needed if place == "query"])
        if query:
            names = {name for place, name, _ in needed if place == "query"}
            path, _, old = target.partition("?")
            kept = [each for each in old.split("&") if each and each.split("=")[0] not in names]
            target = f"{path}?{'&'.join([*kept, query])}"
        return {name: value for place, name, value in needed if place == "header"}, target

    def completed(self) -> Exchange:
        """Return it with the body of the request, which the response to a create repeats.

        The request log keeps only the beginning of a long body, and Firefox does not report it.
        """
        body = self.body if self.method == "POST" and self.status == HTTPStatus.CREATED else None
        if not (self.request.cut and isinstance(body, dict)):
            return self
        sent = dump_text({name: value for name, value in body.items() if name != "id"}).encode()
        return self._replace(request=Message(self.request.head, sent, len(sent)))

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the response that a server does not add by itself."""
        pairs = self.response.headers
        return {
            name: value
            for name, value in pairs
            if not _ADDED.fullmatch(name) and not is_secret(name)
        }

    def is_like(self, other: Exchange) -> bool:
        """Return whether the responses are equal, as far as they are recorded."""
        if (self.status, self.fault) != (other.status, other.fault):
            return False
        if self.status is None or self.fault is not None:  # the fault has damaged the body
            return True
        mine, its = self.response, other.response
        if mine.cut or its.cut:
            length = min(len(mine.body), len(its.body))
            sums = {each.checksum if each.cut else crc32(each.body) for each in (mine, its)}
            is_same = mine.size == its.size and mine.body[:length] == its.body[:length]
            return is_same and len(sums - {None}) <= 1
        if mine.body == its.body or (self.body is not None and self.body == other.body):
            return True
        return self.lasting_body is not None and self.lasting_body == other.lasting_body


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _without_times(value: object, start: float, end: float) -> object:
    """Return a JSON value in which times between two others, in seconds, are replaced."""
    if isinstance(value, dict):
        return {name: _without_times(item, start, end) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_times(item, start, end) for item in value]
    if isinstance(value, str) and _TIME.fullmatch(value):
        with suppress(ValueError, OverflowError):
            return "now" if start <= datetime.fromisoformat(value).timestamp() <= end else value
    return value


class AssignedIds:
    """The ids that a server assigned, and those that another one assigned to the same records."""

    def __init__(self) -> None:
        self._others: dict[str, dict[str, Key]] = {}
        """By the path or the name of the collection, and the id."""

    def learn(self, mine: Exchange, its: Exchange) -> None:
        """Keep the ids of the records that one request has created in both servers."""
        if mine.created_id is not None and its.created_id is not None:
            collection = mine.operation and mine.operation.collection
            # One that is created below a parent may have a path of its own.
            more = (collection.path, collection.name) if collection else ()
            for path in {mine.path, *more}:
                self._others.setdefault(path, {})[str(mine.created_id)] = its.created_id

    def in_target(self, target: str) -> str:
        """Return a target with the ids of the other server."""
        path, mark, query = target.partition("?")
        segments = [unquote(segment) for segment in path.split("/")]
        result = path.split("/")
        for place, segment in enumerate(segments):
            known = self._others.get("/".join(segments[:place]), {})
            if segment in known:
                result[place] = quote(str(known[segment]), safe="")
        return "/".join(result) + mark + query

    def in_body(self, body: Any, path: str, names: IdNames) -> Any:
        """Return the JSON body of a response, with the ids of the other server in its records.

        :param path: of the request, with the ids of the first server.
        :param names: the properties that have ids.
        """
        collection, _, record = path.rpartition("/")
        known = self._others.get(path, {})
        if not known and (known := self._others.get(collection, {})) and record in known:
            body = _with_message(body, record, str(known[record]))
        parents = self._others.get(names.parent, {})
        return _renamed(body, names, known, parents) if known or parents else body


def _with_message(body: Any, old: str, new: str) -> Any:
    """Return a body whose message, such as that no record has this id, names another id."""
    if not isinstance(body, dict) or not isinstance(body.get("message"), str):
        return body
    pattern = rf"(?<!\w){re.escape(old)}(?!\w)"
    return {**body, "message": re.sub(pattern, lambda _: new, body["message"])}


def _renamed(value: Any, names: IdNames, ids: Mapping[str, Key], parents: Mapping[str, Key]) -> Any:
    """Return records with other ids, also those in an envelope."""
    if isinstance(value, list):
        return [_renamed(item, names, ids, parents) for item in value]
    if not isinstance(value, dict):
        return value
    if names.key not in value:
        return {name: _renamed(item, names, ids, parents) for name, item in value.items()}
    pairs = [(names.key, ids), (names.link, parents)]
    changed = {
        name: others[str(value[name])]
        for name, others in pairs
        if name in value and str(value[name]) in others
    }
    return {**value, **changed}


def created_records(exchanges: Iterable[Exchange]) -> Assigned:
    """Return whether a record was created in exchanges, by the start of its kind and its id."""
    created = {
        (exchange.path.rpartition("/")[2], str(exchange.created_id))
        for exchange in exchanges
        if exchange.created_id is not None
    }
    return lambda kind, record: any(
        number == record and name.startswith(kind) for name, number in created
    )


def exchange_of(entry: Entry) -> Exchange:
    """Return an entry of a request log, without a response that is not sent."""
    root, response = _root(entry), entry.response
    if root and not response.cut:  # messages repeat the root, which another session does not have
        first = "/".join(entry.path.split("/", 2)[:2])
        body = response.body.replace(f"{root}{first}".encode(), first.encode())
        response = response._replace(body=body, size=len(body))
    exchange = Exchange(*entry)._replace(target=entry.target[len(root) :], response=response)
    if entry.outcome == "sent" or (entry.fault is not None and entry.status is not None):
        return exchange
    return exchange._replace(status=None, response=Message(size=response.size))


def _root(entry: Entry) -> str:
    """Return what precedes the path in a target, such as a prefix and a session's base path."""
    decoded = unquote(entry.target.partition("?")[0])
    if not decoded.endswith(entry.path):
        return ""
    slashes = decoded.removesuffix(entry.path).count("/")
    return "/".join(entry.target.split("/")[: slashes + 1])


def exchanges_of(entries: Iterable[Entry]) -> list[Exchange]:
    """Return the entries of a request log in the order of their numbers."""
    return [exchange_of(entry) for entry in sorted(entries, key=lambda entry: entry.number)]
