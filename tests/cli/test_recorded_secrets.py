"""No stub and no recorded scenario has a secret of a request or a response.

Each case goes through `record --har`, and through `record` and `stub` of a request log.
"""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.cli.test_replay import BASE, entry, har
from tests.http_client import Client, OverSocket

Run = Callable[..., tuple[int, list[str], list[str]]]

SECRET = "Zq7-s3cr3t.of-this_test9"
NUMBER = 987654321098
TOKEN = json.dumps({"token": SECRET})
URL = f"https://x.test/?access_token={SECRET}"
BASIC = b64encode(f"ann:{SECRET}".encode()).decode()
WRAPPED = urlsafe_b64encode(f"\u00ff\u00ff?~{SECRET}>>".encode()).decode()
ENCODED = b64encode(SECRET.encode()).decode()
RANDOM = "mX2vQ9c-Lr7Tz0pWk4Yd8sJf3hGn6bAe1uCi5oRq_Vt"
DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


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
    "path, behind a name": Case(target=f"/reset/{SECRET}"),
    "path, two segments behind a name": Case(target=f"/password-reset/MQ/{SECRET}/form"),
    "path, JWT": Case(target=f"/files/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{SECRET}"),
    "path, random": Case(target=f"/files/{RANDOM}"),
    "path, random and in a body": Case(json.dumps([f"it is {RANDOM}!"]), target=f"/x/{RANDOM}"),
    "path, hex": Case(target=f"/files/{DIGEST}"),
    "path, in a body": Case(json.dumps({"at": f"https://x.test/confirm/{SECRET}?a=1"})),
    "path, in a header": Case(header=f"/invitations/{SECRET}"),
    "path, base64": Case(target=f"/things/{WRAPPED}?token={SECRET}"),
    "base64": Case(json.dumps([ENCODED, f"x{ENCODED}"]), target=f"/a?token={SECRET}"),
    "base64 of a user": Case(json.dumps({"password": SECRET, "header": f"Basic {BASIC}"})),
    "base64 of more": Case(json.dumps({"password": SECRET, "data": f"{WRAPPED} {WRAPPED}"})),
    "base64, without a hint": Case(json.dumps([WRAPPED]), sent=f"Bearer {SECRET}"),
    "escaped slash": Case(rf'["a\/{SECRET}"]', sent=f"Bearer a/{SECRET}"),
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
    words = (SECRET, str(NUMBER), BASIC, BASIC[7:-3], WRAPPED[9:-5], ENCODED[:-3], RANDOM, DIGEST)
    return [word for word in words if word in everything]


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
    if name == "repeated in the path" or case.target.count("/") > 1:
        assert "a segment of a path (1)" in "\n".join(lines)
    else:
        assert "[redacted]" in text
    if "base64" in name:
        assert "a repeated secret" in "\n".join(lines) or "path" in name
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
    if case.target.count("/") == 1 or case.body != "{}":
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
        "image": "https://reset.test/images/a1b2c3d4e5f6.png",
    }
    file, out = har(tmp_path / "a.har", entry("GET", "/things", 401, body)), tmp_path / "a.yaml"
    run("record", "a", "--har", file, "--base-url", BASE, "-o", out)

    text = out.read_text("utf-8")
    assert "redacted" not in text
    assert [
        word
        for word in ("Ann", "Bearer", "expired", "page=2", "login", "a1b2c3d4e5f6")
        if word not in text
    ] == []


@pytest.mark.parametrize("path", [
    "/things/fd1a7a8e-3c8e-4a0e-9b5a-3f3d9a1c0b55",
    "/reset/fd1a7a8e-3c8e-4a0e-9b5a-3f3d9a1c0b55",
    "/tokens/8841234567890123",
    "/presets/a1b2c3d4e5f6",
    "/things/fd1a7a8e3c8e4a0e9b5a3f3d9a1c0b55",
    "/commits/da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "/things/65f0c0ffee0123456789abcd,65f0c0ffee0123456789abce",
    "/things/01HV6Z8Q4T9X2M7K3N5P0R1S6W",
    "/subscriptions/sub_sched_1Mr3YcLkdIwHu7ixYCFhXHNb",
    "/products/Z2lkOi8vc2hvcGlmeS9Qcm9kdWN0LzEyMzQ1Njc4OTA=",
    "/posts/top-10-mock-servers-in-2024-for-react-19-and-vue-3",
    "/getPetStatusHistoryByIdentifierV2Beta",
    "/reports/2026-11-23T10:00:00.000000+00:00",
    "/verify/email-address-2",
    "/invitations/INV-2024-001",
    "/confirm/password-change-form",
])  # fmt: skip
def test_ids_and_words_in_a_path_are_not_secrets(run: Run, tmp_path: Path, path: str) -> None:
    body = {"next": f"https://x.test{path}/more"}
    file, out = har(tmp_path / "a.har", entry("GET", path, 200, body)), tmp_path / "a.yaml"
    status, lines, err = run("record", "a", "--har", file, "--base-url", BASE, "-o", out)

    assert (status, err) == (0, [])
    assert "a segment of a path" not in "\n".join(lines)
    assert f"https://x.test{path}/more" in out.read_text("utf-8")


def test_the_id_of_a_record_in_a_response_is_not_a_secret(run: Run, tmp_path: Path) -> None:
    rows = [{"id": RANDOM, "n": 1}, {"_id": SECRET, "n": 2}]
    file = har(
        tmp_path / "a.har",
        entry("GET", "/invitations", 200, rows),
        entry("GET", f"/invitations/{RANDOM}", 200, rows[0]),
        entry("GET", f"/invitations/{SECRET}", 200, rows[1]),
    )
    out = tmp_path / "a.yaml"
    _, lines, _ = run("record", "a", "--har", file, "--base-url", BASE, "-o", out)

    assert "a segment of a path" not in "\n".join(lines)
    assert all(word in out.read_text("utf-8") for word in (RANDOM, SECRET))


def test_a_recording_of_a_secret_path_responds_to_the_path(run: Run, tmp_path: Path) -> None:
    rows = [
        entry("GET", f"/reset%2F{SECRET}/form", 200, {"n": 1}),
        entry("POST", f"/reset/{SECRET}", 200, {"n": 2}, {"a": 1}),
        entry("GET", f"/files/x-{SECRET}", 200, {"token": SECRET}),
    ]
    file, out = har(tmp_path / "a.har", *rows), tmp_path / "a.yaml"
    _, lines, _ = run("record", "a", "--har", file, "--base-url", BASE, "-o", out)
    assert leaks(out.read_text("utf-8"), *lines) == []
    assert "a segment of a path (3)" in "\n".join(lines)
    settings = Settings(port=0, scenarios_dir=(tmp_path,), scenario=("a",))
    with MockpetsServer(settings) as server:
        words = ("replay", file, "--base-url", BASE, "--url", server.url)
        assert run(*words)[1] == ["3 requests: 0 differences"]
        call = Client(OverSocket(server.url))
        assert call("POST", f"/v1/reset/{SECRET[::-1]}", json_body={"a": 1}).json == {"n": 2}


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
