"""Responses that are made in one turn of the loop are sent together at its end."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from mockpets.server.limits import Limits
from mockpets.server.scheduler import Scheduler
from mockpets.wsgi_extension import ON_END, SERVER, SESSION
from tests.server.query_app import QueryApp
from tests.server.raw_http import SECONDS, Clock, Wire, running

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment


class BatchApp(QueryApp):
    """Lists calls and ends; ``/wait`` blocks the loop until `go`, so that requests gather."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived, self.go = threading.Event(), threading.Event()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        environ[ON_END] = lambda end: self.calls.append(f"{path} {end}")
        environ[SESSION] = path
        if path == "/wait":
            self.arrived.set()
            assert self.go.wait(SECONDS)
        elif path == "/close":
            environ[SERVER].close_idle("/a")
        return super().__call__(environ, start_response)


def gather(app: BatchApp, clock: Clock, paths: list[str]) -> list[bytes]:
    """Send requests that the loop reads in one turn; return all that each client gets."""
    with running(app, clock=clock) as server, Wire(server.port) as first:
        others = [Wire(server.port) for _ in paths]
        server.until(lambda: server.connections, len(paths) + 1)
        first.get("/wait")
        assert app.arrived.wait(SECONDS)
        for wire, path in zip(others, paths, strict=True):
            wire.get(path)
        app.go.set()
        assert first.read().status == 200
        replies = [wire.read().body for wire in others]
        for wire in others:
            wire.close()
    return replies


def test_all_responses_of_a_turn_are_made_before_one_is_sent() -> None:
    app = BatchApp()

    bodies = gather(app, Clock(), ["/a", "/b", "/c?close", "/d"])

    assert bodies == [b"GET /a 0", b"GET /b 0", b"GET /c 0", b"GET /d 0"]
    called, ended = app.calls[2:6], app.calls[6:]
    assert sorted(called) == ["/a", "/b", "/c", "/d"]
    assert ended == [f"{path} sent" for path in called]


def test_a_connection_whose_response_is_ready_counts_as_idle() -> None:
    app = BatchApp()

    with running(app, clock=Clock()) as server, Wire(server.port) as wire:
        blocker, closer = Wire(server.port), Wire(server.port)
        server.until(lambda: server.connections, 3)
        blocker.get("/wait")
        assert app.arrived.wait(SECONDS)
        wire.get("/a")
        closer.get("/close")
        app.go.set()

        assert wire.read().body == b"GET /a 0"
        assert wire.rest() == b""
        assert closer.read().body == b"GET /close 0"
        blocker.close()
        closer.close()


def scheduler(clock: Clock) -> Scheduler:
    return Scheduler(Limits(), clock, lambda: None, lambda _: None, ())


def test_a_slow_call_delays_the_sending_of_others_only_once() -> None:
    clock, events = Clock(), list[str]()
    loop = scheduler(clock)

    def make(name: str, seconds: float) -> None:
        loop.send_soon(lambda: events.append(f"sent {name}"))
        clock.now += seconds
        events.append(f"made {name}")

    for name, seconds in (("a", 0.001), ("b", 0.002), ("c", 0.0), ("d", 0.0)):
        loop.call_soon(partial(make, name, seconds))
    loop.run()

    assert events == [
        *("made a", "made b", "sent a", "sent b"),
        *("made c", "made d", "sent c", "sent d"),
    ]


def test_what_fails_to_be_sent_stops_no_other_response() -> None:
    sent = list[str]()
    loop = scheduler(Clock())
    loop.send_soon(lambda: [][0])
    loop.send_soon(lambda: sent.append("b"))

    try:
        loop.run()
    except IndexError:
        assert loop.timeout() == 0.0
    loop.run()

    assert sent == ["b"]
    assert loop.timeout() is None
