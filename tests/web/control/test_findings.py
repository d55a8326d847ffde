"""`GET findings`: the report and the state coverage of one session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockpets.client import ControlClient
from tests.http_client import JSON, Client, OverSocket

if TYPE_CHECKING:
    from mockpets import MockpetsServer


def found(findings: Any) -> set[str]:
    return {each["rule"] for each in findings["report"]["findings"]}


def test_the_findings_are_those_of_this_session(server: MockpetsServer) -> None:
    call, control = Client(OverSocket(server.url)), ControlClient(server.url, "w1")
    control.make_session("w1", scenario="empty")
    call("GET", "/~w1/v1/pets?limmit=3")
    call("GET", "/~w1/v1/pets/7")
    call("GET", "/v1/pets?api_key=mockpets")
    findings: Any = control.findings()

    assert "unknown-parameter" in found(findings)
    assert "key-in-query" not in found(findings)
    report, coverage = findings["report"], findings["coverage"]
    assert report["checked"] == "2 requests in 1 session"
    [unknown] = [each for each in report["findings"] if each["rule"] == "unknown-parameter"]
    assert unknown["evidence"][0]["number"] == 1
    assert coverage["total"] == 2
    matrix = coverage["summary"]["matrix"]
    assert (matrix["listPets"]["success"], matrix["listPets"]["empty"]) == (1, 1)
    assert matrix["getPet"]["404"] == 1
    assert coverage["summary"]["never_called"] == ["createPet"]


def test_the_coverage_of_a_session_counts_as_that_of_the_server(server: MockpetsServer) -> None:
    call, control = Client(OverSocket(server.url)), ControlClient(server.url, "w2")
    stubs: list[Any] = [
        {"match": {"operation": "listPets"}, "delay": "1s", "times": 1},
        {"match": {"operation": "getPet", "petId": 1}, "fault": "malformed_json"},
        {"match": {"operation": "getPet", "petId": 2}, "reply": {"status": 503}},
        {
            "match": {"operation": "getPet", "petId": 3},
            "reply": {"status": 200, "body": {"id": "3"}},
            "off_contract": True,
        },
    ]
    control.make_session("w2", scenario={"description": "d", "stubs": stubs})
    control.clear_coverage()
    call("POST", "/~w2/v1/pets", body=b"{}", headers=JSON)
    call("GET", "/~w2/v1/pets")
    for pet in (1, 2, 3, 4):
        call("GET", f"/~w2/v1/pets/{pet}")
    call("GET", "/~w2/v1/pets", key="wrong")
    call("GET", "/~w2/v1/nothing")
    server_rows, coverage = control.coverage(), control.findings()["coverage"]

    assert coverage["rows"] == server_rows["rows"]
    assert coverage["total"] == server_rows["total"] == 8


def test_a_session_without_requests_has_no_findings(server: MockpetsServer) -> None:
    findings = ControlClient(server.url, "w3").findings()

    assert findings["report"]["findings"] == []
    assert findings["report"]["limits"] == [
        "all rules, because there are no requests; a deleted session has no log"
    ]
    assert findings["coverage"]["summary"]["percent"] == 0


def test_requests_that_the_log_has_dropped_are_a_limit(server: MockpetsServer) -> None:
    call, control = Client(OverSocket(server.url)), ControlClient(server.url, "w4")
    control.make_session("w4")
    for _ in range(1001):
        call("GET", "/~w4/v1/pets?limit=1")
    [limit] = control.findings()["report"]["limits"]

    assert "1 request that the log of session w4 has dropped" in limit
