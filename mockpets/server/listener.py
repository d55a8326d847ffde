"""Accept connections; at the limit, close the one that has waited longest for a request."""

from __future__ import annotations

import errno
import logging
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from waitress.adjustments import Adjustments

from mockpets.server.channel import Channel
from mockpets.server.connection import Endpoint
from mockpets.server.poller import READ
from mockpets.server.scheduler import IDENT

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from mockpets.server.connection import Address
    from mockpets.server.poller import Poller
    from mockpets.server.scheduler import Scheduler

_log: Final = logging.getLogger("mockpets.server")
_ADJUSTMENTS: Final = Adjustments(ident=IDENT, server_name="localhost")
_BATCH: Final = 64
"""Maximum number of connections to accept before other sockets get their turn."""
_REPORT_SECONDS: Final = 1.0
"""How often closed connections are logged at most: a flood of clients must not flood the log."""
_PAUSE_SECONDS: Final = 0.25
"""How long to accept nothing after the process or the machine has run out of resources."""
_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Listener:
    """One listening socket.

    :param poller: forgets each connection when it is closed.
    :param channels: open connections by descriptor, shared by all listeners of a loop.
    """

    def __init__(
        self,
        app: WSGIApplication,
        sock: socket.socket,
        scheduler: Scheduler,
        poller: Poller,
        channels: dict[int, Channel],
    ) -> None:
        sock.setblocking(False)
        self.fd = sock.fileno()
        self._sock = sock
        self._scheduler = scheduler
        self._poller = poller
        self._channels = channels
        self._endpoint = Endpoint(
            app, _ADJUSTMENTS, _ADJUSTMENTS.server_name, sock.getsockname()[1]
        )
        self._late: list[tuple[socket.socket, Address]] = []
        self._is_paused = False
        self._unreported = 0

    @property
    def interest(self) -> int:
        """Return the events to watch for."""
        return 0 if self._is_paused else READ

    def handle(self, events: int) -> None:
        """Accept the pending connections."""
        if not events & READ:
            return
        for _ in range(_BATCH):
            if self._is_full() and self._oldest() is None:
                # All have a request in progress. The kernel queues the next connections.
                self._pause("the connection limit is reached")
                return
            try:
                sock, addr = self._sock.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    self._pause(str(error))
                    return
                continue  # the client left before it was accepted
            self._make_room()
            self._add(sock, addr)

    def shut_down(self) -> None:
        """Accept the pending connections, then reject new ones; called from any thread.

        The loop may be busy, and clients must be rejected at once. The socket stays open since
        the loop may be using it.
        """
        with suppress(OSError):
            while True:
                self._late.append(self._sock.accept())
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def drain(self) -> None:
        """Serve the connections that `shut_down` has accepted, and close the listening socket."""
        for sock, addr in self._late:
            self._add(sock, addr)
        self._late.clear()
        self.close()

    def close(self) -> None:
        """Close the listening socket."""
        if self.fd >= 0:
            self._poller.forget(self.fd)
            self.fd = -1
            self._sock.close()

    def _add(self, sock: socket.socket, addr: Address) -> None:
        """Serve an accepted connection."""
        try:
            sock.setblocking(False)
            for level, option, value in _ADJUSTMENTS.socket_options:
                sock.setsockopt(level, option, value)
        except OSError:  # on macOS: the client has left
            sock.close()
            return
        channel = Channel(self._endpoint, self._scheduler, sock, addr, self._remove)
        self._channels[channel.fd] = channel
        self._scheduler.changed.add(channel)

    def _remove(self, fd: int) -> None:
        """Forget a connection that is being closed."""
        del self._channels[fd]
        self._poller.forget(fd)

    def _is_full(self) -> bool:
        return len(self._channels) >= self._scheduler.limits.connections

    def _make_room(self) -> None:
        """At the limit, close the connection that has waited longest for a request."""
        while self._is_full() and (oldest := self._oldest()) is not None:
            if oldest.phase != "linger":
                oldest.read_available()
            if oldest.phase == "linger":
                oldest.close()
            elif oldest.is_incomplete:
                oldest.close()
                self._count_eviction()

    def _count_eviction(self) -> None:
        """Count a connection closed at the limit; log the number soon."""
        self._scheduler.evicted += 1
        self._unreported += 1
        if self._unreported == 1:
            timers = self._scheduler.timers
            timers.call_at(timers.clock() + _REPORT_SECONDS, self._report_evictions)

    def _report_evictions(self) -> None:
        _log.warning(
            "the limit of %d connections is reached: closed %d that had no complete request",
            self._scheduler.limits.connections,
            self._unreported,
        )
        self._unreported = 0

    def _oldest(self) -> Channel | None:
        """Return the connection that has waited longest for a request, None if all have one.

        Connections that have not sent a whole request yet go before those that have been used.
        A connection that only waits for its client to close it counts as well.
        """
        return min(
            (
                channel
                for channel in self._channels.values()
                if channel.is_incomplete or channel.phase == "linger"
            ),
            key=lambda channel: (channel.phase == "idle" and channel.served > 0, channel.since),
            default=None,
        )

    def _pause(self, reason: str) -> None:
        """Accept nothing for a short time, so that the loop does not spin."""
        self._is_paused = True
        self._scheduler.changed.add(self)
        timers = self._scheduler.timers
        timers.call_at(timers.clock() + _PAUSE_SECONDS, self._resume)
        _log.warning("accepting no new connections for a moment: %s", reason)

    def _resume(self) -> None:
        self._is_paused = False
        self._scheduler.changed.add(self)
