"""Parse a YAML or JSON text into a tree of nodes, each with its line and column.

Only PyYAML's events are safe to use: its composer recurses until the process crashes, and its
constructor expands merge keys until memory runs out. So every limit holds before a tree exists,
and the parser rejects every feature that YAML has and JSON lacks, except comments and styles. JSON
has its own reader, `_json_events`, because PyYAML does not join surrogate pairs, rejects long keys,
and without its C parser rejects tabs. Both send the same events to `nodes.TreeReader`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

from mockpets.errors import InputError, Problem, invalid
from mockpets.scenario.language.nodes import Event, Node, TreeReader
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Step
    from mockpets.scenario.language.shapes import Shape

# PyYAML's Python parser is as strict but many times slower; its wheels include the C parser.
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]+|\\.)*"|[\[\]{}]|[^\s,:\[\]{}"]+')
_OFTEN: Final = {
    "mapping values are not allowed": (
        "unexpected ':'",
        "indent the key like the keys around it, or quote a value that contains ': '",
    ),
    "sequence entries are not allowed": (
        "a list cannot start here",
        "start it on a new line, or quote a value that starts with '- '",
    ),
    "could not find expected ':'": ("missing ':' after this key", "write key: value"),
    "<document start>": (
        "unexpected content after the end of the document",
        "check the indentation: start all top-level keys in the same column",
    ),
    "while scanning an alias": ("an unquoted string cannot start with '*'", "quote it"),
    "while scanning an anchor": ("an unquoted string cannot start with '&'", "quote it"),
}
"""A message of either of PyYAML's parsers to our message and its hint."""

_Place = tuple[int, int]


class Document(NamedTuple):
    """A parsed text, and the problems of single scalars and keys; shapes may find more."""

    root: Node
    problems: tuple[Problem, ...]


def parse(text: str, shown: str, *, is_json: bool, nodes: int, is_data: bool = False) -> Document:
    """Return the tree of a text that `text.check_text` accepts.

    :param nodes: the limit for nodes; `is_data` as in `TreeReader`.
    :raise InputError: the text is not valid YAML or JSON, is empty, or exceeds a limit.
    """
    events = _json_events(text, shown) if is_json else _yaml_events(text, shown)
    reader = TreeReader(events, shown, nodes, is_data=is_data)
    root = reader.root()
    if root is None:
        raise invalid(shown, "is empty")
    return Document(root, tuple(reader.problems))


def read(text: str, shape: Shape, diagnostics: Diagnostics, **how: Any) -> Any:
    """Return the value that a shape reads from a text, or raise InputError, as `parse` does."""
    document = parse(text, diagnostics.file, **how)
    value = shape.read(document.root, diagnostics)
    diagnostics.problems.extend(document.problems)  # last: see `Diagnostics.is_full`
    diagnostics.close()
    return value


# --- JSON -------------------------------------------------------------------------------------


def _json_events(text: str, shown: str) -> Iterator[Event]:
    """Yield the events of a JSON text (RFC 8259); leave NaN and duplicate keys to the tree."""
    if not text.strip():
        return
    try:
        # Keep numbers as strings: int() raises its own error for thousands of digits.
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        message = error.msg[:1].lower() + error.msg[1:]
        message = message.removesuffix(" at").removesuffix(" starting")
        what, position = f"is not valid JSON: {message}", (error.lineno, error.colno)
        raise invalid(shown, what, position=position) from None
    except RecursionError:
        pass  # The text is valid so far; the tree rejects its depth.
    line, line_start, counted = 1, 0, 0
    for match in _JSON_TOKEN.finditer(text):
        lexeme, start = match[0], match.start()
        if newlines := text.count("\n", counted, start):
            line, line_start = line + newlines, text.rindex("\n", 0, start) + 1
        counted = start
        position = line, start - line_start + 1
        if lexeme in "{[":
            yield Event("mapping" if lexeme == "{" else "list", *position)
        elif lexeme in "}]":
            yield Event("end", *position)
        elif lexeme[0] == '"':
            yield Event("quoted", *position, json.loads(lexeme))
        else:
            yield Event("word", *position, lexeme)


# --- YAML -------------------------------------------------------------------------------------


def _yaml_events(text: str, shown: str) -> Iterator[Event]:
    """Yield the events of a YAML text that has one document."""
    started = False
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            position = _position(event.start_mark)
            if isinstance(event, yaml.DocumentStartEvent):
                if started:
                    hint = "put each document into its own file"
                    raise invalid(shown, "a second document starts here", hint, position)
                started = True
            elif getattr(event, "anchor", None):
                what, hint = "anchors and aliases are not supported", "write out the value"
                raise invalid(shown, what, hint, position)
            elif isinstance(event, yaml.ScalarEvent):
                # The style of an unquoted scalar is '' in one parser, None in the other.
                step: Step = "quoted" if event.style else "word"
                yield Event(step, *position, event.value, event.tag)
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                step = "mapping" if isinstance(event, yaml.MappingStartEvent) else "list"
                yield Event(step, *position, "", event.tag)
            elif isinstance(event, yaml.CollectionEndEvent):
                yield Event("end", *position)
    except yaml.MarkedYAMLError as error:
        raise _not_yaml(error, text, shown) from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise invalid(shown, f"is not valid YAML: {quote(str(error))}") from None


def _not_yaml(error: yaml.MarkedYAMLError, text: str, shown: str) -> InputError:
    problem, context = error.problem or "", error.context or ""
    position, start = _position(error.problem_mark), _position(error.context_mark)
    index = error.problem_mark.index if error.problem_mark else len(text)
    if context.startswith("while parsing a flow"):
        return invalid(shown, *_unclosed(context, start, position, text[index:]))
    if context.startswith("while parsing a block"):
        return invalid(shown, *_out_of_line(context, start, text[:index]), position)
    what, hint = "is not valid YAML: " + ", ".join(filter(None, (context, problem))), ""
    if text[index : index + 1] == "\t" and ("any token" in problem or "a tab" in problem):
        what, hint = "YAML does not allow a tab here", "indent with spaces"
    elif "cannot start any token" in problem:
        what = f"an unquoted string cannot start with {quote(text[index : index + 1])}"
        hint = "quote it"
    elif "quoted scalar" in context and problem == "found unexpected end of stream":
        position, what, hint = start, "this quote is never closed", "add the closing quote"
    elif "escape code" in problem:
        what, hint = "this escape is not a valid character", "write the character itself"
    elif "unknown escape" in problem:
        what = "unknown escape in double quotes"
        hint = "write \\\\ for a backslash, or use single quotes"
    for fragment, replacement in _OFTEN.items():
        if fragment in f"{context}, {problem}":
            what, hint = replacement
            position = start if any(start) else position
    return invalid(shown, what, hint, position)


def _unclosed(context: str, start: _Place, position: _Place, rest: str) -> tuple[str, str, _Place]:
    if not rest.strip():
        return "a bracket is never closed", "add the closing bracket", start
    what = f"expected a ',' or the end of the bracket on line {start[0]}, column {start[1]}"
    if "node" in context:  # PyYAML does not say which bracket
        what = "expected a value or the end of the bracket"
    # A path such as /v1/store/{name} within braces must be quoted.
    quotes = "quote the whole value, or " if rest[0] in "{[" else ""
    return what, f"{quotes}close the bracket", position


def _out_of_line(context: str, start: _Place, before: str) -> tuple[str, str]:
    if before[before.rfind("\n") + 1 :].strip():
        return "unexpected text after the value", "quote the whole value, or remove the text"
    kind, wanted = ("mapping", "a key") if "mapping" in context else ("list", "a '-'")
    container = f"the {kind} that starts on line {start[0]}"
    what = f"expected {wanted} in column {start[1]} to continue {container}"
    return what, "check the indentation"


def _position(mark: Any) -> _Place:  # PyYAML's two parsers have different classes
    """Return line and column of a mark, from 1, or zeros without one."""
    return (mark.line + 1, mark.column + 1) if mark else (0, 0)
