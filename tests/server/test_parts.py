"""The parts of the server that need no connection."""

from __future__ import annotations

import ast
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mockpets.server
from mockpets.errors import NotReady
from mockpets.server.poller import LEFT, READ, WRITE, AnyPoller, make_poller
from mockpets.server.scheduler import Timers
from mockpets.session.gates import Gates
from tests.server.raw_http import Clock, Wire, running
from tests.server.waitress_internals import LEANED_ON, moved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockpets.server.poller import Poller


# --- waitress ---------------------------------------------------------------------------------


def test_waitress_still_has_what_we_lean_on() -> None:
    assert moved() == []


def test_nothing_else_of_waitress_is_imported() -> None:
    imported = {
        f"{node.module}.{name.name}"
        for file in Path(mockpets.server.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "waitress"
        for name in node.names
    }
    named = {f"{path}.{part}" for path, parts in LEANED_ON.items() for part in parts}

    assert imported - named - LEANED_ON.keys() == {"waitress.wasyncore"}  # its `dispatcher`


def test_a_waitress_that_moved_is_told_of() -> None:
    table: dict[str, dict[str, str | None]] = {
        "waitress.no_such_module": {"x": None},
        "waitress.channel.NoSuchClass": {"x": None},
        "waitress.channel.HTTPChannel": {"no_such_part": None, "received": "self", "addr": "self"},
    }

    assert moved(table) == [
        "waitress.no_such_module is gone",
        "waitress.channel.NoSuchClass is gone",
        "waitress.channel.HTTPChannel.no_such_part is gone",
        "waitress.channel.HTTPChannel.received takes (self, data), not (self)",
        "waitress.channel.HTTPChannel.addr takes (none), not (self)",
    ]


# --- Timers -----------------------------------------------------------------------------------


def test_timers_run_when_due_in_order() -> None:
    clock, ran = Clock(), []
    timers = Timers(clock)
    assert timers.seconds() is None
    for name, when in (("c", 3), ("a", 1), ("b", 1)):
        timers.at(clock.now + when, lambda name=name: ran.append(name))  # type: ignore[misc]
    assert timers.seconds() == 1
    clock.pass_(2)
    assert timers.seconds() == 0
    timers.run()
    assert ran == ["a", "b"]
    clock.pass_(1)
    timers.run()
    assert ran == ["a", "b", "c"]
    assert len(timers) == 0


def test_a_cancelled_timer_does_not_run_and_does_not_stay() -> None:
    clock, ran = Clock(), []
    timers = Timers(clock)
    kept = timers.at(clock.now + 1, lambda: ran.append("kept"))
    for _ in range(10_000):
        timers.cancel(timers.at(clock.now + 60, lambda: ran.append("gone")))
    assert len(timers) == 1
    assert len(timers._heap) < 3000
    clock.pass_(60)
    timers.run()
    timers.cancel(kept)
    assert ran == ["kept"]
    assert len(timers) == 0


# --- Pollers ----------------------------------------------------------------------------------


@pytest.fixture(params=[make_poller, AnyPoller])
def poller(request: pytest.FixtureRequest) -> Iterator[Poller]:
    made: Poller = request.param()
    yield made
    made.close()


def test_a_poller_tells_what_it_is_asked_for(poller: Poller) -> None:
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


def test_the_best_poller_sees_a_client_leave_behind_unread_bytes() -> None:
    poller = make_poller()
    if isinstance(poller, AnyPoller):
        pytest.skip("this platform cannot tell")
    here, there = socket.socketpair()
    with here:
        poller.watch(here.fileno(), LEFT)
        there.send(b"x")
        assert poller.wait(0) == []
        there.close()
        assert poller.wait(None)[0][1] & LEFT
    poller.close()


# --- Gates ------------------------------------------------------------------------------------


def test_a_gate_lets_go_once_all_that_waits_behind_it() -> None:
    gates, went = Gates(lambda: None), []
    for name in ("b", "a", "a"):
        gates.wait(name, lambda name=name: went.append(name))  # type: ignore[misc]
    leave = gates.wait("a", lambda: went.append("left"))
    assert gates.waiting() == {"a": 3, "b": 1}
    leave()
    leave()
    assert gates.open("a") == 2
    assert gates.open("a") == 0
    assert went == ["a", "a"]
    assert gates.waiting() == {"b": 1}
    leave()


def test_gates_hold_from_many_threads() -> None:
    gates = Gates(lambda: None)
    went: list[int] = []
    opened: list[int] = []

    def wait() -> None:
        for number in range(500):
            gates.wait("a", lambda number=number: went.append(number))  # type: ignore[misc]
            opened.append(gates.open("a"))

    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(went) == sum(opened) == 2000
    assert gates.waiting() == {}


# --- Pets that take long to make ------------------------------------------------------------------


@pytest.fixture
def many(tmp_path: Path) -> Callable[[], object]:
    from mockpets import Settings, create_app

    (tmp_path / "many.yaml").write_text("description: Many.\npets: {count: 3000}\n")
    return lambda: create_app(Settings(scenarios_dir=(tmp_path,)))


def test_many_pets_are_made_by_the_helper(many: Callable[[], object]) -> None:
    app = many()
    lines = ("Authorization: Bearer mockpets", "Mockpets-Scenario: many")
    with running(app) as server, Wire(server.port) as one, Wire(server.port) as other:  # type: ignore[arg-type]
        one.get("/v1/pets/2999", *lines)
        other.get("/v1/pets/2999", *lines)
        answers = [one.read(), other.read()]
        assert [answer.status for answer in answers] == [200, 200]
        assert answers[0].body == answers[1].body
        assert answers[0].headers["Mockpets-Scenario"] == "many"
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


def test_a_session_can_say_that_pets_have_to_be_made_first(many: Callable[[], object]) -> None:
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
