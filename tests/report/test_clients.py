"""`mockpets report` names the fault of each faulty client, and finds none in good clients."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.report.findings import CLIENT_RULES
from tests.programs import need, need_packages
from tests.report.traffic import report

pytestmark = [pytest.mark.node, pytest.mark.long]

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


@dataclass(frozen=True)
class Case:
    """A client to run, and what it shows.

    :param program: ``faulty`` or ``good``.
    :param rules: the rules that it breaks.
    :param requests: how many requests it sends at least.
    """

    program: str
    name: str
    scenario: Any
    rules: list[str]
    requests: int = 1


CASES = [
    *(
        Case("faulty", each.name, SCENARIOS.get(each.name, "default"), [each.name])
        for each in CLIENT_RULES
    ),
    *(Case("good", name, scenario, [], least) for name, (scenario, least) in GOOD.items()),
    *(Case("good", name, scenario, [], 3) for name, scenario in RETRY_AFTER.items()),
]


def run_client(server: MockpetsServer, session: str, case: Case) -> int:
    """Run a client in a session of its own; return how many requests it has sent."""
    client = ControlClient(server.url, session)
    client.make_session(session, scenario=case.scenario)
    subprocess.run(
        [need("node"), f"{case.program}.mjs", case.name],
        cwd=CLIENTS,
        env={**os.environ, "BASE_URL": client.base_url},
        timeout=240,
        check=True,
    )
    return len(client.requests())


def test_each_faulty_client_is_named_by_its_rule_and_no_good_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Two at a time, because a busy machine changes the pauses of a client."""
    need_packages()
    sessions = [f"client-{number}" for number in range(len(CASES))]
    with MockpetsServer(Settings(port=0)) as server, ThreadPoolExecutor(2) as pool:
        requests = [*pool.map(partial(run_client, server), sessions, CASES)]
        results = [
            report(capsys)("--url", server.url, "--session", session) for session in sessions
        ]

    assert [
        (case, status, result["findings"], sent)
        for case, (status, result, _), sent in zip(CASES, results, requests, strict=True)
        if (status, [each["rule"] for each in result["findings"]]) != (0, case.rules)
        or sent < case.requests
        or (case.scenario == "retry" and sent != case.requests)
    ] == []
