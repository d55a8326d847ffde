"""Undo: what a reset, a clear or a delete removed comes back within ten seconds."""

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.client import ControlClient
from mockpets.session.undo import REMOVED
from tests.http_client import Client, InProcess, Response
from tests.server.raw_http import Clock

PET: Any = {"name": "Miso", "categoryId": 2}
STUB = {"match": {"operation": "listPets"}, "times": 2, "reply": {"status": 503}}
TWICE = {"description": "d", "data": {"pets": 2}, "stubs": [STUB]}


class Server:
    """A server in this process with a session `w1`, which has something of each kind."""

    def __init__(self, **settings: Any) -> None:
        self.clock = Clock()
        self.call = Client(InProcess(create_app(Settings(**settings), self.clock)))

    def control(self, method: str, path: str, body: object = None) -> Response:
        return self.call(method, f"/~w1/__mockpets/{path}", json_body=body, key=None)

    def fill(self) -> None:
        """Add a pet, a scenario with a counter and a random number, and requests."""
        self.call("POST", "/~w1/v1/pets", json_body=PET)
        self.control("PUT", "scenario", {"scenario": TWICE})
        assert self.call("GET", "/~w1/v1/pets").status == 503
        self.call("GET", "/~w1/v1/pets?status=sold", scenario="flaky")

    def undo(self) -> Response:
        return self.control("POST", "sessions/w1/undo")

    def state(self) -> Any:
        """Return all that an undo puts back."""
        summary = self.control("GET", "sessions/w1").json
        log = self.control("GET", "requests").json["requests"]
        return {
            **{name: summary[name] for name in ("id", "active", "seed", "records", "requests")},
            "log": [(each["number"], each["target"], each["status"]) for each in log],
            "all pets": self.control("GET", "data/pets").json["records"],
        }


@pytest.fixture
def server() -> Server:
    server = Server()
    server.fill()
    return server


REMOVALS = [("POST", "reset", "reset"), ("DELETE", "requests", "clear")]
DELETE = ("DELETE", "sessions/w1?closed=60s", "delete")


@pytest.mark.parametrize(("method", "path", "kind"), [*REMOVALS, DELETE])
def test_an_undo_puts_everything_back_once(
    server: Server, method: str, path: str, kind: str
) -> None:
    before = server.state()
    assert server.control(method, path).status == 200
    server.clock.now += 9.9
    undone = server.undo()

    assert (undone.status, undone.json["undone"]) == (200, kind)
    assert undone.json["session"]["id"] == before["id"]
    assert server.state() == before
    assert server.undo().json["code"] == "not_found"
    # The counter is at one of two, so one more request fails.
    assert [server.call("GET", "/~w1/v1/pets").status for _ in range(2)] == [503, 200]


@pytest.mark.parametrize(("method", "path", "kind"), [*REMOVALS, DELETE])
def test_after_ten_seconds_it_is_gone(server: Server, method: str, path: str, kind: str) -> None:
    server.control(method, path)
    server.clock.now += 10
    response = server.undo()

    assert (response.status, response.json["code"]) == (404, "not_found"), kind
    assert (
        "has nothing to undo: a reset, clear or delete of the last 10 seconds"
        in (response.json["message"])
    )


def test_requests_since_a_clear_stay_and_those_since_a_reset_do_not(server: Server) -> None:
    before = server.state()["log"]
    server.control("DELETE", "requests")
    server.call("GET", "/~w1/v1/pets/1")
    server.undo()

    assert server.state()["log"] == [*before, (before[-1][0] + 1, "/~w1/v1/pets/1", 200)]
    server.control("POST", "reset")
    server.call("GET", "/~w1/v1/pets/2")
    server.call("POST", "/~w1/v1/pets", json_body=PET)
    server.undo()

    assert [number for number, *_ in server.state()["log"]] == [1, 2, 3, 4]
    numbers = server.call("GET", "/~w1/v1/pets/1").header("Mockpets-Request")
    assert numbers == "5"


def test_an_undo_keeps_what_was_activated_since_the_reset(server: Server) -> None:
    before = server.state()
    server.control("POST", "reset")
    now = {"now": "2031-02-03T04:05:06.789Z", "frozen": True}
    server.control("PUT", "clock", now)
    server.control("PUT", "overrides/flaky", {"description": "d"})
    server.control("PUT", "scenario", {"scenario": "empty"})
    server.undo()

    assert server.control("GET", "clock").json["now"] == now["now"]
    assert server.control("GET", "scenarios/flaky").json["override"]
    assert server.state()["active"] == ["empty"]
    server.control("PUT", "scenario", {"scenario": "default"})
    assert server.state()["all pets"][-1]["name"] == PET["name"]
    assert server.state()["log"] == before["log"]


def test_a_name_that_is_used_again_cannot_be_undone(server: Server) -> None:
    server.control("DELETE", "sessions/w1")
    server.call("GET", "/~w1/v1/pets")

    assert server.undo().status == 404
    assert server.state()["requests"] == 1


def test_all_sessions_can_be_put_back_one_by_one(server: Server) -> None:
    before = server.state()
    server.control("POST", "sessions/reset")
    server.undo()
    assert server.state() == before

    server.control("DELETE", "sessions")
    server.undo()
    assert server.state() == before


@pytest.mark.parametrize("name", ["w2", "default", "no", "a b", "x" * 65])
def test_without_anything_to_undo_it_is_an_error(server: Server, name: str) -> None:
    response = server.control("POST", f"sessions/{name.replace(' ', '%20')}/undo")

    assert response.status in (404, 422)
    assert server.control("GET", "sessions").json["sessions"][1:][0]["name"] == "w1"


def test_a_full_server_puts_no_session_back() -> None:
    server = Server(max_sessions=2)
    server.fill()
    server.control("DELETE", "sessions/w1")
    server.call("GET", "/~w2/v1/pets")

    assert (server.undo().status, server.undo().status) == (503, 404)


@pytest.mark.slow
def test_what_is_kept_goes_first_when_memory_is_needed() -> None:
    server = Server(memory=5 * 2**20, max_records=10_000)
    many = [{"id": number, "name": "x" * 1000, "categoryId": 1} for number in range(1, 900)]
    for name in ("w1", "w2", "v1", "v2", "v3"):  # of 4 MiB for pets, each takes about one
        path = f"/~{name}/__mockpets/data/pets"
        assert server.call("PUT", path, json_body=many, key=None).status == 200
        if name[0] == "w":
            server.control("DELETE", f"sessions/{name}")

    assert server.undo().status == 404


def test_a_busy_suite_keeps_a_limited_number(server: Server) -> None:
    for number in range(REMOVED):
        server.call("PUT", f"/__mockpets/sessions/s{number}", key=None)
        server.call("DELETE", f"/__mockpets/sessions/s{number}", key=None)
        if number == 0:
            server.control("DELETE", "sessions/w1")

    assert server.call("POST", "/__mockpets/sessions/s0/undo", key=None).status == 404
    assert server.undo().status == 200


def identity_of(client: ControlClient) -> str:
    return next(each["id"] for each in client.sessions() if each["name"] == client.name)


def test_a_restart_brings_back_what_an_undo_put_back(tmp_path: Path) -> None:
    settings = Settings(port=0, state=str(tmp_path / "pets.state"))
    with MockpetsServer(settings) as server:
        client = ControlClient(server.url, "w1")
        ids = [client.add_record("pets", {"name": "Miso", "categoryId": 2})["id"] for _ in range(3)]
        identity = identity_of(client)
        client.reset()
        client.add_record("pets", {"name": "Later", "categoryId": 2})
        assert client.undo()["undone"] == "reset"
        client.drop_session("w1")
        ControlClient(server.url, "w2").add_record(
            "pets", {"name": "Other", "categoryId": 2}
        )  # saved after the delete
        assert client.undo()["undone"] == "delete"
        expected = client.records("pets")
        assert identity_of(client) == identity
    with MockpetsServer(settings) as server:
        client = ControlClient(server.url, "w1")

        assert client.records("pets") == expected
        assert ids == [pet["id"] for pet in expected[-3:]]
        assert client.add_record("pets", {"name": "Next", "categoryId": 2})["id"] > max(ids)


@pytest.mark.slow
@pytest.mark.usefixtures("saves_often")
def test_changes_after_an_undo_at_once_survive_a_crash(tmp_path: Path) -> None:
    """The delete may not have reached the file yet. A copy is what a crash would leave."""
    settings = Settings(port=0, state=str(tmp_path / "pets.state"))
    with MockpetsServer(settings) as server:
        client = ControlClient(server.url, "w1")
        client.add_record("pets", {"name": "First", "categoryId": 2})
        wait_for_save(client)
        client.drop_session("w1")
        client.undo()
        wait_for_save(client)
        client.delete_record("pets", 1)
        expected = client.records("pets")
        wait_for_save(client)
        (tmp_path / "copy").mkdir()
        for path in tmp_path.glob("pets.state*"):
            shutil.copy(path, tmp_path / "copy")
    with MockpetsServer(Settings(port=0, state=str(tmp_path / "copy/pets.state"))) as server:
        assert ControlClient(server.url, "w1").records("pets") == expected


def wait_for_save(client: ControlClient) -> None:
    """Wait until what was changed before is on the disk."""
    progress = client.state()["state_file"]
    assert progress is not None
    begun = progress["begun"]
    while progress is not None and progress["saved"] <= begun:
        time.sleep(0.02)
        progress = client.state()["state_file"]
