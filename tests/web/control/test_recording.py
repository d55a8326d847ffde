"""Stubs and scenarios from recorded requests repeat what was recorded."""

import os
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from http.client import HTTPException
from threading import Event, Thread
from typing import Any
from urllib.parse import quote

import pytest
import yaml

from mockpets import MockpetsServer
from mockpets.client import ControlClient, ControlError
from tests.http_client import JSON, Client, OverSocket, Response

CACHED_STACKS = int(os.environ.get("RECORDED_STACKS", "24"))
MISO = b'{"name":"Miso","categoryId":2}'


@pytest.fixture(scope="module")
def call(server: MockpetsServer) -> Client:
    return Client(OverSocket(server.url))


def session(server: MockpetsServer, name: str, *scenarios: Any) -> ControlClient:
    control = ControlClient(server.url, name)
    control.make_session(name, scenario=list(scenarios) or "default")
    return control


# --- One request ------------------------------------------------------------------------------

NOT_FOUND = {"reply": {"error": "pet_not_found"}}
PET_7 = {"match": {"operation": "getPet", "params": {"petId": 7}}}


@pytest.mark.parametrize(("method", "target", "options", "stub"), [
    ("GET", "/v1/pets/999", {},
     {"match": {"operation": "getPet", "params": {"petId": 999}}, **NOT_FOUND}),
    ("GET", "/v1/pets/7", {"status": 404, "times": 2}, {**PET_7, "times": 2, **NOT_FOUND}),
    ("GET", "/v1/pets?status=sold&limit=2&token=hunter2&since=2026-11-23", {"status": 503}, {
        "match": {"operation": "listPets", "query": {"status": "sold", "limit": "2"}},
        "reply": {"status": 503},
    }),
    ("GET", "/v1/pets", {"hold": "go"}, {"match": {"operation": "listPets"}, "hold": "go"}),
    ("DELETE", "/v1/pets/7", {"status": 204}, {
        "match": {"method": "DELETE", "path": "/v1/pets/{id}"},
        "reply": {"status": 204},
        "off_contract": True,
    }),
])  # fmt: skip
def test_a_request_becomes_a_stub(
    method: str,
    target: str,
    options: dict[str, Any],
    stub: dict[str, Any],
    server: MockpetsServer,
    call: Client,
) -> None:
    control = session(server, "one")
    control.reset()
    call(method, f"/~one{target}")
    result = control.stub(1, **options)

    assert result["stub"] == stub
    assert yaml.safe_load(result["yaml"])["stubs"] == [stub]
    assert control.check_scenario(result["yaml"])["problems"] == []
    assert result["matches"] == [1]


def test_a_list_becomes_its_page(server: MockpetsServer, call: Client) -> None:
    control = session(server, "page")
    before = call("GET", "/~page/v1/pets?limit=3")
    control.respond_like(1)
    control.delete_record("pets", 1)

    assert call("GET", "/~page/v1/pets?limit=3").json == before.json
    assert call("GET", "/~page/v1/pets?limit=2").json != before.json[:2]


@pytest.mark.parametrize("character", ["\u200b", "\u200e", "\ufeff", "\u2028", "\u061c"], ids=ascii)
def test_stub_and_recording_escape_invisible_characters(
    character: str, server: MockpetsServer, call: Client
) -> None:
    control, text = session(server, "invisible"), f"a{character}b"
    control.reset()
    name = {"name": text, "categoryId": 1}
    created = call("POST", "/~invisible/v1/pets", json_body=name)
    listed = call("GET", f"/~invisible/v1/pets?limit=1&x={quote(text)}")
    texts = [control.stub(1)["yaml"], control.stub(2)["yaml"], control.recording()["yaml"]]

    assert [character in written for written in texts] == [False] * 3
    assert [control.check_scenario(written)["problems"] for written in texts] == [[]] * 3
    assert yaml.safe_load(texts[0])["stubs"][0]["reply"]["body"]["name"] == text
    assert yaml.safe_load(texts[1])["stubs"][0]["match"]["query"]["x"] == text
    control.respond_like(1)
    assert call("POST", "/~invisible/v1/pets", json_body=name).json == created.json
    assert call("GET", f"/~invisible/v1/pets?limit=1&x={quote(text)}").json == listed.json


def test_the_counters_and_pets_of_the_session_go_on(server: MockpetsServer, call: Client) -> None:
    control = session(server, "top", "retry")
    assert call("GET", "/~top/v1/pets").status == 503
    created = call("POST", "/~top/v1/pets", body=MISO, headers=JSON)
    assert created.status == 503
    created = call("POST", "/~top/v1/pets", body=MISO, headers=JSON)
    used = control.respond_like(3, status=401, times=1)

    assert used["active"] == ["like-request-3", "retry"]
    assert used["matches"] == [2, 3]
    assert call("POST", "/~top/v1/pets", body=MISO, headers=JSON).status == 401
    assert call("GET", "/~top/v1/pets").status == 200, "retry has failed twice already"
    assert call("GET", f"/~top/v1/pets/{created.json['id']}").status == 200
    assert control.drop_stub(3)["active"] == ["retry"]
    assert call("GET", "/~top/v1/pets").status == 200
    with pytest.raises(ControlError, match="'like-request-3' is not active"):
        control.drop_stub(3)


def test_the_records_and_pets_of_an_inline_scenario_go_on(
    server: MockpetsServer, call: Client
) -> None:
    path = "/v1/store/orders"
    control = session(
        server, "kept", {"description": "d", "data": {"pets": []}, "resources": [{"path": path}]}
    )
    call("POST", f"/~kept{path}", body=b'{"petId":3}', headers=JSON)
    call("POST", "/~kept/v1/pets", body=MISO, headers=JSON)
    control.respond_like(2, status=503)

    assert call("GET", f"/~kept{path}").json == [{"id": 1, "petId": 3}]
    assert [pet["name"] for pet in call("GET", "/~kept/v1/pets").json] == ["Miso"]
    control.drop_stub(2)
    assert call("GET", f"/~kept{path}").json == [{"id": 1, "petId": 3}]
    assert [pet["name"] for pet in call("GET", "/~kept/v1/pets").json] == ["Miso"]


def test_an_assigned_id_is_not_matched(server: MockpetsServer, call: Client) -> None:
    control = session(server, "assigned")
    new = call("POST", "/~assigned/v1/pets", body=MISO, headers=JSON).json["id"]
    call("GET", f"/~assigned/v1/pets/{new}")

    assert (control.stub(2)["stub"] or {})["match"] == {"operation": "getPet"}
    assert (control.stub(2, exact=True)["stub"] or {})["match"]["params"]["petId"] == new
    call("GET", f"/~assigned/v1/store/orders?petId={new}&size=2")
    order = {"method": "GET", "path": "/v1/store/orders"}
    assert (control.stub(3)["stub"] or {})["match"] == {**order, "query": {"size": "2"}}
    exact = {"petId": str(new), "size": "2"}
    assert (control.stub(3, exact=True)["stub"] or {})["match"] == {**order, "query": exact}


def test_an_unknown_collection_becomes_a_resource(server: MockpetsServer, call: Client) -> None:
    control = session(server, "unknown")
    call("GET", "/~unknown/v1/carts/3/items")
    call("POST", "/~unknown/v1/carts/3/items", body=b'{"petId":3}', headers=JSON)
    assert control.stub(2)["stub"], "no GET has followed"
    call("GET", "/~unknown/v1/carts/3/items/1")
    call("GET", "/~unknown/v1/carts/3/items")

    for number in (1, 2, 3):
        result = control.stub(number)
        document = yaml.safe_load(result["yaml"])
        assert (result["stub"], result["matches"]) == (None, [1, 2, 3, 4])
        assert document["resources"] == [{"path": "/v1/carts/3/items"}]
        assert "stubs" not in document
    assert control.stub(2, status=201)["stub"]
    control.respond_like(2)
    call("POST", "/~unknown/v1/carts/3/items", body=b'{"petId":3}', headers=JSON)
    assert call("GET", "/~unknown/v1/carts/3/items").json == [{"id": 1, "petId": 3}]


def test_what_is_not_recorded_is_named(server: MockpetsServer, call: Client) -> None:
    control = session(server, "lost")
    control.set_records("pets", 200)
    call("GET", "/~lost/v1/pets?limit=100")
    with pytest.raises(ControlError, match=r"only 4096 of \d+ bytes; choose another"):
        control.stub(1)
    assert (control.stub(1, status=500)["stub"] or {})["reply"] == {"status": 500}
    with pytest.raises(ControlError, match="no request '9'"):
        control.stub(9)
    with pytest.raises(ControlError, match="status must be an integer from 200 to 599"):
        control.stub(1, status=100)


# --- A session --------------------------------------------------------------------------------


def traffic(call: Client, name: str, seed: int, most: int = 14) -> list[Response | None]:
    """Send requests that a front end would; None stands for a broken response."""
    random_, results, known = random.Random(seed), [], [1, 2, 3, 999]
    for _ in range(most):
        match random_.randrange(6):
            case 0:
                request = ("GET", "/v1/pets", b"")
            case 1:
                request = ("GET", f"/v1/pets?limit=5&status={random_.choice(['sold', 'no'])}", b"")
            case 2:
                request = ("POST", "/v1/pets", MISO)
            case 3:
                request = ("POST", "/v1/pets", b'{"name":"Miso"}')
            case 4:
                request = ("GET", "/v1/store/orders", b"")
            case _:
                request = ("GET", f"/v1/pets/{random_.choice(known)}", b"")
        method, target, body = request
        headers = JSON if body else {}
        try:
            response = call(method, f"/~{name}{target}", body=body or None, headers=headers)
        except (OSError, HTTPException):
            response = None
        if response is not None and response.status == 201 and b'"id":' in response.body:
            known.append(int(re.findall(rb'"id":([0-9]+)', response.body)[0]))
        results.append(response)
    return results


def shape(response: Response | None) -> Any:
    return None if response is None else (response.status, response.body)


WAITS = re.compile("^ +(- )?(hold|delay|throttle):|stall", re.MULTILINE)


@contextmanager
def released(control: ControlClient) -> Iterator[None]:
    """Release each response that waits, until the block ends."""
    is_done = Event()

    def release() -> None:
        while not is_done.wait(0.002):
            for waiting in control.held():
                with suppress(ControlError):  # it is sent meanwhile
                    control.release(waiting["request"])

    thread = Thread(target=release)
    thread.start()
    yield
    is_done.set()
    thread.join()


def again(server: MockpetsServer, call: Client, *scenarios: Any, seed: int, waits: bool) -> str:
    """Record traffic and play it against the result; return that as text."""

    def played(name: str, *scenarios: Any) -> list[Any]:
        control = session(server, name, *scenarios)
        control.reset()
        with released(control) if waits else nullcontext():
            return [shape(response) for response in traffic(call, name, seed)]

    before = played("recorded", *scenarios)
    result = ControlClient(server.url, "recorded").recording()
    assert (result["requests"], result["notes"]) == (14, [])
    after = played("again", yaml.safe_load(result["yaml"]))
    assert after == before, (scenarios, result["yaml"])
    return result["yaml"]


@pytest.mark.slow
@pytest.mark.parametrize("waits", [False, True])
def test_each_shipped_scenario_repeats_its_recording(
    waits: bool, server: MockpetsServer, call: Client
) -> None:
    control = session(server, "shipped")
    names = [row["name"] for row in control.scenarios()["scenarios"]]
    texts = {name: control.scenario(name)["text"] or "" for name in names}
    chosen = [name for name, text in texts.items() if bool(WAITS.search(text)) == waits]
    assert ("loading" if waits else "flaky") in chosen
    for name in chosen:
        again(server, call, name, seed=1, waits=waits)


def random_stub(chance: random.Random) -> dict[str, Any]:
    """Return a stub that neither draws random numbers nor waits for a gate."""
    match: dict[str, Any] = chance.choice(
        [
            {},
            {"operation": "listPets"},
            {"operation": "createPet"},
            {"operation": ["getPet", "createPet"]},
            {"operation": "getPet", "params": {"petId": {"one_of": [1, 3]}}},
            {"query": {"status": "sold"}},
            {"method": "GET", "path": "/v1/store/orders"},
            {"operation": "createPet", "body": {"status": {"present": False}}},
        ]
    )
    references = {"default": None, "from": "now"}
    replies: list[Any] = [
        "pass",
        {"status": 503},
        {"status": 429, "headers": {"Retry-After": 1}},
        {"status": 418, "body": {"literal": {"from": "x"}}},
        {"status": 200, "body": [1, {"literal": references}], "headers": {"X-A": "{b} \\{now}"}},
        {"status": 502, "text": "\\{now} \u202e"},
        {"error": "unauthorized", "message": "who? {who}"},
        {"fault": "empty_reply"},
    ]
    effect: dict[str, Any] = chance.choice(
        [
            {"reply": chance.choice(replies[:-1])},
            {"sequence": chance.sample(replies, 3), "repeat": chance.choice(["last", "cycle"])},
            {"sequence": chance.sample(replies, 2), "repeat": "none"},
            {"delay": "1ms"},
            {"fault": chance.choice(["empty_reply", "truncated_body", "malformed_json"])},
        ]
    )
    limits = chance.choice([{}, {"times": 2}, {"after": 1}, {"after": 1, "times": 3}])
    return {**({"match": match} if match else {}), **limits, **effect, "off_contract": True}


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_random_stacks_repeat_their_recordings(
    block: int, server: MockpetsServer, call: Client
) -> None:
    for number in range(CACHED_STACKS // 4):
        chance = random.Random(block * CACHED_STACKS + number)
        documents: list[Any] = [
            {
                "description": "d",
                **chance.choice([{}, {"data": {"pets": 7}}, {"data": {"pets": []}}]),
                "stubs": [random_stub(chance) for _ in range(chance.randint(1, 4))],
            }
            for _ in range(chance.randint(1, 3))
        ]
        again(server, call, *documents, seed=number, waits=False)


def test_a_recording_begins_where_it_is_started(server: MockpetsServer, call: Client) -> None:
    control = session(server, "begin", "missing")
    call("POST", "/~begin/v1/pets", body=MISO, headers=JSON)
    started = control.start_recording()
    assert started["after"] == 1
    call("GET", "/~begin/v1/pets/1")
    result = control.recording()

    assert result["requests"] == 1


def test_a_recording_needs_neither_the_clock_nor_other_scenarios(
    server: MockpetsServer, call: Client
) -> None:
    shop: Any = {"description": "d", "resources": [{"path": "/v1/carts"}]}
    shop["data"] = {"carts": [{"id": 7}]}
    path, body = "/~moved/v1/carts", b'{"petId":3}'
    control = session(server, "moved", shop)
    control.start_recording()
    before = [call("POST", path, body=body, headers=JSON).body, call("GET", path).body]
    control.use("default")
    control.clock.freeze("2031-01-01")
    gone = call("GET", "/~moved/v1/pets/1")
    result = control.recording()

    assert (gone.status, result["notes"], result["stubs"]) == (410, [], 1)
    assert yaml.safe_load(result["yaml"])["resources"] == shop["resources"]
    session(server, "moved-again", yaml.safe_load(result["yaml"]))
    path = path.replace("moved", "moved-again")
    after = [call("POST", path, body=body, headers=JSON).body, call("GET", path).body]
    assert after == before
    response = call("GET", "/~moved-again/v1/pets/1")
    assert (response.status, response.body) == (gone.status, gone.body)


def test_long_bodies_come_from_the_state_or_are_named(server: MockpetsServer, call: Client) -> None:
    control = session(server, "long", {"description": "d", "data": {"pets": 200}})
    listed = call("GET", "/~long/v1/pets?limit=100").body
    assert len(listed) > 4096
    result = control.recording()
    assert (result["notes"], result["stubs"]) == ([], 0)
    session(server, "long-again", yaml.safe_load(result["yaml"]))
    assert call("GET", "/~long-again/v1/pets?limit=100").body == listed

    # The log has the same beginning of the next body, and the same length.
    name = control.records("pets")[98]["name"]
    control.change_record("pets", 99, {"name": name[::-1]})
    assert len(call("GET", "/~long/v1/pets?limit=100").body) == len(listed)
    what = f"is not recorded completely, only 4096 of {len(listed)} bytes"
    assert control.recording()["notes"] == [f"the body of the response to request 2 {what}"]


def test_a_recording_without_its_beginning_is_an_error(
    server: MockpetsServer, call: Client
) -> None:
    control = session(server, "cleared")
    call("GET", "/~cleared/v1/pets")
    control.clear_requests()
    with pytest.raises(ControlError, match="has lost 1 request since the beginning"):
        control.recording()


def test_a_recording_has_no_secrets_of_bodies(server: MockpetsServer, call: Client) -> None:
    users: Any = {
        "description": "d",
        "resources": [{"path": "/v1/users"}],
        "stubs": [
            {"match": {"method": "POST", "path": "/v1/login"}, "off_contract": True}
            | {"reply": {"status": 200, "body": {"access_token": "eyJhbGciOi", "token_type": "a"}}}
        ],
    }
    control = session(server, "users", users)
    body = b'{"name":"anna","login":{"password":"hunter22"}}'
    call("POST", "/~users/v1/users", body=body, headers=JSON)
    control.start_recording()
    call("POST", "/~users/v1/login", body=body, headers=JSON)
    call("GET", "/~users/v1/users")
    result = control.recording()

    assert result["notes"] == ["dropped secrets: access_token (1), password (1)"]
    assert "hunter22" not in result["yaml"] and "eyJ" not in result["yaml"]
    assert result["yaml"].count("[redacted]") == 2
    assert "anna" in result["yaml"] and "token_type" in result["yaml"]


def test_resources_begin_with_their_records(server: MockpetsServer, call: Client) -> None:
    shop: Any = {
        "description": "d",
        "resources": [
            {"path": "/v1/store/orders", "required": ["petId"], "filters": ["petId"]},
            {"path": "/v1/carts", "id": "sku", "name": "baskets", "only": ["list", "create"]},
        ],
        "data": {"orders": [{"id": 1, "petId": 3}]},
        "stubs": [
            {"match": {"method": "POST", "path": "/v1/store/orders"}, "after": 1, "times": 1}
            | {"reply": {"status": 503}}
        ],
    }
    requests = [
        ("GET", "/store/orders", b""),
        ("POST", "/store/orders", b'{"petId":7}'),
        ("POST", "/store/orders", b"{}"),
        ("PATCH", "/store/orders/1", b'{"petId":9}'),
        ("DELETE", "/store/orders/2", b""),
        ("POST", "/carts", b'{"sku":"a"}'),
        ("GET", "/carts", b""),
        ("GET", "/store/orders?petId=9", b""),
    ]

    def play(name: str) -> list[Any]:
        return [
            shape(call(method, f"/~{name}/v1{path}", body=body or None, headers=JSON))
            for method, path, body in requests
        ]

    control = session(server, "shop", shop)
    call("POST", "/~shop/v1/store/orders", body=b'{"petId":5}', headers=JSON)
    control.start_recording()
    before = play("shop")
    result = control.recording()
    document = yaml.safe_load(result["yaml"])

    assert result["notes"] == []
    assert document["resources"] == [
        {"path": "/v1/store/orders", "required": ["petId"], "filters": ["petId"]},
        {"path": "/v1/carts", "name": "baskets", "id": "sku", "only": ["list", "create"]},
    ]
    assert document["data"]["orders"] == [{"id": 1, "petId": 3}, {"id": 2, "petId": 5}]
    assert result["stubs"] == 1
    session(server, "shop-again", document)
    after = play("shop-again")
    assert [(status, body.replace(b"-again", b"")) for status, body in after] == before


# --- Numbers ----------------------------------------------------------------------------------

NUMBERS = ["9007199254740993.0", "1e400", "-0.0", "1E+5", "9" * 3000, "9" * 42]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:20])
def test_numbers_are_recorded_exactly(server: MockpetsServer, call: Client, number: str) -> None:
    control = session(server, "numbers", {"description": "d", "resources": [{"path": "/v1/a"}]})
    control.reset()
    call("POST", "/~numbers/v1/a", body=b'{"n":%s}' % number.encode(), headers=JSON)
    control.start_recording()
    sent = call("GET", "/~numbers/v1/a").body
    yaml_of_all = control.recording()["yaml"]
    control.use("default")
    control.respond_like(2)

    assert call("GET", "/~numbers/v1/a").body.strip() == sent.strip()
    control.use("default")
    control.make_session("numbers", scenario=[{"description": "d"}])
    assert control.check_scenario(yaml_of_all)["problems"] == []
    written = sent.decode().partition('"n":')[2].rstrip("}]\n")
    assert written in yaml_of_all


def test_a_reference_to_a_position_of_thousands_of_digits_has_no_value(
    server: MockpetsServer, call: Client
) -> None:
    reply = {"status": 201, "body": {"x": {"from": "body." + "9" * 5000}}}
    stub = {"match": {"method": "POST", "path": "/v1/a"}, "off_contract": True, "reply": reply}
    session(server, "position", {"description": "d", "stubs": [stub]})
    response = call("POST", "/~position/v1/a", body=b"[1,2]", headers=JSON)

    assert (response.status, response.json) == (201, {"x": None})
