"""The outcome of each request in the request log, through real connections and a test client."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.client import ControlClient
from mockpets.client.transport import VerificationError
from tests.http_client import Client, InProcess, OverSocket
from tests.server.raw_http import Wire, port_of

KEY = "Authorization: Bearer mockpets"
MATCH = {"operation": "listPets"}
HELD = {"match": MATCH, "hold": "door"}


def stubs(*each: dict[str, Any]) -> dict[str, Any]:
    return {"description": "For a test.", "stubs": list(each)}


@pytest.fixture
def wire(server: MockpetsServer) -> Iterator[Wire]:
    with Wire(port_of(server.url)) as wire:
        yield wire


@pytest.fixture
def control(server: MockpetsServer) -> Iterator[ControlClient]:
    control = ControlClient(server.url, "w1")
    control.make_session("w1")
    yield control
    control.drop_session("w1")


def wait_for(control: ControlClient, *expected: str) -> None:
    """Wait until the request log has exactly these outcomes, oldest first."""
    for _ in range(100):
        request_log = control.request_log()
        outcomes = [each["outcome"] for each in request_log["requests"]]
        if outcomes == [*expected]:
            return
        assert control.events(request_log["change"], 20)["changed"], outcomes
    raise AssertionError(outcomes)


def one_request(control: ControlClient) -> Any:
    (request,) = control.requests()
    return request


def get(wire: Wire, path: str = "/v1/pets", *headers: str) -> None:
    wire.get(f"/~w1{path}", KEY, *headers)


def test_an_entry_has_the_time_for_which_the_response_was_held_and_until_it_ended(
    wire: Wire, control: ControlClient
) -> None:
    control.use(stubs(HELD))
    get(wire)
    wait_for(control, "pending")
    first, second = one_request(control), one_request(control)
    assert 0 < first["held_ms"] < second["held_ms"]
    assert first["total_ms"] is second["total_ms"] is None
    control.open_gate("door")
    wire.read()
    wait_for(control, "sent")
    ended = one_request(control)

    assert ended == one_request(control)
    assert second["held_ms"] < ended["held_ms"] < ended["total_ms"]
    (row,) = control.har()["log"]["entries"]
    assert ended["held_ms"] < row["timings"]["wait"] <= row["time"] == ended["total_ms"]


@pytest.mark.parametrize("stub", [{"delay": "40ms"}, {"throttle": "4 kB/s"}, {}])
def test_an_entry_without_a_gate_has_the_time_until_the_response_ended(
    stub: dict[str, Any], wire: Wire, control: ControlClient
) -> None:
    control.use(stubs(stub) if stub else "default")
    get(wire, "/v1/pets?limit=5")
    wire.read()
    wait_for(control, "sent")
    ended = one_request(control)

    assert ended["held_ms"] is None
    assert ended["total_ms"] >= ended["app_ms"] + (40 if stub else 0)


@pytest.mark.parametrize("stub", [
    {"hold": "door"},
    {"delay": "30s"},
    {"throttle": "1 B/s"},
    {"delay": "30s", "fault": "connection_reset"},
])  # fmt: skip
def test_a_client_that_leaves_is_recorded(
    stub: dict[str, Any], server: MockpetsServer, control: ControlClient
) -> None:
    control.use(stubs(stub))  # closes idle connections if it may break them
    with Wire(port_of(server.url)) as wire:
        get(wire)
        wait_for(control, "pending")
        wire.reset()

    wait_for(control, "client_left")


@pytest.mark.parametrize(("fault", "outcome", "status"), [
    ("connection_reset", "broken", None), ("empty_reply", "broken", None),
    ("truncated_body", "broken", 200), ("malformed_json", "sent", 200),
])  # fmt: skip
def test_a_fault_that_cuts_the_response_off_breaks_it(
    fault: str, outcome: str, status: int | None, server: MockpetsServer, control: ControlClient
) -> None:
    control.use(stubs({"fault": fault}))  # closes idle connections if it may break them
    with Wire(port_of(server.url)) as wire:
        get(wire)
        wait_for(control, outcome)
    (recorded,) = control.requests()

    assert (recorded["status"], recorded["fault"]) == (status, fault)
    # For a test client, the app itself decides.
    call = Client(InProcess(create_app(Settings())))
    call("PUT", "/__mockpets/scenario", key=None, json_body={"scenario": stubs({"fault": fault})})
    call("GET", "/v1/pets")
    (elsewhere,) = call("GET", "/__mockpets/requests", key=None).json["requests"]
    assert elsewhere["outcome"] == outcome


def test_pipelined_requests_have_their_own_outcomes(wire: Wire, control: ControlClient) -> None:
    control.use(stubs({"match": {"operation": "getPet"}, "hold": "door"}))
    get(wire)
    wire.send(b"HEAD /~w1/v1/pets HTTP/1.1\r\nHost: a\r\n" + KEY.encode() + b"\r\n\r\n")
    get(wire, "/v1/pets/1")
    get(wire, "/v1/pets?limit=1")
    wait_for(control, "sent", "sent", "pending")
    control.open_gate("door")

    wait_for(control, "sent", "sent", "sent", "sent")


def test_a_client_that_stops_sending_gets_its_response(wire: Wire, control: ControlClient) -> None:
    get(wire)
    wire.end_sending()
    assert wire.read().status == 200
    assert wire.rest() == b""

    wait_for(control, "sent")


def test_a_server_that_stops_sends_held_responses() -> None:
    with MockpetsServer(Settings(host=("127.0.0.1",), port=0)) as server:
        control = ControlClient(server.url, "w1")
        control.make_session("w1", scenario=stubs(HELD))
        with Wire(port_of(server.url)) as wire:
            get(wire)
            wait_for(control, "pending")
            server.stop()
            assert wire.read().status == 200


# --- Entries that are gone when the response ends ---------------------------------------------


@pytest.mark.parametrize("how", ["reset", "clear_requests"])
def test_a_response_that_ends_after_its_entry_is_gone_changes_no_other_entry(
    how: str, server: MockpetsServer, wire: Wire, control: ControlClient
) -> None:
    control.use(stubs(HELD))
    get(wire)
    wait_for(control, "pending")
    getattr(control, how)()
    with Wire(port_of(server.url)) as other:
        get(other)
        wait_for(control, "pending")
        wire.reset()
        while (state := control.state())["gates"]["door"] > 1:
            assert control.events(state["change"], 20)["changed"]
        assert [each["outcome"] for each in control.requests()] == ["pending"]
        control.open_gate("door")
        assert other.read().status == 200
        wait_for(control, "sent")


def test_a_response_that_ends_after_its_entry_was_dropped_changes_no_other_entry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mockpets.web.app.LOG_ENTRIES", 2)
    settings = Settings(host=("127.0.0.1",), port=0)
    with MockpetsServer(settings) as server, Wire(port_of(server.url)) as wire:
        control = ControlClient(server.url, "w1")
        control.make_session("w1", scenario=stubs({"match": {"operation": "getPet"}, "hold": "a"}))
        get(wire, "/v1/pets/1")
        wait_for(control, "pending")
        with Wire(port_of(server.url)) as other:
            for _ in range(2):
                get(other)
                other.read()
        control.open_gate("a")
        assert wire.read().status == 200

        assert [(each["number"], each["outcome"]) for each in control.requests()] == [
            (2, "sent"),
            (3, "sent"),
        ]


def test_a_response_that_ends_after_its_session_was_deleted_does_not_restore_it(
    server: MockpetsServer, wire: Wire
) -> None:
    control = ControlClient(server.url, "w1")
    control.make_session("w1", scenario=stubs(HELD))
    get(wire)
    wait_for(control, "pending")
    control.drop_session("w1", closed="0s")
    assert wire.read().status == 200

    assert "w1" not in {each["name"] for each in control.sessions()}
    assert control.requests() == []


def test_a_stub_cannot_match_by_outcome(fresh: Callable[..., Client]) -> None:
    stub = {"match": {"outcome": "sent"}, "reply": {"status": 503}}
    response = fresh()("PUT", "/__mockpets/scenario", key=None, json_body={"scenario": stubs(stub)})

    assert response.status == 422
    expected = "remove it: a stub is chosen before the response has an outcome"
    assert expected in json.dumps(response.json)


def test_verify_compares_the_api_key_and_repeats_no_key(
    server: MockpetsServer, control: ControlClient
) -> None:
    call = Client(OverSocket(server.url))
    call("GET", "/v1/pets", key="mockpets~w1+empty")
    call("GET", "/~w1/v1/pets", key="key-of-ann")
    call("GET", "/~w1/v1/pets", key=None)

    def match(value: str) -> dict[str, Any]:
        return {"headers": {"Authorization": {"equals": value}}}

    for value, number in (
        ("Bearer mockpets", 1),
        ("bearer mockpets~w1", 1),
        ("Bearer key-of-ann", 2),
    ):
        matched = control.verify(match(value), 1)["requests"]
        assert [each["number"] for each in matched] == [number], value
    with pytest.raises(VerificationError) as caught:
        control.verify(match("Bearer key-of-bob"))
    message = str(caught.value)
    assert "GET /~w1/v1/pets, responded 401: headers.authorization: " in message
    assert "expected the given value, got another value" in message
    assert "headers.authorization is missing, expected the given value" in message
    everything = json.dumps([caught.value.details, control.har(), control.request(2)]) + message
    assert "key-of" not in everything
