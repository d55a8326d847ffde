"""The servers of a test end with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.storage.servers import Server

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _end_servers() -> Iterator[None]:
    yield
    while Server.opened:
        Server.opened.pop().crash()
