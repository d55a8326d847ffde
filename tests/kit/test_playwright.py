"""kit/playwright.js gives each Playwright test its own session."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.kit.project import run_playwright, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.browser


def spec(name: str) -> dict[str, str]:
    """Return one of our specs, as a file of a project."""
    path = Path(__file__).with_name("specs") / f"{name}.spec.ts"
    return {f"tests/{path.name}": path.read_text(encoding="utf-8")}


class Echo(BaseHTTPRequestHandler):
    """A page, its service worker, and at /echo the headers of the request, for all origins."""

    worker = """
        self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
        self.addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));
    """

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        kind, content = {
            "/echo": ("application/json", json.dumps(headers)),
            "/worker.js": ("text/javascript", self.worker),
        }.get(self.path, ("text/html", "<!doctype html><title>App</title>"))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[MockpetsServer]:
    """Like the one that `webServer()` starts."""
    with MockpetsServer(Settings(port=0, sessions="declared")) as running:
        yield running


def test_each_test_has_its_own_session(server: MockpetsServer, tmp_path: Path) -> None:
    with serving(Echo) as app, serving(Echo) as third:
        outcomes = run_playwright(
            tmp_path, spec("sessions"), MOCKPETS_URL=server.url, APP_URL=app, THIRD_URL=third
        )

    assert {title: each for title, each in outcomes.items() if each.status != "passed"} == {}
    assert len(outcomes) == 20
    sessions = ControlClient(server.url).sessions()
    assert [session["name"] for session in sessions] == ["default"]  # the others are deleted


def test_failed_tests_show_why(server: MockpetsServer, tmp_path: Path) -> None:
    outcomes = run_playwright(tmp_path, spec("failing"), MOCKPETS_URL=server.url)
    errors = {title: "\n".join(each.errors) for title, each in outcomes.items()}

    assert {each.status for each in outcomes.values()} == {"failed"}
    for title, message in {
        "a verification": 'query.limit: expected "4", got "3"',
        "a negated verification": "unexpected requests: 1\n   1  ",
        "an invalid match": "unknown key 'opration'; did you mean 'operation'",
        "something else than the fixture": "toHaveReceived expects the fixture 'mock'",
        "an unknown scenario": "unknown scenario 'emtpy'; did you mean 'empty'?",
        "an unknown carrier": "carrier must be 'route', 'header' or 'key', got 'cookie'",
        "a port in the options of the server": "name the port in 'url' or MOCKPETS_URL",
        "a server that is not there": "cannot connect to http://localhost:1 ",
    }.items():
        assert message in errors[title], title
        assert "at mockpets/" not in errors[title], title
        if errors[title].startswith("MockpetsError"):  # shown at the line of the test
            assert "playwright.js" not in (outcomes[title].location or "")
    requests = outcomes["a verification"].attachments["mockpets requests"]
    assert re.fullmatch(
        r"   1  [0-9:.]{12}  GET    /v1/pets\?limit=3 +401  [0-9.]+ ms  -  the API key is invalid",
        requests,
    )
    har = json.loads(outcomes["a verification"].attachments["mockpets.har"])
    assert [entry["response"]["status"] for entry in har["log"]["entries"]] == [401]
    assert "secret" not in json.dumps(har)
    assert "no requests to " in outcomes["an assertion"].attachments["mockpets requests"]
    assert outcomes["an assertion without requests"].attachments == {}


class Killable:
    """A server in a process of its own, which can be killed and started again at its address."""

    def __init__(self, sessions: str) -> None:
        self._sessions = sessions
        self._process = self._start(0)
        self.url = self._first_url()

    def _start(self, port: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "mockpets", "serve", "--quiet", "--port", str(port)]
        return subprocess.Popen(
            [*command, "--sessions", self._sessions], stdout=subprocess.PIPE, text=True
        )

    def _first_url(self) -> str:
        assert self._process.stdout is not None
        match = re.search(r"(http://\S+)/v1", self._process.stdout.readline())
        assert match is not None
        return match[1]

    def restart(self) -> None:
        """Kill the server and start it again; returns when it responds."""
        self.kill()
        self._process = self._start(urlsplit(self.url).port or 0)
        assert self._first_url() == self.url

    def kill(self) -> None:
        with self._process:
            self._process.kill()


@pytest.mark.parametrize("sessions", ["declared", "implicit"])
def test_when_the_server_is_killed_every_affected_test_fails_with_the_reason(
    sessions: str, tmp_path: Path
) -> None:
    server = Killable(sessions)
    barrier = Barrier(4, action=server.restart, timeout=120)

    class Restart(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            barrier.wait()
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    try:
        with serving(Restart) as url:
            outcomes = run_playwright(
                tmp_path, spec("restart"), MOCKPETS_URL=server.url, BARRIER_URL=url
            )
    finally:
        barrier.abort()
        server.kill()

    assert outcomes.pop("starts later").status == "passed"
    assert len(outcomes) == 4
    for title, outcome in outcomes.items():
        assert outcome.status == "failed", title
        name = title.replace(" ", "-")
        lost = f"session {name}-[a-z0-9]+ was lost: the server was restarted"
        assert re.search(lost, outcome.errors[0]), title
