"""The control API, under ``/__mockpets/``."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from flask import render_template
from werkzeug.routing import Rule

from mockpets.constants import (
    API_PREFIX,
    DEPRECATION,
    DOCS_PATH,
    GATE_PATH,
    GATES_PATH,
    HEALTH_PATH,
    OPENAPI_PATH,
    READY_PATH,
    RESET_PATH,
    SCENARIO_PATH,
    SCENARIO_SCHEMA_PATH,
    SCENARIOS_PATH,
    SUNSET,
)
from mockpets.errors import Refusal
from mockpets.json_text import dump_json, parse_json
from mockpets.scenario.loader import scenario_schema
from mockpets.web.guard import check_caller
from mockpets.web.messages import Response, current_request
from mockpets.web.openapi import document
from mockpets.web.selection import checked

if TYPE_CHECKING:
    from collections.abc import Callable

    import flask

    from mockpets.scenario.library import Library
    from mockpets.session import Session
    from mockpets.web.messages import Request

    View = Callable[..., Response]

__all__ = ["add_routes"]


def add_routes(app: flask.Flask, session: Session, library: Callable[[], Library]) -> None:
    """Give the app the control API.

    :param session: the one there is.
    :param library: returns the scenarios as they are now.
    """
    views: dict[str, tuple[str, View]] = {
        # `create_app` returns only what can answer, so alive and ready are the same.
        HEALTH_PATH: ("GET", health),
        READY_PATH: ("GET", health),
        OPENAPI_PATH: ("GET", openapi),
        SCENARIO_SCHEMA_PATH: ("GET", schema),
        DOCS_PATH: ("GET", docs),
        SCENARIOS_PATH: ("GET", _guarded(partial(scenarios, session, library))),
        SCENARIO_PATH: ("PUT", _guarded(partial(activate, session))),
        RESET_PATH: ("POST", _guarded(partial(reset, session))),
        GATES_PATH: ("GET", _guarded(partial(gates, session))),
        GATE_PATH.replace("{name}", "<name>"): ("POST", _guarded(partial(open_gate, session))),
    }
    for path, (method, view) in views.items():
        app.add_url_rule(path, path, view, methods=[method], provide_automatic_options=False)
        endpoint = f"{path}: other methods"
        app.url_map.add(Rule(path, endpoint=endpoint))  # without methods: any other
        app.view_functions[endpoint] = partial(other_method, method)


def _guarded(view: Callable[[Request], Response]) -> View:
    """Return a view that checks the caller first."""

    def answer(**_: str) -> Response:
        request = current_request()
        check_caller(request)
        return view(request)

    return answer


def other_method(method: str, **_: str) -> Response:
    """Answer a method that a path of the control API does not have.

    :param method: the one it has.
    :raise Refusal: ``method_not_allowed``.
    """
    request = current_request()
    names = "GET, HEAD, OPTIONS" if method == "GET" else f"{method}, OPTIONS"
    if request.method == "OPTIONS":
        answer = Response(status=204, headers={"Allow": names})
        del answer.headers["Content-Type"]
        return answer
    what = f"{request.method[:40]} is not allowed on {request.path}; allowed: {names}"
    raise Refusal("method_not_allowed", what, [("Allow", names)])


# --- What is active, and the start ------------------------------------------------------------


def scenarios(session: Session, library: Callable[[], Library], _: Request) -> Response:
    """List the scenarios, which are active, and what is wrong with files."""
    known = library()
    names = sorted({*known.scenarios, *known.problems})
    rows = [
        {
            "name": name,
            "description": known.scenarios[name].description if name in known.scenarios else None,
            "source": known.sources[name].shown,
            "problems": [str(problem) for problem in known.problems.get(name, ())],
        }
        for name in names
    ]
    return _json({"active": list(session.active), "scenarios": rows})


def activate(session: Session, request: Request) -> Response:
    """Have other scenarios active from now on; their counters begin anew.

    :raise Refusal: ``invalid_request`` for a body that names none, or ``unknown_scenario``.
    """
    body = parse_json(request.get_data())
    named = body.get("scenario") if isinstance(body, dict) else None
    names = [named] if isinstance(named, str) else named
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        what = 'the body must be {"scenario": NAME} or {"scenario": [NAME, ...]}'
        raise Refusal("invalid_request", what)
    session.activate(checked(names, "scenario"))
    return _json({"active": list(session.active)})


def reset(session: Session, _: Request) -> Response:
    """Go back to the start: pets, counters and chance; active scenarios stay."""
    session.reset()
    return _json({"active": list(session.active)})


def gates(session: Session, _: Request) -> Response:
    """Tell how many answers are held behind each gate."""
    return _json({"gates": session.gates.waiting()})


def open_gate(session: Session, request: Request) -> Response:
    """Let go the answers that are held behind a gate now; 0 when there is none."""
    name: str = (request.view_args or {})["name"]
    return _json({"released": session.gates.open(name)})


# --- What holds no secret ---------------------------------------------------------------------


def health() -> Response:
    """Say that the server is alive."""
    return _json({"status": "ok", "version": version("mockpets")})


def openapi() -> Response:
    """Return the contract as OpenAPI 3.1."""
    return _json(document())


def schema() -> Response:
    """Return the JSON Schema of scenario files, which shipped files name for editors."""
    return _json(scenario_schema())


def docs() -> Response:
    """Return the contract as a page; where the deprecated operation's `Link` leads."""
    contract = document()
    page = render_template(
        "docs.html",
        info=contract["info"],
        paths=contract["paths"],
        schemas=contract["components"]["schemas"],
        prefix=API_PREFIX,
        deprecation=DEPRECATION,
        sunset=SUNSET,
    )
    # Nothing but the page's own style may load or run.
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
    return Response(page, headers=headers, content_type="text/html; charset=utf-8")


def _json(value: object) -> Response:
    return Response(dump_json(value) + b"\n")
