"""`mockpets health` and `mockpets use`: quick if all is well, else the full command."""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.__main__ import main as run
from mockpets.cli import quick
from mockpets.cli.main import main as run_in_full
from mockpets.client import ControlClient
from mockpets.settings.sources import CONFIG_VARIABLE, URL_VARIABLE
from tests.cli.test_main import SECONDS, alive, another_server, failing

SCRIPT = """
import sys
sys.argv[1:] = sys.argv[1:] or ["health"]
from mockpets.__main__ import main
status = main()
print(*sorted({"click", "mockpets.settings.model"} & set(sys.modules)))
sys.exit(status)
"""


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    with MockpetsServer(Settings(host=("127.0.0.1",), port=0), alive) as server:
        yield str(urlsplit(server.url).port)


def health(
    monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str], *words: str
) -> tuple[int, list[str], str]:
    """Return the status of the command, its output with the slow modules, and its problems."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


@pytest.mark.parametrize("variables", [
    {},
    {"MOCKPETS_HOST": "0.0.0.0"},  # noqa: S104 - as the image has it
    {"MOCKPETS_PREFIX": "/prefix"},
    {"MOCKPETS_PREFIX": "", "MOCKPETS_SCENARIO": "empty", "MOCKPETS_URL": ""},
    {"MOCKPETS_PORT": "1", "MOCKPETS_URL": "http://localhost:PORT/v1"},
])  # fmt: skip
def test_a_healthy_server_costs_no_imports(
    port: str, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"http://localhost:{port}{variables.get('MOCKPETS_PREFIX', '')}"
    given = {name: value.replace("PORT", port) for name, value in variables.items()}
    result = health(monkeypatch, {"MOCKPETS_PORT": port, **given})

    assert result == (0, [f"mockpets: {url} is alive", ""], "")


@pytest.mark.parametrize(("variables", "url"), [
    ({"MOCKPETS_PORT": "PORT", "MOCKPETS_HOST": "127.0.0.1"}, "http://127.0.0.1:PORT"),
    ({"MOCKPETS_CONFIG": "other.toml"}, "http://127.0.0.1:PORT"),
    ({}, "http://localhost:PORT"),
])  # fmt: skip
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


@pytest.mark.parametrize(
    ("app", "problem"), [(failing, "with 503"), (another_server, "is not a mockpets server")]
)
def test_a_problem_is_reported_by_the_full_command(
    app: object, problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with MockpetsServer(Settings(port=0), app) as server:  # type: ignore[arg-type] # an app
        port = str(urlsplit(server.url).port)
        status, problems = health_inside(monkeypatch, capsys, port)

    assert status == 1
    assert problem in problems


@pytest.mark.parametrize("value", ["٧٣٨٧", "0", "99999", "1"])
def test_an_invalid_or_unused_port_fails(
    value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, problems = health_inside(monkeypatch, capsys, value)

    assert status == 1
    assert problems.startswith("mockpets: ")


# --- use --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mock() -> Iterator[MockpetsServer]:
    with MockpetsServer(
        Settings(host=("127.0.0.1",), port=0, control_token="opensesame")
    ) as server:
        yield server


@pytest.mark.parametrize(("words", "is_quick"), [
    (["retry", "empty"], True),
    (["slow,empty"], True),
    (["--session", "W1", "empty"], True),
    (["empty", "--session=w2"], False),
    (["--", "empty"], False),
    ([], False),
    (["emtpy"], False),
    (["empty", ","], False),
    (["empty.yaml"], False),
    (["empty", "--session", "not a name"], False),
    (["empty", "--session"], False),
    (["empty", "--token", "opensesam"], False),
    (["empty", "--url", "http://127.0.0.1:1/\r\nX: y"], False),
    (["empty", "--sesion", "w1"], False),
])  # fmt: skip
def test_use_prints_what_the_full_command_prints(
    mock: MockpetsServer,
    words: list[str],
    is_quick: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MOCKPETS_URL", mock.url)
    monkeypatch.setenv("MOCKPETS_CONTROL_TOKEN", "opensesame")
    monkeypatch.setattr("sys.argv", ["mockpets", "use", *words])
    for session in ("w1", "w2"):
        ControlClient(mock.url, token="opensesame").make_session(session)
    in_full = run_in_full(["use", *words]), capsys.readouterr()
    with monkeypatch.context() as patch:
        if is_quick:
            patch.setattr("mockpets.cli.main.main", None)

        assert (run(), capsys.readouterr()) == in_full


def test_use_finds_the_server_in_its_variables_and_imports_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with MockpetsServer(Settings(port=0)) as server:
        port = server.url.rpartition(":")[2]
        result = health(monkeypatch, {"MOCKPETS_PORT": port}, "use", "empty")
        assert ControlClient(server.url).active() == ["empty"]

    assert result == (0, ["active: empty", ""], "")


def test_use_with_a_settings_file_or_an_unknown_variable_runs_in_full(
    mock: MockpetsServer, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = mock.url.rpartition(":")[2]
    token = {"MOCKPETS_CONTROL_TOKEN": "opensesame"}
    unknown = health(monkeypatch, {**token, "MOCKPETS_SCNARIO": "x"}, "use", "empty")
    monkeypatch.delenv("MOCKPETS_SCNARIO")
    (here / "mockpets.toml").write_text(f"port = {port}\nhost = '127.0.0.1'\n", encoding="utf-8")
    status, [line, modules], problems = health(monkeypatch, token, "use", "empty")

    assert unknown[0] == 2
    assert "MOCKPETS_SCNARIO: unknown setting" in unknown[2]
    assert (status, line, problems) == (0, "active: empty", "")
    assert "click" in modules


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_use_reports_an_output_that_cannot_be_written(mock: MockpetsServer) -> None:
    words = [sys.executable, "-m", "mockpets", "use", "empty", "--url", mock.url]
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [*words, "--token", "opensesame"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    assert (done.returncode, done.stderr) == (1, "mockpets: No space left on device\n")


def test_it_repeats_the_names_and_defaults_of_the_settings() -> None:
    assert str(Settings().port) == quick._PORT
    assert Settings().prefix == ""
    assert {CONFIG_VARIABLE, URL_VARIABLE, "MOCKPETS_CONTROL_TOKEN"} <= {
        *re.findall("MOCKPETS_[A-Z_]+[A-Z]", Path(quick.__file__).read_text("utf-8")),
        *quick._READ,
    }
