"""Measure several processes behind HAProxy, with `deploy/haproxy.cfg`.

CPU time per request shows what the balancer costs, and requests per second show what further
processes bring. The latter needs cores: one for each process, one for HAProxy and one for wrk.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.load import has_wrk, run_wrk
from benchmarks.process import call, free_ports, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.process import Server
    from benchmarks.subjects import Subject

__all__ = ["BALANCED_BEGIN", "BALANCED_END", "balanced_table", "measure_balanced"]

BALANCED_BEGIN: Final = "<!-- balanced: made by python -m benchmarks --scale, do not edit -->"
BALANCED_END: Final = "<!-- balanced: end -->"

COUNTS = (1, 2, 4)
"""Numbers of processes to compare."""

_CONFIG = Path(__file__).parent.parent / "deploy" / "haproxy.cfg"
_SERVERS = re.compile(r"^ *server .*\n", re.MULTILINE)
_SESSIONS = 64
_PATH = "/v1/pets?limit=16"
_CONNECTIONS = 16
_START_SECONDS = 10
_SCRIPT = f"""
local number = 0
local headers = {{Authorization = "Bearer mockpets"}}
request = function()
  number = (number + 1) % {_SESSIONS}
  return wrk.format("GET", "/~bench-" .. number .. "{_PATH}", headers)
end
"""
"""Lists the pets of each session in turn."""


class Cost(NamedTuple):
    """What a request costs.

    :param rate: requests per second.
    :param app_us: CPU time of all processes for each request, in microseconds.
    :param balancer_us: that of HAProxy; 0 without it.
    """

    rate: float
    app_us: float
    balancer_us: float


def measure_balanced(
    ours: Subject, rounds: int, seconds: int, log: Callable[[str], None]
) -> dict[str, Cost]:
    """Return the costs, direct and with each number of processes behind HAProxy.

    :param ours: mockpets as a subject; its command is replaced.
    :raise RuntimeError: wrk or HAProxy is not installed, or does not run.
    """
    if not has_wrk():
        raise RuntimeError("wrk is not installed; install it, such as with 'apt-get install wrk'")
    if shutil.which("haproxy") is None:
        message = "HAProxy is not installed; install it, such as with 'apt-get install haproxy'"
        raise RuntimeError(message)
    command = [sys.executable, "-m", "mockpets", "serve", "--port", "{port}", "--quiet"]
    subject = ours._replace(command=tuple(command))
    costs = {}
    with started(subject) as server:
        log("scale: direct")
        costs["direct"] = _cost(server.port, [server], None, rounds, seconds)
    for count in COUNTS:
        log(f"scale: {count} behind HAProxy")
        with ExitStack() as stack:
            servers = [stack.enter_context(started(subject)) for _ in range(count)]
            pid, port = stack.enter_context(_haproxy(servers))
            costs[str(count)] = _cost(port, servers, pid, rounds, seconds)
    return costs


@contextmanager
def _haproxy(servers: Sequence[Server]) -> Iterator[tuple[int, int]]:
    """Run HAProxy in front of servers; yield its process ID and its port.

    :raise RuntimeError: it does not respond with 200 in time.
    """
    port, peer = free_ports()
    lines = "".join(
        f"    server mock-{number} 127.0.0.1:{server.port}\n"
        for number, server in enumerate(servers, 1)
    )
    text = _SERVERS.sub("", _CONFIG.read_text(encoding="utf-8")) + lines
    with TemporaryDirectory() as folder:
        config = Path(folder) / "haproxy.cfg"
        text = text.replace("bind :7387", f"bind 127.0.0.1:{port}")
        config.write_text(text.replace("127.0.0.1:7388", f"127.0.0.1:{peer}"), encoding="utf-8")
        with subprocess.Popen(["haproxy", "-q", "-db", "-f", str(config)]) as process:  # noqa: S603, S607 - Debian's
            try:
                deadline = time.perf_counter() + _START_SECONDS
                while not _responds(port):
                    if time.perf_counter() > deadline or process.poll() is not None:
                        raise RuntimeError("HAProxy does not respond with 200")
                    time.sleep(0.01)
                yield process.pid, port
            finally:
                process.terminate()


def _responds(port: int) -> bool:
    try:
        return call(port, _PATH, seconds=2).status == 200
    except OSError:
        return False


def _cost(
    port: int, servers: Sequence[Server], balancer: int | None, rounds: int, seconds: int
) -> Cost:
    """Send requests to a port; return the medians of the rounds, after a first one to warm up."""
    url, samples = f"http://127.0.0.1:{port}/", []
    for _ in range(rounds + 1):
        before = [_cpu_us(server.pid) for server in servers], balancer and _cpu_us(balancer)
        load, output = run_wrk(url, f"-c{_CONNECTIONS}", f"-d{seconds}s", script=_SCRIPT)
        if "Non-2xx" in output:
            raise RuntimeError(" ".join(output.split()))
        requests = load.rate * seconds
        app = sum(_cpu_us(server.pid) for server in servers) - sum(before[0])
        other = _cpu_us(balancer) - (before[1] or 0) if balancer else 0
        samples.append(Cost(load.rate, app / requests, other / requests))
    return Cost(*(median(values) for values in zip(*samples[1:], strict=True)))


def _cpu_us(pid: int) -> float:
    """Return the CPU time of a process on Linux in microseconds."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1_000_000 / os.sysconf("SC_CLK_TCK")


def balanced_table(results: Mapping[str, Any]) -> str:
    """Return the figures as Markdown.

    :param results: the machine, the date, and the `costs` of `measure_balanced`.
    """
    cores = results["machine"]["cores"]
    rows = [
        f"{results['at']}, `python -m benchmarks --scale`, medians. Machine: "
        f"{results['machine']['processor']}, {cores} cores, load "
        f"{results['machine']['load']} before the run, {results['machine']['python']}.",
        "",
        "| | requests/s | CPU of mockpets | CPU of HAProxy |",
        "|---|---|---|---|",
    ]
    for name, values in results["costs"].items():
        cost = Cost(*values)
        label = "direct" if name == "direct" else f"{name} behind HAProxy"
        needed = 2 if name == "direct" else int(name) + 2
        note = "" if cores is not None and cores >= needed else " (too few cores)"
        app, other = f"{cost.app_us:.0f} µs", f"{cost.balancer_us:.0f} µs"
        rows.append(f"| {label} | {cost.rate:,.0f}{note} | {app} | {other} |")
    return "\n".join(rows) + "\n"
