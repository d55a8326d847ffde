"""One connection's requests: parsed, answered one at a time, each answer sent as it is ordered.

A request is taken up only when the answer before it has left, whole, for the kernel: a client
that does not read costs its own connection and nothing else.
"""

from __future__ import annotations

import logging
import os
import socket
import struct
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from mockpets.errors import RequestError
from mockpets.redaction import redacted_target
from mockpets.server.connection import Connection
from mockpets.server.http.request_parser import RequestParser
from mockpets.server.parking import ParkedResponse, ThrottledBody
from mockpets.server.task import Answer, ErrorTask, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_log: Final = logging.getLogger("mockpets.server")
_RESET: Final = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
"""SO_LINGER on, for no time: closing resets."""
_JOBS: Final = 3
"""Jobs that one request may ask for: scenario files may change while the first is done."""
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class Channel(Connection):
    """A connection that speaks HTTP."""

    task_class = Task
    error_task_class = ErrorTask
    parser_class = RequestParser

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.served = 0
        self._answer: Answer | None = None
        self._jobs = 0
        super().__init__(*arguments, **options)

    def handle_close(self) -> None:
        """Close the connection and free all it held."""
        self._answer = None
        super().handle_close()

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
        self.work.add_task(cast("Any", self))

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
                go = self._ask_again if order.again else self._go
                self._waiting = ParkedResponse(self.work, order, go)
        else:
            self._give()

    def _make(self, request: Any) -> Answer:
        """Return the answer; what goes wrong is told without saying what."""
        try:
            if request.error is not None:
                return ErrorTask(self, request).make()
            return Task(self, request).make()
        except Exception:  # noqa: BLE001 - an app may fail in any way
            target = redacted_target(str(request.request_uri))
            _log.exception("error while answering %s %r", request.command, target)
        message = "mockpets made a mistake; its log has what is needed to report it"
        request.refuse(RequestError("internal_error", message))
        return ErrorTask(self, request).make()

    def _help(self, job: Callable[[], object]) -> None:
        """Have a job done, then ask the app again."""
        self._answer = None
        self._jobs += 1
        if self._jobs > _JOBS:
            refusal = RequestError(
                "busy", "the scenarios change faster than their pets can be made"
            )
            cast("RequestParser", self.requests[0]).refuse(refusal)
            self.work.add_task(cast("Any", self))
            return
        request = cast("RequestParser", self.requests[0])
        request.get_body_stream().seek(0)
        self.work.help_with(
            lambda: request.made.append(job()), lambda: self.work.add_task(cast("Any", self))
        )

    def _ask_again(self) -> None:
        """Have the app answer anew, after what it wanted to wait for."""
        self._waiting = self._answer = None
        request = cast("RequestParser", self.requests[0])
        request.asked_again = True
        request.get_body_stream().seek(0)
        self.work.add_task(cast("Any", self))

    def _time_out(self) -> None:
        """Refuse a request that does not get complete."""
        request, self.request = cast("RequestParser", self.request), None
        limits = self.work.limits
        seconds = limits.head_seconds if self.phase == "head" else limits.body_seconds
        what = f"the {self.phase} did not arrive within {seconds:g} seconds"
        request.refuse(RequestError("request_timeout", what))
        self._unread = b""
        self._take_up(request)

    # --- Answers ------------------------------------------------------------------------------

    def _go(self) -> None:
        """Send an answer that was kept back."""
        self._waiting = None
        self.work.changed.add(self)
        self._give()

    def _give(self) -> None:
        """Send the answer that is made, or break it."""
        answer = cast("Answer", self._answer)
        order = answer.order
        if order is not None and order.fault is not None:
            self.connection_faults[order.fault](self)
        elif order is None or order.throttle is None or self.work.draining or not answer.body:
            self._send(answer.head + answer.body)
            if not self._unsent and self.connected:
                self._sent()
        else:
            self._send(answer.head)
            if self.connected:
                self._waiting = ThrottledBody(
                    self.work,
                    answer.body,
                    order.throttle,
                    self._send,
                    lambda: bool(self._unsent),
                    self._dripped,
                )

    def _reset(self) -> None:
        """Reset the connection."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.handle_close()

    connection_faults: ClassVar[Mapping[str, Callable[[Channel], None]]] = {
        "connection_reset": _reset,
        "empty_reply": Connection._end,  # without a byte of the response
    }
    """How to break the connection, by the name of the fault."""

    def _dripped(self) -> None:
        self._waiting = None
        self.work.changed.add(self)
        if not self._unsent and self.connected:
            self._sent()

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
        answer, request = cast("Answer", self._answer), cast("RequestParser", self.requests[0])
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
