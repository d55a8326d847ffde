"""The limits of the server as one value, so that tests can lower them."""

from __future__ import annotations

from dataclasses import dataclass

from mockpets.constants import (
    BODY_SECONDS,
    CONNECTIONS,
    DRAIN_SECONDS,
    HEAD_BYTES,
    HEAD_SECONDS,
    IDLE_SECONDS,
    LINGER_SECONDS,
    PARKED,
    SERVER_BODY_BYTES,
    WRITE_SECONDS,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are in bytes, times in seconds; `constants` describes them."""

    connections: int = CONNECTIONS
    parked: int = PARKED
    head_bytes: int = HEAD_BYTES
    body_bytes: int = SERVER_BODY_BYTES
    idle_seconds: float = IDLE_SECONDS
    head_seconds: float = HEAD_SECONDS
    body_seconds: float = BODY_SECONDS
    write_seconds: float = WRITE_SECONDS
    linger_seconds: float = LINGER_SECONDS
    drain_seconds: float = DRAIN_SECONDS
