"""How does the cost of a list request grow? CPU time at several sizes of one thing.

Each size has its own server, and the servers of one thing take turns. The CPU time of the server's
process varies less than the rate, and other work on the machine hardly changes it. The client
sends the same number of requests to each server.
"""

from __future__ import annotations

import json
import resource
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from itertools import count, islice
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.contracts import COUNT
from benchmarks.load import CONNECTIONS, KEY
from benchmarks.process import cpu_seconds, started
from benchmarks.subjects import serving
from benchmarks.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.process import Server
    from benchmarks.subjects import Subject

_LIST = "/v1/pets?limit=20&status=available"
_REQUESTS = 4_000
"""Requests in one measurement, and at least before the first."""


class Curve(NamedTuple):
    """Something that grows.

    :param what: what is counted, for the reader.
    :param sizes: from small to the limit.
    :param goal: at most this many times the cost of the smallest size.
    """

    what: str
    sizes: tuple[int, ...]
    goal: float = 1.2


CURVES: Final[Mapping[str, Curve]] = {
    "stubs": Curve("stubs in the active stack", (10, 50, 200), 1.5),
    "scenarios": Curve("scenario files of your own", (1, 10, 100, 1_000)),
    "pets": Curve("pets", (50, 1_000, 10_000, 100_000)),
    "sessions": Curve("sessions in turn", (1, 10, 200, 10_000)),
    "log": Curve("earlier requests of the session", (1_000, 10_000, 100_000)),
    "connections": Curve("open connections", (16, 100, 500, 1_000)),
}


def measure(home: Path, rounds: int, log: Callable[[str], None]) -> dict[str, dict[str, float]]:
    """Return the microseconds of CPU time per request: name of a curve to size to median.

    Curves that cannot be measured are logged and skipped.

    :param home: an existing folder for the files and the output of the servers.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4_096, hard)), hard))
    results: dict[str, dict[str, float]] = {}
    for name, curve in CURVES.items():
        log(f"curve: {curve.what}")
        try:
            samples = _samples(name, curve.sizes, home, rounds)
        except (OSError, RuntimeError) as error:
            log(f"  {name} skipped: {error}")
            continue
        results[name] = {str(size): median(values) for size, values in samples.items()}
    return results


def _samples(name: str, sizes: Sequence[int], home: Path, rounds: int) -> dict[int, list[float]]:
    """Return the microseconds per request of each round by size."""
    samples: dict[int, list[float]] = {size: [] for size in sizes}
    with ExitStack() as running:
        servers, targets = {}, {}
        for size in sizes:
            servers[size] = running.enter_context(started(_subject(name, size, home)))
            targets[size] = _targets(name, size)
            warm = max(_REQUESTS, 0 if name not in ("sessions", "log") else size)
            _send(servers[size], islice(targets[size], warm), 0)
        for number in range(rounds):
            # In turn from each end, so that a slow moment does not always meet the same size.
            for size in sizes if number % 2 else reversed(sizes):
                idle = size - CONNECTIONS if name == "connections" else 0
                cpu = _send(servers[size], islice(targets[size], _REQUESTS), idle)
                samples[size].append(cpu / _REQUESTS * 1_000_000)
    return samples


# --- Servers --------------------------------------------------------------------------------------


def _subject(name: str, size: int, home: Path) -> Subject:
    """Return mockpets with one thing of a size."""
    folder = home / f"{name}-{size}"
    folder.mkdir(exist_ok=True)
    if name == "stubs":
        _write(folder / "many.json", [_stub(number) for number in range(size)])
    elif name == "scenarios":
        for number in range(size):
            _write(folder / f"own-{number}.json", [_stub(number)])
    options: dict[str, tuple[str, ...]] = {
        "stubs": ("--scenario", "many", "--scenarios-dir", "."),
        "scenarios": ("--scenarios-dir", "."),
        "sessions": ("--max-sessions", str(size)),
    }
    pets = f"--data=pets={size if name == 'pets' else COUNT}"
    return serving(folder, pets, *options.get(name, ()))


def _write(path: Path, stubs: Sequence[Mapping[str, Any]]) -> None:
    path.write_text(json.dumps({"description": "Stubs.", "stubs": stubs}), encoding="utf-8")


def _stub(number: int) -> Mapping[str, Any]:
    """Return a stub that matches no request, for one of the operations or of ten paths."""
    matches: tuple[Mapping[str, Any], ...] = (
        {"operation": "listPets", "query": {"status": f"other-{number}"}},
        {"operation": "getPet", "params": {"petId": 1_000_000 + number}},
        {"operation": "createPet", "body": {"name": f"Pet {number}"}},
        *({"method": "GET", "path": f"/v1/shops/{shop}/*"} for shop in range(10)),
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
    with ExitStack() as opened:
        connections = [
            opened.enter_context(closing(HTTPConnection("127.0.0.1", server.port, timeout=30)))
            for _ in range(CONNECTIONS + idle)
        ]
        for connection in connections:
            _exchange([connection], ["/v1/pets/1"])
        pending = iter(targets)
        before = cpu_seconds(server.pid)
        while batch := list(islice(pending, CONNECTIONS)):
            _exchange(connections[: len(batch)], batch)
        return cpu_seconds(server.pid) - before


def _exchange(connections: Sequence[HTTPConnection], targets: Sequence[str]) -> None:
    """Send a request on each connection, then read all responses."""
    for connection, target in zip(connections, targets, strict=True):
        connection.request("GET", target, headers={"Authorization": KEY})
    for connection in connections:
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"got {response.status}: {body[:200]!r}")


# --- The table ------------------------------------------------------------------------------------


def report(curves: Mapping[str, Mapping[str, float]]) -> str:
    """Return a table of curves, as `measure` returns them."""
    rows = []
    for name, values in curves.items():
        what, _, goal = CURVES[name]
        sizes = sorted(map(int, values))
        first, last = (values[str(size)] for size in (sizes[0], sizes[-1]))
        costs = "; ".join(f"{size:,}: {values[str(size)]:.0f}" for size in sizes)
        missed = "" if last / first <= goal else " (missed)"
        rows.append([what, costs, f"{last / first:.2f}{missed}", f"{goal:g}"])
    head = ["as this grows", "µs of CPU per list request, by size", "limit to small", "goal"]
    return table(head, rows)
