"""The commands about processes behind HAProxy, without containers.

A program `docker` checks here what the real one would be asked for.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.deploy import render
from mockpets.client import ControlClient
from tests.docs.page import ROOT, blocks
from tests.http_client import Client, OverSocket
from tests.live.balancers import replaced
from tests.programs import need, run_within

PAGE = ROOT / "docs" / "operate" / "deploy-and-monitor.md"
TOKEN = "only-for-this-test"
START, MOVE, EACH = (
    block.text
    for block in blocks(PAGE)
    if (block.mark, block.argument) == ("not run", "see test_processes.py")
)
NAMES = ("worker-1", "worker-2", "worker-3")


@pytest.fixture
def servers() -> Iterator[list[MockpetsServer]]:
    settings = Settings(port=0, control_token=TOKEN, sessions="declared")
    with MockpetsServer(settings) as first, MockpetsServer(settings) as second:
        yield [first, second]


def run_shown(command: str, folder: Path, **variables: str) -> str:
    """Run commands of the page; return their output."""
    (folder / "docker").write_text('#!/bin/sh\ntest "$1" = compose && echo "$@"\n', "utf-8")
    (folder / "docker").chmod(0o755)
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    done = run_within(60, folder, "sh", "-ec", command, PATH=path, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.tool  # openssl
def test_the_files_are_written_and_started(tmp_path: Path) -> None:
    need("openssl")
    output = run_shown(START, tmp_path)

    written = {path.name for path in (tmp_path / "mock").iterdir()}
    assert written == {*render("compose", 4), ".env"}
    assert output.endswith("compose up --wait\n")


def test_the_number_of_processes_is_changed(tmp_path: Path) -> None:
    output = run_shown(MOVE, tmp_path)

    assert "processes 2" in (tmp_path / "haproxy.cfg").read_text("utf-8")
    assert output.endswith("compose restart haproxy\n")


@pytest.mark.slow
def test_the_commands_call_each_process(servers: list[MockpetsServer], tmp_path: Path) -> None:
    clients = [ControlClient(server.url, token=TOKEN) for server in servers]
    for number, name in enumerate(NAMES):
        clients[number % 2].make_session(name, data={"pets": 0})
        Client(OverSocket(servers[number % 2].url))("GET", f"/~{name}/v1/pets?limit={number + 7}")
    command = EACH
    for port, server in zip((7401, 7402), servers, strict=True):
        command = replaced(command, f"127.0.0.1:{port}", urlsplit(server.url).netloc)
    output = run_shown(command, tmp_path, MOCKPETS_CONTROL_TOKEN=TOKEN)

    assert all(f"\n{name} " in output for name in NAMES)
    assert output.count("/v1/pets?limit=9") == 1
    assert "3 requests" in output
    assert "reset sessions: 5\n" in output
