"""Send requests with wrk, in order and again and again."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

KEY: Final = "Bearer mockpets"
"""The Authorization header that every subject requires."""
CONNECTIONS: Final = 16
LEVELS: Final = (1, CONNECTIONS, 64)
"""Numbers of connections."""
_SCRIPT: Final = Path(__file__).with_name("load.lua")


class Request(NamedTuple):
    """A request.

    :param part: the kind of request, such as ``list``.
    :param body: JSON to POST; empty for GET.
    """

    part: str
    target: str
    body: str = ""
    headers: tuple[tuple[str, str], ...] = (("Authorization", KEY),)

    @property
    def all_headers(self) -> dict[str, str]:
        """All headers without `Host` and `Content-Length`."""
        return dict(self.headers) | ({"Content-Type": "application/json"} if self.body else {})

    def encoded(self, port: int) -> bytes:
        """Return the bytes to send to a port of this machine."""
        lines = [f"{'POST' if self.body else 'GET'} {self.target} HTTP/1.1"]
        lines += [f"Host: localhost:{port}"]
        lines += [f"{name}: {value}" for name, value in self.all_headers.items()]
        lines += [f"Content-Length: {len(self.body.encode())}"] if self.body else []
        return "\r\n".join([*lines, "", self.body]).encode()


class Load(NamedTuple):
    """Requests per second, and latencies in milliseconds."""

    rate: float
    p50: float
    p99: float


Timed = Counter[tuple[str, int, int]]
"""Number of responses by part, status and latency in microseconds."""


def client_name() -> str:
    """Return the name and the version of wrk.

    :raise RuntimeError: it is not installed.
    """
    if shutil.which("wrk") is None:
        raise RuntimeError("wrk is not installed; install it, such as with 'apt-get install wrk'")
    output = subprocess.run(["wrk", "-v"], capture_output=True, text=True, check=False).stdout  # noqa: S607 - Debian's
    return output.split(" [")[0].strip()


def send(
    port: int,
    sequence: Sequence[Request],
    statuses: Mapping[str, int],
    seconds: int,
    connections: int = CONNECTIONS,
) -> Load:
    """Send a sequence, each request as soon as a previous response is complete.

    :param statuses: the expected status of each part.
    :raise RuntimeError: if responses have other statuses or a connection breaks.
    """
    load, rows = _wrk(port, sequence, connections, 1, seconds)
    received = Counter({int(status): int(count) for status, count in rows})
    if problem := status_problems(sequence, statuses, received, connections):
        raise RuntimeError(problem)
    return load


def send_paced(
    port: int, sequence: Sequence[Request], statuses: Mapping[str, int], seconds: int
) -> Timed:
    """Send a sequence at a low rate, and return the latencies.

    A script of wrk sees which request a response belongs to only with one thread for each
    connection. At full speed, 16 busy threads would slow the server down. Here, each connection
    waits 16 ms on average before a request: about 1,000 requests per second.

    :param statuses: the expected status of each part.
    :raise RuntimeError: if a response has another status or a connection breaks.
    """
    _, rows = _wrk(port, sequence, CONNECTIONS, CONNECTIONS, seconds)
    timed = timed_of(rows)
    wrong = {(part, status) for part, status, _ in timed if status != statuses[part]}
    if wrong:
        found = (f"{status} for {part}" for part, status in sorted(wrong))
        raise RuntimeError(f"unlike before the run: {'; '.join(found)}")
    return timed


def timed_of(rows: Iterable[Sequence[str]]) -> Timed:
    """Return the latencies in the rows of the script, of which each thread prints its own."""
    timed: Timed = Counter()
    for part, status, microseconds, count in rows:
        timed[part, int(status), int(microseconds)] += int(count)
    return timed


def _wrk(
    port: int, sequence: Sequence[Request], connections: int, threads: int, seconds: int
) -> tuple[Load, list[list[str]]]:
    """Run wrk; return its figures and the rows that its script prints.

    :raise RuntimeError: if a connection breaks.
    """
    options = [f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "--latency"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.lua"
        path.write_text(lua(sequence, port, paced=threads > 1), encoding="utf-8")
        command = ["wrk", *options, "-s", str(path), f"http://127.0.0.1:{port}"]
        process = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command
    output = process.stdout + process.stderr
    rate = re.search(r"Requests/sec: +([\d.]+)", output)
    if rate is None or "Socket errors" in output:
        raise RuntimeError(" ".join(output.split())[:500])
    units = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    times = {
        share: float(number) * units[unit]
        for share, number, unit in re.findall(r"(50|99)% +([\d.]+)(us|ms|s)\b", output)
    }
    lines = [line.split("\t") for line in output.splitlines()]
    rows = [cells[1:] for cells in lines if cells[0] == "counted"]
    return Load(float(rate[1]), times["50"], times["99"]), rows


def lua(sequence: Sequence[Request], port: int, *, paced: bool) -> str:
    """Return the script for wrk.

    :param paced: send at a low rate and time each response; needs a thread for each connection.
    """
    numbers = {item: number for number, item in enumerate(dict.fromkeys(sequence), 1)}

    def table(values: Sequence[object]) -> str:
        return "{" + ", ".join(map(json.dumps, values)) + "}"  # ASCII strings of JSON are Lua's

    lines = [
        f"local requests = {table([item.encoded(port).decode('ascii') for item in numbers])}",
        f"local parts = {table([item.part for item in numbers])}",
        f"local sequence = {table([numbers[item] for item in sequence])}",
        f"local paced = {json.dumps(paced)}",
    ]
    return "\n".join([*lines, _SCRIPT.read_text(encoding="utf-8")])


def status_problems(
    sequence: Sequence[Request],
    expected: Mapping[str, int],
    received: Counter[int],
    connections: int = CONNECTIONS,
) -> str:
    """Compare the statuses of a run with the expected ones; return what differs, or nothing.

    At the end of a run, each connection may wait for a response, and wrk skips one request.

    :param sequence: the requests, which were sent repeatedly and in this order.
    :param expected: the status of each part.
    :param received: number of responses by status.
    """
    statuses = [expected[item.part] for item in sequence]
    rounds, rest = divmod(received.total(), len(sequence))
    wanted = Counter(statuses[:rest])
    for status, number in Counter(statuses).items():
        wanted[status] += number * rounds
    differing = [
        f"{received[status]:,} responses {status}, expected {wanted[status]:,}"
        for status in sorted({*wanted, *received})
        if abs(received[status] - wanted[status]) > connections + 1
        or (received[status] and not wanted[status])
        or (rounds and not received[status])
    ]
    return "; ".join(differing)
