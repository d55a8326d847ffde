"""Save a scenario file: check it, then replace or create the file in one step.

Nothing is written through a link, outside of the user's folders, or over a shipped scenario.
"""

from __future__ import annotations

import os
import stat
from hashlib import blake2b
from secrets import token_hex
from typing import TYPE_CHECKING, Final

from mockpets.constants import FILE_BYTES
from mockpets.errors import RequestError
from mockpets.packaged_data import shipped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mockpets.scenario.library import Library

_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_CHANGED: Final = "the file of scenario '{}' {} since it was read; read it again"


def place_of(name: str, library: Library, folders: Sequence[Path]) -> Path:
    """Return the file to which a scenario is saved: where it is, or in the first writable folder.

    :raise RequestError: ``forbidden`` if there is none.
    """
    source = library.sources.get(name)
    if source is None:
        folder = next((each for each in folders if os.access(each, os.W_OK)), None)
        if folder is None:
            advice = "start it with --scenarios-dir, or send the scenario with PUT scenario"
            raise RequestError("forbidden", f"the server has no writable scenario folder; {advice}")
        return folder / f"{name}.yaml"
    path, reason = source.path, ""
    if path.parent == shipped("scenarios"):
        reason = "is shipped with mockpets; save it under another name"
    elif path.is_symlink():
        reason = "is a link; change the file that it leads to"
    elif not os.access(path.parent, os.W_OK) or not os.access(path, os.W_OK):
        reason = "is not writable; check the permissions of the file and its folder"
    if reason:
        raise RequestError("forbidden", f"the file of scenario '{name}' {reason}")
    return path


def digest_of(path: Path) -> str | None:
    """Return the digest of a file's content; None if there is no such regular file, or a link."""
    try:
        with open(path, "rb", opener=_open) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            return blake2b(file.read(FILE_BYTES + 1), digest_size=16).hexdigest()
    except OSError:
        return None


def save(path: Path, text: str, digest: str | None) -> None:
    """Write a file whose content has a digest, or a new one.

    :param digest: None for a new file.
    :raise RequestError: ``conflict`` if there is another content or file; ``forbidden`` if it
        cannot be written.
    """
    name = path.stem
    temporary = path.with_name(f".{name}.{token_hex(8)}.tmp")
    try:
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
            with os.fdopen(os.open(temporary, flags, 0o666), "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            if digest is None:
                os.link(temporary, path)  # unlike a rename, this replaces no file
                return
            if digest_of(path) != digest:
                how = "has changed" if os.path.lexists(path) else "was deleted"
                raise RequestError("conflict", _CHANGED.format(name, how))
            temporary.chmod(stat.S_IMODE(path.lstat().st_mode))
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except FileExistsError:
        raise RequestError("conflict", _CHANGED.format(name, "was created")) from None
    except OSError as error:
        message = f"cannot write {path.name}: {error.strerror}"
        raise RequestError("forbidden", message) from error


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_LINK | getattr(os, "O_NONBLOCK", 0))
