"""Why the page about scaling warns of plain load balancers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient, SessionLostError
from tests.http_client import Client, OverSocket
from tests.live.balancers import nginx_site

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.tool

SITE = """
upstream mocks { server FIRST; server SECOND; }
server { listen 7387; location / { proxy_pass http://mocks; } }
"""


@pytest.fixture
def urls() -> Iterator[list[str]]:
    """The URLs of two servers, and of a plain balancer in front of them."""
    # Behind nginx, every client has the address of this machine, and `mocks` is the Host.
    settings = Settings(port=0, host=("127.0.0.1",), control_origin=("http://mocks",))
    with MockpetsServer(settings) as first, MockpetsServer(settings) as second:
        found = [server.url for server in (first, second)]
        site = SITE
        for name, url in zip(("FIRST", "SECOND"), found, strict=True):
            site = site.replace(name, url.removeprefix("http://"))
        with nginx_site(site, "listen 7387;") as balancer:
            yield [*found, balancer]


def test_a_plain_balancer_loses_sessions(urls: list[str]) -> None:
    client = ControlClient(urls[-1], "worker-1")
    client.use("empty")
    with pytest.raises(SessionLostError, match="session worker-1 was lost"):
        client.use("empty")


def test_a_plain_balancer_sends_a_broken_request_to_both(urls: list[str]) -> None:
    *servers, balancer = urls
    response = Client(OverSocket(balancer))("GET", "/v1/pets", scenario="offline")

    assert response.status == 502
    assert [len(ControlClient(url).requests()) for url in servers] == [1, 1]
