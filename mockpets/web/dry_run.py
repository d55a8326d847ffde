"""Try a request out: what would respond to it, without any effect.

The request runs through the same checks, stubs and operations as any other, on copies of the
sessions. The entry in the copy's request log is the result.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final
from wsgiref.util import setup_testing_defaults

from mockpets.admission import Admission
from mockpets.constants import (
    BODY_BYTES,
    CONTROL_PREFIX,
    DEFAULT_SESSION,
    HEAD_BYTES,
    SERVER_BODY_BYTES,
)
from mockpets.errors import RequestError
from mockpets.http.request_parser import RequestParser
from mockpets.interface import Incoming
from mockpets.request_log.request_log import RequestLogs
from mockpets.scenario.check import load_text
from mockpets.session.change_feed import ChangeFeed
from mockpets.session.registry import SessionRegistry
from mockpets.strict_json import dump_json
from mockpets.web.authentication import read_key
from mockpets.web.cookie import read_cookie
from mockpets.web.error_responses import error_response
from mockpets.web.jobs import run_without_server
from mockpets.web.log_writer import record
from mockpets.web.messages import Request
from mockpets.web.operations import act_of
from mockpets.web.playback import Playback
from mockpets.web.response_finalizer import off_contract_reason
from mockpets.web.session_selector import SESSION_KEY, named_session, take_baggage
from mockpets.web.unmatched import unmatched

if TYPE_CHECKING:
    from collections.abc import Mapping
    from wsgiref.types import WSGIEnvironment

    from mockpets.request_log.entry import Entry
    from mockpets.scenario.library import Library
    from mockpets.session.session import Session, SharedState
    from mockpets.settings import Settings
    from mockpets.web.messages import Response, Steps

_BUDGET: Final = 2**20
"""Bytes of the request logs of the copies; one gets one entry."""


def dry_run(
    settings: Settings, sessions: SessionRegistry, session: str, request: Mapping[str, Any]
) -> tuple[Entry, int]:
    """Return what the request log would record, and the seed of the session.

    :param session: the session of a request that names none.
    :param request: ``method`` and ``path``, and optionally ``headers``, a JSON ``body``, and a
        ``draft`` with the ``name`` and ``text`` of a scenario.
    :raise DocumentError: the draft is invalid.
    """
    library, draft, without = sessions.shared.library(), request.get("draft"), ""
    if draft is not None:
        without = draft["name"]
        library = library.plus({without: load_text(without, draft["text"], library)})
    copies = SessionRegistry(rehearsal_state(sessions.shared, library, _BUDGET), sessions.limit)
    played = Rehearsed(request, settings.prefix)
    try:
        copies.copy_from(sessions, {session, played.select(session, settings)}, without)
        used = Rehearsal(settings, copies, session).play(played)
        return used.request_log.entries()[-1], used.seed
    finally:
        for each in copies.all():
            each.free()


def rehearsal_state(shared: SharedState, library: Library, budget: int) -> SharedState:
    """Return shared state for sessions whose requests have no effect on those of a server.

    :param library: their scenarios, since a reload must not change those of a request on its way.
    :param budget: bytes of their request logs, each of which has room for one entry.
    """
    records = shared.records.fork()
    return replace(
        shared,
        library=lambda: library,
        tables=shared.tables.fork(records),
        records=records,
        request_log=partial(RequestLogs(budget).new, 1, BODY_BYTES),
        changes=ChangeFeed(),
    )


class Rehearsed(Request):
    """A request to try out.

    :param request: as for `dry_run`; a body that is not JSON is in ``content``.
    """

    def __init__(self, request: Mapping[str, Any], prefix: str) -> None:
        parser, body = _parse(request)
        environ = _environ(parser, request, body, prefix)
        super().__init__(environ)
        self.error = parser.error
        """Why our server would reject its head."""
        self.incoming = Incoming(environ, b"" if parser.error else parser.head)
        take_baggage(self)

    def select(self, session: str, settings: Settings) -> str:
        """Return the name of its session: that of `session`, unless the request names one."""
        try:
            selector, cookie = read_key(self, settings).selector, read_cookie(self, settings)
            named = named_session(self, selector, cookie)
        except RequestError:
            return session  # the rehearsal ends with this error
        if named is None and session != DEFAULT_SESSION:
            self.environ[SESSION_KEY] = session
        return named or session


class Rehearsal:
    """Plays requests on the sessions of a registry, without a server.

    :param session: records a request that is rejected before it selects a session.
    """

    def __init__(self, settings: Settings, sessions: SessionRegistry, session: str) -> None:
        self._sessions, self._session = sessions, session
        self._playback = Playback(settings, sessions, Admission())

    def play(self, request: Rehearsed) -> Session:
        """Play a request, and return its session, whose last entry is the result."""
        try:
            response = run_without_server(self._view(request))
        except Exception as error:  # noqa: BLE001 - every exception has a response
            response = error_response(request, error, self._playback.contracts, Admission())
        # A request that is rejected early has no session, but an explanation.
        request.session = session = request.session or self._sessions.find_or_temporary(
            self._session
        )
        off_contract = off_contract_reason(request, response.status_code)
        record(request, response, session.request_log.next_number(), off_contract)
        return session

    def _view(self, request: Rehearsed) -> Response | Steps:
        """Call the view to which the app would route a request, except those of the control API."""
        if request.error is not None:
            raise request.error
        operation = self._playback.contracts.operation_at(request.method, request.path)
        if operation is None or request.path.startswith(CONTROL_PREFIX):
            return unmatched(self._playback, request)
        request.view_args = operation.in_path(request.path)
        return self._playback.respond(operation, act_of(operation), request)


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
    }
    setup_testing_defaults(environ)
    environ |= {
        name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}": value
        for name, value in parser.headers.items()
    }
    # A length that the headers name is that of another serialization of the body.
    environ["CONTENT_LENGTH"] = str(len(body)) if body else ""
    return environ
