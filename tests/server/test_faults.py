"""Broken connections as clients see them, and scenarios that break them through the real app."""

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.faults import FAULTS
from mockpets.server.server_limits import ServerLimits
from tests.server.query_app import QueryApp
from tests.server.raw_http import Clock, Wire, port_of, running

KEY_LINE = "Authorization: Bearer mockpets"
RESETS = 1000


# --- Without the real app ---------------------------------------------------------------------


def test_each_reset_reaches_the_client() -> None:
    with running(QueryApp()) as server:
        for _ in range(RESETS):
            with Wire(server.port) as wire:
                wire.get("/?fault=connection_reset")
                with pytest.raises(ConnectionResetError) as caught:
                    wire.socket.recv(1)
                assert caught.value.errno == errno.ECONNRESET


def test_an_empty_reply_ends_without_a_byte() -> None:
    with running(QueryApp()) as server:
        for _ in range(RESETS):
            with Wire(server.port) as wire:
                # The next request must not turn the close into a reset.
                wire.get("/?fault=empty_reply").get("/next")
                assert wire.rest() == b""
        server.until(lambda: server.connections, 0)


@pytest.mark.parametrize("fault", ["connection_reset", "empty_reply"])
def test_a_fault_comes_after_the_delay(fault: str) -> None:
    clock = Clock()
    with running(QueryApp(), clock=clock) as server, Wire(server.port) as wire:
        wire.get(f"/?delay=2&fault={fault}")
        server.until(lambda: server.waiting, 1)
        clock.pass_(2)
        if fault == "empty_reply":
            assert wire.rest() == b""
        else:
            with pytest.raises(ConnectionResetError):
                wire.socket.recv(1)


@pytest.mark.parametrize("query", ["more=5", "more=5&close=1"])
def test_a_short_body_ends_the_connection(query: str) -> None:
    with running(QueryApp()) as server, Wire(server.port) as wire:
        wire.get(f"/a?{query}")
        assert wire.rest().endswith(b"\r\n\r\nGET /a 0")


# --- Scenarios --------------------------------------------------------------------------------

FILES = {
    "late": "stubs: [{delay: 30s}]",
    "held": "stubs: [{hold: gate}]",
    "slow-bytes": "stubs: [{throttle: 1 B/s}]",
    "stalled": "stubs: [{fault: stall}]",
    "once": "stubs: [{match: {operation: getPet}, times: 1, fault: connection_reset}]",
    **{f"kind-{place}": f"stubs: [{{fault: {fault}}}]" for place, fault in enumerate(FAULTS)},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / f"{name}.yaml").write_text(f"description: For a test.\n{text}\n")
    return tmp_path


@pytest.fixture
def serving(folder: Path) -> Iterator[Callable[..., int]]:
    servers: list[MockpetsServer] = []

    def start(*scenarios: str) -> int:
        settings = Settings(
            host=("127.0.0.1",), port=0, scenarios_dir=(folder,), scenario=scenarios or ("default",)
        )
        servers.append(MockpetsServer(settings).start())
        return port_of(servers[-1].url)

    yield start
    for server in servers:
        server.stop()


@pytest.mark.parametrize("fault", FAULTS)
def test_each_kind_of_fault_breaks_the_response(fault: str, serving: Callable[..., int]) -> None:
    received = []
    for scenario in ("default", f"kind-{list(FAULTS).index(fault)}"):
        port = serving(scenario)
        with Wire(port) as wire:
            wire.get("/v1/pets", KEY_LINE, "Connection: close")
            if scenario != "default" and FAULTS[fault].then == "wait":
                received.append(wire.head())
                continue
            try:
                received.append(wire.rest())
            except ConnectionResetError:
                received.append(b"")
    (whole_head, _, whole_body), (head, _, body) = (
        all_.partition(b"\r\n\r\n") for all_ in received
    )
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("GET", "/__mockpets/requests")
        [row] = json.loads(connection.getresponse().read())["requests"]

    assert whole_head.startswith(b"HTTP/1.1 200 ")
    assert len(json.loads(whole_body)) == 16
    if FAULTS[fault].sends == "nothing":
        assert head == b""
    else:
        assert head.startswith(b"HTTP/1.1 200 ")
        assert f"\r\nMockpets-Off-Contract: fault {fault}\r\n".encode() in head
        assert (body == b"") == (FAULTS[fault].sends == "head")
        assert body != whole_body
    assert row["fault"] == fault
    assert row["status"] == (None if FAULTS[fault].sends == "nothing" else 200)


def test_a_stalled_response_waits_until_the_client_leaves(folder: Path) -> None:
    app = create_app(Settings(scenarios_dir=(folder,)))
    request_log = app.extensions["mockpets"].sessions.default.request_log
    with running(app, ServerLimits(parked=1)) as server, Wire(server.port) as other:
        with Wire(server.port) as wire:
            head = wire.get("/v1/pets", KEY_LINE, "Mockpets-Scenario: stalled").head()
            server.until(lambda: server.waiting, 1)
            assert [entry.outcome for entry in request_log.entries()] == ["broken"]
            late = other.get("/v1/pets", KEY_LINE, "Mockpets-Scenario: late").read()
        server.until(lambda: server.waiting, 0)

        assert b"Content-Length: 9" in head
        assert late.status == 503, "a stalled response counts as a parked one"
        other.get("/v1/pets", KEY_LINE, "Mockpets-Scenario: stalled").head()
        server.until(lambda: server.waiting, 1)  # it does not delay the end of the server


PREFLIGHT = "OPTIONS /v1/pets HTTP/1.1\r\nHost: a\r\nOrigin: http://a.test\r\n"


@pytest.mark.parametrize("request_", [
    f"GET /v1/pets HTTP/1.1\r\nHost: a\r\n{KEY_LINE}\r\n",
    "GET /v1/pets HTTP/1.1\r\nHost: a\r\n",
    "GET /v1/nothing HTTP/1.1\r\nHost: a\r\n",
    f"{PREFLIGHT}Access-Control-Request-Method: GET\r\n",
], ids=["success", "no key", "no path", "preflight"])  # fmt: skip
def test_connections_are_not_reused_while_a_scenario_breaks_them(
    request_: str, serving: Callable[..., int]
) -> None:
    for scenario, expected in (("once", "close"), ("default", None)):
        with Wire(serving(scenario)) as wire:
            wire.send(f"{request_}\r\n".encode())
            response = wire.read(has_body=not request_.startswith("OPTIONS"))
            assert response.headers.get("Connection") == expected


def test_the_scenario_of_a_request_decides_about_its_connection(
    serving: Callable[..., int],
) -> None:
    port = serving()
    with Wire(port) as wire:
        wire.get("/v1/pets", KEY_LINE, "Mockpets-Scenario: once")
        assert wire.read().headers["Connection"] == "close"
    with Wire(port) as wire:
        asks = "Access-Control-Request-Headers: authorization,mockpets-scenario\r\n"
        wire.send(f"{PREFLIGHT}{asks}\r\n".encode())
        assert wire.read(has_body=False).headers["Connection"] == "close"


def test_responses_of_the_control_api_keep_the_connection(serving: Callable[..., int]) -> None:
    with Wire(serving("offline")) as wire:
        assert "Connection" not in wire.get("/__mockpets/health").read().headers


# --- Parked responses of the real app ---------------------------------------------------------


@pytest.mark.parametrize("scenario", ["late", "held", "slow-bytes"])
def test_one_parked_response_too_many_is_rejected_and_a_page_can_read_it(
    scenario: str, folder: Path
) -> None:
    app = create_app(Settings(scenarios_dir=(folder,)))
    lines = (KEY_LINE, "Origin: http://front.test", f"Mockpets-Scenario: {scenario}")
    with (
        running(app, ServerLimits(parked=1)) as server,
        Wire(server.port) as first,
        Wire(server.port) as second,
    ):
        first.get("/v1/pets", *lines)
        server.until(lambda: server.waiting, 1)
        response = second.get("/v1/pets", *lines).read()

        assert response.status == 503
        assert response.json == {
            "code": "busy",
            "message": "too many responses are already delayed, throttled or held; try again later",
            "status": 503,
        }
        assert response.headers["Retry-After"] == "1"
        assert response.headers["Access-Control-Allow-Origin"] == "http://front.test"
        assert response.headers["Mockpets-Stub"] == f"{scenario}/1"
        assert second.get("/v1/pets", KEY_LINE).read().status == 200


@pytest.mark.slow
def test_activating_a_scenario_that_breaks_connections_closes_idle_ones() -> None:
    """On an old connection, a browser would retry the broken request and report no failure."""
    with running(create_app(Settings())) as server, Wire(server.port) as idle:
        assert idle.get("/v1/pets", KEY_LINE).read().status == 200
        with Wire(server.port) as busy, Wire(server.port) as other:
            busy.get("/v1/pets", KEY_LINE, "Mockpets-Delay: 500ms")
            server.until(lambda: server.waiting, 1)
            other.send(activation("slow"))
            assert other.read().status == 200
            assert idle.is_open()
            other.send(activation("offline"))
            assert other.read().status == 200

            assert idle.rest() == b""
            assert busy.read().status == 200


def test_activating_a_scenario_that_breaks_connections_leaves_other_sessions_alone() -> None:
    """A parallel test may be about to send a request on its connection."""
    with running(create_app(Settings())) as server, Wire(server.port) as other:
        wires = {name: Wire(server.port) for name in ("unused", "control", "other", "own", "proxy")}
        wires["control"].send(state())
        assert wires["control"].read().status == 200
        assert wires["other"].get("/~other/v1/pets", KEY_LINE).read().status == 200
        assert wires["own"].get("/~other/v1/pets", KEY_LINE).read().status == 200
        assert wires["own"].get("/v1/pets", KEY_LINE).read().status == 200
        for number in range(9):
            assert wires["proxy"].get(f"/~w{number}/v1/pets", KEY_LINE).read().status == 200

        other.send(activation("offline"))
        assert other.read().status == 200

        for name, wire in wires.items():
            assert wire.rest() == b"" if name in ("own", "proxy") else wire.is_open(), name
            wire.close()


def test_activating_such_a_scenario_closes_connections_of_the_panel_too() -> None:
    """A browser may use them for an app's requests."""
    with running(create_app(Settings())) as server, Wire(server.port) as panel:
        panel.send(state("Sec-Fetch-Mode: cors"))
        assert panel.read().status == 200
        with Wire(server.port) as other:
            other.send(activation("offline"))
            assert other.read().status == 200
        assert panel.rest() == b""


def state(*lines: str) -> bytes:
    head = ["GET /__mockpets/state HTTP/1.1", "Host: localhost", *lines, "", ""]
    return "\r\n".join(head).encode()


def activation(name: str) -> bytes:
    body = b'{"scenario": "%s"}' % name.encode()
    lines = ["PUT /__mockpets/scenario HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "Content-Type: application/json", "", ""]).encode() + body
