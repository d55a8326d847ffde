"""The control API, under ``/__mockpets/``: so far what holds no secret and changes nothing."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from flask import render_template
from werkzeug.routing import Rule

from mockpets.constants import (
    API_PREFIX,
    DEPRECATION,
    DOCS_PATH,
    HEALTH_PATH,
    OPENAPI_PATH,
    READY_PATH,
    SCENARIO_SCHEMA_PATH,
    SUNSET,
)
from mockpets.contract import dump_json
from mockpets.errors import Refusal
from mockpets.scenario.loader import scenario_schema
from mockpets.web.messages import Response, current_request
from mockpets.web.openapi import document

if TYPE_CHECKING:
    import flask

__all__ = ["add_routes"]


def add_routes(app: flask.Flask) -> None:
    """Give the app the control API."""
    # `create_app` returns only what can answer, so alive and ready are the same.
    views = {
        HEALTH_PATH: health,
        READY_PATH: health,
        OPENAPI_PATH: openapi,
        SCENARIO_SCHEMA_PATH: schema,
        DOCS_PATH: docs,
    }
    for path, view in views.items():
        app.add_url_rule(path, path, view, methods=["GET"], provide_automatic_options=False)
        app.url_map.add(Rule(path, endpoint="other_method"))  # without methods: any other
    app.view_functions["other_method"] = other_method


def other_method() -> Response:
    """Answer a method that a path of the control API does not have.

    :raise Refusal: ``method_not_allowed``.
    """
    request = current_request()
    allow = [("Allow", "GET, HEAD, OPTIONS")]
    if request.method == "OPTIONS":
        answer = Response(status=204, headers=allow)
        del answer.headers["Content-Type"]
        return answer
    what = f"{request.method[:40]} is not allowed on {request.path}; allowed: {allow[0][1]}"
    raise Refusal("method_not_allowed", what, allow)


def health() -> Response:
    """Say that the server is alive."""
    return Response(dump_json({"status": "ok", "version": version("mockpets")}) + b"\n")


def openapi() -> Response:
    """Return the contract as OpenAPI 3.1."""
    return Response(dump_json(document()) + b"\n")


def schema() -> Response:
    """Return the JSON Schema of scenario files, which shipped files name for editors."""
    return Response(dump_json(scenario_schema()) + b"\n")


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
