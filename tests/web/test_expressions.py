"""Expressions such as ``createOwner:422``: states of operations, without a file."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from mockpets.contract.media_types import json_media
from mockpets.contract.openapi_loader import load, operations
from mockpets.strict_json import load_json
from tests.contract.json_schema import is_valid_by
from tests.http_client import KEY, Client, Response
from tests.web.documents import (
    CLINIC,
    ERROR,
    Serve,
    client_of,
    document,
    json_of,
    operation,
    serve_in,
    write,
)

DOCUMENT = load(CLINIC, CLINIC.name)
DESCRIBED = {each.name: each for each in operations(DOCUMENT)}
IS_VALID = is_valid_by(DOCUMENT)
LABEL = "mockpets-off-contract"
STATES = [(name, status) for name, each in DESCRIBED.items() for status in each.responses]


@pytest.fixture(scope="module")
def clinic() -> Client:
    return client_of(CLINIC)


@pytest.fixture(scope="module")
def pets() -> Client:
    return client_of()


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    return serve_in(tmp_path)


def state(*names: str) -> dict[str, str]:
    return {"Mockpets-Scenario": ",".join(names)}


def call_in(call: Client, name: str, expression: str) -> Response:
    """Send any request to an operation of the clinic, in a state."""
    described = DESCRIBED[name]
    path = re.sub(r"\{\w+\}", "7", f"/api{described.path}")
    return call(described.method, path, headers=state(expression))


def message(response: Response) -> Any:
    assert response.status == 422
    assert response.json["code"] == "unknown_scenario"
    return response.json["message"]


# --- Statuses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "status"), STATES)
def test_each_documented_response_is_a_state(clinic: Client, name: str, status: str) -> None:
    response = call_in(clinic, name, f"{name}:{status}")

    assert response.status == int(status)
    assert response.header("Mockpets-Scenario") == f"{name}:{status}"
    assert response.header("Mockpets-Stub") == f"{name}:{status}"
    assert response.header(LABEL) is None
    documented = DESCRIBED[name].responses[status]
    if media := json_media(documented.get("content") or {}):
        assert response.header("Content-Type") == media[0]
        assert IS_VALID(media[1].get("schema", {}), load_json(response.text)), response.text
    assert all(response.header(each) is not None for each in documented.get("headers", ()))


def test_a_state_is_of_one_operation(clinic: Client) -> None:
    assert clinic("GET", "/api/owners", headers=state("listOwners:422")).status == 422
    assert clinic("GET", "/api/animals", headers=state("listOwners:422")).status == 200


def test_case_makes_no_difference(clinic: Client) -> None:
    response = clinic("GET", "/api/owners", headers=state("LISTowners:Offline,listowners:503"))

    assert response.header("Mockpets-Scenario") == "listOwners:offline, listOwners:503"


def test_networks_send_429_and_5xx(clinic: Client) -> None:
    for status in (429, 500, 503, 599):
        response = clinic("GET", "/api/owners", headers=state(f"listOwners:{status}"))
        assert response.status == status
        whose = f"status {status} is not in the contract for listOwners"
        assert response.header(LABEL) == whose


def test_a_status_that_is_not_documented_is_no_state(clinic: Client) -> None:
    for given in ("listOwners:418", "listOwners:404", "listOwners:201"):
        what = message(clinic("GET", "/api/owners", headers=state(given)))
        assert what.startswith(f"listOwners does not document {given[-3:]}; it documents 200, 422")
        assert what.endswith(", and can have 429 and every 5xx")


def test_an_operation_without_a_documented_4xx_can_have_any(serve: Serve) -> None:
    call = serve(
        {"/a": {"get": operation(name="getA"), "post": operation(name="addA", _4XX=json_of(ERROR))}}
    )

    teapot = call("GET", "/a", headers=state("getA:418"))
    assert (teapot.status, teapot.json["status"]) == (418, 418)
    assert teapot.header(LABEL) == "status 418 is not in the contract for getA"
    assert call("GET", "/a", headers=state("getA:300")).status == 422
    ranged = call("POST", "/a", headers=state("addA:418"))
    assert (ranged.status, ranged.header(LABEL)) == (418, None)
    assert ranged.json["status"] == 418


def test_a_default_documents_every_error(serve: Serve) -> None:
    paths = {"/a": {"get": operation(name="getA", _200=json_of({}), default=json_of(ERROR))}}
    call = serve(paths)

    for status in (400, 418, 503):
        response = call("GET", "/a", headers=state(f"getA:{status}"))
        assert (response.status, response.json["status"]) == (status, status)
        assert response.header(LABEL) is None
    assert call("GET", "/a", headers=state("getA:201")).status == 422


def test_all_is_every_operation(clinic: Client) -> None:
    for path, is_documented in (("/api/owners", False), ("/api/me", True)):
        response = clinic("GET", path, headers=state("all:401"))
        assert response.status == 401
        assert (response.header(LABEL) is None) == is_documented
        assert response.header("WWW-Authenticate")
    assert message(clinic("GET", "/api/owners", headers=state("all:200"))) == (
        "the success status 200 belongs to one operation; name it in place of all"
    )


NAMED = json_of({"type": "string"}, examples={"a cat": {"value": "Tom"}, "dog": {"value": "Rex"}})


def test_an_example_is_a_state(serve: Serve) -> None:
    gone = json_of(ERROR, examples={"left": {"value": {"message": "moved", "status": 410}}})
    call = serve({"/a": {"get": operation(name="getA", _200=NAMED, _410=gone)}})

    def sent(expression: str) -> Any:
        return call("GET", "/a", headers=state(expression)).json

    assert sent("getA:200") == "Tom"
    assert sent("getA:200:dog") == "Rex"
    assert sent("getA:200:A-Cat") == "Tom"
    assert sent("getA:410:left") == {"message": "moved", "status": 410}
    unknown = call("GET", "/a", headers=state("getA:200:dogg"))
    assert message(unknown) == "getA:200 has no example 'dogg'; did you mean 'dog'?"
    none = call("GET", "/a", headers=state("getA:503:dog"))
    assert message(none) == "getA:503 has no example 'dog'; known: none"


def test_the_key_of_the_request_is_in_the_error(clinic: Client) -> None:
    response = clinic("GET", "/api/owners/4711", headers=state("getOwner:404"))

    assert response.status == 404
    assert "4711" in response.text


@pytest.mark.parametrize(
    ("expression", "method", "path", "status", "body"),
    [
        ("listPets:400", "GET", "/v1/pets", 400, {"code": "invalid_request"}),
        ("listPets:401", "GET", "/v1/pets", 401, {"code": "unauthorized"}),
        ("getPet:404", "GET", "/v1/pets/3", 404, {"message": "no animal has the id 3"}),
        ("createPet:507", "POST", "/v1/pets", 507, {"code": "insufficient_storage"}),
        ("getPet:200", "GET", "/v1/pets/3", 200, {"id": 17, "name": "Miso"}),
        ("createPet:201", "POST", "/v1/pets", 201, {"id": 17, "name": "Miso"}),
        ("all:503", "GET", "/v1/pets/3", 503, {"code": "service_unavailable"}),
    ],
)  # fmt: skip
def test_states_of_the_pet_store(
    pets: Client, expression: str, method: str, path: str, status: int, body: dict[str, Any]
) -> None:
    response = pets(method, path, headers={**KEY, **state(expression)})

    assert response.status == status
    assert body.items() <= response.json.items()
    assert (response.header(LABEL) is None) == (status in (200, 201, 401, 404))


def test_a_created_pet_has_a_location(pets: Client) -> None:
    response = pets("POST", "/v1/pets", headers={**KEY, **state("createPet:201")})
    assert response.header("Location") == "/v1/pets/17"


def test_a_page_of_the_pet_store_is_its_example(pets: Client) -> None:
    response = pets("GET", "/v1/pets", headers={**KEY, **state("listPets:200")})
    assert response.json == [{"id": 17, "name": "Miso", "categoryId": 2, "status": "available"}]


# --- Other states -----------------------------------------------------------------------------


def test_a_list_is_empty_and_its_records_stay(clinic: Client) -> None:
    empty = clinic("GET", "/api/owners", headers=state("listOwners:empty")).json
    assert empty["data"] == []
    assert clinic("GET", "/api/animals", headers=state("listOwners:empty")).json
    assert clinic("GET", "/api/owners", headers=state("all:empty")).json["data"] == []
    what = message(clinic("GET", "/api/owners", headers=state("getOwner:empty")))
    assert what.startswith(
        "getOwner is not a list; only lists can be empty: listMembers, listOwners, "
    )


def test_faults_and_durations(clinic: Client) -> None:
    response = clinic("GET", "/api/owners", headers=state("listOwners:malformed_json"))
    assert response.header(LABEL) == "fault malformed_json"
    with pytest.raises(ValueError, match=r"Expecting|Invalid|Unterminated|Extra"):
        json.loads(response.text)
    waits = clinic("GET", "/api/owners", headers=state("listOwners:20ms", "all:5ms"))
    assert "delay;dur=25" in str(waits.header("Server-Timing"))


def test_a_delay_or_hold_is_for_the_responses_of_the_others_too(clinic: Client) -> None:
    for stack in (["listOwners:503", "listOwners:20ms"], ["retry", "listOwners:20ms"]):
        response = clinic("GET", "/api/owners", headers=state(*stack))
        assert response.status == 503
        assert "delay;dur=20" in str(response.header("Server-Timing"))
        assert response.header("Mockpets-Scenario") == ", ".join(stack)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("listOwner:401", "unknown operation 'listOwner' in 'listOwner:401'; did you mean "),
        ("x:401", "unknown operation 'x' in 'x:401'; known: logIn, "),
        ("listOwners:emty", "unknown state 'emty' in 'listOwners:emty'; did you mean 'empty'?"),
        ("listOwners:xyz", "unknown state 'xyz' in 'listOwners:xyz'; known: 200, "),
        ("listOwners:3", "the state of 'listOwners:3' must be a duration such as 300ms, 1.5s"),
        ("listOwners:90s", "the state of 'listOwners:90s' must be a duration of at most 60s"),
        ("listOwners:99", "the state of 'listOwners:99' must be a duration"),
        ("listOwners:", "invalid expression 'listOwners:' in Mockpets-Scenario: write OPERATION:"),
        (":401", "invalid expression ':401' in Mockpets-Scenario: write OPERATION:STATE"),
        ("a:b:c:d", "invalid expression 'a:b:c:d' in Mockpets-Scenario"),
        ("listOwners:401\N{LATIN SMALL LETTER E WITH ACUTE}", "invalid expression"),
        ("a" * 300 + ":401", "invalid expression"),
        ("all:401:x", "an example belongs to one operation; name it in place of all"),
        ("list/Owners:401", "invalid expression"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(clinic: Client, expression: str, expected: str) -> None:
    response = clinic("GET", "/api/owners", headers=state(expression.encode().decode("latin-1")))
    assert message(response).startswith(expected)


# --- Where they may stand ---------------------------------------------------------------------


def test_five_expressions_stack_in_two_sessions(clinic: Client) -> None:
    stacks = {
        "left": ["listOwners:422", "listAnimals:empty", "getMe:401", "getOwner:404", "all:1ms"],
        "right": ["listOwners:503", "getMe:500", "listAnimals:429", "getOwner:200", "all:2ms"],
    }
    for session, stack in stacks.items():
        named = {"Mockpets-Session": session}
        body = {"scenario": stack}
        sent = clinic("PUT", "/__mockpets/scenario", headers=named, json_body=body)
        assert (sent.status, sent.json) == (200, {"active": stack})

    for _ in range(2):
        for session, owners, me in (("left", 422, 401), ("right", 503, 500)):
            for path, status in (("owners", owners), ("me", me)):
                response = clinic("GET", f"/~{session}/api/{path}")
                assert response.status == status
                assert response.header("Mockpets-Scenario") == ", ".join(stacks[session])


def test_an_expression_fits_wherever_a_session_is_named(pets: Client) -> None:
    key = {"Authorization": "Bearer mockpets~w1+getPet:404+all:1ms"}
    places: list[tuple[str, dict[str, str]]] = [
        ("/v1", {**KEY, **state("getPet:404", "all:1ms")}),
        ("/~w1+getPet:404+all:1ms/v1", KEY),
        ("/~w1+getPet%3A404+all%3A1ms/v1", KEY),
        ("/v1", {**KEY, "baggage": "mockpets.scenario=getPet:404+all:1ms"}),
        ("/v1", {**KEY, "baggage": "mockpets.scenario=getPet%3A404%2Ball%3A1ms"}),
        ("/v1", key),
        ("/v1", {**KEY, "Cookie": "mockpets=w1+getPet:404+all:1ms"}),
        ("/v1", {**KEY, "Cookie": "mockpets=w1%2BgetPet%3A404%2Ball%3A1ms"}),
    ]
    for base, headers in places:
        response = pets("GET", f"{base}/pets/3", headers=headers)
        assert response.status == 404, (base, headers)
        assert response.header("Mockpets-Scenario") == "getPet:404, all:1ms"


def test_a_server_with_any_key_reads_an_expression_in_it() -> None:
    call = client_of(api_key=("*",))
    headers = {"Authorization": "Bearer secret~w1+getPet:404"}
    assert call("GET", "/v1/pets/3", headers=headers).status == 404


def test_32_scenarios_stack(pets: Client) -> None:
    names = [f"all:{number}ms" for number in range(1, 34)]
    assert pets("GET", "/v1/pets/3", headers={**KEY, **state(*names[:32])}).status == 200
    what = message(pets("GET", "/v1/pets/3", headers={**KEY, **state(*names)}))
    assert what == "too many scenarios in Mockpets-Scenario: at most 32, got 33"


def test_contracts_that_share_an_operation(tmp_path: Path) -> None:
    files = [
        write(
            tmp_path / f"{name}.json",
            document(
                {"/users": {"get": operation(name="listUsers")}}, servers=[{"url": f"/{name}"}]
            ),
        )
        for name in ("blog", "shop")
    ]
    call = client_of(*files)

    assert call("GET", "/blog/users", headers=state("blog.listUsers:404")).status == 404
    assert call("GET", "/shop/users", headers=state("blog.listUsers:404")).status == 200
    assert call("GET", "/blog/users", headers=state("listUsers:404")).status == 422


def test_an_operation_called_all(serve: Serve) -> None:
    call = serve({"/a": {"get": operation(name="all")}, "/b": {"get": operation(name="getB")}})

    assert call("GET", "/b", headers=state("all-2:404")).status == 200
    assert call("GET", "/a", headers=state("all-2:404")).status == 404
    assert call("GET", "/b", headers=state("all:404")).status == 404


def test_expressions_stay_over_export_and_import(pets: Client) -> None:
    stack = ["getpet:404", "all:empty"]
    named = {"Mockpets-Session": "a"}
    pets("PUT", "/__mockpets/scenario", headers=named, json_body={"scenario": stack})
    sent = {"name": "Miso", "categoryId": 2}
    pets("POST", "/~a/v1/pets", headers=KEY, json_body=sent)
    exported = pets("GET", "/__mockpets/sessions/a/export").json
    assert exported["scenario"] == ["getPet:404", "all:empty"]
    imported = pets("PUT", "/__mockpets/sessions/b/export", json_body=exported)
    assert imported.status == 201, imported.text
    assert [each["name"] for each in pets("GET", "/~b/v1/pets", headers=KEY).json] == ["Miso"]


def test_a_started_server_has_expressions() -> None:
    call = client_of(scenario=("GETPET:404",))
    assert call("GET", "/v1/pets/3", headers=KEY).status == 404
    assert call("GET", "/v1/pets", headers=KEY).header("Mockpets-Scenario") == "getPet:404"


def test_an_expression_can_be_looked_at(pets: Client) -> None:
    shown = pets("GET", "/__mockpets/scenarios/getPet:404").json
    assert (shown["name"], shown["description"]) == ("getPet:404", "getPet responds with 404.")
    assert [each["does"] for each in shown["stubs"]] == ["responds with 404"]
    assert pets("GET", "/__mockpets/scenarios/getPet:418x").status == 404


def test_a_credential_is_checked_before() -> None:
    """A state replaces the operation, not what checks requests to it."""
    strict = client_of(CLINIC, api_key=("secret",))
    basic = base64.b64encode(b"a:b").decode()
    response = strict(
        "GET", "/api/me", headers={"Authorization": f"Basic {basic}", **state("getMe:200")}
    )
    assert response.status == 401
