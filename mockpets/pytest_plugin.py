"""The pytest plugin: a mock server for a test run, and a session of its own for each test.

Its fixtures: `mockpets_settings`, `mockpets_server`, and `mockpets`, which is what tests use. With
``--mockpets-url`` (or ``mockpets_url`` in the configuration) tests use a server that runs already.

pytest loads this module in every run of whoever has mockpets installed, so it imports what is
heavy only when a fixture is used.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Unpack
from uuid import uuid4

import pytest

from mockpets.errors import MockpetsError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from mockpets.client import ControlClient
    from mockpets.contract.control_types import (
        Document,
        RequestFilters,
        RequestSummary,
        Times,
        VerifiedRequests,
    )
    from mockpets.contract.schemas import Pet
    from mockpets.settings import Settings

__all__ = ["Mockpets", "Server"]

_TOKEN_VARIABLE: Final = "MOCKPETS_CONTROL_TOKEN"  # noqa: S105 - its name
_REPORTED: Final = 20
"""Requests that the report of a failed test shows."""
_NAME_LENGTH: Final = 50
"""What of a test's name is in its session's, which may have 64 characters."""


@dataclass(frozen=True)
class Server:
    """A running server.

    :param key: what clients send as bearer token.
    :param control: calls the control API; of no test's session.
    """

    key: str
    control: ControlClient

    @property
    def url(self) -> str:
        """Its root, without a last slash."""
        return self.control.url


@dataclass(frozen=True)
class Mockpets:
    """The mock as one test has it: own pets, scenarios and journal.

    :param key: what clients send as bearer token.
    :param control: calls the control API for the test's session.
    """

    key: str
    control: ControlClient

    @property
    def url(self) -> str:
        """The base URL for a front end, with ``/v1``; its path names the session."""
        return self.control.base_url

    @property
    def headers(self) -> dict[str, str]:
        """What a request must have: the key."""
        return {"Authorization": f"Bearer {self.key}"}

    def use(self, *scenarios: str | Document) -> None:
        """Have these scenarios active; see `ControlClient.use`."""
        self.control.use(*scenarios)

    def reset(self) -> None:
        """Put everything but the active scenarios back to the start."""
        self.control.reset()

    def pets(self, status: str | None = None) -> list[Pet]:
        """Return the pets there are, or those of one status."""
        return self.control.pets(status)

    def requests(self, **filters: Unpack[RequestFilters]) -> list[RequestSummary]:
        """Return the requests there were; see `ControlClient.requests`."""
        return self.control.requests(**filters)

    def verify(self, match: Document, times: int | Times | None = None) -> VerifiedRequests:
        """Make sure that requests came; see `ControlClient.verify`."""
        __tracebackhide__ = True
        return self.control.verify(match, times)


_STASHED: Final = pytest.StashKey[Mockpets]()


# --- What pytest asks -------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the ini value that name a running server."""
    text = "Use the mockpets that runs there, in place of starting one for the run."
    parser.getgroup("mockpets").addoption("--mockpets-url", metavar="URL", help=text)
    parser.addini("mockpets_url", text, default="")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, pytest.TestReport]:
    """Add to the report of a failed test what its front end asked for."""
    report: pytest.TestReport = yield
    mockpets = item.stash.get(_STASHED, None)
    if report.failed and mockpets is not None:
        report.sections.append(("mockpets requests", _journal(mockpets)))
    return report


def _journal(mockpets: Mockpets) -> str:
    """Return the requests of a test, a line each; a server that is gone is told too."""
    from mockpets.client.request_line import request_line

    try:
        journal = mockpets.control.journal(limit=_REPORTED)
    except MockpetsError as error:
        return str(error)
    lines = [request_line(summary) for summary in journal["requests"]]
    if left_out := journal["total"] - len(lines):
        lines.insert(0, f"({left_out} earlier ones left out)")
    return "\n".join(lines) or f"none came to {mockpets.url}"


# --- Fixtures ---------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def mockpets_settings() -> Settings:
    """Return the settings of the server that the run starts; override this to change them."""
    from mockpets.settings import Settings

    return Settings(port=0)


@pytest.fixture(scope="session")
def mockpets_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Run a server, one for each worker of pytest-xdist; or use the one that was named."""
    from mockpets.client import ControlClient

    url = request.config.getoption("--mockpets-url") or request.config.getini("mockpets_url")
    if url:
        control = ControlClient(url, token=os.environ.get(_TOKEN_VARIABLE))
        yield Server(control.state()["settings"]["key"], control)
        return

    from mockpets.server import MockpetsServer

    settings: Settings = request.getfixturevalue("mockpets_settings")
    with MockpetsServer(settings) as server:
        url = server.url + settings.prefix
        control = ControlClient(url, token=settings.control_token)
        yield Server(settings.api_key[0], control)


@pytest.fixture
def mockpets(request: pytest.FixtureRequest, mockpets_server: Server) -> Iterator[Mockpets]:
    """Make a session for this test, named after it; it starts as the server does."""
    from mockpets.client import ControlError

    readable = re.sub("[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:_NAME_LENGTH]
    # Other workers and runs may use the same server.
    name = f"{readable}-{uuid4().hex[:12]}".lstrip("-")
    mockpets_server.control.make_session(name)
    mockpets = Mockpets(mockpets_server.key, mockpets_server.control.session(name))
    request.node.stash[_STASHED] = mockpets
    yield mockpets
    del request.node.stash[_STASHED]
    try:
        mockpets_server.control.drop_session(name)
    except ControlError as error:
        if error.code != "not_found":  # else the test dropped it
            raise
