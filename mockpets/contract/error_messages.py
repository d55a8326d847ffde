"""The messages of errors that operations and scenarios share, so that both have the same text."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from mockpets.constants import BODY_BYTES

if TYPE_CHECKING:
    from mockpets.constants import ErrorCode

KEY_HEADER: Final = "'Authorization: Bearer <API_KEY>'"
MISSING_KEY: Final = (
    f"the API key is missing; send the header {KEY_HEADER}; mockpets printed the key when it "
    "started"
)
INVALID_KEY: Final = f"the API key is invalid; send a valid key in the header {KEY_HEADER}"
BODY_TOO_LARGE: Final = f"the body is too large; send at most {BODY_BYTES // 1024} KiB"
TOO_MANY_PARKED: Final = (
    "too many responses are already delayed, throttled or held; try again later"
)
SESSION_PARKED: Final = (
    "session '{name}' has too many delayed, throttled or held responses: one session may have at "
    "most half of the places that the others leave free; open its gates, or wait for its responses"
)
NO_CONNECTION_FAULTS: Final = "connection faults are disabled: the server runs with --public"
RESOURCE_MESSAGES: Final[dict[ErrorCode, str]] = {
    "not_found": "the record could not be found",
    "method_not_allowed": "the method is not allowed on this path",
    "conflict": "the record conflicts with another one",
    "payload_too_large": BODY_TOO_LARGE,
}
"""The messages of a stub that sends an error of resources without a message of its own."""


def store_full(limit: int, what: str) -> str:
    """Return the message for a record beyond the limit of those that requests add."""
    return (
        f"requests can add at most {limit} {what}; delete some, reset the session, or start the "
        "server with a higher --max-records"
    )


def from_network(status: int) -> bool:
    """Return whether networks send a status, whether or not the contract has it."""
    return status == 429 or status >= 500


def network_error(status: int) -> tuple[str, str]:
    """Return code and message for a 429 or 5xx, which the contract does not define."""
    phrase = next((known.phrase for known in HTTPStatus if known == status), "")
    # The name of the status, never a code of `SERVER_LIMIT_ERRORS`: a client can tell the stub's
    # response from that of a server which has reached a limit.
    code = phrase.lower().replace(" ", "_").replace("-", "_") or "server_error"
    return code, f"a scenario returned {status} {phrase}".rstrip()
