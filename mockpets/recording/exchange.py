"""A recorded request and its response, from the request log or from a HAR file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import API_PREFIX, ERRORS
from mockpets.journal.entry import Message
from mockpets.redaction import is_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mockpets.constants import Operation
    from mockpets.journal.entry import Entry

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


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response.

    :param number: names the request in messages.
    :param target: path and query as sent, from ``/v1`` on; `path` is decoded.
    :param pet_id: from the path, if it is an int64.
    :param has_key: whether the request had a valid API key.
    :param status: None if there is no response: it was lost, or is not sent yet.
    :param response: its body is cut if it is not recorded completely.
    :param fault: how the response broke.
    :param ran: whether the operation ran, if a fault lost its response.
    :param delay: in milliseconds; `hold` is a gate, and `throttle` is in bytes per second.
    """

    number: int
    method: str
    target: str
    path: str
    query: tuple[tuple[str, str], ...]
    operation: Operation | None
    pet_id: int | None
    request: Message
    has_key: bool
    status: int | None
    response: Message
    fault: str | None = None
    ran: bool = True
    delay: float = 0.0
    hold: str | None = None
    throttle: int | None = None

    @property
    def body(self) -> object:
        """The value of the JSON body of the response; None if it is not JSON."""
        try:
            return json.loads(self.response.body)
        except (ValueError, RecursionError):
            return None

    @property
    def created_id(self) -> int | None:
        """The id that the server assigned in this response; None if it created no pet."""
        body = (
            self.body
            if self.operation == "createPet" and self.status == HTTPStatus.CREATED
            else None
        )
        value = body.get("id") if isinstance(body, dict) else None
        return value if isinstance(value, int) else None

    def completed(self) -> Exchange:
        """Return it with the body of the request, which the response to a create repeats.

        The request log keeps only the beginning of a long body, and Firefox does not report it.
        """
        body = self.body if self.method == "POST" and self.status == HTTPStatus.CREATED else None
        if not (self.request.cut and isinstance(body, dict)):
            return self
        sent = json.dumps({name: value for name, value in body.items() if name != "id"}).encode()
        return replace(self, request=Message(self.request.head, sent, len(sent)))

    def with_id(self, ids: Mapping[Any, object]) -> str:
        """Return the target with another id in place of a pet's, if it has one."""
        path, mark, query = self.target.partition("?")
        if self.pet_id not in ids:
            return self.target
        return f"{path.rpartition('/')[0]}/{ids[self.pet_id]}{mark}{query}"

    def renamed(self, ids: Mapping[Any, object]) -> object:
        """Return the JSON body, a pet or a list of pets, with other ids."""
        return _renamed(self.body, ids)

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
            return mine.size == its.size and mine.body[:length] == its.body[:length]
        return mine.body == its.body or (self.body is not None and self.body == other.body)


def _renamed(value: Any, ids: Mapping[Any, object]) -> Any:
    if isinstance(value, list):
        return [_renamed(item, ids) for item in value]
    if isinstance(value, dict) and isinstance(value.get("id"), int) and value["id"] in ids:
        return {**value, "id": ids[value["id"]]}
    return value


def exchange_of(entry: Entry) -> Exchange:
    """Return an entry of a request log, without a response that is not sent."""
    start = max(entry.target.find(API_PREFIX), 0)
    response, root = entry.response, entry.target[:start].encode()
    if root and not response.cut:  # messages repeat the base path, which another session has not
        body = response.body.replace(root + API_PREFIX.encode(), API_PREFIX.encode())
        response = response._replace(body=body, size=len(body))
    is_sent = entry.outcome == "sent" or (entry.fault is not None and entry.status is not None)
    return Exchange(
        number=entry.number,
        method=entry.method,
        target=entry.target[start:],
        path=entry.path,
        query=tuple(entry.query),
        operation=entry.operation,
        pet_id=entry.pet_id,
        request=entry.request,
        has_key=entry.trace is not None or entry.status != ERRORS["unauthorized"],
        status=entry.status if is_sent else None,
        response=response if is_sent else Message(),
        fault=entry.fault,
        ran=entry.response.size > 0,
        delay=entry.delay_ms,
        hold=entry.hold,
        throttle=entry.throttle,
    )


def exchanges_of(entries: Iterable[Entry]) -> list[Exchange]:
    """Return the entries of a request log in the order of their numbers."""
    return [exchange_of(entry) for entry in sorted(entries, key=lambda entry: entry.number)]
