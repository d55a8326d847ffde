"""Record requests and responses in the request log of their session."""

from __future__ import annotations

from functools import partial
from time import perf_counter, time
from typing import TYPE_CHECKING, Final
from zlib import crc32

from mockpets.faults import INCOMPLETE_FAULTS, NO_RESPONSE_FAULTS
from mockpets.redaction import redacted_target
from mockpets.request_log.entry import Entry, Note, authorization_digest, message, sent_headers
from mockpets.web.session_selector import header_names

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from mockpets.constants import NoteCode, RequestOutcome, ResponseEnd
    from mockpets.interface import OnEnd
    from mockpets.request_log.request_log import Kept
    from mockpets.request_log.wait import Wait
    from mockpets.scenario.engine import Outcome
    from mockpets.session.session import Session
    from mockpets.web.messages import Request, Response

    Headers = list[tuple[str, str]]

_ENTRY_BYTES: Final = 1700
"""Memory of an entry without its texts and bodies, as `tracemalloc` measures it."""
_NOTE_BYTES: Final = 150
_STEP_BYTES: Final = 150
"""The same of a note, and of a step of the trace."""
_PAIR_LENGTH: Final = 50
"""What a header in a list of pairs takes, in characters, in addition to its own."""
_METHOD_LENGTH: Final = 40
"""The longest method to record; RFC 9110 sets no limit, and the longest registered one has 17."""


def record(
    request: Request, response: Response, number: int, off_contract: str | None
) -> OnEnd | None:
    """Record a request, which must have a session, in its request log; return what records its end.

    The log gets what arrived and was sent, without a copy: its entry is made, and secrets are
    redacted, when somebody reads it. For a test client, the outcome is known at once: `sent`, or
    `broken` by a fault; nothing is returned.

    :param response: as sent, with the damage of faults.
    :param number: the number that the request log gave the request.
    :param off_contract: why the contract does not list the response, or None if it does.
    """
    incoming, session, outcome = request.incoming, request.session, request.outcome
    assert session is not None  # noqa: S101 - callers guarantee it
    request_log, notes, stack = session.request_log, request.notes, request.stack
    removal = request.operation.removal if request.operation else None
    if removal and request.error_code != "gone":
        notes.append(("deprecated", removal.note))
    if off_contract is not None and "unmatched" not in dict(notes):
        notes.append(("off_contract", off_contract))
    if request.ignored_headers:
        notes.append(("ignored_headers", request.ignored_headers))
    # Without our server or behind a proxy, it is put together from the environ.
    head: bytes | Headers = incoming.head or _headers(request)
    body = _body(request)
    # The body of a response to HEAD is generated, but not sent.
    sent = b"" if request.method == "HEAD" else response.body
    took, wait = perf_counter() - request.started, request.wait
    most = request_log.body_bytes
    recorded, shown = body[:most], sent[:most]
    headers, uri = response.all_headers(), target(request.environ)
    entry = Entry(
        number=number,
        at=time() - took,
        session=session.name,
        method=request.method[:_METHOD_LENGTH],
        target=uri,
        path=request.path,
        operation=request.operation,
        status=None if outcome.fault in NO_RESPONSE_FAULTS else response.status_code,
        scenarios=stack.names if stack else (),
        off_contract=off_contract,
        app_ms=took * 1000,
        outcome="pending",
    )
    arrived = recorded, len(body)
    checked = shown, len(sent), crc32(sent) if len(shown) < len(sent) else None
    make = partial(_completed, entry, outcome, notes, head, arrived, headers, checked)
    # Twice, because the response repeats parts of it, and a made entry has copies. The response's
    # other headers are shared between entries.
    cost = _ENTRY_BYTES + 2 * _length(head) + len(uri) + len(recorded) + len(shown)
    if notes:
        cost += sum([_NOTE_BYTES + 4 * len(text) for _, text in notes])
    if outcome.reply is not None:
        cost += _length(headers)
    if outcome.trace is not None:
        cost += _STEP_BYTES * len(outcome.trace.steps)
    is_ours = incoming.server is not None
    end: RequestOutcome = "pending"
    if not is_ours:
        end = "broken" if outcome.fault in INCOMPLETE_FAULTS else "sent"
    kept = request_log.add(make, cost, end, wait)
    kept.status = response.status_code
    session.changes.publish("requests")
    if not is_ours:
        kept.seconds = took
        return None
    if wait is not None:
        wait.read, request.kept = kept.read, kept
    return partial(_end, session, kept, request.started, wait)


def _completed(
    entry: Entry,
    outcome: Outcome,
    notes: list[tuple[NoteCode, str]],
    head: bytes | Headers,
    body: tuple[bytes, int],
    headers: Headers,
    sent: tuple[bytes, int, int | None],
) -> Entry:
    """Return an entry with what the stubs decided, its notes and messages, without secrets.

    :param head: of the request: as it arrived, or its headers.
    :param body: its recorded part, and the size of the whole in bytes; also `sent`, with the
        checksum of the whole if it is truncated.
    :param headers: of the response.
    """
    from mockpets.recording.secret_removal import secrets_of  # here, since it slows down the start

    arrived = sent_headers(head) if isinstance(head, bytes) else head
    authorization = next((value for name, value in arrived if name == "Authorization"), None)
    return entry._replace(
        target=redacted_target(entry.target),
        stubs=outcome.stubs,
        fault=outcome.fault,
        app_ms=round(entry.app_ms, 2),
        delay_ms=round(outcome.delay * 1000, 1),
        hold=outcome.hold,
        throttle=outcome.throttle,
        trace=outcome.trace,
        notes=tuple([Note(*note) for note in notes]),
        request=message(arrived, *body),
        response=message(headers, *sent),
        authorization=None if authorization is None else authorization_digest(authorization),
        secrets=secrets_of(entry.target, [*arrived, *headers]),
    )


def _end(
    session: Session, kept: Kept, started: float, wait: Wait | None, outcome: ResponseEnd
) -> None:
    """Record how and when the response of an entry ended, unless the request log has dropped it."""
    if wait is not None:
        session.gates.remove(wait)
    if session.request_log.end(kept, outcome, perf_counter() - started):
        session.changes.publish("requests")


def record_release(
    request: Request, response: Response, off_contract: str | None, text: str
) -> None:
    """Record that another response is sent in place of one that waits.

    :param response: as sent.
    :param text: for the note.
    """
    from mockpets.recording.secret_removal import secrets_of

    session, outcome, kept = request.session, request.outcome, request.kept
    assert session is not None  # noqa: S101 - a response that waits has one
    assert kept is not None  # noqa: S101 - and an entry
    before = kept.read()
    kept.status = response.status_code
    sent = b"" if request.method == "HEAD" else response.body
    headers, length = response.all_headers(), min(len(sent), session.request_log.body_bytes)
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
    session.request_log.amend(kept, entry, _NOTE_BYTES + 4 * len(text) + _length(headers) + length)
    session.changes.publish("requests")


def target(environ: WSGIEnvironment) -> str:
    """Return the path and query as sent by the client."""
    sent: str = environ.get("REQUEST_URI", "")
    if sent:
        return sent
    query = environ.get("QUERY_STRING", "")
    path = environ.get("SCRIPT_NAME", "") + environ["PATH_INFO"]
    return f"{path}?{query}" if query else path


def _headers(request: Request) -> Headers:
    """Return the request's headers, their names in title case."""
    keys, environ = request.header_names, request.environ
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
