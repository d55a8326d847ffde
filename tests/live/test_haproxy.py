"""The contract holds through HAProxy with `deploy/haproxy.cfg`."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from tests.http_client import Client, OverSocket
from tests.live import balancers
from tests.live.contract import check_contract


@pytest.mark.tool
def test_the_contract_holds_through_haproxy() -> None:
    with (
        MockpetsServer(Settings(port=0)) as server,
        balancers.haproxy([urlsplit(server.url).port or 0]) as url,
    ):
        check_contract(Client(OverSocket(url)))
