"""The control API logs users in: `POST /__mockpets/login`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.http_client import Client, OverSocket, Response
from tests.web.checked_client import CLINIC, Checked, op, several, thing, write
from tests.web.documents import client_of
from tests.web.test_stateful_people import blog, shared_blog

__all__ = ["blog", "shared_blog"]
TOKEN = "t" * 32
MEMBER = thing("id", "email", id="integer", email="string")
LOGIN = op(
    thing("token", "member", token="string", member=MEMBER),
    thing("email", "password", email="string", password="string"),
    security=[],
)
MEMBERS = {
    "get": op(several(MEMBER), security=[]),
    "post": op(MEMBER, thing("email", email="string")),
}
PATHS: dict[str, Any] = {"/members": MEMBERS, "/login": {"post": LOGIN}, "/me": {"get": op(MEMBER)}}


def ask(call: Client, properties: object = None, *, session: str = "", query: str = "") -> Response:
    """Log a user with some properties in; None for a call without a body."""
    path = f"{f'/~{session}' if session else ''}/__mockpets/login{query}"
    return call("POST", path, json_body=None if properties is None else {"user": properties})


def log_in(call: Client, properties: object = None, *, session: str = "", query: str = "") -> Any:
    response = ask(call, properties, session=session, query=query)
    assert response.status == 200, response
    return response.json


def error(call: Client, properties: object = None, *, query: str = "") -> tuple[int, str]:
    """Return the status and the message of an error."""
    response = ask(call, properties, query=query)
    return response.status, response.json["message"]


def test_a_user_is_selected_by_properties(clinic: Checked) -> None:
    members = clinic("GET", "/members").json
    for properties in (None, {}, {"id": members[0]["id"]}):
        assert log_in(clinic.call, properties)["user"] == members[0]

    third = members[2]
    login = log_in(clinic.call, {"email": third["email"]})
    assert login == {
        "user": third,
        "token": login["token"],
        "headers": {"Authorization": f"Bearer {login['token']}"},
        "cookie": None,
        "collection": "members",
        "key": third["id"],
    }
    assert clinic("GET", "/me", who=None, headers=login["headers"]).json == third
    other = next(each for each in members if each["role"] != members[0]["role"])
    assert log_in(clinic.call, {"role": other["role"]})["user"] == other


def test_the_token_is_that_of_a_log_in(clinic: Checked) -> None:
    member = clinic("GET", "/members").json[1]
    body = {"email": member["email"], "password": "any"}
    token = clinic("POST", "/auth/login", body, who=None).json["token"]
    assert log_in(clinic.call, {"email": member["email"]})["token"] == token


def test_a_user_that_a_test_has_added_logs_in_without_the_password(clinic: Checked) -> None:
    kim = {"email": "kim@example.com", "password": "let-me-in", "name": "Kim"}
    clinic("POST", "/auth/register", kim, who=None)
    login = log_in(clinic.call, {"name": "Kim"})
    assert login["user"].keys() == {"id", "name", "email", "role"}
    assert clinic("GET", "/me", who=login["token"]).json == login["user"]

    address = {"city": "Bonn", "tags": ["home", "work"]}
    clinic.control("POST", "data/members", {"name": "Bo", "address": {"street": "1"}, "level": 3})
    clinic.control("POST", "data/members", {"name": "Ann", "address": address, "level": 3})
    for properties in (
        {"address": {"city": "Bonn"}},
        {"address": {"tags": "work", "city": "Bonn"}},
        {"address": {"tags": ["home", "work"]}},
        {"level": 3, "address": {"street": None}},
        {"address": address},
    ):
        assert log_in(clinic.call, properties)["user"]["name"] == "Ann", properties


def test_nothing_changes(clinic: Checked) -> None:
    before = clinic.control("GET", "data")
    log_in(clinic.call)
    log_in(clinic.call, session="new")
    assert clinic.control("GET", "data") == before
    assert [each["name"] for each in clinic.control("GET", "sessions")["sessions"]] == ["default"]
    assert clinic.control("GET", "requests")["requests"] == []


def test_users_are_those_of_the_session(clinic: Checked) -> None:
    clinic.control("POST", "data/members", {"name": "Kim"}, session="one")
    login = log_in(clinic.call, {"name": "Kim"}, session="one")
    me = clinic("GET", "/me", who=None, headers=login["headers"], session="one")
    assert me.json == login["user"]
    status, message = error(clinic.call, {"name": "Kim"})
    assert status == 404 and message.startswith("no record of members has the name 'Kim'; known: ")

    header = {"Mockpets-Session": "one"}
    response = clinic.call(
        "POST", "/__mockpets/login", json_body={"user": {"name": "Kim"}}, headers=header
    )
    assert response.json == login and response.header("Mockpets-Session") == "one"


def test_users_are_those_of_the_active_scenarios(clinic: Checked) -> None:
    document = {"description": "d", "data": {"members": [{"name": "Only"}]}}
    clinic.control("PUT", "scenario", {"scenario": document}, session="other")
    assert log_in(clinic.call, session="other")["user"]["name"] == "Only"
    clinic.control("PUT", "scenario", {"scenario": "empty"}, session="other")
    response = ask(clinic.call, {"name": "Only"}, session="other")
    assert response.status == 404
    assert response.json["message"] == "members has no records to log in as; add one"


def test_a_token_names_its_user_after_a_reset_and_in_an_import(clinic: Checked) -> None:
    third = clinic("GET", "/members").json[2]
    login = log_in(clinic.call, {"id": third["id"]})
    clinic.control("POST", "reset")
    assert clinic("GET", "/me", who=login["token"]).json == third

    clinic.control("POST", "data/members", {"name": "Kim"})
    kim = log_in(clinic.call, {"name": "Kim"})
    exported = clinic.control("GET", "sessions/default/export")
    clinic.control("PUT", "sessions/other/export", exported)
    assert clinic("GET", "/me", who=kim["token"], session="other").json == kim["user"]


def test_a_user_who_is_gone_cannot_log_in(clinic: Checked) -> None:
    first, _, third, *_ = clinic("GET", "/members").json
    login = log_in(clinic.call, {"id": third["id"]})
    clinic.control("DELETE", f"data/members/{third['id']}")
    assert error(clinic.call, {"id": third["id"]})[0] == 404
    assert clinic("GET", "/me", who=login["token"]).json == first


def test_people_of_a_blog(blog: Checked) -> None:
    people = blog.control("GET", "data/users")["records"]
    ann, bob = (log_in(blog.call, {"username": each["username"]}) for each in people[:2])
    assert blog("GET", "/user", headers=bob["headers"], who=None).json == {"user": bob["user"]}
    assert bob["user"]["token"] == bob["token"] != ann["token"]
    slug = blog("GET", "/articles").json["articles"][0]["slug"]
    assert blog("POST", f"/articles/{slug}/favorite", headers=bob["headers"]).status == 200
    seen = [
        blog("GET", f"/articles/{slug}", headers=each["headers"]).json["article"]["favorited"]
        for each in (ann, bob)
    ]
    assert seen == [False, True]


@pytest.mark.parametrize(("scheme", "security", "headers"), [
    ({"type": "apiKey", "in": "header", "name": "X-Key"}, [{"one": []}], {"X-Key": "TOKEN"}),
    ({"type": "apiKey", "in": "header", "name": "X-Key"}, [{}, {"one": []}], {"X-Key": "TOKEN"}),
    ({"type": "apiKey", "in": "header", "name": "Authorization"}, [{"one": []}],
     {"Authorization": "TOKEN"}),
    ({"type": "http", "scheme": "bearer"}, [{"one": []}], {"Authorization": "Bearer TOKEN"}),
    ({"type": "oauth2", "flows": {}}, [{"one": []}], {"Authorization": "Bearer TOKEN"}),
    ({"type": "http", "scheme": "bearer"}, [], {"Authorization": "Bearer TOKEN"}),
    ({"type": "apiKey", "in": "cookie", "name": "sid"}, [{"one": []}], {"Cookie": "sid=TOKEN"}),
    ({"type": "apiKey", "in": "query", "name": "key"}, [{"one": []}], {}),
])  # fmt: skip
def test_the_headers_are_those_of_the_scheme(
    tmp_path: Path, scheme: Any, security: list[Any], headers: Mapping[str, str]
) -> None:
    components = {"securitySchemes": {"one": scheme}}
    call = Checked(write(tmp_path, PATHS, components=components, security=security))
    third = call("GET", "/members", who=None).json[2]
    login = log_in(call.call, {"id": third["id"]})
    token = login["token"]
    assert login["headers"] == {
        name: value.replace("TOKEN", token) for name, value in headers.items()
    }
    is_cookie = scheme.get("in") == "cookie"
    assert login["cookie"] == ({"name": "sid", "value": token} if is_cookie else None)
    query = {} if headers else {"key": token}
    assert call("GET", "/me", who=None, headers=login["headers"], **query).json == third


def test_the_headers_have_the_word_of_a_correction(tmp_path: Path) -> None:
    for number, scheme in enumerate((
        {"type": "http", "scheme": "bearer"},
        {"type": "apiKey", "in": "header", "name": "Authorization"},
        None,
    )):  # fmt: skip
        parts: dict[str, Any] = {"components": {"securitySchemes": {"one": scheme}}}
        parts |= {"security": [{"one": []}], "x-mockpets": {"security": {"prefix": "Token"}}}
        if scheme is None:
            del parts["components"], parts["security"]
        call = Checked(write(tmp_path, PATHS, f"api-{number}.json", **parts))
        third = call("GET", "/members", who=None).json[2]
        login = log_in(call.call, {"id": third["id"]})
        assert login["headers"] == {"Authorization": f"Token {login['token']}"}
        assert call("GET", "/me", who=None, headers=login["headers"]).json == third


def test_the_headers_are_those_of_operations_about_the_user(tmp_path: Path) -> None:
    """And not those of the log-in, which here are an app's."""
    schemes = {
        "app": {"type": "apiKey", "in": "header", "name": "X-App"},
        "user": {"type": "http", "scheme": "bearer"},
    }
    paths = {
        "/status": {"get": op(thing("up", up="boolean"), security=[{"app": []}])},
        **PATHS,
        "/login": {"post": {**LOGIN, "security": [{"app": []}]}},
        "/me": {"get": op(MEMBER, security=[{"user": []}])},
    }
    file = write(tmp_path, paths, components={"securitySchemes": schemes})
    login = log_in(client_of(file))
    assert login["headers"] == {"Authorization": f"Bearer {login['token']}"}


def test_the_last_of_many_users_logs_in() -> None:
    """The worker thread of the server reads many records."""
    with MockpetsServer(Settings(port=0, contract=(str(CLINIC),), data=("members=600",))) as server:
        last = ControlClient(server.url).records("members")[-1]
        call = Client(OverSocket(server.url))
        assert log_in(call, {"email": last["email"], "id": last["id"]})["key"] == last["id"]
        status, message = error(call, {"name": "Nobody"})
        assert status == 404 and message.startswith("no record of members has the name 'Nobody'")
        assert error(call, {"nmae": "Kim"})[0] == 400


def test_a_registration_is_enough(tmp_path: Path) -> None:
    sign_up = op(
        thing("token", token="string"),
        thing("email", "password", email="string", password="string"),
    )
    paths = {"/members": {"get": op(several(MEMBER))}, "/register": {"post": sign_up}}
    call = Checked(write(tmp_path, paths))
    second = call("GET", "/members").json[1]
    assert log_in(call.call, {"id": second["id"]})["user"] == second


# --- Errors -----------------------------------------------------------------------------------


def test_a_user_who_does_not_exist_is_explained_with_the_nearest(clinic: Checked) -> None:
    people = [{"name": name, "role": "vet"} for name in ("Ann", "Anna", "Zoe", "Bob", "Cy", "Di")]
    clinic.control("PUT", "data/members", [*people, {"name": "Kim", "role": "nurse"}])
    known = "'Anna', 'Ann', "
    status, message = error(clinic.call, {"name": "Annna"})
    assert status == 404
    assert message.startswith(f"no record of members has the name 'Annna'; known: {known}")
    assert message.endswith(" and 2 more")
    assert error(clinic.call, {"role": "nurse", "name": "Ann"}) == (
        404,
        "no record of members with role 'nurse' has the name 'Ann'; known: 'Kim'",
    )
    clinic.control("PUT", "data/members", [{"name": "Kim"}])
    hostile = error(clinic.call, {"name": "\u001b[31m" + "x" * 500})[1]
    assert "\u001b" not in hostile and len(hostile) < 200


@pytest.mark.parametrize(("properties", "message"), [
    ({"nam": "Kim"}, "no record of members has the property 'nam'; did you mean 'name'?"),
    ({"emial": "Kim"}, "no record of members has the property 'emial'; did you mean 'email'?"),
    ({"nam": None}, "no record of members has the property 'nam'; did you mean 'name'?"),
    ({"x": 1},
     "no record of members has the property 'x'; known properties: email, id, name and role"),
    ({"name": {"first": "Kim"}}, "no record of members has the property 'name.first'"),
    ({"password": "let-me-in"},
     "no record of members has the property 'password'; "
     "leave it out, because no password is needed"),
    ({"~password": "let-me-in"},
     "no record of members has the property '~password'; "
     "known properties: email, id, name and role"),
])  # fmt: skip
def test_an_unknown_property(clinic: Checked, properties: object, message: str) -> None:
    assert error(clinic.call, properties) == (400, message)


@pytest.mark.parametrize(("body", "message"), [
    (b"[]", "must be a mapping"),
    (b'{"user": "kim"}', "user: must be a mapping, got 'kim'"),
    (b'{"usr": {}}', "unknown key 'usr'; did you mean 'user'?"),
    (b'{"user": {"name": "Kim"', "is not valid JSON"),
    (b'{"user": ' + b'{"a":' * 500 + b"1" + b"}" * 501, "nested deeper than 40 levels"),
])  # fmt: skip
def test_an_invalid_body(clinic: Checked, body: bytes, message: str) -> None:
    kind = {"Content-Type": "application/json"}
    response = clinic.call("POST", "/__mockpets/login", body=body, headers=kind)
    assert response.status == 400 and message in response.json["message"], response


def test_a_contract_without_a_log_in() -> None:
    what = "a log-in is a POST whose body has a password and whose response has a token"
    assert error(client_of("pet-store")) == (404, f"no contract has a log-in (pet-store): {what}")
    call = client_of("pet-store", f"/clinic={CLINIC}")
    assert error(call, query="?contract=pet-store") == (
        404,
        f"pet-store has no log-in: {what}; other contracts with one: clinic",
    )
    assert error(call, query="?contract=clinc") == (
        400,
        "contract must be one of pet-store, clinic, got 'clinc'; did you mean 'clinic'?",
    )
    assert log_in(call)["collection"] == "members", "the only log-in"


def test_several_contracts_with_a_log_in(tmp_path: Path) -> None:
    other = write(tmp_path, PATHS, "shop.json")
    call = client_of(f"/clinic={CLINIC}", f"/shop={other}")
    assert error(call) == (
        400,
        "several contracts have a log-in; add the parameter contract=clinic or shop",
    )
    for label, path in (("clinic", "/clinic/me"), ("shop", "/shop/me")):
        login = log_in(call, query=f"?contract={label}")
        assert login["collection"] == f"{label}.members"
        assert call("GET", path, key=None, headers=login["headers"]).json == login["user"]


def test_the_call_needs_what_other_calls_need() -> None:
    call = client_of(CLINIC, control_token=TOKEN)
    assert call("POST", "/__mockpets/login", key=None).status == 401
    assert call("POST", "/__mockpets/login", key=TOKEN).json["key"]
    public = client_of(CLINIC, public=True, control_token=TOKEN)
    assert public("POST", "/__mockpets/login", key=None).status == 401
    assert client_of(CLINIC, control="off")("POST", "/__mockpets/login").status == 404
    declared = client_of(CLINIC, sessions="declared")
    assert declared("POST", "/~other/__mockpets/login").json["code"] == "unknown_session"


def test_a_token_is_valid_beside_the_keys_of_the_server(tmp_path: Path) -> None:
    components = {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
    file = write(tmp_path, PATHS, components=components, security=[{"token": []}])
    given = {"api_key": ("--api-key", 0, 0, "")}  # else any key is valid
    call = client_of(file, api_key=("mine",), sources=given)
    body = {"email": "a@b.example", "password": "p"}
    call("POST", "/members", json_body={"email": body["email"]}, headers=bearer("mine"))
    tokens = [log_in(call)["token"], call("POST", "/login", json_body=body).json["token"]]

    for token in ("mine", *tokens):
        assert call("GET", "/me", headers=bearer(token)).status == 200
    for key in ("", "other", "other.bW9ja3BldHM.x"):
        assert call("GET", "/me", headers=bearer(key)).status == 401


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}
