"""Services that differ from the contract, for the tests of `mockpets compare`."""

from __future__ import annotations

import itertools
import json
import socketserver
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING, Any

from mockpets import Settings, create_app
from tests.http_client import InProcess, Response

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterable, Iterator

Change = "Callable[[Request, Response], Response | Iterable[bytes]]"


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: dict[str, str]

    @property
    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def is_limited(self) -> bool:
        """Whether it is the one GET of a page with one pet."""
        return (self.method, self.target) == ("GET", "/v1/pets?limit=1")


@dataclass(frozen=True)
class Running:
    """A service that runs: its base URL, and the requests that it got."""

    url: str
    requests: list[Request] = field(default_factory=list)


@cache
def _mock(**settings: Any) -> InProcess:
    """Return a caller of an app, which a comparison does not change."""
    return InProcess(create_app(Settings(**settings)))


@contextmanager
def service(
    change: Callable[[Request, Response], Response | Iterable[bytes]],
    wrap: Callable[[socket.socket], socket.socket] = lambda connection: connection,
    **settings: Any,
) -> Iterator[Running]:
    """Run mockpets with changed responses, or with the bytes that replace one.

    :param change: called with each request and the response of mockpets.
    :param wrap: makes a TLS connection.
    """
    mock = _mock(**{"count": 50, **settings})

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                connection = wrap(self.request)
                request = _read(connection)
                if request is None:
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    return
                running.requests.append(request)
                sent = {name.title(): value for name, value in request.headers.items()}
                response = mock.ask(request.method, request.target, sent, None)
                changed = change(request, response)
                pieces = _bytes(changed) if isinstance(changed, Response) else changed
                for piece in pieces:
                    connection.sendall(piece)
                connection.close()
            except OSError:
                pass  # the client has left

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        running = Running(f"http://127.0.0.1:{server.server_address[1]}/v1")
        thread = Thread(target=server.serve_forever, args=(0.001,))
        thread.start()
        try:
            yield running
        finally:
            server.shutdown()
            thread.join()


def _read(connection: socket.socket) -> Request | None:
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(4096)
        head += piece
        if not piece or not head[:1].isalpha():
            return None
    first, *lines = head.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    return Request(method, target, headers)


def _bytes(response: Response) -> Iterator[bytes]:
    headers = "".join(f"{name}: {value}\r\n" for name, value in response.headers.items())
    yield f"HTTP/1.1 {response.status} Phrase\r\n{headers}\r\n".encode("latin-1") + response.body


def with_body(response: Response, body: bytes, **headers: str) -> Response:
    """Return a response with another body, and with headers in which `_` stands for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    length = {"content-length": str(len(body))}
    return replace(response, body=body, headers={**response.headers, **length, **named})


def with_pets(response: Response, change: Callable[[dict[str, Any]], object]) -> Response:
    """Return a response in which each pet was changed in place."""
    if response.status != 200 or not response.body:
        return response
    value = response.json
    for pet in value if isinstance(value, list) else [value]:
        change(pet)
    return with_body(response, json.dumps(value).encode())


def raw(body: bytes, *headers: str, status: str = "200 OK") -> Iterator[bytes]:
    """Return a response as bytes, which ends with the connection."""
    lines = ["HTTP/1.1 " + status, "Content-Type: application/json", *headers]
    return iter([("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"), body])


def forever(first: bytes, *pieces: bytes) -> Iterator[bytes]:
    """Return a response that does not end."""
    return itertools.chain([first], itertools.cycle(pieces))
