"""Raw sockets and a running loop for tests of the server."""

import json
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import pytest

from mockpets.interface import App
from mockpets.server.descriptors import connections_left, raise_limit
from mockpets.server.loop import Loop
from mockpets.server.server_limits import ServerLimits
from mockpets.server.sockets import bind
from mockpets.settings import Settings

SECONDS = 20
"""Time limit of each step."""


def need_connections(number: int) -> None:
    """Let this process open a number of sockets, or skip the test."""
    raise_limit(number)
    if connections_left(number) < number:
        pytest.skip(f"this process may not open {number} sockets: raise `ulimit -n`")


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Wire:
    """A connection that sends and receives bytes."""

    def __init__(
        self, port: int, receive_buffer: int | None = None, source: str | None = None
    ) -> None:
        self.socket = socket.socket()
        if source is not None:
            self.socket.bind((source, 0))
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(SECONDS)
        try:
            self.socket.connect(("127.0.0.1", port))
        except OSError:
            self.socket.close()
            raise
        self._read = b""

    def send(self, data: bytes) -> Self:
        self.socket.sendall(data)
        return self

    def get(self, path: str = "/", *headers: str) -> Self:
        lines = [f"GET {path} HTTP/1.1", "Host: test", *headers, "", ""]
        return self.send("\r\n".join(lines).encode())

    def read(self, *, has_body: bool = True) -> Reply:
        """Read one complete response."""
        head = self._until(b"\r\n\r\n").decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        length = int(headers.get("Content-Length", 0)) if has_body else 0
        while len(self._read) < length:
            self._more()
        body, self._read = self._read[:length], self._read[length:]
        return Reply(int(first.split(" ")[1]), headers, body)

    def read_fast(self) -> Self:
        """Enlarge a small receive buffer, with which the rest of a large response takes seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**20)
        return self

    def head(self) -> bytes:
        """Read only the status line and headers."""
        return self._until(b"\r\n\r\n")

    def take(self, minimum: int) -> int:
        """Read until there are at least this many bytes; return how many there are."""
        while len(self._read) < minimum:
            self._more()
        return len(self._read)

    def _until(self, end: bytes) -> bytes:
        while end not in self._read:
            self._more()
        data, _, self._read = self._read.partition(end)
        return data

    def _more(self) -> None:
        data = self.socket.recv(65536)
        assert data, f"the connection ended after {self._read!r}"
        self._read += data

    def line(self) -> bytes:
        """Read one line."""
        return self._until(b"\r\n")

    def rest(self) -> bytes:
        """Read to the end of the connection."""
        while data := self.socket.recv(65536):
            self._read += data
        data, self._read = self._read, b""
        return data

    def is_open(self) -> bool:
        """Return whether the connection still responds."""
        self.get("/open?")
        return self.read().status > 0

    def end_sending(self) -> Self:
        self.socket.shutdown(socket.SHUT_WR)
        return self

    def reset(self) -> None:
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()


def port_of(url: str) -> int:
    return urlsplit(url).port or 0


class Clock:
    """A clock that advances only when a test calls `pass_`."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.wake: Callable[[], None] = lambda: None

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds
        self.wake()


@dataclass(frozen=True)
class Running:
    """A loop on a thread."""

    loop: Loop
    port: int
    clock: Clock
    thread: threading.Thread

    def ask(self, function: Callable[[], Any]) -> Any:
        """Call a function on the loop's thread between two turns, and return its result."""
        results: list[Any] = []
        done = threading.Event()

        def call() -> None:
            results.append(function())
            done.set()

        self.loop.scheduler.call_soon_threadsafe(call)
        assert done.wait(SECONDS)
        return results[0]

    def until(self, function: Callable[[], Any], expected: Any = True) -> None:
        """Call a function in every turn of the loop until it returns the expected value."""
        end = threading.Event()
        timer = threading.Timer(SECONDS, end.set)
        timer.start()
        try:
            while (result := self.ask(function)) != expected:
                assert not end.is_set(), f"still {result!r}, not {expected!r}"
        finally:
            timer.cancel()
            timer.join()

    @property
    def waiting(self) -> int:
        return len(self.loop.scheduler.parking.responses)

    @property
    def connections(self) -> int:
        return self.loop.scheduler.counts()["connections"]

    @property
    def phases(self) -> list[str]:
        return [channel.phase for channel in self.loop._channels.values()]

    def stop(self) -> None:
        self.loop.stop()
        self.thread.join(SECONDS)
        assert not self.thread.is_alive()


@contextmanager
def running(
    app: App, limits: ServerLimits | None = None, clock: Clock | None = None
) -> Iterator[Running]:
    """Run a loop on a thread; with a clock, its time advances only in `pass_`."""
    sockets = bind(Settings(host=("127.0.0.1",), port=0))
    used = clock or Clock()
    loop = Loop(app, sockets, limits, clock) if clock else Loop(app, sockets, limits)
    used.wake = loop.wake
    thread = threading.Thread(target=loop.run, name="test-loop")
    thread.start()
    server = Running(loop, sockets[0].getsockname()[1], used, thread)
    try:
        yield server
    finally:
        server.stop()


def descriptors() -> int:
    """Return how many descriptors this process has open."""
    return len(os.listdir("/dev/fd"))  # noqa: PTH208 - names are enough
