"""The limits of the server as one value, so that tests can lower them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockpets.constants import CONNECTIONS, HEAD_BYTES, SERVER_BODY_BYTES, WAITING_RESPONSES
from mockpets.server.descriptors import connections_left

if TYPE_CHECKING:
    from mockpets.settings import Settings


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of one server; sizes are in bytes, times in seconds.

    :param address_connections: the connections of one peer address, None for no limit.
    :param proxies: addresses and networks to which `address_connections` does not apply.
    """

    connections: int = CONNECTIONS
    address_connections: int | None = None
    proxies: tuple[str, ...] = ()
    parked: int = WAITING_RESPONSES
    head_bytes: int = HEAD_BYTES
    body_bytes: int = SERVER_BODY_BYTES
    bodies_bytes: int = 32 * 1024 * 1024
    """Maximum size of all bodies together that have not arrived completely."""
    idle_seconds: float = 20.0
    """How long a connection may stay open without a request in progress."""
    head_seconds: float = 10.0
    """How long the head of a request may take to arrive, from its first byte."""
    body_seconds: float = 20.0
    """How long a body may take to arrive, from the end of its head."""
    write_seconds: float = 30.0
    """How far a client may fall behind `write_rate` before its connection is closed."""
    write_rate: float = 1024
    """The bytes per second that a client must take of responses that wait for it."""
    slow_seconds: float = 3.0
    """How long responses may wait for a client before its connection may make room for others."""
    linger_seconds: float = 2.0
    """How long a client may send after its last response, which a reset could lose."""
    linger_bytes: int = 16 * 1024 * 1024
    """How much a client may send in that time; all of it is discarded."""
    drain_seconds: float = 5.0
    """How long clients may take to read their last responses when the server stops."""


def limits_for(settings: Settings) -> ServerLimits:
    """Return the limits of a server with these settings."""
    connections, part = connections_left(CONNECTIONS), settings.limits.address_part
    return ServerLimits(
        connections=connections,
        address_connections=part and max(connections // part, 1),
        proxies=settings.behind_proxy,
        # Half of the places, as by default: parked responses cannot make room for others.
        parked=min(WAITING_RESPONSES, connections // 2),
    )
