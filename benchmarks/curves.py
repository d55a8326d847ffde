"""Measure how the cost of a list request grows: CPU time at several sizes of one thing.

Each size has its own server, and the servers of one thing take turns. The CPU time of the server's
process varies less than the rate, and other work on the machine hardly changes it. The client
sends the same number of requests to each server: one on each of 16 connections, then it reads all
responses.
"""

from __future__ import annotations

import json
import resource
import socket
import sys
import time
from contextlib import ExitStack
from itertools import count, islice
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.load import KEY
from benchmarks.process import started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.process import Server
    from benchmarks.subjects import Subject

__all__ = ["CURVES", "Curve", "measure_curves"]

_LIST = "/v1/pets?limit=20&status=available"
_CONNECTIONS = 16
_REQUESTS = 4_000
"""Requests in one measurement, and at least before the first."""
_FILE_STUBS = 1_250
"""Stubs in one file: eight files, the largest stack, have 10,000."""


class Curve(NamedTuple):
    """Something that grows.

    :param what: what is counted, for the reader.
    :param sizes: from small to the limit.
    """

    what: str
    sizes: tuple[int, ...]


CURVES: Final[Mapping[str, Curve]] = {
    "stubs": Curve("stubs in the active stack", (10, 100, 1_000, 10_000)),
    "scenarios": Curve("scenario files of your own", (1, 10, 100, 1_000)),
    "pets": Curve("pets", (50, 1_000, 10_000, 100_000)),
    "sessions": Curve("sessions in turn", (1, 10, 200, 10_000)),
    "log": Curve("requests in a full log", (10, 100, 1_000, 100_000)),
    "connections": Curve("open connections", (16, 100, 500, 1_000)),
}


def measure_curves(
    ours: Subject, rounds: int, log: Callable[[str], None]
) -> dict[str, dict[str, float]]:
    """Return the microseconds of CPU time per request: name of a curve to size to median.

    Curves that cannot be measured are logged and skipped.

    :param ours: mockpets as a subject; its command is replaced.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4_096, hard)), hard))
    results: dict[str, dict[str, float]] = {}
    for name, curve in CURVES.items():
        log(f"curve: {curve.what}")
        try:
            samples = _samples(name, curve.sizes, ours, rounds)
        except (OSError, RuntimeError) as error:
            log(f"  {name} skipped: {error}")
            continue
        results[name] = {str(size): median(values) for size, values in samples.items()}
    return results


def _samples(name: str, sizes: Sequence[int], ours: Subject, rounds: int) -> dict[int, list[float]]:
    """Return the microseconds per request of each round by size."""
    samples: dict[int, list[float]] = {size: [] for size in sizes}
    with ExitStack() as running:
        servers, targets = {}, {}
        for size in sizes:
            servers[size] = running.enter_context(started(_subject(name, size, ours)))
            targets[size] = _targets(name, size)
            warm = max(_REQUESTS, 0 if name not in ("sessions", "log") else size)
            _send(servers[size], islice(targets[size], warm), 0)
        for number in range(rounds):
            # In turn from each end, so that a slow moment does not always meet the same size.
            for size in sizes if number % 2 else reversed(sizes):
                idle = size - _CONNECTIONS if name == "connections" else 0
                cpu = _send(servers[size], islice(targets[size], _REQUESTS), idle)
                samples[size].append(cpu / _REQUESTS * 1_000_000)
    return samples


# --- Servers --------------------------------------------------------------------------------------


def _subject(name: str, size: int, ours: Subject) -> Subject:
    """Return mockpets with one thing of a size."""
    folder = ours.folder / f"{name}-{size}"
    folder.mkdir(exist_ok=True)
    options: list[str] = []
    pets = 50
    if name == "stubs":
        for file in _stub_files(size, folder):
            options += ["--scenario", file]
        options += ["--scenarios-dir", "."]
    elif name == "scenarios":
        for number in range(size):
            _write(folder / f"own-{number}.json", [_stub(number)])
        options += ["--scenarios-dir", "."]
    elif name == "pets":
        pets = size
    elif name == "sessions":
        options += ["--max-sessions", str(size)]
    elif name == "log":
        options += ["--journal-size", str(size)]
    command = [sys.executable, "-m", "mockpets", "serve", "--port", "{port}", "--quiet", *options]
    return ours._replace(command=(*command, "--count", str(pets)), folder=folder)


def _stub_files(stubs: int, folder: Path) -> Iterator[str]:
    """Write stubs into files and yield the names of their scenarios."""
    for first in range(0, stubs, _FILE_STUBS):
        name = f"many-{first // _FILE_STUBS}"
        last = min(first + _FILE_STUBS, stubs)
        _write(folder / f"{name}.json", [_stub(number) for number in range(first, last)])
        yield name


def _write(path: Path, stubs: Sequence[Mapping[str, Any]]) -> None:
    path.write_text(json.dumps({"description": "Stubs.", "stubs": stubs}), encoding="utf-8")


def _stub(number: int) -> Mapping[str, Any]:
    """Return one of various stubs that match no request of the measurement."""
    matches = (
        {"operation": "getPet", "petId": 1_000_000 + number},
        {"operation": "listPets", "query": {"status": f"other-{number}"}},
        {"operation": "listPets", "query": {"status": "available", "limit": str(100 + number)}},
        {"headers": {"x-case": f"case-{number}"}},
        {"operation": "createPet", "body": {"name": f"Pet {number}"}},
        {"method": "GET", "path": f"/v1/shops/{number}/*"},
    )
    reply = {"status": 503}
    return {"match": matches[number % len(matches)], "reply": reply, "off_contract": True}


def _targets(name: str, size: int) -> Iterator[str]:
    """Yield the targets of the requests, without end."""
    for number in count():
        session = number % size
        yield f"/~{f's{session}' if session else 'default'}{_LIST}" if name == "sessions" else _LIST


# --- Requests -------------------------------------------------------------------------------------


def _send(server: Server, targets: Iterable[str], idle: int) -> float:
    """Send requests and return the CPU seconds that the server took for them.

    :param idle: the number of other connections, open without a request in progress.
    :raise RuntimeError: if a response is not a 200.
    """
    with ExitStack() as connected:
        sockets = [
            connected.enter_context(socket.create_connection(("127.0.0.1", server.port), 30))
            for _ in range(_CONNECTIONS + idle)
        ]
        readers = [connected.enter_context(sock.makefile("rb")) for sock in sockets]
        for sock, reader in zip(sockets, readers, strict=True):  # all of them are accepted
            sock.sendall(_request("/v1/pets/1"))
            _read(reader)
        pending = iter(targets)
        before = _cpu_seconds(server.pid)
        while batch := list(islice(pending, _CONNECTIONS)):
            for sock, target in zip(sockets, batch, strict=False):
                sock.sendall(_request(target))
            for reader in readers[: len(batch)]:
                _read(reader)
        return _cpu_seconds(server.pid) - before


def _request(target: str) -> bytes:
    return f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {KEY}\r\n\r\n".encode()


def _read(reader: Any) -> None:
    """Read one response.

    :raise RuntimeError: if it is not a 200.
    """
    status = reader.readline()
    length = 0
    while (line := reader.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    body = reader.read(length)
    if b" 200 " not in status:
        raise RuntimeError(f"got {status!r}: {body[:200]!r}")


def _cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process so far: user and system, of all its threads."""
    # The clock of another process; see clock_getcpuclockid in Linux' posix-timers.h.
    return time.clock_gettime((~pid << 3) | 2)
