"""Make one answer: run the app, or say what is wrong with the request.

waitress sends while the app runs; here the whole answer is made first, so that it can be sent
late, in part or not at all. What an app may not say is refused as PEP 3333 has it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, cast

from waitress.task import ErrorTask as WaitressErrorTask
from waitress.task import WSGITask, hop_by_hop

from mockpets.contract.error_body import error_body
from mockpets.redaction import redacted_target
from mockpets.telemetry.access_log import Access, access, wanted
from mockpets.wsgi_extension import JOB_RESULTS, ORDER, RETRIED, SERVER

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from mockpets.errors import RequestError
    from mockpets.server.http.request_parser import RequestParser
    from mockpets.server.scheduler import Scheduler
    from mockpets.wsgi_extension import DeliveryOrder

_log: Final = logging.getLogger("mockpets.server")

_REASONS: Final = {
    400: "Bad Request",
    408: "Request Timeout",
    413: "Content Too Large",
    417: "Expectation Failed",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable",
    505: "HTTP Version Not Supported",
}


class Answer:
    """What a task has made.

    :param head: status line and headers, the empty line included.
    :param order: what the app wants done with it, None for sending it at once.
    :param close: the connection ends with it.
    """

    __slots__ = ("body", "close", "head", "order")

    def __init__(
        self, head: bytes, body: bytes, order: DeliveryOrder | None, *, close: bool
    ) -> None:
        self.head = head
        self.body = body
        self.order = order
        self.close = close


class Task(WSGITask):
    """Runs the app; waitress makes the environ."""

    def __init__(self, channel: Any, request: Any) -> None:
        super().__init__(channel, request)
        self._written: list[bytes] = []

    def make(self) -> Answer:
        """Return the app's answer.

        :raise Exception: whatever the app raises, and what it may not answer.
        """
        channel = cast("Any", self.channel)
        if cast("Any", self.request).request_uri == "*":
            # The server as a whole (RFC 9110, part 9.3.7), of which no app knows.
            self.start_response("204 No Content", [("Allow", "GET, HEAD, POST, OPTIONS")])
            return self._answer(b"", None)
        environ = self.get_environment()
        environ[SERVER] = channel.work
        request = cast("RequestParser", self.request)
        environ[JOB_RESULTS] = request.made
        if request.asked_again:
            environ[RETRIED] = True
        del environ["wsgi.file_wrapper"]  # it would keep a file open for as long as a client reads
        chunks = channel.server.application(environ, self.start_response)
        try:
            body = b"".join(chunks)
        finally:
            if hasattr(chunks, "close"):
                chunks.close()
        if self._written:
            body = b"".join(self._written) + body
        if not self.complete:
            raise AssertionError("the app returned without calling start_response")
        return self._answer(body, environ.get(ORDER))

    def _answer(self, body: bytes, order: DeliveryOrder | None) -> Answer:
        """Return body and head in agreement."""
        request, channel = cast("RequestParser", self.request), cast("Any", self.channel)
        is_head = cast("Any", request).command == "HEAD"
        has_body = self.status[:3] not in ("204", "304")
        length = self.content_length
        if is_head or not has_body:
            body = b""
            length = length if has_body else None
        elif length is None:
            length = len(body)
        elif len(body) > length:
            body = body[:length]
        short = not is_head and length is not None and len(body) < length
        if short and (order is None or not order.close):
            _log.warning(
                "the app announced %s bytes but returned %s; the connection ends", length, len(body)
            )
        wanted = channel.last_request or (order is not None and order.close)
        close = short or wanted or request.asked_to_close
        connection = "close" if close else None
        if not close and request.version == "1.0":
            connection = "keep-alive"
        head = channel.work.heads.write(self.status, self.response_headers, length, connection)
        return Answer(head, body, order, close=close)

    def start_response(
        self,
        status: str,
        headers: list[tuple[str, str]],
        exc_info: tuple[type[BaseException], BaseException, TracebackType] | None = None,
    ) -> Callable[[bytes], object]:
        """Take status and headers from the app (PEP 3333).

        A line break in them is found when the head is written.

        :raise AssertionError: called twice, or with a header that is not the app's to set.
        """
        if self.complete and not exc_info:
            raise AssertionError("start_response was called twice")
        self.complete = True
        self.status = status
        self.content_length = None
        kept, names = [*headers], [name.lower() for name, _ in headers]
        while "content-length" in names:
            at = names.index("content-length")
            del names[at]
            self.content_length = int(kept.pop(at)[1])
        if not hop_by_hop.isdisjoint(names):
            found = ", ".join(sorted(hop_by_hop.intersection(names)))
            raise AssertionError(f"{found} is a hop-by-hop header: not the app's to set")
        self.response_headers = kept
        return self._written.append


class ErrorTask(WaitressErrorTask):
    """Tells an error found before the app ran, or the app's failure, in the Error body."""

    def make(self) -> Answer:
        """Return the answer; the connection ends with it."""
        request = cast("RequestParser", self.request)
        refusal = cast("RequestError", request.error)
        body = error_body(refusal.code, refusal.message, refusal.status)
        origin = request.origin
        headers = [
            ("Content-Type", "application/json"),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Vary", "Origin"),
            ("Timing-Allow-Origin", "*"),
            ("Access-Control-Allow-Origin", origin or "*"),
            *([("Access-Control-Allow-Credentials", "true")] if origin else []),
        ]
        status = f"{refusal.status} {_REASONS[refusal.status]}"
        work: Scheduler = cast("Any", self.channel).work
        head = work.heads.write(status, headers, len(body), "close")
        work.errors[refusal.status] += 1
        if wanted():
            method, _, rest = request.request_line.partition(" ")
            target = redacted_target(rest.rpartition(" ")[0] or rest)
            access(Access(method, target, refusal.status, 0.0, size=len(body)))
        return Answer(head, b"" if request.is_head else body, None, close=True)
