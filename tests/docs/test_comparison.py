"""The README's comparison: each cell is measured with the newest version of the tool on npm.

Each tool serves the same small API. It gets the OpenAPI document if it can read one, then the best
configuration without code of its own: a CRUD route, a database file, mappings with states.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from benchmarks.peers import install, node
from mockpets import MockpetsServer, Settings
from tests.cli.test_main import wait_until
from tests.docs.page import ROOT
from tests.http_client import Client, OverSocket
from tests.programs import free_port, need

FILES: Final = Path(__file__).with_name("comparison")
PACKAGES: Final = {
    "MSW": ("msw@3.0.5",),
    "Prism": ("@stoplight/prism-cli@5.16.0",),
    "Scalar": ("@scalar/mock-server@0.14.4", "@hono/node-server@2.1.9"),
    "WireMock": ("wiremock@3.13.2",),
    "Mockoon": ("@mockoon/cli@9.9.0",),
    "json-server": ("json-server@0.17.4",),
}
"""The newest versions on 29 November 2026; the first package is the tool."""
ORDER: Final = {"item": "tea", "quantity": 1}
TESTS: Final = ({"X-Test": "a"}, {"X-Test": "b"})
"""Headers with which two tests could be told apart."""


def document(get: str = "", post: str = "") -> dict[str, Any]:
    """Return the API: a list of orders that can fail with 503, and a POST.

    :param get: code of Scalar for the list, and `post` for the POST.
    """
    order = {
        "type": "object",
        "required": ["item", "quantity"],
        "properties": {"item": {"type": "string"}, "quantity": {"type": "integer"}},
    }

    def response(schema: dict[str, Any]) -> dict[str, Any]:
        return {"description": "It.", "content": {"application/json": {"schema": schema}}}

    error = {
        "type": "object",
        "required": ["message"],
        "properties": {"message": {"type": "string"}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Orders", "version": "1"},
        "paths": {
            "/orders": {
                "get": {
                    "operationId": "listOrders",
                    "responses": {
                        "200": response({"type": "array", "items": order}),
                        "503": response(error),
                    },
                    **({"x-handler": get} if get else {}),
                },
                "post": {
                    "operationId": "createOrder",
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": order}},
                    },
                    "responses": {"201": response(order)},
                    **({"x-handler": post} if post else {}),
                },
            }
        },
    }


class Cells(NamedTuple):
    """What a tool does.

    :param any_api: it serves `GET /orders`.
    :param from_document: with only the document, an order that was sent is in the list.
    :param keeps: the same with its best configuration.
    :param fails: how the list is made to fail with 503.
    :param per_test: an order of one test is not in the list of another.
    """

    any_api: str
    from_document: str
    keeps: str
    fails: str
    per_test: str


class Tool(NamedTuple):
    """An installed tool.

    :param folder: where it is installed.
    :param work: the folder in which it runs.
    """

    node: str
    folder: Path
    work: Path

    def write(self, name: str, value: object) -> Path:
        """Write a file as JSON."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    def script(self, name: str) -> Path:
        """Copy a script to its packages, which it imports; return the copy."""
        return Path(shutil.copy(FILES / name, self.folder))

    @contextmanager
    def running(self, *command: object) -> Iterator[Client]:
        """Start a command, in which PORT is replaced, and wait until it responds."""
        port = free_port()
        words = [str(each).replace("PORT", str(port)) for each in command]
        client = Client(OverSocket(f"http://localhost:{port}"))
        with (self.work / "log.txt").open("wb") as log:
            process = subprocess.Popen(words, cwd=self.work, stdout=log, stderr=log)
        try:
            assert wait_until(lambda: responds(client) or process.poll() is not None)
            assert process.poll() is None, (self.work / "log.txt").read_text("utf-8")
            yield client
        finally:
            process.terminate()
            process.wait(20)


def responds(client: Client) -> bool:
    try:
        return bool(client("GET", "/orders").status)
    except OSError:
        return False


def has_tea(client: Client, headers: dict[str, str] | None = None) -> bool:
    response = client("GET", "/orders", headers=headers)
    orders = response.json if response.status == 200 else []
    return any(isinstance(order, dict) and order.get("item") == "tea" for order in orders)


def keeps(client: Client) -> bool:
    """Return whether the list has an order after the POST, and not before."""
    assert not has_tea(client)
    client("POST", "/orders", json_body=ORDER, headers=TESTS[0])
    return has_tea(client, TESTS[0])


def is_separate(client: Client) -> bool:
    """Return whether one test has the order of `keeps`, and another one has not."""
    return has_tea(client, TESTS[0]) and not has_tea(client, TESTS[1])


def fails(client: Client, **headers: str) -> bool:
    return client("GET", "/orders", headers=headers).status == 503


def yes(holds: bool, how: str = "yes") -> str:
    return how if holds else "no"


# --- The tools --------------------------------------------------------------------------------


def prism(tool: Tool) -> Cells:
    program = tool.folder / "node_modules/@stoplight/prism-cli/dist/index.js"
    file = tool.write("openapi.json", document())
    options = ("--port", "PORT", "--multiprocess", "false")
    with tool.running(tool.node, program, "mock", file, *options) as client:
        kept = yes(keeps(client))
        assert not fails(client)
        return Cells(
            yes(client("GET", "/orders").status == 200),
            kept,
            kept,
            yes(fails(client, Prefer="code=503"), "per request"),
            yes(is_separate(client)),
        )


def scalar(tool: Tool) -> Cells:
    script = tool.script("scalar.mjs")
    with tool.running(tool.node, script, tool.write("openapi.json", document()), "PORT") as client:
        serves = yes(client("GET", "/orders").status == 200)
        from_document = yes(keeps(client))
        assert not fails(client)
        failing = yes(fails(client, Prefer="code=503"), "per request")
    code = document("return store.list('Order')", "return store.create('Order', req.body)")
    with tool.running(tool.node, script, tool.write("openapi.json", code), "PORT") as client:
        kept = yes(keeps(client), "your code")
        return Cells(serves, from_document, kept, failing, yes(is_separate(client)))


def wiremock(tool: Tool) -> Cells:
    [jar] = tool.folder.glob("node_modules/wiremock/build/*.jar")
    command = (need("java"), "-jar", jar, "--root-dir", tool.work, "--port", "PORT")
    tool.write("__files/openapi.json", document())
    with tool.running(*command) as client:
        assert client("GET", "/orders").status == 404
        # A document is not a mapping.
        assert client("POST", "/__admin/mappings", json_body=document()).status == 422
    for state, status in (("Started", 200), ("closed", 503)):
        listed = {"urlPath": "/orders", "method": "GET"}
        response = {"status": status, "jsonBody": []}
        states = {"scenarioName": "shop", "requiredScenarioState": state}
        tool.write(f"mappings/{state}.json", {"request": listed, "response": response, **states})
    created = {"request": {"urlPath": "/orders", "method": "POST"}, "response": {"status": 201}}
    tool.write("mappings/create.json", created)
    with tool.running(*command) as client:
        serves = yes(client("GET", "/orders").status == 200)
        kept = yes(keeps(client))
        separate = yes(is_separate(client))
        client("PUT", "/__admin/scenarios/shop/state", json_body={"state": "closed"})
        return Cells(serves, "no", kept, yes(fails(client)), separate)


def mockoon(tool: Tool) -> Cells:
    program = tool.folder / "node_modules/@mockoon/cli/bin/run.js"

    def command(file: Path) -> tuple[object, ...]:
        options = ("--port", "PORT", "--disable-log-to-file", "--admin-api-token", "secret")
        return (tool.node, program, "start", "--data", file, *options)

    with tool.running(*command(tool.write("openapi.json", document()))) as client:
        from_document = yes(keeps(client))
    file = tool.write("mockoon.json", json.loads((FILES / "mockoon.json").read_text("utf-8")))
    with tool.running(*command(file)) as client:
        serves = yes(client("GET", "/orders").status == 200)
        kept, separate = yes(keeps(client)), yes(is_separate(client))
        assert not fails(client)
        variable = {"key": "state", "value": "closed"}
        token = {"Authorization": "Bearer secret"}
        path = "/mockoon-admin/global-vars"
        assert client("POST", path, json_body=variable, headers=token).status == 200
        return Cells(serves, from_document, kept, yes(fails(client)), separate)


def json_server(tool: Tool) -> Cells:
    program = tool.folder / "node_modules/json-server/lib/cli/bin.js"

    def command(file: Path) -> tuple[object, ...]:
        return (tool.node, program, file, "--port", "PORT")

    with tool.running(*command(tool.write("openapi.json", {"paths": []}))) as client:
        assert client("GET", "/orders").status == 404
    with tool.running(*command(tool.write("db.json", {"orders": []}))) as client:
        serves = yes(client("GET", "/orders").status == 200)
        kept = yes(keeps(client))
        help_text = subprocess.run(
            [tool.node, str(program), "--help"], capture_output=True, text=True, check=True
        ).stdout
        failing = yes(bool(re.search("status|fail|error", help_text)) or fails(client))
        return Cells(serves, "no", kept, failing, yes(is_separate(client)))


def msw(tool: Tool) -> Cells:
    """In MSW, a handler is code, so each ability that a handler can have is the user's code."""
    command = [tool.node, str(tool.script("msw.mjs"))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    found = json.loads(done.stdout)
    return Cells(
        yes(isinstance(found["kept"], list)),
        yes(bool(found["readers"])),
        yes(len(found["kept"]) == 1, "your code"),
        yes(found["failed"] == 503, "your code"),
        yes(found["ofTest"] == [], "your code"),
    )


def mockpets(folder: Path) -> Cells:
    file = folder / "openapi.json"
    file.write_text(json.dumps(document()), encoding="utf-8")
    with MockpetsServer(Settings(port=0, contract=(str(file),), log="quiet")) as server:
        client = Client(OverSocket(server.url))
        serves = yes(client("GET", "/orders").status == 200)
        client("POST", "/orders", json_body=ORDER)
        kept = yes(has_tea(client))
        separate = yes(not has_tea(client, {"Mockpets-Session": "another"}))
        client("PUT", "/__mockpets/scenario", json_body={"scenario": "listOrders:503"})
        return Cells(serves, kept, kept, yes(fails(client)), separate)


TOOLS: Final[dict[str, Callable[[Tool], Cells]]] = {
    "MSW": msw,
    "Prism": prism,
    "Scalar": scalar,
    "WireMock": wiremock,
    "Mockoon": mockoon,
    "json-server": json_server,
}


# --- The page ---------------------------------------------------------------------------------


def shown() -> dict[str, Cells]:
    """Return the rows of the README's table."""
    text = (ROOT / "README.md").read_text("utf-8").partition("## Comparison")[2]
    rows = [re.split(r"\s*\|\s*", line) for line in text.splitlines() if " | " in line]
    assert rows[0][1:] == [
        *("any API", "state from a document", "keeps POSTs", "failures", "data per test")
    ]
    return {name: Cells(*cells) for name, *cells in rows[2:]}


def test_the_table_has_these_tools_in_the_versions_that_a_page_names() -> None:
    page = (ROOT / "docs/recipes/from-another-tool.md").read_text("utf-8")

    assert shown().keys() == {"mockpets", *TOOLS}
    for packages in PACKAGES.values():
        assert packages[0].rpartition("@")[2] in page, packages


def test_the_row_of_mockpets(tmp_path: Path) -> None:
    assert shown()["mockpets"] == mockpets(tmp_path)


@pytest.mark.node
@pytest.mark.tool  # java
@pytest.mark.long  # npm downloads the tools
@pytest.mark.parametrize("name", TOOLS)
def test_the_row_of(name: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    need("npm")
    program = node(tmp_path_factory.mktemp("node"))
    folder, work = tmp_path / "installed", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    install(folder, PACKAGES[name])

    assert shown()[name] == TOOLS[name](Tool(program, folder, work))
