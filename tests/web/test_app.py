"""The app factory as other WSGI servers call it: without arguments."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import unquote

import flask
import pytest
from werkzeug.test import EnvironBuilder

from mockpets import MockpetsServer, Settings, create_app
from mockpets.errors import InputError
from mockpets.web.exchange import Request
from tests.cases import each
from tests.http_client import Client, InProcess, OverSocket
from tests.server.raw_http import Wire, port_of

if TYPE_CHECKING:
    from pathlib import Path


def test_flask_run_serves_the_app(tmp_path: Path) -> None:
    (tmp_path / "mockpets.toml").write_text('scenario = "empty"\n')
    command = [sys.executable, "-m", "flask", "--app", "mockpets", "run", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            address = None
            while address is None:
                line = process.stderr.readline()
                assert line, "it ended"
                address = re.search(r"Running on (http://[\d.:]+)", line)
            response = Client(OverSocket(address[1]))("GET", "/v1/pets")
        finally:
            process.kill()

    assert (response.status, response.json) == (200, [])


@pytest.mark.parametrize("command", ["run", "routes"])
def test_the_flask_command_prints_invalid_settings_without_a_traceback(
    tmp_path: Path, command: str
) -> None:
    (tmp_path / "mockpets.toml").write_text('seed = "x"\ncuont = 3\n')
    process = subprocess.run(
        [sys.executable, "-m", "flask", "--app", "mockpets", command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = process.stderr.splitlines()

    assert (process.returncode, process.stdout) == (1, "")
    assert all(line.startswith("mockpets: mockpets.toml") for line in lines), process.stderr
    assert len(lines) == 2


def test_without_arguments_the_settings_come_from_the_environment_and_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mockpets.toml").write_text(
        'pets = 3\nseed = 5\nstate = "x.state"\nmetrics-port = 0\n'
    )
    monkeypatch.setenv("MOCKPETS_PETS", "2")

    call = Client(InProcess(create_app()))

    assert len(call("GET", "/v1/pets").json) == 2
    assert call("GET", "/__mockpets/state").json["seed"] == 5
    assert caplog.messages == [
        f"the setting '{name}' is ignored: it needs 'mockpets serve' or MockpetsServer"
        for name in ("state", "metrics-port")
    ]


def test_without_arguments_a_generated_token_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOCKPETS_PUBLIC", "true")
    call = Client(InProcess(create_app()))
    [line] = caplog.messages
    token = line.removeprefix("control token: ")

    assert call("GET", "/__mockpets/state").status == 401
    assert call("GET", "/__mockpets/state", key=token).status == 200


def test_without_arguments_invalid_settings_are_all_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mockpets.toml").write_text("seed = -1\n")
    monkeypatch.setenv("MOCKPETS_SED", "5")
    with pytest.raises(InputError) as caught:
        create_app()

    assert [str(problem).partition(";")[0] for problem in caught.value.problems] == [
        "MOCKPETS_SED: unknown setting",
        "mockpets.toml:1:1: seed: must be an integer from 0 to 9223372036854775807, got '-1'",
    ]


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


@each("path, root", [("//v1//pets", ""), ("/v1/p%C3%A9ts", "/m%C3%B6ck/"), ("x", "/a//")])
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
