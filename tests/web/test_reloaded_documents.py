"""A saved document or its corrections count from the next request on, unless invalid."""

import logging
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.scenario.reloader import Reloader
from tests.cli.test_main import wait_until
from tests.http_client import Client, InProcess, OverSocket
from tests.web.checked_client import op, several, thing, write

_TIMES: Iterator[int] = count(10**18)
SHOP = """\
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: /api}]
paths:
  /rates:
    get:
      operationId: getRates
      responses:
        "200": {description: ok, content: {application/json: {example: {EUR: 1}}}}
  /orders/{id}:
    get:
      operationId: getOrder
      security: [{token: []}]
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        "200": {description: ok, content: {application/json: {example: {id: 1}}}}
components:
  securitySchemes: {token: {type: http, scheme: bearer}}
"""


def save(path: Path, text: str) -> None:
    """Write a file; each write has a later time."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(10**18, next(_TIMES)))


class Shop:
    """A server with the document in a file."""

    def __init__(self, folder: Path, *more: str, **settings: Any) -> None:
        self.file = folder / "shop.yaml"
        save(self.file, SHOP)
        settings = {
            "contract": (str(self.file), *more),
            "scenarios_dir": (folder / "s",),
        } | settings
        (folder / "s").mkdir()
        app = create_app(Settings(**settings))
        self.call = Client(InProcess(app))
        self.reloader: Reloader = app.extensions["mockpets"].reloader

    def edit(self, old: str, new: str, name: str = "") -> None:
        """Save the document, or another file, and let the server look."""
        assert not old or old in SHOP
        path = self.file.with_name(name) if name else self.file
        save(path, new if name else SHOP.replace(old, new))
        self.reloader.look()

    def get(self, path: str, sent: str = "Bearer a") -> tuple[int, Any]:
        response = self.call("GET", path, key=None, headers={"Authorization": sent})
        return response.status, response.json

    @property
    def problems(self) -> list[str]:
        listed: list[str] = self.call("GET", "/__mockpets/scenarios").json["folder_problems"]
        return listed


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_a_saved_document_replaces_the_one_before(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    assert [shop.get("/api/rates") for _ in range(2)] == [(200, {"EUR": 1})] * 2
    assert shop.get("/api/orders/7")[0] == 200
    with caplog.at_level(logging.INFO):
        shop.edit("example: {EUR: 1}", "example: {EUR: 2}")

    assert shop.get("/api/rates") == (200, {"EUR": 2})
    assert caplog.messages == [f"contracts reloaded: {shop.file}"]


@pytest.mark.parametrize(
    ("old", "new", "gone", "found"),
    [
        ("/rates:", "/prices:", "/api/rates", "/api/prices"),
        ("/orders/{id}", "/carts/{id}", "/api/orders/7", "/api/carts/7"),
        ("url: /api", "url: /v2", "/api/rates", "/v2/rates"),
        ("operationId: getRates", "operationId: rates", "", "/api/rates"),
    ],
)
def test_paths_and_names_change(shop: Shop, old: str, new: str, gone: str, found: str) -> None:
    if gone:
        assert shop.get(gone)[0] == 200
        assert shop.get(found)[0] == 404
    shop.edit(old, new)

    assert shop.get(found)[0] == 200
    if gone:
        assert shop.get(gone)[0] == 404
    names = shop.call("GET", "/__mockpets/requests").json["requests"]
    assert names[0]["operation"] in ("getRates", "getOrder", "rates")


@pytest.mark.parametrize("text", ["openapi: 3.1.0\n", "[", "", "paths: {}"])
def test_an_invalid_document_leaves_the_last_valid_one(
    shop: Shop, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    shop.edit("", text, "shop.yaml")
    shop.reloader.look()

    assert shop.get("/api/rates") == (200, {"EUR": 1})
    assert shop.problems
    assert str(shop.file) in shop.problems[0]
    assert len([line for line in caplog.messages if "stay active" in line]) == 1
    shop.edit("EUR: 1", "EUR: 3")
    assert shop.problems == []
    assert shop.get("/api/rates") == (200, {"EUR": 3})


def test_a_deleted_document_stays_active_until_it_is_back(shop: Shop) -> None:
    shop.file.unlink()
    shop.reloader.look()

    assert shop.get("/api/rates")[0] == 200
    assert "shop.yaml" in shop.problems[0]
    shop.edit("EUR: 1", "EUR: 3")
    assert (shop.get("/api/rates"), shop.problems) == ((200, {"EUR": 3}), [])


@pytest.mark.parametrize("is_set", [False, True])
def test_corrections_are_reloaded(tmp_path: Path, is_set: bool) -> None:
    name = "mine.yaml" if is_set else "shop.mockpets.yaml"
    settings = {"corrections": str(tmp_path / name)} if is_set else {}
    if is_set:
        save(tmp_path / name, "security: {prefix: Bearer}")
    shop = Shop(tmp_path, **settings)
    assert shop.get("/api/orders/7", "Token a")[0] == 401
    shop.edit("", "security: {prefix: Token}", name)

    assert shop.get("/api/orders/7", "Token a")[0] == 200
    shop.edit("", "operations: {getOrders: {example: true}}", name)
    assert shop.get("/api/orders/7", "Token a")[0] == 200
    assert "did you mean 'getOrder'" in shop.problems[0]
    shop.edit("", "security: {prefix: Key}", name)
    assert (shop.get("/api/orders/7", "Key a")[0], shop.problems) == (200, [])


def test_a_file_of_a_reference_is_reloaded(tmp_path: Path) -> None:
    text = "description: ok\ncontent: {application/json: {example: {EUR: 5}}}\n"
    save(tmp_path / "ok.yaml", text)
    shop = Shop(tmp_path)
    old = "{description: ok, content: {application/json: {example: {EUR: 1}}}}"
    shop.edit(old, '{$ref: "ok.yaml"}')
    assert shop.get("/api/rates") == (200, {"EUR": 5})
    shop.edit("", text.replace("5", "6"), "ok.yaml")

    assert shop.get("/api/rates") == (200, {"EUR": 6})


def test_the_pet_store_beside_a_document_goes_on(tmp_path: Path) -> None:
    shop = Shop(tmp_path, "pet-store")
    pets = shop.get("/v1/pets", "Bearer mockpets")
    shop.edit("EUR: 1", "EUR: 2")

    assert shop.get("/v1/pets", "Bearer mockpets") == pets
    assert shop.get("/v1/pets/1", "Bearer mockpets")[0] == 200
    assert shop.call("POST", "/v1/pets", json_body={"name": "a", "categoryId": 1}).status == 201
    assert shop.call("DELETE", "/v1/pets").status == 405
    assert shop.call("OPTIONS", "/v1/pets").status == 204
    assert shop.get("/api/rates") == (200, {"EUR": 2})


def test_scenarios_are_checked_against_the_new_document(shop: Shop) -> None:
    path = shop.file.with_name("s") / "mine.yaml"
    save(path, "description: a\nstubs: [{match: {operation: getRates}, delay: 1ms}]\n")
    shop.reloader.look()
    assert shop.reloader.library.problems == {}
    shop.edit("operationId: getRates", "operationId: rates")

    assert "'getRates'" in str(shop.reloader.library.problems["mine"][0])
    shop.edit("EUR: 1", "EUR: 2")
    assert shop.reloader.library.problems == {}


def test_the_pet_store_is_never_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(Settings())
    monkeypatch.setattr("mockpets.scenario.contract_files.load_contracts", None)
    app.extensions["mockpets"].reloader.look()

    assert Client(InProcess(app))("GET", "/v1/pets").status == 200


def test_a_browser_that_opens_the_base_path_gets_the_reference(shop: Shop) -> None:
    headers = {"Accept": "text/html"}
    for old, new in (("/api", "/api"), ("/api", "/shop")):
        shop.edit(f"url: {old}", f"url: {new}")
        response = shop.call("GET", f"{new}/", headers=headers)
        assert (response.status, response.header("Location")) == (302, "/__mockpets/docs")
    assert shop.call("GET", "/api", headers=headers).status == 404


# --- The records of a document that changes -------------------------------------------------------

ID = {"type": "integer", "readOnly": True}
ORDER = thing("id", "title", id=ID, title="string", total=thing(value="integer"))
ITEM = thing("id", id=ID, label="string")


def orders_and_items(folder: Path, order: Any, *more: str) -> Path:
    """Write a document with two collections, and others."""
    paths = {
        f"/{name}": {"get": op(several(schema)), "post": op(schema, schema, status=201)}
        for name, schema in (("orders", order), ("items", ITEM), *((each, ITEM) for each in more))
    }
    file = write(folder, paths)
    os.utime(file, ns=(10**18, next(_TIMES)))
    return file


def changed(**properties: Any) -> Any:
    return {**ORDER, "properties": {**ORDER["properties"], **properties}}


SAME: dict[str, Any] = {
    "texts": {**changed(title={"type": "string", "description": "T"}), "title": "An order"},
    "example": changed(title={"type": "string", "example": "E", "x-order": 1}),
    "another order": {**ORDER, "properties": dict(reversed(ORDER["properties"].items()))},
}
OTHER: dict[str, Any] = {
    "a type": changed(title={"type": "string", "maxLength": 9}),
    "required": {**changed(level={"type": "integer", "minimum": 7}), "required": ["id", "level"]},
    "a property named like a keyword": changed(description={"type": "string"}),
    "a nested one": changed(total=thing(value="number")),
    "circular": {**changed(next={"$ref": "#/paths/~1orders/get/responses/200/content/"
                 "application~1json/schema/items"})},
}  # fmt: skip


def records_of(call: Client, name: str, session: str) -> Any:
    response = call("GET", f"/~{session}/{name}")
    assert response.status == 200, response
    return response.json


@pytest.mark.parametrize("name", [*SAME, *OTHER])
@pytest.mark.parametrize("is_restart", [False, True])
def test_a_collection_starts_again_only_if_its_schema_changed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, is_restart: bool
) -> None:
    schema = {**SAME, **OTHER}[name]
    settings = Settings(
        port=0,
        contract=(str(orders_and_items(tmp_path, ORDER)),),
        state=str(tmp_path / "a.state") if is_restart else "",
    )
    with MockpetsServer(settings) as server:
        call = Client(OverSocket(server.url))
        for session in ("one", "two"):
            assert call("POST", f"/~{session}/orders", json_body={"title": "Mine"}).status == 201
            assert call("POST", f"/~{session}/items", json_body={"label": "Mine"}).status == 201
        before = {each: records_of(call, each, "one") for each in ("orders", "items")}
        caplog.set_level(logging.INFO)
        if not is_restart:
            file = orders_and_items(tmp_path, schema)
            assert wait_until(lambda: "contracts reloaded" in caplog.text)
            check_records(call, before, schema)
    if is_restart:
        file = orders_and_items(tmp_path, schema)
        caplog.clear()
        with MockpetsServer(settings) as server:
            check_records(Client(OverSocket(server.url)), before, schema)
    line = f"contracts reloaded: {file}"
    if is_restart:
        why = "has new records of orders: its schema has changed"
        expected = [f"session '{each}' {why}" for each in ("one", "two")] if name in OTHER else []
        assert [each for each in caplog.messages if "new records" in each] == expected
    else:
        end = "; new records of orders: its schema has changed" if name in OTHER else ""
        assert [each for each in caplog.messages if "reloaded" in each] == [line + end]


def check_records(call: Client, before: Any, schema: Any) -> None:
    """Check the orders and items of session ``one`` after a change of the schema of orders."""
    assert records_of(call, "items", "one") == before["items"]
    orders = records_of(call, "orders", "one")
    if schema in SAME.values():
        assert orders == before["orders"]
        assert orders[-1]["title"] == "Mine"
        return
    assert len(orders) == len(before["orders"]) - 1
    assert "Mine" not in [each.get("title") for each in orders]
    stored = call("GET", "/~one/__mockpets/data/orders").json["records"]
    assert stored == orders, "the initial records are those of the new schema"
    if "level" in schema["required"]:
        assert all(each["level"] >= 7 for each in orders)
    assert call("POST", "/~one/orders", json_body={"title": "New", "level": 8}).status == 201


@pytest.mark.parametrize("own", [3, [{"id": 7, "title": "Seven"}]])
def test_the_initial_records_of_a_session_fit_the_new_schema(tmp_path: Path, own: Any) -> None:
    app = create_app(Settings(contract=(str(orders_and_items(tmp_path, ORDER)),)))
    call = Client(InProcess(app))
    made = call("PUT", "/__mockpets/sessions/one", json_body={"data": {"orders": own}})
    assert made.status == 201
    before = records_of(call, "orders", "one")
    call("POST", "/~one/orders", json_body={"title": "Mine"})
    orders_and_items(tmp_path, OTHER["required"])
    app.extensions["mockpets"].reloader.look()
    orders = records_of(call, "orders", "one")
    assert [{**each, **old} for each, old in zip(orders, before, strict=True)] == orders
    assert all(each["level"] >= 7 for each in orders)
    assert call("GET", "/~one/__mockpets/data/orders").json["records"] == orders
    call("POST", "/~one/__mockpets/reset")
    assert records_of(call, "orders", "one") == orders


def test_a_new_collection_has_records_at_once(tmp_path: Path) -> None:
    app = create_app(Settings(contract=(str(orders_and_items(tmp_path, ORDER)),)))
    call = Client(InProcess(app))
    for more in (("notes",), (), ("notes", "tags")):
        orders_and_items(tmp_path, ORDER, *more)
        app.extensions["mockpets"].reloader.look()
        for name in more:
            assert len(records_of(call, name, "one")) == 16
    assert len(call("GET", "/__mockpets/data").json["data"]) == 4


def test_a_document_without_collections_gets_some(tmp_path: Path) -> None:
    file = write(tmp_path, {"/version": {"get": op({"type": "string"})}})
    app = create_app(Settings(contract=(str(file),)))
    orders_and_items(tmp_path, ORDER)
    app.extensions["mockpets"].reloader.look()
    assert len(records_of(Client(InProcess(app)), "items", "one")) == 16


def test_records_of_a_collection_that_is_missing_wait_for_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(
        port=0,
        contract=(str(orders_and_items(tmp_path, ORDER, "notes")),),
        state=str(tmp_path / "a.state"),
    )
    for more, expected in ((["notes"], 17), ([], None), (["notes"], 17)):
        orders_and_items(tmp_path, ORDER, *more)
        with MockpetsServer(settings) as server:
            call = Client(OverSocket(server.url))
            if not caplog.messages and more:
                assert call("POST", "/notes", json_body={"label": "Mine"}).status == 201
            if expected:
                assert len(records_of(call, "notes", "default")) == expected
    text = "session 'default' has records of notes that wait for their contract"
    assert [each for each in caplog.messages if "session" in each] == [text]
