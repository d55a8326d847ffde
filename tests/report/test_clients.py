"""`mockpets report` names the fault of each faulty client, and finds none in good clients."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.report.client_rules import RULES
from tests.programs import NODE_MODULES, need
from tests.report.traffic import report

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

CLIENTS = Path(__file__).with_name("clients")
FAIL = {
    "description": "The first four requests fail.",
    "stubs": [{"times": 4, "reply": {"status": 503}}],
}
SCENARIOS: dict[str, Any] = {
    "retry-without-backoff": "server-error",
    "retry-after-ignored": "rate-limited",
    "duplicate-create": "double-submit",
    "request-after-401": "unauthorized",
    "response-unread": "slow",
}
"""What a faulty client needs to show its fault; the others show it anyway."""
GOOD: dict[str, tuple[Any, int]] = {
    "tanstack-query": ({**FAIL, "stubs": [{"times": 3, "reply": {"status": 503}}]}, 4),
    "swr": (FAIL, 5),
    "axios-retry": (FAIL, 5),
    "ky": (FAIL, 5),
    "fetch": (FAIL, 5),
    "strict-mode": ("jittery", 2),
}
"""Client to what makes it fail, and how many requests it sends at least."""
RETRY_AFTER = {"fetch": "retry", "ky": "retry", "axios-retry": "retry"}
"""Clients that read Retry-After."""


@pytest.fixture(scope="module")
def server() -> Iterator[MockpetsServer]:
    need("node")
    with MockpetsServer(Settings(port=0)) as server:
        yield server


def findings(
    server: MockpetsServer,
    capsys: pytest.CaptureFixture[str],
    program: str,
    name: str,
    scenario: Any,
) -> tuple[list[str], int]:
    """Run a client in a session of its own; return the rules that it breaks, and its requests."""
    if not (NODE_MODULES / "axios-retry").exists():
        need("axios-retry")  # reports the missing package
    session = f"{program}-{name}-{scenario if isinstance(scenario, str) else 'own'}"
    client = ControlClient(server.url, session)
    client.make_session(session, scenario=scenario)
    subprocess.run(
        [need("node"), f"{program}.mjs", name],
        cwd=CLIENTS,
        env={**os.environ, "BASE_URL": client.base_url},
        timeout=120,
        check=True,
    )
    status, result, _ = report(capsys)("--url", server.url, "--session", session)
    assert status == 0
    return [each["rule"] for each in result["findings"]], len(client.requests())


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
def test_a_faulty_client_is_named_by_its_rule(
    server: MockpetsServer, capsys: pytest.CaptureFixture[str], rule: str
) -> None:
    names, _ = findings(server, capsys, "faulty", rule, SCENARIOS.get(rule, "default"))

    assert names == [rule]


@pytest.mark.parametrize("name", GOOD)
def test_a_good_client_has_no_findings(
    server: MockpetsServer, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    scenario, least = GOOD[name]
    names, requests = findings(server, capsys, "good", name, scenario)

    assert names == []
    assert requests >= least


@pytest.mark.parametrize("name", RETRY_AFTER)
def test_a_good_client_that_reads_retry_after_has_no_findings(
    server: MockpetsServer, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    names, requests = findings(server, capsys, "good", name, RETRY_AFTER[name])

    assert names == []
    assert requests == 3
