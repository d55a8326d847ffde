"""Session names for visitors, derived from their address without revealing it."""

from __future__ import annotations

import re
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address
from typing import Final

_PREFIXES: Final = (64, 56, 48)
"""The bits of the IPv6 network that one visitor can choose from (RFC 4291, 2.5.4), and of those
that providers assign to one customer (RFC 6177)."""
_HASH_BYTES: Final = 12


def visitor_name(address: str, secret: bytes) -> str:
    """Return the first of `visitor_names`: the name of the visitor's session."""
    return _name(_keys(address)[0], secret)


def visitor_names(address: str, secret: bytes) -> tuple[str, ...]:
    """Return the name of a visitor, then for IPv6 those of its networks of 56 and 48 bits.

    :param address: the peer's address or, behind a trusted proxy, the forwarded one. Anything else,
        such as that of a Unix socket, is used as text.
    :param secret: random, at most 64 bytes; it prevents finding the address by trying all of them.
    """
    return tuple(_name(key, secret) for key in _keys(address))


def _keys(address: str) -> list[bytes]:
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return [b"text" + address.encode("utf-8", "surrogatepass")]
    if isinstance(parsed, IPv6Address):
        parsed = parsed.ipv4_mapped or parsed
    if parsed.version == 4:
        return [parsed.packed]
    return [parsed.packed[: bits // 8] for bits in _PREFIXES]


def _name(key: bytes, secret: bytes) -> str:
    return "v-" + blake2b(key, key=secret, digest_size=_HASH_BYTES).hexdigest()


def is_unguessable(name: str) -> bool:
    """Return whether a name has the form that visitors may choose, which nobody can guess."""
    return re.fullmatch(r"v-[0-9a-f]{32}", name) is not None


def is_visitor(name: str) -> bool:
    """Return whether a session is a visitor's: its name is from `visitor_name`, or chosen."""
    return (
        is_unguessable(name) or re.fullmatch(f"v-[0-9a-f]{{{2 * _HASH_BYTES}}}", name) is not None
    )
