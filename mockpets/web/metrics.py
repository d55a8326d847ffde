"""The metrics as a response, and the app that serves nothing else, for ``--metrics-port``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.constants import COMMON_HEADERS, METRICS_PORT_PATH, NODE_HEADER
from mockpets.errors import NotReady, RequestError
from mockpets.web.error_handlers import add_error_handlers
from mockpets.web.exchange import Response, current_request
from mockpets.web.flask_app import App, Route
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

    app = App(lambda _, response: response.carry(headers))

    def view(**_: str) -> Response:
        request = current_request()  # its root path: this port has no base paths of sessions
        if request.root_path or (request.method, request.path) not in _REQUESTS:
            message = f"this port has only the metrics; send GET {METRICS_PORT_PATH}"
            raise RequestError("not_found", message)
        return metrics_response(metrics)

    for rule in ("/", "/<path:_>"):
        app.url_map.add(Route(rule, endpoint="metrics"))  # without methods: any
    app.view_functions["metrics"] = view
    add_error_handlers(app)
    return app


_REQUESTS: Final = (("GET", METRICS_PORT_PATH), ("HEAD", METRICS_PORT_PATH))
