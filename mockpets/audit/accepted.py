"""Causes that do not fail an audit: accepted ones with a reason, and those of a baseline.

The file of accepted causes is YAML, with a reason for each id:

    silent/reads: Reads have a banner since release 4, ticket 1234.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import FILE_BYTES
from mockpets.errors import InputError, Problem, did_you_mean
from mockpets.scenario.language.parser import parse
from mockpets.text_files import read_text
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.audit.result import Result

ACCEPTED_FILE: Final = Path("audit-accepted.yaml")
"""What is read, if it exists, unless an option names another file."""
_CAUSES: Final = 1000
"""Maximum number of causes in the file; people write them, so more are a mistake."""
_FORM: Final = "write the id of a cause and a reason, such as silent/reads: Fixed in release 4"


class Accepted(NamedTuple):
    """Why a cause is accepted, and where the file says so."""

    reason: str
    file: str
    line: int
    column: int


def read_accepted(path: Path, shown: str) -> dict[str, Accepted]:
    """Return the accepted causes in a file by id.

    :param shown: the file's name in messages.
    :raise InputError: with all problems of the file.
    """
    text = read_text(Path(os.path.realpath(path)), shown, FILE_BYTES)
    document = parse(text, shown, is_json=False, nodes=2 * _CAUSES + 1)
    problems = [*document.problems]
    if document.root.kind != "mapping":
        what = f"must be a mapping of causes to reasons, got {document.root.shown()}"
        problems.append(Problem(shown, document.root.line, document.root.column, "", what, _FORM))
    accepted = {}
    for name, (key, value) in document.root.members.items():
        if isinstance(value.value, str) and value.value.strip():
            accepted[name] = Accepted(" ".join(value.value.split()), shown, key.line, key.column)
        elif value.kind != "unusable":
            what = f"must be a reason, got {value.shown()}"
            problems.append(Problem(shown, value.line, value.column, quote(name), what, _FORM))
    if problems:
        raise InputError(sorted(problems))
    return accepted


def accept(result: Result, accepted: Mapping[str, Accepted]) -> list[Problem]:
    """Mark the accepted causes of a result; return a problem for each id that is out of date.

    An audit that is not complete may not have reached a cause. Then, only an id that is similar to
    that of a cause is a problem.
    """
    for cause in result["causes"]:
        if cause["id"] in accepted:
            cause["accepted"] = accepted[cause["id"]].reason
    ids = {cause["id"] for cause in result["causes"]}
    problems = []
    for name, (_, file, line, column) in accepted.items():
        if name not in ids:
            near = did_you_mean(name, ids - accepted.keys())
            if near or result["complete"]:
                what = "is out of date: the audit found no such cause"
                hint = near or "remove the line"
                problems.append(Problem(file, line, column, quote(name), what, hint))
    return problems


def mark_known(result: Result, baseline: Result) -> None:
    """Mark the causes that an earlier result has.

    The same findings can be causes of other ids: that of three operations is one of all reads. So a
    cause is also known if the earlier result has its rule for each of its operations.
    """
    ids = {cause["id"] for cause in baseline["causes"]}
    pairs = {(cause["rule"], name) for cause in baseline["causes"] for name in cause["operations"]}
    for cause in result["causes"]:
        own = {(cause["rule"], name) for name in cause["operations"]}
        cause["known"] = cause["id"] in ids or (bool(own) and own <= pairs)
