"""Which headers and query parameters hold secrets, and the text that stands in for their values.

A leaf. What a name is like decides, never what its value is like: a rule that people can know.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

REDACTED: Final = "[redacted]"

_SECRET: Final = re.compile(
    # A challenge is how a client learns what a server wants; there is nothing to hide in it.
    r"(?!(?:www|proxy)-authenticate$)"
    r"(?:.*(?:token|secret|password|auth|api[-_]?key)|(?:set-)?cookie$)",
    re.IGNORECASE | re.DOTALL,
)


@lru_cache(maxsize=256)  # clients send the same few names again and again
def is_secret(name: str) -> bool:
    """Whether values under this name, in any case, are secrets."""
    return _SECRET.match(name) is not None


def redacted_target(target: str) -> str:
    """Return a request's target, or any text with a URL in it, without secrets in its query."""
    path, mark, query = target.partition("?")
    return f"{path}?{'&'.join(map(_redacted_pair, query.split('&')))}" if mark else target


def _redacted_pair(pair: str) -> str:
    """Return ``name=value`` as it is, or with its value hidden."""
    name, equals, value = pair.partition("=")
    if equals and (is_secret(unquote(name) if "%" in name else name) or _leads_on(value)):
        return f"{name}={REDACTED}"
    return pair


def _leads_on(value: str) -> bool:
    """Whether a value may be a URL with secrets in its query, such as one to return to."""
    inner = unquote(value) if "%" in value else value
    return "?" in inner and _SECRET.match(inner) is not None
