"""`GET held` and `POST held/release`: see and send single responses that wait."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient, ControlError
from mockpets.contract import control_calls as calls
from tests.server.raw_http import Wire, port_of

KEY = "Authorization: Bearer mockpets"
DOOR = {"match": {"operation": "listPets"}, "hold": "door"}
LATE = {"match": {"operation": "getPet"}, "delay": "30s"}
SLOW = {"match": {"operation": "createPet"}, "throttle": "10 B/s"}


@pytest.fixture
def control(server: MockpetsServer) -> Iterator[ControlClient]:
    control = ControlClient(server.url, "w1")
    control.make_session("w1", scenario={"description": "d", "stubs": [DOOR, LATE, SLOW]})
    yield control
    control.drop_session("w1")


@pytest.fixture
def wires(server: MockpetsServer) -> Iterator[list[Wire]]:
    wires = [Wire(port_of(server.url)) for _ in range(3)]
    yield wires
    for wire in wires:
        wire.close()


def send(wires: list[Wire], control: ControlClient, *targets: str) -> None:
    """Send each target on a connection of its own, in order."""
    for number, (wire, target) in enumerate(zip(wires, targets, strict=False), 1):
        wire.get(f"/~w1{target}", KEY)
        wait_until(control, lambda number=number: len(control.held()) == number)


def post(wire: Wire) -> None:
    body = b'{"name": "Miso", "categoryId": 1}'
    lines = ["POST /~w1/v1/pets HTTP/1.1", "Host: test", KEY, "Content-Type: application/json"]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""])
    wire.send(head.encode() + body)


def wait_until(control: ControlClient, ready: Any) -> None:
    for _ in range(15):
        change = control.request_log()["change"]
        if ready():
            return
        control.events(change, 1)
    raise AssertionError(control.held())


def problems(error: ControlError) -> list[tuple[str, str]]:
    details: Any = error.details
    return [(each["where"], each["what"]) for each in details["problems"]]


def test_what_waits_is_listed_with_its_reason(control: ControlClient, wires: list[Wire]) -> None:
    send(wires, control, "/v1/pets?api_key=secret", "/v1/pets/3")
    post(wires[2])
    wait_until(control, lambda: len(control.held()) == 3)
    held, late, slow = control.held()

    assert (held["request"], held["waits"], held["gate"], held["operation"]) == (
        *(1, "held", "door"),
        "listPets",
    )
    assert "secret" not in held["target"]
    assert (late["waits"], late["gate"], late["delay_ms"]) == ("delayed", None, 30_000)
    assert (slow["waits"], slow["throttle"], slow["status"]) == ("throttled", 10, 201)
    assert held["at"] <= held["since"]
    assert held["waited_ms"] > 0
    assert [each["waits"] for each in control.requests()] == ["held", "delayed", "throttled"]
    assert [each["session"] for each in control.held()] == ["w1"] * 3
    assert ControlClient(control.url, "w2").held() == []


def test_only_the_named_responses_are_released(control: ControlClient, wires: list[Wire]) -> None:
    send(wires, control, "/v1/pets?limit=1", "/v1/pets?limit=2", "/v1/pets/3")

    assert control.release(2, 3) == [2, 3]
    assert len(json.loads(wires[1].read().body)) == 2
    assert wires[2].read().status == 200
    assert [each["request"] for each in control.held()] == [1]
    assert control.gates() == {"door": 1}
    control.open_gate("door")
    assert wires[0].read().status == 200
    assert [each["waits"] for each in control.requests()] == [None] * 3


@pytest.mark.parametrize(("reply", "status", "body", "note"), [
    ({"error": "unauthorized"}, 401, b'"unauthorized"', "released with status 401 instead of 200"),
    ({"status": 200, "text": "hi"}, 200, b"hi", "released with status 200 instead of 200"),
    ({"page": []}, 200, b"[]", "released with status 200 instead of 200"),
    ({"fault": "malformed_json"}, 200, b",", "released with fault malformed_json"),
])  # fmt: skip
def test_another_reply_takes_the_place_of_the_prepared_one(
    reply: Any, status: int, body: bytes, note: str, control: ControlClient, wires: list[Wire]
) -> None:
    wires[0].get("/~w1/v1/pets", KEY, "Origin: http://localhost:5173")
    wait_until(control, control.held)
    control.release(1, reply=reply)
    response = wires[0].read()

    assert response.status == status
    assert body in response.body
    assert response.headers["Access-Control-Allow-Origin"] == "http://localhost:5173"
    assert response.headers["Mockpets-Request"] == "1"
    wait_until(control, lambda: control.requests()[0]["outcome"] != "pending")
    entry = control.request(1)
    assert entry["status"] == status
    assert body.decode() in entry["response"]["body"]["text"]
    assert entry["notes"][-1] == {"code": "released", "text": note}
    assert entry["held_ms"] is not None
    # The connection serves the next request.
    wires[0].get("/~w1/v1/pets/0", KEY)
    wait_until(control, lambda: [each["request"] for each in control.held()] == [2])


def test_a_connection_fault_breaks_the_response(control: ControlClient, wires: list[Wire]) -> None:
    send(wires, control, "/v1/pets")
    control.release(1, reply={"fault": "empty_reply"})

    assert wires[0].rest() == b""
    wait_until(control, lambda: control.requests()[0]["outcome"] == "broken")
    assert control.requests()[0]["status"] is None


def test_a_delay_starts_when_the_response_is_released(
    control: ControlClient, wires: list[Wire]
) -> None:
    send(wires, control, "/v1/pets?limit=1", "/v1/pets?limit=2")
    control.release(1, delay="30s")
    control.release(2, delay="1ms", reply={"status": 503})

    assert wires[1].read().status == 503
    (late,) = control.held()
    assert (late["request"], late["waits"], late["delay_ms"]) == (1, "delayed", 30_000)
    assert control.gates() == {}
    control.release(1)
    assert len(json.loads(wires[0].read().body)) == 1


def test_a_response_goes_on_waiting_after_a_release_that_fails(
    control: ControlClient, wires: list[Wire]
) -> None:
    send(wires, control, "/v1/pets?limit=0")
    with pytest.raises(ControlError, match="limit"):
        control.release(1, reply={"page": []})
    assert [each["request"] for each in control.held()] == [1]
    control.release(1)

    assert wires[0].read().status == 400


def test_a_fault_damages_a_response_once(control: ControlClient, wires: list[Wire]) -> None:
    sizes = []
    for delay in (None, "1ms"):
        stub = {**DOOR, "fault": "truncated_body"}
        control.use({"description": "d", "stubs": [stub]})
        with Wire(wires[0].socket.getpeername()[1]) as wire:
            wire.get("/~w1/v1/pets", KEY)
            wait_until(control, lambda: control.held())
            control.release(control.held()[0]["request"], delay=delay)
            head = wire.head().decode()
            sizes.append((head.partition("Content-Length: ")[2].split("\r\n")[0], len(wire.rest())))
    assert sizes[0] == sizes[1]
    assert int(sizes[0][0]) // 2 == sizes[0][1]


def test_a_client_that_leaves_while_its_response_is_held_is_marked(
    control: ControlClient, wires: list[Wire]
) -> None:
    send(wires, control, "/v1/pets", "/v1/pets/3")
    for wire in wires:
        wire.close()
    wait_until(control, lambda: not control.held())

    left = [(each["outcome"], each["waits"]) for each in control.requests()]
    assert left == [("client_left", "held"), ("client_left", "delayed")]
    with pytest.raises(ControlError) as caught:
        control.release(1)
    assert caught.value.status == 404


def test_the_rest_of_a_throttled_body_is_sent_at_once(
    control: ControlClient, wires: list[Wire]
) -> None:
    post(wires[0])
    wait_until(control, control.held)
    with pytest.raises(ControlError, match="are being sent; release them without a reply"):
        control.release(1, reply={"status": 500})
    control.release(1)

    assert b"Miso" in wires[0].read().body


@pytest.mark.parametrize(("requests", "more", "expected"), [
    ((), {}, [("requests", "at least 1 item")]),
    ((1,), {"reply": {"sequence": []}}, [("reply", "sequence")]),
    ((1, 2), {"reply": {"page": []}}, [("reply", "request 2 is another one")]),
    ((1,), {"reply": {"status": 200, "text": "{query.limit}"}}, [("reply", "references")]),
    ((1,), {"delay": "soon"}, [("delay", "soon")]),
    ((1,), {"dealy": "1s"}, [("", "dealy")]),
    (("1",), {}, [("requests.1", "text")]),
])  # fmt: skip
def test_an_invalid_release_names_every_problem_and_releases_nothing(
    requests: Any,
    more: Any,
    expected: list[tuple[str, str]],
    control: ControlClient,
    wires: list[Wire],
) -> None:
    send(wires, control, "/v1/pets", "/v1/pets/3")
    with pytest.raises(ControlError) as caught:
        control._call(calls.RELEASE, body={"requests": requests, **more})

    assert caught.value.status == 400
    got = problems(caught.value)
    assert len(got) == len(expected)
    for (where, what), (place, text) in zip(got, expected, strict=True):
        assert where.startswith(place)
        assert text in f"{where}: {what}"
    assert [each["request"] for each in control.held()] == [1, 2]


def test_a_response_that_does_not_wait_is_not_released(
    control: ControlClient, wires: list[Wire]
) -> None:
    send(wires, control, "/v1/pets")
    with pytest.raises(ControlError, match=r"request 7 does not .* wait for requests 1") as caught:
        control.release(1, 7)

    assert caught.value.status == 404
    assert [each["request"] for each in control.held()] == [1]


def test_responses_that_wait_outlive_the_request_log(
    control: ControlClient, wires: list[Wire]
) -> None:
    send(wires, control, "/v1/pets")
    control.clear_requests()
    assert [each["request"] for each in control.held()] == [1]
    control.release(1, reply={"status": 500})

    assert wires[0].read().status == 500
    assert control.requests() == []


def test_deleting_a_session_sends_its_responses(control: ControlClient, wires: list[Wire]) -> None:
    send(wires, control, "/v1/pets")
    assert control.find_session("w1")["held"] == 1
    control.drop_session("w1", closed="0s")

    assert wires[0].read().status == 200
    control.make_session("w1")
    assert control.held() == []


def test_a_public_server_does_not_break_connections() -> None:
    token, name = "secret-of-the-owner", f"v-{'a' * 32}"
    settings = Settings(host=("127.0.0.1",), port=0, public=True, control_token=token)
    with MockpetsServer(settings) as server, Wire(port_of(server.url)) as wire:
        control = ControlClient(server.url, name, token)
        control.make_session(name, scenario="loading")
        wire.get(f"/~{name}/v1/pets", KEY)
        wait_until(control, control.held)
        with pytest.raises(ControlError) as caught:
            control.release(1, reply={"fault": "connection_reset"})
        assert caught.value.code == "forbidden"
        control.release(1)
        assert wire.read().status == 200
