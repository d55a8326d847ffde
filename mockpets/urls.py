"""URLs that a person passes: their parts, and how messages show them.

A leaf, since commands, settings, the client and the reports use it. Keep imports light: `use` and
`health` load this module.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from mockpets.constants import REDACTED

if TYPE_CHECKING:
    from urllib.parse import SplitResult

_USER: Final = re.compile(r"^(https?://)?.*(?:@|%40)", re.IGNORECASE | re.DOTALL)
"""A user name and password, and all before them but the scheme."""
_VALUE: Final = re.compile("([?&#](?:[^=&#]*=)?)[^&#]+")
"""A value in a query or fragment, such as the token in the URL of the panel."""
_UNCLEAN: Final = re.compile(r"[\s\x00-\x1f\x7f]")
"""What `urlsplit` drops or keeps, but no request line can have."""


def plain_url(text: str) -> SplitResult | None:
    """Return the parts of an absolute HTTP URL; None if the text is not one, or has a user name.

    Links and messages would repeat a user name and password, and browsers reject requests to them.
    """
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:  # such as half of an IPv6 address, or the port 99999
        return None
    is_plain = not _USER.search(parts.netloc) and not _UNCLEAN.search(text)
    return parts if parts.scheme in ("http", "https") and parts.hostname and is_plain else None


def has_user(text: str) -> bool:
    """Return whether a text may have a user name: an unencoded slash moves the end of the host."""
    return _USER.search(text) is not None


def shown_url(text: str) -> str:
    """Return what messages show of a text that should be a URL: no user name, password or token."""
    return _VALUE.sub(rf"\1{REDACTED}", _USER.sub(rf"\1{REDACTED}@", text))
