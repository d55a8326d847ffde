"""Turn exceptions into responses: the only place that makes the app's Error bodies."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from werkzeug.exceptions import HTTPException

from mockpets.constants import CONTROL_PREFIX, MCP_PATH, SERVER_LIMIT_ERRORS, VISITOR_RESET_PATH
from mockpets.contract.error_body import error_body
from mockpets.contract.rpc import rejection
from mockpets.errors import RequestError
from mockpets.web.messages import Response
from mockpets.web.public_mode import for_visitor
from mockpets.web.unmatched import not_found_message

if TYPE_CHECKING:
    from mockpets.constants import ErrorCode
    from mockpets.contract.model import Contracts
    from mockpets.web.messages import Request
    from mockpets.web.public_mode import VisitorSessions

_log: Final = logging.getLogger("mockpets")
_BUG: Final = "internal error in mockpets; the log has the details"


def error_response(
    request: Request, error: Exception, contracts: Contracts, visitors: VisitorSessions | None
) -> Response:
    """Return the response to an exception, and note its code with the request.

    :param visitors: log the limits that they reach, and get messages of their own.
    """
    known = _request_error(request, error, contracts)
    request.error_code = known.code
    if known.code in SERVER_LIMIT_ERRORS:
        request.limit_code = known.code
        request.notes.append(("server_limit", f"{known.code}: {known.message}"))
    if visitors is not None and _is_for_visitors(request.path, known):
        visitors.log_limit(known)
        known = for_visitor(known, visitors.records_word)
    if request.path == MCP_PATH:
        body = rejection(known)
    else:
        body = error_body(known.code, known.message, known.status, known.details)
    return Response(body, known.status, known.headers)


def _is_for_visitors(path: str, error: RequestError) -> bool:
    is_control = path.startswith(CONTROL_PREFIX) and path != VISITOR_RESET_PATH
    return not is_control or error.code == "not_found"


def _request_error(request: Request, error: Exception, contracts: Contracts) -> RequestError:
    """Return the error that a client sees; the log gets the details of a bug."""
    if isinstance(error, RequestError):
        return error
    if not isinstance(error, HTTPException):
        _log.error("internal error on %r", request.path, exc_info=error)
        return RequestError("internal_error", _BUG)
    if error.code == 404:  # a path with a line break
        message = not_found_message(request.path, contracts, request.root_path)
        return RequestError("not_found", message)
    # An error in reading the body.
    code: ErrorCode = "payload_too_large" if error.code == 413 else "invalid_request"
    return RequestError(code, error.description or error.name)
