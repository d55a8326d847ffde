"""The routes of the control API, under ``/__mockpets/``.

`_CALLS` declares every call that reads or changes a session. `_guarded` checks its caller, headers
and query, and finds the session. Most views are in the modules beside this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from werkzeug.routing import Rule

from mockpets.constants import (
    CONTROL_PET_PATH,
    CONTROL_PETS_PATH,
    CONTROL_PREFIX,
    DEFAULT_SESSION,
    DOCS_PATH,
    EVENTS_PATH,
    FIXTURE_BYTES,
    GATE_PATH,
    GATES_PATH,
    HAR_PATH,
    HEALTH_PATH,
    METRICS_PATH,
    ONE_SCENARIO_PATH,
    OPENAPI_PATH,
    PANEL_FILE_PATH,
    PANEL_PATH,
    READY_PATH,
    REQUEST_PATH,
    REQUESTS_PATH,
    RESET_PATH,
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
)
from mockpets.contract.openapi import document
from mockpets.contract.schemas import FILTERS
from mockpets.errors import InputError, NotReady, RequestError
from mockpets.journal import queries
from mockpets.scenario.language.loader import scenario_schema
from mockpets.web import pages
from mockpets.web.control import journal, pets, sessions
from mockpets.web.control.access import check_caller, record_preflight
from mockpets.web.control.call import (
    ControlRequest,
    invalid_body,
    json_response,
    query_parameters,
)
from mockpets.web.exchange import Response, current_request
from mockpets.web.session_selector import check_headers, named_session
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import flask

    from mockpets.contract.control_types import GateCounts, Health, OpenedGate
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlContext, JsonResponse
    from mockpets.web.exchange import Request

    View = Callable[..., Response]
    ControlView = Callable[[ControlRequest], Response]


@dataclass(frozen=True)
class Call:
    """A call of the control API: one method of one path.

    :param view: responds to it.
    :param parameters: the query parameters that it accepts; None if it ignores any.
    :param session: what it does with the session that the request names: ``changes`` creates a
        missing one and opens a closed name, ``reads`` does not, ``none`` is about the server or
        about a session in the path.
    """

    view: ControlView
    parameters: tuple[str, ...] | None = ()
    session: Literal["changes", "reads", "none"] = "reads"


def add_routes(app: flask.Flask, context: ControlContext) -> None:
    """Add the control API to the app; if it is off, only the routes that hold no secret."""
    is_on = context.settings.control != "off"
    for path, view in (
        # `create_app` returns an app that can respond, so alive and ready are the same.
        (HEALTH_PATH, health),
        (READY_PATH, health),
        (OPENAPI_PATH, partial(_without_parameters, openapi)),
        (SCENARIO_SCHEMA_PATH, partial(_without_parameters, schema)),
        (PANEL_FILE_PATH, pages.panel_file),
        (DOCS_PATH, partial(pages.docs, has_panel=is_on)),
    ):
        _add_path(app, path, {"GET": view})
    if not is_on:
        return  # `web.unmatched` responds to all other paths and methods
    for path, page in ((CONTROL_PREFIX, pages.to_panel), (PANEL_PATH, pages.panel)):
        _add_path(app, path, {"GET": page})
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
    endpoint = f"{path}: other methods"
    app.url_map.add(Rule(rule, endpoint=endpoint))  # without methods: any other
    app.view_functions[endpoint] = partial(_other_method, tuple(views), on_options)


def _without_parameters(view: View) -> Response:
    """Call a view that accepts no query parameters.

    :raise RequestError: ``invalid_request``.
    """
    query_parameters(current_request(), ())
    return view()


def _guarded(call: Call, context: ControlContext, **_: str) -> Response:
    """Call a view if the caller may use the control API.

    :raise RequestError: the caller, the session or the request is rejected.
    """
    request = current_request()
    request.max_content_length = FIXTURE_BYTES  # a list of pets is longer than any request's body
    check_caller(request, context)
    check_headers(request.environ)
    query = {} if call.parameters is None else query_parameters(request, call.parameters)
    session = _session(call, request, context.sessions)
    try:
        return call.view(ControlRequest(request, context, session, query))
    except InputError as error:
        raise invalid_body(error) from error


def _session(call: Call, request: Request, sessions: SessionRegistry) -> Session:
    """Return the session that a request names; only a call that changes it creates it.

    :raise RequestError: ``invalid_session``, ``busy`` when there are too many sessions, or
        ``session_dropped`` for reading one whose name is closed.
    """
    name = named_session(request.environ) or DEFAULT_SESSION
    if call.session == "changes":
        return sessions.get_or_create(name, reopen=True)
    if call.session == "reads":
        sessions.closed_names.check(name)
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
        empty = Response(status=204, headers={"Allow": names})
        del empty.headers["Content-Type"]
        return empty
    message = f"{request.method[:40]} is not allowed on {request.path[:80]}; allowed: {names}"
    raise RequestError("method_not_allowed", message, [("Allow", names)])


# --- Without a secret -------------------------------------------------------------------------


def health() -> JsonResponse[Health]:
    """Report that the server is alive."""
    return json_response({"status": "ok", "version": version("mockpets")})


def openapi() -> JsonResponse[Mapping[str, Any]]:
    """Return the contract as OpenAPI 3.1, with the base path of the request's session."""
    here = document()
    root = current_request().root_path
    servers = [{**server, "url": root + server["url"]} for server in here["servers"]]
    return json_response({**here, "servers": servers})


def schema() -> JsonResponse[Mapping[str, Any]]:
    """Return the JSON Schema of scenario files, which the shipped files name for editors."""
    return json_response(scenario_schema())


# --- Gates ------------------------------------------------------------------------------------


def gates(call: ControlRequest) -> JsonResponse[GateCounts]:
    """Return how many responses are held at each gate."""
    return json_response({"gates": call.session.gates.waiting()})


def open_gate(call: ControlRequest) -> JsonResponse[OpenedGate]:
    """Release the responses held at a gate, and return how many are held at the others."""
    gates = call.session.gates
    return json_response({"released": gates.open(call.name), "gates": gates.waiting()})


# --- Metrics ----------------------------------------------------------------------------------


def metrics(call: ControlRequest) -> Response:
    """Return the metrics in the text format of Prometheus.

    :raise NotReady: the Prometheus library must be imported first.
    """
    metrics = call.context.metrics
    if not metrics.is_prepared and SERVER in call.request.environ:
        raise NotReady(metrics.prepare)
    body, content_type = metrics.exposition()
    return Response(body, content_type=content_type)


_CALLS: Mapping[str, Mapping[str, Call]] = {
    STATE_PATH: {"GET": Call(sessions.state)},
    SCENARIOS_PATH: {"GET": Call(sessions.scenarios)},
    ONE_SCENARIO_PATH: {"GET": Call(sessions.one_scenario)},
    SCENARIO_PATH: {"PUT": Call(sessions.activate, session="changes")},
    RESET_PATH: {"POST": Call(sessions.reset, session="changes")},
    SESSIONS_PATH: {"GET": Call(sessions.sessions, session="none")},
    SESSION_PATH: {
        "GET": Call(sessions.one_session, session="none"),
        "PUT": Call(sessions.put_session, session="none"),
        "DELETE": Call(sessions.drop_session, ("closed",), session="none"),
    },
    CONTROL_PETS_PATH: {
        "GET": Call(pets.pets, (*FILTERS, "after", "limit")),
        "PUT": Call(pets.put_pets, session="changes"),
    },
    CONTROL_PET_PATH: {
        "PATCH": Call(pets.change_pet, session="changes"),
        "DELETE": Call(pets.delete_pet, session="changes"),
    },
    SNAPSHOTS_PATH: {"GET": Call(pets.snapshots)},
    SNAPSHOT_PATH: {
        "GET": Call(pets.one_snapshot),
        "PUT": Call(pets.put_snapshot, session="changes"),
        "DELETE": Call(pets.drop_snapshot, session="changes"),
    },
    RESTORE_PATH: {"POST": Call(pets.restore, session="changes")},
    REQUESTS_PATH: {
        "GET": Call(journal.requests, queries.FILTERS),
        "DELETE": Call(journal.clear, session="changes"),
    },
    REQUEST_PATH: {"GET": Call(journal.one_request)},
    HAR_PATH: {"GET": Call(journal.har, queries.FILTERS)},
    VERIFY_PATH: {"POST": Call(journal.verify)},
    EVENTS_PATH: {"GET": Call(journal.events, ("since", "wait"))},
    GATES_PATH: {"GET": Call(gates)},
    GATE_PATH: {"POST": Call(open_gate, session="changes")},
    METRICS_PATH: {"GET": Call(metrics, None, session="none")},
}
"""The calls by path and method."""
