"""Errors that are not the client's: bugs, and background jobs that fail."""

from collections.abc import Iterator
from typing import NoReturn

import pytest

from mockpets import MockpetsServer, Settings
from tests.http_client import Client, OverSocket
from tests.web.test_contract import assert_error

BUG = "this is a bug in mockpets; report it with the traceback in the log"
MEMORY = "the server has too little memory; send or request less at once, or give it more"


@pytest.fixture
def call() -> Iterator[Client]:
    """A client of a server over a socket: only our server has a worker thread."""
    with MockpetsServer(Settings(port=0)) as server:
        yield Client(OverSocket(server.url))


@pytest.mark.parametrize(
    ("error", "fix"), [(ValueError("a bug"), BUG), (MemoryError(), MEMORY)], ids=["error", "memory"]
)
@pytest.mark.parametrize(("method", "path", "body", "target", "what"), [
    ("PUT", "data/pets", {"count": 1000}, "mockpets.records.table.TableCache.make",
     "generating 1000 pets"),
    ("PUT", "data/pets", [{"id": 1, "name": "n" * 9000, "categoryId": 1}],
     "mockpets.scenario.language.control_bodies.parse_content", "reading the records"),
    ("PUT", "sessions/w3", {"data": {"pets": {"count": 1}}},
     "mockpets.scenario.language.control_bodies.parse_session_config", "reading the body"),
    ("GET", "metrics", None, "mockpets.telemetry.metrics.Metrics.prepare", "loading the"),
], ids=["generate pets", "read pets", "read a session", "metrics"])  # fmt: skip
def test_a_failed_background_job_is_reported_with_what_it_was(
    call: Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    method: str,
    path: str,
    body: object,
    target: str,
    what: str,
    error: Exception,
    fix: str,
) -> None:
    before = call("GET", "/v1/pets").body

    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(target, fail)
        response = call(method, f"/__mockpets/{path}", json_body=body, key=None)

    assert_error(response, "internal_error")
    message = response.json["message"]
    assert message.startswith(what) and message.endswith(f" failed: {fix}")
    [record] = [each for each in caplog.records if each.levelname == "ERROR"]
    assert record.getMessage().startswith(what)
    assert record.exc_info is not None and record.exc_info[1] is error
    assert call("GET", "/v1/pets").body == before
    assert call(method, f"/__mockpets/{path}", json_body=body, key=None).status in (200, 201)


@pytest.mark.parametrize(("path", "body"), [
    ("data/pets", {"count": 1000}),
    ("data/pets", [{"id": 1, "name": "n" * 9000}]),
    ("scenario", {"scenario": ["emtpy"] + ["empty"] * 1000}),
])  # fmt: skip
def test_a_long_call_that_fails_creates_no_session(
    call: Client, monkeypatch: pytest.MonkeyPatch, path: str, body: object
) -> None:
    def fail(*_: object) -> NoReturn:
        raise ValueError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr("mockpets.records.table.TableCache.make", fail)
        response = call("PUT", f"/~w3/__mockpets/{path}", json_body=body, key=None)
    assert response.status in (400, 422, 500)
    sessions = call("GET", "/__mockpets/sessions", key=None).json["sessions"]
    assert [each["name"] for each in sessions] == ["default"]

    assert call("PUT", "/~w3/__mockpets/data/pets", json_body={"count": 1000}, key=None).json == {
        "total": 1000
    }


@pytest.mark.slow
def test_pets_generated_on_the_worker_that_do_not_fit_in_memory_are_a_507() -> None:
    with MockpetsServer(Settings(port=0, memory=8 * 2**20)) as server:
        call = Client(OverSocket(server.url))
        response = call("PUT", "/__mockpets/data/pets", json_body={"count": 100_000}, key=None)

    assert_error(response, "store_full")
    assert "a higher --memory" in response.json["message"]


@pytest.mark.parametrize("target", [
    "mockpets.web.playback.Playback.select",
    "mockpets.web.response_finalizer.must_close",
], ids=["before the response", "after it"])  # fmt: skip
def test_a_bug_is_a_500_and_logged(
    call: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, target: str
) -> None:
    bug = ValueError("a bug")

    def fail(*_: object, **__: object) -> NoReturn:
        raise bug

    with monkeypatch.context() as patch:
        patch.setattr(target, fail)
        response = call("GET", "/v1/pets")

    assert_error(response, "internal_error")
    assert "a bug" not in response.text
    [record] = [each for each in caplog.records if each.levelname == "ERROR"]
    assert record.exc_info is not None and record.exc_info[1] is bug
    assert call("GET", "/v1/pets").status == 200
