# ruff: noqa: E501 - messages are compared whole, a line each
"""Resources over HTTP: what each request does, whose records they are, and what explains it."""

import json
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any, Self
from uuid import UUID

import pytest

from mockpets import Settings, create_app
from tests.http_client import JSON, Client, InProcess, Response

PATH = "/v1/store/orders"
FIRST = {"id": 1, "petId": 3, "status": "placed"}
ORDERS: dict[str, Any] = {"path": PATH, "required": ["petId"]}
DATA = {"orders": [FIRST]}
ID_RULE = "must be an integer (int64), or a text of 1 to 100 characters without '/'"
NUMBERS = count()


class Shop:
    """A session with resources, on a server that all tests share."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.base = f"/~shop{next(NUMBERS)}"

    def __call__(
        self,
        method: str,
        path: str = PATH,
        body: Any = None,
        *,
        raw: bytes | None = None,
        **more: Any,
    ) -> Response:
        if raw is not None:
            more = {"headers": JSON, **more, "body": raw}
        return self._client(method, self.base + path, json_body=body, **more)

    def control(self, method: str, path: str, body: Any = None) -> Response:
        return self(method, f"/__mockpets/{path}", body, key=None)

    def use(self, *resources: Mapping[str, Any], **more: Any) -> Self:
        if not resources:
            resources, more = (ORDERS,), {"data": DATA, **more}
        document = {"description": "d", "resources": [*resources], **more}
        response = self.control("PUT", "scenario", {"scenario": document})
        assert response.status == 200, response.body
        return self

    def notes(self) -> dict[str, str]:
        last = self.control("GET", "requests?limit=1").json["requests"][-1]
        return {note["code"]: note["text"] for note in last["notes"]}


@pytest.fixture(scope="module")
def client() -> Client:
    return Client(InProcess(create_app(Settings())))


@pytest.fixture
def shop(client: Client) -> Shop:
    return Shop(client)


def assert_error(response: Response, code: str, message: str) -> None:
    assert (response.json["code"], response.json["message"]) == (code, message)
    assert response.status == response.json["status"]


# --- Each request ---------------------------------------------------------------------------------


def test_records_are_listed_added_changed_and_deleted(shop: Shop) -> None:
    shop.use()
    created = shop("POST", body={"petId": 7, "gift": {"wrap": True, "text": "hi"}})
    record = {"id": 2, "petId": 7, "gift": {"wrap": True, "text": "hi"}}

    assert (created.status, created.json) == (201, record)
    assert created.header("Location") == f"{shop.base}{PATH}/2"
    assert shop("GET").json == [FIRST, record]
    changed = shop("PATCH", f"{PATH}/2", {"gift": {"text": None, "card": 1}, "status": "sent"})
    record = {"id": 2, "petId": 7, "gift": {"wrap": True, "card": 1}, "status": "sent"}
    assert (changed.status, changed.json) == (200, record)
    replaced = shop("PUT", f"{PATH}/2", {"petId": 8})
    assert (replaced.status, replaced.json) == (200, {"id": 2, "petId": 8})
    assert shop("GET").json == [FIRST, {"id": 2, "petId": 8}]
    deleted = shop("DELETE", f"{PATH}/1")
    assert (deleted.status, deleted.body) == (204, b"")
    assert shop("GET", f"{PATH}/2").json == {"id": 2, "petId": 8}
    assert shop("HEAD", f"{PATH}/2").body == b""
    assert shop("POST", body={"petId": 1}).json["id"] == 3


def test_responses_are_not_off_contract_and_a_note_names_the_resource(shop: Shop) -> None:
    shop.use()
    missing = shop("GET", f"{PATH}/999")
    response = shop("GET")

    assert missing.status == 404
    for one in (missing, response):
        assert one.header("Mockpets-Off-Contract") is None, one
    assert shop.notes()["resource"] == "resource inline-1/orders"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "petId is required"),
        ({"petId": None}, "petId must be a number, got null"),
        ({"petId": "3", "status": 1}, 'petId must be a number, got "3"; status must be a string, got 1'),
        ({"petId": 1, "id": "x"}, 'id must be a number, got "x"'),
        ({"petId": 1, "id": 1.5}, f"id {ID_RULE}, got 1.5"),
        ([FIRST], "the body must be an object, got an array"),
        ("x", 'the body must be an object, got "x"'),
    ],
)  # fmt: skip
def test_an_invalid_record_is_rejected_and_adds_nothing(
    shop: Shop, body: object, message: str
) -> None:
    assert_error(shop.use()("POST", body=body), "invalid_request", message)
    assert shop("GET").json == [FIRST]


UNREPRESENTABLE = "the record has a text or a number that JSON cannot represent"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "the body is empty; it must be a JSON object"),
        (b"[", "the body is not JSON: Expecting value at line 1, column 2"),
        (b'{"petId": 1, "x": "\\ud800"}', UNREPRESENTABLE),
        (b'{"petId": 1e9999999999999999999999}', UNREPRESENTABLE),
        (b'{"petId": 1, "x": ' + b"[" * 21 + b"]" * 21 + b"}", "the body is nested deeper than 20 levels"),
    ], ids=[
    "empty", "not JSON", "half a surrogate pair", "large number", "nested"
],
)  # fmt: skip
@pytest.mark.parametrize(
    ("method", "path"), [("POST", PATH), ("PUT", f"{PATH}/1"), ("PATCH", f"{PATH}/1")]
)
def test_a_body_that_is_no_json_is_rejected(
    shop: Shop, method: str, path: str, raw: bytes, message: str
) -> None:
    assert_error(shop.use()(method, path, raw=raw), "invalid_request", message)
    assert shop("GET").json == [FIRST]


def test_without_items_any_properties_and_ids_are_valid(shop: Shop) -> None:
    shop.use({"path": PATH})

    assert shop("GET").json == []
    for body in ({"id": "a-1", "x": 1}, {"x": [None]}, {"x": "y", "id": 9}):
        assert shop("POST", body=body).status == 201
    assert [record["id"] for record in shop("GET").json] == ["a-1", 1, 9]
    assert shop("POST", body={}).json == {"id": 10}


def test_a_type_is_checked_only_if_all_items_agree_on_it(shop: Shop) -> None:
    items = [{"id": 1, "a": 1, "b": None, "c": 1}, {"id": 2, "a": 1.5, "b": "x", "c": "y"}]
    shop.use({"path": PATH}, data={"orders": items})

    assert shop("POST", body={"a": 7, "b": [], "c": {}, "d": 1}).status == 201
    assert_error(shop("POST", body={"a": True}), "invalid_request", "a must be a number, got true")


def test_new_ids_are_seeded_uuids_if_the_ids_of_the_items_are_texts(shop: Shop) -> None:
    shop.use({"path": PATH, "id": "sku"}, data={"orders": [{"sku": "a-1"}]})
    first = [shop("POST", body={}).json["sku"] for _ in range(2)]
    shop.control("POST", "reset")

    assert [shop("POST", body={}).json["sku"] for _ in range(2)] == first
    assert all(UUID(text).version == 4 for text in first)
    assert shop("GET", f"{PATH}/{first[0]}").json == {"sku": first[0]}


@pytest.mark.parametrize("taken", ["1", "a b", "%C3%A9", "a%2Bb"])
def test_an_id_is_any_segment_of_a_path(shop: Shop, taken: str) -> None:
    from urllib.parse import unquote

    shop.use({"path": PATH})
    created = shop("POST", body={"id": unquote(taken)})

    location = str(created.header("Location")).removeprefix(shop.base)
    assert shop("GET", location).json == {"id": unquote(taken)}
    assert_error(
        shop("POST", body={"id": unquote(taken)}),
        "conflict",
        f"orders already has a record with the id {unquote(taken)}",
    )


@pytest.mark.parametrize("taken", ["", "a/b", ".", "..", "a\nb", "x" * 101, True, [1]])
def test_an_id_that_no_path_can_have_is_rejected(shop: Shop, taken: object) -> None:
    response = shop.use({"path": PATH})("POST", body={"id": taken})

    assert response.json["message"].startswith(f"id {ID_RULE}, got ")
    assert shop("GET").json == []


def test_a_number_and_a_text_cannot_be_the_same_id(shop: Shop) -> None:
    shop.use({"path": PATH})("POST", body={"id": "2"})

    assert shop("POST", body={"id": 2}).status == 409
    assert [shop("POST", body={}).json["id"] for _ in range(2)] == [1, 3]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_the_id_in_a_change_is_ignored_with_a_note(shop: Shop, method: str) -> None:
    response = shop.use()(method, f"{PATH}/1", {"petId": 4, "status": "sent", "id": 9})

    assert response.json == {"id": 1, "petId": 4, "status": "sent"}
    assert shop.notes()["ignored_members"] == "ignored properties: 'id'"
    shop(method, f"{PATH}/1", {"petId": 4, "id": 1})
    assert "ignored_members" not in shop.notes()


def test_a_change_that_makes_a_record_invalid_is_rejected(shop: Shop) -> None:
    shop.use()

    assert_error(
        shop("PATCH", f"{PATH}/1", {"petId": None}), "invalid_request", "petId is required"
    )
    assert_error(shop("PUT", f"{PATH}/1", {}), "invalid_request", "petId is required")
    wrong = shop("PATCH", f"{PATH}/1", {"status": {"a": 1}})
    assert_error(wrong, "invalid_request", "status must be a string, got an object")
    assert shop("GET", f"{PATH}/1").json == FIRST


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [  # RFC 7396, appendix A, where the target and the patch are objects
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
@pytest.mark.parametrize(
    "kind", ["application/json", "application/merge-patch+json; charset=utf-8"]
)
def test_patch_is_a_json_merge_patch(
    shop: Shop, target: Any, patch: Any, result: Any, kind: str
) -> None:
    shop.use({"path": PATH})("POST", body=target)
    raw = json.dumps(patch).encode()

    assert shop("PATCH", f"{PATH}/1", raw=raw, headers={"Content-Type": kind}).json == {
        "id": 1,
        **result,
    }


@pytest.mark.parametrize(("method", "path"), [("POST", PATH), ("PATCH", f"{PATH}/1")])
def test_other_content_types_are_rejected(shop: Shop, method: str, path: str) -> None:
    kind = "application/json-patch+json"
    response = shop.use()(method, path, raw=b"[]", headers={"Content-Type": kind})

    hint = "send the header 'Content-Type: application/json'"
    message = f"Content-Type must be application/json, got {kind}; {hint}"
    assert_error(response, "invalid_request", message)


# --- Lists ----------------------------------------------------------------------------------------

MANY = [
    {"id": 1, "n": 3, "s": "3", "t": True, "z": None, "o": {"n": 4}},
    {"id": 2, "n": 3.0, "s": "x y", "t": False},
    {"id": 3, "n": 300, "s": 'é"\\'},
    {"id": 4, "n": 0, "s": ""},
    {"id": 5, "n": 1.5},
]


@pytest.mark.parametrize(("query", "ids"), [
    ("", [1, 2, 3, 4, 5]), ("limit=2", [1, 2]), ("n=3", [1, 2]), ("n=30e-1", [1, 2]),
    ("n=3e2", [3]), ("n=0", [4]), ("n=4", []), ("s=3", [1]), ("s=x%20y", [2]),
    ("s=%C3%A9%22%5C", [3]), ("s=", [4]), ("t=true", [1]), ("z=null", [1]), ("n=3&s=3", [1]),
    ("n=3&n=0", [1, 2, 4]), ("o=4", []), ("_=17", [1, 2, 3, 4, 5]),
    ("n=1e999999999999999999999", []), ("s=%FF", []),
])  # fmt: skip
def test_a_list_has_the_records_with_these_values(
    client: Client, query: str, ids: list[int]
) -> None:
    shop = Shop(client).use({"path": PATH}, data={"orders": MANY})

    assert [record["id"] for record in shop("GET", f"{PATH}?{query}").json] == ids


def test_a_number_is_found_however_it_was_written(shop: Shop) -> None:
    shop.use({"path": PATH})("POST", raw=b'{"n": 3E+2}')
    shop("POST", raw=b'{"n": -0.0}')

    assert [len(shop("GET", f"{PATH}?n={n}").json) for n in ("300", "3e2", "0", "30")] == [
        1,
        1,
        1,
        0,
    ]


def test_a_list_has_20_records_unless_a_limit_is_given(shop: Shop) -> None:
    shop.use({"path": PATH}, data={"orders": [{"id": number} for number in range(1, 150)]})

    assert len(shop("GET").json) == 20
    assert len(shop("GET", f"{PATH}?limit=100").json) == 100


@pytest.mark.parametrize(("query", "message"), [
    ("limit=0", 'limit must be an integer from 1 to 100, got "0"'),
    ("limit=1&limit=2", "limit must be sent only once, got 2 values"),
])  # fmt: skip
def test_an_invalid_limit_is_rejected(shop: Shop, query: str, message: str) -> None:
    assert_error(shop.use()("GET", f"{PATH}?{query}"), "invalid_request", message)


def test_a_parameter_that_no_record_has_is_ignored_with_a_note(shop: Shop) -> None:
    shop.use()("POST", body={"petId": 1, "gift": {"text": "x"}})

    assert len(shop("GET", f"{PATH}?text=x&colour=red").json) == 2
    assert shop.notes()["ignored_query"] == "ignored parameters: 'colour', 'text'"
    assert shop("GET", f"{PATH}?gift=x").json == []


# --- Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("record", ["2", "01", "x", "1.0", "%20", "9" * 200])
def test_an_unknown_record_is_404(shop: Shop, method: str, record: str) -> None:
    response = shop.use()(method, f"{PATH}/{record}", {"petId": 1} if method[0] == "P" else None)

    assert (response.status, response.json["code"]) == (404, "not_found")
    assert response.json["message"].startswith("orders has no record with the id ")


@pytest.mark.parametrize("path", [f"{PATH}/", f"{PATH}/1/items", "/v1/store", "/v1/orders"])
def test_other_paths_are_404(shop: Shop, path: str) -> None:
    assert shop.use()("GET", path).status == 404


@pytest.mark.parametrize(("only", "path", "methods"), [
    (None, PATH, "GET, HEAD, POST, OPTIONS"),
    (None, f"{PATH}/1", "GET, HEAD, DELETE, PATCH, PUT, OPTIONS"),
    (["list", "create", "get"], PATH, "GET, HEAD, POST, OPTIONS"),
    (["list", "create", "get"], f"{PATH}/1", "GET, HEAD, OPTIONS"),
])  # fmt: skip
def test_other_methods_are_405_with_the_allowed_ones(
    shop: Shop, only: list[str] | None, path: str, methods: str
) -> None:
    shop.use(ORDERS | ({"only": only} if only else {}), data=DATA)

    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "BREW"} - {*methods.split(", ")}:
        response = shop(method, path)
        assert (response.status, response.header("Allow")) == (405, methods), method


@pytest.mark.parametrize("key", [None, "wrong"])
@pytest.mark.parametrize(
    ("method", "path"), [("GET", PATH), ("POST", PATH), ("DELETE", f"{PATH}/1")]
)
def test_a_request_without_a_valid_key_is_401_and_changes_nothing(
    shop: Shop, method: str, path: str, key: str | None
) -> None:
    response = shop.use()(method, path, key=key)

    assert (response.status, response.json["code"]) == (401, "unauthorized")
    assert shop("GET").json == [FIRST]


def test_a_record_has_at_most_64_kib(shop: Shop) -> None:
    shop.use()
    half = {"petId": 1, "text": "x" * 40_000}

    assert shop("POST", body=half).status == 201
    message = "the record is too large; a record may have at most 64 KiB"
    assert_error(shop("PATCH", f"{PATH}/2", {"more": "y" * 40_000}), "payload_too_large", message)
    message = "the body is too large; send at most 64 KiB"
    assert_error(shop("POST", body={"text": "x" * 70_000}), "payload_too_large", message)
    assert shop("GET", f"{PATH}/2").json == {"id": 2, **half}


@pytest.mark.parametrize("settings", [{"max_records": 3}, {"memory": "8 MiB"}])
def test_the_limits_of_pets_hold_for_records(settings: dict[str, Any]) -> None:
    shop = Shop(Client(InProcess(create_app(Settings(**settings))))).use()
    body = {"petId": 1, "text": "x" * 60_000}
    added = 0
    while (response := shop("POST", body=body)).status == 201:
        added += 1

    assert (response.status, response.json["code"]) == (507, "store_full")
    assert added == 3 if "max_records" in settings else 10 < added < 200
    assert len(shop("GET", f"{PATH}?limit=100").json) == min(added + 1, 100)
    assert shop("DELETE", f"{PATH}/2").status == 204
    assert shop("POST", body=body).status == 201


# --- With stubs -----------------------------------------------------------------------------------


def test_stubs_match_before_resources(shop: Shop) -> None:
    stubs = [
        {
            "match": {"method": "POST", "path": PATH},
            "after": 1,
            "times": 1,
            "reply": {"status": 503},
        },
        {"match": {"method": "GET", "path": f"{PATH}/*"}, "reply": "pass", "name": "let-it"},
    ]
    shop.use(stubs=stubs)

    assert [shop("POST", body={"petId": 1}).status for _ in range(3)] == [201, 503, 201]
    assert [record["id"] for record in shop("GET").json] == [1, 2, 3]
    passed = shop("GET", f"{PATH}/1")
    assert (passed.json, passed.header("Mockpets-Stub")) == (FIRST, "inline-1/let-it")


def test_why_names_the_resource(shop: Shop) -> None:
    stub = {"name": "slow", "match": {"method": "GET", "path": PATH}, "delay": "1ms"}
    shop.use(stubs=[stub])("GET")
    number = shop.control("GET", "requests?limit=1").json["last"]
    explanation = shop.control("GET", f"requests/{number}/explain").json

    assert explanation["by"] == "resource"
    assert explanation["summary"] == (
        "resource inline-1/orders responds with 200; no stub responds to this request; "
        "inline-1/slow applies too"
    )
    key = {"Authorization": "Bearer mockpets"}
    unsent = {"method": "DELETE", "path": f"{shop.base}{PATH}/1", "headers": key}
    explanation = shop.control("POST", "explain", unsent).json
    assert (explanation["by"], explanation["request"]["status"]) == ("resource", 204)
    assert shop("GET").json == [FIRST], "a request that is only explained changes nothing"


# --- Whose records they are -----------------------------------------------------------------------

SHOP = (
    "description: d\nresources: [{path: /v1/store/orders}]\ndata: {orders: [{id: 1, petId: 3}]}\n"
)
RIVAL = "description: d\nresources:\n  - {path: /v1/store/orders, name: sales}\n"
BASED = "description: d\nextends: shop\nstubs: [{match: {method: PUT, path: /v1/x}, reply: {status: 503}}]\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("shop", SHOP), ("rival", RIVAL), ("based", BASED)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


@pytest.fixture
def market(files: Path) -> Shop:
    return Shop(Client(InProcess(create_app(Settings(scenarios_dir=(files,))))))


def activate(market: Shop, *names: str) -> Any:
    return market.control("PUT", "scenario", {"scenario": [*names]}).json


def ids(market: Shop, scenario: str | None = None) -> list[Any]:
    return [record["id"] for record in market("GET", scenario=scenario).json]


def test_records_belong_to_the_scenario_that_defines_them(market: Shop) -> None:
    activate(market, "shop")
    market("POST", body={"petId": 4})

    for names in (("missing", "shop"), ("shop", "missing"), ("based",), ("shop",)):
        activate(market, "default")
        assert market("GET").status == 501
        activate(market, *names)
        assert ids(market) == [1, 2], names
    activate(market, "default")
    assert ids(market, "shop") == ids(market, "based, missing") == [1, 2]
    assert market("DELETE", f"{PATH}/1", scenario="based").status == 204
    assert ids(market, "shop") == [2]


def test_another_session_has_other_records(market: Shop) -> None:
    other = Shop(market._client)
    for each_shop in (market, other):
        activate(each_shop, "shop")
    market("DELETE", f"{PATH}/1")

    assert (ids(market), ids(other)) == ([], [1])


def test_the_first_of_two_scenarios_with_a_path_serves_it(market: Shop) -> None:
    hidden = "resource rival/sales is hidden: shop/orders comes first and has the same path, /v1/store/orders"

    assert activate(market, "shop", "rival") == {"active": ["shop", "rival"], "notes": [hidden]}
    assert ids(market) == [1]
    resources = market.control("GET", "data").json["data"]
    assert [(each["name"], each["hidden_by"]) for each in resources] == [
        ("pets", None),
        ("orders", None),
        ("sales", "shop"),
    ]
    assert activate(market, "rival", "shop")["notes"] == [
        hidden.replace("rival/sales", "X")
        .replace("shop/orders", "rival/sales")
        .replace("X", "shop/orders")
    ]
    assert ids(market) == []
    assert "hidden" not in activate(market, "shop")


def test_a_reset_restores_the_items_and_the_ids(market: Shop) -> None:
    activate(market, "shop")
    market("POST", body={})
    market("DELETE", f"{PATH}/1")
    market.control("POST", "reset")

    assert ids(market) == [1]
    assert market("POST", body={}).json["id"] == 2
    name = market.base.removeprefix("/~")
    assert market.control("POST", f"sessions/{name}/undo").status == 200
    assert ids(market) == [2]
    assert market("POST", body={}).json["id"] == 3


def test_a_saved_file_with_other_items_starts_again(market: Shop) -> None:
    activate(market, "shop")
    market("POST", body={})
    for text, expected in (
        (SHOP.replace("orders}]", "orders, only: [list]}]"), [1, 2]),
        (SHOP.replace("id: 1", "id: 5"), [5]),
        (SHOP, [1]),
    ):
        response = market._client(
            "PUT",
            "/__mockpets/scenarios/shop",
            body=text.encode(),
            key=None,
            headers={
                "Content-Type": "application/yaml",
                "If-Match": f'"{market.control("GET", "scenarios/shop").json["digest"]}"',
            },
        )
        assert response.status == 200, response.body
        assert ids(market) == expected


# --- The control API ------------------------------------------------------------------------------


def test_the_control_api_reads_and_changes_records_whatever_the_stubs_do(shop: Shop) -> None:
    stub = {"match": {"method": "POST", "path": PATH}, "reply": {"status": 503}}
    shop.use(ORDERS | {"only": ["list"]}, data=DATA, stubs=[stub])

    added = shop.control("POST", "data/orders", {"petId": 4})
    assert (added.status, added.json) == (201, {"id": 2, "petId": 4})
    assert shop.control("GET", "data/orders/2").json == {"id": 2, "petId": 4}
    assert shop.control("PATCH", "data/orders/2", {"petId": 5, "x": None}).json == {
        "id": 2,
        "petId": 5,
    }
    assert shop.control("DELETE", "data/orders/1").json == {"total": 1}
    summary = {
        "name": "orders", "scenario": "inline-1", "path": PATH, "id": "id", "total": 1,
        "changed": True, "content_of": "inline-1", "hidden_by": None,
    }  # fmt: skip
    pets = {
        "name": "pets", "scenario": None, "path": "/v1/pets", "id": "id", "total": 16,
        "changed": False, "content_of": None, "hidden_by": None,
    }  # fmt: skip
    assert shop.control("GET", "data").json == {"data": [pets, summary]}
    records = [{"id": 2, "petId": 5}]
    assert shop.control("GET", "data/orders").json == summary | {"next": None, "records": records}
    assert shop("GET").json == records


def test_all_records_can_be_replaced(shop: Shop) -> None:
    shop.use()
    given = [{"petId": 1}, {"id": 3, "petId": 2}, {"petId": 3, "id": None}]

    assert shop.control("PUT", "data/orders", given).json == {"total": 3}
    assert [(record["id"], record["petId"]) for record in shop("GET").json] == [
        (4, 1),
        (3, 2),
        (5, 3),
    ]
    assert shop.control("PUT", "data/orders", []).json == {"total": 0}
    assert shop("POST", body={"petId": 1}).json["id"] == 6


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"petId": 1}, 400, "body:1:1: missing key 'records'"),
        (40, 400, "body:1:1: records can be generated only for a collection of the contract"),
        ({"count": 40}, 400, "body:1:1: records can be generated only for a collection of the contract"),
        ("nothing", 400, "body:1:1: unknown fixture 'nothing'"),
        ([{"petId": 1}, {}], 400, "record 2: petId is required"),
        ([{"petId": 1, "id": 4}, {"petId": 1, "id": 4}], 409, "record 2: orders already has a record with the id 4"),
        ([3], 400, "body:1:2: 1: must be a mapping, got 3"),
    ],
)  # fmt: skip
def test_records_that_are_not_valid_replace_nothing(
    shop: Shop, body: object, status: int, message: str
) -> None:
    response = shop.use().control("PUT", "data/orders", body)

    assert (response.status, response.json["message"].partition(";")[0]) == (status, message)
    assert shop("GET").json == [FIRST]


def test_pages_of_records(shop: Shop) -> None:
    shop.use({"path": PATH}, data={"orders": [{"id": text} for text in "cabd"]})
    pages, after = [], ""
    while True:
        page = shop.control("GET", f"data/orders?limit=2{after}").json
        pages.append([record["id"] for record in page["records"]])
        if page["next"] is None:
            break
        after = f"&after={page['next']}"

    assert pages == [["c", "a"], ["b", "d"]]
    assert shop.control("GET", "data/orders?after=d").json["records"] == []
    assert shop.control("GET", "data/orders?after=x").status == 404


@pytest.mark.parametrize(
    ("method", "path", "code", "message"),
    [
        ("GET", "data/order", "not_found", "unknown collection 'order'; did you mean 'orders'?"),
        ("GET", "data/x", "not_found", "unknown collection 'x'; known: pets, orders; others need the scenario that defines them"),
        ("GET", "data/orders/9", "not_found", "orders has no record with the id 9"),
        ("POST", "data/orders", "invalid_request", "petId is required"),
        ("GET", "data/orders?limit=0", "invalid_request", 'limit must be an integer from 1 to 1000, got \'0\''),
        ("GET", "data?x=1", "invalid_request", "unknown parameter 'x'; this call has no parameters"),
    ],
)  # fmt: skip
def test_invalid_calls(shop: Shop, method: str, path: str, code: str, message: str) -> None:
    body: Any = {} if method in ("POST", "PATCH") else None

    assert_error(shop.use().control(method, path, body), code, message)


def test_without_resources_the_contract_has_the_only_collection(shop: Shop) -> None:
    message = "unknown collection 'orders'; known: pets; others need the scenario that defines them"

    assert [each["name"] for each in shop.control("GET", "data").json["data"]] == ["pets"]
    assert_error(shop.control("GET", "data/orders"), "not_found", message)


def test_scenarios_with_equal_names_are_told_apart(files: Path) -> None:
    (files / "second.yaml").write_text(SHOP.replace("/store/", "/second/"))
    shop = Shop(Client(InProcess(create_app(Settings(scenarios_dir=(files,))))))
    activate(shop, "shop", "second")
    shop("POST", "/v1/second/orders", {})

    totals = {
        name: shop.control("GET", f"data/{name}").json["total"]
        for name in ("orders", "shop.orders", "second.orders")
    }
    assert totals == {"orders": 1, "shop.orders": 1, "second.orders": 2}


def test_an_undone_reset_keeps_records_and_does_not_assign_an_id_again(shop: Shop) -> None:
    undo = f"sessions/{shop.use().base.removeprefix('/~')}/undo"
    shop("POST", body={"petId": 4})
    shop.control("POST", "reset")
    for pet_id in (5, 6):
        shop("POST", body={"petId": pet_id})
    shop.control("POST", undo)

    assert shop("GET").json == [FIRST, {"id": 2, "petId": 4}]
    assert shop("POST", body={"petId": 7}).json["id"] == 4
    for _ in range(2):
        shop.control("POST", "reset")
    shop("POST", body={"petId": 6})
    shop.control("POST", undo)
    assert shop("GET").json == [FIRST]
    assert shop("POST", body={"petId": 6}).json["id"] == 3


def test_a_change_of_records_is_an_event(shop: Shop) -> None:
    before = shop.use().control("GET", "events").json["change"]
    shop("GET")
    assert shop.control("GET", f"events?since={before}").json["changed"] == ["requests"]
    before = shop.control("GET", "events").json["change"]
    shop("DELETE", f"{PATH}/1")
    assert {*shop.control("GET", f"events?since={before}").json["changed"]} == {"data", "requests"}


def test_a_scenario_is_reached_once_its_resource_served_a_request(market: Shop) -> None:
    activate(market, "shop")
    market("GET", "/v1/pets")
    assert (
        market.control("GET", "scenarios/shop").json["unreached"]
        == "scenario shop affected no request"
    )
    market("GET")
    assert market.control("GET", "scenarios/shop").json["unreached"] is None


@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        ({"error": "conflict"}, 409, "conflict"),
        ({"error": "not_found", "message": "Gone."}, 404, "not_found"),
        ({"error": "method_not_allowed"}, 405, "method_not_allowed"),
        ({"error": "payload_too_large"}, 413, "payload_too_large"),
        ({"status": 409, "body": {"code": "taken"}}, 409, "taken"),
        ({"status": 503}, 503, "service_unavailable"),
    ],
    ids=["conflict", "not found", "method", "too large", "own body", "network"],
)
def test_a_reply_for_the_path_of_a_resource_needs_no_off_contract(
    shop: Shop, reply: object, status: int, code: str
) -> None:
    stub = {"match": {"method": "POST", "path": PATH}, "reply": reply}
    response = shop.use(stubs=[stub])("POST", body={"petId": 1})

    assert (response.status, response.json["code"]) == (status, code)
    assert response.header("Mockpets-Off-Contract") is None


@pytest.mark.parametrize(
    "match",
    [{"operation": "getPet"}, {"method": "DELETE", "path": "/v1/pets/*"}],
    ids=["an operation", "a path of the contract"],
)
def test_errors_of_resources_are_rejected_within_the_contract(shop: Shop, match: object) -> None:
    stub = {"match": match, "reply": {"error": "conflict"}, "off_contract": True}
    scenario = {"description": "d", "stubs": [stub]}
    response = shop.control("PUT", "scenario", {"scenario": scenario})

    assert response.status == 422
    message = "only resources and paths outside the contract respond with conflict; use "
    assert f"{message}invalid_request, unauthorized or pet_not_found, or {{status: 409}}" in (
        response.text
    )
