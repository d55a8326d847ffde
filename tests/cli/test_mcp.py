"""`mockpets mcp`: messages over stdin and stdout, and servers that do not respond with MCP."""

import json
from collections.abc import Callable, Iterator
from io import BytesIO, TextIOWrapper
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings

Run = Callable[..., tuple[int, list[str], list[str]]]

TOKEN = "a-token-of-the-tests"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
STATE: Any = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {"name": "state", "_meta": META},
}
OLD = {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "state"}}
OLD_META = {**META, "io.modelcontextprotocol/protocolVersion": "2025-11-25"}
NAMED = {**OLD, "id": "b", "params": {"name": "state", "_meta": OLD_META}}
NOTE = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.fixture(scope="module")
def server() -> Iterator[MockpetsServer]:
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",), control_token=TOKEN)) as server:
        yield server


@pytest.fixture
def send(run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Return a function that sends lines to the command and returns those it prints."""

    def send_them(lines: bytes, *options: str) -> list[Any]:
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(lines)))
        status, out, err = run("mcp", *options)
        assert (status, err) == (0, [])
        return [json.loads(line) for line in out]

    return send_them


def test_messages_of_both_revisions_reach_the_session(
    server: MockpetsServer, send: Callable[..., list[Any]]
) -> None:
    messages = [json.dumps(each) for each in (STATE, NOTE, OLD, NAMED)]
    lines = "\n".join(["", *messages, ""]).encode()
    options = ("--url", server.url, "--token", TOKEN, "--session", "w1")
    new, old, named = send(lines, *options)

    assert (new["id"], old["id"], named["id"]) == (7, "a", "b")
    assert new["result"]["resultType"] == "complete"
    for response in (new, old, named):
        assert response["result"]["structuredContent"]["session"] == "w1"


@pytest.mark.parametrize(("line", "number", "code", "text"), [
    (b"{", None, -32700, "is not JSON"),
    (b'{"id": ' + b"1" * 5000 + b"}", None, -32700, "integer"),
    (b"[]", None, -32600, "not a batch"),
    (json.dumps({**STATE, "params": 7}).encode(), 7, -32600, "an object 'params'"),
    (json.dumps({**STATE, "method": "nöthing"}).encode(), 7, -32601, "unknown method"),
    (json.dumps({**STATE, "method": 7}).encode(), 7, -32600, "a text 'method'"),
])  # fmt: skip
def test_an_invalid_line_gets_an_error_and_the_next_one_is_read(
    server: MockpetsServer,
    send: Callable[..., list[Any]],
    line: bytes,
    number: object,
    code: int,
    text: str,
) -> None:
    lines = line + b"\n" + json.dumps(STATE).encode()
    error, state = send(lines, "--url", server.url, "--token", TOKEN)

    assert (error["id"], error["error"]["code"]) == (number, code)
    assert text in error["error"]["message"]
    assert "result" in state


def test_a_server_that_does_not_respond_is_an_error_of_the_message(
    server: MockpetsServer, send: Callable[..., list[Any]]
) -> None:
    lines = (json.dumps(STATE) + "\n" + json.dumps(NOTE)).encode()
    for options, code, text in [
        (["--url", "http://127.0.0.1:1"], -32603, "is mockpets running there?"),
        (["--url", server.url], -32600, "; pass it with --token or the variable MOCKPETS_"),
        (["--url", f"{server.url}/elsewhere"], -32603, "does not serve MCP (status 404)"),
    ]:
        [response] = send(lines, *options)
        assert (response["id"], response["error"]["code"]) == (7, code)
        assert text in response["error"]["message"]
