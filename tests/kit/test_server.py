"""kit/server.js starts the server for test runners that have a global setup."""

import json
import os
import shlex
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from tests.kit.project import install_kit
from tests.pages import serving
from tests.programs import free_port, need, run_within

pytestmark = pytest.mark.node

COMMAND = shlex.join([sys.executable, "-m", "mockpets"])
SCRIPT = """\
import { startServer } from "mockpets/server";

const url = `${process.env.MOCKPETS_URL}/__mockpets/ready`;
const health = async () => {
  const response = await fetch(url).catch(() => undefined);
  return response?.status ?? "stopped";
};
try {
  const stop = await startServer(JSON.parse(process.env.OPTIONS));
  console.log("started", await health());
  if (process.env.CRASH) process.exit();
  if (process.env.SIGNAL) process.kill(process.pid, process.env.SIGNAL);
  await stop();
  console.log("after stop", await health());
} catch (error) {
  console.log(error.message);
}
"""
STATES = """\
import { webServer } from "mockpets/server";
import { states } from "./node_modules/mockpets/states.js";

webServer({ args: "--scenarios-dir own --scenarios-dir missing" });
console.log(states({ only: ["empty", "tired-cat"] }).map(({ name }) => name).join());
console.log(states().filter(({ name }) => name === "empty").length);
"""
VITEST_CONFIG = """\
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globalSetup: ["server.ts"], setupFiles: ["mockpets/vitest"], hookTimeout: 60_000 },
});
"""
VITEST_SERVER = """\
import { startServer } from "mockpets/server";
const { COMMAND: command, URL: url } = process.env;
export default () => startServer({ command, url: url || undefined });
"""
VITEST_TEST = """\
import { expect, test } from "vitest";
import { useMockpets } from "mockpets/vitest";

const mock = useMockpets("empty");

test("the server is running", async () => {
  expect(await mock.pets.all()).toEqual([]);
});
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    install_kit(tmp_path)
    (tmp_path / "main.mjs").write_text(SCRIPT)
    return tmp_path


def free_url() -> str:
    return f"http://localhost:{free_port()}"


def wait_until_stopped(url: str) -> None:
    """Wait, because a killed process closes its port a moment later."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("localhost", urlsplit(url).port or 0), timeout=5).close()
        except ConnectionRefusedError:
            return
        except ConnectionResetError:
            pass  # the server closed its port while this connection waited
    pytest.fail(f"{url} still responds")


def start(folder: Path, options: Mapping[str, Any], **variables: str) -> str:
    """Run the script without the variables of this machine's CI; return its output."""
    variables = {"CI": "", "OPTIONS": json.dumps(options), **variables}
    done = run_within(120, folder, need("node"), "main.mjs", **variables)
    return done.stdout + done.stderr


def test_the_server_runs_until_it_is_stopped(project: Path) -> None:
    output = start(project, {"command": COMMAND}, MOCKPETS_URL=free_url())

    assert [line for line in output.splitlines() if "info:" not in line] == [
        "started 200",
        "after stop stopped",
    ]


@pytest.mark.parametrize(
    "end", [{"SIGNAL": "SIGINT"}, {"SIGNAL": "SIGHUP"}, {"SIGNAL": "SIGQUIT"}, {"CRASH": "1"}]
)
def test_the_server_stops_if_the_process_ends(project: Path, end: dict[str, str]) -> None:
    url = free_url()
    output = start(project, {"command": COMMAND}, MOCKPETS_URL=url, **end)

    assert output.startswith("started 200\n")
    wait_until_stopped(url)


def test_a_running_server_is_used_and_stays(project: Path) -> None:
    """In CI too, because MOCKPETS_URL names it."""
    with MockpetsServer(Settings(port=0, sessions="declared")) as server:
        for variables in ({}, {"CI": "1"}):
            output = start(
                project, {"command": "no-such-command"}, MOCKPETS_URL=server.url, **variables
            )
            assert output.splitlines() == ["started 200", "after stop 200"]


def test_a_running_server_with_other_options_is_one_warning(project: Path) -> None:
    """The options in `args` are those that the tests expect, and the files in its folders."""
    files = {
        "served": {"same": "a", "tired-cat": "a", "default": "a"},
        "own": {"same": "a", "tired-cat": "b", "empty": "a", "new": "b"},
    }
    for folder, texts in files.items():
        (project / folder).mkdir()
        for name, text in texts.items():
            (project / folder / f"{name}.yaml").write_text(f"description: {text}\nstubs: []\n")
    settings = Settings(
        port=0,
        api_key=("*",),
        seed=4,
        locale="de_DE",
        delay=0.001,
        data=("pets=5",),
        scenario=("empty",),
        scenarios_dir=(project / "served",),
    )
    with MockpetsServer(settings) as server:
        args = "--seed=4 --scenarios-dir 'own' --delay 1ms --locale fr_FR --max-records 9"
        options = {"args": f"{args} --data=pets=2 --data orders=2 --data 'pets=3'"}
        (project / "node_modules/mockpets/scenarios.js").write_text(
            'export const scenarios = [{ name: "empty" }, { name: "listed" }];'
        )
        url = server.url
        output = start(project, options, MOCKPETS_URL=url)

    assert output.splitlines() == [
        "started 200",
        "after stop 200",
        f"mockpets: the tests use the server that was already running at {url}, which differs "
        "from the one they would start: it has --data pets=5, it has --locale de_DE, "
        "it has --api-key *, it lacks --sessions declared, it lacks --locale fr_FR, "
        "it lacks --data pets=3, it lacks --data orders=2, it lacks the scenario 'listed', "
        "it lacks the scenario 'new', its scenario 'default' has another text, "
        "its scenario 'tired-cat' has another text, its scenario 'empty' has another text; "
        "stop it, so that the tests start their own, "
        "or add its options to 'args' in the configuration",
    ]


def test_a_running_server_that_was_not_named_is_an_error_in_ci(project: Path) -> None:
    with MockpetsServer(Settings(port=0)) as server:
        url = server.url
        output = start(project, {"url": url}, CI="1", MOCKPETS_URL="")

    hint = "in CI, stop it, or set MOCKPETS_URL to use it"
    assert output == f"mockpets is already running at {url}; {hint}\n"


@pytest.mark.parametrize("body", ["OK", "{}", '{"status": "ok", "version": "9"}'])
def test_another_server_at_the_url_is_an_error(project: Path, body: str) -> None:
    with serving(lambda *_: ("application/json", body)) as url:
        output = start(project, {"command": COMMAND}, MOCKPETS_URL=url)

    hint = "stop it, or set MOCKPETS_URL to another port"
    assert output == f"the server at {url} is not mockpets (status 200); {hint}\n"


def test_playwright_prints_how_to_install_a_missing_command(project: Path) -> None:
    """It prints only what the command prints, and starts no command if a server is running."""
    script = """
        import { spawnSync } from "node:child_process";
        import { webServer } from "mockpets/server";
        const options = { shell: true, encoding: "utf8" };
        const { status, stderr } = spawnSync(webServer().command, options);
        console.log(status, stderr.trim());
        const args = ["--scenarios-dir", "my mocks"];
        const data = { pets: "my pets.json", orders: 0 };
        const { command } = webServer({ command: "uvx mockpets", args, data, now: "2031-01-01" });
        console.log(command.split(" serve ")[0], command.split(" quiet ")[1]);
    """
    path = os.pathsep.join(["/usr/bin", "/bin"])
    output = run_within(
        120, project, need("node"), "--input-type=module", "--eval", script, PATH=path
    )

    assert output.stdout.splitlines() == [
        "127 mockpets is not on the PATH. Install it, activate its virtual environment, or name "
        "its command with webServer({ command }).",
        'uvx mockpets --scenarios-dir "my mocks" --data "pets=my pets.json" --data "orders=0" '
        '--now "2031-01-01"',
    ]


@pytest.mark.parametrize(("options", "messages"), [
    ({"command": "no-such-command"},
     ["'no-such-command serve --port ", "ended with status 127:", "no-such-command: not found",
      "install mockpets, or name its command with the option 'command'"]),
    ({"command": COMMAND, "args": "--scenario emtpy"},
     ["ended with status 2:\nmockpets: ", "did you mean 'empty'?"]),
    ({"args": "--port 1"}, ["name the port in 'url' or MOCKPETS_URL, not in 'args'\n"]),
])  # fmt: skip
def test_a_server_that_does_not_start_is_explained(
    project: Path, options: dict[str, str], messages: list[str]
) -> None:
    output = start(project, options, MOCKPETS_URL=free_url())

    assert [message for message in messages if message not in output] == [], output


@pytest.mark.parametrize("named", [pytest.param("variable", marks=pytest.mark.long), "option"])
def test_vitest_starts_and_stops_the_server_that_its_tests_use(project: Path, named: str) -> None:
    url = free_url()
    in_option = {"URL": url, "MOCKPETS_URL": free_url()}
    urls = in_option if named == "option" else {"URL": "", "MOCKPETS_URL": url}
    (project / "vitest.config.mts").write_text(VITEST_CONFIG)
    (project / "server.ts").write_text(VITEST_SERVER)
    (project / "pets.test.ts").write_text(VITEST_TEST)
    for _ in range(2):  # the port is free again
        command = (need("vitest"), "run", "--no-color")
        output = run_within(120, project, *command, COMMAND=COMMAND, **urls)
        assert "1 passed" in output.stdout, output


def test_states_has_the_scenarios_of_the_server_that_playwright_starts(project: Path) -> None:
    """With the npm package, no file lists the names of your own."""
    (project / "own").mkdir()
    for name in ("tired-cat.YAML", "empty.json", ".hidden.yaml", "Not Valid.yaml", "notes.md"):
        (project / "own" / name).touch()
    (project / "main.mjs").write_text(STATES)

    assert start(project, {}) == "empty,tired-cat\n1\n"
