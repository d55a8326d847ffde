"""A thread for jobs that would block the loop for too long."""

from __future__ import annotations

import gc
import logging
import sys
from collections import OrderedDict, deque
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Job = tuple[Callable[[], object], Callable[[object], None]]

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
        self._jobs: OrderedDict[str, deque[Job]] = OrderedDict()
        """The jobs of each owner, by whose turn is next."""
        self._ready: SimpleQueue[bool] = SimpleQueue()
        """True for each job, then False to end."""
        self._thread: Thread | None = None

    def submit(
        self, job: Callable[[], object], done: Callable[[object], None], owner: str = ""
    ) -> None:
        """Run a job.

        :param done: called on the loop's thread with what the job has returned, None if it failed.
        """
        if self._thread is None:
            self._thread = Thread(target=self._run, name="mockpets-helper", daemon=True)
            self._thread.start()
        with self._lock:
            self._jobs.setdefault(owner, deque()).append((job, done))
        self._ready.put(True)

    def stop(self) -> None:
        """End the thread after the jobs submitted before."""
        if self._thread is not None:
            self._ready.put(False)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while self._ready.get():
            self._run_next()  # whose variables would otherwise keep a request until the next job

    def _run_next(self) -> None:
        job, done = self._next()
        result: object = None
        try:
            with _yielding():
                result = job()
        except Exception:  # noqa: BLE001 - a job may fail in any way
            _log.exception("a background job failed")
        self._call_soon(partial(done, result))

    def _next(self) -> Job:
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
