"""The routes of the control API, under ``/__mockpets/``.

`_CALLS` declares every call that reads or changes a session. `_guarded` checks its caller, headers
and query, and finds the session. Most views are in the modules beside this one, and `openapi`
describes the calls.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from werkzeug.routing import Rule

from mockpets.constants import (
    CONTROL_OPENAPI_PATH,
    CONTROL_PET_PATH,
    CONTROL_PETS_PATH,
    CONTROL_PREFIX,
    COVERAGE_PATH,
    DEFAULT_SESSION,
    DOCS_PATH,
    EVENTS_PATH,
    EXPLAIN_PATH,
    EXPLAINED_REQUEST_PATH,
    FIXTURE_BYTES,
    GATE_PATH,
    GATE_WAIT_PATH,
    GATES_PATH,
    HAR_PATH,
    HEALTH_PATH,
    METRICS_PATH,
    ONE_SCENARIO_PATH,
    OPENAPI_PATH,
    PANEL_FILE_PATH,
    PANEL_PATH,
    PROTOCOL,
    READY_PATH,
    REQUEST_PATH,
    REQUESTS_PATH,
    RESET_PATH,
    RESET_SESSIONS_PATH,
    RESTORE_PATH,
    SCENARIO_PATH,
    SCENARIO_SCHEMA_PATH,
    SCENARIOS_PATH,
    SESSION_PATH,
    SESSIONS_PATH,
    SNAPSHOT_PATH,
    SNAPSHOTS_PATH,
    STATE_PATH,
    VERIFY_PATH,
    VISITOR_RESET_PATH,
)
from mockpets.contract.openapi import document
from mockpets.errors import InputError, NotReady, RequestError
from mockpets.journal import queries
from mockpets.kit import files_of
from mockpets.strict_json import dump_json
from mockpets.version import FULL_VERSION
from mockpets.web import pages
from mockpets.web.control import coverage, explain, gates, journal, pets, sessions
from mockpets.web.control.access import check_caller, record_preflight
from mockpets.web.control.call import (
    Call,
    ControlRequest,
    JsonResponse,
    invalid_body,
    json_response,
    query_parameters,
)
from mockpets.web.exchange import Response, current_request
from mockpets.web.metrics import metrics_response
from mockpets.web.session_selector import check_headers, named_session, session_required
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import flask

    from mockpets.contract.control_types import Health
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlContext
    from mockpets.web.exchange import Request
    from mockpets.wsgi_extension import Server

    View = Callable[..., Response]


def add_routes(app: flask.Flask, context: ControlContext) -> None:
    """Add the control API to the app; if it is off, only the routes that hold no secret."""
    is_on = context.settings.control != "off"
    for path, calls in _OPEN_CALLS.items():
        _add_path(app, path, {method: partial(_open, call) for method, call in calls.items()})
    _add_path(app, PANEL_FILE_PATH, {"GET": pages.panel_file})
    _add_path(app, DOCS_PATH, {"GET": partial(pages.docs, has_panel=is_on)})
    if context.visitors is not None:
        for path, calls in _VISITOR_CALLS.items():
            views = {
                method: partial(call.view, context, context.visitors)
                for method, call in calls.items()
            }
            _add_path(app, path, views)
    if not is_on:
        return  # `web.unmatched` responds to all other paths and methods
    for path, page in ((CONTROL_PREFIX, pages.to_panel), (PANEL_PATH, pages.panel)):
        _add_path(app, path, {"GET": page})
    for name in files_of():
        kit_file = partial(pages.kit_file, name, context.sessions.shared.library)
        _add_path(app, f"{CONTROL_PREFIX}/{name}", {"GET": kit_file})
    for path, calls in _CALLS.items():
        guarded = {method: partial(_guarded, call, context) for method, call in calls.items()}
        _add_path(app, path, guarded, partial(record_preflight, context=context))


def _add_path(
    app: flask.Flask,
    path: str,
    views: Mapping[str, View],
    on_options: Callable[[Request], None] | None = None,
) -> None:
    """Add one path of the control API, with a 405 response for its other methods.

    :param on_options: called with each OPTIONS request.
    """
    rule = path.replace("{", "<").replace("}", ">")
    for method, view in views.items():
        endpoint = f"{method} {path}"
        app.add_url_rule(rule, endpoint, view, methods=[method], provide_automatic_options=False)
    if path == RESET_SESSIONS_PATH:
        return  # with its other methods, it is the path of a session with the name `reset`
    endpoint = f"{path}: other methods"
    app.url_map.add(Rule(rule, endpoint=endpoint))  # without methods: any other
    app.view_functions[endpoint] = partial(_other_method, tuple(views), on_options)


def _open(call: Call) -> Response:
    """Call a view that anyone may call.

    :raise RequestError: ``invalid_request`` for an unknown query parameter.
    """
    if call.parameters is not None:
        query_parameters(current_request(), call.parameters)
    return call.view()


def _guarded(call: Call, context: ControlContext, **_: str) -> Response:
    """Call a view if the caller may use the control API.

    :raise RequestError: the caller, the session or the request is rejected.
    """
    request = current_request()
    request.max_content_length = FIXTURE_BYTES  # a list of pets is longer than any request's body
    check_caller(request, context)
    check_headers(request.environ)
    query = {} if call.parameters is None else query_parameters(request, call.parameters)
    sessions = context.sessions
    name = named_session(request.environ)
    if name is None:
        if sessions.declared and call.session == "changes":
            raise session_required()
        name = DEFAULT_SESSION
    request.exchange.name = name
    is_new = call.session == "changes" and sessions.find(name) is None
    closed = sessions.closed_names.seconds(name)
    session = _session(call, name, sessions)
    try:
        return call.view(ControlRequest(request, context, session, query))
    except (InputError, RequestError, NotReady) as error:
        if is_new:  # a call that fails changes nothing; after a job, the view is called again
            sessions.drop(name, closed)
        raise invalid_body(error) if isinstance(error, InputError) else error from error
    finally:
        request.exchange.session = sessions.get(name)  # for the headers that name it


def _session(call: Call, name: str, sessions: SessionRegistry) -> Session:
    """Return a session by name; only a call that changes it creates it.

    :raise RequestError: ``busy`` when there are too many sessions, ``session_dropped`` for reading
        one whose name is closed, or ``unknown_session``.
    """
    if call.session == "changes":
        return sessions.get_or_create(name, reopen=True)
    if call.session == "none":
        return sessions.default  # its view uses none, and the header is only for a load balancer
    if sessions.find(name) is None:
        sessions.closed_names.check(name)
        sessions.check_declared(name)
    return sessions.peek(name)


def _other_method(
    methods: tuple[str, ...], on_options: Callable[[Request], None] | None, **_: str
) -> Response:
    """Respond to a method that a path of the control API does not support.

    :param methods: the supported ones.
    :param on_options: called with each OPTIONS request.
    :raise RequestError: ``method_not_allowed``.
    """
    request = current_request()
    names = ", ".join([*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"])
    if request.method == "OPTIONS":
        if on_options is not None:
            on_options(request)
        return Response(status=204, headers=[("Allow", names)])
    message = f"{request.method[:40]} is not allowed on {request.path[:80]}; allowed: {names}"
    raise RequestError("method_not_allowed", message, [("Allow", names)])


# --- Without a secret -------------------------------------------------------------------------


def health() -> JsonResponse[Health]:
    """Report that the server is alive."""
    return json_response({"status": "ok", "version": FULL_VERSION, "protocol": PROTOCOL})


def ready() -> JsonResponse[Health]:
    """Report that the server accepts requests, and will go on doing so.

    :raise RequestError: ``stopping``.
    """
    server: Server | None = current_request().environ.get(SERVER)
    seconds = server.stops_in() if server else None
    if seconds is not None:
        message = f"the server stops in {seconds:.0f} s; send new requests to another one"
        raise RequestError("stopping", message)
    return health()


def openapi() -> JsonResponse[Mapping[str, Any]]:
    """Return the contract as OpenAPI 3.1, with the base path of the request's session."""
    return _document(document)


def control_openapi() -> JsonResponse[Mapping[str, Any]]:
    """Return the control API as OpenAPI 3.1, with the base path of the request's session."""
    return _document(control_document)


@cache
def control_document() -> Mapping[str, Any]:
    """Return the control API as an OpenAPI 3.1 document; do not modify it."""
    # Imported here, since the types of all calls would slow down the start.
    from mockpets.web.control.openapi import document_of

    return document_of(_OPEN_CALLS, _CALLS, _VISITOR_CALLS)


def _document(make: Callable[[], Mapping[str, Any]]) -> JsonResponse[Mapping[str, Any]]:
    """Return an OpenAPI document whose servers have the base path of the request's session."""
    root = dump_json(current_request().root_path)[1:-1]
    return JsonResponse(root.join(_around_roots(make)))


@cache
def _around_roots(make: Callable[[], Mapping[str, Any]]) -> tuple[bytes, ...]:
    """Return an OpenAPI document as JSON, split where the root of each server belongs."""
    here, mark = make(), "{root}"
    servers = [{**server, "url": mark + server["url"]} for server in here["servers"]]
    return tuple((dump_json({**here, "servers": servers}) + b"\n").split(mark.encode()))


def schema() -> JsonResponse[Mapping[str, Any]]:
    """Return the JSON Schema of scenario files, which the shipped files name for editors."""
    return JsonResponse(_schema())


@cache
def _schema() -> bytes:
    from mockpets.scenario.language.loader import scenario_schema

    return dump_json(scenario_schema()) + b"\n"


# --- Metrics ----------------------------------------------------------------------------------


def metrics(call: ControlRequest) -> Response:
    """Return the metrics in the text format of Prometheus.

    :raise NotReady: the Prometheus library must be imported first.
    """
    return metrics_response(call.context.metrics)


_OPEN_CALLS: Final[Mapping[str, Mapping[str, Call]]] = {
    HEALTH_PATH: {"GET": Call("health", health, None, "none")},
    READY_PATH: {"GET": Call("ready", ready, None, "none", errors=("stopping",))},
    OPENAPI_PATH: {"GET": Call("openapi", openapi, session="none")},
    CONTROL_OPENAPI_PATH: {"GET": Call("controlOpenapi", control_openapi, session="none")},
    SCENARIO_SCHEMA_PATH: {"GET": Call("scenarioSchema", schema, session="none")},
}
"""The calls without secrets by path and method; anyone may make them."""

_VISITOR_CALLS: Final[Mapping[str, Mapping[str, Call]]] = {
    VISITOR_RESET_PATH: {
        "POST": Call(
            "resetVisitor",
            sessions.reset_visitor,
            errors=("invalid_session", "unknown_header", "rate_limited"),
        )
    },
}
"""The calls without secrets that exist only with ``--public``."""

_CALLS: Final[Mapping[str, Mapping[str, Call]]] = {
    STATE_PATH: {"GET": Call("state", sessions.state)},
    SCENARIOS_PATH: {"GET": Call("scenarios", sessions.scenarios)},
    ONE_SCENARIO_PATH: {"GET": Call("scenario", sessions.one_scenario, errors=("not_found",))},
    SCENARIO_PATH: {
        "PUT": Call(
            "use",
            sessions.activate,
            session="changes",
            body="ScenarioSelection",
            errors=("invalid_scenario", "unknown_scenario"),
        )
    },
    RESET_PATH: {"POST": Call("reset", sessions.reset, session="changes")},
    SESSIONS_PATH: {
        "GET": Call("sessions", sessions.sessions, session="none"),
        "DELETE": Call(
            "dropSessions", sessions.drop_sessions, sessions.DROP_PARAMETERS, session="none"
        ),
    },
    RESET_SESSIONS_PATH: {"POST": Call("resetSessions", sessions.reset_sessions, session="none")},
    SESSION_PATH: {
        "GET": Call("findSession", sessions.one_session, session="none", errors=("not_found",)),
        "PUT": Call(
            "makeSession",
            sessions.put_session,
            session="none",
            body="SessionContents",
            needs_body=False,
            creates=True,
            errors=("invalid_scenario", "unknown_scenario", "busy", "store_full"),
        ),
        "DELETE": Call(
            "dropSession",
            sessions.drop_session,
            sessions.DROP_PARAMETERS,
            session="none",
            errors=("not_found",),
        ),
    },
    CONTROL_PETS_PATH: {
        "GET": Call("pets", pets.pets, pets.PETS_PARAMETERS, errors=("unknown_scenario", "busy")),
        "PUT": Call(
            "setPets",
            pets.put_pets,
            session="changes",
            body="PetsSource",
            errors=("unknown_scenario", "store_full"),
        ),
        "POST": Call(
            "addPet",
            pets.add_pet,
            session="changes",
            body="NewPet",
            creates=True,
            errors=("unknown_scenario", "store_full"),
        ),
    },
    CONTROL_PET_PATH: {
        "PATCH": Call(
            "changePet",
            pets.change_pet,
            session="changes",
            body="PetChange",
            errors=("pet_not_found", "unknown_scenario", "store_full"),
        ),
        "DELETE": Call(
            "deletePet",
            pets.delete_pet,
            session="changes",
            errors=("pet_not_found", "unknown_scenario"),
        ),
    },
    SNAPSHOTS_PATH: {"GET": Call("snapshots", pets.snapshots)},
    SNAPSHOT_PATH: {
        "GET": Call("snapshotPets", pets.one_snapshot, errors=("not_found",)),
        "PUT": Call(
            "snapshot",
            pets.put_snapshot,
            session="changes",
            creates=True,
            errors=("unknown_scenario", "store_full"),
        ),
        "DELETE": Call(
            "dropSnapshot", pets.drop_snapshot, session="changes", errors=("not_found",)
        ),
    },
    RESTORE_PATH: {
        "POST": Call(
            "restore",
            pets.restore,
            session="changes",
            errors=("not_found", "unknown_scenario", "store_full"),
        )
    },
    REQUESTS_PATH: {
        "GET": Call("requests", journal.requests, queries.PARAMETERS),
        "DELETE": Call("clearRequests", journal.clear, session="changes"),
    },
    REQUEST_PATH: {"GET": Call("request", journal.one_request, errors=("not_found",))},
    EXPLAINED_REQUEST_PATH: {
        "GET": Call("explain", explain.explain_recorded, errors=("not_found",))
    },
    EXPLAIN_PATH: {
        "POST": Call("explainRequest", explain.explain_request, body="RequestToExplain"),
    },
    HAR_PATH: {"GET": Call("har", journal.har, queries.PARAMETERS)},
    VERIFY_PATH: {
        "POST": Call(
            "verify",
            journal.verify,
            body="Verification",
            errors=("verification_failed", "session_dropped", "busy"),
        )
    },
    EVENTS_PATH: {"GET": Call("events", journal.events, journal.EVENTS_PARAMETERS)},
    GATES_PATH: {"GET": Call("gates", gates.gates)},
    GATE_PATH: {"POST": Call("openGate", gates.open_gate, session="changes")},
    GATE_WAIT_PATH: {
        "POST": Call(
            "waitForGate",
            gates.wait_for_gate,
            body="GateWait",
            needs_body=False,
            errors=("not_held", "busy"),
        )
    },
    COVERAGE_PATH: {
        "GET": Call("coverage", coverage.coverage, session="none"),
        "DELETE": Call("clearCoverage", coverage.clear, session="none"),
    },
    METRICS_PATH: {"GET": Call("metrics", metrics, None, session="none")},
}
"""The other calls by path and method."""
GUARDED: Final = frozenset(f"{method} {path}" for path, calls in _CALLS.items() for method in calls)
"""Their endpoints."""
