"""No stub and no recorded scenario has a secret of a request or a response.

Each case goes through `record --har`, and through `record` and `stub` of a request log.
"""

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mockpets import MockpetsServer
from mockpets.client import ControlClient
from tests.cli.test_replay import BASE, entry, har
from tests.http_client import Client, OverSocket

Run = Callable[..., tuple[int, list[str], list[str]]]

SECRET = "Zq7-s3cr3t.of-this_test9"
NUMBER = 987654321098
TOKEN = json.dumps({"token": SECRET})
URL = f"https://x.test/?access_token={SECRET}"
BASIC = b64encode(f"ann:{SECRET}".encode()).decode()


class Case(NamedTuple):
    """What a response has, and where its request has the secret too."""

    body: str = "{}"
    kind: str = "application/json"
    header: str = ""
    target: str = "/things"
    sent: str = ""


CASES = {
    "URL in another header": Case(header=URL),
    "user in a URL": Case(json.dumps({"at": f"https://user:{SECRET}@x.test/"})),
    "user in a header": Case(header=f"see https://user:{SECRET}@x.test/ now"),
    "form": Case(f"a=1&password={SECRET}&b=2", "application/x-www-form-urlencoded"),
    "form in a string": Case(json.dumps({"form": f"a=1&access_token={SECRET}"})),
    "NDJSON": Case(f'{TOKEN}\n{{"a": 1}}\n', "application/x-ndjson"),
    "events": Case(f"event: login\ndata: {TOKEN}\n\n", "text/event-stream"),
    "event of several lines": Case(
        f'data: {{\ndata: "token": "{SECRET}"\ndata: }}\n\n', "text/event-stream"
    ),
    "prefix": Case(f")]}}',\n{TOKEN}", "text/plain"),
    "loop before JSON": Case(f"while(1);{TOKEN}", "text/javascript"),
    "JSONP": Case(f"/**/done({TOKEN});", "text/javascript"),
    "JSON in a string": Case(json.dumps({"data": json.dumps({"in": TOKEN})})),
    "URL in a string": Case(json.dumps({"data": f"go to https://x.test/#access_token={SECRET}"})),
    "URL in a URL": Case(json.dumps({"data": f"/a?back=%2Fb%3Ftoken%3D{SECRET}"})),
    "URL as a name": Case(json.dumps({URL: 1})),
    "object": Case(json.dumps({"token": {"value": SECRET}})),
    "names of an object": Case(json.dumps({"tokens": {SECRET: True}})),
    "list": Case(json.dumps({"tokens": [SECRET]})),
    "number": Case(json.dumps({"token": NUMBER, "tokens": [NUMBER]})),
    "name and value": Case(json.dumps([{"name": "Authorization", "value": SECRET}])),
    "pair": Case(json.dumps([["Authorization", f"Bearer {SECRET}"]])),
    "same property twice": Case(f'{{"token": "{SECRET}", "token": "x"}}', "text/plain"),
    "escaped name": Case(f'{{"tok\\u0065n": "{SECRET}"}}'),
    "repeated parameter": Case(json.dumps([f"it is {SECRET}!"]), target=f"/a?token={SECRET}"),
    "repeated in the path": Case(target=f"/keys/{SECRET}?token={SECRET}"),
    "repeated key": Case(json.dumps([SECRET]), sent=f"Bearer {SECRET}"),
    "repeated password": Case(json.dumps([SECRET]), sent=f"Basic {BASIC}"),
    "XML": Case(f"<a><token>{SECRET}</token></a>", "text/xml"),
    "HTML": Case(f'<input name="csrf_token" value="{SECRET}">', "text/html"),
    "script": Case(f"window.config = {{ apiKey: '{SECRET}' }}", "text/javascript"),
    "settings": Case(f"[a]\npassword = {SECRET}\n", "text/plain"),
    "CSV": Case(f"name,token\nAnn,{SECRET}\n", "text/csv"),
    "sentence": Case(json.dumps({"message": f"your password is: {SECRET}"})),
    "headers in a text": Case(f"HTTP/1.1 200\r\nSet-Cookie: sid={SECRET}\r\n\r\n", "text/plain"),
    "JWT": Case(json.dumps([f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{SECRET}"])),
    "private key": Case(json.dumps([f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}"])),
    "JSON with a comment": Case(f'{{"token": "{SECRET}", // it\n}}'),
    "unfinished JSON": Case(f'{{"token": "{SECRET}"'),
    "deep JSON": Case("[" * 100 + TOKEN + "]" * 100),
    "very deep JSON": Case("[" * 1900 + TOKEN + "]" * 1900),
}
DROPPED = ("event of several lines", "XML", "script", "CSV", "unfinished JSON", "deep JSON")


def leaks(*texts: object) -> list[str]:
    everything = "\n".join(map(str, texts))
    return [word for word in (SECRET, str(NUMBER), BASIC) if word in everything]


@pytest.mark.parametrize("name", CASES)
def test_a_scenario_of_a_har_file_has_no_secrets(run: Run, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    row = entry("GET", case.target, 200, "")
    row["response"]["content"] |= {"text": case.body, "mimeType": case.kind}
    row["response"]["headers"] = [
        {"name": "content-type", "value": case.kind},
        {"name": "x-next", "value": case.header},
    ]
    row["request"]["headers"] = [{"name": "authorization", "value": case.sent}]
    file, out = har(tmp_path / "a.har", row), tmp_path / "a.yaml"
    status, lines, err = run("record", "a", "--har", file, "--base-url", BASE, "-o", out)

    assert (status, err) == (0, [])
    text = out.read_text("utf-8")
    assert leaks(text, *lines) == []
    assert name == "repeated in the path" or "[redacted]" in text
    if name in DROPPED:
        assert "a text that looks like a secret in a body (1)" in "\n".join(lines)


@pytest.mark.parametrize("name", CASES)
def test_stubs_and_scenarios_of_a_request_log_have_no_secrets(
    server: MockpetsServer, name: str
) -> None:
    case = CASES[name]
    headers = {"Content-Type": case.kind} | ({"X-Next": case.header} if case.header else {})
    path = f"/v1{case.target.partition('?')[0]}"
    reply: dict[str, Any] = {"status": 200, "text": case.body, "headers": headers}
    stub = {"match": {"method": "GET", "path": path}, "off_contract": True, "reply": reply}
    control = ControlClient(server.url, "secrets")
    control.make_session("secrets", scenario=[{"description": "d", "stubs": [stub]}])
    control.reset()
    sent = {"X-Api-Token": case.sent} if case.sent else {}
    response = Client(OverSocket(server.url))("GET", f"/~secrets/v1{case.target}", headers=sent)
    assert response.text == case.body
    control.use("default")
    one, all_of_them = control.stub(1), control.recording()

    assert leaks(one, all_of_them) == []
    if name != "repeated in the path":
        assert "[redacted]" in one["yaml"]
        assert one["notes"][0].startswith("dropped secrets: ")
        assert any(note.startswith("dropped secrets: ") for note in all_of_them["notes"])


def test_what_is_not_secret_is_recorded(run: Run, tmp_path: Path) -> None:
    body = {
        "author": "Ann",
        "code": "a",
        "token_type": "Bearer",
        "has_token": True,
        "password": None,
        "message": "invalid token: expired",
        "link": "https://x.test/?page=2",
        "url": "/auth/login",
    }
    file, out = har(tmp_path / "a.har", entry("GET", "/things", 401, body)), tmp_path / "a.yaml"
    run("record", "a", "--har", file, "--base-url", BASE, "-o", out)

    text = out.read_text("utf-8")
    assert "redacted" not in text
    assert [
        word for word in ("Ann", "Bearer", "expired", "page=2", "login") if word not in text
    ] == []


def test_a_replay_prints_no_secret_of_the_server(
    server: MockpetsServer, run: Run, tmp_path: Path
) -> None:
    body = {"token": {"value": SECRET}, "next": URL, "form": f"token={SECRET}", "n": 2}
    reply = {"status": 200, "body": body}
    stub = {"match": {"method": "GET", "path": "/v1/things"}, "off_contract": True, "reply": reply}
    control = ControlClient(server.url)
    control.use({"description": "d", "stubs": [stub]})
    recorded = {"token": {"value": "other"}, "next": "/a", "form": "a", "n": 1}
    file = har(tmp_path / "a.har", entry("GET", "/things", 200, recorded))
    status, out, _ = run("replay", file, "--base-url", BASE, "--url", server.url)
    control.use("default")

    assert status == 1
    assert leaks(*out) == []
    assert "body.next" in out[0]
