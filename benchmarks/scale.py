"""Measure the goals of mockpets alone: many pets, many sessions, parked responses.

All requests go to `mockpets serve`. Only the generation of pets runs in this process, compared with
Faker's elements.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.load import KEY, send_load
from benchmarks.process import call, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.process import Server
    from benchmarks.subjects import Subject

__all__ = ["SIZES", "measure_scale"]

SIZES = (16, 1_000, 100_000)
"""Numbers of pets to compare."""

_SESSIONS = 199
_SESSION_PETS = 10_000
_PARKED = 500
_LONG_DELAY = {"Mockpets-Delay": "60s"}
_LIST = "/v1/pets?limit=16"
_LIST_STATUS = "/v1/pets?limit=16&status=available"


def measure_scale(
    ours: Subject, rounds: int, seconds: int, log: Callable[[str], None]
) -> dict[str, float]:
    """Return the measured values by name: requests per second, milliseconds, microseconds or kB.

    Parts that fail are logged and skipped.

    :param ours: mockpets as a subject; its command is replaced.
    """
    results: dict[str, float] = {}
    for name, part in {
        "number of pets": _catalogue,
        "generating pets": lambda *_: _generation(rounds),
        "sessions": _sessions,
        "parked responses": _parked,
        "request log and sessions": _full,
    }.items():
        log(f"scale: {name}")
        try:
            results |= part(ours, rounds, seconds)
        except (OSError, RuntimeError) as error:
            log(f"  {name} skipped: {error}")
    return results


def _serving(ours: Subject, count: int, *options: str) -> Subject:
    """Return mockpets with this number of pets."""
    command = [sys.executable, "-m", "mockpets", "serve", "--port", "{port}", "--quiet", *options]
    return ours._replace(command=(*command, "--count", str(count)))


def _catalogue(ours: Subject, rounds: int, seconds: int) -> dict[str, float]:
    """Request a page of few and of many pets, with and without the filter, in turn."""
    rates: dict[str, list[float]] = {}
    with ExitStack() as running:
        servers = {size: running.enter_context(started(_serving(ours, size))) for size in SIZES}
        for server in servers.values():
            send_load(server.port, _LIST, 16, 1)
        for _ in range(rounds):
            for size, server in servers.items():
                for name, target in (("list", _LIST), ("status", _LIST_STATUS)):
                    rate = send_load(server.port, target, 16, seconds).rate
                    rates.setdefault(f"{name}_of_{size}", []).append(rate)
    return {name: median(values) for name, values in rates.items()}


def _generation(rounds: int) -> dict[str, float]:
    """Generate 100,000 pets, and as many unweighted names with Faker."""
    from faker import Faker

    from mockpets.pets.generator import generate

    size = SIZES[-1]
    fake = Faker(use_weighting=False)
    times: dict[str, list[float]] = {"generate_ms": [], "faker_ms": []}
    for _ in range(rounds):
        start = time.perf_counter()
        generate(size, 1, "en_US")
        times["generate_ms"].append((time.perf_counter() - start) * 1000)
        start = time.perf_counter()
        for _ in range(size):
            fake.first_name()
        times["faker_ms"].append((time.perf_counter() - start) * 1000)
    return {name: median(values) for name, values in times.items()}


# --- Sessions -----------------------------------------------------------------------------------


def _sessions(ours: Subject, _rounds: int, _seconds: int) -> dict[str, float]:
    """Create sessions with many pets; the same call for an existing session is the baseline."""
    with started(_serving(ours, _SESSION_PETS)) as server, _connection(server) as connection:
        for number in range(_SESSIONS):  # warm up
            _timed(connection, "PUT", "bench-warm", 200 if number else 201)
        before = server.memory()
        names = [f"bench-{number}" for number in range(_SESSIONS - 1)]
        created = [_timed(connection, "PUT", name, 201) for name in names]
        after = server.memory()
        existing = [_timed(connection, "PUT", name, 200) for name in names]
        results = {"session_us": max(median(created) - median(existing), 0.0)}
        if before is not None and after is not None:
            results["session_kb"] = (after.pss - before.pss) * 1024 / len(names)
    return results


@contextmanager
def _connection(server: Server) -> Iterator[HTTPConnection]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        yield connection
    finally:
        connection.close()


def _timed(connection: HTTPConnection, method: str, session: str, expected: int) -> float:
    """Return the microseconds of one call for a session.

    :raise RuntimeError: if the status is not the expected one.
    """
    start = time.perf_counter()
    connection.request(method, f"/__mockpets/sessions/{session}")
    response = connection.getresponse()
    body = response.read()
    elapsed = time.perf_counter() - start
    if response.status != expected:
        raise RuntimeError(f"{method} session: got {response.status}: {body[:200]!r}")
    return elapsed * 1_000_000


# --- Other load ---------------------------------------------------------------------------------


def _parked(ours: Subject, rounds: int, seconds: int) -> dict[str, float]:
    """Send requests to an idle server, and to one with as many parked responses as allowed."""
    with started(_serving(ours, 16)) as server:
        send_load(server.port, _LIST, 16, 1)
        idle = [send_load(server.port, _LIST, 16, seconds).p99 for _ in range(rounds)]
        with ExitStack() as held:
            for _ in range(_PARKED):
                connection = held.enter_context(_connection(server))
                connection.request("GET", _LIST, headers={"Authorization": KEY, **_LONG_DELAY})
            send_load(server.port, _LIST, 16, 1)  # wait until all are parked
            parked = [send_load(server.port, _LIST, 16, seconds).p99 for _ in range(rounds)]
    return {"idle_p99": median(idle), "parked_p99": median(parked)}


def _full(ours: Subject, rounds: int, seconds: int) -> dict[str, float]:
    """Compare a server without a request log with one with a full one and many sessions."""
    bare, full = _serving(ours, 16, "--journal-size", "0"), _serving(ours, 16)
    rates: dict[str, list[float]] = {"bare": [], "full": []}
    with started(bare) as one, started(full) as other:
        for number in range(_SESSIONS):
            if (status := call(other.port, f"/~bench-{number}{_LIST}").status) != 200:
                raise RuntimeError(f"list of a session: got {status}")
        for server in (one, other):
            send_load(server.port, _LIST, 16, 1)
        for _ in range(rounds):
            rates["bare"].append(send_load(one.port, _LIST, 16, seconds).rate)
            rates["full"].append(send_load(other.port, _LIST, 16, seconds).rate)
    return {name: median(values) for name, values in rates.items()}
