"""What happens to a session while the worker runs the job of a call that names it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mockpets import Settings, create_app
from mockpets.scenario.language import control_bodies
from mockpets.seed.generated_records import generate
from tests.http_client import JSON, Client, OverSocket
from tests.server.raw_http import Running, Wire, running

PET = {"name": "Miso", "categoryId": 2}
LONG = " " * 20_000
"""White space that makes a body long enough for a job."""


@pytest.fixture
def server() -> Iterator[Running]:
    with running(create_app(Settings())) as server:
        yield server


@pytest.fixture
def call(server: Running) -> Client:
    return Client(OverSocket(f"http://127.0.0.1:{server.port}"))


@dataclass(frozen=True)
class Blocked:
    """A call whose job waits for `release`."""

    wire: Wire
    release: Callable[[], None]


Block = Callable[[str, str, str], AbstractContextManager[Blocked]]


@pytest.fixture
def block(server: Running, monkeypatch: pytest.MonkeyPatch) -> Block:
    """Send a call whose job parses its body; wait until the job has begun."""

    @contextmanager
    def send(function: str, path: str, body: str) -> Iterator[Blocked]:
        begun, release = threading.Event(), threading.Event()
        parse = getattr(control_bodies, function)

        def slow(*arguments: Any, **options: Any) -> Any:
            begun.set()
            assert release.wait(20)
            return parse(*arguments, **options)

        monkeypatch.setattr(control_bodies, function, slow)
        head = f"PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        with Wire(server.port) as wire:
            wire.send(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            assert begun.wait(20)
            yield Blocked(wire, release.set)
            release.set()

    return send


SCENARIO = "/~w1/__mockpets/scenario"
SESSION = "/__mockpets/sessions/w1"


def test_a_call_that_fails_keeps_a_session_that_others_have_used(
    block: Block, call: Client
) -> None:
    with block("parse_session_config", SCENARIO, f'{{"scenario": 5{LONG}}}') as blocked:
        assert call("POST", "/~w1/v1/pets", json_body=PET).status == 201
        blocked.release()
        assert blocked.wire.read().status == 400
    assert len(call("GET", "/~w1/v1/pets?limit=100").json) == 17


def test_a_call_that_fails_drops_the_session_that_it_has_created(
    block: Block, call: Client
) -> None:
    with block("parse_session_config", SCENARIO, f'{{"scenario": 5{LONG}}}') as blocked:
        assert call("GET", SESSION).status == 200
        blocked.release()
        assert blocked.wire.read().status == 400
    assert call("GET", SESSION).status == 404


def test_a_client_that_leaves_keeps_a_session_that_others_have_used(
    block: Block, call: Client, server: Running
) -> None:
    with block("parse_session_config", SCENARIO, f'{{"scenario": "empty"{LONG}}}') as blocked:
        assert call("POST", "/~w1/v1/pets", json_body=PET).status == 201
        blocked.wire.reset()
        server.until(lambda: server.connections, 0)
        assert call("GET", SESSION).status == 200


def test_a_client_that_leaves_drops_the_session_that_its_call_has_created(
    block: Block, call: Client, server: Running
) -> None:
    with block("parse_session_config", SCENARIO, f'{{"scenario": "empty"{LONG}}}') as blocked:
        blocked.wire.reset()
        server.until(lambda: server.connections, 0)
        assert call("GET", SESSION).status == 404  # before the job has ended


def test_a_session_that_is_deleted_during_a_job_is_created_again(
    block: Block, call: Client
) -> None:
    with block("parse_session_config", SCENARIO, f'{{"scenario": "empty"{LONG}}}') as blocked:
        assert call("DELETE", SESSION).status == 200
        blocked.release()
        assert blocked.wire.read().status == 200
    assert call("GET", SESSION).json["active"] == ["empty"]


def test_a_reset_during_a_job_does_not_lose_its_records(block: Block, call: Client) -> None:
    with block("parse_content", "/~w1/__mockpets/data/pets", f"3{LONG}") as blocked:
        assert call("POST", "/~w1/__mockpets/reset", json_body={}).status == 200
        blocked.release()
        assert blocked.wire.read().json == {"total": 3}
    assert len(call("GET", "/~w1/v1/pets").json) == 3


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_does_not_replace_records_that_are_newer_than_its_scenario(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, release = threading.Event(), threading.Event()

    def slow(collection: Any, count: int, *arguments: Any) -> Any:
        if count == 3000:
            begun.set()
            assert release.wait(20)
        return generate(collection, count, *arguments)

    monkeypatch.setattr("mockpets.web.app.generate", slow)
    (tmp_path / "big.yaml").write_text("description: B.\ndata: {pets: {count: 3000}}\n")
    settings = Settings(scenarios_dir=(tmp_path,), scenario=("big",))
    with running(create_app(settings)) as server, Wire(server.port) as wire:
        call = Client(OverSocket(f"http://127.0.0.1:{server.port}"))
        body = json.dumps(PET) if method == "POST" else ""
        head = f"{method} /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer mockpets\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        wire.send(f"{head}{body}".encode())
        assert begun.wait(20)
        override = "description: B.\ndata: {pets: {count: 7}}\n"
        saved = call("PUT", "/__mockpets/overrides/big", headers=JSON, body=override.encode())
        assert saved.status == 201
        assert call("POST", "/v1/pets", json_body=PET).json["id"] == 8
        release.set()
        response = wire.read()

        assert response.status == (201 if method == "POST" else 200)
        assert call("GET", "/v1/pets/8").status == 200
        assert len(call("GET", "/v1/pets").json) == (9 if method == "POST" else 8)
