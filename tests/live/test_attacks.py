"""Attack a server with connections that hold places or memory, while a normal client is served.

The server has little memory, and the attacker another address than the normal client.
"""

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import cycle, islice
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import pytest

from tests.live.processes import memory_limit, rss, serving

pytestmark = [
    pytest.mark.long,
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
READ_BYTES: Final = 2048
"""What each connection of the attack reads at a time, at most once in `READ_SECONDS`."""
READ_SECONDS: Final = 1.0
RSS_GROWTH: Final = 1.2

_KEY: Final = "Host: a\r\nAuthorization: Bearer mockpets\r\n"
_POST: Final = "POST /v1/pets HTTP/1.1\r\n"
_GET_BODY: Final = f"GET /v1/pets HTTP/1.1\r\n{_KEY}"
_MIB: Final = "Content-Length: 1048576\r\n\r\n"
_CHUNKED: Final = "Transfer-Encoding: chunked\r\n\r\n"
_PART: Final = "x" * 65_535
_ALWAYS: Final = 10**9


_REPEATS: Final = "Content-Length: 60000\r\nMockpets-Scenario: repeats\r\n\r\n"
"""Of a request whose response would have a hundred times its body."""


def _pipelined(line: str, headers: str = "", count: int = 50) -> list[tuple[str, str, int]]:
    request = f"{line} HTTP/1.1\r\n{_KEY}{headers}\r\n"
    return [(request, request * count, _ALWAYS)]


CONNECTION_ATTACKS: Final = {
    "requests": _pipelined("GET /v1/pets?limit=100"),
    "pages": _pipelined("GET /__mockpets/openapi.json"),
    "preflights": _pipelined("OPTIONS /v1/pets"),
    "incomplete heads": [(_GET_BODY, "x", _ALWAYS)],
    "unknown baggage": _pipelined(
        "GET /v1/pets", f"baggage: {','.join(['mockpets.x=1'] * 1200)}\r\n", 1
    ),
    "misspelt headers": _pipelined("GET /v1/pets", "Mokpets-Sesion: 1\r\n" * 190, 1),
    "too many headers": _pipelined("GET /v1/pets", "A: b\r\n" * 2500, 1),
    "tunnels with bodies": _pipelined("CONNECT a:80", f"Content-Length: {2**20}\r\n"),
}
"""What connections send first, then once a second, and how often."""
BODY_ATTACKS: Final = {
    "bodies": [(f"{_GET_BODY}{_MIB}", _PART, 16)],  # all but the last bytes
    "bodies in chunks": [(f"{_GET_BODY}{_CHUNKED}", f"ffff\r\n{_PART}\r\n", _ALWAYS)],
    "tiny chunks": [(f"{_GET_BODY}{_CHUNKED}", "1\r\nx\r\n" * 300, _ALWAYS)],
    "bodies of creates": [  # for a stub, as large as allowed, and two decided from their head
        (f"{_POST}{_KEY}Mockpets-Scenario: server-error\r\n{_MIB}", _PART, 16),
        (f"{_POST}{_KEY}Content-Length: 65536\r\n\r\n", _PART, 1),
        (f"{_POST}{_KEY}{_MIB}", _PART, 16),
        (f"{_POST}Host: a\r\n{_MIB}", _PART, 16),
    ],
    "references": [(f'{_POST}{_KEY}{_REPEATS}"{"x" * 59_998}"', "", 0)],
}
CPU_ATTACKS: Final = ("unknown baggage", "misspelt headers", "references")
"""Each request takes milliseconds of one core; only the shares of ``--public`` bound how many."""
ATTACKS: Final = CONNECTION_ATTACKS | BODY_ATTACKS


def call(port: int, timeout: float) -> None:
    """Send a normal request on a new connection.

    :raise OSError: there was no 200 in time.
    """
    start = monotonic()
    with socket.create_connection((ATTACKER, port), timeout, (CLIENT, 0)) as connection:
        lines = f"GET /v1/pets?limit=5 HTTP/1.1\r\n{_KEY}Connection: close\r\n\r\n"
        connection.sendall(lines.encode())
        received = b""
        while data := connection.recv(65536):
            received += data
            if monotonic() - start > timeout:
                raise TimeoutError("timed out")
    if not received.startswith(b"HTTP/1.1 200 "):
        raise OSError(f"got {received[:40]!r}")


def _attack(port: int, kind: str, stop: Event) -> None:
    """Keep connections open until an event; each sends more than it reads."""
    sockets: list[socket.socket | None] = [None] * CONNECTIONS
    requests, left = [*islice(cycle(ATTACKS[kind]), CONNECTIONS)], [0] * CONNECTIONS
    while not stop.is_set():
        end = monotonic() + READ_SECONDS
        for number, connection in enumerate(sockets):
            first, more, times = requests[number]
            try:
                if connection is None:
                    connection = sockets[number] = socket.socket()
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    connection.connect((ATTACKER, port))
                    connection.setblocking(False)
                    connection.send(first.encode())
                    left[number] = times
                    continue
                with suppress(BlockingIOError):
                    if not connection.recv(READ_BYTES):
                        raise ConnectionResetError
                if left[number]:
                    with suppress(BlockingIOError):
                        connection.send(more.encode())
                        left[number] -= 1
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
    process = context.Process(target=_attack, args=(port, kind, stop))
    process.start()
    try:
        yield
    finally:
        stop.set()
        process.join()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (kind, words)
        for kind in ATTACKS
        for words in ((PUBLIC,) if kind in CPU_ATTACKS else (LOCAL, PUBLIC))
    ],
    ids=str,
)
def test_an_address_that_holds_connections_or_memory_locks_nobody_out(
    kind: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    references = [{"from": "body"}] * 100
    stub = {"match": {"operation": "createPet"}, "off_contract": True}
    stub["reply"] = {"status": 200, "body": references}
    text = json.dumps({"description": "d", "stubs": [stub]})
    (tmp_path / "repeats.yaml").write_text(text, "utf-8")
    has_bodies = kind in BODY_ATTACKS
    # A body may take long to arrive.
    timeout, return_seconds = (5.0, 30.0) if has_bodies else (10.0, 5.0)
    problems: list[str] = []

    def call_for(seconds: float) -> int:
        end, calls = monotonic() + seconds, 0
        while monotonic() < end:
            calls += 1
            try:
                call(port, timeout)
            except OSError as error:
                problems.append(str(error))
            sleep(PAUSE)
        return calls

    # The request log is small: it may be full.
    fixed = (
        "--log=quiet",
        "--host",
        ATTACKER,
        "--memory",
        "4MiB",
        "--scenarios-dir",
        str(tmp_path),
    )
    with serving(*fixed, *words, limit=memory_limit(MEMORY)) as (port, pid):
        call_for(2)
        before = peak = rss(pid)
        with attacking(port, kind):
            calls, end = 0, monotonic() + SECONDS
            while monotonic() < end:
                calls += call_for(1)
                peak = max(peak, rss(pid))
        end = monotonic() + return_seconds
        while (after := rss(pid)) >= before * RSS_GROWTH and monotonic() < end:
            call_for(1)

    # Without shares, a new client waits until the first connections are slow enough.
    allowed = 0 if words is PUBLIC or (has_bodies and calls < 100) else 1
    assert calls > len(problems)
    assert len(problems) <= allowed, problems
    assert peak < before + 100  # MiB; the limit of all bodies is 32
    assert after < before * RSS_GROWTH
