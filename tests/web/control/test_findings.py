"""`GET findings`: the report on one session."""

from typing import Any

from mockpets import MockpetsServer
from mockpets.client import ControlClient
from tests.http_client import Client, OverSocket


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
    report = findings["report"]
    assert report["checked"] == "2 requests in 1 session"
    [unknown] = [each for each in report["findings"] if each["rule"] == "unknown-parameter"]
    assert unknown["evidence"][0]["number"] == 1
