"""`--sessions declared`: a request that forgets or misspells its session is an error."""

from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.client import ControlClient
from tests.http_client import Client, InProcess

PET: Any = {"name": "Miso", "categoryId": 2}


@pytest.fixture
def call() -> Client:
    """Return a client of a server with the declared session w3."""
    client = Client(InProcess(create_app(Settings(sessions="declared"))))
    assert client("PUT", "/__mockpets/sessions/w3").status == 201
    return client


def sessions(call: Client) -> list[str]:
    return [each["name"] for each in call("GET", "/__mockpets/sessions").json["sessions"]]


@pytest.mark.parametrize(("path", "options"), [
    ("/~w3/v1/pets", {}),
    ("/v1/pets", {"headers": {"Mockpets-Session": "w3"}}),
    ("/v1/pets", {"key": "mockpets~w3"}),
    ("/~w3+empty/v1/pets", {}),
    ("/~default/v1/pets", {}),
    ("/~w3/__mockpets/data/pets", {}),
    ("/~w3/__mockpets/state", {}),
])  # fmt: skip
def test_declared_sessions_and_the_default_one_can_be_named(
    call: Client, path: str, options: dict[str, Any]
) -> None:
    assert call("GET", path, **options).status == 200


@pytest.mark.parametrize(("method", "path", "options"), [
    ("GET", "/v1/pets", {}),
    ("GET", "/v1/pets", {"key": None}),
    ("GET", "/v1/pets", {"headers": {"Mockpets-Scenario": "empty"}}),
    ("GET", "/~+empty/v1/pets", {}),
    ("GET", "/v1/pets/1", {}),
    ("POST", "/v1/pets", {"json_body": PET}),
    ("GET", "/v1/unknown", {}),
    ("POST", "/__mockpets/reset", {}),
    ("PUT", "/__mockpets/scenario", {"json_body": {"scenario": "empty"}}),
    ("PUT", "/__mockpets/data/pets", {"json_body": []}),
])  # fmt: skip
def test_a_request_that_names_no_session_is_rejected(
    call: Client, method: str, path: str, options: dict[str, Any]
) -> None:
    response = call(method, path, **options)

    assert (response.status, response.json["code"]) == (422, "session_required")
    assert response.json["message"] == (
        "the request names no session; name one in the base path (/~NAME/v1), in "
        "Mockpets-Session, baggage, the key or the cookie mockpets: the server runs with "
        "'--sessions declared'"
    )
    assert call("GET", "/~default/__mockpets/requests").json["requests"] == []


def test_the_state_counts_the_requests_without_a_session_since_it_began(call: Client) -> None:
    def unnamed(name: str) -> object:
        return call("GET", f"/~{name}/__mockpets/state").json["counts"]["unnamed"]

    call("GET", "/v1/pets")
    call("PUT", "/~first/__mockpets/sessions/first", json_body={})
    assert unnamed("first") == 0
    call("GET", "/v1/pets")
    call("GET", "/~first/v1/pets")
    call("PUT", "/~second/__mockpets/sessions/second", json_body={})
    call("POST", "/v1/pets")

    assert (unnamed("first"), unnamed("second")) == (2, 1)


@pytest.mark.parametrize(("method", "path", "options"), [
    ("GET", "/~w4/v1/pets", {}),
    ("POST", "/v1/pets", {"headers": {"Mockpets-Session": "w4"}, "json_body": PET}),
    ("GET", "/v1/pets", {"key": "mockpets~w4"}),
    ("GET", "/~w4/v1/unknown", {}),
    ("GET", "/~w4/__mockpets/data/pets", {}),
    ("GET", "/~w4/__mockpets/state", {}),
    ("GET", "/~w4/__mockpets/events", {}),
    ("POST", "/~w4/__mockpets/reset", {}),
    ("PUT", "/~w4/__mockpets/scenario", {"json_body": {"scenario": "empty"}}),
])  # fmt: skip
def test_a_request_that_names_an_unknown_session_is_rejected(
    call: Client, method: str, path: str, options: dict[str, Any]
) -> None:
    response = call(method, path, **options)

    assert (response.status, response.json["code"]) == (422, "unknown_session")
    assert response.json["message"] == (
        "unknown session 'w4'; create it first with PUT sessions/w4: the server runs with "
        "'--sessions declared'"
    )
    assert sessions(call) == ["default", "w3"]


def test_the_nearest_session_is_suggested(call: Client) -> None:
    call("PUT", "/__mockpets/sessions/checkout-7")

    message = call("GET", "/~chekout-7/v1/pets").json["message"]
    assert message.startswith(
        "unknown session 'chekout-7'; did you mean 'checkout-7'? or create it first with PUT"
    )


@pytest.mark.parametrize(
    "path", ["state", "scenarios", "data/pets", "requests", "sessions", "docs"]
)
def test_calls_that_only_read_may_name_none(call: Client, path: str) -> None:
    """The panel and the health check start with them."""
    assert call("GET", f"/__mockpets/{path}").status == 200


def test_a_deleted_session_is_unknown_or_closed(call: Client) -> None:
    call("DELETE", "/__mockpets/sessions/w3")
    assert call("GET", "/~w3/v1/pets").json["code"] == "unknown_session"
    call("PUT", "/__mockpets/sessions/w3")
    call("DELETE", "/__mockpets/sessions/w3?closed=60s")
    assert call("GET", "/~w3/v1/pets").json["code"] == "session_dropped"
    assert call("PUT", "/~w3/__mockpets/sessions/w3").status == 201
    assert call("GET", "/~w3/v1/pets").status == 200


def test_declared_sessions_come_back_with_a_state_file(tmp_path: Path) -> None:
    settings = Settings(port=0, sessions="declared", state=str(tmp_path / "state"))
    for _ in range(2):
        with MockpetsServer(settings) as server:
            control = ControlClient(server.url)
            control.make_session("w3")
            assert [each["name"] for each in control.sessions()] == ["default", "w3"]
