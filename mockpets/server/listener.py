"""Accept connections; at a limit, close the one that can be spared most easily."""

from __future__ import annotations

import errno
import logging
import socket
from collections import Counter
from contextlib import suppress
from ipaddress import ip_network
from typing import TYPE_CHECKING, Final

from waitress.adjustments import Adjustments

from mockpets.server.channel import Channel
from mockpets.server.connection import Endpoint
from mockpets.server.poller import READ
from mockpets.server.scheduler import IDENT
from mockpets.session.visitors import visitor_name
from mockpets.web.addresses import is_one_of, parse_address

if TYPE_CHECKING:
    from collections.abc import Iterable
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
_MANY: Final = 100
"""How many connections use memory that is worth returning to the system."""
_ANY: Final = ""
"""In place of a peer: all connections."""


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
        self._proxies = tuple(ip_network(text) for text in scheduler.limits.proxies)
        self._unreported: Counter[str] = Counter()
        """Closed connections by the limit that closed them."""

    @property
    def interest(self) -> int:
        """Return the events to watch for."""
        return 0 if self._is_paused else READ

    def handle(self, events: int) -> None:
        """Accept the pending connections."""
        if not events & READ:
            return
        for _ in range(_BATCH):
            if self._is_full() and _most_dispensable(self._channels.values()) is None:
                # All have a request in progress. The kernel queues the next connections.
                self._pause("the connection limit is reached")
                return
            try:
                sock, addr = self._sock.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno == errno.EMFILE and self._evict_one("the limit of open files"):
                    continue
                if error.errno in _EXHAUSTED:
                    self._pause(str(error))
                    return
                continue  # the client left before it was accepted
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
        """Serve an accepted connection, unless its peer has too many that are in use."""
        limits, peer = self._scheduler.limits, self._peer(addr)
        if peer != _ANY and limits.address_connections is not None:
            reason = f"the limit of {limits.address_connections} connections for an address"
            if not self._make_room(limits.address_connections, reason, peer):
                sock.close()
                self._count_eviction(reason)
                return
        self._make_room(limits.connections, f"the limit of {limits.connections} connections")
        try:
            sock.setblocking(False)
            for level, option, value in _ADJUSTMENTS.socket_options:
                sock.setsockopt(level, option, value)
        except OSError:  # on macOS: the client has left
            sock.close()
            return
        channel = Channel(self._endpoint, self._scheduler, sock, addr, self._remove, peer)
        self._channels[channel.fd] = channel
        self._scheduler.changed.add(channel)

    def _peer(self, addr: Address) -> str:
        """Return the name under which connections of an address are counted, or `_ANY`.

        An IPv6 client can choose from many addresses, so the name is that of its network.
        """
        if self._scheduler.limits.address_connections is None:
            return _ANY
        if is_one_of(parse_address(addr[0]), self._proxies):
            return _ANY
        return visitor_name(addr[0], b"")  # no secret: the name stays in memory

    def _remove(self, fd: int) -> None:
        """Forget a connection that is being closed; after many of them, return their memory."""
        if len(self._channels) == _MANY:
            self._scheduler.return_memory_soon()
        del self._channels[fd]
        self._poller.forget(fd)

    def _is_full(self) -> bool:
        return len(self._channels) >= self._scheduler.limits.connections

    def _make_room(self, limit: int, reason: str, peer: str = _ANY) -> bool:
        """Close connections until there are fewer than a limit; return whether that succeeds.

        :param reason: the limit, for the log.
        :param peer: counts only the connections of this peer.
        """
        while self._number_of(peer) >= limit:
            if not self._evict_one(reason, peer):
                return False
        return True

    def _number_of(self, peer: str) -> int:
        return len(self._channels) if peer == _ANY else sum(1 for _ in self._of(peer))

    def _of(self, peer: str) -> Iterable[Channel]:
        channels = self._channels.values()
        return channels if peer == _ANY else (each for each in channels if each.peer == peer)

    def _evict_one(self, reason: str, peer: str = _ANY) -> bool:
        """Close the connection that can be spared most easily; return whether there was one."""
        while (channel := _most_dispensable(self._of(peer))) is not None:
            if channel.is_incomplete:
                channel.read_available()  # the rest of its request may have arrived
            if channel.phase == "linger" or not channel.connected:
                channel.close()  # the client may have closed it already
                return True
            if channel.is_incomplete or channel.is_slow:
                channel.close("broken" if channel.is_slow else "client_left")
                self._count_eviction(reason)
                return True
        return False

    def _count_eviction(self, reason: str) -> None:
        """Count a connection that was closed because of a limit; log the number soon."""
        self._scheduler.evicted += 1
        if not self._unreported:
            timers = self._scheduler.timers
            timers.call_at(timers.clock() + _REPORT_SECONDS, self._report_evictions)
        self._unreported[reason] += 1

    def _report_evictions(self) -> None:
        for reason, number in self._unreported.items():
            _log.warning(
                "%s is reached: closed %d that were idle, incomplete or slow", reason, number
            )
        self._unreported.clear()

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


def _most_dispensable(channels: Iterable[Channel]) -> Channel | None:
    """Return the connection that can be spared most easily, None if all have a request in progress.

    First those whose client requests more than it takes, the slowest first. Then those that have
    waited longest for a request: new ones before those that have been used. A connection that only
    waits for its client to close it counts as new.
    """
    return min(
        (each for each in channels if each.is_incomplete or each.phase == "linger" or each.is_slow),
        key=lambda each: (
            not each.is_slow,
            each.phase == "idle" and each.served > 0,
            each.pace if each.is_slow else each.since,
        ),
        default=None,
    )
