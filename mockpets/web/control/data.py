"""The views of the control API for the records of collections."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import BODY_BYTES
from mockpets.contract import control_calls as calls
from mockpets.contract.query_parameters import CONTROL_RECORDS, PARAMETERS
from mockpets.errors import RequestError, did_you_mean
from mockpets.records.table import parse_row
from mockpets.scenario.scenario_model import Generated
from mockpets.seed.generated_records import complete_new
from mockpets.session.save_progress import HURRY_KEYS
from mockpets.strict_json import dump_json, parse_json
from mockpets.units import quote
from mockpets.web.control.call import JsonResponse, body_text, json_response, responds_to
from mockpets.web.jobs import generate, run_job
from mockpets.web.operations import filters_of, read_records

if TYPE_CHECKING:
    from mockpets.contract import control_types as types
    from mockpets.contract.contract_model import Collection, Record
    from mockpets.records.store import Contents, Store
    from mockpets.records.table import Table
    from mockpets.scenario.library import Stack
    from mockpets.web.control.call import ControlRequest

_KNOWN: Final = PARAMETERS["records"]


@responds_to(calls.COLLECTIONS)
async def collections(call: ControlRequest) -> JsonResponse[types.CollectionList]:
    """List the collections of the contract and of the active scenarios."""
    stack = call.stack()
    known = (*stack.collections, *stack.hidden())
    return json_response({"data": [await _summary(call, one, stack) for one in known]})


async def _summary(
    call: ControlRequest, collection: Collection, stack: Stack
) -> types.CollectionSummary:
    hiding = stack.hidden().get(collection)
    store = await call.store(collection)
    return {
        "name": collection.name,
        "scenario": collection.owner or None,
        "path": collection.path,
        "id": collection.key,
        "total": store.total(),
        "changed": store.is_changed,
        "content_of": stack.binding(collection).giver or None,
        "hidden_by": hiding.owner if hiding else None,
    }


@responds_to(calls.RECORDS)
async def records(call: ControlRequest) -> JsonResponse[types.RecordPage]:
    """Return a page of a collection's records, in order.

    To filter them, pass any property as a parameter: `status=sold`.
    """
    collection, limit = _collection(call), call.query.get("limit", CONTROL_RECORDS)
    store, after = await call.store(collection), call.query.get("after")
    query = {name: texts for name, texts in call.request.args.lists() if name not in _KNOWN}
    filters, others = filters_of(query), query.keys() - {*collection.schema.properties}

    def read(contents: Contents) -> tuple[list[bytes], int]:
        if unknown := sorted(others - contents.names(others)):
            raise _unknown_property(unknown[0], collection)
        place = None if after is None else contents.known(after)
        rows = contents.rows(limit + 1, filters, place)
        is_all = after is None and len(rows) <= limit
        return rows, len(rows) if is_all else contents.total(filters)

    rows, total = await read_records(call.request, store, read, filters, others)
    page, following = rows[:limit], None
    if len(rows) > limit:
        following = str(parse_row(page[-1])[collection.key])
    head = {**await _summary(call, collection, call.stack()), "total": total, "next": following}
    return JsonResponse(dump_json(head)[:-1] + b',"records":[' + b",".join(page) + b"]}\n")


def _unknown_property(name: str, collection: Collection) -> RequestError:
    known = (*_KNOWN, *collection.schema.properties)
    hint = did_you_mean(name, known) or f"known parameters: {', '.join(known)}"
    what = f"no record of {collection.name} has the property {quote(name)}"
    return RequestError("invalid_request", f"{what}; {hint}")


@responds_to(calls.SET_RECORDS)
async def set_records(call: ControlRequest) -> JsonResponse[types.Total]:
    """Replace all records of a collection; those without an ID get one.

    The body is a list of records, the name of a fixture, a number of records to generate, or an
    object with `records`.
    """
    collection, session = _collection(call), call.session
    progress = call.context.sessions.save_progress
    text, store = body_text(call.request), await call.store(collection)

    def read() -> Table | Generated:
        from mockpets.scenario.language.control_bodies import parse_content

        content = parse_content(text, session.library, collection)
        if isinstance(content, Generated):
            return content
        table = store.read([*map(parse_row, content)])
        if store.unsaved_keys > HURRY_KEYS and progress.is_active:
            session.note_change()
            progress.wait_for_save()  # else a crash could make the server assign a key twice
        return table

    # A fixture's name is short, but its file may be long, and many keys must be saved first.
    is_long = len(text) >= 2 * HURRY_KEYS or text.lstrip().startswith('"')
    table = await run_job(call.request, read, "reading the records", is_long=is_long)
    if isinstance(table, Generated):
        table = await _table(call, collection, table)
    store = await call.store(collection)  # a reset can have replaced it
    store.replace(table)
    call.session.changes.publish("data")
    return json_response({"total": store.total()})


@responds_to(calls.ADD_RECORD)
async def add_record(call: ControlRequest) -> JsonResponse[dict[str, Any]]:
    """Add a record, whatever the active stubs do, and return it with its ID.

    Without a body, mockpets generates the record.
    """
    collection, text = _collection(call), body_text(call.request, BODY_BYTES)
    store = await call.store(collection)
    if text:
        record = complete_new(collection, collection.schema.new(parse_json(text.encode())), store)
    else:
        record = await _generated(call, collection, store)
        store = await call.store(collection)  # a reset can have replaced it
    if not collection.owner:
        call.session.check_name(record)
    row, _ = store.create(record)
    call.session.changes.publish("data")
    return JsonResponse(row + b"\n", 201)


async def _table(call: ControlRequest, collection: Collection, content: Generated) -> Table:
    """Return generated records of a collection, with the seed of the session."""
    shared = call.context.sessions.shared
    await generate(call.request, lambda: shared.work_for(collection, content, call.session.seed))
    return shared.table(collection, content, call.session.seed)


async def _generated(call: ControlRequest, collection: Collection, store: Store) -> Record:
    """Generate another record for a store, which assigns the key unless it is a text."""
    if not collection.generator:
        what = f"records of {collection.name} cannot be generated; send a record as JSON"
        raise RequestError("invalid_request", what)
    table = await _table(call, collection, Generated(store.total() + 1))
    for row in reversed(table.in_order()):
        record = parse_row(row)
        key = record[collection.key]
        if store.find(str(key)) is None:
            break
    else:
        what = f"{collection.name} has every record that can be generated; change one instead"
        raise RequestError("conflict", what)
    if isinstance(key, int):
        del record[collection.key]
    if collection.is_of_document:
        from mockpets.seed.document_values import give_parent, parents_of

        for parent in parents_of(collection, call.contracts.collections.values()):
            rows = (await call.store(parent)).rows(CONTROL_RECORDS)
            give_parent(record, collection, [parse_row(row)[parent.key] for row in rows])
    return record


@responds_to(calls.RECORD)
async def record(call: ControlRequest) -> JsonResponse[dict[str, Any]]:
    """Return a record."""
    return JsonResponse((await call.store(_collection(call))).get(call.part("record")) + b"\n")


@responds_to(calls.CHANGE_RECORD)
async def change_record(call: ControlRequest) -> JsonResponse[dict[str, Any]]:
    """Apply a JSON merge patch to a record: null removes a property."""
    collection, body = _collection(call), _body(call)
    change = partial(collection.schema.changed, patch=body)
    row, _ = (await call.store(collection)).change(call.part("record"), change)
    call.session.changes.publish("data")
    return JsonResponse(row + b"\n")


@responds_to(calls.DELETE_RECORD)
async def delete_record(call: ControlRequest) -> JsonResponse[types.Total]:
    """Delete a record."""
    store = await call.store(_collection(call))
    store.delete(call.part("record"))
    call.session.changes.publish("data")
    return json_response({"total": store.total()})


def _body(call: ControlRequest) -> object:
    return parse_json(body_text(call.request, BODY_BYTES).encode())


def _collection(call: ControlRequest) -> Collection:
    """Return the collection in the path: NAME or SCENARIO.NAME; raise ``not_found``."""
    name, stack = call.part("name"), call.stack()
    known = (*stack.collections, *stack.hidden())
    for one in known:
        if name in one.names:
            return one
    names = [one.name for one in known]
    hint = did_you_mean(name, names) or (
        f"known: {', '.join(names)}; others need the scenario that defines them"
    )
    raise RequestError("not_found", f"unknown collection {name[:64]!r}; {hint}")
