"""Metrics: Prometheus reads what was counted."""

import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from mockpets.telemetry.metrics import BUCKETS, Holdings, Metrics

HELD: Holdings = {
    "parked_answers": 3, "parked_answers_limit": 500,
    "sessions": 2, "sessions_limit": 200,
    "records": 33, "records_bytes": 700, "records_limit_bytes": 701,
    "request_log_bytes": 4096, "request_log_limit_bytes": 9000, "request_log_dropped_total": 5,
    "scenario_reloads_total": 1, "scenario_problems": 0,
    "connections": 9, "connections_limit": 1000, "connections_evicted_total": 4,
    "arriving_bodies_bytes": 600, "arriving_bodies_limit_bytes": 601,
}  # fmt: skip
Sample = tuple[str, tuple[tuple[str, str], ...]]


def read(metrics: Metrics) -> dict[Sample, float]:
    """Return the samples that a Prometheus server has after a scrape."""
    body, content_type = metrics.exposition({})
    assert content_type.startswith("text/plain; version=")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
    }


def make(held: Holdings = HELD) -> Metrics:
    return Metrics("0.1.0", ("listPets", "createPet", "getPet"), lambda: held)


def test_the_holdings_of_the_app_are_exposed() -> None:
    seen = read(make())

    assert {name: seen[f"mockpets_{name}", ()] for name in HELD} == HELD
    assert seen["mockpets_build_info", (("version", "0.1.0"),)] == 1
    if sys.platform == "linux":
        assert seen["process_resident_memory_bytes", ()] > 2**20
    other_server = HELD.copy()
    del other_server["connections"]
    del other_server["connections_evicted_total"]
    del other_server["arriving_bodies_limit_bytes"]
    without = read(make(other_server))
    assert seen.keys() - without.keys() == {
        ("mockpets_connections", ()),
        ("mockpets_connections_evicted_total", ()),
        ("mockpets_arriving_bodies_limit_bytes", ()),
    }


RESPONSES = st.lists(
    st.tuples(
        st.sampled_from(["listPets", "createPet", "getPet", None]),
        st.none() | st.sampled_from([200, 201, 400, 401, 404, 599]),
        st.sampled_from([0.0, *BUCKETS]) | st.floats(0, 2),
    ),
    max_size=40,
)
Response = tuple[str | None, int | None, float]


@given(RESPONSES)
def test_each_response_is_counted_once(responses: Sequence[Response]) -> None:
    metrics = make()
    for response in responses:
        metrics.observe(*response)
    seen = read(metrics)

    statuses = {(one[0] or "other", str(one[1] or "broken")) for one in responses}
    counted = {
        tuple(value for _, value in labels): value
        for (name, labels), value in seen.items()
        if name == "mockpets_requests_total"
    }
    assert counted == {
        pair: sum((one[0] or "other", str(one[1] or "broken")) == pair for one in responses)
        for pair in statuses
    }
    for operation in ("listPets", "createPet", "getPet", "other"):
        own = [one for one in responses if (one[0] or "other") == operation]
        labels = (("operation", operation),)
        name = "mockpets_request_duration_seconds"
        assert seen[f"{name}_count", labels] == len(own)
        assert seen[f"{name}_sum", labels] == pytest.approx(sum(one[2] for one in own))
        for bound in (*BUCKETS, float("inf")):
            text = "+Inf" if bound == float("inf") else str(bound)
            bucket = seen[f"{name}_bucket", (("le", text), *labels)]
            assert bucket == sum(one[2] <= bound for one in own)


def test_counting_does_not_import_prometheus_client() -> None:
    code = (
        "import sys; from mockpets.telemetry.metrics import Metrics\n"
        "metrics = Metrics('0', ('listPets',), None); metrics.observe('listPets', 200, 0.1)\n"
        "print(metrics.is_prepared, 'prometheus_client' in sys.modules)\n"
        "metrics.prepare(); print(metrics.is_prepared, 'prometheus_client' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False False\nTrue True\n"
