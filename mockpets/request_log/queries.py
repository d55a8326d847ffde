"""Filter the entries of a request log, and return them as JSON of the control API."""

from __future__ import annotations

from base64 import b64encode
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from mockpets.clock import moment
from mockpets.contract.query_parameters import LISTED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mockpets.constants import RequestOutcome
    from mockpets.contract.control_types import RecordedMessage, RequestDetails, RequestSummary
    from mockpets.request_log.entry import Entry, Message

# --- Filters ----------------------------------------------------------------------------------


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

    :param wanted: the values of the parameters that the request has.
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
