"""The routes of the control API, under ``/__mockpets/``: for each row of `control_calls`, its view.

Most views are in the modules beside this one.
"""

from __future__ import annotations

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
from mockpets.contract import control_calls as calls
from mockpets.contract.pet_store import BUILT_IN
from mockpets.errors import InputError, RequestError
from mockpets.kit_files import files_of
from mockpets.version import FULL_VERSION
from mockpets.web import pages
from mockpets.web.control import (
    data,
    log_in,
    recording,
    requests,
    scenario_files,
    sessions,
    transfer,
)
from mockpets.web.control.access import check_caller, may_read, record_preflight
from mockpets.web.control.call import (
    VIEWS,
    ControlRequest,
    JsonResponse,
    invalid_body,
    json_response,
    read_query,
    responds_to,
)
from mockpets.web.flask_app import map_of
from mockpets.web.jobs import run_job
from mockpets.web.messages import Response
from mockpets.web.session_selector import check_headers, named_session, session_required
from mockpets.web.unmatched import ROUTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from werkzeug.routing import Map

    from mockpets.contract import control_types as types
    from mockpets.contract.contract_model import Contracts
    from mockpets.contract.control_calls import Call
    from mockpets.interface import ServerCounts
    from mockpets.web.control.call import ControlContext
    from mockpets.web.flask_app import App
    from mockpets.web.messages import Request, Steps, View

_MODULES: Final = (data, log_in, recording, requests, scenario_files, sessions, transfer)
"""Those whose views are bound to calls as they are imported."""


def add_routes(app: App, context: ControlContext) -> Map:
    """Add the control API to the app, and return its routes.

    If it is off, they are only those that hold no secret.
    """
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
    for call in calls.CALLS.values():
        path = CONTROL_PREFIX + call.path
        if call.caller == "anyone" or (call.caller == "visitor" and context.admission.has_sessions):
            paths.setdefault(path, {})[call.method] = partial(_open, call, context)
        elif call.caller == "owner" and is_on:
            paths.setdefault(path, {})[call.method] = partial(_guarded, call, context)
            guarded.add(path)
    routes = [*ROUTES]  # `web.unmatched` responds to the others
    for path, views in paths.items():
        rule = path.replace("{", "<").replace("}", ">")
        for method, view in views.items():
            endpoint = f"{method} {path.removeprefix(CONTROL_PREFIX)}"
            routes.append((rule, endpoint, method))
            app.view_functions[endpoint] = view
        # The other methods of these paths are those of a session or scenario of this name.
        if path.removeprefix(CONTROL_PREFIX) not in ("/sessions/reset", "/scenarios/check"):
            other = f"{path}: other methods"
            routes.append((rule, other, ""))
            rejects = context if path in guarded else None
            app.view_functions[other] = partial(_other_method, tuple(views), rejects)
    return map_of((*routes,))


def _open(call: Call[Any], context: ControlContext, request: Request) -> Response | Steps:
    """Call a view that needs no permission."""
    control = ControlRequest(call, context, request)
    control.query = read_query(request, call.parameters, context.contracts)
    return VIEWS[call](control)


def _docs(context: ControlContext, request: Request, *, has_panel: bool) -> Response:
    """Return the reference page of the contract that the query names."""
    contracts = context.contracts
    query = read_query(request, "contract", contracts, ignores_others=True)
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


async def _guarded(
    call: Call[Any], context: ControlContext, request: Request, **_: str
) -> Response:
    """Call a view if the caller may use the control API."""
    request.max_content_length = FIXTURE_BYTES  # a list of records is longer than a usual body
    await check_caller(request, context, is_yaml=call.body == calls.SCENARIO_FILE)
    check_headers(request)
    return await run(call, context, request)


async def run(
    call: Call[Any], context: ControlContext, request: Request, respond: View | None = None
) -> Response:
    """Call a view, by default that of a call, for a request that may use the control API."""
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
        response = (respond or VIEWS[call])(control)
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


@responds_to(calls.HEALTH)
def health(call: ControlRequest) -> JsonResponse[types.Health]:
    """Report that the server is alive."""
    bases = [each.base for each in call.contracts.all]
    return json_response(
        {"status": "ok", "version": FULL_VERSION, "protocol": PROTOCOL, "bases": bases}
    )


@responds_to(calls.READY)
def ready(call: ControlRequest) -> JsonResponse[types.Health]:
    """Report that the server accepts requests and is not shutting down."""
    server = call.request.incoming.server
    seconds = server.stops_in() if server else None
    if seconds is not None:
        message = f"the server stops in {seconds:.0f} s; send new requests to another one"
        raise RequestError("stopping", message)
    return health(call)


@responds_to(calls.OPENAPI)
def openapi(call: ControlRequest) -> JsonResponse[dict[str, Any]]:
    """Return a contract as OpenAPI 3.1, with the base path of the request's session."""
    contract = call.contracts.labelled(call.query.get("contract", ""))
    return _document(call.request, contract.document)


@responds_to(calls.CONTRACT)
async def contract(call: ControlRequest) -> JsonResponse[types.ContractList]:
    """Describe what each operation of the contracts does, and which rule determined it."""
    # Here, since it would slow down the start.
    from mockpets.contract.contract_description import description

    def descriptions() -> types.ContractList:
        return {"contracts": [*map(description, call.contracts.all)]}

    described = await run_job(call.request, descriptions, "describing the contracts")
    return json_response(described)


@responds_to(calls.CONTROL_OPENAPI)
def control_openapi(call: ControlRequest) -> JsonResponse[dict[str, Any]]:
    """Return the control API as OpenAPI 3.1, with the base path of the request's session."""
    return _document(call.request, control_document(call.query.get("tag"), call.contracts))


@lru_cache(16)  # contracts change when a document is saved
def control_document(tag: str | None = None, contracts: Contracts = BUILT_IN) -> Mapping[str, Any]:
    """Return the control API as an OpenAPI 3.1 document; do not modify it.

    :param tag: for only the calls with this tag: one of `TAGS`.
    """
    # Imported here, since the types of all calls would slow down the start.
    from mockpets.web.control.control_document import document_of

    return document_of(tag, contracts)


def _document(request: Request, document: Mapping[str, Any]) -> JsonResponse[dict[str, Any]]:
    """Return an OpenAPI document whose servers have the base path of the request's session."""
    root = request.root_path
    servers = [{**server, "url": root + server["url"]} for server in document["servers"]]
    return json_response({**document, "servers": servers})


@responds_to(calls.SCENARIO_SCHEMA)
def scenario_schema(call: ControlRequest) -> JsonResponse[dict[str, Any]]:
    """Return the JSON Schema of scenario files, for editors."""
    from mockpets.scenario.language import loader

    return json_response(loader.scenario_schema(call.contracts))


@responds_to(calls.METRICS)
async def metrics(call: ControlRequest) -> Response:
    """Return the metrics in the text format of Prometheus."""
    metrics, server = call.context.metrics, call.request.incoming.server
    if not metrics.is_prepared:
        await run_job(call.request, metrics.prepare, "loading the metrics library")
    counts: ServerCounts = {"parked_answers": 0} if server is None else server.counts()
    body, content_type = metrics.exposition(counts)
    return Response(body, content_type=content_type)


@responds_to(calls.MCP)
async def mcp(call: ControlRequest) -> Response:
    """Handle a message of the Model Context Protocol (MCP), which coding agents use."""
    # Here, since it would slow down the start.
    from mockpets.web.control.mcp_endpoint import respond

    async def run_inside(inner: Call[Any], request: Request, own: View | None) -> Response:
        return await run(inner, call.context, request, own)

    return await respond(call, run_inside)
