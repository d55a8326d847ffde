"""Wait for sockets: epoll where there is one, else what `selectors` finds.

A socket is registered once and again only when what it is watched for changes, so that a thousand
idle connections cost a turn of the loop nothing.
"""

from __future__ import annotations

import select
import selectors
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

# The values are those of epoll on Linux, and only names everywhere else.
READ: Final = 0x001
WRITE: Final = 0x004
BROKEN: Final = 0x008 | 0x010
"""An error, or both directions are shut; told of without being asked."""
LEFT: Final = 0x2000
"""The peer has sent its last byte, told even where bytes before it are still unread."""


class Poller(Protocol):
    """Knows what each descriptor is watched for."""

    def watch(self, fd: int, mask: int) -> None:
        """Watch an open descriptor for this, `READ`, `WRITE` and `LEFT` or'ed, from now on."""
        ...

    def forget(self, fd: int) -> None:
        """Watch it no more; it is closed next."""
        ...

    def wait(self, seconds: float | None) -> Sequence[tuple[int, int]]:
        """Return descriptors with what has happened to each, after so long at most."""
        ...

    def close(self) -> None:
        """Give back what the poller itself has open."""
        ...


class _Epoll:
    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._known: set[int] = set()

    def watch(self, fd: int, mask: int) -> None:
        if fd in self._known:
            self._epoll.modify(fd, mask)
        else:
            self._epoll.register(fd, mask)
            self._known.add(fd)

    def forget(self, fd: int) -> None:
        if fd in self._known:
            self._known.remove(fd)
            self._epoll.unregister(fd)

    def wait(self, seconds: float | None) -> Sequence[tuple[int, int]]:
        return self._epoll.poll(-1 if seconds is None else seconds)

    def close(self) -> None:
        self._epoll.close()


class AnyPoller:
    """The poller of every platform; `LEFT` it can only tell by `READ`."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def watch(self, fd: int, mask: int) -> None:
        """Watch a descriptor."""
        events = (selectors.EVENT_READ if mask & READ else 0) | (
            selectors.EVENT_WRITE if mask & WRITE else 0
        )
        self.forget(fd)
        if events:
            self._selector.register(fd, events)

    def forget(self, fd: int) -> None:
        """Watch it no more."""
        if fd in self._selector.get_map():
            self._selector.unregister(fd)

    def wait(self, seconds: float | None) -> Sequence[tuple[int, int]]:
        """Return what has happened."""
        return [
            (
                key.fd,
                (READ if events & selectors.EVENT_READ else 0)
                | (WRITE if events & selectors.EVENT_WRITE else 0),
            )
            for key, events in self._selector.select(seconds)
        ]

    def close(self) -> None:
        """Give back what it has open."""
        self._selector.close()


def make_poller() -> Poller:
    """Return the best poller that this platform has."""
    return _Epoll() if hasattr(select, "epoll") else AnyPoller()
