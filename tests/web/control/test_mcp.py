"""MCP: both revisions, the tools, and every message that is rejected."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mockpets import MockpetsServer, Settings, create_app
from tests.http_client import Client, InProcess, OverSocket, Response

MODERN, LEGACY = "2026-07-28", "2025-11-25"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
META = {VERSION_KEY: MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
TOOLS = ["state", "use", "try_request", "explain", "verify", "check_scenario"]
STUB = "description: d\nstubs:\n- match: {operation: listPets}\n  reply: {status: 503}\n"


def send(
    client: Client, body: object, headers: dict[str, str] | None = None, base: str = ""
) -> Response:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **(headers or {})}
    return client("POST", f"{base}/__mockpets/mcp", headers=sent, body=raw, key=None)


def request(method: str, **params: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a message of the stateless revision, and its headers."""
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if method == "tools/call":
        headers["Mcp-Name"] = params["name"]
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": method,
        "params": {**params, "_meta": META},
    }, headers


def use_tool(client: Client, tool: str, /, base: str = "", **arguments: Any) -> Any:
    message = request("tools/call", name=tool, arguments=arguments)
    response = send(client, *message, base)
    assert response.status == 200, response.body
    return response.json["result"]


@pytest.fixture
def client() -> Client:
    return Client(InProcess(create_app(Settings())))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scenarios")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[MockpetsServer]:
    settings = Settings(port=0, host=("127.0.0.1",), scenarios_dir=(folder,))
    with MockpetsServer(settings) as server:
        yield server


# --- The protocol ---------------------------------------------------------------------------------


def test_the_stateless_revision_needs_no_handshake(client: Client) -> None:
    found = send(client, *request("server/discover")).json["result"]
    listed = send(client, *request("tools/list")).json["result"]

    assert found["supportedVersions"] == [MODERN, LEGACY]
    assert [tool["name"] for tool in listed["tools"]] == TOOLS
    for result in (found, listed):
        assert (result["resultType"], result["cacheScope"]) == ("complete", "private")
        assert result["ttlMs"] > 0
    assert use_tool(client, "state")["resultType"] == "complete"


def test_the_older_revision_begins_with_a_handshake(client: Client) -> None:
    hello = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {}}
    first = {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": hello}
    started = send(client, first)
    headers = {"MCP-Protocol-Version": LEGACY}
    ready = send(client, {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
    call = {"name": "use", "arguments": {"scenario": "empty"}}
    used = send(
        client, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}, headers
    )
    ping = send(client, {"jsonrpc": "2.0", "id": 3, "method": "ping"})

    assert started.json["id"] == "a"
    assert started.json["result"]["protocolVersion"] == LEGACY
    assert started.json["result"]["serverInfo"]["name"] == "mockpets"
    assert (ready.status, ready.body) == (202, b"")
    assert used.json["result"]["structuredContent"]["active"] == ["empty"]
    assert "resultType" not in used.json["result"]
    assert ping.json == {"jsonrpc": "2.0", "id": 3, "result": {}}


@pytest.mark.parametrize("headers", [
    pytest.param({}, id="no header"),
    pytest.param({"MCP-Protocol-Version": LEGACY}, id="plain header"),
    pytest.param({"MCP-Protocol-Version": "=?base64?MjAyNS0xMS0yNQ==?="}, id="encoded header"),
])  # fmt: skip
@pytest.mark.parametrize("meta", [
    pytest.param({}, id="no _meta"),
    pytest.param({VERSION_KEY: LEGACY}, id="version in _meta"),
    pytest.param({**META, VERSION_KEY: LEGACY}, id="capabilities too"),
])  # fmt: skip
def test_the_older_revision_may_be_named_in_the_header_and_in_meta(
    client: Client, headers: dict[str, str], meta: dict[str, Any]
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    response = send(client, message, headers)

    assert response.status == 200, response.body
    assert [tool["name"] for tool in response.json["result"]["tools"]] == TOOLS
    assert "resultType" not in response.json["result"]


@pytest.mark.parametrize("version", [MODERN, LEGACY, "2024-11-05"])
@pytest.mark.parametrize("in_header", [True, False], ids=["header", "no header"])
def test_initialize_starts_the_older_revision_whatever_the_client_asks_for(
    client: Client, version: str, in_header: bool
) -> None:
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {}}
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    response = send(client, first, {"MCP-Protocol-Version": version} if in_header else {})

    assert response.status == 200, response.body
    assert response.json["result"]["protocolVersion"] == LEGACY


LIST, HEADERS = request("tools/list")
CALL, CALL_HEADERS = request("tools/call", name="state")
OLD = {"jsonrpc": "2.0", "id": 1, "method": "nothing"}
INVALID, PARSE, METHOD, PARAMS, MISMATCH, VERSION = -32600, -32700, -32601, -32602, -32020, -32022


def changed(meta: dict[str, Any]) -> dict[str, Any]:
    return {**LIST, "params": {"_meta": {**META, **meta}}}


@pytest.mark.parametrize(("body", "headers", "status", "code", "text"), [
    (b"", {}, 400, PARSE, "the body is empty"),
    (b"{", {}, 400, PARSE, "line 1, column 2"),
    (b'"\xff"', {}, 400, PARSE, "must be UTF-8; byte 1"),
    (b'{"id": NaN}', {}, 400, PARSE, "NaN is not a valid JSON number"),
    (b'{"id": "\\ud800"}', {}, 400, PARSE, "half of a surrogate pair"),
    (b'{"id": 1e9999999999999999999}', {}, 400, PARSE, "a number that is too large"),
    (b"[" * 100_000, {}, 400, PARSE, "nested deeper than 20"),
    (b'{"a":' * 30 + b"1" + b"}" * 30, {}, 400, PARSE, "nested deeper than 20"),
    ([LIST, LIST], HEADERS, 400, INVALID, "not a batch"),
    (7, {}, 400, INVALID, "not a batch"),
    ({"id": 1, "method": "ping"}, {}, 400, INVALID, "an object with 'jsonrpc' \"2.0\""),
    ({"jsonrpc": "2.0", "id": 1, "result": {}}, {}, 400, INVALID, "a text 'method'"),
    ({**LIST, "id": None}, HEADERS, 400, INVALID, "a text or integer 'id'"),
    ({**LIST, "id": True}, HEADERS, 400, INVALID, "a text or integer 'id'"),
    ({**LIST, "params": []}, HEADERS, 400, INVALID, "an object 'params'"),
    (LIST, {**HEADERS, "Content-Type": "text/plain"}, 400, INVALID, "must be application/json"),
    (LIST, {"Mcp-Method": "tools/list"}, 400, MISMATCH, "MCP-Protocol-Version is missing"),
    (LIST, {**HEADERS, "MCP-Protocol-Version": LEGACY}, 400, MISMATCH, "is '2025-11-25'; send"),
    (LIST, {"MCP-Protocol-Version": MODERN}, 400, MISMATCH, "Mcp-Method is missing"),
    (LIST, {**HEADERS, "Mcp-Method": "tools/call"}, 400, MISMATCH, "send 'tools/list'"),
    (CALL, {**CALL_HEADERS, "Mcp-Name": "use"}, 400, MISMATCH, "is 'use'; send 'state'"),
    (CALL, {**CALL_HEADERS, "Mcp-Name": "=?base64?!?="}, 400, MISMATCH, "Mcp-Name is"),
    ({**LIST, "params": {}}, HEADERS,
     400, PARAMS, "has no io.modelcontextprotocol/protocolVersion, io."),
    (changed({VERSION_KEY: "2099-01-01"}), HEADERS, 400, MISMATCH, "send '2099-01-01'"),
    (changed({VERSION_KEY: "2099-01-01"}), {**HEADERS, "MCP-Protocol-Version": "2099-01-01"},
     400, VERSION, "unsupported protocol version '2099-01-01'; supported: 2026-07-28, "),
    (OLD, {"MCP-Protocol-Version": "1900-01-01"}, 400, VERSION, "'1900-01-01'"),
    ({"jsonrpc": "2.0", "method": "x"}, {"MCP-Protocol-Version": "x"}, 400, VERSION, "'x'"),
    (OLD, {}, 400, METHOD, "unknown method 'nothing'"),
    (*request("initialize"), 404, METHOD, "unknown method 'initialize'"),
    (*request("subscriptions/listen"), 404, METHOD, "unknown method"),
    (*request("tools/call", name="stat"), 400, PARAMS, "'stat'; did you mean 'state'?"),
])  # fmt: skip
def test_invalid_messages_get_the_errors_of_the_protocol(
    client: Client, body: object, headers: dict[str, str], status: int, code: int, text: str
) -> None:
    response = send(client, body, headers)

    assert response.status == status
    assert response.json["jsonrpc"] == "2.0"
    assert response.json["error"]["code"] == code
    assert text in response.json["error"]["message"]
    if code == VERSION:
        assert response.json["error"]["data"]["supported"] == [MODERN, LEGACY]


def test_headers_may_be_encoded(client: Client) -> None:
    coded = {**CALL_HEADERS, "Mcp-Name": "=?base64?c3RhdGU=?="}

    assert send(client, CALL, coded).json["result"]["structuredContent"]["session"] == "default"


TOKEN = "a-token-of-the-tests"


@pytest.mark.parametrize(("settings", "headers", "status", "text"), [
    ({}, {"Origin": "http://evil.example"}, 403, "http://evil.example"),
    ({}, {"Sec-Fetch-Site": "cross-site"}, 403, ""),
    ({}, {"Host": "rebound.example"}, 403, "does not accept the host 'rebound.example'"),
    ({}, {"Mockpets-Sesion": "w1"}, 422, "did you mean 'Mockpets-Session'?"),
    ({"control_token": TOKEN}, {}, 401, "the control token is missing"),
    ({"control_token": TOKEN}, {"Authorization": "Bearer x"}, 401, "is invalid"),
    ({"control_token": TOKEN, "public": True}, {}, 401, "the control token is missing"),
    ({"public": True, "control": "off"}, {}, 404, ""),
])  # fmt: skip
def test_callers_without_permission_are_rejected_in_the_protocol(
    settings: dict[str, Any], headers: dict[str, str], status: int, text: str
) -> None:
    client = Client(InProcess(create_app(Settings(**settings))))
    response = send(client, CALL, {**CALL_HEADERS, **headers})

    assert response.status == status
    assert response.json["error"]["code"] == INVALID
    assert text in response.json["error"]["message"]
    assert response.json["id"] is None


def test_only_post_is_allowed(client: Client) -> None:
    for method in ("GET", "DELETE"):
        response = client(method, "/__mockpets/mcp", key=None)
        assert (response.status, response.header("Allow")) == (405, "POST, OPTIONS")


# --- The tools ------------------------------------------------------------------------------------


def test_each_tool_has_a_session_annotations_and_small_schemas(client: Client) -> None:
    tools = send(client, *request("tools/list")).json["result"]["tools"]

    assert len(json.dumps(tools, separators=(",", ":"))) / 4 < 2500
    for tool in tools:
        assert tool["inputSchema"]["properties"]["session"]["type"] == "string"
        assert tool["annotations"]["openWorldHint"] is False
        for kind in ("inputSchema", "outputSchema"):
            Draft202012Validator.check_schema(tool[kind])
    readers = [tool["name"] for tool in tools if tool["annotations"]["readOnlyHint"]]
    assert readers == ["state", "try_request", "explain", "verify"]


STEPS: list[tuple[str, dict[str, Any], str]] = [
    ("use", {"scenario": ["retry"], "data": {"pets": {"count": 3}}, "seed": 7},
     '"active":["retry"],"data":{"pets":3}'),
    ("state", {}, '"session":"w1","active":["retry"]'),
    ("try_request", {"method": "GET", "path": "/v1/pets"}, '{"status":503,"by":"stub"'),
    ("try_request",
     {"method": "GET", "path": "/v1/pets", "scenarios": "empty", "compare": "unauthorized"},
     '"summary":"operation listPets'),
    ("try_request", {"method": "POST", "path": "/v1/pets", "body": {}, "scenarios": "empty"},
     '"summary":"operation createPet'),
    ("explain", {}, '"2 GET /~w1/v1/pets 503 (retry/fail-twice)","summary":"stub retry/fail-twice'),
    ("explain", {"number": 1}, '"1 GET /~w1/v1/pets 503'),
    ("verify", {"match": {"operation": "listPets"}, "times": 2}, '"passed":true,"matched":2'),
    ("verify", {"match": {"query": {"limit": 7}}}, "expected at least 1 request: any"),
    ("state", {"findings": True}, '"3 GET /~w1/v1/pets/1'),
    ("check_scenario", {"name": "mine", "text": STUB}, '"ok":true'),
    ("check_scenario", {"name": "mine", "text": STUB.replace("503", "600")},
     "line 4: stubs.1.reply.status: must be an integer from 200 to 599, got 600"),
    ("check_scenario", {"name": "mine", "text": STUB, "save": "session"}, '"saved":"session w1"'),
    ("use", {"scenario": "mine", "reset": True}, '"active":["mine"]'),
    ("state", {}, '"active":["mine"]'),
]  # fmt: skip


def test_the_tools_do_what_they_say_in_few_tokens(client: Client) -> None:
    tools = send(client, *request("tools/list")).json["result"]["tools"]
    schemas = {tool["name"]: tool["outputSchema"] for tool in tools}
    sizes: dict[str, list[float]] = {name: [] for name in TOOLS}
    results = []
    for name, arguments, text in STEPS:
        if name == "explain" and not arguments:
            for target in ("pets", "pets", "pets/1"):
                client("GET", f"/~w1/v1/{target}")
        result = use_tool(client, name, **arguments, session="w1")
        assert "isError" not in result, result
        content = result["structuredContent"]
        assert text in result["content"][0]["text"]
        assert json.loads(result["content"][0]["text"]) == content
        closed = {**schemas[name], "additionalProperties": False}
        assert not [*Draft202012Validator(closed).iter_errors(content)]
        sizes[name].append(len(json.dumps(result, separators=(",", ":"))) / 4)
        results.append(content)

    assert median(size for each in sizes.values() for size in each) < 300
    assert max(sizes["explain"]) < 600
    assert results[0]["data"] == {"pets": 3}
    assert (results[0]["seed"], results[0]["base_path"]) == (7, "/~w1/v1")
    assert results[3]["difference"] == [
        "status: 200 -> 401",
        "body: 0 items -> object with code, message, status",
    ]
    assert results[5]["stubs"] == ["retry/fail-twice: responds: use 2 of 2"]
    assert "nearest" in results[8]["message"]
    assert any(line.startswith("deprecated-operation") for line in results[9]["findings"])
    assert results[-1]["requests"] == []


def test_use_sets_the_records_of_any_collection(tmp_path: Path) -> None:
    text = "description: d\nresources: [{path: /v1/orders}]\n"
    (tmp_path / "shop.yaml").write_text(text, encoding="utf-8")
    client = Client(InProcess(create_app(Settings(scenarios_dir=(tmp_path,)))))
    use_tool(client, "use", session="shop", scenario="shop")
    records = {"orders": [{"id": 7, "petId": 3}], "pets": []}

    used = use_tool(client, "use", session="shop", data=records)["structuredContent"]

    assert used["data"] == {"pets": 0, "orders": 1}
    assert client("GET", "/~shop/v1/orders").json == records["orders"]
    assert use_tool(client, "state", session="shop")["structuredContent"]["data"] == used["data"]


@pytest.mark.parametrize(("name", "arguments", "text"), [
    ("use", {"scenario": "rety"}, "unknown scenario 'rety'; did you mean 'retry'?"),
    ("use", {"scenari": "retry"}, "unknown key 'scenari'; did you mean 'scenario'?"),
    ("use", {"scenario": {"descripton": "x"}}, "did you mean 'description'?"),
    ("use", {"session": "a b"}, "invalid session name 'a b'"),
    ("use", {"session": 7}, 'session: must be a string, got 7; quote it: "7"'),
    ("use", {"seed": -1}, "seed: must be an integer from 0"),
    ("use", {"pets": 3}, "unknown key 'pets'; write it under data: 'data: {pets: ...}'"),
    ("use", {"data": {"pest": []}}, "did you mean 'pets'?"),
    ("use", {"data": {"pets": "showrom"}}, "unknown fixture 'showrom'; did you mean 'showroom'?"),
    ("use", {"data": {"pets": [{"id": 1, "name": "A"}]}}, "data.pets.1.categoryId: is required"),
    ("explain", {"session": "w9"}, "session 'w9' has no requests"),
    ("explain", {"number": 9}, "has no request '9'"),
    ("try_request", {}, "missing key 'method'"),
    ("try_request", {"method": "GET", "path": "v1"}, "path: must be a path such as /v1/items"),
    ("try_request", {"method": "GET", "path": "/__mockpets/state"}, "no scenario applies to"),
    ("try_request", {"method": "GET", "path": "/v1", "headers": {"a": 1}}, "headers.a: must be"),
    ("verify", {"match": {"operation": "lst"}}, "match.operation: must be listPets"),
    ("check_scenario", {"name": "A", "text": STUB}, "must be in kebab-case"),
    ("check_scenario", {"name": "a", "text": STUB, "save": "fil"}, "did you mean 'file'?"),
    ("check_scenario", {"name": "a", "text": STUB, "save": "file"}, "no writable scenario"),
])  # fmt: skip
def test_a_tool_that_fails_explains_how_to_fix_the_call(
    client: Client, name: str, arguments: dict[str, Any], text: str
) -> None:
    result = use_tool(client, name, **arguments)

    assert result["isError"] is True
    assert text in result["content"][0]["text"]
    listed = client("GET", "/__mockpets/sessions", key=None).json["sessions"]
    assert [session["name"] for session in listed] == ["default"]


def test_arguments_that_are_no_object_are_rejected(client: Client) -> None:
    result = send(client, *request("tools/call", name="use", arguments=[])).json["result"]

    assert result["content"][0]["text"] == "must be a mapping, got a list"


def test_an_explanation_stays_short(client: Client) -> None:
    match = {"operation": "listPets", "query": {"status": "sold", "limit": "7"}}
    headers = {f"x-{letter}": "expected" for letter in "abc"}
    stub = {"match": {**match, "headers": headers}, "reply": {"status": 503}}
    use_tool(client, "use", scenario={"description": "d", "stubs": [stub] * 8})
    client(
        "GET", f"/v1/pets?limit=100&offset={'9' * 300}", headers=dict.fromkeys(headers, "n" * 99)
    )
    client("POST", "/v1/pets", body=json.dumps({"name": "n" * 1000}).encode())

    for number in (1, 2):
        result = use_tool(client, "explain", number=number)
        assert len(json.dumps(result, separators=(",", ":"))) / 4 < 600
        assert len(result["structuredContent"]["stubs"]) == 3


@pytest.mark.parametrize(
    ("path", "arguments", "session"), [("/~w5", {}, "w5"), ("/~w5", {"session": "w6"}, "w6")]
)
def test_the_url_names_the_session_of_a_tool_without_one(
    client: Client, path: str, arguments: dict[str, str], session: str
) -> None:
    used = use_tool(client, "use", path, scenario="empty", reset=True, **arguments)

    assert used["structuredContent"]["base_path"] == f"/~{session}/v1"
    assert use_tool(client, "state", path, **arguments)["structuredContent"]["session"] == session


def test_a_public_server_saves_no_scenario() -> None:
    app = create_app(Settings(public=True, control_token=TOKEN))
    message, headers = request(
        "tools/call",
        name="check_scenario",
        arguments={"name": "a", "text": STUB, "save": "session"},
    )
    allowed = {**headers, "Authorization": f"Bearer {TOKEN}"}
    result = send(Client(InProcess(app)), message, allowed).json["result"]

    assert "the server runs with --public" in result["content"][0]["text"]


def test_long_work_runs_on_the_worker_and_only_once(server: MockpetsServer, folder: Path) -> None:
    client = Client(OverSocket(server.url))
    long = f"{STUB}# {'x' * 10_000}\n"
    file = {"name": "long", "text": long, "save": "file"}
    saved = use_tool(client, "check_scenario", **file)["structuredContent"]
    conflict = use_tool(client, "check_scenario", **{**file, "text": STUB})
    digest = client("GET", "/__mockpets/scenarios/long", key=None).json["digest"]
    replaced = use_tool(client, "check_scenario", **{**file, "text": STUB, "replaces": digest})
    use_tool(client, "check_scenario", **{**file, "save": "session"})
    pets = use_tool(client, "use", session="many", data={"pets": {"count": 5000}}, reset=True)
    tried = {"method": "GET", "path": "/v1/pets", "scenarios": "long", "compare": "empty"}
    compared = use_tool(client, "try_request", **tried)["structuredContent"]

    assert saved["saved"] == str(folder / "long.yaml")
    how = "GET scenarios/long has its 'digest', which you send as 'replaces'"
    assert how in conflict["content"][0]["text"]
    assert replaced["structuredContent"]["saved"]
    assert (folder / "long.yaml").read_text(encoding="utf-8") == STUB
    assert pets["structuredContent"]["data"] == {"pets": 5000}
    assert (compared["status"], compared["compared"]["status"]) == (503, 200)


def test_verify_waits_for_requests(server: MockpetsServer) -> None:
    client = Client(OverSocket(server.url))
    wanted: dict[str, Any] = {
        "match": {"operation": "listPets"},
        "within": "20s",
        "session": "waits",
    }
    use_tool(client, "use", session="waits")
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(use_tool, client, "verify", **wanted)
        client("GET", "/~waits/v1/pets")
        assert waiting.result()["structuredContent"] == {
            "passed": True,
            "matched": 1,
            "requests": [1],
        }


# --- The official SDK -----------------------------------------------------------------------------


@pytest.mark.long
def test_the_official_sdk_uses_the_tools_in_all_its_modes(
    server: MockpetsServer, tmp_path: Path
) -> None:
    def run(*command: object) -> str:
        words = [str(word) for word in command]
        return subprocess.run(words, check=True, capture_output=True, text=True, timeout=500).stdout

    run(sys.executable, "-m", "venv", tmp_path)
    python = tmp_path / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "mcp==2.3.0")
    Client(OverSocket(server.url))("GET", "/~sdk/v1/pets")
    script = Path(__file__).with_name("mcp_sdk.py")
    mockpets = Path(sys.executable).with_name("mockpets")
    lines = [json.loads(line) for line in run(python, script, mockpets, server.url).splitlines()]

    modes = [line.pop("mode") for line in lines]
    texts = [line.pop("texts") for line in lines]
    assert modes == ["legacy", "legacy", MODERN, MODERN, "auto", "auto"]  # over HTTP, and stdio
    assert [line.pop("version") for line in lines] == [*[LEGACY] * 2, *[MODERN] * 4]
    assert texts == [texts[0]] * 6
    assert texts[0][1] == "unknown scenario 'rety'; did you mean 'retry'?"
    assert json.loads(texts[0][5]) == {"passed": True, "matched": 1, "requests": [1]}
    assert lines == [lines[0]] * 6
    assert lines[0] == {
        "tools": TOOLS,
        "failed": [False, True, False, False, False, False, False],
        "unknown": [-32602, f"unknown tool 'nöthing'; known tools: {', '.join(TOOLS)}"],
    }
