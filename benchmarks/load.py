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
from pathlib import Path
from typing import NamedTuple, cast

__all__ = ["KEY", "Load", "client_name", "send_load"]

KEY = "Bearer mockpets"
"""The Authorization header that every subject requires."""


class Load(NamedTuple):
    """Requests per second, and latencies in milliseconds."""

    rate: float
    p50: float
    p99: float


def client_name() -> str:
    """Return the name of the client, for the report."""
    if shutil.which("wrk") is None:
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
    send = _send_with_wrk if shutil.which("wrk") else _send
    return send(port, target, connections, seconds, body)


def _send_with_wrk(
    port: int, target: str, connections: int, seconds: int, body: str | None
) -> Load:
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "--latency"]
    command += ["-H", f"Authorization: {KEY}"]
    with tempfile.TemporaryDirectory() as folder:
        if body is not None:
            script = Path(folder) / "post.lua"
            headers = 'wrk.headers["Content-Type"] = "application/json"'
            script.write_text(f'wrk.method = "POST"\nwrk.body = [[{body}]]\n{headers}\n')
            command += ["-s", str(script)]
        command.append(f"http://127.0.0.1:{port}{target}")
        process = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command
    output = process.stdout + process.stderr
    rate = re.search(r"Requests/sec: +([\d.]+)", output)
    if rate is None or "Non-2xx" in output or "Socket errors" in output:
        raise RuntimeError(" ".join(output.split()))
    units = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    times = {
        share: float(number) * units[unit]
        for share, number, unit in re.findall(r"(50|99)% +([\d.]+)(us|ms|s)\b", output)
    }
    return Load(float(rate[1]), times["50"], times["99"])


def _send(port: int, target: str, connections: int, seconds: int, body: str | None) -> Load:
    request = _request(target, body)
    latencies: list[float] = []
    start = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        try:
            for _ in range(connections):
                sock = socket.create_connection(("127.0.0.1", port))
                selector.register(sock, selectors.EVENT_READ, [time.perf_counter(), b""])
                sock.send(request)
            while (now := time.perf_counter()) < start + seconds:
                for key, _ in selector.select(1):
                    sock = cast("socket.socket", key.fileobj)
                    if _complete(sock, key.data):
                        latencies.append(time.perf_counter() - key.data[0])
                        key.data[:] = [time.perf_counter(), b""]
                        sock.send(request)
        finally:
            for key in list(selector.get_map().values()):
                cast("socket.socket", key.fileobj).close()
    latencies.sort()
    p50, p99 = (latencies[int(len(latencies) * share)] * 1000 for share in (0.5, 0.99))
    return Load(len(latencies) / (now - start), p50, p99)


def _request(target: str, body: str | None) -> bytes:
    lines = [f"{'GET' if body is None else 'POST'} {target} HTTP/1.1", "Host: localhost"]
    lines.append(f"Authorization: {KEY}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body.encode())}"]
    return "\r\n".join([*lines, "", body or ""]).encode()


def _complete(sock: socket.socket, state: list[object]) -> bool:
    """Read from a connection and return whether the response is complete.

    :param state: the time of the request, and the data received so far.
    """
    chunk = sock.recv(65536)
    data = cast("bytes", state[1]) + chunk
    head, separator, rest = data.partition(b"\r\n\r\n")
    if not chunk or (separator and not head.startswith(b"HTTP/1.1 2")):
        raise RuntimeError(head[:200].decode("latin-1") or "the server closed the connection")
    state[1] = data
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if length is not None:
        return bool(separator) and len(rest) >= int(length[1])
    return rest.endswith(b"0\r\n\r\n")  # chunked
