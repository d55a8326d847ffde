"""The command line, in this process and as a program of its own."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from http.client import HTTPConnection
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from mockpets.cli import main
from mockpets.constants import CONTRACT_ERRORS, HEALTH_PATH, PETS_PATH
from mockpets.contract import pet_faults
from mockpets.pets.seed import generate
from mockpets.server import MockpetsServer
from mockpets.settings import CONFIG_VARIABLE, URL_VARIABLE, Settings, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from wsgiref.types import StartResponse, WSGIEnvironment

SECONDS = 20
"""How long anything may take before it counts as hanging."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and no setting of the developer's."""
    for name in os.environ:
        if name.startswith("MOCKPETS_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(
    capsys: pytest.CaptureFixture[str], *arguments: str | Path
) -> tuple[int, list[str], list[str]]:
    """Run a command in this process; return its status and the lines of both outputs."""
    status = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out.splitlines(), err.splitlines()


def program(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start a command as a program of its own."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "mockpets", *arguments], text=True, **pipes
    )


# --- Usage ------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    status, out, err = run(capsys, *arguments)

    listed = {line.split()[0] for line in out if re.match("  [a-z]", line)}
    assert {"fixture", "health", "openapi", "scenarios", "serve"} <= listed
    assert (status, err) == (0, [])


def test_help_of_serve_shows_every_setting_its_default_and_variable(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = run(capsys, "serve", "--help")
    text = " ".join(" ".join(out).split())

    for row in rows():
        shown = "off" if row.default is False else row.default
        if isinstance(shown, tuple):
            shown = ", ".join(shown) or "none"
        assert row.help in text
        assert re.search(rf" {row.flag}\b", text)
        assert f"[default: {shown}; variable: {row.variable}]" in text
    assert CONFIG_VARIABLE in text


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, [f"mockpets {version('mockpets')}"], [])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["serv"], "serv: no such command; did you mean 'serve'?"),
        (["scenario"], "scenario: no such command; did you mean 'scenarios'?"),
        (["serve", "--prot", "1"], "--prot: no such option; did you mean '--port'?"),
        (["health", "--ulr=x"], "--ulr: no such option; did you mean '--url'?"),
        (["serve", "--xyzzy"], "--xyzzy: no such option; see 'mockpets serve --help'"),
        (["--versoin"], "--versoin: no such option; did you mean '--version'?"),
        (["serve", "--port", "70000"], "--port: must be an integer from 0 to 65535, got '70000'"),
        (["fixture", "--count=-1"], "--count: must be an integer from 0 to 100000, got '-1'"),
        (["scenarios", "--config", "x"], "--config: cannot read 'x': No such file or directory"),
        (
            ["scenarios", "--scenarios-dir", "no"],
            "--scenarios-dir: must be a folder that exists, got 'no'",
        ),
    ],
)
def test_a_mistake_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    assert run(capsys, *arguments) == (2, [], [f"mockpets: {complaint}"])


def test_a_command_unlike_any_is_answered_with_all(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, [line] = run(capsys, "xyzzy")

    assert status == 2
    assert line.startswith("mockpets: xyzzy: no such command; there are: ")
    assert "serve" in line


@pytest.mark.parametrize("arguments", [["serve", "--port"], ["health", "x"], ["serve", "x"]])
def test_click_s_own_complaints_are_one_line_too(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    status, out, [line] = run(capsys, *arguments)

    assert (status, out) == (2, [])
    assert line.startswith("mockpets: ")


def test_every_problem_has_its_line(
    capsys: pytest.CaptureFixture[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "mockpets.toml").write_text("\nsede = 3\n", encoding="utf-8")
    monkeypatch.setenv("MOCKPETS_PROT", "1")

    status, out, err = run(capsys, "serve", "--port", "x", "--host", "a b", "--host", "localhost")

    assert (status, out) == (2, [])
    assert err == [
        "mockpets: --port: must be an integer from 0 to 65535, got 'x'",
        "mockpets: --host: must be an address or a host name, without scheme and port, got 'a b'",
        "mockpets: MOCKPETS_PROT: no such setting; did you mean 'MOCKPETS_PORT'?",
        "mockpets: mockpets.toml:2:1: sede: no such setting; did you mean 'seed'?",
    ]


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"], ["health", "--port=1"]])
def test_light_commands_load_nothing_heavy(arguments: list[str]) -> None:
    script = (
        "import sys; from mockpets.cli import main; main(sys.argv[1:]);"
        "heavy = {'faker', 'flask', 'marshmallow', 'waitress', 'werkzeug', 'yaml'};"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )

    assert done.stderr.splitlines()[-1] == "[]"


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = (
        "import sys, mockpets; assert not {'flask', 'waitress', 'click'} & set(sys.modules);"
        "assert set(mockpets.__all__) <= set(dir(mockpets));"
        "assert all(getattr(mockpets, name) for name in mockpets.__all__);"
        "print(mockpets.__version__, hasattr(mockpets, 'xyzzy'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=SECONDS, check=True
    )

    assert done.stdout == f"{version('mockpets')} False\n"


@posix
@pytest.mark.parametrize("command", ["openapi", "fixture", "--help"])
def test_a_reader_that_left_is_no_traceback(command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with program(command, stdout=writer) as process:
        os.close(writer)
        _, err = process.communicate(timeout=SECONDS)

    assert (process.returncode, err) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full, program("openapi", stdout=full) as process:
        _, err = process.communicate(timeout=SECONDS)

    assert (process.returncode, err) == (1, "mockpets: No space left on device\n")


# --- Commands that print ----------------------------------------------------------------------


def test_fixture_prints_a_pet_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "fixture", "--count=3", "--seed=7", "--locale=ja_JP")
    pets = json.loads("\n".join(out))

    assert (status, err) == (0, [])
    assert pets == list(generate(3, 7, "ja_JP"))
    assert [pet_faults(pet) for pet in pets] == [[], [], []]
    assert [out[0], out[-1], len(out)] == ["[", "]", 5]


def test_fixture_takes_the_settings_of_serve(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOCKPETS_COUNT", "2")

    assert json.loads("\n".join(run(capsys, "fixture")[1])) == list(generate(2, 1, "en_US"))


def test_fixture_is_utf_8_whatever_the_terminal_is() -> None:
    environ = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    with program("fixture", "--locale=ja_JP", env=environ, encoding="utf-8") as process:
        out, err = process.communicate(timeout=SECONDS)

    assert (process.returncode, err) == (0, "")
    assert json.loads(out) == list(generate(16, 1, "ja_JP"))


def test_openapi_prints_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "openapi")
    document = json.loads("\n".join(out))

    assert (status, err) == (0, [])
    assert document["openapi"].startswith("3.1")
    assert list(document["paths"])


def test_scenarios_lists_name_description_and_file(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    (here / "mine.yaml").write_text("description: Only mine.\n", encoding="utf-8")
    (here / "empty.yaml").write_text("description: My own.\n", encoding="utf-8")

    status, out, err = run(capsys, "scenarios", "--scenarios-dir", here)
    listed = {line.split()[0]: line.split(maxsplit=1)[1] for line in out}

    assert (status, err) == (0, [])
    assert listed["mine"] == f"Only mine.  [{here / 'mine.yaml'}]"
    shadowed = "scenarios/empty.yaml (shipped)"
    assert listed["empty"] == f"My own.  [{here / 'empty.yaml'} in place of {shadowed}]"
    assert listed["default"].endswith("  [scenarios/default.yaml (shipped)]")
    assert list(listed) == sorted(listed)


def test_scenarios_tells_what_is_broken_and_lists_the_rest(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    (here / "broken.yaml").write_text("descriptoin: x\n", encoding="utf-8")

    status, out, err = run(capsys, "scenarios", "--scenarios-dir", here)

    assert status == 2
    assert any(line.startswith("default ") for line in out)
    assert not any(line.startswith("broken ") for line in out)
    assert err
    assert all(line.startswith(f"mockpets: {here / 'broken.yaml'}:") for line in err)


# --- health -----------------------------------------------------------------------------------


def alive(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    is_health = environ["PATH_INFO"].removeprefix("/prefix") == HEALTH_PATH
    start_response("200 OK" if is_health else "404 Not Found", [("Content-Length", "0")])
    return []


def ill(_: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    start_response("503 Service Unavailable", [("Content-Length", "0")])
    return []


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with MockpetsServer(Settings(host=("127.0.0.1",), port=0), alive) as server:
        yield server.url


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/", "/prefix", "/prefix/v1"])
def test_health_of_a_server_by_its_url(
    capsys: pytest.CaptureFixture[str], root: str, suffix: str
) -> None:
    shown = root + ("/prefix" if "prefix" in suffix else "")

    assert run(capsys, "health", "--url", root + suffix) == (
        0,
        [f"mockpets: {shown} is alive"],
        [],
    )


def test_health_finds_the_server_by_the_settings_it_was_started_with(
    capsys: pytest.CaptureFixture[str], root: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = str(urlsplit(root).port)

    assert run(capsys, "health", "--host=127.0.0.1", "--port", port)[0] == 0
    monkeypatch.setenv("MOCKPETS_PORT", port)
    monkeypatch.setenv("MOCKPETS_HOST", "0.0.0.0")  # noqa: S104 - as a container has it
    assert run(capsys, "health")[0] == 0
    monkeypatch.delenv("MOCKPETS_PORT")
    monkeypatch.delenv("MOCKPETS_HOST")
    (here / "mockpets.toml").write_text(f"port = {port}\nhost = '127.0.0.1'", encoding="utf-8")
    assert run(capsys, "health")[0] == 0


def test_health_takes_the_url_from_its_variable_and_asks_no_proxy(
    capsys: pytest.CaptureFixture[str], root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(URL_VARIABLE, root)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")

    assert run(capsys, "health")[0] == 0


def test_health_of_an_ill_server(capsys: pytest.CaptureFixture[str]) -> None:
    with MockpetsServer(app=ill) as server:
        complaint = f"mockpets: {server.url} answers its health check with 503, expected 200"

        assert run(capsys, "health", "--url", server.url) == (1, [], [complaint])


def test_health_of_no_server(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        complaint = (
            f"mockpets: {url}: does not answer: Connection refused; is mockpets running there?"
        )

        assert run(capsys, "health", "--url", url) == (1, [], [complaint])


@pytest.mark.parametrize("url", ["localhost:7387", "ftp://localhost", "http://", "http://[::1"])
def test_health_of_what_is_no_url(capsys: pytest.CaptureFixture[str], url: str) -> None:
    status, out, [line] = run(capsys, "health", "--url", url)

    assert (status, out) == (1, [])
    assert line.endswith("is no address of a server; say which server with --url or --port")


def test_health_with_bad_settings_is_status_1_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Containers know 0 and 1 alone."""
    assert run(capsys, "health", "--port", "x")[0] == 1
    assert run(capsys, "health", "--port", "0")[0] == 1


# --- serve ------------------------------------------------------------------------------------


@contextmanager
def serving(*arguments: str, **options: Any) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `serve` on a free port; yield the process and its banner."""
    with program("serve", "--port", "0", *arguments, **options) as process:
        try:
            assert process.stdout is not None
            lines = []
            for line in process.stdout:
                lines.append(line)
                if "Ctrl-C" in line:
                    break
            yield process, "".join(lines)
        finally:
            process.kill()


def base_of(banner: str) -> str:
    [base] = re.findall(r"at (http://\S+/v1)$", banner, re.MULTILINE)
    return str(base)


def get_pets(base: str, key: str) -> tuple[int, Any]:
    parts = urlsplit(base)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=SECONDS)
    try:
        connection.request("GET", PETS_PATH, headers={"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_answers_until_it_is_told_to_stop(number: signal.Signals) -> None:
    with serving() as (process, banner):
        status, pets = get_pets(base_of(banner), "mockpets")
        assert (status, pets) == (200, list(generate(16, 1, "en_US")))
        process.send_signal(number)
        out, err = process.communicate(timeout=SECONDS)

    assert (process.returncode, out, err) == (0, "", "")


def test_the_banner_says_what_one_needs_to_begin() -> None:
    with serving("--scenario", "empty,slow", "--api-key", "k1", "--any-key") as (_, banner):
        [curl] = [line for line in banner.splitlines() if line.startswith("  curl ")]
        base = base_of(banner)

    assert base.startswith("http://localhost:")
    assert shlex.split(curl) == ["curl", "-H", "Authorization: Bearer k1", f"{base}/pets"]
    assert re.search("^key +k1, or any other$", banner, re.MULTILINE)
    assert re.search("^scenario +empty, slow$", banner, re.MULTILINE)
    names = re.search("^scenarios (.*?)\n\n", banner, re.MULTILINE | re.DOTALL)
    assert names
    assert {"default", "empty", "unauthorized"} <= set(names[1].replace(",", " ").split())
    assert banner.endswith("Ctrl-C stops it.\n")
    assert max(map(len, banner.splitlines())) <= 100


@pytest.mark.parametrize("key", ["a$b`c", 'say"so"', "it's", "a\\b!"])
def test_the_curl_holds_any_key(key: str) -> None:
    with serving("--api-key", key) as (_, banner):
        [curl] = [line for line in banner.splitlines() if line.startswith("  curl ")]

    assert shlex.split(curl)[2] == f"Authorization: Bearer {key}"


def test_settings_reach_the_server(here: Path) -> None:
    (here / "own").mkdir()
    (here / "own" / "locked.yaml").write_text(
        "description: No key is good.\nstubs:\n  - reply: {error: unauthorized}\n",
        encoding="utf-8",
    )
    (here / "mockpets.toml").write_text('seed = 3\napi-key = ["a", "b"]\n', encoding="utf-8")
    environ = os.environ | {"MOCKPETS_COUNT": "2", "MOCKPETS_SCENARIOS_DIR": "own"}

    with serving("--host", "127.0.0.1", "--locale", "de_DE", env=environ) as (_, banner):
        base = base_of(banner)
        assert base.startswith("http://127.0.0.1:")
        assert get_pets(base, "b") == (200, list(generate(2, 3, "de_DE")))
        assert get_pets(base, "mockpets")[0] == 401
        assert "locked" in banner
    with serving("--scenario", "locked", env=environ) as (_, banner):
        assert get_pets(base_of(banner), "a")[1]["code"] == CONTRACT_ERRORS[1]


def test_a_taken_port_is_one_line_and_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        assert run(capsys, "serve", "--port", str(port)) == (
            1,
            [],
            [
                f"mockpets: --port {port}: already in use on 127.0.0.1; stop the other program or "
                "choose another port with --port, or --port 0 for any free one"
            ],
        )


def test_an_unknown_scenario_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, [line] = run(capsys, "serve", "--port=0", "--scenario", "emtpy")

    assert (status, out) == (2, [])
    assert line.startswith("mockpets: scenario: ")
    assert "did you mean 'empty'?" in line


def test_a_broken_scenario_file_is_refused_with_its_place(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    (here / "broken.yaml").write_text("description: x\nstubs: 3\n", encoding="utf-8")

    status, out, err = run(capsys, "serve", "--port=0", "--scenarios-dir", here)

    assert (status, out) == (2, [])
    assert len(err) == 1
    assert err[0].startswith(f"mockpets: {here / 'broken.yaml'}:2:")


@posix
def test_serve_without_a_reader_of_its_banner_ends_without_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with program("serve", "--port", "0", stdout=writer) as process:
        os.close(writer)
        _, err = process.communicate(timeout=SECONDS)

    assert (process.returncode, err) == (1, "")
