"""One connection as bytes and phases: reading, sending, time limits, and the ways it ends.

What the bytes mean is `channel`'s. Each phase has its own time limit, and each way out ends in
`handle_close`, which frees all that the connection held.
"""

from __future__ import annotations

import socket
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal

from waitress.channel import HTTPChannel

from mockpets.server.poller import LEFT, READ, WRITE

if TYPE_CHECKING:
    from waitress.adjustments import Adjustments

    from mockpets.server.parking import ParkedResponse, ThrottledBody
    from mockpets.server.scheduler import Scheduler, Timer

Phase = Literal["idle", "head", "body", "busy", "write", "linger"]

_AHEAD: Final = 16 * 1024
"""Bytes read at once, and beyond which a client that pipelines has to wait."""


class Connection(HTTPChannel):
    """waitress' channel, of which the place in the map and the way to be closed are left."""

    parser_class: Any  # none of waitress' own, which its types want
    request: Any
    requests: list[Any]

    def __init__(
        self,
        server: Any,  # a Listener, which is made of this class
        sock: socket.socket,
        addr: Any,
        adj: Adjustments,
        map: Any = None,  # noqa: A002 - waitress' name
    ) -> None:
        self.work: Scheduler = server.work
        self.phase: Phase = "idle"
        self.since = self.work.timers.clock()
        """When the connection began to wait for a request."""
        self._sock = sock
        self._due = inf
        self._alarm: Timer | None = None
        self._unread = b""  # came, but is not parsed yet
        self._unsent: bytes | memoryview = b""
        self._waiting: ParkedResponse | ThrottledBody | None = None
        self._ended = False  # the client has sent its last byte
        super().__init__(server, sock, addr, adj, map=map)
        self._enter("idle")

    # --- For who knows what the bytes mean ------------------------------------------------------

    def _parse(self) -> None:
        """Look at what came."""
        raise NotImplementedError

    def _flushed(self) -> None:
        """Go on: the client has taken all that was sent."""
        raise NotImplementedError

    def _time_out(self) -> None:
        """Answer a request that does not get complete."""
        raise NotImplementedError

    # --- What the loop calls ------------------------------------------------------------------

    @property
    def interest(self) -> int:
        """What to watch the socket for."""
        if self.phase == "linger":
            return READ
        mask = WRITE if self._unsent else 0
        if not (self._unsent or self._ended or self.work.draining) and len(self._unread) < _AHEAD:
            mask |= READ
        if self._waiting is not None:
            mask |= LEFT
        return mask

    @property
    def incomplete(self) -> bool:
        """Whether there is no complete request to answer."""
        return self.phase in ("idle", "head", "body")

    def handle_left(self) -> None:
        """Free the place of a client that left, though what it sent may still be unread."""
        if self._waiting is not None:
            self.handle_close()

    def handle_read(self) -> None:
        """Take in what came."""
        self._read()

    def handle_write(self) -> None:
        """Send on."""
        unsent, self._unsent = self._unsent, b""
        self._send(unsent)
        if not self._unsent and self.connected:
            self._flushed()

    def handle_close(self) -> None:
        """Close the connection and free all it held."""
        if self._waiting is not None:
            self._waiting.drop()
            self._waiting = None
        if self._alarm is not None:
            self.work.timers.cancel(self._alarm)
            self._alarm = None
        for request in (*self.requests, *([self.request] if self.request else [])):
            request.close()
        self.requests = []
        self.request = None
        self._unread = self._unsent = b""
        super().handle_close()

    # --- Bytes ----------------------------------------------------------------------------------

    def _read(self) -> bool:
        """Take in what came; return whether there may be more."""
        try:
            data = self._sock.recv(_AHEAD)
        except BlockingIOError:
            return False
        except OSError:
            self.handle_close()
            return False
        if self.phase == "linger":
            if not data:
                self.handle_close()
        elif data:
            self._unread += data
            self._parse()
        elif self._waiting is not None or not self.requests:
            self.handle_close()
        else:
            self._ended = True  # it may still read: what it asked for is answered
        return bool(data)

    def _send(self, data: bytes | memoryview) -> None:
        """Hand bytes to the kernel and keep what it does not take; closes on an error."""
        if self._unsent:
            self._unsent = bytes(self._unsent) + data
            return
        if not self.connected:
            return
        try:
            sent = self._sock.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.handle_close()
            return
        if sent < len(data):
            self._unsent = memoryview(data)[sent:]
            self._enter("write")
            self.work.changed.add(self)

    def _end(self, *, linger: bool = True) -> None:
        """Close once the client has too, or soon.

        Closing while there is something unread would reset the connection, and the client might
        lose the answer with it (RFC 9112, part 9.6).
        """
        if self._ended or not linger:
            self.handle_close()
            return
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()
            return
        self._unread = b""
        self._enter("linger")
        self.work.changed.add(self)

    # --- Time ---------------------------------------------------------------------------------

    def _enter(self, phase: Phase) -> None:
        """Begin a phase, or begin it anew, with its time limit."""
        if not self.connected:
            return
        self.phase = phase
        limits, timers = self.work.limits, self.work.timers
        if phase == "busy":
            self._due = inf
            return
        seconds: float = getattr(limits, f"{phase}_seconds")
        self._due = timers.clock() + seconds
        # Mostly the alarm is set for earlier than this, and will set itself anew: a busy
        # connection costs the heap one entry in `idle_seconds`, not one a request.
        if self._alarm is None or self._alarm.when > self._due:
            if self._alarm is not None:
                timers.cancel(self._alarm)
            self._alarm = timers.at(self._due, self._on_alarm)

    def _on_alarm(self) -> None:
        self._alarm = None
        if self._due == inf:
            return
        if self.work.timers.clock() < self._due:
            self._alarm = self.work.timers.at(self._due, self._on_alarm)
        elif self.phase in ("head", "body"):
            self._time_out()
        else:
            self.handle_close()
