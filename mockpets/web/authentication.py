"""The key check: bearer authentication as the contract's part 5 has it.

A key may carry the session and the scenarios of its requests: ``KEY~worker-3+empty``. The exact key
is tried first, then what stands before its last ``~``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import BASE_MARK, REALM, SCENARIO_NAME, SESSION_NAME
from mockpets.errors import RequestError

if TYPE_CHECKING:
    from mockpets.settings import Settings
    from mockpets.web.exchange import Request

_SELECTOR: Final = rf"(?:{SESSION_NAME})?(?:\+{SCENARIO_NAME})*"


class Key(NamedTuple):
    """What a request has for a key.

    :param given: whether there is one.
    :param valid: whether it is one of the server's.
    :param selector: what follows the last ``~`` of a valid key that is not a whole one.
    """

    given: bool
    valid: bool
    selector: str | None = None


_MISSING = Key(given=False, valid=False)
_INVALID = Key(given=True, valid=False)
_VALID = Key(given=True, valid=True)


def bearer(request: Request) -> str | None:
    """Return what stands in ``Authorization: Bearer ...``, the scheme in any case."""
    scheme, _, key = request.environ.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
    return key.strip() if scheme.lower() == "bearer" and key.strip() else None


def read_key(request: Request, settings: Settings) -> Key:
    """Return what is known of a request's key."""
    key = bearer(request)
    if key is None:
        return _MISSING
    if key in settings.api_key:
        return _VALID
    before, mark, selector = key.rpartition(BASE_MARK)
    # Where any key will do, a `~` may be part of it.
    meant = before in settings.api_key or (
        settings.any_key and before and re.fullmatch(_SELECTOR, selector.lower())
    )
    if mark and meant:
        return Key(given=True, valid=True, selector=selector)
    return _VALID if settings.any_key else _INVALID


def challenge(*, given: bool) -> tuple[str, str]:
    """Return the header that goes with a 401 (RFC 6750, part 3).

    :param given: a key was sent; without one there is no error to name.
    """
    error = ', error="invalid_token"' if given else ""
    return ("WWW-Authenticate", f'Bearer realm="{REALM}"{error}')


def unauthorized(key: Key) -> RequestError:
    """Return the rejection of a request without a valid key, with the header to send."""
    what = "The API key is invalid" if key.given else "The API key is missing"
    return RequestError(
        "unauthorized",
        f"{what}. Send the header 'Authorization: Bearer <API_KEY>'; "
        "the key was shown where mockpets was started.",
        [challenge(given=key.given)],
    )
