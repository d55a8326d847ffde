"""Long polling with `events`: every change wakes a client, and waiting needs no thread."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.limits import USUAL
from mockpets.session.change_feed import KINDS
from tests.http_client import JSON, Client, InProcess, OverSocket
from tests.server.raw_http import Clock, Wire, port_of, running

PET: Any = {"name": "Miso", "categoryId": 2}
WAITERS = 100
HELD = {
    "description": "d",
    "stubs": [{"match": {"operation": "getPet", "params": {"petId": 3}}, "hold": "gate"}],
}


def news(call: Client, query: str = "", session: str = "w1") -> Any:
    response = call("GET", f"/~{session}/__mockpets/events{query}", key=None)
    assert response.status == 200
    return response.json


def ask(query: str) -> bytes:
    return f"GET /~w1/__mockpets/events{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


# --- No wait --------------------------------------------------------------------------------------


def test_without_a_number_it_returns_the_current_one(call: Client) -> None:
    call("POST", "/~w1/v1/pets", json_body=PET)
    reported = news(call, "?wait=30")
    assert reported.keys() == {"change", "resets", "changed"}
    assert reported["changed"] == []
    assert reported["change"] > reported["resets"] >= 0


def test_a_number_of_another_server_gets_every_change(call: Client) -> None:
    call("POST", "/~w1/v1/pets", json_body=PET)
    number = news(call)["change"]
    reported = news(call, f"?since={number + 1000}&wait=30")
    assert reported["change"] == number
    assert {"requests", "data", "sessions"} <= {*reported["changed"]}


def test_a_recreated_session_is_distinguishable(call: Client) -> None:
    lives = []
    for _ in range(3):
        call("GET", "/~life/v1/pets")
        for _ in range(2):
            lives.append(news(call, session="life")["resets"])
            call("POST", "/~life/__mockpets/reset", key=None)
        lives.append(news(call, session="life")["resets"])
        call("DELETE", "/__mockpets/sessions/life", key=None)
    assert len({*lives}) == len(lives) == 9


def test_a_reset_is_reported_and_counted(call: Client) -> None:
    call("GET", "/~reset/v1/pets")
    before = news(call, session="reset")
    call("POST", "/~reset/__mockpets/reset", key=None)
    reported = news(call, f"?since={before['change']}&wait=30", "reset")
    assert reported["resets"] == before["resets"] + 1
    assert reported["changed"] == ["requests", "scenario", "data"]


# --- Waiting --------------------------------------------------------------------------------------


def do(call: Client, method: str, path: str, body: object = None) -> None:
    raw = None if body is None else json.dumps(body).encode()
    response = call(method, path, body=raw, headers=JSON if raw else {})
    assert response.status < 300, response.body


W1 = "/~w1/__mockpets"
ACTS: dict[str, tuple[list[str], Callable[[Client], None]]] = {
    "a request": (["requests"], lambda call: do(call, "GET", "/~w1/v1/pets")),
    "a new pet": (["data"], lambda call: do(call, "POST", "/~w1/v1/pets", PET)),
    "pets": (["data"], lambda call: do(call, "PUT", f"{W1}/data/pets", [])),
    "a change": (["data"], lambda call: do(call, "PATCH", f"{W1}/data/pets/1", {"name": "x"})),
    "no pet": (["data"], lambda call: do(call, "DELETE", f"{W1}/data/pets/1")),
    "clear": (["requests"], lambda call: do(call, "DELETE", f"{W1}/requests")),
    "use": (["scenario"], lambda call: do(call, "PUT", f"{W1}/scenario", {"scenario": "empty"})),
    "reset": (["requests", "scenario", "data"], lambda call: do(call, "POST", f"{W1}/reset")),
    "a session": (["sessions"], lambda call: do(call, "PUT", f"{W1}/sessions/w2")),
    "no session": (["sessions"], lambda call: do(call, "DELETE", f"{W1}/sessions/there")),
    "a clock": (["clock"], lambda call: do(call, "PUT", f"{W1}/clock", {"frozen": True})),
    "other start": (["data"], lambda call: do(call, "PUT", f"{W1}/sessions/w1", {"seed": 5})),
}


@pytest.mark.parametrize("name", ACTS)
def test_every_kind_of_change_wakes_it(name: str) -> None:
    kinds, act = ACTS[name]
    with MockpetsServer(Settings(port=0)) as server, ThreadPoolExecutor(1) as pool:
        call, other = (Client(OverSocket(server.url)) for _ in range(2))
        do(call, "GET", "/~there/v1/pets")
        do(call, "GET", "/~w1/v1/pets")
        number = news(call)["change"]
        waiting = pool.submit(news, other, f"?since={number}&wait=8")
        act(call)
        reported = waiting.result(timeout=20)
        # In whatever order, everything is reported in the end.
        rest = news(call, f"?since={number}")["changed"]

    assert reported["change"] > number
    assert {*reported["changed"]} & {*kinds}
    assert {*reported["changed"]} <= {*KINDS}
    assert {*kinds} <= {*rest}


def test_a_test_client_gets_the_changes_at_once() -> None:
    call = Client(InProcess(create_app(Settings())))
    number = news(call)["change"]

    assert news(call, f"?since={number}&wait=20")["changed"] == []


def test_a_changed_file_is_reported_to_all_sessions(tmp_path: Path) -> None:
    with MockpetsServer(Settings(port=0, scenarios_dir=(tmp_path,))) as server:
        call = Client(OverSocket(server.url))
        call("GET", "/~w1/v1/pets")
        # One session does not exist yet, and still gets the event.
        numbers = {name: news(call, session=name)["change"] for name in ("w1", "w2")}
        (tmp_path / "mine.yaml").write_text("description: d\n")
        for name, number in numbers.items():
            assert news(call, f"?since={number}&wait=20", name)["changed"] == ["files"]
        listed = call("GET", "/__mockpets/scenarios", key=None).json["scenarios"]
    assert "mine" in {row["name"] for row in listed}


def test_held_responses_are_reported() -> None:
    with MockpetsServer(Settings(port=0)) as server, Wire(port_of(server.url)) as wire:
        call = Client(OverSocket(server.url))
        do(call, "PUT", f"{W1}/scenario", {"scenario": HELD})
        number = news(call)["change"]
        wire.get("/~w1/v1/pets/3", "Authorization: Bearer mockpets")
        seen: set[str] = set()
        while "gates" not in seen:
            reported = news(call, f"?since={number}&wait=10")
            assert reported["changed"]
            seen |= {*reported["changed"]}
            number = reported["change"]
        assert call("GET", f"{W1}/gates").json == {"gates": {"gate": 1}}
        do(call, "POST", f"{W1}/gates/gate/open")
        assert "gates" in news(call, f"?since={number}&wait=10")["changed"]
        assert wire.read().status == 200


def test_a_client_that_leaves_a_gate_is_reported() -> None:
    with MockpetsServer(Settings(port=0)) as server:
        call = Client(OverSocket(server.url))
        do(call, "PUT", f"{W1}/scenario", {"scenario": HELD})
        with Wire(port_of(server.url)) as wire:
            wire.get("/~w1/v1/pets/3", "Authorization: Bearer mockpets")
            while call("GET", f"{W1}/gates").json == {"gates": {}}:
                news(call, f"?since={news(call)['change']}&wait=1")
            number = news(call)["change"]
        seen: set[str] = set()
        while "gates" not in seen:
            reported = news(call, f"?since={number}&wait=10")
            assert reported["changed"], seen
            seen |= {*reported["changed"]}
            number = reported["change"]
        assert call("GET", f"{W1}/gates").json == {"gates": {}}


def test_another_session_does_not_wake_it(clock: Clock) -> None:
    with running(create_app(Settings()), clock=clock) as server:
        call = Client(OverSocket(f"http://127.0.0.1:{server.port}"))
        for name in ("w1", "w2"):
            call("GET", f"/~{name}/v1/pets")
        number = news(call)["change"]
        with Wire(server.port) as wire:
            wire.send(ask(f"?since={number}&wait=25"))
            server.until(lambda: server.waiting, 1)
            do(call, "POST", "/~w2/v1/pets", PET)
            do(call, "PUT", "/~w2/__mockpets/data/pets", [])
            assert server.ask(lambda: server.waiting) == 1
            clock.pass_(24.9)
            assert server.ask(lambda: server.waiting) == 1
            clock.pass_(0.2)
            assert wire.read().json == {"change": number, "resets": 0, "changed": []}


class Waiting:
    """A server on which `count` clients wait for events of one session."""

    def __init__(self, server: Any, stack: ExitStack, count: int) -> None:
        self.server = server
        self.call = Client(OverSocket(f"http://127.0.0.1:{server.port}"))
        self.call("GET", "/~w1/v1/pets")
        self.number = news(self.call)["change"]
        self.wires = [stack.enter_context(Wire(server.port)) for _ in range(count)]
        for wire in self.wires:
            wire.send(ask(f"?since={self.number}&wait=30"))
        server.until(lambda: server.waiting, count)


def test_dropping_a_session_ends_its_waits(clock: Clock) -> None:
    with running(create_app(Settings()), clock=clock) as server, ExitStack() as stack:
        threads = threading.active_count()
        waiting = Waiting(server, stack, WAITERS)
        assert threading.active_count() == threads
        do(waiting.call, "DELETE", "/__mockpets/sessions/w1")
        reported = [wire.read().json for wire in waiting.wires]
        # Waiting for its events does not create the session again.
        assert [(each["resets"], each["changed"]) for each in reported] == [
            (None, ["sessions"])
        ] * WAITERS
        assert waiting.call("GET", "/__mockpets/sessions/w1").status == 404


def test_replacing_a_session_ends_its_waits(clock: Clock) -> None:
    age = Clock()  # the clock of sessions only; the loop's clock stands still, so they keep waiting
    app = create_app(Settings(max_sessions=2), age)
    with running(app, clock=clock) as server, ExitStack() as stack:
        two = Waiting(server, stack, 2)
        age.pass_(USUAL.idle_seconds)
        do(two.call, "GET", "/~w2/v1/pets")
        assert [wire.read().json["resets"] for wire in two.wires] == [None, None]
        do(two.call, "GET", "/__mockpets/sessions/w2")


def test_a_client_can_wait_for_a_session_that_does_not_exist() -> None:
    with MockpetsServer(Settings(port=0)) as server, ThreadPoolExecutor(1) as pool:
        call, other = (Client(OverSocket(server.url)) for _ in range(2))
        for _ in range(9):
            do(call, "GET", "/v1/pets")
        first = news(call)
        waiting = pool.submit(news, other, f"?since={first['change']}&wait=20")
        assert call("GET", "/__mockpets/sessions/w1").status == 404
        do(call, "GET", "/~w1/v1/pets")
        came = waiting.result(timeout=20)
        then = news(call)
        # A later request with an earlier number gets a response at once too.
        late = news(call, f"?since={first['change']}&wait=20")
        gone = pool.submit(news, other, f"?since={then['change']}&wait=20")
        do(call, "DELETE", "/__mockpets/sessions/w1")
        reported = gone.result(timeout=20)
        after = news(call, f"?since={then['change']}&wait=20")

    assert (first["resets"], first["changed"]) == (None, [])
    assert (came["resets"], reported["resets"], after["resets"]) == (0, None, None)
    assert "sessions" in came["changed"]
    assert {"sessions", "requests"} <= {*late["changed"]}
    assert reported["changed"] == after["changed"] == ["sessions"]
