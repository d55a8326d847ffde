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
from mockpets.web.unmatched import not_found_message

if TYPE_CHECKING:
    from mockpets.admission import Admission
    from mockpets.constants import ErrorCode
    from mockpets.contract.contract_model import Contracts
    from mockpets.web.messages import Request

_log: Final = logging.getLogger("mockpets")
_BUG: Final = "internal error in mockpets; the log has the details"


def error_response(
    request: Request, error: Exception, contracts: Contracts, admission: Admission
) -> Response:
    """Return the response to an exception, and note its code with the request.

    :param admission: has the messages for clients that do not use the control API.
    """
    known = _request_error(request, error, contracts)
    request.error_code = known.code
    if known.code in SERVER_LIMIT_ERRORS:
        request.limit_code = known.code
        request.notes.append(("server_limit", f"{known.code}: {known.message}"))
    path = request.path
    is_control = path.startswith(CONTROL_PREFIX) and path != VISITOR_RESET_PATH
    if not is_control or known.code == "not_found":
        known = admission.reword(known)
    if path == MCP_PATH:
        body = rejection(known)
    else:
        body = error_body(known.code, known.message, known.status, known.details)
    return Response(body, known.status, known.headers)


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
