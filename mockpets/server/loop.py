"""The loop: wait for sockets, do what they brought, do what was queued, then what is due.

Everything of a server happens in `Loop.run`, on the thread that calls it. Other threads and
signal handlers may call `stop`, and `Scheduler.soon`.
"""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from waitress import wasyncore
from waitress.trigger import trigger

from mockpets.server.limits import Limits
from mockpets.server.listener import Listener, make_adjustments
from mockpets.server.poller import BROKEN, LEFT, READ, WRITE, make_poller
from mockpets.server.scheduler import Scheduler
from mockpets.server.sockets import BACKLOG
from mockpets.server.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from wsgiref.types import WSGIApplication

    from mockpets.server.channel import Channel

_log: Final = logging.getLogger("mockpets.server")


class Loop:
    """The listening sockets and their connections, served until told to stop.

    :param sockets: closed at the end.
    :param clock: seconds, never going back; for tests. The loop does not wait by it: whoever
        moves it calls `wake`.
    """

    def __init__(
        self,
        app: WSGIApplication,
        sockets: Sequence[socket.socket],
        limits: Limits | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        limits = limits or Limits()
        self.stopping = False
        self.work = Scheduler(limits, clock, self.wake, self._help_with)
        self._sockets = sockets
        self._map = _Open()
        self._channels: dict[int, Channel] = {}
        self.work.close_idle = self._close_idle
        self._helper = Worker(self.work.soon)
        self._late: list[tuple[Listener, socket.socket, Any]] = []
        self._closing = RLock()  # a signal handler may find this very thread inside
        self._awake = False
        adj = make_adjustments(limits, BACKLOG)
        self._listeners = [
            Listener(app, sock, self.work, adj, self._map, self._channels) for sock in sockets
        ]

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._channels)

    # --- From any thread ----------------------------------------------------------------------

    def wake(self) -> None:
        """End the wait for sockets."""
        if self._awake:
            return
        self._awake = True
        with self._closing:
            if self._map:  # else it has ended, and the descriptor may be someone else's
                self._listeners[0].pull_trigger()

    def stop(self) -> None:
        """Refuse new connections from now on, and have `run` end soon."""
        for listener, sock in zip(self._listeners, self._sockets, strict=True):
            self._shut(listener, sock)
        self.stopping = True
        self.wake()

    def _shut(self, listener: Listener, sock: socket.socket) -> None:
        """Take the connections that wait to be accepted, then accept no more.

        The loop may be busy, and clients are to be refused at once. The socket stays open, since
        the loop may just be using it.
        """
        with suppress(OSError):
            while True:
                self._late.append((listener, *sock.accept()))
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    # --- On the loop's thread -----------------------------------------------------------------

    def run(self, on_ready: Callable[[], None] | None = None) -> None:
        """Serve until `stop`, then answer what is complete, and close all."""
        try:
            for item in list(self._map.values()):
                self._map.watch(item)
            if on_ready is not None:
                on_ready()
            while not self.stopping:
                self._turn(self.work.seconds())
            self._drain()
        finally:
            self._close()

    def _help_with(self, job: Callable[[], object], then: Callable[[], None]) -> None:
        self._helper.do(job, then)

    def _close_idle(self) -> None:
        """End the connections that have no request under way."""
        for channel in list(self._channels.values()):
            if channel.phase == "idle":
                channel.drain()

    def _drain(self) -> None:
        """Answer what is complete, for as long as clients may take to read it; end all else."""
        work, clock = self.work, self.work.timers.clock
        work.draining = True
        for listener, sock, address in self._late:
            listener.add(sock, address)
        for listener in self._listeners:
            wasyncore.dispatcher.close(listener)  # and not its trigger, which must still wake us
        for channel in list(self._channels.values()):
            channel.drain()
        for waiting in list(work.waiting):
            waiting.flush()
        end = clock() + work.limits.drain_seconds
        while self._channels and (left := end - clock()) > 0:
            seconds = work.seconds()
            self._turn(left if seconds is None else min(left, seconds))

    def _close(self) -> None:
        for channel in list(self._channels.values()):
            channel.handle_close()
        self._helper.stop()
        with self._closing:
            for listener in self._listeners:
                listener.close()
        self._map.poller.close()

    def _turn(self, seconds: float | None) -> None:
        """Do one turn, which waits for sockets for so long at most."""
        changed = self.work.changed
        for number, events in self._map.poller.wait(seconds):
            item = self._map.get(number)
            if item is not None:
                self._handle(item, events)
                changed.add(item)
        self._awake = False
        try:
            self.work.run()
        except Exception:  # noqa: BLE001 - a mistake of ours costs one answer, not the server
            _log.exception("error in the loop, which goes on")
        while changed:
            self._map.watch(changed.pop())

    def _handle(self, item: Any, events: int) -> None:
        """Let a connection, a listening socket or the trigger handle what happened to it."""
        try:
            if events & LEFT:
                item.handle_left()
            if events & READ and item.socket is not None:
                item.handle_read_event()
            if events & WRITE and item.socket is not None:
                item.handle_write_event()
            if events & BROKEN and item.socket is not None:
                item.handle_close()
        except Exception:  # noqa: BLE001 - it costs one connection, not the server
            _log.exception("error on a connection, which ends")
            item.handle_close()


class _Open(dict[int, Any]):
    """waitress' map of what is open, by descriptor, kept in step with the poller."""

    def __init__(self) -> None:
        super().__init__()
        self.poller = make_poller()
        self._masks: dict[int, int] = {}

    def __delitem__(self, number: int) -> None:
        super().__delitem__(number)
        if self._masks.pop(number, None) is not None:
            self.poller.forget(number)

    def watch(self, item: Any) -> None:
        """Tell the poller what something is to be watched for, if that has changed."""
        number = item._fileno
        if number is None:
            return  # closed since
        mask = READ if isinstance(item, trigger) else item.interest
        if self._masks.get(number) != mask:
            self._masks[number] = mask
            self.poller.watch(number, mask)
