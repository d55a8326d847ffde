"""One HTTP/1.1 connection to a server, over a socket or TLS.

With `http.client`, which imports `email` and `ssl`, ``mockpets use`` takes 2.5 times as long as
``import click``; with this module, 1.7 times. `http.client` also sends a body in a packet of its
own, and has a timeout for each read, not for a response.
"""

from __future__ import annotations

import io
import re
import socket
from time import monotonic
from typing import IO, TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

PORTS: Final = {False: 80, True: 443}
"""The ports that a URL can omit, by whether it uses TLS."""
_LINE: Final = 64 * 1024
"""The longest line of a response, in bytes."""
_HEAD: Final = 1024 * 1024
"""The longest head or trailer of a response, in bytes."""
_INTERIM: Final = 10
_BODY: Final = 256 * 1024 * 1024
"""The longest body in bytes. By default, a server keeps less than that in memory."""
_STATUS_LINE: Final = re.compile(r"HTTP/(1\.[01]) ([1-5][0-9]{2})(?: .*)?\r?\n")


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
            with io.BufferedReader(exchange) as file:
                response, stays_open = _receive(file)
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

    def readable(self) -> bool:
        """Return True, as `io.BufferedReader` requires."""
        return True

    def readinto(self, buffer: Any) -> int:  # `collections.abc.Buffer` needs Python 3.12
        """Read what has arrived into a buffer, once there is something."""
        return self._ready().recv_into(buffer)


def _receive(file: IO[bytes]) -> tuple[Response, bool]:
    """Return a response, and whether another one can follow it."""
    version, status, headers = _receive_head(file)
    interim = 0
    while status in (100, 102, 103):  # they precede the response
        interim += 1
        if interim > _INTERIM:
            raise ValueError(f"more than {_INTERIM} interim responses")
        version, status, headers = _receive_head(file)
    stays_open = version == "1.1" and "close" not in headers.get("connection", "").lower()
    if status in (204, 304):
        body = b""
    elif "chunked" in headers.get("transfer-encoding", "").lower():
        body = b"".join(_chunks(file))
    elif "content-length" in headers:
        body = _read(file, headers["content-length"], 10)
    else:
        body, stays_open = file.read(_BODY + 1), False
        _check_size(len(body), _BODY, "body")
    return Response(status, headers, body), stays_open


def _receive_head(file: IO[bytes]) -> tuple[str, int, dict[str, str]]:
    """Return the version, the status and the headers of a response."""
    line = file.readline(_LINE).decode("latin-1")
    if not line:
        raise ConnectionResetError("Remote end closed connection without response")
    if not (match := _STATUS_LINE.fullmatch(line)):
        raise ValueError(f"expected HTTP, got {line.strip()[:40]!r}")
    headers = {}
    for line in _lines(file):
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return match[1], int(match[2]), headers


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    size = 0
    while chunk := _read(file, _line(file).partition(";")[0].strip(), 16):
        size += len(chunk)
        _check_size(size, _BODY, "body")
        yield chunk
        _line(file)
    for _ in _lines(file):
        pass  # a trailer


def _lines(file: IO[bytes]) -> Iterator[str]:
    """Yield the lines before an empty one."""
    size = 0
    while line := _line(file):
        size += len(line)
        _check_size(size, _HEAD, "head")
        yield line


def _check_size(size: int, most: int, what: str) -> None:
    if size > most:
        raise ValueError(f"the {what} of the response has more than {most // 2**20} MiB")


def _line(file: IO[bytes]) -> str:
    """Return the next line without its end."""
    line = file.readline(_LINE)
    if not line.endswith(b"\n"):
        raise ValueError("a line of the response is incomplete or too long")
    return line.decode("latin-1").rstrip("\r\n")


def _read(file: IO[bytes], size: str, base: int) -> bytes:
    """Return as many bytes as a number in the response announces."""
    if not re.fullmatch("[0-9]{1,9}" if base == 10 else "[0-9a-fA-F]{1,8}", size):
        raise ValueError(f"{size[:40]!r} is not a valid length of a response")
    _check_size(int(size, base), _BODY, "body")
    data = file.read(int(size, base))
    if len(data) < int(size, base):
        raise ValueError(f"the response ended after {len(data)} of {int(size, base)} bytes")
    return data
