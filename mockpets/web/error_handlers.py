"""Turn exceptions into responses: the only place that makes the app's Error bodies."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from werkzeug.exceptions import HTTPException, InternalServerError

from mockpets.constants import CONTROL_PREFIX, MCP_PATH, SERVER_LIMIT_ERRORS, VISITOR_RESET_PATH
from mockpets.contract.error_body import error_body
from mockpets.contract.rpc import rejection
from mockpets.errors import NeedsBody, NotReady, RequestError
from mockpets.web.exchange import Response, current_request
from mockpets.web.public_mode import for_visitor
from mockpets.web.unmatched import not_found_message
from mockpets.wsgi_extension import JOB_RESULTS, ORDER, AwaitBody, RunJob

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.constants import ErrorCode
    from mockpets.web.flask_app import App
    from mockpets.web.public_mode import VisitorSessions

_log: Final = logging.getLogger("mockpets")
_BUG: Final = "internal error in mockpets; the log has the details"


def add_error_handlers(app: App, visitors: VisitorSessions | None = None) -> None:
    """Register a handler for every exception; `visitors` logs the limits that they reach."""
    handle = _request_error if visitors is None else partial(_visitor_error, visitors)
    app.register_error_handler(RequestError, handle)
    app.register_error_handler(NotReady, _not_ready)
    app.register_error_handler(NeedsBody, _needs_body)
    app.register_error_handler(HTTPException, partial(_http_error, app))
    app.register_error_handler(Exception, _unexpected)


def _visitor_error(visitors: VisitorSessions, error: RequestError) -> Response:
    """Return the response to an error, with a message for visitors outside the control API."""
    path = current_request().path
    is_control = path.startswith(CONTROL_PREFIX) and path != VISITOR_RESET_PATH
    if is_control and error.code != "not_found":
        return _request_error(error)
    visitors.log_limit(error)
    return _request_error(error, for_visitor(error, visitors.records_word))


def _request_error(error: RequestError, shown: RequestError | None = None) -> Response:
    """Note an error in the exchange, and return the response to it, or to the one to show."""
    request = current_request()
    exchange = request.exchange
    exchange.code = error.code
    if error.code in SERVER_LIMIT_ERRORS:
        exchange.limit = error.code
        exchange.notes.append(("server_limit", f"{error.code}: {error.message}"))
    shown = shown or error
    if request.path == MCP_PATH:
        body = rejection(shown)
    else:
        body = error_body(shown.code, shown.message, shown.status, shown.details)
    return Response(body, shown.status, shown.headers)


def _not_ready(error: NotReady) -> Response:
    """Order the server to run a job and call the app again; this response is never sent.

    If a job of this request has failed, return a 500 instead, which says what failed.
    """
    request = current_request()
    environ = request.environ
    for result in environ.get(JOB_RESULTS, ()):
        if isinstance(result, RequestError):
            return _request_error(result)
    environ[ORDER] = RunJob(partial(_run_job, error.job, error.what), request.exchange.name)
    return Response(status=503)


def _run_job(job: Callable[[], object], what: str) -> object:
    """Return the result of a job, or an error if it raised an exception, which is logged."""
    try:
        return job()
    except RequestError as failed:  # such as too little memory for the records
        return failed
    except MemoryError:
        _log.exception("%s failed", what)
        fix = "the server has too little memory; send or request less at once, or give it more"
    except Exception:  # noqa: BLE001 - a job may fail in any way
        _log.exception("%s failed", what)
        fix = "this is a bug in mockpets; report it with the traceback in the log"
    return RequestError("internal_error", f"{what} failed: {fix}")


def _needs_body(_: NeedsBody) -> Response:
    """Order the server to call the app again with the body; this response is never sent."""
    current_request().environ[ORDER] = AwaitBody()
    return Response(status=503)


def _http_error(app: App, error: HTTPException) -> Response:
    """Return the response to a bug, a path with a line break, or an error in reading the body."""
    if error.code == 404:
        request = current_request()
        message = not_found_message(request.path, app.contracts, request.root_path)
        return _request_error(RequestError("not_found", message))
    if isinstance(error, InternalServerError):  # a bug after the view, which Flask has logged
        return _request_error(RequestError("internal_error", _BUG))
    code: ErrorCode = "payload_too_large" if error.code == 413 else "invalid_request"
    return _request_error(RequestError(code, error.description or error.name))


def _unexpected(error: Exception) -> Response:
    """Return a 500 for a bug; its details go to the log and never to the client."""
    _log.error("internal error on %r", current_request().path, exc_info=error)
    return _request_error(RequestError("internal_error", _BUG))
