"""One thread for what would hold up the loop."""

from __future__ import annotations

import gc
import logging
import sys
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_log: Final = logging.getLogger("mockpets.server")
_SWITCH_SECONDS: Final = 0.0002
"""How long a job may keep the interpreter from the loop."""


class Worker:
    """Does jobs, one after another, on a thread that begins with the first.

    :param soon: has something called by the loop's thread.
    """

    def __init__(self, soon: Callable[[Callable[[], None]], None]) -> None:
        self._soon = soon
        self._jobs: SimpleQueue[tuple[Callable[[], object], Callable[[], None]] | None] = (
            SimpleQueue()
        )
        self._thread: Thread | None = None

    def do(self, job: Callable[[], object], then: Callable[[], None]) -> None:
        """Do a job, and have `then` called by the loop's thread when it is done or has failed."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="mockpets-helper", daemon=True)
            self._thread.start()
        self._jobs.put((job, then))

    def stop(self) -> None:
        """End the thread, after the jobs that were asked for before."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while (item := self._jobs.get()) is not None:
            job, then = item
            try:
                with _yielding():
                    job()
            except Exception:  # noqa: BLE001 - a job may fail in any way
                # The app is asked again, and tells its client what is wrong.
                _log.exception("a job failed")
            self._soon(then)


@contextmanager
def _yielding() -> Iterator[None]:
    """Have the interpreter given back to the loop quickly; both settings are the process's own.

    Each call of the loop to the kernel gives it away, for 5 ms by default. And a collection of
    all that a job has made so far holds it for milliseconds, though nothing of that is garbage.
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
