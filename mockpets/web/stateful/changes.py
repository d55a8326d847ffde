"""Create, change and delete records."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mockpets.contract.document_records import OWN, link_of, set_at, value_at, visible
from mockpets.contract.fields import INVALID
from mockpets.contract.json_patch import json_patch
from mockpets.records.table import parse_row
from mockpets.strict_json import dump_json, json_array
from mockpets.web.stateful.action import GONE, Action, ActionError
from mockpets.web.stateful.conditions import check
from mockpets.web.stateful.new_records import add, set_given, set_updated
from mockpets.web.stateful.people import hide_password, with_token
from mockpets.web.stateful.rendering import (
    in_envelope,
    rendered_all,
    representation,
    respond_with,
    respond_with_record,
)
from mockpets.web.stateful.value_comparison import has, index_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.contract.contract_model import Key, Record
    from mockpets.contract.inference import GuessedCollection
    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.records.store import Filters, Store
    from mockpets.web.messages import Response

Body = dict[str, Any]
Make = Callable[[Action, "Record", Body], "Record"]
"""Returns a record, as a new object, after a change with a body."""


def create(action: Action) -> Response:
    """Add the record in the body, or several."""
    action.check_parents()
    if action.guess.many:
        return _respond_with_several(action, [add(action, item)[0] for item in action.items])
    row, record = add(action, action.body)
    response = respond_with_record(action, row, record, is_new=True)
    return with_token(action, response, record) if action.guess.credentials else response


def replace(action: Action) -> Response:
    """Replace a record, or several; or create one with the key in the path."""
    if action.guess.many:
        return _write_several(action, _replaced)
    if action.guess.creates and action.store.find(action.key) is None:
        _check(action, None)
        body = {**action.body, action.key_name: action.typed_key(action.key)}
        return respond_with_record(action, *add(action, body), is_new=True)
    return _write_one(action, _replaced, action.body)


def update(action: Action) -> Response:
    """Change the properties in the body, or else in the query, of a record or of several."""
    if action.guess.many:
        return _write_several(action, _merged)
    body = action.body or _known(action, action.arguments.query)
    return _write_one(action, _change_of(action), body)


def act(action: Action) -> Response:
    """Change a record as the name of the operation says."""
    return _write_one(action, _overlaid, action.body)


def toggle(action: Action) -> Response:
    """Switch a property of a record on or off, for the person who calls if there is one."""
    row, me = action.find(action.key), action.my_key
    _check(action, row)
    if _must_be_first(action):
        before = parse_row(row)
        if all(_is_on(action, before, path) is on for path, on in action.guess.change.items()):
            raise _again(action)

    def toggled(before: Record) -> Record:
        record = dict(before)  # `set_at` copies the objects below
        for path, value in action.guess.change.items():
            is_change = _is_on(action, record, path) is not value
            if me is None:
                set_at(record, path, value)
            else:
                name = OWN + ".".join(path)
                others = [each for each in record.get(name, []) if each != me]
                record[name] = [*others, me] if value else others
            counter = action.guess.counter
            count = value_at(record, counter) if counter else INVALID
            if is_change and isinstance(count, int):
                set_at(record, counter, max(count + (1 if value else -1), 0))
        return record

    return respond_with_record(action, *action.put(action.key, toggled))


def _is_on(action: Action, record: Record, path: PropertyPath) -> bool:
    """Return whether a property is on, for the person who calls if there is one."""
    if action.my_key is None:
        return value_at(record, path) is True
    return action.my_key in record.get(OWN + ".".join(path), [])


def _must_be_first(action: Action) -> bool:
    """Return whether the document lists a 409, for an action that has happened already."""
    return "409" in action.details.described.responses


def _again(action: Action) -> ActionError:
    """Return the error for an action that has happened already."""
    facts = [
        f"{'.'.join(path)} is already {dump_json(value).decode()}"
        for path, value in action.guess.change.items()
    ]
    return ActionError("conflict", (409,), "; ".join(facts), action.key)


def single(action: Action) -> Response:
    """Read or change a single object, of which there may be one for each parent."""
    action.check_parents()
    method, is_read = action.operation.method, action.operation.method in ("GET", "HEAD")
    row = next(filter(action.is_here, action.store.rows(filters=action.below)), None)
    if row is None and (unchanged := _unchanged(action)):
        row = dump_json(unchanged) if is_read else action.store.create(unchanged)[0]
    if row is None and method in ("PUT", "POST", "PATCH"):
        _check(action, None)
        return respond_with_record(action, *add(action, action.body), is_new=True)
    if row is None:
        raise action.missing("")
    if method == "DELETE":
        _check(action, row)
        _drop(action, action.schema.guessed, action.store, [parse_row(row)[action.key_name]])
    elif not is_read:
        make = _replaced if method == "PUT" and not action.guess.patch else _change_of(action)
        key = parse_row(row)[action.key_name]
        return respond_with_record(action, *_written(action, key, row, make, action.body))
    return respond_with_record(action, row)


def _unchanged(action: Action) -> Record | None:
    """Return a single object that has no record yet; None if it does not exist.

    Below a parent it exists as soon as the parent does, unless clients delete it or, with POST or
    a documented 201, create it. Any other one exists unless it was deleted.
    """
    if not action.collection.parent:
        name, schema = action.collection.name, action.collection.schema
        record = {**action.values.record(name, schema, 1), action.key_name: 1}
        return None if action.store.rows(1) else record
    path = action.details.described.path
    known = [each for each in action.api.described if each.path == path]
    if any(each.method in ("POST", "DELETE") or "201" in each.responses for each in known):
        return None
    record = action.first_version("/".join(map(str, action.arguments.path.values())))
    return {name: value for name, value in record.items() if name != action.key_name}


def delete(action: Action) -> Response:
    """Delete a record, those whose keys are in the request, or all of a list."""
    if not action.guess.many:
        row = action.find(action.key)
        action.check_owner(row)
        _check(action, row)
        _drop(action, action.schema.guessed, action.store, [action.typed_key(action.key)])
        return respond_with_record(action, row)
    rows = action.store.rows(filters=action.below)
    records = [each for each in map(parse_row, rows) if action.is_below(each)]
    if name := action.guess.key:
        place = action.arguments.query if action.guess.key_in == "query" else action.body
        wanted = place.get(name) or [each.get(name) for each in action.items]
        keys = wanted if isinstance(wanted, list) else [wanted]
        if not keys:
            raise ActionError("invalid_request", (400, 422, 404), f"{name} is required")
        records = [each for each in records if has(keys, each[action.key_name])]
        if not records:
            raise action.missing(", ".join(map(str, keys)))
    keys = [each[action.key_name] for each in records]
    _drop(action, action.schema.guessed, action.store, keys)
    return respond_with_record(action, None)


def _drop(action: Action, collection: GuessedCollection, store: Store, keys: Sequence[Key]) -> None:
    """Delete the records of a collection with some keys, and those that belong to them."""
    for key in keys:
        if collection.is_open or (collection.is_single and not collection.parent):
            gone = {store.collection.key: key, GONE: True}
            if store.find(str(key)) is None:
                store.create(gone)
            else:
                store.change(key, lambda _, gone=gone: gone)  # type: ignore[misc]
        else:
            store.delete(key)
    action.publish()
    texts = {str(key) for key in keys}
    for child in action.api.inferred.collections.values():
        if child.parent == collection.name and not child.shows:
            children, link = action.store_of(child.name), link_of(child)
            wanted: Filters = {}
            if link == children.collection.filters:
                wanted = {link[0]: {each: None for key in keys for each in index_keys(key)}}
            below = [
                each[children.collection.key]
                for each in map(parse_row, children.rows(filters=wanted))
                if isinstance(parent := value_at(each, link), (int, str)) and str(parent) in texts
            ]
            if below:
                _drop(action, child, children, below)


# --- Changes of a record --------------------------------------------------------------------------


def _change_of(action: Action) -> Make:
    return _patched if action.guess.patch == "json-patch" else _merged


def _merged(action: Action, before: Record, body: Body) -> Record:
    return _merge(before, body, action.schema.properties)


def _merge(before: Record, patch: Body, fields: Mapping[str, SchemaField]) -> Record:
    """Return an object after a merge patch (RFC 7396); null stays where it is valid.

    :param fields: those of the object's properties.
    """
    result = dict(before)
    for name, value in patch.items():
        known = fields.get(name)
        if value is None and (known is None or known.accept(None) is INVALID):
            result.pop(name, None)
        elif isinstance(value, dict):
            below = result.get(name)
            inside = known.shape.fields if known is not None else {}
            result[name] = _merge(below if isinstance(below, dict) else {}, value, inside)
        else:
            result[name] = value
    return result


def _patched(action: Action, before: Record, _: Body) -> Record:
    """Return a record after the JSON Patch in the body, which must leave it valid."""
    try:
        new = json_patch(visible(before), action.arguments.body)
    except ValueError as error:
        raise ActionError("invalid_request", (400, 422), str(error)) from None
    except LookupError as error:
        raise ActionError("conflict", (409, 422, 400), str(error.args[0])) from None
    if isinstance(new, dict):
        new = {**visible(new), action.key_name: before[action.key_name]}
    problems = action.schema.field().problems(new)
    if problems or not isinstance(new, dict):
        parts = (f"{'.'.join(map(str, path))} {what}".strip() for path, what in problems)
        raise ActionError("invalid_request", (422, 400), "; ".join(parts))
    hidden = {name: value for name, value in before.items() if name[:1] == OWN}
    return {**new, **hidden}


def _replaced(action: Action, before: Record, body: Body) -> Record:
    """Return a record with the properties of a body only, and those that clients cannot send."""
    results, key = action.api.results, ("names in a body", action.details)
    sent: frozenset[str] | None = results.get(key)
    if sent is None:
        request = action.details.bodies_field(action.guess.body_envelope)
        fields = request.shape.fields if request is not None else {}
        names = {name for name, field in fields.items() if not field.is_hidden}
        sent = results.keep(key, frozenset(names & action.schema.properties.keys()))
    kept = {name: value for name, value in before.items() if name not in sent}
    return {**kept, **body}


def _overlaid(action: Action, before: Record, body: Body) -> Record:
    return {**before, **_known(action, body)}


def _known(action: Action, values: Mapping[str, Any]) -> Body:
    """Return the values that are properties of a record."""
    return {name: value for name, value in values.items() if name in action.schema.properties}


def _check(action: Action, row: bytes | None) -> None:
    """Raise `ActionError` if a change does not meet the conditions of the request.

    :param row: the record before the change; None if it does not exist.
    """
    if action.details.conditions and not action.guess.many:
        check(action, None if row is None else representation(action, row))


def _written(action: Action, key: Key, row: bytes, make: Make, body: Body) -> tuple[bytes, Record]:
    """Change a record that the person who calls may change; return it as JSON, and itself.

    :param key: also one in a path.
    :param row: the record before the change.
    """
    action.check_owner(row)
    _check(action, row)
    given = {}
    if action.guess.change or action.guess.role == "act":
        before = parse_row(row)
        after = make(action, before, body)
        # Outside the lock of the store, because it may read the same one.
        set_given(action, after, action.guess.change)
        if action.guess.role == "act" and after == before and _must_be_first(action):
            raise _again(action)
        given = {path: value_at(after, path) for path in action.guess.change}

    def change(record: Record) -> Record:
        new = make(action, record, body)
        new[action.key_name] = record[action.key_name]
        for path, value in given.items():
            set_at(new, path, value)
        if action.collection.is_people:
            hide_password(action, new)
        set_updated(action, new)
        return new

    return action.put(key, change)


def _write_one(action: Action, make: Make, body: Body) -> Response:
    key = action.key
    return respond_with_record(action, *_written(action, key, action.find(key), make, body))


def _write_several(action: Action, make: Make) -> Response:
    """Change each record of the list in the body."""
    items = {str(item.get(action.guess.key)): item for item in action.items}
    for key in items:
        action.find(key)  # so that nothing changes if one is missing
    changed = [_written(action, key, action.find(key), make, each) for key, each in items.items()]
    return _respond_with_several(action, [row for row, _ in changed])


def _respond_with_several(action: Action, rows: Sequence[bytes]) -> Response:
    if action.guess.returns == "list":
        shown = json_array(rendered_all(action, rows))
        return respond_with(action, in_envelope(action, shown))
    return respond_with_record(action, rows[-1] if rows else None)
