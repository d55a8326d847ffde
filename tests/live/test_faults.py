"""Broken responses as HTTP clients of front ends see them.

Each client requests the same pets twice, on one connection if it reuses connections. The first
response is complete, the second one broken. This also shows that a fault reaches clients that
silently retry a request on a reused connection.
"""

from __future__ import annotations

import http.client
import json
import subprocess
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import httpx
import pytest
import requests

from mockpets import MockpetsServer, Settings
from mockpets.faults import FAULTS
from tests.http_client import KEY
from tests.programs import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SCENARIO = """\
description: One complete response for each client, then broken ones.
stubs:
  - match: {{operation: listPets, headers: {{x-attempt: {{present: true}}}}}}
    sequence: [pass, {{fault: {fault}}}]
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("scenarios")
    for fault in FAULTS:
        name = fault.replace("_", "-")
        for client in CLIENTS:
            text = SCENARIO.format(fault=fault)
            (folder / f"{name}-{client}.yaml").write_text(text, encoding="utf-8")
    with MockpetsServer(Settings(port=0, scenarios_dir=(folder,))) as server:
        yield f"{server.url}/v1/pets"


def headers(fault: str, client: str) -> dict[str, str]:
    name = f"{fault.replace('_', '-')}-{client}"
    return {**KEY, "Mockpets-Scenario": name, "X-Attempt": "1"}


def with_http_client(url: str, sent: dict[str, str]) -> str:
    connection = http.client.HTTPConnection(url.split("/")[2], timeout=10)
    try:
        for _ in range(2):
            try:
                connection.request("GET", "/v1/pets", headers=sent)
                json.loads(connection.getresponse().read())
            except (OSError, http.client.HTTPException, ValueError) as error:
                result = type(error).__name__
            else:
                result = "complete"
                assert not connection.sock or connection.sock.fileno() >= 0
        return result
    finally:
        connection.close()


def with_requests(url: str, sent: dict[str, str]) -> str:
    with requests.Session() as session:
        assert len(session.get(url, headers=sent, timeout=10).json()) == 16
        try:
            session.get(url, headers=sent, timeout=10).json()
        except requests.RequestException as error:
            return f"{type(error).__name__}: {error}"
    return "complete"


def with_httpx(url: str, sent: dict[str, str]) -> str:
    with httpx.Client(timeout=10, trust_env=False) as client:
        assert len(client.get(url, headers=sent).json()) == 16
        try:
            client.get(url, headers=sent).json()
        except (httpx.HTTPError, ValueError) as error:
            return f"{type(error).__name__}: {error}"
    return "complete"


NODE = """
const [url, headers] = JSON.parse(process.argv[1]);
const whole = await (await fetch(url, {headers})).json();
if (whole.length !== 16) throw new Error("not complete");
try {
  const response = await fetch(url, {headers});
  try { await response.json(); console.log("complete"); }
  catch (error) { console.log("body", error.name, error.cause?.code ?? "-"); }
} catch (error) { console.log("fetch", error.name, error.cause?.code ?? "-"); }
"""


def with_node(url: str, sent: dict[str, str]) -> str:
    return output([need("node"), "--input-type=module", "-e", NODE, json.dumps([url, sent])])


def with_curl(url: str, sent: dict[str, str]) -> str:
    options = [word for name, value in sent.items() for word in ("-H", f"{name}: {value}")]
    run = subprocess.run(
        [need("curl"), "-s", "-o", "/dev/null", "-o", "/dev/null", *options, url, url],
        capture_output=True,
        timeout=30,
        check=False,
    )
    return f"exit {run.returncode}"


def output(command: list[str]) -> str:
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


CLIENTS: dict[str, Callable[[str, dict[str, str]], str]] = {
    "http-client": with_http_client,
    "requests": with_requests,
    "httpx": with_httpx,
    "node": with_node,
    "curl": with_curl,
    "chromium": lambda *_: "",  # has its own test
}

SEEN = {
    ("connection_reset", "http-client"): "ConnectionResetError",
    (
        "connection_reset",
        "requests",
    ): "ConnectionError: ('Connection aborted.', ConnectionResetError",
    ("connection_reset", "httpx"): "ReadError: [Errno 104] Connection reset by peer",
    ("connection_reset", "node"): "fetch TypeError ECONNRESET",
    ("connection_reset", "curl"): "exit 56",
    ("empty_reply", "http-client"): "RemoteDisconnected",
    ("empty_reply", "requests"): "ConnectionError: ('Connection aborted.', RemoteDisconnected",
    ("empty_reply", "httpx"): "RemoteProtocolError: Server disconnected without sending a response",
    ("empty_reply", "node"): "fetch TypeError UND_ERR_SOCKET",
    ("empty_reply", "curl"): "exit 52",
    ("truncated_body", "http-client"): "IncompleteRead",
    ("truncated_body", "requests"): "ChunkedEncodingError",
    (
        "truncated_body",
        "httpx",
    ): "RemoteProtocolError: peer closed connection without sending",
    ("truncated_body", "node"): "body TypeError",
    ("truncated_body", "curl"): "exit 18",
    ("malformed_json", "http-client"): "JSONDecodeError",
    ("malformed_json", "requests"): "JSONDecodeError",
    ("malformed_json", "httpx"): "JSONDecodeError",
    ("malformed_json", "node"): "body SyntaxError",
    ("malformed_json", "curl"): "exit 0",
}


def test_each_kind_of_fault_is_tested_with_each_client() -> None:
    tried = CLIENTS.keys() - {"chromium"}
    assert SEEN.keys() == {(fault, client) for fault in FAULTS for client in tried}


@pytest.mark.parametrize(("fault", "client"), SEEN)
def test_each_client_sees_the_fault(url: str, fault: str, client: str) -> None:
    seen = CLIENTS[client](url, headers(fault, client))

    assert seen.startswith(SEEN[fault, client])


# --- A page in a browser, on another origin ---------------------------------------------------

PAGE = """<!doctype html><title>faults</title><pre id="seen"></pre><script type="module">
const [url, tries] = %s;
const seen = {};
for (const [fault, headers] of Object.entries(tries)) {
  try {
    const whole = await (await fetch(url, {headers})).json();
    if (whole.length !== 16) throw new Error("the first response is not complete");
    try {
      const response = await fetch(url, {headers});
      try { await response.json(); seen[fault] = "complete"; }
      catch (error) { seen[fault] = "body " + error.name; }
    } catch (error) { seen[fault] = "fetch " + error.name; }
  } catch (error) { seen[fault] = "first " + error; }
}
document.getElementById("seen").textContent = JSON.stringify(seen);
</script>"""

CHROMIUM = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--virtual-time-budget=20000", "--dump-dom",
]  # fmt: skip


@pytest.mark.browser
def test_a_page_sees_each_fault_as_a_failure(url: str, tmp_path: Path) -> None:
    browser = need("chromium")
    tries = {fault: headers(fault, "chromium") for fault in FAULTS}
    (tmp_path / "index.html").write_text(PAGE % json.dumps([url, tries]), encoding="utf-8")

    class Pages(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(tmp_path))  # type: ignore[arg-type]  # passed on

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the inherited name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as pages:
        thread = Thread(target=pages.serve_forever)
        thread.start()
        try:
            page = f"http://127.0.0.1:{pages.server_port}/index.html"
            profile = f"--user-data-dir={tmp_path / 'profile'}"
            shown = output([browser, *CHROMIUM, profile, page])
        finally:
            pages.shutdown()
            thread.join()
    result = shown.partition('<pre id="seen">')[2].partition("</pre>")[0]

    assert json.loads(result) == {
        "connection_reset": "fetch TypeError",
        "empty_reply": "fetch TypeError",
        # Chromium may notice the end before or after it passes the response to the page.
        "truncated_body": json.loads(result)["truncated_body"],
        "malformed_json": "body SyntaxError",
    }
    assert json.loads(result)["truncated_body"] in ("fetch TypeError", "body TypeError")
