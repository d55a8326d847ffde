"""Note which sessions have unsaved changes, in a way that survives the end of the process.

A server that is killed loses the changes since the last save. After the restart, a session that
lost some must get a new ID, and one that lost none must keep its ID. So each session has a slot in
a small file beside the state file: its first change after a save writes a new number there, which
takes a microsecond and no sync. A save stores the number of the changes that it contains. If the
two numbers differ after a restart, changes were lost.

The operating system keeps the numbers when a process ends, but not when the machine loses its
power. `boot_id` shows whether it did.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_SLOT_BYTES: Final = 8
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str:
    """Return an ID of this start of the machine, or an empty string if the system has none."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


class Mark:
    """Whether one session has unsaved changes. Safe to use from several threads.

    :param slot: its place in the file.
    """

    __slots__ = ("_lock", "_marks", "_number", "is_set", "slot")

    def __init__(self, marks: UnsavedMarks, slot: int) -> None:
        self._marks = marks
        self.slot = slot
        self._lock = Lock()
        self._number = 0
        """Differs from the numbers of all other changes of this server."""
        self.is_set = False
        self.set()

    def set(self) -> None:
        """Note a change, after it was made: a save in between has it, and the mark is set again."""
        with self._lock:
            if not self.is_set:
                self._number = self._marks.write(self.slot)
                self.is_set = True

    def clear(self) -> int:
        """Return the number to store with a save that takes the changes after this call."""
        with self._lock:
            self.is_set = False
            return self._number


class UnsavedMarks:
    """The marks of all sessions. Only one thread calls `new`, and only one calls `release`.

    :param path: the file of the marks; an existing one is replaced.
    :param first: higher than all numbers in the state file.
    :raise OSError: the file cannot be created.
    """

    def __init__(self, path: Path, first: int) -> None:
        self._path = path
        path.unlink(missing_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        self._file = os.fdopen(os.open(path, flags, 0o600), "r+b", buffering=0)
        self._numbers: Iterator[int] = count(first)
        self._slots: Iterator[int] = count()
        self._free: list[int] = []

    def new(self) -> Mark:
        """Return the mark of a session, which is set."""
        return Mark(self, self._free.pop() if self._free else next(self._slots))

    def release(self, mark: Mark) -> None:
        """Free the slot of a session that is no longer in the state file."""
        self._free.append(mark.slot)

    def write(self, slot: int) -> int:
        """Write a new number to a slot and return it."""
        number = next(self._numbers)
        with suppress(OSError):  # the next save fails too, and reports it
            self._file.seek(slot * _SLOT_BYTES)
            self._file.write(number.to_bytes(_SLOT_BYTES))
        return number

    def close(self, *, remove: bool) -> None:
        """Close the file, and remove it if everything is saved."""
        self._file.close()
        if remove:
            self._path.unlink(missing_ok=True)


def read_marks(path: Path) -> list[int]:
    """Return the numbers that an earlier server wrote, by slot."""
    try:
        data = path.read_bytes()
    except OSError:
        return []
    places = range(0, len(data), _SLOT_BYTES)
    return [int.from_bytes(data[place : place + _SLOT_BYTES]) for place in places]
