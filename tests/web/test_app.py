"""The app without our server, and what it changes in Flask."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import flask
import pytest
from werkzeug.test import EnvironBuilder

from mockpets import MockpetsServer, Settings, create_app
from mockpets.web.messages import Request
from tests.http_client import Client, InProcess, OverSocket
from tests.programs import run
from tests.server.raw_http import Wire, port_of


def test_a_test_client_gets_every_response_at_once(caplog: pytest.LogCaptureFixture) -> None:
    call = Client(InProcess(create_app(Settings())))
    scenarios = ("slow", "offline", "truncated")
    statuses = [call("GET", "/v1/pets", scenario=name).status for name in scenarios]

    message = "sending a response at once: only mockpets' own server can break it or make it wait"
    assert statuses == [200, 502, 200]
    assert caplog.messages == [message] * 2


FLASK = (sys.executable, "-m", "flask", "--app", "mockpets")


@pytest.mark.slow
def test_flask_routes_lists_the_contract_and_the_control_api(tmp_path: Path) -> None:
    done = run(tmp_path, *FLASK, "routes")

    assert done.returncode == 0, done.stderr
    for rule in ("/v1/pets", "/v1/pets/<petId>", "/__mockpets/state"):
        assert re.search(rf" {re.escape(rule)} *$", done.stdout, re.MULTILINE), rule


@pytest.mark.slow
def test_flask_run_serves_the_app_with_default_settings(tmp_path: Path) -> None:
    command = [*FLASK, "run", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            address = None
            while address is None:
                line = process.stderr.readline()
                assert line, "it ended"
                address = re.search(r"Running on (http://[\d.:]+)", line)
            call = Client(OverSocket(address[1]))
            made = call("POST", "/v1/pets", json_body={"name": "Rex", "categoryId": 1})
            pets = call("GET", "/v1/pets").json
        finally:
            process.kill()

    expected = Client(InProcess(create_app(Settings())))("GET", "/v1/pets").json
    assert made.status == 201
    assert pets == [*expected, made.json]


def test_our_server_makes_one_context_of_the_app_for_all_requests() -> None:
    pushed: list[object] = []

    def note(sender: object, **_: object) -> None:
        pushed.append(sender)

    with (
        flask.appcontext_pushed.connected_to(note),
        MockpetsServer(Settings(port=0)) as server,
        Wire(port_of(server.url)) as wire,
    ):
        statuses = [wire.get("/__mockpets/health").read().status for _ in range(3)]

    assert statuses == [200, 200, 200]
    assert len(pushed) == 1


@pytest.mark.parametrize(
    ("path", "root"), [("//v1//pets", ""), ("/v1/p%C3%A9ts", "/m%C3%B6ck/"), ("x", "/a//")]
)
def test_a_request_has_the_parts_that_werkzeug_makes(path: str, root: str) -> None:
    environ = EnvironBuilder(path, query_string="limit=5", method="POST").get_environ()
    environ["PATH_INFO"] = unquote(path, "latin-1")
    environ["SCRIPT_NAME"] = unquote(root, "latin-1")
    request, usual = Request(environ), flask.Request(environ)

    assert request.path.lstrip("/") == usual.path.lstrip("/")
    assert request.path.count("/") == max(path.count("/"), 1)
    for name in ("method", "root_path", "query_string", "remote_addr", "scheme", "server", "args"):
        assert getattr(request, name) == getattr(usual, name)
    assert dict(request.headers) == dict(usual.headers)
    assert not hasattr(request, "unknown")
