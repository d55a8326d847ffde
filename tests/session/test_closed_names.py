"""Names of deleted sessions that stay closed (``DELETE sessions/NAME?closed=60s``)."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.contract.control_calls import CALLS
from mockpets.errors import RequestError
from mockpets.session.registry import CLOSED_NAMES, ClosedNames, SessionRegistry
from tests.http_client import Client, InProcess, OverSocket, Response
from tests.server.raw_http import Clock
from tests.session.shared_states import shared_state
from tests.web.test_contract import assert_error

PET: Any = {"name": "Miso", "categoryId": 2}


class Server:
    """A server in this process, and its clock."""

    def __init__(self, **settings: Any) -> None:
        self.clock = Clock()
        self.call = Client(InProcess(create_app(Settings(**settings), self.clock)))

    def control(self, method: str, path: str, body: object = None, base: str = "") -> Response:
        return self.call(method, f"{base}/__mockpets/{path}", json_body=body, key=None)

    def drop(self, query: str = "?closed=60s", name: str = "w3") -> Response:
        """Create a session with a request and delete it."""
        assert self.call("GET", f"/~{name}/v1/pets").status == 200
        return self.control("DELETE", f"sessions/{name}{query}")

    def names(self) -> list[str]:
        return [each["name"] for each in self.control("GET", "sessions").json["sessions"]]


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def closed(server: Server) -> Server:
    """A server on which the name w3 stays closed."""
    assert server.drop().json["dropped"] == "w3"
    return server


@pytest.mark.parametrize("key", ["mockpets", None])
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "BREW"])
@pytest.mark.parametrize("path", ["/v1/pets", "/v1/pets/1", "/v1/store/orders", "/v1/nothing"])
def test_a_closed_session_is_not_created_by_requests(
    closed: Server, path: str, method: str, key: str | None
) -> None:
    origin = {"Origin": "http://localhost:5173"}
    response = closed.call(method, f"/~w3{path}", headers=origin, key=key)

    assert response.status == 410
    assert response.header("Cache-Control") == "no-store"
    assert response.header("Mockpets-Off-Contract")
    assert response.header("Access-Control-Allow-Origin") == origin["Origin"]
    assert "Mockpets-Off-Contract" in (response.header("Access-Control-Expose-Headers") or "")
    if method != "HEAD":
        assert_error(response, "session_dropped")
        assert response.json["message"] == (
            "the session 'w3' was deleted and stays closed for 60 s; use another name, or create "
            "it again with PUT sessions/w3"
        )
    assert closed.names() == ["default"]


@pytest.mark.parametrize(
    ("text", "seconds"), [("1s", 1), ("60s", 60), ("1.5s", 1.5), ("5m", 300), ("1h", 3600)]
)
def test_a_name_opens_again_after_its_time(text: str, seconds: float) -> None:
    server = Server()
    server.drop(f"?closed={text}")
    server.clock.now += seconds - 0.01
    assert server.call("GET", "/~w3/v1/pets").status == 410
    server.clock.now += 0.01

    assert server.call("GET", "/~w3/v1/pets").status == 200
    assert server.names() == ["default", "w3"]


TIME = "closed must be a duration such as 30s, 90m or 1h, got "


@pytest.mark.parametrize(("query", "message"), [
    ("closed=", TIME + "''"),
    ("closed=61m", "closed must be a duration of at most 1h, got '61m'"),
    ("closed=-1s", TIME + "'-1s'"),
    ("closed=1s&closed=2s", "closed must be sent only once, got 2 values"),
    ("close=60s", "unknown parameter 'close'; did you mean 'closed'?"),
])  # fmt: skip
def test_an_invalid_time_deletes_and_closes_nothing(
    server: Server, query: str, message: str
) -> None:
    response = server.drop(f"?{query}")

    assert_error(response, "invalid_request")
    assert response.json["message"] == message
    assert server.names() == ["default", "w3"]
    assert server.call("GET", "/~w3/v1/pets").status == 200


def test_only_existing_sessions_can_be_closed(server: Server) -> None:
    assert_error(server.control("DELETE", "sessions/w3?closed=60s"), "not_found")
    assert_error(server.control("DELETE", "sessions/default?closed=60s"), "invalid_request")

    assert server.call("GET", "/~w3/v1/pets").status == 200
    assert server.call("GET", "/v1/pets").status == 200


# --- The control API ------------------------------------------------------------------------------

CHANGES: list[tuple[str, str, Any]] = [
    ("PUT", "scenario", {"scenario": "empty"}),
    ("POST", "reset", None),
    ("PUT", "data/pets", [{"id": 7, **PET}]),
    ("DELETE", "requests", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_a_changing_call_opens_the_name_again(method: str, path: str, body: Any) -> None:
    server = Server()
    server.drop()
    assert server.control(method, path, body, "/~w3").status == 200
    assert server.call("GET", "/~w3/v1/pets").status == 200
    server.control("DELETE", "sessions/w3")
    assert server.call("GET", "/~w3/v1/pets").status == 200, "the name is no longer closed"


READS = [
    call.route for call in CALLS.values() if call.session == "reads" and call.caller != "visitor"
]


@pytest.mark.parametrize("route", READS)
def test_a_read_of_a_closed_session_is_rejected_and_does_not_open_it(
    closed: Server, route: str
) -> None:
    method, path = re.sub("{.*?}", "1", route).split(" /")
    response = closed.control(method, path, {} if method in ("PUT", "POST") else None, "/~w3")

    assert_error(response, "session_dropped")
    assert response.status == 410
    assert closed.call("GET", "/~w3/v1/pets").status == 410
    assert closed.names() == ["default"]


def test_calls_about_the_server_and_its_sessions_work_on_a_closed_name(server: Server) -> None:
    server.drop()

    assert server.control("GET", "sessions", base="/~w3").status == 200
    assert server.control("GET", "sessions/default", base="/~w3").status == 200
    assert_error(server.control("GET", "sessions/w3", base="/~w3"), "not_found")
    assert_error(server.control("DELETE", "sessions/w3?closed=60s"), "not_found")
    assert server.control("GET", "metrics", base="/~w3").status == 200
    assert server.call("GET", "/~w3/v1/pets").status == 410


def test_a_rejected_change_leaves_the_name_closed(server: Server) -> None:
    full = Server(max_sessions=2)
    full.drop()
    full.call("GET", "/~w4/v1/pets")

    assert_error(full.control("POST", "reset", base="/~w3"), "busy")
    assert full.call("GET", "/~w3/v1/pets").status == 410
    server.drop()
    for path, body in (
        ("scenario", {"scenario": "emtpy"}),
        ("data/pets", {"x": 1}),
        ("data/pets", None),
    ):
        assert server.control("PUT", path, body, "/~w3").status in (400, 422)
        assert server.names() == ["default"]
        assert server.call("GET", "/~w3/v1/pets").status == 410
    assert server.control("PUT", "sessions/w3", {"scenario": "emtpy"}).status == 422
    assert server.call("GET", "/~w3/v1/pets").status == 410


def test_a_poll_for_events_ends_when_its_session_is_closed() -> None:
    with MockpetsServer(Settings(port=0)) as server, ThreadPoolExecutor(1) as pool:
        call = Client(OverSocket(server.url))
        call("GET", "/~w3/v1/pets")
        now = call("GET", "/~w3/__mockpets/events").json["change"]
        poll = pool.submit(call, "GET", f"/~w3/__mockpets/events?since={now}&wait=15")
        call("DELETE", "/__mockpets/sessions/w3?closed=60s")

        assert_error(poll.result(20), "session_dropped")


# --- The limit ----------------------------------------------------------------------------------


def test_beyond_the_limit_the_name_closed_first_is_forgotten() -> None:
    names = ClosedNames(Clock())
    for number in range(CLOSED_NAMES + 1):
        names.close(f"w{number}", 60.0)

    names.check("w0")
    with pytest.raises(RequestError, match="'w1' was deleted"):
        names.check("w1")


def test_a_name_closed_during_a_request_is_not_created() -> None:
    """On a server with threads, another one may delete the session in between."""
    sessions = SessionRegistry(shared_state(), 2, clock=Clock())
    sessions.get_or_create("w3")
    sessions.drop("w3", 60.0)

    with pytest.raises(RequestError, match="'w3' was deleted"):
        sessions.get_or_create("w3")
    assert len(sessions) == 1
