"""What all tests share: servers, callers, markers and workers."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path

# pytester forgets the modules that a run inside this one imported. A library that was in use before
# would then exist twice, with exception classes that differ: so these are imported first.
import httpcore  # noqa: F401
import httpx  # noqa: F401
import hypothesis
import pytest
import requests  # noqa: F401

from mockpets import MockpetsServer, Settings, create_app
from mockpets.contract.contract_model import Contracts
from mockpets.contract.pet_store import BUILT_IN
from mockpets.scenario import library
from mockpets.scenario.folders import Source
from tests.case_names import name_of
from tests.http_client import Client, InProcess, OverSocket
from tests.server.raw_http import Clock, port_of

# jsonschema imports it for a format that no test checks, and it takes seconds in each worker.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # as if it were not installed

pytest_plugins = ["pytester", "tests.programs", "tests.browsers", "tests.built"]

# No deadline and no check of speed: a busy machine would fail a test that is right. The README's
# command uses `quick`, and `.ci/long` uses `long`.
for profile, examples in {"quick": 25, "thorough": 400, "long": 1500}.items():
    hypothesis.settings.register_profile(
        profile,
        deadline=None,
        max_examples=examples,
        database=None,  # the checkout may belong to another user
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )
hypothesis.settings.load_profile("quick")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs like this, and their children inherit it: Ctrl-C, which some
    # tests send to a program, would do nothing.
    signal.signal(signal.SIGINT, signal.default_int_handler)

CONTRACT_URL = os.environ.get("CONTRACT_URL")
"""A running server with the default settings, to be checked against the contract as well."""
TRANSPORTS = ["inside", "socket", *(["url"] if CONTRACT_URL else [])]


@pytest.fixture(scope="module", params=TRANSPORTS)
def call(request: pytest.FixtureRequest) -> Iterator[Client]:
    """A client of a server that a module shares: once inside this process, once over a socket."""
    if CONTRACT_URL and request.param == "url":
        yield Client(OverSocket(CONTRACT_URL))
        return
    if request.param == "inside":
        yield Client(InProcess(create_app(Settings())))
        return
    with MockpetsServer(Settings(port=0)) as server:
        yield Client(OverSocket(server.url))


@pytest.fixture(scope="module")
def server() -> Iterator[MockpetsServer]:
    """A server that the tests of a module share; some folders have one of their own."""
    with MockpetsServer(Settings(host=("127.0.0.1",), port=0)) as running:
        yield running


@pytest.fixture(scope="module")
def port(server: MockpetsServer) -> int:
    return port_of(server.url)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to an empty folder, and remove the developer's settings."""
    for name in os.environ:
        if name.startswith("MOCKPETS_") or name == "NO_COLOR":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def saves_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers of this process save changes at once, so that a test need not wait a second."""
    monkeypatch.setattr("mockpets.storage.saver.SAVE_SECONDS", 0.05)


@pytest.fixture
def fresh() -> Callable[..., Client]:
    """Create a client of a new server with these settings."""

    def make(**settings: object) -> Client:
        return Client(InProcess(create_app(Settings(**settings))))  # type: ignore[arg-type]  # a test's own settings

    return make


@pytest.fixture(scope="session", autouse=True)
def _read_shipped_scenarios_once() -> Iterator[None]:
    """Keep the shipped scenarios: hundreds of tests create an app, and reading is most of that."""
    read = library.read_library
    shipped = library.load_library((), ())

    def read_library(
        sources: Mapping[str, Source],
        fixtures: Mapping[str, Source],
        before: library.Library | None = None,
        contracts: Contracts = BUILT_IN,
    ) -> library.Library:
        is_shipped = (sources, fixtures, contracts) == (shipped.sources, shipped.fixtures, BUILT_IN)
        if before is None and is_shipped:
            return shipped
        return read(sources, fixtures, before, contracts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library, "read_library", read_library)
        yield


# --- Which tests run, and where -----------------------------------------------------------------


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Use no workers for one file or for tests named with `::`: they share their servers anyway.

    Without workers, prints and `-s` work as usual.
    """
    is_named = any("::" in argument for argument in config.args)
    return 0 if is_named or (len(config.args) == 1 and config.args[0].endswith(".py")) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without garbage collection, which takes a third of the time on a new clone.

    What is loaded stays exempt, because some tests start a garbage collection hundreds of times.
    Later collections are rarer than by default, when they take a sixth of the time of the tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000)
        gc.enable()


def pytest_make_parametrize_id(val: object) -> str:
    """Name the cases of a test by their values."""
    return name_of(val)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a browser, and leave out those in the file ``TESTS_PASSED``.

    `.ci/run` runs some tests before it installs what others need.
    """
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("browser")
    if file := os.environ.get("TESTS_PASSED"):
        passed = {*Path(file).read_text("utf-8").splitlines()}
        items[:] = [item for item in items if item.nodeid not in passed]
