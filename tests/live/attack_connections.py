"""Attack a server with connections that hold places, while a normal client sends requests.

``python -m tests.live.attack_connections --seconds 60`` starts `mockpets serve`, attacks it from
127.0.0.1, and calls it from 127.0.0.2 every 100 ms, each time on a new connection. It prints the
failures and times of the normal client and the memory of the server, and exits with status 1 if
requests failed or the memory did not come back. Arguments after ``--`` go to `mockpets serve`.
"""

from __future__ import annotations

import argparse
import socket
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from tests.live.processes import memory_limit, rss, serving

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.synchronize import Event

    from tests.live.processes import Limit

ATTACKER: Final = "127.0.0.1"
CLIENT: Final = "127.0.0.2"
CONNECTIONS: Final = 1010
PAUSE: Final = 0.1
TIMEOUT: Final = 10.0
TOKEN: Final = "a-token-of-the-tests"
READ_BYTES: Final = 2048
"""What each connection of the attack reads at a time, at most once in `READ_SECONDS`."""
READ_SECONDS: Final = 1.0
RSS_GROWTH: Final = 1.2
RETURN_SECONDS: Final = 5.0
"""How long the server may take to return the memory."""

_KEY: Final = "Host: a\r\nAuthorization: Bearer mockpets\r\n"
ATTACKS: Final = {
    "requests": f"GET /v1/pets?limit=100 HTTP/1.1\r\n{_KEY}\r\n",
    "pages": f"GET /__mockpets/openapi.json HTTP/1.1\r\n{_KEY}\r\n",
    "preflights": f"OPTIONS /v1/pets HTTP/1.1\r\n{_KEY}\r\n",
    "incomplete": f"GET /v1/pets HTTP/1.1\r\n{_KEY}",
}
"""What each connection of the attack repeats."""


@dataclass(frozen=True)
class Result:
    """What the normal client saw, in seconds, and the server's memory, in MiB.

    :param problems: the normal client's failed requests.
    """

    times: tuple[float, ...]
    problems: tuple[str, ...]
    rss_before: float
    rss_peak: float
    rss_after: float

    def __str__(self) -> str:
        times = sorted(self.times) or [0.0]
        p50, p99 = (times[int(len(times) * share)] for share in (0.5, 0.99))
        return (
            f"{len(self.times)} responses, {len(self.problems)} failures, p50 {p50 * 1000:.0f} ms, "
            f"p99 {p99 * 1000:.0f} ms, max {times[-1] * 1000:.0f} ms; RSS before "
            f"{self.rss_before:.1f} MiB, peak {self.rss_peak:.1f} MiB, "
            f"after {self.rss_after:.1f} MiB"
        )


def call(port: int) -> float:
    """Send a normal request on a new connection; return how long it took in seconds.

    :raise OSError: there was no 200 in time.
    """
    start = monotonic()
    source = (CLIENT, 0)
    with socket.create_connection((ATTACKER, port), TIMEOUT, source) as connection:
        lines = f"GET /v1/pets?limit=5 HTTP/1.1\r\n{_KEY}Connection: close\r\n\r\n"
        connection.sendall(lines.encode())
        received = b""
        while data := connection.recv(65536):
            received += data
            if monotonic() - start > TIMEOUT:
                raise TimeoutError("timed out")
    if not received.startswith(b"HTTP/1.1 200 "):
        raise OSError(f"got {received[:40]!r}")
    return monotonic() - start


class Attack:
    """Connections that send more requests than they read responses.

    :param request: what each of them sends, again and again.
    """

    def __init__(self, port: int, request: str, connections: int) -> None:
        self._port = port
        # One that is incomplete is sent byte by byte.
        self._data = request.encode() * 50 if request.endswith("\r\n\r\n") else b"x"
        self._first = request.encode()
        self._sockets: list[socket.socket | None] = [None] * connections

    def run_until(self, stop: Event) -> None:
        """Attack until an event, then close the connections."""
        while not stop.is_set():
            end = monotonic() + READ_SECONDS
            for number in range(len(self._sockets)):
                self._work(number)
            stop.wait(max(end - monotonic(), 0.01))
        for connection in self._sockets:
            if connection is not None:
                connection.close()

    def _work(self, number: int) -> None:
        """Open a connection, or send more and read a little."""
        connection = self._sockets[number]
        try:
            if connection is None:
                self._sockets[number] = connection = self._connect()
                return
            with suppress(BlockingIOError):
                if not connection.recv(READ_BYTES):
                    raise ConnectionResetError
            with suppress(BlockingIOError):
                connection.send(self._data)
        except OSError:
            if connection is not None:
                connection.close()
            self._sockets[number] = None

    def _connect(self) -> socket.socket:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((ATTACKER, self._port))
        connection.setblocking(False)
        connection.send(self._first)
        return connection


def _attack(port: int, request: str, connections: int, stop: Event) -> None:
    Attack(port, request, connections).run_until(stop)


@contextmanager
def attacking(port: int, kind: str, connections: int = CONNECTIONS) -> Iterator[None]:
    """Attack a port from another process, which must not slow down the normal client.

    :param kind: one of `ATTACKS`.
    """
    context = get_context("spawn")
    stop = context.Event()
    arguments = (port, ATTACKS[kind], connections, stop)
    process = context.Process(target=_attack, args=arguments)
    process.start()
    try:
        yield
    finally:
        stop.set()
        process.join()


def attack(
    kind: str,
    seconds: float,
    words: Sequence[str] = (),
    connections: int = CONNECTIONS,
    limit: Limit | None = None,
) -> Result:
    """Attack a new server, and return what a normal client saw.

    :param kind: one of `ATTACKS`.
    :param words: arguments of `mockpets serve`.
    :param limit: called in the server's process before it starts.
    """
    times: list[float] = []
    problems: list[str] = []

    def send_for(period: float) -> None:
        end = monotonic() + period
        while monotonic() < end:
            try:
                times.append(call(port))
            except OSError as error:
                problems.append(str(error))
            sleep(PAUSE)

    # The request log is small: it may be full.
    fixed = ("--log=quiet", "--host", ATTACKER, "--memory", "4MiB")
    with serving(*fixed, *words, limit=limit) as (port, pid):
        send_for(2)
        before = peak = rss(pid)
        times.clear()
        with attacking(port, kind, connections):
            end = monotonic() + seconds
            while monotonic() < end:
                send_for(1)
                peak = max(peak, rss(pid))
        end = monotonic() + RETURN_SECONDS
        send_for(1)
        while (after := rss(pid)) >= before * RSS_GROWTH and monotonic() < end:
            send_for(1)
        return Result(tuple(times), tuple(problems), before, peak, after)


def main() -> int:
    """Attack once for each kind, and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    parser.add_argument("--attack", choices=ATTACKS, action="append", help="default: all")
    parser.add_argument("--memory", type=int, help="limit the server's address space to this (MiB)")
    parser.add_argument("serve", nargs="*", help="arguments of `mockpets serve`, after --")
    given = parser.parse_args()
    limit = memory_limit(given.memory) if given.memory else None
    words = given.serve or ["--public", "--control-token", TOKEN]
    failed = False
    for kind in given.attack or ATTACKS:
        result = attack(kind, given.seconds, words, given.connections, limit)
        is_back = result.rss_after <= result.rss_before * RSS_GROWTH
        failed |= bool(result.problems) or not is_back
        print(f"{kind}: {result}{'' if is_back else ' (the memory did not come back)'}", flush=True)
        for problem in sorted(set(result.problems)):
            print(f"  {result.problems.count(problem)} x {problem}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
