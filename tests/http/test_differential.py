"""Our parser compared with h11 and llhttp: never the same bytes read in two ways.

A request that two readers accept and understand differently can be smuggled past one of them. Each
reader gets a request and another one after it. It may reject either; but what two readers accept
must be equal, and must end at the same byte.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import h11
import httptools
import pytest
from hypothesis import given, settings

from mockpets.http.request_parser import RequestParser
from mockpets.server.server_limits import ServerLimits
from tests.http.sample_requests import BUILT, CHUNKED, HOST, MUTATED, REAL, REJECTED, raw

LIMITS = ServerLimits()
NEXT = raw("GET /next HTTP/1.1", HOST)
COMPARED = ("host", "authorization", "content-type")
"""The headers that a wrong reader would take from another request."""


class Request(NamedTuple):
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Seen:
    """What a reader makes of a stream.

    :param end: `waiting` if it would read on: the rest is the beginning of a request.
    """

    requests: list[Request] = field(default_factory=list)
    end: Literal["waiting", "rejected", "closed"] = "waiting"


Pieces = list[bytes]


def request_of(method: str, target: str, fields: list[tuple[str, str]], body: bytes) -> Request:
    headers = {name.lower(): value for name, value in fields if name.lower() in COMPARED}
    return Request(method, target, headers, body)


def ours(pieces: Pieces) -> Seen:
    seen, parser = Seen(), RequestParser(LIMITS.head_bytes, LIMITS.body_bytes)
    for piece in pieces:
        rest = piece
        while rest:
            rest = rest[parser.received(rest) :]
            if parser.error is not None:
                seen.end = "rejected"
                return seen
            if not parser.completed:
                continue
            if not parser.empty:
                fields = [(name.replace("_", "-"), text) for name, text in parser.headers.items()]
                body = parser.get_body_stream().read()
                seen.requests.append(request_of(parser.command, parser.request_uri, fields, body))
                if parser.fields.closes:
                    seen.end = "closed"
                    return seen
            parser = RequestParser(LIMITS.head_bytes, LIMITS.body_bytes)
    return seen


def by_h11(pieces: Pieces) -> Seen:
    seen, connection = Seen(), h11.Connection(h11.SERVER)
    request, body = None, b""
    for piece in pieces:
        try:
            connection.receive_data(piece)
            while (event := connection.next_event()) is not h11.NEED_DATA:
                if isinstance(event, h11.Request):
                    request, body = event, b""
                elif isinstance(event, h11.Data):
                    body += event.data
                elif isinstance(event, h11.EndOfMessage) and request is not None:
                    fields = [(n.decode(), v.decode("latin-1")) for n, v in request.headers]
                    method, target = request.method.decode(), request.target.decode("latin-1")
                    seen.requests.append(request_of(method, target, fields, body))
                    connection.send(
                        h11.Response(status_code=404, headers=[("Content-Length", "0")])
                    )
                    connection.send(h11.EndOfMessage())
                    if connection.our_state is not h11.DONE:
                        seen.end = "closed"
                        return seen
                    connection.start_next_cycle()
                else:  # PAUSED: it might switch to another protocol
                    seen.end = "closed"
                    return seen
        except h11.RemoteProtocolError:
            seen.end = "rejected"
            return seen
    return seen


class _Callbacks:
    """Collects what llhttp calls back with."""

    def __init__(self) -> None:
        self.seen = Seen()
        self.parser = httptools.HttpRequestParser(self)

    def on_message_begin(self) -> None:
        self._url = self._body = b""
        self._fields: list[tuple[str, str]] = []
        self._is_body = False

    def on_headers_complete(self) -> None:
        self._is_body = True

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_body:
            return  # a trailer
        # llhttp keeps white space at the end, which is no part of a value (RFC 9112, part 5).
        self._fields.append((name.decode("latin-1"), value.decode("latin-1").rstrip(" \t")))

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        if self.seen.end == "closed":
            return
        method, target = self.parser.get_method().decode(), self._url.decode("latin-1")
        self.seen.requests.append(request_of(method, target, self._fields, self._body))
        if not self.parser.should_keep_alive():
            self.seen.end = "closed"


def by_llhttp(pieces: Pieces) -> Seen:
    callbacks = _Callbacks()
    for piece in pieces:
        try:
            callbacks.parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            callbacks.seen.end = "closed"
        except httptools.HttpParserError:
            callbacks.seen.end = "rejected"
        if callbacks.seen.end != "waiting":
            break
    return callbacks.seen


OTHERS: dict[str, Callable[[Pieces], Seen]] = {"h11": by_h11, "llhttp": by_llhttp}


def cut(stream: bytes) -> Iterator[Pieces]:
    """Yield a stream whole, in pieces of 7 bytes, and in pieces of one byte."""
    for size in (len(stream), 7, 1):
        yield [stream[start : start + size] for start in range(0, len(stream), size)]


def difference(we: Seen, they: Seen) -> str:
    """Return how two readers understand what both accept differently; empty if they do not."""
    for number, (mine, other) in enumerate(zip(we.requests, they.requests, strict=False)):
        if mine != other:
            return f"request {number + 1}: we read {mine}, they read {other}"
    if we.end == "waiting" and len(we.requests) < len(they.requests):
        return f"we wait for more of what they read as {they.requests[len(we.requests)]}"
    if they.end == "waiting" and len(they.requests) < len(we.requests):
        return f"they wait for more of what we read as {we.requests[len(they.requests)]}"
    return ""


def differences(request: bytes) -> list[str]:
    return [
        f"{name}: {found}"
        for pieces in cut(request + NEXT)
        for name, reader in OTHERS.items()
        if (found := difference(ours(pieces), reader(pieces)))
    ]


@pytest.mark.parametrize("name", REAL)
def test_real_requests_are_read_as_by_others(name: str) -> None:
    assert len(ours([REAL[name]]).requests) == 1
    assert differences(REAL[name]) == []


@pytest.mark.parametrize("name", REJECTED)
def test_requests_that_we_reject_are_not_read(name: str) -> None:
    assert ours([REJECTED[name][0]]).requests == []
    assert differences(REJECTED[name][0]) == []


@pytest.mark.parametrize("reader", OTHERS)
def test_each_reader_reads_two_requests(reader: str) -> None:
    """Check the test itself: a reader that rejects everything would never differ."""
    for pieces in cut(REAL["curl, a body"] + NEXT):
        seen = OTHERS[reader](pieces)
        assert [request.target for request in seen.requests] == ["/v1/pets", "/next"]
        assert (seen.requests[0].body[:1], seen.end) == (b"{", "waiting")


@pytest.mark.parametrize("reader", OTHERS)
def test_a_difference_is_found(reader: str) -> None:
    """Check the test itself: a parser that ignored Transfer-Encoding would be found."""
    request = raw("POST / HTTP/1.1", HOST, CHUNKED, body="3\r\nabc\r\n0\r\n\r\n")
    blind = ours([request.replace(b"Transfer-", b"X-")[: -len(b"3\r\nabc\r\n0\r\n\r\n")] + NEXT])

    assert "read" in difference(blind, OTHERS[reader]([request + NEXT]))


@given(MUTATED | BUILT)
def test_no_request_is_read_in_two_ways(request: bytes) -> None:
    assert differences(request) == []


@pytest.mark.long
@settings(max_examples=6000)
@given(MUTATED | BUILT)
def test_no_request_of_many_is_read_in_two_ways(request: bytes) -> None:
    assert differences(request) == []
