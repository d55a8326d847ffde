"""The steps that complete a response, one at a time."""

from __future__ import annotations

import re
from time import perf_counter
from typing import TYPE_CHECKING, Any

from werkzeug.test import EnvironBuilder

from mockpets.scenario.engine import NOTHING, Outcome
from mockpets.scenario.library import load_library
from mockpets.scenario.model import Canned
from mockpets.session.session import Session
from mockpets.web.exchange import Exchange, Request, Response
from mockpets.web.response_finalizer import (
    access_line,
    deprecation_headers,
    explanation_headers,
    headers_for,
    must_close,
    off_contract_reason,
    server_timing,
)
from tests.cases import each
from tests.session.shared_states import shared_state

if TYPE_CHECKING:
    from mockpets.constants import Operation
    from mockpets.scenario.library import Stack

LIBRARY = load_library((), ())


def stack(*names: str) -> Stack:
    return LIBRARY.stack(names)


def exchange(operation: Operation | None = "listPets", **known: Any) -> Exchange:
    return Exchange(perf_counter(), operation, **known)


def request(method: str = "GET", path: str = "/v1/pets", **options: Any) -> Request:
    made = Request(EnvironBuilder(path, method=method, **options).get_environ())
    made.exchange = exchange()
    return made


# --- Why the contract does not list a response --------------------------------------------------


@each(
    "operation, status, reason",
    [
        ("listPets", 200, None),
        ("listPets", 401, None),
        ("listPets", 400, "status 400 is not in the contract for listPets"),
        ("getPet", 404, None),
        ("createPet", 404, "status 404 is not in the contract for createPet"),
        (None, 404, "the contract does not define this operation"),
    ],
)
def test_a_status_that_the_contract_does_not_list_is_off_contract(
    operation: Operation | None, status: int, reason: str | None
) -> None:
    assert off_contract_reason(exchange(operation), status) == reason


def test_a_fault_and_a_reply_decide_before_the_status() -> None:
    reply = Canned(503, (), b"", "status 503")

    assert off_contract_reason(exchange(outcome=Outcome(fault="empty_reply")), 200) == (
        "fault empty_reply"
    )
    assert off_contract_reason(exchange(outcome=Outcome(reply=reply)), 200) == "status 503"


# --- Headers ------------------------------------------------------------------------------------


def test_the_deprecation_headers_keep_the_base_path() -> None:
    headers = dict(deprecation_headers("/mock/~a"))

    assert headers["Sunset"] == "Thu, 05 Dec 2030 00:00:00 GMT"
    assert headers["Link"] == (
        '</mock/~a/v1/pets>; rel="successor-version", '
        '</mock/~a/__mockpets/docs>; rel="deprecation"; type="text/html"'
    )


def test_the_explanation_has_the_seed_only_if_chance_decided() -> None:
    session = Session("test", shared_state())
    known: dict[str, Any] = {
        "session": session,
        "stack": stack("missing"),
        "outcome": Outcome(("missing/gone",)),
    }
    by_chance: dict[str, Any] = {**known, "stack": stack("flaky")}

    assert dict(explanation_headers(exchange(**known), "fault empty_reply")) == {
        "Mockpets-Session": "test",
        "Mockpets-Session-Id": session.id,
        "Mockpets-Scenario": "missing",
        "Mockpets-Stub": "missing/gone",
        "Mockpets-Off-Contract": "fault empty_reply",
    }
    assert "Mockpets-Seed" in dict(explanation_headers(exchange(**by_chance), None))
    assert explanation_headers(exchange(), None) == ()


def test_the_server_timing_has_the_delay() -> None:
    assert re.fullmatch(r"app;dur=\d+\.\d\d", server_timing(exchange()))
    assert server_timing(exchange(outcome=Outcome(delay=1.5))).endswith(", delay;dur=1500")


def test_a_401_gets_a_challenge_unless_the_scenario_wrote_one() -> None:
    plain, own = Response(status=401), Response(status=401)
    own.set_header("WWW-Authenticate", 'Bearer realm="mine"')

    def challenges(response: Response) -> list[str]:
        _, headers = headers_for(request(), response, 0, None, preflight=False)
        return [value for name, value in headers if name == "WWW-Authenticate"]

    assert challenges(plain) == ['Bearer realm="mockpets"']
    assert challenges(own) == []


def test_only_a_numbered_exchange_has_the_request_header() -> None:
    def names(number: int) -> list[str]:
        _, headers = headers_for(request(), Response(), number, None, preflight=False)
        return [name for name, _ in headers]

    assert "Mockpets-Request" in names(7)
    assert "Mockpets-Request" not in names(0)


# --- Closing the connection ---------------------------------------------------------------------


@each(
    "method, scenario, asks, closes",
    [
        ("GET", "default", "", False),
        ("GET", "offline", "", True),
        ("OPTIONS", "default", "", False),
        ("OPTIONS", "default", "authorization, mockpets-scenario", True),
        ("GET", "default", "mockpets-scenario", False),
    ],
)
def test_a_connection_closes_if_a_later_response_may_break_it(
    method: str, scenario: str, asks: str, closes: bool
) -> None:
    headers = {"Access-Control-Request-Headers": asks} if asks else {}
    called = request(method, headers=headers)
    called.exchange.stack = stack(scenario)

    assert must_close(called, Session("test", shared_state())) is closes


# --- The access log -----------------------------------------------------------------------------


def test_a_broken_connection_is_logged_without_a_status() -> None:
    broken = request(path="/v1/pets?token=secret")
    broken.exchange.outcome = Outcome(fault="connection_reset", delay=0.25)
    answered = request()
    answered.exchange.outcome = NOTHING

    line = access_line(broken, Response(b"gone"), 3)
    assert (line.status, line.fault, line.delay_ms, line.number) == (
        None,
        "connection_reset",
        250,
        3,
    )
    assert line.target == "/v1/pets?token=[redacted]"
    assert access_line(answered, Response(b"four")).status == 200
    assert access_line(answered, Response(b"four")).size == 4
