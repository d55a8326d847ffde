"""The addresses of peers, clients and proxies."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

    Address = IPv4Address | IPv6Address
    Network = IPv4Network | IPv6Network


def parse_address(text: str) -> Address | None:
    """Return an address, or None for an invalid one. Some proxies add the port."""
    bare = re.sub(r"^\[(.*)\](?::[0-9]+)?$|^([0-9.]+):[0-9]+$", r"\1\2", text.strip())
    try:
        address = ip_address(bare)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_one_of(address: Address | None, networks: Sequence[Network]) -> bool:
    """Return whether an address is in one of the networks."""
    return address is not None and any(address in network for network in networks)


def client_of(address: str) -> str:
    """Return a name for all addresses that one client can choose from.

    For IPv6, these are the 64 bits of its network (RFC 4291, 2.5.4). What is not an address, such
    as that of a Unix socket, is a name itself.
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    return str(parsed) if parsed.version == 4 else f"{parsed.packed[:8].hex()}/64"
