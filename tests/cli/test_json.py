"""`--json`: what programs read is what the control API sends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.commands import walk
from mockpets.cli.main import _commands
from mockpets.client import ControlClient
from tests.http_client import Client, OverSocket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Run = Callable[..., tuple[int, list[str], list[str]]]

WITHOUT = {
    *(
        "serve",
        "completion",
        "fixture",
        "openapi",
        "schema",
        "deploy",
        "skill",
        "link",
        "mcp",
    ),  # print a file
    *("new", "kit", "init", "session export", "session import"),  # write files
    *("reset", "pets set", "pets delete", "snapshot save", "snapshot restore", "snapshot delete"),
    *("held release", "gates open", "sessions drop"),  # change something
    *("pets", "snapshot", "held", "gates", "sessions", "session"),  # groups
}
READS: dict[str, Callable[[ControlClient], Any]] = {
    "use": lambda client: {"active": client.active()},
    "scenarios --url": lambda client: client.scenarios(),
    "pets list": lambda client: client.pets(),
    "data": lambda client: client.resources(),
    "held list": lambda client: client.held(),
    "gates list": lambda client: client.gates(),
    "snapshot list": lambda client: client.snapshots(),
    "stub 1": lambda client: client.stub(1),
    "why 1": lambda client: client.explain(1),
    "verify --operation listPets": lambda client: client.verify({"operation": "listPets"}),
}


@pytest.fixture(scope="module")
def client() -> Iterator[ControlClient]:
    with MockpetsServer(Settings(port=0, scenario=("empty",))) as server:
        Client(OverSocket(server.url))("GET", "/v1/pets")
        yield ControlClient(server.url)


def test_every_command_that_lists_or_reports_has_it() -> None:
    has = {path for path, command in walk(_commands) if _accepts(command, "--json")}

    assert {path for path, _ in walk(_commands)} - has == WITHOUT


def _accepts(command: Any, option: str) -> bool:
    return any(option in parameter.opts for parameter in command.params)


@pytest.mark.parametrize("words", READS)
def test_it_prints_the_response_of_the_control_api(
    words: str, client: ControlClient, run: Run
) -> None:
    arguments = words.removesuffix(" --url").split()
    status, out, err = run(*arguments, "--json", "--url", client.url)

    assert (status, err) == (0, [])
    assert json.loads("\n".join(out)) == READS[words](client)


def test_commands_without_a_server_print_it_too(client: ControlClient, run: Run) -> None:
    status, out, _ = run("health", "--json", "--url", client.url)
    assert (status, json.loads("\n".join(out))) == (0, {"status": "ok", "url": client.url})
    _, out, _ = run("scenarios", "--json")
    local = json.loads("\n".join(out))["scenarios"]
    shown = client.scenarios()["scenarios"]
    assert [row["name"] for row in local] == [row["name"] for row in shown]
    assert local[0] == {name: shown[0][name] for name in local[0]}  # type: ignore[literal-required]
    for command in ("report", "compare", "check"):
        status, _, err = run(command, "--json", "--format", "text", *_NEEDED.get(command, ()))
        assert status == 2
        assert "--json: cannot be combined with --format text" in err[0]


_NEEDED = {"compare": ("--against", "http://localhost:1/v1", "--key-env", "HOME")}
