"""Check the API key: bearer authentication as described in part 5 of the contract.

A key may also select the session and scenarios of its requests: ``KEY~worker-3+empty``. The exact
key is tried first, then the part before its last ``~``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import ACTIVE_NAME, BASE_MARK, SESSION_NAME
from mockpets.contract.error_messages import INVALID_KEY, KEY_HEADER, MISSING_KEY
from mockpets.errors import RequestError

if TYPE_CHECKING:
    from mockpets.settings import Settings
    from mockpets.web.messages import Request

REALM: Final = "mockpets"

_SELECTOR: Final = rf"(?:{SESSION_NAME})?(?:\+{ACTIVE_NAME})*"


class Key(NamedTuple):
    """The API key of a request; the selector follows its last ``~``."""

    given: bool
    valid: bool
    selector: str | None = None


_MISSING = Key(given=False, valid=False)
_INVALID = Key(given=True, valid=False)
_VALID = Key(given=True, valid=True)


def bearer(request: Request) -> str | None:
    """Return the token of ``Authorization: Bearer ...``, or None; the scheme ignores case."""
    scheme, _, key = request.environ.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


def read_key(request: Request, settings: Settings) -> Key:
    """Return the API key of a request, and whether it is valid."""
    key = bearer(request)
    if key is None:
        return _MISSING
    if key in settings.api_key:
        return _VALID
    before, mark, selector = key.rpartition(BASE_MARK)
    # If the server accepts any key, a `~` may be part of the key itself.
    is_selector = before in settings.api_key or (
        settings.any_key and before and re.fullmatch(_SELECTOR, selector, re.IGNORECASE)
    )
    if mark and is_selector:
        return Key(given=True, valid=True, selector=selector)
    return _VALID if settings.any_key else _INVALID


def challenge(*, given: bool) -> tuple[str, str]:
    """Return the header of a 401 (RFC 6750, 3), without an error code if the request has no key."""
    error = ', error="invalid_token"' if given else ""
    return ("WWW-Authenticate", f'Bearer realm="{REALM}"{error}')


def unauthorized(key: Key, request: Request, settings: Settings) -> RequestError:
    """Return the error for a request without a valid key."""
    message = INVALID_KEY if key.given else _missing(request, settings)
    return RequestError("unauthorized", message, [challenge(given=key.given)])


_OTHER_SCHEMES: Final = (
    *("ApiKey", "AWS4-HMAC-SHA256", "Basic", "Digest", "DPoP", "GNAP", "Hawk", "HOBA", "JWT"),
    *("Mutual", "Negotiate", "NTLM", "OAuth", "PrivateToken", "SCRAM-SHA-1", "SCRAM-SHA-256"),
    *("Token", "vapid"),
)
"""Schemes that a message may name; any other word could be the key itself. Source: IANA's registry
of HTTP authentication schemes, and those of frameworks."""
_OTHER_HEADERS: Final = ("X-API-Key", "Api-Key", "ApiKey", "X-Auth-Token")
"""Headers in which other services expect their key."""


def _missing(request: Request, settings: Settings) -> str:
    """Return how to fix a request without a bearer token; never what it has, maybe a secret."""
    authorization = request.environ.get("HTTP_AUTHORIZATION", "").strip()
    scheme = authorization.partition(" ")[0].lower()
    if authorization:
        key = "any token" if settings.any_key else "the API key"
        named = next((name for name in _OTHER_SCHEMES if name.lower() == scheme), "")
        got = f", got the scheme '{named}'" if named else ""
        return f"the Authorization header must have 'Bearer' and {key}{got}; send {KEY_HEADER}"
    for name in _OTHER_HEADERS:
        if request.headers.get(name):
            return f"the API key is missing; send it in the header {KEY_HEADER} instead of {name}"
    return MISSING_KEY
