"""The endpoints under ``/v1``: the contract's operations, and what is answered beyond them."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qsl

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.routing import Rule
from werkzeug.urls import iri_to_uri

from mockpets.constants import (
    API_PREFIX,
    BODY_BYTES,
    CONTROL_PREFIX,
    DOCS_PATH,
    OPERATIONS,
    ORDERS_PATH,
    PANEL_PATH,
    PET_PATH,
    PETS_PATH,
)
from mockpets.contract import (
    LIST_PARAMETERS,
    NEW_PET_MEMBERS,
    load_list_query,
    load_new_pet,
    parse_pet_id,
)
from mockpets.errors import Refusal
from mockpets.json_text import parse_json
from mockpets.scenario.matching import path_matches
from mockpets.web.hints import hint
from mockpets.web.messages import Response, current_request

if TYPE_CHECKING:
    import flask

    from mockpets.pets.store import Store
    from mockpets.web.messages import Request
    from mockpets.web.playback import Playback

__all__ = ["add_routes"]


def add_routes(app: flask.Flask, playback: Playback) -> None:
    """Give the app the contract's operations, and one last route for every other path."""
    views = {"listPets": list_pets, "createPet": create_pet, "getPet": get_pet}
    for operation, (method, path) in OPERATIONS.items():
        app.add_url_rule(
            path.replace("{petId}", "<pet_id>"),
            operation,
            partial(playback.play, operation, views[operation]),
            methods=[method],
            # OPTIONS belongs to the last route: Flask's own answer is 200 and HTML.
            provide_automatic_options=False,
        )
    # A rule without methods takes any, also those that HTTP does not know.
    app.url_map.add(Rule("/", endpoint="beyond"))
    app.url_map.add(Rule("/<path:_>", endpoint="beyond"))
    app.view_functions["beyond"] = partial(beyond, playback)


# --- The operations ---------------------------------------------------------------------------


def list_pets(request: Request, store: Store) -> Response:
    """Answer listPets: a page of pets by id, ascending.

    :raise Refusal: ``invalid_request`` for a limit or status that the contract does not allow.
    """
    raw = request.environ.get("QUERY_STRING", "")
    found = _read_query(raw) if len(raw) <= _REMEMBERED else _read_query.__wrapped__(raw)
    request.exchange.notes += found.notes
    if found.refusal is not None:
        raise Refusal("invalid_request", found.refusal)
    return Response(store.page(found.limit, found.status) + b"\n")


class _Query(NamedTuple):
    """What a query of listPets says.

    :param refusal: what is wrong with it, None when it is right.
    """

    limit: int
    status: str | None
    notes: tuple[tuple[str, str], ...]
    refusal: str | None


_REMEMBERED: Final = 256
"""Characters of a query that is worth remembering."""


@lru_cache(256)
def _read_query(raw: str) -> _Query:
    """Read a query; a front end asks with the same few again and again."""
    parameters: dict[str, list[str]] = {}
    # Decoded as `request.args` is, which stubs match on.
    text = raw.encode("latin-1").decode("utf-8", "replace")
    for name, value in parse_qsl(text, keep_blank_values=True, errors="werkzeug.url_quote"):
        parameters.setdefault(name, []).append(value)
    notes = _ignored("query", "parameters", parameters.keys() - LIST_PARAMETERS)
    try:
        query = load_list_query(parameters)
    except Refusal as refusal:
        limits = parameters.get("limit", [])
        if any(re.fullmatch(r"[-+]?[0-9]+", limit) for limit in limits):
            said = f"limit={', '.join(limits)[:40]} is not 1 to 100"
            notes = (*notes, ("limit_out_of_range", said))
        return _Query(0, None, notes, refusal.message)
    return _Query(query["limit"], query.get("status"), notes, None)


def create_pet(request: Request, store: Store) -> Response:
    """Answer createPet: the pet with its new id, and where it is.

    :raise Refusal: ``invalid_request``, ``payload_too_large`` or ``store_full``.
    """
    body = json_body(request)
    if isinstance(body, dict):
        ignored = body.keys() - NEW_PET_MEMBERS
        request.exchange.notes += _ignored("members", "members", ignored)
    new = load_new_pet(body)
    session = request.exchange.session
    assert session is not None  # noqa: S101 - playback has found it
    session.check_name(new["name"])
    pet_id, row = store.create(new)
    session.changes.tell("pets")
    # The prefix is the request's own, so that a client behind one stays behind it.
    location = f"{request.root_path}{PETS_PATH}/{pet_id}"
    answer = Response(row + b"\n", 201)
    answer.carry([("Location", location if location.isascii() else iri_to_uri(location))])
    return answer


def get_pet(request: Request, store: Store) -> Response:
    """Answer getPet, which is deprecated.

    :raise Refusal: ``pet_not_found``, also for what is no int64: no animal has it.
    """
    text: str = (request.view_args or {})["pet_id"]
    pet_id = parse_pet_id(text)
    row = None if pet_id is None else store.get(pet_id)
    if row is None:
        what = f"no animal has the id {pet_id}"
        if pet_id is None:
            what = f"no animal has the id {text[:40]!r}: an id is an int64, such as 7"
        raise Refusal("pet_not_found", what)
    return Response(row + b"\n")


_NAMES_NOTED: Final = 8


def _ignored(kind: str, what: str, names: set[str]) -> tuple[tuple[str, str], ...]:
    """Return the note on what the contract does not know, and is left aside.

    :param kind: of the note, after ``ignored_``.
    """
    if not names:
        return ()
    shown = ", ".join(repr(name[:40]) for name in sorted(names)[:_NAMES_NOTED])
    more = ", ..." if len(names) > _NAMES_NOTED else ""
    return ((f"ignored_{kind}", f"ignored {what}: {shown}{more}"),)


def json_body(request: Request) -> object:
    """Return the value of the body, which must say that it is JSON, in UTF-8.

    :raise Refusal: ``payload_too_large`` over `BODY_BYTES`, else ``invalid_request``.
    """
    try:
        raw = request.get_data()
    except RequestEntityTooLarge as error:
        raise Refusal(
            "payload_too_large", f"the body may have at most {BODY_BYTES} bytes"
        ) from error
    environ = request.environ
    if environ.get("CONTENT_TYPE") == "application/json" and "HTTP_CONTENT_ENCODING" not in environ:
        return parse_json(raw)  # nothing to look at more closely
    if request.mimetype != "application/json":
        got = request.headers.get("Content-Type") or "none"
        raise Refusal(
            "invalid_request", f"the Content-Type must be application/json, got {got[:80]}"
        )
    charset = request.mimetype_params.get("charset", "utf-8")
    if charset.lower() not in ("utf-8", "utf8"):
        raise Refusal("invalid_request", f"the body's charset must be utf-8, got {charset[:80]}")
    encoding = request.headers.get("Content-Encoding", "identity")
    if encoding.lower() != "identity":
        raise Refusal(
            "invalid_request",
            f"the body must be sent without Content-Encoding, got {encoding[:80]}",
        )
    return parse_json(raw)


# --- Beyond them ------------------------------------------------------------------------------

_PET_PATTERN = PET_PATH.replace("{petId}", "*")
_METHODS = {PETS_PATH: {"GET", "POST"}, _PET_PATTERN: {"GET"}, ORDERS_PATH: {"GET"}}
"""Path pattern to the methods that the contract knows there."""


def beyond(playback: Playback, _: str = "") -> Response:
    """Answer what is no operation: a preflight, a scenario's own path, or a refusal that helps.

    :raise Refusal: ``not_found``, ``method_not_allowed`` or ``not_described``.
    """
    request = current_request()
    path, method = request.path, request.method
    if path.startswith(CONTROL_PREFIX):
        what = f"the control API has nothing at {path[:80]!r}"
        if not playback.has_control:
            what = "the control API is off: the server runs with --control off; start it without"
        raise Refusal("not_found", what)
    if method == "OPTIONS":
        # No preflight depends on what its request names, but the connection's end does.
        with suppress(Refusal):
            playback.look_at(request)
        # Any path, so that a page with a wrong base address can read the hint it then gets.
        answer = Response(status=204, headers={"Allow": _allow(_allowed(path))})
        del answer.headers["Content-Type"]  # of a body that is not there
        return answer
    if path != API_PREFIX and not path.startswith(API_PREFIX + "/"):
        if path == "/" and _is_page(request):
            return _to_page(request, PANEL_PATH if playback.has_control else DOCS_PATH)
        with suppress(Refusal):
            playback.look_at(request)
        request.exchange.notes.append(("unmatched", "this path is not the pet store's"))
        raise Refusal("not_found", hint(path, request.root_path))
    playback.look_at(request)
    allowed = _allowed(path) | playback.methods(request)
    if not allowed:
        request.exchange.notes.append(("unmatched", "the contract has no such path"))
        raise Refusal("not_found", hint(path, request.root_path))
    if ("GET" if method == "HEAD" else method) not in allowed:
        request.exchange.notes.append(("unmatched", "the contract has no such method here"))
        raise Refusal(
            "method_not_allowed",
            f"{method[:40]} is not allowed on {path[:80]}; allowed: {_allow(allowed)}",
            [("Allow", _allow(allowed))],
        )
    return playback.play(None, undescribed)


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

    :raise Refusal: ``not_described`` for what the contract names, else ``not_found``.
    """
    if request.path == ORDERS_PATH:
        raise Refusal(
            "not_described",
            f"the contract names GET {ORDERS_PATH} but does not describe it. A scenario can: "
            f"a stub with 'match: {{method: GET, path: {ORDERS_PATH}}}', a reply, and "
            "'off_contract: true'",
        )
    raise Refusal(
        "not_found",
        f"the active scenarios have a stub for {request.path[:80]}, but none answered this request",
    )


def _allowed(path: str) -> set[str]:
    """Return the methods that the contract knows for a path."""
    return next(
        (known for pattern, known in _METHODS.items() if path_matches(pattern, path)), set()
    )


def _allow(methods: set[str]) -> str:
    """Return methods as an Allow header has them."""
    more = {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    order = ["GET", "HEAD", "POST"]
    return ", ".join(sorted(methods | more, key=lambda m: (m not in order, m == "OPTIONS", m)))
