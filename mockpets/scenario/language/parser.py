"""A YAML or JSON text as a tree of nodes, each of which knows its line and column.

PyYAML is used for its events alone, one at a time: its composer follows nesting until the process
crashes, and its constructor expands merge keys until the machine does. So every limit holds before
anything is built, and what YAML has beyond JSON is refused, but for anchors, comments and style.
JSON has a reader of its own, `_json_events`: PyYAML joins no pairs of surrogates, takes no long
keys, and without its C parser no tabs. Both hand the same events to `nodes.Builder`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml

from mockpets.constants import FIXTURE_BYTES
from mockpets.errors import InputError, Problem
from mockpets.scenario.language.nodes import Builder, Event, Node
from mockpets.scenario.language.text import place
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.scenario.language.nodes import Step

# PyYAML's own parser is as strict but many times as slow; its wheels have the other.
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
CHARACTERS: Final = 4 * FIXTURE_BYTES
"""More than the texts of any file have, unless aliases repeat long ones."""
_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]+|\\.)*"|[\[\]{}]|[^\s,:\[\]{}"]+')


_PAIR: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_OFTEN: Final = {
    "mapping values are not allowed": (
        "a key with its ':' cannot stand here",
        "indent it as its neighbours, or quote a text with ': ' in it",
    ),
    "sequence entries are not allowed": (
        "a list cannot begin here",
        "begin it on a line of its own, or quote a text with '- ' in it",
    ),
    "could not find expected ':'": ("no ':' follows this key", "write key: value"),
    "<document start>": (
        "the document has ended before this",
        "check the indentation: all of it begins as far left as its first line",
    ),
    "while scanning an alias": ("a text without quotes cannot begin with '*'", "quote it"),
    "while scanning an anchor": ("a text without quotes cannot begin with '&'", "quote it"),
}
"""What PyYAML says, of either of its parsers, to our words and what to do."""

_Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """A text that could be read to its end.

    :param problems: what is wrong with single words and keys; what a shape finds comes on top.
    """

    root: Node
    problems: tuple[Problem, ...]


def parse(
    text: str, shown: str, *, is_json: bool, nodes: int, characters: int = CHARACTERS
) -> Document:
    """Return the document that a text is.

    :param text: as `text.check_text` lets it pass.
    :param shown: how problems name the text.
    :param nodes: how many it may have at most, aliases counted as what they stand for.
    :param characters: how many its texts may have at most, aliases counted likewise.
    :raise InputError: it is no YAML or JSON, is empty, or goes beyond a limit.
    """
    builder = Builder(shown, nodes, characters)
    for event in _json_events(text, shown) if is_json else _yaml_events(text, shown):
        builder.take(event)
    if builder.root is None:
        raise InputError([Problem(shown, 0, 0, "", "is empty")])
    return Document(builder.root, tuple(builder.problems))


def _refused(shown: str, at: tuple[int, int], what: str, hint: str = "") -> InputError:
    return InputError([Problem(shown, *at, "", what, hint)])


# --- JSON -------------------------------------------------------------------------------------


def _json_events(text: str, shown: str) -> Iterator[Event]:
    """Yield the events of a JSON text (RFC 8259).

    :raise InputError: it is none. NaN and a member given twice, the builder finds.
    """
    if not text.strip():
        return
    try:
        # Numbers stay text here: int() refuses thousands of digits with an error of its own.
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        raise _not_json(error, shown) from None
    except RecursionError:
        pass  # Right so far, and deeper than the builder goes.
    line, line_start, counted = 1, 0, 0
    for found in _JSON_TOKEN.finditer(text):
        piece, start = found[0], found.start()
        if breaks := text.count("\n", counted, start):
            line, line_start = line + breaks, text.rindex("\n", 0, start) + 1
        counted = start
        at = line, start - line_start + 1
        if piece in "{[":
            yield Event("mapping" if piece == "{" else "list", *at)
        elif piece in "}]":
            yield Event("end", *at)
        elif piece[0] == '"':
            yield Event("quoted", *at, json.loads(piece))
        else:
            yield Event("word", *at, piece)


def _not_json(error: json.JSONDecodeError, shown: str) -> InputError:
    """Return the error for a text that is no JSON, the two things people miss in it by name."""
    text, at = error.doc, error.pos
    rest = text[at:].lstrip()
    before = text[:at].rstrip()
    comma = at if rest.startswith(",") else len(before) - 1
    if rest.startswith(("//", "/*", "#")):
        hint = "remove it, or write YAML"
        return _refused(shown, place(text, len(text) - len(rest)), "JSON has no comments", hint)
    if text[comma : comma + 1] == "," and text[comma + 1 :].lstrip()[:1] in ("]", "}"):
        return _refused(
            shown, place(text, comma), "the last value has a comma after it", "remove it"
        )
    message = (error.msg[:1].lower() + error.msg[1:]).removesuffix(" at").removesuffix(" starting")
    return _refused(shown, (error.lineno, error.colno), f"is not valid JSON: {message}")


# --- YAML -------------------------------------------------------------------------------------


def _yaml_events(text: str, shown: str) -> Iterator[Event]:
    """Yield the events of a YAML text.

    :raise InputError: it is none, or holds two documents.
    """
    begun = False
    brackets: list[_Place] = []
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            at = _at(event.start_mark)
            _keep_track(event, text, brackets)
            if isinstance(event, yaml.DocumentStartEvent):
                if begun:
                    hint = "keep one document to a file"
                    raise _refused(shown, at, "a second document begins here", hint)
                begun = True
            elif isinstance(event, yaml.ScalarEvent):
                # For a word one parser has '' as its style, the other None.
                step: Step = "quoted" if event.style else "word"
                yield Event(step, *at, event.value, event.anchor, event.tag)
            elif isinstance(event, yaml.AliasEvent):
                yield Event("alias", *at, str(event.anchor))
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                step = "mapping" if isinstance(event, yaml.MappingStartEvent) else "list"
                yield Event(step, *at, "", event.anchor, event.tag)
            elif isinstance(event, yaml.CollectionEndEvent):
                yield Event("end", *at)
    except yaml.MarkedYAMLError as error:
        raise _not_yaml(error, text, shown, brackets) from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise _refused(shown, (0, 0), f"is not valid YAML: {quote(str(error))}") from None


def _keep_track(event: yaml.Event, text: str, brackets: list[_Place]) -> None:
    """Put where a bracket opens on the list of those that are open, and take what has ended off.

    PyYAML tells only of brackets that have something in them; a pair alone in brackets is a
    mapping without its own, and so has the place of theirs.
    """
    if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
        # The end, since an anchor or a tag may stand before the bracket.
        line, column = _at(event.end_mark)
        opens = event.end_mark is not None and text[event.end_mark.index - 1] in "[{"
        outer = brackets[-1] if brackets else (0, 0)
        brackets.append((line, column - 1) if event.flow_style and opens else outer)
    elif isinstance(event, yaml.CollectionEndEvent):
        brackets.pop()


def _not_yaml(
    error: yaml.MarkedYAMLError, text: str, shown: str, brackets: list[_Place]
) -> InputError:
    """Return the error for a text that is no YAML; in our words where people often go wrong.

    :param brackets: the places of those that are open, the innermost last.
    """
    problem, context = error.problem or "", error.context or ""
    at, began = _at(error.problem_mark), _at(error.context_mark)
    index = error.problem_mark.index if error.problem_mark else len(text)
    if context.startswith("while parsing a flow"):
        return _refused(shown, *_unclosed(context, brackets[-1], at, text[index:]))
    if context.startswith("while parsing a block"):
        return _refused(shown, at, *_out_of_line(context, began, text[:index]))
    what, hint = "is not valid YAML: " + ", ".join(filter(None, (context, problem))), ""
    if text[index : index + 1] == "\t" and ("any token" in problem or "a tab" in problem):
        what, hint = "a tab stands where YAML wants spaces", "indent with spaces"
    elif "cannot start any token" in problem:
        what = f"a text without quotes cannot begin with {quote(text[index : index + 1])}"
        hint = "quote it"
    elif "quoted scalar" in context and problem == "found unexpected end of stream":
        at, what = began, "this quote is never closed"
    elif pair := _PAIR.match(text, max(index - 2, 0)):
        what = "YAML has no pairs of escapes for one character"
        character: str = json.loads(f'"{pair[0]}"')
        hint = f'write "\\U{ord(character):08X}"'
    elif "escape code" in problem:
        what, hint = "this escape stands for no character", "write the character itself"
    elif "unknown escape" in problem:
        what = "there is no such escape in double quotes"
        hint = "write \\\\ for a backslash, or use single quotes"
    for said, words in _OFTEN.items():
        if said in f"{context}, {problem}":
            what, hint = words
            at = began if any(began) else at
    return _refused(shown, at, what, hint)


def _unclosed(context: str, bracket: _Place, at: _Place, rest: str) -> tuple[_Place, str, str]:
    """Return where and what to say of a bracket that has no end.

    :param at: where it should have had one, before `rest`.
    """
    if not rest.strip():
        return bracket, "this bracket is never closed", ""
    wanted = "a value" if "node" in context else "a ','"
    place = f"line {bracket[0]}, column {bracket[1]}"
    return at, f"the bracket of {place} is still open, and {wanted} or its end is missing here", ""


def _out_of_line(context: str, began: _Place, before: str) -> tuple[str, str]:
    """Return what to say of what cannot stand in a list or mapping without brackets."""
    if before[before.rfind("\n") + 1 :].strip():
        return "this cannot stand after the value before it", "quote all of the value, or remove it"
    kind, wanted = ("mapping", "a key") if "mapping" in context else ("list", "a '-'")
    what = f"the {kind} that begins in line {began[0]} goes on with {wanted} in column {began[1]}"
    return f"{what}, and something else stands here", "check the indentation"


def _at(mark: Any) -> tuple[int, int]:  # PyYAML's two parsers have a class each
    """Return line and column of a mark, from 1, or zeros without one."""
    return (mark.line + 1, mark.column + 1) if mark else (0, 0)
