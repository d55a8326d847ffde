"""Filter the entries of a journal, and return them as JSON of the control API."""

from __future__ import annotations

import re
from base64 import b64encode
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, get_args

from mockpets.clock import moment
from mockpets.constants import (
    GLOB,
    GLOB_LENGTH,
    GLOB_RULE,
    REQUEST_OUTCOMES,
    NoteCode,
    RequestOutcome,
)
from mockpets.contract.query_parameters import Parameter, integer, one_of
from mockpets.journal.journal import JOURNAL_ENTRIES
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mockpets.contract.control_types import RecordedMessage, RequestDetails, RequestSummary
    from mockpets.journal.entry import Entry, Message

LISTED: Final = 100
"""Entries in a response if the request has no `limit`."""
NOTES: Final[tuple[NoteCode, ...]] = get_args(NoteCode)


# --- Filters ----------------------------------------------------------------------------------


def _status(text: str) -> str:
    lower = text.lower()
    if not re.fullmatch(r"[1-5](?:[0-9][0-9]|xx)", lower):
        expected = "must be a status such as 404, or a class such as 4xx"
        raise ValueError(f"{expected}, got {quote(text)}")
    return lower


def _glob(text: str) -> str:
    if len(text) > GLOB_LENGTH or not re.fullmatch(GLOB, text):
        raise ValueError(f"must be {GLOB_RULE}, got {quote(text)}")
    return text


_GLOB_SCHEMA: Final = {"type": "string", "maxLength": GLOB_LENGTH, "pattern": f"^{GLOB}$"}
PARAMETERS: Final[Mapping[str, Parameter]] = {
    "limit": integer(
        "Maximum number of requests; the newest are returned. At most 1000.",
        1,
        JOURNAL_ENTRIES,
        default=LISTED,
    ),
    "operation": Parameter(
        "Only requests of this operation.",
        {"$ref": "#/components/schemas/Operation"},
        str,
        lambda contracts: contracts.operations,
    ),
    "method": Parameter("Only requests with this method.", {"type": "string"}, str.upper),
    "path": Parameter("Only this path, in which * matches any text.", _GLOB_SCHEMA, _glob),
    "status": Parameter(
        "Only this status, such as 404, or this class of statuses, such as 4xx. A response that is "
        "not sent yet has no status.",
        {
            "anyOf": [
                {"type": "integer", "minimum": 100, "maximum": 599},
                {"type": "string", "pattern": "^[1-5](?:[0-9][0-9]|[xX][xX])$"},
            ]
        },
        _status,
    ),
    "stub": Parameter(
        "Only requests in which this stub took part: its label, in which * matches any text, or - "
        "for requests without a stub.",
        _GLOB_SCHEMA,
        _glob,
    ),
    "note": Parameter(
        "Only requests with this note.",
        {"$ref": "#/components/schemas/NoteCode"},
        lambda text: one_of(text, NOTES),
    ),
    "outcome": Parameter(
        "Only requests with this outcome.",
        {"$ref": "#/components/schemas/RequestOutcome"},
        lambda text: one_of(text, REQUEST_OUTCOMES),
    ),
    "since": integer("Only requests with higher numbers.", 0),
}
_PASSES: Final[Mapping[str, Callable[[Entry, Any], bool]]] = {
    "since": lambda entry, number: entry.number > number,
    "operation": lambda entry, name: entry.operation is not None and entry.operation.name == name,
    "method": lambda entry, method: entry.method == method,
    "path": lambda entry, pattern: _like(entry.path, pattern),
    "status": lambda entry, status: has_status(entry.status, entry.outcome, status),
    "stub": lambda entry, pattern: (
        not entry.stubs if pattern == "-" else any(_like(label, pattern) for label in entry.stubs)
    ),
    "outcome": lambda entry, outcome: entry.outcome == outcome,
    "note": lambda entry, code: any(note.code == code for note in entry.notes),
}
"""Parameter to whether an entry passes its value."""


def selected(entries: Sequence[Entry], wanted: Mapping[str, Any]) -> tuple[list[Entry], int]:
    """Return the newest entries that pass a filter, oldest first, and how many pass in total.

    :param wanted: the values of `PARAMETERS` that the request has.
    """
    tests = [(_PASSES[name], value) for name, value in wanted.items() if name != "limit"]
    passing = [entry for entry in entries if all(test(entry, value) for test, value in tests)]
    return passing[-wanted.get("limit", LISTED) :], len(passing)


def _like(text: str, pattern: str) -> bool:
    """Return whether a text matches a pattern, in which only ``*`` is special."""
    return fnmatchcase(text, pattern.replace("[", "[[]").replace("?", "[?]"))


def has_status(status: int | None, outcome: RequestOutcome, wanted: str) -> bool:
    """Return whether a response has a status such as ``404`` or ``4xx``; unsent ones have none."""
    actual = "" if outcome == "pending" else str(status or "")
    return actual == wanted or (wanted.endswith("xx") and actual[:1] == wanted[0])


# --- As JSON ----------------------------------------------------------------------------------


def body_text(message: Message) -> tuple[str, bool]:
    """Return the recorded body as text, and whether the text is base64 because it is not UTF-8."""
    try:
        return message.body.decode(), False
    except UnicodeDecodeError as error:
        # A body truncated in the middle of a character is still text.
        if message.cut and error.reason == "unexpected end of data":
            return message.body[: error.start].decode(), False
        return b64encode(message.body).decode(), True


def summary(entry: Entry) -> RequestSummary:
    """Return an entry without headers and bodies, for lists."""
    return {
        "number": entry.number,
        "at": moment(entry.at),
        "session": entry.session,
        "method": entry.method,
        "target": entry.target,
        "path": entry.path,
        "operation": entry.operation.name if entry.operation else None,
        "status": entry.status,
        "outcome": entry.outcome,
        "scenarios": list(entry.scenarios),
        "stubs": list(entry.stubs),
        "fault": entry.fault,
        "off_contract": entry.off_contract,
        "app_ms": round(entry.app_ms, 3),
        "delay_ms": round(entry.delay_ms, 3),
        "held_ms": entry.held_ms,
        "total_ms": entry.total_ms,
        "waits": entry.waits,
        "hold": entry.hold,
        "throttle": entry.throttle,
        "notes": [{"code": note.code, "text": note.text} for note in entry.notes],
    }


def full(entry: Entry) -> RequestDetails:
    """Return an entry with its request and response."""
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
