"""A thread for jobs that would block the loop for too long."""

from __future__ import annotations

import gc
import logging
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import ThreadPoolExecutor

_log: Final = logging.getLogger("mockpets.server")
_SWITCH_SECONDS: Final = 0.0002
"""How long a job may keep the interpreter before the loop gets it."""


class Worker:
    """Runs jobs one after another on a thread, which the first job starts.

    :param call_soon: schedules a call on the loop's thread.
    """

    def __init__(self, call_soon: Callable[[Callable[[], None]], None]) -> None:
        self._call_soon = call_soon
        self._pool: ThreadPoolExecutor | None = None

    def submit(self, job: Callable[[], object], done: Callable[[], None]) -> None:
        """Run a job.

        :param done: called on the loop's thread after the job has returned or failed.
        """
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor  # most servers need none

            self._pool = ThreadPoolExecutor(1, "mockpets-helper")
        self._pool.submit(self._run, job, done)

    def stop(self) -> None:
        """End the thread after the jobs submitted before."""
        if self._pool is not None:
            self._pool.shutdown()

    def _run(self, job: Callable[[], object], done: Callable[[], None]) -> None:
        try:
            with _yielding():
                job()
        except Exception:  # noqa: BLE001 - a job may fail in any way
            # The app is called again and reports the problem to the client.
            _log.exception("a background job failed")
        self._call_soon(done)


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
