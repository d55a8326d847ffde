"""Read files of state coverage: the body of ``GET coverage``, or a report in JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from mockpets.constants import OPERATIONS, SCENARIO_NAME, DelayClass, Operation
from mockpets.errors import InputError, Problem, RequestError
from mockpets.faults import FAULTS
from mockpets.journal.coverage import STATES, states_of
from mockpets.report.documents import (
    document_problems,
    integer,
    not_json,
    or_null,
    read_files,
    reject,
    text,
    word,
)
from mockpets.scenario.language.text import read_text
from mockpets.strict_json import parse_json, shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mockpets.contract.control_types import CoverageRow
    from mockpets.report.documents import Check, Problems, Shape

REPORT_BYTES: Final = 16 * 1024 * 1024
"""Maximum size of a file that `mockpets report --coverage` reads."""

_COUNT_MAX: Final = 2**53 - 1
"""The largest integer that every reader of JSON keeps exact."""
_EXPORT: Final = "write one with 'mockpets report --coverage --format json'"


def read(paths: Iterable[Path]) -> list[CoverageRow]:
    """Return the rows of all files.

    :raise InputError: with every problem of every file.
    """
    return read_files(paths, _read)


def _read(path: Path) -> list[CoverageRow]:
    """Return the rows of one file.

    :raise InputError: the file cannot be read, or is not a document of state coverage.
    """
    file = str(path)
    content = read_text(path, file, REPORT_BYTES)
    if not content.strip():
        raise InputError([Problem(file, 0, 0, "", "is empty", _EXPORT)])
    try:
        document = parse_json(content.encode())
    except RequestError as error:
        if isinstance(error.__cause__, json.JSONDecodeError):
            raise not_json(file, error.__cause__, _EXPORT) from None
        what = error.message.replace("the body", "the file")
        raise InputError([Problem(file, 0, 0, "", what, _EXPORT)]) from None
    reject(file, _problems(document), _EXPORT)
    return cast("list[CoverageRow]", cast("dict[str, Any]", document)["rows"])


def _problems(document: object) -> Problems:
    """Yield the problems of a document. Properties of newer versions are allowed."""
    expected = "version, total and rows"
    if problems := [*document_problems(document, _DOCUMENT, "rows", expected, _EXPORT)]:
        yield from problems
        return
    total, rows = (
        cast("dict[str, Any]", document)["total"],
        cast("dict[str, Any]", document)["rows"],
    )
    for number, row in enumerate(rows, 1):
        if problem := _states_problem(row["operation"], row["states"]):
            problems.append((f"rows.{number}.states", *problem))
    yield from problems
    if not problems and total != (counted := sum(row["count"] for row in rows)):
        what = f"is {total}, but the counts of the rows add up to {counted}"
        yield "total", what, "the file was changed; write it again"


def _states_problem(operation: Operation | None, states: list[str]) -> tuple[str, str] | None:
    """Return what is wrong with the states of an operation."""
    possible = () if operation is None else states_of(operation)
    wrong = [state for state in states if state not in possible]
    if wrong and operation is None:
        return f"must be empty without an operation, got {shown(wrong[0])}", ""
    if wrong:
        expected = f"{operation} has only the states {', '.join(possible)}"
        return f"{shown(wrong[0])} is not a state of {operation}", expected
    if operation is not None and not states:
        return f"must have at least one state of {operation}", ""
    return None


# --- Checks -----------------------------------------------------------------------------------


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


def _scenario(value: object) -> tuple[str, str] | None:
    if isinstance(value, str) and re.fullmatch(SCENARIO_NAME, value):
        return None
    return f"{shown(value)} is not a valid scenario name", "use kebab-case (a-z, 0-9, hyphens)"


_ROW: Final[dict[str, Shape]] = {
    "operation": or_null(word(OPERATIONS, "operation")),
    "states": _list_of(word(STATES, "state")),
    "status": or_null(integer(100, 599)),
    "scenarios": or_null(_list_of(_scenario)),
    "fault": or_null(word(FAULTS, "fault")),
    "delay": or_null(word(get_args(DelayClass), "delay class")),
    "count": integer(1, _COUNT_MAX),
}
_DOCUMENT: Final[dict[str, Shape]] = {
    "version": text,
    "total": integer(0, _COUNT_MAX),
    "rows": [_ROW],
}
