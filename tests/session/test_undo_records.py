"""Undo: the records of pets and of a scenario's own collections, and their keys."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.http_client import Client

MISO: Any = {"name": "Miso", "categoryId": 2}
SHOP: Any = {
    "name": "shop",
    "description": "d",
    "resources": [{"path": "/v1/orders"}, {"path": "/v1/carts"}],
    "data": {"orders": [{"id": 5, "total": 1.5}], "carts": [{"id": "a"}]},
}
BODIES: dict[str, Any] = {"/v1/pets": MISO, "/v1/orders": {"total": 2}, "/v1/carts": {"n": 1}}
REMOVALS = {
    "reset": ("POST", "/~w1/__mockpets/reset"),
    "clear": ("DELETE", "/~w1/__mockpets/requests"),
    "delete": ("DELETE", "/__mockpets/sessions/w1"),
}


@pytest.fixture
def call(fresh: Callable[..., Client]) -> Client:
    """Return a client of a server with a session `w1` that has changed records of each kind."""
    call = fresh()
    call("PUT", "/__mockpets/sessions/w1", json_body={"scenario": SHOP, "data": {"pets": 3}})
    for path, body in BODIES.items():
        assert call("POST", f"/~w1{path}", json_body=body).status == 201
        assert call("POST", f"/~w1{path}", json_body=body).status == 201
    for record in ("pets/1", "pets/5", "orders/5", "carts/a"):
        assert call("DELETE", f"/~w1/__mockpets/data/{record}").status == 200
    assert call("PATCH", "/~w1/__mockpets/data/pets/2", json_body={"name": "New"}).status == 200
    return call


def records(call: Client) -> dict[str, Any]:
    return {path: call("GET", f"/~w1{path}").json for path in BODIES}


def create(call: Client) -> list[Any]:
    """Create one record of each kind, and return their keys."""
    return [call("POST", f"/~w1{path}", json_body=body).json["id"] for path, body in BODIES.items()]


@pytest.mark.parametrize("kind", REMOVALS)
def test_records_of_each_collection_come_back(call: Client, kind: str) -> None:
    before = records(call)
    assert [one["id"] for one in before["/v1/pets"]] == [2, 3, 4]
    assert [one["id"] for one in before["/v1/orders"]] == [6, 7]
    assert len(before["/v1/carts"]) == 2
    method, path = REMOVALS[kind]
    assert call(method, path).status == 200
    undone = call("POST", "/__mockpets/sessions/w1/undo")

    assert (undone.status, undone.json["undone"]) == (200, kind)
    assert records(call) == before


@pytest.mark.parametrize("kind", REMOVALS)
def test_after_an_undo_keys_continue(call: Client, kind: str) -> None:
    """Also after the key of a record that was deleted: pet 5."""
    carts = {one["id"] for one in records(call)["/v1/carts"]}
    method, path = REMOVALS[kind]
    call(method, path)
    call("POST", "/__mockpets/sessions/w1/undo")
    pet, order, cart = create(call)

    assert (pet, order) == (6, 8)
    assert cart not in carts | {"a"}


def test_no_key_that_was_assigned_since_a_reset_is_assigned_again(call: Client) -> None:
    carts = {one["id"] for one in records(call)["/v1/carts"]}
    call("POST", "/~w1/__mockpets/reset")
    since = [create(call) for _ in range(4)]
    assert [keys[:2] for keys in since] == [[4, 6], [5, 7], [6, 8], [7, 9]]
    call("POST", "/__mockpets/sessions/w1/undo")
    pet, order, cart = create(call)

    assert (pet, order) == (8, 10)
    assert cart not in carts | {"a"} | {keys[2] for keys in since}
    assert len(records(call)["/v1/carts"]) == 3


def test_an_undo_brings_back_the_records_of_a_scenario_that_was_not_active(call: Client) -> None:
    sent = call("POST", "/~w1/v1/pets", json_body=MISO, scenario="empty")
    call("POST", "/~w1/__mockpets/reset")
    assert call("GET", "/~w1/v1/pets", scenario="empty").json == []
    call("POST", "/__mockpets/sessions/w1/undo")

    assert call("GET", "/~w1/v1/pets", scenario="empty").json == [sent.json]
    assert call("POST", "/~w1/v1/pets", json_body=MISO, scenario="empty").json["id"] == 2
