"""Names for the sessions of visitors: each comes from an address, and does not give it away."""

from __future__ import annotations

import re
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address
from typing import Final

_HASH_BYTES: Final = 12


def visitor_name(address: str, secret: bytes) -> str:
    """Return a session name for whoever calls from an address, that does not tell the address.

    An IPv6 visitor has a network of 64 bits to choose addresses from (RFC 4291, 2.5.4), so that
    network counts as one.

    :param address: of a peer or, behind a trusted proxy, the forwarded one; anything else, a Unix
        socket's say, is taken as text.
    :param secret: random, at most 64 bytes; without it, trying all addresses would find the one.
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
    """Whether a session's name is one that `visitor_name` makes."""
    return re.fullmatch(f"v-[0-9a-f]{{{2 * _HASH_BYTES}}}", name) is not None
