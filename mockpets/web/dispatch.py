"""Flask, with what this app has no use for taken out of each request's way.

No view is a coroutine, no signal has a listener, there is one hook after the view and none before,
nothing is kept in cookies, and no route depends on the Host: Flask looks for each of these every
time, which costs more than the views do. `benchmarks/` shows what it saves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flask
from werkzeug.routing import MapAdapter

from mockpets.web.messages import Request, Response, current_request
from mockpets.web.selection import take_base_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

__all__ = ["App"]


class App(flask.Flask):
    """Flask with our request and response classes.

    The arguments of what it overrides are handed on as they come: a later Flask passes its context
    along with them.
    """

    request_class = Request
    response_class = Response

    finish: Callable[[Any], flask.Response]
    """What is done to every answer."""
    admit: Callable[[Request], None] | None = None
    """Is asked first, and may refuse."""

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request; a target without a path is that of the root (RFC 9110, 4.2.3)."""
        environ["PATH_INFO"] = environ.get("PATH_INFO") or "/"
        take_base_path(environ)
        return super().wsgi_app(environ, start_response)

    def full_dispatch_request(self, *context: Any) -> flask.Response:
        """Return the answer of the view, or of the handler of what it raised."""
        try:
            if self.admit is not None:
                self.admit(current_request())
            answer = self.dispatch_request(*context)
        except Exception as error:  # noqa: BLE001 - each has a handler
            handle: Callable[..., Any] = self.handle_user_exception
            answer = handle(*context, error)
        return self.process_response(*context, self.make_response(answer))

    def process_response(self, *context_and_response: Any) -> flask.Response:
        """Return the answer as it is sent."""
        return self.finish(context_and_response[-1])

    def create_url_adapter(self, request: flask.Request | None) -> MapAdapter | None:
        """Return what finds the view; the server has refused a Host that is none."""
        if request is None:
            return super().create_url_adapter(request)
        environ = request.environ
        root, path, method = environ.get("SCRIPT_NAME", ""), request.path, request.method
        return MapAdapter(self.url_map, "localhost", root, "", "http", path, method, None)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function: none is a coroutine."""
        return func

    def do_teardown_request(self, *_: Any, **__: Any) -> None:
        """Do nothing: there is nothing to tear down."""

    def do_teardown_appcontext(self, *_: Any, **__: Any) -> None:
        """Do nothing: there is nothing to tear down."""
