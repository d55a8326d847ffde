"""Fails a test that spends its time asleep: a README's test command must not wait for nothing."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 2.0
"""Seconds a test may take, however much of it is spent asleep."""
EXEMPT = {"browser", "node", "tool", "slow", "sleeps"}
"""Markers of tests that may wait, usually for another program."""
_THREADS = Path("/proc/self/task")
_MACHINE = Path("/proc/stat")

_started_processes = 0


def _count_processes(event: str, _arguments: tuple[object, ...]) -> None:
    global _started_processes
    if event in {"subprocess.Popen", "os.fork", "os.posix_spawn"}:
        _started_processes += 1


sys.addaudithook(_count_processes)


def _queued() -> dict[Path, int]:
    """Return how long each thread of this process waited for a CPU, in nanoseconds."""
    times = {}
    for thread in _THREADS.glob("*/schedstat"):
        with suppress(OSError):  # the thread has ended
            times[thread] = int(thread.read_text().split()[1])
    return times


def _idle() -> float:
    """Return for how many seconds the machine's CPUs had nothing to do, all together."""
    _cpu, _user, _nice, _system, ticks, *_ = _MACHINE.read_text().split(maxsplit=5)
    return int(ticks) / os.sysconf("SC_CLK_TCK")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail an in-process test whose call takes over 2 s and is asleep for most of it.

    A test that starts a process is not checked, because its time is spent elsewhere. On a busy
    machine it may wait for a server whose thread waits for a CPU: only an idle machine tells.
    """
    queued = _queued()
    if not queued or any(map(item.get_closest_marker, EXEMPT)):
        return (yield)
    processes, begun, busy = _started_processes, time.monotonic(), sum(os.times()[:2])
    idle = _idle()
    result = yield
    seconds = time.monotonic() - begun
    if processes == _started_processes and seconds > LIMIT:
        waits = sum(max(0, now - queued.get(each, 0)) for each, now in _queued().items())
        asleep = seconds - (sum(os.times()[:2]) - busy) - waits / 1e9
        if min(asleep, _idle() - idle) > seconds / 2:
            pytest.fail(
                f"asleep for {asleep:.1f} of {seconds:.1f} s; if it must wait, mark it with "
                "@pytest.mark.sleeps and a reason"
            )
    return result
