"""Which requests the parser rejects, with which message, and where a request ends."""

from collections.abc import Callable
from itertools import pairwise
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.http.request_parser import RequestParser
from mockpets.server.server_limits import ServerLimits
from tests.http.sample_requests import BUILT, CREATE, HOST, LIST, MUTATED, REJECTED, chunks, raw

LIMITS = ServerLimits()


def parse(*pieces: bytes) -> tuple[RequestParser, int]:
    """Return a parser that was fed as by a channel, and how many bytes it took."""
    parser, taken = RequestParser(LIMITS.head_bytes, LIMITS.body_bytes), 0
    for piece in pieces:
        position = 0
        while position < len(piece) and not parser.completed:  # the body follows after the head
            position += parser.received(piece[position:])
        taken += position
    return parser, taken


def error_of(*pieces: bytes) -> str:
    error = parse(*pieces)[0].error
    return error.message.removeprefix("the request is not valid HTTP: ") if error else ""


@pytest.mark.parametrize("name", REJECTED)
def test_invalid_requests_are_rejected_with_a_reason(name: str) -> None:
    request, message = REJECTED[name]

    assert error_of(request).startswith(message)


@pytest.mark.parametrize(
    "start",
    [b"\r\nHEAD / HTTP/1.1", b"HEAD /", b"HEAD / HTTP/1.1\r\nA", b"HEAD / HTTP/1.1\r\nA : b"],
)
def test_method_and_origin_of_an_invalid_head_are_known(start: bytes) -> None:
    parser, _ = parse(start + b"\r\nOrigin: http://a.test\r\n")
    assert (parser.is_head, parser.origin) == (True, "http://a.test")
    parser.received(b"\r\n")
    assert (parser.is_head, parser.origin) == (True, "http://a.test")


def head_of(size: int) -> bytes:
    return raw(LIST, HOST, "X: " + "x" * (size - len(raw(LIST, HOST, "X: "))))


def chunks_of(size: int) -> bytes:
    """Return a request whose chunked body has this size, framing included."""
    length = size - len("fffff\r\n\r\n0\r\n\r\n")
    return chunks(f"{length:05x}\r\n{'x' * length}\r\n0\r\n\r\n")


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize(("make", "limit", "message"), [
    (head_of, LIMITS.head_bytes, "the request line and headers are too large"),
    (lambda size: head_of(size) + b"x" * size, LIMITS.head_bytes,
     "the request line and headers are too large"),
    (lambda size: head_of(2 * size)[:size], LIMITS.head_bytes,
     "the request line and headers are too large"),
    (chunks_of, LIMITS.body_bytes, "the body is too large"),
    (lambda size: raw(CREATE, HOST, f"Content-Length: {size}", body="x" * size), LIMITS.body_bytes,
     "the body is too large"),
], ids=[
    "head", "head before more", "head without an end", "chunks", "Content-Length"
])  # fmt: skip
def test_the_limits_are_exact(
    make: Callable[[int], bytes], limit: int, message: str, over: int
) -> None:
    error = error_of(make(limit + over))

    assert error.startswith(message) if over else error == ""


@given(MUTATED | BUILT, st.lists(st.integers(1, 60), max_size=40))
def test_the_result_does_not_depend_on_how_the_bytes_are_split(
    request: bytes, sizes: list[int]
) -> None:
    ends = [min(sum(sizes[:count]), len(request)) for count in range(len(sizes) + 1)]
    pieces = [request[start:end] for start, end in pairwise([*ends, len(request)])]
    (whole, taken), (split, taken_of_split) = parse(request), parse(*pieces)

    assert (whole.error and whole.error.message) == (split.error and split.error.message)
    if whole.error is None:
        assert taken == taken_of_split
        assert (whole.headers, whole.request_uri) == (split.headers, split.request_uri)
        assert whole.get_body_stream().read() == split.get_body_stream().read()


FULL = LIMITS.head_bytes - 200
HOSTILE = {
    "one long name": raw(LIST, HOST, "a" * FULL),
    "colons": raw(LIST, HOST, ":" * FULL),
    "many lines without an end": raw(LIST, HOST, *["a:b"] * (FULL // 5), "c"),
    "spaces": raw(LIST, HOST, "a:" + " " * FULL + "\0"),
    "one name, again and again": raw(LIST, HOST, *["a:"] * (FULL // 4)),
    "slashes": raw("GET " + "/" * FULL + "\0 HTTP/1.1", HOST),
    "brackets": raw("GET http://" + "[" * FULL + " HTTP/1.1", HOST),
    "a long host": raw(LIST, "Host: " + "a." * (FULL // 2) + "/"),
    "a quoted extension": chunks('1;a="' + "\\" * 4080 + "\r\n"),
    "extensions": chunks("1" + ";a" * 2040 + ";\r\n"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_head_costs_its_length_whatever_is_in_it(name: str) -> None:
    began = thread_time()  # of the processor, whatever else the machine does
    parse(HOSTILE[name])

    assert thread_time() - began < 0.25  # about 0.2 ms; going over it again and again takes 1 s
