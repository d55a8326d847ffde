"""What errors say: the Error body, and the words of those that a scenario leaves to us.

Source: pet-store-interface.md, parts 2 and 7.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from mockpets.constants import ERRORS
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Mapping

ERROR_MESSAGES: Final[dict[str, str]] = {
    "invalid_request": "The request was refused: the body misses required fields or has invalid "
    "values.",
    "unauthorized": "The API key is missing or invalid. Send it as "
    "'Authorization: Bearer <API_KEY>'.",
    "pet_not_found": "The animal could not be found.",
}
"""What a scenario's error says when the scenario does not say it."""


def error_body(
    code: str, message: str, status: int, details: Mapping[str, object] | None = None
) -> bytes:
    """Return the Error body (parts 2 and 7): exactly code, message and status.

    :param details: a fourth member, for errors of the control API.
    """
    body: dict[str, object] = {"code": code, "message": message, "status": status}
    if details is not None:
        body["details"] = details
    return dump_json(body) + b"\n"


def network_error(status: int) -> tuple[str, str]:
    """Return code and message for a 429 or 5xx, which the contract does not have but networks do.

    :param status: 429 or 500 to 599.
    """
    own = [code for code, known in ERRORS.items() if known == status]
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Server error"
    named = phrase.lower().replace(" ", "_").replace("-", "_")
    # Of two codes for one status (501), the one that says what the status says: the other is for
    # what the contract names but does not describe.
    code = named if named in own or not own else own[0]
    return code, f"{phrase}. A scenario answers so."
