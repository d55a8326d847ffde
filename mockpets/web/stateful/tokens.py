"""Tokens that name a person: JSON Web Tokens (RFC 7519) without a real signature."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache
from typing import Final

from mockpets.constants import LOGIN_SIGNATURE
from mockpets.errors import RequestError
from mockpets.strict_json import dump_json, parse_json

_KEPT: Final = 256
"""The tokens that are kept, and the characters of the longest key whose token is."""


def token_of(key: object) -> str:
    """Return the token of the person with a key."""
    text = str(key)
    return _token_of(text) if len(text) <= _KEPT else _token_of.__wrapped__(text)


@lru_cache(_KEPT)
def _token_of(key: str) -> str:
    head, claims = {"alg": "HS256", "typ": "JWT"}, {"sub": key, "exp": 4102444800}
    parts = [urlsafe_b64encode(dump_json(part)).decode().rstrip("=") for part in (head, claims)]
    return ".".join([*parts, LOGIN_SIGNATURE])


@lru_cache(_KEPT)
def key_of_token(token: str) -> str:
    """Return the key of the person whom a token names; empty for another text."""
    _, _, rest = token.partition(".")
    try:
        claims = parse_json(urlsafe_b64decode(rest.partition(".")[0].encode() + b"=="))
    except (ValueError, RequestError):
        return ""
    return str(claims.get("sub", "")) if isinstance(claims, dict) else ""
