"""Send requests as fast as a server responds: with wrk if installed, else with a built-in client.

The built-in client is slower than fast servers. Use its results to test the benchmark, not for a
table.
"""

from __future__ import annotations

import re
import selectors
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "KEY",
    "Exchange",
    "Load",
    "client_name",
    "exchange",
    "figures",
    "has_wrk",
    "run_wrk",
    "send_load",
]

KEY = "Bearer mockpets"
"""The Authorization header that every subject requires."""


class Load(NamedTuple):
    """Requests per second, and latencies in milliseconds."""

    rate: float
    p50: float
    p99: float


def has_wrk() -> bool:
    """Return whether wrk is installed."""
    return shutil.which("wrk") is not None


def client_name() -> str:
    """Return the name of the client, for the report."""
    if not has_wrk():
        return "the built-in client"
    output = subprocess.run(["wrk", "-v"], capture_output=True, text=True, check=False).stdout  # noqa: S607 - Debian's
    return output.split(" [")[0].strip()


def send_load(
    port: int, target: str, connections: int, seconds: int, body: str | None = None
) -> Load:
    """Send requests over some connections, each as soon as the previous response is complete.

    :param body: JSON to POST, or None for GET.
    :raise RuntimeError: if a response is not 2xx or a connection breaks.
    """
    send = _send_with_wrk if has_wrk() else _send
    return send(port, target, connections, seconds, body)


def _send_with_wrk(
    port: int, target: str, connections: int, seconds: int, body: str | None
) -> Load:
    script = ""
    if body is not None:
        headers = 'wrk.headers["Content-Type"] = "application/json"'
        script = f'wrk.method = "POST"\nwrk.body = [[{body}]]\n{headers}\n'
    options = (f"-c{connections}", f"-d{seconds}s", "-H", f"Authorization: {KEY}")
    load, output = run_wrk(f"http://127.0.0.1:{port}{target}", *options, script=script)
    if "Non-2xx" in output:
        raise RuntimeError(" ".join(output.split()))
    return load


def run_wrk(url: str, *options: str, script: str, threads: int = 1) -> tuple[Load, str]:
    """Run wrk and return its figures and its output.

    :param script: Lua code, or nothing.
    :raise RuntimeError: if a connection breaks.
    """
    command = ["wrk", f"-t{threads}", "--timeout", "10s", "--latency", *options]
    with tempfile.TemporaryDirectory() as folder:
        if script:
            path = Path(folder) / "script.lua"
            path.write_text(script, encoding="utf-8")
            command += ["-s", str(path)]
        process = subprocess.run([*command, url], capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command
    output = process.stdout + process.stderr
    rate = re.search(r"Requests/sec: +([\d.]+)", output)
    if rate is None or "Socket errors" in output:
        raise RuntimeError(" ".join(output.split())[:500])
    units = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    times = {
        share: float(number) * units[unit]
        for share, number, unit in re.findall(r"(50|99)% +([\d.]+)(us|ms|s)\b", output)
    }
    return Load(float(rate[1]), times["50"], times["99"]), output


def _send(port: int, target: str, connections: int, seconds: int, body: str | None) -> Load:
    responses = exchange(port, [_request(target, body)], connections, seconds)
    for response in responses:
        if not 200 <= response.status < 300:
            raise RuntimeError(f"got {response.status} for {target}")
    return figures([response.seconds for response in responses], seconds)


def figures(times: Sequence[float], seconds: int) -> Load:
    """Return the figures of responses by the built-in client.

    :param times: their latencies in seconds.
    """
    ordered = sorted(times)
    p50, p99 = (ordered[int(len(ordered) * share)] * 1000 for share in (0.5, 0.99))
    return Load(len(ordered) / seconds, p50, p99)


class Exchange(NamedTuple):
    """A response received by the built-in client.

    :param number: the position of its request.
    """

    number: int
    status: int
    seconds: float


def exchange(
    port: int, requests: Sequence[bytes], connections: int, seconds: int
) -> list[Exchange]:
    """Send requests in order, again and again, with the built-in client.

    :raise RuntimeError: if a connection breaks.
    """
    results: list[Exchange] = []
    numbers = cycle(range(len(requests)))
    start = time.perf_counter()

    def send(sock: socket.socket, state: _State) -> None:
        state.number, state.data, state.start = next(numbers), b"", time.perf_counter()
        sock.send(requests[state.number])

    with selectors.DefaultSelector() as selector:
        try:
            for _ in range(connections):
                sock = socket.create_connection(("127.0.0.1", port))
                state = _State()
                selector.register(sock, selectors.EVENT_READ, state)
                send(sock, state)
            while time.perf_counter() < start + seconds:
                for key, _ in selector.select(1):
                    sock, state = cast("socket.socket", key.fileobj), key.data
                    if (status := _complete(sock, state)) is not None:
                        elapsed = time.perf_counter() - state.start
                        results.append(Exchange(state.number, status, elapsed))
                        send(sock, state)
        finally:
            for key in list(selector.get_map().values()):
                cast("socket.socket", key.fileobj).close()
    return results


@dataclass
class _State:
    """A connection's current request and the data received so far."""

    number: int = 0
    data: bytes = b""
    start: float = 0.0


def _request(target: str, body: str | None) -> bytes:
    lines = [f"{'GET' if body is None else 'POST'} {target} HTTP/1.1", "Host: localhost"]
    lines.append(f"Authorization: {KEY}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body.encode())}"]
    return "\r\n".join([*lines, "", body or ""]).encode()


def _complete(sock: socket.socket, state: _State) -> int | None:
    """Read from a connection and return the status if the response is complete."""
    chunk = sock.recv(65536)
    if not chunk:
        raise RuntimeError("the server closed the connection")
    state.data += chunk
    head, separator, rest = state.data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if length is not None:
        complete = bool(separator) and len(rest) >= int(length[1])
    else:
        complete = rest.endswith(b"0\r\n\r\n")  # chunked
    return int(head.split(b" ", 2)[1]) if complete else None
