"""The page about dev servers and proxies: Vite and nginx run with its configurations."""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer
from mockpets.client import ControlClient
from mockpets.interface import Incoming, Reply
from tests.docs.page import ROOT, blocks
from tests.http_client import KEY, Client, OverSocket
from tests.live.balancers import nginx_site, replaced
from tests.programs import need
from tests.server.query_app import FunctionApp

pytestmark = pytest.mark.long

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


# --- What a proxy changes ---------------------------------------------------------------------

SECONDS: Final = 5
"""When a body that has not ended is taken as one that never ends."""


@contextmanager
def asking(url: str, scenario: str) -> Iterator[HTTPConnection]:
    """Send a request in a scenario; close the connection afterwards."""
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)) as connection:
        connection.request("GET", "/v1/pets", headers=KEY | {"Mockpets-Scenario": scenario})
        yield connection


def broken(url: str) -> str:
    """Return what comes in place of a broken connection, in the words of the table."""
    try:
        with asking(url, "offline") as connection, connection.getresponse() as response:
            kind = response.headers.get_content_type().removeprefix("text/").upper()
            return f"{response.status}, {kind if response.read() else 'empty'}"
    except (HTTPException, OSError):
        return "broken connection"


def cut_short(url: str) -> str:
    """Return how a body ends that is shorter than its Content-Length."""
    try:
        with asking(url, "truncated") as connection, connection.getresponse() as response:
            response.read()
    except TimeoutError:
        return "never ends"
    except (HTTPException, OSError):
        return "ends early"
    return "complete"


def left(url: str, server: MockpetsServer) -> str:
    """Return the outcome of a request whose page does not wait for the response."""
    client = ControlClient(server.url)
    client.reset()
    with asking(url, "loading"):
        client.gate("loading").held()
    client.verify({"outcome": "client_left"}, within=f"{SECONDS}s")
    [entry] = client.requests()
    return f"`{entry['outcome']}`"


def reused(open_proxy: Callable[[str], AbstractContextManager[str]]) -> str:
    """Return whether two requests arrive on one connection."""
    ports: list[str] = []

    def respond(incoming: Incoming) -> Reply:
        ports.append(incoming.environ["REMOTE_PORT"])
        return Reply("200 OK", [], b"{}")

    with (
        MockpetsServer(app=FunctionApp(respond)) as server,
        open_proxy(server.url) as url,
        closing(HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)) as connection,
    ):
        for _ in range(2):
            connection.request("GET", "/v1/pets")
            assert connection.getresponse().read() == b"{}"
    return "kept" if ports[0] == ports[1] else "not kept"


@contextmanager
def direct(_: Path, target: str) -> Iterator[str]:
    yield target


@pytest.mark.parametrize(("name", "proxy"), [
    ("direct", direct),
    pytest.param("Vite", vite_proxy, marks=pytest.mark.node),
    pytest.param("nginx", nginx_proxy, marks=pytest.mark.tool),
])  # fmt: skip
def test_the_table_shows_what_a_proxy_changes(
    name: str,
    proxy: Callable[[Path, str], AbstractContextManager[str]],
    server: MockpetsServer,
    tmp_path: Path,
) -> None:
    [row] = re.findall(rf"^\| {name} \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    with proxy(tmp_path, server.url) as url:
        cells = [broken(url), cut_short(url), left(url, server)]
    cells.append(reused(lambda target: proxy(tmp_path, target)))

    assert row.split(" | ") == cells


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
