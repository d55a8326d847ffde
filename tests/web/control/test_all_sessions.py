"""`POST sessions/reset` and `DELETE sessions`: one call for every session."""

from collections.abc import Callable, Iterator

import pytest

from mockpets import MockpetsServer, Settings
from tests.http_client import Client, OverSocket
from tests.web.test_contract import assert_error

Make = Callable[..., Client]

PET = {"name": "Miso", "categoryId": 2}
RESET, SESSIONS = "/__mockpets/sessions/reset", "/__mockpets/sessions"
MANY = 120
"""More than are reset on the app's thread."""


@pytest.fixture(params=[2, MANY])
def used(request: pytest.FixtureRequest) -> Iterator[tuple[Client, int]]:
    """A server on which the default session and some others have a pet and an active scenario."""
    with MockpetsServer(Settings(port=0, max_sessions=MANY + 2)) as server:
        call = Client(OverSocket(server.url))
        for name in ("default", *(f"w{number}" for number in range(request.param))):
            assert call("POST", f"/~{name}/v1/pets", json_body=PET).status == 201
            call("PUT", f"/~{name}/__mockpets/scenario", json_body={"scenario": "missing"})
        yield call, request.param


def counts(call: Client) -> dict[str, tuple[int, int, list[str]]]:
    """Return the numbers of records and requests, and the active scenarios, of each session."""
    listed = call("GET", SESSIONS).json["sessions"]
    return {each["name"]: (each["records"], each["requests"], each["active"]) for each in listed}


def test_every_session_is_reset_and_then_dropped_but_for_the_default_one(
    used: tuple[Client, int],
) -> None:
    call, number = used
    assert set(map(str, counts(call).values())) == {str((17, 1, ["missing"]))}

    assert call("POST", RESET).json == {"reset": number + 1}
    assert len(counts(call)) == number + 1
    assert set(map(str, counts(call).values())) == {str((16, 0, ["missing"]))}

    assert call("DELETE", SESSIONS).json == {"dropped": number}
    assert counts(call) == {"default": (16, 0, ["missing"])}
    assert call("GET", "/~w0/v1/pets").status == 200  # no name is closed


def test_dropping_all_closes_their_names_on_request(used: tuple[Client, int]) -> None:
    call, number = used

    assert call("DELETE", f"{SESSIONS}?closed=60s").json == {"dropped": number}
    assert_error(call("GET", "/~w1/v1/pets"), "session_dropped")
    assert call("GET", "/v1/pets").status == 200


def test_dropping_all_releases_held_responses() -> None:
    with MockpetsServer(Settings(port=0)) as server:
        call = Client(OverSocket(server.url))
        stub = {"match": {"operation": "listPets"}, "hold": "door"}
        document = {"description": "holds", "stubs": [stub]}
        put = call("PUT", "/~w1/__mockpets/scenario", json_body={"scenario": document})
        assert put.status == 200, put.body
        connection = OverSocket(server.url).connect()
        connection.request("GET", "/~w1/v1/pets", headers={"Authorization": "Bearer mockpets"})
        wait = {"within": "10s"}
        assert call("POST", "/~w1/__mockpets/gates/door/wait", json_body=wait).status == 200

        assert call("DELETE", SESSIONS).json == {"dropped": 1}
        assert connection.getresponse().status == 200
        connection.close()


@pytest.mark.parametrize("query", ["closed=soon", "closed=2h", "close=60s"])
def test_an_invalid_parameter_drops_nothing(fresh: Make, query: str) -> None:
    call = fresh()
    call("POST", "/~w1/v1/pets", json_body=PET)

    assert_error(call("DELETE", f"{SESSIONS}?{query}"), "invalid_request")
    assert [*counts(call)] == ["default", "w1"]


def test_a_session_can_have_the_name_reset(fresh: Make) -> None:
    call = fresh()

    assert call("PUT", RESET).status == 201
    assert call("GET", RESET).json["name"] == "reset"
    call("POST", "/~reset/v1/pets", json_body=PET)
    assert call("POST", RESET).json == {"reset": 2}
    assert counts(call)["reset"][:2] == (16, 0)
    assert call("DELETE", RESET).json["dropped"] == "reset"
    assert_error(call("GET", RESET), "not_found")
    assert_error(call("PATCH", RESET), "method_not_allowed")


def test_a_session_names_its_last_request() -> None:
    with MockpetsServer(Settings(port=0)) as server:
        call = Client(OverSocket(server.url))

        def last() -> object:
            return call("GET", f"{SESSIONS}/w1").json["last_request"]

        call("PUT", f"{SESSIONS}/w1")
        assert last() is None
        for target in ("/~w1/v1/pets?limit=0", "/~w1/v1/nothing?%00=%3Cb%3E"):
            call("GET", target)
            assert last() == f"GET {target}"
        call("DELETE", "/~w1/__mockpets/requests")
        assert last() is None
