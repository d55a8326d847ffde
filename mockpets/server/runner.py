"""Run a server: in the foreground until a signal, or on a thread beside a test."""

from __future__ import annotations

import logging
import os
import signal
from contextlib import ExitStack
from threading import Thread
from typing import TYPE_CHECKING, Final, Self

from mockpets.constants import CONNECTIONS
from mockpets.server.descriptors import raise_limit
from mockpets.server.loop import Loop
from mockpets.server.server_limits import limits_for
from mockpets.server.sockets import bind
from mockpets.settings import Settings
from mockpets.settings.combinations import notices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from socket import socket

    from mockpets.interface import App
    from mockpets.server.server_limits import ServerLimits

_log: Final = logging.getLogger("mockpets.server")


def serve(
    app: App,
    sockets: Sequence[socket],
    on_ready: Callable[[], None],
    settings: Settings | None = None,
) -> None:
    """Run an app until SIGTERM or SIGINT; a second one ends the process at once.

    With the setting `drain`, SIGTERM only begins to stop; the next signal ends that time.
    Both need handlers: the kernel does not deliver signals without one to process 1 of a container.
    Raises the limit of open files of this process, if it is too low for the connections.

    :param sockets: from `bind`; closed at the end.
    :param on_ready: called when requests are accepted.
    """
    raise_limit(CONNECTIONS)
    settings = settings or Settings()
    limits = limits_for(settings)
    if limits.connections < CONNECTIONS:
        _log.warning(
            "at most %d connections at a time instead of %d: this process may not open more files; "
            "to allow more, run 'ulimit -n %d' before mockpets",
            limits.connections,
            CONNECTIONS,
            2 * CONNECTIONS,
        )
    loop = Loop(app, sockets, limits)

    def stop(number: int, _: object) -> None:
        if loop.stopping:
            os._exit(128 + number)  # the status that a shell reports
        if settings.drain and number == signal.SIGTERM and loop.scheduler.stop_at is None:
            loop.stop_after(settings.drain)
        else:
            loop.stop()

    loop.watch_signals()
    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        loop.run(on_ready)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


class MockpetsServer:
    """Runs mockpets on a thread of this process, for tests; a context manager.

    :param settings: the default is all defaults, on any free port.
    :param app: served instead of the app that `create_app` makes.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        app: App | None = None,
        limits: ServerLimits | None = None,
    ) -> None:
        self.settings = settings or Settings(port=0)
        self._app = app
        self._limits = limits
        self._port = 0
        self._running: ExitStack | None = None

    @property
    def url(self) -> str:
        """Return the root URL of the server, without a final slash; the API is under ``/v1``.

        :raise RuntimeError: the server is not running.
        """
        if self._running is None:
            raise RuntimeError("the server is not running; call start() first")
        return self.settings.url(self._port)

    def start(self) -> Self:
        """Listen and serve.

        :raise InputError: a file or address in the settings is missing, or the port is in use.
        :raise RuntimeError: the server is already running.
        """
        if self._running is not None:
            raise RuntimeError("the server is already running; call stop() first")
        with ExitStack() as started:  # undone if a later step fails
            app = self._app or self._make_app(started)
            sockets = bind(self.settings)
            for sock in sockets:
                started.callback(sock.close)
            self._port = sockets[0].getsockname()[1]
            # The process belongs to the tests: the limit of its open files is not raised.
            limits = self._limits or limits_for(self.settings)
            loop = Loop(app, sockets, limits)
            thread = Thread(target=loop.run, name="mockpets-server", daemon=True)
            thread.start()
            started.callback(thread.join)
            started.callback(loop.stop)
            self._running = started.pop_all()
        return self

    def _make_app(self, started: ExitStack) -> App:
        from mockpets.web.app import create_app

        app = create_app(self.settings)
        for text in notices(self.settings):
            _log.warning(text)
        mock = app.extensions["mockpets"]
        if self.settings.state:
            from mockpets.storage.persistence import persist_sessions

            started.enter_context(persist_sessions(self.settings.state, mock.sessions))
        mock.reloader.start()
        started.callback(mock.reloader.stop)
        return app

    def stop(self) -> None:
        """Finish the requests in progress, then end all threads and connections."""
        if self._running is not None:
            self._running.close()
            self._running = None

    def __enter__(self) -> Self:
        """Start the server."""
        return self.start()

    def __exit__(self, *_: object) -> None:
        """Stop the server."""
        self.stop()
