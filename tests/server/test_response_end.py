"""How a response ended: the server reports it once, to the function that the app gave it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from mockpets.server.limits import Limits
from mockpets.wsgi_extension import ON_END
from tests.server.query_app import QueryApp
from tests.server.raw_http import SECONDS, Clock, Running, Wire, running

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from wsgiref.types import StartResponse, WSGIEnvironment

    from mockpets.constants import ResponseEnd

LARGE = 8_388_608


class EndingApp(QueryApp):
    """Collects how each response ended, by path, and on which thread."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: list[tuple[str, ResponseEnd]] = []
        self.end_threads: set[str] = set()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]

        def end(how: ResponseEnd) -> None:
            self.ends.append((path, how))
            self.end_threads.add(threading.current_thread().name)

        environ[ON_END] = end
        if path == "/invalid":
            start_response("200 OK", [("Connection", "close")])
            return []
        return super().__call__(environ, start_response)


@pytest.fixture
def app() -> EndingApp:
    return EndingApp()


@pytest.fixture
def server(app: EndingApp, clock: Clock) -> Iterator[Running]:
    with running(app, clock=clock) as server:
        yield server


def test_each_pipelined_response_is_sent(app: EndingApp, server: Running) -> None:
    with Wire(server.port) as wire:
        wire.get("/a").get("/b").get("/c")
        for _ in range(3):
            wire.read()
        server.until(lambda: app.ends, [("/a", "sent"), ("/b", "sent"), ("/c", "sent")])
    server.until(lambda: server.connections, 0)

    assert len(app.ends) == 3
    assert app.end_threads == app.threads == {"test-loop"}


@pytest.mark.parametrize(
    "request_line",
    ["HEAD /a", "HEAD /a?more=5", "HEAD /a?throttle=1", "GET /a?close=1", "POST /a"],
)
def test_a_complete_response_is_sent(request_line: str, app: EndingApp, server: Running) -> None:
    with Wire(server.port) as wire:
        wire.send(f"{request_line} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        wire.read(has_body=not request_line.startswith("HEAD"))
        server.until(lambda: app.ends, [("/a", "sent")])


def test_a_client_that_stops_sending_gets_its_responses(app: EndingApp, server: Running) -> None:
    with Wire(server.port) as wire:
        wire.get("/a").get(f"/b?size={LARGE}").end_sending()
        assert wire.read().status == 200
        assert len(wire.read().body) == LARGE
        assert wire.rest() == b""
        server.until(lambda: app.ends, [("/a", "sent"), ("/b", "sent")])


def test_a_delayed_response_is_sent_after_its_delay(
    app: EndingApp, clock: Clock, server: Running
) -> None:
    with Wire(server.port) as wire:
        wire.get("/late?delay=5").get("/next")
        server.until(lambda: server.waiting, 1)
        assert app.ends == []
        clock.pass_(5)
        assert [wire.read().status, wire.read().status] == [200, 200]
        server.until(lambda: app.ends, [("/late", "sent"), ("/next", "sent")])


def test_a_throttled_response_is_sent_with_its_last_byte(
    app: EndingApp, clock: Clock, server: Running
) -> None:
    with Wire(server.port) as wire:
        wire.get("/slow?size=1000&throttle=100")
        server.until(lambda: server.waiting, 1)
        clock.pass_(5)
        wire.head()
        wire.take(400)
        assert server.ask(lambda: list(app.ends)) == []
        clock.pass_(5.1)
        wire.take(1000)
        server.until(lambda: app.ends, [("/slow", "sent")])


def test_a_response_that_the_client_does_not_read_is_pending(
    app: EndingApp, server: Running
) -> None:
    with Wire(server.port, receive_buffer=4096) as lazy:
        lazy.get(f"/large?size={LARGE}")
        server.until(lambda: server.phases, ["write"])
        assert app.ends == []
        assert len(lazy.read_fast().read().body) == LARGE
        server.until(lambda: app.ends, [("/large", "sent")])


@pytest.mark.parametrize("how", ["close", "reset", "end_sending"])
@pytest.mark.parametrize("query", ["delay=30", "hold=gate", "size=1000&throttle=1"])
def test_a_client_that_leaves_a_parked_response(
    how: str, query: str, app: EndingApp, server: Running
) -> None:
    with Wire(server.port) as wire:
        wire.get(f"/parked?{query}").get("/next")
        server.until(lambda: server.waiting, 1)
        getattr(wire, how)()
        server.until(lambda: server.connections, 0)

    assert app.ends == [("/parked", "client_left")]
    app.gates.open("gate")
    assert server.ask(lambda: app.ends) == [("/parked", "client_left")]


def test_a_client_that_stops_sending_before_a_delayed_response_has_left(
    app: EndingApp, server: Running
) -> None:
    with Wire(server.port) as wire:
        wire.get("/first").get("/late?delay=30").end_sending()
        assert wire.read().status == 200
        assert wire.rest() == b""
        server.until(lambda: app.ends, [("/first", "sent"), ("/late", "client_left")])


def test_a_client_that_leaves_in_the_middle_of_a_response(app: EndingApp, server: Running) -> None:
    with Wire(server.port, receive_buffer=4096) as wire:
        wire.get(f"/large?size={LARGE}")
        server.until(lambda: server.phases, ["write"])
        wire.reset()
        server.until(lambda: app.ends, [("/large", "client_left")])


@pytest.mark.parametrize("query", [
    "fault=connection_reset", "fault=empty_reply", "more=5&close=1",
    "delay=5&fault=connection_reset",
    "delay=5&fault=empty_reply",
])  # fmt: skip
def test_a_fault_breaks_the_response(
    query: str, app: EndingApp, clock: Clock, server: Running
) -> None:
    with Wire(server.port) as wire:
        wire.get(f"/a?{query}")
        if "delay" in query:
            server.until(lambda: server.waiting, 1)
            assert app.ends == []
            clock.pass_(5)
        server.until(lambda: app.ends, [("/a", "broken")])
        wire.reset()
    server.until(lambda: server.connections, 0)

    assert app.ends == [("/a", "broken")]


def test_a_client_that_leaves_before_a_delayed_fault_has_left(
    app: EndingApp, server: Running
) -> None:
    with Wire(server.port) as wire:
        wire.get("/a?delay=5&fault=connection_reset")
        server.until(lambda: server.waiting, 1)
        wire.reset()
        server.until(lambda: app.ends, [("/a", "client_left")])


def test_the_time_limit_for_reading_breaks_the_response(
    app: EndingApp, clock: Clock, server: Running
) -> None:
    with Wire(server.port, receive_buffer=4096) as lazy:
        lazy.get(f"/large?size={LARGE}")
        server.until(lambda: server.phases, ["write"])
        clock.pass_(31)
        server.until(lambda: app.ends, [("/large", "broken")])


@pytest.mark.parametrize("path", ["/bug", "/invalid"])
@pytest.mark.usefixtures("caplog")
def test_a_response_replaced_by_an_error_is_broken(
    path: str, app: EndingApp, server: Running
) -> None:
    with Wire(server.port) as wire:
        assert wire.get(path).read().status == 500
    server.until(lambda: server.connections, 0)

    assert app.ends == [(path, "broken")]


def test_a_response_that_a_job_replaces_ends_once(app: EndingApp, server: Running) -> None:
    app.jobs["long"] = lambda: None
    with Wire(server.port) as wire:
        assert wire.get("/a?job=long").read().status == 200
        server.until(lambda: app.ends, [("/a", "sent")])


def test_stopping_sends_parked_responses_and_breaks_those_that_nobody_reads(
    app: EndingApp,
) -> None:
    clock = Clock()
    with (
        running(app, Limits(drain_seconds=5), clock) as server,
        Wire(server.port) as held,
        Wire(server.port) as late,
        Wire(server.port, receive_buffer=4096) as lazy,
    ):
        held.get("/held?hold=gate")
        late.get("/late?delay=60")
        lazy.get(f"/unread?size={LARGE}")
        server.until(lambda: (server.waiting, len(app.calls)), (2, 3))
        server.loop.stop()
        assert held.read().status == late.read().status == 200
        server.until(lambda: server.loop.scheduler.draining)
        clock.pass_(5.1)
        server.thread.join(SECONDS)

    assert sorted(app.ends) == [("/held", "sent"), ("/late", "sent"), ("/unread", "broken")]
