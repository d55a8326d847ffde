"""What the tests of commands share: an empty folder without settings, and a command's result."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.main import main
from mockpets.client import ControlClient
from tests.http_client import Client, OverSocket


@pytest.fixture(autouse=True)
def _in_an_empty_folder(here: Path) -> None:
    pass


@pytest.fixture(scope="module")
def two_pets() -> Iterator[MockpetsServer]:
    """A server that the tests of a module share, with two pets."""
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",), data=("pets=2",))) as server:
        yield server


@pytest.fixture
def client(two_pets: MockpetsServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ControlClient]:
    """Return a client of the server of the commands, and remove what a test leaves."""
    monkeypatch.setenv("MOCKPETS_URL", two_pets.url)
    client = ControlClient(two_pets.url)
    yield client
    client.use("default")
    client.reset()
    for session in client.sessions():
        if session["name"] != "default":
            client.drop_session(session["name"], "0s")


@pytest.fixture
def call(client: ControlClient) -> Client:
    return Client(OverSocket(client.url))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, list[str], list[str]]]:
    """Return a function that runs a command and returns its status and output lines."""

    def run_it(*arguments: object) -> tuple[int, list[str], list[str]]:
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out.splitlines(), err.splitlines()

    return run_it
