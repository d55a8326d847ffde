"""The commands that talk to a running server."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.main import main
from mockpets.client import ControlClient
from tests.doors import Caller, Socket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SECONDS = 20
"""How long anything may take before it counts as hanging."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and terminals")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and no setting of the developer's."""
    for name in os.environ:
        if name.startswith("MOCKPETS_"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def server() -> Iterator[MockpetsServer]:
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",))) as server:
        yield server


@pytest.fixture
def url(server: MockpetsServer) -> str:
    """A server whose session `default` is as it was at the start."""
    client = ControlClient(server.url)
    client.use("default")
    client.reset()
    return server.url


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, list[str], list[str]]]:
    """Run a command in this process; return its status and the lines of both outputs."""

    def run_it(*arguments: str) -> tuple[int, list[str], list[str]]:
        status = main(list(arguments))
        out, err = capsys.readouterr()
        return status, out.splitlines(), err.splitlines()

    return run_it


Run = Any


# --- use --------------------------------------------------------------------------------------


def test_use_switches_a_running_server(run: Run, url: str) -> None:
    assert run("use", "--url", url, "retry", "empty") == (0, ["active: retry, empty"], [])
    assert run("use", "--url", f"{url}/v1", "slow,empty") == (0, ["active: slow, empty"], [])
    assert ControlClient(url).scenarios()["active"] == ["slow", "empty"]


@pytest.mark.parametrize("by", ["option", "url"])
def test_use_switches_one_session(run: Run, url: str, by: str) -> None:
    where = ["--session", "w3", "--url", url] if by == "option" else ["--url", f"{url}/~w3/v1"]

    assert run("use", "empty", *where) == (0, ["active in session w3: empty"], [])
    assert ControlClient(url).scenarios()["active"] == ["default"]
    ControlClient(url).drop_session("w3")


def test_use_of_an_unknown_name_is_answered_with_the_nearest(run: Run, url: str) -> None:
    status, out, [line] = run("use", "--url", url, "emtpy")

    assert (status, out) == (1, [])
    assert line.startswith("mockpets: unknown scenario 'emtpy'; did you mean 'empty'?")
    assert ControlClient(url).scenarios()["active"] == ["default"]


def test_use_of_a_scenario_that_was_sent_says_what_that_is(run: Run, url: str) -> None:
    ControlClient(url).use({"description": "Down.", "stubs": [{"reply": {"status": 503}}]})
    status, out, [line] = run("use", "--url", url, "inline-1")

    assert (status, out) == (1, [])
    assert line.startswith("mockpets: 'inline-1' cannot be activated by its name: so one is called")
    assert ControlClient(url).scenarios()["active"] == ["inline-1"]


def test_what_a_server_says_is_fit_for_a_terminal(run: Run, url: str) -> None:
    status, _, lines = run("use", "--url", url, "\x1b[31mred")

    assert status == 1
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["use"], "NAME...: a value is missing; see 'mockpets use --help'"),
        (["use", "empty", "--url", "localhost"], "localhost: is no address of a server; say"),
        (["use", "empty", "--url", "http://h", "--token", "no"], "token: must be at least 8"),
        (["use", "empty", "--url", "http://h", "--session", "a b"], "session: must be a-z, 0-9"),
        (["use", "empty", "--port", "x"], "--port: must be an integer"),
        (["requests", "empty"], "requests takes no further word, got 'empty'"),
        (["requests", "--sinse", "3"], "--sinse: no such option; did you mean '--since'?"),
        (["requests", "--since", "-1"], "--since: "),
        (["requests", "--limit", "0"], "--limit: "),
        (["requests", "--har", "-f"], "--har: does not go with --follow"),
        (["requests", "--har", "--json"], "--har: does not go with --json"),
        (
            ["requests", "--clear", "--json", "--status=404"],
            "--clear: does not go with --json, --status",
        ),
    ],
)
def test_usage_is_status_2(run: Run, arguments: list[str], says: str) -> None:
    status, out, [line] = run(*arguments)

    assert (status, out) == (2, [])
    assert line.startswith(f"mockpets: {says}")


WRONG_TOKEN = [
    "mockpets: The control token is wrong. Send the header 'Authorization: Bearer <TOKEN>' "
    "with the value of --control-token, or with the token that mockpets printed when it started.",
    "mockpets: here it is given by --token, or by the variable MOCKPETS_CONTROL_TOKEN",
]


@pytest.mark.parametrize("command", [["use", "empty"], ["requests"], ["requests", "--follow"]])
def test_without_the_token_it_says_where_it_is_given(run: Run, command: list[str]) -> None:
    with MockpetsServer(Settings(port=0, control_token="opensesame")) as server:
        said = run(*command, "--url", server.url, "--token", "opensesam")
        without = run(*command, "--url", server.url)

    assert said == (1, [], WRONG_TOKEN)
    assert without == (1, [], [WRONG_TOKEN[0].replace("wrong", "missing"), WRONG_TOKEN[1]])


@pytest.mark.parametrize(
    ("scheme", "answer", "says"),
    [
        (
            "http",
            b"SSH-2.0-x\r\n",
            "not with HTTP, but with 'SSH-2.0-x'; is mockpets running there?",
        ),
        ("https", b"HTTP/1.1 400 No\r\n\r\n", "behind a proxy with TLS? By itself it has http"),
    ],
)
def test_what_is_no_mockpets_is_told_so(run: Run, scheme: str, answer: bytes, says: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        url = f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"
        ran = pool.submit(run, "requests", "--url", url)
        other, _ = listening.accept()
        with other:
            other.recv(65536)
            other.sendall(answer)
        status, out, [line] = ran.result(SECONDS)

    assert (status, out) == (1, [])
    assert line.startswith(f"mockpets: {url}: does not answer: ")
    assert line.endswith(says)


def test_a_file_is_no_name_of_a_scenario(run: Run, url: str) -> None:
    assert run("use", "--url", url, "mine/tired-cat.yaml", "empty") == (
        2,
        [],
        [
            "mockpets: mine/tired-cat.yaml: is a file, not a scenario's name; say 'tired-cat'; the "
            "server reads the file from its --scenarios-dir"
        ],
    )


@pytest.mark.parametrize("command", [["use", "empty"], ["requests"], ["requests", "--follow"]])
def test_without_a_server_there_is_one_line_and_status_1(run: Run, command: list[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        said = f"{url}: does not answer: Connection refused; is mockpets running there?"

        assert run(*command, "--url", url) == (1, [], [f"mockpets: {said}"])


def test_the_server_is_found_by_the_settings_it_was_started_with(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(port=0, host=("127.0.0.1",), control_token="opensesame")
    with MockpetsServer(settings) as server:
        port = urlsplit(server.url).port
        where = ["--host=127.0.0.1", f"--port={port}"]
        good: Any = (0, ["active: empty"], [])

        status, _, [line, _] = run("use", "empty", *where)
        assert (status, "token" in line) == (1, True)
        assert run("use", "empty", *where, "--token=opensesame") == good
        assert run("use", "empty", "--url", server.url, "--token=opensesame") == good
        text = f"host = '127.0.0.1'\nport = {port}\ncontrol-token = 'opensesame'\n"
        (here / "mockpets.toml").write_text(text, encoding="utf-8")
        assert run("use", "empty") == good
        (here / "mockpets.toml").unlink()
        monkeypatch.setenv("MOCKPETS_URL", server.url)
        monkeypatch.setenv("MOCKPETS_CONTROL_TOKEN", "opensesame")
        assert run("use", "empty") == good


def test_a_server_below_a_path_is_found_by_the_same_settings(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",), prefix="/mock")) as server:
        where = ["--host=127.0.0.1", f"--port={urlsplit(server.url).port}"]

        assert run("use", "empty", *where)[0] == 1
        monkeypatch.setenv("MOCKPETS_PREFIX", "/mock")
        assert run("use", "empty", *where) == (0, ["active: empty"], [])
        assert run("use", "empty", "--url", f"{server.url}/mock/v1")[0] == 0


# --- requests ---------------------------------------------------------------------------------


def front_end(url: str) -> Caller:
    return Caller(Socket(url))


@pytest.fixture
def busy(url: str) -> str:
    """A server that has answered some requests."""
    call = front_end(url)
    call("GET", "/v1/pets?limit=0")
    call("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 2})
    call("GET", "/v1/pets/1")
    call("GET", "/v1/pets", scenario="server-error")
    call("GET", "/v1/pets?status=sold", headers={"Mockpets-Delay": "1ms"})
    return url


def test_requests_are_told_in_a_line_each(run: Run, busy: str) -> None:
    status, out, err = run("requests", "--url", busy)
    time, milliseconds = r"\d\d:\d\d:\d\d\.\d{3}", r"\d+\.\d"

    assert (status, err, len(out)) == (0, [], 5)
    for line, pattern in zip(
        out,
        [
            rf" +1  {time}  GET +/v1/pets\?limit=0 +400  {milliseconds} ms  -  .*limit.*",
            rf" +2  {time}  POST +/v1/pets +201  {milliseconds} ms  -",
            rf" +3  {time}  GET +/v1/pets/1 +200  {milliseconds} ms  -  .*5 December 2030",
            rf" +4  {time}  GET +/v1/pets +50\d  {milliseconds} ms  server-error/\S+.*",
            rf" +5  {time}  GET +/v1/pets\?status=sold +200  {milliseconds} \+1 ms  -",
        ],
        strict=True,
    ):
        assert re.fullmatch(pattern, line, re.IGNORECASE), line


@pytest.mark.parametrize(
    ("filters", "numbers"),
    [
        (["--operation", "listPets"], [1, 4, 5]),
        (["--method", "POST"], [2]),
        (["--path", "/v1/pets/*"], [3]),
        (["--status", "2xx"], [2, 3, 5]),
        (["--status", "400"], [1]),
        (["--stub", "server-error/*"], [4]),
        (["--stub", "-", "--method=GET"], [1, 3, 5]),
        (["--note", "deprecated"], [3]),
        (["--since", "3"], [4, 5]),
        (["--since", "99"], []),
    ],
)
def test_requests_can_be_filtered(
    run: Run, busy: str, filters: list[str], numbers: list[int]
) -> None:
    status, out, _ = run("requests", "--url", busy, *filters)

    assert status == 0
    assert [int(line.split()[0]) for line in out] == numbers


def test_what_is_left_out_is_said(run: Run, busy: str) -> None:
    status, out, err = run("requests", "--url", busy, "--limit", "2")

    assert (status, [line.split()[0] for line in out]) == (0, ["4", "5"])
    assert err == ["mockpets: 3 earlier ones left out; see --limit"]


def test_an_empty_journal_says_whose_it_is(run: Run, url: str) -> None:
    said = "mockpets: no such request in session "

    assert run("requests", "--url", url) == (0, [], [f"{said}default"])
    absent = [f"{said}w3; there is none of that name yet"]
    assert run("requests", "--url", url, "--session", "w3") == (0, [], absent)


def test_a_filter_that_is_none_is_status_1(run: Run, url: str) -> None:
    status, out, err = run("requests", "--url", url, "--status", "many")

    assert (status, out) == (1, [])
    assert "status" in err[0]


def test_what_a_client_sent_is_fit_for_a_terminal(run: Run, url: str) -> None:
    hostile = "/v1/\x1b]0;owned\x07\x9b31m"
    request = f"GET {hostile} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port)) as sock:
        sock.sendall(request.encode("latin-1"))
        while sock.recv(4096):
            pass
    front_end(url)("GET", "/v1/pets?limit=%1b%5b31m%E2%80%AE")

    for options in ([], ["--json"], ["--har"]):
        status, out, _ = run("requests", "--url", url, *options)
        assert status == 0
        assert len(out) >= 1
        assert all(line.isprintable() for line in out)


def test_requests_as_json_has_all_there_is(run: Run, busy: str) -> None:
    status, out, err = run("requests", "--url", busy, "--json", "--limit=2")
    expected = ControlClient(busy).requests(limit=2)

    assert (status, [json.loads(line) for line in out]) == (0, expected)
    assert err == ["mockpets: 3 earlier ones left out; see --limit"]


def test_requests_as_har(run: Run, busy: str) -> None:
    status, out, err = run("requests", "--url", busy, "--har", "--status=4xx")
    har = json.loads("\n".join(out))

    assert (status, err, har["log"]["version"]) == (0, [], "1.2")
    assert [entry["response"]["status"] for entry in har["log"]["entries"]] == [400]


def test_requests_can_be_cleared(run: Run, busy: str) -> None:
    assert run("requests", "--url", busy, "--clear") == (0, ["cleared 5"], [])
    assert ControlClient(busy).requests() == []


# --- On a terminal, and following -------------------------------------------------------------


def program(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start a command as a program of its own."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "mockpets", *arguments], text=True, **pipes
    )


@posix
@pytest.mark.parametrize(("no_color", "is_coloured"), [(None, True), ("", True), ("1", False)])
def test_colours_are_for_terminals(busy: str, no_color: str | None, is_coloured: bool) -> None:
    environ = os.environ | {"TERM": "xterm"} | ({} if no_color is None else {"NO_COLOR": no_color})
    terminal, inner = os.openpty()
    try:
        with program("requests", "--url", busy, stdout=inner, env=environ) as process:
            _, err = process.communicate(timeout=SECONDS)
        shown = os.read(terminal, 65536).decode()
    finally:
        os.close(inner)
        os.close(terminal)

    assert (process.returncode, err, shown.count("\n")) == (0, "", 5)
    assert ("\x1b[31m" in shown, "\x1b[33m" in shown) == (is_coloured, is_coloured)


@contextmanager
def following(url: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    with program("requests", "--url", url, "--follow", *options) as process:
        try:
            yield process
        finally:
            process.kill()


ENDS = "Ctrl-C ends it"


def followed(process: subprocess.Popen[str]) -> str:
    """What it says first."""
    assert process.stderr is not None
    return process.stderr.readline()


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@posix
def test_following_goes_on_over_reset_and_restart_until_ctrl_c() -> None:
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",))) as server:
        url, port = server.url, urlsplit(server.url).port
        assert port is not None
        front_end(url)("GET", "/v1/pets?limit=1")
        process = program("requests", "--url", url, "--follow", "--method", "GET")
        try:
            assert followed(process) == f"mockpets: following session default of {url}; {ENDS}\n"
            assert "1  " in (line := next_line(process)) and "limit=1 " in line
            front_end(url)("POST", "/v1/pets", json_body={})
            front_end(url)("GET", "/v1/pets?limit=3")
            assert "limit=3 " in next_line(process)
            ControlClient(url).reset()
            front_end(url)("GET", "/v1/pets?limit=4")
            assert "limit=4 " in next_line(process)
            server.stop()
            assert process.stderr is not None
            gone = process.stderr.readline()
            with MockpetsServer(Settings(port=port, host=("127.0.0.1",))):
                front_end(url)("GET", "/v1/pets?limit=5")
                assert "limit=5 " in next_line(process)
                front_end(url)("GET", "/v1/pets?limit=6")
                assert "limit=6 " in next_line(process)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
            process.communicate()

    assert gone == f"mockpets: {url}/v1 does not answer any more; waiting until it does\n"
    assert (process.returncode, out, err.strip()) == (130, "", "")


@posix
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("worker-3", ENDS),
        ("wroker-3", f"{ENDS}; there is none of that name yet, did you mean 'worker-3'?"),
        ("other", f"{ENDS}; there is none of that name yet"),
    ],
)
def test_following_says_which_session_it_is(url: str, name: str, says: str) -> None:
    ControlClient(url).make_session("worker-3")
    with following(url, "--session", name) as process:
        line = followed(process)
        assert line == f"mockpets: following session {name} of {url}; {says}\n"
        call = front_end(url)
        call("GET", f"/~{name}/v1/pets")
        assert "GET " in next_line(process)
    for each in {"worker-3", name}:
        ControlClient(url).drop_session(each)


@posix
def test_following_as_json_is_a_line_each_at_once(url: str) -> None:
    with following(url, "--json", "--operation", "listPets") as process:
        call = front_end(url)
        call("GET", "/v1/pets/1")
        call("GET", "/v1/pets")
        assert json.loads(next_line(process))["operation"] == "listPets"


@posix
def test_the_end_of_a_pipe_is_no_traceback(busy: str) -> None:
    with program("requests", "--url", busy, "--follow") as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            for number in range(10):
                front_end(busy)("GET", f"/v1/pets?offset={number}")
            assert process.wait(SECONDS) == 1
            assert process.stderr.read().count("\n") == 1  # which session it follows
        finally:
            process.kill()
