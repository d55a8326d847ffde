"""Read files of state coverage: the body of ``GET coverage``, or a report in JSON."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from mockpets.constants import (
    OPERATIONS,
    PROBLEMS_SHOWN,
    REPORT_BYTES,
    SCENARIO_NAME,
    DelayClass,
    Operation,
)
from mockpets.errors import InputError, Problem, RequestError, did_you_mean, nearest
from mockpets.faults import FAULTS
from mockpets.journal.coverage import STATES, states_of
from mockpets.scenario.language.text import read_text
from mockpets.strict_json import parse_json, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from mockpets.contract.control_types import CoverageRow

    Problems = Iterator[tuple[str, str, str]]
    """Where, what, and how to fix it."""
    Check = Callable[[object], tuple[str, str] | None]
    """Returns what is wrong with a value and how to fix it, or None."""

_COUNT_MAX: Final = 2**53 - 1
"""The largest integer that every reader of JSON keeps exact."""
_EXPORT: Final = "write one with 'mockpets report --coverage --format json'"
_OTHERS: Final = {
    # a property that only this kind of document has
    "log": "a HAR document",
    "openapi": "an OpenAPI document",
    "stubs": "a scenario",
    "requests": "a request log",
    "suites": "a report of Playwright",
    "code": "an error response",
}


def read(paths: Iterable[Path]) -> list[CoverageRow]:
    """Return the rows of all files.

    :raise InputError: with every problem of every file.
    """
    rows: list[CoverageRow] = []
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
            rows += _read(path)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return rows


def _read(path: Path) -> list[CoverageRow]:
    """Return the rows of one file.

    :raise InputError: the file cannot be read, or is not a document of state coverage.
    """
    file = str(path)
    document = _parse(file, read_text(path, file, REPORT_BYTES))
    problems = [Problem(file, 0, 0, *each) for each in _problems(document)]
    if len(problems) > PROBLEMS_SHOWN:
        what = f"and {len(problems) - PROBLEMS_SHOWN} more problems"
        problems = [*problems[:PROBLEMS_SHOWN], Problem(file, 0, 0, "", what, _EXPORT)]
    if problems:
        raise InputError(problems)
    return cast("list[CoverageRow]", cast("dict[str, Any]", document)["rows"])


def _parse(file: str, text: str) -> object:
    """Return the value of a JSON text.

    :raise InputError: it is not JSON, with line and column.
    """
    try:
        return parse_json(text.encode())
    except RequestError as error:
        cause = error.__cause__
        if isinstance(cause, json.JSONDecodeError):
            what = f"is not JSON: {cause.msg}"
            problem = Problem(file, cause.lineno, cause.colno, "", what, _EXPORT)
        elif not text.strip():
            problem = Problem(file, 0, 0, "", "is empty", _EXPORT)
        else:
            what = error.message.replace("the body", "the file")
            problem = Problem(file, 0, 0, "", what, _EXPORT)
        raise InputError([problem]) from None


def _problems(document: object) -> Problems:
    """Yield the problems of a document. Properties of newer versions are allowed."""
    if not isinstance(document, dict):
        what = f"must be an object with version, total and rows, got {shown(document)}"
        yield "", what, _EXPORT
        return
    kind = next((kind for name, kind in _OTHERS.items() if name in document), None)
    if kind is not None and "rows" not in document:
        yield "", f"is {kind}, not a document of state coverage", _EXPORT
        return
    yield from _properties("", document, _DOCUMENT)
    rows = document.get("rows")
    if not isinstance(rows, list):
        return
    problems = [each for number, row in enumerate(rows, 1) for each in _row(f"rows.{number}", row)]
    yield from problems
    total = document.get("total")
    if problems or _DOCUMENT["total"](total):
        return
    if total != (counted := sum(row["count"] for row in rows)):
        what = f"is {total}, but the counts of the rows add up to {counted}"
        yield "total", what, "the file was changed; write it again"


def _row(where: str, row: object) -> Problems:
    """Yield the problems of one row."""
    if not isinstance(row, dict):
        yield where, f"must be an object, got {shown(row)}", ""
        return
    if problems := [*_properties(f"{where}.", row, _ROW)]:
        yield from problems
        return
    operation: Operation | None = row["operation"]
    possible = () if operation is None else states_of(operation)
    wrong = [state for state in row["states"] if state not in possible]
    if wrong and operation is None:
        yield f"{where}.states", f"must be empty without an operation, got {shown(wrong[0])}", ""
    elif wrong:
        expected = f"{operation} has only the states {', '.join(possible)}"
        yield f"{where}.states", f"{shown(wrong[0])} is not a state of {operation}", expected
    elif operation is not None and not row["states"]:
        yield f"{where}.states", f"must have at least one state of {operation}", ""


def _properties(prefix: str, value: dict[str, object], checks: dict[str, Check]) -> Problems:
    """Yield the problems of the required properties of an object."""
    for name, check in checks.items():
        if name not in value:
            near = nearest(name, {other: other for other in value.keys() - checks.keys()})
            hint = f"rename {shown(near)}" if near else _EXPORT
            yield f"{prefix}{name}", "missing property", hint
        elif problem := check(value[name]):
            yield (f"{prefix}{name}", *problem)


# --- Checks -----------------------------------------------------------------------------------


def _integer(least: int, most: int) -> Check:
    def check(value: object) -> tuple[str, str] | None:
        if type(value) is int and least <= value <= most:
            return None
        return f"must be an integer from {least} to {most}, got {shown(value)}", ""

    return check


def _word(known: Iterable[str], kind: str) -> Check:
    """Return the check of a name."""
    names = tuple(known)

    def check(value: object) -> tuple[str, str] | None:
        if isinstance(value, str) and value in names:
            return None
        near = did_you_mean(value, names) if isinstance(value, str) else ""
        return f"unknown {kind} {shown(value)}", near or f"expected one of: {', '.join(names)}"

    return check


def _list_of(item: Check) -> Check:
    """Return the check of an array of different items."""

    def check(value: object) -> tuple[str, str] | None:
        if not isinstance(value, list):
            return f"must be an array, got {shown(value)}", ""
        for number, each in enumerate(value):
            if problem := item(each):
                return problem
            if each in value[:number]:
                return f"{shown(each)} is listed twice", ""
        return None

    return check


def _or_null(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def _text(value: object) -> tuple[str, str] | None:
    return None if isinstance(value, str) else (f"must be a string, got {shown(value)}", "")


def _array(value: object) -> tuple[str, str] | None:
    return None if isinstance(value, list) else (f"must be an array, got {shown(value)}", "")


def _scenario(value: object) -> tuple[str, str] | None:
    if isinstance(value, str) and re.fullmatch(SCENARIO_NAME, value):
        return None
    return f"{shown(value)} is not a valid scenario name", "use kebab-case (a-z, 0-9, hyphens)"


_DOCUMENT: Final[dict[str, Check]] = {
    "version": _text,
    "total": _integer(0, _COUNT_MAX),
    "rows": _array,
}
_ROW: Final[dict[str, Check]] = {
    "operation": _or_null(_word(OPERATIONS, "operation")),
    "states": _list_of(_word(STATES, "state")),
    "status": _or_null(_integer(100, 599)),
    "scenarios": _or_null(_list_of(_scenario)),
    "fault": _or_null(_word(FAULTS, "fault")),
    "delay": _or_null(_word(get_args(DelayClass), "delay class")),
    "count": _integer(1, _COUNT_MAX),
}
