"""The control API, under ``/__mockpets/``: its routes, and what is active.

Each call is made through `_guarded`, which checks who calls and finds the session; the rest of the
calls are in the modules beside this one.
"""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

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
from mockpets.errors import InputError, NotReady, RequestError
from mockpets.scenario.language.loader import scenario_schema
from mockpets.web import pages
from mockpets.web.control import journal, pets, sessions
from mockpets.web.control.access import check_caller
from mockpets.web.control.call import ControlRequest, json_response, rejected
from mockpets.web.exchange import Response, current_request
from mockpets.web.session_selector import named_session
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import flask

    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlContext
    from mockpets.web.exchange import Request

    View = Callable[..., Response]
    Act = Callable[[ControlRequest], Response]


def add_routes(app: flask.Flask, context: ControlContext) -> None:
    """Give the app the control API; of one that is off, what holds no secret and needs no rest."""
    is_on = context.settings.control != "off"
    for path, view in (
        # `create_app` returns only what can answer, so alive and ready are the same.
        (HEALTH_PATH, health),
        (READY_PATH, health),
        (OPENAPI_PATH, openapi),
        (SCENARIO_SCHEMA_PATH, schema),
        (PANEL_FILE_PATH, pages.panel_file),
        (DOCS_PATH, partial(pages.docs, has_panel=is_on)),
    ):
        _add_path(app, path, {"GET": view})
    if not is_on:
        return  # `api.beyond` says so, whatever the path and the method
    for path, view in ((CONTROL_PREFIX, pages.to_panel), (PANEL_PATH, pages.panel)):
        _add_path(app, path, {"GET": view})
    for path, acts in _CALLS.items():
        views = {method: partial(_guarded, context, act) for method, act in acts.items()}
        _add_path(app, path, views)


def _add_path(app: flask.Flask, path: str, views: Mapping[str, View]) -> None:
    """Give the app one path of the control API, and an answer for the methods it does not have."""
    rule = path.replace("{", "<").replace("}", ">")
    for method, view in views.items():
        endpoint = f"{method} {path}"
        app.add_url_rule(rule, endpoint, view, methods=[method], provide_automatic_options=False)
    endpoint = f"{path}: other methods"
    app.url_map.add(Rule(rule, endpoint=endpoint))  # without methods: any other
    app.view_functions[endpoint] = partial(_other_method, tuple(views))


def _guarded(context: ControlContext, act: Act, **_: str) -> Response:
    """Answer a call whose caller may.

    :raise RequestError: what the guard, the selection or the call refuses.
    """
    request = current_request()
    request.max_content_length = FIXTURE_BYTES  # a list of pets is longer than any request's body
    check_caller(request, context.settings, context.token, context.token_attempts)
    session = _session(request, context.sessions)
    try:
        return act(ControlRequest(request, context, session))
    except InputError as error:
        raise rejected(error) from error


def _session(request: Request, sessions: SessionRegistry) -> Session:
    """Return the session that a call is about; one that is only looked at is not kept.

    :raise RequestError: ``invalid_session``, or ``busy`` when there are as many as may be.
    """
    name = named_session(request.environ) or DEFAULT_SESSION
    looks = request.method in ("GET", "HEAD")
    return sessions.look(name) if looks else sessions.take(name)


def _other_method(methods: tuple[str, ...], **_: str) -> Response:
    """Answer a method that a path of the control API does not have.

    :param methods: those it has.
    :raise RequestError: ``method_not_allowed``.
    """
    request = current_request()
    names = ", ".join([*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"])
    if request.method == "OPTIONS":
        empty = Response(status=204, headers={"Allow": names})
        del empty.headers["Content-Type"]
        return empty
    what = f"{request.method[:40]} is not allowed on {request.path[:80]}; allowed: {names}"
    raise RequestError("method_not_allowed", what, [("Allow", names)])


# --- What holds no secret ---------------------------------------------------------------------


def health() -> Response:
    """Say that the server is alive."""
    return json_response({"status": "ok", "version": version("mockpets")})


def openapi() -> Response:
    """Return the contract as OpenAPI 3.1."""
    return json_response(document())


def schema() -> Response:
    """Return the JSON Schema of scenario files, which shipped files name for editors."""
    return json_response(scenario_schema())


# --- What is held -----------------------------------------------------------------------------


def gates(call: ControlRequest) -> Response:
    """Tell how many answers are held behind each gate."""
    return json_response({"gates": call.session.gates.waiting()})


def open_gate(call: ControlRequest) -> Response:
    """Let go the answers that are held behind a gate now, and tell what is held elsewhere."""
    gates = call.session.gates
    return json_response({"released": gates.open(call.name), "gates": gates.waiting()})


# --- What is counted --------------------------------------------------------------------------


def metrics(call: ControlRequest) -> Response:
    """Return what is counted, as Prometheus reads it.

    :raise NotReady: the library for that has to be imported first.
    """
    counted = call.context.metrics
    if not counted.is_prepared and SERVER in call.request.environ:
        raise NotReady(counted.prepare)
    body, content_type = counted.exposition()
    return Response(body, content_type=content_type)


_CALLS: Mapping[str, Mapping[str, Act]] = {
    STATE_PATH: {"GET": sessions.state},
    SCENARIOS_PATH: {"GET": sessions.scenarios},
    ONE_SCENARIO_PATH: {"GET": sessions.one_scenario},
    SCENARIO_PATH: {"PUT": sessions.activate},
    RESET_PATH: {"POST": sessions.reset},
    SESSIONS_PATH: {"GET": sessions.sessions},
    SESSION_PATH: {
        "GET": sessions.one_session,
        "PUT": sessions.put_session,
        "DELETE": sessions.drop_session,
    },
    CONTROL_PETS_PATH: {"GET": pets.pets, "PUT": pets.put_pets},
    CONTROL_PET_PATH: {"PATCH": pets.change_pet, "DELETE": pets.delete_pet},
    SNAPSHOTS_PATH: {"GET": pets.snapshots},
    SNAPSHOT_PATH: {
        "GET": pets.one_snapshot,
        "PUT": pets.put_snapshot,
        "DELETE": pets.drop_snapshot,
    },
    RESTORE_PATH: {"POST": pets.restore},
    REQUESTS_PATH: {"GET": journal.requests, "DELETE": journal.clear},
    REQUEST_PATH: {"GET": journal.one_request},
    HAR_PATH: {"GET": journal.har},
    VERIFY_PATH: {"POST": journal.verify},
    EVENTS_PATH: {"GET": journal.events},
    GATES_PATH: {"GET": gates},
    GATE_PATH: {"POST": open_gate},
    METRICS_PATH: {"GET": metrics},
}
"""Path to method to what is done."""
