"""The view of the control API that logs a user in, without a name or a password."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from mockpets.contract import control_calls as calls
from mockpets.errors import RequestError
from mockpets.records.store import NO_FILTERS
from mockpets.records.table import parse_row
from mockpets.units import either
from mockpets.web.control.call import body_text, json_response, responds_to
from mockpets.web.operations import read_records

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract import control_types as types
    from mockpets.contract.contract_model import Contract, Contracts, DocumentOperation, Record
    from mockpets.records.store import Contents
    from mockpets.web.control.call import ControlRequest, JsonResponse

_LOG_IN: Final = "a log-in is a POST whose body has a password and whose response has a token"


@responds_to(calls.LOG_IN)
async def log_in(call: ControlRequest) -> JsonResponse[types.LoggedIn]:
    """Log a user in without a password, and return the token and the headers or cookie to send.

    The user is the first record with these properties in the collection of users. The call changes
    nothing. The token identifies this user in every session that has the user, even after a reset
    or an import. The token of a deleted user identifies the first user.
    """
    from mockpets.scenario.language.control_bodies import parse_user
    from mockpets.web.stateful.people import identity_of
    from mockpets.web.stateful.user_selection import user_with

    wanted = parse_user(body_text(call.request), call.contracts)
    contract, operation = _log_in_of(call.contracts, call.query.get("contract", ""))
    collection = operation.collection
    assert collection is not None  # noqa: S101 - that of those who log in
    store = await call.store(collection)

    def find(contents: Contents) -> Record:
        return user_with([*map(parse_row, contents.rows())], wanted, collection)

    # By their properties, because the user may be the last of many.
    user = await read_records(call.request, store, find, NO_FILTERS, [*wanted] or [collection.key])
    identity = identity_of(contract, operation, user, call.session, call.stack(), call.request)
    cookie: types.LoginCookie = {"name": identity.cookie, "value": identity.token}
    return json_response(
        {
            "user": cast("Mapping[str, Any]", identity.person),
            "token": identity.token,
            "headers": {**identity.headers},
            "cookie": cookie if identity.cookie else None,
            "collection": collection.name,
            "key": user[collection.key],
        }
    )


def _log_in_of(contracts: Contracts, label: str) -> tuple[Contract, DocumentOperation]:
    """Return a contract and its log-in.

    :param label: of the contract; empty for the only one with a log-in.
    """
    from mockpets.web.stateful.people import log_in_of

    known = {each.label: (each, log_in_of(each)) for each in contracts.all}
    able = {name: (each, one) for name, (each, one) in known.items() if one is not None}
    if label in able:
        return able[label]
    if label:
        others = f"; other contracts with one: {either(able, 'and')}" if able else ""
        raise RequestError("not_found", f"{label} has no log-in: {_LOG_IN}{others}")
    if not able:
        names = either(known, "and")
        raise RequestError("not_found", f"no contract has a log-in ({names}): {_LOG_IN}")
    if len(able) > 1:
        message = f"several contracts have a log-in; add the parameter contract={either(able)}"
        raise RequestError("invalid_request", message)
    return next(iter(able.values()))
