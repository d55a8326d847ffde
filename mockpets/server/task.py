"""Make one response: call the app, or report an error in the request.

The whole response is made before any of it is sent, so that it can be delayed, sent in part or
not at all. Invalid responses of an app are rejected as PEP 3333 requires.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from logging import getLogger
from typing import TYPE_CHECKING, Any, Final, cast

from waitress.task import WSGITask

from mockpets.constants import COMMON_HEADERS
from mockpets.contract.error_body import error_body
from mockpets.http.response_head import HOP_BY_HOP, response_head
from mockpets.telemetry.access_log import Access, access, shown_target, wanted
from mockpets.web import cors
from mockpets.wsgi_extension import (
    BODY,
    HEAD,
    HEADER_BLOCK,
    HEADERS_MEMO,
    JOB_RESULTS,
    MEMO,
    ON_END,
    ORDER,
    RETRIED,
    SERVER,
    SESSION,
    Deliver,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from wsgiref.types import WSGIApplication, WSGIEnvironment

    from mockpets.errors import RequestError
    from mockpets.http.request_parser import RequestParser
    from mockpets.server.connection import Connection
    from mockpets.server.scheduler import Scheduler
    from mockpets.wsgi_extension import BodyState, OnEnd, Order

_log: Final = getLogger("mockpets.server")

_AT_ONCE: Final = Deliver()
_LENGTH_PREFIX: Final = len("Content-Length: ")


@dataclass(slots=True)
class Response:
    """A response that is ready to be sent.

    :param head: status line and headers, with the empty line.
    :param order: None to send it at once.
    :param short: whether the body is shorter than its Content-Length.
    :param on_end: called once, when the response has ended.
    """

    request: RequestParser
    head: bytes
    body: bytes
    order: Order | None
    close: bool
    short: bool = False
    on_end: OnEnd | None = None

    @property
    def delivery(self) -> Deliver:
        """The order to deliver it, by default at once."""
        return self.order if isinstance(self.order, Deliver) else _AT_ONCE


_UNSHARED: Final = ("wsgi.input", "wsgi.file_wrapper", "waitress.client_disconnected")
"""Parts of waitress' environ that belong to one request, or would keep a file open."""


def make_environ(connection: Connection, request: RequestParser) -> WSGIEnvironment:
    """Return an environ of PEP 3333, with the keys of `wsgi_extension`."""
    environs, port = request.fields.environs, connection.server.effective_port
    if (common := environs.get(port)) is None:
        # waitress' types name its own channel and parser, of which it reads a few attributes.
        common = WSGITask(cast(Any, connection), cast(Any, request)).get_environment()
        for name in _UNSHARED:
            del common[name]
        common[HEADERS_MEMO] = {}
        environs[port] = common
    return {
        **common,
        **connection.remote,
        "REQUEST_METHOD": request.command,
        "REQUEST_URI": request.request_uri,
        "PATH_INFO": request.path,  # waitress removes slashes: `//v1/a` is another path
        "QUERY_STRING": request.query,
        "wsgi.input": request.get_body_stream(),
        "wsgi.errors": sys.stderr,
        HEAD: request.head,
        MEMO: request.memo,
        SERVER: connection.scheduler,
    }


class Task:
    """One call of the app (PEP 3333)."""

    def __init__(self, connection: Connection, request: RequestParser) -> None:
        self._connection = connection
        self._request = request
        self._status: str | None = None
        self._lines: list[str] = []
        self._own: frozenset[str] = frozenset()
        self._environ: WSGIEnvironment = {}
        self._more_breaks = 0
        self._length: int | None = None
        self._written: list[bytes] = []

    def run(
        self, job_results: Sequence[object], body: BodyState | None, patience: float | None
    ) -> Response:
        """Return the app's response.

        :param job_results: what the jobs that the app has ordered for this request have returned.
        :param body: the state of the body if this is an early call, or the call after it.
        :param patience: the seconds that are left to wait if the app has ordered a retry of this
            request, otherwise None.
        :raise Exception: the app raises it, or its response is invalid.
        """
        if self._request.request_uri == "*":
            # About the server as a whole (RFC 9110, part 9.3.7): no app has such a path.
            self.start_response("204 No Content", [("Allow", "GET, HEAD, POST, OPTIONS")])
            return self._response(b"", None)
        environ = make_environ(self._connection, self._request)
        if job_results:
            environ[JOB_RESULTS] = job_results
        if body is not None:
            environ[BODY] = body
        if patience is not None:
            environ[RETRIED] = patience
        try:
            content = self._body(environ, self._connection.server.application)
            if SESSION in environ:
                self._connection.note_session(environ[SESSION])
            return self._response(content, environ.get(ORDER), environ.get(ON_END))
        except Exception:
            if ON_END in environ:  # the client gets an error response instead
                environ[ON_END]("broken")
            raise

    def replace(self, response: Response, app: WSGIApplication) -> Response:
        """Return what an app, which gets only the method, responds in place of a response."""
        environ: WSGIEnvironment = {
            "REQUEST_METHOD": self._request.command,
            SERVER: self._connection.scheduler,
        }
        content = self._body(environ, app)
        return self._response(content, environ.get(ORDER), response.on_end)

    def _body(self, environ: WSGIEnvironment, app: WSGIApplication) -> bytes:
        self._environ = environ
        chunks = app(environ, self.start_response)
        try:
            body = b"".join(chunks)
        finally:
            if hasattr(chunks, "close"):
                chunks.close()
        return b"".join(self._written) + body if self._written else body

    def start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: object = None
    ) -> Callable[[bytes], object]:
        """Store the status and the headers of the app's response.

        Line breaks in them are detected when the head is written.

        :raise AssertionError: called twice, or with a header that an app must not set.
        """
        if self._status is not None and not exc_info:
            raise AssertionError("start_response was called twice")
        self._status = status
        self._length = None
        if block := self._environ.get(HEADER_BLOCK):
            shared = tuple(headers[block])
            headers[block] = [_as_one(shared)]  # which PEP 3333 allows
            self._more_breaks = len(shared) - 1
        self._lines = lines = [*map(": ".join, headers)]
        lengths, forbidden, self._own = _special(tuple([name for name, _ in headers]))
        for place in lengths:  # the last one counts
            length = int(lines.pop(place)[_LENGTH_PREFIX:])
            self._length = length if self._length is None else self._length
        if forbidden:
            raise AssertionError(f"an app must not set hop-by-hop headers, got {forbidden}")
        return self._written.append

    def _response(self, body: bytes, order: Order | None, on_end: OnEnd | None = None) -> Response:
        """Return the response with a head that agrees with the body."""
        request, status = self._request, self._status
        if status is None:
            raise AssertionError("the app returned without calling start_response")
        is_head = request.command == "HEAD"
        has_body = status[:3] not in ("204", "304")
        length = self._length
        if is_head or not has_body:
            body = b""
            length = length if has_body else None
        elif length is None:
            length = len(body)
        elif len(body) > length:
            body = body[:length]
        short = not is_head and length is not None and len(body) < length
        must_close = isinstance(order, Deliver) and order.close
        if short and not must_close:
            _log.warning(
                "the app set Content-Length to %s but returned %s bytes; closing the connection",
                length,
                len(body),
            )
        ends = self._connection.is_last_request or must_close
        close = short or ends or request.fields.closes or not request.completed
        connection = "close" if close else None
        if not close and request.version == "1.0":
            connection = "keep-alive"
        lines, own, breaks = self._lines, self._own, self._more_breaks
        head = response_head(status, lines, length, connection, own, breaks)
        return Response(request, head, body, order, close, short, on_end)


@lru_cache(256)
def _as_one(headers: tuple[tuple[str, str], ...]) -> tuple[str, str]:
    """Return several headers as the name of the first, and a text with the rest."""
    (name, value), *rest = headers
    return name, "\r\n".join([value, *map(": ".join, rest)])


@lru_cache(256)
def _special(names: tuple[str, ...]) -> tuple[tuple[int, ...], str, frozenset[str]]:
    """Return the places of Content-Length, from the last; forbidden headers; Date and Server.

    :param names: those of a response; an app sends the same few combinations all the time.
    """
    lower = [name.lower() for name in names]
    lengths = [place for place, name in enumerate(lower) if name == "content-length"]
    forbidden = ", ".join(sorted(HOP_BY_HOP.intersection(lower)))
    return tuple(reversed(lengths)), forbidden, frozenset(("date", "server")).intersection(lower)


def error_response(
    scheduler: Scheduler, request: RequestParser, error: RequestError, peer: str
) -> Response:
    """Return the response for an invalid request or a failed app; the connection ends with it.

    :param peer: the address of the client or its proxy.
    """
    method, target = request.line or ("-", "-")
    body = error_body(error.code, error.message, error.status)
    origin = request.origin
    headers = [
        ("Content-Type", "application/json"),
        *COMMON_HEADERS,
        *error.headers,
        *cors.for_all(origin),
    ]
    if origin is None:  # or the origin is in an unread part of the head
        headers.append(("Access-Control-Allow-Origin", "*"))
    status = f"{error.status} {HTTPStatus(error.status).phrase}"
    lines = [*map(": ".join, headers)]
    head = response_head(status, lines, len(body), "close")
    scheduler.errors[error.code] += 1
    # A public server omits them: no rate limits how many a client causes. The metrics count them.
    if wanted() and scheduler.limits.address_connections is None:
        line = Access(method, shown_target(target), error.status, 0.0, size=len(body))
        access(line._replace(client=peer, code=error.code))
    return Response(request, head, b"" if request.is_head else body, None, close=True)
