"""Read the text of a file safely: open it, decode it, and reject invisible characters."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from mockpets.errors import InputError, invalid

# Characters that editors do not show. As escapes they are visible, and allowed: a scenario may
# need a record whose text changes the text direction.
INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff"  # control characters except tab and newline
    "\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # line separators, text direction
    "\u200b\ufeff]"  # zero-width spaces
)


def place(text: str, index: int) -> tuple[int, int]:
    """Return line and column, both from 1, of an index of a text."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def read_text(path: Path, shown: str, limit: int) -> str:
    """Return the text of a regular file, as `read_any_text` does, that `check_text` accepts."""
    text = read_any_text(path, shown, limit)
    check_text(text, shown, limit)
    return text


def read_any_text(path: Path, shown: str, limit: int) -> str:
    """Return the text of a file that other programs wrote, without a byte order mark.

    :param shown: the file's name in messages; the limit is in bytes.
    :raise InputError: the file cannot be read, is a link to a file outside its folder, is not a
        regular file, is too large, or is not UTF-8.
    """
    try:
        # Kubernetes mounts files as links within a folder. A link that leads out of it could
        # reveal, in messages and responses, files that the folder's owner does not want to share.
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(path.parent)):
            raise invalid(shown, "is a link to a file outside its folder", "copy the file there")
        # Not blocking, because opening a FIFO waits for a writer.
        with open(path, "rb", opener=_open) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise invalid(shown, "is not a regular file", "name a file")
            data = file.read(limit + 1)
    except IsADirectoryError:
        raise invalid(shown, "is a folder", "name a file in it") from None
    except FileNotFoundError:
        raise invalid(shown, "file not found", "check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "check the path and its permissions"
        raise invalid(shown, f"cannot read the file: {reason}", hint) from None
    if len(data) > limit:
        raise _too_large(shown, limit)
    # A byte order mark, or the zero bytes that UTF-16 and UTF-32 have for ASCII characters.
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:2]:
        raise invalid(shown, "is UTF-16 or UTF-32", "save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Not `data`, because the codec counts from after the byte order mark.
        before = error.object[: error.start].decode("utf-8")
        what = f"the byte 0x{error.object[error.start]:02X} is not UTF-8"
        raise invalid(shown, what, "save it as UTF-8", place(before, len(before))) from None


def check_text(text: str, shown: str, limit: int) -> None:
    """Raise InputError for a text that is too long in UTF-8 or has invisible characters."""
    if len(text) > limit or len(text.encode("utf-8", "surrogatepass")) > limit:
        raise _too_large(shown, limit)
    if match := re.search("[\ud800-\udfff]", text):
        what = f"{_code(match[0])} is half of a surrogate pair"
        raise invalid(shown, what, "write the complete character", place(text, match.start()))
    if match := INVISIBLE.search(text):
        what = f"invisible character {_code(match[0])}"
        hint = f'remove it, or write it as "\\u{ord(match[0]):04x}" in double quotes'
        raise invalid(shown, what, hint, place(text, match.start()))


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _too_large(shown: str, limit: int) -> InputError:
    return invalid(shown, f"is larger than {limit // 1024} KiB", "shorten or split it")


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"
