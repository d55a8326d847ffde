"""A busy public server: 50 visitors use every shipped scenario while sessions are reset.

Each visitor sends requests like a busy page. After one round of all scenarios, the test runs for
`SOAK_MINUTES`, by default one more round.
"""

import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException, HTTPMessage, IncompleteRead
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic
from typing import Any

import pytest

from tests.cli.test_main import logged, program, wait_until
from tests.http_client import JSON, KEY, Client, OverSocket, Response
from tests.live.test_soak import GROWTH, held

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")]

MINUTES = float(os.environ.get("SOAK_MINUTES", "0"))
VISITORS = 50
PAUSE = 0.28
"""Seconds between a visitor's requests; all visitors together stay below the rate limit."""
TOKEN = "a-token-of-the-tests"
SCENARIOS = sorted(each.stem for each in Path(__file__).parents[2].glob("scenarios/*.yaml"))
SPOILS = {"broken-json", "truncated"}


class Visitor:
    """One visitor with its own address and unique data."""

    def __init__(self, root: str, number: int) -> None:
        self.number, self.address = number, f"10.1.0.{number}"
        self.sessions: set[str] = set()
        self.statuses: dict[int, int] = {}
        self._random = Random(number)
        self._root, self._connection = root, HTTPConnection(root, timeout=30)

    def round(self, _: float = 0) -> None:
        """Use all scenarios in random order."""
        for scenario in self._random.sample(SCENARIOS, len(SCENARIOS)):
            Event().wait(PAUSE * self._random.uniform(0.5, 1.5))  # like a person
            self._ask(scenario)

    def rounds(self, end: float) -> None:
        """Repeat rounds until a time, at least once."""
        self.round()
        while monotonic() < end:
            self.round()

    def _ask(self, scenario: str) -> None:
        name = f"visitor-{self.number}-{self._random.randrange(10**6)}"
        pet = json.dumps({"name": name, "categoryId": 2, "status": "pending"})
        method, path, body = self._random.choice(
            [
                ("GET", "/v1/pets?limit=100", None),
                ("GET", "/v1/pets?status=pending", None),
                ("GET", f"/v1/pets/{self._random.randrange(1, 30)}", None),
                ("POST", "/v1/pets", pet),
            ]
        )
        headers = KEY | {"X-Forwarded-For": self.address, "Mockpets-Scenario": scenario}
        status, got, text = self._send(method, path, body, headers, scenario)
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self._check(scenario, method, status, got, text)
        if status == 201:
            assert name.encode() in text

    def _send(
        self, method: str, path: str, body: str | None, headers: dict[str, str], scenario: str
    ) -> tuple[int, HTTPMessage, bytes]:
        try:
            self._connection.request(method, path, body, headers | (JSON if body else {}))
            response = self._connection.getresponse()
            return response.status, response.headers, response.read()
        except IncompleteRead as cut:
            assert scenario == "truncated"
            return response.status, response.headers, cut.partial
        except (OSError, HTTPException) as error:
            raise AssertionError(f"{scenario}: {error!r} on {method} {path}") from error

    def _check(
        self, scenario: str, method: str, status: int, headers: HTTPMessage, text: bytes
    ) -> None:
        """Check a response against its scenario, and that it has no other visitor's data."""
        typed = set(re.findall(rb"visitor-(\d+)-", text))
        assert typed <= {str(self.number).encode()}, (scenario, text)
        if status == 429 and headers["Mockpets-Stub"] is None:
            assert json.loads(text)["code"] == "rate_limited"
            return
        self.sessions.add(headers["Mockpets-Session"])
        assert headers["Mockpets-Scenario"] == scenario
        if headers["Mockpets-Stub"] == "-":
            good = {"GET": {200, 404}, "POST": {201}}[method]
            assert status in good, (scenario, method, status, text)
        else:
            assert headers["Mockpets-Stub"].startswith(f"{scenario}/")
        if scenario not in SPOILS:
            json.loads(text)

    def close(self) -> None:
        self._connection.close()


def test_visitors_are_isolated_and_leak_nothing(tmp_path: Path) -> None:
    words = ["--public", "--behind-proxy", "127.0.0.1", "--control-token", TOKEN]
    words += ["--host", "127.0.0.1", "--log", "json", "--memory", "10MiB"]
    words += ["--reset-every", "1m" if MINUTES else "5s"]
    log = tmp_path / "log"
    with (
        log.open("w") as stderr,
        program("serve", "--port", "0", *words, stderr=stderr) as process,
        ThreadPoolExecutor(VISITORS) as pool,
    ):
        assert wait_until(lambda: "started mockpets" in log.read_text())
        root = logged(log.read_text())[0]["addresses"][0]
        visitors = [Visitor(root.removeprefix("http://"), number) for number in range(VISITORS)]
        try:
            list(pool.map(Visitor.round, visitors))
            before = held(process.pid)
            end = monotonic() + MINUTES * 60
            list(pool.map(lambda visitor: visitor.rounds(end), visitors))
            after = held(process.pid)
        finally:
            for visitor in visitors:
                visitor.close()
        control = Client(OverSocket(root))
        assert {each.address for each in visitors} == _in_request_logs(control, visitors)
        assert _ask(control, "state").json["counts"]["sessions"] == VISITORS + 1
        process.terminate()
        assert process.wait(20) == 0
    statuses = {
        status: sum(each.statuses.get(status, 0) for each in visitors)
        for status in sorted({status for each in visitors for status in each.statuses})
    }
    print(f"\n{sum(statuses.values())} responses: {statuses}\nbefore {before}, after {after}")

    assert statuses[200] > sum(statuses.values()) * 0.4
    assert after[0] - before[0] < GROWTH, (before, after)
    assert after[1] == before[1]
    assert after[2] <= before[2] + 5
    lines = [line for line in logged(log.read_text()) if line["level"] != "info"]
    # Logged once, because the server has little memory on purpose.
    full = "the request logs of all sessions together use 1.11MiB, their part of --memory"
    assert [line["message"].partition(":")[0] for line in lines] == [full]


def _ask(control: Client, path: str, session: str = "default") -> Response:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return control("GET", f"/~{session}/__mockpets/{path}", headers=headers)


def _in_request_logs(control: Client, visitors: list[Visitor]) -> set[str]:
    """Return the addresses in the visitors' request logs; each request log must have one."""
    found = set()
    for visitor in visitors:
        [session] = visitor.sessions
        requests = _ask(control, "requests?limit=20", session).json["requests"]
        assert {each["session"] for each in requests} <= {session}
        for summary in requests or [None]:
            if summary is None:  # the request log was just reset
                addresses = {visitor.address}
            else:
                entry: Any = _ask(control, f"requests/{summary['number']}", session).json
                headers = dict(map(tuple, entry["request"]["headers"]))
                addresses = {headers["X-Forwarded-For"]}
            assert addresses == {visitor.address}
            found |= addresses
    return found
