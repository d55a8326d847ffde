"""One connection's requests: parsed and processed one at a time, in the order of arrival.

The next request is parsed only after the kernel has taken the whole response before it: a client
that does not read delays its own connection and no other.
"""

from __future__ import annotations

import logging
import os
import socket
import struct
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from mockpets.constants import BODY_BYTES
from mockpets.errors import RequestError
from mockpets.http.request_parser import RequestParser
from mockpets.interface import Arrival, Delivery, Job, Later, Pause, Reply
from mockpets.server.connection import Connection
from mockpets.server.parking import ParkedResponse, ThrottledBody
from mockpets.server.task import Response, error_response, incoming, response_of
from mockpets.telemetry.access_log import shown_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.constants import ResponseEnd
    from mockpets.interface import Result

_log: Final = logging.getLogger("mockpets.server")
_RESET: Final = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
"""SO_LINGER with a time of zero: closing the socket resets the connection."""
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
    _later: Later | None = None
    """What the app waits for, before there is a response."""

    def close(self, end: ResponseEnd = "client_left") -> None:
        """Close the connection and free everything that it holds."""
        self._incoming = self._request = None
        self.scheduler.bodies.forget(self._reject_body)
        self._cancel_later()
        super().close(end)

    def _cancel_later(self) -> None:
        later, self._later = self._later, None
        if later is not None:
            later.cancel()

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
        if self._later is None and request.body_size > BODY_BYTES:
            result = self._result(request, lambda: self._handle(request, is_arriving=True))
            if not (isinstance(result, Later) and isinstance(result.after, Arrival)):
                self._incoming, self._request = None, request
                self.scheduler.bodies.forget(self._reject_body)
                self._enter("busy")
                self._carry_out(request, result)
                return
            self._later = result
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
        self._enter("busy")
        self.scheduler.call_soon(self._respond)

    def _respond(self) -> None:
        request = self._request
        if request is None:
            return  # the client has left
        if request.error is not None:
            self._cancel_later()
        if self._later is None:
            self._go_on(request, partial(self._handle, request))
        else:
            self._resume(request, request.body)

    def _handle(self, request: RequestParser, *, is_arriving: bool = False) -> Reply | Later:
        if request.request_uri == "*":
            # About the server as a whole (RFC 9110, part 9.3.7): no app has such a path.
            return Reply("204 No Content", [("Allow", "GET, HEAD, POST, OPTIONS")])
        return self.server.app.handle(incoming(self, request, is_arriving=is_arriving))

    def _resume(self, request: RequestParser, result: Result) -> None:
        """Continue with what the app has waited for, unless the client has left."""
        later, self._later = self._later, None
        if later is not None:
            self._go_on(request, lambda: later.resume(result))

    def _go_on(self, request: RequestParser, step: Callable[[], Reply | Later]) -> None:
        """Take a step towards the response to a request."""
        self.scheduler.changed.add(self)
        self._carry_out(request, self._result(request, step))

    def _result(
        self, request: RequestParser, step: Callable[[], Reply | Later]
    ) -> Response | Later:
        """Return the result of a step of the app; the client does not see how an app failed."""
        try:
            if request.error is None:
                result = step()
                return result if isinstance(result, Later) else self._written(request, result)
        except Exception:  # noqa: BLE001 - an app may fail in any way
            target = shown_target(request.request_uri)
            _log.exception("error while responding to %s %r", request.command, target)
            message = "internal error in mockpets; the log has the details"
            request.reject(RequestError("internal_error", message))
        return error_response(self, request)

    def _written(self, request: RequestParser, reply: Reply) -> Response:
        if reply.session:
            self.note_session(reply.session)
        try:
            return response_of(self, request, reply)
        except Exception:
            if reply.on_end is not None:  # the client gets an error response instead
                reply.on_end("broken")
            raise

    def _carry_out(self, request: RequestParser, result: Response | Later) -> None:
        """Send or park a response as its delivery describes, or wait as a `Later` requires."""
        if isinstance(result, Later):
            self._response = None
            self._wait_for(request, result)
            return
        self._response = response = result
        request.close()  # nothing reads the body again, and the response may be parked
        delivery = response.delivery
        if delivery.watch is not None:
            delivery.watch(partial(self._release_soon, response))
        if (delivery.delay > 0 or delivery.hold is not None) and not self.scheduler.draining:
            self._park(delivery, partial(self._release, response))
        else:
            self._deliver(response)

    def _wait_for(self, request: RequestParser, later: Later) -> None:
        """Resume the app after what it waits for."""
        self._later = later

        def resume(result: Result) -> None:
            if self._later is later:  # else the client has left
                self._resume(request, result)

        match later.after:
            case Job() as job:
                self.scheduler.worker.submit(job, partial(resume, None))
            case Pause() as pause:

                def end() -> None:
                    self._parked = None
                    resume(self.scheduler.draining or self.scheduler.time() >= pause.until)

                if self.scheduler.draining:
                    end()
                else:
                    patience = pause.until - self.scheduler.time()
                    hold = Delivery(hold=pause.hold, patience=patience, owner=pause.owner)
                    self._park(hold, end)
            case Arrival():
                resume(request.body)

    def _park(self, delivery: Delivery, release: Callable[[], None]) -> None:
        if self._peer_closed:
            self.close()  # the client has most likely left
        else:
            self._catch_up()  # from now on the client waits
            self._parked = ParkedResponse(self.scheduler.parking, delivery, release)

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

    def _release_soon(self, response: Response, reply: Reply | None) -> None:
        self.scheduler.call_soon(partial(self._release_now, response, reply))

    def _release_now(self, response: Response, reply: Reply | None) -> None:
        """Send a response that waits, or another one in its place; see `interface.Send`."""
        parked = self._parked
        if parked is None or self._response is not response:
            return  # it has ended
        if reply is None:
            parked.flush()
        elif isinstance(parked, ParkedResponse):  # else its head is sent
            parked.drop()
            self._parked = None
            self._go_on(response.request, lambda: replace(reply, on_end=response.on_end))

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

    def _break(self, delivery: Delivery) -> None:
        """End the connection as a fault does, or wait until the client leaves."""
        then = "close" if delivery.fault is None else delivery.fault.then
        self._end_response("broken")
        if then == "wait" and not self.scheduler.draining:
            self._enter("busy")
            self._park(Delivery(hold=_never, owner=delivery.owner), self.close)
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
        self._request = None
        self._end_response("broken" if response.short else "sent")
        self.served += 1
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
