"""Read YAML and JSON into plain values within limits; numbers are int or Decimal.

Documents of other programs have anchors, tags and keys of any type, which scenario files must not
have. So this module makes the values itself, from the events of PyYAML's parser: YAML 1.2 decides
what an unquoted scalar means, aliases cannot expand without bound, and depth costs no recursion.

The first reading keeps no positions. `positions` reads a text again, for messages.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

import yaml

from mockpets.errors import InputError, Problem, did_you_mean, first_problems, invalid
from mockpets.lexemes import YAML_WORDS, json_lexemes
from mockpets.strict_json import deeper_than
from mockpets.syntax_errors import not_json, not_yaml, position_of
from mockpets.text_files import place as place_in
from mockpets.units import dotted, quote

if TYPE_CHECKING:
    from collections.abc import Iterable

DEPTH: Final = 200
"""Maximum depth of a document, since what reads one recurses."""
VALUES: Final = 2_000_000
"""Maximum number of values in a file; an alias counts as often as it is used."""
_DIGITS: Final = 400
"""Maximum digits of a number, and of its exponent's effect; a float in full has fewer."""

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBER_STARTS: Final = frozenset("+-.0123456789")
_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|0x[0-9a-fA-F]+|0o[0-7]+"
)
_TAG: Final = "tag:yaml.org,2002:"
_SCALAR_TAGS: Final = {f"{_TAG}{name}" for name in ("int", "float", "bool", "null")}
_LONE_SURROGATE: Final = re.compile(
    r"\\(?:u[dD][89abAB]..(?!\\u[dD][c-fC-F])|u[dD](?<!\\u[dD][89abAB]..\\u[dD])[c-fC-F]|\\u[dD])"
)
"""An escape of half a character. It also matches an escaped backslash before ``ud``, which would
make the escape of a half look like that of a whole character."""
# What both of PyYAML's parsers reject, without a place.
_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]"
)

Position = tuple[int, int]
"""Line and column, from 1."""
_Marks = dict[int, Any]
"""The id of a container to the positions of its values, by key or in order."""


class Positions:
    """The positions of the values of a text.

    The position of a value in a mapping is that of its key, if it is a mapping or list itself.
    """

    def __init__(self, root: object, marks: _Marks, start: Position) -> None:
        self._root = root  # keeps the ids in `marks` valid
        self._marks = marks
        self._start = start

    def at(self, path: Iterable[str | int]) -> Position:
        """Return the position of a value, or of its nearest existing ancestor."""
        value: Any = self._root
        position = self._start
        for step in path:
            try:
                position, value = self._marks[id(value)][step], value[step]
            except (KeyError, IndexError, TypeError):
                break
        return position


def read(text: str, shown: str) -> object:
    """Return the value of a text: JSON if it starts like JSON, else YAML.

    :param shown: the file's name in messages.
    :raise InputError: it is neither, is empty, has duplicate keys, or exceeds a limit.
    """
    start = text.lstrip()[:1]
    if not start:
        raise invalid(shown, "is empty")
    if start == "<":
        hint = "download the file itself, not the page that shows it"
        raise invalid(shown, "is HTML or XML, not YAML or JSON", hint)
    if start in ("{", "["):
        try:
            return _read_json(text, shown)
        except json.JSONDecodeError as error:
            if shown.lower().endswith(".json"):
                raise not_json(error, shown) from None
    return _read_yaml(text, shown)


def positions(text: str, shown: str) -> Positions:
    """Return the positions of the values of a text that `read` accepts."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            json.loads(text, parse_int=str, parse_float=str)
            return _JsonScan(text, shown).positions()
        except json.JSONDecodeError:
            pass
    return _YamlReader(text, shown, marks={}).positions()


# --- Scalars ----------------------------------------------------------------------------------


def scalar(word: str) -> str | int | Decimal | bool | None:
    """Return the value of an unquoted scalar, as in the core schema of YAML 1.2.

    Infinity and NaN, which JSON lacks, stay texts.

    :raise ValueError: it is a number that is too large or too long.
    """
    if word in YAML_WORDS:
        return YAML_WORDS[word]
    if word[0] not in _NUMBER_STARTS or _NUMBER.fullmatch(word) is None:
        return word
    if word[:2] in ("0x", "0o") and len(word) < 40:
        return int(word, 0)
    return number(word)


def number(text: str) -> int | Decimal:
    """Return the exact value of a decimal number.

    :raise ValueError: it is too large or too long: calculations with it would take long.
    """
    if len(text) < 40 and text.lstrip("+-").isdigit():
        return int(text)
    try:
        value = Decimal(text) if len(text) <= _DIGITS else None
    except InvalidOperation:
        value = None
    if value is None or not value.is_finite() or abs(value.adjusted()) > _DIGITS:
        raise ValueError(f"the number {quote(text)} is too large or too long")
    return value


# --- JSON -------------------------------------------------------------------------------------


def _read_json(text: str, shown: str) -> object:
    """Return the value of a JSON text, or raise JSONDecodeError or InputError."""
    if text.count(",") + text.count("{") + text.count("[") > VALUES:
        raise _too_many(shown)
    is_valid = True

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal is_valid
        members = dict(pairs)
        is_valid = is_valid and len(members) == len(pairs)
        return members

    def exact(lexeme: str) -> object:
        nonlocal is_valid
        try:
            return number(lexeme)
        except ValueError:
            is_valid = False
            return 0

    try:
        value: object = json.loads(
            text,
            object_pairs_hook=unique,
            parse_float=exact,
            parse_int=exact,
            parse_constant=exact,
        )
    except RecursionError:
        is_valid, value = False, None
    is_valid = is_valid and not deeper_than(value, DEPTH)
    if not is_valid or _LONE_SURROGATE.search(text):
        _JsonScan(text, shown).positions()  # raises the problems, if it finds any
    return value


class _JsonScan:
    """Finds positions and problems in a text that json.loads accepts."""

    def __init__(self, text: str, shown: str) -> None:
        self._text = text
        self._shown = shown
        self._problems: list[Problem] = []
        self._marks: _Marks = {}
        self._stack: list[_Level] = [_Level([], "", 0, 0)]

    def positions(self) -> Positions:
        """Return the positions, or raise every problem."""
        root = self._stack[0]
        self._marks[id(root.container)] = []
        for lexeme, position in json_lexemes(self._text):
            self._token(lexeme, position)
        if self._problems:
            raise first_problems(self._problems, self._shown)
        [value] = root.container
        return Positions(value, self._marks, self._marks[id(root.container)][0])

    def _token(self, lexeme: str, position: Position) -> None:
        level = self._stack[-1]
        if lexeme in "}]":
            self._stack.pop()
            return
        if isinstance(level.container, dict) and level.key is None:
            level.key, level.key_at = json.loads(lexeme), position
            self._check_text(level.key, position)
            return
        value: Any = None
        if lexeme in "{[":
            value = {} if lexeme == "{" else []
            self._marks[id(value)] = type(value)()
        elif lexeme[0] == '"':
            self._check_text(json.loads(lexeme), position)
        elif lexeme not in ("true", "false", "null"):
            self._check_number(lexeme, position)
        _attach(level, value, position, self._marks, self._duplicate)
        if value is not None:
            if len(self._stack) > DEPTH:
                raise first_problems(
                    [*self._problems, _too_deep(self._shown, position)], self._shown
                )
            self._stack.append(_Level(value, "", 0, 0))

    def _duplicate(self, level: _Level, first: Position) -> None:
        self._problems.append(_duplicate(self._shown, self._stack, level, first))

    def _check_text(self, text: str, position: Position) -> None:
        if surrogate := re.search("[\ud800-\udfff]", text):
            what = f"U+{ord(surrogate[0]):04X} is half of a surrogate pair"
            hint = "write the complete character"
            self._problems.append(Problem(self._shown, *position, "", what, hint))

    def _check_number(self, lexeme: str, position: Position) -> None:
        if lexeme[-1].isdigit():
            try:
                number(lexeme)
            except ValueError as error:
                self._problems.append(Problem(self._shown, *position, "", str(error), "shorten it"))
        else:
            what = f"{quote(lexeme)} is not a valid JSON number"
            self._problems.append(Problem(self._shown, *position, "", what))


# --- YAML -------------------------------------------------------------------------------------


class _Level:
    """A container that is being filled."""

    __slots__ = (
        *("anchor", "container", "deepest", "is_merge", "key", "key_at", "last", "merged"),
        "start",
    )

    def __init__(self, container: Any, anchor: str, start: int, depth: int) -> None:
        self.container = container
        self.anchor = anchor
        self.start = start  # how many values came before it
        self.deepest = depth  # the depth of the deepest value in it
        self.key: str | None = None
        self.last: str | int = 0  # the key or index of the last value
        self.key_at: Position = (0, 0)
        self.is_merge = False
        self.merged: list[Any] | None = None


def _read_yaml(text: str, shown: str) -> object:
    reader = _YamlReader(text, shown)
    value = reader.read()
    if reader.has_duplicates:
        _YamlReader(text, shown, marks={}).positions()  # raises the problems
    return value


class _YamlReader:
    """Makes plain values from the events of a parser.

    :param marks: gets the positions; None if they are not needed.
    """

    def __init__(self, text: str, shown: str, marks: _Marks | None = None) -> None:
        self.has_duplicates = False
        self._text = text
        self._shown = shown
        self._marks = marks
        self._stack: list[_Level] = [_Level([], "", 0, 0)]
        self._count = 0
        self._anchors: dict[str, tuple[object, int, int] | None] = {}
        """Name to value, number of values in it, and depth; None while it is read."""
        self._problems: list[Problem] = []

    def positions(self) -> Positions:
        """Return the positions; raise every duplicate key."""
        assert self._marks is not None  # noqa: S101 - for the type checker
        root = self._stack[0].container
        self._marks[id(root)] = []
        value = self.read()
        if self._problems:
            raise first_problems(self._problems, self._shown)
        return Positions(value, self._marks, self._marks[id(root)][0])

    def read(self) -> object:
        """Return the value of the text."""
        parser = None
        try:
            parser = _LOADER(self._text)
            self._read(parser)
        except yaml.MarkedYAMLError as error:
            raise not_yaml(error, self._text, self._shown) from None
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            if control := _CONTROL.search(self._text):
                what = f"U+{ord(control[0]):04X} is not allowed in YAML"
                place = place_in(self._text, control.start())
                raise invalid(self._shown, what, "remove it", place) from None
            raise invalid(self._shown, f"is not valid YAML: {quote(str(error))}") from None
        finally:
            if parser is not None:
                parser.dispose()
        root: list[Any] = self._stack[0].container
        if not root or root[0] is None:
            raise invalid(self._shown, "is empty")
        return root[0]

    def _read(self, parser: Any) -> None:
        stack, anchors, marks = self._stack, self._anchors, self._marks
        level = stack[-1]
        documents = 0
        while True:
            event = parser.get_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                if level.key is None and type(level.container) is dict:
                    self._key(level, event)
                    continue
                self._count += 1
                value: Any = event.value
                tag = event.tag
                if (not event.style and not tag) or tag in _SCALAR_TAGS:
                    try:
                        value = scalar(value)
                    except ValueError as error:
                        raise self._stop(event, str(error), "shorten it") from None
                if event.anchor:
                    anchors[event.anchor] = value, 1, 0
                self._attach(level, value, event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                if level.key is None and type(level.container) is dict:
                    raise self._stop(event, "a key must be a text, got a mapping or list")
                self._count += 1
                if len(stack) > DEPTH:
                    raise InputError([_too_deep(self._shown, position_of(event.start_mark))])
                value = {} if kind is yaml.MappingStartEvent else []
                if marks is not None:
                    marks[id(value)] = type(value)()
                if event.anchor:
                    anchors[event.anchor] = None
                self._attach(level, value, event)
                level = _Level(value, event.anchor, self._count, len(stack))
                stack.append(level)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                level = self._end()
            elif kind is yaml.AliasEvent:
                self._alias(level, event)
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    hint = "put each document into its own file"
                    raise self._stop(event, "a second document starts here", hint)
            elif kind is yaml.StreamEndEvent:
                return
            if self._count > VALUES:
                raise _too_many(self._shown, position_of(event.start_mark))

    def _key(self, level: _Level, event: Any) -> None:
        if isinstance(event, yaml.AliasEvent):
            level.key = self._known(event)[0]
        else:
            level.key = event.value
            level.is_merge = event.value == "<<" and not event.style
            if event.anchor:
                self._anchors[event.anchor] = event.value, 1, 0
        if self._marks is not None:
            level.key_at = position_of(event.start_mark)

    def _attach(self, level: _Level, value: object, event: Any) -> None:
        """Add a value to its container."""
        if level.is_merge:
            level.is_merge, level.key = False, None
            level.merged = level.merged or []
            level.merged.append((value, position_of(event.start_mark)))
        elif self._marks is not None:
            position = position_of(event.start_mark)
            _attach(level, value, position, self._marks, self._duplicate)
        elif type(level.container) is dict:
            if level.key in level.container:
                self.has_duplicates = True
            level.container[level.key] = value
            level.key = None
        else:
            level.container.append(value)

    def _end(self) -> _Level:
        """Finish the current container and return the one around it."""
        level = self._stack.pop()
        outer = self._stack[-1]
        outer.deepest = max(outer.deepest, level.deepest)
        if level.merged is not None:
            self._merge(level)
        if level.anchor:
            size, depth = self._count - level.start + 1, level.deepest - len(self._stack) + 1
            self._anchors[level.anchor] = level.container, size, depth
        return outer

    def _merge(self, level: _Level) -> None:
        """Add the members of the values of merge keys that the mapping lacks."""
        for value, position in level.merged or ():
            for each in value if isinstance(value, list) else [value]:
                if not isinstance(each, dict):
                    what = "a merge key ('<<') needs a mapping or a list of mappings"
                    raise invalid(self._shown, what, "write an alias of a mapping", position)
                for key, part in each.items():
                    if key not in level.container:
                        level.container[key] = part
                        if self._marks is not None:
                            marks = self._marks
                            marks[id(level.container)][key] = marks[id(each)][key]

    def _alias(self, level: _Level, event: Any) -> None:
        value, size, depth = self._known(event)
        if level.key is None and isinstance(level.container, dict):
            if not isinstance(value, str):
                raise self._stop(event, f"a key must be a text, but *{event.anchor} is not one")
            self._key(level, event)
            return
        self._count += size
        if self._count > VALUES:
            what = f"with its aliases, the file has more than {VALUES} values"
            raise self._stop(event, what, "write fewer aliases of aliases")
        level.deepest = max(level.deepest, len(self._stack) - 1 + depth)
        if level.deepest > DEPTH:
            raise InputError([_too_deep(self._shown, position_of(event.start_mark))])
        self._attach(level, value, event)

    def _known(self, event: Any) -> tuple[Any, int, int]:
        """Return what `_anchors` has for an alias."""
        known = self._anchors.get(event.anchor)
        if known is not None:
            return known
        if event.anchor in self._anchors:
            raise self._stop(event, f"the alias *{event.anchor} is inside its own anchor")
        hint = did_you_mean(event.anchor, self._anchors) or "add the anchor above it"
        raise self._stop(event, f"unknown alias *{event.anchor}", hint)

    def _duplicate(self, level: _Level, first: Position) -> None:
        self._problems.append(_duplicate(self._shown, self._stack, level, first))

    def _stop(self, event: Any, what: str, hint: str = "") -> InputError:
        return invalid(self._shown, what, hint, position_of(event.start_mark))


# --- Both -------------------------------------------------------------------------------------


def _attach(
    level: _Level, value: object, position: Position, marks: _Marks, duplicate: Any
) -> None:
    """Add a value to its container and its position to the marks; call `duplicate` for those."""
    container, key = level.container, level.key
    if isinstance(container, list):
        container.append(value)
        marks[id(container)].append(position)
        level.last = len(container)
        return
    if key in container:
        duplicate(level, marks[id(container)][key])
    else:
        is_container = isinstance(value, (dict, list))
        marks[id(container)][key] = level.key_at if is_container else position
    container[key] = value
    level.key, level.last = None, str(key)


def _duplicate(shown: str, stack: list[_Level], level: _Level, first: Position) -> Problem:
    path = [each.last for each in stack[1:-1]]
    what = f"duplicate key {quote(str(level.key))}, first set on line {first[0]}"
    return Problem(shown, *level.key_at, dotted(path), what, "remove one of them")


def _too_deep(shown: str, position: Position) -> Problem:
    return Problem(shown, *position, "", f"is nested deeper than {DEPTH} levels")


def _too_many(shown: str, position: Position = (0, 0)) -> InputError:
    hint = "remove the paths that your app does not use"
    return invalid(shown, f"has more than {VALUES} values", hint, position)
