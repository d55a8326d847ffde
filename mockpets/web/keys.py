"""The key check: bearer authentication as the contract's part 5 has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.constants import REALM
from mockpets.errors import Refusal

if TYPE_CHECKING:
    from mockpets.settings import Settings
    from mockpets.web.messages import Request

__all__ = ["bearer_key", "challenge", "check_key"]


def bearer_key(request: Request) -> str | None:
    """Return the key of ``Authorization: Bearer KEY``, the scheme in any case; None without one."""
    scheme, _, key = request.headers.get("Authorization", "").strip().partition(" ")
    return key.strip() if scheme.lower() == "bearer" and key.strip() else None


def challenge(request: Request) -> tuple[str, str]:
    """Return the header that goes with a 401 (RFC 6750, part 3).

    Without a key there is no error to name.
    """
    value = f'Bearer realm="{REALM}"'
    if bearer_key(request) is not None:
        value += ', error="invalid_token"'
    return ("WWW-Authenticate", value)


def check_key(request: Request, settings: Settings) -> None:
    """Let a request pass whose key is valid.

    :raise Refusal: ``unauthorized``, with the header to send in its message.
    """
    key = bearer_key(request)
    if key is not None and (settings.any_key or key in settings.api_key):
        return
    what = "The API key is missing" if key is None else "The API key is invalid"
    raise Refusal(
        "unauthorized",
        f"{what}. Send the header 'Authorization: Bearer <API_KEY>'; "
        "the key was shown where mockpets was started.",
        [challenge(request)],
    )
