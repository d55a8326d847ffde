"""What visitors of a public server read at a limit, what its owner reads, and the settings."""

import logging
from statistics import median
from typing import Any

import pytest

from mockpets.limits import USUAL
from mockpets.public.public_limits import PUBLIC, RATE
from mockpets.settings.settings_table import rows
from tests.http_client import Response
from tests.public.test_public_mode import FULL, WAIT, Public
from tests.test_cost import counted_calls
from tests.web.checked_client import CLINIC
from tests.web.test_contract import assert_cors, assert_error

GONE = (
    "your changes were removed, because you were away and others needed the room; try again to "
    "start with the original pets"
)
OPTIONS = [row.flag for row in rows()]


def burst(public: Public, visitors: list[str]) -> int:
    """Return how many requests are accepted at once; the visitors take turns."""
    for number in range(1000):
        if public("GET", "/v1/pets", visitors[number % len(visitors)]).status == 429:
            return number
    raise AssertionError("no limit")


@pytest.mark.parametrize("rate", [1, 7, 30])
def test_a_visitor_has_the_rate_of_the_setting_and_twice_as_many_at_once(rate: int) -> None:
    public = Public(pace=0, visitor_rate=rate)

    assert burst(public, ["192.0.2.1"]) == 2 * rate
    assert public("GET", "/v1/pets", "192.0.2.2").status == 200
    public.clock.now += 1 / rate
    assert [public("GET", "/v1/pets").status for _ in range(2)] == [200, 429]


@pytest.mark.parametrize("rate", [1, 7, 30])
def test_all_visitors_have_a_rate_and_twice_as_many_at_once(
    rate: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockpets.public.public_limits.RATE", rate)
    public = Public(pace=0)

    assert burst(public, [f"192.0.2.{number}" for number in range(250)]) == 2 * rate
    assert public.control("GET", "state").status == 200
    public.clock.now += 1 / rate
    assert [public("GET", "/v1/pets", "198.51.100.1").status for _ in range(2)] == [200, 429]


@pytest.mark.parametrize(("settings", "limit"), [
    ({"public": False}, USUAL.sessions),
    ({}, PUBLIC.sessions),
    ({"max_sessions": 200}, 200),
    ({"public": False, "max_sessions": 5000}, 5000),
    ({"public": False, "memory": "160MiB"}, 2000),
    ({"public": False, "memory": "8MiB"}, 200),
    ({"public": False, "memory": "64GiB"}, 10_000),
    ({"memory": "36MiB"}, 2500),
])  # fmt: skip
def test_the_number_of_sessions_is_proportional_to_the_memory_unless_it_is_set(
    settings: dict[str, Any], limit: int
) -> None:
    shown = Public(**settings).control("GET", "state").json["settings"]["max_sessions"]

    assert shown == limit
    assert RATE == 2000


# --- The cost of many problems ------------------------------------------------------------------

MANY, SHOWN = 1200, 20


def baggage(count: int) -> dict[str, str]:
    return {"baggage": ",".join(f"mockpets.x{number}=1" for number in range(count))}


def misspelt(count: int) -> dict[str, str]:
    return {f"Mokpets-Session{number}": "1" for number in range(count)}


def calls(public: Public, headers: dict[str, str], status: int) -> float:
    """Return how many functions a request calls."""

    def send() -> None:
        assert public("GET", "/v1/pets", headers=headers).status == status

    send()
    return median(counted_calls(send))


def test_baggage_of_a_request_above_the_rate_is_not_read() -> None:
    public = Public(pace=0, visitor_rate=1)
    burst(public, ["192.0.2.1"])

    assert calls(public, baggage(MANY), 429) == calls(public, baggage(1), 429)


@pytest.mark.parametrize(
    ("headers", "each_header"), [(baggage, 0), (misspelt, 20)], ids=["baggage", "headers"]
)
def test_problems_that_are_not_shown_cost_no_hint(headers: Any, each_header: int) -> None:
    public = Public()
    few, many = (calls(public, headers(count), 422) for count in (SHOWN, MANY))

    assert many - few <= each_header * (MANY - SHOWN) + 20
    message = public("GET", "/v1/pets", headers=headers(MANY)).json["message"]
    assert message.count("unknown") == SHOWN


# --- Messages -----------------------------------------------------------------------------------


def limited() -> Response:
    public = Public(pace=0, visitor_rate=1)
    burst(public, ["192.0.2.1"])
    return public("GET", "/v1/pets")


def limited_together() -> Response:
    public = Public(pace=0)
    burst(public, ["192.0.2.1", "192.0.2.2", "192.0.2.3"])
    return public("GET", "/v1/pets", "192.0.2.4")


def full() -> Response:
    public = Public(pace=0, max_sessions=2)
    public.session()
    return public("GET", "/v1/pets", "192.0.2.2")


def without_room() -> Response:
    public = Public(max_records=1)
    public.post()
    return public.post()


def replaced() -> Response:
    public = Public(pace=0, max_sessions=2)
    public.post()
    public.clock.now += PUBLIC.idle_seconds
    public.session("192.0.2.2")
    public.clock.now += PUBLIC.idle_seconds
    return public("GET", "/v1/pets")


NO_ROOM = "there is no room for more pets; start again with the original pets, or try again later"


@pytest.mark.parametrize(("reach", "code", "message", "logged"), [
    (limited, "rate_limited", WAIT, "--visitor-rate"),
    (limited_together, "rate_limited", WAIT, "2 a second"),
    (full, "busy", FULL, "--max-sessions"),
    (without_room, "store_full", NO_ROOM, "--max-records"),
    (replaced, "session_dropped", GONE, "--max-sessions"),
])  # fmt: skip
def test_a_visitor_reads_what_to_do_and_the_owner_which_option_to_change(
    reach: Any,
    code: str,
    message: str,
    logged: str | None,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.clear()
    monkeypatch.setattr("mockpets.public.public_limits.RATE", 2)
    with caplog.at_level(logging.WARNING, "mockpets"):
        response = reach()

    assert_error(response, code)
    assert_cors(response)
    assert response.json["message"] == message
    assert not any(option in response.json["message"] for option in OPTIONS)
    lines = [each.getMessage() for each in caplog.records]
    assert [line for line in lines if logged and logged in line] == lines


def test_the_log_names_a_limit_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    public = Public(pace=0, visitor_rate=1)
    with caplog.at_level(logging.WARNING, "mockpets"):
        for _ in range(20):
            public("GET", "/v1/pets")
        assert len(caplog.records) == 1
        public.clock.now += 60
        for _ in range(20):
            public("GET", "/v1/pets")

    assert len(caplog.records) == 2


# --- A session that was replaced ----------------------------------------------------------------


def test_a_visitor_who_lost_pets_gets_one_error() -> None:
    public = Public(pace=0, max_sessions=2)
    public.post(name="Mine")
    public.clock.now += PUBLIC.idle_seconds
    public.session("192.0.2.2")
    public.clock.now += PUBLIC.idle_seconds

    assert public("OPTIONS", "/v1/pets", key=None).status == 204
    assert public("GET", "/v1/pets", key=None).status == 401
    assert_error(public.post(), "session_dropped")
    assert "Mine" not in public.names("192.0.2.1")
    assert len(public.names("192.0.2.1")) == 16


def test_a_loss_is_reported_even_if_the_server_is_full() -> None:
    public = Public(pace=0, max_sessions=2)
    public.post()
    public.clock.now += PUBLIC.idle_seconds
    public.session("192.0.2.2")

    assert_error(public("GET", "/v1/pets"), "session_dropped")
    assert_error(public("GET", "/v1/pets"), "busy")


# --- A document -----------------------------------------------------------------------------------


def test_visitors_of_a_document_are_isolated_and_limited(caplog: pytest.LogCaptureFixture) -> None:
    public = Public(contract=(str(CLINIC),), max_records=2, host=("127.0.0.1",))
    one, two = "192.0.2.1", "192.0.2.2"
    member = {"name": "Eva", "email": "eva@example.com", "password": "let-me-in"}
    made = public("POST", "/api/auth/register", one, json_body=member)
    token = made.json["token"]
    assert made.status == 201 and "let-me-in" not in made.text
    assert public("GET", "/api/me", one, key=token).json["name"] == "Eva"
    first = public("GET", "/api/members", two).json[0]
    assert public("GET", "/api/me", two, key=token).json == first
    assert "Eva" not in public("GET", "/api/members", two).text
    for number in range(3):
        owner = {"name": f"O{number}", "email": "o@example.com"}
        response = public("POST", "/api/owners", one, json_body=owner)
    assert_error(response, "store_full")
    assert response.json["message"] == NO_ROOM.replace("pets", "records")
    assert "--max-records" in caplog.text and "let-me-in" not in caplog.text
    assert public("GET", "/api/owners", two).json["meta"]["total"] == 16
    large = public("POST", "/api/owners", one, json_body={"name": "x" * 70_000, "email": "o@e.com"})
    assert (large.status, large.json["detail"]) == (413, "must have at most 64 KiB")
    for path in ("data/members", "state", "requests", "sessions", "contract"):
        assert public("GET", f"/__mockpets/{path}", one).status in (401, 404)
    assert public("POST", "/__mockpets/visitor/reset", one).status == 200
    assert public("GET", "/api/owners", one).json["meta"]["total"] == 16
