"""Parse a YAML or JSON text into a tree of nodes, each with its line and column.

Only PyYAML's events are safe to use: its composer recurses until the process crashes, and its
constructor expands merge keys until memory runs out. So every limit holds before a tree exists,
and the parser rejects every feature that YAML has and JSON lacks, except comments and styles. JSON
has its own reader, `_json_events`, because PyYAML does not join surrogate pairs, rejects long keys,
and without its C parser rejects tabs. Both send the same events to `nodes.TreeReader`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

from mockpets.errors import Problem, invalid
from mockpets.lexemes import json_lexemes
from mockpets.scenario.language.nodes import Event, Node, TreeReader
from mockpets.syntax_errors import not_json, not_yaml, position_of
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Step
    from mockpets.scenario.language.shapes import Shape

# PyYAML's Python parser is as strict but many times slower; its wheels include the C parser.
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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
        raise not_json(error, shown) from None
    except RecursionError:
        pass  # The text is valid so far; the tree rejects its depth.
    for lexeme, position in json_lexemes(text):
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
            position = position_of(event.start_mark)
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
        raise not_yaml(error, text, shown) from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise invalid(shown, f"is not valid YAML: {quote(str(error))}") from None
