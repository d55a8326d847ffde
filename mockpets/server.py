"""Serve any WSGI app with waitress, until told to stop.

The border: `serve` runs an app on listening sockets in the foreground, `MockpetsServer` beside a
test. What the app says goes out as it is; what waitress finds wrong before the app runs gets the
same Error body. Everything here that is waitress goes when an event loop takes its place.
"""

from __future__ import annotations

import logging
import os
import signal
from contextlib import ExitStack
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Self, cast

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher

from mockpets.constants import CONNECTIONS, ERRORS, HEAD_BYTES, IDLE_SECONDS, SERVER_BODY_BYTES
from mockpets.contract import error_body
from mockpets.listen import BACKLOG, bind
from mockpets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from socket import socket
    from wsgiref.types import WSGIApplication

__all__ = ["MockpetsServer", "bind", "serve"]

_THREADS: Final = 16
_GRACE_SECONDS: Final = 5.0
"""How long requests that are being answered may take when the server stops."""


# --- Errors found before the app runs ---------------------------------------------------------

_ANSWERS: Final = {
    400: ("invalid_request", "the request is not valid HTTP: {}"),
    413: ("payload_too_large", f"the body is larger than {SERVER_BODY_BYTES} bytes"),
    431: ("headers_too_large", f"request line and headers are larger than {HEAD_BYTES} bytes"),
    500: ("internal_error", "mockpets made a mistake; its log has what is needed to report it"),
    501: ("not_implemented", "{} Send the body with Content-Length, or chunked."),
}
"""waitress' status to our code and message."""


class _ErrorTask(ErrorTask):
    """waitress' own error, told in the contract's Error body."""

    def execute(self) -> None:
        """Write the answer; the connection ends with it."""
        error = cast(Any, self.request).error
        code, message = _ANSWERS[error.code]
        body = error_body(code, message.format(error.body[:200]), ERRORS[code])
        self.status = f"{error.code} {error.reason}"
        # The request as it came; what went wrong decides how much of it is known.
        came = cast(Any, self.channel.requests[0])
        origin = came.headers.get("ORIGIN")
        self.response_headers = [
            ("Content-Type", "application/json"),
            ("Cache-Control", "no-store"),
            ("Vary", "Origin"),
            ("Access-Control-Allow-Origin", origin or "*"),
            *([("Access-Control-Allow-Credentials", "true")] if origin else []),
        ]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(b"" if getattr(came, "command", "") == "HEAD" else body)


class _Parser(HTTPRequestParser):
    def parse_header(self, header_plus: bytes) -> None:
        """Parse the head; a target or length that waitress trips over is an error like others."""
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # `http://[::1/` as target, a length of 5,000 digits
            raise ParsingError("Request target or Content-Length is invalid") from error


class _Channel(HTTPChannel):
    error_task_class = _ErrorTask
    parser_class = _Parser


class _Listener(TcpWSGIServer):
    channel_class = _Channel


# --- Running and stopping ---------------------------------------------------------------------


class _Workers(ThreadedTaskDispatcher):
    """waitress' threads, kept so that stopping can wait for their very end."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[Thread] = []

    def start_new_thread(self, target: Callable[[int], object], thread_no: int) -> None:
        """Start one worker."""
        thread = Thread(target=target, args=(thread_no,), name="mockpets-worker", daemon=True)
        self.started.append(thread)
        thread.start()


class _Loop:
    """The listening sockets, their connections and the workers; runs until it is told to stop."""

    def __init__(self, app: WSGIApplication, sockets: Sequence[socket]) -> None:
        # It warns under the lock that every request needs.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        options = Adjustments(
            sockets=sockets,
            threads=_THREADS,
            backlog=BACKLOG,
            connection_limit=CONNECTIONS,
            asyncore_use_poll=True,  # select() ends the process above 1,023 descriptors
            channel_timeout=IDLE_SECONDS,
            cleanup_interval=2,
            channel_request_lookahead=1,  # a client that leaves frees its place at once
            max_request_header_size=HEAD_BYTES + 1,  # waitress refuses the limit itself
            max_request_body_size=SERVER_BODY_BYTES + 1,
            inbuf_overflow=2 * SERVER_BODY_BYTES,  # never to disk, which may be read-only
            ident="mockpets",
            server_name="localhost",
        )
        self.stopping = False
        self._workers = _Workers()
        self._map: dict[int, Any] = {}
        self._listeners = [
            _Listener(
                app,
                self._map,
                _sock=sock,
                dispatcher=self._workers,
                adj=options,
                sockinfo=(sock.family, sock.type, sock.proto, sock.getsockname()),
                bind_socket=False,
            )
            for sock in sockets
        ]
        self._workers.set_thread_count(_THREADS)

    def stop(self) -> None:
        """Let `run` end soon; from another thread or a signal handler."""
        self.stopping = True
        if self._map:  # else it has ended, and its trigger's descriptors may be someone else's
            self._listeners[0].pull_trigger()

    def run(self, on_ready: Callable[[], None] | None = None) -> None:
        """Serve until `stop`, then let requests end that are being answered, and close all."""
        try:
            if on_ready is not None:
                on_ready()
            while not self.stopping:
                self._turn(1.0)
            for listener in self._listeners:
                wasyncore.dispatcher.close(listener)  # its trigger must still wake us
            end = monotonic() + _GRACE_SECONDS
            while monotonic() < end and any(
                channel.requests or channel.total_outbufs_len for channel in self._channels()
            ):
                self._turn(0.1)
        finally:
            self._close()

    def _turn(self, seconds: float) -> None:
        wasyncore.loop(seconds, use_poll=True, map=self._map, count=1)

    def _channels(self) -> list[HTTPChannel]:
        return [item for item in self._map.values() if isinstance(item, HTTPChannel)]

    def _close(self) -> None:
        for channel in self._channels():
            channel.handle_close()
        self._workers.shutdown(timeout=1)
        for thread in self._workers.started:
            thread.join(timeout=0.1)  # done but for its last steps, or beyond waiting
        for listener in self._listeners:
            listener.close()


def serve(app: WSGIApplication, sockets: Sequence[socket], on_ready: Callable[[], None]) -> None:
    """Run an app until SIGTERM or SIGINT; a second one ends the process at once.

    Both get handlers, since the kernel keeps signals without one from process 1 of a container.

    :param sockets: of `bind`; closed at the end.
    :param on_ready: called when requests are accepted.
    """
    loop = _Loop(app, sockets)

    def stop(number: int, _: object) -> None:
        if loop.stopping:
            os._exit(128 + number)  # as a shell would tell it; what still runs is not waited for
        loop.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        loop.run(on_ready)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


class MockpetsServer:
    """mockpets in a thread of this process, for tests; a context manager.

    :param settings: by default the defaults on any free port.
    :param app: served in place of what `create_app` makes of the settings.
    """

    def __init__(
        self, settings: Settings | None = None, app: WSGIApplication | None = None
    ) -> None:
        self.settings = settings or Settings(port=0)
        self._app = app
        self._port = 0
        self._running: ExitStack | None = None

    @property
    def url(self) -> str:
        """The server's root, without a last slash; the contract's paths begin at ``/v1``.

        :raise RuntimeError: it does not run.
        """
        if self._running is None:
            raise RuntimeError("the server does not run: start() it first")
        return self.settings.url(self._port)

    def start(self) -> Self:
        """Listen and serve.

        :raise InputError: the settings name what is not there, or the port is taken.
        :raise RuntimeError: it runs already.
        """
        if self._running is not None:
            raise RuntimeError("the server runs already: stop() it first")
        with ExitStack() as begun:  # undone when a later step fails
            app = self._app or self._make_app(begun)
            sockets = bind(self.settings)
            self._port = sockets[0].getsockname()[1]
            loop = _Loop(app, sockets)
            thread = Thread(target=loop.run, name="mockpets-server", daemon=True)
            thread.start()
            begun.callback(thread.join)
            begun.callback(loop.stop)
            self._running = begun.pop_all()
        return self

    def _make_app(self, begun: ExitStack) -> WSGIApplication:
        from mockpets.web.app import create_app

        app = create_app(self.settings)
        watch = app.extensions["mockpets"].watch
        watch.start()
        begun.callback(watch.stop)
        return app

    def stop(self) -> None:
        """Let requests end that are being answered, then end all threads and connections."""
        if self._running is not None:
            self._running.close()
            self._running = None

    def __enter__(self) -> Self:
        """Start it."""
        return self.start()

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self.stop()
