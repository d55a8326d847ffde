"""The contract holds through HAProxy with `deploy/haproxy.cfg`."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from tests.http_client import Client, OverSocket
from tests.live import balancers
from tests.web.test_contract import *  # noqa: F403 - its tests, through this module's `call`

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def plain() -> Iterator[OverSocket]:
    """Calls a mock behind HAProxy."""
    with (
        MockpetsServer(Settings(port=0)) as server,
        balancers.haproxy([urlsplit(server.url).port or 0]) as url,
    ):
        yield OverSocket(url)


@pytest.fixture
def call(plain: OverSocket) -> Client:
    """A caller through HAProxy, for the contract tests."""
    return Client(plain)
