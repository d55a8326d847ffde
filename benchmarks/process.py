"""Start a server, measure its startup time and memory, and stop it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.load import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.subjects import Subject

__all__ = ["Memory", "Response", "Server", "call", "free_ports", "started"]

_START_SECONDS = 30
_STOP_SECONDS = 5
_LOG_LINES = 5


class Memory(NamedTuple):
    """The memory of a process and its descendants, in MiB.

    :param rss: resident set size; shared memory counts in each process.
    :param pss: proportional set size; shared memory counts once.
    """

    rss: float
    pss: float


class Response(NamedTuple):
    """The status and body of a response."""

    status: int
    body: bytes


class Server:
    """A running subject.

    :param first_ms: milliseconds from the start of the process to its first 200.
    """

    def __init__(self, pid: int, port: int, first_ms: float) -> None:
        self.pid = pid
        self.port = port
        self.first_ms = first_ms

    def memory(self) -> Memory | None:
        """Return the current memory, or None on systems other than Linux."""
        rss = pss = 0
        try:
            for pid in _family(self.pid):
                rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
                sizes = {row.split(":")[0]: int(row.split()[1]) for row in rows[1:]}
                rss += sizes["Rss"]
                pss += sizes["Pss"]
        except OSError:
            return None
        return Memory(rss / 1024, pss / 1024)


def _family(pid: int) -> list[int]:
    """Return the ids of a process and its descendants."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            text = stat.read_text(encoding="utf-8", errors="replace")
            parent = int(text.rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    family = [pid]
    for member in family:
        family += children.get(member, [])
    return family


def call(
    port: int,
    target: str,
    *,
    key: str | None = KEY,
    body: str | None = None,
    seconds: float = 10,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Send one request, a POST if there is a body.

    :param headers: sent instead of those for the key and the body.
    :raise OSError: if the server does not respond.
    """
    if headers is None:
        headers = {"Authorization": key} if key else {}
        headers |= {} if body is None else {"Content-Type": "application/json"}
    connection = HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET" if body is None else "POST", target, body, dict(headers))
        response = connection.getresponse()
        return Response(response.status, response.read())
    except HTTPException as error:
        raise OSError(str(error)) from error
    finally:
        connection.close()


@contextmanager
def started(subject: Subject) -> Iterator[Server]:
    """Start a subject, wait for its first 200, and stop it at the end.

    :raise RuntimeError: if it does not respond with 200 in time.
    """
    subject.renew()
    port, other = free_ports()
    command = [part.format(port=port, other=other) for part in subject.command]
    log = subject.folder / "log.txt"
    kept = {name: text for name, text in os.environ.items() if not name.startswith("MOCKPETS_")}
    environment = {**kept, **subject.environment, "PORT": str(port)}
    with log.open("wb") as output:
        start = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - a fixed command
            command,
            cwd=subject.folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        if not _responds(process, port, subject.page(), start + _START_SECONDS):
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
            raise RuntimeError(f"{subject.name} does not respond with 200: " + " / ".join(lines))
        yield Server(process.pid, port, (time.perf_counter() - start) * 1000)
    finally:
        _stop(process)


def free_ports() -> tuple[int, int]:
    """Return two free ports."""
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        return one.getsockname()[1], two.getsockname()[1]


def _responds(process: subprocess.Popen[bytes], port: int, target: str, deadline: float) -> bool:
    """Wait for the first 200 and return whether it arrived."""
    while time.perf_counter() < deadline and process.poll() is None:
        with suppress(OSError):
            if call(port, target, seconds=2).status == 200:
                return True
        time.sleep(0.002)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a process and its process group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_STOP_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
