"""One HTTP/1.1 connection to a server, over a socket or TLS.

`http.client` reads the responses. Its `HTTPConnection` does not send the requests: it has a timeout
for each read, which a server that sends a byte now and then would extend.
"""

from __future__ import annotations

import io
import re
import socket
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PORTS: Final = {False: 80, True: 443}
"""The ports that a URL can omit, by whether it uses TLS."""
_BODY: Final = 256 * 1024 * 1024
"""The longest body in bytes. By default, a server keeps less than that in memory."""


class Response(NamedTuple):
    """An HTTP response; the names of the headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpConnection:
    """Sends requests, one at a time, and connects when it has to."""

    def __init__(self, host: str, port: int, *, is_secure: bool) -> None:
        self._address, self._is_secure = (host, port), is_secure
        self._socket: socket.socket | None = None
        name = f"[{host.partition('%')[0]}]" if ":" in host else host.encode("idna").decode()
        self._host = name if port == PORTS[is_secure] else f"{name}:{port}"

    @property
    def is_open(self) -> bool:
        """Whether the connection can take another request, as far as is known."""
        return self._socket is not None

    def send(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes, timeout: float
    ) -> Response:
        """Send a request and return the response; after an error, the connection is closed.

        :param timeout: seconds to connect, and then for the request and the whole response: a
            server that sends a byte now and then does not extend them.
        :raise ConnectionError: the connection ended before the response.
        :raise OSError: cannot connect, or the time is over.
        :raise ValueError: a header, the method or the target is invalid, or the response is not
            HTTP.
        """
        try:
            request = self._encode(method, target, headers, body)
            if self._socket is None or self._has_ended(self._socket):
                self.close()
                self._socket = self._connect(timeout)
            exchange = _Exchange(self._socket, timeout)
            exchange.send(request)
            response, stays_open = _receive(exchange, method)
        except BaseException:  # Ctrl-C too
            self.close()
            raise
        if not stays_open:
            self.close()
        return response

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _encode(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """Return a request as one packet."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self._host}", "Accept-Encoding: identity"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if body or method != "GET":
            lines.append(f"Content-Length: {len(body)}")
        if any(re.search("[\r\n]", line) for line in lines):
            raise ValueError("a header must not have a line break")
        # From a HAR file, such a request would be a different one, or outside the base URL.
        if " " in method or " " in target or ".." in target.partition("?")[0].split("/"):
            raise ValueError("the method or target has a space, or the path a segment '..'")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body

    def _connect(self, timeout: float) -> socket.socket:
        connected = socket.create_connection(self._address, timeout)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self._is_secure:
            return connected
        try:
            import ssl  # slow to import

            context = ssl.create_default_context()
            return context.wrap_socket(connected, server_hostname=self._address[0])
        except BaseException:
            connected.close()
            raise

    def _has_ended(self, idle: socket.socket) -> bool:
        """Return whether the server has closed an idle connection, on which only that can come."""
        idle.settimeout(0)
        try:
            idle.recv(1)
        except BlockingIOError:
            return False
        except OSError as error:  # of TLS: it read a record that has no data
            return type(error).__name__ != "SSLWantReadError"
        return True


class _Exchange(io.RawIOBase):
    """Writes and reads a socket until a deadline, which each call checks.

    It is what `http.client.HTTPResponse` takes as a socket, and the file that it reads.

    :raise TimeoutError: the time is over; from all methods.
    """

    def __init__(self, connected: socket.socket, timeout: float) -> None:
        self._socket = connected
        self._deadline = monotonic() + timeout

    def _ready(self) -> socket.socket:
        """Return the socket, with the time that is left."""
        seconds = self._deadline - monotonic()
        if seconds <= 0:  # 0 would not wait, and a negative number is invalid
            raise TimeoutError("timed out")
        self._socket.settimeout(seconds)
        return self._socket

    def send(self, data: bytes) -> None:
        """Send all data."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._ready().send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:  # noqa: ARG002 - it is always "rb"
        """Return the file of the response."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        """Return True, as `io.BufferedReader` requires."""
        return True

    def readinto(self, buffer: Any) -> int:  # `collections.abc.Buffer` needs Python 3.12
        """Read what has arrived into a buffer, once there is something."""
        return self._ready().recv_into(buffer)


def _receive(exchange: _Exchange, method: str) -> tuple[Response, bool]:
    """Return a response, and whether another one can follow it."""
    from http.client import HTTPException, HTTPResponse  # slow to import

    with HTTPResponse(cast("socket.socket", exchange), method=method) as response:
        try:
            response.begin()
            body = response.read(_BODY + 1)
        except OSError:  # also `RemoteDisconnected`, which is an HTTPException too
            raise
        except HTTPException as error:
            raise ValueError(f"expected HTTP, got {error!r:.80}") from error
        if len(body) > _BODY:
            raise ValueError(f"the body of the response has more than {_BODY // 2**20} MiB")
        if response.length:
            size = len(body) + response.length
            raise ValueError(f"the response ended after {len(body)} of {size} bytes")
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Response(response.status, headers, body), not response.will_close
