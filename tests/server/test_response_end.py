"""How a response ended: the server reports it once, to the function that the app gave it."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from mockpets.constants import ResponseEnd
from mockpets.interface import Incoming, Reply
from tests.server.query_app import QueryApp
from tests.server.raw_http import Clock, Running, Wire, running

LARGE = 8_388_608


class EndingApp(QueryApp):
    """Collects how each response ended, by path, and on which thread."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: list[tuple[str, ResponseEnd]] = []
        self.end_threads: set[str] = set()

    def reply(self, incoming: Incoming, query: dict[str, str], read: int) -> Reply:
        path = incoming.environ["PATH_INFO"]

        def end(how: ResponseEnd) -> None:
            self.ends.append((path, how))
            self.end_threads.add(threading.current_thread().name)

        if path == "/invalid":
            return Reply("200 OK", [("A", "\n")], on_end=end)
        return replace(super().reply(incoming, query, read), on_end=end)


@pytest.fixture
def app() -> EndingApp:
    return EndingApp()


@pytest.fixture
def server(app: EndingApp, clock: Clock) -> Iterator[Running]:
    with running(app, clock=clock) as server:
        yield server


@pytest.mark.parametrize(
    "request_line", ["HEAD /a", "HEAD /a?more=5", "HEAD /a?throttle=1", "GET /a?close=1", "POST /a"]
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


@pytest.mark.parametrize("how", ["close", "reset", "end_sending"])
@pytest.mark.parametrize("query", ["delay=30", "hold=gate", "size=1000&throttle=1"])
def test_a_client_that_leaves_a_parked_response(
    how: str, query: str, app: EndingApp, server: Running
) -> None:
    with Wire(server.port) as wire:
        wire.get(f"/parked?{query}")
        server.until(lambda: server.waiting, 1)
        wire.send(b"GET /next HTTP/1.1\r\nHost: a\r\n\r\n" * 1000)
        getattr(wire, how)()
        server.until(lambda: (server.waiting, server.connections), (0, 0))

    assert app.ends == [("/parked", "client_left")]
    app.gates.open("gate")
    assert server.ask(lambda: app.ends) == [("/parked", "client_left")]


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


@pytest.mark.usefixtures("caplog")
def test_a_response_replaced_by_an_error_is_broken(app: EndingApp, server: Running) -> None:
    with Wire(server.port) as wire:
        assert wire.get("/invalid").read().status == 500
    server.until(lambda: server.connections, 0)

    assert app.ends == [("/invalid", "broken")]


def test_a_response_after_a_job_ends_once(app: EndingApp, server: Running) -> None:
    app.jobs["long"] = lambda: None
    with Wire(server.port) as wire:
        assert wire.get("/a?job=long").read().status == 200
        server.until(lambda: app.ends, [("/a", "sent")])
