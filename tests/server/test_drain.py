"""Stopping: complete requests get a response, other connections end, nothing leaks."""

import gc
import sys
import threading
from contextlib import ExitStack

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.server.server_limits import ServerLimits
from tests.server.query_app import QueryApp
from tests.server.raw_http import SECONDS, Clock, Wire, descriptors, port_of, running

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals, and descriptors in /dev/fd")


def test_stopping_responds_to_complete_requests_and_ends_other_connections() -> None:
    app = QueryApp()
    with running(app) as server, ExitStack() as stack:
        idle, used, head, body, parked, held, slow, unread, piped = (
            stack.enter_context(Wire(server.port)) for _ in range(9)
        )
        used.get("/used").read()
        head.send(b"GET / HTTP/1.1\r\nHo")
        body.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf")
        parked.get("/parked?delay=60")
        held.get("/held?hold=gate")
        slow.get("/slow?size=100000&throttle=1")
        unread.get("/unread?size=8388608")
        piped.get("/first?delay=60").get("/second").get("/third").send(b"GET /half")
        server.until(lambda: (server.waiting, server.connections), (4, 9))
        server.until(lambda: app.calls.count("/unread"), 1)

        stopping = threading.Thread(target=server.stop)
        stopping.start()
        assert parked.read().body == b"GET /parked 0"
        assert held.read().body == b"GET /held 0"
        assert len(slow.read().body) == 100_000
        assert len(unread.read().body) == 8_388_608
        assert [piped.read().body for _ in range(3)] == [
            b"GET /first 0",
            b"GET /second 0",
            b"GET /third 0",
        ]
        for wire in (idle, used, head, body, parked, held, slow, unread, piped):
            assert wire.rest() == b""
            wire.close()
        stopping.join(SECONDS)
        assert not stopping.is_alive()


def test_requests_that_the_loop_has_not_read_yet_get_a_response() -> None:
    """The loop is busy while other requests, and the stop, arrive."""
    started, release = threading.Event(), threading.Event()
    app = QueryApp()

    def busy() -> None:
        started.set()
        assert release.wait(SECONDS)

    with running(app) as server, ExitStack() as stack:
        used, large = (stack.enter_context(Wire(server.port)) for _ in range(2))
        for wire in (used, large):
            wire.get().read()
        server.loop.scheduler.call_soon_threadsafe(busy)
        assert started.wait(SECONDS)
        used.get("/used")
        late = stack.enter_context(Wire(server.port)).get("/late")  # not even accepted yet
        large.send(b"POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n")
        large.send(b"x" * 90_000)
        server.loop.stop()
        release.set()

        for wire, body in (
            (used, b"GET /used 0"),
            (late, b"GET /late 0"),
            (large, b"POST /large 90000"),
        ):
            response = wire.read()
            assert (response.body, response.headers["Connection"]) == (body, "close")
            assert wire.rest() == b""
            wire.close()


def test_stopping_waits_a_limited_time_for_a_client_that_does_not_read() -> None:
    clock, app = Clock(), QueryApp()
    with (
        running(app, ServerLimits(drain_seconds=5), clock) as server,
        Wire(server.port, receive_buffer=4096) as lazy,
    ):
        lazy.get("/unread?size=8388608")
        server.until(lambda: app.calls, ["/unread"])
        server.loop.stop()
        server.until(lambda: server.loop.scheduler.draining)
        assert server.thread.is_alive()
        clock.pass_(5.1)
        server.thread.join(SECONDS)
        assert not server.thread.is_alive()


@pytest.mark.slow
@posix
def test_stopping_leaks_nothing() -> None:
    gc.collect()  # what earlier tests left is closed now, not while this one counts
    before = threading.active_count(), descriptors()
    for _ in range(3):
        with running(QueryApp()) as server, ExitStack() as stack:
            wires = [stack.enter_context(Wire(server.port)) for _ in range(5)]
            for number, path in enumerate(("/", "/?delay=60", "/?hold=a", "/?job=none")):
                wires[number].get(path)
            server.until(lambda: server.waiting, 2)
        assert (threading.active_count(), descriptors()) == before


@posix
def test_stopping_with_the_real_app_leaks_nothing() -> None:
    gc.collect()  # what earlier tests left is closed now, not while this one counts
    before = threading.active_count(), descriptors()
    with (
        MockpetsServer(Settings(port=0, host=("127.0.0.1",), scenario=("crowded",))) as server,
        Wire(port_of(server.url)) as wire,
    ):
        assert wire.get("/v1/pets", "Authorization: Bearer mockpets").read().status == 200
    assert (threading.active_count(), descriptors()) == before
