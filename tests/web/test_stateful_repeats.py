"""Requests that a client repeats with the same Idempotency-Key."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from sys import getswitchinterval, setswitchinterval
from threading import Barrier
from typing import Any

import pytest

from tests.http_client import Response
from tests.web.checked_client import Checked, at, content, op, several, thing, write
from tests.web.control.test_metrics import held

LABEL = "Mockpets-Off-Contract"
INTEGER = {"type": "integer", "readOnly": True}
ORDER = thing("id", "item", id=INTEGER, item="string", likes="integer", liked="boolean")
NEW = thing("item", item={"type": "string", "minLength": 1})
USER = thing("id", "name", id=INTEGER, name="string")
LOG_IN = thing("name", "password", name="string", password="string")
CODE = thing("code", code="string")


def key(name: str = "Idempotency-Key", *, required: bool = False) -> dict[str, Any]:
    schema = {"type": "string", "maxLength": 40}
    return {"in": "header", "name": name, "required": required, "schema": schema}


def with_422(operation: dict[str, Any]) -> dict[str, Any]:
    problem = thing("message", message="string")
    operation["responses"]["422"] = {"description": "", **content(problem)}
    return operation


def bare(operation: dict[str, Any]) -> dict[str, Any]:
    """Return an operation that documents no errors."""
    responses = operation["responses"]
    return {**operation, "responses": {code: responses[code] for code in responses if code < "400"}}


SHOP: dict[str, Any] = {
    "/orders": {
        "get": op(several(ORDER), None, "limit"),
        "post": with_422(op(ORDER, NEW, key(), status=201, headers=("Location",))),
    },
    "/orders/{id}": at(
        "id", get=op(ORDER), patch=op(ORDER, NEW, key("idempotency-KEY")), delete=op(status=204)
    ),
    "/orders/{id}/like": at("id", post=op(ORDER, None, key()), delete=op(ORDER)),
    "/parcels": {
        "get": op(several(ORDER)),
        "post": bare(op(ORDER, NEW, key(required=True), status=201)),
    },
    "/coupons": {"get": op(several(CODE)), "post": op(CODE, CODE, key(), status=201)},
    "/coupons/{code}": at("code", "string", get=op(CODE), delete=op(status=204)),
    "/files": {
        "get": op(several(USER)),
        "post": op(USER, thing("name", name="string"), key(), kind="multipart/form-data"),
    },
    "/plain": {"get": op(several(USER)), "post": op(USER, NEW, status=201)},
    "/login": {"post": op(thing("token", token="string"), LOG_IN)},
    "/users": {"get": op(several(USER)), "post": op(USER, LOG_IN, status=201)},
}  # fmt: skip


@pytest.fixture(scope="module")
def shared_shop(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    return Checked(write(tmp_path_factory.mktemp("shop"), SHOP))


@pytest.fixture
def shop(shared_shop: Checked) -> Checked:
    shared_shop.control("DELETE", "sessions")
    shared_shop.control("POST", "reset")
    return shared_shop


def post(shop: Checked, value: str, path: str = "/orders", **options: Any) -> Response:
    name, item = options.pop("name", "Idempotency-Key"), options.pop("item", "Tea")
    return shop("POST", path, {"item": item}, headers={name: value}, **options)


def count(shop: Checked, path: str = "/orders", **options: Any) -> int:
    return len(shop("GET", path, **options).json)


def shown(response: Response) -> tuple[object, ...]:
    names = ("Content-Type", "Location", "ETag")
    return response.status, response.body, [response.header(name) for name in names]


def test_a_repeated_request_gets_the_first_response(shop: Checked) -> None:
    before = count(shop)
    first = post(shop, "a")
    assert first.status == 201 and first.header("Location")
    shop("PATCH", f"/orders/{first.json['id']}", {"item": "Milk"})
    again = post(shop, "a", name="idempotency-key")
    assert shown(again) == shown(first)
    assert count(shop) == before + 1
    assert post(shop, "b").json["id"] == first.json["id"] + 1
    assert shop("POST", "/orders", {"item": "Tea"}).status == 201
    assert count(shop) == before + 3

    [note] = shop.control("GET", "requests?note=repeated")["requests"][0]["notes"]
    text = "the response to the first request with the Idempotency-Key a"
    assert note == {"code": "repeated", "text": text}


def test_a_change_is_made_once(shop: Checked) -> None:
    likes = shop("GET", "/orders/1").json["likes"]
    for _ in range(3):
        liked = shop("POST", "/orders/1/like", headers={"Idempotency-Key": "a"})
        assert liked.json["liked"] is True
    assert shop("DELETE", "/orders/1/like").json["liked"] is False
    repeated = shop("POST", "/orders/1/like", headers={"Idempotency-Key": "a"})
    assert repeated.json == liked.json
    assert shop("GET", "/orders/1").json["liked"] is False
    assert shop("GET", "/orders/1").json["likes"] <= likes + 1
    headers = {"IDEMPOTENCY-KEY": "a"}
    assert shop("PATCH", "/orders/1", {"item": "Rice"}, headers=headers).json["item"] == "Rice"


def test_a_key_is_of_a_session_and_an_operation(shop: Checked) -> None:
    first = post(shop, "a")
    assert post(shop, "a", session="other").json["id"] == first.json["id"]
    assert count(shop, session="other") == count(shop)
    parcel = post(shop, "a", "/parcels")
    assert parcel.status == 201 and count(shop, "/parcels") == parcel.json["id"]


def test_a_key_is_of_the_person_who_calls(shop: Checked) -> None:
    tokens = []
    for name in ("Ada", "Ben"):
        person = {"name": name, "password": "secret"}
        assert shop("POST", "/users", person).status == 201
        tokens.append(shop("POST", "/login", person).json["token"])
    first, second, again = (post(shop, "a", who=who) for who in (*tokens, tokens[0]))
    assert first.json["id"] != second.json["id"] and again.body == first.body


def test_a_key_of_another_request_is_rejected(shop: Checked) -> None:
    post(shop, "a")
    before = count(shop)
    other = post(shop, "a", item="Milk")
    what = "Idempotency-Key was used for a request with another body, path or query; send a new key"
    assert other.status == 422 and other.json["message"] == what
    headers = {"Idempotency-Key": "a"}
    assert shop("PATCH", "/orders/1", {"item": "Rice"}, headers=headers).status == 200
    assert shop("PATCH", "/orders/2", {"item": "Rice"}, headers=headers).status == 409
    post(shop, "a", "/parcels")
    labelled = shop.call("POST", "/parcels", json_body={"item": "Milk"}, headers=headers)
    assert labelled.status == 422
    assert labelled.header("Content-Type") == "application/problem+json"
    assert labelled.header(LABEL) == "status 422 is not in the contract for post-parcels"
    assert count(shop) == before


def test_an_invalid_request_does_not_use_its_key(shop: Checked) -> None:
    assert post(shop, "a", item="").status == 400
    assert post(shop, "x" * 41).status == 400
    assert post(shop, "a").status == 201
    assert shop.call("POST", "/parcels", json_body={"item": "Tea"}).status == 400


def test_an_error_is_repeated(shop: Checked) -> None:
    code = shop("GET", "/coupons").json[0]
    headers = {"Idempotency-Key": "a"}
    first = shop("POST", "/coupons", code, headers=headers)
    assert first.status == 409
    assert shop("DELETE", f"/coupons/{code['code']}").status == 204
    again = shop("POST", "/coupons", code, headers=headers)
    assert (again.status, again.body) == (409, first.body)
    entry = shop.control("GET", "requests?limit=1")["requests"][-1]
    assert entry["status"] == 409
    assert shop("POST", "/coupons", code, headers={"Idempotency-Key": "b"}).status == 201


def test_the_boundary_of_a_form_is_no_difference(shop: Checked) -> None:
    def sent(name: str, boundary: str) -> Response:
        part = f'--{boundary}\r\nContent-Disposition: form-data; name="name"\r\n\r\n{name}\r\n'
        kind = f"multipart/form-data; boundary={boundary}"
        headers = {"Idempotency-Key": "a", "Content-Type": kind}
        body = f"{part}--{boundary}--\r\n".encode()
        return shop.call("POST", "/files", body=body, headers=headers)

    first = sent("photo", "one")
    assert first.status == 200 and sent("photo", "two").body == first.body
    assert sent("other", "one").status == 409


def test_an_undeclared_key_has_no_effect(shop: Checked) -> None:
    assert post(shop, "a", "/plain").json["id"] != post(shop, "a", "/plain").json["id"]


def test_a_reset_forgets_the_keys_and_an_undo_restores_them(shop: Checked) -> None:
    undo = "sessions/default/undo"
    before = count(shop)
    first = post(shop, "a")
    shop.control("POST", "reset")
    assert count(shop) == before
    second = post(shop, "a", item="Milk")  # the undo takes this back
    assert (second.status, count(shop)) == (201, before + 1)
    assert shop.control("POST", undo)["undone"] == "reset"
    assert shown(post(shop, "a")) == shown(first)
    assert count(shop) == before + 1

    shop.control("POST", "reset")
    shop.control("POST", "reset")
    post(shop, "b")
    shop.control("POST", undo)
    assert count(shop) == before
    assert post(shop, "b").status == 201 and count(shop) == before + 1


def test_new_records_of_a_collection_forget_the_keys(shop: Checked) -> None:
    post(shop, "a")
    shop.control("PUT", "data/orders", {"records": []})
    assert post(shop, "a").status == 201 and count(shop) == 1


def test_a_dry_run_uses_no_key(shop: Checked) -> None:
    request = {
        "method": "POST",
        "path": "/orders",
        "headers": {"Content-Type": "application/json", "Idempotency-Key": "a"},
        "body": '{"item": "Tea"}',
    }
    before = count(shop)
    assert shop.control("POST", "explain", request)["sent"] is False
    assert post(shop, "a", item="Milk").status == 201
    assert count(shop) == before + 1


def test_the_last_responses_are_remembered(shop: Checked) -> None:
    first = post(shop, "0")
    for number in range(1, 50):
        assert post(shop, str(number)).status == 201
    assert post(shop, "0").body == first.body
    for number in range(50, 150):
        assert post(shop, str(number)).status == 201
    assert post(shop, "149").json["id"] == first.json["id"] + 149
    assert post(shop, "0").json["id"] == first.json["id"] + 150, "the oldest one is forgotten"


@pytest.mark.slow
def test_remembered_responses_take_little_memory_until_a_reset(shop: Checked) -> None:
    def change(number: int, size: int = 9000) -> Response:
        headers = {"Idempotency-Key": f"{number}"}
        return shop("PATCH", "/orders/1", {"item": "a" * size}, headers=headers)

    def used() -> float:
        return held(shop.call, "records_bytes")

    def reset() -> None:
        for _ in range(2):  # since an undo would restore what the first one discards
            shop.control("POST", "reset")

    reset()
    before = used()
    for number in range(100):
        assert change(number).status == 200
        assert used() - before < 64 * 1024 + 3 * 10_000
    large = change(100, 65_000)
    assert change(100, 65_000).body == large.body
    reset()
    assert used() == before


def test_a_response_that_does_not_fit_into_memory_is_sent(tmp_path: Path) -> None:
    shop = Checked(write(tmp_path, SHOP), memory="1280KiB")  # 1 MiB for records
    body, headers = {"item": "a" * 63_000}, {"Idempotency-Key": "a"}
    for number in range(1, 16):
        assert shop("PATCH", f"/orders/{number}", body).status == 200
    for _ in range(2):
        response = shop("PATCH", "/orders/16", body, headers=headers)
        assert response.status == 200
    assert shop.control("GET", "requests?note=repeated")["requests"] == []
    assert post(shop, "b").status == 201


@pytest.fixture
def eager_threads() -> Iterator[None]:
    before = getswitchinterval()
    setswitchinterval(1e-5)
    yield
    setswitchinterval(before)


@pytest.mark.usefixtures("eager_threads")
def test_concurrent_requests_with_a_key_create_once(shop: Checked) -> None:
    before, together = count(shop), Barrier(8)

    def send(value: str) -> Response:
        together.wait()
        return post(shop, value)

    with ThreadPoolExecutor(8) as threads:
        for value in map(str, range(10)):
            responses = [*threads.map(send, [value] * 8)]
            assert len({each.body for each in responses}) == 1
    assert count(shop, limit=100) == before + 10
