"""Which changes to the sessions are saved: written by `storage`, read by the control API."""

from __future__ import annotations

from threading import Condition, Event
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mockpets.contract.control_types import StateFileProgress

SKIPPED_KEYS: Final = 1000
"""How many keys new records skip after a crash: more than a server assigns between two saves."""
HURRY_KEYS: Final = SKIPPED_KEYS // 4
"""How many keys of a collection the server assigns before the next save begins at once."""
STALL_SECONDS: Final = 5.0
"""An attempt that takes longer is reported as a problem."""


class SaveProgress:
    """The progress of saving on one server. Only the thread that saves calls `begin` and `end`.

    A client makes a change and then reads `begun`. The change is on the disk once `saved` is
    greater than that number.
    """

    def __init__(self) -> None:
        self.is_active = False  # whether the server has a state file
        self.begun = 0  # the number of the last attempt
        self.saved = 0  # the number of the last attempt that succeeded
        self.requested = Event()  # set when an attempt should begin soon
        self.restored = 0  # the number of sessions in the file at the start
        self._trouble = ""
        self._ended = 0
        self._began_at = 0.0
        self._changed = Condition()

    def begin(self) -> None:
        """Note that an attempt begins."""
        self.requested.clear()
        self._began_at = monotonic()
        self.begun += 1

    def end(self, trouble: str = "") -> None:
        """Note that the attempt ended, and why it failed; empty if it succeeded."""
        with self._changed:
            self._trouble = trouble
            self._ended = self.begun
            if not trouble:
                self.saved = self.begun
            self._changed.notify_all()

    @property
    def trouble(self) -> str:
        """Why the last attempt failed, or that it takes too long; empty if it succeeded."""
        seconds = monotonic() - self._began_at
        if self.begun > self._ended and seconds > STALL_SECONDS:
            return f"the disk has not responded for {seconds:.0f} seconds"
        return self._trouble

    def wait_for_save(self) -> SaveProgress:
        """Return self once an attempt that begins now has saved all changes, or on trouble."""
        with self._changed:
            wanted = self.begun + 1
            self.requested.set()
            self._changed.wait_for(lambda: self._ended >= wanted or self.trouble, STALL_SECONDS)
        return self

    def report(self) -> StateFileProgress | None:
        """Return the progress; None without a file."""
        if not self.is_active:
            return None
        return {"begun": self.begun, "saved": self.saved, "trouble": self.trouble}
