"""The scenario that the report names for a hole fills exactly that hole."""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from mockpets.client import ControlClient
from mockpets.constants import OPERATIONS
from mockpets.journal.coverage import build, states_of
from mockpets.report.coverage import FILLED_BY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets import MockpetsServer
    from mockpets.constants import CoverageState, Operation

CELLS = [(operation, state) for operation in OPERATIONS for state in states_of(operation)]
HEADERS = {"Authorization": "Bearer mockpets", "Content-Type": "application/json"}
PET = json.dumps({"name": "Miso", "categoryId": 2})


@pytest.fixture
def client(server: MockpetsServer) -> Iterator[ControlClient]:
    """A client of a new session on a server that has counted nothing."""
    client = ControlClient(server.url, "cell")
    client.make_session("cell")
    client.clear_coverage()
    yield client
    client.drop_session("cell", "0s")


def holes(client: ControlClient) -> set[tuple[Operation, CoverageState]]:
    report = build(client.coverage()["rows"])
    return set(report.holes)


def send(client: ControlClient, operation: Operation, scenario: str, number: int) -> HTTPConnection:
    """Send an ordinary request, wait until it counts, and leave its response unread.

    :param number: how many requests there are with it.
    """
    client.use(scenario)
    method, path = OPERATIONS[operation]
    base = urlsplit(client.base_url)
    connection = HTTPConnection(base.netloc, timeout=20)
    target = base.path.removesuffix("/v1") + path.replace("{petId}", "3")
    connection.request(method, target, PET if method == "POST" else None, HEADERS)
    client.verify({"operation": operation}, number, within="20s")
    return connection


@pytest.mark.parametrize(("operation", "state"), CELLS, ids=lambda each: each.replace(" ", "-"))
def test_the_scenario_fills_exactly_that_hole(
    client: ControlClient, operation: Operation, state: CoverageState
) -> None:
    requests = 0
    if state != "success":  # a slow response is a success too
        requests += 1
        send(client, operation, "default", requests).close()
    before = holes(client)
    assert (operation, state) in before

    with closing(send(client, operation, FILLED_BY[state], requests + 1)):
        assert before - holes(client) == {(operation, state)}
