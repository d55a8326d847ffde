"""The memory for records: what is shared counts once, and what was freed can be used at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.client import ControlClient
from mockpets.errors import RequestError
from tests.http_client import KEY, Client, InProcess, OverSocket, Response
from tests.server.raw_http import Clock
from tests.session.test_undo import wait_for_save
from tests.web.control.test_metrics import held

MIB = 2**20
YAML = {"Content-Type": "application/yaml"}


def records(count: int, size: int = 700) -> list[Any]:
    return [{"id": each, "name": "x" * size, "categoryId": 1} for each in range(1, count + 1)]


class Server:
    """A server in this process whose memory for records is 1 MiB, with a clock of its own."""

    def __init__(self, **settings: Any) -> None:
        self.clock = Clock()
        options = {"memory": 5 * MIB // 4, "max_records": 10_000, "data": ("pets=0",), **settings}
        self.app = create_app(Settings(**options), self.clock)
        self.call = Client(InProcess(self.app))

    def control(self, method: str, path: str, body: object = None) -> Response:
        return self.call(method, path, json_body=body, key=None)

    def ok(self, method: str, path: str, body: object = None) -> Response:
        response = self.control(method, path, body)
        assert response.status in (200, 201), response.body
        return response

    def put(self, session: str, count: int = 900) -> int:
        """Replace the pets of a session; 900 of them take more than half of the memory."""
        return self.control("PUT", f"/~{session}/__mockpets/data/pets", records(count)).status

    def create(self, session: str, size: int = 60_000) -> int:
        pet = {"name": "x" * size, "categoryId": 1}
        return self.call("POST", f"/~{session}/v1/pets", json_body=pet).status

    def fill(self, session: str) -> None:
        """Create pets until a request is rejected, and one more."""
        while self.create(session) == 201:
            pass
        assert self.create(session) == 507

    def used(self) -> float:
        return held(self.call, "records_bytes")

    def forget_undo(self) -> None:
        self.clock.now += 11
        self.ok("GET", "/~default/__mockpets/state")


# --- What is shared -----------------------------------------------------------------------------


def test_generated_pets_of_50_sessions_count_once_until_the_last_has_none() -> None:
    server = Server()
    data = {"data": {"pets": 1000}}
    server.ok("PUT", "/__mockpets/sessions/s0", data)
    once = server.used()
    assert MIB / 5 < once < MIB / 2
    for number in range(1, 50):
        server.ok("PUT", f"/__mockpets/sessions/s{number}", data)
        assert server.call("GET", f"/~s{number}/v1/pets?limit=1").status == 200
    assert server.used() == once
    for number in range(49):
        server.ok("DELETE", f"/__mockpets/sessions/s{number}")
    assert server.put("more") == 507
    server.ok("DELETE", "/__mockpets/sessions/s49")
    assert server.put("more") == 200


@pytest.mark.slow
def test_a_snapshot_that_50_sessions_load_counts_once_until_the_last_is_reset() -> None:
    server = Server()
    sessions = server.app.extensions["mockpets"].sessions
    assert server.put("source", 500) == 200
    once = server.used()
    assert once > 500 * 700
    snapshot = sessions.get("source").snapshot()
    names = [f"s{number}" for number in range(50)]
    for name in names:
        sessions.get_or_create(name).load(snapshot)
    assert server.used() == once
    for name in names:
        assert server.call("GET", f"/~{name}/v1/pets?limit=1").status == 200
    assert server.used() == once
    del snapshot
    for name in ("source", *names):
        assert server.used() == once
        if name in ("source", names[-1]):
            assert server.put("big") == 507
        sessions.get(name).reset()
    assert server.used() == 0
    assert server.put("big") == 200


@pytest.mark.slow
@pytest.mark.usefixtures("saves_often")
def test_equal_records_of_restored_sessions_count_once(tmp_path: Path) -> None:
    settings = Settings(port=0, data=("pets=0",), state=str(tmp_path / "pets.state"))
    with MockpetsServer(settings) as running:
        call = Client(OverSocket(running.url))
        for number in range(5):
            path = f"/~s{number}/__mockpets/data/pets"
            assert call("PUT", path, json_body=records(100), key=None).status == 200
        apart = held(call, "records_bytes")
        wait_for_save(ControlClient(running.url, "s0"))
    with MockpetsServer(settings) as running:
        call = Client(OverSocket(running.url))
        assert held(call, "records_bytes") == apart / 5 > 70_000
        for number in range(5):
            assert len(call("GET", f"/~s{number}/v1/pets").json) == 20
        assert held(call, "records_bytes") == apart / 5


# --- What was freed -----------------------------------------------------------------------------


def reset(server: Server) -> None:
    server.ok("POST", "/~a/__mockpets/reset")


def reset_all(server: Server) -> None:
    server.ok("POST", "/__mockpets/sessions/reset")


def drop(server: Server) -> None:
    server.ok("DELETE", "/__mockpets/sessions/a")


def drop_all(server: Server) -> None:
    server.ok("DELETE", "/__mockpets/sessions")


def replace(server: Server) -> None:
    assert server.put("a", 1) == 200


def delete(server: Server) -> None:
    for number in (1, 2):
        server.ok("DELETE", f"/~a/__mockpets/data/pets/{number}")


def shorten(server: Server) -> None:
    for number in (1, 2):
        server.ok("PATCH", f"/~a/__mockpets/data/pets/{number}", {"name": "x"})


def start_from_a_seed(server: Server) -> None:
    server.ok("PUT", "/__mockpets/sessions/a", {"seed": 5})


def load(server: Server) -> None:
    document = server.ok("GET", "/__mockpets/sessions/empty/export").json
    server.ok("PUT", "/__mockpets/sessions/a/export", document)


@pytest.mark.parametrize("free", [
    *(reset, reset_all, drop, drop_all, replace, delete, shorten, start_from_a_seed, load),
])  # fmt: skip
def test_a_request_fits_at_once_after_something_was_freed(free: Callable[[Server], None]) -> None:
    server = Server()
    server.ok("PUT", "/__mockpets/sessions/empty")
    server.fill("a")
    assert server.create("b") == 507
    free(server)
    assert server.create("b") == 201


@pytest.mark.parametrize(
    "free",
    [
        *(reset, drop),
        *(
            pytest.param(free, marks=pytest.mark.slow)
            for free in (reset_all, drop_all, replace, load)
        ),
    ],
)
def test_a_table_fits_at_once_after_another_was_freed(free: Callable[[Server], None]) -> None:
    server = Server()
    server.ok("PUT", "/__mockpets/sessions/empty")
    assert server.put("a") == 200
    assert [server.put("b"), server.put("b")] == [507, 507]
    free(server)
    assert server.put("b") == 200


def test_a_session_that_replaces_an_idle_one_has_its_memory() -> None:
    server = Server(max_sessions=3)
    server.fill("a")
    assert server.create("b") == 507
    server.clock.now += 601
    assert server.create("default") == 507
    assert server.create("c") == 201


@pytest.mark.slow
def test_a_new_recording_frees_the_records_of_the_last_one() -> None:
    server = Server()
    assert server.put("a") == 200
    server.ok("POST", "/~a/__mockpets/recording")
    replace(server)
    assert [server.put("b"), server.put("b")] == [507, 507]
    server.ok("POST", "/~a/__mockpets/recording")
    assert server.put("b") == 200


def test_dropping_an_override_frees_its_memory() -> None:
    server = Server()
    text = (
        "description: d\nstubs: [{reply: {status: 200, text: "
        + "x" * 150_000
        + "}, off_contract: true}]\n"
    )
    body = text.encode()
    path = "/~{}/__mockpets/overrides/one"

    def put(session: str) -> int:
        return server.call("PUT", path.format(session), body=body, headers=YAML, key=None).status

    statuses = [put(f"s{number}") for number in range(6)]
    assert statuses == [201, 201, 201, 507, 507, 507]
    server.ok("DELETE", path.format("s0"))
    assert [put("s5"), put("s4")] == [201, 507]


@pytest.mark.slow
def test_generated_records_that_no_session_has_make_room() -> None:
    server = Server()
    server.ok("PUT", "/__mockpets/sessions/a", {"data": {"pets": 3000}})
    assert [server.put("b"), server.put("b")] == [507, 507]
    drop(server)
    assert server.put("b") == 200


def test_a_full_server_still_shares_generated_records(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text("description: d\ndata: {pets: 500}\n")
    server = Server(scenarios_dir=(tmp_path,))
    assert server.call("GET", "/~a+many/v1/pets").status == 200
    server.fill("b")
    responses = [server.call("GET", f"/~{name}+many/v1/pets") for name in "cd"]
    assert [response.status for response in responses] == [200, 200]


def test_one_request_cannot_exceed_the_memory_with_several_collections(tmp_path: Path) -> None:
    """No session has the first ones yet when there is no room for the last."""
    text = "description: d\nresources: [{path: /a}, {path: /b}, {path: /c}]\n"
    (tmp_path / "three.yaml").write_text(text)
    server = Server(scenarios_dir=(tmp_path,), scenario=("three",), memory=MIB)
    many = [{"id": number} for number in range(1200)]
    data = dict.fromkeys("abc", many)
    response = server.control("PUT", "/__mockpets/sessions/s", {"data": data})
    assert (response.status, response.json["code"]) == (507, "store_full")
    assert server.control("GET", "/__mockpets/sessions/s").status == 404
    assert server.used() == 0
    del data["a"], data["b"]
    server.ok("PUT", "/__mockpets/sessions/s", {"data": data})


def test_a_deleted_session_that_something_still_refers_to_counts_nothing() -> None:
    server = Server()
    assert server.put("a") == 200
    session = server.app.extensions["mockpets"].sessions.get("a")
    stores = [store for _, store in session.records().values()]
    assert server.put("b") == 507
    drop(server)
    assert server.put("b") == 200
    assert stores[0].total() == 900


def test_explaining_a_request_needs_no_more_memory() -> None:
    server = Server()
    server.fill("a")
    used = server.used()
    request = {"path": "/v1/pets", "headers": KEY}
    body: dict[str, Any] = {"method": "GET", **request}
    for _ in range(3):
        explained = server.ok("POST", "/~a/__mockpets/explain", body).json
        assert explained["request"]["status"] == 200
    pet = {"name": "x" * 60_000, "categoryId": 1}
    for name, status in (("a", 507), ("b", 507)):
        body = {"method": "POST", **request, "body": pet}
        explained = server.ok("POST", f"/~{name}/__mockpets/explain", body).json
        assert explained["request"]["status"] == status
    assert server.used() == used
    server.ok("POST", "/~a/__mockpets/reset")
    for name in "ab":  # what an undo keeps would go
        explained = server.ok("POST", f"/~{name}/__mockpets/explain", body).json
        assert explained["request"]["status"] == 201


def test_what_an_undo_keeps_counts_until_it_is_forgotten() -> None:
    server = Server()
    assert server.put("a") == 200
    assert server.create("a") == 201
    used = server.used()
    server.ok("POST", "/~a/__mockpets/reset")
    assert server.used() == used
    server.ok("POST", "/__mockpets/sessions/a/undo")
    assert server.used() == used
    server.ok("DELETE", "/__mockpets/sessions/a")
    assert server.used() == used
    server.forget_undo()
    assert server.used() == 0


# --- Threads ------------------------------------------------------------------------------------


def test_threads_that_create_reset_load_and_drop_leave_nothing() -> None:
    server = Server()
    sessions, pets = server.app.extensions["mockpets"].sessions, "pets"
    collection = sessions.shared.library().collection(pets)

    def work(seed: int) -> int:
        random, rejected = Random(seed), 0
        for _ in range(400):
            name = f"s{random.randrange(8)}"
            session = sessions.get_or_create(name, reopen=True)
            store = session.store(session.stack(session.active), collection)
            try:
                match random.randrange(12):
                    case 0:
                        sessions.reset(session)
                    case 1:
                        sessions.drop(name)
                    case 2:
                        other = sessions.get_or_create(f"s{random.randrange(8)}", reopen=True)
                        session.load(other.snapshot())
                    case 3:
                        store.replace(store.read([{"name": "x" * 40_000, "categoryId": 1}] * 3))
                    case 4:
                        sessions.undo.put_back(name)
                    case _:
                        store.create({"name": "x" * 40_000, "categoryId": 1})
            except RequestError as error:
                rejected += error.code == "store_full"
        return rejected

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) > 0
    sessions.reset_all()
    server.forget_undo()
    assert server.used() == 0
    limit = sessions.shared.records.limit
    sessions.shared.records.take(limit)
    sessions.shared.records.take(-limit)
