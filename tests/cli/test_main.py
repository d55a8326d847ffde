"""The command line, in this process and in a child process."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from importlib.metadata import version
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import pytest
from click import Context
from openapi_spec_validator import validate

from mockpets.cli.main import _commands, main
from mockpets.constants import HEALTH_PATH, NEEDS
from mockpets.contract.pet_store import PET_STORE
from mockpets.interface import Incoming, Reply
from mockpets.packaged_data import shipped
from mockpets.seed.generator import generate
from mockpets.server import MockpetsServer
from mockpets.settings import Settings
from mockpets.settings.settings_table import rows
from mockpets.version import FULL_VERSION
from tests.http_client import Client, OverSocket
from tests.pet_store import PETS
from tests.server.query_app import FunctionApp

SECONDS = 20
"""The time limit for every step, in seconds."""

Run = Any
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
posix = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")


class Program(subprocess.Popen[str]):
    """A command in a child process."""

    read = ""
    """What `serving` has read of its log, without the line about the start."""

    def communicate(self, *arguments: Any, **options: Any) -> tuple[str, str]:
        """Wait for its end; return its output and its log."""
        out, err = super().communicate(*arguments, **options)
        return out, self.read + (err or "")


def program(*arguments: str, **options: Any) -> Program:
    """Start a command in a child process."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return Program(
        [sys.executable, "-W", "error", "-m", "mockpets", *arguments], text=True, **pipes
    )


# --- Usage ------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["help"], ["help", "help"]])
def test_help_lists_the_commands(run: Run, arguments: list[str]) -> None:
    status, out, err = run(*arguments)

    listed = {line.split()[0] for line in out if re.match("  [a-z]", line)}
    assert {"fixture", "health", "openapi", "scenarios", "serve"} <= listed
    assert (status, err) == (0, [])


REPEATED = (
    "--url: is given more than once; pass one; 'sessions', 'requests', 'report' and 'reset' accept "
    "several"
)
REPEATING = [
    [*command.split(), "--url", "http://localhost:1", "--url", "http://localhost:2"]
    for command in ("use empty", "health", "scenarios", "pets", "sessions drop w1", "mcp")
]


@pytest.mark.parametrize("argument", ["--version", "-V"])
def test_version(run: Run, argument: str) -> None:
    assert run(argument) == (0, [f"mockpets {FULL_VERSION}"], [])
    assert FULL_VERSION.startswith(version("mockpets"))


@pytest.mark.parametrize(("arguments", "message"), [
    (["serv"], "serv: unknown command; did you mean 'serve'?"),
    (["hepl"], "hepl: unknown command; did you mean 'help'?"),
    (["version"], "version: unknown command; did you mean '--version'?"),
    (["help", "serv"], "serv: unknown command; did you mean 'serve'?"),
    (["serve", "--prot", "1"], "--prot: unknown option; did you mean '--port'?"),
    (["serve", "--xyzzy"], "--xyzzy: unknown option; see 'mockpets serve --help'"),
    (["--port", "7401"], "--port: unknown option; see 'mockpets --help'"),
    (["requests", "--limit", "0"], "--limit: must be an integer of 1 or more, got '0'"),
    (["requests", "--limit", "٣"], "--limit: must be an integer of 1 or more, got '٣'"),
    (["serve", "--port", "70000"], "--port: must be an integer from 0 to 65535, got '70000'"),
    (["scenarios", "--config", "x"], "--config x: file not found; check the path"),
    *((words, REPEATED) for words in REPEATING),
    (["serve", "--port"], "Option '--port' requires an argument"),
    (["serve", "--public=1"], "Option '--public' does not take a value"),
    (["new"], "Missing argument 'NAME'; see 'mockpets new --help'"),
    (["report", "--format=jsn"],
     "--format: 'jsn' is not one of 'text', 'github', 'json'; did you mean 'json'?"),
    (["serve", "empty"],
     "empty: 'mockpets serve' takes only options; did you mean '--scenario empty'?"),
    (["serve", "api/blog.yaml", "--port", "0"],
     "api/blog.yaml: 'mockpets serve' takes only options; did you mean "
         "'--contract api/blog.yaml'?"),
    (["scenarios", "empty"],
     "Got unexpected extra argument (empty); see 'mockpets scenarios --help'"),
    (["held", "--json", "list"],
     "Got unexpected extra argument (list); see 'mockpets held list --help'"),
    # An empty value is not an absent flag.
    (["serve", "--scenario="],
     "--scenario: must be a scenario name (a-z, 0-9, single hyphens; at most 64 "
         "characters), got ''"),
    (["serve", "--scenario", ",".join(f"s{n}" for n in range(30)), "--scenario", "f,g,h"],
     "--scenario: must have at most 32 values, got 33"),
])  # fmt: skip
def test_a_usage_error_is_one_line_and_status_2(
    run: Run, arguments: list[str], message: str
) -> None:
    assert run(*arguments) == (2, [], [f"mockpets: {message}"])


def test_the_error_for_a_command_unlike_any_other_lists_all(run: Run) -> None:
    status, _, [line] = run("xyzzy")

    assert status == 2
    assert line.startswith("mockpets: xyzzy: unknown command; available commands: ")
    assert "serve" in line


@pytest.mark.parametrize("arguments", [
    ["\x1b[31mx\ny"], ["serve", "x\ny"], ["serve", "--x\ny"], ["serve", "--port=\x1b[31m"],
    ["serve", "--api-key=\n"], ["serve", "--config", "/x\n"], ["report", "--format", "\n\u202e"],
    ["health", "--url", "http://a\nb"], ["scenarios", "--config", "odd.toml"], ["serve", "\udcff"],
])  # fmt: skip
def test_an_error_message_is_one_printable_line(
    capsys: pytest.CaptureFixture[str], here: Path, arguments: list[str]
) -> None:
    (here / "odd.toml").write_text('"\\u001b[31mx\\ny" = 1\n', encoding="utf-8")

    assert main(arguments) == (1 if arguments[0] == "health" else 2)
    out, err = capsys.readouterr()
    assert (out, err[-1]) == ("", "\n")
    assert err[:-1].isprintable()


HEAVY = {"faker", "flask", "marshmallow", "waitress", "werkzeug", "yaml"}
CLIENT = {"http.client", "mockpets.client.client"}
SETTINGS = {"mockpets.settings.settings_table", "mockpets.cli.options"}
OTHERS = {"mockpets.cli.control", "mockpets.cli.file_commands", "mockpets.cli.serve"}


@pytest.mark.parametrize(("arguments", "unwanted"), [
    (["--help"], HEAVY | CLIENT | SETTINGS | OTHERS | {"logging", "tomllib", "mockpets.kit_files"}),
    (["--version"], HEAVY | CLIENT | SETTINGS | OTHERS | {"importlib.metadata"}),
    (["serve", "--help"], HEAVY | CLIENT),
    (["health", "--port=1"], HEAVY | OTHERS | {"logging", "tomllib", "mockpets.kit_files"}),
    (["use", "empty", "--url=http://127.0.0.1:1"],
     HEAVY | OTHERS | {"logging", "tomllib", "mockpets.contract.document"}),
])  # fmt: skip
def test_light_commands_import_nothing_heavy(arguments: list[str], unwanted: set[str]) -> None:
    script = (
        "import sys; from mockpets.cli.main import main; main(sys.argv[1:]);"
        f"print(sorted({unwanted} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )

    assert done.stderr.splitlines()[-1] == "[]"


FIRST_LIST = """
import sys
from mockpets import Settings, create_app
call = create_app(Settings(data=("pets=50",))).test_client().get
for path in sys.argv[1:]:
    response = call(path, headers={"Authorization": "Bearer mockpets"})
    assert response.status_code == 200, response.data
    print(*[
        name
        for name in ("faker", "yaml", "marshmallow", "prometheus_client", "mockpets.storage",
                     "mockpets.scenario.language.loader", "mockpets.web.control.routes")
        if name in sys.modules
    ])
"""


@pytest.mark.slow
def test_the_first_response_of_a_build_imports_only_what_it_needs(
    of_build: Mapping[str, str],
) -> None:
    pets = ["/v1/pets?limit=20&status=available", "/v1/pets/1"]
    control = ["/__mockpets/health", "/__mockpets/schema/scenario.json"]
    done = subprocess.run(
        [sys.executable, "-c", FIRST_LIST, *pets, *control],
        env=of_build,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    routes = "mockpets.web.control.routes"
    schema = f"yaml mockpets.scenario.language.loader {routes}"
    assert (done.stderr, done.stdout.splitlines()) == ("", ["", "", routes, schema])


@pytest.mark.parametrize("name", _commands.list_commands(Context(_commands)))
def test_the_overview_has_the_first_sentence_of_the_help_of_a_command(name: str) -> None:
    command = _commands.get_command(Context(_commands), name)
    (text,) = (texts[name] for texts in _commands.sections().values() if name in texts)

    assert command is not None
    assert command.get_short_help_str(200) == text


@pytest.mark.slow
def test_importing_the_package_imports_nothing_heavy() -> None:
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
def test_a_closed_pipe_causes_no_traceback(command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with program(command, stdout=writer) as process:
        os.close(writer)
        _, err = process.communicate(timeout=SECONDS)

    assert (process.returncode, err) == (1, "")


@full
def test_a_full_disk_is_reported_in_one_line() -> None:
    with Path("/dev/full").open("w") as full, program("openapi", stdout=full) as process:
        _, err = process.communicate(timeout=SECONDS)

    assert (process.returncode, err) == (1, "mockpets: No space left on device\n")


# --- Commands that print ----------------------------------------------------------------------


def test_fixture_prints_one_pet_per_line(run: Run) -> None:
    status, out, err = run("fixture", "--count=3", "--seed=7", "--locale=ja_JP")
    pets = json.loads("\n".join(out))

    assert (status, err) == (0, [])
    assert pets == list(generate(3, 7, "ja_JP"))
    assert [PET_STORE.operations["getPet"].body_problems(200, pet) for pet in pets] == [[], [], []]
    assert [out[0], out[-1], len(out)] == ["[", "]", 5]


def test_fixture_is_utf_8_in_any_terminal() -> None:
    environ = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    with program("fixture", "--locale=ja_JP", env=environ, encoding="utf-8") as process:
        out, err = process.communicate(timeout=SECONDS)

    assert (process.returncode, err) == (0, "")
    assert json.loads(out) == list(generate(16, 1, "ja_JP"))


@pytest.mark.parametrize(
    ("options", "server", "path"),
    [
        ([], "/v1", "/pets/{petId}"),
        pytest.param(["--control"], "/__mockpets", "/verify", marks=pytest.mark.slow),
    ],
)
def test_openapi_prints_a_document(run: Run, options: list[str], server: str, path: str) -> None:
    status, out, err = run("openapi", *options)
    document = json.loads("\n".join(out))

    assert (status, err) == (0, [])
    validate(document)
    assert document["servers"][0]["url"] == server
    assert path in document["paths"]


def test_scenarios_lists_name_and_description_by_group_and_files_if_verbose(
    run: Run, here: Path
) -> None:
    (here / "mine.yaml").write_text("description: Only mine.\n", encoding="utf-8")
    (here / "empty.yaml").write_text("description: My own.\n", encoding="utf-8")

    status, out, err = run("scenarios", "--scenarios-dir", here)
    groups = "\n".join(out).split("\n\n")

    assert (status, err) == (0, [])
    assert [group.partition("\n")[0] for group in groups] == [
        f"{group}:" for group in ("Your own", *NEEDS)
    ]
    assert groups[0].splitlines()[1:] == [
        "  empty            My own.",
        "  mine             Only mine.",
    ]
    assert "(shipped)" not in "".join(out)

    long = " ".join(" ".join(run("scenarios", "-v", "--scenarios-dir", here)[1]).split())
    shadowed = "scenarios/empty.yaml (shipped)"
    assert f" mine Only mine. [{here / 'mine.yaml'}] " in long
    assert f" empty My own. [{here / 'empty.yaml'} in place of {shadowed}] " in long
    assert "generated pets. [scenarios/default.yaml (shipped)] " in long


def test_scenarios_reports_broken_files_and_lists_the_others(run: Run, here: Path) -> None:
    (here / "broken.yaml").write_text("descriptoin: x\n", encoding="utf-8")

    status, out, err = run("scenarios", "--scenarios-dir", here)

    assert status == 2
    assert any(line.startswith("  default ") for line in out)
    assert not any("broken " in line for line in out)
    assert err
    assert all(line.startswith(f"mockpets: {here / 'broken.yaml'}:") for line in err)


# --- health -----------------------------------------------------------------------------------


def health_or_404(incoming: Incoming) -> Reply:
    is_health = incoming.environ["PATH_INFO"].removeprefix("/prefix") == HEALTH_PATH
    return Reply("200 OK" if is_health else "404 Not Found", [], b'{"status":"ok","version":"0"}')


alive = FunctionApp(health_or_404)
another_server = FunctionApp(lambda _: Reply("200 OK", [], b"<title>Not Found</title>"))
failing = FunctionApp(lambda _: Reply("503 Service Unavailable", []))


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    with MockpetsServer(Settings(host=("127.0.0.1",), port=0), alive) as server:
        yield server.url


@pytest.mark.parametrize(
    "suffix", ["", "/v1/", "/~w3+empty/v1", "/v1/pets", "/__mockpets/", "/prefix/v1"]
)
def test_health_finds_a_server_by_its_url(run: Run, root: str, suffix: str) -> None:
    shown = root + ("/prefix" if "prefix" in suffix else "")

    assert run("health", "--url", root + suffix) == (0, [f"mockpets: {shown} is alive"], [])


def test_health_finds_a_server_by_its_settings(
    run: Run, root: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = str(urlsplit(root).port)

    assert run("health", "--host=127.0.0.1", "--port", port)[0] == 0
    monkeypatch.setenv("MOCKPETS_PORT", port)
    monkeypatch.setenv("MOCKPETS_HOST", "0.0.0.0")  # noqa: S104 - as a container has it
    assert run("health")[0] == 0
    monkeypatch.delenv("MOCKPETS_PORT")
    monkeypatch.delenv("MOCKPETS_HOST")
    (here / "mockpets.toml").write_text(f"port = {port}\nhost = '127.0.0.1'", encoding="utf-8")
    assert run("health")[0] == 0


@pytest.mark.parametrize("url", [
    "", "ftp://localhost", "http://", "http://[::1", "http://a..b", "http://localhost:1/ü",
    "http://a\nb", "http://localhost/a b", "http://localhost\x00:1", f"http://{'a' * 64}",
    "http://localhost:99999",
])  # fmt: skip
def test_health_with_an_invalid_url(run: Run, url: str) -> None:
    status, out, [line] = run("health", "--url", url)

    assert (status, out) == (1, [])
    assert "not a valid server URL; use a URL such as http://localhost:7387, without" in line


@pytest.mark.parametrize(
    ("app", "problem"), [(failing, "with 503"), (another_server, "is not a mockpets server")]
)
def test_health_of_a_server_that_is_not_well(run: Run, app: FunctionApp, problem: str) -> None:
    with MockpetsServer(Settings(port=0), app) as server:
        status, out, [line] = run("health", "--url", server.url)

    assert (status, out) == (1, [])
    assert problem in line


def test_health_with_invalid_settings_exits_with_status_1(run: Run) -> None:
    """Health checks of containers only know 0 and 1."""
    assert run("health", "--port", "x")[0] == 1
    assert run("health", "--port", "0")[0] == 1


# --- serve ------------------------------------------------------------------------------------


@contextmanager
def serving(*arguments: str, **options: Any) -> Iterator[tuple[Program, str]]:
    """Run `serve` on a free port; yield the process and its banner.

    With a JSON log, which has no banner, the URL as a banner has it.
    """
    with program("serve", "--port", "0", *arguments, **options) as process:
        try:
            yield process, _started(process)
        finally:
            process.kill()


def _started(process: Program) -> str:
    """Read the log until the start; return the banner, or with a JSON log the URL like one."""
    if process.stderr is None:
        assert process.stdout is not None
        return "".join(iter(process.stdout.readline, "Press Ctrl-C to stop.\n"))
    while True:
        line = b""
        while not line.endswith(b"\n"):  # `communicate` does not return what a buffer has
            byte = os.read(process.stderr.fileno(), 1)
            assert byte, f"the server has stopped: {process.read}{line!r}"
            line += byte
        if b"started mockpets " in line:
            break
        process.read += line.decode()
    if line.startswith(b"{"):
        return f"at {json.loads(line)['addresses'][0]}/v1\n"
    if process.stdout is None:
        return ""
    lines = [*iter(process.stdout.readline, "Press Ctrl-C to stop.\n")]
    return "".join([*lines, "Press Ctrl-C to stop.\n"])


def logged(text: str) -> list[dict[str, Any]]:
    """Return the lines of a JSON log."""
    return [json.loads(line) for line in text.splitlines()]


def base_of(banner: str) -> str:
    [base] = re.findall(r"at (http://\S+/v1)$", banner, re.MULTILINE)
    return str(base)


def wait_until(holds: Callable[[], bool]) -> bool:
    """Poll a condition until it holds; return whether it does in time."""
    end = monotonic() + SECONDS
    while not (result := holds()) and monotonic() < end:
        Event().wait(0.05)
    return result


def get_pets(base: str, key: str) -> tuple[int, Any]:
    parts = urlsplit(base)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=SECONDS)
    try:
        connection.request("GET", PETS.path, headers={"Authorization": f"Bearer {key}"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


INTERRUPTED = """
import os, signal, sys

def interrupt(event, arguments):
    is_first = module == "first" and arguments[0] not in ours
    if event == "import" and (is_first or arguments[0] == module):
        os.kill(os.getpid(), number)

ours, number = ("mockpets", "mockpets.__main__", "_signal"), int(signal.SIGTERM)
module, state = sys.argv[1:]
sys.argv[1:] = ["serve", "--port", "0", "--state", state]
for name in ("contextlib", "signal", "typing"):  # so that importing them is an event
    sys.modules.pop(name, None)
sys.addaudithook(interrupt)
from mockpets.__main__ import main
sys.exit(main())
"""


@posix
@pytest.mark.parametrize(
    "module",
    [
        "first",
        pytest.param("unicodedata", marks=pytest.mark.slow),
        "mockpets.web.app",
        pytest.param("mockpets.storage.persistence", marks=pytest.mark.slow),
    ],
)
def test_a_signal_during_the_start_ends_it_with_status_0(tmp_path: Path, module: str) -> None:
    """Compiling a text with a named character imports unicodedata, and replaces any exception."""
    compiles = ["-X", f"pycache_prefix={tmp_path}"] if module == "unicodedata" else []
    run = subprocess.run(
        [sys.executable, *compiles, "-c", INTERRUPTED, module, str(tmp_path / "state")],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_the_banner_has_url_key_scenarios_and_curl_command() -> None:
    with serving("--scenario", "empty,slow", "--api-key", "k1,k2") as (_, banner):
        [curl] = [line for line in banner.splitlines() if line.startswith("  curl ")]
        base = base_of(banner)

    assert base.startswith("http://localhost:")
    assert shlex.split(curl) == ["curl", "-H", "Authorization: Bearer k1", f"{base}/pets"]
    assert re.search("^key +k1, k2$", banner, re.MULTILINE)
    assert re.search("^active +empty, slow$", banner, re.MULTILINE)
    assert re.search("^coding agents +run 'mockpets skill' first$", banner, re.MULTILINE)


@pytest.mark.slow
def test_serve_logs_a_setting_whose_effect_another_limits(here: Path) -> None:
    state = str(here / "x.state")
    options = "--public", "--control", "off", "--state", state, "--api-key", "*"
    with serving(*options) as (process, banner):
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=SECONDS)

    assert re.search("^key +any bearer token, such as mockpets$", banner, re.MULTILINE)
    assert " warning: --state does not save the session" in err.splitlines()[0]
    assert re.search("^[0-9]{2} scenarios: mockpets scenarios$", banner, re.MULTILINE)
    assert "coding agents" not in banner
    assert "\x1b" not in banner  # it is bold only on a terminal
    assert banner.endswith("Press Ctrl-C to stop.\n")
    assert max(map(len, banner.splitlines())) <= 80


@pytest.mark.slow
def test_the_curl_command_quotes_any_key() -> None:
    key = """a$b`c"d"it's\\e!"""
    with serving("--api-key", key) as (_, banner):
        [curl] = [line for line in banner.splitlines() if line.startswith("  curl ")]

    assert shlex.split(curl)[2] == f"Authorization: Bearer {key}"


@pytest.mark.slow
def test_the_log_of_serve_begins_with_the_shipped_files_that_are_replaced(here: Path) -> None:
    for kind, name in (("scenarios", "default"), ("scenarios", "empty"), ("more", "empty")):
        (here / kind).mkdir(exist_ok=True)
        (here / kind / f"{name}.yaml").write_text("description: My own.\n", encoding="utf-8")
    (here / "scenarios" / "mine.yaml").write_text("description: Mine.\n", encoding="utf-8")
    (here / "fixtures").mkdir()
    (here / "fixtures" / "sold-out.json").write_text("[]", encoding="utf-8")
    folders = ("--scenarios-dir", "scenarios", "--scenarios-dir", "more")
    more = ("--fixtures-dir", "fixtures", "--log", "json-quiet")
    with serving(*folders, *more) as (process, _):
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)

    warnings = [line["message"] for line in logged(err) if line["level"] == "warning"]
    shipped = "in place of scenarios/{}.yaml (shipped)"
    assert warnings == [
        f"scenario 'default' loaded: scenarios/default.yaml {shipped.format('default')}",
        "scenario 'empty' loaded: more/empty.yaml in place of scenarios/empty.yaml "
        + shipped.format("empty"),
        "fixture 'sold-out' loaded: fixtures/sold-out.json in place of fixtures/sold-out.json "
        "(shipped)",
    ]


def test_settings_reach_the_server(here: Path) -> None:
    (here / "own").mkdir()
    (here / "own" / "locked.yaml").write_text(
        "description: No key is good.\nstubs:\n  - reply: {error: unauthorized}\n", encoding="utf-8"
    )
    (here / "mockpets.toml").write_text('seed = 3\napi-key = ["a", "b"]\n', encoding="utf-8")
    environ = os.environ | {"MOCKPETS_DATA": "pets=2", "MOCKPETS_SCENARIOS_DIR": "own"}

    with serving("--host", "127.0.0.1", "--locale", "de_DE", env=environ) as (_, banner):
        base = base_of(banner)
        assert base.startswith("http://127.0.0.1:")
        assert get_pets(base, "b") == (200, list(generate(2, 3, "de_DE")))
        assert get_pets(base, "mockpets")[0] == 401
        count = 1 + len([*shipped("scenarios").iterdir()])
        assert f"{count} scenarios: mockpets scenarios --scenarios-dir own\n" in banner
    with serving("--scenario", "locked", env=environ) as (_, banner):
        assert get_pets(base_of(banner), "a")[1]["code"] == "unauthorized"


def test_an_occupied_port_is_one_line_and_status_1(run: Run) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        reserved.listen()
        port = reserved.getsockname()[1]

        assert run("serve", "--port", str(port)) == (
            1,
            [],
            [
                f"mockpets: --port {port}: already in use on 127.0.0.1; stop the other program, "
                "or choose another port with --port (0 for any free port)"
            ],
        )


def test_the_error_for_a_port_of_another_mockpets_names_it(run: Run) -> None:
    with MockpetsServer(Settings(host=("127.0.0.1",), port=0)) as server:
        port = str(urlsplit(server.url).port)

        for host in ("127.0.0.1", "0.0.0.0", "localhost"):  # noqa: S104 - as a container has it
            status, out, [line, *_] = run("serve", "--port", port, "--host", host)
            assert (status, out) == (1, [])
            assert line == (
                f"mockpets: --port {port}: already in use on {host}: another mockpets is running "
                "there; stop it, or choose another port with --port (0 for any free port)"
            )


def test_an_unknown_scenario_is_reported_with_the_nearest(run: Run) -> None:
    status, out, lines = run("serve", "--port=0", "--scenario", "emtpy")

    assert (status, out) == (2, [])
    assert lines == [
        "mockpets: --scenario: unknown scenario 'emtpy'; did you mean 'empty'?",
        "mockpets: the server did not start",
    ]


@pytest.mark.parametrize("named", ["broken", "based"], ids=["itself", "one that extends it"])
def test_the_server_does_not_start_with_a_scenario_that_needs_a_broken_file(
    run: Run, here: Path, named: str
) -> None:
    (here / "broken.yaml").write_text("description: x\nstubs: 3\n", encoding="utf-8")
    (here / "based.yaml").write_text("description: x\nextends: broken\n", encoding="utf-8")
    (here / "mockpets.toml").write_text(f'scenario = "{named}"\n', encoding="utf-8")

    for words in (["--scenario", f"empty,{named}"], []):
        status, out, err = run("serve", "--port=0", "--scenarios-dir", here, *words)
        assert (status, out) == (2, []), words
        assert any(line.startswith(f"mockpets: {here / 'broken.yaml'}:2:") for line in err), err
        assert err[-1] == "mockpets: the server did not start"


@pytest.mark.slow
def test_other_broken_scenario_files_are_warnings_at_the_start(here: Path) -> None:
    (here / "broken.yaml").write_text("description: x\nstubs: 3\n", encoding="utf-8")
    (here / "good.yaml").write_text("description: x\n", encoding="utf-8")
    broken = here / "broken.yaml"

    with serving("--scenarios-dir", str(here), "--scenario", "good") as (process, banner):
        call = Client(OverSocket(base_of(banner).removesuffix("/v1")))
        rejected = call("GET", "/v1/pets", scenario="broken")
        broken.write_text("description: x\n", encoding="utf-8")
        assert wait_until(lambda: call("GET", "/v1/pets", scenario="broken").status == 200)
        process.terminate()
        log = process.communicate(timeout=SECONDS)[1].splitlines()

    assert process.returncode == 0
    assert rejected.status == 422
    assert rejected.json["message"].startswith(f"scenario 'broken' is invalid: {broken}:2:")
    first, problem, *_ = [line.partition(" warning: ")[2] for line in log]
    assert first == "scenario 'broken' is invalid; requests that name it return 422:"
    assert problem == f"{broken}:2:8: stubs: must be a list, got 3"
    assert any("scenario 'broken' is valid again" in line for line in log)


def closed_pipe() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def full_disk() -> int:
    return os.open("/dev/full", os.O_WRONLY)


@posix
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (closed_pipe, "Broken pipe"),
        pytest.param(full_disk, "No space left on device", marks=[full, pytest.mark.slow]),
    ],
)
def test_the_server_runs_even_if_the_banner_cannot_be_printed(
    make: Callable[[], int], reason: str
) -> None:
    stdout = make()
    with program("serve", "--port", "0", stdout=stdout) as process:
        os.close(stdout)
        try:
            assert process.stderr is not None
            line = next(line for line in process.stderr if "cannot print" in line)
            status, _ = get_pets(base_of(line), "mockpets")
            process.terminate()
            _, err = process.communicate(timeout=SECONDS)
        finally:
            process.kill()

    message = f"cannot print the banner: {reason}; mockpets {version('mockpets')} serves"
    assert message in line
    assert status == 200
    assert (process.returncode, err.endswith("info: stopped\n")) == (0, True)


@pytest.mark.slow
@posix
@full
@pytest.mark.parametrize("redirects", [">/dev/full 2>/dev/full", ">&- 2>&-"])
def test_the_server_runs_even_if_stdout_and_stderr_are_broken(redirects: str) -> None:
    for _ in range(5):  # it cannot print its port, and another program may take the free one first
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = f'exec "$0" -m mockpets serve --host 127.0.0.1 --port {port} {redirects}'
        root = f"http://127.0.0.1:{port}"
        with subprocess.Popen(["sh", "-c", command, sys.executable]) as process:
            try:
                assert wait_until(partial(_alive_or_stopped, process, root))
                if process.poll() == 1:
                    continue
                process.terminate()
                assert process.wait(SECONDS) == 0
                return
            finally:
                process.kill()
    pytest.fail("the server did not start")


def _alive_or_stopped(process: subprocess.Popen[bytes], root: str) -> bool:
    return process.poll() is not None or main(["health", "--url", root]) == 0


# --- settings ---------------------------------------------------------------------------------


def test_settings_are_printed_with_their_sources(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "mockpets.toml").write_text("\nlocale = 'de_DE'\nmemory = '288MiB'\n", "utf-8")
    monkeypatch.setenv("MOCKPETS_CONTROL_TOKEN", "only-for-this-test")
    status, out, err = run("settings", "--seed", "4", "--public")
    lines = {line.split()[0]: line.split()[1:] for line in out}

    assert (status, err) == (0, [])
    assert lines.keys() == {"setting", *(row.key for row in rows())}
    assert {name: lines[name] for name in ("locale", "memory", "max-sessions", "seed")} == {
        "locale": ["de_DE", "mockpets.toml:2"],
        "memory": ["288MiB", "mockpets.toml:3"],
        "max-sessions": ["10000", "default"],
        "seed": ["4", "--seed"],
    }
    assert lines["control-token"] == ["[redacted]", "MOCKPETS_CONTROL_TOKEN"]
    assert lines["reset-every"] == ["3600s", "default"]
    assert lines["public"] == ["on", "--public"]
    assert run("settings", "--sed", "4")[0] == 2


def test_settings_as_json_have_their_types(run: Run) -> None:
    _, out, _ = run("settings", "--json", "--drain", "5s")
    values = {row["name"]: row["value"] for row in json.loads("\n".join(out))}

    assert (values["port"], values["drain"], values["public"]) == (7387, 5.0, False)
    assert values["host"] == ["127.0.0.1", "::1"]
