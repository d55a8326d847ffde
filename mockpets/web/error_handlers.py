"""Turn what a view raises into a response: the one place that makes the app's Error bodies."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from werkzeug.exceptions import BadHost, HTTPException

from mockpets.contract.error_body import error_body
from mockpets.errors import NotReady, RequestError
from mockpets.web.exchange import Response, current_request
from mockpets.web.not_found import not_found_message
from mockpets.wsgi_extension import ORDER, DeliveryOrder

if TYPE_CHECKING:
    import flask

    from mockpets.constants import ErrorCode

_log: Final = logging.getLogger("mockpets")
_HTTP_CODES: Final[dict[int, ErrorCode]] = {
    404: "not_found",
    405: "method_not_allowed",
    413: "payload_too_large",
}


def add_error_handlers(app: flask.Flask) -> None:
    """Register a handler for every kind of exception that a view may raise."""
    app.register_error_handler(RequestError, _request_error)
    app.register_error_handler(NotReady, _not_ready)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)


def _request_error(refusal: RequestError) -> Response:
    """Return the answer that a refusal is."""
    body = error_body(refusal.code, refusal.message, refusal.status, refusal.details)
    return Response(body, refusal.status, list(refusal.headers))


def _not_ready(later: NotReady) -> Response:
    """Have a job done and the request asked again; what is returned here is not sent."""
    current_request().environ[ORDER] = DeliveryOrder(job=later.job)
    return Response(status=503)


def _http_error(error: HTTPException) -> Response:
    """Return our answer for an error that Flask or Werkzeug found."""
    code = _HTTP_CODES.get(error.code or 500, "invalid_request")
    said = error.description or error.name
    if code == "not_found":
        request = current_request()
        said = not_found_message(request.path, request.root_path)
    elif isinstance(error, BadHost):
        said = "the Host header is no host name or address"
    return _request_error(RequestError(code, said))


def _unexpected(error: Exception) -> Response:
    """Answer a mistake of ours: nothing of it reaches the client, all of it the log."""
    _log.error("internal error on %r", current_request().path, exc_info=error)
    return _request_error(
        RequestError(
            "internal_error", "mockpets made a mistake; its log has what is needed to report it"
        )
    )
