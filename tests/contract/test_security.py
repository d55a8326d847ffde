"""Security of documents: what is declared must be there and well-formed; any credential passes."""

from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mockpets.contract.openapi_loader import load, not_served
from tests.http_client import Client, Response
from tests.web.documents import FAILED, Node, client_of, document, json_of, operation, write

SCHEMES: Mapping[str, Node] = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "upper": {"type": "http", "scheme": "Bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "digest": {"type": "http", "scheme": "digest"},
    "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "authorization": {"type": "apiKey", "in": "header", "name": "Authorization"},
    "query": {"type": "apiKey", "in": "query", "name": "key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "oauth": {"type": "oauth2", "flows": {}},
    "openid": {"type": "openIdConnect", "openIdConnectUrl": "https://id.example"},
    "tls": {"type": "mutualTLS"},
}


INVALID: Mapping[str, tuple[Node, str]] = {
    "basic-of-swagger": (
        {"type": "basic"},
        '`type` must be apiKey, http, oauth2, openIdConnect or mutualTLS, got "basic"',
    ),
    "case": (
        {"type": "apikey", "in": "header", "name": "X-Key"},
        '`type` must be apiKey, http, oauth2, openIdConnect or mutualTLS, got "apikey"; '
        "did you mean 'apiKey'?",
    ),
    "no-type": (
        {"type": None},
        "`type` must be apiKey, http, oauth2, openIdConnect or mutualTLS, got nothing",
    ),
    "no-name": (
        {"type": "apiKey", "in": "header"},
        "`name` must be the name of the key, got nothing",
    ),
    "number": (
        {"type": "apiKey", "in": "header", "name": 5},
        "`name` must be the name of the key, got 5",
    ),
    "no-place": (
        {"type": "apiKey", "name": "X-Key"},
        "`in` must be header, query or cookie, got nothing",
    ),
    "plural": (
        {"type": "apiKey", "name": "X-Key", "in": "headers"},
        "`in` must be header, query or cookie, got \"headers\"; did you mean 'header'?",
    ),
    "place": (
        {"type": "apiKey", "name": "X-Key", "in": ["header"]},
        "`in` must be header, query or cookie, got a list",
    ),
    "scheme": (
        {"type": "http", "scheme": {}},
        "`scheme` must be a string such as bearer, got a mapping",
    ),
}
"""Schemes that are not checked, and why."""


def basic(pair: str) -> str:
    return f"Basic {b64encode(pair.encode()).decode()}"


def serve(
    folder: Path,
    security: list[dict[str, list[str]]],
    corrections: str = "",
    responses: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Client:
    known = (
        {"_200": json_of({"type": "string"}), "_401": FAILED} if responses is None else responses
    )
    get = operation(name="getA", **known) | {"security": security}
    schemes = {**SCHEMES, **{name: scheme for name, (scheme, _) in INVALID.items()}}
    root = document({"/a": {"get": get}}, components={"securitySchemes": schemes})
    file = write(folder / "test.json", root)
    if corrections:
        (folder / "test.mockpets.yaml").write_text(corrections, encoding="utf-8")
    return client_of(file, **settings)


def ask(call: Client, query: str = "", **headers: str) -> Response:
    return call("GET", f"/a{query}", headers=headers, key=None)


# Name of a scheme; query and headers of requests that have the credential.
VALID: list[tuple[str, str, dict[str, str]]] = [
    ("bearer", "", {"Authorization": "Bearer abc"}),
    ("bearer", "", {"Authorization": "bearer  abc "}),
    ("upper", "", {"Authorization": "Bearer abc"}),
    ("basic", "", {"Authorization": basic("ann:secret")}),
    ("basic", "", {"Authorization": basic(":")}),
    ("basic", "", {"Authorization": basic("änn:a:b")}),
    ("digest", "", {"Authorization": 'Digest username="ann"'}),
    ("header", "", {"X-Key": "abc"}),
    ("header", "", {"x-key": "two words"}),
    ("authorization", "", {"Authorization": "abc"}),
    ("authorization", "", {"Authorization": "Token abc"}),
    ("query", "?key=abc", {}),
    ("query", "?a=b&key=abc", {}),
    ("cookie", "", {"Cookie": "sid=abc"}),
    ("cookie", "", {"Cookie": "a=b; sid=abc; c=d"}),
    ("oauth", "", {"Authorization": "Bearer abc"}),
    ("openid", "", {"Authorization": "Bearer abc"}),
    ("tls", "", {}),
    *((name, "", {}) for name in INVALID),
]


@pytest.mark.parametrize(("scheme", "query", "headers"), VALID)
def test_any_credential_passes(
    tmp_path: Path, scheme: str, query: str, headers: dict[str, str]
) -> None:
    response = ask(serve(tmp_path, [{scheme: []}]), query, **headers)
    assert response.status == 200, response.text
    assert response.header("WWW-Authenticate") is None


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_scheme_is_listed(tmp_path: Path, name: str) -> None:
    scheme, why = INVALID[name]
    get = operation() | {"security": [{name: []}]}
    root = document({"/a": {"get": get}}, components={"securitySchemes": {name: scheme}})
    [note] = not_served(load(write(tmp_path / "test.json", root), "test.json"))
    assert (note.kind, note.what) == (
        "warning",
        f"the security scheme '{name}' is not checked: {why}",
    )


NO_BEARER = "the header Authorization with 'Bearer' is missing"
BAD_BEARER = "the header Authorization must be 'Bearer ...'"
BAD_PAIR = "the header Authorization must have the base64 of 'name:password'"


@pytest.mark.parametrize(
    ("scheme", "query", "headers", "message"),
    [
        ("bearer", "", {}, NO_BEARER),
        ("bearer", "?access_token=abc", {}, NO_BEARER),
        ("bearer", "", {"Authorization": ""}, NO_BEARER),
        ("bearer", "", {"Authorization": "Bearer"}, BAD_BEARER),
        ("bearer", "", {"Authorization": "Bearer "}, BAD_BEARER),
        ("bearer", "", {"Authorization": "abc"}, BAD_BEARER),
        ("bearer", "", {"Authorization": "Token abc"}, BAD_BEARER),
        ("bearer", "", {"Authorization": basic("ann:secret")}, BAD_BEARER),
        ("oauth", "", {}, NO_BEARER),
        ("openid", "", {"Authorization": "abc"}, BAD_BEARER),
        ("basic", "", {}, "the header Authorization with 'Basic' is missing"),
        ("basic", "", {"Authorization": "Basic !!!"}, BAD_PAIR),
        ("basic", "", {"Authorization": "Basic abc"}, BAD_PAIR),
        ("basic", "", {"Authorization": basic("no colon")}, BAD_PAIR),
        ("basic", "", {"Authorization": "Basic ännä"}, BAD_PAIR),
        ("header", "", {}, "the header X-Key is missing"),
        ("header", "", {"X-Key": " "}, "the header X-Key is missing"),
        ("header", "?X-Key=abc", {}, "the header X-Key is missing"),
        ("authorization", "", {}, "the header Authorization is missing"),
        ("query", "", {"key": "abc"}, "the query parameter key is missing"),
        ("query", "?key=", {}, "the query parameter key is missing"),
        ("query", "?Key=abc", {}, "the query parameter key is missing"),
        ("cookie", "", {}, "the cookie sid is missing"),
        ("cookie", "", {"Cookie": "sid=; xsid=abc"}, "the cookie sid is missing"),
    ],
)
def test_a_missing_or_malformed_credential_gets_the_documented_error(
    tmp_path: Path, scheme: str, query: str, headers: dict[str, str], message: str
) -> None:
    response = ask(serve(tmp_path, [{scheme: []}]), query, **headers)

    assert (response.status, response.json) == (401, {"message": message, "status": 401})
    assert response.header("Mockpets-Off-Contract") is None
    assert response.header("WWW-Authenticate")
    secret = headers.get("Authorization", "").rpartition(" ")[2]
    assert not secret or secret in ("abc", "Bearer") or secret not in response.text


@pytest.mark.parametrize(
    ("security", "query", "headers", "status"),
    [
        ([], "", {}, 200),
        ([{}], "", {}, 200),
        ([{"bearer": []}, {}], "", {}, 200),
        ([{}, {"bearer": []}], "", {"Authorization": "nonsense"}, 200),
        ([{"bearer": []}, {"query": []}], "?key=abc", {}, 200),
        ([{"bearer": []}, {"query": []}], "", {"Authorization": "Bearer abc"}, 200),
        ([{"bearer": []}, {"query": []}], "", {}, 401),
        ([{"header": [], "query": []}], "?key=abc", {}, 401),
        ([{"header": [], "query": []}], "", {"X-Key": "abc"}, 401),
        ([{"header": [], "query": []}], "?key=abc", {"X-Key": "abc"}, 200),
        ([{"header": [], "query": []}, {"cookie": []}], "?key=a", {"Cookie": "sid=a"}, 200),
        ([{"oauth": ["read", "write"]}], "", {"Authorization": "Bearer abc"}, 200),  # scopes
    ],
)
def test_one_of_several_sets_is_needed(
    tmp_path: Path,
    security: list[dict[str, list[str]]],
    query: str,
    headers: dict[str, str],
    status: int,
) -> None:
    response = ask(serve(tmp_path, security), query, **headers)
    assert response.status == status, response.text


def test_the_security_of_the_document_is_that_of_operations_without_their_own(
    tmp_path: Path,
) -> None:
    paths = {"/a": {"get": operation()}, "/open": {"get": operation() | {"security": []}}}
    root = document(paths, components={"securitySchemes": SCHEMES}, security=[{"bearer": []}])
    call = client_of(write(tmp_path / "test.json", root))
    assert call("GET", "/a", key=None).status == 401
    assert call("GET", "/a").status == 200
    assert call("GET", "/open", key=None).status == 200


@pytest.mark.parametrize(
    ("responses", "status", "is_labelled"),
    [
        ({"_401": FAILED, "_403": FAILED}, 401, False),
        ({"_403": FAILED}, 403, False),
        ({"_4XX": FAILED}, 401, False),
        ({"default": FAILED}, 401, False),
        ({}, 401, True),
    ],
)
def test_the_documented_status_is_sent(
    tmp_path: Path, responses: dict[str, Node], status: int, is_labelled: bool
) -> None:
    known = {"_200": json_of({"type": "string"})} | responses
    response = ask(serve(tmp_path, [{"bearer": []}], responses=known))
    assert response.status == status
    assert bool(response.header("Mockpets-Off-Contract")) == is_labelled
    assert NO_BEARER in response.text


# --- Keys of the server -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("security", "query", "headers", "status"),
    [
        ([{"bearer": []}], "", {"Authorization": "Bearer k1"}, 200),
        ([{"bearer": []}], "", {"Authorization": "Bearer k1~w1"}, 200),
        ([{"bearer": []}], "", {"Authorization": "Bearer k2"}, 200),
        ([{"bearer": []}], "", {"Authorization": "Bearer k3"}, 401),
        ([{"bearer": []}], "", {"Authorization": "Bearer K1"}, 401),
        ([{"basic": []}], "", {"Authorization": basic("ann:secret")}, 200),
        ([{"basic": []}], "", {"Authorization": basic("ann:other")}, 401),
        ([{"header": []}], "", {"X-Key": "k1"}, 200),
        ([{"header": []}], "", {"X-Key": "k3"}, 401),
        ([{"query": []}], "?key=k2", {}, 200),
        ([{"query": []}], "?key=k3", {}, 401),
        ([{"cookie": []}], "", {"Cookie": "sid=k1"}, 200),
        ([{"cookie": []}], "", {"Cookie": "sid=k3"}, 401),
        ([{"header": [], "query": []}], "?key=k2", {"X-Key": "k1"}, 200),
        ([{"header": [], "query": []}], "?key=k3", {"X-Key": "k1"}, 401),
        ([{"bearer": []}, {"query": []}], "?key=k1", {"Authorization": "Bearer k3"}, 200),
        ([{"bearer": []}, {}], "", {}, 200),
        ([], "", {}, 200),
    ],
)
def test_keys_of_the_server_are_required_if_they_are_given(
    tmp_path: Path,
    security: list[dict[str, list[str]]],
    query: str,
    headers: dict[str, str],
    status: int,
) -> None:
    keys = ("k1", "k2", "ann:secret")
    call = serve(tmp_path, security, api_key=keys, sources={"api_key": "--api-key"})
    response = ask(call, query, **headers)
    assert response.status == status, response.text
    assert status == 200 or response.json["message"] == "the key is invalid"


def test_the_note_says_if_the_key_is_missing_or_invalid(tmp_path: Path) -> None:
    call = serve(tmp_path, [{"query": []}], api_key=("k",), sources={"api_key": "--api-key"})
    for query in ("", "?key=x", "?key=k"):
        ask(call, query)
    log = call("GET", "/__mockpets/requests", key=None).json["requests"]
    codes = [[note["code"] for note in entry["notes"]] for entry in log]
    assert codes == [["key_missing"], ["key_invalid"], []]


# --- The prefix -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheme", "authorization", "status"),
    [
        ("bearer", "Token abc", 200),
        ("bearer", "token abc", 200),
        ("bearer", "Bearer abc", 401),
        ("oauth", "Token abc", 200),
        ("basic", basic("ann:secret"), 200),
        ("basic", "Token abc", 401),
        ("authorization", "Token abc", 200),
    ],
)
def test_a_correction_changes_the_word_before_a_token(
    tmp_path: Path, scheme: str, authorization: str, status: int
) -> None:
    call = serve(tmp_path, [{scheme: []}], corrections="security: {prefix: Token}\n")
    response = ask(call, Authorization=authorization)
    assert response.status == status, response.text
    challenge = response.header("WWW-Authenticate")
    if status == 401:
        word = "Basic" if scheme == "basic" else "Token"
        assert challenge == f'{word} realm="mockpets"'


# --- Schemes that no operation names ------------------------------------------------------------


@pytest.mark.parametrize("components", [
    None,
    [],
    {"securitySchemes": None},
    {"securitySchemes": {"empty": None, "text": "x", "broken": {"$ref": "#/nowhere"}}},
])  # fmt: skip
def test_an_invalid_scheme_that_no_operation_names_is_ignored(
    tmp_path: Path, components: object
) -> None:
    get = operation(name="getA", _200=json_of({"type": "string"}))
    root = document({"/a": {"get": get}}, components=components)
    call = client_of(write(tmp_path / "test.json", root))

    assert ask(call).status == 200
