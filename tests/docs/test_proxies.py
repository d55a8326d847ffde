"""The page about dev servers and proxies: Vite and nginx run with its configurations.

The rows of its table were measured by hand.
"""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer
from tests.docs.page import ROOT, blocks
from tests.http_client import KEY, Client, OverSocket
from tests.live.balancers import nginx_site, replaced
from tests.programs import need

pytestmark = pytest.mark.slow

PAGE: Final = ROOT / "docs" / "recipes" / "vite-and-dev-servers.md"
PLACES: Final = {
    "base path": ("/~carried/v1/pets", KEY),
    "header": ("/v1/pets", KEY | {"Mockpets-Session": "carried"}),
    "baggage": ("/v1/pets", KEY | {"baggage": "mockpets.session=carried"}),
    "key": ("/v1/pets", {"Authorization": "Bearer mockpets~carried"}),
}


def block(language: str, word: str) -> str:
    [text] = [each.text for each in blocks(PAGE) if each.language == language and word in each.text]
    return text


@contextmanager
def vite(folder: Path, config: str) -> Iterator[str]:
    """Run Vite's dev server with a configuration in a folder; yield its URL."""
    (folder / "index.html").write_text("<!doctype html><title>app</title>", encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (folder / "vite.config.js").write_text(config, encoding="utf-8")
    with subprocess.Popen(
        [need("vite"), "--clearScreen", "false", "--host", "127.0.0.1", "--port", "0"],
        cwd=folder,
        env={"PATH": str(need("node")).rpartition("/")[0], "NO_COLOR": "1"},
        stdin=subprocess.PIPE,  # Vite ends with its input
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        found = (re.search(r"(http://[\d.:]+)/", line) for line in process.stdout)
        try:
            yield next(match[1] for match in found if match)
        finally:
            process.terminate()
            process.stdout.read()


def vite_proxy(folder: Path, target: str) -> AbstractContextManager[str]:
    return vite(folder, replaced(block("js", "server: { proxy"), "http://localhost:7387", target))


def nginx_proxy(_: Path, target: str) -> AbstractContextManager[str]:
    shown, used = "127.0.0.1:7387 ", f"{urlsplit(target).netloc} "
    text = replaced(block("nginx", "upstream"), shown, used)
    return nginx_site(text.replace("localhost", "127.0.0.1"), "listen 8080;")


@pytest.mark.parametrize("proxy", [
    pytest.param(vite_proxy, marks=pytest.mark.node),
    pytest.param(nginx_proxy, marks=pytest.mark.tool),
])  # fmt: skip
def test_a_proxy_passes_the_session_on_wherever_it_is_named(
    proxy: Callable[[Path, str], AbstractContextManager[str]],
    server: MockpetsServer,
    tmp_path: Path,
) -> None:
    responses = {}
    with proxy(tmp_path, server.url) as url:
        call = Client(OverSocket(url))
        for place, (path, headers) in PLACES.items():
            response = call("GET", path, headers=headers)
            responses[place] = (response.status, response.header("Mockpets-Session"))

    assert responses == dict.fromkeys(PLACES, (200, "carried"))


@pytest.mark.node
def test_the_app_has_the_base_url_of_the_env_file(tmp_path: Path) -> None:
    for each in blocks(PAGE):
        if each.mark == "file":
            (tmp_path / each.argument).parent.mkdir(exist_ok=True)
            (tmp_path / each.argument).write_text(each.text, encoding="utf-8")
    with vite(tmp_path, "export default {};") as url:
        script = Client(OverSocket(url))("GET", "/src/api.js").text

    assert '"VITE_API_URL": "http://localhost:7387/v1"' in script
    assert "listPets" in script
