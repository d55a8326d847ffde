"""`--metrics-port`: the metrics on a port of their own, and nothing else."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.main import main
from mockpets.errors import InputError
from tests.cases import each
from tests.http_client import Client, OverSocket

if TYPE_CHECKING:
    from collections.abc import Iterator

PET = {"name": "Miso", "categoryId": 2}


def start(**settings: Any) -> MockpetsServer:
    return MockpetsServer(Settings(port=0, metrics_port=0, host=("127.0.0.1",), **settings))


@pytest.fixture(scope="module")
def server() -> Iterator[MockpetsServer]:
    with start(control="off", name="mock-1") as server:
        yield server


@pytest.fixture
def metrics(server: MockpetsServer) -> Client:
    return Client(OverSocket(root(server)))


def root(server: MockpetsServer) -> str:
    assert server.metrics_url is not None
    return server.metrics_url.removesuffix("/metrics")


def test_the_port_has_the_metrics_of_the_server_with_the_control_api_off(
    server: MockpetsServer, metrics: Client
) -> None:
    call = Client(OverSocket(server.url))
    call("GET", "/v1/pets/999")
    text = metrics("GET", "/metrics").body.decode()

    assert 'mockpets_requests_total{operation="getPet",status="404"} ' in text
    assert "mockpets_connections " in text  # which only the server knows
    assert call("GET", "/__mockpets/metrics").status == 404


def test_the_response_names_the_server_and_is_plain_text(metrics: Client) -> None:
    response = metrics("GET", "/metrics")

    assert response.header("Mockpets-Node") == "mock-1"
    assert (response.header("Content-Type") or "").startswith("text/plain; version=")
    assert response.header("Cache-Control") == "no-store"


@each("method, path", [
    ("GET", "/"),
    ("GET", "/v1/pets"),
    ("POST", "/v1/pets"),
    ("GET", "/metrics/"),
    ("POST", "/metrics"),
    ("OPTIONS", "/metrics"),
    ("DELETE", "/metrics"),
    ("GET", "/__mockpets/metrics"),
    ("GET", "/__mockpets/state"),
    ("POST", "/__mockpets/reset"),
    ("PUT", "/__mockpets/pets"),
    ("GET", "/__mockpets/"),
    ("GET", "/%00"),
    ("GET", "/~a/metrics"),
])  # fmt: skip
def test_the_port_has_nothing_else(metrics: Client, method: str, path: str) -> None:
    body = [PET] if method in ("POST", "PUT") else None
    response = metrics(method, path, json_body=body)

    assert (response.status, response.json["code"]) == (404, "not_found")
    assert response.json["message"] == "this port has only the metrics; send GET /metrics"


def test_visitors_do_not_use_up_the_rate_of_the_metrics() -> None:
    with start(public=True, control="off", visitor_rate=1) as server:
        call, metrics = Client(OverSocket(server.url)), Client(OverSocket(root(server)))
        statuses = {call("GET", "/v1/pets").status for _ in range(20)}
        assert statuses == {200, 429} or statuses == {200, 503}
        assert {metrics("GET", "/metrics").status for _ in range(20)} == {200}


def test_a_port_in_use_is_reported_with_its_option_and_the_other_is_freed() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        settings = Settings(port=0, metrics_port=taken, host=("127.0.0.1",))
        with pytest.raises(InputError) as caught:
            MockpetsServer(settings).start()

    assert str(caught.value) == (
        f"--metrics-port {taken}: already in use on 127.0.0.1; stop the other program, or choose "
        "another port with --metrics-port (0 for any free port)"
    )


def test_the_command_rejects_the_port_of_the_api(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["serve", "--port", "7400", "--metrics-port", "7400"])

    assert status == 2
    assert capsys.readouterr().err == (
        "mockpets: --metrics-port: must differ from --port; choose another port\n"
        "mockpets: the server did not start\n"
    )
