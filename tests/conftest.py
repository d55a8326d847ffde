"""Servers and callers that many tests share."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

# pytester forgets what a run inside this one has imported. Of a library that was in use by then
# there would be two copies, and an error of the one is none of the other: so these come first.
import httpcore  # noqa: F401
import httpx  # noqa: F401
import pytest
import requests  # noqa: F401

from mockpets import MockpetsServer, Settings, create_app
from tests.doors import Caller, Inside, Socket

pytest_plugins = ["pytester"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So a shell starts what it puts into the background, and what is started from there inherits
    # it: Ctrl-C, which some tests send to a program, would do nothing.
    signal.signal(signal.SIGINT, signal.default_int_handler)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


CONTRACT_URL = os.environ.get("CONTRACT_URL")
"""A server that someone else has started, with the defaults, to be held against the contract."""
DOORS = ["inside", "socket", *(["url"] if CONTRACT_URL else [])]


@pytest.fixture(scope="module", params=DOORS)
def call(request: pytest.FixtureRequest) -> Iterator[Caller]:
    """A caller of a server that a module shares: first in the process, then over a socket."""
    if CONTRACT_URL and request.param == "url":
        yield Caller(Socket(CONTRACT_URL))
        return
    if request.param == "inside":
        yield Caller(Inside(create_app(Settings())))
        return
    with MockpetsServer(Settings(port=0)) as server:
        yield Caller(Socket(server.url))


@pytest.fixture
def fresh() -> Callable[..., Caller]:
    """Make a caller of a server of its own, with these settings."""

    def make(**settings: object) -> Caller:
        return Caller(Inside(create_app(Settings(**settings))))  # type: ignore[arg-type]  # a test's own settings

    return make
