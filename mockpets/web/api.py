"""The endpoints under ``/v1``: the contract's operations, and what is answered beyond them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.routing import Rule

from mockpets.constants import (
    API_PREFIX,
    BODY_BYTES,
    CONTROL_PREFIX,
    OPERATIONS,
    ORDERS_PATH,
    PET_PATH,
    PETS_PATH,
)
from mockpets.contract import load_list_query, load_new_pet, parse_pet_id
from mockpets.errors import Refusal, did_you_mean
from mockpets.json_text import parse_json
from mockpets.scenario.matching import path_matches
from mockpets.web.messages import Response, current_request

if TYPE_CHECKING:
    import flask

    from mockpets.pets.store import Store
    from mockpets.web.messages import Request
    from mockpets.web.playback import Playback

__all__ = ["add_routes", "hint"]


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
    query = load_list_query(dict(request.args.lists()))
    return Response(store.page(query["limit"], query.get("status")) + b"\n")


def create_pet(request: Request, store: Store) -> Response:
    """Answer createPet: the pet with its new id, and where it is.

    :raise Refusal: ``invalid_request``, ``payload_too_large`` or ``store_full``.
    """
    pet_id, row = store.create(load_new_pet(json_body(request)))
    # The prefix is the request's own, so that a client behind one stays behind it.
    location = f"{request.root_path}{PETS_PATH}/{pet_id}"
    return Response(row + b"\n", 201, {"Location": location})


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
    if method == "OPTIONS" and not path.startswith(CONTROL_PREFIX):
        # Any path, so that a page with a wrong base address can read the hint it then gets.
        answer = Response(status=204, headers={"Allow": _allow(_allowed(path))})
        del answer.headers["Content-Type"]  # of a body that is not there
        return answer
    if path != API_PREFIX and not path.startswith(API_PREFIX + "/"):
        raise Refusal("not_found", hint(path))
    allowed = _allowed(path) | playback.methods(request)
    if not allowed:
        raise Refusal("not_found", hint(path))
    if ("GET" if method == "HEAD" else method) not in allowed:
        raise Refusal(
            "method_not_allowed",
            f"{method[:40]} is not allowed on {path[:80]}; allowed: {_allow(allowed)}",
            [("Allow", _allow(allowed))],
        )
    return playback.play(None, undescribed)


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


def hint(path: str) -> str:
    """Return what to say of a path that leads nowhere: where the pet store is."""
    known = [PETS_PATH, _PET_PATTERN, ORDERS_PATH]
    said = f"there is nothing at {path[:80]!r}; "
    for pattern in known:
        # The commonest slips: the prefix left out, a slash at the end.
        if path_matches(pattern, API_PREFIX + path.rstrip("/")):
            return f"{said}the base address ends in {API_PREFIX}: {API_PREFIX}{path.rstrip('/')}"
        if path_matches(pattern, path.rstrip("/")):
            return f"{said}without the slash at the end there is: {path.rstrip('/')}"
    return said + (did_you_mean(path, known) or f"the pet store is at {PETS_PATH}")
