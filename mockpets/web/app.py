"""Wire the parts to a Flask app, and give every answer the headers and errors it must have.

`create_app` wires and returns: nothing listens and no thread starts. Two apps in one process
share nothing.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

import flask
from werkzeug.exceptions import BadHost, HTTPException

from mockpets.constants import (
    BODY_BYTES,
    CONTROL_PREFIX,
    DEFAULT_SESSION,
    DEPRECATION,
    DOCS_PATH,
    OFF_CONTRACT_HEADER,
    PETS_PATH,
    SCENARIO_HEADER,
    SEED_HEADER,
    SESSION_HEADER,
    STUB_HEADER,
    SUNSET,
)
from mockpets.contract import RESPONSES, error_body
from mockpets.errors import InputError, NotReady, Refusal
from mockpets.handover import ORDER, Order
from mockpets.pets.seed import generate
from mockpets.scenario.engine import NOTHING
from mockpets.scenario.watch import Watch
from mockpets.session import Session, Tables, World
from mockpets.web import api, control, cors
from mockpets.web.delivery import Delivery
from mockpets.web.keys import challenge
from mockpets.web.messages import Request, Response, current_request
from mockpets.web.playback import Playback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from mockpets.scenario.library import Library
    from mockpets.settings import Settings

__all__ = ["Mock", "create_app", "wire"]

_log = logging.getLogger("mockpets")


@dataclass(frozen=True)
class Mock:
    """What an app is wired from, for whoever runs it: `app.extensions["mockpets"]`.

    :param watch: the scenario files; `watch.start()` has them read again when they change.
    """

    watch: Watch
    session: Session


class _App(flask.Flask):
    """Flask with our request and response classes."""

    request_class = Request
    response_class = Response

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request; a target without a path is that of the root (RFC 9110, 4.2.3)."""
        environ["PATH_INFO"] = environ.get("PATH_INFO") or "/"
        return super().wsgi_app(environ, start_response)


def create_app(settings: Settings) -> flask.Flask:
    """Return the WSGI app of one mock server.

    :raise InputError: a scenario or fixture file cannot be used, or a scenario is unknown.
    """
    watch = Watch(settings.scenarios_dir, settings.fixtures_dir)
    library = watch.library
    problems = [problem for found in library.problems.values() for problem in found]
    problems += library.unknown("scenario", settings.scenario)
    if problems:
        raise InputError(problems)
    app, session = wire(settings, lambda: watch.library)
    app.extensions["mockpets"] = Mock(watch, session)
    return app


def wire(settings: Settings, library: Callable[[], Library]) -> tuple[flask.Flask, Session]:
    """Return an app over a library, wherever that comes from, and the app's session.

    :param library: asked at each request.
    """
    tables = Tables(generate)
    world = World(
        library=library,
        tables=tables,
        start=tables.make(settings.count, settings.seed, settings.locale),
        scenarios=settings.scenario,
        seed=settings.seed,
        max_new=settings.max_pets,
        locale=settings.locale,
    )
    session = Session(DEFAULT_SESSION, world)
    app = _App("mockpets.web", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = BODY_BYTES
    # `/v1//pets` is not `/v1/pets`, and a redirect would point at whatever Host said.
    app.url_map.merge_slashes = False
    api.add_routes(app, Playback(settings, session))
    control.add_routes(app, session, library)
    app.register_error_handler(Refusal, _refused)
    app.register_error_handler(NotReady, _not_ready)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)
    app.after_request(partial(_finish, session, Delivery()))
    return app, session


# --- Errors: the one place that makes the Error body of a response ----------------------------


def _refused(refusal: Refusal) -> Response:
    """Return the answer that a refusal is."""
    body = error_body(refusal.code, refusal.message, refusal.status)
    return Response(body, refusal.status, list(refusal.headers))


def _not_ready(later: NotReady) -> Response:
    """Have a job done and the request asked again; what is returned here is not sent."""
    current_request().environ[ORDER] = Order(job=later.job)
    return Response(status=503)


_HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "payload_too_large"}


def _http_error(error: HTTPException) -> Response:
    """Return our answer for an error that Flask or Werkzeug found."""
    code = _HTTP_CODES.get(error.code or 500, "invalid_request")
    said = error.description or error.name
    if code == "not_found":
        said = api.hint(current_request().path)
    elif isinstance(error, BadHost):
        said = "the Host header is no host name or address"
    return _refused(Refusal(code, said))


def _unexpected(error: Exception) -> Response:
    """Answer a mistake of ours: nothing of it reaches the client, all of it the log."""
    _log.error("internal error on %r", current_request().path, exc_info=error)
    return _refused(
        Refusal(
            "internal_error", "mockpets made a mistake; its log has what is needed to report it"
        )
    )


# --- Headers of every answer ------------------------------------------------------------------


def _finish(session: Session, delivery: Delivery, response: flask.Response) -> flask.Response:
    """Add what every answer carries: explanation, deprecation, caching and CORS; hand it over.

    :param session: for an answer whose request was refused before it had one, and a preflight.
    """
    request = current_request()
    if ORDER in request.environ:
        return response  # not ready
    headers = response.headers
    headers.setdefault("Cache-Control", "no-store")
    headers["X-Content-Type-Options"] = "nosniff"
    if request.path.startswith(CONTROL_PREFIX + "/"):
        cors.allow_local(request.headers, headers)
        return response
    if response.status_code == 401 and "WWW-Authenticate" not in headers:
        headers.add(*challenge(request))
    if request.exchange.operation == "getPet":
        _deprecate(request, response)
    _explain(request, response)
    cors.allow(request.headers, headers, preflight=request.method == "OPTIONS")
    exchange = request.exchange
    close = _breaks(request, exchange.session or session)
    if exchange.outcome is not NOTHING or close:
        gates = (exchange.session or session).gates
        delivery.deliver(response, request.environ, exchange.outcome, gates, close=close)
    return response


def _breaks(request: Request, session: Session) -> bool:
    """Whether a later request on the same connection may find it broken.

    Browsers quietly repeat a request whose reused connection breaks, so none is to be reused
    then: the page would not see the failure. A preflight does not carry the header that it asks
    leave for.
    """
    stack = request.exchange.stack
    if stack is not None and stack.breaks:
        return True
    asked = request.headers.get("Access-Control-Request-Headers", "").lower()
    return session.breaks or (request.method == "OPTIONS" and SCENARIO_HEADER.lower() in asked)


def _deprecate(request: Request, response: flask.Response) -> None:
    """Say that the operation is deprecated, since when, until when, and what to use instead."""
    prefix = request.root_path
    response.headers.setdefault("Deprecation", DEPRECATION)
    response.headers.setdefault("Sunset", SUNSET)
    response.headers.setdefault(
        "Link",
        f'<{prefix}{PETS_PATH}>; rel="successor-version", '
        f'<{prefix}{DOCS_PATH}>; rel="deprecation"; type="text/html"',
    )


def _explain(request: Request, response: flask.Response) -> None:
    """Say who answered, why, and how long it took."""
    exchange, headers = request.exchange, response.headers
    if exchange.session is not None:
        headers[SESSION_HEADER] = exchange.session.name
    if exchange.session is not None and exchange.stack is not None:
        headers[SCENARIO_HEADER] = ", ".join(exchange.stack.names)
        headers[STUB_HEADER] = ", ".join(exchange.outcome.stubs) or "-"
        if exchange.stack.by_chance:
            headers[SEED_HEADER] = str(exchange.session.seed)
    reason = _off_contract(request, response.status_code)
    if reason is not None:
        headers[OFF_CONTRACT_HEADER] = reason
    took = (perf_counter() - exchange.started) * 1000
    delay = exchange.outcome.delay
    late = f", delay;dur={delay * 1000:.0f}" if delay else ""
    headers["Server-Timing"] = f"app;dur={took:.2f}{late}"


def _off_contract(request: Request, status: int) -> str | None:
    """Return why the contract does not know an answer, or None when it does."""
    exchange = request.exchange
    outcome = exchange.outcome
    if outcome.fault is not None:
        return f"fault {outcome.fault}"
    if outcome.reply is not None:
        return outcome.reply.off_contract
    if exchange.operation is None:
        return "the contract has no such operation"
    if status in RESPONSES[exchange.operation]:
        return None
    return f"status {status} is not listed for {exchange.operation}"
