"""The contract holds through HAProxy with the `haproxy.cfg` of `mockpets deploy`."""

import logging
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.telemetry.access_log import ACCESS, Access
from tests.http_client import Client, OverSocket
from tests.live import balancers
from tests.live.contract import check_contract

pytestmark = pytest.mark.tool


def test_the_contract_holds_through_haproxy() -> None:
    with (
        MockpetsServer(Settings(port=0)) as server,
        balancers.haproxy([urlsplit(server.url).port or 0]) as url,
    ):
        check_contract(Client(OverSocket(url)))


def test_the_log_has_the_address_that_haproxy_sees(caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings(port=0, behind_proxy=("127.0.0.1",))
    with (
        caplog.at_level(logging.INFO, ACCESS),
        MockpetsServer(settings) as server,
        balancers.haproxy([urlsplit(server.url).port or 0]) as url,
    ):
        Client(OverSocket(url))("GET", "/v1/pets", headers={"X-Forwarded-For": "203.0.113.9"})

    lines = [record.msg for record in caplog.records if isinstance(record.msg, Access)]
    assert [line.client for line in lines] == ["127.0.0.1"]
