"""Flask without the per-request work that this app does not need.

Flask routes requests; views get the request as an argument. The app has no coroutines of asyncio,
signals, cookies or host-dependent routes. Checking for each of these on every request would cost
more than our views.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache, lru_cache, partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

import flask
from flask.sessions import NullSession, SessionInterface
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, MapAdapter, Rule

from mockpets.constants import CONTROL_PREFIX
from mockpets.interface import Incoming, Later
from mockpets.web.jobs import without_server
from mockpets.web.messages import Request, Response
from mockpets.web.session_selector import take_baggage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from mockpets.contract.contract_model import Contracts, Operation
    from mockpets.interface import Reply, Result
    from mockpets.web.messages import Steps, View

PREFLIGHT: Final = "HTTP_ACCESS_CONTROL_REQUEST_METHOD"
"""In the environ of a preflight: the method of the request that follows."""


_KEPT: Final = 256
"""How many paths to keep, with their rules and parameters."""
_KEPT_LENGTH: Final = 256
"""The longest path to keep, in characters."""


class _NoCookies(SessionInterface):
    _empty = NullSession()

    def open_session(self, *_: object) -> NullSession:
        """Return a session that rejects writes."""
        return self._empty


class Route(Rule):
    """A rule without the two functions that build its URL, which take most of its compilation.

    With them, a start takes 1.4 ms longer, and the first call of the control API 35 ms.
    """

    def _compile_builder(self, *_: bool, **__: bool) -> Callable[..., tuple[str, str]]:
        return self._no_url

    @staticmethod
    def _no_url(*_: object, **__: object) -> tuple[str, str]:
        raise NotImplementedError("the app makes no URLs from its routes")


@lru_cache(8)  # it differs with few settings
def map_of(routes: tuple[tuple[str, str, str], ...]) -> Map:
    """Return a map that apps share, because compiling one takes as long as a hundred requests.

    :param routes: the rule, the endpoint and the method of each; an empty method is any.
    """
    rules = [
        Route(rule, endpoint=name, methods=[how] if how else None) for rule, name, how in routes
    ]
    return Map(rules, merge_slashes=False)


class App(flask.Flask):
    """Flask with our request and response classes.

    :param contracts: whose operations it has.
    :param finish: completes the response to a request.
    :param fail: returns the response to an exception.
    :param admit: called with every request before its view; raises to reject it.
    :param enter: called first with each request; may reply, such as to a path outside the prefix.
    """

    request_class = Request
    response_class = Response  # type: ignore[assignment] # Flask calls it and reads nothing of it
    session_interface = _NoCookies()
    url_rule_class = Route
    view_functions: dict[str, View]  # type: ignore[assignment] # they get the request

    def __init__(
        self,
        contracts: Contracts,
        finish: Callable[[Request, Response], Reply],
        fail: Callable[[Request, Exception], Response],
        admit: Callable[[Request], None] | None,
        enter: Callable[[Incoming], Reply | None] | None,
    ) -> None:
        super().__init__("mockpets.web", static_folder=None)
        self.contracts = contracts
        self._finish = finish
        self._fail = fail
        self._admit = admit
        self._enter = enter
        self._late: tuple[str, Callable[[], Map]] | None = None
        self._rules: dict[Operation, Rule] = {}
        self._route = lru_cache(_KEPT)(self._find_rule)
        self._newest: Callable[[], Contracts] | None = None
        self._add: Callable[[Contracts], None] | None = None

    def follow(self, newest: Callable[[], Contracts], add: Callable[[Contracts], None]) -> None:
        """Replace the contracts at the first request after they changed.

        :param newest: returns the same object until they change; called for every request.
        :param add: adds their operations.
        """
        self._newest, self._add = newest, add

    def _replace_contracts(self, contracts: Contracts) -> None:
        """Forget the operations of the contracts, and add those of new ones."""
        for name in self.contracts.operations:
            self.view_functions.pop(name, None)
        self._rules.clear()
        self._route.cache_clear()
        self.contracts = contracts
        if self._add is not None:
            self._add(contracts)

    def add_operation(self, operation: Operation, view: View) -> None:
        """Add an operation of a contract, which the tree of the contracts finds."""
        # Operations of documents are not in the map: the map cannot change, and compiling thousands
        # of rules takes seconds.
        is_in_map = operation.details is None and self._newest is None
        path = operation.path.replace("{", "<").replace("}", ">") if is_in_map else "/"
        rule = Route(path, endpoint=operation.name, methods=[operation.method])
        if is_in_map:
            self.url_map.add(rule)
        self.view_functions[operation.name] = view
        self._rules[operation] = rule

    def add_later(self, prefix: str, make: Callable[[], Map]) -> None:
        """Route requests below a prefix by another map, which their first one makes.

        Importing its views delays a start.
        """
        self._late = prefix, cache(make)

    def add_late_routes(self) -> None:
        """Add the routes of `add_later` to `url_map`, of which ``flask routes`` prints a list."""
        known = {rule.endpoint for rule in self.url_map.iter_rules()}
        for rule in self._late[1]().iter_rules() if self._late is not None else ():
            if rule.endpoint not in known:
                self.url_map.add(rule.empty())

    def handle(self, incoming: Incoming) -> Reply | Later:
        """Return the reply to a request, or what must happen first."""
        environ = incoming.environ
        if not environ.get("PATH_INFO"):
            environ["PATH_INFO"] = "/"  # RFC 9110, 4.2.3
        if self._enter is not None and (reply := self._enter(incoming)) is not None:
            return reply
        with self.request_context(environ) as context:
            request: Request = context.request  # type: ignore[assignment] # is of `request_class`
            request.incoming = incoming
            try:
                if self._admit is not None:
                    self._admit(request)
                take_baggage(request)
                if request.routing_exception is not None:
                    raise request.routing_exception
                view = self.view_functions[request.endpoint or ""]
                response = view(request, **(request.view_args or {}))
            except Exception as error:  # noqa: BLE001 - every exception has a response
                response = self._fail(request, error)
            if isinstance(response, Response):
                return self._finish(request, response)
            return self._continue(request, response, None)

    def _continue(
        self, request: Request, steps: Steps, result: Result, since: float | None = None
    ) -> Reply | Later:
        """Continue a view until it waits again or ends.

        :param since: when it began to wait, in seconds of `perf_counter`.
        """
        if since is not None:
            request.started += perf_counter() - since
        try:
            after = steps.send(result)
        except StopIteration as returned:
            response: Response = returned.value
        except Exception as error:  # noqa: BLE001 - every exception has a response
            response = self._fail(request, error)
        else:
            resume = partial(self._continue, request, steps, since=perf_counter())
            return Later(after, resume, steps.close)
        return self._finish(request, response)

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond at once, for ``flask run`` and test clients (PEP 3333)."""
        reply = self.handle(Incoming(environ))
        while isinstance(reply, Later):
            reply = reply.resume(without_server(reply.after))
        headers, has_body = reply.headers, reply.status[:3] not in ("204", "205", "304")
        if has_body:
            length = len(reply.body) if reply.length is None else reply.length
            headers = [*headers, ("Content-Length", str(length))]
        start_response(reply.status, headers)
        return () if environ["REQUEST_METHOD"] == "HEAD" else [reply.body]

    def _find_rule(self, method: str, path: str) -> tuple[Rule, dict[str, str]] | None:
        """Return the rule of an operation or of the control API, and the parameters in the path."""
        if path.startswith(CONTROL_PREFIX):
            with suppress(HTTPException):  # `create_url_adapter` returns a router that raises it
                rule, values = self._router(method, path).match(return_rule=True)
                return rule, dict(values)
            return None
        operation = self.contracts.operation_at(method, path)
        return None if operation is None else (self._rules[operation], operation.in_path(path))

    def _router(self, method: str, path: str, root: str = "") -> MapAdapter:
        """Return the router of a request, which leaves a reference cycle for each match."""
        routes = self.url_map
        if self._late is not None and path.startswith(self._late[0]):
            routes = self._late[1]()
        # Werkzeug would remove one of two slashes; `web.unmatched` reports the path.
        routed = "/" if path.startswith("//") else path
        return MapAdapter(routes, "localhost", root, "", "http", routed, method)

    def create_url_adapter(self, request: flask.Request | None) -> MapAdapter | None:
        """Return the router of a request, which ignores Host: the server has validated it.

        If `_route` knows the rule, set it and return None. Without its cache, a list takes 4 % more
        instructions.
        """
        if request is None:
            return None  # the app makes no URLs outside a request
        if self._newest is not None and (newest := self._newest()) is not self.contracts:
            self._replace_contracts(newest)
        path = request.path
        # A preflight is for no operation, even if a document describes OPTIONS and asks for a key.
        is_preflight = request.method == "OPTIONS" and PREFLIGHT in request.environ
        if not is_preflight:
            route = self._route if len(path) <= _KEPT_LENGTH else self._route.__wrapped__
            if (known := route(request.method, path)) is not None:
                request.url_rule, request.view_args = known
                return None
        return self._router(request.method, path, request.environ.get("SCRIPT_NAME", ""))

    def do_teardown_request(self, *_: object, **__: object) -> None:
        """Do nothing: the app registers no teardown functions."""

    do_teardown_appcontext = do_teardown_request
