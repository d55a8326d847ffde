"""Respond to the requests of the resources that scenarios define."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from mockpets.contract.serialization import load_list_query
from mockpets.scenario.resources import LIST_METHODS, RECORD_METHODS
from mockpets.web.exchange import Response
from mockpets.web.operations import created, ignored_note, json_body

if TYPE_CHECKING:
    from mockpets.scenario.resources import Records, Resource
    from mockpets.session.session import Session
    from mockpets.web.exchange import Request

_PATCH_TYPES: Final = ("application/json", "application/merge-patch+json")


def serve(request: Request, session: Session, resource: Resource, record: str) -> Response:
    """Respond to a request whose method the resource has.

    :param record: the ID in the path; empty for the list.
    :raise RequestError: ``not_found``, ``invalid_request``, ``conflict``, ``payload_too_large``,
        ``store_full``.
    """
    exchange, data = request.exchange, session.data
    exchange.notes.append(resource.note)
    method = "GET" if request.method == "HEAD" else request.method
    action = (RECORD_METHODS if record else LIST_METHODS)[method]
    if action == "list":
        return _page(request, resource, data.records(resource))
    if action == "get":
        now = data.records(resource)
        return Response(now.rows[resource.found(now, record)] + b"\n")
    if action == "delete":
        data.change(resource, partial(resource.delete, text=record))
        return Response(status=204)
    body = json_body(request, *(_PATCH_TYPES if action == "update" else ()))
    if action == "create":
        add = partial(resource.create, body=body, seed=session.seed, max_new=session.shared.max_new)
        now, record_id = data.change(resource, add)
        path = f"{resource.path}/{quote(str(record_id), safe='')}"
        return created(request, now.rows[record_id], path)
    change = resource.replace if action == "replace" else resource.update
    now, record_id = data.change(resource, partial(change, text=record, body=body))
    if isinstance(body, dict) and body.get(resource.key, record_id) != record_id:
        exchange.notes += ignored_note("ignored_members", "properties", {resource.key})
    return Response(now.rows[record_id] + b"\n")


def _page(request: Request, resource: Resource, now: Records) -> Response:
    """Respond with the first records that have the values in the query."""
    query = dict(request.args.lists()) if request.environ.get("QUERY_STRING") else {}
    limits = {name: query.pop(name) for name in ("limit",) if name in query}
    limit = load_list_query(limits).limit
    known = {name for name in query if name in resource.properties or now.has(name)}
    request.exchange.notes += ignored_note("ignored_query", "parameters", query.keys() - known)
    filters = {name: query[name] for name in known}
    rows = [row for _, row in islice(now.matching(filters), limit)]
    return Response(b"[" + b",".join(rows) + b"]\n")
