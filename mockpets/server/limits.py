"""The limits of the server as one value, so that tests can lower them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockpets.constants import (
    BODIES_BYTES,
    BODY_SECONDS,
    CONNECTIONS,
    DRAIN_SECONDS,
    HEAD_BYTES,
    HEAD_SECONDS,
    IDLE_SECONDS,
    LINGER_BYTES,
    LINGER_SECONDS,
    PARKED,
    PUBLIC_SHARE,
    SERVER_BODY_BYTES,
    SLOW_SECONDS,
    WRITE_RATE,
    WRITE_SECONDS,
)
from mockpets.server.descriptors import connections_left

if TYPE_CHECKING:
    from mockpets.settings import Settings


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are in bytes, times in seconds; `constants` describes them.

    :param address_connections: the connections of one peer address, None for no limit.
    :param proxies: addresses and networks to which `address_connections` does not apply.
    """

    connections: int = CONNECTIONS
    address_connections: int | None = None
    proxies: tuple[str, ...] = ()
    parked: int = PARKED
    head_bytes: int = HEAD_BYTES
    body_bytes: int = SERVER_BODY_BYTES
    bodies_bytes: int = BODIES_BYTES
    linger_bytes: int = LINGER_BYTES
    idle_seconds: float = IDLE_SECONDS
    head_seconds: float = HEAD_SECONDS
    body_seconds: float = BODY_SECONDS
    write_seconds: float = WRITE_SECONDS
    write_rate: float = WRITE_RATE
    slow_seconds: float = SLOW_SECONDS
    linger_seconds: float = LINGER_SECONDS
    drain_seconds: float = DRAIN_SECONDS


def limits_for(settings: Settings) -> Limits:
    """Return the limits of a server with these settings; call it when its sockets are open."""
    connections = connections_left(CONNECTIONS)
    return Limits(
        connections=connections,
        address_connections=max(connections // PUBLIC_SHARE, 1) if settings.public else None,
        proxies=settings.behind_proxy,
        # Half of the places, as by default: parked responses cannot make room for others.
        parked=min(PARKED, connections // 2),
    )
