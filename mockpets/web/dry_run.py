"""Try a request out: what would respond to it, without any effect.

The request runs through the same checks, stubs and operations as any other, in an app of its own,
on copies of the sessions. Nothing is delayed, held, broken, counted or logged. The entry in the
copy's journal shows the result, as for a request that was sent.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.constants import BODY_BYTES, DEFAULT_SESSION
from mockpets.journal.journal import Journals
from mockpets.session.change_feed import ChangeFeed
from mockpets.session.registry import SessionRegistry
from mockpets.strict_json import dump_json
from mockpets.web import operations, unmatched
from mockpets.web.error_handlers import add_error_handlers
from mockpets.web.exchange import current_request
from mockpets.web.flask_app import App
from mockpets.web.journal_writer import record
from mockpets.web.playback import Playback
from mockpets.web.response_finalizer import journal_number, off_contract_reason
from mockpets.web.session_selector import SESSION_KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from wsgiref.types import WSGIEnvironment

    from mockpets.journal.entry import Entry
    from mockpets.session.session import Session
    from mockpets.settings import Settings
    from mockpets.web.exchange import Response

_BUDGET: Final = 2**20
"""Bytes of the journals of the copies; one gets one entry."""
_SET_BY_BODY: Final = ("content-length", "transfer-encoding")
"""Headers that the request gets from its body."""


class _Copies(SessionRegistry):
    """Copies of the sessions of another registry, made when a request selects them."""

    def __init__(self, sessions: SessionRegistry) -> None:
        shared = replace(
            sessions.shared,
            journal=partial(Journals(_BUDGET).new, 1, BODY_BYTES),
            changes=ChangeFeed(),
        )
        super().__init__(shared, sessions.limit, declared=sessions.declared)
        self.closed_names = sessions.closed_names
        self._sessions = sessions
        del self._by_name[DEFAULT_SESSION]

    def find(self, name: str) -> Session | None:
        """Return a copy of a session, always the same one, or None if the session does not exist.

        A session that the request itself creates is found again.
        """
        if (known := self._by_name.get(name)) is None:
            session = self._sessions.get(name)
            if session is not None:
                known = self._by_name[name] = session.fork(self.shared)
        return known


class DryRun(NamedTuple):
    """The result of a request that was only tried out.

    :param entry: what the journal would record.
    :param seed: of its session.
    """

    entry: Entry
    seed: int


def dry_run(
    settings: Settings, sessions: SessionRegistry, session: str, request: Mapping[str, Any]
) -> DryRun:
    """Try a request out, on this thread; generating many pets may take long.

    :param session: the session of a request that names none.
    :param request: ``method`` and ``path``, and optionally ``headers`` and a JSON ``body``.
    """
    copies = _Copies(sessions)
    used: list[Session] = []

    def finish(response: Response) -> Response:
        request = current_request()
        exchange = request.exchange
        # A request that is rejected early has no session, but an explanation.
        exchange.session = exchange.session or copies.peek(session)
        used.append(exchange.session)
        off_contract = off_contract_reason(exchange, response.status_code)
        record(request, response, journal_number(exchange), off_contract)
        return response

    app = App(finish)
    app.url_map.merge_slashes = False
    playback = Playback(settings, copies, visitors=None)
    operations.add_routes(app, playback)
    unmatched.add_routes(app, playback)
    add_error_handlers(app)
    app.wsgi_app(_environ(request, session, settings.prefix), _start)
    entry = used[0].journal.entries()[-1]
    return DryRun(entry, used[0].seed)


def _environ(request: Mapping[str, Any], session: str, prefix: str) -> WSGIEnvironment:
    """Return the environ of a request (PEP 3333)."""
    # Imported here, since it would slow down the start.
    from werkzeug.test import create_environ

    path: str = request["path"]
    if prefix and path.startswith(f"{prefix}/"):
        path = path.removeprefix(prefix)
    headers = {
        name: value
        for name, value in request.get("headers", {}).items()
        if name.lower() not in _SET_BY_BODY
    }
    names = {name.lower() for name in headers}
    body = dump_json(request["body"]) if "body" in request else b""
    if body and "content-type" not in names:
        headers["Content-Type"] = "application/json"
    environ: WSGIEnvironment = create_environ(
        path, method=request["method"], headers=headers, data=body
    )
    if session != DEFAULT_SESSION:
        environ.setdefault(SESSION_KEY, session)
    return environ


def _start(*_: object) -> Callable[[bytes], object]:
    """Do nothing: the response is not sent (PEP 3333)."""
    return len
