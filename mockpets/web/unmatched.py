"""Respond to requests that are not operations: preflights, scenarios' own paths, unknown paths."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from werkzeug.routing import Rule
from werkzeug.urls import iri_to_uri

from mockpets.constants import (
    API_PREFIX,
    CONTROL_PREFIX,
    ORDERS_PATH,
    PET_PATH,
    PETS_PATH,
    VISITOR_RESET_PATH,
)
from mockpets.errors import RequestError
from mockpets.scenario.matching import path_matches
from mockpets.web.exchange import Response, current_request
from mockpets.web.not_found import not_found_message, stub_advice

if TYPE_CHECKING:
    import flask

    from mockpets.pets.store import Store
    from mockpets.scenario.library import Stack
    from mockpets.web.exchange import Request
    from mockpets.web.playback import Playback


def add_routes(app: flask.Flask, playback: Playback) -> None:
    """Add a last route to the app, for all other paths and methods."""
    # A rule without methods matches every method, including unknown ones.
    app.url_map.add(Rule("/", endpoint="unmatched"))
    app.url_map.add(Rule("/<path:_>", endpoint="unmatched"))
    app.view_functions["unmatched"] = partial(unmatched, playback)


_METHODS = {PETS_PATH: {"GET", "POST"}, PET_PATH: {"GET"}, ORDERS_PATH: {"GET"}}
"""Path pattern to the methods that the contract defines for it."""


def unmatched(playback: Playback, _: str = "") -> Response:
    """Respond to a preflight, a scenario's own path, or an unknown path or method.

    :raise RequestError: ``not_found``, ``method_not_allowed`` or ``not_described``.
    """
    request = current_request()
    path, method = request.path, request.method
    if path.startswith(CONTROL_PREFIX):
        message, advice = f"the control API has no path {path[:80]!r}", ""
        if not playback.has_control:
            message = "the control API is disabled"
            advice = "start the server without '--control off'"
        if path == VISITOR_RESET_PATH:
            message = f"{path} exists only with --public; use POST {CONTROL_PREFIX}/reset"
        raise RequestError("not_found", message, advice=advice)
    if method == "OPTIONS":
        # The selection does not change the response, only whether the connection is closed.
        with suppress(RequestError):
            playback.select(request)
        # Allowed for any path, so that a page with a wrong base URL can read the error's hint.
        return Response(status=204, headers=[("Allow", _allow(_contract_methods(path)))])
    if (page := playback.pages.get(path)) is not None and _is_page(request):
        return _to_page(request, page)
    if path != API_PREFIX and not path.startswith(API_PREFIX + "/"):
        with suppress(RequestError):
            playback.select(request)
        if method == "CONNECT":  # has no path: its target is a host and a port
            request.exchange.notes.append(("unmatched", "the contract does not define this method"))
            message = "CONNECT is not allowed: this server is not a proxy"
            raise RequestError("method_not_allowed", message, [("Allow", _allow(set()))])
        request.exchange.notes.append(("unmatched", "the path is outside the pet store"))
        raise RequestError("not_found", not_found_message(path, request.root_path))
    return playback.respond(None, reject_undescribed, check_route)


def check_route(request: Request, stack: Stack) -> None:
    """Check that the contract or a scenario defines the path and method of a request.

    :param stack: the request's scenarios, which may define paths of their own.
    :raise RequestError: ``not_found`` or ``method_not_allowed``.
    """
    path, method = request.path, request.method
    allowed = _contract_methods(path) | stack.methods(path)
    if not allowed:
        request.exchange.notes.append(("unmatched", "the contract does not define this path"))
        message = not_found_message(path, request.root_path)
        raise RequestError("not_found", message, advice=stub_advice(method, path))
    if ("GET" if method == "HEAD" else method) not in allowed:
        note = "the contract does not define this method for the path"
        request.exchange.notes.append(("unmatched", note))
        raise RequestError(
            "method_not_allowed",
            f"{method[:40]} is not allowed on {path[:80]}; allowed: {_allow(allowed)}",
            [("Allow", _allow(allowed))],
        )


def _is_page(request: Request) -> bool:
    """Return whether the client is a browser that requests a page."""
    accept: str = request.environ.get("HTTP_ACCEPT", "")
    return request.method in ("GET", "HEAD") and "text/html" in accept.lower()


def _to_page(request: Request, path: str) -> Response:
    """Redirect a browser to a page, under the base path of the request's session."""
    return Response(status=302, headers=[("Location", iri_to_uri(f"{request.root_path}{path}"))])


def reject_undescribed(request: Request, _: Store) -> Response:
    """Reject a request to which only a scenario could respond.

    :raise RequestError: ``not_described`` for the path that the contract only names, otherwise
        ``not_found``.
    """
    if request.path == ORDERS_PATH:
        raise RequestError(
            "not_described",
            f"the contract names GET {ORDERS_PATH} but does not describe it",
            advice=stub_advice(request.method, ORDERS_PATH),
        )
    raise RequestError(
        "not_found",
        f"the active scenarios have a stub for {request.path[:80]}, but it does not match this "
        "request",
    )


def _contract_methods(path: str) -> set[str]:
    """Return the methods that the contract defines for a path."""
    return next(
        (methods for pattern, methods in _METHODS.items() if path_matches(pattern, path)), set()
    )


def _allow(methods: set[str]) -> str:
    """Return the value of an Allow header for some methods, with HEAD and OPTIONS."""
    implied = {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    order = ["GET", "HEAD", "POST"]
    return ", ".join(sorted(methods | implied, key=lambda m: (m not in order, m == "OPTIONS", m)))
