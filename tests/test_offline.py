"""Nothing leaves the machine but what a person sends with a command."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from tests.cli.test_main import SECONDS, base_of
from tests.http_client import Client, OverSocket
from tests.report.traffic import document, series
from tests.routes import PANEL_FILES
from tests.test_imports import MODULES, imports_of, name_of

WATCHED = """
import sys

def report(event, arguments):
    # Python reports what a program does, also below the modules that it imports (PEP 578).
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg", "subprocess.Popen"):
        print("left the machine:", event, arguments[1:], file=sys.stderr)

sys.addaudithook(report)
from mockpets.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
PATHS = (
    "", "docs", "openapi.json", "control.openapi.json", "schema/scenario.json",
    f"{PANEL_FILES}/main.js", "client.js", "scenarios.d.ts",
)  # fmt: skip
CALLS = (
    "state", "scenarios", "requests.har", "metrics", "events", "data/pets", "sessions", "health",
    "findings",
)  # fmt: skip


def watched(*arguments: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WATCHED, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="ends the server by a signal")
def test_a_server_opens_no_connection(tmp_path: Path) -> None:
    words = ("serve", "--port", "0", "--log=quiet", "--state", "state", "--scenarios-dir", ".")
    with watched(*words, folder=tmp_path) as process:
        assert process.stdout is not None
        root = base_of(process.stdout.readline()).removesuffix("/v1")
        call = Client(OverSocket(root))
        for path in (*PATHS, *CALLS):
            assert call("GET", f"/__mockpets/{path}", key=None).status == 200
        delayed, failing = (
            {"description": "d", "stubs": [stub]}
            for stub in ({"delay": "1ms"}, {"reply": {"status": 503}})
        )
        for scenario in ("default", "crowded", delayed, failing):
            chosen = call("PUT", "/__mockpets/scenario", json_body={"scenario": scenario}, key=None)
            assert chosen.status == 200
            call("GET", "/v1/pets")
        call("PUT", "/__mockpets/data/pets", json_body=json.loads('{"count": 1000}'), key=None)
        call("POST", "/__mockpets/verify", json_body={"match": {}}, key=None)
        call("GET", "/v1/nothing")
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)

    assert process.returncode == 0
    assert "left the machine" not in err
    assert len(err.splitlines()) == 2, err  # that it has started and stopped


def test_an_opened_connection_would_be_noticed(tmp_path: Path) -> None:
    with watched("health", "--url", "http://127.0.0.1:9", folder=tmp_path) as process:
        _, err = process.communicate(timeout=SECONDS)

    assert "left the machine: socket.connect" in err


def test_only_known_modules_open_connections() -> None:
    clients = ("http.client", "urllib.request", "ftplib", "smtplib", "requests", "httpx")
    importing = {name_of(path) for path in MODULES if imports_of(path) & {*clients}}
    connecting = {
        name_of(path)
        for path in MODULES
        if "create_connection" in (text := path.read_text("utf-8")) or ".connect((" in text
    }

    assert importing == set()
    # The second only connects to this machine.
    assert connecting == {"mockpets.client.http_connection", "mockpets.server.sockets"}


@pytest.mark.slow
def test_replay_connects_only_to_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "mockpets")
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    (tmp_path / "a.har").write_text(json.dumps(document(series(0, 900))))
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",), control="off")) as server:
        port = int(server.url.rpartition(":")[2])
        words = ("replay", "a.har", "--url", f"{server.url}/v1", "--key-env", "KEY")
        with watched(*words, folder=tmp_path) as process:
            out, err = process.communicate(timeout=SECONDS)

    left = err.splitlines()
    assert "2 requests: 0 differences" in out
    assert len(left) == 3  # the first looks for the control API
    assert set(left) == {f"left the machine: socket.connect (('127.0.0.1', {port}),)"}
