"""Responses that are made in one turn of the loop are sent together at its end."""

import threading
from dataclasses import replace

from mockpets.interface import Incoming, Later, Reply
from tests.server.query_app import QueryApp
from tests.server.raw_http import SECONDS, Clock, Wire, running


class BatchApp(QueryApp):
    """Lists calls and ends; ``/wait`` blocks the loop until `go`, so that requests gather."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived, self.go = threading.Event(), threading.Event()

    def handle(self, incoming: Incoming) -> Reply | Later:
        path = incoming.environ["PATH_INFO"]
        if path == "/wait":
            self.arrived.set()
            assert self.go.wait(SECONDS)
        elif path == "/close":
            assert incoming.server is not None
            incoming.server.close_idle("/a")
        reply = super().handle(incoming)
        assert isinstance(reply, Reply)
        return replace(reply, session=path, on_end=lambda end: self.calls.append(f"{path} {end}"))


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
