"""The lines of rejected requests: the error code, the session, the trace, and the server's name."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from mockpets.telemetry.access_log import trace_id
from tests.cases import each as for_each
from tests.telemetry.test_serve_log import logging, logging_inside

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.http_client import Client

    Make = Callable[..., Client]

posix = pytest.mark.skipif(sys.platform == "win32", reason="ends the server by a signal")
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
TOKEN = "a-token-of-the-tests"


@posix
def test_a_rejected_request_has_its_code_session_and_trace() -> None:
    with logging_inside("json", control_token=TOKEN) as log:
        traced = {"traceparent": PARENT}
        log.call("GET", "/v1/pets?limit=0", headers=traced)
        log.call("GET", "/~new/v1/pets", key="wrong", headers=traced)
        log.call("GET", "/v1/pets", scenario="server-error", headers=traced)
        log.call("GET", "/v1/pets", headers=traced)
        log.call("GET", "/v1/pets?limit=0", headers={"traceparent": "00-0-0-00"})
        log.call("PUT", "/~w3/__mockpets/scenario", key=TOKEN, json_body={"scenario": "empty"})
        log.call("PUT", "/~w3/__mockpets/scenario", key=TOKEN, json_body={"scenario": "emtpy"})
        log.raw("GET /v1/pets HTTP/1.1\r\n\r\n")
        found = [
            (each["status"], each["session"], each["code"], each["trace_id"])
            for each in log.objects()
        ]

    assert found == [
        (400, "default", "invalid_request", TRACE),
        (401, "new", "unauthorized", TRACE),
        (500, "default", None, None),
        (200, "default", None, None),
        (400, "default", "invalid_request", None),
        (200, "w3", None, None),
        (422, "w3", "unknown_scenario", None),
        (400, None, "invalid_request", None),
    ]


@posix
@for_each("form", ["text", "json"])
def test_each_line_has_the_name_of_the_server(form: str) -> None:
    with logging("--log", form, "--name", "mock-1") as log:
        log.call("GET", "/v1/pets")
        lines = log.objects() if form == "json" else [line.split()[1] for line in log.lines()]

    names: list[Any] = [each["node"] if isinstance(each, dict) else each for each in lines]
    assert names
    assert set(names) == {"mock-1"}


TARGETS = ["/v1/pets", "/v1/pets?limit=0", "/nowhere", "/__mockpets/state", "/__mockpets/health"]


@for_each("target", TARGETS)
def test_each_response_names_the_server_only_if_it_has_a_name(fresh: Make, target: str) -> None:
    origin = {"Origin": "http://localhost:5173"}
    named = fresh(name="mock-1")("GET", target, headers=origin)
    assert named.header("Mockpets-Node") == "mock-1"
    assert "Mockpets-Node" in (named.header("Access-Control-Expose-Headers") or "")
    assert fresh()("GET", target).header("Mockpets-Node") is None


@for_each(
    "header",
    [
        None,
        "",
        PARENT.upper(),
        f"ff{PARENT[2:]}",
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"{PARENT}-more",
        f"cc{PARENT[2:]}more",
        f"{PARENT}\n",
    ],
)
def test_an_invalid_traceparent_has_no_trace_id(header: str | None) -> None:
    assert trace_id(header) is None


@for_each("header", [PARENT, f"cc{PARENT[2:]}", f"cc{PARENT[2:]}-what-comes-later"])
def test_a_valid_traceparent_has_a_trace_id(header: str) -> None:
    assert trace_id(header) == TRACE
