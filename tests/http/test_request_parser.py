"""Our parser compared with that of waitress: the same results, and never less strict.

The rows of `STRICTER` are the requests that we reject and waitress accepts. Generated requests look
for more: rejecting what waitress accepts for any other reason fails.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from time import perf_counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from hypothesis import given
from hypothesis import strategies as st
from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser
from waitress.task import WSGITask

from mockpets.http.request_parser import RequestParser
from mockpets.server.limits import Limits
from tests.cases import each
from tests.http.sample_requests import (
    BUILT,
    CHUNKED,
    CREATE,
    HOST,
    LIST,
    MUTATED,
    REAL,
    STRICTER,
    chunks,
    raw,
)
from tests.server.waitress_internals import READ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LIMITS = Limits()
ADJUSTMENTS = Adjustments(  # waitress rejects what is as large as its limits
    max_request_header_size=LIMITS.head_bytes + 1,
    max_request_body_size=LIMITS.body_bytes + 1,
    ident="mockpets",
    server_name="localhost",
)
COMPARED = READ["request"] - {"get_body_stream"}
"""The attributes of a request that waitress' task reads; the environ has the body."""

# --- Two parsers ----------------------------------------------------------------------------------


def our_parser() -> RequestParser:
    return RequestParser(LIMITS.head_bytes, LIMITS.body_bytes)


def waitress_parser() -> HTTPRequestParser:
    return HTTPRequestParser(ADJUSTMENTS)


@dataclass(frozen=True)
class Seen:
    """The result of a parser.

    :param rejected: the error message, empty if the request is valid.
    :param request: everything that a task, the channel or an app can see of a complete request.
    """

    rejected: str
    taken: int = 0
    completed: bool = False
    expects: bool = False
    request: dict[str, Any] | None = None


def seen_by(make_parser: Callable[[], Any], pieces: Iterable[bytes]) -> Seen:
    """Feed a parser as a channel does."""
    parser = make_parser()
    try:
        return _seen_by(parser, pieces)
    finally:
        parser.close()  # waitress puts a long body into a file


def _seen_by(parser: Any, pieces: Iterable[bytes]) -> Seen:
    taken = 0
    for piece in pieces:
        position = 0
        while position < len(piece) and not parser.completed:  # the body follows after the head
            try:
                position += parser.received(piece[position:])
            except ValueError as error:  # waitress does not catch it
                return Seen(repr(error))
        if parser.error is not None:
            return Seen(getattr(parser.error, "message", None) or parser.error.body)
        taken += position
    request = None
    if parser.completed and not parser.empty:
        request = {name: getattr(parser, name) for name in COMPARED} | {
            "environ": environ_of(parser)
        }
    return Seen("", taken, parser.completed, parser.expect_continue, request)


def environ_of(parser: Any) -> dict[str, Any]:
    server = SimpleNamespace(adj=ADJUSTMENTS, server_name="localhost", effective_port=80)
    channel = SimpleNamespace(
        server=server, addr=("127.0.0.1", 50000), check_client_disconnected=None
    )
    environ = WSGITask(cast("Any", channel), parser).get_environment()
    return dict(environ) | {"wsgi.input": environ["wsgi.input"].read()}


# --- Real heads -----------------------------------------------------------------------------------


@each("name", REAL)
def test_real_requests_are_parsed_as_by_waitress(name: str) -> None:
    ours = seen_by(our_parser, [REAL[name] + b"GET"])

    assert ours.rejected == ""
    assert ours.completed and ours.taken == len(REAL[name])
    assert ours == seen_by(waitress_parser, [REAL[name] + b"GET"])


# --- Rejected requests ----------------------------------------------------------------------------

NOT_HTTP = "the request is not valid HTTP: "


def is_for(message: str, seen: Seen) -> bool:
    """Return whether a request is rejected with a message that begins like this."""
    return re.match(message, seen.rejected.removeprefix(NOT_HTTP), re.IGNORECASE) is not None


@each("name", STRICTER)
def test_some_requests_that_waitress_accepts_are_rejected(name: str) -> None:
    request, message = STRICTER[name]

    assert seen_by(waitress_parser, [request]).rejected == ""
    assert is_for(message, seen_by(our_parser, [request]))


BOTH = {
    "a space before the colon": (raw(LIST, HOST, "A : b"), "Header must have the form"),
    "a name in Latin-1": (raw(LIST, HOST, "\xc4: b"), "Header must have the form"),
    "NUL in a name": (raw(LIST, HOST, "A\0: b"), "Header must have the form"),
    "DEL in a value": (raw(LIST, HOST, "A: b\x7f"), "Header must have the form"),
    "CR in a value": (raw(LIST, HOST, "A: b\rC: d"), "Bare CR or LF found in a header"),
    "LF in a value": (raw(LIST, HOST, "A: b\nC: d"), "Bare CR or LF found in a header"),
    "a method in lower case": (
        raw("get / HTTP/1.1", HOST),
        'Method must be in upper case, got "get"',
    ),
    "a length in superscript": (raw(CREATE, HOST, "Content-Length: \xb2"), "Content-Length"),
    "no-break space before": (raw(CREATE, HOST, "Content-Length: \xa05"), "Content-Length"),
    "no-break space in a coding": (raw(CREATE, HOST, f"{CHUNKED}\xa0"), "Transfer-Encoding"),
    "a chunk too long": (chunks("1\r\nab\r\n0\r\n\r\n"), "Chunk must end with CRLF"),
    "a space after a size": (chunks("1 \r\na\r\n0\r\n\r\n"), "Invalid chunk size"),
    "a space before a size": (chunks(" 1\r\na\r\n0\r\n\r\n"), "Invalid chunk size"),
    "a space before an extension": (chunks("1;a; b\r\na\r\n0\r\n\r\n"), "Invalid chunk extension"),
}


@each("name", BOTH)
def test_requests_that_waitress_rejects_are_rejected(name: str) -> None:
    request, message = BOTH[name]

    assert seen_by(waitress_parser, [request]).rejected
    assert is_for(message, seen_by(our_parser, [request]))


@each(
    "start",
    [b"\r\nHEAD / HTTP/1.1", b"HEAD /", b"HEAD / HTTP/1.1\r\nA", b"HEAD / HTTP/1.1\r\nA : b"],
)
def test_method_and_origin_of_an_invalid_head_are_known(start: bytes) -> None:
    parser = our_parser()
    parser.received(start + b"\r\nOrigin: http://a.test\r\n")
    assert (parser.is_head, parser.origin) == (True, "http://a.test")
    parser.received(b"\r\n")
    assert (parser.is_head, parser.origin) == (True, "http://a.test")


# --- Limits ---------------------------------------------------------------------------------------


def head_of(size: int) -> bytes:
    return raw(LIST, HOST, "X: " + "x" * (size - len(raw(LIST, HOST, "X: "))))


def chunks_of(size: int) -> bytes:
    """Return a request whose chunked body has this size, framing included."""
    length = size - len("fffff\r\n\r\n0\r\n\r\n")
    return chunks(f"{length:05x}\r\n{'x' * length}\r\n0\r\n\r\n")


@each("over", [0, 1])
@each("make, limit, message", [
    (head_of, LIMITS.head_bytes, "the request line and headers are too large"),
    (lambda size: head_of(size) + b"x" * size, LIMITS.head_bytes,
     "the request line and headers are too large"),
    (lambda size: head_of(2 * size)[:size], LIMITS.head_bytes,
     "the request line and headers are too large"),
    (chunks_of, LIMITS.body_bytes, "the body is too large"),
    (lambda size: raw(CREATE, HOST, f"Content-Length: {size}", body="x" * size), LIMITS.body_bytes,
     "the body is too large"),
])  # fmt: skip
def test_the_limits_are_the_same_as_those_of_waitress(
    make: Callable[[int], bytes], limit: int, message: str, over: int
) -> None:
    request = make(limit + over)
    ours, theirs = (
        seen_by(make_parser, [request]) for make_parser in (our_parser, waitress_parser)
    )

    if over:
        assert theirs.rejected and is_for(message, ours)
    else:
        assert not ours.rejected and ours == theirs


# --- Generated requests ---------------------------------------------------------------------------


@given(MUTATED | BUILT)
def test_requests_that_we_accept_are_parsed_as_by_waitress(request: bytes) -> None:
    ours = seen_by(our_parser, [request])
    theirs = seen_by(waitress_parser, [request])

    if not ours.rejected:
        assert ours == theirs
    elif not theirs.rejected:
        assert any(is_for(message, ours) for _, message in STRICTER.values()), ours.rejected


@given(MUTATED | BUILT, st.lists(st.integers(1, 60), max_size=40))
def test_the_result_does_not_depend_on_how_the_bytes_are_split(
    request: bytes, sizes: list[int]
) -> None:
    pieces, position = [], 0
    for size in sizes:
        pieces.append(request[position : position + size])
        position += size
    pieces.append(request[position:])
    whole = seen_by(our_parser, [request])
    split = seen_by(our_parser, [piece for piece in pieces if piece])

    assert split == whole


@given(st.lists(st.sampled_from([*REAL.values(), b"\r\n", b"\r\n\r\n"]), min_size=1, max_size=5))
def test_consecutive_requests_end_at_the_same_bytes_as_with_waitress(requests: list[bytes]) -> None:
    assert row_seen_by(our_parser, requests) == row_seen_by(waitress_parser, requests)


def row_seen_by(make_parser: Callable[[], Any], requests: list[bytes]) -> list[Seen]:
    rest, results = b"".join(requests), list[Seen]()
    while rest:
        results.append(seen_by(make_parser, [rest]))
        assert results[-1].taken > 0
        rest = rest[results[-1].taken :]
    return results


# --- Hostile heads --------------------------------------------------------------------------------

FULL = LIMITS.head_bytes - 200
HOSTILE = {
    "one long name": raw(LIST, HOST, "a" * FULL),
    "colons": raw(LIST, HOST, ":" * FULL),
    "many lines without an end": raw(LIST, HOST, *["a:b"] * (FULL // 5), "c"),
    "spaces": raw(LIST, HOST, "a:" + " " * FULL + "\0"),
    "one name, again and again": raw(LIST, HOST, *["a:"] * (FULL // 4)),
    "names that are all others": raw(LIST, HOST, *[f"{n:x}:" for n in range(FULL // 6)]),
    "slashes": raw("GET " + "/" * FULL + "\0 HTTP/1.1", HOST),
    "escapes": raw("GET /" + "%2f" * (FULL // 3) + " HTTP/1.1", HOST),
    "brackets": raw("GET http://" + "[" * FULL + " HTTP/1.1", HOST),
    "a long host": raw(LIST, "Host: " + "a." * (FULL // 2) + "/"),
    "a quoted extension": chunks('1;a="' + "\\" * 4080 + "\r\n"),
    "extensions": chunks("1" + ";a" * 2040 + ";\r\n"),
}


@each("name", HOSTILE)
def test_a_head_costs_its_length_whatever_is_in_it(name: str) -> None:
    began = perf_counter()
    seen_by(our_parser, [HOSTILE[name]])

    assert perf_counter() - began < 0.25  # about 0.2 ms; going over it again and again takes 1 s
