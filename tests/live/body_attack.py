"""Attack a server with request bodies, with a normal client beside it; a program.

    python -m tests.live.body_attack --seconds 60 --memory 256

Each connection sends all of a body but its last byte, then waits until the server ends it, and
begins again. It reports what the normal client, which has another address, and the server's memory
went through, and fails if more than one request in a hundred failed or the memory did not return.
"""

from __future__ import annotations

import argparse
import json
import selectors
import socket
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import cycle
from multiprocessing import get_context
from threading import Event, Thread
from time import monotonic, sleep

from tests.live.processes import memory_limit, rss, serving

SIZE = 2**20
CONNECTIONS = 900
RATE = 50.0
GROWTH = 1.2
"""How much more memory the server may have after the attack, as a factor."""
FAILURES = 0.01
RETURN_SECONDS = 30.0
"""How long the server may take to return the memory: longer than any body may take to arrive."""
KEY = "Authorization: Bearer mockpets"
SIZED = f"Content-Length: {SIZE}"
CHUNKED = "Transfer-Encoding: chunked"


def _head(line: str, *headers: str) -> bytes:
    return "\r\n".join([f"{line} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


REQUESTS = [
    # A stub responds to any body; an operation without a body ignores it; the last two are decided
    # from their head.
    (_head("POST /v1/pets", KEY, SIZED, "Mockpets-Scenario: server-error"), b"x" * (SIZE - 1)),
    (_head("GET /v1/pets", KEY, SIZED), b"x" * (SIZE - 1)),
    (_head("GET /v1/pets", KEY, CHUNKED), b"1000\r\n" + b"x" * 4096 + b"\r\n"),
    (_head("GET /v1/pets", KEY, CHUNKED), b"1\r\nx\r\n" * 999),
    (_head("POST /v1/pets", KEY, "Content-Length: 65536"), b"x" * 65_535),
    (_head("POST /v1/pets", KEY, SIZED), b"x" * (SIZE - 1)),
    (_head("POST /v1/pets", SIZED), b"x" * (SIZE - 1)),
]


@dataclass
class Report:
    """What happened; memory in MiB, times in milliseconds."""

    requests: int = 0
    failures: int = 0
    times: list[float] = field(default_factory=list)
    before: float = 0.0
    peak: float = 0.0
    after: float = 0.0
    connections: int = 0
    sent: int = 0

    def p99(self) -> float:
        times = sorted(self.times)
        return times[int(len(times) * 0.99)] if times else 0.0

    def is_good(self) -> bool:
        return self.failures <= self.requests * FAILURES and self.after <= self.before * GROWTH

    def as_json(self) -> str:
        values = {
            "requests": self.requests,
            "failures": self.failures,
            "p99_ms": round(self.p99(), 1),
            "rss_before": round(self.before, 1),
            "rss_peak": round(self.peak, 1),
            "rss_after": round(self.after, 1),
            "attack_connections": self.connections,
            "attack_mib": self.sent // 2**20,
        }
        return json.dumps(values)


def visit(port: int) -> float:
    """Send a request from another address; return how many milliseconds it took.

    :raise OSError, HTTPException: it failed.
    """
    start = monotonic()
    connection = HTTPConnection("127.0.0.1", port, timeout=5, source_address=("127.0.0.2", 0))
    try:
        headers = {"Authorization": "Bearer mockpets"}
        connection.request("GET", "/v1/pets?limit=5", headers=headers)
        response = connection.getresponse()
        response.read()
    finally:
        connection.close()
    if response.status != 200:
        raise HTTPException(response.status)
    return (monotonic() - start) * 1000


def warm_up(port: int) -> None:
    """Fill the request log, which keeps 1000 requests, and send each request of the attack."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    for _ in range(1200):
        connection.request("GET", "/v1/pets?limit=5", headers={"Authorization": "Bearer mockpets"})
        connection.getresponse().read()
    connection.close()
    for head, body in REQUESTS:
        address = ("127.0.0.1", port)
        # Some are rejected before their end.
        with socket.create_connection(address, timeout=30) as each, suppress(OSError):
            each.sendall(head + body)


def visit_until(end: Event, port: int, pid: int, report: Report) -> None:
    """Send ten requests a second, and watch the server's memory."""
    while not end.wait(0.1):
        report.requests += 1
        try:
            report.times.append(visit(port))
        except (OSError, HTTPException):
            report.failures += 1
        report.peak = max(report.peak, rss(pid))


class _Sender:
    """A connection of the attack."""

    def __init__(self, port: int, request: tuple[bytes, bytes]) -> None:
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", port))
        head, self._body = request
        self._data = head
        self._repeats = b"chunked" in head

    def handle(self, events: int) -> tuple[int, bool]:
        """Send more, and read; return how much was sent, and whether to wait for more room.

        :raise OSError: the server has ended the connection.
        """
        if events & selectors.EVENT_READ and not self.socket.recv(65536):
            raise ConnectionResetError
        if not events & selectors.EVENT_WRITE:
            return 0, False
        sent = self.socket.send(self._data[:65536])
        self._data = self._data[sent:]
        if not self._data:
            self._data = self._body
            if not self._repeats:
                self._body = b""
        return sent, bool(self._data)


def attack(port: int, seconds: float, connections: int, rate: float) -> Report:
    """Keep connections open for some seconds, each with a body that does not end.

    :param rate: MiB to send a second, of all connections together.
    """
    report = Report()
    requests, start = cycle(REQUESTS), monotonic()
    with selectors.DefaultSelector() as selector:

        def begin() -> None:
            sender = _Sender(port, next(requests))
            report.connections += 1
            both = selectors.EVENT_READ | selectors.EVENT_WRITE
            selector.register(sender.socket, both, sender)

        for _ in range(connections):
            begin()
        while (passed := monotonic() - start) < seconds:
            if report.sent > passed * rate * 2**20:
                sleep(0.01)
                continue
            for key, events in selector.select(0.1):
                sender: _Sender = key.data
                try:
                    sent, is_sending = sender.handle(events)
                except BlockingIOError:
                    continue
                except OSError:
                    selector.unregister(sender.socket)
                    sender.socket.close()
                    begin()
                    continue
                report.sent += sent
                if events & selectors.EVENT_WRITE and not is_sending:
                    selector.modify(sender.socket, selectors.EVENT_READ, sender)
        for key in list(selector.get_map().values()):
            key.data.socket.close()
    return report


def run(
    seconds: float,
    *options: str,
    connections: int = CONNECTIONS,
    rate: float = RATE,
    memory: int = 0,
) -> Report:
    """Attack a new server and return the report.

    :param options: of `mockpets serve`.
    :param connections: of the attack, at the same time.
    :param rate: MiB that the attack sends a second.
    :param memory: MiB of address space that the server may use, 0 for no limit.
    """
    report = Report()
    limit = memory_limit(memory) if memory else None
    # On 0.0.0.0, so that 127.0.0.2 reaches it.
    with serving("--log=quiet", "--host", "0.0.0.0", *options, limit=limit) as (port, pid):  # noqa: S104
        warm_up(port)
        report.before = report.peak = rss(pid)
        end = Event()
        visitor = Thread(target=visit_until, args=(end, port, pid, report))
        visitor.start()
        try:
            # In its own process, so that it does not slow down the visitor.
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                sent = pool.submit(attack, port, seconds, connections, rate).result()
            report.connections, report.sent = sent.connections, sent.sent
        finally:
            end.set()
            visitor.join()
        last = monotonic() + RETURN_SECONDS
        while (after := rss(pid)) > report.before * GROWTH and monotonic() < last:
            sleep(0.1)
        report.after = after
        with suppress(OSError, HTTPException):
            visit(port)
    return report


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description="Attack a server with request bodies.")
    parser.add_argument("--seconds", type=float, default=60, help="Length of the attack.")
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    parser.add_argument("--rate", type=float, default=RATE, help="MiB a second.")
    parser.add_argument("--memory", type=int, default=0, help="Address space in MiB.")
    parser.add_argument("--public", action="store_true", help="Attack a server with --public.")
    options = parser.parse_args()
    words = ["--public"] if options.public else []
    report = run(
        options.seconds,
        *words,
        connections=options.connections,
        rate=options.rate,
        memory=options.memory,
    )
    print(report.as_json())
    sys.exit(0 if report.is_good() else 1)


if __name__ == "__main__":
    main()
