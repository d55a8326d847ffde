"""One session for each pytest test; LIVES is their number."""

from __future__ import annotations

import os
from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.pytest_plugin import Mockpets, Server

_USES = 5


@pytest.fixture(scope="session")
def front_end(mockpets_server: Server) -> Iterator[HTTPConnection]:
    """Return a connection for all tests, as a front end has."""
    connection = HTTPConnection(urlsplit(mockpets_server.url).netloc)
    yield connection
    connection.close()


@pytest.mark.mockpets("empty")
@pytest.mark.parametrize("_number", range(int(os.environ["LIVES"])))
def test_life(_number: int, mockpets: Mockpets, front_end: HTTPConnection) -> None:
    """Use the session as a front end, and verify its requests."""
    for _ in range(_USES):
        front_end.request("GET", urlsplit(f"{mockpets.url}/pets").path, headers=mockpets.headers)
        front_end.getresponse().read()
    mockpets.verify({"operation": "listPets"}, times=_USES)
