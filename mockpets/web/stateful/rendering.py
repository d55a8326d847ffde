"""Render records as responses have them: the envelope, the declared properties, the headers.

A record is rendered once for each operation and person, and kept as JSON: rendering by the schemas
of a document takes fifty times as long as sending what is kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote

from mockpets.contract.document_records import set_at, value_at, visible
from mockpets.contract.fields import INVALID
from mockpets.records.table import parse_row
from mockpets.seed.values import ABSENT
from mockpets.strict_json import dump_json
from mockpets.web.documented import with_body
from mockpets.web.stateful.conditions import set_tag
from mockpets.web.stateful.expansion import expanded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.contract.contract_model import Record
    from mockpets.contract.details import Details
    from mockpets.contract.json_schema import SchemaField
    from mockpets.seed.values import Values
    from mockpets.web.messages import Response
    from mockpets.web.stateful.action import Action

_KEPT_BYTES: Final = 4096
"""The longest record to keep as it is rendered."""
_SLOT: Final = "\ue000"
"""Stands in an envelope for the value: a character for private use."""
_SLOT_JSON: Final = dump_json(_SLOT)


def respond_with(action: Action, body: bytes) -> Response:
    """Return the response with a JSON body to a request that succeeds."""
    reply = action.details.success
    response = with_body(action.operation, action.values, reply, body + b"\n")
    if reply.has_tag:
        set_tag(action, reply, response, response.body)
    return response


def respond_with_record(
    action: Action, row: bytes | None, record: Record | None = None, *, is_new: bool = False
) -> Response:
    """Return the response to a request that succeeds, which may show a record.

    :param record: that of `row`; None if the caller does not have it.
    :param is_new: whether the request has created it.
    """
    reply = action.details.created if is_new else action.details.success
    body: object = ABSENT
    if reply.media_type and row is not None and action.guess.returns == "record":
        render = _rendered_new if is_new else rendered
        body = in_envelope(action, render(action, row, record)) + b"\n"
    elif reply.media_type:
        body = action.values.example(reply.media)
        if body is ABSENT:
            at = f"{action.operation.name}/{reply.status}"
            body = action.values.value(reply.schema, at=at, echo=action.arguments.echo)
    location = ""
    if row is not None and "location" in reply.header_names:
        record = parse_row(row) if record is None else record
        location = _location(action, record.get(action.key_name, ""))
    response = with_body(action.operation, action.values, reply, body, location)
    if row is not None and reply.has_tag:
        set_tag(action, reply, response, representation(action, row))
    return response


def representation(action: Action, row: bytes) -> bytes:
    """Return a record as the person who calls sees it, in JSON, whatever the operation shows."""
    return dump_json(visible(action.expanded(row)))


# --- Records --------------------------------------------------------------------------------------


def rendered(action: Action, row: bytes, record: Record | None = None) -> bytes:
    """Return a record with the properties that the schema of the response declares, as JSON.

    :param record: that of `row`; None if the caller does not have it.
    """
    me, linked = _seen(action)
    key = (action.details, row, me, action.person_in(row, record), linked)
    known: bytes | None = action.values.results.get(key)
    return _keep(action, key, record) if known is None else known


def rendered_all(action: Action, rows: Sequence[bytes]) -> Sequence[bytes]:
    """Return what `rendered` returns for each record."""
    me, linked = _seen(action)
    people = map(action.person_in, rows) if action.additions.owner else repeat(None)
    # Without a step of Python for each record, as long as all of them are known.
    keys = [*zip(repeat(action.details), rows, repeat(me), people, repeat(linked))]
    known: list[Any] = [*map(action.values.results.get, keys)]
    for index, key in enumerate(keys) if None in known else ():
        if known[index] is None:
            known[index] = _keep(action, key)
    return known


def _seen(action: Action) -> tuple[object, tuple[object, ...]]:
    """Return what records depend on: who sees them, and what their URLs depend on."""
    me = action.my_key if action.additions.is_personal else None
    return me, _linked(action) if action.schema.self_link else ()


def _keep(action: Action, key: tuple[Any, ...], record: Record | None = None) -> bytes:
    """Render a record, and keep it by the key that `rendered` makes of it."""
    _, row, me, person, _ = key
    record = parse_row(row) if record is None else record
    value = expanded(action.additions, record, me, person)
    shown = dump_json(_rendered(action, value))
    return action.values.results.keep(key, shown) if len(row) <= _KEPT_BYTES else shown


def _rendered_new(action: Action, row: bytes, record: Record | None) -> bytes:
    """Return what `rendered` returns for a new record, without keeping it.

    Only the operation that has created it would find it again.
    """
    shown = _rendered(action, action.expanded(row, record))
    return row if shown is record else dump_json(shown)


def _rendered(action: Action, value: dict[str, Any]) -> object:
    """Return a record with its `additions` as the response has it."""
    if action.schema.self_link and action.collection.item_path:
        key = value.get(action.key_name)
        if path := _location(action, "" if key is None else key):
            value = dict(value)
            set_at(value, action.schema.self_link, f"{action.host}{path}")
    node, field, others = action.details.shown
    accepted = field.accept(value)
    if accepted is INVALID:
        kind, at = action.guess.collection, str(value.get(action.key_name))
        whole = action.values.value(node, kind=kind, at=at, echo=value)
        accepted = field.accept(_completed(value, whole, field))
        accepted = whole if accepted is INVALID else accepted
    for each in others:
        if (kept := each.accept(accepted)) is not INVALID:
            accepted = kept
    return accepted


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


# --- Envelopes ------------------------------------------------------------------------------------


def in_envelope(action: Action, value: bytes) -> bytes:
    """Return a value in the envelope of the response, both as JSON."""
    if not action.guess.envelope:
        return value
    before, _, after = envelope(action).text
    return before + value + after


def filled(around: Mapping[str, Any], value: bytes) -> bytes:
    """Return the JSON of an envelope with a value, which is JSON."""
    before, _, after = dump_json(around).partition(_SLOT_JSON)
    return before + value + after


class Envelope(NamedTuple):
    """What is around the value of a response.

    :param around: the object, for `filled`; do not modify it.
    :param text: its JSON before the value, what stands for the value, and its JSON after it.
    """

    around: dict[str, Any]
    text: tuple[bytes, bytes, bytes]


def envelope(action: Action) -> Envelope:
    """Return the envelope of an operation's response.

    Where required properties are beside the value, they are generated.
    """
    results, key = action.values.results, ("envelope", action.details)
    known: Envelope | None = results.get(key)
    if known is not None:
        return known
    return results.keep(key, _envelope(action.details, action.values, action.operation.name))


def _envelope(details: Details, values: Values, name: str) -> Envelope:
    path, schema = details.guess.envelope, details.success.schema
    whole = values.value(schema, at=f"{name}/envelope")
    field: SchemaField = details.api.fields.field(schema, direction="response")
    result: dict[str, Any] = {}
    set_at(result, path, value_at(whole, path))
    if field.accept(result) is INVALID:
        result = _completed({}, whole, field)
    set_at(result, path, _SLOT)
    return Envelope(result, dump_json(result).partition(_SLOT_JSON))


# --- Addresses ------------------------------------------------------------------------------------


def _linked(action: Action) -> tuple[object, ...]:
    """Return what the URLs of records depend on besides their keys."""
    return action.host, _base(action), *action.arguments.path.items()


def _base(action: Action) -> str:
    """Return the path before that of the document."""
    path = action.operation.path.removesuffix(action.details.described.path)
    return f"{action.request.root_path}{path}"


def _location(action: Action, key: object) -> str:
    """Return the path of a record; empty if the request does not have the keys of its parents."""
    path = action.collection.item_path or f"{action.details.described.path}/{{}}"
    template, names = _template(path)
    if len(names) == 1:
        return f"{_base(action)}{template % _encoded(key)}"
    parents = _keys_of_parents(action, names[:-1])
    if parents is None:
        return ""
    keys = map(_encoded, (*parents, key)[: len(names)])
    return f"{_base(action)}{template % (*keys,)}"


def _keys_of_parents(action: Action, names: Sequence[str]) -> Sequence[object] | None:
    """Return the keys of a record's parents in the path of the request; None if one is missing.

    :param names: of the parameters with these keys, of which another path may have other names.
    """
    sent = action.arguments.path
    values = {**dict(zip(names, sent.values(), strict=False)), **sent}
    return [values[name] for name in names] if values.keys() >= {*names} else None


def _encoded(key: object) -> str:
    return str(key) if key.__class__ is int else quote(str(key), safe="")


@lru_cache(256)  # those of the document
def _template(path: str) -> tuple[str, tuple[str, ...]]:
    """Return a path with ``%s`` for each parameter, and their names."""
    texts = re.split(r"\{([^{}]*)\}", path)
    return "%s".join(text.replace("%", "%%") for text in texts[::2]), (*texts[1::2],)
