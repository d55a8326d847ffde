"""The load balancer that the page about scaling shows keeps a session on one server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient, SessionLostError
from tests.docs.page import ROOT
from tests.live.balancers import HOST, nginx_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

pytestmark = pytest.mark.tool

PAGE = ROOT / "docs" / "operate" / "scale.md"
SESSIONS = [f"worker-{number}" for number in range(24)]


def balancer(upstream: str, servers: Sequence[MockpetsServer]) -> AbstractContextManager[str]:
    """Run nginx with an `upstream` block for these servers; yields its URL."""
    for number, server in enumerate(servers, start=1):
        upstream = upstream.replace(f"mock-{number}:7387", server.url.removeprefix("http://"))
    upstream = upstream.replace("localhost", HOST)
    site = "server { listen 7387; location / { proxy_pass http://mocks; } }"
    return nginx_site(upstream + site, "listen 7387;")


@pytest.fixture
def servers() -> Iterator[list[MockpetsServer]]:
    # Behind nginx, every client has the address of this machine, and `mocks` is the Host.
    settings = Settings(port=0, control_origin=("http://mocks",))
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
