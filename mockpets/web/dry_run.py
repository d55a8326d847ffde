"""Try a request out: what would respond to it, without any effect.

The request runs through the same checks, stubs and operations as any other, in an app of its own,
on copies of the sessions. The entry in the copy's journal is the result.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final
from wsgiref.util import setup_testing_defaults

from mockpets.constants import BODY_BYTES, DEFAULT_SESSION, HEAD_BYTES, SERVER_BODY_BYTES
from mockpets.http.request_parser import RequestParser
from mockpets.journal.journal import Journals
from mockpets.scenario.check import load_text
from mockpets.session.change_feed import ChangeFeed
from mockpets.session.registry import SessionRegistry
from mockpets.session.session import Session
from mockpets.strict_json import dump_json
from mockpets.web import operations, unmatched
from mockpets.web.authentication import read_key
from mockpets.web.cookie import read_cookie
from mockpets.web.error_handlers import add_error_handlers
from mockpets.web.flask_app import App
from mockpets.web.journal_writer import record
from mockpets.web.playback import Playback
from mockpets.web.response_finalizer import off_contract_reason
from mockpets.web.session_selector import SESSION_KEY, named_session
from mockpets.wsgi_extension import HEAD

if TYPE_CHECKING:
    from collections.abc import Mapping
    from wsgiref.types import WSGIEnvironment

    from mockpets.journal.entry import Entry
    from mockpets.scenario.library import Stack
    from mockpets.settings import Settings
    from mockpets.web.authentication import Key
    from mockpets.web.exchange import Request, Response

_BUDGET: Final = 2**20
"""Bytes of the journals of the copies; one gets one entry."""


class _Copies(SessionRegistry):
    """Copies of the sessions of another registry, made when a request selects them."""

    def __init__(self, sessions: SessionRegistry, draft: Mapping[str, str] | None) -> None:
        records, library = sessions.shared.records.fork(), sessions.shared.library()
        self._draft = "" if draft is None else draft["name"]
        if draft is not None:
            library = library.plus({self._draft: load_text(self._draft, draft["text"], library)})
        shared = replace(
            sessions.shared,
            library=lambda: library,
            tables=sessions.shared.tables.fork(records),
            records=records,
            journal=partial(Journals(_BUDGET).new, 1, BODY_BYTES),
            changes=ChangeFeed(),
        )
        super().__init__(shared, sessions.limit, declared=sessions.declared)
        self.closed_names = sessions.closed_names
        self._sessions = sessions
        del self._by_name[DEFAULT_SESSION]

    def close(self) -> None:
        """Free the copies, which share the records of their sessions."""
        for session in self._by_name.values():
            session.free()

    def find(self, name: str) -> Session | None:
        """Return a copy of a session, always the same one, or None if it does not exist."""
        if (known := self._by_name.get(name)) is None:
            session = self._sessions.get(name)
            if session is not None:
                known = self._by_name[name] = self._copy(session)
        return known

    def _copy(self, session: Session) -> Session:
        copy, snapshot = Session(session.name, self.shared), session.snapshot()
        if self._draft:
            documents = snapshot.documents.without(self._draft)
            snapshot = snapshot._replace(documents=documents)
        copy.identify(session.id)
        copy.journal.last, copy.journal.resets = session.journal.last, session.journal.resets
        self.shared.records.give(snapshot.size)  # the copy counts it again
        copy.load(snapshot)
        return copy


class _Playback(Playback):
    """Plays the scenarios of a session, by name, for requests that name none."""

    def __init__(self, settings: Settings, sessions: SessionRegistry, session: str) -> None:
        super().__init__(settings, sessions, visitors=None)
        self._session = session

    def select(self, request: Request) -> tuple[Key, str, Stack]:
        """Select the session, unless the request names one."""
        selector = read_key(request, self._settings).selector
        cookie = read_cookie(request, self._settings)
        named = named_session(request.environ, selector, cookie)
        if named is None and self._session != DEFAULT_SESSION:
            request.environ[SESSION_KEY] = self._session
        return super().select(request)


def dry_run(
    settings: Settings, sessions: SessionRegistry, session: str, request: Mapping[str, Any]
) -> tuple[Entry, int]:
    """Return what the journal would record, and the seed of the session.

    :param session: the session of a request that names none.
    :param request: ``method`` and ``path``, and optionally ``headers``, a JSON ``body``, and a
        ``draft`` with the ``name`` and ``text`` of a scenario.
    :raise DocumentError: the draft is invalid.
    """
    copies = _Copies(sessions, request.get("draft"))
    try:
        used = Rehearsal(settings, copies, session).send(request)
        return used.journal.entries()[-1], used.seed
    finally:
        copies.close()


class Rehearsal:
    """An app without a server, whose requests act on the sessions of a registry.

    :param session: the session of a request that names none.
    """

    def __init__(self, settings: Settings, sessions: SessionRegistry, session: str) -> None:
        self._prefix = settings.prefix
        self._sessions, self._session = sessions, session
        self._used: list[Session] = []
        self._parser = RequestParser(HEAD_BYTES, SERVER_BODY_BYTES)
        contracts = sessions.shared.library().contracts
        self._app = App(contracts, self._finish, self._admit)
        self._app.url_map.merge_slashes = False
        playback = _Playback(settings, sessions, session)
        operations.add_routes(self._app, contracts, playback.respond)
        unmatched.add_routes(self._app, playback)
        add_error_handlers(self._app)

    def send(self, request: Mapping[str, Any]) -> Session:
        """Send a request, and return its session, whose last entry is the result.

        :param request: as for `dry_run`; a body that is not JSON is in ``content``.
        """
        self._parser, body = _parse(request)
        environ = _environ(self._parser, request, body, self._prefix)
        self._app.wsgi_app(environ, lambda *_: len)  # the response is not sent
        return self._used.pop()

    def _finish(self, request: Request, response: Response) -> None:
        exchange = request.exchange
        # A request that is rejected early has no session, but an explanation.
        exchange.session = exchange.session or self._sessions.peek(self._session)
        self._used.append(exchange.session)
        off_contract = off_contract_reason(request, response.status_code)
        record(request, response, exchange.session.journal.next_number(), off_contract)

    def _admit(self, _: Request) -> None:
        if self._parser.error is not None:
            raise self._parser.error


def _parse(request: Mapping[str, Any]) -> tuple[RequestParser, bytes]:
    """Parse a request's head as our server does, with the headers that a client adds."""
    headers: dict[str, str] = request.get("headers", {})
    names = {name.lower() for name in headers}
    lines = [f"{name}: {value}" for name, value in headers.items()]
    body: bytes = dump_json(request["body"]) if "body" in request else request.get("content", b"")
    if "host" not in names:
        lines.append("Host: localhost")
    if body and "content-type" not in names:
        lines.append("Content-Type: application/json")
    if body and not names & {"content-length", "transfer-encoding"}:
        lines.append(f"Content-Length: {len(body)}")
    head = "\r\n".join([f"{request['method']} {request['path']} HTTP/1.1", *lines, "", ""])
    parser = RequestParser(HEAD_BYTES, SERVER_BODY_BYTES)
    parser.received(head.encode("latin-1"))
    return parser, body


def _environ(
    parser: RequestParser, request: Mapping[str, Any], body: bytes, prefix: str
) -> WSGIEnvironment:
    """Return the environ of a request (PEP 3333), without headers if its head is invalid."""
    target: str = request["path"]
    # The parser has no path if the head is invalid.
    path = parser.path or target.partition("?")[0]
    if path == prefix or path.startswith(f"{prefix}/"):
        path = path[len(prefix) :]
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": request["method"],
        "REQUEST_URI": target,
        "SCRIPT_NAME": prefix,
        "PATH_INFO": path,
        "QUERY_STRING": parser.query,
        "wsgi.input": BytesIO(body),
        HEAD: b"" if parser.error else parser.head,
    }
    setup_testing_defaults(environ)
    environ |= {
        name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}": value
        for name, value in parser.headers.items()
    }
    # A length that the headers name is that of another serialization of the body.
    environ["CONTENT_LENGTH"] = str(len(body)) if body else ""
    return environ
