"""Respond to what is not an operation: preflights, scenarios' own paths, unknown paths."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from werkzeug.routing import Rule

from mockpets.constants import (
    API_PREFIX,
    CONTROL_PREFIX,
    DOCS_PATH,
    ORDERS_PATH,
    PANEL_PATH,
    PET_PATH,
    PETS_PATH,
)
from mockpets.errors import RequestError
from mockpets.scenario.matching import path_matches
from mockpets.web.exchange import Response, current_request
from mockpets.web.not_found import not_found_message

if TYPE_CHECKING:
    import flask

    from mockpets.pets.store import Store
    from mockpets.scenario.library import Stack
    from mockpets.web.exchange import Request
    from mockpets.web.playback import Playback


def add_routes(app: flask.Flask, playback: Playback) -> None:
    """Give the app one last route, for every path and method that no other takes."""
    # A rule without methods takes any, also those that HTTP does not know.
    app.url_map.add(Rule("/", endpoint="unmatched"))
    app.url_map.add(Rule("/<path:_>", endpoint="unmatched"))
    app.view_functions["unmatched"] = partial(unmatched, playback)


_PET_PATTERN = PET_PATH.replace("{petId}", "*")
_METHODS = {PETS_PATH: {"GET", "POST"}, _PET_PATTERN: {"GET"}, ORDERS_PATH: {"GET"}}
"""Path pattern to the methods that the contract knows there."""


def unmatched(playback: Playback, _: str = "") -> Response:
    """Answer what is no operation: a preflight, a scenario's own path, or a refusal that helps.

    :raise RequestError: ``not_found``, ``method_not_allowed`` or ``not_described``.
    """
    request = current_request()
    path, method = request.path, request.method
    if path.startswith(CONTROL_PREFIX):
        what = f"the control API has nothing at {path[:80]!r}"
        if not playback.has_control:
            what = "the control API is off: the server runs with --control off; start it without"
        raise RequestError("not_found", what)
    if method == "OPTIONS":
        # No preflight depends on what its request names, but the connection's end does.
        with suppress(RequestError):
            playback.select(request)
        # Any path, so that a page with a wrong base address can read the hint it then gets.
        answer = Response(status=204, headers={"Allow": _allow(_allowed(path))})
        del answer.headers["Content-Type"]  # of a body that is not there
        return answer
    if path != API_PREFIX and not path.startswith(API_PREFIX + "/"):
        if path == "/" and _is_page(request):
            return _to_page(request, PANEL_PATH if playback.has_control else DOCS_PATH)
        with suppress(RequestError):
            playback.select(request)
        request.exchange.notes.append(("unmatched", "this path is not the pet store's"))
        raise RequestError("not_found", not_found_message(path, request.root_path))
    return playback.respond(None, undescribed, check_route)


def check_route(request: Request, stack: Stack) -> None:
    """Let a request pass whose path and method the contract or a scenario has.

    :param stack: the request's scenarios, which may define paths of their own.
    :raise RequestError: ``not_found`` or ``method_not_allowed``.
    """
    path, method = request.path, request.method
    allowed = _allowed(path) | _defined(path, stack)
    if not allowed:
        request.exchange.notes.append(("unmatched", "the contract has no such path"))
        raise RequestError("not_found", not_found_message(path, request.root_path))
    if ("GET" if method == "HEAD" else method) not in allowed:
        request.exchange.notes.append(("unmatched", "the contract has no such method here"))
        raise RequestError(
            "method_not_allowed",
            f"{method[:40]} is not allowed on {path[:80]}; allowed: {_allow(allowed)}",
            [("Allow", _allow(allowed))],
        )


def _is_page(request: Request) -> bool:
    """Whether a person's browser asks for a page, and not a program for data."""
    wants: str = request.environ.get("HTTP_ACCEPT", "")
    return request.method in ("GET", "HEAD") and "text/html" in wants.lower()


def _to_page(request: Request, path: str) -> Response:
    """Send a browser to a page of the session at hand."""
    answer = Response(status=302, headers={"Location": f"{request.root_path}{path}"})
    del answer.headers["Content-Type"]
    return answer


def undescribed(request: Request, _: Store) -> Response:
    """Refuse what only a scenario could answer.

    :raise RequestError: ``not_described`` for what the contract names, else ``not_found``.
    """
    if request.path == ORDERS_PATH:
        raise RequestError(
            "not_described",
            f"the contract names GET {ORDERS_PATH} but does not describe it. A scenario can: "
            f"a stub with 'match: {{method: GET, path: {ORDERS_PATH}}}', a reply, and "
            "'off_contract: true'",
        )
    raise RequestError(
        "not_found",
        f"the active scenarios have a stub for {request.path[:80]}, but none answered this request",
    )


def _allowed(path: str) -> set[str]:
    """Return the methods that the contract knows for a path."""
    return next(
        (known for pattern, known in _METHODS.items() if path_matches(pattern, path)), set()
    )


def _defined(path: str, stack: Stack) -> set[str]:
    """Return the methods that scenarios define for a path."""
    return {
        stub.match.method
        for stub in stack.stubs
        if stub.match.method and stub.match.path and path_matches(stub.match.path, path)
    }


def _allow(methods: set[str]) -> str:
    """Return methods as an Allow header has them."""
    more = {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    order = ["GET", "HEAD", "POST"]
    return ", ".join(sorted(methods | more, key=lambda m: (m not in order, m == "OPTIONS", m)))
