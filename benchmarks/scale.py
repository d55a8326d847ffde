"""Measure what mockpets alone has goals for: many pets, many sessions, answers that wait.

Everything goes through the front door of `mockpets serve`, but for the making of pets, which is
held against Faker's own elements in this process.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.load import KEY, ask
from benchmarks.process import call, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.process import Server
    from benchmarks.subjects import Subject

__all__ = ["SIZES", "measure_scale"]

SIZES = (16, 1_000, 100_000)
"""Pets in a catalogue."""

_SESSIONS = 199
_SESSION_PETS = 10_000
_PARKED = 500
_LONG = {"Mockpets-Delay": "60s"}
_LIST = "/v1/pets?limit=16"
_LIST_STATUS = "/v1/pets?limit=16&status=available"


def measure_scale(
    ours: Subject, rounds: int, seconds: int, say: Callable[[str], None]
) -> dict[str, float]:
    """Return what was measured: requests a second, milliseconds, microseconds or kB, by name.

    A part that fails is told and left out.

    :param ours: how mockpets is started with its defaults but for the pets.
    """
    found: dict[str, float] = {}
    for name, part in {
        "catalogue": _catalogue,
        "making pets": lambda *_: _making(rounds),
        "sessions": _sessions,
        "parked answers": _parked,
        "journal and sessions": _full,
    }.items():
        say(f"scale: {name}")
        try:
            found |= part(ours, rounds, seconds)
        except (OSError, RuntimeError) as error:
            say(f"  {name} is left out: {error}")
    return found


def _serving(ours: Subject, count: int, *options: str) -> Subject:
    """Return mockpets with so many pets."""
    command = [sys.executable, "-m", "mockpets", "serve", "--port", "{port}", "--quiet", *options]
    return ours._replace(command=(*command, "--count", str(count)))


def _catalogue(ours: Subject, rounds: int, seconds: int) -> dict[str, float]:
    """Ask for a page out of few and of many, with and without the filter, in turn."""
    rates: dict[str, list[float]] = {}
    with ExitStack() as running:
        servers = {size: running.enter_context(started(_serving(ours, size))) for size in SIZES}
        for server in servers.values():
            ask(server.port, _LIST, 16, 1)
        for _ in range(rounds):
            for size, server in servers.items():
                for name, target in (("list", _LIST), ("status", _LIST_STATUS)):
                    rate = ask(server.port, target, 16, seconds).rate
                    rates.setdefault(f"{name}_of_{size}", []).append(rate)
    return {name: median(values) for name, values in rates.items()}


def _making(rounds: int) -> dict[str, float]:
    """Make 100,000 pets, and as many unweighted names of Faker's own."""
    from faker import Faker

    from mockpets.pets.generator import generate

    size = SIZES[-1]
    fake = Faker(use_weighting=False)
    took: dict[str, list[float]] = {"generate_ms": [], "faker_ms": []}
    for _ in range(rounds):
        begun = time.perf_counter()
        generate(size, 1, "en_US")
        took["generate_ms"].append((time.perf_counter() - begun) * 1000)
        begun = time.perf_counter()
        for _ in range(size):
            fake.first_name()
        took["faker_ms"].append((time.perf_counter() - begun) * 1000)
    return {name: median(values) for name, values in took.items()}


# --- Sessions -----------------------------------------------------------------------------------


def _sessions(ours: Subject, _rounds: int, _seconds: int) -> dict[str, float]:
    """Make sessions over a large catalogue; the same call for one that is there is the baseline."""
    with started(_serving(ours, _SESSION_PETS)) as server, _connection(server) as connection:
        for number in range(_SESSIONS):  # what the first calls of any kind cost
            _timed(connection, "PUT", "bench-warm", 200 if number else 201)
        before = server.memory()
        names = [f"bench-{number}" for number in range(_SESSIONS - 1)]
        made = [_timed(connection, "PUT", name, 201) for name in names]
        after = server.memory()
        again = [_timed(connection, "PUT", name, 200) for name in names]
        found = {"session_us": max(median(made) - median(again), 0.0)}
        if before is not None and after is not None:
            found["session_kb"] = (after.pss - before.pss) * 1024 / len(names)
    return found


@contextmanager
def _connection(server: Server) -> Iterator[HTTPConnection]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        yield connection
    finally:
        connection.close()


def _timed(connection: HTTPConnection, method: str, session: str, expected: int) -> float:
    """Return the microseconds of one call about a session.

    :raise RuntimeError: the answer is another one.
    """
    begun = time.perf_counter()
    connection.request(method, f"/__mockpets/sessions/{session}")
    answer = connection.getresponse()
    body = answer.read()
    took = time.perf_counter() - begun
    if answer.status != expected:
        raise RuntimeError(f"{method} of a session gives {answer.status}: {body[:200]!r}")
    return took * 1_000_000


# --- What else a server may have to carry ---------------------------------------------------------


def _parked(ours: Subject, rounds: int, seconds: int) -> dict[str, float]:
    """Ask while nothing waits, and while as many answers wait as may."""
    with started(_serving(ours, 16)) as server:
        ask(server.port, _LIST, 16, 1)
        idle = [ask(server.port, _LIST, 16, seconds).p99 for _ in range(rounds)]
        with ExitStack() as held:
            for _ in range(_PARKED):
                connection = held.enter_context(_connection(server))
                connection.request("GET", _LIST, headers={"Authorization": KEY, **_LONG})
            ask(server.port, _LIST, 16, 1)  # until the last of them is parked
            parked = [ask(server.port, _LIST, 16, seconds).p99 for _ in range(rounds)]
    return {"idle_p99": median(idle), "parked_p99": median(parked)}


def _full(ours: Subject, rounds: int, seconds: int) -> dict[str, float]:
    """Ask a server without a journal and with one session, and one with a full journal and many."""
    bare, full = _serving(ours, 16, "--journal-size", "0"), _serving(ours, 16)
    rates: dict[str, list[float]] = {"bare": [], "full": []}
    with started(bare) as one, started(full) as other:
        for number in range(_SESSIONS):
            if (status := call(other.port, f"/~bench-{number}{_LIST}").status) != 200:
                raise RuntimeError(f"a session's list gives {status}")
        for server in (one, other):
            ask(server.port, _LIST, 16, 1)
        for _ in range(rounds):
            rates["bare"].append(ask(one.port, _LIST, 16, seconds).rate)
            rates["full"].append(ask(other.port, _LIST, 16, seconds).rate)
    return {name: median(values) for name, values in rates.items()}
