"""The views of the control API for pets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from mockpets.constants import BODY_BYTES
from mockpets.contract.error_messages import no_animal
from mockpets.contract.fields import parse_int64
from mockpets.contract.query_parameters import Parameter, integer
from mockpets.contract.schemas import LIST_FIELDS
from mockpets.contract.serialization import load_new_pet, load_pet_change
from mockpets.errors import RequestError
from mockpets.scenario.model import Generated
from mockpets.strict_json import parse_json
from mockpets.web.control.call import (
    LONG,
    JsonResponse,
    body_text,
    json_response,
    run_job,
)
from mockpets.web.playback import reserve_id
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract import control_types as types
    from mockpets.contract.schemas import Pet
    from mockpets.pets.table import Table
    from mockpets.session.session import Session, SharedState
    from mockpets.web.control.call import ControlRequest

CONTROL_PETS: Final = 1000
"""Maximum number of pets in one response of the control API."""


_STATUS: Final = LIST_FIELDS["status"]


def _status(text: str) -> object:
    if _STATUS.accept(text) is None:
        raise ValueError(_STATUS.problem(text))
    return text


PETS_PARAMETERS: Final[Mapping[str, Parameter]] = {
    "status": Parameter(_STATUS.metadata["description"], _STATUS.schema(), _status),
    "after": integer("Only pets with higher IDs: `next` of the page before."),
    "limit": integer("Maximum number of pets.", 1, CONTROL_PETS, default=CONTROL_PETS),
}


def pets(call: ControlRequest) -> JsonResponse[types.PetPage]:
    """Return a page of pets by ID."""
    query = call.query
    limit: int = query.get("limit", CONTROL_PETS)
    store = call.activation().store
    rows = store.rows(query.get("after"), limit + 1, query.get("status"))
    page = rows[:limit]
    following = "null"
    if len(rows) > limit:
        following = str(parse_json(page[-1])["id"])  # type: ignore[index]  # a pet is an object
    total = store.total(query.get("status"))
    body = f'{{"total":{total},"next":{following},"pets":['.encode() + b",".join(page) + b"]}\n"
    return JsonResponse(body)


def set_pets(call: ControlRequest) -> JsonResponse[types.Total]:
    """Replace all pets."""
    text, shared = body_text(call.request), call.context.sessions.shared
    store = call.activation().store
    # A fixture's name is short, but its file may be long.
    is_long = len(text) >= LONG or text.lstrip().startswith('"')
    read = partial(_table, text, call.session, shared)
    table = run_job(call, read, "reading the pets", is_long=is_long)
    if isinstance(table, Generated):
        table = shared.table(table, call.session.seed, at_once=SERVER in call.request.environ)
    store.replace(table)
    call.session.changes.publish("pets")
    return json_response({"total": store.total()})


def add_pet(call: ControlRequest) -> JsonResponse[Pet]:
    """Add a pet, whatever the scenarios respond to createPet, and return it with its new ID."""
    body = parse_json(body_text(call.request, BODY_BYTES).encode())
    load_pet_change(body)  # rejects unknown properties, which createPet ignores
    new = load_new_pet(body)
    session, store = call.session, call.activation().store
    session.check_name(new["name"])
    if not store.has_reserved_id:
        reserve_id(call.request, session, call.context.sessions)
    _, row = store.create(new)
    session.changes.publish("pets")
    return JsonResponse(row + b"\n", 201)


def _table(text: str, session: Session, shared: SharedState) -> Table | Generated:
    """Return the pets of a body as a table, unless they must be generated."""
    from mockpets.scenario.language.control_bodies import parse_pets

    source = parse_pets(text, session.library)
    return source if isinstance(source, Generated) else shared.table(source, session.seed)


def _pet_id(call: ControlRequest) -> int:
    """Return the ID in the path, or raise ``pet_not_found``."""
    text = call.name
    pet_id = parse_int64(text)
    if pet_id is None:
        raise RequestError("pet_not_found", no_animal(text))
    return pet_id


def change_pet(call: ControlRequest) -> JsonResponse[Pet]:
    """Change properties of a pet; null removes an optional one."""
    pet_id = _pet_id(call)
    changes = load_pet_change(parse_json(body_text(call.request, BODY_BYTES).encode()))
    row = call.activation().store.change(pet_id, changes)
    call.session.changes.publish("pets")
    return JsonResponse(row + b"\n")


def delete_pet(call: ControlRequest) -> JsonResponse[types.Total]:
    """Delete a pet."""
    store = call.activation().store
    store.delete(_pet_id(call))
    call.session.changes.publish("pets")
    return json_response({"total": store.total()})
