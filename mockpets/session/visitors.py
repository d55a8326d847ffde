"""Session names for visitors, derived from their address without revealing it."""

from __future__ import annotations

import re
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address
from typing import Final, NamedTuple


class PublicNetwork(NamedTuple):
    """The limits of all visitors in one IPv6 network.

    :param bits: the length of its prefix.
    :param rates: how many times the rate of one visitor they have.
    :param sessions: the part of the sessions that they have.
    """

    bits: int
    rates: int
    sessions: float


PUBLIC_NETWORKS: Final = (PublicNetwork(56, 2, 1 / 16), PublicNetwork(48, 4, 1 / 4))
"""The networks that providers assign to one customer (RFC 6177). A visitor has 64 bits."""


_HASH_BYTES: Final = 12


def visitor_name(address: str, secret: bytes) -> str:
    """Return the session name of a visitor, which does not reveal the address.

    An IPv6 visitor can choose from a network of 64 bits (RFC 4291, 2.5.4), so all addresses of such
    a network get the same name. The parameters are those of `visitor_names`.
    """
    return _name(_keys(address)[0], secret)


def visitor_names(address: str, secret: bytes) -> tuple[str, ...]:
    """Return the name of a visitor, then for IPv6 those of its networks in `PUBLIC_NETWORKS`.

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
    return [
        parsed.packed[: bits // 8] for bits in (64, *(network.bits for network in PUBLIC_NETWORKS))
    ]


def _name(key: bytes, secret: bytes) -> str:
    return "v-" + blake2b(key, key=secret, digest_size=_HASH_BYTES).hexdigest()


def is_chosen(name: str) -> bool:
    """Return whether a name has the form that visitors may choose, which nobody can guess."""
    return re.fullmatch(r"v-[0-9a-f]{32}", name) is not None


def is_visitor(name: str) -> bool:
    """Return whether a session is a visitor's: its name is from `visitor_name`, or chosen."""
    return is_chosen(name) or re.fullmatch(f"v-[0-9a-f]{{{2 * _HASH_BYTES}}}", name) is not None
