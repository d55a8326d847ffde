"""Start a server, see when it answers and what memory it takes, and end it."""

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
    from collections.abc import Iterator

    from benchmarks.subjects import Subject

__all__ = ["Answer", "Memory", "Server", "call", "started"]

_START_SECONDS = 30
_END_SECONDS = 5
_LOG_LINES = 5


class Memory(NamedTuple):
    """MiB of a process and all that it started.

    :param rss: resident, what is shared counted in each process.
    :param pss: resident, what is shared counted in equal parts to those that share it.
    """

    rss: float
    pss: float


class Answer(NamedTuple):
    """Status and body."""

    status: int
    body: bytes


class Server:
    """A running subject.

    :param first_ms: from the start of the process to its first 200, in milliseconds.
    """

    def __init__(self, pid: int, port: int, first_ms: float) -> None:
        self.pid = pid
        self.port = port
        self.first_ms = first_ms

    def memory(self) -> Memory | None:
        """Return what it takes now; None where the kernel does not tell (only Linux does)."""
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
    """Return a process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            text = stat.read_text(encoding="utf-8", errors="replace")
            parent = int(text.rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for known in found:
        found += children.get(known, [])
    return found


def call(
    port: int, target: str, *, key: str | None = KEY, body: str | None = None, seconds: float = 10
) -> Answer:
    """Send one request: a POST if there is a body.

    :raise OSError: nothing answers.
    """
    headers = {"Authorization": key} if key else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection = HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET" if body is None else "POST", target, body, headers)
        answer = connection.getresponse()
        return Answer(answer.status, answer.read())
    except HTTPException as error:
        raise OSError(str(error)) from error
    finally:
        connection.close()


@contextmanager
def started(subject: Subject) -> Iterator[Server]:
    """Have a subject run, from its first 200 on.

    :raise RuntimeError: it does not get that far.
    """
    subject.renew()
    port, other = _free_ports()
    command = [word.format(port=port, other=other) for word in subject.command]
    log = subject.folder / "log.txt"
    kept = {name: text for name, text in os.environ.items() if not name.startswith("MOCKPETS_")}
    environment = {**kept, **subject.environment, "PORT": str(port)}
    with log.open("wb") as output:
        begun = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - our own words
            command,
            cwd=subject.folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        if not _answers(process, port, subject.page(), begun + _START_SECONDS):
            said = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
            raise RuntimeError(f"{subject.name} does not answer with 200: " + " / ".join(said))
        yield Server(process.pid, port, (time.perf_counter() - begun) * 1000)
    finally:
        _end(process)


def _free_ports() -> tuple[int, int]:
    """Return two ports that are free now."""
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        return one.getsockname()[1], two.getsockname()[1]


def _answers(process: subprocess.Popen[bytes], port: int, target: str, end: float) -> bool:
    """Wait for the first 200; return whether it came."""
    while time.perf_counter() < end and process.poll() is None:
        with suppress(OSError):
            if call(port, target, seconds=2).status == 200:
                return True
        time.sleep(0.002)
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all of its group, which is its own."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_END_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
