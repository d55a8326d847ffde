"""Processes behind HAProxy that stop and restart while clients send requests.

Each client has a session with one pet of its own, so it sees when another session responds.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Self
from urllib.parse import urlsplit
from zlib import crc32

import pytest

from mockpets.client import ControlClient
from tests.live import balancers
from tests.live.balancers import SECONDS

pytestmark = [pytest.mark.tool, pytest.mark.long]

TOKEN = "only-for-this-test"
SESSIONS = int(os.environ.get("SCALE_SESSIONS", "24"))
REQUESTS = int(os.environ.get("SCALE_REQUESTS", "400"))
"""How many requests the clients send at least while processes restart."""
CLIENTS = 8


@dataclass
class Process:
    """A `mockpets serve` that can be stopped and started again on its port."""

    port: int
    options: tuple[str, ...]
    _process: subprocess.Popen[str] | None = field(default=None, init=False)

    def start(self) -> None:
        command = [sys.executable, "-m", "mockpets", "serve", "--port", str(self.port)]
        self._process = subprocess.Popen(
            [*command, "--log=quiet", "--control-token", TOKEN, *self.options],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        while (line := self._process.stdout.readline()) and "/v1" not in line:
            pass
        assert line, "the process has stopped"

    def stop(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.communicate(timeout=SECONDS)
            self._process = None


@contextmanager
def running(*options: tuple[str, ...]) -> Iterator[list[Process]]:
    """Run processes, each with its own options."""
    found = [
        Process(*pair) for pair in zip(balancers.free_ports(len(options)), options, strict=True)
    ]
    try:
        for process in found:
            process.start()
        yield found
    finally:
        for process in found:
            process.stop(signal.SIGTERM)


@dataclass
class Results:
    """What clients got."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def __iadd__(self, other: Self) -> Self:
        self.right += other.right
        self.wrong += other.wrong
        self.errors += other.errors
        return self


PLACES: tuple[tuple[str, dict[str, str]], ...] = (
    ("/~{}", {}),
    ("", {"Mockpets-Session": "{}"}),
    ("", {"baggage": "mockpets.session={}"}),
    ("", {"Authorization": "Bearer mockpets~{}"}),
    ("", {"Cookie": "mockpets={}"}),
)
"""Where a request names its session: in a path before /v1, or in a header."""


def ask(
    connection: HTTPConnection, name: str, identity: str, results: Results, place: int = 0
) -> None:
    """List the pets of a session; compare the session and its pet with the expected ones.

    :param identity: the session's ID; empty for any.
    """
    base, fields = PLACES[place % len(PLACES)]
    headers = {field: value.format(name) for field, value in fields.items()}
    headers = {"Authorization": "Bearer mockpets", **headers}
    try:
        connection.request("GET", f"{base.format(name)}/v1/pets", headers=headers)
        response = connection.getresponse()
        body = response.read()
    except (OSError, HTTPException) as error:
        connection.close()
        results.errors.append(f"{name}: {error!r}")
        return
    if response.status != 200:
        results.errors.append(f"{name}: {response.status} {body[:80]!r}")
    elif identity in ("", response.headers["Mockpets-Session-Id"]) and [
        pet["name"] for pet in json.loads(body)
    ] == [name]:
        results.right += 1
    else:
        results.wrong.append(f"{name}: {body[:80]!r}")


def load(url: str, identities: dict[str, str], least: int, stopped: Event) -> Results:
    """Send requests for the sessions in turn until both are reached: a number, and an event."""
    results = Results()
    connection = HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
    sent = 0
    while sent < least or not stopped.is_set():
        for name, identity in identities.items():
            ask(connection, name, identity, results, sent + sent // len(identities))
            sent += 1
    connection.close()
    return results


def make_sessions(url: str) -> dict[str, str]:
    """Create the sessions, each with a pet of its name; return their IDs by name."""
    control = ControlClient(url, "none", TOKEN)
    names = [f"restart-{number}" for number in range(SESSIONS)]
    return {
        name: control.make_session(name, data={"pets": [{"id": 1, "name": name, "categoryId": 1}]})[
            "id"
        ]
        for name in names
    }


@contextmanager
def clients(url: str, identities: dict[str, str]) -> Iterator[Results]:
    """Run clients during a block; afterwards, the results are complete."""
    stopped, results = Event(), Results()
    rows = list(identities.items())
    with ThreadPoolExecutor(CLIENTS) as pool:
        shares = [dict(rows[number::CLIENTS]) for number in range(CLIENTS)]
        least = REQUESTS // CLIENTS
        futures = [pool.submit(load, url, share, least, stopped) for share in shares]
        try:
            yield results
        finally:
            stopped.set()
            for future in futures:
                results += future.result()


def wait_until_saved(client: ControlClient) -> None:
    """Wait until the state file has all changes up to now."""
    progress = client.state()["state_file"]
    assert progress is not None
    end = monotonic() + SECONDS
    while (now := client.state()["state_file"]) is None or now["saved"] <= progress["begun"]:
        assert monotonic() < end


def with_state(folder: Path) -> list[tuple[str, ...]]:
    return [("--state", str(folder / f"{number}.state")) for number in range(4)]


def test_restarts_of_haproxy_and_a_rolling_restart_lose_no_session(tmp_path: Path) -> None:
    """While clients send; HAProxy restarts twice, before and after the processes."""
    with (
        running(*with_state(tmp_path)) as processes,
        balancers.restartable_haproxy([process.port for process in processes]) as (url, restart),
    ):
        identities = make_sessions(url)
        with clients(url, identities) as results:
            restart()
            for process in processes:
                process.stop(signal.SIGTERM)
                process.start()
            restart()
        places = [names_of(process) & identities.keys() for process in processes]

    assert results.errors == []
    assert results.wrong == []
    assert results.right >= REQUESTS
    assert places == [
        {name for name in identities if crc32(name.encode()) % 4 == number} for number in range(4)
    ]


def names_of(process: Process) -> set[str]:
    control = ControlClient(f"http://127.0.0.1:{process.port}", "none", TOKEN)
    return {session["name"] for session in control.sessions()}


def test_after_a_kill_a_process_has_its_acknowledged_state_and_the_others_are_untouched(
    tmp_path: Path,
) -> None:
    with (
        running(*[(*each, "--sessions", "declared") for each in with_state(tmp_path)]) as processes,
        balancers.haproxy([process.port for process in processes]) as url,
    ):
        identities = make_sessions(url)
        wait_until_saved(ControlClient(f"http://127.0.0.1:{processes[1].port}", token=TOKEN))
        # A process that was killed gives its sessions new IDs.
        killed = {name: "" for name in identities if crc32(name.encode()) % 4 == 1}
        with clients(url, identities | killed) as results:
            processes[1].stop(signal.SIGKILL)
            processes[1].start()

    assert results.wrong == []
    assert all(error.partition(":")[2].startswith(" 502") for error in results.errors), results
    assert len(results.errors) <= CLIENTS
    assert {crc32(error.partition(":")[0].encode()) % 4 for error in results.errors} <= {1}
