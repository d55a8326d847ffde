"""The load balancer that the page about the sidecar shows keeps a session on one server."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient, SessionLostError
from tests.docs.page import ROOT
from tests.live.balancers import NGINX_FRAME
from tests.live.test_nginx import PROXY
from tests.programs import need

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGE = ROOT / "docs" / "operate" / "sidecar.md"
SESSIONS = [f"worker-{number}" for number in range(24)]


@contextmanager
def balancer(upstream: str, servers: Sequence[MockpetsServer]) -> Iterator[str]:
    """Run nginx with an `upstream` block for these servers; yield its URL."""
    program = need("nginx")
    import pwd  # not available on Windows, where nginx is missing

    nobody = pwd.getpwnam("nobody")
    is_root = os.geteuid() == 0
    who: dict[str, Any] = {"user": nobody.pw_uid, "group": nobody.pw_gid} if is_root else {}
    for number, server in enumerate(servers, start=1):
        upstream = upstream.replace(f"mock-{number}:7387", server.url.removeprefix("http://"))
    upstream = upstream.replace("localhost", PROXY)
    with TemporaryDirectory() as name, socket.create_server((PROXY, 0)) as listening:
        port = listening.getsockname()[1]
        if is_root:
            os.chown(name, nobody.pw_uid, nobody.pw_gid)
        site = f"server {{ listen {PROXY}:{port}; location / {{ proxy_pass http://mocks; }} }}"
        (Path(name) / "site.conf").write_text(upstream + site, encoding="utf-8")
        (Path(name) / "nginx.conf").write_text(NGINX_FRAME, encoding="utf-8")
        with subprocess.Popen(
            [program, "-p", name, "-c", "nginx.conf", "-e", "stderr"],
            cwd=name,
            env={"NGINX": f"{listening.fileno()};"},
            pass_fds=[listening.fileno()],
            **who,
        ) as process:
            try:
                yield f"http://{PROXY}:{port}"
            finally:
                process.terminate()


@pytest.fixture
def servers() -> Iterator[list[MockpetsServer]]:
    # Behind nginx, every client has the address of this machine, and `mocks` is the Host.
    settings = Settings(port=0, allow_host=("mocks",))
    with MockpetsServer(settings) as first, MockpetsServer(settings) as second:
        yield [first, second]


def sessions_of(server: MockpetsServer) -> set[str]:
    return {session["name"] for session in ControlClient(server.url).sessions()} & set(SESSIONS)


def test_a_session_stays_on_one_server(servers: list[MockpetsServer]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    [upstream] = re.findall(r"^```nginx\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    with balancer(upstream, servers) as url:
        for name in SESSIONS:
            client = ControlClient(url, name)
            client.use("empty")
            client.set_pets([{"id": 1, "name": name, "categoryId": 2}])
            assert [pet["name"] for pet in client.pets()] == [name]
    first, second = map(sessions_of, servers)

    assert first | second == set(SESSIONS)
    assert not first & second
    assert first
    assert second


def test_a_plain_balancer_loses_sessions(servers: list[MockpetsServer]) -> None:
    upstream = "upstream mocks { server mock-1:7387; server mock-2:7387; }"
    with balancer(upstream, servers) as url:
        client = ControlClient(url, "worker-1")
        client.use("empty")
        with pytest.raises(SessionLostError, match="session worker-1 was lost"):
            client.use("empty")
