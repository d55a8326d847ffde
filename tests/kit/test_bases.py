"""The kit with contracts at other base paths than the pet store's, for each test runner."""

import json
import re
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests

from mockpets import MockpetsServer, Settings
from tests.kit.project import CONFIG, Outcomes, install_kit, run_specs
from tests.kit.test_playwright import HEADERS
from tests.kit.test_server import COMMAND, VITEST_CONFIG
from tests.pages import Respond, serving
from tests.programs import free_port, need, run_within

pytestmark = pytest.mark.node

NOTES = Path(__file__).with_name("notes.yaml")
SPEC = Path(__file__).with_name("specs") / "bases.spec.ts"
VITEST = Path(__file__).with_name("vitest") / "bases.test.ts"
VITEST_SERVER = """\
import { startServer } from "mockpets/server";
export default () => startServer(JSON.parse(process.env.OPTIONS ?? ""));
"""
SERVERS: Mapping[str, tuple[tuple[str, ...], str, list[str]]] = {
    "path": ((f"/api/v2={NOTES}",), "/mock", ["/api/v2"]),
    "root": ((f"/={NOTES}",), "", [""]),
    "several": ((f"/={NOTES}", "pet-store"), "", ["", "/v1"]),
}
"""The contracts of each server, its prefix, and its base paths."""
PAGE = '<!doctype html><link rel="icon" href="data:,"><title>App</title>'
ALONE = "nothing branched: no two requests to {} were held at the same time"


def proxy(mock: str) -> Respond:
    """Return an app with a page, which passes other requests on to mockpets with their session."""

    def respond(path: str, headers: Mapping[str, str]) -> tuple[str, str]:
        if path == "/page":
            return "text/html", PAGE
        named = {name: headers[name] for name in headers if name.lower() == "mockpets-session"}
        response = requests.get(mock + path, headers=named | HEADERS, timeout=20)
        return "application/json", response.text

    return respond


@pytest.mark.browser
@pytest.mark.long
def test_playwright_with_contracts_at_other_base_paths(tmp_path: Path) -> None:
    """In one run, because a start takes seconds."""
    projects = []
    with ExitStack() as stack:
        for name, (contracts, prefix, bases) in SERVERS.items():
            settings = Settings(port=0, sessions="declared", contract=contracts, prefix=prefix)
            url = stack.enter_context(MockpetsServer(settings)).url + prefix
            use = {"mockUrl": url, "baseURL": stack.enter_context(serving(proxy(url)))}
            match = f"**/{name}.spec.ts"
            projects.append(
                {"name": name, "testMatch": match, "use": use, "metadata": {"bases": bases}}
            )
        config = CONFIG.replace("});\n", f"  projects: {json.dumps(projects)},\n}});\n")
        files = {f"tests/{name}.spec.ts": SPEC.read_text(encoding="utf-8") for name in SERVERS}
        outcomes = run_specs(tmp_path, files, config)

    assert outcomes.keys() == SERVERS.keys()
    for name, (_, _, bases) in SERVERS.items():
        check(outcomes[name], bases)


def check(outcomes: Outcomes, bases: list[str]) -> None:
    alone, failed = outcomes.pop("without competitors"), outcomes.pop("without requests")
    state = outcomes.pop("in a state of the pet store")
    reason = "is for pet-store" if bases != ["", "/v1"] else "no request listed"
    assert (state.status, reason in state.skip_reason) == ("skipped", True), state
    assert {title: each for title, each in outcomes.items() if each.status != "passed"} == {}
    assert len(outcomes) == 4
    [error] = alone.errors
    assert ALONE.format(" or ".join(base or "/" for base in bases)) in error
    log = failed.attachments["mockpets requests"]
    assert re.sub(r"http://localhost:\d+(/mock)?/~[^/; ]+", "ROOT", log).startswith(
        f"no requests to {' or '.join(f'ROOT{base}' for base in bases)}; requests that name another"
    )
    orders = dict(outcomes["only requests to a contract compete"].annotations)["orders"]
    assert orders == "2 passed"


@pytest.mark.parametrize(
    "is_running",
    [False, pytest.param(True, marks=pytest.mark.long)],
    ids=["started", "already running"],
)
def test_vitest_knows_the_base_paths_before_the_first_call(
    tmp_path: Path, is_running: bool
) -> None:
    contracts = (f"/api/v2={NOTES}", "pet-store")
    args = [word for each in contracts for word in ("--contract", each)]
    install_kit(tmp_path)
    (tmp_path / "vitest.config.mts").write_text(VITEST_CONFIG)
    (tmp_path / "server.ts").write_text(VITEST_SERVER)
    shutil.copy(VITEST, tmp_path)
    with ExitStack() as stack:
        url = f"http://localhost:{free_port()}"
        if is_running:
            settings = Settings(port=0, sessions="declared", contract=contracts)
            url = stack.enter_context(MockpetsServer(settings)).url
        options = json.dumps({"command": COMMAND, "url": url, "args": args})
        command = (need("vitest"), "run", "--no-color")
        done = run_within(240, tmp_path, *command, CI="", OPTIONS=options)

    assert "2 passed" in done.stdout, done.stdout + done.stderr
    assert "which differs from" not in done.stderr
