"""The lines of rejected requests: the error code, the session, and the server's name."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.http_client import Client
from tests.telemetry.test_serve_log import logging, logging_inside

Make = Callable[..., Client]

posix = pytest.mark.skipif(sys.platform == "win32", reason="ends the server by a signal")
TOKEN = "a-token-of-the-tests"


@posix
def test_a_rejected_request_has_its_code_and_session() -> None:
    with logging_inside("json", control_token=TOKEN) as log:
        log.call("GET", "/v1/pets?limit=0")
        log.call("GET", "/~new/v1/pets", key="wrong")
        log.call("GET", "/v1/pets", scenario="server-error")
        log.call("GET", "/v1/pets")
        log.call("PUT", "/~w3/__mockpets/scenario", key=TOKEN, json_body={"scenario": "empty"})
        log.call("PUT", "/~w3/__mockpets/scenario", key=TOKEN, json_body={"scenario": "emtpy"})
        log.raw("GET /v1/pets HTTP/1.1\r\n\r\n")
        found = [(each["status"], each["session"], each["code"]) for each in log.objects()]

    assert found == [
        (400, "default", "invalid_request"), (401, "new", "unauthorized"), (500, "default", None),
        (200, "default", None), (200, "w3", None), (422, "w3", "unknown_scenario"),
        (400, None, "invalid_request"),
    ]  # fmt: skip


@posix
@pytest.mark.parametrize("form", ["text", pytest.param("json", marks=pytest.mark.slow)])
def test_each_line_has_the_name_of_the_server(form: str) -> None:
    with logging("--log", form, "--name", "mock-1") as log:
        log.call("GET", "/v1/pets")
        lines = log.objects() if form == "json" else [line.split()[1] for line in log.lines()]

    names: list[Any] = [each["node"] if isinstance(each, dict) else each for each in lines]
    assert names
    assert set(names) == {"mock-1"}


TARGETS = ["/v1/pets", "/v1/pets?limit=0", "/nowhere", "/__mockpets/state", "/__mockpets/health"]


@pytest.mark.parametrize("target", TARGETS)
def test_each_response_names_the_server_only_if_it_has_a_name(fresh: Make, target: str) -> None:
    origin = {"Origin": "http://localhost:5173"}
    named = fresh(name="mock-1")("GET", target, headers=origin)
    assert named.header("Mockpets-Node") == "mock-1"
    assert "Mockpets-Node" in (named.header("Access-Control-Expose-Headers") or "")
    assert fresh()("GET", target).header("Mockpets-Node") is None
