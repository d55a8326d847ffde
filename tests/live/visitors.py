"""Visitors of a public demo behind a proxy; a program.

    python -m tests.live.visitors --visitors 300 --seconds 180
    python -m tests.live.visitors --visitors 5000 --seconds 60

Each visitor has an address of its own and repeats, until the time is over: list the pets, add one,
and list again, which must show all pets that it added. It waits 2 to 8 seconds before each request,
like a person, and tries again after a 429 or 503 when `Retry-After` says so, like a person who
reads the message. The program itself is the proxy: it sends all requests over a few connections
that stay open, with the visitor's address in ``X-Forwarded-For``.

It fails if a request of a visitor failed, if a pet was lost without an error that reports the
loss, or if the server sent an unexpected status.
"""

import argparse
import asyncio
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from tests.live.processes import rss, serving

CONNECTIONS: Final = 64
PAUSE: Final = 8.0
"""The longest time between two requests of a visitor, in seconds; the shortest is a quarter."""
LONGEST_RETRY: Final = 10.0
"""The longest `Retry-After` that a visitor waits for, in seconds; a later one is a failure."""
TRIES: Final = 5


@dataclass
class Report:
    """What the visitors experienced.

    :param unserved: visitors with a failed request.
    :param lost: pets that disappeared without an error.
    :param reported: losses that an error reported.
    :param statuses: the number of responses with each status.
    :param rss: the server's memory in MiB, before the visitors and at most.
    """

    visitors: int = 0
    unserved: int = 0
    lost: int = 0
    reported: int = 0
    added: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    rss: tuple[float, float] = 0.0, 0.0

    def __str__(self) -> str:
        times = sorted(self.times)
        p50, p99 = (times[int(len(times) * part)] * 1000 for part in (0.5, 0.99))
        lines = [
            f"{self.visitors} visitors, {len(times)} responses: "
            + ", ".join(f"{number} x {status}" for status, number in sorted(self.statuses.items())),
            f"response times: median {p50:.1f} ms, 99th percentile {p99:.1f} ms",
            f"visitors without a good response: {self.unserved}",
            f"pets added: {self.added}, lost silently: {self.lost}, losses reported: "
            f"{self.reported}",
            f"memory of the server: {self.rss[0]:.0f} MiB before, at most {self.rss[1]:.0f} MiB",
            *(f"{number} x {message}" for message, number in self.messages.most_common()),
        ]
        return "\n".join(lines)

    @property
    def is_good(self) -> bool:
        return not (self.unserved or self.lost or self.reported)


class Proxy:
    """Sends requests over open connections, each of which has one request at a time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter] | None]
        self._idle = asyncio.Queue()
        for _ in range(CONNECTIONS):
            self._idle.put_nowait(None)

    async def close(self) -> None:
        """Close the connections, none of which has a request."""
        while not self._idle.empty():
            if (pair := self._idle.get_nowait()) is not None:
                pair[1].close()
                await pair[1].wait_closed()

    async def send(
        self, method: str, path: str, address: str, body: bytes = b""
    ) -> tuple[int, float | None, Any]:
        """Send a request; return its status, its Retry-After and its JSON body."""
        pair = await self._idle.get()
        try:
            if pair is None:
                pair = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = pair
            head = (
                f"{method} {path} HTTP/1.1\r\nHost: demo.example\r\n"
                f"Authorization: Bearer mockpets\r\nX-Forwarded-For: {address}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            writer.write(head.encode() + body)
            text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = re.search(r"(?i)\r\ncontent-length: (\d+)", text)
            content = await reader.readexactly(int(length[1]) if length else 0)
            if re.search(r"(?i)\r\nconnection: close", text):
                writer.close()
                pair = None
            wait = re.search(r"(?i)\r\nretry-after: (\d+)", text)
            return int(text.split()[1]), float(wait[1]) if wait else None, json.loads(content)
        except BaseException:
            if pair is not None:
                pair[1].close()
                pair = None
            raise
        finally:
            self._idle.put_nowait(pair)


class Visitor:
    """One visitor, who adds pets and looks for all of them."""

    def __init__(
        self, number: int, proxy: Proxy, report: Report, end: float, pause: float = PAUSE
    ) -> None:
        self._random, self._proxy, self._report, self._end = Random(number), proxy, report, end
        self._longest_pause = pause
        self._number = number
        self._address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        self._added: set[int] = set()
        self._is_served = True

    async def visit(self) -> None:
        """List, add and list again until the time is over."""
        await asyncio.sleep(self._random.uniform(0, self._longest_pause))
        while time.monotonic() < self._end:
            await self._list()
            await self._pause()
            await self._add()
            await self._pause()
        await self._list()
        self._report.unserved += not self._is_served

    async def _pause(self) -> None:
        await asyncio.sleep(self._random.uniform(self._longest_pause / 4, self._longest_pause))

    async def _list(self) -> None:
        status, pets = await self._ask("GET", "/v1/pets?limit=100")
        if status == 200:
            gone = self._added - {pet["id"] for pet in pets}
            self._report.lost += len(gone)
            self._added -= gone

    async def _add(self) -> None:
        body = {"name": f"Pet of {self._number}", "categoryId": 2, "status": "pending"}
        status, pet = await self._ask("POST", "/v1/pets", json.dumps(body).encode())
        if status == 201:
            self._added.add(pet["id"])
            self._report.added += 1

    async def _ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, Any]:
        """Send a request until it gets a good response; return the last one."""
        report = self._report
        for _ in range(TRIES):
            started = time.monotonic()
            try:
                status, wait, content = await self._proxy.send(method, path, self._address, body)
            except (OSError, EOFError) as error:
                report.messages[repr(error)[:100]] += 1
                status, wait, content = 0, 1.0, None
            report.times.append(time.monotonic() - started)
            report.statuses[status] += 1
            if status in (200, 201):
                return status, content
            if content is not None:
                report.messages[f"{status} {content['message']}"[:200]] += 1
            if status == 410:
                report.reported += len(self._added)
                self._added.clear()
                continue
            if wait is None or wait > LONGEST_RETRY:
                break
            await asyncio.sleep(wait)
        self._is_served = False
        return status, content


@contextmanager
def demo(*options: str) -> Iterator[tuple[int, int]]:
    """Run a public server behind a proxy on this machine; yield its port and its process ID."""
    fixed = ("--public", "--control", "off", "--host", "127.0.0.1")
    with serving(*fixed, "--behind-proxy", "127.0.0.1", "--log=quiet", *options) as server:
        yield server


async def visit(port: int, process: int, visitors: int, seconds: float, pause: float) -> Report:
    """Let visitors use a server; return what they experienced."""
    report, proxy = Report(visitors), Proxy(port)
    before = rss(process)
    end = time.monotonic() + seconds
    tasks = [
        asyncio.create_task(Visitor(number, proxy, report, end, pause).visit())
        for number in range(visitors)
    ]
    peak, pending = before, set(tasks)
    while pending:
        _, pending = await asyncio.wait(pending, timeout=1)
        peak = max(peak, rss(process))
    for task in tasks:
        task.result()
    await proxy.close()
    report.rss = before, peak
    return report


def run(visitors: int, seconds: float, *options: str, pause: float = PAUSE) -> Report:
    """Run a server with as many sessions as visitors, if that is more than its default."""
    sessions = ("--max-sessions", str(visitors + 1)) if visitors >= 5000 else ()
    with demo(*sessions, *options) as (port, process):
        return asyncio.run(visit(port, process, visitors, seconds, pause))


def main() -> int:
    """Run the program; return its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--visitors", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("options", nargs="*", help="More options of mockpets serve, after --.")
    arguments = parser.parse_args()
    report = run(arguments.visitors, arguments.seconds, *arguments.options)
    print(report)
    return 0 if report.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
