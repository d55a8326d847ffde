"""`verify` and `gates/NAME/wait` wait for what they expect, without a thread on our server."""

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from mockpets import Settings, create_app
from mockpets.request_log import verification
from mockpets.server.scheduler import Scheduler
from mockpets.server.server_limits import ServerLimits
from tests.http_client import Client, InProcess, OverSocket
from tests.server.raw_http import Clock, Running, Wire, running

LIST: Any = {"operation": "listPets"}
HELD: Any = {"scenario": {"description": "d", "stubs": [{"hold": "door"}]}}
KEY = "Authorization: Bearer mockpets"


class Waiting:
    """A server whose clock the test moves, and calls that wait on it."""

    def __init__(self, server: Running, clock: Clock, stack: ExitStack) -> None:
        self.server, self.clock, self.stack = server, clock, stack
        self.call = Client(OverSocket(f"http://127.0.0.1:{server.port}"))

    def post(self, path: str, body: Any, session: str = "w1") -> Wire:
        """Send a call and return its connection."""
        raw = json.dumps(body).encode()
        head = f"POST /~{session}/__mockpets/{path} HTTP/1.1\r\nHost: localhost\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n\r\n"
        wire = self.stack.enter_context(Wire(self.server.port))
        wire.send(head.encode() + raw)
        return wire

    def verify(self, **body: Any) -> Wire:
        return self.post("verify", {"match": LIST, "within": "5s", **body})

    def parked(self, count: int = 1) -> None:
        """Wait until so many responses are parked."""
        self.server.until(lambda: self.server.waiting, count)

    def list_pets(self) -> None:
        assert self.call("GET", "/~w1/v1/pets").status == 200


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    clock = Clock()
    with running(create_app(Settings()), clock=clock) as server, ExitStack() as stack:
        yield Waiting(server, clock, stack)


# --- verify ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("times", [None, 2, {"at_least": 2}])
def test_a_number_to_reach_is_waited_for_and_responds_at_once(waiting: Waiting, times: Any) -> None:
    count = 1 if times is None else 2
    wire = waiting.verify(**({} if times is None else {"times": times}))
    for _ in range(count):
        waiting.parked()
        waiting.list_pets()
    response = wire.read()

    assert (response.status, response.json["matched"]) == (200, count)
    assert waiting.server.ask(lambda: waiting.server.waiting) == 0
    assert wire.is_open()


@pytest.mark.parametrize("times", [0, {"at_most": 1}, {"at_least": 0, "at_most": 1}])
def test_an_upper_limit_must_hold_at_the_end(waiting: Waiting, times: Any) -> None:
    wire = waiting.verify(times=times)
    waiting.parked()
    if times != 0:
        waiting.list_pets()
    waiting.clock.pass_(4.9)
    waiting.parked()
    waiting.clock.pass_(0.2)

    assert wire.read().json["matched"] == (times != 0)


def test_a_call_that_waits_keeps_its_place_while_it_checks(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = waiting.verify(times=2)
    waiting.parked()
    monkeypatch.setattr(Scheduler, "room", lambda *_: False)  # others have taken all places
    waiting.list_pets()
    waiting.parked()
    waiting.list_pets()

    assert wire.read().status == 200


@pytest.mark.parametrize("times", [0, {"at_most": 1}, 1])
def test_an_exceeded_limit_fails_at_once(waiting: Waiting, times: Any) -> None:
    if times == 1:  # an exact number that is reached is not waited for
        waiting.list_pets()
        assert waiting.verify(times=1).read().status == 200
        waiting.list_pets()
        wire = waiting.verify(times=1)
    else:
        wire = waiting.verify(times=times)
        for _ in range(1 if times == 0 else 2):
            waiting.parked()
            waiting.list_pets()
    response = wire.read()

    assert (response.status, response.json["code"]) == (409, "verification_failed")
    assert waiting.server.ask(lambda: waiting.server.waiting) == 0


def test_pending_requests_may_become_fewer_so_a_limit_waits_for_them(waiting: Waiting) -> None:
    assert waiting.call("PUT", "/~w1/__mockpets/scenario", json_body=HELD).status == 200
    held = waiting.stack.enter_context(Wire(waiting.server.port)).get("/~w1/v1/pets", KEY)
    waiting.parked()
    wire = waiting.verify(match={"outcome": "pending"}, times=0)
    waiting.parked(2)
    waiting.call("POST", "/~w1/__mockpets/gates/door/open")
    assert held.read().status == 200
    waiting.parked()
    waiting.clock.pass_(5)

    assert wire.read().status == 200


def test_what_does_not_come_in_time_fails_with_the_nearest_requests(waiting: Waiting) -> None:
    wire = waiting.verify(match={**LIST, "query": {"limit": "3"}}, times=2)
    waiting.parked()
    for _ in range(3):  # other requests do not prolong the wait
        waiting.list_pets()
        waiting.clock.pass_(1.6)
        waiting.parked()
    waiting.clock.pass_(0.3)
    response = wire.read()

    assert (response.status, response.json["code"]) == (409, "verification_failed")
    assert len(response.json["details"]["nearest"]) == 3


def test_a_long_request_log_is_compared_again_after_each_change(waiting: Waiting) -> None:
    for _ in range(250):  # more than are compared on the loop's thread
        waiting.list_pets()
    wire = waiting.verify(times=255)
    for _ in range(5):
        waiting.parked()
        waiting.list_pets()

    assert wire.read().json["matched"] == 255


def test_comparisons_of_one_session_take_turns_with_those_of_others(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, compared = threading.Event(), list[str]()

    def recorded(progress: Any, request_log: Any, session: str, **options: Any) -> Any:
        compared.append(session)
        assert release.wait(20)
        return check(progress, request_log, session, **options)

    for name in ("w1", "w2"):
        waiting.call("PUT", f"/__mockpets/sessions/{name}")
    wires = [waiting.verify() for _ in range(20)]
    wires.append(waiting.post("verify", {"match": LIST, "within": "5s"}, "w2"))
    waiting.parked(21)
    check = verification.Progress.check
    monkeypatch.setattr(verification.Progress, "check", recorded)
    waiting.list_pets()
    waiting.parked(1)
    assert waiting.call("GET", "/~w2/v1/pets").status == 200
    waiting.parked(0)
    for _ in range(2):  # until the last one is with the worker
        waiting.server.ask(lambda: None)
    release.set()

    assert {wire.read().status for wire in wires} == {200}
    # One was running, and one had its turn, at most.
    assert compared.index("w2") <= 2


def test_a_comparison_during_which_the_time_ends_is_repeated_and_reports_the_failure(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, release = threading.Event(), threading.Event()

    def slow(*arguments: Any, **options: Any) -> Any:
        begun.set()
        assert release.wait(20)
        return check(*arguments, **options)

    wire = waiting.verify(times=2)
    waiting.parked()
    check = verification.Progress.check
    monkeypatch.setattr(verification.Progress, "check", slow)
    waiting.list_pets()
    assert begun.wait(20)
    waiting.clock.pass_(6)
    release.set()
    response = wire.read()

    assert (response.status, response.json["code"]) == (409, "verification_failed")


def test_it_waits_for_a_session_that_does_not_exist_yet_and_does_not_create_it(
    waiting: Waiting,
) -> None:
    wire = waiting.verify()
    waiting.parked()
    assert waiting.call("GET", "/__mockpets/sessions/w1").status == 404
    waiting.list_pets()
    assert wire.read().status == 200


def test_a_closed_session_ends_the_wait(waiting: Waiting) -> None:
    waiting.call("PUT", "/__mockpets/sessions/w1")
    wire = waiting.verify()
    waiting.parked()
    waiting.call("DELETE", "/__mockpets/sessions/w1?closed=60s")

    assert wire.read().json["code"] == "session_dropped"


# --- Gates ----------------------------------------------------------------------------------------


def test_a_gate_is_waited_for_until_it_holds_enough_responses(waiting: Waiting) -> None:
    waiting.call("PUT", "/~w1/__mockpets/scenario", json_body=HELD)
    wire = waiting.post("gates/door/wait", {"held": 2})
    for count in (1, 2):
        waiting.parked(count)
        waiting.stack.enter_context(Wire(waiting.server.port)).get("/~w1/v1/pets", KEY)
    response = wire.read()

    assert (response.status, response.json) == (200, {"held": 2})


@pytest.mark.parametrize(
    ("name", "hint"), [("dor", "; did you mean 'door'?"), ("x", "; held at other gates: door (1)")]
)
def test_a_gate_that_holds_too_few_responses_is_reported(
    waiting: Waiting, name: str, hint: str
) -> None:
    waiting.call("PUT", "/~w1/__mockpets/scenario", json_body=HELD)
    waiting.stack.enter_context(Wire(waiting.server.port)).get("/~w1/v1/pets", KEY)
    waiting.parked()
    wires = [waiting.post(f"gates/{name}/wait", {}), waiting.post("gates/door/wait", {"held": 2})]
    waiting.parked(3)
    waiting.clock.pass_(5.1)
    unknown, few = [wire.read().json for wire in wires]

    expected = "expected at least 1 response held at gate"
    assert unknown["message"] == f"{expected} '{name}', got 0{hint}"
    assert few == {
        "code": "not_held",
        "message": "expected at least 2 responses held at gate 'door', got 1",
        "status": 409,
        "details": {"held": 1},
    }


# --- Both -----------------------------------------------------------------------------------------

CALLS = [("verify", {"match": LIST, "within": "30s"}), ("gates/door/wait", {"within": "30s"})]


@pytest.mark.parametrize(("path", "body"), CALLS)
def test_many_calls_wait_without_a_thread_and_end_when_the_server_stops(
    waiting: Waiting, path: str, body: Any
) -> None:
    threads = threading.active_count()
    wires = [waiting.post(path, body) for _ in range(50)]
    waiting.parked(50)
    waiting.list_pets() if path != "verify" else None  # wakes them, and they wait again
    waiting.parked(50)
    assert threading.active_count() == threads
    waiting.server.loop.stop()

    assert {wire.read().status for wire in wires} == {409}


@pytest.mark.parametrize(("path", "body"), CALLS)
def test_without_room_the_call_is_rejected_at_once(path: str, body: Any) -> None:
    clock = Clock()
    app = create_app(Settings())
    with running(app, ServerLimits(parked=1), clock) as server, ExitStack() as stack:
        waiting = Waiting(server, clock, stack)
        waiting.post(path, body)
        waiting.parked()
        rejected = waiting.post(path, body).read()
        assert (rejected.status, rejected.json["code"]) == (503, "busy")


@pytest.mark.parametrize("path", ["verify", "gates/door/wait"])
@pytest.mark.parametrize("session", ["default", "w1"])
def test_the_calls_of_one_session_leave_room_for_others(path: str, session: str) -> None:
    body: Any = {"within": "30s"}
    if path == "verify":
        body["match"] = {"operation": "createPet"}
    delay, clock = "Mockpets-Delay: 5s", Clock()
    with (
        running(create_app(Settings()), ServerLimits(parked=4), clock) as server,
        ExitStack() as stack,
    ):
        waiting = Waiting(server, clock, stack)
        stack.enter_context(Wire(server.port)).get(f"/~{session}/v1/pets", KEY, delay)
        waiting.parked()
        waiting.post(path, body, session)
        waiting.parked(2)
        with Wire(server.port) as wire:
            responses = [waiting.post(path, body, session).read()]
            responses.append(wire.get(f"/~{session}/v1/pets", KEY, delay).read())
            for response in responses:
                assert (response.status, response.json["code"]) == (503, "busy")
                assert response.json["message"] == (
                    f"session '{session}' has too many delayed, throttled or held responses: one "
                    "session may have at most half of the places that the others leave free; open "
                    "its gates, or wait for its responses"
                )
        waiting.post(path, body, "w2")
        waiting.parked(3)


@pytest.mark.parametrize(("path", "body", "message"), [
    ("verify", {"match": {}, "within": 5}, "within: must be a duration such as 300ms"),
    ("verify", {"match": {}, "within": "31s"}, "within: must be a duration of at most 30s"),
    ("gates/door/wait", {"held": 0}, "held: must be an integer from 1 to 250, got 0"),
    ("gates/door/wait", {"hold": 1}, "unknown key 'hold'; did you mean 'held'"),
])  # fmt: skip
def test_invalid_bodies_are_rejected(call: Client, path: str, body: Any, message: str) -> None:
    response = call("POST", f"/__mockpets/{path}", json_body=body, key=None)

    assert (response.status, response.json["code"]) == (400, "invalid_request")
    assert message in response.json["message"]


def test_a_test_client_gets_the_result_at_once() -> None:
    call = Client(InProcess(create_app(Settings())))
    call("GET", "/~w1/v1/pets")
    body = {"match": LIST, "times": 2, "within": "20s"}
    failed = call("POST", "/~w1/__mockpets/verify", json_body=body)
    late = call("POST", "/~w1/__mockpets/gates/door/wait", json_body={"within": "20s"})

    assert (failed.status, failed.json["details"]["matched"]) == (409, 1)
    assert (late.status, late.json["details"]) == (409, {"held": 0})
