"""Respond to requests that are not operations: preflights, scenarios' own paths, unknown paths."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from heapq import nlargest
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final

from werkzeug.urls import iri_to_uri

from mockpets.constants import (
    ACTIVE_NAME,
    BASE_MARK,
    CONTROL_PREFIX,
    LLMS_PATH,
    NAME_LENGTH,
    SESSION_NAME,
    VISITOR_RESET_PATH,
)
from mockpets.errors import RequestError, did_you_mean
from mockpets.units import either
from mockpets.web.flask_app import Route
from mockpets.web.messages import Response
from mockpets.web.operations import serve

if TYPE_CHECKING:
    from collections.abc import Set

    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.library import Stack
    from mockpets.web.flask_app import App
    from mockpets.web.messages import Request, Steps
    from mockpets.web.playback import Playback


ROUTES: Final = (("/", "unmatched", ""), ("/<path:_>", "unmatched", ""))
"""Those of all other paths and methods, including unknown methods, for `flask_app.map_of`."""


def add_routes(app: App, playback: Playback) -> None:
    """Add a last route to the app, for all other paths and methods."""
    for rule, endpoint, _ in ROUTES:
        app.url_map.add(Route(rule, endpoint=endpoint))
    app.view_functions["unmatched"] = partial(unmatched, playback)


def unmatched(playback: Playback, request: Request, _: str = "") -> Response | Steps:
    """Respond to a preflight, a scenario's own path, or an unknown path or method."""
    path, method = request.path, request.method
    if path.startswith(CONTROL_PREFIX):
        message = f"the control API has no path {path[:80]!r}"
        advice = f"{request.root_path}{LLMS_PATH} describes it"
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
        return Response(
            status=204, headers=[("Allow", _allow(playback.contracts.routes.at(path).keys()))]
        )
    if (page := playback.page_for(path)) is not None and _is_page(request):
        location = iri_to_uri(f"{request.root_path}{page}")
        return Response(status=302, headers=[("Location", location)])
    if not playback.contracts.serves(path):
        if _is_of_scenario(playback, request):
            return playback.respond(None, serve_or_reject, request, check_route)
        if method == "CONNECT":  # has no path: its target is a host and a port
            request.notes.append(("unmatched", "the contract does not define this method"))
            message = "CONNECT is not allowed: this server is not a proxy"
            raise RequestError("method_not_allowed", message, [("Allow", _allow(set()))])
        names = either([each.name for each in playback.contracts.all], "and")
        request.notes.append(("unmatched", f"the path is outside {names}"))
        message = not_found_message(path, playback.contracts, request.root_path)
        raise RequestError("not_found", message)
    return playback.respond(None, serve_or_reject, request, check_route)


def _is_of_scenario(playback: Playback, request: Request) -> bool:
    """Return whether the request's scenarios define a collection for its path."""
    try:
        *_, stack = playback.select(request)
    except RequestError:
        return False
    return stack.resource(request.path)[0] is not None


def check_route(request: Request, stack: Stack) -> None:
    """Check the path and method, or raise ``not_found`` or ``method_not_allowed``."""
    path, method = request.path, request.method
    contracts = stack.contracts
    allowed = contracts.routes.at(path).keys() | stack.methods(path)
    if not allowed:
        request.notes.append(("unmatched", "the contract does not define this path"))
        message = not_found_message(path, contracts, request.root_path)
        raise RequestError("not_found", message, advice=stub_advice(method, path, contracts))
    if ("GET" if method == "HEAD" else method) not in allowed:
        note = "the contract does not define this method for the path"
        request.notes.append(("unmatched", note))
        raise RequestError(
            "method_not_allowed",
            f"{method[:40]} is not allowed on {path[:80]}; allowed: {_allow(allowed)}",
            [("Allow", _allow(allowed))],
        )


def _is_page(request: Request) -> bool:
    """Return whether the client is a browser that requests a page."""
    accept: str = request.environ.get("HTTP_ACCEPT", "")
    return request.method in ("GET", "HEAD") and "text/html" in accept.lower()


def serve_or_reject(request: Request) -> Response | Steps:
    """Respond with a resource of the scenarios; reject what only a stub could respond to."""
    session, stack = request.session, request.stack
    assert stack is not None  # noqa: S101 - `Playback.respond` sets it
    if session is not None and stack.resources:
        resource, record = stack.resource(request.path)
        method = "GET" if request.method == "HEAD" else request.method
        if resource is not None and method in resource.methods(of_record=bool(record)):
            return serve(request, session, session.store(stack, resource), record)
    undescribed = chain.from_iterable(each.undescribed for each in stack.contracts.all)
    for method, path in undescribed:
        if request.path == path:
            raise RequestError(
                "not_described",
                f"the contract names {method} {path} but does not describe it",
                advice=stub_advice(request.method, path, stack.contracts),
            )
    raise RequestError(
        "not_found",
        f"the active scenarios have a stub for {request.path[:80]}, but it does not match this "
        "request",
    )


def _allow(methods: Set[str]) -> str:
    """Return the value of an Allow header for some methods, with HEAD and OPTIONS."""
    implied = {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    order = ["GET", "HEAD", "POST"]
    return ", ".join(sorted(methods | implied, key=lambda m: (m not in order, m == "OPTIONS", m)))


# --- Error messages for unknown paths, with a hint at the path that was probably meant -----------

_BASE: Final = rf"/(?!v\d+/)({SESSION_NAME}(?:\+{ACTIVE_NAME})*)(/.*)"
"""A path that looks like a session's base path without its tilde, such as ``/w3/v1/posts``."""
_DEFINABLE: Final = r"(?:/[\w.~-]+)+/?"
"""A path that a stub can match, and that YAML reads without quotes."""
_CUTOFF: Final = 0.84
"""High, because all paths start alike: `/v1/pots` is near `/v1/posts`, `/v1/users` is not."""
_COMPARED: Final = 100
"""Maximum number of paths to compare an unknown one with; each comparison takes 0.1 ms."""
_LENGTH: Final = 160
"""The longest root or path of a stub, in characters, that a message repeats."""
_ID: Final = "/([0-9]+)(?=/|$)"


def not_found_message(path: str, contracts: Contracts, root: str = "") -> str:
    """Return the message for an unknown path, with the path to use instead.

    :param root: the part before the path: a prefix, a session's base path, or both.
    """
    root = root if len(root) <= _LENGTH else ""
    message = f"unknown path {(root + path)[:80]!r}; "
    single = re.sub("//+", "/", path)
    at = contracts.routes.at
    if single != path and at(single):
        return f"{message}remove the extra slash: {root}{single}"
    # The most common errors: a missing prefix, a trailing slash.
    short = path.rstrip("/")
    for base in (each.base for each in contracts.all if each.base):
        if at(base + short):
            return f"{message}the base URL must end with {base}: {root}{base}{short}"
    if at(short):
        return f"{message}remove the trailing slash: {root}{short}"
    if at(f"{path}/"):
        return f"{message}add the trailing slash: {root}{path}/"
    if len(path) <= _LENGTH and (right := _in_right_case(path, contracts)):
        return f"{message}did you mean '{root}{right}'?"
    example = f"{contracts.all[0].name} is at {root}{contracts.all[0].paths[0]}"
    base_path = re.fullmatch(_BASE, path)
    if base_path and f"/{BASE_MARK}" not in root and _is_ours(base_path[2], contracts):
        # A front end's own base path looks the same, so the contract's path comes first.
        return (
            f"{message}{example}, and the base path of a session starts with a tilde: "
            f"{root}/{BASE_MARK}{base_path[1][:NAME_LENGTH]}{base_path[2][:NAME_LENGTH]}"
        )
    near = _similar(path, contracts)
    if number := re.search(_ID, path):
        near = near.replace("*", number[1][:NAME_LENGTH])
    return message + (near.replace("'/", f"'{root}/") or example)


def _is_ours(path: str, contracts: Contracts) -> bool:
    """Return whether the base path of a session can precede a path."""
    is_below = any(each.base and f"{path}/".startswith(f"{each.base}/") for each in contracts.all)
    is_control = f"{path}/".startswith(f"{CONTROL_PREFIX}/")
    return is_below or is_control or contracts.describes(path)  # everything is below the root


def _in_right_case(path: str, contracts: Contracts) -> str:
    """Return a path as the contract writes it, if only its case differs; else an empty string."""
    segments = path.split("/")
    for known in dict.fromkeys(chain.from_iterable(each.paths for each in contracts.all)):
        template = known.split("/")
        if len(template) == len(segments):
            pairs = [*zip(template, segments, strict=True)]
            if all("{" in name or name.lower() == given.lower() for name, given in pairs):
                right = "/".join(given if "{" in name else name for name, given in pairs)
                if contracts.routes.at(right):
                    return right
    return ""


def _similar(path: str, contracts: Contracts) -> str:
    """Return ``did you mean`` with a similar path that has ``*`` for parameters; or nothing."""
    # An id differs from the pattern's, but is not a misspelling.
    pattern = re.sub(_ID, "/*", path)
    pairs = {*pairwise(pattern)}

    def likeness(known: str) -> float:
        return len(pairs.intersection(pairwise(known))) / (len(pattern) + len(known))

    paths = chain.from_iterable(each.paths for each in contracts.all)
    known = nlargest(_COMPARED, map(_pattern, paths), key=likeness)
    return did_you_mean(pattern, known, _CUTOFF)


def _pattern(path: str) -> str:
    """Return the path of an operation with ``*`` in place of its parameters."""
    return "/".join("*" if segment[:1] == "{" else segment for segment in path.split("/"))


def stub_advice(method: str, path: str, contracts: Contracts) -> str:
    """Return how to define a response in a scenario, or an empty string if no stub should."""
    is_below = any(path.startswith(f"{each.base}/") for each in contracts.all)
    is_described = contracts.describes(path.rstrip("/"))
    if is_described or not is_below or len(path) > _LENGTH or not re.fullmatch(_DEFINABLE, path):
        return ""
    method = "GET" if method == "HEAD" else method[:40]
    return (
        f"to define a response, add a stub to a scenario: 'match: {{method: {method}, "
        f"path: {re.sub(_ID, '/*', path)}}}' and a reply, or for a list that "
        f"remembers 'resources: [{{path: {re.sub(_ID + '$', '', path)}}}]'"
    )
