"""Texts that match a regular expression, as the ``pattern`` of a schema has it (ECMA-262).

`text_matching` reads what patterns of real documents are made of: characters, classes, groups,
alternatives, repeats and anchors. Look-arounds are skipped, and the result is checked.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Final, NamedTuple

from mockpets.contract.patterns import compiled, enforces

Below = Callable[[int], int]
"""Return a number from 0 to below the given one."""

_TRIES: Final = 60
_MORE: Final = 4
"""How often an open repeat repeats, beyond its minimum, before a minimum length asks for more."""
_QUICK: Final = 16
"""A text of this length is quickly matched with any pattern."""
_LONGEST: Final = 5_000
_LETTERS: Final = string.ascii_lowercase
_PRINTABLE: Final = "".join(map(chr, range(32, 127)))
_SETS: Final = {
    "d": string.digits,
    "w": string.ascii_letters + string.digits + "_",
    "s": " \t\n\r\f\v",
}
_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}


class _Chars(NamedTuple):
    """One of some characters."""

    options: str


class _Sequence(NamedTuple):
    parts: tuple[_Part, ...]


class _Alternatives(NamedTuple):
    options: tuple[_Part, ...]


class _Repeat(NamedTuple):
    part: _Part
    low: int
    high: int | None


class _Group(NamedTuple):
    part: _Part
    number: int


class _Reference(NamedTuple):
    number: int


_Part = _Chars | _Sequence | _Alternatives | _Repeat | _Group | _Reference
_NOTHING: Final = _Sequence(())


def text_matching(pattern: str, below: Below, low: int = 0, high: int | None = None) -> str | None:
    """Return a text of `low` to `high` characters that matches; None if none was found.

    :param below: the source of random numbers.
    """
    try:
        part = _Reader(pattern).read()
    except (ValueError, IndexError, RecursionError):
        return None
    more = _MORE
    for _ in range(_TRIES):
        try:
            text = _Writer(below, more).write(part)
        except OverflowError:
            return None
        if len(text) < low:
            more = min(more + low - len(text), _LONGEST)
        elif high is not None and len(text) > high:
            more = max(more // 2, 0) if more > 1 else 1 - more
        elif matches(pattern, text) or (len(text) > _QUICK and not enforces(pattern)):
            return text
    return None


def matches(pattern: str, text: str) -> bool:
    """Return whether a text matches.

    Of a pattern that is not enforced: False for a long text, which could take Python years, and
    True if Python cannot read the pattern.
    """
    known = compiled(pattern)
    if known is not None:
        return known.search(text) is not None
    try:
        return len(text) <= _QUICK and re.search(pattern, text) is not None
    except (re.error, ValueError, IndexError, RecursionError, OverflowError):
        return True


class _Reader:
    """Reads a pattern into parts. Raises ValueError or IndexError for what it does not know."""

    def __init__(self, pattern: str) -> None:
        self._rest = pattern
        self._at = 0
        self._groups = 0

    def read(self) -> _Part:
        part = self._alternatives()
        if self._at < len(self._rest):
            raise ValueError("a parenthesis without its start")
        return part

    def _next(self) -> str:
        character = self._rest[self._at]
        self._at += 1
        return character

    def _skip(self, text: str) -> bool:
        if self._rest.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _alternatives(self) -> _Part:
        options = [self._sequence()]
        while self._skip("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else _Alternatives(tuple(options))

    def _sequence(self) -> _Part:
        parts: list[_Part] = []
        while self._at < len(self._rest) and self._rest[self._at] not in "|)":
            parts.append(self._repeated(self._atom()))
        return _Sequence(tuple(parts))

    def _atom(self) -> _Part:
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return _Chars(self._class())
        if character == ".":
            return _Chars(_LETTERS)
        if character in "^$":
            return _NOTHING
        return self._escape() if character == "\\" else _Chars(character)

    def _group(self) -> _Part:
        number = 0
        is_look = any(self._skip(start) for start in ("?=", "?!", "?<=", "?<!"))
        if not is_look and not self._skip("?:"):
            self._groups += 1
            number = self._groups
            if self._skip("?<") or self._skip("?P<"):
                self._at = self._rest.index(">", self._at) + 1
        part = self._alternatives()
        if not self._skip(")"):
            raise ValueError("a group without an end")
        return _NOTHING if is_look else _Group(part, number)

    def _repeated(self, part: _Part) -> _Part:
        while self._at < len(self._rest):
            if found := re.compile(r"\{(\d+)(,?)(\d*)\}").match(self._rest, self._at):
                low = int(found[1])
                high = (int(found[3]) if found[3] else None) if found[2] else low
                self._at = found.end()
            elif self._rest[self._at] in "?*+":
                sign = self._next()
                low, high = int(sign == "+"), 1 if sign == "?" else None
            else:
                break
            _ = self._skip("?") or self._skip("+")
            part = _Repeat(part, low, high)
        return part

    def _escape(self) -> _Part:
        character = self._next()
        if character in "bB":
            return _NOTHING
        if character.isdigit() and character != "0":
            return _Reference(int(character))
        if character == "p":
            name = self._property()
            return _Chars(string.ascii_uppercase if name in {"Lu", "Lt"} else _LETTERS)
        if character in "dws":
            return _Chars({"d": string.digits, "w": _LETTERS + string.digits, "s": " "}[character])
        if character in "DWS":
            return _Chars({"D": _LETTERS, "W": "-", "S": _LETTERS}[character])
        return _Chars(self._literal(character))

    def _property(self) -> str:
        if not self._skip("{"):
            raise ValueError("a property without a name")
        end = self._rest.index("}", self._at)
        name, self._at = self._rest[self._at : end], end + 1
        return name

    def _literal(self, character: str) -> str:
        """Return what an escape stands for that is a single character."""
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character in "xu":
            digits = 2 if character == "x" else 4
            code, self._at = self._rest[self._at : self._at + digits], self._at + digits
            return chr(int(code, 16))
        return character

    def _class(self) -> str:
        """Return the characters of a class after its bracket; the usual ones if it is negated."""
        is_negated = self._skip("^")
        result: list[str] = []
        is_first = True
        while is_first or self._rest[self._at] != "]":
            start = self._class_part()
            is_first = False
            is_range = self._rest[self._at] == "-" and self._rest[self._at + 1] != "]"
            if is_range and len(start) == 1:
                self._at += 1
                end = self._class_part()
                # A range such as all of Unicode is long, and its start is enough.
                last = min(ord(end), ord(start) + 255)
                start = "".join(map(chr, range(ord(start), last + 1)))
            result.append(start)
        self._at += 1
        characters = "".join(result)
        if is_negated:
            usual = _LETTERS + string.digits + _PRINTABLE
            allowed = [each for each in usual if each not in characters]
            characters = "".join(each for each in allowed if each in _LETTERS) or "".join(allowed)
        else:
            characters = _readable(characters)
        if not characters:
            raise ValueError("a class without a character")
        return characters

    def _class_part(self) -> str:
        character = self._next()
        if character != "\\":
            return character
        character = self._next()
        if character == "p":
            return string.ascii_uppercase if self._property() in {"Lu", "Lt"} else _LETTERS
        if character.lower() in _SETS:
            known = _SETS[character.lower()]
            if character.islower():
                return known
            return "".join(each for each in _PRINTABLE if each not in known)
        return "\b" if character == "b" else self._literal(character)


def _readable(characters: str) -> str:
    """Return the letters and digits among some characters, or all if it has none."""
    unique = dict.fromkeys(characters)
    plain = [each for each in unique if each in _LETTERS or each in string.digits]
    plain = plain or [each for each in unique if each in string.ascii_uppercase]
    return "".join(plain or [each for each in unique if each.isprintable()] or unique)


class _Writer:
    """Writes a text of parts."""

    def __init__(self, below: Below, more: int) -> None:
        self._below = below
        self._more = more
        self._groups: dict[int, str] = {}
        self._budget = 4 * _LONGEST

    def write(self, part: _Part) -> str:
        """Return a text. Raises OverflowError if it grows too long."""
        match part:
            case _Chars(options):
                return options[self._below(len(options))]
            case _Sequence(parts):
                return "".join(map(self.write, parts))
            case _Alternatives(options):
                return self.write(options[self._below(len(options))])
            case _Group():
                text = self.write(part.part)
                self._groups[part.number] = text
                return text
            case _Reference(number):
                return self._groups.get(number, "")
            case _Repeat(inner, low, high):
                most = low + self._more if high is None else min(high, low + self._more)
                count = low + self._below(most - low + 1) if most > low else low
                self._budget -= count
                if self._budget < 0:
                    raise OverflowError
                return "".join(self.write(inner) for _ in range(count))
