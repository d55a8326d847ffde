"""Record exchanges in the journal of their session."""

from __future__ import annotations

from functools import partial
from time import perf_counter, time
from typing import TYPE_CHECKING, Final
from zlib import crc32

from mockpets.faults import INCOMPLETE_FAULTS, NO_RESPONSE_FAULTS
from mockpets.journal.entry import Entry, Note, authorization_digest, message, sent_headers
from mockpets.redaction import redacted_target
from mockpets.web.session_selector import header_names, ignored_headers
from mockpets.wsgi_extension import HEAD, ON_END, SERVER

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from mockpets.constants import NoteCode, RequestOutcome, ResponseEnd
    from mockpets.contract.model import Operation
    from mockpets.journal.journal import Kept
    from mockpets.journal.wait import Wait
    from mockpets.scenario.engine import Outcome
    from mockpets.session.session import Session
    from mockpets.web.exchange import Request, Response

    Headers = list[tuple[str, str]]

_ENTRY_BYTES: Final = 1700
"""Memory of an entry without its texts and bodies."""
_NOTE_BYTES: Final = 150
_STEP_BYTES: Final = 150
_PAIR_LENGTH: Final = 50
"""What a header in a list of pairs takes, in characters, in addition to its own."""
_METHOD_LENGTH = 40


def record(request: Request, response: Response, number: int, off_contract: str | None) -> None:
    """Record an exchange, which must have a session, in its journal.

    The journal gets what arrived and was sent, without a copy: its entry is made, and secrets are
    redacted, when somebody reads it. Our server reports the outcome when the response ends. For a
    test client, it is known at once: `sent`, or `broken` by a fault.

    :param response: the response as sent, with the damage of faults.
    :param number: the number that the journal gave the exchange.
    :param off_contract: why the contract does not list the response, or None if it does.
    """
    exchange, environ = request.exchange, request.environ
    session, outcome, stack = exchange.session, exchange.outcome, exchange.stack
    assert session is not None  # noqa: S101 - callers guarantee it
    journal, notes = session.journal, exchange.notes
    removal = exchange.operation.removal if exchange.operation else None
    if removal and exchange.code != "gone":
        notes.append(("deprecated", removal.note))
    if off_contract is not None and "unmatched" not in dict(notes):
        notes.append(("off_contract", off_contract))
    if note := ignored_headers(environ):
        notes.append(("ignored_headers", note))
    # Without our server or behind a proxy, it is put together from the environ.
    head: bytes | Headers = environ.get(HEAD) or _headers(environ)
    body = _body(request)
    # The body of a response to HEAD is generated, but not sent.
    sent = b"" if request.method == "HEAD" else response.body
    is_ours = SERVER in environ
    elsewhere: RequestOutcome = "broken" if outcome.fault in INCOMPLETE_FAULTS else "sent"
    took = perf_counter() - exchange.started
    at, wait = time() - took, exchange.wait
    size = min(len(body), journal.body_bytes)
    length = min(len(sent), journal.body_bytes)
    headers, uri = response.all_headers(), target(environ)
    make = partial(  # positional, because keyword arguments take six times as long
        _entry,
        number,
        at,
        session.name,
        request.method,
        uri,
        request.path,
        exchange.operation,
        None if outcome.fault in NO_RESPONSE_FAULTS else response.status_code,
        stack.names if stack else (),
        outcome,
        off_contract,
        took,
        notes,
        head,
        (body[:size], len(body)),
        headers,
        (sent[:length], len(sent), crc32(sent) if length < len(sent) else None),
    )
    # Twice, because the response repeats parts of it, and a made entry has copies. The response's
    # other headers are shared between entries.
    cost = _ENTRY_BYTES + 2 * _length(head) + len(uri) + size + length
    if notes:
        cost += sum([_NOTE_BYTES + 4 * len(text) for _, text in notes])
    if outcome.reply is not None:
        cost += _length(headers)
    if outcome.trace is not None:
        cost += _STEP_BYTES * len(outcome.trace.steps)
    kept = journal.add(make, cost, "pending" if is_ours else elsewhere, wait)
    kept.status = response.status_code
    session.changes.publish("requests")
    if not is_ours:
        kept.seconds = took
    else:
        environ[ON_END] = partial(_end, session, kept, exchange.started, wait)
        if wait is not None:
            wait.context.kept = kept


def _entry(
    number: int,
    at: float,
    session: str,
    method: str,
    target: str,
    path: str,
    operation: Operation | None,
    status: int | None,
    scenarios: tuple[str, ...],
    outcome: Outcome,
    off_contract: str | None,
    took: float,
    notes: list[tuple[NoteCode, str]],
    head: bytes | Headers,
    body: tuple[bytes, int],
    headers: Headers,
    sent: tuple[bytes, int, int | None],
) -> Entry:
    """Return the entry of an exchange, without secrets.

    :param took: seconds.
    :param head: of the request: as it arrived, or its headers.
    :param body: its recorded part, and the size of the whole in bytes; also `sent`, with the
        checksum of the whole if it is truncated.
    :param headers: of the response.
    """
    from mockpets.recording.redaction import secrets_of  # here, since it slows down the start

    sent_head = sent_headers(head) if isinstance(head, bytes) else head
    authorization = next((value for name, value in sent_head if name == "Authorization"), None)
    return Entry(
        number,
        at,
        session,
        method[:_METHOD_LENGTH],
        redacted_target(target),
        path,
        operation,
        status,
        scenarios,
        outcome.stubs,
        outcome.fault,
        off_contract,
        round(took * 1000, 2),
        round(outcome.delay * 1000, 1),
        outcome.hold,
        outcome.throttle,
        tuple([Note(*note) for note in notes]),
        message(sent_head, *body),
        message(headers, *sent),
        outcome.trace,
        None if authorization is None else authorization_digest(authorization),
        secrets_of(target, [*sent_head, *headers]),
        "pending",
    )


def _end(
    session: Session, kept: Kept, started: float, wait: Wait | None, outcome: ResponseEnd
) -> None:
    """Record how and when the response of an entry ended, unless the journal has dropped it."""
    if wait is not None:
        session.gates.remove(wait)
    if session.journal.end(kept, outcome, perf_counter() - started):
        session.changes.publish("requests")


def record_release(
    request: Request, response: Response, wait: Wait, off_contract: str | None, text: str
) -> None:
    """Record that another response is sent in place of one that waits.

    :param response: as sent.
    :param text: for the note.
    """
    from mockpets.recording.redaction import secrets_of

    exchange, kept = request.exchange, wait.context.kept
    kept.status = response.status_code
    session, outcome, before = exchange.session, exchange.outcome, kept.read()
    assert session is not None  # noqa: S101 - a response that waits has one
    sent = b"" if request.method == "HEAD" else response.body
    headers, length = response.all_headers(), min(len(sent), session.journal.body_bytes)
    entry = before._replace(
        secrets=(*before.secrets, *secrets_of("", headers)),
        status=None if outcome.fault in NO_RESPONSE_FAULTS else response.status_code,
        fault=outcome.fault,
        off_contract=off_contract,
        delay_ms=round(outcome.delay * 1000, 1),
        notes=(*before.notes, Note("released", text)),
        response=message(
            headers, sent[:length], len(sent), crc32(sent) if length < len(sent) else None
        ),
    )
    session.journal.amend(kept, entry, _NOTE_BYTES + 4 * len(text) + _length(headers) + length)
    session.changes.publish("requests")


def target(environ: WSGIEnvironment) -> str:
    """Return the path and query as sent by the client."""
    sent: str = environ.get("REQUEST_URI", "")
    if sent:
        return sent
    query = environ.get("QUERY_STRING", "")
    path = environ.get("SCRIPT_NAME", "") + environ["PATH_INFO"]
    return f"{path}?{query}" if query else path


def _headers(environ: WSGIEnvironment) -> Headers:
    """Return the request's headers, their names in title case."""
    keys = [key for key in environ if key.startswith("HTTP_")]
    headers = [*zip(header_names(keys), (environ[key] for key in keys), strict=True)]
    for key, name in (("CONTENT_TYPE", "Content-Type"), ("CONTENT_LENGTH", "Content-Length")):
        if environ.get(key):
            headers.append((name, environ[key]))
    return headers


def _length(head: bytes | Headers) -> int:
    if isinstance(head, bytes):
        return len(head)
    return sum([len(name) + len(value) + _PAIR_LENGTH for name, value in head])


def _body(request: Request) -> bytes:
    """Return the request's body; empty if it was rejected, for example as too large."""
    if request.environ.get("CONTENT_LENGTH") in (None, "", "0"):
        return b""
    try:
        return request.get_data()
    except Exception:  # noqa: BLE001 - the response reports the problem
        return b""
