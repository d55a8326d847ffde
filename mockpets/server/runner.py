"""Run a server: in the foreground until a signal, or on a thread beside a test."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from threading import Thread
from typing import TYPE_CHECKING, Self

from mockpets.server.loop import Loop
from mockpets.server.sockets import bind
from mockpets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from socket import socket
    from wsgiref.types import WSGIApplication

    from mockpets.server.limits import Limits


def serve(app: WSGIApplication, sockets: Sequence[socket], on_ready: Callable[[], None]) -> None:
    """Run an app until SIGTERM or SIGINT; a second one ends the process at once.

    Both get handlers, since the kernel keeps signals without one from process 1 of a container.

    :param sockets: of `bind`; closed at the end.
    :param on_ready: called when requests are accepted.
    """
    loop = Loop(app, sockets)

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
    :param limits: by default those of `mockpets.constants`.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        app: WSGIApplication | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.settings = settings or Settings(port=0)
        self._app = app
        self._limits = limits
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
            loop = Loop(app, sockets, self._limits)
            thread = Thread(target=loop.run, name="mockpets-server", daemon=True)
            thread.start()
            begun.callback(thread.join)
            begun.callback(loop.stop)
            self._running = begun.pop_all()
        return self

    def _make_app(self, begun: ExitStack) -> WSGIApplication:
        from mockpets.storage.persistence import persist_sessions
        from mockpets.web.app import create_app

        app = create_app(self.settings)
        mock = app.extensions["mockpets"]
        begun.enter_context(persist_sessions(self.settings.state, mock.sessions))
        mock.reloader.start()
        begun.callback(mock.reloader.stop)
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
