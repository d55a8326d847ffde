"""An HTTP client for tests: the same calls inside this process and over a socket.

Tests that use only `Client` check both ways, down to the bytes and the headers.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPMessage
from io import BytesIO
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes, urlsplit
from wsgiref.types import WSGIApplication

KEY = {"Authorization": "Bearer mockpets"}
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Response:
    """A response. Header names are in lower case, repeated headers are joined with commas."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    sent: str = field(default="", repr=True)

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        return self.headers.get(name.lower())


def _response(status: int, headers: HTTPMessage | list[tuple[str, str]], body: bytes) -> Response:
    joined: dict[str, str] = {}
    for name, value in headers if isinstance(headers, list) else headers.items():
        low = name.lower()
        joined[low] = f"{joined[low]}, {value}" if low in joined else value
    return Response(status, joined, body)


class Transport(Protocol):
    """A way to send requests to a server."""

    def ask(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        """Send one request unchanged and return the response."""
        ...


class InProcess:
    """Calls the app in this process.

    Without Werkzeug's test client, which takes six times as long as our app.
    """

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def ask(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes | None,
        peer: str = "127.0.0.1",
    ) -> Response:
        path, _, query = target.encode().decode("latin-1").partition("?")
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path.encode("latin-1")).decode("latin-1"),
            "QUERY_STRING": query,
            "REQUEST_URI": target,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": peer,
            "HTTP_HOST": "localhost",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(body or b""),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        for name, value in headers.items():
            key = name.upper().replace("-", "_")
            environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value
        if body is not None:
            environ["CONTENT_LENGTH"] = str(len(body))
        start: list[Any] = []

        def start_response(*arguments: Any) -> Callable[[bytes], object]:
            start[:] = arguments
            return start.append

        chunks = self._app(environ, start_response)
        try:
            received = b"".join(chunks)
        finally:
            getattr(chunks, "close", int)()
        return _response(int(start[0][:3]), start[1], received)


class OverSocket:
    """Calls a server over a socket, with a new connection for each request."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "", parts.port)

    def connect(self) -> HTTPConnection:
        """Return a new connection, which the caller closes."""
        return HTTPConnection(*self._address, timeout=20)

    def ask(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        connection = self.connect()
        try:
            connection.request(method, target, body, dict(headers))
            response = connection.getresponse()
            return _response(response.status, response.headers, response.read())
        finally:
            connection.close()


class Client:
    """Sends requests as a front end does: with the API key, unless `key` is None."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

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
    ) -> Response:
        sent: dict[str, str] = {} if key is None else {"Authorization": f"Bearer {key}"}
        if json_body is not None:
            body = json.dumps(json_body).encode()
            sent |= JSON
        if scenario is not None:
            sent["Mockpets-Scenario"] = scenario
        return self.transport.ask(method, target, sent | dict(headers or {}), body)
