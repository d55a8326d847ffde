"""Flask, with what this app has no use for taken out of each request's way.

No view is a coroutine, no signal has a listener, there is one hook after the view and none before,
nothing is kept in cookies, and no route depends on the Host: Flask looks for each of these every
time, which costs more than the views do. `benchmarks/` shows what it saves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import flask
from flask.sessions import NullSession, SessionInterface
from werkzeug.routing import MapAdapter

from mockpets.web.exchange import Request, Response, current_request
from mockpets.web.session_selector import take_base_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from werkzeug.routing import Rule


class _NoCookies(SessionInterface):
    """Flask's sessions, of which there are none."""

    _none = NullSession()

    def open_session(self, *_: Any) -> NullSession:
        """Return what fails when it is written to."""
        return self._none


class _Router(MapAdapter):
    """Finds the view of one request; for a path without variables it looks only once.

    :param fixed: method and path to the rule that was found.
    """

    def __init__(self, fixed: dict[tuple[str, str], Rule], *arguments: Any) -> None:
        super().__init__(*arguments)
        self._fixed = fixed

    def match(self, *arguments: Any, **options: Any) -> Any:
        """Return the rule and its arguments, as Flask asks for them.

        :raise HTTPException: there is none.
        """
        if arguments or options != {"return_rule": True}:
            return super().match(*arguments, **options)
        asked = self.default_method, self.path_info
        rule = self._fixed.get(asked)
        if rule is not None:
            return rule, {}
        rule, values = super().match(**options)
        if not values and rule.methods is not None:  # else clients could have it grow
            self._fixed[asked] = rule
        return rule, values


class App(flask.Flask):
    """Flask with our request and response classes.

    Overrides pass their arguments on unchanged, since later versions of Flask add the context.

    :param finish: called with every response, and returns the one to send.
    :param admit: called with every request first; may raise to reject it.
    """

    request_class = Request
    response_class = Response
    session_interface = _NoCookies()

    def __init__(
        self,
        finish: Callable[[Any], flask.Response],
        admit: Callable[[Request], None] | None = None,
    ) -> None:
        super().__init__("mockpets.web", static_folder=None)
        self._finish = finish
        self._admit = admit
        self._fixed: dict[tuple[str, str], Rule] = {}

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request; a target without a path is that of the root (RFC 9110, 4.2.3)."""
        environ["PATH_INFO"] = environ.get("PATH_INFO") or "/"
        take_base_path(environ)
        return super().wsgi_app(environ, start_response)

    def full_dispatch_request(self, *context: Any) -> flask.Response:
        """Return the answer of the view, or of the handler of what it raised."""
        try:
            if self._admit is not None:
                self._admit(current_request())
            answer = self.dispatch_request(*context)
        except Exception as error:  # noqa: BLE001 - each has a handler
            handle: Callable[..., Any] = self.handle_user_exception
            answer = handle(*context, error)
        return self.process_response(*context, self.make_response(answer))

    def process_response(self, *context_and_response: Any) -> flask.Response:
        """Return the answer as it is sent."""
        return self._finish(context_and_response[-1])

    def create_url_adapter(self, request: flask.Request | None) -> MapAdapter | None:
        """Return what finds the view; the server has refused a Host that is none."""
        if request is None:
            return None  # nothing makes URLs outside a request
        root, path = request.environ.get("SCRIPT_NAME", ""), request.path
        where = self.url_map, "localhost", root, "", "http", path, request.method
        return _Router(self._fixed, *where)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function: none is a coroutine."""
        return func

    def do_teardown_request(self, *_: Any, **__: Any) -> None:
        """Do nothing: there is nothing to tear down."""

    def do_teardown_appcontext(self, *_: Any, **__: Any) -> None:
        """Do nothing: there is nothing to tear down."""
