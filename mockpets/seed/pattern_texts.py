"""Texts that match a regular expression, as the ``pattern`` of a schema has it (ECMA-262).

`text_matching` knows what patterns of real documents are made of: characters, classes, groups,
alternatives, repeats and anchors. What a look-ahead asks for is written over the start of the text,
other look-arounds are skipped, and the result is checked.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Final

from mockpets.contract.patterns import matcher

if TYPE_CHECKING:
    from collections.abc import Callable

_TRIES: Final = 60
"""Attempts to write a text that matches: look-aheads and lengths need several."""
_MORE: Final = 4
"""Repeats of an open repeat beyond its minimum, unless a minimum length needs more."""
_QUICK: Final = 16
"""Maximum length of a text that any pattern matches quickly."""
_LONGEST: Final = 5_000
"""Maximum number of characters that are written, over all attempts."""
_LETTERS: Final = string.ascii_lowercase
_PRINTABLE: Final = "".join(map(chr, range(32, 127)))
_SETS: Final = {
    "d": string.digits,
    "w": _LETTERS + string.digits,
    "s": " ",
    "D": _LETTERS,
    "W": "-",
    "S": _LETTERS,
}
_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_COUNT: Final = re.compile(r"\{(\d+)(,?)(\d*)\}|[?*+]")


def text_matching(
    pattern: str, below: Callable[[int], int], low: int = 0, high: int | None = None
) -> str | None:
    """Return a text of `low` to `high` characters that matches; None if none was found.

    :param below: returns a random number from 0 to its argument - 1.
    """
    more, written = _MORE, 0
    for _ in range(_TRIES if low <= _LONGEST else 0):
        if written > _LONGEST or (high is not None and written > 50 * (high + 20)):
            break
        writer = _Writer(pattern, below, more)
        try:
            text = writer.write()
        except (ValueError, IndexError, RecursionError):
            return None
        written += len(text)
        ahead = "".join(writer.ahead)
        text = f"{ahead}{text[len(ahead) :]}"
        if len(text) < low:
            more = min(more + low - len(text), _LONGEST)
            text += "".join(_LETTERS[below(len(_LETTERS))] for _ in range(low - len(text)))
            if not matches(pattern, text):
                continue
        if high is not None and len(text) > high:
            more = more // 2 if more > 1 else 1 - more
        elif matches(pattern, text) or (len(text) > _QUICK and matcher(pattern) is None):
            return text
    return None


def matches(pattern: str, text: str) -> bool:
    """Return whether a text matches.

    Of a pattern that is not enforced: False for a long text, which could take Python years, and
    True if Python cannot read the pattern.
    """
    is_match = matcher(pattern)
    if is_match is not None:
        return is_match(text)
    try:
        return len(text) <= _QUICK and re.search(pattern, text) is not None
    except (re.error, ValueError, IndexError, RecursionError, OverflowError):
        return True


class _Writer:
    """Writes a text while it reads a pattern; a repeat reads its part again.

    Raises ValueError or IndexError for unknown syntax, and for a text that grows too long.
    """

    def __init__(self, pattern: str, below: Callable[[int], int], more: int) -> None:
        self._pattern = pattern
        self._at = 0
        self._below = below
        self._more = more
        self._groups = [""]
        self.ahead: list[str] = []
        """What each look-ahead asks for, as short as possible."""
        self._budget = 4 * _LONGEST

    def write(self) -> str:
        text = self._alternatives()
        if self._at < len(self._pattern):
            raise ValueError("a parenthesis without its start")
        return text

    def _next(self) -> str:
        character = self._pattern[self._at]
        self._at += 1
        return character

    def _skip(self, *texts: str) -> bool:
        for text in texts:
            if self._pattern.startswith(text, self._at):
                self._at += len(text)
                return True
        return False

    def _one_of(self, characters: str) -> str:
        return characters[self._below(len(characters))]

    def _alternatives(self) -> str:
        options = [self._sequence()]
        while self._skip("|"):
            options.append(self._sequence())
        return options[self._below(len(options))]

    def _sequence(self) -> str:
        result = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            start = self._at
            text = self._atom()
            low, high = self._count()
            end = self._at
            count = low + self._below(high - low + 1)
            self._budget -= count
            if self._budget < 0:
                raise ValueError("too long")
            for repeat in range(count):
                if repeat:
                    self._at = start
                    text = self._atom()
                result.append(text)
            self._at = end
        return "".join(result)

    def _count(self) -> tuple[int, int]:
        """Return the minimum and maximum number of repeats of the part before."""
        found = _COUNT.match(self._pattern, self._at)
        if found is None:
            return 1, 1
        self._at = found.end()
        self._skip("?", "+")
        low, high = {"?": (0, 1), "*": (0, None), "+": (1, None)}.get(found[0], (0, None))
        if found[1]:
            low = int(found[1])
            high = low if not found[2] else int(found[3]) if found[3] else None
        most = low + self._more
        return low, most if high is None else min(high, most)

    def _atom(self) -> str:
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return self._one_of(self._class())
        if character == ".":
            return self._one_of(_LETTERS)
        if character == "\\":
            return self._escape()
        return "" if character in "^$" else character

    def _group(self) -> str:
        is_ahead = self._skip("?=")
        is_look = is_ahead or self._skip("?!", "?<=", "?<!")
        is_counted = not is_look and not self._skip("?:")
        if self._skip("?<", "?P<"):
            self._at = self._pattern.index(">", self._at) + 1
        more, self._more = self._more, 0 if is_look else self._more
        text = self._alternatives()
        self._more = more
        if not self._skip(")"):
            raise ValueError("a group without an end")
        if is_ahead:
            self.ahead.append(text)
        if is_counted:
            self._groups.append(text)
        return "" if is_look else text

    def _escape(self) -> str:
        character = self._next()
        if character in "bB":
            return ""
        if character.isdigit() and character != "0":
            return self._groups[int(character)]
        return self._one_of(self._escaped(character))

    def _escaped(self, character: str) -> str:
        """Return the characters that an escape stands for."""
        if character in _SETS:
            return _SETS[character]
        if character == "p":
            end = self._pattern.index("}", self._at)
            name, self._at = self._pattern[self._at + 1 : end], end + 1
            return string.ascii_uppercase if name in {"Lu", "Lt"} else _LETTERS
        if character in "xu":
            end = self._at + (2 if character == "x" else 4)
            code, self._at = self._pattern[self._at : end], end
            return chr(int(code, 16))
        return _CONTROLS.get(character, character)

    def _class(self) -> str:
        """Return the usual characters of a class, after its bracket."""
        is_negated = self._skip("^")
        start = self._at
        characters = ""
        while self._at == start or self._pattern[self._at] != "]":
            part = self._class_part()
            if self._pattern[self._at] == "-" and self._pattern[self._at + 1] != "]":
                self._at += 1
                # A range such as all of Unicode is long, and its start is enough.
                last = min(ord(self._class_part()), ord(part) + 255)
                part = "".join(map(chr, range(ord(part), last + 1)))
            characters += part
        self._at += 1
        if is_negated:
            characters = "".join(each for each in _PRINTABLE if each not in characters)
        return _readable(characters)

    def _class_part(self) -> str:
        character = self._next()
        return self._escaped(self._next()) if character == "\\" else character


def _readable(characters: str) -> str:
    """Return the small letters and digits, else the capitals, else all that can be printed."""
    for usual in (_LETTERS + string.digits, string.ascii_uppercase):
        known = "".join(dict.fromkeys(each for each in characters if each in usual))
        if known:
            return known
    return "".join(each for each in characters if each.isprintable()) or characters
