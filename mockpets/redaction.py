"""Recognise headers and query parameters that hold secrets, and redact their values.

Only the name decides, never the value, so that users can predict what is redacted. What stays: the
scheme of an Authorization header, which tools that check recorded traffic look for, the keys in
`baggage`, and the values of ours.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import REDACTED

if TYPE_CHECKING:
    from collections.abc import Callable

_WORD: Final = r"(?:token|secret|passw|passphrase|pwd|auth|jwt|api[-_. +]?key)"
_NAME: Final = re.compile(
    # A challenge tells the client how to authenticate; it has no secret.
    r"(?!(?:www|proxy)-authenticate$)"
    # `code` is OAuth's; a `zip_code` is no secret.
    rf"(?:.*{_WORD}|(?:set-)?cookie$|baggage$|code$|otp$)",
    re.IGNORECASE | re.DOTALL,
)
_PROPERTY: Final = re.compile(
    r".*(?:token|secret|passw(?:or)?d|passphrase|pwd|jwt|api[-_. ]?key|authorization|cookie"
    r"|credential)s?(?:[-_. ]?(?:value|text|hash))?",
    re.IGNORECASE | re.DOTALL,
)
# Texts are searched in lower case: ignoring the case takes three times as long.
_ANY: Final = re.compile(rf"{_WORD}|cookie|code|otp|@")
"""A target without a match has no secret."""
_INNER: Final = re.compile(
    # The end of a name is limited so that the search takes linear time.
    rf"{_WORD}[^=&?#]{{0,40}}=|[?&#](?:code|otp)=|//[^/?#\s]*@"
)
"""What makes the value of a parameter a secret: a query or a URL in it that has one itself."""
_INNER_WORD: Final = re.compile(_WORD)
_EQUALS: Final = re.compile("(=|%(?:25)*3d)", re.IGNORECASE)
_USER: Final = re.compile(r"//[^/?#\s]*@")
_ESCAPE: Final = re.compile("%(?:25)*([0-9a-fA-F]{2})")
"""A character that is encoded once, or again by each redirect through a login page."""

_WITH_SCHEME: Final = ("authorization", "proxy-authorization")
_SCHEME: Final = re.compile("(bearer|basic|digest) +[^ ]", re.IGNORECASE)
"""Of any other scheme, the first word may be the secret itself."""


@lru_cache(maxsize=256)  # clients send the same few names all the time
def is_secret(name: str) -> bool:
    """Return whether a header or parameter of this name, in any case, holds a secret."""
    return _NAME.match(name) is not None


def is_secret_property(name: str) -> bool:
    """Return whether a JSON property of this name has a secret, perhaps in objects or lists.

    Unlike a header or parameter, its value may be needed: `author`, `code` and `token_type` stay.
    """
    return _PROPERTY.fullmatch(name) is not None


def redacted(name: str, value: Any, has_secret: Callable[[str], bool] = is_secret) -> Any:
    """Return a value as the request log, its notes and explanations show it.

    Each value of a request or response passes through this function, or through `redacted_target`.

    :param name: of the header, parameter or property; empty for a text without a name.
    :param value: a text or a JSON value, whose properties have names of their own.
    :param has_secret: decides by the name; for JSON, `is_secret_property`.
    """
    is_hidden = has_secret(name)
    if isinstance(value, dict):
        return {
            key: redacted(name if is_hidden else key, item, has_secret)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [redacted(name, item, has_secret) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if is_hidden:
        return redacted_secret(name, str(value))
    return redacted_target(value) if isinstance(value, str) else value


def redacted_secret(name: str, value: str) -> str:
    """Return what to record of a secret header: ``[redacted]``, ``Bearer [redacted]``.

    Of `baggage`, which other programs fill too: ``userId=[redacted],mockpets.session=w1``.
    """
    if name.lower() == "baggage":
        return ",".join(map(_redacted_member, value.split(",")))
    scheme = _SCHEME.match(value)
    return f"{scheme[1]} {REDACTED}" if scheme and name.lower() in _WITH_SCHEME else REDACTED


def _redacted_member(member: str) -> str:
    """Return a member of `baggage`, with its value redacted unless the key is ours."""
    if member.strip(" \t").startswith("mockpets."):
        return member
    key, equals, _ = member.partition("=")
    return f"{key}{equals}{REDACTED}" if equals else REDACTED


def redacted_parameter(name: str, value: str) -> str:
    """Return the decoded value of a query parameter as `redacted_target` shows it."""
    return REDACTED if is_secret(name) or _has_inner_secret(_decoded(value)) else value


def redacted_target(target: str) -> str:
    """Return a request target, or a text with a URL, without secrets in query, fragment or user."""
    has_user = "@" in target
    if not has_user and "?" not in target and "#" not in target:
        return target
    if not _ANY.search(_decoded(target)):
        return target  # the common case
    if has_user:
        target = _USER.sub(f"//{REDACTED}@", target)
    if "#" in target:
        start, _, fragment = target.partition("#")
        return f"{redacted_target(start)}#{_redacted_pairs(fragment)}"
    path, mark, query = target.partition("?")
    return f"{path}?{_redacted_pairs(query)}" if mark else target


def _redacted_pairs(query: str) -> str:
    return "&".join(map(_redacted_pair, query.split("&")))


def _redacted_pair(pair: str) -> str:
    """Return ``name=value`` with the value redacted if it is a secret."""
    name, equals, value = pair.partition("=")
    if "%" in name:  # `token%3Dabc`, and `token%3Dabc=`, which URLSearchParams makes of it
        name, equals, value = (*_EQUALS.split(pair, maxsplit=1), "", "")[:3]
    if equals and (is_secret(_decoded(name)) or _has_inner_secret(_decoded(value))):
        return f"{name}{equals}{REDACTED}"
    return pair


def _has_inner_secret(value: str) -> bool:
    if "?" in value and _INNER_WORD.search(value):
        return True
    return _INNER.search(value) is not None


def _decoded(text: str) -> str:
    """Return a text in lower case without percent-encoding, as its last reader may see it."""
    if "%" in text:
        text = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
    return text.lower()
