"""Which changes to the sessions are saved: written by `storage`, read by the control API."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockpets.contract.control_types import StateFileProgress


class SaveProgress:
    """The progress of saving on one server. Only the thread that saves writes to it.

    A client makes a change and then reads `begun`. The change is on the disk once `saved` is
    greater than that number.
    """

    def __init__(self) -> None:
        self.is_active = False
        """Whether the server has a state file."""
        self.begun = 0
        """The number of the last attempt."""
        self.saved = 0
        """The number of the last attempt that succeeded."""
        self.trouble = ""
        """Why the last attempt failed; empty if it succeeded."""

    def report(self) -> StateFileProgress | None:
        """Return the progress, or None if the sessions are not saved."""
        if not self.is_active:
            return None
        return {"begun": self.begun, "saved": self.saved, "trouble": self.trouble}
