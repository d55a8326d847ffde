"""Accept connections, and make room for them: whoever keeps us waiting longest goes first."""

from __future__ import annotations

import errno
import logging
from typing import TYPE_CHECKING, Any, Final, cast

from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from mockpets.server.channel import Channel
from mockpets.server.poller import READ
from mockpets.server.scheduler import IDENT

if TYPE_CHECKING:
    from socket import socket
    from wsgiref.types import WSGIApplication

    from mockpets.server.limits import Limits
    from mockpets.server.scheduler import Scheduler

_log: Final = logging.getLogger("mockpets.server")
_AT_ONCE: Final = 64
"""Connections accepted before others get their turn."""
_PAUSE_SECONDS: Final = 0.25
"""How long to leave new connections be when the process or the machine can take no more."""
_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


def make_adjustments(limits: Limits, backlog: int) -> Adjustments:
    """Return what is set of waitress; it counts a limit itself as over the limit."""
    return Adjustments(
        backlog=backlog,
        max_request_header_size=limits.head_bytes + 1,
        max_request_body_size=limits.body_bytes + 1,
        clear_untrusted_proxy_headers=False,  # whom to believe is the app's affair: web.proxy
        ident=IDENT,
        server_name="localhost",
    )


class Listener(TcpWSGIServer):
    """One listening socket.

    :param channels: by descriptor, shared by all listeners of a loop.
    :param map_: waitress' map of all that has a descriptor.
    """

    channel_class = Channel

    def __init__(
        self,
        app: WSGIApplication,
        sock: socket,
        work: Scheduler,
        adj: Adjustments,
        map_: dict[int, Any],
        channels: dict[int, Channel],
    ) -> None:
        self.work = work
        self._channels = channels
        self._paused = False
        super().__init__(
            app,
            map_,
            _sock=sock,
            dispatcher=cast("Any", work),
            adj=adj,
            sockinfo=(sock.family, sock.type, sock.proto, sock.getsockname()),
            bind_socket=False,
        )
        cast("Any", self).active_channels = channels

    def readable(self) -> bool:
        """Whether connections are to be accepted now."""
        return self.accepting and not self._paused

    def handle_close(self) -> None:
        """Stay: the loop closes listening sockets, and stopping shuts them before."""

    def handle_accept(self) -> None:
        """Accept what has come."""
        for _ in range(_AT_ONCE):
            if self._is_full() and self._oldest() is None:
                # All are being answered. The kernel keeps the next ones until one is done.
                self._pause("all places are taken")
                return
            try:
                pair = cast("Any", self).socket.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    self._pause(str(error))
                    return
                continue  # the client left before it was accepted
            self._make_room()
            self.add(*pair)

    def add(self, sock: socket, addr: Any) -> Channel | None:
        """Serve an accepted connection."""
        try:
            self.set_socket_options(sock)
        except OSError:  # macOS: the client has left already
            sock.close()
            return None
        channel = Channel(self, sock, addr, self.adj, map=cast("Any", self)._map)
        self.work.changed.add(channel)
        return channel

    def _is_full(self) -> bool:
        return len(self._channels) >= self.work.limits.connections

    def _make_room(self) -> None:
        """Close the connection that has longest had no complete request, if there must be room."""
        while self._is_full() and (oldest := self._oldest()) is not None:
            if oldest.phase == "linger" or oldest.look():
                oldest.handle_close()

    def _oldest(self) -> Channel | None:
        """Return the connection that has longest had no complete request, None if all have one.

        Half a request, or none since the beginning, goes before a connection that was used; so
        does one that only waits for its client to close it.
        """
        return min(
            (item for item in self._channels.values() if item.incomplete or item.phase == "linger"),
            key=lambda item: (item.phase == "idle" and item.served > 0, item.since),
            default=None,
        )

    def _pause(self, reason: str) -> None:
        """Accept nothing for a moment, so that the loop does not spin."""
        self._paused = True
        self.work.changed.add(self)
        self.work.timers.at(self.work.timers.clock() + _PAUSE_SECONDS, self._go_on)
        _log.warning("no new connections for a moment: %s", reason)

    def _go_on(self) -> None:
        self._paused = False
        self.work.changed.add(self)

    @property
    def interest(self) -> int:
        """What to watch the socket for."""
        return READ if self.readable() else 0
