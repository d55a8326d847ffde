"""The loops of users: the requests of a session's life, and the benchmark of the rest."""

from __future__ import annotations

import re
import socket
import sys
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import TYPE_CHECKING, Final

import pytest

from benchmarks.loops import (
    CLIENTS,
    live,
    loop_folder,
    measure_commands,
    measure_reload,
    measure_tests,
    report,
    run_pytest,
    time_life,
)
from benchmarks.process import started
from benchmarks.subjects import serving
from tests.programs import need, need_packages

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST: Final = 8
"""The fewest requests of a session's life: create, five of the front end, verify, delete."""


def count_life(client: str, lives: int = 3) -> float:
    """Return how many requests a client sends for each life."""
    with loop_folder() as folder:
        if "pytest" in client:
            requests: int = run_pytest(folder, "test_life.py", lives)["requests"]
            return requests / lives
        with started(serving(folder)) as server, counting(server.port) as (port, heads):
            live(client, folder, port, lives)
        return len(heads) / lives


@contextmanager
def counting(port: int) -> Iterator[tuple[int, list[bytes]]]:
    """Pass connections on to a port; yield our port, and the first lines of the requests so far.

    The access log omits some requests. No client sends a request before it has the response to the
    one before, so each begins a packet.
    """
    heads: list[bytes] = []

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            """Pass on the data of one connection."""
            with socket.create_connection(("127.0.0.1", port)) as server:
                back = Thread(target=_pass_on, args=(server, self.request, []))
                back.start()
                _pass_on(self.request, server, heads)
                back.join()

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as proxy:
        thread = Thread(target=proxy.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield proxy.server_address[1], heads
        finally:
            proxy.shutdown()
            thread.join()


def _pass_on(source: socket.socket, target: socket.socket, heads: list[bytes]) -> None:
    """Pass data on until one side closes its connection."""
    with suppress(OSError):
        while data := source.recv(65536):
            heads += re.findall(rb"\A[A-Z]+ \S+ HTTP/1\.1\r\n", data)
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def with_markers(client: str) -> object:
    """Return a client with the markers of its test; all but our client in Python are slow."""
    marks = [] if CLIENTS[client][0] == sys.executable else [pytest.mark.node]
    if client != "Python, `ControlClient`":
        marks.append(pytest.mark.slow)
    return pytest.param(client, marks=marks)


@pytest.mark.parametrize("client", [*map(with_markers, CLIENTS)])
def test_a_sessions_life_takes_no_needless_requests(client: str) -> None:
    if (program := CLIENTS[client][0]) != sys.executable:
        need(program)
        need_packages()
    # Before its first call, a client also compares the numbers of the protocol.
    assert LEAST <= count_life(client, lives=3) <= LEAST + 1 / 3


@pytest.mark.slow
@pytest.mark.long
def test_the_life_of_a_session_is_timed() -> None:
    for client in CLIENTS:
        if client.partition(",")[0] in ("Python", "pytest"):
            assert time_life(client, 2) > 0, client


@pytest.mark.slow
@pytest.mark.long
def test_a_test_with_a_session_takes_two_requests() -> None:
    figures = measure_tests(3, 1)
    # Create and delete; before the first, the protocol's numbers are compared once.
    assert 2 <= figures["session_requests"] <= 2 + 1 / 3
    assert figures["loaded_requests"] == 0
    assert figures["session_ms"] > 0


@pytest.mark.slow
def test_commands_are_compared_with_what_they_import() -> None:
    assert measure_commands(1).keys() == {"help_ms", "use_times", "health_times"}


@pytest.mark.slow
def test_both_ways_to_save_a_scenario_are_measured() -> None:
    figures = measure_reload(4)
    assert min(figures["renamed_ms"], figures["written_ms"]) > 0


def test_the_tables_have_what_was_measured() -> None:
    text = report(
        {
            "Python, `ControlClient`": 4.25,
            "tests": {
                "loaded_ms": 0.1,
                "loaded_cpu_ms": 0.0,
                "session_ms": 1.5,
                "session_cpu_ms": 1.25,
                "session_requests": 2.0,
            },
            "commands": {"help_ms": 9.4, "use_times": 1.034, "health_times": 1.0},
        }
    )
    assert "| Python, `ControlClient` | 4.2 |" in text
    assert "| more than without our plugin | 1.50 ms, processor 1.25 ms |" in text
    assert "| `mockpets --help` | more than `python -c 'import click'` | 9 ms |" in text
    assert "| `mockpets use` | times `python -c 'import click'`, goal at most 1.4 | 1.03 |" in text
    assert "a scenario file" not in text, "it was not measured"
