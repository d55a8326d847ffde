"""Calls of the control API about what was asked: the journal, HAR, verify, and news."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib.metadata import version
from threading import Event
from typing import TYPE_CHECKING

from mockpets import journal_reading
from mockpets.constants import EVENTS_SECONDS
from mockpets.contract import parse_pet_id
from mockpets.errors import Refusal
from mockpets.handover import AGAIN, ORDER, SERVER, Order
from mockpets.web.calls import answer, asked, body_text, elsewhere

if TYPE_CHECKING:
    from mockpets.entries import Entry
    from mockpets.handover import Server
    from mockpets.web.calls import Call
    from mockpets.web.messages import Response

__all__ = ["clear", "events", "har", "one_request", "requests", "verification"]


_AT_ONCE = 200
"""Requests that are looked at while others wait: some milliseconds of work."""


def _selected(call: Call) -> tuple[list[Entry], int]:
    """Return the entries that the query asks for, and how many pass its filters.

    :raise Refusal: ``invalid_request``.
    """
    query = dict(call.request.args.lists())
    most = max(call.parts.settings.journal_size, 1)
    return journal_reading.selected(
        call.session.journal.entries(), journal_reading.parse_filter(query, most)
    )


def requests(call: Call) -> Response:
    """List what was asked, the newest of what passes the filters, oldest first."""
    # The number before the entries: a change in between is told of once too often, not too little.
    change, journal = call.session.changes.number, call.session.journal
    found, total = _selected(call)
    return answer(
        {
            "requests": [journal_reading.summary(entry) for entry in found],
            "total": total,
            "dropped": journal.dropped,
            "last": journal.last,
            "resets": journal.resets,
            "change": change,
        }
    )


def one_request(call: Call) -> Response:
    """Return one request with both sides as they were sent.

    :raise Refusal: ``not_found``.
    """
    text: str = (call.request.view_args or {})["number"]
    journal, number = call.session.journal, parse_pet_id(text)
    entry = None if number is None else journal.get(number)
    if entry is None:
        there = f"{len(journal)} of {journal.last} are kept" if journal.last else "it is empty"
        what = f"the journal of session '{call.session.name}' has no request {text[:20]!r}; {there}"
        raise Refusal("not_found", what)
    return answer(journal_reading.full(entry))


def clear(call: Call) -> Response:
    """Forget what was asked; numbers go on."""
    cleared = call.session.journal.clear()
    call.session.changes.tell("requests")
    return answer({"cleared": cleared})


def har(call: Call) -> Response:
    """Return what passes the filters as HAR 1.2."""
    from mockpets.har import document  # here and below: a start has no time for it

    found, _ = _selected(call)
    is_long = len(found) > _AT_ONCE
    write = partial(document, found, version("mockpets"))
    return answer(elsewhere(call, write, is_long=is_long))


def verification(call: Call) -> Response:
    """Tell whether as many requests came as were expected.

    :raise Refusal: ``verification_failed``, with the nearest requests and what differed.
    :raise InputError: the body is wrong.
    """
    from mockpets import verify

    text, journal = body_text(call.request), call.session.journal
    wanted, entries = verify.parse(text), journal.entries()
    check = partial(
        verify.check, wanted, entries, session=call.session.name, dropped=journal.dropped
    )
    verdict = elsewhere(call, check, is_long=len(entries) > _AT_ONCE)
    if not verdict.passed:
        details = verify.details(verdict)
        raise Refusal("verification_failed", verdict.message, details=details)
    found = [journal_reading.summary(entry) for entry in verdict.matched]
    return answer({"matched": len(found), "requests": found})


# --- News -------------------------------------------------------------------------------------


def events(call: Call) -> Response:
    """Tell what has changed since a number, waiting for it if nothing has.

    No thread waits where the server takes orders: it keeps the request, and asks again.

    :raise Refusal: ``invalid_request``.
    """
    since, wait = _since_and_wait(call)
    changes, environ = call.session.changes, call.request.environ
    number = changes.number
    if since is None or since > number or wait == 0 or AGAIN in environ or changes.since(since):
        return _news(call, since)
    server: Server | None = environ.get(SERVER)
    if server is None:
        changed = Event()
        leave = changes.wait(since, changed.set)
        changed.wait(wait)
        leave()
        call = replace(call, session=call.parts.sessions.look(call.session.name))
    elif server.room():
        environ[ORDER] = Order(hold=partial(changes.wait, since), patience=wait, again=True)
    return _news(call, since)


def _news(call: Call, since: int | None) -> Response:
    changes = call.session.changes
    number = changes.number
    # A number from before a restart is none of this server's: everything may be new.
    changed = [] if since is None else changes.since(since if since <= number else 0)
    is_there = changes is not call.parts.sessions.world.changes
    resets = call.session.journal.resets if is_there else None
    return answer({"change": number, "resets": resets, "changed": changed})


def _since_and_wait(call: Call) -> tuple[int | None, float]:
    """Return the number after which changes are news, and the seconds to wait.

    :raise Refusal: ``invalid_request``.
    """
    query, problems = asked(call.request, ("since", "wait"))
    since = wait = None
    if (text := query.get("since")) is not None:
        since = parse_pet_id(text)
        if since is None or since < 0:
            problems.append(f"since must be a number that events has told, got {text[:40]!r}")
    text = query.get("wait", "0")
    if text.isascii() and text.isdigit() and len(text) < 4:
        wait = float(text)
    if wait is None or wait > EVENTS_SECONDS:
        most = f"{EVENTS_SECONDS:g}"
        problems.append(f"wait must be whole seconds from 0 to {most}, got {text[:40]!r}")
    if problems or wait is None:
        raise Refusal("invalid_request", "; ".join(problems))
    return since, wait
