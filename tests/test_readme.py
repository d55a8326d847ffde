"""The README's commands, run as they stand, in a copy of the checkout and a fresh environment."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockpets import Settings, create_app
from mockpets.client import ControlClient
from mockpets.constants import CONTROL_PREFIX
from tests.cases import each as for_each
from tests.http_client import Client, InProcess
from tests.programs import need
from tests.routes import complete_app

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def marked(mark: str) -> list[tuple[str, str]]:
    """The shell blocks below a comment, each with the block of its output, if it has one."""
    pattern = rf"<!-- {mark} -->\n```sh\n(.*?)```\n(?:```(?:json|text)\n(.*?)```\n)?"
    return re.findall(pattern, README, re.DOTALL)


LEFT_BEHIND = {".git", ".venv", "__pycache__", "build", "dist", "node_modules", ".hypothesis"}
LEFT_BEHIND |= {".mypy_cache", ".pytest_cache", ".ruff_cache"}
"""Folders that a clone does not have."""


def files_of_a_clone() -> list[Path]:
    """Return the files that git knows, or without git and its data, as in an archive, all."""
    if git := shutil.which("git"):
        command = [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if "README.md" in (names := listed.stdout.split("\0")):
            return [Path(name) for name in names if name]
    files = []
    for folder, inner, names in os.walk(ROOT):
        inner[:] = {*inner} - LEFT_BEHIND
        files += [Path(folder, name).relative_to(ROOT) for name in names]
    return files


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a clone has."""
    folder = tmp_path_factory.mktemp("clone")
    for name in files_of_a_clone():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
    return number


@pytest.fixture(
    scope="module", params=["this environment", pytest.param("a new one", marks=pytest.mark.slow)]
)
def banner(checkout: Path, port: int, request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the main job as the README has it, on a free port, and return what it prints."""
    [(command, _)] = marked("the main job")
    if request.param == "this environment":
        install, command = command.rsplit(" && ", 1)
        assert install.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        (checkout / ".venv").symlink_to(sys.prefix)
    # The environment of someone who has nothing of ours installed or set.
    path = os.pathsep.join([str(Path(sys.base_prefix) / "bin"), *os.defpath.split(os.pathsep)])
    keep = {"HOME", "LANG", "PIP_INDEX_URL", "PIP_FIND_LINKS", "PIP_CONFIG_FILE"}
    environment = {name: value for name, value in os.environ.items() if name in keep}
    environment |= {"PATH": path, "MOCKPETS_PORT": str(port)}
    with subprocess.Popen(
        ["sh", "-c", command],
        cwd=checkout,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        lines = []
        try:
            for line in process.stdout:
                lines.append(line)
                if "Ctrl-C" in line:
                    break
            assert process.poll() is None, "".join(lines)
            yield "".join(lines)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
        # Ctrl-C also ends the shell; `tests/cli/test_main.py` checks our own exit status.
        assert process.wait(timeout=20) in (0, -signal.SIGINT)
    if request.param == "this environment":
        (checkout / ".venv").unlink()  # so that the next one is not made inside it
    else:
        shutil.rmtree(checkout / ".venv")


Shell = Callable[[str], str]


@pytest.fixture
def shell(banner: str, checkout: Path, port: int) -> Shell:
    """Return a function that runs a block of the README and returns its output."""
    assert banner
    need("curl")

    def run(block: str) -> str:
        command = ["sh", "-c", block.replace("localhost:7387", f"localhost:{port}")]
        done = subprocess.run(
            command, cwd=checkout, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.tool  # curl
def test_the_main_job_prints_a_curl_that_works(banner: str, shell: Shell, port: int) -> None:
    [curl] = re.findall(r"^\s*(curl .*)$", banner, re.MULTILINE)

    assert f"http://localhost:{port}/v1" in curl
    assert "empty" in banner
    assert isinstance(json.loads(shell(curl)), list)


@pytest.mark.tool  # curl
def test_the_tour(shell: Shell, port: int) -> None:
    tour = marked("tour")
    for session in ("default", "my-test"):  # another shell may have run the tour
        ControlClient(f"http://localhost:{port}", session).reset()

    assert len(tour) == 2
    for command, output in tour:
        assert shell(command).rstrip("\n") == output.rstrip("\n"), command
    for command, output in marked("tour command"):
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command)],
            env={**os.environ, "MOCKPETS_PORT": str(port)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout == output, command
    ControlClient(f"http://localhost:{port}").use("empty")  # as the other tests expect


def test_the_own_scenario_keeps_orders_and_lacks_a_pet(tmp_path: Path) -> None:
    [text] = re.findall(r"<!-- own scenario -->\n```yaml\n(.*?)```", README, re.DOTALL)
    (tmp_path / "shop.yaml").write_text(text, encoding="utf-8")
    call = Client(InProcess(create_app(Settings(scenarios_dir=(tmp_path,), scenario=("shop",)))))

    created = call("POST", "/v1/orders", json_body={"petId": 7})
    assert (created.status, created.json) == (201, {"petId": 7, "id": 1})
    assert call("PATCH", "/v1/orders/1", json_body={"petId": 8}).json == {"petId": 8, "id": 1}
    assert call("GET", "/v1/orders").json == [{"petId": 8, "id": 1}]
    assert call("DELETE", "/v1/orders/1").status == 204
    assert [call("GET", f"/v1/pets/{number}").status for number in (3, 4)] == [404, 200]


def test_the_test_command_is_one_line_that_ends_in_pytest() -> None:
    """`.ci/run` runs it as it stands; a test that ran it would run itself."""
    [(command, _)] = marked("the test command")

    assert command.count("\n") == 1
    assert command.rstrip().endswith(".venv/bin/pytest")


@for_each("page", PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_control_paths_named_exist() -> None:
    client = create_app(Settings()).test_client()
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    paths = set(re.findall(rf"`GET ({CONTROL_PREFIX}/[a-z./]+)`", text))

    assert paths
    for path in paths:
        assert client.get(path).status_code == 200, path


def test_every_call_of_the_control_api_is_in_its_reference() -> None:
    """And nothing else is there."""
    text = (ROOT / "docs" / "reference" / "control-api.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"`(GET|PUT|POST|PATCH|DELETE) ([a-z./A-Z-]+)`", text))
    rules = complete_app(Settings(public=True)).url_map.iter_rules()
    there = {
        (method, rule.rule.removeprefix(CONTROL_PREFIX + "/"))
        for rule in rules
        for method in (rule.methods or set()) - {"HEAD"}
        if rule.rule.startswith(CONTROL_PREFIX + "/")
    }
    places = {"<name>": "NAME", "<id>": "ID", "<record>": "ID", "<number>": "NUMBER"}
    named = {
        (method, re.sub("<[a-z]+>", lambda found: places[found[0]], path))
        for method, path in there
        if path and not path.startswith("panel/")
    }

    assert shown == named
