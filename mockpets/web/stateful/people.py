"""Log people in: names, passwords and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.contract.contract_model import DocumentOperation
from mockpets.contract.document_records import OWN, set_at, value_at
from mockpets.contract.fields import INVALID
from mockpets.interface import Incoming
from mockpets.records.table import parse_row
from mockpets.strict_json import dump_json, load_json, parse_json
from mockpets.web.documented import Arguments
from mockpets.web.messages import Request
from mockpets.web.stateful.action import Action, ActionError
from mockpets.web.stateful.rendering import rendered, respond_with_record
from mockpets.web.stateful.tokens import token_of
from mockpets.web.stateful.value_comparison import equal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.contract_model import Contract, Record
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.scenario.library import Stack
    from mockpets.session.session import Session
    from mockpets.web.messages import Response

_PASSWORD: Final = f"{OWN}password"


def log_in(action: Action) -> Response:
    """Return the person with the name and password in the body, with a token."""
    credentials = action.guess.credentials
    assert credentials is not None  # noqa: S101 - a log-in has them
    person = _named(
        action, credentials.name[-1:], value_at(action.arguments.body, credentials.name)
    )
    password = value_at(action.arguments.body, credentials.password)
    if person is None or person.get(_PASSWORD) not in (None, password):
        message = (
            f"the {credentials.name[-1] if credentials.name else 'name'} or password is invalid"
        )
        raise ActionError("unauthorized", (401, 403, 422, 400, 404), message)
    return with_token(action, respond_with_record(action, dump_json(person)), person)


def with_token(action: Action, response: Response, person: Record) -> Response:
    """Return the response to a log-in or a registration with the person's token."""
    credentials, token = action.guess.credentials, token_of(person[action.key_name])
    if credentials is not None and credentials.token and response.body:
        body = parse_json(response.body)
        if isinstance(body, dict):
            set_at(body, credentials.token, token)
            response.body = dump_json(body) + b"\n"
    if cookie := _cookie(action):
        response.headers.append(("Set-Cookie", f"{cookie}={token}; Path=/; SameSite=Lax"))
    return response


def _cookie(action: Action) -> str:
    """Return the name of the cookie that a log-in sets; empty without one."""
    return action.details.security.cookie or action.api.cookie


class Identity(NamedTuple):
    """What an app has once a person has logged in.

    :param person: the record as a log-in returns it.
    :param headers: those that name the person in other requests, by name.
    :param cookie: its name; empty without one.
    """

    person: object
    token: str
    headers: Mapping[str, str]
    cookie: str


def log_in_of(contract: Contract) -> DocumentOperation | None:
    """Return the log-in of a contract, else its registration; None if it has neither."""
    known = [
        each
        for each in contract.operations.values()
        if isinstance(each, DocumentOperation) and each.details.credentials is not None
    ]
    known.sort(key=lambda each: each.details.role != "login")
    return next(iter(known), None)


def identity_of(
    contract: Contract,
    log_in: DocumentOperation,
    person: Record,
    session: Session,
    stack: Stack,
    request: Request,
) -> Identity:
    """Return what an app has once a person has logged in.

    :param log_in: see `log_in_of`.
    :param request: any that names the host.
    """
    credentials = {"HTTP_AUTHORIZATION", "HTTP_COOKIE"}  # those of the control API
    sent = {name: each for name, each in request.environ.items() if name not in credentials}
    inner = Request.of(Incoming(sent))
    inner.session, inner.stack = session, stack
    inner.base = request.base
    action = Action(log_in, inner, Arguments({}, {}, INVALID))
    token = token_of(person[action.key_name])
    headers = _headers(contract, action, token)
    shown = load_json(rendered(action, dump_json(person)).decode())
    return Identity(shown, token, headers, _cookie(action))


def _headers(contract: Contract, action: Action, token: str) -> Mapping[str, str]:
    """Return the headers that an operation about the person wants, else any operation."""
    known = [each.details for each in contract.operations.values() if each.details is not None]
    known.sort(key=lambda each: each.guess.key_in != "token")
    for each in known:
        is_log_in = each.guess.credentials is not None
        if not is_log_in and (sent := each.security.accepted(token)):
            return {name: value for place, name, value in sent if place == "header"}
    # A document that declares none: see `Action.my_key`.
    return {"Authorization": f"{action.api.corrections.prefix or 'Bearer'} {token}"}


def check_name(action: Action, record: Record, path: PropertyPath) -> None:
    """Raise `ActionError` if another person logs in with the name of a new one."""
    name = value_at(record, path)
    if path and name not in (INVALID, None) and _named(action, path, name) is not None:
        message = f"{path[-1]} has already been taken"
        raise ActionError("conflict", (409, 422, 400), message)


def _named(action: Action, path: PropertyPath, name: object) -> Record | None:
    """Return the first person with a name; without a path, the first person."""
    people = map(parse_row, action.store.rows())
    return next((each for each in people if not path or equal(value_at(each, path), name)), None)


def hide_password(action: Action, record: Record) -> None:
    """Keep the password of a person in a property that responses do not show."""
    for each in action.api.credentials:
        if each.password[-1] in record:
            record[_PASSWORD] = record.pop(each.password[-1])
