"""What a server counts, for Prometheus.

The process: `observe` counts each answer in plain numbers, since it stands in every request's way;
`exposition` has prometheus-client write them, together with what the app says it holds just then.
prometheus-client is imported when someone asks: a start has no time for it. The border: only this
module knows prometheus-client. No label has a value that a client could make up.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

BUCKETS: Final = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5)
"""Upper bounds of the histogram, in seconds; most answers take less than one millisecond."""

_OTHER: Final = "other"
"""The label of what is none of the contract's operations."""
_BROKEN: Final = "broken"
"""The label of an answer without a status, since the connection was broken instead."""


class Holdings(NamedTuple):
    """What an app holds at a moment.

    :param parked: answers that are delayed, slow or held.
    :param pets: of all sessions, in the stores that are in use.
    :param journal_bytes: of all sessions' journals together.
    :param scenario_reloads: since the start, one for each time that changed files were taken up.
    :param scenario_problems: scenario files that cannot be used as they are.
    :param connections: None where the server does not tell.
    :param refused: answers that were the server's own and not the app's, by status.
    """

    parked: int
    sessions: int
    pets: int
    journal_bytes: int
    scenario_reloads: int
    scenario_problems: int
    connections: int | None = None
    refused: Mapping[int, int] = {}


_HELD: Final = {
    "parked": ("mockpets_parked_answers", "Answers that are delayed, slow or held now."),
    "sessions": ("mockpets_sessions", "Sessions there are."),
    "pets": ("mockpets_pets", "Pets in the stores of all sessions."),
    "journal_bytes": ("mockpets_journal_bytes", "Bytes that the journals of all sessions take."),
    "scenario_reloads": ("mockpets_scenario_reloads_total", "Times that changed files were read."),
    "scenario_problems": ("mockpets_scenario_problems", "Scenario files that cannot be used."),
    "connections": ("mockpets_connections", "Open connections."),
}
"""Field of `Holdings` to the name of its metric and what it says; a counter ends in ``_total``."""


class _Work:
    """What one operation has cost so far, in seconds."""

    __slots__ = ("buckets", "delay", "seconds")

    def __init__(self) -> None:
        self.buckets = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0
        self.delay = 0.0


class Metrics:
    """The numbers of one app. Safe to use from several threads.

    :param holdings: asked at each exposition.
    """

    def __init__(self, version: str, holdings: Callable[[], Holdings]) -> None:
        self._version = version
        self._holdings = holdings
        self._lock = Lock()
        self._answers: dict[tuple[str, str], int] = {}
        self._work = {operation: _Work() for operation in (*OPERATIONS, _OTHER)}
        self._registry: CollectorRegistry | None = None

    def observe(
        self, operation: str | None, status: int | None, seconds: float, delay: float = 0.0
    ) -> None:
        """Count one answer.

        :param operation: the contract's, or None.
        :param status: None when the connection was broken instead.
        :param seconds: of mockpets' own work, without the delay.
        :param delay: seconds that the answer is kept back for.
        """
        name = operation or _OTHER
        key = name, _BROKEN if status is None else str(status)
        with self._lock:
            self._answers[key] = self._answers.get(key, 0) + 1
            work = self._work[name]
            work.buckets[bisect_left(BUCKETS, seconds)] += 1
            work.seconds += seconds
            work.delay += delay

    @property
    def is_prepared(self) -> bool:
        """Whether `exposition` takes milliseconds, and not the time of an import as well."""
        return self._registry is not None

    def prepare(self) -> CollectorRegistry:
        """Import prometheus-client and look at the process, on any thread."""
        from prometheus_client import CollectorRegistry, ProcessCollector

        registry = CollectorRegistry()
        registry.register(self)
        ProcessCollector(registry=registry)
        self._registry = registry
        return registry

    def exposition(self) -> tuple[bytes, str]:
        """Return all numbers in Prometheus' text format, and its content type."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return generate_latest(self._registry or self.prepare()), CONTENT_TYPE_LATEST

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of a moment, as prometheus-client wants them."""
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

        build = GaugeMetricFamily("mockpets_build_info", "Always 1.", labels=("version",))
        build.add_metric((self._version,), 1)
        yield build
        holdings = self._holdings()
        yield from self._counted(holdings.refused)
        for field, (name, text) in _HELD.items():
            if (value := getattr(holdings, field)) is not None:
                family = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
                yield family(name, text, value=value)

    def _counted(self, refused: Mapping[int, int]) -> Iterator[Metric]:
        """Yield what `observe` has counted, and what the server has beside it."""
        from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily

        answers = CounterMetricFamily(
            "mockpets_requests", "Answered requests.", labels=("operation", "status")
        )
        took = HistogramMetricFamily(
            "mockpets_request_duration_seconds",
            "Own work for an answer, without injected delay.",
            labels=("operation",),
        )
        late = CounterMetricFamily(
            "mockpets_injected_delay_seconds",
            "Time that answers were kept back for.",
            labels=("operation",),
        )
        bounds = [*map(str, BUCKETS), "+Inf"]
        with self._lock:
            numbers = Counter(self._answers)
            numbers.update({(_OTHER, str(status)): count for status, count in refused.items()})
            for labels, number in sorted(numbers.items()):
                answers.add_metric(labels, number)
            for operation, work in self._work.items():
                counts = zip(bounds, accumulate(work.buckets), strict=True)
                took.add_metric((operation,), list(counts), work.seconds)
                late.add_metric((operation,), work.delay)
        yield from (answers, took, late)
