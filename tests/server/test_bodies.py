"""Bodies: which requests are decided before they arrive, and how much memory they may take."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from mockpets import Settings, create_app
from mockpets.constants import BODY_BYTES, SERVER_BODY_BYTES, SESSION_HEADER
from mockpets.public.public_limits import BURST
from mockpets.server.server_limits import ServerLimits
from mockpets.settings.settings_table import VISITOR_RATE
from tests.server.query_app import QueryApp
from tests.server.raw_http import Clock, Running, Wire, running

PET = b'{"name":"Miso","categoryId":2}'
KEY = "Authorization: Bearer mockpets"
TOKEN = "Authorization: Bearer a-token-of-this-test"
JSON = "Content-Type: application/json"
LARGE = BODY_BYTES + 1
CHUNKED = "Transfer-Encoding: chunked"


def head(line: str, *headers: str) -> bytes:
    return "\r\n".join([f"{line} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


def length(size: int) -> str:
    return f"Content-Length: {size}"


def post(size: int, *headers: str) -> bytes:
    return head("POST /v1/pets", JSON, KEY, length(size), *headers)


def ends(wire: Wire) -> bool:
    """Return whether the server has ended the connection after its response."""
    return wire.rest() == b""


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(create_app(Settings(control="open"))) as server:
        yield server


@pytest.fixture
def public() -> Iterator[Running]:
    settings = Settings(public=True, control_token="a-token-of-this-test")
    with running(create_app(settings, clock=lambda: 1000.0)) as server:
        yield server


# --- Decided from the head ------------------------------------------------------------------------

FROM_THE_HEAD = {
    "no key": (head("POST /v1/pets", JSON, length(LARGE)), 401),
    "a wrong key": (head("POST /v1/pets", JSON, "Authorization: Bearer x", length(LARGE)), 401),
    "an unknown path": (head("POST /v1/nothing", KEY, length(LARGE)), 404),
    "a path outside": (head("POST /upload", KEY, length(SERVER_BODY_BYTES)), 404),
    "a method that is not allowed": (head("PUT /v1/pets", KEY, length(LARGE)), 405),
    "too large for the operation": (post(LARGE), 413),
    "too large for any request": (post(SERVER_BODY_BYTES + 1), 413),
    "an unknown header": (post(LARGE, "Mockpets-Sesion: a"), 422),
    "an unknown control path": (head("POST /__mockpets/nothing", length(LARGE)), 404),
    "a control method": (head("PUT /__mockpets/reset", length(LARGE)), 405),
    "a foreign page": (head("POST /__mockpets/reset", "Origin: http://evil.test", length(LARGE)),
        403),
    "a client that waits for 100": (post(LARGE, "Expect: 100-continue"), 413),
    "chunks, so far too large": (head("POST /v1/pets", JSON, KEY, CHUNKED)
        + b"%x\r\n%s" % (2 * LARGE, b"x" * LARGE), 413),
    "chunks without a key": (head("POST /v1/pets", JSON, CHUNKED)
        + b"%x\r\n%s" % (2 * LARGE, b"x" * LARGE), 401),
}  # fmt: skip


@pytest.mark.parametrize("name", FROM_THE_HEAD)
def test_a_large_body_that_is_not_wanted_need_not_be_sent(name: str, server: Running) -> None:
    request, status = FROM_THE_HEAD[name]
    with Wire(server.port) as wire:
        response = wire.send(request).read()

        assert response.status == status
        assert response.json["status"] == status
        assert response.headers["Connection"] == "close"
        assert ends(wire)


def test_a_rejected_body_is_in_the_request_log(server: Running) -> None:
    with Wire(server.port) as wire:
        response = wire.send(post(LARGE, f"{SESSION_HEADER}: rejected")).read()
        assert (response.status, response.headers[SESSION_HEADER]) == (413, "rejected")
    with Wire(server.port) as wire:
        wire.get("/~rejected/__mockpets/requests")
        [entry] = wire.read().json["requests"]
        assert entry["status"] == 413


@pytest.mark.parametrize("start", [
    post(LARGE, "Mockpets-Scenario: server-error"),  # its stubs take any size
    head("GET /v1/pets", KEY, length(LARGE)),
    head("PUT /__mockpets/data/pets", JSON, length(LARGE)),
], ids=["POST to a stub", "GET", "control API"])  # fmt: skip
def test_a_body_that_a_response_needs_is_read(start: bytes, server: Running) -> None:
    with Wire(server.port) as wire:
        wire.send(start.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"))
        assert wire.head() == b"HTTP/1.1 100 Continue"
        response = wire.send(b" " * LARGE).read()
        assert response.headers.get("Connection") != "close"
        assert wire.is_open()


def test_the_head_of_a_large_call_creates_no_session(server: Running) -> None:
    start = head("PUT /~failed/__mockpets/data/pets", JSON, length(LARGE), "Expect: 100-continue")
    with Wire(server.port) as wire, Wire(server.port) as other:
        assert wire.send(start).head() == b"HTTP/1.1 100 Continue"
        other.get("/__mockpets/sessions/failed")
        assert other.read().status == 404


def test_an_app_that_fails_before_the_body_arrives_is_an_error_of_the_server() -> None:
    with running(QueryApp()) as server, Wire(server.port) as wire:
        response = wire.send(head("POST /bug", length(LARGE))).read()
        assert (response.status, response.headers["Connection"]) == (500, "close")


def test_a_client_that_leaves_before_its_body_leaves_nothing_behind(server: Running) -> None:
    with Wire(server.port) as wire:
        wire.send(head("GET /v1/pets", KEY, length(LARGE), "Expect: 100-continue"))
        assert wire.head() == b"HTTP/1.1 100 Continue"
        wire.send(b"x" * 1000).reset()
    server.until(lambda: server.loop.scheduler.bodies.used, 0)


# --- After the response ---------------------------------------------------------------------------


def test_the_rest_of_a_rejected_body_is_discarded_up_to_a_bound() -> None:
    limits = replace(ServerLimits(), linger_bytes=100_000)
    with running(create_app(Settings()), limits, Clock()) as server, Wire(server.port) as wire:
        wire.send(post(LARGE))
        assert wire.read().status == 413
        wire.send(b"x" * 100_000)
        assert server.ask(lambda: server.connections) == 1
        wire.send(b"x")
        server.until(lambda: server.connections, 0)


# --- With --public --------------------------------------------------------------------------------


def test_a_visitor_over_their_rate_need_not_send_a_large_body(public: Running) -> None:
    statuses = []
    for _ in range(BURST * VISITOR_RATE + 1):
        with Wire(public.port) as wire:
            statuses.append(wire.send(post(LARGE)).read().status)

    # Each request counts once, although the app sees it before its body.
    assert statuses == [413] * BURST * VISITOR_RATE + [429]


@pytest.mark.parametrize("start", [
    post(LARGE), post(LARGE, "Mockpets-Scenario: server-error"),
    head("GET /v1/pets", KEY, length(LARGE)),
    head("GET /v1/pets", KEY, CHUNKED) + b"%x\r\n%s" % (2 * LARGE, b"x" * LARGE),
], ids=["POST", "POST to a stub", "GET", "GET in chunks"])  # fmt: skip
def test_visitors_send_no_more_than_an_operation_takes(start: bytes, public: Running) -> None:
    with Wire(public.port) as wire:
        response = wire.send(start).read()
        assert (response.status, response.json["code"]) == (413, "payload_too_large")
        assert ends(wire)


def test_the_token_allows_large_bodies(public: Running) -> None:
    with Wire(public.port) as wire:
        wire.send(head("PUT /__mockpets/data/pets", JSON, TOKEN, length(LARGE))).send(b" " * LARGE)
        assert wire.read().json["code"] == "invalid_request"  # it is empty
        wire.send(head("PUT /__mockpets/data/pets", JSON, TOKEN + "x", length(LARGE)))
        assert wire.read().status == 401
        assert ends(wire)


# --- Memory ---------------------------------------------------------------------------------------

LIMITS = replace(ServerLimits(), bodies_bytes=100_000)


def held(server: Running) -> int:
    """Return how many bytes of incomplete bodies the server counts."""
    used: int = server.ask(lambda: server.loop.scheduler.bodies.used)
    return used


def begin(stack: ExitStack, server: Running, size: int) -> Wire:
    """Begin a request whose body lacks its last byte; return when the server has the rest."""
    before = held(server)
    wire = stack.enter_context(Wire(server.port))
    wire.send(post(size) + b"x" * (size - 1))
    server.until(lambda: server.loop.scheduler.bodies.used, before + size - 1)
    return wire


def test_the_bodies_of_all_connections_together_have_a_limit() -> None:
    with running(QueryApp(), LIMITS) as server, ExitStack() as stack:
        small = begin(stack, server, 20_000)
        large = begin(stack, server, 50_000)
        other = begin(stack, server, 30_000)
        last = stack.enter_context(Wire(server.port))
        last.send(head("POST /", length(10_000)) + b"x" * 9_000)

        response = large.read()
        assert (response.status, response.json["code"]) == (503, "busy")
        assert response.headers["Retry-After"] == "1"
        assert large.rest() == b""
        for wire, size in ((small, 20_000), (other, 30_000)):
            assert wire.send(b"x").read().body == f"POST /v1/pets {size}".encode()
        assert last.send(b"x" * 1_000).read().body == b"POST / 10000"
        assert held(server) == 0


def test_a_full_budget_does_not_lock_out_others() -> None:
    limits = replace(LIMITS, bodies_bytes=60_000)
    with running(create_app(Settings()), limits) as server, ExitStack() as stack:
        begin(stack, server, 60_000)
        wire = stack.enter_context(Wire(server.port))
        wire.send(post(len(PET)) + PET[:-1])
        server.until(lambda: server.loop.scheduler.bodies.used, len(PET) - 1)
        assert wire.send(PET[-1:]).read().status == 201


@pytest.mark.parametrize("end", ["complete", "closed", "reset", "late", "stopped", "invalid"])
def test_memory_is_given_back_however_a_body_ends(end: str) -> None:
    clock = Clock()
    with running(QueryApp(), LIMITS, clock) as server, ExitStack() as stack:
        wire = begin(stack, server, 50_000)
        if end == "complete":
            assert wire.send(b"x").read().status == 200
        elif end == "closed":
            wire.close()
        elif end == "reset":
            wire.reset()
        elif end == "late":
            clock.pass_(LIMITS.body_seconds + 1)
            assert wire.read().status == 408
        elif end == "stopped":
            server.stop()
            assert server.loop.scheduler.bodies.used == 0
            return
        else:
            with Wire(server.port) as chunked:
                chunked.send(head("POST /", CHUNKED) + b"5\r\nab")
                chunked.send(b"cdefg")
                assert chunked.read().status == 400
            wire.close()
        server.until(lambda: server.loop.scheduler.bodies.used, 0)


def test_a_parked_response_does_not_keep_its_body(server: Running) -> None:
    with Wire(server.port) as wire:
        wire.send(post(len(PET), "Mockpets-Delay: 20s") + PET)
        server.until(lambda: server.waiting, 1)
        [channel] = [each for each in server.loop._channels.values() if each._request]
        assert server.ask(lambda: channel._request and channel._request.body_bytes) == 0
