"""Attack a server with connections that hold places or memory, while a normal client is served.

The server has little memory, and the attacker another address than the normal client.
"""

from __future__ import annotations

import os
import socket
import sys
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

import pytest

from tests.live.processes import memory_limit, rss, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.synchronize import Event

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and all of 127.0.0.0/8"),
]

SECONDS: Final = float(os.environ.get("ATTACK_SECONDS", "3"))
MEMORY: Final = 256
"""The server's address space in MiB."""
PUBLIC: Final = ("--public", "--control-token", "a-token-of-the-tests")
LOCAL: Final = ("--scenario", "default")
ATTACKER: Final = "127.0.0.1"
CLIENT: Final = "127.0.0.2"
CONNECTIONS: Final = 1010
PAUSE: Final = 0.1
TIMEOUT: Final = 10.0
READ_BYTES: Final = 2048
"""What each connection of the attack reads at a time, at most once in `READ_SECONDS`."""
READ_SECONDS: Final = 1.0
RSS_GROWTH: Final = 1.2
RETURN_SECONDS: Final = 30.0
"""How long the server may take to return the memory: longer than any body may take to arrive."""

_KEY: Final = "Host: a\r\nAuthorization: Bearer mockpets\r\n"
_BODY: Final = "x" * 65_536
ATTACKS: Final = {
    # What each connection sends first, and then once a second.
    "requests": (f"GET /v1/pets?limit=100 HTTP/1.1\r\n{_KEY}\r\n",) * 2,
    "pages": (f"GET /__mockpets/openapi.json HTTP/1.1\r\n{_KEY}\r\n",) * 2,
    "preflights": (f"OPTIONS /v1/pets HTTP/1.1\r\n{_KEY}\r\n",) * 2,
    "incomplete heads": (f"GET /v1/pets HTTP/1.1\r\n{_KEY}", "x"),
    "bodies": (f"GET /v1/pets HTTP/1.1\r\n{_KEY}Content-Length: 1048576\r\n\r\n", _BODY),
    "bodies in chunks": (
        f"GET /v1/pets HTTP/1.1\r\n{_KEY}Transfer-Encoding: chunked\r\n\r\n",
        f"10000\r\n{_BODY}\r\n",
    ),
    "tiny chunks": (
        f"GET /v1/pets HTTP/1.1\r\n{_KEY}Transfer-Encoding: chunked\r\n\r\n",
        "1\r\nx\r\n" * 300,
    ),
}


def call(port: int) -> None:
    """Send a normal request on a new connection.

    :raise OSError: there was no 200 in time.
    """
    start = monotonic()
    with socket.create_connection((ATTACKER, port), TIMEOUT, (CLIENT, 0)) as connection:
        lines = f"GET /v1/pets?limit=5 HTTP/1.1\r\n{_KEY}Connection: close\r\n\r\n"
        connection.sendall(lines.encode())
        received = b""
        while data := connection.recv(65536):
            received += data
            if monotonic() - start > TIMEOUT:
                raise TimeoutError("timed out")
    if not received.startswith(b"HTTP/1.1 200 "):
        raise OSError(f"got {received[:40]!r}")


def _attack(port: int, first: str, then: str, stop: Event) -> None:
    """Keep connections open until an event; each sends more than it reads."""
    sockets: list[socket.socket | None] = [None] * CONNECTIONS
    more = then.encode() * (50 if first == then else 1)
    while not stop.is_set():
        end = monotonic() + READ_SECONDS
        for number, connection in enumerate(sockets):
            try:
                if connection is None:
                    connection = sockets[number] = socket.socket()
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    connection.connect((ATTACKER, port))
                    connection.setblocking(False)
                    connection.send(first.encode())
                    continue
                with suppress(BlockingIOError):
                    if not connection.recv(READ_BYTES):
                        raise ConnectionResetError
                with suppress(BlockingIOError):
                    connection.send(more)
            except OSError:
                if connection is not None:
                    connection.close()
                sockets[number] = None
        stop.wait(max(end - monotonic(), 0.01))


@contextmanager
def attacking(port: int, kind: str) -> Iterator[None]:
    """Attack a port from another process, which must not slow down the normal client."""
    context = get_context("spawn")
    stop = context.Event()
    process = context.Process(target=_attack, args=(port, *ATTACKS[kind], stop))
    process.start()
    try:
        yield
    finally:
        stop.set()
        process.join()


SHORT: Final = [("requests", PUBLIC), ("incomplete heads", LOCAL), ("bodies", PUBLIC)]
"""Attacks that a change must pass; `.ci/long` runs the others too, for a minute each."""


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        pytest.param(kind, words, marks=() if (kind, words) in SHORT else pytest.mark.long)
        for kind in ATTACKS
        for words in (LOCAL, PUBLIC)
    ],
    ids=str,
)
def test_an_address_that_holds_connections_or_memory_locks_nobody_out(
    kind: str, words: tuple[str, ...]
) -> None:
    problems: list[str] = []

    def call_for(seconds: float) -> int:
        end, calls = monotonic() + seconds, 0
        while monotonic() < end:
            calls += 1
            try:
                call(port)
            except OSError as error:
                problems.append(str(error))
            sleep(PAUSE)
        return calls

    # The request log is small: it may be full.
    fixed = ("--log=quiet", "--host", ATTACKER, "--memory", "4MiB")
    with serving(*fixed, *words, limit=memory_limit(MEMORY)) as (port, pid):
        call_for(2)
        before = peak = rss(pid)
        with attacking(port, kind):
            end = monotonic() + SECONDS
            while monotonic() < end:
                assert call_for(1)
                peak = max(peak, rss(pid))
        end = monotonic() + RETURN_SECONDS
        while (after := rss(pid)) >= before * RSS_GROWTH and monotonic() < end:
            call_for(1)

    # Without shares, a new client waits until the first connections are slow enough.
    allowed = 0 if words is PUBLIC else 1
    assert len(problems) <= allowed, problems
    assert peak < before + 100  # MiB; the limit of all bodies is 32
    assert after < before * RSS_GROWTH
