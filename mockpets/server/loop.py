"""The event loop: wait for sockets, handle their events, then make the calls that are due.

Everything in a server happens in `Loop.run`, on the thread that calls it. Other threads and
signal handlers may call `stop`, `wake` and `Scheduler.call_soon_threadsafe`.
"""

from __future__ import annotations

import logging
from contextlib import nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Final

from mockpets.constants import READY_PATH
from mockpets.server.eviction import ANY, EvictionQueue
from mockpets.server.listener import Listener
from mockpets.server.poller import Waker, make_poller
from mockpets.server.scheduler import Scheduler
from mockpets.server.server_limits import ServerLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from socket import socket

    from mockpets.interface import App
    from mockpets.server.channel import Channel
    from mockpets.server.poller import Handler

_log: Final = logging.getLogger("mockpets.server")


class Loop:
    """Listening sockets and their connections, served until `stop`.

    :param sockets: listening; closed at the end.
    :param clock: monotonic seconds. A test that moves its own clock calls `wake`, since the loop
        waits in real time.
    """

    def __init__(
        self,
        app: App,
        sockets: Sequence[socket],
        limits: ServerLimits | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.stopping = False
        self._context: Callable[[], AbstractContextManager[object]]
        self._context = getattr(app, "app_context", nullcontext)
        self._poller = make_poller()
        self._waker = Waker()
        self._channels: dict[int, Channel] = {}
        self.scheduler = Scheduler(
            limits or ServerLimits(), clock, self._waker.wake, self._close_idle, self._channels
        )
        queues = {ANY: EvictionQueue()}
        self._listeners = [
            Listener(app, sock, self.scheduler, self._poller, self._channels, queues)
            for sock in sockets
        ]
        handlers: list[Handler] = [self._waker, *self._listeners]
        self._handlers = {handler.fd: handler for handler in handlers}

    # --- From any thread ----------------------------------------------------------------------

    def wake(self) -> None:
        """End the wait for sockets."""
        self._waker.wake()

    def stop(self) -> None:
        """Make `run` return soon."""
        self.stopping = True
        self.wake()

    def stop_after(self, seconds: float) -> None:
        """Serve for some seconds more, then `stop`; the app reports that it is not ready."""
        timers = self.scheduler.timers
        stop_at = self.scheduler.stop_at = timers.clock() + seconds

        def begin() -> None:
            _log.info(
                "stopping in %g s: GET %s responds with 503 from now on; to stop at once, send "
                "the signal again",
                seconds,
                READY_PATH,
            )
            timers.call_at(stop_at, self.stop)

        self.scheduler.call_soon_threadsafe(begin)

    # --- On the loop's thread -----------------------------------------------------------------

    def watch_signals(self) -> None:
        """Notice signals at once until `run` returns; call it on the main thread, before `run`."""
        self._waker.watch_signals()

    def run(self, on_ready: Callable[[], None] | None = None) -> None:
        """Serve until `stop`, then respond to the complete requests, and close everything.

        :param on_ready: called when requests are accepted.
        """
        try:
            self.scheduler.changed.update(self._handlers.values())
            self._update_poller()
            if on_ready is not None:
                on_ready()
            with self._context():  # without it, Flask makes one for each request
                while not self.stopping:
                    self._turn(self.scheduler.timeout())
                self._drain()
        finally:
            self._close()

    def _close_idle(self, session: str) -> None:
        self.scheduler.send_all()  # their connections are idle from now on
        for channel in list(self._channels.values()):
            if channel.phase == "idle" and channel.has_served(session):
                channel.drain()

    def _drain(self) -> None:
        """Respond to the complete requests, then end; clients get a limited time to read."""
        scheduler = self.scheduler
        scheduler.draining = True
        for listener in self._listeners:
            listener.drain()
        for channel in list(self._channels.values()):
            channel.drain()
        for response in list(scheduler.parking.responses):
            response.flush()
        clock = scheduler.timers.clock
        end = clock() + scheduler.limits.drain_seconds
        while self._channels and (left := end - clock()) > 0:
            timeout = scheduler.timeout()
            self._turn(left if timeout is None else min(left, timeout))

    def _close(self) -> None:
        for channel in list(self._channels.values()):
            channel.close("broken")
        self.scheduler.worker.stop()
        for listener in self._listeners:
            listener.close()
        self._waker.close()
        self._poller.close()

    def _turn(self, timeout: float | None) -> None:
        """Handle what has happened to the sockets, then make the calls that are due.

        :param timeout: how many seconds to wait for the first event, None for no limit.
        """
        for fd, events in self._poller.wait(timeout):
            channel = self._channels.get(fd)
            handler = channel or self._handlers.get(fd)
            if handler is None:
                continue  # closed earlier in this turn
            try:
                handler.handle(events)
            except Exception:  # noqa: BLE001 - a bug must end one connection, not the server
                _log.exception("unhandled error on a connection; closing it")
                if channel is not None:
                    channel.close("broken")
            self.scheduler.changed.add(handler)
        try:
            self.scheduler.run()
        except Exception:  # noqa: BLE001 - a bug must end one response, not the server
            _log.exception("unhandled error in the event loop; continuing")
        self._update_poller()

    def _update_poller(self) -> None:
        changed = self.scheduler.changed
        while changed:
            handler = changed.pop()
            if handler.fd >= 0:  # else it is closed
                self._poller.watch(handler.fd, handler.interest)
