"""Ask a server as fast as it answers: with wrk if it is there, else with a client of our own.

The own client is slower than a fast server and so flatters the slow ones; what it finds is good for
seeing whether the benchmark works, and not for a table.
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

__all__ = ["KEY", "Load", "ask", "asked_with"]

KEY = "Bearer mockpets"
"""The Authorization that every subject wants."""


class Load(NamedTuple):
    """Requests a second, and milliseconds."""

    rate: float
    p50: float
    p99: float


def asked_with() -> str:
    """Return who asks, for the report."""
    if shutil.which("wrk") is None:
        return "the benchmark's own client"
    said = subprocess.run(["wrk", "-v"], capture_output=True, text=True, check=False).stdout  # noqa: S607 - Debian's
    return said.split(" [")[0].strip()


def ask(port: int, target: str, connections: int, seconds: int, body: str | None = None) -> Load:
    """Ask over some connections, on each as soon as its last answer is there.

    :param body: JSON to POST; None for GET.
    :raise RuntimeError: an answer is no success, or a connection broke.
    """
    use = _ask_with_wrk if shutil.which("wrk") else _ask
    return use(port, target, connections, seconds, body)


def _ask_with_wrk(port: int, target: str, connections: int, seconds: int, body: str | None) -> Load:
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "--latency"]
    command += ["-H", f"Authorization: {KEY}"]
    with tempfile.TemporaryDirectory() as folder:
        if body is not None:
            script = Path(folder) / "post.lua"
            headers = 'wrk.headers["Content-Type"] = "application/json"'
            script.write_text(f'wrk.method = "POST"\nwrk.body = [[{body}]]\n{headers}\n')
            command += ["-s", str(script)]
        command.append(f"http://127.0.0.1:{port}{target}")
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    said = done.stdout + done.stderr
    rate = re.search(r"Requests/sec: +([\d.]+)", said)
    if rate is None or "Non-2xx" in said or "Socket errors" in said:
        raise RuntimeError(" ".join(said.split()))
    units = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    times = {
        share: float(number) * units[unit]
        for share, number, unit in re.findall(r"(50|99)% +([\d.]+)(us|ms|s)\b", said)
    }
    return Load(float(rate[1]), times["50"], times["99"])


def _ask(port: int, target: str, connections: int, seconds: int, body: str | None) -> Load:
    request = _request(target, body)
    took: list[float] = []
    begun = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        try:
            for _ in range(connections):
                sock = socket.create_connection(("127.0.0.1", port))
                selector.register(sock, selectors.EVENT_READ, [time.perf_counter(), b""])
                sock.send(request)
            while (now := time.perf_counter()) < begun + seconds:
                for key, _ in selector.select(1):
                    sock = cast("socket.socket", key.fileobj)
                    if _complete(sock, key.data):
                        took.append(time.perf_counter() - key.data[0])
                        key.data[:] = [time.perf_counter(), b""]
                        sock.send(request)
        finally:
            for key in list(selector.get_map().values()):
                cast("socket.socket", key.fileobj).close()
    took.sort()
    p50, p99 = (took[int(len(took) * share)] * 1000 for share in (0.5, 0.99))
    return Load(len(took) / (now - begun), p50, p99)


def _request(target: str, body: str | None) -> bytes:
    lines = [f"{'GET' if body is None else 'POST'} {target} HTTP/1.1", "Host: localhost"]
    lines.append(f"Authorization: {KEY}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body.encode())}"]
    return "\r\n".join([*lines, "", body or ""]).encode()


def _complete(sock: socket.socket, state: list[object]) -> bool:
    """Take in what came on a connection; return whether an answer is complete.

    :param state: when the request was sent, and what has come since.
    """
    came = sock.recv(65536)
    data = cast("bytes", state[1]) + came
    head, found, rest = data.partition(b"\r\n\r\n")
    if not came or (found and not head.startswith(b"HTTP/1.1 2")):
        raise RuntimeError(head[:200].decode("latin-1") or "the connection ended")
    state[1] = data
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if length is not None:
        return bool(found) and len(rest) >= int(length[1])
    return rest.endswith(b"0\r\n\r\n")  # chunked
