"""Broken responses as HTTP clients of front ends see them.

Each client requests the same pets twice, on one connection if it reuses connections. The first
response is complete, the second one broken. This also shows that a fault reaches clients that
silently retry a request on a reused connection.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from itertools import product

import httpx
import pytest
import requests

from mockpets import MockpetsServer, Settings
from mockpets.faults import FAULTS
from tests.http_client import KEY
from tests.programs import need

ENDING = [name for name, kind in FAULTS.items() if kind.then != "wait"]
"""The faults that a client notices; one that waits is the client's own timeout."""
SCENARIO = """\
description: One complete response for each client, then broken ones.
stubs:
  - match: {{operation: listPets, headers: {{x-attempt: {{present: true}}}}}}
    sequence: [pass, {{fault: {fault}}}]
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("scenarios")
    for fault, client in product(FAULTS, [each.__name__ for each in SEEN]):
        text = SCENARIO.format(fault=fault)
        (folder / f"{scenario_of(fault, client)}.yaml").write_text(text, encoding="utf-8")
    with MockpetsServer(Settings(port=0, scenarios_dir=(folder,))) as server:
        yield f"{server.url}/v1/pets"


def scenario_of(fault: str, client: str) -> str:
    return f"{fault}-{client}".replace("_", "-")


def headers(fault: str, client: str) -> dict[str, str]:
    return {**KEY, "Mockpets-Scenario": scenario_of(fault, client), "X-Attempt": "1"}


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


SEEN: dict[Callable[[str, dict[str, str]], str], dict[str, str]] = {
    with_requests: {
        "connection_reset": "ConnectionError: ('Connection aborted.', ConnectionResetError",
        "empty_reply": "ConnectionError: ('Connection aborted.', RemoteDisconnected",
        "truncated_body": "ChunkedEncodingError", "malformed_json": "JSONDecodeError",
    },
    with_httpx: {
        "connection_reset": "ReadError: [Errno 104] Connection reset by peer",
        "empty_reply": "RemoteProtocolError: Server disconnected without sending a response",
        "truncated_body": "RemoteProtocolError: peer closed connection without sending",
        "malformed_json": "JSONDecodeError",
    },
    with_node: {
        "connection_reset": "fetch TypeError ECONNRESET",
        "empty_reply": "fetch TypeError UND_ERR_SOCKET",
        "truncated_body": "body TypeError", "malformed_json": "body SyntaxError",
    },
    with_curl: {
        "connection_reset": "exit 56", "empty_reply": "exit 52",
        "truncated_body": "exit 18", "malformed_json": "exit 0",
    },
}  # fmt: skip
"""How each client reports each fault."""


def check(url: str, client: Callable[[str, dict[str, str]], str]) -> None:
    seen = {fault: client(url, headers(fault, client.__name__)) for fault in ENDING}

    assert seen.keys() == SEEN[client].keys()
    assert {fault: text[: len(SEEN[client][fault])] for fault, text in seen.items()} == SEEN[client]


@pytest.mark.parametrize("client", [with_requests, with_httpx])
def test_each_python_client_sees_each_fault(
    url: str, client: Callable[[str, dict[str, str]], str]
) -> None:
    check(url, client)


@pytest.mark.node
def test_node_sees_each_fault(url: str) -> None:
    check(url, with_node)


@pytest.mark.tool
def test_curl_sees_each_fault(url: str) -> None:
    check(url, with_curl)
