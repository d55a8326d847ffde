"""Parse requests as they arrive: the head with `request_head`, then the body.

Unlike waitress' parser, this one rejects what two readers of one request could understand
differently (RFC 9112, parts 7.1 and 11.2), such as a line of a chunk that ends in LF alone. Every
error ends the connection, since it is unknown where the next request would begin.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Final

from mockpets.errors import RequestError
from mockpets.http.request_head import NAME, VALUE, Fields, invalid, read_head, valid_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_END: Final = b"\r\n"
_TLS: Final = b"\x16"
"""The first byte from a client that uses TLS (RFC 8446, part 5.1)."""
_LINE_END: Final = re.compile(rb"[\r\n]")
_ORIGIN: Final = re.compile(rb"\r\norigin:[ \t]*([!-~]+)[ \t]*\r\n", re.IGNORECASE)
_QUOTED: Final = r'"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"'
_SIZE: Final = re.compile(rb"[0-9a-fA-F]{1,15}")  # less than 64 bits
_EXTENSIONS: Final = re.compile(rf"(?:;{NAME}(?:=(?:{NAME}|{_QUOTED}))?)*".encode("latin-1"))
_TRAILER: Final = re.compile(f"{NAME}:{VALUE}".encode("latin-1"))
_LINE_BYTES: Final = 4096
"""Maximum length of a line between chunks; its extensions are ignored."""
_NO_FIELDS: Final = Fields({}, None, closes=True)
"""Those of a request whose head is not read yet, or is invalid."""
_CHUNKS: Final = 1000
"""Maximum number of chunks: each takes 2 microseconds to parse, even if it has a single byte."""
_TRAILERS: Final = 100
"""Maximum number of trailers, which are ignored: half as many as headers."""


class RequestParser:
    """One request, as it arrives, with the attributes that waitress' task reads.

    The limits are for the request line with the headers, and for the body.
    """

    url_scheme = "http"
    completed = False
    """Whether the request is complete or has an error."""
    empty = False
    """Whether it is an empty line between two requests, and not a request."""
    headers_finished = False
    expect_continue = False
    error: RequestError | None = None
    command = request_uri = path = query = ""
    version = "1.0"

    def __init__(self, head_bytes: int, body_bytes: int) -> None:
        self._head_bytes = head_bytes
        self._body_bytes = body_bytes
        self.fields = _NO_FIELDS
        self._head = b""
        self._body: _Sized | _Chunks | None = None

    @property
    def head(self) -> bytes:
        """The head, if it is valid, from the request line to the empty line."""
        return self._head.removeprefix(_END)

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the header fields by name."""
        return self.fields.headers

    @property
    def origin(self) -> str | None:
        """Return the Origin header, even from an invalid or incomplete head; None without one."""
        match = _ORIGIN.search(self._head)
        return match[1].decode("ascii") if match else None

    @property
    def line(self) -> tuple[str, str] | None:
        """Return method and target, even from an invalid head; None if their line is invalid."""
        first = _LINE_END.split(self._head.removeprefix(_END), 1)[0]
        return valid_line(first.decode("latin-1"))

    @property
    def is_head(self) -> bool:
        """Return whether the response must not have a body."""
        return self._head.removeprefix(_END).startswith(b"HEAD ")

    @property
    def body_bytes(self) -> int:
        """Return how many bytes of the body are in memory."""
        return len(self._body.content) if self._body is not None else 0

    @property
    def body_size(self) -> int:
        """Return the size of the body in bytes; of a body in chunks, what has arrived."""
        return self._body.size if self._body is not None else 0

    def reject(self, error: RequestError) -> None:
        """Complete the request with an error; nothing more of it is read."""
        # Its traceback has frames with this parser and the body: a cycle, which would keep both.
        self.error = error.with_traceback(None)
        self.expect_continue = False
        self.completed = True
        self.close()

    @property
    def body(self) -> bytes:
        """Return what has arrived of the body."""
        return bytes(self._body.content) if self._body is not None else b""

    def get_body_stream(self) -> BytesIO:
        """Return the body, from its beginning."""
        return BytesIO(self._body.content if self._body is not None else b"")

    def close(self) -> None:
        """Free the body."""
        self._body = None

    def received(self, data: bytes) -> int:
        """Parse bytes; return how many belong to this request, all of them after an error."""
        if self.completed:
            return 0
        body = self._body
        try:
            return self._take_head(data) if body is None else self._take_body(body, data)
        except RequestError as error:
            self.reject(error)
            return len(data)

    def _take_head(self, data: bytes) -> int:
        before = len(self._head)
        self._head += data
        end = self._head.find(b"\r\n\r\n", max(0, before - 3)) + 4
        if self._head[:1] == _TLS:
            raise invalid("this port does not use TLS; request an http:// address")
        is_complete, limit = end >= 4, self._head_bytes
        if (end if is_complete else len(self._head)) > limit:
            what = "the request line and headers are too large"
            message = f"{what}; send at most {limit // 1024} KiB"
            raise RequestError("headers_too_large", message)
        if not is_complete:
            return len(data)
        self._head = self._head[:end]
        # Old clients send a line break too many after a body (RFC 9112, part 2.2).
        self._read(self._head.removeprefix(_END))
        return end - before

    def _read(self, head: bytes) -> None:
        if head == _END:
            self.empty = self.completed = True
            return
        (
            self.command,
            self.request_uri,
            self.version,
            self.path,
            self.query,
            self.fields,
            self._head,
        ) = read_head(head)
        self.headers_finished = True
        self.expect_continue = self.version == "1.1" and "EXPECT" in self.headers
        limit, length = self._body_bytes, self.fields.length
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
            if "CONTENT_LENGTH" not in self.headers:  # the body was sent in chunks
                headers = {**self.headers, "CONTENT_LENGTH": str(len(body.content))}
                self.fields = Fields(headers, self.fields.length, self.fields.closes)
        return taken


def _too_large(limit: int) -> RequestError:
    message = f"the body is too large; send at most {limit // 2**20} MiB"
    return RequestError("payload_too_large", message)


class _Sized:
    """A body with a length."""

    def __init__(self, length: int) -> None:
        self._left = length
        self.size = length
        self.content = bytearray()
        self.completed = False

    def received(self, data: bytes) -> int:
        """Add bytes; return how many belong to the body."""
        part = data[: self._left]
        self.content += part
        self._left -= len(part)
        self.completed = not self._left
        return len(part)


class _Chunks:
    """A body in chunks (RFC 9112, part 7.1); trailers are read and ignored.

    :param limit: maximum size in bytes, with everything between the chunks.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._received = 0
        self._partial = b""  # the beginning of a line
        self._left = 0  # bytes left of a chunk, with the line break after it
        self._chunks = self._trailers = 0
        self._is_last = False
        self.content = bytearray()
        self.completed = False

    @property
    def size(self) -> int:
        """Return how many bytes have arrived."""
        return len(self.content)

    def received(self, data: bytes) -> int:
        """Parse bytes; return how many belong to the body.

        :raise RequestError: too many bytes, or invalid chunks.
        """
        before = len(self._partial)
        data, position = self._partial + data, 0
        while not self.completed and (taken := self._parse_next(data, position)):
            position += taken
        self._partial = b"" if self.completed else data[position:]
        used = (position if self.completed else len(data)) - before
        self._received += used
        if self._received > self._limit:
            raise _too_large(self._limit)
        return used

    def _parse_next(self, data: bytes, position: int) -> int:
        """Parse a part of a chunk or a line; return its length, 0 if it needs more bytes."""
        if self._left > len(_END):
            part = data[position : position + self._left - len(_END)]
            self.content += part
            self._left -= len(part)
            return len(part)
        if self._left:
            if len(data) - position < len(_END):
                return 0
            if not data.startswith(_END, position):
                raise invalid("Chunk must end with CRLF")
            self._left = 0
            return len(_END)
        stop = data.find(_END, position, position + _LINE_BYTES)
        if stop < 0:
            if len(data) - position >= _LINE_BYTES:
                raise invalid(f"A line between chunks is longer than {_LINE_BYTES} bytes")
            return 0
        self._read(data[position:stop])
        return stop + len(_END) - position

    def _read(self, line: bytes) -> None:
        """Parse the size of a chunk, or a trailer."""
        if self._is_last:
            self._trailers += 1
            if line and self._trailers > _TRAILERS:
                message = f"the body has too many trailers; send at most {_TRAILERS}"
                raise RequestError("headers_too_large", message)
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
        self._chunks += 1
        if length and self._chunks > _CHUNKS:
            message = f"the body has too many chunks; send at most {_CHUNKS}, larger ones"
            raise RequestError("payload_too_large", message)
        self._left = length + len(_END) if length else 0
        self._is_last = not length
