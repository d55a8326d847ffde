"""Build the app's request, and turn its reply into bytes.

The whole response is made before any of it is sent, so that it can be delayed, sent in part or
not at all.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, cast

from waitress.task import WSGITask

from mockpets.constants import COMMON_HEADERS
from mockpets.contract.error_body import error_body
from mockpets.http.request_head import CommonEnviron
from mockpets.http.response_head import response_head
from mockpets.interface import IMMEDIATE, Incoming
from mockpets.telemetry.access_log import Access, access, shown_target, wanted
from mockpets.web import cors

if TYPE_CHECKING:
    from mockpets.http.request_parser import RequestParser
    from mockpets.interface import Delivery, OnEnd, Pair, Reply
    from mockpets.server.connection import Connection


@dataclass(slots=True)
class Response:
    """A response that is ready to be sent.

    :param head: status line and headers, with the empty line.
    :param short: whether the body is shorter than its Content-Length.
    :param on_end: called once, when the response has ended.
    """

    request: RequestParser
    head: bytes
    body: bytes
    delivery: Delivery
    close: bool
    short: bool = False
    on_end: OnEnd | None = None


_UNSHARED: Final = ("wsgi.input", "wsgi.file_wrapper", "waitress.client_disconnected")
"""Parts of waitress' environ that belong to one request, or would keep a file open."""


def incoming(
    connection: Connection, request: RequestParser, *, is_arriving: bool = False
) -> Incoming:
    """Return a request as the app gets it, with an environ of PEP 3333."""
    environs, port = request.fields.environs, connection.server.effective_port
    if (common := environs.get(port)) is None:
        # waitress' types name its own channel and parser, of which it reads a few attributes.
        environ = WSGITask(cast(Any, connection), cast(Any, request)).get_environment()
        for name in _UNSHARED:
            del environ[name]
        names = tuple(key for key in environ if key.startswith("HTTP_"))
        common = environs[port] = CommonEnviron(environ, names)
    environ = {
        **common.environ,
        **connection.remote,
        "REQUEST_METHOD": request.command,
        "REQUEST_URI": request.request_uri,
        "PATH_INFO": request.path,  # waitress removes slashes: `//v1/a` is another path
        "QUERY_STRING": request.query,
        "wsgi.input": request.get_body_stream(),
        "wsgi.errors": sys.stderr,
    }
    return Incoming(environ, request.head, common.names, connection.scheduler, is_arriving)


def response_of(connection: Connection, request: RequestParser, reply: Reply) -> Response:
    """Return a reply with a head that agrees with its body.

    :raise ValueError: the head cannot be written.
    """
    headers, block, more_breaks = reply.headers, reply.shared, 0
    if block is not None:
        shared = tuple(headers[block])
        headers = [*headers[: block.start], _as_one(shared), *headers[block.stop :]]
        more_breaks = len(shared) - 1
    has_body = reply.status[:3] not in ("204", "304")
    is_sent = has_body and request.command != "HEAD"
    body = reply.body if is_sent else b""
    length = len(reply.body) if reply.length is None else reply.length
    short = is_sent and len(body) < length
    ends = connection.is_last_request or reply.delivery.close
    close = short or ends or request.fields.closes or not request.completed
    ending = "close" if close else None
    if not close and request.version == "1.0":
        ending = "keep-alive"
    from_app = _set_by_app(tuple([name for name, _ in headers]))
    head = response_head(
        reply.status,
        [*map(": ".join, headers)],
        length if has_body else None,
        ending,
        from_app,
        more_breaks,
    )
    return Response(request, head, body, reply.delivery, close, short, reply.on_end)


@lru_cache(256)
def _as_one(headers: tuple[Pair, ...]) -> Pair:
    """Return several headers as the name of the first, and a text with the rest."""
    (name, value), *rest = headers
    return name, "\r\n".join([value, *map(": ".join, rest)])


@lru_cache(256)
def _set_by_app(names: tuple[str, ...]) -> frozenset[str]:
    """Return which of Date and Server a response has.

    :param names: those of its headers; an app sends the same few combinations all the time.
    """
    return frozenset(("date", "server")).intersection(name.lower() for name in names)


def error_response(connection: Connection, request: RequestParser) -> Response:
    """Return the response to an invalid request or of a failed app; the connection ends with it."""
    error, scheduler = request.error, connection.scheduler
    assert error is not None  # noqa: S101 - the caller has checked it
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
    # Where clients are limited they are omitted: no rate limits how many one causes. The metrics
    # count them.
    if wanted() and scheduler.limits.address_connections is None:
        line = Access(method, shown_target(target), error.status, 0.0, size=len(body))
        access(line._replace(client=connection.addr[0], code=error.code))
    return Response(request, head, b"" if request.is_head else body, IMMEDIATE, close=True)
