"""Responses that are delayed, throttled or held use no thread and block no other request."""

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from mockpets.server.server_limits import ServerLimits
from tests.server.query_app import QueryApp
from tests.server.raw_http import Clock, Running, Wire, need_connections, running

WAITING_RESPONSES = int(os.environ.get("PARKED_ANSWERS", "500"))


@pytest.fixture
def app() -> QueryApp:
    return QueryApp()


@pytest.fixture
def server(app: QueryApp, clock: Clock) -> Iterator[Running]:
    with running(app, clock=clock) as server:
        yield server


def test_many_delayed_responses_arrive_in_time_and_block_no_other_request(
    app: QueryApp, clock: Clock
) -> None:
    need_connections(3 * WAITING_RESPONSES)
    limits = ServerLimits(parked=WAITING_RESPONSES, connections=WAITING_RESPONSES + 100)
    with running(app, limits, clock) as server, ExitStack() as stack:
        delayed = [stack.enter_context(Wire(server.port)) for _ in range(WAITING_RESPONSES)]
        for wire in delayed:
            wire.get("/late?delay=30")
        server.until(lambda: server.waiting, WAITING_RESPONSES)
        clock.pass_(29.99)
        with Wire(server.port) as other:
            for _ in range(100):
                assert other.get("/other").read().body == b"GET /other 0"
        assert server.waiting == WAITING_RESPONSES

        clock.pass_(0.01)
        assert {wire.read().body for wire in delayed} == {b"GET /late 0"}

        assert server.waiting == 0
        assert app.threads == {"test-loop"}


def test_the_app_knows_when_the_limit_is_reached() -> None:
    with running(QueryApp(), ServerLimits(parked=2)) as server, ExitStack() as stack:
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
    with running(QueryApp(), ServerLimits(parked=limit)) as server, ExitStack() as stack:
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


# --- Hold -------------------------------------------------------------------------------------


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


# --- Clients that leave, clients that do not read -----------------------------------------------


@pytest.mark.slow
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


def test_a_job_runs_on_the_worker_thread_and_then_the_app_goes_on(
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
        assert app.calls == ["/a", "/other"]


def test_the_app_responds_after_a_failed_job(
    app: QueryApp, server: Running, caplog: pytest.LogCaptureFixture
) -> None:
    app.jobs["bad"] = lambda: 1 // 0
    with Wire(server.port) as wire:
        assert wire.get("/?job=bad").read().status == 200
    assert "a background job failed" in caplog.text
