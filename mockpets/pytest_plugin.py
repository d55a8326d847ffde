"""The pytest plugin: one mock server for a test run, and an isolated session for each test.

Tests use the fixture `mockpets`; override `mockpets_settings` to configure the server. With
``--mockpets-url``, or ``mockpets_url`` in the configuration, tests use a running server instead.

pytest loads this module in every run, so slow imports happen only when a fixture is used.
"""

from __future__ import annotations

import os
import re
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Unpack
from uuid import uuid4

import pytest

from mockpets.constants import DEFAULT_SCENARIO
from mockpets.errors import MockpetsError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from mockpets.client import Clock, ControlClient, Gate
    from mockpets.client.client import Records
    from mockpets.client.transport import SessionLostError
    from mockpets.contract import control_types as types
    from mockpets.settings import Settings

__all__ = ["Mockpets", "Server"]

_TOKEN_VARIABLE: Final = "MOCKPETS_CONTROL_TOKEN"  # noqa: S105 - a name, not a token
_REPORTED: Final = 20
"""Maximum number of requests in the report of a failed test."""
_NAME_LENGTH: Final = 50
"""Maximum number of characters of a test's name in its session's name, which is limited to 64."""


@dataclass(frozen=True)
class Server:
    """A running server.

    :param key: the API key, which clients send as the bearer token.
    :param control: client of the control API, for the default session.
    :param is_own: whether it runs in this process, so that it cannot restart during a test.
    :param scenario: the scenarios that are active in a test which names none.
    """

    key: str
    control: ControlClient
    is_own: bool = False
    scenario: tuple[str, ...] = (DEFAULT_SCENARIO,)

    @property
    def url(self) -> str:
        """Return the root URL, without a final slash."""
        return self.control.url


@dataclass(frozen=True)
class Mockpets:
    """The session of one test, with its own records, scenarios and request log.

    :param key: the API key, which clients send as the bearer token.
    :param control: client of the control API, for this session.
    """

    key: str
    control: ControlClient

    @property
    def url(self) -> str:
        """Return the base URL of the first contract for your front end; it selects this session.

        For another contract, add its base path of `control.bases` to `control.root_url`.
        """
        return self.control.base_url

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that each request needs: Authorization with the API key."""
        return {"Authorization": f"Bearer {self.key}"}

    def use(self, *scenarios: str | types.Document) -> None:
        """Activate scenarios by name or as documents; see `ControlClient.use`."""
        self.control.use(*scenarios)

    def reset(self) -> None:
        """Reset the session; the active scenarios stay active."""
        self.control.reset()

    def data(self, name: str) -> Records:
        """Return the records of a collection, to read and change them."""
        return self.control.data(name)

    @property
    def pets(self) -> Records:
        """The pets: short for ``data("pets")``."""
        return self.control.data("pets")

    def log_in(
        self, user: Mapping[str, object] | None = None, contract: str | None = None
    ) -> types.LoggedIn:
        """Return headers and a token for the requests of a user; see `ControlClient.log_in`."""
        return self.control.log_in(user, contract)

    def requests(self, **filters: Unpack[types.RequestFilters]) -> list[types.RequestSummary]:
        """Return the recorded requests, filtered; see `ControlClient.requests`."""
        return self.control.requests(**filters)

    def verify(
        self,
        match: types.Document,
        times: int | types.Times | None = None,
        within: str | None = None,
    ) -> types.VerifiedRequests:
        """Assert that matching requests were received, or wait; see `ControlClient.verify`."""
        __tracebackhide__ = True
        return self.control.verify(match, times, within)

    def explain(self, number: int | None = None) -> types.Explanation:
        """Return why a request, by default the last one, got its response."""
        return self.control.explain(number)

    def explain_request(self, **request: Unpack[types.RequestToExplain]) -> types.Explanation:
        """Return what would respond to a request, by default with this mock's key, and why."""
        headers = dict(request.get("headers", {}))
        if "authorization" not in map(str.lower, headers):
            headers.update(self.headers)
        request["headers"] = headers
        return self.control.explain_request(**request)

    def gate(self, name: str) -> Gate:
        """Return a gate; wait for responses with `held(count, within)`, release with `open()`."""
        return self.control.gate(name)

    @property
    def clock(self) -> Clock:
        """Return the clock of the session, on which `Date` and the reference `now` depend."""
        return self.control.clock


_STASHED: Final = pytest.StashKey[Mockpets]()
_MAY_RESTART: Final = pytest.StashKey[bool]()


# --- Hooks ------------------------------------------------------------------------------------


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, so that ``--strict-markers`` accepts it."""
    text = "mockpets(*scenarios, seed=, data=, clock=): what the session of a test starts with."
    config.addinivalue_line("markers", text)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the URL of a running server, and the ini values."""
    text = "Use the mockpets server running at this URL instead of starting one."
    parser.getgroup("mockpets").addoption("--mockpets-url", metavar="URL", help=text)
    parser.addini("mockpets_url", text, default="")
    text = "Folders with your scenario files, for the server that the tests start."
    parser.addini("mockpets_scenarios_dir", text, type="paths", default=[])
    text = "Records of each session, for that server, such as pets=40 or orders=orders.json."
    parser.addini("mockpets_data", text, type="linelist", default=[])


def _running_server(config: pytest.Config) -> str:
    """Return the URL of the server that the tests use; empty if they start one."""
    url: str = config.getoption("--mockpets-url") or config.getini("mockpets_url")
    return url


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail a test whose session was lost, with this reason instead of its own failure."""
    __tracebackhide__ = True
    try:
        result = yield
    except (Exception, pytest.fail.Exception) as error:
        lost = _lost_session(item)
        if lost is not None and type(error) is not type(lost):
            raise lost from error
        raise
    # Without a restart, the fixture finds out when it deletes the session, in no additional call.
    if item.stash.get(_MAY_RESTART, False) and (lost := _lost_session(item)):
        raise lost
    return result


def _lost_session(item: pytest.Item) -> SessionLostError | None:
    """Return an error if the server has lost the session of a test, otherwise None."""
    mockpets = item.stash.get(_STASHED, None)
    if mockpets is None:
        return None
    from mockpets.client import SessionLostError

    try:
        mockpets.control.find_session(mockpets.control.name)
    except SessionLostError as error:
        return error.with_traceback(None)
    except MockpetsError:
        pass  # the test has deleted the session or stopped the server
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, pytest.TestReport]:
    """Add the recorded requests to the report of a failed test."""
    report: pytest.TestReport = yield
    mockpets = item.stash.get(_STASHED, None)
    if report.failed and mockpets is not None:
        report.sections.append(("mockpets requests", _request_log(mockpets)))
    return report


def _request_log(mockpets: Mockpets) -> str:
    """Return one line for each request of a test, or the error if the server cannot be reached."""
    from mockpets.client.request_line import request_line
    from mockpets.units import counted

    try:
        request_log = mockpets.control.request_log(limit=_REPORTED)
        unnamed = mockpets.control.state()["counts"]["unnamed"]
    except MockpetsError as error:
        return str(error)
    lines = [request_line(summary) for summary in request_log["requests"]]
    if omitted := request_log["total"] - len(lines):
        lines.insert(0, f"({omitted} earlier requests not shown)")
    if lines:
        return "\n".join(lines)
    none = "requests that name another session, or none, are not shown"
    urls = " or ".join(mockpets.control.root_url + base for base in mockpets.control.bases)
    none = f"no requests to {urls}; {none}"
    if unnamed:
        verb = "was" if unnamed == 1 else "were"
        none += f"\nmeanwhile, {counted(unnamed, 'request')} that named no session {verb} rejected"
    return none


# --- Fixtures ---------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def mockpets_settings(pytestconfig: pytest.Config) -> Settings:
    """Return the settings of the mock server; override this fixture to change them."""
    from mockpets.settings import Settings

    data = []
    for line in pytestconfig.getini("mockpets_data"):
        name, equals, source = line.partition("=")
        if not source.isdecimal():  # relative to the configuration, like the folders
            source = os.path.relpath(pytestconfig.rootpath / source)
        data.append(f"{name}{equals}{source}")
    folders = tuple(pytestconfig.getini("mockpets_scenarios_dir"))
    return Settings(port=0, scenarios_dir=folders, data=tuple(data))


@pytest.fixture(scope="session")
def mockpets_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Start one mock server for the run, or for an xdist worker, or use --mockpets-url."""
    from mockpets.client import ControlClient

    settings: Settings = request.getfixturevalue("mockpets_settings")
    if url := _running_server(request.config):
        control = ControlClient(url, token=os.environ.get(_TOKEN_VARIABLE))
        state = control.state()
        _warn_of_differences(control, state, settings)
        yield Server(state["settings"]["key"], control, scenario=settings.scenario)
        return

    from mockpets.server import MockpetsServer

    with MockpetsServer(settings) as server:
        url = server.url + settings.prefix
        control = ControlClient(url, token=settings.control_token)
        yield Server(settings.key, control, is_own=True, scenario=settings.scenario)


def _warn_of_differences(control: ControlClient, state: types.State, settings: Settings) -> None:
    """Warn if a running server differs from one with the settings of the tests."""
    from mockpets.scenario.folders import find
    from mockpets.scenario.library import fitting
    from mockpets.settings.named_contracts import contracts_of

    options, expected = state["settings"]["options"], settings.options()
    allowed = (*expected, "--sessions declared")  # which only rejects mistakes
    differences = [f"it has {option}" for option in options if option not in allowed]
    differences += [f"it lacks {option}" for option in expected if option not in options]
    known = {row["name"] for row in state["scenarios"]} | state["skipped"].keys()
    sources = fitting(find("scenarios", settings.scenarios_dir), contracts_of(settings))
    missing = sorted(sources.keys() - known)
    differences += [f"it lacks the scenario {name!r}" for name in missing]
    if differences:
        warnings.warn(
            f"the mockpets server at {control.url} is not as the tests would start it: "
            f"{', '.join(differences)}; restart it, or change the fixture mockpets_settings",
            stacklevel=1,
        )


@pytest.fixture
def mockpets(request: pytest.FixtureRequest, mockpets_server: Server) -> Iterator[Mockpets]:
    """Provide a mock server for this test, with its own records, scenarios and request log.

    Point your front end at `mockpets.url`, and activate scenarios with `mockpets.use("slow")`, or
    before the test with ``@pytest.mark.mockpets("slow")``. The report of a failed test lists the
    requests.
    """
    from mockpets.client import ControlError, SessionLostError

    readable = re.sub("[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:_NAME_LENGTH]
    # Other workers and runs may use the same server.
    name = f"{readable}-{uuid4().hex[:12]}".lstrip("-")
    control = mockpets_server.control
    contents: dict[str, Any] = {}
    if marker := request.node.get_closest_marker("mockpets"):  # the server validates it
        contents |= marker.kwargs
        if marker.args:
            contents["scenario"] = list(marker.args)
    contents.setdefault("scenario", list(mockpets_server.scenario))
    control.make_session(name, **contents)
    mockpets = Mockpets(mockpets_server.key, control.session(name))
    request.node.stash[_STASHED] = mockpets
    request.node.stash[_MAY_RESTART] = not mockpets_server.is_own
    yield mockpets
    del request.node.stash[_STASHED]
    try:
        control.drop_session(name, check_lost=True)
    except SessionLostError:
        if mockpets_server.is_own:  # else `pytest_runtest_call` has reported it
            raise
    except ControlError as error:
        if error.code != "not_found":
            raise
        if mockpets_server.is_own:
            with suppress(ControlError):  # the test itself has deleted its session
                control.find_session(name)
