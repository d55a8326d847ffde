"""The views of the control API for the records of resources."""

from __future__ import annotations

from functools import partial
from itertools import dropwhile, islice
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import BODY_BYTES
from mockpets.contract.query_parameters import Parameter, integer
from mockpets.errors import RequestError, did_you_mean
from mockpets.strict_json import dump_json, parse_json
from mockpets.web.control.call import LONG, JsonResponse, body_text, json_response, run_job
from mockpets.web.control.pets import CONTROL_PETS
from mockpets.web.playback import reserve_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract import control_types as types
    from mockpets.scenario.library import Stack
    from mockpets.scenario.resources import Id, Records, Resource
    from mockpets.session.data import Data
    from mockpets.web.control.call import ControlRequest

RECORDS_PARAMETERS: Final[Mapping[str, Parameter]] = {
    "after": Parameter(
        "Only records after the one with this ID: `next` of the page before.",
        {"type": "string"},
        str,
    ),
    "limit": integer("Maximum number of records.", 1, CONTROL_PETS, default=CONTROL_PETS),
}


def resources(call: ControlRequest) -> JsonResponse[types.ResourceList]:
    """List the resources of the active scenarios."""
    stack, data = call.stack(), call.session.data
    return json_response({"data": [_summary(one, stack, data) for one in stack.resources]})


def _summary(resource: Resource, stack: Stack, data: Data) -> types.ResourceSummary:
    hiding = stack.hidden().get(resource)
    return {
        "name": resource.name,
        "scenario": resource.scenario,
        "path": resource.path,
        "id": resource.key,
        "total": len(data.records(resource).rows),
        "changed": data.changed(resource),
        "hidden_by": hiding.scenario if hiding else None,
    }


def records(call: ControlRequest) -> JsonResponse[types.RecordPage]:
    """Return a page of a resource's records, in the order in which they were added."""
    resource, data = _resource(call), call.session.data
    now, rows = data.records(resource), iter(data.records(resource).rows.items())
    limit: int = call.query.get("limit", CONTROL_PETS)
    if (after := call.query.get("after")) is not None:
        last = resource.found(now, after)
        rows = islice(dropwhile(lambda row: row[0] != last, rows), 1, None)
    page = [*islice(rows, limit + 1)]
    following = str(page[limit - 1][0]) if len(page) > limit else None
    head = {**_summary(resource, call.stack(), data), "next": following}
    content = b",".join(row for _, row in page[:limit])
    return JsonResponse(dump_json(head)[:-1] + b',"records":[' + content + b"]}\n")


def set_records(call: ControlRequest) -> JsonResponse[types.Total]:
    """Replace all records; those without an ID get one."""
    resource, session = _resource(call), call.session
    text, before = body_text(call.request), session.data.records(resource)

    def read() -> Records:
        return resource.set_all(before, parse_json(text.encode()), session.seed, _max_new(call))

    records = run_job(call, read, "reading the records", is_long=len(text) >= LONG)

    def replace(now: Records) -> tuple[Records, Id]:
        return records._replace(next=max(now.next, records.next)), 0

    session.data.change(resource, replace)
    return json_response({"total": len(records.rows)})


def _max_new(call: ControlRequest) -> int:
    return call.session.shared.max_new


def add_record(call: ControlRequest) -> JsonResponse[Mapping[str, Any]]:
    """Add a record, whatever the stubs respond to a POST, and return it with its ID."""
    body, resource, session = _body(call), _resource(call), call.session
    if session.must_reserve_id(resource):
        session.data.touch(resource)
        reserve_id(call.request, session, call.context.sessions)
    add = partial(resource.create, body=body, seed=session.seed, max_new=_max_new(call))
    return _record(*session.data.change(resource, add), status=201)


def record(call: ControlRequest) -> JsonResponse[Mapping[str, Any]]:
    """Return a record."""
    resource = _resource(call)
    now = call.session.data.records(resource)
    return _record(now, resource.found(now, call.part("record")))


def change_record(call: ControlRequest) -> JsonResponse[Mapping[str, Any]]:
    """Apply a JSON merge patch to a record: null removes a property."""
    body, resource = _body(call), _resource(call)
    change = partial(resource.update, text=call.part("record"), body=body)
    return _record(*call.session.data.change(resource, change))


def delete_record(call: ControlRequest) -> JsonResponse[types.Total]:
    """Delete a record."""
    resource = _resource(call)
    delete = partial(resource.delete, text=call.part("record"))
    now, _ = call.session.data.change(resource, delete)
    return json_response({"total": len(now.rows)})


def _record(now: Records, record_id: Id, status: int = 200) -> JsonResponse[Any]:
    return JsonResponse(now.rows[record_id] + b"\n", status)


def _body(call: ControlRequest) -> object:
    return parse_json(body_text(call.request, BODY_BYTES).encode())


def _resource(call: ControlRequest) -> Resource:
    """Return the resource in the path: NAME or SCENARIO.NAME; raise ``not_found``."""
    name, known = call.part("name"), call.stack().resources
    for resource in known:
        if name in (resource.name, f"{resource.scenario}.{resource.name}"):
            return resource
    names = [resource.name for resource in known]
    hint = f"known: {', '.join(names)}" if names else "the active scenarios have no resources"
    hint = did_you_mean(name, names) or hint
    raise RequestError("not_found", f"unknown resource {name[:64]!r}; {hint}")
