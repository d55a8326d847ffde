"""The names of visitors' sessions."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from mockpets.addresses import client_of

_CHOSEN: Final = "v-[0-9a-f]{32}"
_OF_ADDRESS: Final = "v-[0-9a-f]{24}"
_DIGIT: Final = "(?:[0-9a-f]|%3[0-9]|%[46][1-6])"
_IN_TEXT: Final = re.compile(f"((?:v|%[57]6)(?:-|%2d){_DIGIT}{{8}}){_DIGIT}{{24}}", re.IGNORECASE)
"""A chosen name, maybe percent-encoded."""


def name_of(address: str, secret: bytes) -> str:
    """Return the name of the session of an address, which does not reveal the address.

    :param secret: random, at most 64 bytes; it prevents finding the address by trying all of them.
    """
    client = client_of(address).encode("utf-8", "surrogatepass")
    return "v-" + blake2b(client, key=secret, digest_size=12).hexdigest()


def is_chosen(name: str) -> bool:
    """Return whether a name has the form that visitors may choose, which nobody can guess."""
    return re.fullmatch(_CHOSEN, name) is not None


def is_visitor(name: str) -> bool:
    """Return whether a session is a visitor's: its name is from `name_of`, or chosen."""
    return is_chosen(name) or re.fullmatch(_OF_ADDRESS, name) is not None


def shortened(text: str) -> str:
    """Return a text with the chosen names in it shortened, as in ``v-0123abcd...``.

    Any client that knows a whole name can use the session.
    """
    return _IN_TEXT.sub(r"\1...", text)
