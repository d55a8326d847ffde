"""The contract, row by row, in process and over a socket.

Source: pet-store-interface.md, and docs/reference/contract.md where it is silent.
"""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from mockpets.constants import ERRORS, EXPOSED_HEADERS, INT64_MAX, INT64_MIN
from mockpets.contract.pet_store import PET_STORE
from tests.http_client import Client, Response

ORIGIN = "http://localhost:5173"
RANGE = f"{INT64_MIN} to {INT64_MAX}"
INT64 = f"must be an integer from {RANGE} (int64), got "
LIMIT = "limit must be an integer from 1 to 100, got "
STATUS = "status must be one of available, pending, sold, got "
JSON = {"Content-Type": "application/json"}
BEARER = 'Bearer realm="mockpets"'
INVALID = 'Bearer realm="mockpets", error="invalid_token"'
SEND_TYPE = "send the header 'Content-Type: application/json'"
GOOD = b'{"name":"Miso","categoryId":2}'


@dataclass(frozen=True)
class Row:
    """One invalid request and its expected error.

    :param says: the whole message, or its start followed by ``...``.
    """

    target: str
    code: str
    says: str
    method: str = "GET"
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    key: str | None = "mockpets"
    has: dict[str, str] = field(default_factory=dict)


def post(body: bytes, says: str, headers: dict[str, str] = JSON) -> Row:
    return Row("/v1/pets", "invalid_request", says, "POST", body, headers)


def typed(kind: str) -> dict[str, str]:
    return {"Content-Type": kind}


def listing(query: str, says: str) -> Row:
    off = {"Mockpets-Off-Contract": "status 400 is not in the contract for listPets"}
    return Row(f"/v1/pets?{query}", "invalid_request", says, has=off)


def getting(segment: str, says: str) -> Row:
    return Row(f"/v1/pets/{segment}", "pet_not_found", says)


def keyed(authorization: str | None, says: str, more: dict[str, str] | None = None) -> Row:
    headers = {} if authorization is None else {"Authorization": authorization}
    challenge = {"WWW-Authenticate": INVALID if says == INVALID_KEY else BEARER}
    more = headers | (more or {})
    return Row("/v1/pets", "unauthorized", says, headers=more, key=None, has=challenge)


def nested(depth: int) -> bytes:
    return b'{"name":"a","categoryId":1,"x":' + b"[" * depth + b"]" * depth + b"}"


BAD_BODIES = [
    post(b"", "the body is empty; it must be a JSON object"),
    post(b" \n\t", "the body is empty; it must be a JSON object"),
    post(b"name=Miso", "the body is not JSON: Expecting value at line 1, column 1"),
    post(b'{"name":"Miso","categoryId":2,}', "the body is not JSON: ..."),
    post(GOOD + b" x", "the body is not JSON: Extra data at line 1, column 32"),
    post(b"{'name':'Miso'}", "the body is not JSON: ..."),
    post(b'{"name":"Miso",/*x*/"categoryId":2}', "the body is not JSON: ..."),
    post(b'{"name":"Miso","categoryId":NaN}',
        "the body is not JSON: NaN is not a valid JSON number"),
    post(b'{"name":"a","categoryId":1,"x":NaN}',
        "the body is not JSON: NaN is not a valid JSON number"),
    post(b'{"name":"a\x01","categoryId":1}', "the body is not JSON: ..."),
    post(b'{"name":"a","categoryId":01}', "the body is not JSON: ..."),
    post(b'{"name":"a","name":"b","categoryId":1}',
        'the body has the property "name" more than once'),
    post(b'{"name":"a","categoryId":1,"x":{"y":1,"y":2}}',
        'the body has the property "y" more than once'),
    post('{"name":"Zoé","categoryId":1}'.encode("latin-1"),
        "the body must be UTF-8; byte 11 is invalid"),
    post('{"name":"a","categoryId":1}'.encode("utf-16"),
        "the body must be UTF-8; byte 0 is invalid"),
    post(b"\xef\xbb\xbf" + GOOD, "the body is not JSON: ..."),
    post(b'{"name":"\xc0\xaf","categoryId":1}', "the body must be UTF-8; byte 9 is invalid"),
    post(nested(20), "the body is nested deeper than 20 levels"),
    post(nested(30_000), "the body is nested deeper than 20 levels"),
    post(b"null", "the body must be an object"),
    post(b"[" + GOOD + b"]", "the body must be an object"),
    post(b'"Miso"', "the body must be an object"),
    post(b"{}", "name is required; categoryId is required"),
    post(b'{"categoryId":1}', "name is required"),
    post(b'{"name":"a"}', "categoryId is required"),
    post(b'{"Name":"a","categoryid":1}', "name is required; categoryId is required"),
    post(b'{"name":null,"categoryId":1}', "name must be a string of Unicode text, got null"),
    post(b'{"name":7,"categoryId":1}', "name must be a string of Unicode text, got 7"),
    post(b'{"name":["a"],"categoryId":1}', "name must be a string of Unicode text, got an array"),
    post(b'{"name":"\\ud800","categoryId":1}',
        'name must be a string of Unicode text, got "\\ud800"'),
    post(b'{"name":"a","categoryId":null}', "categoryId must be an integer, got null"),
    post(b'{"name":"a","categoryId":"1"}',
        'categoryId must be an integer, got the text "1"; remove the quotes'),
    post(b'{"name":"a","categoryId":"two"}', 'categoryId must be an integer, got "two"'),
    post(b'{"name":"a","categoryId":"9223372036854775808"}',
        'categoryId must be an integer, got "9223372036854775808"'),
    post(b'{"name":"a","categoryId":"2","status":"lost"}',
        f'categoryId must be an integer, got the text "2"; remove the quotes; {STATUS}"lost"'),
    post(b'{"name":"a","categoryId":true}', "categoryId must be an integer, got true"),
    post(b'{"name":"a","categoryId":1.5}', "categoryId must be an integer, got 1.5"),
    post(b'{"name":"a","categoryId":1e-400}', "categoryId must be an integer, got 1E-400"),
    post(b'{"name":"a","categoryId":1e400}', f"categoryId {INT64}1E+400"),
    post(b'{"name":"a","categoryId":1e99999999999999999999}', f"categoryId {INT64}Infinity"),
    post(b'{"name":"a","categoryId":9223372036854775808}',
        f"categoryId {INT64}9223372036854775808"),
    post(b'{"name":"a","categoryId":' + b"9" * 5000 + b"}", f"categoryId {INT64}9999..."),
    post(b'{"name":"a","categoryId":1,"status":null}', STATUS + "null"),
    post(b'{"name":"a","categoryId":1,"status":"lost"}', STATUS + '"lost"'),
    post(b'{"name":"a","categoryId":1,"status":"Sold"}', STATUS + '"Sold"'),
    post(b'{"name":"a","categoryId":1,"status":""}', STATUS + '""'),
    post(b'{"name":"a","categoryId":1,"status":["sold"]}', STATUS + "an array"),
    post(b'{"name":1,"status":2}',
        f"name must be a string of Unicode text, got 1; categoryId is required; {STATUS}2"),
    post(GOOD, "Content-Type is missing; send the header 'Content-Type: application/json'", {}),
    *[post(body, f"Content-Type must be application/json, got {kind}; {SEND_TYPE}", typed(kind))
        for kind, body in {
            "text/plain": GOOD, "application/x-www-form-urlencoded": b"name=Miso&categoryId=2",
            "multipart/form-data; boundary=x": GOOD, "application/problem+json": GOOD, ";;": GOOD,
        }.items()],
    post(GOOD, "Content-Type must be application/json, got ...",
        typed("text/html, application/json")),
    post(GOOD, "the charset must be utf-8, got iso-8859-1",
        typed("application/json; charset=iso-8859-1")),
    post(GOOD, "Content-Encoding gzip is not supported; send the body uncompressed",
        {**JSON, "Content-Encoding": "gzip"}),
    Row("/v1/pets", "payload_too_large", "the body is too large; send at most 64 KiB",
        method="POST", body=b'{"name":"' + b"a" * 65_526 + b'"}', headers=JSON),
]  # fmt: skip

BAD_QUERIES = [
    listing("limit=0", LIMIT + '"0"'),
    listing("limit=101", LIMIT + '"101"'),
    listing("limit=abc", LIMIT + '"abc"'),
    listing("limit=", LIMIT + '""'),
    listing("limit=%D9%A3", LIMIT + '"٣"'),
    listing("limit=1_0", LIMIT + '"1_0"'),
    listing("limit=%2B5", LIMIT + '"+5"'),
    listing("limit=+5", LIMIT + '" 5"'),
    listing("limit=5%0A", LIMIT + '"5\\n"'),
    listing("limit=1e1", LIMIT + '"1e1"'),
    listing("limit=1.0", LIMIT + '"1.0"'),
    listing("limit=0x5", LIMIT + '"0x5"'),
    listing("limit=5%00", LIMIT + '"5\\u0000"'),
    listing("limit=%ff", LIMIT + '"%FF"'),
    listing("limit=" + "9" * 5000, LIMIT + '"9999...'),
    listing("limit=5,6", LIMIT + '"5,6"'),
    listing("limit=1&limit=2", "limit must be sent only once, got 2 values"),
    listing("status=lost", STATUS + '"lost"'),
    listing("status=SOLD", STATUS + '"SOLD"'),
    listing("status=sold,pending", STATUS + '"sold,pending"'),
    listing("status=sold&status=pending", "status must be sent only once, got 2 values"),
    listing("limit=0&status=x", f'{LIMIT}"0"; {STATUS}"x"'),
]

BAD_IDS = [
    getting("999999", "no animal has the id 999999"),
    getting("-1", "no animal has the id -1"),
    getting(str(INT64_MAX), f"no animal has the id {INT64_MAX}"),
    getting(str(INT64_MIN), f"no animal has the id {INT64_MIN}"),
    *[getting(digits, f"no animal has the id '{digits[:40]}': an id is an integer from {RANGE}")
        for digits in ("9223372036854775808", "-9223372036854775809", "9" * 5000)],
    getting("1.5", "no animal has the id '1.5': an id is an integer, such as 7"),
    *[getting(segment, "no animal has the id ...") for segment in (
        *("abc", "1.0", "1e0", "01", "+1", "-0", "1_0", "%D9%A1", "%201", "1%20", "1%0A"),
        *("1%00", "%FF", "1;a=b", "%2E"))],
]  # fmt: skip

KEY_HEADER = "'Authorization: Bearer <API_KEY>'"
MISSING_KEY = (
    f"the API key is missing; send the header {KEY_HEADER}; mockpets printed the key when it "
    "started"
)
INVALID_KEY = f"the API key is invalid; send a valid key in the header {KEY_HEADER}"
NO_BEARER = f"the Authorization header must have 'Bearer' and the API key; send {KEY_HEADER}"
BAD_KEYS = [
    keyed(None, MISSING_KEY),
    keyed("", MISSING_KEY),
    keyed("Bearer", NO_BEARER),
    keyed("Bearer ", NO_BEARER),
    keyed("s3cret", NO_BEARER),
    *[keyed(f"{scheme.lower()} bW9ja3BldHM6",
        NO_BEARER.replace("; ", f", got the scheme '{scheme}'; "))
        for scheme in ("Basic", "Digest", "Token", "ApiKey", "JWT", "AWS4-HMAC-SHA256")],
    keyed("s3cret mockpets", NO_BEARER),
    keyed("Bearer: mockpets", NO_BEARER),
    *[keyed(None, f"the API key is missing; send it in the header {KEY_HEADER} instead of {name}",
        {name.lower(): "mockpets"})
        for name in ("X-API-Key", "Api-Key", "ApiKey", "X-Auth-Token")],
    keyed(None, MISSING_KEY, {"X-API-Key": ""}),
    keyed("Bearer wrong", INVALID_KEY, {"X-API-Key": "mockpets"}),
    keyed("Bearer wrong", INVALID_KEY),
    keyed("Bearer MOCKPETS", INVALID_KEY),
    keyed("Bearer mockpets x", INVALID_KEY),
    keyed("Bearer mockpets, Bearer mockpets", INVALID_KEY),
    keyed("Bearer möckpets", INVALID_KEY),
    keyed("Bearer " + "k" * 4000, INVALID_KEY),
]  # fmt: skip

ALLOW_PETS = {"Allow": "GET, HEAD, POST, OPTIONS"}
ALLOW_PET = {"Allow": "GET, HEAD, OPTIONS"}


def rejected(method: str, path: str, has: dict[str, str]) -> Row:
    says = f"{method} is not allowed on {path}; allowed: {has['Allow']}"
    return Row(path, "method_not_allowed", says, method, has=has)


def named(scenario: str, says: str) -> Row:
    return Row("/v1/pets", "unknown_scenario", says, headers={"Mockpets-Scenario": scenario})


EMPTY_NAME = (
    "empty scenario name in Mockpets-Scenario; name one or more scenarios, separated by commas"
)
ELSEWHERE = [
    *[rejected(method, "/v1/pets", ALLOW_PETS)
        for method in ("PUT", "PATCH", "DELETE", "TRACE", "FOO")],
    *[rejected(method, "/v1/pets/1", ALLOW_PET) for method in ("PUT", "PATCH", "DELETE", "POST")],
    rejected("POST", "/v1/store/orders", ALLOW_PET),
    Row("/pets", "not_found", "unknown path '/pets'; the base URL must end with /v1: /v1/pets"),
    Row("/pets/3", "not_found",
        "unknown path '/pets/3'; the base URL must end with /v1: /v1/pets/3"),
    Row("/v1/pets/", "not_found", "unknown path '/v1/pets/'; remove the trailing slash: /v1/pets"),
    Row("/v1/pet", "not_found",
        "unknown path '/v1/pet'; did you mean '/v1/pets'? To define a response, add a stub to a "
        "scenario: 'match: {method: GET, path: /v1/pet}' and a reply, or "
        "for a list that remembers 'resources: [{path: /v1/pet}]'"),
    *[Row(path, "not_found",
        f"unknown path {path!r}; the pet store is at /v1/pets; to define a response, add a "
            f"stub to a scenario: 'match: {{method: DELETE, path: {pattern}}}' and a reply, "
            f"or for a list that remembers 'resources: [{{path: {path}}}]'",
        method="DELETE")
        for path, pattern in (
            ("/v1/categories", "/v1/categories"), ("/v1/pets/1/photos", "/v1/pets/*/photos"))],
    Row("/v1/%2A?x", "not_found", "unknown path '/v1/*'; the pet store is at /v1/pets"),
    Row("/V1/pets", "not_found", "unknown path '/V1/pets'; did you mean '/v1/pets'?"),
    *[Row(path, "not_found",
        f"unknown path {path!r}; the pet store is at /v1/pets, and the base path of a "
            f"session starts with a tilde: /~{path[1:]}")
        for path in ("/worker-3/v1/pets", "/w3+empty/v1/pets/7", "/w3/__mockpets/state", "/w3/v1")],
    Row("/v1/v1/pets", "not_found", "unknown path '/v1/v1/pets'; did you mean '/v1/pets'? ..."),
    Row("/", "not_found", "unknown path '/'; the pet store is at /v1/pets"),
    Row("/v2/pets", "not_found", "unknown path '/v2/pets'; did you mean '/v1/pets'?"),
    Row("/v1//pets", "not_found", "..."),
    Row("/__mockpets/nothing", "not_found", "..."),
    Row("/v1/pets", "method_not_allowed", "...", method="DELETE", key=None, has=ALLOW_PETS),
    Row("/v1/pets", "unauthorized", "...", method="POST", body=b"{", headers=JSON, key=None),
    Row("/v1/pets", "unauthorized", "...", method="POST", body=b"a" * 70_000, headers=JSON,
        key=None),
    Row("/v1/store/orders", "not_described",
        "the contract names GET /v1/store/orders but does not describe it; to define a ..."),
    Row("/v1/store/orders", "unauthorized", "...", key=None),
    named("emtpy", "unknown scenario 'emtpy'; did you mean 'empty'?"),
    named("empty, nix", "unknown scenario 'nix'; known scenarios: ..."),
    named("../empty",
        "invalid scenario name '../empty' in Mockpets-Scenario: use a-z, 0-9 and single hyphens; "
            "at most 64 characters"),
    named("", EMPTY_NAME),
    named("slow,", EMPTY_NAME),
    named(",".join(["empty"] * 33), "too many scenarios in Mockpets-Scenario: at most 32, got 33"),
    Row("/v1/pets", "invalid_session",
        "invalid session name 'w 1' in Mockpets-Session: use a-z, 0-9, '.', '_' and '-', start "
            "with a letter or digit, at most 64 characters", headers={"Mockpets-Session": "w 1"}),
    Row("/v1/pets", "invalid_request", "Mockpets-Delay must be a duration...",
        headers={"Mockpets-Delay": "2"}),
    Row("http://localhost", "not_found", "..."),
    Row("/v1/a%0Ab", "not_found", "unknown path ..."),
    Row("/__mockpets/health", "method_not_allowed",
        "POST is not allowed on /__mockpets/health; allowed: GET, HEAD, OPTIONS", method="POST",
        has={"Allow": "GET, HEAD, OPTIONS"}),
]  # fmt: skip


@pytest.mark.parametrize(
    "row",
    [*BAD_BODIES, *BAD_QUERIES, *BAD_IDS, *BAD_KEYS, *ELSEWHERE],
    ids=lambda row: f"{row.target:.15} {row.says:.35}",
)
def test_invalid_requests_are_rejected(call: Client, row: Row) -> None:
    response = call(
        row.method,
        row.target,
        headers={"Origin": ORIGIN, **row.headers},
        body=row.body,
        key=row.key,
    )

    assert_error(response, row.code)
    message = response.json["message"]
    if row.says.endswith("..."):
        assert message.startswith(row.says[:-3])
    else:
        assert message == row.says
    for name, value in row.has.items():
        assert response.header(name) == value
    assert_cors(response, control="__mockpets" in row.target)


@pytest.mark.parametrize("headers", [
    {"Authorization": "s3cret"}, {"Authorization": "s3cret s3cret"},
    {"Authorization": "Basic s3cret"}, {"Authorization": "Bearer s3cret"}, {"X-API-Key": "s3cret"},
])  # fmt: skip
def test_a_401_never_contains_what_the_client_sent(call: Client, headers: dict[str, str]) -> None:
    response = call("GET", "/v1/pets", headers=headers, key=None)

    assert_error(response, "unauthorized")
    assert b"s3cret" not in response.body


def test_a_named_error_has_the_text_of_the_operation(call: Client) -> None:
    """Only `invalid_request` differs: the operation names the invalid values."""
    for pet_id in ("999", "x", str(INT64_MAX + 1)):
        by_stub = call("GET", f"/v1/pets/{pet_id}", scenario="missing")
        assert by_stub.header("Mockpets-Stub") == "missing/gone"
        assert by_stub.body == call("GET", f"/v1/pets/{pet_id}").body
        assert by_stub.header("Content-Length") == str(len(by_stub.body))
    by_stub = call("GET", "/v1/pets", scenario="unauthorized")
    assert by_stub.header("Mockpets-Stub") == "unauthorized/refuse"
    assert by_stub.body == call("GET", "/v1/pets", key="wrong").body


def assert_error(response: Response, code: str, *more: str) -> None:
    """Check that a response is a valid Error body.

    :param more: additional properties, which only errors of the control API have.
    """
    failure = PET_STORE.failures.get(code)
    assert response.status == (failure.status if failure else ERRORS[code]), response.body
    assert response.header("Content-Type") == "application/json"
    body = response.json
    assert list(body) == ["code", "message", "status", *more]
    default = PET_STORE.operations["listPets"].default
    assert default is not None
    assert default.problems(body) == []
    assert (body["code"], body["status"]) == (code, response.status)
    assert body["message"]


def assert_cors(response: Response, *, control: bool = False) -> None:
    if control:
        return  # has its own rule, see test_openapi
    assert response.header("Access-Control-Allow-Origin") == ORIGIN
    assert response.header("Access-Control-Allow-Credentials") == "true"
    assert response.header("Access-Control-Expose-Headers") == ", ".join(EXPOSED_HEADERS)
    assert response.header("Timing-Allow-Origin") == "*"
    assert "Origin" in (response.header("Vary") or "")
    assert response.header("Cache-Control") == "no-store"


# --- Successes --------------------------------------------------------------------------------


def test_list_pets_returns_a_page_sorted_by_id(call: Client) -> None:
    response = call("GET", "/v1/pets?limit=3")

    assert response.status == 200
    assert response.header("Content-Type") == "application/json"
    assert response.header("Cache-Control") == "no-store"
    assert response.header("Mockpets-Off-Contract") is None
    assert [pet["id"] for pet in response.json] == [1, 2, 3]
    assert PET_STORE.operations["listPets"].body_problems(200, response.json) == []


@pytest.mark.parametrize("limit", [1, 20, 100])
def test_limit_is_the_maximum_page_size(call: Client, limit: int) -> None:
    query = "" if limit == 20 else f"?limit={limit}"
    pets = call("GET", f"/v1/pets{query}", scenario="full-page").json

    assert [pet["id"] for pet in pets] == [
        pet["id"] for pet in call("GET", "/v1/pets?limit=100", scenario="full-page").json[:limit]
    ]
    assert len(pets) == limit


@pytest.mark.parametrize("status", ["available", "pending", "sold"])
def test_status_is_applied_before_the_limit(call: Client, status: str) -> None:
    everything = call("GET", "/v1/pets?limit=100", scenario="full-page").json
    wanted = [pet for pet in everything if pet.get("status") == status]

    assert len(wanted) > 3
    assert call("GET", f"/v1/pets?status={status}&limit=100", scenario="full-page").json == wanted
    assert call("GET", f"/v1/pets?limit=2&status={status}", scenario="full-page").json == wanted[:2]


def test_unknown_query_parameters_are_ignored(call: Client) -> None:
    assert (
        call("GET", "/v1/pets?limit=2&offset=7&offset=8&Limit=x&page").json
        == call("GET", "/v1/pets?limit=2").json
    )


@pytest.mark.parametrize(("sent", "stored"), [
    ({"name": "Miso", "categoryId": 2}, {}),
    ({"name": "Miso", "categoryId": 2, "status": "sold"}, {}),
    ({"name": "", "categoryId": 0}, {}),
    ({"name": "a\u0000b\n\u202e😀" + "x" * 3000, "categoryId": INT64_MIN}, {}),
    ({"name": "Miso", "categoryId": INT64_MAX}, {}),
    ({"name": "Miso", "categoryId": 1.0}, {"categoryId": 1}),
    ({"name": "Miso", "categoryId": 1, "id": 5, "tag": {"x": [1]}},
     {"name": "Miso", "categoryId": 1}),
])  # fmt: skip
def test_create_pet(call: Client, sent: dict[str, Any], stored: dict[str, Any]) -> None:
    response = call("POST", "/v1/pets", json_body=sent)

    assert response.status == 201
    pet = response.json
    kept = {name: value for name, value in sent.items() if name in ("name", "categoryId", "status")}
    assert pet == {"id": pet["id"]} | kept | stored
    assert type(pet["categoryId"]) is int
    assert response.header("Location") == f"/v1/pets/{pet['id']}"
    assert call("GET", f"/v1/pets/{pet['id']}").json == pet
    assert pet in call("GET", "/v1/pets?limit=100").json


@pytest.mark.parametrize(("body", "category"), [
    (b'{"name":"a","categoryId":9007199254740993.0}', 2**53 + 1),
    (b'{"name":"a","categoryId":1E2}', 100),
    (b'{"name":"a","categoryId":-0.0}', 0),
    (b'{"name":"a","categoryId":9223372036854775807.000}', INT64_MAX),
    (b' \r\n{"name":"a","categoryId":3, "x":1e999999999}\n', 3),
    (nested(19), 1),
])  # fmt: skip
def test_integers_follow_json_schema(call: Client, body: bytes, category: int) -> None:
    response = call("POST", "/v1/pets", body=body, headers=JSON)

    assert response.status == 201, response.body
    assert response.json["categoryId"] == category


@pytest.mark.parametrize("kind", [
    "application/json", "Application/JSON", "application/json; charset=utf-8",
    'application/json;charset="UTF-8"', "application/json; x=y",
])  # fmt: skip
def test_json_content_types_are_accepted(call: Client, kind: str) -> None:
    assert call("POST", "/v1/pets", body=GOOD, headers={"Content-Type": kind}).status == 201


def test_a_body_of_exactly_64_kib_is_accepted(call: Client) -> None:
    frame = b'{"name":"","categoryId":1}'
    body = frame.replace(b'""', b'"' + b"a" * (65_536 - len(frame)) + b'"')

    assert len(body) == 65_536
    assert call("POST", "/v1/pets", body=body, headers=JSON).status == 201


def test_a_pet_without_a_status_matches_no_filter(call: Client) -> None:
    pet = call("POST", "/v1/pets", json_body={"name": "Solo", "categoryId": 1}).json

    assert "status" not in pet
    for status in ("available", "pending", "sold"):
        assert pet not in call("GET", f"/v1/pets?limit=100&status={status}").json


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer "])
def test_the_scheme_is_case_insensitive(call: Client, scheme: str) -> None:
    assert call("GET", "/v1/pets", headers={"Authorization": f"{scheme} mockpets"}).status == 200


def test_a_key_in_the_query_is_ignored(call: Client) -> None:
    assert_error(call("GET", "/v1/pets?access_token=mockpets", key=None), "unauthorized")


@pytest.mark.parametrize(("method", "segment", "scenario", "key", "status"), [
    ("GET", "1", None, "mockpets", 200),
    ("HEAD", "1", None, "mockpets", 200),
    ("GET", "999", None, "mockpets", 404),
    ("GET", "x", None, "mockpets", 404),
    ("GET", "1", None, None, 401),
    ("GET", "1", "unauthorized", "mockpets", 401),
    ("GET", "1", "nix", "mockpets", 422),
])  # fmt: skip
def test_every_response_of_get_pet_has_the_deprecation_headers(
    call: Client, method: str, segment: str, scenario: str | None, key: str | None, status: int
) -> None:
    response = call(method, f"/v1/pets/{segment}", scenario=scenario, key=key)

    assert response.status == status
    assert response.header("Deprecation") == "@1767225600"
    assert response.header("Sunset") == "Thu, 05 Dec 2030 00:00:00 GMT"
    assert response.header("Link") == (
        '</v1/pets>; rel="successor-version", '
        '</__mockpets/docs>; rel="deprecation"; type="text/html"'
    )


@pytest.mark.parametrize(
    ("method", "target"), [("GET", "/v1/pets"), ("DELETE", "/v1/pets/1"), ("OPTIONS", "/v1/pets/1")]
)
def test_no_other_response_has_the_deprecation_headers(
    call: Client, method: str, target: str
) -> None:
    assert call(method, target).header("Deprecation") is None


@pytest.mark.parametrize(
    "target",
    ["/v1/pets", "/v1/pets?limit=3&status=sold", "/v1/pets/1", "/v1/pets/999", "/v1/pets?limit=0"],
)
def test_head_returns_the_headers_of_get(call: Client, target: str) -> None:
    got, head = call("GET", target), call("HEAD", target)

    varying = ("date", "server-timing", "mockpets-request")
    assert head.body == b""
    assert head.status == got.status
    assert {k: v for k, v in head.headers.items() if k not in varying} == {
        k: v for k, v in got.headers.items() if k not in varying
    }
    assert head.header("Content-Length") == str(len(got.body))


@pytest.mark.parametrize(
    "target", ["/v1/pets", "/v1/pets/1", "/v1/store/orders", "/v1/nothing", "/pets"]
)
@pytest.mark.parametrize("scenario", [None, "unauthorized", "nix"])
def test_a_preflight_ignores_key_and_scenarios(
    call: Client, target: str, scenario: str | None
) -> None:
    asked = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "DELETE",
        "Access-Control-Request-Headers": "authorization,x-trace,mockpets-scenario",
        "Access-Control-Request-Private-Network": "true",
    }
    response = call("OPTIONS", target, headers=asked, key=None, scenario=scenario)

    assert (response.status, response.body) == (204, b"")
    assert_cors(response)
    assert response.header("Access-Control-Allow-Methods") == "DELETE"
    assert (
        response.header("Access-Control-Allow-Headers") == "authorization,x-trace,mockpets-scenario"
    )
    assert response.header("Access-Control-Allow-Private-Network") == "true"
    assert response.header("Access-Control-Max-Age") == "600"


def test_without_an_origin_there_are_no_cors_headers(call: Client) -> None:
    response = call("GET", "/v1/pets")

    assert response.header("Access-Control-Allow-Origin") is None
    assert response.header("Vary") == "Origin"


@pytest.mark.parametrize(("operation", "method", "target"), [
    ("listPets", "GET", "/v1/pets"), ("createPet", "POST", "/v1/pets"),
    ("getPet", "GET", "/v1/pets/1"),
])  # fmt: skip
def test_listed_responses_have_no_off_contract_header(
    call: Client, operation: str, method: str, target: str
) -> None:
    seen = {
        response.status
        for response in (
            call(method, target, body=GOOD if method == "POST" else None, headers=JSON),
            call(method, target, key=None),
            call(
                method,
                target.replace("/1", "/999"),
                body=b"{}" if method == "POST" else None,
                headers=JSON,
            ),
        )
        if response.header("Mockpets-Off-Contract") is None
    }

    assert seen == set(PET_STORE.operations[operation].statuses)


def test_numbers_are_sent_as_integers_and_text_as_utf8(call: Client) -> None:
    pet = call("POST", "/v1/pets", json_body={"name": "Zoé 🐈", "categoryId": 7})

    assert (
        pet.body == json.dumps(pet.json, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    )
    assert "Zoé 🐈".encode() in pet.body
