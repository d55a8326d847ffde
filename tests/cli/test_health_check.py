"""`mockpets health` as containers run it: quick if all is well, else the full command."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.__main__ import main as run
from mockpets.cli import health_check
from mockpets.settings.sources import CONFIG_VARIABLE, URL_VARIABLE
from tests.cases import each as for_each
from tests.cli.test_main import SECONDS, alive, another_server, failing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SCRIPT = """
import sys
sys.argv[1:] = ["health"]
from mockpets.__main__ import main
status = main()
print(*sorted({"click", "mockpets.settings.model", "http.client"} & set(sys.modules)))
sys.exit(status)
"""


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    with MockpetsServer(Settings(host=("127.0.0.1",), port=0), alive) as server:
        yield str(urlsplit(server.url).port)


def health(
    monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str]
) -> tuple[int, list[str], str]:
    """Return the status of the command, its output with the slow modules, and its problems."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


@for_each(
    "variables",
    [
        {},
        {"MOCKPETS_HOST": "0.0.0.0"},  # noqa: S104 - as the image has it
        {"MOCKPETS_PREFIX": "/prefix"},
        {"MOCKPETS_PREFIX": "", "MOCKPETS_SCENARIO": "empty", "MOCKPETS_URL": ""},
    ],
)
def test_a_healthy_server_costs_no_imports(
    port: str, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"http://localhost:{port}{variables.get('MOCKPETS_PREFIX', '')}"
    result = health(monkeypatch, {"MOCKPETS_PORT": port, **variables})

    assert result == (0, [f"mockpets: {url} is alive", ""], "")


@for_each(
    "variables, url",
    [
        ({"MOCKPETS_PORT": "1", "MOCKPETS_URL": "http://127.0.0.1:PORT"}, "http://127.0.0.1:PORT"),
        ({"MOCKPETS_PORT": "PORT", "MOCKPETS_HOST": "127.0.0.1"}, "http://127.0.0.1:PORT"),
        ({"MOCKPETS_CONFIG": "other.toml"}, "http://127.0.0.1:PORT"),
        ({}, "http://localhost:PORT"),
    ],
)
def test_other_settings_are_left_to_the_full_command(
    port: str, variables: dict[str, str], url: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "mockpets.toml").write_text(f"port = {port}\n", encoding="utf-8")
    (here / "other.toml").write_text(f"port = {port}\nhost = '127.0.0.1'\n", encoding="utf-8")
    given = {name: value.replace("PORT", port) for name, value in variables.items()}
    status, [line, modules], problems = health(monkeypatch, given)

    assert (status, problems) == (0, "")
    assert line == f"mockpets: {url.replace('PORT', port)} is alive"
    assert "click" in modules


def health_inside(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], port: str
) -> tuple[int, str]:
    """Return the status of the command and its problems, in this process."""
    monkeypatch.setattr("sys.argv", ["mockpets", "health"])
    monkeypatch.setenv("MOCKPETS_PORT", port)
    return run(), capsys.readouterr().err


@for_each("app, problem", [(failing, "with 503"), (another_server, "is not a mockpets server")])
def test_a_problem_is_reported_by_the_full_command(
    app: object,
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with MockpetsServer(Settings(port=0), app) as server:  # type: ignore[arg-type] # an app
        port = str(urlsplit(server.url).port)
        status, problems = health_inside(monkeypatch, capsys, port)

    assert status == 1
    assert problem in problems


@for_each("value", ["x", "٧٣٨٧", "0", "99999", "-1", "1"])
def test_an_invalid_or_unused_port_fails(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, problems = health_inside(monkeypatch, capsys, value)

    assert status == 1
    assert problems.startswith("mockpets: ")


def test_it_repeats_the_names_and_defaults_of_the_settings() -> None:
    assert str(Settings().port) == health_check._PORT
    assert Settings().prefix == ""
    assert set(health_check._OTHER_SOURCES) == {CONFIG_VARIABLE, URL_VARIABLE}
