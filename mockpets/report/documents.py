"""Check JSON documents that a person passes to `report`, and report every problem at once."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mockpets.constants import PROBLEMS_SHOWN
from mockpets.errors import InputError, Problem, RequestError, did_you_mean, invalid, nearest
from mockpets.scenario.language.text import read_any_text
from mockpets.strict_json import parse_json, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    Problems = Iterator[tuple[str, str, str]]
    """Where, what, and how to fix it."""
    Check = Callable[[object], tuple[str, str] | None]
    """Returns what is wrong with a value and how to fix it, or None."""
    Shape = Check | Mapping[str, "Shape"] | list["Shape"]
    """A check; or an object with its required properties, and those that may be missing with a
    ``?`` behind their names; or an array with the shape of its items."""

T = TypeVar("T")

_KINDS: Final = {
    "log": "a HAR document",
    "rows": "a document of state coverage",
    "openapi": "an OpenAPI document",
    "stubs": "a scenario",
    "requests": "a request log",
    "suites": "a report of Playwright",
    "code": "an error response",
}
"""A property that only one kind of document has, to that kind."""


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """A kind of JSON document.

    :param name: the property that only this kind has.
    :param expected: the required properties, in words.
    :param hint: how to make a valid file.
    :param is_strict: reject what `strict_json` rejects, such as the deep call stacks of browsers.
    """

    name: str
    expected: str
    shape: Mapping[str, Shape]
    hint: str
    max_bytes: int
    is_strict: bool = False


# --- Files ------------------------------------------------------------------------------------


def read_files(paths: Iterable[Path], read: Callable[[Path], list[T]]) -> list[T]:
    """Return what `read` returns for each file, in one list.

    :raise InputError: with every problem of every file.
    """
    results: list[T] = []
    problems: list[Problem] = []
    known: dict[str, Path] = {}
    for path in paths:
        other = known.setdefault(os.path.realpath(path), path)
        if other is not path:
            what = "is named twice, so that its responses would count twice"
            hint = "" if str(other) == str(path) else f"it is the same file as {other}"
            problems.append(Problem(str(path), 0, 0, "", what, hint or "name each file once"))
            continue
        try:
            results += read(path)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return results


def read_document(path: Path, kind: DocumentKind) -> Any:
    """Return the document in a file, or raise an InputError with its problems."""
    file = str(path)
    content = read_any_text(path, file, kind.max_bytes)
    if not content.strip():
        raise invalid(file, "is empty", kind.hint)
    try:
        document = json.loads(content)
        if kind.is_strict:
            document = parse_json(content.encode())
    except json.JSONDecodeError as error:
        what = f"is not JSON: {error.msg}"
        problem = Problem(file, error.lineno, error.colno, "", what, kind.hint)
        raise InputError([problem]) from None
    except RecursionError:
        raise invalid(file, "is nested too deeply", kind.hint) from None
    except ValueError:
        raise invalid(file, "has a number with thousands of digits", kind.hint) from None
    except RequestError as error:
        what = error.message.replace("the body", "the file")
        raise invalid(file, what, kind.hint) from None
    problems = [Problem(file, 0, 0, *each) for each in _document_problems(document, kind)]
    if len(problems) > PROBLEMS_SHOWN:
        what = f"and {len(problems) - PROBLEMS_SHOWN} more problems"
        problems = [*problems[:PROBLEMS_SHOWN], Problem(file, 0, 0, "", what, kind.hint)]
    if problems:
        raise InputError(problems)
    return document


def _document_problems(document: object, kind: DocumentKind) -> Problems:
    if not isinstance(document, dict):
        yield "", f"must be an object with {kind.expected}, got {shown(document)}", kind.hint
        return
    for other, name in _KINDS.items():
        if other in document and kind.name not in document:
            yield "", f"is {name}, not {_KINDS[kind.name]}", kind.hint
            return
    yield from _problems(document, kind.shape, "", kind.hint)


def _problems(value: object, shape: Shape, where: str, hint: str) -> Problems:
    """Yield the problems of a value; the hint is for a missing property."""
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            yield where, f"must be an object, got {shown(value)}", ""
            return
        names = {name.removesuffix("?") for name in shape}
        for name, inner in shape.items():
            place = f"{where}.{name}".strip(".").removesuffix("?")
            if (key := name.removesuffix("?")) in value:
                yield from _problems(value[key], inner, place, hint)
            elif key == name:
                near = nearest(name, {other: other for other in value.keys() - names})
                yield place, "missing property", f"rename {shown(near)}" if near else hint
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield where, f"must be an array, got {shown(value)}", ""
            return
        for number, item in enumerate(value, 1):
            yield from _problems(item, shape[0], f"{where}.{number}", hint)
    elif problem := shape(value):
        yield (where, *problem)


# --- Checks -----------------------------------------------------------------------------------


def integer(least: int, most: int) -> Check:
    """Return the check of an integer."""

    def check(value: object) -> tuple[str, str] | None:
        if type(value) is int and least <= value <= most:
            return None
        return f"must be an integer from {least} to {most}, got {shown(value)}", ""

    return check


def word(known: Iterable[str], kind: str) -> Check:
    """Return the check of a name; the kind is for messages."""
    names = tuple(known)

    def check(value: object) -> tuple[str, str] | None:
        if isinstance(value, str) and value in names:
            return None
        near = did_you_mean(value, names) if isinstance(value, str) else ""
        return f"unknown {kind} {shown(value)}", near or f"expected one of: {', '.join(names)}"

    return check


def or_null(check: Check) -> Check:
    """Return a check that also allows null."""
    return lambda value: None if value is None else check(value)


def text(value: object) -> tuple[str, str] | None:
    """Check a string."""
    return None if isinstance(value, str) else (f"must be a string, got {shown(value)}", "")
