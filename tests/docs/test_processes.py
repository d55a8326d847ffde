"""The commands of the page about the processes behind HAProxy, without containers.

A program `docker` runs here what the real one would run in a container.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.docs.page import ROOT, blocks
from tests.live import balancers
from tests.live.balancers import replaced
from tests.programs import need

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = ROOT / "docs" / "operate" / "scale.md"
TOKEN = "only-for-this-test"
FUNCTION, RELOAD, LOOP_OF_COMPOSE, LOOP_OF_SYSTEMD = (
    block.text for block in blocks(PAGE) if re.search("docker compose|--port", block.text)
)
ADDRESS = "127.0.0.1:7389"
"""Where HAProxy takes commands in Compose and Kubernetes."""
DOCKER = """\
#!/bin/sh -e
test "$1 $2 $3 $4 $5" = "compose -f compose.scale.yaml exec -T"
shift 5
case "$1" in
mock-*) export MOCKPETS_HOST=0.0.0.0 MOCKPETS_PORT=$(cat "$1") ;;
esac
shift
exec "$@"
"""
"""The port of each process is in a file with its name."""


@pytest.fixture
def servers() -> Iterator[list[MockpetsServer]]:
    settings = [Settings(port=0, control_token=TOKEN) for _ in range(4)]
    first, second, third, fourth = map(MockpetsServer, settings)
    with first, second, third, fourth:
        yield [first, second, third, fourth]


def ports(servers: list[MockpetsServer]) -> list[int]:
    return [urlsplit(server.url).port or 0 for server in servers]


def run(command: str, folder: Path) -> str:
    """Run a command of the page; return its output."""
    (folder / "docker").write_text(DOCKER, encoding="utf-8")
    (folder / "docker").chmod(0o755)
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "MOCKPETS_CONTROL_TOKEN": TOKEN}
    done = subprocess.run(
        ["sh", "-ec", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_reset(servers: list[MockpetsServer], loop: str, folder: Path) -> None:
    """Run a loop that resets all sessions; check that each process has its initial pets."""
    clients = [ControlClient(server.url, "worker", TOKEN) for server in servers]
    for client in clients:
        client.set_pets([])
    run(loop, folder)

    assert [len(client.pets()) for client in clients] == [Settings().count] * len(servers)


def test_the_loop_for_compose_reaches_each_process(
    servers: list[MockpetsServer], tmp_path: Path
) -> None:
    for number, port in enumerate(ports(servers), 1):
        (tmp_path / f"mock-{number}").write_text(f"{port}\n", encoding="utf-8")

    check_reset(servers, LOOP_OF_COMPOSE, tmp_path)


def test_the_loop_for_systemd_reaches_each_process(
    servers: list[MockpetsServer], tmp_path: Path
) -> None:
    pair = servers[:2]
    loop = replaced(LOOP_OF_SYSTEMD, "7401 7402", " ".join(map(str, ports(pair))))

    check_reset(pair, loop, tmp_path)


@pytest.mark.tool
def test_through_haproxy_only_one_process_is_reset(servers: list[MockpetsServer]) -> None:
    with balancers.haproxy(ports(servers)) as url:
        clients = [ControlClient(server.url, "worker", TOKEN) for server in servers]
        for client in clients:
            client.set_pets([])
        ControlClient(url, "none", TOKEN).reset_sessions()

    assert sorted(len(client.pets()) for client in clients) == [0, 0, 0, Settings().count]


@pytest.mark.tool
def test_the_commands_for_haproxy_are_accepted(
    servers: list[MockpetsServer], tmp_path: Path
) -> None:
    """The page names mock-5, which is disabled in advance, and mock-4."""
    need("bash")
    [port] = balancers.free_ports(1)
    address = f"127.0.0.1:{port}"
    function = replaced(FUNCTION, ADDRESS.replace(":", "/"), address.replace(":", "/"))
    shown = [part for part in PAGE.read_text("utf-8").split("`") if part.startswith('haproxy "')]
    states = 'haproxy "show servers state processes"'
    with balancers.haproxy([*ports(servers), *ports(servers[:1])], address) as url:
        ControlClient(url, "none", TOKEN).sessions()  # wait until HAProxy runs
        before = run(f"{function}\n{states}", tmp_path)
        outputs = [run(f"{function}\n{command}", tmp_path) for command in shown[:2]]
        after = run(f"{function}\n{states}", tmp_path)
        outputs.append(run(f"{function}\n{shown[2]}", tmp_path))
        again = run(f"{function}\n{states}", tmp_path)

    assert len(shown) == 3
    assert [output.strip() for output in outputs] == ["", "", ""]
    assert [admin_state(text, "mock-5") for text in (before, after)] == ["5", "4"]
    assert [admin_state(text, "mock-4") for text in (before, after, again)] == ["0", "8", "0"]


def admin_state(text: str, name: str) -> str:
    """Return `srv_admin_state` of a server: 5 is disabled, 4 is enabled later, 8 is drained."""
    names, *rows = (line.split() for line in text.splitlines() if " " in line)
    [row] = [row for row in rows if row[3] == name]
    return row[names.index("srv_admin_state") - 1]
