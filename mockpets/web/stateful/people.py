"""Log people in: names, passwords and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.contract.document_records import OWN, set_at, value_at
from mockpets.contract.fields import INVALID
from mockpets.records.table import parse_row
from mockpets.strict_json import dump_json, parse_json
from mockpets.web.stateful.action import ActionError
from mockpets.web.stateful.comparison import equal
from mockpets.web.stateful.rendering import respond_with_record
from mockpets.web.stateful.tokens import token_of

if TYPE_CHECKING:
    from mockpets.contract.model import Record
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.web.exchange import Response
    from mockpets.web.stateful.action import Action

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
    return respond_with_token(action, person)


def respond_with_token(action: Action, person: Record) -> Response:
    """Return the response to a log-in or a registration."""
    response = respond_with_record(action, person)
    credentials, token = action.guess.credentials, token_of(person[action.key_name])
    if credentials is not None and credentials.token and response.body:
        body = parse_json(response.body)
        if isinstance(body, dict):
            set_at(body, credentials.token, token)
            response.body = dump_json(body) + b"\n"
    if cookie := action.details.security.cookie or action.api.cookie:
        response.headers.append(("Set-Cookie", f"{cookie}={token}; Path=/; SameSite=Lax"))
    return response


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
    for each in action.api.credentials if action.collection.is_people else ():
        if each.password[-1] in record:
            record[_PASSWORD] = record.pop(each.password[-1])
