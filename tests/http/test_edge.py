"""Edge cases of HTTP, byte by byte, against the real app.

Each row has the expected status, the code of the Error body (every error has one, and pages may
read it) and whether the connection stays open. Sources: RFC 9110 and RFC 9112, and
docs/reference/contract.md where they allow a choice.
"""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

import pytest

from mockpets import Settings, create_app
from mockpets.constants import BODY_BYTES, ERRORS, HEAD_BYTES, SERVER_BODY_BYTES, ErrorCode
from mockpets.server.server_limits import ServerLimits
from tests.server.query_app import QueryApp
from tests.server.raw_http import Clock, Running, Wire, descriptors, need_connections, running

Connection = Literal["open", "closed"]
ORIGIN = "http://front.test:5173"
PET = b'{"name":"Miso","categoryId":2}'
MUTATED = 5000


@dataclass(frozen=True)
class Row:
    name: str
    request: bytes
    status: int
    code: str | None = None
    connection: Connection = "open"
    message: str = ""
    header: tuple[str, str] | None = None


def request(
    line: str = "GET /v1/pets HTTP/1.1",
    *headers: str,
    body: bytes = b"",
    host: str | None = "localhost:7387",
    key: str | None = "Bearer mockpets",
) -> bytes:
    """Return a request with the usual headers, so that a row shows only the difference."""
    lines = [line, *([f"Host: {host}"] if host is not None else []), f"Origin: {ORIGIN}"]
    lines += [f"Authorization: {key}"] if key is not None else []
    return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1") + body


def post(*headers: str, body: bytes = b"") -> bytes:
    return request("POST /v1/pets HTTP/1.1", "Content-Type: application/json", *headers, body=body)


def bad(name: str, raw: bytes, code: ErrorCode = "invalid_request", message: str = "") -> Row:
    """Return a row for an invalid request, which ends its connection."""
    return Row(name, raw, ERRORS[code], code, "closed", message)


def sized(body: bytes) -> str:
    return f"Content-Length: {len(body)}"


def in_chunks(*chunks: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


CHUNKED = "Transfer-Encoding: chunked"
ONCE = "must be sent only once"
BIG = b'{"name":"' + b"x" * BODY_BYTES + b'","categoryId":1}'

LINES = [
    Row("a request", request(), 200),
    bad("no request line", b"HELLO\r\n\r\n", message="Request line must"),
    bad("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        message="this port does not use TLS; request an http:// address"),
    bad("two spaces", request("GET  /v1/pets HTTP/1.1"), message="Request line must"),
    bad("a target with a space", request("GET /v1/pets x HTTP/1.1"), message="Request line must"),
    bad("HTTP/0.9", b"GET /v1/pets\r\n\r\n", message="Request line must"),
    bad("HTTP/2.0", request("GET /v1/pets HTTP/2.0"), "http_version_not_supported", "HTTP/2.0"),
    bad("HTTP/2's preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "http_version_not_supported"),
    Row("HTTP/1.0", request("GET /v1/pets HTTP/1.0"), 200, None, "closed"),
    Row("HTTP/1.0 without Host", request("GET /v1/pets HTTP/1.0", host=None), 200, None, "closed"),
    Row("HTTP/1.0 kept alive", request("GET /v1/pets HTTP/1.0", "Connection: keep-alive"), 200,
        header=("Connection", "keep-alive")),
    Row("close", request("GET /v1/pets HTTP/1.1", "Connection: close"), 200, None, "closed",
        header=("Connection", "close")),
    Row("close among others", request("GET /v1/pets HTTP/1.1", "Connection: TE, Close"), 200, None,
        "closed"),
    Row("an empty line before", b"\r\n\r\n" + request(), 200),
]  # fmt: skip

TARGETS = [
    Row("absolute form", request("GET http://localhost:7387/v1/pets HTTP/1.1"), 200),
    Row("absolute form, https", request("GET https://other/v1/pets HTTP/1.1"), 200),
    bad("another scheme", request("GET ftp://localhost/v1/pets HTTP/1.1"), message="begin with"),
    bad("a broken IPv6 address", request("GET http://[::1/ HTTP/1.1"),
        message="host name or an address after 'http://'"),
    bad("no slash", request("GET v1/pets HTTP/1.1"), message="must begin with a slash"),
    bad("a target in Latin-1", request("GET /v1/p\xe4ts HTTP/1.1"),
        message="Request line must"),
    bad("NUL in the target", request("GET /v1/\0 HTTP/1.1"), message="Request line must"),
    Row("%00 in the path", request("GET /v1/%00 HTTP/1.1"), 404, "not_found"),
    Row("%ff in the path", request("GET /v1/%ff HTTP/1.1"), 404, "not_found"),
    Row("a bad escape", request("GET /v1/%zz HTTP/1.1"), 404, "not_found"),
    Row("%2f in the path", request("GET /v1%2fpets HTTP/1.1"), 200),
    bad("a user", request("GET http://me@localhost/v1/pets HTTP/1.1"), message="user name"),
    Row("two slashes in front", request("GET //v1/pets HTTP/1.1"), 404, "not_found",
        message="remove the extra slash: /v1/pets"),
    Row("two slashes before the control API", request("GET //__mockpets/state HTTP/1.1"), 404,
        "not_found"),
    Row("999 parameters", request(f"GET /v1/pets?{'a&' * 999} HTTP/1.1"), 200),
    bad("1,001 parameters", request(f"GET /v1/pets?{'a&' * 1000} HTTP/1.1"),
        message="the query has too many parameters; send at most 1000"),
    Row("dots", request("GET /v1/../v1/pets HTTP/1.1"), 404, "not_found"),
    Row("%00 in the query", request("GET /v1/pets?limit=%00 HTTP/1.1"), 400, "invalid_request"),
    Row("limit twice", request("GET /v1/pets?limit=1&limit=2 HTTP/1.1"), 400, "invalid_request"),
    Row("15 kB of target", request(f"GET /v1/pets?x={'x' * 15_000} HTTP/1.1"), 200),
    bad("a target over the limit", b"GET /" + b"x" * HEAD_BYTES, "headers_too_large"),
]  # fmt: skip

METHODS = [
    Row("HEAD", request("HEAD /v1/pets HTTP/1.1"), 200),
    Row("TRACE", request("TRACE /v1/pets HTTP/1.1"), 405, "method_not_allowed",
        header=("Allow", "GET, HEAD, POST, OPTIONS")),
    Row("CONNECT", request("CONNECT localhost:80 HTTP/1.1"), 405, "method_not_allowed"),
    Row("OPTIONS", request("OPTIONS /v1/pets HTTP/1.1", key=None), 204),
    Row("OPTIONS for the server", request("OPTIONS * HTTP/1.1"), 204,
        header=("Allow", "GET, HEAD, POST, OPTIONS")),
    Row("a body on GET", request("GET /v1/pets HTTP/1.1", "Content-Length: 3", body=b"abc"), 200),
]  # fmt: skip

HEADERS = [
    bad("no Host", request(host=None), message="Host is missing"),
    bad("an empty Host", request(host=""), message="Host must be"),
    bad("a Host with a path", request(host="a/b"), message="Host must be"),
    bad("a Host with a bad port", request(host="a:b"), message="Host must be"),
    Row("an IPv6 Host", request(host="[::1]:7387"), 200),
    bad("Host twice", request("GET / HTTP/1.1", "Host: a"), message=f"Host {ONCE}"),
    bad("a space in a name", request("GET / HTTP/1.1", "A B: c"), message="Header must have"),
    bad("NUL in a value", request("GET / HTTP/1.1", "A: b\0c"), message="Header must have"),
    bad("CR in a value", request("GET / HTTP/1.1", "A: b\rc"), message="Header must have"),
    bad("LF in a value", request("GET / HTTP/1.1", "A: b\nc"), message="Header must have"),
    bad("a folded header", request("GET / HTTP/1.1", "A: b", " c"), message="Header must have"),
    Row("a name with an underscore", request("GET /v1/pets HTTP/1.1", "X_Token: a"), 200),
    Row(
        "our name with an underscore",
        request("GET /v1/pets HTTP/1.1", "Mockpets_Session: a"),
        422,
        "unknown_header",
        "closed",
        "unknown header 'Mockpets_Session'; write 'Mockpets-Session'",
    ),
    Row("Latin-1 in a value", request("GET /v1/pets HTTP/1.1", "A: \xe4"), 200),
    Row("X-Forwarded-Host", request("GET /v1/pets HTTP/1.1", "X-Forwarded-Host: evil"), 200),
    Row("no key", request(key=None), 401, "unauthorized"),
    Row("a head at the limit", request("GET /v1/pets HTTP/1.1", "X: " + "x" * 16_000), 200),
    bad("a head over the limit", request("GET / HTTP/1.1", "X: " + "x" * HEAD_BYTES),
        "headers_too_large"),
    Row("200 headers", request("GET /v1/pets HTTP/1.1", *["A: b"] * 197), 200),
    bad("201 headers", request("GET /v1/pets HTTP/1.1", *["A: b"] * 198), "headers_too_large",
        "the request has too many headers; send at most 200"),
    bad("500 headers too many", request("GET / HTTP/1.1", *["X-Filler: 0123456789"] * 900),
        "headers_too_large"),
]  # fmt: skip

LENGTHS = [
    Row("a POST", post(sized(PET), body=PET), 201),
    Row("no length, so no body", post(), 400, "invalid_request"),
    bad("a negative length", post("Content-Length: -1"), message="Content-Length"),
    bad("a length of 5,000 digits", post(f"Content-Length: {'9' * 5000}"),
        message="Content-Length"),
    bad("a body over the app's limit", post(sized(BIG), body=BIG), "payload_too_large"),
    bad("a body over the server's limit", post(f"Content-Length: {SERVER_BODY_BYTES + 1}"),
        "payload_too_large"),
    bad("the limit itself", post(f"Content-Length: {SERVER_BODY_BYTES}",
        body=b" " * SERVER_BODY_BYTES), "payload_too_large"),
    Row("the limit itself, with a stub", post(f"Content-Length: {SERVER_BODY_BYTES}",
        "Mockpets-Scenario: server-error", body=b" " * SERVER_BODY_BYTES), 500,
        "internal_server_error"),
    Row("a compressed body", post("Content-Encoding: gzip", sized(PET), body=PET), 400,
        "invalid_request"),
]  # fmt: skip

H2C = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAA")
"""What Java's HttpClient and `curl --http2` send with their first request."""
TUNNELS = [
    bad("CONNECT with a body", request("CONNECT a:80 HTTP/1.1", sized(PET), body=PET),
        message="CONNECT must not have a body; remove Content-Length"),
    bad("websocket with a body", post("Connection: Upgrade", "Upgrade: websocket", sized(PET),
        body=PET), message="got 'websocket'; remove Upgrade, or Content-Length"),
    Row("websocket", request("GET /v1/pets HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket"),
        200),
    Row("h2c", request("GET /v1/pets HTTP/1.1", *H2C), 200),
    Row("h2c with a body", post(*H2C, sized(PET), body=PET), 201, None, "closed"),
    Row("h2c with chunks", post(*H2C, CHUNKED, body=in_chunks(PET)), 201, None, "closed"),
]  # fmt: skip

CODINGS = [
    Row("chunks", post(CHUNKED, body=in_chunks(PET[:5], PET[5:])), 201),
    Row("a chunk with an extension", post(CHUNKED, body=b"1e;a=b\r\n%s\r\n0\r\n\r\n" % PET), 201),
    Row("chunks with a trailer", post(CHUNKED, body=in_chunks(PET)[:-2] + b"X: y\r\n\r\n"), 201),
    Row("a coding in capitals", post("Transfer-Encoding: CHUNKED", body=in_chunks(PET)), 201),
    bad("a chunk without a size", post(CHUNKED, body=b"xyz\r\n"), message="Invalid chunk size"),
    bad("chunks over the limit", post(CHUNKED, body=b"100001\r\n" + b"x" * SERVER_BODY_BYTES),
        "payload_too_large"),
    Row("1,000 chunks", post(CHUNKED, body=in_chunks(*[b" "] * 999, PET)), 201),
    Row("100 trailers", post(CHUNKED, body=in_chunks(PET)[:-2] + b"a:\r\n" * 100 + b"\r\n"), 201),
    bad("length and chunks", post("Content-Length: 3", CHUNKED, body=in_chunks(b"abc")),
        message="not both"),
    bad("an unknown coding", post("Transfer-Encoding: gzip"), "not_implemented"),
    bad("chunks in HTTP/1.0", request("POST /v1/pets HTTP/1.0", CHUNKED, body=in_chunks(PET)),
        message="HTTP/1.0 does not allow"),
]  # fmt: skip

EXPECTATIONS = [
    Row("Expect without a body", request("GET /v1/pets HTTP/1.1", "Expect: 100-continue"), 200),
    Row("Expect with no length", post("Expect: 100-continue"), 400, "invalid_request"),
    Row("Expect with length 0", post("Expect: 100-continue", "Content-Length: 0"), 400,
        "invalid_request"),
    Row("Expect with the body", post("Expect: 100-continue", sized(PET), body=PET), 201),
    bad("Expect something", request("GET / HTTP/1.1", "Expect: foo"), "expectation_failed"),
    Row("HTTP/1.0 expects nothing", request("GET /v1/pets HTTP/1.0", "Expect: foo"), 200, None,
        "closed"),
    bad("Expect with a body too large",
        post("Expect: 100-continue", f"Content-Length: {SERVER_BODY_BYTES + 1}"),
        "payload_too_large"),
]  # fmt: skip

ROWS = [*LINES, *TARGETS, *METHODS, *HEADERS, *LENGTHS, *TUNNELS, *CODINGS, *EXPECTATIONS]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(create_app(Settings())) as server:
        yield server


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_request_gets_its_response(row: Row, server: Running) -> None:
    has_body = not row.request.startswith((b"HEAD", b"OPTIONS"))
    with Wire(server.port) as wire:
        wire.send(row.request)
        response = wire.read(has_body=has_body)

        assert response.status == row.status
        if row.code is not None:
            assert response.headers["Content-Type"] == "application/json"
            assert response.json.keys() == {"code", "message", "status"}
            assert (response.json["code"], response.json["status"]) == (row.code, row.status)
            assert row.message in response.json["message"]
        if b"\r\nOrigin:" in row.request and row.request[8:9] != b"*":
            assert response.headers["Access-Control-Allow-Origin"] == ORIGIN
            assert response.headers["Access-Control-Allow-Credentials"] == "true"
        if row.header is not None:
            assert response.headers[row.header[0]] == row.header[1]
        if row.connection == "closed":
            assert response.headers["Connection"] == "close"
            assert wire.rest() == b""
        else:
            assert wire.is_open()


SHORT = [row for row in ROWS if len(row.request) <= 2000]


@pytest.mark.parametrize("row", SHORT, ids=lambda row: row.name)
def test_the_response_does_not_depend_on_how_the_bytes_are_split(row: Row, server: Running) -> None:
    with Wire(server.port) as wire:
        for byte in row.request:
            try:
                wire.send(bytes([byte]))
            except ConnectionError:  # rejected before its end
                break
        has_body = not row.request.startswith((b"HEAD", b"OPTIONS"))
        response = wire.read(has_body=has_body)
        while response.status == 100:
            response = wire.read(has_body=has_body)
        assert response.status == row.status


@pytest.mark.parametrize(
    "path", ["/%5f_mockpets/state", "/__mockpets%2fstate", "/%5F%5Fmockpets/state"]
)
def test_an_encoded_path_is_the_same_path(path: str, server: Running) -> None:
    """A path rule in a proxy that does not decode the path misses it (SECURITY.md)."""
    with Wire(server.port) as wire:
        wire.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert wire.read().json["session"] == "default"


@pytest.mark.parametrize("path", ["//__mockpets/state", "/%2f__mockpets/state", "/~w1//v1/pets"])
def test_slashes_are_not_merged(path: str, server: Running) -> None:
    with Wire(server.port) as wire:
        wire.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert wire.read().json["code"] == "not_found"
        wire.send(f"OPTIONS {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert wire.read().status == 204


# --- More than one response -----------------------------------------------------------------------


def test_pipelined_requests_get_their_responses_in_order(server: Running) -> None:
    with Wire(server.port) as wire:
        wire.send(
            request("GET /v1/pets?limit=1 HTTP/1.1")
            + post(sized(PET), body=PET)
            + request("GET /v1/pets/x HTTP/1.1")
            + post(CHUNKED, body=in_chunks(PET))
            + request("HEAD /v1/pets HTTP/1.1")
        )
        responses = [wire.read(), wire.read(), wire.read(), wire.read(), wire.read(has_body=False)]

        assert [response.status for response in responses] == [200, 201, 404, 201, 200]
        assert wire.is_open()


def test_no_response_follows_an_error(server: Running) -> None:
    with Wire(server.port) as wire:
        wire.send(post("Content-Length: 4", CHUNKED, body=in_chunks(b"abcd")) + request())
        assert wire.read().status == 400
        assert wire.rest() == b""


def test_head_has_the_headers_of_get(server: Running) -> None:
    with Wire(server.port) as wire:
        get = wire.send(request()).read().headers
        head = wire.send(request("HEAD /v1/pets HTTP/1.1")).read(has_body=False).headers

        changing = {"Date", "Mockpets-Request", "Server-Timing"}
        assert get.keys() == head.keys()
        assert {n: v for n, v in get.items() if n not in changing} == {
            n: v for n, v in head.items() if n not in changing
        }


def test_a_client_that_expects_100_continue_gets_it(server: Running) -> None:
    with Wire(server.port) as wire:
        wire.send(post("Expect: 100-continue", sized(PET)))
        assert wire.line() == b"HTTP/1.1 100 Continue"
        assert wire.line() == b""
        assert wire.send(PET).read().status == 201


def test_a_client_that_sends_too_much_can_read_the_error(server: Running) -> None:
    """The client keeps sending after the response; a reset would lose the response."""
    with Wire(server.port) as wire:
        wire.send(post("Content-Length: 9000000"))
        for _ in range(64):
            wire.send(b"x" * 65536)
        assert wire.read().status == 413
        assert wire.rest() == b""


@pytest.mark.parametrize("half", [
    b"GET /v1/pets HT", request()[:-2],
    post("Content-Length: 9", body=b"half"),
    post(CHUNKED, body=b"5\r\nabc"),
])  # fmt: skip
def test_an_incomplete_request_gets_no_response(half: bytes, server: Running) -> None:
    with Wire(server.port) as wire:
        assert wire.send(half).end_sending().rest() == b""


# --- Time limits and connection limits ------------------------------------------------------------

HALVES = {
    "one byte": (b"G", ServerLimits().head_seconds, "head"),
    "half a head": (b"GET /v1/pets HTTP/1.1\r\nHo", ServerLimits().head_seconds, "head"),
    "LF alone": (b"GET /v1/pets HTTP/1.1\nHost: a\n\n", ServerLimits().head_seconds, "head"),
    "half a body": (post("Content-Length: 9", body=b"half"), ServerLimits().body_seconds, "body"),
    "half a chunk": (post(CHUNKED, body=b"5\r\nabc"), ServerLimits().body_seconds, "body"),
    "no last chunk": (post(CHUNKED, body=b"3\r\nabc\r\n"), ServerLimits().body_seconds, "body"),
}


@pytest.mark.parametrize("name", HALVES)
def test_requests_that_do_not_arrive_in_time_are_rejected(name: str) -> None:
    half, seconds, phase = HALVES[name]
    clock = Clock()
    with running(QueryApp(), clock=clock) as server, Wire(server.port) as wire:
        wire.send(half)
        server.until(lambda: server.phases, [phase])
        clock.pass_(seconds - 0.1)
        wire.send(b"x")  # more bytes do not extend the limit
        server.ask(lambda: None)
        assert server.connections == 1
        clock.pass_(0.2)

        response = wire.read()
        assert response.status == 408
        assert response.json == {
            "code": "request_timeout",
            "message": f"the {phase} did not arrive within {seconds:g} seconds",
            "status": 408,
        }
        assert response.headers["Access-Control-Allow-Origin"] in ("*", ORIGIN)
        assert wire.rest() == b""


def test_an_idle_connection_is_closed_without_a_response() -> None:
    clock = Clock()
    with (
        running(QueryApp(), clock=clock) as server,
        Wire(server.port) as fresh,
        Wire(server.port) as used,
    ):
        server.until(lambda: server.connections, 2)
        clock.pass_(ServerLimits().idle_seconds - 1)
        assert used.get().read().status == 200
        clock.pass_(1.1)
        assert fresh.rest() == b""
        assert server.connections == 1
        clock.pass_(ServerLimits().idle_seconds)
        assert used.rest() == b""


def test_a_client_that_does_not_close_is_disconnected() -> None:
    clock = Clock()
    with running(QueryApp(), clock=clock) as server, Wire(server.port) as wire:
        assert wire.send(b"HELLO\r\n\r\n").read().status == 400
        assert wire.rest() == b""
        server.until(lambda: server.connections, 1)
        clock.pass_(ServerLimits().linger_seconds + 0.1)
        server.until(lambda: server.connections, 0)


def test_lingering_connections_make_room_for_new_ones() -> None:
    with running(QueryApp(), ServerLimits(connections=2), Clock()) as server, ExitStack() as stack:
        for _ in range(2):
            wire = stack.enter_context(Wire(server.port)).send(b"HELLO\r\n\r\n")
            assert wire.read().status == 400
            assert wire.rest() == b""
        server.until(lambda: server.phases, ["linger", "linger"])
        assert stack.enter_context(Wire(server.port)).get().read().status == 200


def test_the_connection_that_waits_longest_makes_room() -> None:
    clock = Clock()
    with running(QueryApp(), ServerLimits(connections=3), clock) as server:
        used = Wire(server.port).get()
        assert used.read().status == 200
        wires = []
        for half in (b"", b"GET"):
            clock.pass_(1)
            wires.append(Wire(server.port).send(half))
            server.until(lambda: server.connections, len(wires) + 1)
        empty, half_sent = wires
        for gone in (empty, half_sent, used):
            clock.pass_(1)
            wires.append(Wire(server.port).get("/?delay=60"))
            assert gone.rest() == b""
            gone.close()
        server.until(lambda: server.waiting, 3)

        # All have a request in progress: the next connection waits until one ends.
        waits = Wire(server.port).get("/next")
        clock.pass_(60)
        for wire in wires[2:]:
            assert wire.read().status == 200
        clock.pass_(1)
        assert waits.read().body == b"GET /next 0"
        for wire in (*wires, waits):
            wire.close()


@pytest.mark.slow
def test_200_slow_and_200_reconnecting_clients_do_not_disturb_normal_requests() -> None:
    with running(QueryApp()) as server, ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(Wire(server.port)).send(b"GET / HTTP/1.1\r\n")
        again = [Wire(server.port).send(b"GET") for _ in range(200)]
        with Wire(server.port) as normal:
            for number in range(1000):
                again[number % 200].close()
                again[number % 200] = Wire(server.port).send(b"GET")
                assert normal.get("/").read().status == 200
        for wire in again:
            wire.close()


def test_900_idle_connections_stay_open_while_others_get_responses() -> None:
    need_connections(2 * 1000)
    with running(QueryApp()) as server, ExitStack() as stack:
        idle = [stack.enter_context(Wire(server.port)) for _ in range(900)]
        server.until(lambda: server.connections, 900)
        for _ in range(100):
            with Wire(server.port) as wire:
                assert wire.get("/").read().status == 200
        assert all(wire.get("/").read().status == 200 for wire in idle)


def test_slow_clients_do_not_block_new_connections() -> None:
    with running(QueryApp(), ServerLimits(connections=20)) as server:
        trickling = [Wire(server.port).send(b"GET / HTTP/1.1\r\n") for _ in range(20)]
        for number in range(100):
            with Wire(server.port) as wire:
                assert wire.get("/").read().status == 200
            again = trickling[number % 20]
            again.close()
            trickling[number % 20] = Wire(server.port).send(b"GET /")
        for wire in trickling:
            wire.close()


# --- Random requests ------------------------------------------------------------------------------


@pytest.mark.long
def test_the_server_survives_random_requests(server: Running) -> None:
    chance = random.Random(4)
    seeds = [row.request for row in ROWS if len(row.request) < 2000]
    server.until(lambda: server.connections, 0)
    before = descriptors()
    statuses = Counter[bytes]()
    for _ in range(MUTATED):
        with Wire(server.port) as wire:
            try:
                statuses[wire.send(mutated(chance, seeds)).end_sending().rest()[9:12]] += 1
            except ConnectionError:
                continue
    assert statuses.keys() >= {b"", b"200", b"400", b"404", b"501"}
    assert b"500" not in statuses
    with Wire(server.port) as wire:
        assert wire.send(request()).read().status == 200
    server.until(lambda: server.connections, 0)
    assert descriptors() == before


def mutated(chance: random.Random, seeds: list[bytes]) -> bytes:
    """Return a request with some bytes changed, removed, repeated or copied from another."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.randint(1, 6)):
        position, length = chance.randrange(len(data) + 1), chance.randint(1, 12)
        kind = chance.randrange(4)
        if kind == 0:
            data[position : position + length] = chance.randbytes(length)
        elif kind == 1:
            del data[position : position + length]
        elif kind == 2:
            data[position:position] = data[position : position + length] * chance.randint(1, 20)
        else:
            other = chance.choice(seeds)
            start = chance.randrange(len(other))
            data[position:position] = other[start : start + 40]
    return bytes(data)
