"""The Error body, and the default messages for errors that a scenario returns.

Source: pet-store-interface.md, parts 2 and 7.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Mapping

ERROR_MESSAGES: Final[dict[str, str]] = {
    "invalid_request": "The request was rejected: the body is missing required fields or has "
    "invalid values.",
    "unauthorized": "The API key is missing or invalid. Send it as "
    "'Authorization: Bearer <API_KEY>'.",
    "pet_not_found": "The animal could not be found.",
}
"""The default messages of errors in a scenario."""


def error_body(
    code: str, message: str, status: int, details: Mapping[str, object] | None = None
) -> bytes:
    """Return the Error body (parts 2 and 7): exactly code, message and status.

    :param details: a fourth property, for errors of the control API.
    """
    body: dict[str, object] = {"code": code, "message": message, "status": status}
    if details is not None:
        body["details"] = details
    return dump_json(body) + b"\n"


def network_error(status: int) -> tuple[str, str]:
    """Return code and message for a 429 or 5xx, which the contract does not define.

    :param status: 429 or 500 to 599.
    """
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    # The name of the status, never a code of `SERVER_LIMIT_ERRORS`: a client can tell the stub's
    # response from that of a server which has reached a limit.
    code = phrase.lower().replace(" ", "_").replace("-", "_") or "server_error"
    return code, f"a scenario returned {status} {phrase}".rstrip()
