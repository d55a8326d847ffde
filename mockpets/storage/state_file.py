"""Replace a file atomically, so that a crash or a power failure never damages it.

New content is written to a temporary file in the same folder, flushed to the disk, and renamed to
the file; then the folder is flushed too. A reader gets either the old content or the new one. This
module handles bytes; `format` knows what they mean.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from mockpets.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STATE_BYTES: Final = 512 * 1024 * 1024
"""The largest file that is read; all pets of a server take less in memory."""

_MODE: Final = 0o600
"""Only the owner: other users of the machine must not read what visitors of a demo entered."""


class System(Protocol):
    """What is asked of the operating system, as `os` has it."""

    def open(self, path: Path, flags: int, mode: int = ..., /) -> int:
        """Return a descriptor."""
        ...

    def write(self, descriptor: int, data: bytes | memoryview, /) -> int:
        """Return how many bytes were taken."""
        ...

    def fsync(self, descriptor: int, /) -> None:
        """Force to the disk."""
        ...

    def close(self, descriptor: int, /) -> None:
        """Close."""
        ...

    def replace(self, source: Path, target: Path, /) -> None:
        """Give a file another's name."""
        ...

    def unlink(self, path: Path, /) -> None:
        """Remove a file."""
        ...


class StateFile:
    """One file. Made by `claim`; not safe to use from several threads.

    :param path: as the user wrote it.
    """

    def __init__(self, path: Path, system: System) -> None:
        self.path = path
        self._system = system
        # A link stays one, and leads to the new file.
        self._target = Path(os.path.realpath(path))
        self._temporary = self._target.with_name(f".{self._target.name}.tmp")
        self.lock = self._target.with_name(f".{self._target.name}.lock")

    def read(self) -> bytes | None:
        """Return what is in the file, None when there is none.

        :raise OSError: it cannot be read, or is too large (EFBIG), or no regular file (EINVAL).
        """
        try:
            # Not blocking: a FIFO would keep us waiting for someone to write to it.
            with open(self._target, "rb", opener=_open_at_once) as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode):
                    raise OSError(errno.EINVAL, "is not a regular file")
                if found.st_size > STATE_BYTES:
                    raise OSError(errno.EFBIG, f"is larger than {STATE_BYTES // 2**20} MiB")
                return file.read()
        except FileNotFoundError:
            return None

    def write(self, parts: Iterable[bytes]) -> None:
        """Have this in the file and on the disk, or the file as it was.

        :raise OSError: it is as it was, or, when the folder could not be forced to the disk, may
            be after the machine lost its power.
        """
        try:
            self._fill(parts)
            self._system.replace(self._temporary, self._target)
        except OSError:
            self.tidy()  # on a full disk it takes what others need
            raise
        self._sync_folder()

    def _fill(self, parts: Iterable[bytes]) -> None:
        """Write a new temporary file and force it to the disk."""
        system = self._system
        self.tidy()
        descriptor = system.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
        try:
            for part in parts:
                left = memoryview(part)
                while left:
                    left = left[system.write(descriptor, left) :]
            system.fsync(descriptor)
        finally:
            system.close(descriptor)

    def _sync_folder(self) -> None:
        if os.name != "posix":
            return  # elsewhere a folder cannot be opened
        descriptor = self._system.open(self._target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._system.fsync(descriptor)
        finally:
            self._system.close(descriptor)

    def tidy(self) -> None:
        """Remove the temporary file that a process left which was killed while it wrote."""
        with suppress(OSError):
            self._system.unlink(self._temporary)

    def probe(self) -> None:
        """Make a temporary file and remove it, as each `write` will.

        :raise OSError: it cannot be made.
        """
        self._fill([])
        self.tidy()


@contextmanager
def claim(path: Path, system: System = os) -> Iterator[StateFile]:
    """Have a file for this process alone until the end; what an earlier one left is removed.

    :raise InputError: another mockpets has it, its folder is missing or takes no files.
    """
    shown = f"--state {path}"
    if path.is_dir():
        raise InputError([Problem(shown, 0, 0, "", "is a folder", "use a file in the folder")])
    file = StateFile(path, system)
    try:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        lock = os.open(file.lock, flags, _MODE)
    except OSError as error:
        raise InputError([_no_place(shown, error)]) from error
    try:
        _lock(lock, shown)
        try:
            file.probe()
        except OSError as error:
            raise InputError([_no_place(shown, error)]) from error
        yield file
    finally:
        os.close(lock)


def _lock(descriptor: int, shown: str) -> None:
    """Lock a file; the kernel lets go of it with the process, however that ends.

    :raise InputError: another process has it.
    """
    if sys.platform == "win32":
        return  # it has no such locks
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        what = "in use by another mockpets"
        hint = "stop it, or use another file: two servers would overwrite each other's pets"
        raise InputError([Problem(shown, 0, 0, "", what, hint)]) from None
    except OSError:
        return  # some network file systems have none either


def _no_place(shown: str, error: OSError) -> Problem:
    """Return why no file can be made beside the state file, and what to do."""
    if error.errno == errno.ENOENT:
        return Problem(shown, 0, 0, "", "the folder does not exist", "create it first")
    what = f"cannot create a file in the folder: {error.strerror}"
    hint = "each save creates a new file there; use a folder that this user may write to"
    return Problem(shown, 0, 0, "", what, hint)


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
