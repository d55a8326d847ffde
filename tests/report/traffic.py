"""Make HAR documents with chosen times: as our request log, and as a browser writes them."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

import pytest

from mockpets.cli.main import main

Kind = Literal["log", "browser"]

ORIGIN = "http://localhost:7387"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Sent:
    """A request, and what became of it.

    :param at: when it was sent, in milliseconds.
    :param ms: how long it took.
    :param status: None if no response arrived.
    :param headers: of the response.
    :param sent: headers of the request.
    """

    at: float
    method: str = "GET"
    target: str = "/v1/pets"
    status: int | None = 200
    ms: float = 10
    body: str | None = None
    key: str | None = "Bearer [redacted]"
    headers: dict[str, str] = field(default_factory=dict)
    sent: dict[str, str] = field(default_factory=dict)
    outcome: str = "sent"
    hold: str | None = None
    session: str = "default"


def create(at: float, body: object = None, **rest: Any) -> Sent:
    """Return a createPet."""
    text = json.dumps(body or {"name": "Miso", "categoryId": 2})
    return Sent(at, "POST", body=text, **{"status": 201, **rest})


def series(*starts: float, **rest: Any) -> list[Sent]:
    """Return the same request at several times."""
    return [Sent(at, **rest) for at in starts]


def document(requests: Iterable[Sent], kind: Kind = "log") -> dict[str, Any]:
    """Return a HAR document, with numbers in the order of the requests."""
    entry = _log_entry if kind == "log" else _browser_entry
    rows = [entry(number, each) for number, each in enumerate(requests, 1)]
    return {"log": {"version": "1.2", "creator": {"name": kind, "version": "1"}, "entries": rows}}


def write(name: str, content: object) -> str:
    """Write a JSON document, and return the file's name."""
    Path(name).write_text(json.dumps(content), encoding="utf-8")
    return name


def report(
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, dict[str, Any], list[str]]]:
    """Return a function that runs `mockpets report` and returns status, document and errors."""

    def run(*arguments: str) -> tuple[int, dict[str, Any], list[str]]:
        status = main(["report", "--format", "json", *arguments])
        out, err = capsys.readouterr()
        return status, json.loads(out or "{}"), err.splitlines()

    return run


def _log_entry(number: int, sent: Sent) -> dict[str, Any]:
    row = _entry(sent)
    is_sent = sent.outcome == "sent"
    row["response"]["status"] = (is_sent and sent.status) or 0
    row["_mockpets"] = {
        "number": number,
        "session": sent.session,
        "method": sent.method,
        "target": sent.target,
        "path": unquote(sent.target.partition("?")[0]),
        "status": sent.status,
        "outcome": sent.outcome,
        "hold": sent.hold,
        "fault": "connection_reset" if sent.outcome == "broken" else None,
    }
    return row


def _browser_entry(number: int, sent: Sent) -> dict[str, Any]:
    row = _entry(sent)
    names = {"Mockpets-Request": str(number), "Mockpets-Session": sent.session}
    if sent.outcome != "sent":
        error = {"broken": "net::ERR_CONNECTION_RESET", "client_left": "net::ERR_ABORTED"}
        row["response"] |= {"status": 0, "_error": error[sent.outcome]}
    row["response"]["headers"] += [{"name": n, "value": v} for n, v in names.items()]
    return row


def _entry(sent: Sent) -> dict[str, Any]:
    moment = NOON + timedelta(milliseconds=sent.at)
    own = sent.sent if sent.key is None else {"Authorization": sent.key, **sent.sent}
    request = {
        "method": sent.method,
        "url": ORIGIN + sent.target,
        "headers": [{"name": n, "value": v} for n, v in own.items()],
        "bodySize": len(sent.body or ""),
    }
    if sent.body is not None:
        request["postData"] = {"mimeType": "application/json", "text": sent.body}
    return {
        "startedDateTime": moment.isoformat(timespec="microseconds"),
        "time": sent.ms,
        "request": request,
        "response": {
            "status": sent.status or 0,
            "headers": [{"name": n, "value": v} for n, v in sent.headers.items()],
        },
    }
