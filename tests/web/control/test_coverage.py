"""`GET coverage` and `DELETE coverage`: which states a server has sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mockpets import Settings, create_app
from tests.cases import each
from tests.http_client import Client, InProcess

if TYPE_CHECKING:
    from tests.http_client import Response

PATH = "/__mockpets/coverage"
PET = {"name": "Miso", "categoryId": 2}
LIST = {"match": {"operation": "listPets"}}
CREATE = {"match": {"operation": "createPet"}}
GET = {"match": {"operation": "getPet"}}
OFF = {"off_contract": True}


@pytest.fixture
def call() -> Client:
    """A client of a new app without our server, so a delayed or held response does not wait."""
    return Client(InProcess(create_app(Settings())))


def use(call: Client, scenario: object) -> None:
    response = call("PUT", "/__mockpets/scenario", json_body={"scenario": scenario})
    assert response.status == 200, response.body


def send(call: Client, operation: str, scenario: str | None = None) -> Response:
    """Send an ordinary request of an operation."""
    if operation == "createPet":
        return call("POST", "/v1/pets", json_body=PET, scenario=scenario)
    return call("GET", "/v1/pets/3" if operation == "getPet" else "/v1/pets", scenario=scenario)


def rows(call: Client) -> list[Any]:
    coverage = call("GET", PATH).json
    assert coverage["total"] == sum(row["count"] for row in coverage["rows"])
    return [*coverage["rows"]]


# --- States ---------------------------------------------------------------------------------------


@each(
    "operation, stub, status, states",
    [
        ("listPets", {**LIST, "reply": {"page": []}}, 200, ["success", "empty"]),
        ("createPet", {**CREATE, "reply": {"error": "invalid_request"}}, 400, ["400"]),
        ("listPets", {"reply": {"error": "unauthorized"}}, 401, ["401"]),
        ("getPet", {**GET, "reply": {"error": "pet_not_found"}}, 404, ["404"]),
        # Allowed for getPet, and labelled because other operations get it too.
        ("getPet", {"reply": {"error": "pet_not_found"}, **OFF}, 404, ["404"]),
        ("listPets", {"reply": {"error": "pet_not_found"}, **OFF}, 404, ["off contract"]),
        ("listPets", {"reply": {"status": 500}}, 500, ["5xx"]),
        ("listPets", {"reply": {"status": 429}}, 429, ["off contract"]),
        ("listPets", {"delay": "999ms"}, 200, ["success"]),
        ("listPets", {"delay": "1s"}, 200, ["success", "slow"]),
        ("listPets", {"throttle": "1 MB/s"}, 200, ["success", "slow"]),
        ("listPets", {"hold": "door", "delay": "2s"}, 200, ["success", "slow", "held"]),
        ("listPets", {"fault": "connection_reset"}, None, ["broken"]),
        ("listPets", {"fault": "truncated_body", "delay": "2s"}, 200, ["slow", "broken"]),
        ("listPets", {"fault": "malformed_json"}, 200, ["malformed"]),
        ("listPets", {**LIST, "reply": {"status": 200, "text": "<h1>"}, **OFF}, 200, ["malformed"]),
        (
            "getPet",
            {**GET, "reply": {"status": 200, "body": {"id": "3"}}, **OFF},
            200,
            ["malformed"],
        ),
        # The body is what the contract lists; only a header is not.
        (
            "listPets",
            {**LIST, "reply": {"status": 200, "headers": {"Set-Cookie": "a=b"}, "body": []}, **OFF},
            200,
            ["success", "empty"],
        ),
    ],
)
def test_a_response_fills_its_states(
    call: Client, operation: str, stub: object, status: int | None, states: list[str]
) -> None:
    use(call, {"name": "case", "description": "d", "stubs": [stub]})
    call("DELETE", PATH)
    send(call, operation)

    [row] = rows(call)
    assert (row["operation"], row["status"], row["states"]) == (operation, status, states)
    assert (row["scenarios"], row["count"]) == (["case"], 1)


@each(
    "method, target, body, key, operation, states",
    [
        ("GET", "/v1/pets", None, "mockpets", "listPets", ["success"]),
        ("GET", "/v1/pets?limit=0", None, "mockpets", "listPets", ["off contract"]),
        ("GET", "/v1/pets", None, None, "listPets", ["401"]),
        ("POST", "/v1/pets", PET, "mockpets", "createPet", ["success"]),
        ("POST", "/v1/pets", {}, "mockpets", "createPet", ["400"]),
        ("GET", "/v1/pets/3", None, "mockpets", "getPet", ["success"]),
        ("GET", "/v1/pets/999", None, "mockpets", "getPet", ["404"]),
        # No operation of the contract, so no cell of the matrix.
        ("GET", "/v1/nothing", None, "mockpets", None, []),
        ("DELETE", "/v1/pets/3", None, "mockpets", None, []),
    ],
)
def test_a_response_without_a_stub_fills_its_state(
    call: Client,
    method: str,
    target: str,
    body: object,
    key: str | None,
    operation: str | None,
    states: list[str],
) -> None:
    call("DELETE", PATH)
    call(method, target, json_body=body, key=key)

    [row] = rows(call)
    assert (row["operation"], row["states"]) == (operation, states)
    assert (row["scenarios"], row["fault"], row["delay"]) == (["default"], None, "none")


@each("delay, name, states", [("999ms", "short", ["success"]), ("1s", "long", ["success", "slow"])])
def test_the_delay_of_a_request_counts_like_that_of_a_scenario(
    call: Client, delay: str, name: str, states: list[str]
) -> None:
    call("DELETE", PATH)
    call("GET", "/v1/pets", headers={"Mockpets-Delay": delay})

    [row] = rows(call)
    assert (row["delay"], row["states"]) == (name, states)


def test_a_request_with_an_unknown_scenario_is_listed_without_scenarios(call: Client) -> None:
    assert call("GET", "/v1/pets", scenario="emtpy").status == 422

    [row] = rows(call)
    assert (row["scenarios"], row["states"]) == ([], ["off contract"])


def test_preflights_and_control_calls_do_not_count(call: Client) -> None:
    call("OPTIONS", "/v1/pets")
    call("GET", "/__mockpets/state")
    call("GET", "/__mockpets/nothing")

    assert call("GET", PATH).json["rows"] == []


# --- Sums -----------------------------------------------------------------------------------------


def test_equal_responses_add_up_over_all_sessions_also_dropped_ones(call: Client) -> None:
    for session in ("a", "b"):
        call("GET", f"/~{session}/v1/pets")
        call("POST", f"/~{session}/__mockpets/reset")
        call("DELETE", f"/__mockpets/sessions/{session}")
    call("GET", "/v1/pets", scenario="slow, empty")
    call("GET", "/v1/pets", scenario="empty, slow")

    counts = {tuple(row["scenarios"]): row["count"] for row in rows(call)}
    assert counts == {("default",): 2, ("slow", "empty"): 1, ("empty", "slow"): 1}


def test_delete_starts_again_at_zero(call: Client) -> None:
    for _ in range(3):
        send(call, "listPets")
    send(call, "getPet")

    assert call("DELETE", PATH).json == {"cleared": 4}
    assert call("GET", PATH).json["rows"] == []
    assert call("DELETE", PATH).json == {"cleared": 0}
    send(call, "getPet")
    assert [row["count"] for row in rows(call)] == [1]
