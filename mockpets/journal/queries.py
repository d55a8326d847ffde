"""Filter the entries of a journal, and return each as the JSON of the control API.

Takes entries and the query of a request, and returns JSON objects; `har` writes the ones that other
tools read.
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, get_args

from mockpets.constants import OPERATIONS, PROBLEMS_SHOWN
from mockpets.contract.control_types import NoteCode
from mockpets.errors import RequestError, did_you_mean
from mockpets.strict_json import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mockpets.contract.control_types import RecordedMessage, RequestDetails, RequestSummary
    from mockpets.journal.entry import Entry, Message

LISTED: Final = 100
"""Entries that one answer has when the request does not say."""
NOTES: Final[tuple[NoteCode, ...]] = get_args(NoteCode)


# --- Which ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filter:
    """Which entries are wanted; all that is given must hold.

    :param limit: the newest so many of those that pass.
    :param method: upper case.
    :param path: a text to equal; ``*`` in it stands for any text.
    :param status: ``404``, or ``4xx`` for all of a class.
    :param stub: as `path`, of one of the entry's stubs; ``-`` for entries without any.
    :param note: the code of one of the entry's notes.
    :param since: only higher numbers.
    """

    limit: int
    operation: str | None = None
    method: str | None = None
    path: str | None = None
    status: str | None = None
    stub: str | None = None
    note: str | None = None
    since: int = 0


def parse_filter(query: Mapping[str, Sequence[str]], most: int) -> Filter:
    """Return the filter that a query asks for.

    :param query: every value of each parameter.
    :param most: what `limit` may be at most.
    :raise RequestError: ``invalid_request`` with all that is wrong: a filter that is none or is
        given twice, a value that can match nothing.
    """
    readers: dict[str, Callable[[str], object]] = {
        "operation": lambda text: _one_of(text, tuple(OPERATIONS)),
        "method": str.upper,
        "path": str,
        "status": _status,
        "stub": str,
        "note": lambda text: _one_of(text, NOTES),
        "since": lambda text: _integer(text, 0, None),
        "limit": lambda text: _integer(text, 1, most),
    }
    problems: list[str] = []
    values: dict[str, Any] = {"limit": min(LISTED, most)}
    for name, given in query.items():
        try:
            if name not in readers:
                near = did_you_mean(name, readers)
                raise ValueError(f"is no filter; {near or 'there are: ' + ', '.join(readers)}")
            if len(given) != 1:
                raise ValueError(f"must be given once, not {len(given)} times")
            values[name] = readers[name](given[0])
        except ValueError as error:
            problems.append(f"{name if name in readers else shown(name)} {error}")
        if len(problems) == PROBLEMS_SHOWN:
            break
    if problems:
        raise RequestError("invalid_request", "; ".join(problems))
    return Filter(**values)


def _one_of(text: str, words: Sequence[str]) -> str:
    if text not in words:
        near = did_you_mean(text, words)
        what = f"must be one of {', '.join(words)}, got {shown(text)}"
        raise ValueError(f"{what}; {near}" if near else what)
    return text


def _status(text: str) -> str:
    lower = text.lower()
    if not re.fullmatch(r"[1-5](?:[0-9][0-9]|xx)", lower):
        what = "must be a status such as 404, or 4xx for all of a class"
        raise ValueError(f"{what}, got {shown(text)}")
    return lower


def _integer(text: str, low: int, high: int | None) -> int:
    """Return a number of a range.

    :param high: None for no end.
    """
    number = int(text) if re.fullmatch(r"[0-9]{1,18}", text) else -1
    if number < low or (high is not None and number > high):
        bounds = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"must be an integer {bounds}, got {shown(text)}")
    return number


def selected(entries: Sequence[Entry], wanted: Filter) -> tuple[list[Entry], int]:
    """Return the newest entries that pass, oldest first, and how many pass in all.

    :param entries: by number.
    """
    passing = [entry for entry in entries if _passes(entry, wanted)]
    return passing[-wanted.limit :], len(passing)


def _passes(entry: Entry, wanted: Filter) -> bool:
    return (
        entry.number > wanted.since
        and wanted.operation in (None, entry.operation)
        and wanted.method in (None, entry.method)
        and (wanted.path is None or _like(entry.path, wanted.path))
        and (wanted.status is None or _has_status(entry, wanted.status))
        and (wanted.stub is None or _has_stub(entry, wanted.stub))
        and (wanted.note is None or any(note.code == wanted.note for note in entry.notes))
    )


def _like(text: str, pattern: str) -> bool:
    """Whether a text is like a pattern, in which only ``*`` has a meaning."""
    return fnmatchcase(text, pattern.replace("[", "[[]").replace("?", "[?]"))


def _has_status(entry: Entry, status: str) -> bool:
    got = str(entry.status or "")
    return got == status or (status.endswith("xx") and got[:1] == status[0])


def _has_stub(entry: Entry, stub: str) -> bool:
    return not entry.stubs if stub == "-" else any(_like(label, stub) for label in entry.stubs)


# --- As JSON ----------------------------------------------------------------------------------


def moment(at: float) -> str:
    """Return a time in seconds since 1970 as ``2026-11-21T07:00:00.123Z`` (RFC 3339)."""
    text = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def body_text(message: Message) -> tuple[str, bool]:
    """Return what is kept of a body as text, and whether that is base64: it is no UTF-8 then."""
    try:
        return message.body.decode(), False
    except UnicodeDecodeError as error:
        # Cut in the middle of a character, it is text all the same.
        if message.cut and error.reason == "unexpected end of data":
            return message.body[: error.start].decode(), False
        return b64encode(message.body).decode(), True


def summary(entry: Entry) -> RequestSummary:
    """Return an entry as lists have it, without headers and bodies."""
    return {
        "number": entry.number,
        "at": moment(entry.at),
        "session": entry.session,
        "method": entry.method,
        "target": entry.target,
        "path": entry.path,
        "operation": entry.operation,
        "status": entry.status,
        "scenarios": list(entry.scenarios),
        "stubs": list(entry.stubs),
        "fault": entry.fault,
        "off_contract": entry.off_contract,
        "app_ms": round(entry.app_ms, 3),
        "delay_ms": round(entry.delay_ms, 3),
        "hold": entry.hold,
        "throttle": entry.throttle,
        "notes": [{"code": note.code, "text": note.text} for note in entry.notes],
    }


def full(entry: Entry) -> RequestDetails:
    """Return an entry with both messages."""
    return {
        **summary(entry),
        "request": _message(entry.request),
        "response": _message(entry.response),
    }


def _message(message: Message) -> RecordedMessage:
    text, base64 = body_text(message)
    return {
        "headers": [list(header) for header in message.headers],
        "body": {"size": message.size, "text": text, "base64": base64, "cut": message.cut},
    }
