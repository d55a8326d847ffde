"""The clock of a session: what depends on it, how it is changed, and what keeps it."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets import MockpetsServer, Settings, create_app
from mockpets.client import ControlClient, ControlError
from mockpets.clock import LATEST, parse_moment, time_text
from tests.http_client import Client, InProcess, OverSocket, Response
from tests.web.test_references import notes

CLOCK = "/__mockpets/clock"
AT = "2031-02-03T04:05:06.789Z"
HTTP_AT = "Mon, 03 Feb 2031 04:05:06 GMT"
NOW = {
    "description": "d",
    "stubs": [
        {"match": {"operation": "listPets"}, "off_contract": True,
         "reply": {"status": 200, "body": [{"from": "now"}]}},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def call() -> Client:
    return Client(InProcess(create_app(Settings())))


def put(call: Client, change: object, session: str = "default") -> Response:
    return call("PUT", f"/~{session}{CLOCK}", json_body=change)


def seconds_from_now(text: str) -> float:
    return (datetime.fromisoformat(text) - datetime.now(UTC)).total_seconds()


# --- What depends on it -------------------------------------------------------------------------


def test_date_and_references_show_a_frozen_clock(call: Client) -> None:
    assert put(call, {"now": AT, "frozen": True}, "a").status == 200
    call("PUT", "/~a/__mockpets/scenario", json_body={"scenario": NOW})
    responses = [call("GET", "/~a/v1/pets") for _ in range(2)]

    assert [(each.json, each.header("Date")) for each in responses] == [([AT], HTTP_AT)] * 2
    assert call("GET", "/~a/v1/pest").header("Date") == HTTP_AT
    assert call("GET", "/~a/v1/pets", key="wrong").header("Date") == HTTP_AT
    # Times of the log are real, so that they can be compared with other logs.
    log = call("GET", "/~a/__mockpets/requests").json["requests"]
    assert all(abs(seconds_from_now(entry["at"])) < 3600 for entry in log)


def test_without_a_clock_the_time_is_real_and_the_server_adds_the_date(call: Client) -> None:
    call("PUT", "/~b/__mockpets/scenario", json_body={"scenario": NOW})
    response = call("GET", "/~b/v1/pets")

    assert response.header("Date") is None  # our server adds it, and this is only the app
    assert abs(seconds_from_now(response.json[0])) < 3600
    state = call("GET", f"/~b{CLOCK}").json
    assert (state["frozen"], state["set"]) == (False, False)
    assert call("GET", "/~b/__mockpets/state").json["clock"] is None


def test_a_server_sends_one_date() -> None:
    with MockpetsServer(Settings(port=0, now=AT)) as server:
        response = Client(OverSocket(server.url))("GET", "/v1/pets")

    assert response.header("Date") == HTTP_AT


@pytest.mark.parametrize(
    ("now", "status"),
    [("2030-12-04T23:59:59.999Z", 200), ("2030-12-05T00:00:00Z", 410), ("2030-12-06", 410)],
)
def test_get_pet_ends_when_its_sunset_has_come(call: Client, now: str, status: int) -> None:
    put(call, {"now": now, "frozen": True}, "d")
    response = call("GET", "/~d/v1/pets/1")

    assert response.status == status
    assert response.header("Sunset") == "Thu, 05 Dec 2030 00:00:00 GMT"
    assert call("GET", "/~d/v1/pets").status == 200
    assert call("GET", "/~d/v1/pets/99").status == (404 if status == 200 else 410)


def test_the_response_to_get_pet_after_its_end_is_that_of_the_scenario_and_explained(
    call: Client,
) -> None:
    scenario = call("GET", "/~e/v1/pets/1", scenario="after-removal")
    put(call, {"now": "2031-01-01"}, "e")
    response = call("GET", "/~e/v1/pets/x")

    assert response.json == scenario.json
    off_contract = "status 410 is not in the contract for getPet"
    assert response.header("Mockpets-Off-Contract") == off_contract
    noted = notes(call, "e")
    assert noted.keys() == {"clock", "off_contract"}
    assert noted["clock"].startswith("the session's clock shows 2031-01-01T00:0")
    request: dict[str, Any] = {"method": "GET", "path": "/v1/pets/1"}
    request["headers"] = {"Authorization": "Bearer mockpets"}
    explained = call("POST", "/~e/__mockpets/explain", json_body=request).json
    assert explained["summary"].startswith("operation getPet responds with 410 (GET /pets/")
    assert "clock" in {note["code"] for note in explained["request"]["notes"]}


# --- Changing it --------------------------------------------------------------------------------


def test_a_clock_runs_unless_it_is_frozen_and_keeps_that(call: Client) -> None:
    running = put(call, {"now": "2040-01-01"}, "g").json
    assert (running["frozen"], running["set"]) == (False, True)
    assert running["now"].startswith("2040-01-01T00:0")
    frozen = put(call, {"frozen": True}, "g").json
    assert frozen["now"] >= running["now"]
    assert call("GET", f"/~g{CLOCK}").json == frozen
    moved = put(call, {"now": "2041-01-01T00:00:00-01:30"}, "g").json
    assert moved == {"now": "2041-01-01T01:30:00.000Z", "frozen": True, "set": True}
    assert put(call, {"frozen": False}, "g").json["now"].startswith("2041-01-01T01:3")


def test_null_is_the_real_time(call: Client) -> None:
    put(call, {"now": AT, "frozen": True}, "h")
    frozen = put(call, {"now": None, "frozen": True}, "h").json
    assert frozen["frozen"]
    assert abs(seconds_from_now(frozen["now"])) < 3600

    assert not put(call, {"now": None}, "h").json["set"]
    assert call("GET", "/~h/v1/pets").header("Date") is None


def test_advancing_a_real_clock_sets_it(call: Client) -> None:
    moved = put(call, {"advance": "30d"}, "j").json

    assert abs(seconds_from_now(moved["now"]) - 30 * 86400) < 3600
    assert (moved["frozen"], moved["set"]) == (False, True)
    put(call, {"advance": "999999999d"}, "j")  # it ends with the year 9999
    assert put(call, {"advance": "999999999d"}, "j").json["now"] == time_text(LATEST)


def test_no_clock_shows_a_time_before_1970(call: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockpets.clock.time_ns", lambda: 10**18)
    put(call, {"now": "1970-01-01T00:00:05Z"}, "m")
    monkeypatch.setattr("mockpets.clock.time_ns", lambda: 10**18 - 10**10)  # it was corrected

    state = call("GET", f"/~m{CLOCK}").json
    assert state == {"now": "1970-01-01T00:00:00.000Z", "frozen": False, "set": True}
    assert call("GET", "/~m/v1/pets").header("Date") == "Thu, 01 Jan 1970 00:00:00 GMT"


@pytest.mark.parametrize(("body", "problem"), [
    ({}, "changes nothing; add now, frozen or advance"),
    ({"now": 5}, "now: must be a date and time such as 2030-12-06T09:00:00Z, or null, got 5"),
    ({"now": "2030-12-06T09:00:00"}, "; add the offset: Z for UTC"),
    ({"now": "1969-12-31T23:59:59.999Z"}, "from 1970 on"),
    ({"now": "0000-01-01"}, "from 1970 on"),
    ({"now": "x" * 1000}, "got 'xxx"),
    ({"frozen": None}, "frozen: must be true or false, got null"),
    ({"advance": "5"}, "advance: must be a duration such as 30s, 90m or 1h, got '5'"),
    ({"now": AT, "advance": "5m"}, "'now' and 'advance' cannot be combined"),
    ({"froze": True}, "unknown key 'froze'; did you mean 'frozen'?"),
])  # fmt: skip
def test_an_invalid_change_is_rejected_and_changes_nothing(
    call: Client, body: Any, problem: str
) -> None:
    response = put(call, body, "k")

    assert (response.status, response.json["code"]) == (400, "invalid_request")
    assert problem in response.json["message"]
    assert not call("GET", f"/~k{CLOCK}").json["set"]


def test_a_session_starts_with_a_clock(call: Client) -> None:
    clock = {"now": AT, "frozen": True}
    made = call("PUT", "/__mockpets/sessions/l", json_body={"clock": clock})

    assert (made.status, made.json["clock"]) == (201, {**clock, "set": True})
    call("PUT", "/__mockpets/sessions/l", json_body={"seed": 4})
    assert call("GET", "/__mockpets/sessions/l").json["clock"]["now"] == AT
    bad = call("PUT", "/__mockpets/sessions/l", json_body={"clock": {"frozen": 1}, "seed": "x"})
    assert len(bad.json["details"]["problems"]) == 2


# --- What keeps it ------------------------------------------------------------------------------


def test_a_reset_and_an_undo_keep_it(call: Client) -> None:
    put(call, {"now": AT, "frozen": True}, "n")
    state = call("GET", f"/~n{CLOCK}").json
    call("POST", "/~n/__mockpets/reset")
    assert call("GET", f"/~n{CLOCK}").json == state
    call("POST", "/~n/__mockpets/sessions/n/undo")
    assert call("GET", f"/~n{CLOCK}").json == state
    call("DELETE", "/__mockpets/sessions/n")
    assert not call("GET", f"/~n{CLOCK}").json["set"]
    call("POST", "/__mockpets/sessions/n/undo")
    assert call("GET", f"/~n{CLOCK}").json == state


def test_all_sessions_start_with_the_clock_of_the_server(fresh: Callable[..., Client]) -> None:
    call = fresh(now="2031-02-03")

    state = {"now": "2031-02-03T00:00:00.000Z", "frozen": True, "set": True}
    assert call("GET", f"/~a{CLOCK}").json == state
    assert call("GET", "/~a/v1/pets/1").status == 410
    assert call("GET", "/~new/v1/pets", key="wrong").header("Date") == (
        "Mon, 03 Feb 2031 00:00:00 GMT"
    )
    assert not put(call, {"now": None}, "a").json["set"]
    assert call("GET", "/~a/v1/pets/1").status == 200
    assert "--now 2031-02-03" in call("GET", "/__mockpets/state").json["settings"]["options"]


# --- Python -------------------------------------------------------------------------------------


def test_the_python_client_sets_the_clock(server: MockpetsServer) -> None:
    clock = ControlClient(server.url, "clock").clock
    eastern = datetime.fromisoformat("2031-02-03T05:05:06.789+01:00")

    assert not clock.get()["set"]
    assert clock.freeze(eastern) == {"now": AT, "frozen": True, "set": True}
    assert clock.advance(timedelta(days=1, milliseconds=1))["now"] == "2031-02-04T04:05:06.790Z"
    assert clock.advance("1d")["now"] == "2031-02-05T04:05:06.790Z"
    assert clock.set("2031-01-01", frozen=False)["frozen"] is False
    assert clock.freeze()["now"].startswith("2031-01-01T00:0")
    assert clock.set(None, frozen=False)["set"] is False
    with pytest.raises(ControlError, match="add the offset"):
        clock.set(datetime(2031, 1, 1))


# --- Times --------------------------------------------------------------------------------------


@given(st.integers(0, LATEST))
def test_every_time_survives_its_text(time: int) -> None:
    text = time_text(time)

    assert parse_moment(text) == time
    assert parse_moment(text.lower().replace("t", " ")) == time


@given(st.text("0123456789-:TtZz+. ", max_size=30))
def test_any_text_is_a_time_or_rejected(text: str) -> None:
    with suppress(ValueError):
        assert 0 <= parse_moment(text) <= LATEST + 86_400_000
