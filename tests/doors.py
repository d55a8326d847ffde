"""Two doors to one server: calls in the process, and calls over a real socket.

A suite that only knows `Door` shows that both answer alike, down to the bytes and the headers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPMessage
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

KEY = {"Authorization": "Bearer mockpets"}
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Answer:
    """What came back; header names in lower case, several values joined as HTTP joins them."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    sent: str = field(default="", repr=True)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        return self.headers.get(name.lower())


def _answer(status: int, headers: HTTPMessage | list[tuple[str, str]], body: bytes) -> Answer:
    joined: dict[str, str] = {}
    for name, value in headers if isinstance(headers, list) else headers.items():
        low = name.lower()
        joined[low] = f"{joined[low]}, {value}" if low in joined else value
    return Answer(status, joined, body)


class Door(Protocol):
    """A way to call a server."""

    def ask(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> Answer:
        """Send one request as it stands and return the answer."""
        ...


class Inside:
    """Calls the app in this process."""

    def __init__(self, app: Flask) -> None:
        self._client = app.test_client()

    def ask(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> Answer:
        answer = self._client.open(target, method=method, headers=dict(headers), data=body)
        return _answer(answer.status_code, list(answer.headers), answer.data)


class Socket:
    """Calls a server over its socket, one connection for each request."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "", parts.port)

    def connect(self) -> HTTPConnection:
        """Return a new connection, which the caller closes."""
        return HTTPConnection(*self._address, timeout=20)

    def ask(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> Answer:
        connection = self.connect()
        try:
            connection.request(method, target, body, dict(headers))
            answer = connection.getresponse()
            return _answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()


class Caller:
    """Calls through a door as a front end would: with the key, unless told otherwise."""

    def __init__(self, door: Door) -> None:
        self.door = door

    def __call__(
        self,
        method: str,
        target: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        json_body: object = None,
        scenario: str | None = None,
        key: str | None = "mockpets",
    ) -> Answer:
        sent: dict[str, str] = {} if key is None else {"Authorization": f"Bearer {key}"}
        if json_body is not None:
            body = json.dumps(json_body).encode()
            sent |= JSON
        if scenario is not None:
            sent["Mockpets-Scenario"] = scenario
        return self.door.ask(method, target, sent | dict(headers or {}), body)
