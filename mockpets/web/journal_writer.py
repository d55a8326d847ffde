"""Record exchanges in the journal of their session."""

from __future__ import annotations

from functools import lru_cache, partial
from time import perf_counter, time
from typing import TYPE_CHECKING

from mockpets.contract.fields import parse_int64
from mockpets.faults import CONNECTION_FAULTS, CUTTING_FAULTS
from mockpets.journal.entry import Entry, Note, message
from mockpets.redaction import redacted_target
from mockpets.web.session_selector import OURS, ignored_headers
from mockpets.wsgi_extension import ON_END, SERVER

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from mockpets.constants import RequestOutcome, ResponseEnd
    from mockpets.journal.journal import Journal
    from mockpets.session.change_feed import ChangeFeed
    from mockpets.web.exchange import Request, Response

_METHOD_LENGTH = 40
_DEPRECATED = "GET /pets/{petId} is deprecated and will be removed on 5 December 2030"


def record(request: Request, response: Response, number: int, off_contract: str | None) -> Entry:
    """Record an exchange, which must have a session, in its journal; return the entry.

    Our server reports the outcome when the response ends. Other servers do not, so their entries
    have it at once: `sent`, or `broken` by a fault.

    :param response: the response as sent, with the damage of faults.
    :param number: the number that the journal gave the exchange.
    :param off_contract: why the contract does not list the response, or None if it does.
    """
    exchange, environ = request.exchange, request.environ
    session, outcome, stack = exchange.session, exchange.outcome, exchange.stack
    assert session is not None  # noqa: S101 - callers guarantee it
    if exchange.operation == "getPet":
        exchange.notes.append(("deprecated", _DEPRECATED))
    if off_contract is not None and "unmatched" not in dict(exchange.notes):
        exchange.notes.append(("off_contract", off_contract))
    headers = _headers(environ)
    sent = message(headers, _body(request))
    if OURS in sent.head and (note := ignored_headers(name for name, _ in headers)):
        exchange.notes.append(("ignored_headers", note))
    pet_id = (request.view_args or {}).get("pet_id")
    is_head = request.method == "HEAD"  # its body is generated, but not sent
    is_ours = SERVER in environ
    elsewhere: RequestOutcome = "broken" if outcome.fault in CUTTING_FAULTS else "sent"
    took = perf_counter() - exchange.started
    # Positional, because keyword arguments take six times as long.
    entry = Entry(
        number,
        time() - took,
        session.name,
        request.method[:_METHOD_LENGTH],
        redacted_target(target(environ)),
        request.path,
        exchange.operation,
        None if pet_id is None else parse_int64(pet_id),
        None if outcome.fault in CONNECTION_FAULTS else response.status_code,
        stack.names if stack else (),
        outcome.stubs,
        outcome.fault,
        off_contract,
        round(took * 1000, 2),
        round(outcome.delay * 1000, 1),
        outcome.hold,
        outcome.throttle,
        tuple([Note(*note) for note in exchange.notes]),
        sent,
        message(response.all_headers(), b"" if is_head else response.get_data()),
        "pending" if is_ours else elsewhere,
    )
    entry = session.journal.add(entry)
    session.changes.publish("requests")
    if is_ours:
        environ[ON_END] = partial(_end, session.journal, session.changes, entry)
    return entry


def _end(journal: Journal, changes: ChangeFeed, entry: Entry, outcome: ResponseEnd) -> None:
    """Record how the response of an entry ended, unless the journal no longer has the entry."""
    if journal.end(entry, outcome):
        changes.publish("requests")


def target(environ: WSGIEnvironment) -> str:
    """Return the path and query as sent by the client."""
    sent: str = environ.get("REQUEST_URI", "")
    if sent:
        return sent
    query = environ.get("QUERY_STRING", "")
    path = environ.get("SCRIPT_NAME", "") + environ["PATH_INFO"]
    return f"{path}?{query}" if query else path


def _headers(environ: WSGIEnvironment) -> list[tuple[str, str]]:
    """Return the request's headers, their names in title case."""
    headers = [(_name(key), environ[key]) for key in environ if key[:5] == "HTTP_"]
    for key, name in (("CONTENT_TYPE", "Content-Type"), ("CONTENT_LENGTH", "Content-Length")):
        if environ.get(key):
            headers.append((name, environ[key]))
    return headers


@lru_cache(256)
def _name(key: str) -> str:
    """Return a header's name in title case, for a key of the WSGI environ."""
    return key[5:].replace("_", "-").title()


def _body(request: Request) -> bytes:
    """Return the request's body; empty if it was rejected, for example as too large."""
    if request.environ.get("CONTENT_LENGTH") in (None, "", "0"):
        return b""
    try:
        return request.get_data()
    except Exception:  # noqa: BLE001 - the response reports the problem
        return b""
