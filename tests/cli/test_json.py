"""What programs read: `--json`, which is what the control API sends, and exit statuses."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.commands import Group, walk
from mockpets.cli.main import _commands
from mockpets.client import ControlClient
from tests.http_client import Client, OverSocket

Run = Callable[..., tuple[int, list[str], list[str]]]

WITHOUT = {
    *("serve", "fixture", "openapi", "schema", "deploy", "skill", "link", "mcp"),  # print a file
    *("new", "kit", "init"),  # write files
    *(
        "reset",
        "held release",
        "gates open",
        "sessions drop",
        "sessions import",
    ),  # change something
    "sessions export",  # writes a file
    *("held", "gates", "sessions"),  # groups
}
READS = {
    "use": "scenarios", "scenarios --url": "scenarios", "data": "data",
    "pets": "data/pets", "data pets": "data/pets",
    "held list": "held", "gates list": "gates", "sessions list": "sessions",
    "stub 1": "requests/1/stub", "why 1": "requests/1/explain",
}  # fmt: skip
CLOSED = "http://127.0.0.1:1"
SENT = {
    "startedDateTime": "2026-07-28T12:00:00Z",
    "request": {"method": "GET", "url": "http://localhost:7387/v1/pets", "headers": []},
    "response": {"status": 200, "headers": [], "content": {}},
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


@pytest.mark.parametrize(("words", "path"), READS.items())
def test_it_prints_the_response_of_the_control_api(
    words: str, path: str, client: ControlClient, run: Run
) -> None:
    arguments = words.removesuffix(" --url").split()
    status, out, err = run(*arguments, "--json", "--url", client.url)
    shown, sent = json.loads("\n".join(out)), read(client, path)

    assert (status, err) == (0, [])
    assert shown == {name: sent[name] for name in shown}
    assert len(shown) > 0


def read(client: ControlClient, path: str) -> Any:
    """Return the response to a call, as any program gets it."""
    response = Client(OverSocket(client.url))("GET", f"/__mockpets/{path}", key=None).json
    for session in response.get("sessions", ()):
        session["idle_seconds"] = ANY
    return response


def test_requests_and_findings_have_the_shapes_of_the_control_api(
    client: ControlClient, run: Run
) -> None:
    _, lines, _ = run("requests", "--json", "--url", client.url)
    _, report, _ = run("report", "--json", "--url", client.url)

    assert [*map(json.loads, lines)] == read(client, "requests")["requests"]
    assert json.loads("\n".join(report)) == read(client, "findings")["report"]
    _, verified, _ = run("verify", "--operation=listPets", "--json", "--url", client.url)
    assert json.loads("\n".join(verified)) == client.verify({"operation": "listPets"})


def remote_commands() -> list[str]:
    """Return the commands for a running server, with what each needs."""
    needed = {
        **dict.fromkeys(("record", "gates open", "sessions drop"), "x"),
        **dict.fromkeys(("held release", "stub", "why"), "1"),
        **dict.fromkeys(("audit", "link"), "http://localhost:5173"),
        **dict.fromkeys(("sessions export", "sessions import"), "session.json"),
        "replay": "one.har --base-url http://localhost:7387/v1",
        "verify": "--operation listPets",
    }
    return [
        f"{path} {needed.get(path, '')}"
        for path, command in walk(_commands)
        if _accepts(command, "--url") and not isinstance(command, Group) and path != "mcp"
    ]


@pytest.mark.parametrize("words", remote_commands())
def test_exit_statuses(words: str, run: Run) -> None:
    """Without a server 1, with an invalid option 2; `mcp` reports errors to the agent."""
    Path("session.json").write_text("{}")
    Path("one.har").write_text(json.dumps({"log": {"entries": [SENT]}}))
    status, out, [*err] = run(*words.split(), "--url", CLOSED)

    assert (status, out) == (1, []), err
    assert f"cannot connect to {CLOSED}" in err[0]
    assert run(*words.split(), "--xyzzy")[0] == 2
    # A container restarts a server whose `health` fails for any reason.
    expected = 1 if words == "health " else 2
    assert run(*words.split(), "--url", "nothing")[0] == expected


def test_commands_without_a_server_print_it_too(client: ControlClient, run: Run) -> None:
    status, out, _ = run("health", "--json", "--url", client.url)
    assert (status, json.loads("\n".join(out))) == (0, {"status": "ok", "url": client.url})
    _, out, _ = run("scenarios", "--json")
    local = json.loads("\n".join(out))["scenarios"]
    shown = client.scenarios()["scenarios"]
    assert [row["name"] for row in local] == [row["name"] for row in shown]
    assert local[0] == {name: shown[0][name] for name in local[0]}  # type: ignore[literal-required]
    status, _, err = run("report", "--json", "--format", "text")
    assert status == 2
    assert "--json: cannot be combined with --format text" in err[0]
