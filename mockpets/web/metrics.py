"""The metrics as a response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.errors import NotReady
from mockpets.web.exchange import Response, current_request
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from mockpets.telemetry.metrics import Metrics


def metrics_response(metrics: Metrics) -> Response:
    """Return the metrics for Prometheus; raise `NotReady` if its library must be imported first."""
    if not metrics.is_prepared and SERVER in current_request().environ:
        raise NotReady(metrics.prepare, "loading the metrics library")
    body, content_type = metrics.exposition()
    return Response(body, content_type=content_type)
