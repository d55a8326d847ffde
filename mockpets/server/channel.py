"""One connection's requests: parsed and processed one at a time, each response sent as ordered.

The next request is parsed only after the kernel has taken the whole response before it: a client
that does not read delays its own connection and no other.
"""

from __future__ import annotations

import logging
import os
import socket
import struct
from functools import partial
from typing import TYPE_CHECKING, Final

from mockpets.constants import BODY_BYTES
from mockpets.errors import RequestError
from mockpets.http.request_parser import RequestParser
from mockpets.server.connection import Connection
from mockpets.server.parking import ParkedResponse, ThrottledBody
from mockpets.server.task import Response, Task, error_response
from mockpets.telemetry.access_log import shown_target
from mockpets.wsgi_extension import AwaitBody, CallAgain, Deliver, RunJob

if TYPE_CHECKING:
    from collections.abc import Callable
    from wsgiref.types import WSGIApplication

    from mockpets.constants import ResponseEnd
    from mockpets.wsgi_extension import BodyState

_log: Final = logging.getLogger("mockpets.server")
_RESET: Final = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
"""SO_LINGER with a time of zero: closing the socket resets the connection."""
_JOBS: Final = 3
"""Maximum number of jobs for one request: more than one if scenario files change during a job."""
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


def _never(_release: Callable[[], None]) -> Callable[[], None]:
    """Hold a response until its client leaves."""
    return lambda: None


class Channel(Connection):
    """A connection that speaks HTTP."""

    _incoming: RequestParser | None = None
    _request: RequestParser | None = None
    """The request in progress, which is complete."""
    _response: Response | None = None
    _body_state: BodyState | None = None
    """None if the body is not large, or came with its head."""
    _jobs = 0
    _job_results: tuple[object, ...] = ()
    _retry_until: float | None = None
    """Deadline for retries."""

    def close(self, end: ResponseEnd = "client_left") -> None:
        """Close the connection and free everything that it holds."""
        self._incoming = self._request = None
        self.scheduler.bodies.forget(self._reject_body)
        super().close(end)

    def drain(self) -> None:
        """Close the connection, unless it has a complete request."""
        self.read_available()
        if self.is_incomplete:
            self.close()

    # --- Requests -----------------------------------------------------------------------------

    @property
    def _has_request(self) -> bool:
        return self._request is not None

    def _parse(self) -> None:
        """Parse up to the end of one request; the rest waits for its response."""
        while self._unparsed and self._request is None:
            request = self._incoming
            if request is None:
                limits = self.scheduler.limits
                request = self._incoming = RequestParser(limits.head_bytes, limits.body_bytes)
            data, self._unparsed = self._unparsed, b""
            self._unparsed = data[request.received(data) :]
            if request.completed:
                self._incoming = None
                if not request.empty:
                    self._enqueue(request)
            elif request.headers_finished:
                self._await_body(request)
            elif self.phase != "head":
                self._enter("head")

    def _await_body(self, request: RequestParser) -> None:
        """Wait for the rest of a body, unless the app responds without it."""
        has_early_calls = getattr(self.server.application, "early_calls", False)
        if has_early_calls and self._body_state is None and request.body_size > BODY_BYTES:
            self._body_state = "large"
            response = self._make_response(request)
            if not isinstance(response.order, AwaitBody):
                self._incoming, self._request = None, request
                self.scheduler.bodies.forget(self._reject_body)
                self._enter("busy")
                self._carry_out(request, response)
                return
        self.scheduler.bodies.count(self._reject_body, request.body_bytes)
        if self._request is not None:
            return  # it was the largest, and is rejected
        if request.expect_continue and not self._unparsed:
            request.expect_continue = False
            self._send(_CONTINUE)
        if self.phase != "body":
            self._enter("body")

    def _reject_body(self) -> None:
        """Reject the request whose body is arriving: all of them together are too large."""
        message = "the server is receiving too many large bodies; try again"
        self._reject_incoming(RequestError("busy", message, [("Retry-After", "1")]))

    def _reject_incoming(self, error: RequestError) -> None:
        request, self._incoming = self._incoming, None
        if request is None:
            return  # not reached: a request is arriving
        request.reject(error)
        self._enqueue(request)

    def _enqueue(self, request: RequestParser) -> None:
        """Schedule the response to a complete request."""
        self._request = request
        if self.phase not in ("idle", "head"):
            self.scheduler.bodies.forget(self._reject_body)
        if self._body_state is not None:
            self._body_state = "read"
        self._enter("busy")
        self.scheduler.call_soon(self._respond)

    def _respond(self) -> None:
        request = self._request
        if request is None:
            return  # the client has left
        self.scheduler.changed.add(self)
        self._carry_out(request, self._make_response(request))

    def _carry_out(self, request: RequestParser, response: Response) -> None:
        """Send, park or retry a response as ordered."""
        self._response, is_draining = response, self.scheduler.draining
        match order := response.order:
            case RunJob():
                self._run_job(request, order)
                return
            case CallAgain() if not is_draining or self._retry_until is None:
                if self._retry_until is None:
                    self._retry_until = self.scheduler.timers.clock() + order.patience
                if is_draining:
                    self._retry()
                else:
                    hold = Deliver(hold=order.hold, patience=order.patience, owner=order.owner)
                    self._park(hold, self._retry)
                return
        request.close()  # nothing reads the body again, and the response may be parked
        delivery = response.delivery
        if delivery.watch is not None:
            delivery.watch(partial(self._release_soon, response))
        if (delivery.delay > 0 or delivery.hold is not None) and not is_draining:
            self._park(delivery, partial(self._release, response))
        else:
            self._deliver(response)

    def _park(self, delivery: Deliver, release: Callable[[], None]) -> None:
        if self._peer_closed:
            self.close()  # the client has most likely left
        else:
            self._catch_up()  # from now on the client waits
            self._parked = ParkedResponse(self.scheduler.parking, delivery, release)

    def _make_response(self, request: RequestParser) -> Response:
        """Return the response; the client does not see how an app failed."""
        try:
            if request.error is None:
                task = Task(self, request)
                return task.run(self._job_results, self._body_state, self._patience_left())
            return error_response(self.scheduler, request, request.error, self.addr[0])
        except Exception:  # noqa: BLE001 - an app may fail in any way
            target = shown_target(request.request_uri)
            _log.exception("error while responding to %s %r", request.command, target)
        message = "internal error in mockpets; the log has the details"
        error = RequestError("internal_error", message)
        request.reject(error)
        return error_response(self.scheduler, request, error, self.addr[0])

    def _patience_left(self) -> float | None:
        """Return the seconds for which the app may hold a retried request; None for others."""
        if self._retry_until is None:
            return None
        if self.scheduler.draining:
            return 0.0
        return max(self._retry_until - self.scheduler.timers.clock(), 0.0)

    def _run_job(self, request: RequestParser, order: RunJob) -> None:
        """Have the worker run a job, then call the app again."""
        self._response = None
        self._jobs += 1
        if self._jobs > _JOBS:
            message = "the scenarios change faster than their records can be generated; try again"
            request.reject(RequestError("busy", message))
            self.scheduler.call_soon(self._respond)
            return

        def run() -> None:
            self._job_results += (order.job(),)

        self.scheduler.worker.submit(run, self._respond, order.owner)

    def _retry(self) -> None:
        """Call the app again after the hold that it ordered."""
        self._parked = self._response = None
        self._jobs, self._job_results = 0, ()  # their results may be outdated
        self.scheduler.call_soon(self._respond)

    def _on_timeout(self) -> None:
        limits = self.scheduler.limits
        seconds = limits.head_seconds if self.phase == "head" else limits.body_seconds
        message = f"the {self.phase} did not arrive within {seconds:g} seconds"
        self._reject_incoming(RequestError("request_timeout", message))

    # --- Responses ----------------------------------------------------------------------------

    def _release(self, response: Response) -> None:
        self._parked = None
        self.scheduler.changed.add(self)
        self._deliver(response)

    def _release_soon(self, response: Response, app: WSGIApplication | None) -> None:
        self.scheduler.call_soon(partial(self._release_now, response, app))

    def _release_now(self, response: Response, app: WSGIApplication | None) -> None:
        """Send a response that waits, or the one of an app in its place; see `Release`."""
        parked = self._parked
        if parked is None or self._response is not response:
            return  # it has ended
        if app is None:
            parked.flush()
        elif isinstance(parked, ParkedResponse):  # else its head is sent
            parked.drop()
            self._parked = None
            self.scheduler.changed.add(self)
            request = response.request
            self._carry_out(request, Task(self, request).replace(response, app))

    def _deliver(self, response: Response) -> None:
        """Send a response, or break the connection instead."""
        delivery = response.delivery
        if delivery.fault is not None and delivery.fault.sends == "nothing":
            self._break(delivery)
        elif delivery.throttle is None or self.scheduler.draining or not response.body:
            self.scheduler.send_soon(self._send_response)
        else:
            self._send(response.head)
            if self.connected:
                self._parked = ThrottledBody(
                    self.scheduler.parking,
                    response.body,
                    delivery.throttle,
                    delivery.owner,
                    self._send,
                    lambda: bool(self._unsent),
                    partial(self._on_throttled_sent, response),
                )

    def _send_response(self) -> None:
        response = self._response
        if response is None:
            return  # the client has left
        self._send(response.head + response.body)
        if not self._unsent and self.connected:
            self._finish(response)

    def _break(self, delivery: Deliver) -> None:
        """End the connection as a fault does, or wait until the client leaves."""
        then = "close" if delivery.fault is None else delivery.fault.then
        self._end_response("broken")
        if then == "wait" and not self.scheduler.draining:
            self._enter("busy")
            self._park(Deliver(hold=_never, owner=delivery.owner), self.close)
        elif then == "reset":
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self.close()
        else:
            self._end()

    def _on_throttled_sent(self, response: Response) -> None:
        self._parked = None
        self.scheduler.changed.add(self)
        if not self._unsent and self.connected:
            self._finish(response)

    def _on_sent(self) -> None:
        if self._response is None:  # it was `100 Continue`
            self._catch_up()
            self._enter("body")
        elif self._parked is None:
            self._finish(self._response)
        else:
            self._catch_up()  # the rest of the body is not due yet
            self._enter("busy")

    def _end_response(self, end: ResponseEnd) -> None:
        response, self._response = self._response, None
        if response is not None and response.on_end is not None:
            response.on_end(end)

    def _finish(self, response: Response) -> None:
        """Go on to the next request after a response is sent, or end the connection."""
        request, fault = response.request, response.delivery.fault
        if fault is not None and fault.then in ("reset", "wait"):
            self._break(response.delivery)
            return
        self._request = self._body_state = None
        self._end_response("broken" if response.short else "sent")
        self.served += 1
        if self._jobs or self._retry_until is not None:
            self._jobs, self._job_results, self._retry_until = 0, (), None
        if response.close:
            is_done = request.completed and request.error is None
            self._end(linger=not is_done or not request.fields.closes)
            return
        self._enter("idle")
        self._parse()
        if self._request is None:
            self._catch_up()
        else:
            self._fall_behind()
        if self.scheduler.draining:
            self.read_available()
        is_last = self._peer_closed or self.scheduler.draining
        if self.connected and not self._has_request and is_last:
            self._end(linger=self._incoming is not None)
