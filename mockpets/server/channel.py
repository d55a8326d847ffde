"""One connection: what comes is parsed, what is complete is answered, one request at a time.

A request is taken up only when the answer before it has left, whole, for the kernel: a client
that does not read costs its own connection and nothing else. Each phase has its own time limit,
and each way out ends in `handle_close`, which frees all that the connection held.
"""

from __future__ import annotations

import logging
import socket
import struct
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from waitress.channel import HTTPChannel

from mockpets.errors import Refusal
from mockpets.server.parser import Parser
from mockpets.server.poller import LEFT, READ, WRITE
from mockpets.server.task import Answer, ErrorTask, Task
from mockpets.server.waiting import Drip, Parking

if TYPE_CHECKING:
    from waitress.adjustments import Adjustments

    from mockpets.server.work import Timer, Work

__all__ = ["Channel"]

Phase = Literal["idle", "head", "body", "busy", "write", "linger"]

_log: Final = logging.getLogger("mockpets.server")
_RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER on, for no time: closing resets."""
_AHEAD: Final = 16 * 1024
"""Bytes read at once, and beyond which a client that pipelines has to wait."""
_JOBS: Final = 3
"""Jobs that one request may ask for: scenario files may change while the first is done."""
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class Channel(HTTPChannel):
    """waitress' channel, of which the ways in and out of the loop are left."""

    task_class = Task
    error_task_class = ErrorTask
    parser_class = Parser

    def __init__(
        self,
        server: Any,  # a Listener, which is made of this class
        sock: socket.socket,
        addr: Any,
        adj: Adjustments,
        map: Any = None,  # noqa: A002 - waitress' name
    ) -> None:
        self.work: Work = server.work
        self.phase: Phase = "idle"
        self.since = self.work.timers.clock()
        """When the connection began to wait for a request."""
        self.served = 0
        self._sock = sock
        self._due = inf
        self._alarm: Timer | None = None
        self._unread = b""  # came, but is not parsed yet
        self._unsent: bytes | memoryview = b""
        self._answer: Answer | None = None
        self._waiting: Parking | Drip | None = None
        self._ended = False  # the client has sent its last byte
        self._jobs = 0
        super().__init__(server, sock, addr, adj, map=map)
        self._enter("idle")

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
        self._answer = None
        self._unread = self._unsent = b""
        super().handle_close()

    @property
    def incomplete(self) -> bool:
        """Whether there is no complete request to answer."""
        return self.phase in ("idle", "head", "body")

    def look(self) -> bool:
        """Take in what the kernel has; return whether there still is no complete request."""
        while self.connected and self.incomplete and self._read():
            pass
        self.work.changed.add(self)
        return self.incomplete

    def drain(self) -> None:
        """End the connection, unless what has come makes a request."""
        if self.look():
            self.handle_close()

    # --- Requests -----------------------------------------------------------------------------

    @property
    def last_request(self) -> bool:
        """Whether the connection ends with the answer that is being made."""
        return self.work.draining and not self._unread

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

    def _parse(self) -> None:
        """Parse what came, up to the end of one request; the rest waits for its answer."""
        while self._unread and not self.requests:
            if self.request is None:
                self.request = self.parser_class(self.adj)
            request = self.request
            data, self._unread = self._unread, b""
            self._unread = data[request.received(data) :]
            if request.completed:
                self.request = None
                if not request.empty:
                    self._take_up(request)
            elif request.headers_finished:
                if request.expect_continue and not self._unread:
                    request.expect_continue = False
                    self._send(_CONTINUE)
                if self.phase != "body":
                    self._enter("body")
            elif self.phase != "head":
                self._enter("head")

    def _take_up(self, request: Any) -> None:
        self.requests = [request]
        self._enter("busy")
        self.work.add_task(cast(Any, self))

    def service(self) -> None:
        """Make the answer to the request that is due; the loop calls it from the queue."""
        if not self.connected or not self.requests:
            return  # the client left while it was in the queue
        self.work.changed.add(self)
        answer = self._answer = self._make(self.requests[0])
        order = answer.order
        if order is None:
            self._give()
        elif order.job is not None:
            self._help(order.job)
        elif (order.delay > 0 or order.hold is not None) and not self.work.draining:
            if self._ended:
                self.handle_close()  # gone, as far as can be told
            else:
                self._waiting = Parking(self.work, order, self._go)
        else:
            self._give()

    def _make(self, request: Any) -> Answer:
        """Return the answer; what goes wrong is told without saying what."""
        try:
            if request.error is not None:
                return ErrorTask(self, request).make()
            return Task(self, request).make()
        except Exception:  # noqa: BLE001 - an app may fail in any way
            _log.exception("error while answering %s %r", request.command, request.request_uri)
        message = "mockpets made a mistake; its log has what is needed to report it"
        request.refuse(Refusal("internal_error", message))
        return ErrorTask(self, request).make()

    def _help(self, job: Any) -> None:
        """Have a job done, then ask the app again."""
        self._answer = None
        self._jobs += 1
        if self._jobs > _JOBS:
            refusal = Refusal("busy", "the scenarios change faster than their pets can be made")
            cast(Parser, self.requests[0]).refuse(refusal)
            self.work.add_task(cast(Any, self))
            return
        self.requests[0].get_body_stream().seek(0)
        self.work.help_with(job, lambda: self.work.add_task(cast(Any, self)))

    # --- Answers ------------------------------------------------------------------------------

    def _go(self) -> None:
        """Send an answer that was kept back."""
        self._waiting = None
        self.work.changed.add(self)
        self._give()

    def _give(self) -> None:
        """Send the answer that is made, or break it."""
        answer = cast(Answer, self._answer)
        order = answer.order
        if order is not None and order.fault == "connection_reset":
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self.handle_close()
        elif order is not None and order.fault == "empty_reply":
            self._end()
        elif order is None or order.throttle is None or self.work.draining or not answer.body:
            self._send(answer.head + answer.body)
            if not self._unsent and self.connected:
                self._sent()
        else:
            self._send(answer.head)
            if self.connected:
                self._waiting = Drip(
                    self.work,
                    answer.body,
                    order.throttle,
                    self._send,
                    lambda: bool(self._unsent),
                    self._dripped,
                )

    def _dripped(self) -> None:
        self._waiting = None
        self.work.changed.add(self)
        if not self._unsent and self.connected:
            self._sent()

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

    def _flushed(self) -> None:
        """Go on after the client has taken all that was sent so far."""
        if self._answer is None:  # that was `100 Continue`
            self._enter("body")
        elif self._waiting is None:
            self._sent()
        else:
            self._enter("busy")

    def _sent(self) -> None:
        """Go on to the next request after an answer has left, or end."""
        answer, request = cast(Answer, self._answer), cast(Parser, self.requests[0])
        self._answer = None
        self.requests = []
        self.served += 1
        self._jobs = 0
        request.close()
        if answer.close:
            self._end(linger=request.error is not None or not request.asked_to_close)
            return
        self.since = self.work.timers.clock()
        self._enter("idle")
        self._parse()
        if self.work.draining:
            self.look()
        if self.connected and not self.requests and (self._ended or self.work.draining):
            self._end(linger=self.request is not None)

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
        seconds = {
            "idle": limits.idle_seconds,
            "head": limits.head_seconds,
            "body": limits.body_seconds,
            "write": limits.write_seconds,
            "linger": limits.linger_seconds,
        }[phase]
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

    def _time_out(self) -> None:
        """Refuse a request that does not get complete."""
        request, self.request = cast(Parser, self.request), None
        limits = self.work.limits
        seconds = limits.head_seconds if self.phase == "head" else limits.body_seconds
        what = f"the {self.phase} did not arrive within {seconds:g} seconds"
        request.refuse(Refusal("request_timeout", what))
        self._unread = b""
        self._take_up(request)
