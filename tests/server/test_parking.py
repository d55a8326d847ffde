"""Responses that are delayed, throttled or held use no thread and block no other request."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from mockpets.server.limits import Limits
from tests.cases import each
from tests.server.query_app import QueryApp
from tests.server.raw_http import Clock, Running, Wire, running

if TYPE_CHECKING:
    from collections.abc import Iterator

PARKED = 500


@pytest.fixture
def app() -> QueryApp:
    return QueryApp()


MANY = int(os.environ.get("PARKED_ANSWERS", PARKED))


@pytest.fixture
def server(app: QueryApp, clock: Clock) -> Iterator[Running]:
    with running(app, clock=clock) as server:
        yield server


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    """Raise the limit: this process has both ends of each connection."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 3 * MANY
    if soft < needed:
        if hard != resource.RLIM_INFINITY and hard < needed:
            pytest.skip("this process may not open enough descriptors")
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_descriptors")
def test_many_delayed_responses_arrive_in_time_and_block_no_other_request(
    app: QueryApp, clock: Clock
) -> None:
    limits = Limits(parked=MANY, connections=MANY + 100)
    with running(app, limits, clock) as server, ExitStack() as stack:
        delayed = [stack.enter_context(Wire(server.port)) for _ in range(MANY)]
        for wire in delayed:
            wire.get("/late?delay=30")
        server.until(lambda: server.waiting, MANY)
        clock.pass_(29.99)
        with Wire(server.port) as other:
            for _ in range(100):
                assert other.get("/other").read().body == b"GET /other 0"
        assert server.waiting == MANY

        clock.pass_(0.01)
        assert {wire.read().body for wire in delayed} == {b"GET /late 0"}

        assert server.waiting == 0
        assert app.threads == {"test-loop"}


def test_the_connection_stays_open_after_a_delayed_response(clock: Clock, server: Running) -> None:
    with Wire(server.port) as wire:
        wire.get("/late?delay=1").get("/next")
        server.until(lambda: server.waiting, 1)
        clock.pass_(1)

        assert [wire.read().body, wire.read().body] == [b"GET /late 0", b"GET /next 0"]
        assert wire.is_open()


def test_shorter_delays_end_first(clock: Clock, server: Running) -> None:
    with Wire(server.port) as slow, Wire(server.port) as fast:
        slow.get("/slow?delay=20")
        fast.get("/fast?delay=10")
        server.until(lambda: server.waiting, 2)
        clock.pass_(10)

        assert fast.read().status == 200
        assert server.waiting == 1
        clock.pass_(10)
        assert slow.read().status == 200


def test_the_app_knows_when_the_limit_is_reached() -> None:
    with running(QueryApp(), Limits(parked=2)) as server, ExitStack() as stack:
        wires = [stack.enter_context(Wire(server.port)) for _ in range(3)]
        for wire in wires[:2]:
            wire.get("/late?delay=30")
        server.until(lambda: server.waiting, 2)

        assert wires[2].get("/").read().status == 503
        wires[0].close()
        server.until(lambda: server.waiting, 1)
        assert wires[2].get("/").read().status == 200


@pytest.mark.parametrize("limit", [1, 2, 3, 10, 11])
@pytest.mark.parametrize("order", ["delay=30", "throttle=1&size=9", "fault=stall"])
def test_one_owner_gets_half_of_the_places_that_the_others_leave(limit: int, order: str) -> None:
    with running(QueryApp(), Limits(parked=limit)) as server, ExitStack() as stack:
        ask = stack.enter_context(Wire(server.port))
        taken: list[Wire] = []
        for owner in "abcdef":
            left, before = limit - len(taken), len(taken)
            while ask.get(f"/?owner={owner}").read().status == 200:
                wire = stack.enter_context(Wire(server.port))
                taken.append(wire.get(f"/late?owner={owner}&{order}"))
                server.until(lambda: server.waiting, len(taken))
            assert len(taken) - before == (left + 1) // 2  # the last place is given
        taken[0].close()
        server.until(lambda: server.waiting, len(taken) - 1)
        assert ask.get("/?owner=new").read().status == 200


# --- Throttle ---------------------------------------------------------------------------------


def test_a_throttled_body_arrives_at_the_given_rate(clock: Clock, server: Running) -> None:
    with Wire(server.port) as wire:
        wire.get("/?size=1000&throttle=100")
        server.until(lambda: server.waiting, 1)
        wire.head()
        for second in range(1, 11):
            clock.pass_(1.0001)
            assert wire.take(100 * second - 10) <= 100 * second

        assert wire.take(1000) == 1000
        server.until(lambda: server.waiting, 0)
        assert wire.is_open()


def test_a_throttled_response_without_a_body_arrives_immediately(server: Running) -> None:
    with Wire(server.port) as wire:
        wire.send(b"HEAD /?throttle=1 HTTP/1.1\r\nHost: a\r\n\r\n")

        assert wire.read(has_body=False).status == 200


def test_a_client_that_leaves_during_a_throttled_body_frees_its_place(
    clock: Clock, server: Running
) -> None:
    with Wire(server.port) as wire:
        wire.get("/?size=1000&throttle=1")
        server.until(lambda: server.waiting, 1)
        clock.pass_(5)
    server.until(lambda: server.waiting, 0)
    server.until(lambda: server.connections, 0)


# --- Hold -------------------------------------------------------------------------------------


def test_opening_a_gate_releases_its_responses(app: QueryApp, server: Running) -> None:
    with Wire(server.port) as one, Wire(server.port) as other, Wire(server.port) as elsewhere:
        one.get("/?hold=a")
        other.get("/?hold=a")
        elsewhere.get("/?hold=b")
        server.until(app.gates.waiting, {"a": 2, "b": 1})

        assert app.gates.open("a") == 2
        assert one.read().status == other.read().status == 200
        assert app.gates.waiting() == {"b": 1}
        assert app.gates.open("a") == 0
        assert app.gates.open("b") == 1
        assert elsewhere.read().status == 200


def test_a_held_and_delayed_response_waits_for_both(
    app: QueryApp, clock: Clock, server: Running
) -> None:
    with Wire(server.port) as gate_last, Wire(server.port) as delay_last:
        gate_last.get("/?hold=a&delay=1")
        delay_last.get("/?hold=b&delay=2")
        server.until(app.gates.waiting, {"a": 1, "b": 1})
        app.gates.open("b")
        clock.pass_(1)
        server.until(lambda: server.waiting, 2)

        app.gates.open("a")
        assert gate_last.read().status == 200
        assert server.ask(lambda: server.waiting) == 1
        clock.pass_(1)
        assert delay_last.read().status == 200


def test_a_client_that_leaves_is_removed_from_its_gate(app: QueryApp, server: Running) -> None:
    with Wire(server.port) as wire:
        wire.get("/?hold=a")
        server.until(app.gates.waiting, {"a": 1})
    server.until(app.gates.waiting, {})
    assert app.gates.open("a") == 0


# --- Clients that leave, clients that do not read -----------------------------------------------


@each("how", ["close", "reset", "end_sending"])
@each("more", [0, 1, 1000])
def test_a_client_that_leaves_frees_its_place(how: str, more: int, server: Running) -> None:
    with Wire(server.port) as wire:
        wire.get("/late?delay=30")
        server.until(lambda: server.waiting, 1)
        wire.send(b"GET /next HTTP/1.1\r\nHost: a\r\n\r\n" * more)
        getattr(wire, how)()
        server.until(lambda: (server.waiting, server.connections), (0, 0))


def test_a_client_that_stops_sending_gets_its_responses_without_a_delay(server: Running) -> None:
    with Wire(server.port) as wire:
        wire.get("/one").get("/two").get("/three?size=4000000").end_sending()

        assert [wire.read().body, wire.read().body] == [b"GET /one 0", b"GET /two 0"]
        assert len(wire.read().body) == 4_000_000
        assert wire.rest() == b""


def test_a_client_that_does_not_read_blocks_no_other(app: QueryApp, server: Running) -> None:
    with Wire(server.port, receive_buffer=4096) as lazy:
        for _ in range(4):
            lazy.get("/large?size=8388608")
        server.until(lambda: app.calls, ["/large"])
        with Wire(server.port) as other:
            for _ in range(100):
                assert other.get("/other").read().status == 200
        assert app.calls.count("/large") == 1

        for number in range(1, 5):
            assert len(lazy.read_fast().read().body) == 8_388_608
            assert app.calls.count("/large") >= number


def test_a_client_that_reads_nothing_for_long_is_disconnected(
    app: QueryApp, clock: Clock, server: Running
) -> None:
    with Wire(server.port, receive_buffer=4096) as lazy:
        lazy.get("/large?size=8388608")
        server.until(lambda: app.calls, ["/large"])
        server.ask(lambda: None)
        clock.pass_(29)
        assert server.ask(lambda: server.connections) == 1
        clock.pass_(2)
        server.until(lambda: server.connections, 0)


# --- Jobs of the worker thread ----------------------------------------------------------------


def test_a_job_runs_on_the_worker_thread_and_then_the_app_is_called_again(
    app: QueryApp, server: Running
) -> None:
    started, release, threads = threading.Event(), threading.Event(), []

    def job() -> None:
        threads.append(threading.current_thread().name)
        started.set()
        assert release.wait(20)

    app.jobs["long"] = job
    with Wire(server.port) as wire, Wire(server.port) as other:
        wire.send(b"POST /a?job=long HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        assert started.wait(20)
        assert other.get("/other").read().status == 200
        release.set()

        assert wire.read().body == b"POST /a 3"
        assert threads == ["mockpets-helper"]
        assert app.calls == ["/a", "/other", "/a"]


def test_the_app_responds_after_a_failed_job(
    app: QueryApp, server: Running, caplog: pytest.LogCaptureFixture
) -> None:
    app.jobs["bad"] = lambda: 1 // 0
    with Wire(server.port) as wire:
        assert wire.get("/?job=bad").read().status == 200
    assert "a background job failed" in caplog.text
