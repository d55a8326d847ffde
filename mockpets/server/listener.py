"""Accept connections; at a limit, close the one that can be spared most easily."""

from __future__ import annotations

import errno
import logging
import socket
from contextlib import suppress
from ipaddress import ip_network
from typing import TYPE_CHECKING, Final

from mockpets.addresses import client_of, is_one_of, parse_address
from mockpets.server.channel import Channel
from mockpets.server.connection import Endpoint
from mockpets.server.eviction import ANY, EvictionQueue
from mockpets.server.poller import READ
from mockpets.server.sockets import BACKLOG

if TYPE_CHECKING:
    from mockpets.interface import App
    from mockpets.server.connection import Address, Connection
    from mockpets.server.poller import Poller
    from mockpets.server.scheduler import Scheduler

_log: Final = logging.getLogger("mockpets.server")
_BATCH: Final = 64
"""Maximum number of connections to accept before other sockets get their turn."""
_REPORT_SECONDS: Final = 1.0
"""How often closed connections are logged at most: a flood of clients must not flood the log."""
_PAUSE_SECONDS: Final = 0.25
"""How long to accept nothing after the process or the machine has run out of resources."""
_MANY: Final = 100
"""How many connections use memory that is worth returning to the system."""
_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Listener:
    """One listening socket.

    :param poller: forgets each connection when it is closed.
    :param channels: open connections by descriptor, shared by all listeners of a loop.
    :param queues: the same connections by peer, and all under `ANY`, also shared.
    """

    def __init__(
        self,
        app: App,
        sock: socket.socket,
        scheduler: Scheduler,
        poller: Poller,
        channels: dict[int, Channel],
        queues: dict[str, EvictionQueue],
    ) -> None:
        sock.setblocking(False)
        self.fd = sock.fileno()
        self._sock = sock
        self._scheduler = scheduler
        self._poller = poller
        self._channels = channels
        self._queues = queues
        self._endpoint = Endpoint(app, sock.getsockname()[1])
        self._is_paused = False
        self._proxies = tuple(ip_network(text) for text in scheduler.limits.proxies)
        self._next_report = 0.0

    @property
    def interest(self) -> int:
        """Return the events to watch for."""
        return 0 if self._is_paused else READ

    def handle(self, events: int) -> None:
        """Accept the pending connections."""
        if not events & READ:
            return
        for _ in range(_BATCH):
            is_full = len(self._channels) >= self._scheduler.limits.connections
            if is_full and self._queues[ANY].first() is None:
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

    def drain(self) -> None:
        """Serve the pending connections, and close the listening socket."""
        with suppress(OSError):
            for _ in range(BACKLOG):
                self._add(*self._sock.accept())
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
        if peer != ANY and limits.address_connections is not None:
            reason = f"the limit of {limits.address_connections} connections for an address"
            if not self._make_room(limits.address_connections, reason, peer):
                sock.close()
                self._count_eviction(reason)
                return
        self._make_room(limits.connections, f"the limit of {limits.connections} connections")
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:  # on macOS: the client has left
            sock.close()
            return
        peers = dict.fromkeys((ANY, peer))
        queues = [self._queues.setdefault(name, EvictionQueue(name)) for name in peers]
        channel = Channel(self._endpoint, self._scheduler, sock, addr, self._remove, queues)
        self._channels[channel.fd] = channel
        self._scheduler.changed.add(channel)

    def _peer(self, addr: Address) -> str:
        """Return the name under which connections of an address are counted, or `ANY`."""
        is_limited = self._scheduler.limits.address_connections is not None
        if not is_limited or is_one_of(parse_address(addr[0]), self._proxies):
            return ANY
        return client_of(addr[0])

    def _remove(self, connection: Connection) -> None:
        """Forget a connection that is being closed; after many of them, return their memory."""
        if len(self._channels) == _MANY:
            self._scheduler.return_memory_soon()
        del self._channels[connection.fd]
        self._poller.forget(connection.fd)
        for queue in connection.queues:
            queue.remove(connection)
            if not queue and queue.peer != ANY:
                del self._queues[queue.peer]

    def _make_room(self, limit: int, reason: str, peer: str = ANY) -> bool:
        """Close connections of a peer until it has fewer than a limit; return whether it has.

        :param reason: the limit, for the log.
        """
        while len(self._queues.get(peer, ())) >= limit:
            if not self._evict_one(reason, peer):
                return False
        return True

    def _evict_one(self, reason: str, peer: str = ANY) -> bool:
        """Close the connection that can be spared most easily; return whether there was one."""
        while (channel := self._queues[peer].first()) is not None:
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
        """Count a connection that was closed because of a limit; log it at most once a second."""
        self._scheduler.evicted += 1
        now = self._scheduler.timers.clock()
        if now >= self._next_report:
            self._next_report = now + _REPORT_SECONDS
            _log.warning("%s is reached: closing those that are idle, incomplete or slow", reason)

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
