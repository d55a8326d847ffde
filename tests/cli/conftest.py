"""What the tests of commands share: an empty folder without settings, and a command's result."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.main import main
from mockpets.client import ControlClient
from tests.cli.audit_results import APP, PACKAGE, PLAYWRIGHT, WRITE, Run
from tests.http_client import Client, OverSocket
from tests.programs import need


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


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that lets the command run a script in place of the JavaScript part."""
    need("node")
    path = tmp_path / "main.mjs"
    monkeypatch.setattr("mockpets.cli.audit.SCRIPT", path)

    def use(body: str) -> None:
        path.write_text(WRITE + body, encoding="utf-8")

    return use


@pytest.fixture
def audited(run: Run, script: Callable[[str], None]) -> Run:
    """Return a function that runs the command with an audit of this result."""

    def run_it(value: object, *arguments: object) -> tuple[int, list[str], list[str]]:
        script(f"write({json.dumps(json.dumps(value))});")
        return run("audit", APP, *arguments)

    return run_it


@pytest.fixture
def playwright() -> None:
    """Write the program that takes the place of Playwright."""
    PACKAGE.mkdir(parents=True)
    (PACKAGE / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (PACKAGE / "cli.js").write_text(PLAYWRIGHT, encoding="utf-8")
