"""Explain why a text is not YAML or JSON, with line, column and a fix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mockpets.errors import InputError, invalid
from mockpets.units import quote

if TYPE_CHECKING:
    import json

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


def not_json(error: json.JSONDecodeError, shown: str) -> InputError:
    """Return the error for a text that is not JSON."""
    message = error.msg[:1].lower() + error.msg[1:]
    message = message.removesuffix(" at").removesuffix(" starting")
    return invalid(shown, f"is not valid JSON: {message}", position=(error.lineno, error.colno))


def position_of(mark: Any) -> _Place:  # PyYAML's two parsers have different classes
    """Return line and column of a mark, from 1, or zeros without one."""
    return (mark.line + 1, mark.column + 1) if mark else (0, 0)


def not_yaml(error: Any, text: str, shown: str) -> InputError:
    """Return the error for a text that PyYAML cannot parse; it raised a MarkedYAMLError."""
    problem, context = error.problem or "", error.context or ""
    position, start = position_of(error.problem_mark), position_of(error.context_mark)
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
