"""The text of a scenario or fixture file: opened with care, decoded, cleared of invisible things.

The border: a path in, text out that is UTF-8, not too long, and shows in an editor all that it
holds; or an `InputError` with the one reason why not. What the text says, `document` finds out.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from mockpets.errors import InputError, Problem

# What an editor does not show as what it is. Written as an escape, where one can read it, each
# of these may stand in a text: a pet's name that turns the direction is what one wants to try.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff"  # controls, but tab and line ends
    "\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # line ends, turns of the direction
    "\u200b\ufeff]"  # blanks of no width
)


def place(text: str, index: int) -> tuple[int, int]:
    """Return line and column, both from 1, of a character of a text."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def read_text(path: Path, shown: str, most: int) -> str:
    """Return the text of a regular file, without a byte order mark.

    :param shown: how problems name the file.
    :param most: bytes.
    :raise InputError: it cannot be read, is a link out of its folder, is no regular file, is too
        large, is no UTF-8, or has characters that `check_text` refuses.
    """
    try:
        # Links within a folder are how Kubernetes mounts files; one that leads out could show,
        # in messages and answers, what the folder's owner never meant to share.
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(path.parent)):
            raise _refused(shown, "is a link that leads out of its folder", "copy the file there")
        # Not blocking: a FIFO would keep us waiting for someone to write to it.
        with open(path, "rb", opener=_open) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise _refused(shown, "is not a regular file", "name a file")
            data = file.read(most + 1)
    except IsADirectoryError:
        raise _refused(shown, "is a folder", "name a file in it") from None
    except FileNotFoundError:
        raise _refused(shown, "there is no such file", "check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _refused(shown, f"cannot be read: {reason}", "check the path and who may") from None
    if len(data) > most:
        raise _too_large(shown, most)
    text = _decode(data, shown)
    check_text(text, shown, most)
    return text


def check_text(text: str, shown: str, most: int) -> None:
    """Refuse a text that is too long or hides something.

    :param most: bytes of its UTF-8.
    :raise InputError: it is longer, or has half of a surrogate pair, control characters, or
        others that end the line, turn the direction or keep words apart unseen.
    """
    if len(text) > most or len(text.encode("utf-8", "surrogatepass")) > most:
        raise _too_large(shown, most)
    if found := re.search("[\ud800-\udfff]", text):
        what = f"{_code(found[0])} is half of a character"
        raise _refused(shown, what, "write the whole character", place(text, found.start()))
    if found := _UNSEEN.search(text):
        what = f"the character {_code(found[0])} stands here unseen"
        hint = f'remove it, or write it as "\\u{ord(found[0]):04x}" in double quotes'
        raise _refused(shown, what, hint, place(text, found.start()))


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _decode(data: bytes, shown: str) -> str:
    """Return bytes as text."""
    # A byte order mark, or the zeros that UTF-16 and UTF-32 put beside an ASCII character.
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:2]:
        raise _refused(shown, "is UTF-16 or UTF-32", "save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Not `data`: the codec counts from after the mark.
        before = error.object[: error.start].decode("utf-8")
        what = f"the byte 0x{error.object[error.start]:02X} is not UTF-8"
        raise _refused(shown, what, "save it as UTF-8", place(before, len(before))) from None


def _too_large(shown: str, most: int) -> InputError:
    return _refused(shown, f"is larger than {most // 1024} KiB", "split it, or leave some out")


def _refused(shown: str, what: str, hint: str, at: tuple[int, int] = (0, 0)) -> InputError:
    return InputError([Problem(shown, *at, "", what, hint)])


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"
