"""The memory of a session that was deleted is free at once, without a garbage collection."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.client import ControlClient
from mockpets.contract.details import Api
from mockpets.contract.json_schema import SchemaField
from mockpets.seed.values import Values
from tests.http_client import Client, InProcess, OverSocket
from tests.session.test_undo import wait_for_save
from tests.web.documents import CLINIC, Node, client_of, document, operation, write

SIZE = 700
"""Of 900 records of this size, less than two sessions fit into the memory."""
RECORDS: Any = [{"id": number, "name": "x" * SIZE, "categoryId": 1} for number in range(1, 900)]
LIST: Any = {"method": "GET", "path": "/v1/pets"}
CREATE: Any = {"method": "POST", "path": "/v1/pets", "body": {"name": "x", "categoryId": 1}}
DRAFT: Any = {**LIST, "draft": {"name": "d", "text": "description: d\ndata: {pets: 2}\n"}}


@pytest.fixture
def no_collections() -> Iterator[None]:
    """Collect no garbage, which `serve` does so seldom that a client cannot wait for it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def call() -> Iterator[Client]:
    settings = Settings(port=0, host=("127.0.0.1",), memory=1_600_000, max_records=10_000)
    with MockpetsServer(settings) as server:
        yield Client(OverSocket(server.url))


def fill(call: Client, name: str) -> int:
    return call("PUT", f"/~{name}/__mockpets/data/pets", json_body=RECORDS).status


def explain(call: Client) -> None:
    for body in (LIST, CREATE, DRAFT):
        response = call("POST", "/~a/__mockpets/explain", json_body=body)
        assert response.status == 200, response.body


def invalid_explain(call: Client) -> None:
    body = {**LIST, "draft": {"name": "d", "text": "stubs: 3"}}
    assert call("POST", "/~a/__mockpets/explain", json_body=body).status == 422
    body = {**LIST, "path": "/~b/v1/pets"}
    assert call("POST", "/~a/__mockpets/explain", json_body=body).status == 200


def export(call: Client) -> None:
    assert call("GET", "/__mockpets/sessions/a/export?log=true").status == 200


def import_again(call: Client) -> None:
    document = call("GET", "/__mockpets/sessions/a/export").json
    call("DELETE", "/__mockpets/sessions/a")
    assert call("PUT", "/__mockpets/sessions/a/export", json_body=document).status == 201


def undo(call: Client) -> None:
    for method, path in (("POST", "/~a/__mockpets/reset"), ("DELETE", "/__mockpets/sessions/a")):
        assert call(method, path).status == 200
        assert call("POST", "/__mockpets/sessions/a/undo").status == 200


def invalid(call: Client) -> None:
    """Send what is invalid; the server remembers queries, so use some that no test has sent."""
    for query in ("limit=0x", "status=x0", "limit=0&limit=0x", "limit=0&status=0x"):
        assert call("GET", f"/~a/v1/pets?{query}").status == 400
    bodies: list[Any] = [{"name": 5}, [], {"name": "x", "categoryId": "1"}, {"name": "x" * 70_000}]
    for body in bodies:
        assert call("POST", "/~a/v1/pets", json_body=body).status in (400, 413)
    assert call("PATCH", "/~a/__mockpets/data/pets/1", json_body={"name": 5}).status == 400
    assert call("PUT", "/~a/__mockpets/data/pets", json_body=[{"id": 1}]).status == 400
    assert call("PUT", "/__mockpets/sessions/a/export", json_body={"data": [5]}).status == 400
    assert call("GET", "/~a/__mockpets/data/pets?limit=x").status == 400


def use(call: Client) -> None:
    """Create, change, list, fail, and record."""
    created = call("POST", "/~a/v1/pets", json_body={"name": "x", "categoryId": 1}).json["id"]
    call("PATCH", f"/~a/__mockpets/data/pets/{created}", json_body={"name": "y"})
    for query in ("", "?status=sold"):
        call("GET", f"/~a/v1/pets{query}")
    call("GET", "/~a/v1/pets/nothing")
    call("POST", "/~a/__mockpets/recording")
    call("GET", "/~a/v1/pets")
    call("GET", "/~a/__mockpets/recording")


@pytest.mark.usefixtures("no_collections")
@pytest.mark.parametrize(
    "act",
    [
        use,
        *(
            pytest.param(act, marks=pytest.mark.slow)
            for act in (explain, invalid_explain, export, import_again, undo, invalid)
        ),
    ],
)
def test_a_deleted_session_leaves_room_for_another(
    call: Client, act: Callable[[Client], None]
) -> None:
    assert fill(call, "a") == 200
    assert fill(call, "b") == 507
    act(call)
    assert call("DELETE", "/__mockpets/sessions/a").status == 200
    assert fill(call, "c") == 200


@pytest.mark.slow
@pytest.mark.usefixtures("no_collections", "saves_often")
def test_a_deleted_session_that_was_saved_leaves_room_for_another(tmp_path: Path) -> None:
    path = str(tmp_path / "pets.state")
    settings = Settings(port=0, memory=1_600_000, max_records=10_000, state=path)
    with MockpetsServer(settings) as server:
        call = Client(OverSocket(server.url))
        assert fill(call, "a") == 200
        call("PATCH", "/~a/__mockpets/data/pets/1", json_body={"name": "y"})
        wait_for_save(ControlClient(server.url, "a"))
        undo(call)
        assert call("DELETE", "/__mockpets/sessions/a").status == 200
        assert fill(call, "c") == 200


def test_requests_without_a_schema_need_no_more_memory(tmp_path: Path) -> None:
    """The fields of a schema are kept, so one without a schema must be the same each time."""
    anything: Node = {"description": "", "content": {"application/json": {}}}
    query = {"name": "q", "in": "query", **anything}
    act = operation(query, body=anything, _200=anything, _400=anything)
    call = client_of(write(tmp_path / "api.json", document({"/a": {"post": act}})))

    def fields_after_requests() -> int:
        assert call("POST", "/a?q=1", json_body={"b": 1}).status == 200
        assert call("POST", "/a?q={", json_body={}).status == 400
        return sum(issubclass(type(each), SchemaField) for each in gc.get_objects())

    assert fields_after_requests() == fields_after_requests()


def alive(kind: type) -> int:
    gc.collect()
    return sum(issubclass(type(each), kind) for each in gc.get_objects())


def read_all(call: Client, base: str = "/api") -> None:
    for path in ("/animals", "/animals/1", "/animals?limit=2", "/owners/1", "/appointments"):
        assert call("GET", f"{base}{path}").status == 200


@pytest.mark.slow
def test_what_is_kept_of_a_document_is_freed_with_it(tmp_path: Path) -> None:
    """While you write a document, it is reloaded hundreds of times."""
    file, text = tmp_path / "clinic.yaml", CLINIC.read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    app = create_app(Settings(contract=(str(file),)))
    call, before = Client(InProcess(app)), alive(Api)
    for number in range(20):
        read_all(call)
        file.write_text(text.replace("title: Clinic", f"title: Clinic {number}"), encoding="utf-8")
        app.extensions["mockpets"].reloader.look()

    assert call("GET", "/__mockpets/contract").json["contracts"][0]["title"] == "Clinic 19"
    app.extensions["mockpets"].sessions.default.request_log.reset()  # entries have operations
    # Those of which values were generated last: see `values_of` in `seed/document_values.py`.
    assert alive(Api) <= before + 8


@pytest.mark.slow
def test_what_is_kept_of_a_seed_is_freed_with_it() -> None:
    call = client_of(CLINIC)
    for seed in range(20):
        call("PUT", f"/__mockpets/sessions/s{seed}", json_body={"seed": seed})
        read_all(call, f"/~s{seed}/api")

    assert alive(Values) <= 8
