"""Recognise headers and query parameters that hold secrets, and redact their values.

Only the name decides, never the value, so that users can predict what is redacted. The scheme of
an Authorization header stays: tools that check recorded traffic look for it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

REDACTED: Final = "[redacted]"

_SECRET: Final = re.compile(
    # A challenge tells the client how to authenticate; it has no secret.
    r"(?!(?:www|proxy)-authenticate$)"
    r"(?:.*(?:token|secret|password|auth|api[-_]?key)|(?:set-)?cookie$)",
    re.IGNORECASE | re.DOTALL,
)


_WITH_SCHEME: Final = ("authorization", "proxy-authorization")
_SCHEME: Final = re.compile("(bearer|basic|digest) +[^ ]", re.IGNORECASE)
"""Of any other scheme, the first word may be the secret itself."""


@lru_cache(maxsize=256)  # clients send the same few names all the time
def is_secret(name: str) -> bool:
    """Return whether a header or parameter of this name, in any case, holds a secret."""
    return _SECRET.match(name) is not None


def redacted_secret(name: str, value: str) -> str:
    """Return what to record of a secret header: ``[redacted]``, ``Bearer [redacted]``."""
    scheme = _SCHEME.match(value)
    return f"{scheme[1]} {REDACTED}" if scheme and name.lower() in _WITH_SCHEME else REDACTED


def redacted_target(target: str) -> str:
    """Return a request target, or a text with a URL, with the secrets in its query redacted."""
    path, mark, query = target.partition("?")
    return f"{path}?{'&'.join(map(_redacted_pair, query.split('&')))}" if mark else target


def _redacted_pair(pair: str) -> str:
    """Return ``name=value`` with the value redacted if it is a secret."""
    name, equals, value = pair.partition("=")
    if equals and (is_secret(unquote(name) if "%" in name else name) or _has_nested_secret(value)):
        return f"{name}={REDACTED}"
    return pair


def _has_nested_secret(value: str) -> bool:
    """Return whether a value may be a URL with secrets in its query, such as a redirect target."""
    inner = unquote(value) if "%" in value else value
    return "?" in inner and _SECRET.match(inner) is not None
