"""The shell blocks of docs/*.md, run in order as they stand; what cannot run here is named here.

curl is told where the servers of the pages stand in truth by its own configuration, so that not a
word of a block is changed for it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.settings.sources import load_settings
from tests.cli.test_main import base_of, serving
from tests.curl import run_curl
from tests.live.test_nginx import nginx
from tests.programs import need
from tests.test_compose import MOCK

PAGES = {
    path.name: path.read_text(encoding="utf-8")
    for path in (Path(__file__).parent.parent / "docs").rglob("*.md")
}
LEFT_OUT = {
    "docker build": "needs Docker; .ci/container builds with it",
    "docker compose": "needs Docker; .ci/container runs compose.yaml, test_compose.py its wiring",
    "docker run": "needs Docker; its settings are looked at below",
    "nginx -t": "it is the machine's own; below nginx runs with the page's file",
    "python3 -m venv": "the README's main job in another folder; test_readme.py runs that",
}
"""How a command begins, to why it is not run."""
SERVE = "/opt/mockpets/bin/mockpets serve "


def blocks(page: str) -> list[tuple[str, str]]:
    """What is left to run of each shell block of a page, and the output that is shown for it."""
    found = re.findall(
        r"^```sh\n(.*?)^```\n(?:```(?:json|text)\n(.*?)^```\n)?",
        PAGES[page],
        re.DOTALL | re.MULTILINE,
    )
    starts = "|".join(map(re.escape, LEFT_OUT))
    skipped = re.compile(rf"^(?:{starts})\b(?:.*\\\n)*.*\n", re.MULTILINE)
    left = [(skipped.sub("", command), output) for command, output in found]
    return [(command, output) for command, output in left if command]


def run(block: tuple[str, str], folder: Path, *curl: str) -> str:
    """Run a block and hold its output against what is shown, or else against going wrong.

    :param curl: lines of curl's configuration.
    """
    need("curl")
    (folder / ".curlrc").write_text("\n".join(['noproxy = "*"', *curl]), encoding="utf-8")
    command, output = block
    done = subprocess.run(
        ["sh", "-ec", command],
        cwd=folder,
        env={**os.environ, "CURL_HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if output:
        assert done.stdout.rstrip("\n") == output.rstrip("\n"), command
    assert '{"code":' not in done.stdout
    return done.stdout


def to(url: str) -> str:
    """Have curl connect to a server, though a page says where it stands by default."""
    return f'connect-to = "localhost:7387:localhost:{urlsplit(url).port}"'


def test_every_block_is_run_or_named() -> None:
    every = "\n".join(PAGES.values())

    # tests/docs/test_pages.py requires a comment above each block of the other pages.
    assert {page for page in PAGES if blocks(page)} >= {
        "control-api.md",
        "demo.md",
        "containers.md",
    }
    assert [start for start in LEFT_OUT if f"\n{start} " not in every] == []


@pytest.mark.parametrize("page", ["control-api.md", "containers.md"])
def test_the_calls_of_a_page_print_what_it_shows(page: str) -> None:
    """Without curl and openssl, which the next two tests run."""
    variables = {"MOCKPETS_CONTROL_TOKEN": "only-for-this-test"}
    given = MOCK["environment"] | variables if page == "containers.md" else {}
    settings = load_settings({"port": 0}, given, None)
    calls = [block for block in blocks(page) if "curl " in block[0]]
    with MockpetsServer(settings) as server:
        port = urlsplit(server.url).port or 0
        for command, output in calls:
            shown = run_curl(command.removeprefix(". ./.env\n"), port, variables)
            assert shown.rstrip("\n") == output.rstrip("\n") != "", command
    assert len(calls) == 2


@pytest.mark.tool
def test_control(tmp_path: Path) -> None:
    with MockpetsServer(Settings(port=0)) as server:
        for block in blocks("control-api.md"):
            assert block[1]
            run(block, tmp_path, to(server.url))


@pytest.mark.tool
def test_container(tmp_path: Path) -> None:
    """A server with what the first block wrote, in place of the container."""
    need("openssl")
    prepare, *ask = blocks("containers.md")
    run(prepare, tmp_path)
    [(name, token)] = re.findall(r"(\w+)=(\w+)", (tmp_path / ".env").read_text(encoding="utf-8"))
    settings = load_settings({"port": 0}, MOCK["environment"] | {name: token}, None)

    assert settings.control_token == token
    assert (tmp_path / "mock" / "scenarios").is_dir()
    with MockpetsServer(settings) as server:
        for block in ask:
            assert block[1]
            run(block, tmp_path, to(server.url))


@pytest.mark.tool
def test_demo(tmp_path: Path) -> None:
    """The server of the first block, and in front of it nginx with the page's file."""
    (serve, _), ask = blocks("demo.md")
    assert serve.startswith(SERVE)
    with serving(*shlex.split(serve.removeprefix(SERVE))) as (_, banner):
        base = base_of(banner)
        upstream, location = base.removesuffix("/mock/v1"), "/mock/"
        with nginx(upstream, location) as (port, _):
            there = f'connect-to = "demo.example:443:127.0.0.1:{port}"'

            assert len(json.loads(run(ask, tmp_path, there, "insecure"))) == 16


def test_the_demo_in_a_container_has_the_settings_of_the_one_without() -> None:
    [command] = re.findall(r"^docker run (?:.*\\\n)*.*\n", PAGES["demo.md"], re.MULTILINE)
    variables = dict(re.findall(r"-e (\w+)=(\S+)", command))
    settings = load_settings({}, variables, None)

    assert (settings.public, settings.control, settings.prefix) == (True, "off", "/mock")
    assert settings.behind_proxy == ("172.17.0.1",)
