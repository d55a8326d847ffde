"""Run behind a real nginx with TLS and `docs/operate/nginx.conf`: contract, prefix, addresses.

nginx runs without privileges on a socket that the test opens, so the port is free and ready.
"""

import json
import os
import re
import socket
import ssl
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPSConnection
from ipaddress import ip_network
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.interface import Incoming, Reply
from mockpets.web.proxy import forwarded
from tests.http_client import KEY, Client, OverSocket
from tests.live.balancers import NGINX_FRAME
from tests.live.contract import Through, check_contract
from tests.programs import certificate, need
from tests.server.query_app import FunctionApp

pytestmark = pytest.mark.tool

CONFIG = Path(__file__).parents[2] / "docs" / "operate" / "nginx.conf"
PROXY = "127.0.0.1"
TOKEN = "only-for-this-test"
TRUSTED = (f"{PROXY}/32",)
STRANGER = "127.0.0.2"
"""Another address of this machine, which is not the proxy's."""
FORGED = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Proto": "gopher",
    "X-Forwarded-Host": "evil.test",
    "X-Forwarded-Prefix": "/evil",
    "Forwarded": "for=203.0.113.9;host=evil.test",
}


class Secure(OverSocket):
    """Calls nginx over TLS, one connection for each request.

    :param source: the client's own address.
    """

    def __init__(self, port: int, context: ssl.SSLContext, source: str = PROXY) -> None:
        super().__init__(f"https://localhost:{port}")
        self._context, self._source = context, (source, 0)

    def connect(self) -> HTTPSConnection:
        return HTTPSConnection(
            *self._address, timeout=20, context=self._context, source_address=self._source
        )


@contextmanager
def nginx(upstream: str, location: str) -> Iterator[tuple[int, ssl.SSLContext]]:
    """Run nginx in front of a server; yield its port and a context that trusts its certificate."""
    program = need("nginx")
    import pwd  # not available on Windows, where these tests are skipped

    nobody = pwd.getpwnam("nobody")
    is_root = os.geteuid() == 0
    who: dict[str, Any] = {"user": nobody.pw_uid, "group": nobody.pw_gid} if is_root else {}
    with TemporaryDirectory() as name, socket.create_server((PROXY, 0)) as listening:
        folder, port = Path(name), listening.getsockname()[1]
        if is_root:
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        both = certificate(folder, **who).name
        site = CONFIG.read_text(encoding="utf-8")
        for shown, used in (
            ("listen 443 ssl;", f"listen {PROXY}:{port} ssl;"),
            ("/etc/ssl/demo.example.pem", both),
            ("/etc/ssl/private/demo.example.key", both),
            ("location /mock/ {", f"location {location} {{"),
            ("server 127.0.0.1:7387 ", f"server {PROXY}:{urlsplit(upstream).port} "),
        ):
            assert site.count(shown) == 1, shown
            site = site.replace(shown, used)
        (folder / "site.conf").write_text(site, encoding="utf-8")
        (folder / "nginx.conf").write_text(NGINX_FRAME, encoding="utf-8")
        with subprocess.Popen(
            [program, "-p", name, "-c", "nginx.conf", "-e", "stderr"],
            cwd=folder,
            env={"NGINX": f"{listening.fileno()};"},  # how nginx inherits sockets on an upgrade
            pass_fds=[listening.fileno()],
            **who,
        ) as process:
            try:
                yield port, ssl.create_default_context(cafile=folder / both)
            finally:
                process.terminate()
        assert process.returncode == 0


@pytest.fixture(scope="module")
def mounted() -> Iterator[Client]:
    """A caller of a mock under /mock, as in the configuration."""
    with (
        MockpetsServer(Settings(port=0, behind_proxy=TRUSTED, prefix="/mock")) as server,
        nginx(f"http://{urlsplit(server.url).netloc}", "/mock/") as (port, context),
    ):
        yield Client(Secure(port, context))


# --- The contract -----------------------------------------------------------------------------


def is_rejected_by_nginx(method: str, target: str) -> bool:
    return method == "TRACE" or "%00" in target.partition("?")[0]


def test_the_contract_holds_through_nginx() -> None:
    settings = Settings(port=0, behind_proxy=TRUSTED)
    with MockpetsServer(settings) as server, nginx(server.url, "/") as (port, context):
        direct = OverSocket(server.url)
        check_contract(Client(Through(Secure(port, context), direct, is_rejected_by_nginx)))


# --- Under a prefix ---------------------------------------------------------------------------


def test_locations_and_links_keep_the_prefix(mounted: Client) -> None:
    made = mounted("POST", "/mock/v1/pets", json_body={"name": "Miso", "categoryId": 2})

    assert made.status == 201
    assert made.header("Location") == f"/mock/v1/pets/{made.json['id']}"
    got = mounted("GET", made.header("Location") or "")
    assert got.json["name"] == "Miso"
    assert re.findall("<(.*?)>", got.header("Link") or "") == [
        "/mock/v1/pets",
        "/mock/__mockpets/docs",
    ]
    assert mounted("GET", "/mock/__mockpets/docs").status == 200


# --- Client addresses -------------------------------------------------------------------------


def witness(incoming: Incoming) -> Reply:
    """Respond with the client's address and scheme as the app behind the proxy sees them."""
    forwarded(incoming.environ, [ip_network(PROXY)])
    known = ("REMOTE_ADDR", "HTTP_HOST", "SCRIPT_NAME", "wsgi.url_scheme")
    body = json.dumps([incoming.environ[name] for name in known]).encode()
    return Reply("200 OK", [("Content-Type", "application/json")], body)


@pytest.mark.parametrize("sent", [{}, FORGED], ids=["plain", "forged"])
@pytest.mark.parametrize("source", [PROXY, STRANGER])
def test_a_client_of_the_proxy_keeps_its_address(sent: dict[str, str], source: str) -> None:
    with (
        MockpetsServer(app=FunctionApp(witness)) as server,
        nginx(server.url, "/") as (port, context),
    ):
        response = Secure(port, context, source).ask("GET", "/", sent, None)

    # For a request from the proxy's own machine, values further left come from a proxy too.
    client = "203.0.113.9" if sent and source == PROXY else source
    assert response.json == [client, f"localhost:{port}", "", "https"]


# --- Delays, throttles and faults -------------------------------------------------------------


def test_a_throttled_response_is_not_buffered(tmp_path: Path) -> None:
    text = "description: Slow.\nstubs: [{throttle: 20 kB/s}]\n"
    (tmp_path / "crawl.yaml").write_text(text, encoding="utf-8")
    settings = Settings(port=0, scenarios_dir=(tmp_path,), scenario=("crawl", "full-page"))
    with MockpetsServer(settings) as server, nginx(server.url, "/") as (port, context):
        connection = Secure(port, context).connect()
        connection.request("GET", "/v1/pets?limit=100", headers=KEY)
        response = connection.getresponse()
        response.read(1)
        first = monotonic()
        rest = response.read()
        connection.close()

    assert len(rest) > 4000
    assert monotonic() - first > 0.1  # if nginx buffered it, everything would arrive at once


def test_nginx_does_not_repeat_a_request_whose_connection_breaks(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """The connections are kept, on which nginx would repeat it by default."""
    folder = tmp_path_factory.mktemp("scenarios")
    text = "description: No answer.\nstubs: [{fault: empty_reply}]\n"
    (folder / "broken-connection.yaml").write_text(text, encoding="utf-8")
    settings = Settings(port=0, behind_proxy=TRUSTED, control_token=TOKEN, scenarios_dir=(folder,))
    broken = KEY | {"Mockpets-Scenario": "broken-connection"}
    with MockpetsServer(settings) as server, nginx(server.url, "/") as (port, context):
        door = Secure(port, context)
        statuses = [
            door.ask("GET", "/v1/pets", headers, None).status
            for headers in (KEY, broken, KEY, broken)
        ]
        request_log = Client(OverSocket(server.url))("GET", "/__mockpets/requests", key=TOKEN).json

    assert statuses == [200, 502, 200, 502]
    assert [entry["status"] for entry in request_log["requests"]] == [200, None, 200, None]


def test_a_long_poll_ends_with_a_change() -> None:
    """nginx neither buffers nor times out `events`."""
    events = "/mock/__mockpets/events"
    with ExitStack() as stack:
        settings = Settings(port=0, behind_proxy=TRUSTED, prefix="/mock", control_token=TOKEN)
        server = stack.enter_context(MockpetsServer(settings))
        root = f"http://{urlsplit(server.url).netloc}"
        call = Client(Secure(*stack.enter_context(nginx(root, "/mock/"))))
        change = call("GET", events, key=TOKEN).json["change"]
        pool = stack.enter_context(ThreadPoolExecutor(1))
        begun = monotonic()
        waiting = pool.submit(call, "GET", f"{events}?since={change}&wait=15", key=TOKEN)
        posted = call("POST", "/mock/v1/pets", json_body={"name": "Miso", "categoryId": 2})
        told = waiting.result(20)

    assert posted.status == 201
    assert told.json["change"] > change
    assert monotonic() - begun < 10
