"""The commands for a running server."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import IncompleteRead
from pathlib import Path
from threading import Timer
from typing import IO, Any
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.constants import HEALTH_PATH, PROTOCOL
from mockpets.interface import Incoming, Reply
from tests.cli.test_main import program
from tests.http_client import Client, OverSocket
from tests.server.query_app import FunctionApp
from tests.server.raw_http import Wire

SECONDS = 20
"""The time limit for every step, in seconds."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and terminals")


@pytest.fixture
def url(server: MockpetsServer) -> str:
    """Return the URL of a server, with the session `default` reset."""
    client = ControlClient(server.url)
    client.use("default")
    client.reset()
    return server.url


Run = Any


# --- use --------------------------------------------------------------------------------------


def test_use_switches_a_running_server(run: Run, url: str) -> None:
    assert run("use", "--url", url, "retry", "empty") == (0, ["active: retry, empty"], [])
    assert run("use", "--url", f"{url}/v1", "slow,empty") == (0, ["active: slow, empty"], [])
    assert ControlClient(url).active() == ["slow", "empty"]
    assert run("use", "--url", url) == (0, ["active: slow, empty"], [])
    absent = ["mockpets: session w9; this session does not exist yet"]
    active = ["active in session w9: default"]
    assert run("use", "--url", url, "--session=w9") == (0, active, absent)


def test_use_says_that_records_of_a_scenario_were_changed(run: Run, url: str) -> None:
    note = (
        "mockpets: pets still has the changes made while empty was active; to discard all changes, "
        "run 'mockpets reset'"
    )
    client = ControlClient(url)
    assert run("use", "empty", "--url", url) == (0, ["active: empty"], [])
    client.add_record("pets", {"name": "Miso", "categoryId": 2})
    assert run("use", "slow", "--url", url) == (0, ["active: slow"], [])
    assert run("use", "slow", "empty", "--url", url) == (0, ["active: slow, empty"], [note])
    client.reset()
    assert run("use", "empty", "--url", url) == (0, ["active: empty"], [])


@pytest.mark.parametrize(("status", "body"), [
    ("200 OK", {}),
    ("200 OK", {"sessions": [1], "pets": [1], "gates": [1], "requests": [1], "active": [1]}),
    ("400 Bad", {"code": "busy", "message": "no", "details": {"problems": [{"where": 1}]}}),
    ("400 Bad", {"code": ["busy"], "message": "no"}),
])  # fmt: skip
def test_unexpected_json_of_a_server_is_reported_in_one_line(
    run: Run, status: str, body: object
) -> None:
    def handle(incoming: Incoming) -> Reply:
        is_health = incoming.environ["PATH_INFO"] == HEALTH_PATH
        health = {"status": "ok", "version": "0.1.0", "protocol": PROTOCOL, "bases": ["/v1"]}
        shown = json.dumps(health if is_health else body).encode()
        return Reply("200 OK" if is_health else status, [], shown)

    with MockpetsServer(app=FunctionApp(handle)) as server:
        for words in ("why", "gates", "sessions", "requests", "pets", "use empty", "verify"):
            result = run(*words.split(), "--url", server.url)
            assert result[:2] == (1, []), words
            line = result[2][-1]
            assert f"mockpets: {server.url} " in line, words
            hints = ("is it a mockpets server? (", "is not a mockpets server (")
            assert any(hint in line for hint in hints), words


@pytest.mark.parametrize(("arguments", "message"), [
    (["use", "empty", "--url", "localhost"], "localhost: not a valid server URL; use"),
    (["use", "empty", "--url", "http://h", "--token", "no"], "token: must be at least 8"),
    (["use", "empty", "--url", "http://h", "--session", "a b"],
     "session: invalid session name 'a b'; use a-z, 0-9, '.', '_' and '-', start with a "
         "letter or digit, at most 64 characters"),
    (["requests", "--har", "--json"], "--har: cannot be combined with --json"),
    (["requests", "--clear", "--json", "--status=404"],
     "--clear: cannot be combined with --json, --status"),
])  # fmt: skip
def test_usage_errors_are_one_line_and_status_2(
    run: Run, arguments: list[str], message: str
) -> None:
    status, out, [line] = run(*arguments)

    assert (status, out) == (2, [])
    assert line.startswith(f"mockpets: {message}")


WRONG_TOKEN = [
    "mockpets: the control token is invalid; send the header 'Authorization: Bearer <TOKEN>' "
    "with the value of --control-token, or with the token that mockpets printed when it started",
    "mockpets: pass the token with --token or the variable MOCKPETS_CONTROL_TOKEN",
]


@pytest.mark.parametrize("command", [["use", "empty"], ["requests"], ["requests", "--follow"]])
def test_the_error_for_a_missing_token_explains_how_to_pass_it(
    run: Run, command: list[str]
) -> None:
    with MockpetsServer(Settings(port=0, control_token="opensesame")) as server:
        wrong = run(*command, "--url", server.url, "--token", "opensesam")
        without = run(*command, "--url", server.url)

    assert wrong == (1, [], WRONG_TOKEN)
    assert without == (1, [], [WRONG_TOKEN[0].replace("invalid", "missing"), WRONG_TOKEN[1]])


def test_the_server_is_found_by_its_settings(
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


def test_a_server_with_a_prefix_is_found_by_its_settings(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",), prefix="/mock")) as server:
        where = ["--host=127.0.0.1", f"--port={urlsplit(server.url).port}"]

        assert run("use", "empty", *where)[0] == 1
        monkeypatch.setenv("MOCKPETS_PREFIX", "/mock")
        assert run("use", "empty", *where) == (0, ["active: empty"], [])
        assert run("use", "empty", "--url", f"{server.url}/mock/v1")[0] == 0


# --- requests ---------------------------------------------------------------------------------


def front_end(url: str) -> Client:
    return Client(OverSocket(url))


@pytest.fixture
def busy(url: str) -> str:
    """Return the URL of a server with some recorded requests."""
    call = front_end(url)
    call("GET", "/v1/pets?limit=0")
    call("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 2})
    call("GET", "/v1/pets/1")
    call("GET", "/v1/pets", scenario="server-error")
    call("GET", "/v1/pets?status=sold", headers={"Mockpets-Delay": "1ms"})
    return url


def test_requests_are_listed_one_per_line(run: Run, busy: str) -> None:
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


@pytest.mark.parametrize(("filters", "numbers"), [
    (["--operation", "listPets", "--status", "2xx"], [5]),
    (["--path", "/v1/pets/*"], [3]),
    (["--stub", "-", "--method=GET"], [1, 3, 5]),
    (["--note", "deprecated"], [3]),
    (["--outcome", "client_left"], []),
    (["--since", "3"], [4, 5]),
])  # fmt: skip
def test_requests_can_be_filtered(
    run: Run, busy: str, filters: list[str], numbers: list[int]
) -> None:
    status, out, _ = run("requests", "--url", busy, *filters)

    assert status == 0
    assert [int(line.split()[0]) for line in out] == numbers


def test_the_number_of_requests_not_shown_is_reported(run: Run, busy: str) -> None:
    status, out, err = run("requests", "--url", busy, "--limit", "2")

    assert (status, [line.split()[0] for line in out]) == (0, ["4", "5"])
    assert err == ["mockpets: earlier requests not shown: 3; raise --limit to see more"]


def test_an_empty_request_log_is_reported_with_its_session(run: Run, url: str) -> None:
    message = "mockpets: no matching requests in session "

    assert run("requests", "--url", url) == (0, [], [f"{message}default"])
    absent = [f"{message}w3; this session does not exist yet"]
    assert run("requests", "--url", url, "--session", "w3") == (0, [], absent)


def test_an_outcome_other_than_sent_is_listed_before_the_notes(run: Run, url: str) -> None:
    with pytest.raises(IncompleteRead):
        front_end(url)("GET", "/v1/pets/1", scenario="truncated")
    _, [line], _ = run("requests", "--url", url, "--outcome", "broken")

    assert re.search(r" 200  .* ms  \S+  broken; fault truncated_body; ", line), line
    assert line.count("; fault ") == 1, line


def test_an_invalid_filter_is_status_1(run: Run, url: str) -> None:
    status, out, err = run("requests", "--url", url, "--outcome", "clientleft")

    assert (status, out) == (1, [])
    assert err == [
        "mockpets: outcome must be one of pending, sent, client_left, broken, "
        "got 'clientleft'; did you mean 'client_left'?"
    ]


def test_recorded_requests_are_printable(run: Run, url: str) -> None:
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


def test_requests_as_har(run: Run, busy: str) -> None:
    status, out, err = run("requests", "--url", busy, "--har", "--status=4xx")
    har = json.loads("\n".join(out))

    assert (status, err, har["log"]["version"]) == (0, [], "1.2")
    assert [entry["response"]["status"] for entry in har["log"]["entries"]] == [400]


def test_requests_can_be_cleared(run: Run, busy: str) -> None:
    assert run("requests", "--url", busy, "--clear") == (0, ["cleared 5"], [])
    assert ControlClient(busy).requests() == []


# --- On a terminal, and following -------------------------------------------------------------


@posix
def test_a_long_line_is_wrapped_on_a_terminal(busy: str) -> None:
    terminal, inner = os.openpty()
    try:
        with program("requests", "--url", busy, stdout=inner) as process:
            _, err = process.communicate(timeout=SECONDS)
        lines = os.read(terminal, 65536).decode().splitlines()
    finally:
        os.close(inner)
        os.close(terminal)

    assert (process.returncode, err, max(map(len, lines)) <= 80) == (0, "", True)
    starts = [line[:4] for line in lines]
    assert [start for start in starts if start.strip()] == [f"{n:>4}" for n in range(1, 6)]
    assert len(lines) > 5, "the notes are on lines of their own"


@contextmanager
def following(url: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    with program("requests", "--url", url, "--follow", *options) as process:
        try:
            yield process
        finally:
            process.kill()


STOP = "Ctrl-C to stop"


def followed(process: subprocess.Popen[str]) -> str:
    """Return its first line on stderr."""
    return _line(process, process.stderr)


def next_line(process: subprocess.Popen[str]) -> str:
    return _line(process, process.stdout)


def _line(process: subprocess.Popen[str], stream: IO[str] | None) -> str:
    """Return the next line of a process; kill the process if it prints none in `SECONDS`."""
    assert stream is not None
    timer = Timer(SECONDS, process.kill)
    timer.start()
    line = stream.readline()
    timer.cancel()
    assert line, f"no line within {SECONDS} s, or the process has ended"
    return line


@posix
def test_following_continues_after_reset_and_restart_until_ctrl_c() -> None:
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",))) as server:
        url, port = server.url, urlsplit(server.url).port
        assert port is not None
        front_end(url)("GET", "/v1/pets?limit=1")
        process = program("requests", "--url", url, "--follow", "--method", "GET")
        try:
            assert followed(process) == f"mockpets: following session default of {url}; {STOP}\n"
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

    assert gone == f"mockpets: {url}/v1 stopped responding; trying again until it responds\n"
    assert (process.returncode, out, err.strip()) == (130, "", "")


@posix
def test_following_reports_its_session(url: str) -> None:
    ControlClient(url).make_session("worker-3")
    with following(url, "--session", "wroker-3") as process:
        missing = "this session does not exist yet, did you mean 'worker-3'?"
        line = followed(process)
        assert line == f"mockpets: following session wroker-3 of {url}; {STOP}; {missing}\n"
        front_end(url)("GET", "/~wroker-3/v1/pets")
        assert "GET " in next_line(process)
    for each in ("worker-3", "wroker-3"):
        ControlClient(url).drop_session(each)


@posix
def test_following_as_json_prints_one_line_per_request_immediately(url: str) -> None:
    with following(url, "--json", "--operation", "listPets") as process:
        call = front_end(url)
        call("GET", "/v1/pets/1")
        call("GET", "/v1/pets")
        assert json.loads(next_line(process))["operation"] == "listPets"


HELD = {
    "description": "Lists are held.",
    "stubs": [{"match": {"operation": "listPets"}, "hold": "door"}],
}


def get(wire: Wire, path: str) -> None:
    wire.get(path, "Authorization: Bearer mockpets")


def wait_for_pending(control: ControlClient, count: int) -> None:
    """Wait until this many responses are pending."""
    while (request_log := control.request_log(outcome="pending"))["total"] != count:
        assert control.events(request_log["change"], SECONDS)["changed"]


@posix
@pytest.mark.parametrize("is_left", [True, False], ids=["left", "sent"])
def test_following_shows_a_pending_request_again_when_its_response_ends(
    url: str, is_left: bool
) -> None:
    control = ControlClient(url)
    control.use(HELD)
    with following(url) as process, Wire(urlsplit(url).port or 0) as wire:
        followed(process)
        get(wire, "/v1/pets?limit=7")
        line = next_line(process)
        assert re.search(r"  \.\.\.  .* pending; held at door for [0-9.]+ s\n$", line), line
        front_end(url)("GET", "/v1/pets/1")
        assert " /v1/pets/1 " in next_line(process)
        if is_left:
            wire.reset()
        else:
            control.open_gate("door")
        again = next_line(process)
        assert again.startswith("   1  ") and "limit=7" in again
        end = "200  .* ms  .*  (client left; )?held at door for [0-9.]+ s\n$"
        match = re.search(end, again)
        assert match and bool(match[1]) is is_left, again
        front_end(url)("GET", "/v1/pets/2")
        assert next_line(process).startswith("   3  ")


@posix
def test_following_a_kind_of_response_shows_requests_when_they_have_it(url: str) -> None:
    control = ControlClient(url)
    control.use(HELD)
    port = urlsplit(url).port or 0
    with Wire(port) as early:
        get(early, "/v1/pets?limit=1")
        wait_for_pending(control, 1)
        with following(url, "--outcome=client_left") as process, Wire(port) as late:
            followed(process)
            front_end(url)("GET", "/v1/pets/999999")  # sent, with 404
            get(late, "/v1/pets?limit=3")
            wait_for_pending(control, 2)
            late.reset()
            assert next_line(process).startswith("   3  ")
            early.reset()
            assert next_line(process).startswith("   1  ")


@posix
def test_a_closed_pipe_causes_no_traceback(busy: str) -> None:
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


def test_scenarios_lists_those_of_a_running_server(run: Run, here: Path) -> None:
    (here / "mine.yaml").write_text("description: Only mine.\n", encoding="utf-8")
    with MockpetsServer(Settings(port=0, scenarios_dir=(here,))) as server:
        expected = run("scenarios", "--scenarios-dir", str(here))
        url = server.url
        assert run("scenarios", "--url", url) == expected
        long = run("scenarios", "--url", url, "--verbose")
    gone = run("scenarios", "--url", url)
    both = run("scenarios", "--url", url, "--scenarios-dir", str(here))

    assert expected[1][:2] == ["Your own:", "  mine             Only mine."]
    assert "mine.yaml]" in "".join(long[1])
    assert gone[0] == 1
    assert both[::2] == (2, ["mockpets: --scenarios-dir: cannot be combined with --url"])
