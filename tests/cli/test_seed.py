"""What `init` writes for Playwright's agents, whose tools begin with the seed test."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from mockpets.cli.main import main
from mockpets.client import ControlClient
from tests.kit.project import install_kit
from tests.programs import need

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.long]

APP = """
<title>Shop</title>
<p></p>
<script type="module">
  const headers = { Authorization: "Bearer mockpets" };
  const pets = await (await fetch(import.meta.env.VITE_API_URL + "/pets", { headers })).json();
  document.querySelector("p").textContent = pets.length ? pets[0].name : "No pets yet";
</script>
"""


TOOLS: dict[str, dict[str, Any]] = {
    "planner_setup_page": {},
    "generator_setup_page": {"plan": "- See the empty list."},
}


def free_ports() -> list[int]:
    with socket.socket() as first, socket.socket() as second:
        for each in (first, second):
            each.bind(("127.0.0.1", 0))
        return [first.getsockname()[1], second.getsockname()[1]]


def call(agent: subprocess.Popen[str], number: int, method: str, **params: Any) -> Any:
    """Send a message of MCP to Playwright's tools; return the result."""
    send, receive = agent.stdin, agent.stdout
    assert send is not None and receive is not None
    write(send, id=number, method=method, params=params)
    for line in receive:
        response = json.loads(line)
        if response.get("id") == number and "result" in response:
            return response["result"]
    raise AssertionError("Playwright has ended")


def write(stream: IO[str], **message: Any) -> None:
    stream.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    stream.flush()


def test_playwrights_agents_begin_in_a_session_with_the_scenario_of_the_seed() -> None:
    install_kit(Path())
    packages = {"vite": "8", "@playwright/test": "1"}
    Path("package.json").write_text(json.dumps({"type": "module", "devDependencies": packages}))
    Path("index.html").write_text(APP)
    assert main(["init"]) == 0
    mock, app = free_ports()
    for name, pattern, text in [
        (".env.development", "7387", str(mock)),
        ("playwright.config.ts", "5273", str(app)),
        ("playwright.config.ts", "use: {", "use: { launchOptions: { executablePath: CHROMIUM },"),
        ("playwright.config.ts", "CHROMIUM", json.dumps(need("chromium-headless-shell"))),
        ("tests/seed.spec.ts", '"default"', '"empty"'),
    ]:
        path = Path(name)
        assert pattern in path.read_text()
        path.write_text(path.read_text().replace(pattern, text))
    seed = Path("tests/seed.spec.ts").read_text()
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environ = {**os.environ, "PATH": programs, "MOCKPETS_URL": f"http://localhost:{mock}"}
    playwright = need("playwright")
    need("npx")

    subprocess.run(
        [playwright, "init-agents", "--loop=vscode"], env=environ, check=True, timeout=120
    )
    assert Path("tests/seed.spec.ts").read_text() == seed
    with subprocess.Popen(
        [playwright, "run-test-mcp-server", "--headless"],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as agent:
        assert agent.stdin is not None
        about = {"capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}
        call(agent, 1, "initialize", protocolVersion="2025-06-18", **about)
        write(agent.stdin, method="notifications/initialized")
        for number, (tool, arguments) in enumerate(TOOLS.items(), 2):
            result = call(agent, number, "tools/call", name=tool, arguments=arguments)
            text = result["content"][0]["text"]
            sessions = ControlClient(environ["MOCKPETS_URL"]).sessions()
            active = [row["active"] for row in sessions if row["name"].startswith("seed-")]
            assert "Paused at end of test" in text
            assert "No pets yet" in text
            assert active == [["empty"]]
        agent.stdin.close()
        assert agent.wait(60) == 0
