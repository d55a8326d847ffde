"""The routes of the control API, under ``/__mockpets/``.

`CALLS` is the table of its calls: the routes and the OpenAPI document come from it, and the
clients are tested against it. Most views are in the modules beside this one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import (
    CONTROL_PREFIX,
    DEFAULT_SESSION,
    DOCS_PATH,
    FIXTURE_BYTES,
    LLMS_PATH,
    PANEL_FILE_PATH,
    PANEL_PATH,
    PROTOCOL,
    TOOLBAR_PATH,
)
from mockpets.contract.pet_store import BUILT_IN
from mockpets.contract.query_parameters import Parameter, one_of
from mockpets.errors import InputError, RequestError
from mockpets.journal import queries
from mockpets.kit import files_of
from mockpets.version import FULL_VERSION
from mockpets.web import pages
from mockpets.web.control import data, files, journal, log_in, recording, sessions, transfer
from mockpets.web.control.access import check_caller, may_read, record_preflight
from mockpets.web.control.call import (
    SCENARIO,
    Call,
    ControlRequest,
    JsonResponse,
    invalid_body,
    json_response,
    read_query,
)
from mockpets.web.flask_app import Route
from mockpets.web.jobs import run_job
from mockpets.web.messages import Response
from mockpets.web.session_selector import check_headers, named_session, session_required

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract import control_types as types
    from mockpets.contract.model import Contracts
    from mockpets.interface import ServerCounts
    from mockpets.web.control.call import ControlContext
    from mockpets.web.flask_app import App
    from mockpets.web.messages import Request, Steps, View


def add_routes(app: App, context: ControlContext) -> None:
    """Add the control API to the app; if it is off, only the routes that hold no secret."""
    is_on, library = context.settings.control != "off", context.sessions.shared.library
    shown: dict[str, View] = {
        PANEL_FILE_PATH: pages.panel_file,
        DOCS_PATH: partial(_docs, context, has_panel=is_on),
    }
    if is_on:
        shown |= {CONTROL_PREFIX: pages.to_panel, PANEL_PATH: pages.panel}
        shown[LLMS_PATH] = partial(pages.llms, library)
        for name in files_of():
            shown[f"{CONTROL_PREFIX}/{name}"] = partial(pages.kit_file, name, library)
        shown[TOOLBAR_PATH] = partial(_toolbar, context)
    paths = {path: {"GET": view} for path, view in shown.items()}
    guarded = set()
    for route, call in CALLS.items():
        method, path = route.split(" ")
        if call.caller == "anyone":
            view: View = partial(_open, call, context)
        elif call.caller == "visitor" and context.admission.has_sessions:
            view = partial(call.view, context)
        elif call.caller == "owner" and is_on:
            view = partial(_guarded, call, context)
            guarded.add(CONTROL_PREFIX + path)
        else:
            continue  # `web.unmatched` responds
        paths.setdefault(CONTROL_PREFIX + path, {})[method] = view
    for path, views in paths.items():
        rule = path.replace("{", "<").replace("}", ">")
        for method, view in views.items():
            endpoint = f"{method} {path.removeprefix(CONTROL_PREFIX)}"
            app.url_map.add(Route(rule, endpoint=endpoint, methods=[method]))
            app.view_functions[endpoint] = view
        # The other methods of these paths are those of a session or scenario of this name.
        if path.removeprefix(CONTROL_PREFIX) not in ("/sessions/reset", "/scenarios/check"):
            other = f"{path}: other methods"
            app.url_map.add(Route(rule, endpoint=other))  # without methods: any other
            rejects = context if path in guarded else None
            app.view_functions[other] = partial(_other_method, tuple(views), rejects)


def _open(call: Call, context: ControlContext, request: Request) -> Response | Steps:
    contracts = context.contracts
    return call.view(request, contracts, **read_query(request, call.parameters, contracts))


def _docs(context: ControlContext, request: Request, *, has_panel: bool) -> Response:
    """Return the reference page of the contract that the query names."""
    contracts = context.contracts
    query = read_query(request, {"contract": CONTRACT}, contracts, ignores_others=True)
    return pages.docs(contracts, **query, has_panel=has_panel)


async def _toolbar(context: ControlContext, request: Request) -> Response:
    """Return the toolbar, which has no secrets, to a page that may make its calls.

    Also if only the token is missing, and on a server for other machines to any page (the CORS
    headers allow it): the toolbar then reports which option would let the page make the calls.

    Browsers request a module with CORS, so only pages on the origins that the response names can
    load it, and the policy stops a page that requests a script without CORS.
    """
    settings = context.settings
    lacks_token = bool(context.token) and may_read(request, settings)
    has_tools = context.sessions.shared.limits.page_tools
    if not has_tools or (settings.is_local and not lacks_token):
        await check_caller(request, context)
    response = pages.kit_file(Path(TOOLBAR_PATH).name, context.sessions.shared.library, request)
    policy = ("Cross-Origin-Resource-Policy", "same-origin")
    response.headers += [policy, ("Cache-Control", "no-cache")]
    return response


async def _guarded(call: Call, context: ControlContext, request: Request, **_: str) -> Response:
    """Call a view if the caller may use the control API."""
    request.max_content_length = FIXTURE_BYTES  # a list of records is longer than a usual body
    await check_caller(request, context, is_yaml=call.body == SCENARIO)
    check_headers(request)
    return await run(call, context, request)


async def run(call: Call, context: ControlContext, request: Request) -> Response:
    """Call a view for a request that may use the control API."""
    sessions = context.sessions
    name = named_session(request)
    if name is None:
        if sessions.declared and call.session == "changes":
            raise session_required(context.contracts.base)
        name = DEFAULT_SESSION
    request.session_name = name
    control = ControlRequest(call, context, request)
    try:
        request.session = control.session
        control.query = read_query(
            request, call.parameters, context.contracts, ignores_others=call.has_filters
        )
        response = call.view(control)
        return response if isinstance(response, Response) else await response
    except (InputError, RequestError, GeneratorExit) as error:  # the last if the client leaves
        control.undo_creation()
        if isinstance(error, InputError):
            raise invalid_body(error) from error
        raise
    finally:
        request.session = sessions.get(name)  # for the headers that name it


def _other_method(
    methods: tuple[str, ...], context: ControlContext | None, request: Request, **_: str
) -> Response:
    """Respond to another method of a path; the context records rejected preflights."""
    names = ", ".join([*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"])
    if request.method == "OPTIONS":
        if context is not None:
            record_preflight(request, context)
        return Response(status=204, headers=[("Allow", names)])
    message = f"{request.method[:40]} is not allowed on {request.path[:80]}; allowed: {names}"
    raise RequestError("method_not_allowed", message, [("Allow", names)])


# --- Views about the server -------------------------------------------------------------------


def health(_: Request, contracts: Contracts) -> JsonResponse[types.Health]:
    """Report that the server is alive."""
    bases = [each.base for each in contracts.all]
    return json_response(
        {"status": "ok", "version": FULL_VERSION, "protocol": PROTOCOL, "bases": bases}
    )


def ready(request: Request, contracts: Contracts) -> JsonResponse[types.Health]:
    """Report that the server accepts requests, and will go on doing so."""
    server = request.incoming.server
    seconds = server.stops_in() if server else None
    if seconds is not None:
        message = f"the server stops in {seconds:.0f} s; send new requests to another one"
        raise RequestError("stopping", message)
    return health(request, contracts)


def openapi(
    request: Request, contracts: Contracts, contract: str = ""
) -> JsonResponse[Mapping[str, Any]]:
    """Return a contract as OpenAPI 3.1, with the base path of the request's session."""
    return _document(request, contracts.labelled(contract).document)


async def contract(call: ControlRequest) -> JsonResponse[types.ContractList]:
    """Return what each operation of the contracts does, and by which rule."""
    from mockpets.contract.describe import description  # here, since it would slow down the start

    def descriptions() -> types.ContractList:
        return {"contracts": [*map(description, call.contracts.all)]}

    described = await run_job(call.request, descriptions, "describing the contracts")
    return json_response(described)


def control_openapi(
    request: Request, contracts: Contracts, tag: str | None = None
) -> JsonResponse[Mapping[str, Any]]:
    """Return the control API as OpenAPI 3.1, with the base path of the request's session."""
    return _document(request, control_document(tag, contracts))


@lru_cache(16)  # contracts change when a document is saved
def control_document(tag: str | None = None, contracts: Contracts = BUILT_IN) -> Mapping[str, Any]:
    """Return the control API as an OpenAPI 3.1 document; do not modify it.

    :param tag: for only the calls with this tag: one of `TAGS`.
    """
    # Imported here, since the types of all calls would slow down the start.
    from mockpets.web.control.openapi import document_of

    # MCP describes itself, in the response to ``tools/list``.
    described = {route: call for route, call in CALLS.items() if call.view is not mcp}
    return document_of(described, tag, contracts)


def _document(request: Request, document: Mapping[str, Any]) -> JsonResponse[Mapping[str, Any]]:
    """Return an OpenAPI document whose servers have the base path of the request's session."""
    root = request.root_path
    servers = [{**server, "url": root + server["url"]} for server in document["servers"]]
    return json_response({**document, "servers": servers})


def scenario_schema(_: Request, contracts: Contracts) -> JsonResponse[Mapping[str, Any]]:
    """Return the JSON Schema of scenario files, which the shipped files name for editors."""
    from mockpets.scenario.language import loader

    return json_response(loader.scenario_schema(contracts))


async def metrics(call: ControlRequest) -> Response:
    """Return the metrics in the text format of Prometheus."""
    metrics, server = call.context.metrics, call.request.incoming.server
    if not metrics.is_prepared:
        await run_job(call.request, metrics.prepare, "loading the metrics library")
    counts: ServerCounts = {"parked_answers": 0} if server is None else server.counts()
    body, content_type = metrics.exposition(counts)
    return Response(body, content_type=content_type)


async def mcp(call: ControlRequest) -> Response:
    """Respond to a message of the Model Context Protocol, which coding agents speak."""
    from mockpets.web.control.mcp import respond  # here, since it would slow down the start

    async def run_inside(route: str | Call, request: Request) -> Response:
        inner = CALLS[route] if isinstance(route, str) else route
        return await run(inner, call.context, request)

    return await respond(call, run_inside)


# --- The calls --------------------------------------------------------------------------------

TAGS: Final = ("server", "sessions", "scenarios", "data", "requests", "gates")
TAG: Final = Parameter(
    "Only the calls with this tag.",
    {"type": "string", "enum": [*TAGS]},
    partial(one_of, words=TAGS),
)

CONTRACT: Final = Parameter(
    "Label of a contract, such as `blog` for blog.yaml; by default that of the first.",
    {"type": "string"},
    str,
    lambda contracts: [each.label for each in contracts.all],
)

LOG_IN: Final = replace(
    CONTRACT,
    description="Label of a contract, such as `blog` for blog.yaml, if several have a log-in.",
)

CALLS: Final[Mapping[str, Call]] = {
    "GET /health": Call(health, "none", None, caller="anyone"),
    "GET /ready": Call(ready, "none", None, caller="anyone"),
    "GET /openapi.json": Call(openapi, "none", {"contract": CONTRACT}, caller="anyone"),
    "GET /control.openapi.json": Call(control_openapi, "none", {"tag": TAG}, caller="anyone"),
    "GET /schema/scenario.json": Call(scenario_schema, "none", caller="anyone"),
    "GET /contract": Call(contract, "none"),
    "GET /state": Call(sessions.state),
    "GET /scenarios": Call(sessions.scenarios),
    "GET /scenarios/{name}": Call(sessions.scenario),
    "PUT /scenarios/{name}": Call(
        files.save_scenario, body=SCENARIO, creates=True, conditions=files.CONDITIONS
    ),
    "POST /scenarios/check": Call(
        files.check_scenario, parameters=files.CHECK_PARAMETERS, body=SCENARIO
    ),
    "PUT /overrides/{name}": Call(files.override_scenario, "changes", body=SCENARIO, creates=True),
    "DELETE /overrides/{name}": Call(files.drop_override, "changes"),
    "PUT /scenario": Call(sessions.use, "changes", body="ScenarioSelection"),
    "POST /reset": Call(sessions.reset, "changes"),
    "GET /sessions": Call(sessions.sessions, "none"),
    "DELETE /sessions": Call(sessions.drop_sessions, "none", sessions.DROP_PARAMETERS),
    "POST /sessions/reset": Call(sessions.reset_sessions, "none"),
    "GET /sessions/{name}": Call(sessions.find_session, "none"),
    "PUT /sessions/{name}": Call(
        sessions.make_session, "none", body="SessionContents", needs_body=False, creates=True
    ),
    "DELETE /sessions/{name}": Call(sessions.drop_session, "none", sessions.DROP_PARAMETERS),
    "POST /sessions/{name}/undo": Call(sessions.undo, "none"),
    "GET /sessions/{name}/export": Call(
        transfer.export_session, "none", transfer.EXPORT_PARAMETERS
    ),
    "PUT /sessions/{name}/export": Call(
        transfer.import_session, "none", body="SessionExport", creates=True
    ),
    "GET /clock": Call(sessions.clock),
    "PUT /clock": Call(sessions.set_clock, "changes", body="ClockChange"),
    "GET /data": Call(data.collections),
    "GET /data/{name}": Call(data.records, "reads", data.RECORDS_PARAMETERS, has_filters=True),
    "PUT /data/{name}": Call(data.set_records, "changes", body="RecordsSource"),
    "POST /data/{name}": Call(
        data.add_record, "changes", body="DataRecord", needs_body=False, creates=True
    ),
    "GET /data/{name}/{record}": Call(data.record),
    "PATCH /data/{name}/{record}": Call(data.change_record, "changes", body="DataRecord"),
    "DELETE /data/{name}/{record}": Call(data.delete_record, "changes"),
    "POST /login": Call(
        log_in.log_in, parameters={"contract": LOG_IN}, body="UserSelection", needs_body=False
    ),
    "GET /requests": Call(journal.requests, "reads", queries.PARAMETERS),
    "DELETE /requests": Call(journal.clear_requests, "changes"),
    "GET /requests/{number}": Call(journal.request),
    "GET /requests/{number}/explain": Call(journal.explain),
    "POST /explain": Call(journal.explain_request, body="RequestToExplain"),
    "GET /requests/{number}/stub": Call(recording.stub, parameters=recording.STUB_PARAMETERS),
    "POST /requests/{number}/stub": Call(
        recording.respond_like, "changes", recording.STUB_PARAMETERS
    ),
    "DELETE /requests/{number}/stub": Call(recording.drop_stub, "changes"),
    "POST /recording": Call(recording.start_recording, "changes"),
    "GET /recording": Call(recording.recording),
    "GET /requests.har": Call(journal.har, "reads", queries.PARAMETERS),
    "POST /verify": Call(journal.verify, body="Verification"),
    "GET /events": Call(journal.events, "reads", journal.EVENTS_PARAMETERS),
    "GET /held": Call(journal.held),
    "POST /held/release": Call(journal.release, body="Release"),
    "GET /gates": Call(journal.gates),
    "POST /gates/{name}/open": Call(journal.open_gate, "changes"),
    "POST /gates/{name}/wait": Call(journal.wait_for_gate, body="GateWait", needs_body=False),
    "GET /findings": Call(journal.findings),
    "GET /metrics": Call(metrics, "none", None),
    "POST /mcp": Call(mcp, "none"),
    "POST /visitor/reset": Call(sessions.reset_visitor, caller="visitor"),
}
"""Every call by method and path (after `CONTROL_PREFIX`)."""
GUARDED: Final = frozenset(route for route, call in CALLS.items() if call.caller == "owner")
"""The endpoints of the calls that may need a token."""
