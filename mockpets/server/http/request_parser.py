"""Take in requests: the head, which `fields` reads, and the body, by its length or in chunks.

It does what waitress' own parser does for a task, but refuses what that lets pass where two
readers of one request could take it for different things (RFC 9112, parts 7.1 and 11.2): other
white space than one empty line before a request, and in chunks a line that ends in LF alone, an
empty line before a size, trailers that are no fields. A body is kept in memory: it is small.
Every error is a `RequestError`, and the connection ends with it, since where the next request would
begin is no longer known.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Final

from mockpets.errors import RequestError
from mockpets.server.http.request_head import NAME, VALUE, invalid, read_head

if TYPE_CHECKING:
    from waitress.adjustments import Adjustments

_END: Final = b"\r\n"
_TLS: Final = b"\x16"
"""The first byte of a client that speaks TLS (RFC 8446, part 5.1)."""
_ORIGIN: Final = re.compile(rb"\r\norigin:[ \t]*([!-~]+)[ \t]*\r\n", re.IGNORECASE)
_QUOTED: Final = r'"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"'
_SIZE: Final = re.compile(rb"[0-9a-fA-F]{1,15}")  # less than 64 bits
_EXTENSIONS: Final = re.compile(rf"(?:;{NAME}(?:=(?:{NAME}|{_QUOTED}))?)*".encode("latin-1"))
_TRAILER: Final = re.compile(f"{NAME}:{VALUE}".encode("latin-1"))
_LINE_BYTES: Final = 4096
"""Of a line between chunks: extensions are ignored, and none is that long."""


class RequestParser:
    """One request, as it arrives.

    waitress' task reads of it the parts of the request line, `headers`, `url_scheme` and
    `get_body_stream`; the channel reads the rest.
    """

    asked_again = False
    """Whether the app had its answer wait, and is now to give the one that is sent."""
    completed = False
    """Whether there is a request to answer, or an error to tell."""
    empty = False
    """Whether it was no request: an empty line between two."""
    headers_finished = False
    expect_continue = False
    error: RequestError | None = None
    command = request_uri = path = query = ""
    version = "1.0"

    def __init__(self, adj: Adjustments) -> None:
        self.adj = adj
        self.url_scheme = adj.url_scheme
        self.headers: dict[str, str] = {}
        self._head = b""
        self._body: _Sized | _Chunks | None = None
        self.made: list[object] = []
        """What the jobs that the app has asked for have returned."""

    @property
    def origin(self) -> str | None:
        """The page that asks, also when the head could not be read to its end."""
        found = _ORIGIN.search(self._head)
        return found[1].decode("ascii") if found else None

    @property
    def request_line(self) -> str:
        """The first line as it came, also of a head that could not be read."""
        return self._head.removeprefix(_END).split(_END, 1)[0].decode("latin-1")

    @property
    def is_head(self) -> bool:
        """Whether the answer must not have a body."""
        return self._head.removeprefix(_END).startswith(b"HEAD ")

    @property
    def asked_to_close(self) -> bool:
        """Whether the client sends no further request on its connection."""
        wishes = self.headers.get("CONNECTION")
        if wishes is None:
            return self.version == "1.0"
        tokens = {token.strip() for token in wishes.lower().split(",")}
        return "close" in tokens or (self.version == "1.0" and "keep-alive" not in tokens)

    def refuse(self, refusal: RequestError) -> None:
        """End the request with an error; nothing more of it is read."""
        self.error = refusal
        self.expect_continue = False
        self.completed = True
        self.close()

    def get_body_stream(self) -> BytesIO:
        """Return the body, from its beginning."""
        return BytesIO(self._body.content if self._body is not None else b"")

    def close(self) -> None:
        """Let go of the body."""
        self._body = None

    def received(self, data: bytes) -> int:
        """Take in bytes; return how many belong to this request, all of them after an error."""
        if self.completed:
            return 0
        body = self._body
        try:
            return self._take_head(data) if body is None else self._take_body(body, data)
        except RequestError as refusal:
            self.refuse(refusal)
            return len(data)

    def _take_head(self, data: bytes) -> int:
        before = len(self._head)
        self._head += data
        end = self._head.find(b"\r\n\r\n", max(0, before - 3)) + 4
        if self._head[:1] == _TLS:
            raise invalid("this port speaks HTTP without TLS: the address begins with http://")
        found, limit = end >= 4, self.adj.max_request_header_size - 1
        if (end if found else len(self._head)) > limit:
            message = f"request line and headers are larger than {limit} bytes"
            raise RequestError("headers_too_large", message)
        if not found:
            return len(data)
        self._head = self._head[:end]
        # Old clients send a line break too many after a body (RFC 9112, part 2.2).
        self._read(self._head.removeprefix(_END))
        return end - before

    def _read(self, head: bytes) -> None:
        """Read the head, and see whether there is a body to come."""
        if head == _END:
            self.empty = self.completed = True
            return
        (
            self.command,
            self.request_uri,
            self.version,
            self.path,
            self.query,
            self.headers,
            length,
        ) = read_head(head)
        self.headers_finished = True
        self.expect_continue = self.version == "1.1" and "EXPECT" in self.headers
        limit = self.adj.max_request_body_size - 1
        if length is None:
            self._body = _Chunks(limit)
        elif length > limit:
            raise _too_large(limit)
        elif length:
            self._body = _Sized(length)
        else:
            self.completed = True

    def _take_body(self, body: _Sized | _Chunks, data: bytes) -> int:
        taken = body.received(data)
        if body.completed:
            self.completed = True
            # However it was sent, the app sees a body of known length.
            self.headers.setdefault("CONTENT_LENGTH", str(len(body.content)))
        return taken


def _too_large(limit: int) -> RequestError:
    return RequestError("payload_too_large", f"the body is larger than {limit} bytes")


class _Sized:
    """A body whose length is known."""

    def __init__(self, length: int) -> None:
        self._left = length
        self.content = bytearray()
        self.completed = False

    def received(self, data: bytes) -> int:
        """Take in bytes; return how many belong to the body."""
        part = data[: self._left]
        self.content += part
        self._left -= len(part)
        self.completed = not self._left
        return len(part)


class _Chunks:
    """A body in chunks (RFC 9112, part 7.1); trailers are read and ignored.

    :param limit: bytes it may have, with all that is between the chunks.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._came = 0
        self._kept = b""  # the beginning of a line
        self._left = 0  # bytes of a chunk, with the line break after it
        self._last = False
        self.content = bytearray()
        self.completed = False

    def received(self, data: bytes) -> int:
        """Take in bytes; return how many belong to the body.

        :raise RequestError: too many, or no chunks.
        """
        kept = len(self._kept)
        data, at = self._kept + data, 0
        while not self.completed and (taken := self._take(data, at)):
            at += taken
        self._kept = b"" if self.completed else data[at:]
        used = (at if self.completed else len(data)) - kept
        self._came += used
        if self._came > self._limit:
            raise _too_large(self._limit)
        return used

    def _take(self, data: bytes, at: int) -> int:
        """Take a part of a chunk or a line; return its length, 0 when more must come first."""
        if self._left > len(_END):
            part = data[at : at + self._left - len(_END)]
            self.content += part
            self._left -= len(part)
            return len(part)
        if self._left:
            if len(data) - at < len(_END):
                return 0
            if not data.startswith(_END, at):
                raise invalid("Chunk not properly terminated")
            self._left = 0
            return len(_END)
        stop = data.find(_END, at, at + _LINE_BYTES)
        if stop < 0:
            if len(data) - at >= _LINE_BYTES:
                raise invalid(f"A line between chunks is longer than {_LINE_BYTES} bytes")
            return 0
        self._read(data[at:stop])
        return stop + len(_END) - at

    def _read(self, line: bytes) -> None:
        """Read a size, or a trailer."""
        if self._last:
            if line and not _TRAILER.fullmatch(line):
                raise invalid("Invalid trailer")
            self.completed = not line
            return
        size = line.partition(b";")[0]
        if not _SIZE.fullmatch(size):
            raise invalid("Invalid chunk size")
        if not _EXTENSIONS.fullmatch(line, len(size)):
            raise invalid("Invalid chunk extension")
        length = int(size, 16)
        self._left = length + len(_END) if length else 0
        self._last = not length
