"""What an operation does, by its role."""

from __future__ import annotations

from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Final

from mockpets.errors import RequestError
from mockpets.strict_json import dump_json, load_json
from mockpets.web.documented import failed, read
from mockpets.web.messages import Response
from mockpets.web.stateful import changes
from mockpets.web.stateful.action import Action, ActionError
from mockpets.web.stateful.conditions import conditional
from mockpets.web.stateful.listing import list_records, list_values
from mockpets.web.stateful.people import log_in
from mockpets.web.stateful.rendering import respond_with_record
from mockpets.web.stateful.repeats import once

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.contract.contract_model import DocumentOperation
    from mockpets.records.store import Store
    from mockpets.web.documented import Arguments
    from mockpets.web.messages import Request


_STATUSES: Final = {"invalid_request": (400, 422), "payload_too_large": (413, 400, 422)}
"""The statuses of errors of the store, the first that is documented counts."""
_CHANGES: Final = Lock()
"""Held by each change, so that its conditions stay true, and a repeated request waits for it."""


def act(
    operation: DocumentOperation, request: Request, arguments: Arguments, store: Store | None
) -> Response:
    """Return the response of an operation that reads or changes records."""
    action = Action(operation, request, arguments, store)
    if operation.method == "GET":
        return conditional(operation, request, _respond(action))
    with _CHANGES:
        return once(action, _respond)


def list_page(operation: DocumentOperation, request: Request, page: bytes) -> Response:
    """Return the response of a list in which these are all records.

    :param page: the records as a JSON array.
    """
    arguments = read(operation, request)
    if isinstance(arguments, Response):
        return arguments
    rows = [dump_json(record) for record in load_json(page.decode())]
    action = Action(operation, request, arguments)
    return conditional(operation, request, _respond(action, partial(list_records, given=rows)))


def _respond(action: Action, role: Callable[[Action], Response] | None = None) -> Response:
    operation, request = action.operation, action.request
    try:
        return (role or _ROLES[action.guess.role])(action)
    except ActionError as error:
        reasons = [((), str(error))]
        key, kind = error.key, error.kind
        return failed(operation, request, error.code, error.statuses, reasons, key, kind)
    except RequestError as error:
        if error.code not in _STATUSES:
            raise
        reasons = [((), error.message)]
        return failed(operation, request, error.code, _STATUSES[error.code], reasons)


def _get(action: Action) -> Response:
    return respond_with_record(action, action.find(action.key))


_ROLES: Final[Mapping[str, Callable[[Action], Response]]] = {
    "list": list_records,
    "create": changes.create,
    "get": _get,
    "replace": changes.replace,
    "update": changes.update,
    "delete": changes.delete,
    "values": list_values,
    "toggle": changes.toggle,
    "act": changes.act,
    "one": changes.single,
    "login": log_in,
}
