"""A thread for jobs that would block the loop for too long."""

from __future__ import annotations

import gc
import logging
import sys
from collections import OrderedDict, deque
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockpets.interface import Job

    _Work = tuple[Callable[[], object], Callable[[], None]]

_log: Final = logging.getLogger("mockpets.server")
_SWITCH_SECONDS: Final = 0.0002
"""How long a job may keep the interpreter before the loop gets it."""


class Worker:
    """Runs jobs one after another on a thread, which the first job starts.

    Owners take turns: many jobs of one delay a job of another by one job, not by all of them.

    :param call_soon: schedules a call on the loop's thread.
    """

    def __init__(self, call_soon: Callable[[Callable[[], None]], None]) -> None:
        self._call_soon = call_soon
        self._lock = Lock()
        self._jobs: OrderedDict[str, deque[_Work]] = OrderedDict()
        """The jobs of each owner, by whose turn is next."""
        self._ready: SimpleQueue[bool] = SimpleQueue()
        """True for each job, then False to end."""
        self._thread: Thread | None = None

    def submit(self, job: Job, done: Callable[[], None]) -> None:
        """Run a job.

        :param done: called on the loop's thread after the job has returned or failed.
        """
        if self._thread is None:
            self._thread = Thread(target=self._run, name="mockpets-helper", daemon=True)
            self._thread.start()
        with self._lock:
            self._jobs.setdefault(job.owner, deque()).append((job.run, done))
        self._ready.put(True)

    def stop(self) -> None:
        """End the thread after the jobs submitted before."""
        if self._thread is not None:
            self._ready.put(False)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while self._ready.get():
            run, done = self._next()
            try:
                with _yielding():
                    run()
            except Exception:  # noqa: BLE001 - a job may fail in any way
                _log.exception("a background job failed")
            self._call_soon(done)

    def _next(self) -> _Work:
        """Return the next job; the other owners go before the next one of its owner."""
        with self._lock:
            owner, jobs = self._jobs.popitem(last=False)
            job = jobs.popleft()
            if jobs:
                self._jobs[owner] = jobs
        return job


@contextmanager
def _yielding() -> Iterator[None]:
    """Give the interpreter back to the loop quickly; both settings apply to the whole process.

    The loop releases the interpreter with each system call, and by default waits 5 ms to get it
    back. A garbage collection of everything that a job has created holds it for milliseconds
    more, although there is no garbage.
    """
    interval, collects = sys.getswitchinterval(), gc.isenabled()
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.disable()
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        if collects:
            gc.enable()
