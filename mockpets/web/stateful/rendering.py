"""Render records as responses have them: the envelope, the declared properties, the headers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from mockpets.contract.document_records import OWN, set_at, value_at, visible
from mockpets.contract.fields import INVALID
from mockpets.records.table import parse_row
from mockpets.seed.values import ABSENT
from mockpets.strict_json import dump_json
from mockpets.web.documented import with_body
from mockpets.web.stateful.conditions import set_tag
from mockpets.web.stateful.tokens import token_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.model import Record
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.web.messages import Response
    from mockpets.web.stateful.action import Action

_PARAMETER: Final = r"\{([^{}]*)\}"


def respond_with(action: Action, body: object) -> Response:
    """Return the response with a body to a request that succeeds."""
    response = with_body(action.operation, action.request, action.details.success, body)
    set_tag(action, response, lambda: response.body)
    return response


def respond_with_record(action: Action, record: Record | None, *, is_new: bool = False) -> Response:
    """Return the response to a request that succeeds, which may show a record.

    :param is_new: whether a PUT has created it.
    """
    details, reply = action.details, action.details.success
    if is_new and "201" in details.described.responses:
        reply = details.reply(201, details.described.responses["201"])
    body: object = ABSENT
    if reply.media_type and record is not None and action.guess.returns == "record":
        body = in_envelope(action, rendered(action, record))
    elif reply.media_type:
        body = action.values.example(reply.media)
        if body is ABSENT:
            at = f"{action.operation.name}/{reply.status}"
            body = action.values.value(reply.schema, at=at, echo=action.arguments.echo)
    response = with_body(action.operation, action.request, reply, body)
    if record is not None:
        set_tag(action, response, lambda: representation(action, record))
        if response.header("Location") is not None and (path := _location(action, record)):
            response.set_header("Location", path)
    return response


def representation(action: Action, record: Record) -> bytes:
    """Return a record as the person who calls sees it, in JSON, whatever the operation shows."""
    return dump_json(visible(expanded(action, record, action.stored)))


def list_body(action: Action, records: Iterable[Record]) -> object:
    """Return the body of a response with a list of records."""
    return in_envelope(action, [rendered(action, each) for each in records])


def rendered(action: Action, record: Record) -> object:
    """Return a record with the properties that the schema of the response declares."""
    schema = action.guess.item or action.collection.schema
    value = expanded(action, record, action.stored)
    link = action.schema.self_link
    if link and action.collection.item_path and (path := _location(action, record)):
        set_at(value, link, f"{action.host}{path}")
    field = action.api.fields.field(schema, direction="response")
    accepted = field.accept(value)
    if accepted is not INVALID:
        return accepted
    at = str(record.get(action.key_name))
    whole = action.values.value(schema, kind=action.guess.collection, at=at, echo=value)
    accepted = field.accept(_completed(value, whole, field))
    return whole if accepted is INVALID else accepted


def additions(action: Action, collection: str) -> list[PropertyPath]:
    """Return the properties that `expanded` adds to, or changes in, records of a collection."""
    api = action.api
    known, paths = api.inferred.collections[collection], [*api.toggles.get(collection, ())]
    if known.is_people:
        paths += [each.token[-1:] for each in api.credentials if each.token]
    if len(known.owner) > 1 and api.people is not None and collection != api.people.name:
        paths.append(known.owner[:-1])
    return paths


def expanded(action: Action, record: Record, collection: str) -> dict[str, Any]:
    """Return a record with what other records, and the person who calls, add to it."""
    api = action.api
    value = dict(record)  # `set_at` copies the objects below
    for path in api.toggles.get(collection, ()):
        people = record.get(OWN + ".".join(path))
        if people is not None or api.people is not None:
            set_at(value, path, action.my_key is not None and action.my_key in (people or ()))
    known = api.inferred.collections[collection]
    token = next((each.token for each in api.credentials if each.token), ())
    if known.is_people and token:
        set_at(value, token[-1:], token_of(record[known.key]))
    path = known.owner
    if len(path) > 1 and api.people is not None and collection != api.people.name:
        row = action.store_of(api.people.name).find(str(value_at(record, path)))
        if row is not None:
            embedded = value_at(value, path[:-1])
            embedded = embedded if isinstance(embedded, dict) else {}
            person = expanded(action, parse_row(row), api.people.name)
            set_at(value, path[:-1], {**embedded, **person})
    return value


def in_envelope(action: Action, value: object) -> object:
    """Return a value in the envelope of the response, whose other required parts are generated."""
    envelope, schema = action.guess.envelope, action.details.success.schema
    if not envelope:
        return value
    body: dict[str, Any] = {}
    set_at(body, envelope, value)
    field = action.api.fields.field(schema, direction="response")
    accepted = field.accept(body)
    if accepted is not INVALID:
        return accepted
    whole = action.values.value(schema, at=f"{action.operation.name}/envelope")
    result = _completed({}, whole, field)
    set_at(result, envelope, value)
    return result


def _completed(value: dict[str, Any], whole: object, field: SchemaField) -> dict[str, Any]:
    """Return an object whose missing required, and invalid, properties come from a valid one."""
    if not isinstance(whole, dict):
        return value
    result = {name: whole[name] for name in field.shape.required if name in whole}
    for name, each in value.items():
        known = field.shape.fields.get(name)
        if known is None or known.accept(each) is not INVALID:
            result[name] = each
        elif isinstance(each, dict) and isinstance(whole.get(name), dict):
            result[name] = _completed(each, whole[name], known)
        elif name in whole:
            result[name] = whole[name]
    return result


def _location(action: Action, record: Record) -> str:
    """Return the path of a record; empty if the request does not have the keys of its parents."""
    described = action.details.described
    path = action.collection.item_path or f"{described.path}/{{}}"
    names, sent = re.findall(_PARAMETER, path), action.arguments.path
    # Two paths may have different names for the key of a parent.
    values = {**dict(zip(names[:-1], sent.values(), strict=False)), **sent}
    values |= dict.fromkeys(names[-1:], record.get(action.key_name, ""))
    if not values.keys() >= {*names}:
        return ""
    path = re.sub(_PARAMETER, lambda match: quote(str(values[match[1]]), safe=""), path)
    base = action.operation.path.removesuffix(described.path)
    return f"{action.request.root_path}{base}{path}"
