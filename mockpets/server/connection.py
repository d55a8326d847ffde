"""One connection as bytes and phases: reading, sending, time limits, and how it ends.

`channel` gives the bytes their meaning. Each phase has its own time limit. However a connection
ends, `close` frees everything that it holds.
"""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from waitress.adjustments import Adjustments

from mockpets.http.response_head import IDENT
from mockpets.server.poller import ERROR, PEER_CLOSED, READ, WRITE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockpets.constants import ResponseEnd
    from mockpets.interface import App
    from mockpets.server.eviction import EvictionQueue
    from mockpets.server.parking import Parked
    from mockpets.server.scheduler import Scheduler
    from mockpets.server.timers import Timer

Phase = Literal["idle", "head", "body", "busy", "write", "linger"]
Address = tuple[Any, ...]
"""Host and port; for IPv6 also the flow label and the scope."""

_READ_BYTES: Final = 16 * 1024
"""Maximum number of bytes to read at once, and of unparsed bytes from a client that pipelines."""
_SESSIONS: Final = 8
"""Sessions of one connection that are told apart."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A listening socket's app and port, with the names that waitress' task reads."""

    app: App
    effective_port: int
    adj: ClassVar = Adjustments(ident=IDENT)
    server_name: ClassVar = "localhost"


class Connection(ABC):
    """One client's socket.

    :param sock: non-blocking.
    :param on_close: called just before the socket is closed.
    :param queues: learn when the connection may be closed to make room for others.
    """

    served = 0
    """How many responses were sent."""
    check_client_disconnected = None  # waitress reads it for a key that `task.incoming` removes

    def __init__(
        self,
        server: Endpoint,
        scheduler: Scheduler,
        sock: socket.socket,
        addr: Address,
        on_close: Callable[[Connection], None],
        queues: Sequence[EvictionQueue] = (),
    ) -> None:
        self.server = server
        self.scheduler = scheduler
        self.addr = addr
        host, port, *_ = addr
        self.remote = {"REMOTE_ADDR": host, "REMOTE_HOST": host, "REMOTE_PORT": str(port)}
        """The client's part of each environ."""
        self.queues = queues
        self.fd = sock.fileno()
        self.connected = True
        self.phase: Phase = "idle"
        self.pace = inf
        """When a client with the minimum rate would have taken as much as this one; inf while no
        response waits for the client."""
        self._waits_since = inf
        """Since when there have been responses or further requests to send, without a pause."""
        self._sessions: tuple[str, ...] = ()
        """The sessions of its requests, while they are few."""
        self._sock = sock
        self._on_close = on_close
        self._deadline = inf
        self._alarm: Timer | None = None
        self._unparsed = b""
        self._unsent: bytes | memoryview = b""
        self._parked: Parked | None = None
        self._discarded = 0  # bytes read after the last response
        self._peer_closed = False  # the client has sent its last byte
        for queue in queues:
            queue.add(self)
        self._enter("idle")

    def note_session(self, name: str) -> None:
        """Note the session of a request; a connection with too many is a proxy's."""
        if name not in self._sessions and len(self._sessions) <= _SESSIONS:
            self._sessions = (*self._sessions, name)

    def has_served(self, session: str) -> bool:
        """Return whether the connection had requests of a session, or of too many to tell."""
        return session in self._sessions or len(self._sessions) > _SESSIONS

    # --- What the subclass does with the bytes --------------------------------------------------

    @property
    @abstractmethod
    def _has_request(self) -> bool:
        """Whether a complete request has yet to get its response."""

    @abstractmethod
    def _parse(self) -> None:
        """Parse what was read."""

    @abstractmethod
    def _on_sent(self) -> None:
        """Continue after the client has read everything that was sent."""

    @abstractmethod
    def _end_response(self, end: ResponseEnd) -> None:
        """Report how the response in progress ended, if there is one."""

    @abstractmethod
    def _on_timeout(self) -> None:
        """Respond to a request that does not arrive completely."""

    # --- What the loop and waitress call ------------------------------------------------------

    @property
    def interest(self) -> int:
        """Return the events to watch for."""
        if self.phase == "linger":
            return READ
        mask = WRITE if self._unsent else 0
        is_reading = not (self._unsent or self._peer_closed or self.scheduler.draining)
        if is_reading and len(self._unparsed) < _READ_BYTES:
            mask |= READ
        if self._parked is not None:
            mask |= PEER_CLOSED
        return mask

    @property
    def is_incomplete(self) -> bool:
        """Return whether the connection has no complete request."""
        return self.phase in ("idle", "head", "body")

    @property
    def is_slow(self) -> bool:
        """Return whether the client has for some seconds requested more than it has taken."""
        waited = self.scheduler.timers.clock() - self._waits_since
        return waited >= self.scheduler.limits.slow_seconds

    @property
    def is_last_request(self) -> bool:
        """Return whether the connection ends with the response in progress: the server stops."""
        return self.scheduler.draining and not self._unparsed

    def handle(self, events: int) -> None:
        """Read, send or close as the events require."""
        if events & PEER_CLOSED and self._parked is not None:
            self.close()  # free the place at once, even if bytes before the end are unread
        if events & READ and self.connected:
            self._read()
        if events & WRITE and self.connected:
            unsent, self._unsent = self._unsent, b""
            self._send(unsent)
            if not self._unsent and self.connected:
                self._on_sent()
        if events & ERROR:
            self.close()

    def close(self, end: ResponseEnd = "client_left") -> None:
        """Close the connection and free everything that it holds.

        :param end: how the response in progress ends, if there is one.
        """
        if not self.connected:
            return
        self.connected = False
        if self._parked is not None:
            self._parked.drop()
            self._parked = None
        if self._alarm is not None:
            self.scheduler.timers.cancel(self._alarm)
            self._alarm = None
        self._unparsed = self._unsent = b""
        self._on_close(self)
        self.fd = -1
        self._sock.close()
        self._end_response(end)

    # --- Bytes ----------------------------------------------------------------------------------

    def read_available(self) -> None:
        """Read what the kernel has, up to the end of a request."""
        while self.connected and self.is_incomplete and self._read():
            pass
        self.scheduler.changed.add(self)

    def _read(self) -> bool:
        """Read once; return whether there may be more to read."""
        try:
            data = self._sock.recv(_READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            self.close()
            return False
        if self.phase == "linger":
            self._discarded += len(data)
            if not data or self._discarded > self.scheduler.limits.linger_bytes:
                self.close()
        elif data:
            self._unparsed += data
            self._parse()
        elif self._parked is not None or not self._has_request:
            self.close()
        else:
            self._peer_closed = True  # it may still read the response to its request
        return bool(data)

    def _send(self, data: bytes | memoryview) -> None:
        """Send bytes and keep those that the kernel does not take; close on an error."""
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
            self.close()
            return
        self.pace += sent / self.scheduler.limits.write_rate
        if sent < len(data):
            self._unsent = memoryview(data)[sent:]
            # A client cannot read first and rest later.
            self.pace = min(self.pace, self.scheduler.timers.clock())
            self._fall_behind()
            self._enter("write")
            self.scheduler.changed.add(self)

    def _fall_behind(self) -> None:
        """Note that the client has requested more than it has taken."""
        if self._waits_since == inf:
            self._waits_since = self.scheduler.timers.clock()
            for queue in self.queues:
                queue.fall_behind(self)

    def _catch_up(self) -> None:
        """Note that no response waits for the client."""
        self.pace = inf
        if self._waits_since != inf:
            self._waits_since = inf
            for queue in self.queues:
                queue.catch_up(self)

    def _end(self, *, linger: bool = True) -> None:
        """Close once the client has closed its side, or after a short time.

        Closing while there are unread bytes would reset the connection, and the client might lose
        the response with it (RFC 9112, part 9.6).

        :param linger: False to close at once.
        """
        if self._peer_closed or not linger:
            self.close()
            return
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.close()
            return
        self._unparsed = b""
        self._enter("linger")
        self.scheduler.changed.add(self)

    # --- Time ---------------------------------------------------------------------------------

    def _enter(self, phase: Phase) -> None:
        """Start or restart a phase and its time limit."""
        if not self.connected:
            return
        self.phase = phase
        limits, timers = self.scheduler.limits, self.scheduler.timers
        if phase == "busy":
            self._deadline = inf
            return
        if phase != "write":
            for queue in self.queues:
                queue.update(self)
        seconds: float = getattr(limits, f"{phase}_seconds")
        self._deadline = (self.pace if phase == "write" else timers.clock()) + seconds
        # Usually the alarm is set for an earlier time and sets itself again: a busy connection
        # costs the heap one timer in `idle_seconds`, not one per request.
        if self._alarm is None or self._alarm.when > self._deadline:
            if self._alarm is not None:
                timers.cancel(self._alarm)
            self._alarm = timers.call_at(self._deadline, self._on_alarm)

    def _on_alarm(self) -> None:
        self._alarm = None
        if self._deadline == inf:
            return
        timers = self.scheduler.timers
        if timers.clock() < self._deadline:
            self._alarm = timers.call_at(self._deadline, self._on_alarm)
        elif self.phase in ("head", "body"):
            self._on_timeout()
        else:
            self.close("broken")
