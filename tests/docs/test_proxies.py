"""The page about dev servers and proxies: Vite and nginx with its configurations.

The rows of the other proxies were measured by hand.
"""

from __future__ import annotations

import re
from contextlib import contextmanager, nullcontext
from http.client import HTTPConnection, HTTPException, IncompleteRead
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import pytest

from mockpets.client import ControlClient
from tests.docs.page import ROOT, blocks
from tests.docs.vite import running_vite
from tests.live.balancers import nginx_site, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from mockpets import MockpetsServer

pytestmark = pytest.mark.slow

PAGE: Final = ROOT / "docs" / "recipes" / "vite-and-dev-servers.md"
KEY: Final = {"Authorization": "Bearer mockpets"}
SECONDS: Final = 20
UNENDING_SECONDS: Final = 3
"""How long a client waits for the rest of a body that never ends."""
NAMES: Final = (
    pytest.param("Vite", marks=pytest.mark.node),
    pytest.param("nginx", marks=pytest.mark.tool),
)


def block(language: str, word: str) -> str:
    [text] = [each.text for each in blocks(PAGE) if each.language == language and word in each.text]
    return text


def vite(target: str) -> AbstractContextManager[str]:
    """Run Vite with the page's configuration."""
    config = block("js", "server: { proxy")
    return running_vite(replaced(config, "http://localhost:7387", target))


def proxy(name: str, target: str) -> AbstractContextManager[str]:
    """Run a proxy of the page in front of a server."""
    if name == "Vite":
        return vite(target)
    if name == "nginx":
        shown, used = "127.0.0.1:7387 ", f"{urlsplit(target).netloc} "
        text = replaced(block("nginx", "upstream"), shown, used)
        return nginx_site(text.replace("localhost", "127.0.0.1"), "listen 8080;")
    assert name == "direct"
    return nullcontext(target)


@contextmanager
def sent(
    url: str, path: str, headers: dict[str, str] = KEY, seconds: float = SECONDS
) -> Iterator[HTTPConnection]:
    """Send a GET; yield the connection."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=seconds)
    try:
        connection.request("GET", path, headers=headers)
        yield connection
    finally:
        connection.close()


# --- The table --------------------------------------------------------------------------------


def row(name: str) -> list[str]:
    """Return the cells of a row of the table, without its head."""
    [line] = re.findall(rf"^\| ({name}\b.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    cells: list[str] = line.split(" | ")[1:]
    assert len(cells) == 4
    return cells


def broken(url: str, session: str) -> str:
    with sent(url, f"/~{session}/v1/pets") as connection:
        try:
            response = connection.getresponse()
        except (OSError, HTTPException):
            return "broken connection"
        kind = "HTML" if response.headers.get_content_type() == "text/html" else "text"
        return f"{response.status}, {kind if response.read() else 'empty'}"


def cut(url: str, session: str) -> str:
    with sent(url, f"/~{session}/v1/pets", seconds=UNENDING_SECONDS) as connection:
        response = connection.getresponse()
        try:
            response.read()
        except IncompleteRead:
            return "ends early"
        except TimeoutError:
            return "never ends"
        return "ends"


def is_throttled(url: str, session: str) -> bool:
    with sent(url, f"/~{session}/v1/pets") as connection:
        response = connection.getresponse()
        pieces = 0
        while response.read1(1 << 16):
            pieces += 1
        return pieces > 3


def aborted(url: str, session: str, client: ControlClient) -> str:
    """Abort a held request; return what the request log has then."""
    with sent(url, f"/~{session}/v1/pets"):
        client.gate("loading").held()
    client.verify({"operation": "listPets", "outcome": "client_left"}, times=1, within="20s")
    return "`client_left`"


@pytest.mark.parametrize("name", ["direct", *NAMES])
def test_what_a_proxy_changes(name: str, server: MockpetsServer) -> None:
    with proxy(name, server.url) as url:
        clients = {
            scenario: ControlClient(server.url, f"{name.lower()}-{scenario}")
            for scenario in ("offline", "truncated", "slow-body", "loading")
        }
        for scenario, client in clients.items():
            client.use(scenario)
        measured = [
            broken(url, f"{name.lower()}-offline"),
            cut(url, f"{name.lower()}-truncated"),
            aborted(url, f"{name.lower()}-loading", clients["loading"]),
        ]
        assert is_throttled(url, f"{name.lower()}-slow-body")
        requests = clients["offline"].requests()

    assert measured == row(name)[:3]  # the last column is about a proxy's own connections
    assert len(requests) == 1  # it is not sent again


@pytest.mark.node
def test_the_app_has_the_base_url_of_the_env_file() -> None:
    files = {each.argument: each.text for each in blocks(PAGE) if each.mark == "file"}
    with running_vite("export default {};", files) as url, sent(url, "/src/api.js", {}) as request:
        script = request.getresponse().read().decode()

    assert '"VITE_API_URL": "http://localhost:7387/v1"' in script
    assert "listPets" in script


CARRIERS: Final = {
    "base path": ("/~carried/v1/pets", KEY),
    "header": ("/v1/pets", KEY | {"Mockpets-Session": "carried"}),
    "baggage": ("/v1/pets", KEY | {"baggage": "mockpets.session=carried"}),
    "key": ("/v1/pets", {"Authorization": "Bearer mockpets~carried"}),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_proxy_passes_each_carrier_on(name: str, server: MockpetsServer) -> None:
    responses = {}
    with proxy(name, server.url) as url:
        for carrier, (path, headers) in CARRIERS.items():
            with sent(url, path, headers) as connection:
                response = connection.getresponse()
                response.read()
            responses[carrier] = (response.status, response.headers["Mockpets-Session"])

    assert responses == dict.fromkeys(CARRIERS, (200, "carried"))
