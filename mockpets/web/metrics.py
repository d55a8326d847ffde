"""The metrics as a response, and the app that serves nothing else, for ``--metrics-port``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from werkzeug.routing import Rule

from mockpets.constants import COMMON_HEADERS, METRICS_PORT_PATH, NODE_HEADER
from mockpets.errors import NotReady, RequestError
from mockpets.web.error_handlers import add_error_handlers
from mockpets.web.exchange import Response, current_request
from mockpets.web.flask_app import App
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from mockpets.settings import Settings
    from mockpets.telemetry.metrics import Metrics


def metrics_response(metrics: Metrics) -> Response:
    """Return the metrics for Prometheus; raise `NotReady` if its library must be imported first."""
    if not metrics.is_prepared and SERVER in current_request().environ:
        raise NotReady(metrics.prepare, "loading the metrics library")
    body, content_type = metrics.exposition()
    return Response(body, content_type=content_type)


def metrics_app(metrics: Metrics, settings: Settings) -> App:
    """Return the WSGI app that serves the metrics to any caller, without a token."""
    headers = [*COMMON_HEADERS, *([(NODE_HEADER, settings.name)] if settings.name else [])]

    def finish(response: Response) -> Response:
        response.carry(headers)
        return response

    app = App(finish)

    def view() -> Response:
        if current_request().root_path:  # the base path of a session, which this port does not have
            _other()
        return metrics_response(metrics)

    app.add_url_rule(
        METRICS_PORT_PATH, "metrics", view, methods=["GET"], provide_automatic_options=False
    )
    for rule in ("/", "/<path:_>"):  # without methods: any that the rule above has not
        app.url_map.add(Rule(rule, endpoint="other"))
    app.view_functions["other"] = _other
    add_error_handlers(app)
    return app


def _other(**_: str) -> NoReturn:
    """Reject a request for anything else."""
    message = f"this port has only the metrics; send GET {METRICS_PORT_PATH}"
    raise RequestError("not_found", message)
