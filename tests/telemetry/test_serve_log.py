"""The access log of `serve`: one line for each request, without secrets."""

import json
import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPException
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.telemetry.access_log import configure
from mockpets.version import FULL_VERSION
from tests.cli.test_main import SECONDS, base_of, program, serving, wait_until
from tests.http_client import Client, OverSocket

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="ends the server by a signal"),
    pytest.mark.usefixtures("here"),
]

PET: Any = {"name": "Miso", "categoryId": 2}
NUMBER = r"[0-9]+(?:\.[0-9]+)?"


class Log:
    """Calls a server, and returns its log after stopping it."""

    def __init__(self, root: str, process: Any, banner: str) -> None:
        self.call = Client(OverSocket(root))
        self.address = urlsplit(root).hostname or "", urlsplit(root).port or 0
        self.banner = banner
        self._process = process

    def lines(self) -> list[str]:
        """Stop the server; return its log without the last line."""
        self._process.terminate()
        _, err = self._process.communicate(timeout=SECONDS)
        assert self._process.returncode == 0
        *lines, last = err.splitlines(keepends=True)
        assert "stopped" in last
        assert all(line.endswith("\n") for line in lines)
        return [line[:-1] for line in lines]

    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines()]

    def raw(self, head: str) -> bytes:
        """Send a request unchanged, and return everything until the connection ends."""
        with socket.create_connection(self.address, SECONDS) as connection:
            connection.sendall(head.encode("latin-1"))
            return b"".join(iter(lambda: connection.recv(65536), b""))


@contextmanager
def logging(*arguments: str, **options: Any) -> Iterator[Log]:
    with serving(*arguments, **options) as (process, banner):
        yield Log(base_of(banner).removesuffix("/v1"), process, banner)


class LogInside(Log):
    """Calls a server in this process, whose log has no last line."""

    def __init__(self, form: str, settings: Settings, running: ExitStack) -> None:
        self._running, self._stream = running, StringIO()
        running.enter_context(configure(form, self._stream))
        super().__init__(running.enter_context(MockpetsServer(settings)).url, None, "")

    def lines(self) -> list[str]:
        self._running.close()
        return self._stream.getvalue().splitlines()


@contextmanager
def logging_inside(form: str, **settings: Any) -> Iterator[Log]:
    """Run a server in this process with the log that `serve` configures."""
    with ExitStack() as running:
        yield LogInside(form, Settings(port=0, **settings), running)


def traffic(log: Log) -> None:
    """Send one request of each kind; the preflight is not logged."""
    call = log.call
    call("GET", "/v1/pets?limit=2")
    call("POST", "/~w3/v1/pets", json_body=PET)
    call("GET", "/v1/pets/1")
    call("GET", "/v1/pets?limit=0")
    call("GET", "/v1/pets", key=None)
    call("HEAD", "/v1/pets")
    call("DELETE", "/v1/pets/1")
    call("GET", "/v1/pets", headers={"Mockpets-Delay": "30ms"})
    call("GET", "/v1/pets", scenario="server-error")
    call("GET", "/v1/pets", scenario="emtpy")
    with pytest.raises((OSError, HTTPException)):
        call("GET", "/v1/pets", scenario="offline")
    call("OPTIONS", "/v1/pets", key=None)
    call("GET", "/nowhere")
    call("PUT", "/__mockpets/scenario", json_body={"scenario": "empty"})
    call("PUT", "/__mockpets/scenario", json_body={"scenario": "emtpy"})


def test_the_text_format_has_one_line_per_request() -> None:
    with logging() as log:
        traffic(log)
        lines = log.lines()

    assert all(re.match(r"[0-2]\d:[0-5]\d:[0-5]\d ", line) for line in lines)
    texts = [re.sub(rf"\({NUMBER} ms, {NUMBER} B", "(T", line[9:]) for line in lines]
    assert texts == [
        "200 GET /v1/pets?limit=2 (T)",
        "201 POST /~w3/v1/pets (T, session w3)",
        "200 GET /v1/pets/1 (T, deprecated)",
        "400 GET /v1/pets?limit=0 (T, invalid_request, limit_out_of_range, off_contract)",
        "401 GET /v1/pets (T, unauthorized, key_missing)",
        "200 HEAD /v1/pets (T)",
        "405 DELETE /v1/pets/1 (T, method_not_allowed, unmatched)",
        "200 GET /v1/pets (T, delay 30 ms)",
        "500 GET /v1/pets (T, scenario server-error, stub server-error/crash, off_contract)",
        "422 GET /v1/pets (T, unknown_scenario, off_contract)",
        "--- GET /v1/pets (T, scenario offline, stub offline/reset, connection_reset, "
        "off_contract)",
        "404 GET /nowhere (T, not_found, unmatched)",
        "200 PUT /__mockpets/scenario (T)",
        "422 PUT /__mockpets/scenario (T, unknown_scenario)",
    ]


@pytest.mark.slow
def test_the_json_format_has_one_object_per_line() -> None:
    with logging("--log", "json") as log:
        traffic(log)
        lines = log.objects()

    keys = {"time", "level", "logger", "session", "request", "method", "target", "status", "fault"}
    keys |= {"ms", "delay_ms", "bytes", "scenarios", "stubs", "notes", "code", "client"}
    assert {frozenset(line) for line in lines} == {frozenset(keys)}
    assert {line["logger"] for line in lines} == {"mockpets.access"}
    assert [line["status"] for line in lines[:5]] == [200, 201, 200, 400, 401]
    assert lines[1] | {"time": 0, "ms": 0, "client": 0} == {
        "time": 0, "client": 0, "level": "info", "logger": "mockpets.access", "session": "w3",
        "request": 1, "method": "POST", "target": "/~w3/v1/pets", "status": 201, "fault": None,
        "ms": 0, "delay_ms": 0, "bytes": len('{"id":17,"name":"Miso","categoryId":2}\n'),
        "scenarios": ["default"], "stubs": [], "notes": [], "code": None,
    }  # fmt: skip
    delayed, broken = lines[7], lines[10]
    assert (delayed["delay_ms"], delayed["status"]) == (30, 200)
    assert (broken["status"], broken["fault"]) == (None, "connection_reset")
    assert broken["stubs"] == ["offline/reset"]


@pytest.mark.slow
def test_quiet_omits_the_request_lines() -> None:
    with logging("--log", "quiet") as log:
        assert log.call("GET", "/v1/pets").status == 200
        assert log.raw("GET /v1/pets HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400")
        lines = log.lines()

    assert lines == []


HOSTILE = [
    "/v1/pets?x=%0A12:00:00%20200%20GET%20/forged",
    "/v1/%0d%0a%1b[2J%1b]0;title%07",
    "/v1/%e2%80%ae%e2%80%a8%c2%85",
    "/v1/pets?x=%ff%fe%00",
    '/v1/"quoted"\\back\\slash{}',
    "/v1/" + "a" * 12_000,
    "/~%0a+%1b/v1/pets",
    "//v1//pets",
    "http://localhost/v1/pets?x=%0a",
]


@pytest.mark.parametrize("form", ["text", "json"])
def test_hostile_targets_are_logged_as_one_printable_line(form: str) -> None:
    with logging_inside(form) as log:
        for number, target in enumerate(HOSTILE):
            head = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            response = log.raw(
                f"{head}X-Number: {number}\x1b\r\n\r\n" if not number else f"{head}\r\n"
            )
            assert response.startswith(b"HTTP/1.1 4")
        lines = log.lines()

    assert len(lines) == len(HOSTILE)
    assert all(line.isprintable() and line.isascii() for line in lines)
    assert all(len(line) < 2500 for line in lines)
    assert not any(line.startswith("12:00:00 200 GET /forged") for line in lines)
    if form == "json":
        assert json.loads(lines[0])["target"] == HOSTILE[0]


SECRET = "Zx81-open-sesame"


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_are_not_logged(form: str) -> None:
    token = f"token-{SECRET}"
    with logging_inside(form, api_key=(SECRET,), control_token=token) as log:
        call = log.call
        call("GET", "/v1/pets", key=SECRET)
        call("GET", "/v1/pets", key=f"{SECRET}~w3+slow", headers={"Mockpets-Delay": SECRET})
        call("GET", "/v1/pets", key=f"wrong-{SECRET}")
        call("GET", "/v1/pets", headers={"Cookie": f"s={SECRET}", "X-Api-Key": SECRET})
        for name in ("api_key", "apikey", "api-key", "token", "access_token", "client_secret"):
            call("GET", f"/v1/pets?{name}={SECRET}&x=1", key=SECRET)
            call("GET", f"/v1/pets?{name.upper()}={SECRET}&x=1", key=None)
        call("POST", "/v1/pets", key=SECRET, json_body=PET | {"name": SECRET})
        call("PUT", "/__mockpets/scenario", key=token, json_body={"scenario": "empty"})
        call("PUT", "/__mockpets/scenario", key=f"{token}-not", json_body={"scenario": "empty"})
        call("POST", f"/__mockpets/reset?token={token}", key=None)
        lines = log.lines()

    assert len(lines) == 4 + 12 + 1 + 3
    assert not [line for line in lines if "sesame" in line]
    assert sum("[redacted]" in line for line in lines) == 13


KEY = f"Authorization: Bearer {SECRET}\r\nCookie: a={SECRET}"
INVALID = {
    f"GET /v1/pets HTTP/1.1\nHost: a\n{KEY}\r\n\r\n": "GET /v1/pets",
    f"GET /v1/pets HTTP/1.1\rHost: a\r{KEY}\r\n\r\n": "GET /v1/pets",
    f"GET /v1/pets HTTP/1.1\r\r\n{KEY}\r\n\r\n": "GET /v1/pets",
    f"GET /v1/pets?a\n{KEY}\r\n\r\n": "- -",
    f"GET /v1/pets\r\n{KEY}\r\n\r\n": "- -",
    f"{KEY}\r\n\r\n": "- -",
    f"GET /{SECRET}#x HTTP/1.1\r\n\r\n": "- -",
    f"GET / {SECRET} HTTP/1.1\r\n\r\n": "- -",
    f"GET http://me:{SECRET}@localhost/ HTTP/1.1\r\n\r\n": "- -",
    f"GET http://me:{SECRET}/x@localhost/ HTTP/1.1\r\n\r\n": "- -",
    f"GET HTTP://{SECRET}@a@b/ HTTP/1.1\r\n\r\n": "- -",
    f"CONNECT {SECRET}@a:80 HTTP/1.1\r\n\r\n": "- -",
    f"GET /?token%3D{SECRET} HTTP/1.1\r\n\r\n": "GET /?token%3D[redacted]",
    f"GET /?a=1&jwt={SECRET} HTTP/1.1\r\nHost: b c\r\n\r\n": "GET /?a=1&jwt=[redacted]",
}


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_in_invalid_requests_are_not_logged(form: str) -> None:
    with logging_inside(form) as log:
        for request in INVALID:
            assert log.raw(request).startswith(b"HTTP/1.1 400 ")
        lines = log.lines()

    assert not [line for line in lines if "sesame" in line]
    if form == "text":
        assert [re.findall(r"400 (.*) \(", line) for line in lines] == [
            [shown] for shown in INVALID.values()
        ]


@pytest.mark.slow
def test_reads_of_the_control_api_are_not_logged() -> None:
    with logging() as log:
        for path in ("health", "ready", "state", "requests", "", "openapi.json", "metrics"):
            assert log.call("GET", f"/__mockpets/{path}", key=None).status == 200
        log.call("GET", "/v1/pets")
        [line] = log.lines()

    assert "GET /v1/pets " in line


@pytest.mark.slow
def test_the_log_starts_with_what_the_server_runs_with(tmp_path: Path) -> None:
    (tmp_path / "mockpets.toml").write_text("seed = 4\ncontrol-token = 'long-enough'\n", "utf-8")
    state = str(tmp_path / "state")
    words = ("--state", state, "--log", "json", "--scenario", "empty,slow")
    for restored in (0, 1):
        with program("serve", "--port", "0", *words) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            lines = [json.loads(process.stderr.readline()) for _ in range(2)]
            process.terminate()
            assert process.stdout.read() == ""
        warning, start = lines
        settings = start["settings"]

        assert "every user can read" in warning["message"]
        assert (start["event"], start["version"]) == ("start", FULL_VERSION)
        assert [re.sub(r"\d+", "N", url) for url in start["addresses"]] == ["http://localhost:N"]
        given = {"port", "state", "log", "seed", "control-token", "scenario"}
        assert settings.keys() == given
        assert "; scenario empty, slow (--scenario)" in start["message"]
        assert settings["seed"] == {"value": 4, "source": "mockpets.toml:1"}
        assert settings["control-token"]["value"] == "[redacted]"
        assert settings["state"] == {"value": state, "source": "--state"}
        assert start["restored"] == restored
        assert start["message"].startswith(f"started mockpets {FULL_VERSION} at http://localhost:")
        assert "long-enough" not in json.dumps(lines)


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--log-addresses",)])
def test_one_visitor_cannot_fill_the_log_of_a_public_server(more: tuple[str, ...]) -> None:
    words = ("--public", "--control", "off", "--visitor-rate", "1", "--log", "json")
    with logging(*words, *more) as log:
        statuses = [log.call("GET", "/v1/pets").status for _ in range(10)]
        assert log.raw("GET /v1/pets HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        lines = log.objects()

    assert 429 in statuses
    requests = [line for line in lines if "status" in line]
    assert [line["status"] for line in requests] == [each for each in statuses if each != 429]
    [limit] = [line["message"] for line in lines if "status" not in line]
    assert "--visitor-rate" in limit
    known = {"127.0.0.1", "::1"} if more else {None}
    assert {line["client"] for line in requests} <= known


def test_a_random_token_is_in_a_banner_that_a_file_gets_and_never_in_the_log(
    tmp_path: Path,
) -> None:
    file = tmp_path / "banner"
    words = ("--host", "0.0.0.0")  # noqa: S104 - as in a container
    with file.open("w") as out, serving(*words, stdout=out) as (process, _):
        assert wait_until(lambda: "Ctrl-C" in file.read_text("utf-8"))
        banner = file.read_text("utf-8")
        log = Log(base_of(banner).removesuffix("/v1"), process, banner)
        [token] = re.findall(r"^panel\s+\S+#token=(\S+)$", log.banner, re.MULTILINE)
        rejected = log.call("POST", "/__mockpets/reset", key=None)
        accepted = log.call("POST", "/__mockpets/reset", key=token)
        for key in (None, "wrong", token):  # reads are logged only if they are rejected
            log.call("GET", "/__mockpets/state", key=key)
        lines = log.lines()

    assert (rejected.status, accepted.status) == (401, 200)
    assert [line.split(" (")[0][9:] for line in lines] == [
        "401 POST /__mockpets/reset",
        "200 POST /__mockpets/reset",
        "401 GET /__mockpets/state",
        "401 GET /__mockpets/state",
    ]
    assert log.banner.count(token) == 2  # in the panel's URL, and on its own line
    assert len(token) >= 32
    assert not any(token in line for line in lines)


@pytest.mark.parametrize(("arguments", "opened"), [
    pytest.param(
        ["--host", "127.0.0.1"], r"http://127\.0\.0\.1:\d+/__mockpets/", marks=pytest.mark.slow
    ),
    (["--public", "--prefix", "/m"], r"http://localhost:\d+/m/__mockpets/#token=\S{32,}"),
    pytest.param(
        ["--control-token", "of-the-tests"],
        r"http://localhost:\d+/__mockpets/#token=of-the-tests",
        marks=pytest.mark.slow,
    ),
])  # fmt: skip
def test_open_opens_the_panel_in_a_browser(
    tmp_path: Path, arguments: list[str], opened: str
) -> None:
    seen = tmp_path / "seen"
    browser = f"sh -c 'echo \"$0\" >{seen}.part && mv {seen}.part {seen}' %s"
    with logging("--open", *arguments, env=os.environ | {"BROWSER": browser}):
        assert wait_until(seen.exists)

    assert re.fullmatch(opened, seen.read_text().strip())
