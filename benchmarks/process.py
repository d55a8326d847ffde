"""Start a server, wait for its first response, and stop it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.load import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.subjects import Subject

_START_SECONDS: Final = 30
_STOP_SECONDS: Final = 5
_LOG_LINES: Final = 5


class Response(NamedTuple):
    """The status and body of a response."""

    status: int
    body: bytes

    @property
    def value(self) -> object:
        """The value of a JSON body; None for another body."""
        with suppress(ValueError):
            return json.loads(self.body)
        return None


class Server(NamedTuple):
    """A running subject.

    :param first_ms: milliseconds from the start of the process to its first 200.
    """

    pid: int
    port: int
    first_ms: float


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
    port, other = _free_ports()
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


def _free_ports() -> tuple[int, int]:
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


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process so far: user and system, of all its threads."""
    # The clock of another process; see clock_getcpuclockid in Linux' posix-timers.h.
    return time.clock_gettime((~pid << 3) | 2)
