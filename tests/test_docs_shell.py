"""The shell blocks that need Docker or the machine's nginx: what can run of them here does.

curl connects to the servers of the tests by its own configuration, so that no word is changed.
"""

import json
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer
from mockpets.settings.sources import load_settings
from tests.cli.test_main import base_of, serving
from tests.docs.page import ROOT, Block, blocks
from tests.live.test_nginx import nginx
from tests.programs import need, run
from tests.test_compose import MOCK

CONTAINERS, DEMO = (
    [block for block in blocks(ROOT / f"docs/operate/{name}.md") if block.language == "sh"]
    for name in ("containers", "demo")
)
SERVE = "/opt/mockpets/bin/mockpets serve "


def run_shown(block: Block, folder: Path, *curl: str) -> str:
    """Run a block without the lines for Docker and nginx; compare its output with the page's.

    :param curl: lines of curl's configuration.
    """
    need("curl")
    (folder / ".curlrc").write_text("\n".join(['noproxy = "*"', *curl]), encoding="utf-8")
    command = re.sub(r"^(?:docker|nginx) .*\n", "", block.text, flags=re.MULTILINE)
    done = run(folder, "sh", "-ec", command, CURL_HOME=str(folder))
    assert done.returncode == 0, done.stderr
    if block.output:
        assert done.stdout.rstrip("\n") == block.output.rstrip("\n")
    return done.stdout


@pytest.mark.tool
def test_container(tmp_path: Path) -> None:
    """A server with what the second block writes, in place of the container."""
    need("openssl")
    _, prepare, *calls = CONTAINERS
    run_shown(prepare, tmp_path)
    [(name, token)] = re.findall(r"(\w+)=(\w+)", (tmp_path / ".env").read_text(encoding="utf-8"))
    settings = load_settings({"port": 0}, MOCK["environment"] | {name: token}, None)

    assert settings.control_token == token
    assert (tmp_path / "mock" / "scenarios").is_dir()
    shown = [block for block in calls if block.output]
    assert len(shown) == 2
    with MockpetsServer(settings) as server:
        port = urlsplit(server.url).port
        for block in shown:
            run_shown(block, tmp_path, f'connect-to = "localhost:7387:localhost:{port}"')


@pytest.mark.tool
def test_demo(tmp_path: Path) -> None:
    """The server of the first block, and in front of it nginx with the page's file."""
    serve, ask, _ = DEMO
    command = serve.text.splitlines()[1]
    assert command.startswith(SERVE)
    with serving(*shlex.split(command.removeprefix(SERVE))) as (_, banner):
        base = base_of(banner)
        with nginx(base.removesuffix("/mock/v1"), "/mock/") as (port, _):
            there = f'connect-to = "demo.example:443:127.0.0.1:{port}"'

            assert len(json.loads(run_shown(ask, tmp_path, there, "insecure"))) == 16


def test_the_demo_in_a_container_has_the_settings_of_the_one_without() -> None:
    variables = dict(re.findall(r"-e (\w+)=(\S+)", DEMO[2].text))
    settings = load_settings({}, variables, None)

    assert (settings.public, settings.control, settings.prefix) == (True, "off", "/mock")
    assert settings.behind_proxy == ("172.17.0.1",)
