"""Parts of the server that can be tested without a connection."""

from __future__ import annotations

import ast
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from waitress.adjustments import Adjustments

import mockpets.server
from mockpets.errors import NotReady
from mockpets.http.request_parser import RequestParser
from mockpets.journal.wait import Wait
from mockpets.server.connection import Connection, Endpoint
from mockpets.server.poller import PEER_CLOSED, READ, WRITE, Poller, Waker, make_poller
from mockpets.server.task import common_environ, make_environ
from mockpets.server.timers import Timers
from mockpets.session.gates import Gates
from tests.server.raw_http import Clock, Wire, running
from tests.server.waitress_internals import INTERNALS, changes
from tests.server.waitress_internals import READ as READ_BY_WAITRESS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


SERVER_FILES = sorted(Path(mockpets.server.__file__).parent.rglob("*.py"))


# --- waitress ---------------------------------------------------------------------------------


def test_waitress_has_the_internals_that_we_use() -> None:
    assert changes() == []


def test_nothing_else_is_imported_from_waitress() -> None:
    imported = {
        f"{node.module}.{name.name}"
        for file in SERVER_FILES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "waitress"
        for name in node.names
    }

    assert imported == INTERNALS.keys()


def test_a_change_in_waitress_is_reported() -> None:
    table: dict[str, dict[str, str | None]] = {
        "waitress.no_such_module": {"x": None},
        "waitress.channel.NoSuchClass": {"x": None},
        "waitress.channel.HTTPChannel": {"no_such_part": None, "received": "self", "addr": "self"},
    }

    assert changes(table) == [
        "waitress.no_such_module is gone",
        "waitress.channel.NoSuchClass is gone",
        "waitress.channel.HTTPChannel.no_such_part is gone",
        "waitress.channel.HTTPChannel.received takes (self, data), not (self)",
        "waitress.channel.HTTPChannel.addr takes (none), not (self)",
    ]


class Recorder:
    """Wraps an object and records which attributes are read."""

    def __init__(self, target: object, **replaced: object) -> None:
        self.read: set[str] = set()
        self._target, self._replaced = target, replaced

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return self._replaced[name] if name in self._replaced else getattr(self._target, name)


def test_waitress_reads_only_the_listed_attributes() -> None:
    parser = RequestParser(1000, 1000)
    parser.received(b"GET /a?b HTTP/1.1\r\nHost: c\r\nX-D: e\r\n\r\n")
    adjustments = Adjustments(ident="f", server_name="g")
    endpoint = Recorder(Endpoint(lambda *_: (), adjustments, "g", 80))
    values = {"addr": ("h", 1), "check_client_disconnected": None, "server": endpoint}
    connection, request = Recorder(Connection, **values), Recorder(parser)

    common_environ(cast("Any", connection), cast("Any", request))

    recorders = {"connection": connection, "endpoint": endpoint, "request": request}
    assert {name: recorder.read for name, recorder in recorders.items()} == READ_BY_WAITRESS
    connection = Recorder(Connection, **values, scheduler=None)
    environ = make_environ(cast("Any", connection), cast("Any", request))
    assert (environ["HTTP_X_D"], environ["SERVER_NAME"], environ["REMOTE_ADDR"]) == ("e", "g", "h")


# --- Construction -----------------------------------------------------------------------------

STATE = {"callback", "draining", "expect_continue", "stop_at"}
"""Attributes that change while their object is in use."""


def test_objects_get_their_collaborators_in_the_constructor() -> None:
    assigned = {
        target.attr
        for file in SERVER_FILES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assign)
        for item in node.targets
        for target in (item.elts if isinstance(item, ast.Tuple) else [item])
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) != "self"
    }

    assert assigned == STATE


def test_the_server_does_not_load_the_app() -> None:
    script = "import sys, mockpets.server; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.split()

    assert not {"faker", "flask", "marshmallow", "werkzeug", "yaml"} & set(loaded)


# --- Timers -----------------------------------------------------------------------------------


def test_timers_run_when_due_in_order() -> None:
    clock, ran = Clock(), []
    timers = Timers(clock)
    assert timers.timeout() is None
    for name, when in (("c", 3), ("a", 1), ("b", 1)):
        timers.call_at(clock.now + when, lambda name=name: ran.append(name))  # type: ignore[misc]
    assert timers.timeout() == 1
    clock.pass_(2)
    assert timers.timeout() == 0
    timers.run()
    assert ran == ["a", "b"]
    clock.pass_(1)
    timers.run()
    assert ran == ["a", "b", "c"]
    assert len(timers) == 0


def test_cancelled_timers_do_not_run_and_are_removed() -> None:
    clock, ran = Clock(), []
    timers = Timers(clock)
    kept = timers.call_at(clock.now + 1, lambda: ran.append("kept"))
    for _ in range(10_000):
        timers.cancel(timers.call_at(clock.now + 60, lambda: ran.append("gone")))
    assert len(timers) == 1
    assert len(timers._heap) < 3000
    clock.pass_(60)
    timers.run()
    timers.cancel(kept)
    assert ran == ["kept"]
    assert len(timers) == 0


# --- Pollers ----------------------------------------------------------------------------------


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


# --- Gates ------------------------------------------------------------------------------------


def test_opening_a_gate_releases_each_waiter_once() -> None:
    gates, released = Gates(lambda: None), []
    for name in ("b", "a", "a"):
        gates.hold(Wait(0, name), lambda name=name: released.append(name))  # type: ignore[misc]
    leave = gates.hold(Wait(0, "a"), lambda: released.append("left"))
    assert gates.waiting() == {"a": 3, "b": 1}
    leave()
    leave()
    assert gates.open("a") == 2
    assert gates.open("a") == 0
    assert released == ["a", "a"]
    assert gates.waiting() == {"b": 1}
    leave()


def test_gates_work_from_several_threads() -> None:
    gates = Gates(lambda: None)
    released: list[int] = []
    opened: list[int] = []

    def wait() -> None:
        for number in range(500):
            gates.hold(Wait(0, "a"), lambda number=number: released.append(number))  # type: ignore[misc]
            opened.append(gates.open("a"))

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(released) == sum(opened) == 2000
    assert gates.waiting() == {}


# --- Pets that take long to generate ----------------------------------------------------------


@pytest.fixture
def many(tmp_path: Path) -> Callable[[], object]:
    from mockpets import Settings, create_app

    (tmp_path / "many.yaml").write_text("description: Many.\npets: {count: 3000}\n")
    return lambda: create_app(Settings(scenarios_dir=(tmp_path,)))


def test_many_pets_are_generated_on_the_worker_thread(many: Callable[[], object]) -> None:
    app = many()
    lines = ("Authorization: Bearer mockpets", "Mockpets-Scenario: many")
    with running(app) as server, Wire(server.port) as one, Wire(server.port) as other:  # type: ignore[arg-type]
        one.get("/v1/pets/2999", *lines)
        other.get("/v1/pets/2999", *lines)
        responses = [one.read(), other.read()]
        assert [response.status for response in responses] == [200, 200]
        assert responses[0].body == responses[1].body
        assert responses[0].headers["Mockpets-Scenario"] == "many"
        assert "mockpets-helper" in {thread.name for thread in threading.enumerate()}
        created = b'{"name":"Miso","categoryId":2}'
        one.send(
            "\r\n".join(
                [
                    "POST /v1/pets HTTP/1.1",
                    "Host: a",
                    "Content-Type: application/json",
                    f"Content-Length: {len(created)}",
                    *lines,
                    "",
                    "",
                ]
            ).encode()
            + created
        )
        assert one.read().headers["Location"] == "/v1/pets/3001"
    assert "mockpets-helper" not in {thread.name for thread in threading.enumerate()}


def test_a_session_reports_that_pets_must_be_generated_first(many: Callable[[], object]) -> None:
    session = many().extensions["mockpets"].sessions.default  # type: ignore[attr-defined]
    with pytest.raises(NotReady) as first:
        session.use(("many",), at_once=True)
    with pytest.raises(NotReady) as second:
        session.use(("many",), at_once=True)
    first.value.job()
    activation = session.use(("many",), at_once=True)
    second.value.job()
    assert session.use(("many",), at_once=True) is activation
    assert activation.store.get(3000) is not None
