"""The order of checks on a request under ``/v1``, as documented in the reference."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.constants import SERVER_LIMIT_ERRORS
from tests.http_client import JSON, Client, Response
from tests.server.raw_http import Wire, port_of

CONTRACT = Path(__file__).parents[2] / "docs/reference/contract.md"


@dataclass(frozen=True)
class Attempt:
    """A request with every possible problem; `FIXES` removes them one at a time."""

    method: str = "DELETE"
    path: str = "/v1/nothing"
    key: str | None = None
    scenario: str = "no-such-scenario"
    header: str = "Mockpets-Scenaro"
    body: bytes = field(default=b" " * 65_537, repr=False)

    def send(self, call: Client) -> Response:
        return call(
            self.method,
            self.path,
            headers={**JSON, self.header: "empty"},
            body=self.body,
            scenario=self.scenario,
            key=self.key,
        )


# The error of each check, and the fix for it.
FIXES: list[tuple[int, str, dict[str, Any]]] = [
    (422, "unknown_header", {"header": "X-Other"}),
    (422, "unknown_scenario", {"scenario": "create-rejected"}),
    (404, "not_found", {"path": "/v1/pets"}),
    (405, "method_not_allowed", {"method": "POST"}),
    (401, "unauthorized", {"key": "mockpets"}),
    (400, "invalid_request", {"scenario": "default"}),  # the scenario's stub
    (413, "payload_too_large", {"body": b"{}"}),
    (400, "invalid_request", {"body": b'{"name": "Miso", "categoryId": 2}'}),
]


def test_the_first_failed_check_decides(call: Client) -> None:
    attempt = Attempt()
    seen = []
    for _, _, fix in FIXES:
        response = attempt.send(call)
        seen.append((response.status, response.json["code"]))
        attempt = replace(attempt, **fix)

    assert seen == [(status, code) for status, code, _ in FIXES]
    assert attempt.send(call).status == 201


def test_a_tunnel_is_rejected_by_its_method() -> None:
    with MockpetsServer(Settings(port=0)) as server, Wire(port_of(server.url)) as wire:
        wire.send(b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        head, _, body = wire.rest().partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 405 ")
    assert b"Allow: OPTIONS\r\n" in head + b"\r\n"
    assert json.loads(body)["message"] == "CONNECT is not allowed: this server is not a proxy"


def test_the_404_of_an_unknown_path_has_the_match_that_would_define_it(call: Client) -> None:
    hint = call("DELETE", "/v1/users/7").json["message"]
    match = re.search(r"'match: \{method: (\w+), path: (\S+)\}'", hint)
    assert match
    stub = {"match": dict(zip(("method", "path"), match.groups(), strict=True))}
    document = {"stubs": [stub | {"reply": {"status": 204}, "off_contract": True}]}
    scenario = {"description": "Delete users.", **document}
    assert call("PUT", "/__mockpets/scenario", json_body={"scenario": scenario}).status == 200

    assert call("DELETE", "/v1/users/7").status == 204


def test_a_stub_s_503_and_that_of_a_full_server_can_be_told_apart(
    fresh: Callable[..., Client], caplog: pytest.LogCaptureFixture
) -> None:
    """In the body, in the log and in the metrics."""
    caplog.set_level("INFO", "mockpets.access")
    call = fresh(max_sessions=1)
    by_stub = call("GET", "/v1/pets", scenario="retry")
    by_server = call("GET", "/~another/v1/pets")

    assert [response.status for response in (by_stub, by_server)] == [503, 503]
    assert by_stub.json["code"] == "service_unavailable"
    assert by_server.json["code"] == "busy"
    lines = [str(record.msg) for record in caplog.records]
    assert ["server_limit" in line for line in lines] == [False, True]
    metrics = call("GET", "/__mockpets/metrics").body.decode()
    assert 'mockpets_limit_rejections_total{code="busy"} 1.0' in metrics


STUB_CODES = {
    429: "too_many_requests", 500: "internal_server_error", 501: "not_implemented",
    502: "bad_gateway", 503: "service_unavailable", 504: "gateway_timeout",
    507: "insufficient_storage", 599: "server_error",
}  # fmt: skip


def test_the_default_code_of_a_stub_is_the_name_of_its_status(fresh: Callable[..., Client]) -> None:
    call = fresh()
    for status, code in STUB_CODES.items():
        document = {"description": "d", "stubs": [{"reply": {"status": status}}]}
        call("PUT", "/__mockpets/scenario", json_body={"scenario": document})
        response = call("GET", "/v1/pets")

        assert response.json["code"] == code
        assert code not in SERVER_LIMIT_ERRORS
        assert (response.status, response.json["status"]) == (status, status)


def test_a_header_of_a_stub_replaces_the_one_that_every_response_has(
    fresh: Callable[..., Client],
) -> None:
    call = fresh()
    headers = {"Access-Control-Allow-Origin": "https://other.example", "Vary": "X-Flag"}
    reply = {"status": 500, "headers": headers}
    stub = {"match": {"operation": "listPets"}, "reply": reply, "off_contract": True}
    put = call("PUT", "/__mockpets/scenario", json_body={"scenario": {"stubs": [stub]}})
    assert put.status == 200, put.body
    response = call("GET", "/v1/pets", headers={"Origin": "http://localhost:5173"})

    # Repeated headers would be joined.
    assert response.header("Access-Control-Allow-Origin") == "https://other.example"
    assert "X-Flag" in (response.header("Vary") or "")


def test_a_stub_s_pet_not_found_has_its_own_message_or_names_no_pet_without_an_id(
    fresh: Callable[..., Client],
) -> None:
    call = fresh()

    def message(target: str, **reply: str) -> str:
        stub = {"reply": {"error": "pet_not_found", **reply}, "off_contract": True}
        document = {"description": "d", "stubs": [stub]}
        call("PUT", "/__mockpets/scenario", json_body={"scenario": document})
        text: str = call("GET", target).json["message"]
        return text

    assert message("/v1/pets/3") == "no animal has the id 3"
    assert message("/v1/pets") == "the animal could not be found"
    assert message("/v1/pets/3", message="Gone.") == "Gone."


def test_the_reference_states_the_same_order() -> None:
    [row] = re.findall(
        r"^\| order of checks \| (.*) \|$", CONTRACT.read_text("utf-8"), re.MULTILINE
    )
    checks, _, _ = row.partition(";")
    stated = [int(number) for number in re.findall(r"\b4\d\d\b", checks)]

    assert stated == [422, 404, 405, 401, 413, 400]
    assert stated == [*dict.fromkeys(status for status, _, _ in FIXES if status != 400), 400]
    assert checks.index("401") < checks.index("stubs") < checks.index("413")


@pytest.mark.parametrize("path", ["/v1/store/orders", "/v1/nothing", "/v1/pets/1/photos"])
def test_requests_without_an_operation_are_checked_in_the_same_order(
    call: Client, path: str
) -> None:
    unknown = call("GET", path, key=None, scenario="no-such-scenario")
    missing_key = call("GET", path, key=None)

    assert unknown.status == 422
    assert missing_key.status == (401 if path == "/v1/store/orders" else 404)
