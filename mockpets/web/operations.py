"""The contract's operations: `listPets`, `createPet` and `getPet` on a store."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qsl

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.urls import iri_to_uri

from mockpets.constants import (
    BODY_BYTES,
    OPERATIONS,
    PETS_PATH,
)
from mockpets.contract.fields import parse_int64
from mockpets.contract.schemas import LIST_PARAMETERS, NEW_PET_FIELDS
from mockpets.contract.serialization import load_list_query, load_new_pet
from mockpets.errors import RequestError
from mockpets.strict_json import parse_json
from mockpets.web.exchange import Response

if TYPE_CHECKING:
    import flask

    from mockpets.contract.control_types import NoteCode
    from mockpets.contract.schemas import PetFilters
    from mockpets.pets.store import Store
    from mockpets.web.exchange import Request
    from mockpets.web.playback import Playback


def add_routes(app: flask.Flask, playback: Playback) -> None:
    """Give the app the contract's operations."""
    views = {"listPets": list_pets, "createPet": create_pet, "getPet": get_pet}
    for operation, (method, path) in OPERATIONS.items():
        app.add_url_rule(
            path.replace("{petId}", "<pet_id>"),
            operation,
            partial(playback.respond, operation, views[operation]),
            methods=[method],
            # OPTIONS belongs to the last route: Flask's own answer is 200 and HTML.
            provide_automatic_options=False,
        )


# --- The operations ---------------------------------------------------------------------------


def list_pets(request: Request, store: Store) -> Response:
    """Answer listPets: a page of pets by id, ascending.

    :raise RequestError: ``invalid_request`` for a value that the contract does not allow.
    """
    raw = request.environ.get("QUERY_STRING", "")
    found = _read_query(raw) if len(raw) <= _REMEMBERED else _read_query.__wrapped__(raw)
    request.exchange.notes += found.notes
    if found.refusal is not None:
        raise RequestError("invalid_request", found.refusal)
    return Response(store.page(found.limit, found.filters) + b"\n")


class _Query(NamedTuple):
    """What a query of listPets says.

    :param refusal: what is wrong with it, None when it is right.
    """

    limit: int
    filters: PetFilters
    notes: tuple[tuple[NoteCode, str], ...]
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
    notes = _ignored("ignored_query", "parameters", parameters.keys() - set(LIST_PARAMETERS))
    try:
        query = load_list_query(parameters)
    except RequestError as refusal:
        limits = parameters.get("limit", [])
        if any(re.fullmatch(r"[-+]?[0-9]+", limit) for limit in limits):
            said = f"limit={', '.join(limits)[:40]} is not 1 to 100"
            notes = (*notes, ("limit_out_of_range", said))
        return _Query(0, (), notes, refusal.message)
    return _Query(query.limit, query.filters, notes, None)


def create_pet(request: Request, store: Store) -> Response:
    """Answer createPet: the pet with its new id, and where it is.

    :raise RequestError: ``invalid_request``, ``payload_too_large`` or ``store_full``.
    """
    body = json_body(request)
    if isinstance(body, dict):
        ignored = body.keys() - NEW_PET_FIELDS
        request.exchange.notes += _ignored("ignored_members", "members", ignored)
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

    :raise RequestError: ``pet_not_found``, also for what is no int64: no animal has it.
    """
    text: str = (request.view_args or {})["pet_id"]
    pet_id = parse_int64(text)
    row = None if pet_id is None else store.get(pet_id)
    if row is None:
        what = f"no animal has the id {pet_id}"
        if pet_id is None:
            what = f"no animal has the id {text[:40]!r}: an id is an int64, such as 7"
        raise RequestError("pet_not_found", what)
    return Response(row + b"\n")


_NAMES_NOTED: Final = 8


def _ignored(code: NoteCode, what: str, names: set[str]) -> tuple[tuple[NoteCode, str], ...]:
    """Return the note about names that the contract does not know, if there are any."""
    if not names:
        return ()
    shown = ", ".join(repr(name[:40]) for name in sorted(names)[:_NAMES_NOTED])
    more = ", ..." if len(names) > _NAMES_NOTED else ""
    return ((code, f"ignored {what}: {shown}{more}"),)


def json_body(request: Request) -> object:
    """Return the value of the body, which must say that it is JSON, in UTF-8.

    :raise RequestError: ``payload_too_large`` over `BODY_BYTES`, else ``invalid_request``.
    """
    try:
        raw = request.get_data()
    except RequestEntityTooLarge as error:
        raise RequestError(
            "payload_too_large", f"the body may have at most {BODY_BYTES} bytes"
        ) from error
    environ = request.environ
    if environ.get("CONTENT_TYPE") == "application/json" and "HTTP_CONTENT_ENCODING" not in environ:
        return parse_json(raw)  # nothing to look at more closely
    if request.mimetype != "application/json":
        got = request.headers.get("Content-Type") or "none"
        raise RequestError(
            "invalid_request", f"the Content-Type must be application/json, got {got[:80]}"
        )
    charset = request.mimetype_params.get("charset", "utf-8")
    if charset.lower() not in ("utf-8", "utf8"):
        raise RequestError(
            "invalid_request", f"the body's charset must be utf-8, got {charset[:80]}"
        )
    encoding = request.headers.get("Content-Encoding", "identity")
    if encoding.lower() != "identity":
        raise RequestError(
            "invalid_request",
            f"the body must be sent without Content-Encoding, got {encoding[:80]}",
        )
    return parse_json(raw)
