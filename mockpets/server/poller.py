"""Wait for sockets with epoll, or with what `selectors` chooses on other platforms.

A socket is registered once, and again only when its events change, so a thousand idle connections
add nothing to the cost of a turn of the loop.
"""

from __future__ import annotations

import select
import selectors
import signal
import socket
from threading import RLock
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

# The values are those of epoll on Linux, and only names everywhere else.
READ: Final = 0x001
WRITE: Final = 0x004
ERROR: Final = 0x008 | 0x010
"""An error, or both directions are shut down; always reported."""
PEER_CLOSED: Final = 0x2000
"""The peer has sent its last byte; reported even if earlier bytes are still unread."""


_EVENTS: Final = ((selectors.EVENT_READ, READ), (selectors.EVENT_WRITE, WRITE))


class Handler(Protocol):
    """A socket that the loop watches. Its `fd` is -1 once it is closed."""

    fd: int

    @property
    def interest(self) -> int:
        """The events to watch for: any of `READ`, `WRITE` and `PEER_CLOSED`."""

    def handle(self, events: int) -> None:
        """React to events on the socket."""


class Poller:
    """Watches file descriptors on every platform; reports `PEER_CLOSED` only as `READ`."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._masks: dict[int, int] = {}

    def watch(self, fd: int, mask: int) -> None:
        """Watch an open descriptor for these events from now on, in place of earlier ones."""
        if self._masks.get(fd) == mask:
            return
        self.forget(fd)
        self._masks[fd] = mask
        if events := sum(event for event, flag in _EVENTS if mask & flag):
            self._selector.register(fd, events)

    def forget(self, fd: int) -> None:
        """Stop watching a descriptor. Call it before the descriptor is closed."""
        self._masks.pop(fd, None)
        if fd in self._selector.get_map():
            self._selector.unregister(fd)

    def wait(self, seconds: float | None) -> Sequence[tuple[int, int]]:
        """Return descriptors and their events.

        :param seconds: how long to wait for the first event; None for as long as it takes.
        """
        return [
            (key.fd, sum(flag for event, flag in _EVENTS if events & event))
            for key, events in self._selector.select(seconds)
        ]

    def close(self) -> None:
        """Close the poller's own descriptor."""
        self._selector.close()


class _Epoll(Poller):
    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._masks: dict[int, int] = {}

    def watch(self, fd: int, mask: int) -> None:
        known = self._masks.get(fd)
        if known == mask:
            return
        self._masks[fd] = mask
        if known is None:
            self._epoll.register(fd, mask)
        else:
            self._epoll.modify(fd, mask)

    def forget(self, fd: int) -> None:
        if self._masks.pop(fd, None) is not None:
            self._epoll.unregister(fd)

    def wait(self, seconds: float | None) -> Sequence[tuple[int, int]]:
        return self._epoll.poll(-1 if seconds is None else seconds)

    def close(self) -> None:
        self._epoll.close()


def make_poller() -> Poller:
    """Return the best poller that this platform has."""
    return _Epoll() if hasattr(select, "epoll") else Poller()


class Waker:
    """A `Handler` that ends a poller's wait from another thread or a signal handler."""

    interest = READ

    def __init__(self) -> None:
        self._receiver, self._sender = socket.socketpair()
        self._receiver.setblocking(False)
        self._sender.setblocking(False)  # as `signal.set_wakeup_fd` requires
        self.fd = self._receiver.fileno()
        self._earlier_signal_fd: int | None = None
        self._pending = False
        self._lock = RLock()  # reentrant: a signal handler may interrupt this very thread

    def wake(self) -> None:
        """Make the poller return; may be called at any time."""
        if self._pending:
            return
        self._pending = True
        with self._lock:
            if self.fd >= 0:  # else it is closed, and the descriptor may belong to another socket
                self._sender.send(b"\0")

    def watch_signals(self) -> None:
        """Let signals end the wait themselves until `close`; call it on the main thread.

        A handler alone is not enough: Python runs it on the main thread between two instructions,
        which it may not reach for as long as it waits. The signal may arrive just before the wait,
        or on another thread.
        """
        sender = self._sender.fileno()
        self._earlier_signal_fd = signal.set_wakeup_fd(sender, warn_on_full_buffer=False)

    def handle(self, events: int) -> None:  # noqa: ARG002 - READ is the only one
        """Read the bytes. The loop then makes the calls that are due."""
        self._receiver.recv(64)
        self._pending = False  # after reading: cleared before, it could swallow a later byte

    def close(self) -> None:
        """Close the sockets; `wake` does nothing from now on."""
        if self._earlier_signal_fd is not None:
            signal.set_wakeup_fd(self._earlier_signal_fd)
        with self._lock:
            self.fd = -1
            self._receiver.close()
            self._sender.close()
