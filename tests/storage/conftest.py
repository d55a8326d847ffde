"""The servers of a test end with it."""

from collections.abc import Iterator

import pytest

from tests.storage.servers import Server


@pytest.fixture(autouse=True)
def _end_servers() -> Iterator[None]:
    yield
    while Server.opened:
        Server.opened.pop().crash()
