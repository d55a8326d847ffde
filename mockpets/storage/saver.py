"""Keep a state file up to date: a thread that polls for changes and saves them.

The thread collects the sessions and writes them if they have changed. If writing fails, it logs the
problem once, keeps the last valid file, and tries again at the next poll. A change is saved when
`SaveProgress.saved` confirms it, which may be after the response to the request that made it.
"""

from __future__ import annotations

import errno
import logging
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Final

from mockpets.errors import InputError, Problem, printable
from mockpets.storage.format import dump_state, load_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockpets.memory_budget import MemoryBudget
    from mockpets.pets.table import Table
    from mockpets.session.save_progress import SaveProgress
    from mockpets.storage.format import SessionState
    from mockpets.storage.state_file import StateFile

SAVE_SECONDS: Final = 1.0
"""How often sessions are looked at. One whose look takes long is looked at more seldom."""
_SHARE: Final = 10
"""Checking and writing take at most one part in this many of the time."""
STOP_SECONDS: Final = 5.0
"""How long the last write may take, as when a disk hangs that is far away."""

_log: Final = logging.getLogger("mockpets")


def read_state(file: StateFile, start: Table, budget: MemoryBudget | None) -> list[SessionState]:
    """Return the sessions of a state file; none when there is no file yet.

    :param start: as `load_state` has it, as is `budget`.
    :raise InputError: it cannot be read, or not be used.
    """
    shown = str(file.path)
    try:
        data = file.read()
    except OSError as error:
        hint = "check the path and its permissions"
        raise InputError(
            [Problem(shown, 0, 0, "", f"cannot be read: {error.strerror}", hint)]
        ) from error
    return [] if data is None else load_state(data, shown, start, budget)


class Saver:
    """Writes the sessions of one server to one file.

    :param collect: returns the sessions as they are; called by the saver's thread.
    :param progress: counts the attempts, for clients.
    :param seconds: the interval between two attempts.
    """

    def __init__(
        self,
        file: StateFile,
        collect: Callable[[], Sequence[SessionState]],
        progress: SaveProgress,
        seconds: float = SAVE_SECONDS,
    ) -> None:
        self._file = file
        self._collect = collect
        self._seconds = seconds
        self._written: list[object] | None = None
        self._stopped = Event()
        self._thread: Thread | None = None
        self._progress = progress

    def look(self) -> None:
        """Write the sessions if they have changed, or could not be written before."""
        progress = self._progress
        progress.begun += 1
        sessions = self._collect()
        now = [_kept(session) for session in sessions]
        if now != self._written:
            try:
                self._file.write(dump_state(sessions))
            except OSError as error:
                self._written = None  # it may be the new one all the same
                self._failed(error)
                return
            self._written = now
        if progress.trouble:
            progress.trouble = ""
            _log.warning("saving the state to %s works again", printable(str(self._file.path)))
        progress.saved = progress.begun

    def _failed(self, error: OSError) -> None:
        """Say why it could not be written, unless that was said last time."""
        trouble = error.strerror or str(error)
        if error.errno == errno.EBUSY:
            trouble += " (a mounted file cannot be replaced; mount its folder instead)"
        if trouble != self._progress.trouble:
            self._progress.trouble = trouble
            _log.warning(
                "cannot save the state to %s: %s; keeping the last saved version and retrying",
                printable(str(self._file.path)),
                trouble,
            )

    def start(self) -> None:
        """Look every so often on a thread of its own, until `stop`."""
        self._progress.is_active = True
        self._stopped.clear()
        self._thread = Thread(target=self._run, name="mockpets-state", daemon=True)
        self._thread.start()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Save what is new, and end; a disk that hangs is waited for so long at most."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(seconds)
            if self._thread.is_alive():
                _log.error("timed out while saving the state; the last changes may be lost")
            self._thread = None

    def _run(self) -> None:
        pause = 0.0
        while not self._stopped.wait(pause):
            began = perf_counter()
            self._try()
            pause = max(self._seconds, _SHARE * (perf_counter() - began))
        self._try()

    def _try(self) -> None:
        try:
            self.look()
        except Exception:  # noqa: BLE001 - a mistake of ours must not end the saving for good
            _log.exception("unexpected error while saving the state; retrying")


def _kept(session: SessionState) -> object:
    """Return what is equal for two states of a session that are the same in the file.

    Tables that were saved are frozen: a change makes another one.
    """
    name, pets, active, seed, start = session
    return name, pets.base, pets.own, pets.next_id, active, seed, start
