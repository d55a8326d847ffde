"""Session names for visitors, derived from their address without revealing it."""

from __future__ import annotations

import re
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address
from typing import Final

_HASH_BYTES: Final = 12


def visitor_name(address: str, secret: bytes) -> str:
    """Return the session name of a visitor, which does not reveal the address.

    An IPv6 visitor can choose from a network of 64 bits (RFC 4291, 2.5.4), so all addresses of such
    a network get the same name.

    :param address: the peer's address or, behind a trusted proxy, the forwarded one. Anything else,
        such as that of a Unix socket, is used as text.
    :param secret: random, at most 64 bytes; it prevents finding the address by trying all of them.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        key = b"text" + address.encode("utf-8", "surrogatepass")
    else:
        if isinstance(parsed, IPv6Address):
            parsed = parsed.ipv4_mapped or parsed
        key = parsed.packed[:8]
    return "v-" + blake2b(key, key=secret, digest_size=_HASH_BYTES).hexdigest()


def is_visitor(name: str) -> bool:
    """Return whether a session's name comes from `visitor_name`."""
    return re.fullmatch(f"v-[0-9a-f]{{{2 * _HASH_BYTES}}}", name) is not None
