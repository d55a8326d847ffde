"""The Prometheus metrics of a server.

`observe` runs for every request, so it only adds to plain numbers. `exposition` has
prometheus-client format them, together with what the app holds at that time. prometheus-client
is imported at the first exposition, since the import is slow; no other module imports it. Clients
cannot choose the value of a label.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import ERRORS, SERVER_LIMIT_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

    from mockpets.interface import ServerCounts

BUCKETS: Final = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5)
"""Upper bounds of the histogram in seconds; most responses take less than a millisecond."""

_OTHER: Final = "other"
"""The label of requests that match no operation of the contract."""


Holdings = dict[str, Any]
"""What an app and its server hold: numbers by the names in `_HELP`, and in ``rejected`` the
responses that the server made itself, by error code."""
_HELP: Final = {
    "parked_answers": "Responses that are currently delayed, throttled or held.",
    "parked_answers_limit": "Maximum number of these responses.",
    "sessions": "Sessions that exist.",
    "sessions_limit": "Maximum number of sessions (--max-sessions).",
    "records": "Records in the collections of all sessions.",
    "records_bytes": "Size of the records of all sessions in bytes, without those that sessions "
    "start with.",
    "records_limit_bytes": "Maximum of this size (a part of --memory).",
    "request_log_bytes": "Size of the request logs of all sessions in bytes.",
    "request_log_limit_bytes": "Maximum of this size (a part of --memory).",
    "request_log_dropped_total": "Requests dropped from request logs because their maximum size is "
    "reached.",
    "scenario_reloads_total": "Reloads of changed files.",
    "scenario_problems": "Invalid scenario files.",
    "connections": "Open connections.",
    "connections_limit": "Maximum number of connections.",
    "connections_evicted_total": "Connections closed because of a limit of connections.",
    "arriving_bodies_bytes": "Size of the request bodies that have not arrived completely, in "
    "bytes.",
    "arriving_bodies_limit_bytes": "Maximum of this size.",
}
"""Help text of each holding of an app and its server; counters end in ``_total``."""


class _Work:
    """The processing times of one operation, and their sum in seconds."""

    __slots__ = ("buckets", "seconds")

    def __init__(self) -> None:
        self.buckets = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0


class Metrics:
    """The metrics of one app; safe to use from several threads.

    :param operations: the names of the contract's operations.
    :param holdings: what the app holds; called for each exposition.
    """

    def __init__(
        self, version: str, operations: Iterable[str], holdings: Callable[[], Holdings]
    ) -> None:
        self._version = version
        self._holdings = holdings
        self._lock = Lock()
        self._responses: dict[tuple[str, int | None, str | None], int] = {}
        self._limits: dict[str, int] = dict.fromkeys(SERVER_LIMIT_ERRORS, 0)
        self._work = {operation: _Work() for operation in (*operations, _OTHER)}
        self._registry: CollectorRegistry | None = None
        self._server: ServerCounts = {}

    def observe(
        self,
        operation: str | None,
        status: int | None,
        seconds: float,
        limit: str | None = None,
    ) -> None:
        """Count one response.

        :param operation: its name; None for a request that matches no operation of the contract.
        :param status: None if the connection was broken instead.
        :param seconds: processing time, without the delay.
        :param limit: the code of `SERVER_LIMIT_ERRORS` with which the server rejected the request.
        """
        name = operation or _OTHER
        key = name, status, limit
        with self._lock:
            self._responses[key] = self._responses.get(key, 0) + 1
            work = self._work.get(name) or self._work.setdefault(name, _Work())
            work.buckets[bisect_left(BUCKETS, seconds)] += 1
            work.seconds += seconds
            if limit is not None:
                self._limits[limit] += 1

    def count_limit(self, limit: str) -> None:
        """Count a request that one of `SERVER_LIMIT_ERRORS` rejected before `observe`."""
        with self._lock:
            self._limits[limit] += 1

    @property
    def is_prepared(self) -> bool:
        """Return whether `exposition` is fast, since prometheus-client is imported."""
        return self._registry is not None

    def prepare(self) -> CollectorRegistry:
        """Import prometheus-client and create the registry, on any thread."""
        from prometheus_client import CollectorRegistry, ProcessCollector

        registry = CollectorRegistry()
        registry.register(self)
        ProcessCollector(registry=registry)
        self._registry = registry
        return registry

    def exposition(self, server: ServerCounts) -> tuple[bytes, str]:
        """Return all metrics in the text format of Prometheus, and its content type.

        :param server: what the server holds.
        """
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        self._server = server
        return generate_latest(self._registry or self.prepare()), CONTENT_TYPE_LATEST

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics; prometheus-client calls this."""
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

        build = GaugeMetricFamily(
            "mockpets_build_info", "Version of mockpets; always 1.", labels=("version",)
        )
        build.add_metric((self._version,), 1)
        yield build
        holdings: Holdings = {**self._holdings(), **self._server}
        yield from self._request_metrics(holdings.get("rejected", {}))
        for name, text in _HELP.items():
            if name in holdings:
                family = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
                yield family(f"mockpets_{name}", text, value=holdings[name])

    def _request_metrics(self, rejected: Mapping[str, int]) -> Iterator[Metric]:
        """Yield the metrics that `observe` has counted, with the responses of the server itself."""
        from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily

        responses = CounterMetricFamily(
            "mockpets_requests",
            "Requests by operation and status, and by the limit that rejected them.",
        )
        durations = HistogramMetricFamily(
            "mockpets_request_duration_seconds",
            "Processing time of requests without the injected delay.",
            labels=("operation",),
        )
        limits = CounterMetricFamily(
            "mockpets_limit_rejections",
            "Requests that the server rejected because it has reached a limit, by error code.",
            labels=("code",),
        )
        bounds = [*map(str, BUCKETS), "+Inf"]
        with self._lock:
            numbers = Counter(
                {
                    (name, "broken" if status is None else str(status), limit or ""): number
                    for (name, status, limit), number in self._responses.items()
                }
            )
            for code, number in rejected.items():
                label = code if code in self._limits else ""
                numbers[_OTHER, str(ERRORS[code]), label] += number
            for (operation, status, limit), number in sorted(numbers.items()):
                labels = {"operation": operation, "status": status}
                if limit:  # so that most lines stay short; no label means the same as an empty one
                    labels["limit"] = limit
                responses.add_sample("mockpets_requests_total", labels, number)
            for code, number in self._limits.items():
                limits.add_metric((code,), number + rejected.get(code, 0))
            for operation, work in self._work.items():
                counts = zip(bounds, accumulate(work.buckets), strict=True)
                durations.add_metric((operation,), list(counts), work.seconds)
        yield from (responses, durations, limits)
