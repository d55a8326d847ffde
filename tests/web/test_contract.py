"""The contract, row by row, in process and over a socket.

Source: pet-store-interface.md, and docs/reference/contract.md where it is silent.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from mockpets.constants import ERRORS, EXPOSED_HEADERS, INT64_MAX, INT64_MIN
from mockpets.contract.schemas import RESPONSES, ErrorSchema
from mockpets.contract.serialization import body_problems

if TYPE_CHECKING:
    from mockpets.constants import ErrorCode
    from tests.http_client import Client, Response

ORIGIN = "http://localhost:5173"
INT64 = f"must be an integer from {INT64_MIN} to {INT64_MAX} (int64), got "
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

    name: str
    method: str
    target: str
    code: str
    says: str
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    key: str | None = "mockpets"
    has: dict[str, str] = field(default_factory=dict)


def post(
    name: str,
    body: bytes,
    says: str,
    headers: dict[str, str] | None = None,
    code: str = "invalid_request",
) -> Row:
    return Row(name, "POST", "/v1/pets", code, says, body, JSON if headers is None else headers)


def listing(name: str, query: str, says: str) -> Row:
    off = {"Mockpets-Off-Contract": "status 400 is not in the contract for listPets"}
    return Row(name, "GET", f"/v1/pets?{query}", "invalid_request", says, has=off)


def getting(name: str, segment: str, says: str) -> Row:
    return Row(name, "GET", f"/v1/pets/{segment}", "pet_not_found", says)


def keyed(
    name: str, authorization: str | None, says: str, more: dict[str, str] | None = None
) -> Row:
    headers = {
        **({} if authorization is None else {"Authorization": authorization}),
        **(more or {}),
    }
    challenge = INVALID if says == INVALID_KEY else BEARER
    return Row(
        name,
        "GET",
        "/v1/pets",
        "unauthorized",
        says,
        headers=headers,
        key=None,
        has={"WWW-Authenticate": challenge},
    )


def nested(depth: int) -> bytes:
    return b'{"name":"a","categoryId":1,"x":' + b"[" * depth + b"]" * depth + b"}"


BAD_BODIES = [
    post("no body", b"", "the body is empty; it must be a JSON object"),
    post("blank body", b" \n\t", "the body is empty; it must be a JSON object"),
    post("no JSON", b"name=Miso", "the body is not JSON: Expecting value at line 1, column 1"),
    post("cut off", b'{"name":"Miso",', "the body is not JSON: ..."),
    post("trailing comma", b'{"name":"Miso","categoryId":2,}', "the body is not JSON: ..."),
    post("trailing text", GOOD + b" x", "the body is not JSON: Extra data at line 1, column 32"),
    post("two values", GOOD + GOOD, "the body is not JSON: Extra data at line 1, column 31"),
    post("single quotes", b"{'name':'Miso'}", "the body is not JSON: ..."),
    post("comment", b'{"name":"Miso",/*x*/"categoryId":2}', "the body is not JSON: ..."),
    post(
        "NaN",
        b'{"name":"Miso","categoryId":NaN}',
        "the body is not JSON: NaN is not a valid JSON number",
    ),
    post(
        "Infinity",
        b'{"name":"a","categoryId":-Infinity}',
        "the body is not JSON: -Infinity is not a valid JSON number",
    ),
    post(
        "NaN in an ignored member",
        b'{"name":"a","categoryId":1,"x":NaN}',
        "the body is not JSON: NaN is not a valid JSON number",
    ),
    post("raw control character", b'{"name":"a\x01","categoryId":1}', "the body is not JSON: ..."),
    post("leading zero", b'{"name":"a","categoryId":01}', "the body is not JSON: ..."),
    post("plus sign", b'{"name":"a","categoryId":+1}', "the body is not JSON: ..."),
    post("hexadecimal", b'{"name":"a","categoryId":0x1}', "the body is not JSON: ..."),
    post(
        "member twice",
        b'{"name":"a","name":"b","categoryId":1}',
        'the body has the property "name" more than once',
    ),
    post(
        "ignored member twice",
        b'{"name":"a","categoryId":1,"x":{"y":1,"y":2}}',
        'the body has the property "y" more than once',
    ),
    post(
        "Latin-1",
        '{"name":"Zoé","categoryId":1}'.encode("latin-1"),
        "the body must be UTF-8; byte 11 is invalid",
    ),
    post(
        "UTF-16",
        '{"name":"a","categoryId":1}'.encode("utf-16"),
        "the body must be UTF-8; byte 0 is invalid",
    ),
    post("UTF-32", '{"name":"a","categoryId":1}'.encode("utf-32-be"), "the body is not JSON: ..."),
    post("byte order mark", b"\xef\xbb\xbf" + GOOD, "the body is not JSON: ..."),
    post(
        "overlong UTF-8",
        b'{"name":"\xc0\xaf","categoryId":1}',
        "the body must be UTF-8; byte 9 is invalid",
    ),
    post("21 levels", nested(20), "the body is nested deeper than 20 levels"),
    post("990 levels", nested(990), "the body is nested deeper than 20 levels"),
    post("30,000 levels", nested(30_000), "the body is nested deeper than 20 levels"),
    post("null", b"null", "the body must be an object"),
    post("array", b"[" + GOOD + b"]", "the body must be an object"),
    post("string", b'"Miso"', "the body must be an object"),
    post("number", b"7", "the body must be an object"),
    post("boolean", b"true", "the body must be an object"),
    post("empty object", b"{}", "name is required; categoryId is required"),
    post("no name", b'{"categoryId":1}', "name is required"),
    post("no categoryId", b'{"name":"a"}', "categoryId is required"),
    post("other case", b'{"Name":"a","categoryid":1}', "name is required; categoryId is required"),
    post(
        "name null",
        b'{"name":null,"categoryId":1}',
        "name must be a string of Unicode text, got null",
    ),
    post(
        "name number", b'{"name":7,"categoryId":1}', "name must be a string of Unicode text, got 7"
    ),
    post(
        "name boolean",
        b'{"name":false,"categoryId":1}',
        "name must be a string of Unicode text, got false",
    ),
    post(
        "name array",
        b'{"name":["a"],"categoryId":1}',
        "name must be a string of Unicode text, got an array",
    ),
    post(
        "name object",
        b'{"name":{},"categoryId":1}',
        "name must be a string of Unicode text, got an object",
    ),
    post(
        "name half a pair",
        b'{"name":"\\ud800","categoryId":1}',
        'name must be a string of Unicode text, got "\\ud800"',
    ),
    post(
        "categoryId null",
        b'{"name":"a","categoryId":null}',
        "categoryId must be an integer, got null",
    ),
    post(
        "categoryId text",
        b'{"name":"a","categoryId":"1"}',
        'categoryId must be an integer, got the text "1"; remove the quotes',
    ),
    post(
        "categoryId word",
        b'{"name":"a","categoryId":"two"}',
        'categoryId must be an integer, got "two"',
    ),
    post(
        "categoryId text out of range",
        b'{"name":"a","categoryId":"9223372036854775808"}',
        'categoryId must be an integer, got "9223372036854775808"',
    ),
    post(
        "categoryId and status",
        b'{"name":"a","categoryId":"2","status":"lost"}',
        f'categoryId must be an integer, got the text "2"; remove the quotes; {STATUS}"lost"',
    ),
    post(
        "categoryId true",
        b'{"name":"a","categoryId":true}',
        "categoryId must be an integer, got true",
    ),
    post(
        "categoryId 1.5", b'{"name":"a","categoryId":1.5}', "categoryId must be an integer, got 1.5"
    ),
    post(
        "categoryId tiny",
        b'{"name":"a","categoryId":1e-400}',
        "categoryId must be an integer, got 1E-400",
    ),
    post("categoryId 1e400", b'{"name":"a","categoryId":1e400}', f"categoryId {INT64}1E+400"),
    post(
        "categoryId huge exponent",
        b'{"name":"a","categoryId":1e99999999999999999999}',
        f"categoryId {INT64}Infinity",
    ),
    post(
        "categoryId 2^63",
        b'{"name":"a","categoryId":9223372036854775808}',
        f"categoryId {INT64}9223372036854775808",
    ),
    post(
        "categoryId -2^63-1",
        b'{"name":"a","categoryId":-9223372036854775809}',
        f"categoryId {INT64}-9223372036854775809",
    ),
    post(
        "categoryId 5,000 digits",
        b'{"name":"a","categoryId":' + b"9" * 5000 + b"}",
        f"categoryId {INT64}9999...",
    ),
    post(
        "categoryId array",
        b'{"name":"a","categoryId":[1]}',
        "categoryId must be an integer, got an array",
    ),
    post("status null", b'{"name":"a","categoryId":1,"status":null}', STATUS + "null"),
    post("status unknown", b'{"name":"a","categoryId":1,"status":"lost"}', STATUS + '"lost"'),
    post("status other case", b'{"name":"a","categoryId":1,"status":"Sold"}', STATUS + '"Sold"'),
    post("status empty", b'{"name":"a","categoryId":1,"status":""}', STATUS + '""'),
    post("status number", b'{"name":"a","categoryId":1,"status":1}', STATUS + "1"),
    post("status array", b'{"name":"a","categoryId":1,"status":["sold"]}', STATUS + "an array"),
    post(
        "all wrong",
        b'{"name":1,"status":2}',
        f"name must be a string of Unicode text, got 1; categoryId is required; {STATUS}2",
    ),
    post(
        "no Content-Type",
        GOOD,
        "Content-Type is missing; send the header 'Content-Type: application/json'",
        {},
    ),
    post(
        "text/plain",
        GOOD,
        f"Content-Type must be application/json, got text/plain; {SEND_TYPE}",
        {"Content-Type": "text/plain"},
    ),
    post(
        "form",
        b"name=Miso&categoryId=2",
        "Content-Type must be application/json, got application/x-www-form-urlencoded; "
        f"{SEND_TYPE}",
        {"Content-Type": "application/x-www-form-urlencoded"},
    ),
    post(
        "multipart",
        GOOD,
        f"Content-Type must be application/json, got multipart/form-data; boundary=x; {SEND_TYPE}",
        {"Content-Type": "multipart/form-data; boundary=x"},
    ),
    post(
        "problem+json",
        GOOD,
        f"Content-Type must be application/json, got application/problem+json; {SEND_TYPE}",
        {"Content-Type": "application/problem+json"},
    ),
    post(
        "two types",
        GOOD,
        "Content-Type must be application/json, got ...",
        {"Content-Type": "text/html, application/json"},
    ),
    post(
        "no type at all",
        GOOD,
        f"Content-Type must be application/json, got ;;; {SEND_TYPE}",
        {"Content-Type": ";;"},
    ),
    post(
        "Latin-1 charset",
        GOOD,
        "the charset must be utf-8, got iso-8859-1",
        {"Content-Type": "application/json; charset=iso-8859-1"},
    ),
    post(
        "gzip",
        GOOD,
        "Content-Encoding gzip is not supported; send the body uncompressed",
        {**JSON, "Content-Encoding": "gzip"},
    ),
    Row(
        "65,537 bytes",
        "POST",
        "/v1/pets",
        "payload_too_large",
        "the body is too large; send at most 64 KiB",
        b'{"name":"' + b"a" * 65_526 + b'"}',
        JSON,
    ),
]

BAD_QUERIES = [
    listing("limit 0", "limit=0", LIMIT + '"0"'),
    listing("limit 101", "limit=101", LIMIT + '"101"'),
    listing("limit -1", "limit=-1", LIMIT + '"-1"'),
    listing("limit abc", "limit=abc", LIMIT + '"abc"'),
    listing("limit empty", "limit=", LIMIT + '""'),
    listing("limit without =", "limit", LIMIT + '""'),
    listing("limit Arabic digit", "limit=%D9%A3", LIMIT + '"٣"'),
    listing("limit fullwidth digit", "limit=%EF%BC%95", LIMIT + '"\uff15"'),
    listing("limit underscore", "limit=1_0", LIMIT + '"1_0"'),
    listing("limit +5", "limit=%2B5", LIMIT + '"+5"'),
    listing("limit space", "limit=+5", LIMIT + '" 5"'),
    listing("limit 5 then space", "limit=5%20", LIMIT + '"5 "'),
    listing("limit newline", "limit=5%0A", LIMIT + '"5\\n"'),
    listing("limit 1e1", "limit=1e1", LIMIT + '"1e1"'),
    listing("limit 1.0", "limit=1.0", LIMIT + '"1.0"'),
    listing("limit hexadecimal", "limit=0x5", LIMIT + '"0x5"'),
    listing("limit NUL", "limit=5%00", LIMIT + '"5\\u0000"'),
    listing("limit no UTF-8", "limit=%ff", LIMIT + '"%FF"'),
    listing("limit 5,000 digits", "limit=" + "9" * 5000, LIMIT + '"9999...'),
    listing("limit list", "limit=5,6", LIMIT + '"5,6"'),
    listing("limit twice", "limit=1&limit=2", "limit must be sent only once, got 2 values"),
    listing("limit twice alike", "limit=1&limit=1", "limit must be sent only once, got 2 values"),
    listing("status unknown", "status=lost", STATUS + '"lost"'),
    listing("status other case", "status=SOLD", STATUS + '"SOLD"'),
    listing("status empty", "status=", STATUS + '""'),
    listing("status list", "status=sold,pending", STATUS + '"sold,pending"'),
    listing(
        "status twice", "status=sold&status=pending", "status must be sent only once, got 2 values"
    ),
    listing("both wrong", "limit=0&status=x", f'{LIMIT}"0"; {STATUS}"x"'),
]

BAD_IDS = [
    getting("no such", "999999", "no animal has the id 999999"),
    getting("zero", "0", "no animal has the id 0"),
    getting("negative", "-1", "no animal has the id -1"),
    getting("2^63-1", str(INT64_MAX), f"no animal has the id {INT64_MAX}"),
    getting("-2^63", str(INT64_MIN), f"no animal has the id {INT64_MIN}"),
    *[
        getting(
            name,
            digits,
            f"no animal has the id '{digits[:40]}': an id is an integer from {INT64_MIN} to "
            f"{INT64_MAX}",
        )
        for name, digits in [
            ("2^63", "9223372036854775808"),
            ("-2^63-1", "-9223372036854775809"),
            ("5,000 digits", "9" * 5000),
        ]
    ],
    getting("fraction", "1.5", "no animal has the id '1.5': an id is an integer, such as 7"),
    *[
        getting(name, segment, "no animal has the id ...")
        for name, segment in [
            ("word", "abc"),
            ("1.0", "1.0"),
            ("1e0", "1e0"),
            ("01", "01"),
            ("+1", "+1"),
            ("-0", "-0"),
            ("1_0", "1_0"),
            ("Arabic digit", "%D9%A1"),
            ("space before", "%201"),
            ("space after", "1%20"),
            ("newline after", "1%0A"),
            ("NUL", "1%00"),
            ("no UTF-8", "%FF"),
            ("matrix parameter", "1;a=b"),
            ("dot", "%2E"),
        ]
    ],
]

KEY_HEADER = "'Authorization: Bearer <API_KEY>'"
MISSING_KEY = (
    f"the API key is missing; send the header {KEY_HEADER}; mockpets printed the key when it "
    "started"
)
INVALID_KEY = f"the API key is invalid; send a valid key in the header {KEY_HEADER}"
NO_SCHEME = (
    f"the Authorization header has no scheme; put 'Bearer ' before the API key: {KEY_HEADER}"
)
NO_KEY = f"the API key is missing after 'Bearer'; send the header {KEY_HEADER}"
OTHER_SCHEME = f"the scheme of the Authorization header must be Bearer; send {KEY_HEADER}"
BAD_KEYS = [
    keyed("none", None, MISSING_KEY),
    keyed("empty", "", MISSING_KEY),
    keyed("scheme alone", "Bearer", NO_KEY),
    keyed("scheme and space", "Bearer ", NO_KEY),
    keyed("no scheme", "mockpets", NO_SCHEME),
    keyed("no scheme, a wrong key", "s3cret", NO_SCHEME),
    *[
        keyed(
            scheme,
            f"{scheme.lower()} bW9ja3BldHM6",
            OTHER_SCHEME.replace("; ", f", got {scheme}; "),
        )
        for scheme in ("Basic", "Digest", "Token", "ApiKey")
    ],
    keyed("Basic alone", "Basic", OTHER_SCHEME.replace("; ", ", got Basic; ")),
    keyed("a secret as the scheme", "s3cret mockpets", OTHER_SCHEME),
    keyed("colon after the scheme", "Bearer: mockpets", OTHER_SCHEME),
    *[
        keyed(
            f"in {name}",
            None,
            f"the API key is missing; send it in the header {KEY_HEADER} instead of {name}",
            {name.lower(): "mockpets"},
        )
        for name in ("X-API-Key", "Api-Key", "ApiKey", "X-Auth-Token")
    ],
    keyed("empty in X-API-Key", None, MISSING_KEY, {"X-API-Key": ""}),
    keyed("invalid, and in X-API-Key", "Bearer wrong", INVALID_KEY, {"X-API-Key": "mockpets"}),
    keyed("wrong key", "Bearer wrong", INVALID_KEY),
    keyed("other case", "Bearer MOCKPETS", INVALID_KEY),
    keyed("key and more", "Bearer mockpets x", INVALID_KEY),
    keyed("two keys", "Bearer mockpets, Bearer mockpets", INVALID_KEY),
    keyed("not ASCII", "Bearer möckpets", INVALID_KEY),
    keyed("very long", "Bearer " + "k" * 4000, INVALID_KEY),
]

ALLOW_PETS = {"Allow": "GET, HEAD, POST, OPTIONS"}
ALLOW_PET = {"Allow": "GET, HEAD, OPTIONS"}


def rejected(method: str, path: str, has: dict[str, str]) -> Row:
    says = f"{method} is not allowed on {path}; allowed: {has['Allow']}"
    return Row(f"{method} {path}", method, path, "method_not_allowed", says, has=has)


ELSEWHERE = [
    *[
        rejected(method, "/v1/pets", ALLOW_PETS)
        for method in ("PUT", "PATCH", "DELETE", "TRACE", "FOO")
    ],
    *[rejected(method, "/v1/pets/1", ALLOW_PET) for method in ("PUT", "PATCH", "DELETE", "POST")],
    rejected("POST", "/v1/store/orders", ALLOW_PET),
    Row(
        "no prefix",
        "GET",
        "/pets",
        "not_found",
        "unknown path '/pets'; the base URL must end with /v1: /v1/pets",
    ),
    Row(
        "no prefix, one pet",
        "GET",
        "/pets/3",
        "not_found",
        "unknown path '/pets/3'; the base URL must end with /v1: /v1/pets/3",
    ),
    Row(
        "slash at the end",
        "GET",
        "/v1/pets/",
        "not_found",
        "unknown path '/v1/pets/'; remove the trailing slash: /v1/pets",
    ),
    Row(
        "near spelling",
        "GET",
        "/v1/pet",
        "not_found",
        "unknown path '/v1/pet'; did you mean '/v1/pets'?",
    ),
    Row(
        "other case",
        "GET",
        "/V1/pets",
        "not_found",
        "unknown path '/V1/pets'; did you mean '/v1/pets'?",
    ),
    *[
        Row(
            f"no tilde {path}",
            "GET",
            path,
            "not_found",
            f"unknown path {path!r}; the pet store is at /v1/pets, and the base path of a "
            f"session starts with a tilde: /~{path[1:]}",
        )
        for path in ("/worker-3/v1/pets", "/w3+empty/v1/pets/7", "/w3/__mockpets/state", "/w3/v1")
    ],
    Row(
        "prefix twice",
        "GET",
        "/v1/v1/pets",
        "not_found",
        "unknown path '/v1/v1/pets'; did you mean '/v1/pets'?",
    ),
    Row("root", "GET", "/", "not_found", "unknown path '/'; the pet store is at /v1/pets"),
    Row("prefix alone", "GET", "/v1", "not_found", "unknown path '/v1'; ..."),
    Row(
        "later version",
        "GET",
        "/v2/pets",
        "not_found",
        "unknown path '/v2/pets'; did you mean '/v1/pets'?",
    ),
    Row(
        "deeper",
        "GET",
        "/v1/pets/1/photos",
        "not_found",
        "unknown path '/v1/pets/1/photos'; ...",
    ),
    Row("two slashes", "GET", "/v1//pets", "not_found", "..."),
    Row("control API", "GET", "/__mockpets/nothing", "not_found", "..."),
    Row("unknown path before the key", "GET", "/v1/nothing", "not_found", "...", key=None),
    Row(
        "method before the key",
        "DELETE",
        "/v1/pets",
        "method_not_allowed",
        "...",
        key=None,
        has=ALLOW_PETS,
    ),
    Row("key before the body", "POST", "/v1/pets", "unauthorized", "...", b"{", JSON, key=None),
    Row(
        "key before the size",
        "POST",
        "/v1/pets",
        "unauthorized",
        "...",
        b"a" * 70_000,
        JSON,
        key=None,
    ),
    Row(
        "orders",
        "GET",
        "/v1/store/orders",
        "not_described",
        "the contract names GET /v1/store/orders but does not describe it; to define a ...",
    ),
    Row("orders without a key", "GET", "/v1/store/orders", "unauthorized", "...", key=None),
    Row(
        "unknown scenario",
        "GET",
        "/v1/pets",
        "unknown_scenario",
        "unknown scenario 'emtpy'; did you mean 'empty'? known scenarios: after-removal, ...",
        headers={"Mockpets-Scenario": "emtpy"},
    ),
    Row(
        "one of two unknown",
        "GET",
        "/v1/pets",
        "unknown_scenario",
        "unknown scenario 'nix'; known scenarios: ...",
        headers={"Mockpets-Scenario": "empty, nix"},
    ),
    Row(
        "invalid scenario name",
        "GET",
        "/v1/pets",
        "unknown_scenario",
        "invalid scenario name '../empty' in Mockpets-Scenario: use a-z, 0-9 and single hyphens; "
        "at most 64 characters",
        headers={"Mockpets-Scenario": "../empty"},
    ),
    Row(
        "empty scenario name",
        "GET",
        "/v1/pets",
        "unknown_scenario",
        "empty scenario name in Mockpets-Scenario; name one or more scenarios, separated by commas",
        headers={"Mockpets-Scenario": ""},
    ),
    Row(
        "a comma too many",
        "GET",
        "/v1/pets",
        "unknown_scenario",
        "empty scenario name in Mockpets-Scenario; name one or more scenarios, separated by commas",
        headers={"Mockpets-Scenario": "slow,"},
    ),
    Row(
        "invalid session name",
        "GET",
        "/v1/pets",
        "invalid_session",
        "invalid session name 'w 1' in Mockpets-Session: use a-z, 0-9, '.', '_' and '-', start "
        "with a letter or digit, at most 64 characters",
        headers={"Mockpets-Session": "w 1"},
    ),
    Row(
        "no duration",
        "GET",
        "/v1/pets",
        "invalid_request",
        "Mockpets-Delay must be a duration...",
        headers={"Mockpets-Delay": "2"},
    ),
    Row("absolute form without a path", "GET", "http://localhost", "not_found", "..."),
    Row("a line end in the path", "GET", "/v1/a%0Ab", "not_found", "unknown path ..."),
    Row(
        "method of the control API",
        "POST",
        "/__mockpets/health",
        "method_not_allowed",
        "POST is not allowed on /__mockpets/health; allowed: GET, HEAD, OPTIONS",
        has={"Allow": "GET, HEAD, OPTIONS"},
    ),
    Row(
        "too many scenarios",
        "GET",
        "/v1/pets",
        "unknown_scenario",
        "too many scenarios in Mockpets-Scenario: at most 8, got 9",
        headers={"Mockpets-Scenario": ",".join(["empty"] * 9)},
    ),
]

ROWS = [
    *[(f"body: {row.name}", row) for row in BAD_BODIES],
    *[(f"query: {row.name}", row) for row in BAD_QUERIES],
    *[(f"id: {row.name}", row) for row in BAD_IDS],
    *[(f"key: {row.name}", row) for row in BAD_KEYS],
    *[(f"elsewhere: {row.name}", row) for row in ELSEWHERE],
]


@pytest.mark.parametrize("row", [row for _, row in ROWS], ids=[name for name, _ in ROWS])
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


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "s3cret"},
        {"Authorization": "s3cret s3cret"},
        {"Authorization": "Basic s3cret"},
        {"Authorization": "Bearer s3cret"},
        {"X-API-Key": "s3cret"},
    ],
    ids=str,
)
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
    assert response.status == ERRORS[cast("ErrorCode", code)], response.body
    assert response.header("Content-Type") == "application/json"
    body = response.json
    assert list(body) == ["code", "message", "status", *more]
    assert not ErrorSchema().validate(body)
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
    assert body_problems("listPets", 200, response.json) == []


@pytest.mark.parametrize("limit", [1, 15, 100])
def test_limit_is_the_maximum_page_size(call: Client, limit: int) -> None:
    pets = call("GET", f"/v1/pets?limit={limit}", scenario="full-page").json

    assert [pet["id"] for pet in pets] == [
        pet["id"] for pet in call("GET", "/v1/pets?limit=100", scenario="full-page").json[:limit]
    ]
    assert len(pets) == limit


def test_limit_defaults_to_20(call: Client) -> None:
    assert len(call("GET", "/v1/pets", scenario="full-page").json) == 20


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


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({"name": "Miso", "categoryId": 2}, {}),
        ({"name": "Miso", "categoryId": 2, "status": "sold"}, {}),
        ({"name": "", "categoryId": 0}, {}),
        ({"name": "a\u0000b\n\u202e😀" + "x" * 3000, "categoryId": INT64_MIN}, {}),
        ({"name": "Miso", "categoryId": INT64_MAX}, {}),
        ({"name": "Miso", "categoryId": 1.0}, {"categoryId": 1}),
        (
            {"name": "Miso", "categoryId": 1, "id": 5, "tag": {"x": [1]}},
            {"name": "Miso", "categoryId": 1},
        ),
    ],
)
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


@pytest.mark.parametrize(
    ("body", "category"),
    [
        (b'{"name":"a","categoryId":9007199254740993.0}', 2**53 + 1),
        (b'{"name":"a","categoryId":1E2}', 100),
        (b'{"name":"a","categoryId":-0.0}', 0),
        (b'{"name":"a","categoryId":9223372036854775807.000}', INT64_MAX),
        (b' \r\n{"name":"a","categoryId":3, "x":1e999999999}\n', 3),
        (nested(19), 1),
    ],
)
def test_integers_follow_json_schema(call: Client, body: bytes, category: int) -> None:
    response = call("POST", "/v1/pets", body=body, headers=JSON)

    assert response.status == 201, response.body
    assert response.json["categoryId"] == category


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "application/json; x=y",
    ],
)
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


def test_ids_are_consecutive(call: Client) -> None:
    first, second = (call("POST", "/v1/pets", body=GOOD, headers=JSON).json["id"] for _ in range(2))

    assert second == first + 1


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer "])
def test_the_scheme_is_case_insensitive(call: Client, scheme: str) -> None:
    assert call("GET", "/v1/pets", headers={"Authorization": f"{scheme} mockpets"}).status == 200


def test_a_key_in_the_query_is_ignored(call: Client) -> None:
    assert_error(call("GET", "/v1/pets?access_token=mockpets", key=None), "unauthorized")


DEPRECATED = [
    ("200", "GET", "/v1/pets/1", {}, "mockpets", 200),
    ("HEAD", "HEAD", "/v1/pets/1", {}, "mockpets", 200),
    ("404", "GET", "/v1/pets/999", {}, "mockpets", 404),
    ("404 for no int64", "GET", "/v1/pets/x", {}, "mockpets", 404),
    ("401", "GET", "/v1/pets/1", {}, None, 401),
    (
        "401 by a scenario",
        "GET",
        "/v1/pets/1",
        {"Mockpets-Scenario": "unauthorized"},
        "mockpets",
        401,
    ),
    ("404 by a scenario", "GET", "/v1/pets/1", {"Mockpets-Scenario": "missing"}, "mockpets", 404),
    ("422", "GET", "/v1/pets/1", {"Mockpets-Scenario": "nix"}, "mockpets", 422),
]


@pytest.mark.parametrize(
    ("method", "target", "headers", "key", "status"),
    [row[1:] for row in DEPRECATED],
    ids=[row[0] for row in DEPRECATED],
)
def test_every_response_of_get_pet_has_the_deprecation_headers(
    call: Client, method: str, target: str, headers: dict[str, str], key: str | None, status: int
) -> None:
    response = call(method, target, headers=headers, key=key)

    assert response.status == status
    assert response.header("Deprecation") == "@1767225600"
    assert response.header("Sunset") == "Thu, 05 Dec 2030 00:00:00 GMT"
    assert response.header("Link") == (
        '</v1/pets>; rel="successor-version", '
        '</__mockpets/docs>; rel="deprecation"; type="text/html"'
    )


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/v1/pets"),
        ("POST", "/v1/pets"),
        ("DELETE", "/v1/pets/1"),
        ("OPTIONS", "/v1/pets/1"),
    ],
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


@pytest.mark.parametrize(
    ("operation", "method", "target"),
    [
        ("listPets", "GET", "/v1/pets"),
        ("createPet", "POST", "/v1/pets"),
        ("getPet", "GET", "/v1/pets/1"),
    ],
)
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

    assert seen == set(RESPONSES[operation])


def test_a_request_can_ask_for_a_delay(call: Client) -> None:
    response = call("GET", "/v1/pets", headers={"Mockpets-Delay": "20ms"})

    assert response.status == 200
    assert (response.header("Server-Timing") or "").endswith(", delay;dur=20")
    assert "delay" not in (call("GET", "/v1/pets").header("Server-Timing") or "")


def test_responses_have_explanation_headers(call: Client) -> None:
    response = call("GET", "/v1/pets/1", scenario="Missing, EMPTY", headers={"Origin": ORIGIN})

    assert response.header("Mockpets-Session") == "default"
    assert response.header("Mockpets-Scenario") == "missing, empty"
    assert response.header("Mockpets-Stub") == "missing/gone"
    assert re.fullmatch(r"app;dur=\d+\.\d\d", response.header("Server-Timing") or "")
    assert call("GET", "/v1/pets/1").header("Mockpets-Stub") == "-"


def test_a_named_scenario_applies_to_one_request(call: Client) -> None:
    before = call("GET", "/v1/pets").body

    assert call("GET", "/v1/pets", scenario="empty").json == []
    assert_error(call("GET", "/v1/pets", scenario="unauthorized"), "unauthorized")
    assert call("GET", "/v1/pets").body == before


def test_a_401_reply_has_the_challenge(call: Client) -> None:
    response = call("GET", "/v1/pets", scenario="unauthorized")

    assert response.header("WWW-Authenticate") == INVALID
    assert response.header("Mockpets-Off-Contract") is None


def test_numbers_are_sent_as_integers_and_text_as_utf8(call: Client) -> None:
    pet = call("POST", "/v1/pets", json_body={"name": "Zoé 🐈", "categoryId": 7})

    assert (
        pet.body == json.dumps(pet.json, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    )
    assert "Zoé 🐈".encode() in pet.body
