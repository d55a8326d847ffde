"""File descriptors: every connection needs one, and a process may have only so many."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

try:
    import resource
except ImportError:  # Windows, which has no such limit
    resource = None  # type: ignore[assignment]  # checked before each use

_RESERVED: Final = 40
"""Descriptors for what else is open: listening sockets, the poller, the state file, the files that
the server reads, and those that it was started with."""


def raise_limit(connections: int) -> None:
    """Let this process open enough descriptors for a number of connections, if it may.

    Shells start programs with a low soft limit, such as 256 on macOS.
    """
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _RESERVED
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # the system has another limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def connections_left(connections: int) -> int:
    """Return how many connections this process can have open, at most a number and at least 1."""
    if resource is None:
        return connections
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return connections
    return max(min(connections, soft - _RESERVED), 1)
