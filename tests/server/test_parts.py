"""Parts of the server that can be tested without a connection, and jobs of the real app."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockpets import Settings, create_app
from mockpets.server.poller import PEER_CLOSED, READ, WRITE, Poller, Waker, make_poller
from mockpets.server.timers import Timers
from tests.server.raw_http import Clock, Wire, running


def test_the_server_does_not_load_the_app() -> None:
    script = "import sys, mockpets.server; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.split()

    assert not {"faker", "flask", "marshmallow", "werkzeug", "yaml"} & set(loaded)


def test_cancelled_timers_do_not_run_and_are_removed() -> None:
    clock, ran = Clock(), []
    timers = Timers(clock)
    kept = timers.call_at(clock.now + 1, lambda: ran.append("kept"))
    for _ in range(10_000):
        timers.cancel(timers.call_at(clock.now + 60, lambda: ran.append("gone")))
    assert len(timers._heap) < 3000
    clock.pass_(60)
    timers.run()
    timers.cancel(kept)
    assert ran == ["kept"]


@pytest.fixture(params=[make_poller, Poller])
def poller(request: pytest.FixtureRequest) -> Iterator[Poller]:
    made: Poller = request.param()
    yield made
    made.close()


def test_a_poller_reports_the_watched_events(poller: Poller) -> None:
    here, there = socket.socketpair()
    with here, there:
        number = here.fileno()
        poller.watch(number, 0)
        assert poller.wait(0) == []
        poller.watch(number, WRITE)
        assert poller.wait(0) == [(number, WRITE)]
        poller.watch(number, READ)
        assert poller.wait(0) == []
        there.send(b"x")
        assert poller.wait(None) == [(number, READ)]
        poller.forget(number)
        poller.forget(number)
        assert poller.wait(0) == []


def test_the_best_poller_reports_that_a_client_has_left_before_its_bytes_are_read() -> None:
    poller = make_poller()
    if type(poller) is Poller:
        pytest.skip("this platform does not report it")
    here, there = socket.socketpair()
    with here:
        poller.watch(here.fileno(), PEER_CLOSED)
        there.send(b"x")
        assert poller.wait(0) == []
        there.close()
        assert poller.wait(None)[0][1] & PEER_CLOSED
    poller.close()


def test_a_waker_ends_each_wait_and_does_nothing_when_closed(poller: Poller) -> None:
    waker = Waker()
    poller.watch(waker.fd, waker.interest)
    for _ in range(3):
        for _ in range(100):
            waker.wake()
        [(fd, events)] = poller.wait(None)
        assert (fd, events) == (waker.fd, READ)
        waker.handle(events)
        assert poller.wait(0) == []
    poller.forget(waker.fd)
    waker.close()
    waker.wake()


def test_many_pets_are_generated_on_the_worker_thread(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text("description: Many.\ndata: {pets: {count: 3000}}\n")
    app = create_app(Settings(scenarios_dir=(tmp_path,)))
    lines = ("Authorization: Bearer mockpets", "Mockpets-Scenario: many")
    with running(app) as server, Wire(server.port) as one, Wire(server.port) as other:
        one.get("/v1/pets/2999", *lines)
        other.get("/v1/pets/2999", *lines)
        responses = [one.read(), other.read()]
        assert [response.status for response in responses] == [200, 200]
        assert responses[0].body == responses[1].body
        assert "mockpets-helper" in {thread.name for thread in threading.enumerate()}
    assert "mockpets-helper" not in {thread.name for thread in threading.enumerate()}
