"""The setting for memory: what it limits, what is dropped at a limit, and who learns of it."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from mockpets import Settings, create_app
from tests.http_client import Client, InProcess, Response
from tests.test_cost import HEADERS
from tests.web.control.test_metrics import PATH, held, read
from tests.web.test_contract import assert_error

Make = Callable[..., Client]

MIB = 2**20
TOKEN = "a-token-of-the-tests"
LIMITS = ("request_log_limit_bytes", "records_limit_bytes")
REQUESTS = 20
BROWSER = {
    key.removeprefix("HTTP_").replace("_", "-").title(): value
    for key, value in HEADERS.items()
    if key not in ("HTTP_HOST", "HTTP_CONNECTION")
}


def limits(call: Client, key: str = "mockpets") -> list[float]:
    samples = read(call("GET", PATH, key=key))
    return [samples[f"mockpets_{name}", None, None] for name in LIMITS]


@pytest.mark.parametrize(("options", "expected"), [
    ({}, [16 * MIB, 64 * MIB]),
    ({"memory": "5MiB"}, [MIB, 4 * MIB]),
    ({"public": True, "control_token": TOKEN}, [8 * MIB, 64 * MIB]),
])  # fmt: skip
def test_the_metrics_show_each_part_of_the_memory(
    fresh: Make, options: dict[str, Any], expected: list[float]
) -> None:
    assert limits(fresh(**options), key=options.get("control_token", "mockpets")) == expected


def test_a_full_budget_rejects_and_names_the_setting(fresh: Make) -> None:
    call = fresh(memory=5 * MIB // 4)
    pet = {"name": "x" * 60_000, "categoryId": 1}
    responses = [call("POST", "/v1/pets", json_body=pet)]
    while responses[-1].status == 201 and len(responses) < 50:
        responses.append(call("POST", "/v1/pets", json_body=pet))

    rejected = responses[-1]
    assert_error(rejected, "store_full")
    assert "the records of all sessions together may use at most 1 MiB" in rejected.json["message"]
    assert rejected.json["message"].endswith(", or start the server with a higher --memory")
    assert MIB / 2 < held(call, "records_bytes") <= MIB


def test_scenarios_that_sessions_were_sent_count_as_records(fresh: Make) -> None:
    call = fresh(memory=5 * MIB // 4)
    stub = {"reply": {"status": 200, "text": "x" * 100_000}, "off_contract": True}
    body = {"scenario": {"description": "d", "stubs": [stub]}}

    def put(name: str) -> Response:
        return call("PUT", f"/~{name}/__mockpets/scenario", json_body=body)

    accepted = [put(f"s{number}").status for number in range(10)]
    assert accepted == [200] * 4 + [507] * 6
    rejected = put("s9")
    assert_error(rejected, "store_full")
    assert rejected.json["message"].startswith("the scenario does not fit: the records of all")
    assert call("GET", "/~s9/__mockpets/state").json["active"] == ["default"]
    assert 3 * 225_000 < held(call, "records_bytes") <= MIB

    call("PUT", "/~s0/__mockpets/scenario", json_body={"scenario": "empty"})
    assert put("s9").status == 200
    call("DELETE", "/__mockpets/sessions/s1")  # what an undo keeps goes first
    assert [put(name).status for name in ("s4", "s5")] == [200, 507]
    before = held(call, "records_bytes")
    explained = call(
        "POST", "/~s2/__mockpets/explain", json_body={"method": "GET", "path": "/v1/pets"}
    )
    assert explained.status == 200
    assert held(call, "records_bytes") == before


# --- The request log ----------------------------------------------------------------------------


def browse(call: Client, sessions: int, requests: int) -> None:
    """Send requests as a page does in each session, by turns as parallel tests do."""
    for number in range(requests):
        for session in range(sessions):
            status = ("available", "pending", "sold")[number % 3]
            target = f"/~w{session}/v1/pets?limit=20&status={status}"
            assert call("GET", target, headers=BROWSER).status == 200


def verified(call: Client, session: str, times: int) -> Any:
    body = {"match": {"operation": "listPets"}, "times": times}
    return call("POST", f"/~{session}/__mockpets/verify", json_body=body)


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    "sessions",
    [pytest.param(64, marks=pytest.mark.slow), pytest.param(320, marks=pytest.mark.long)],
)
def test_all_sessions_of_a_large_test_run_verify_with_a_log_of_the_documented_size(
    caplog: pytest.LogCaptureFixture, sessions: int
) -> None:
    """docs/operate/deploy-and-monitor.md#memory states the size: sessions x requests x 25 KiB."""
    settings = Settings(max_sessions=sessions + 1, memory=5 * sessions * REQUESTS * 5 * 1024)
    call = Client(InProcess(create_app(settings)))
    browse(call, sessions, REQUESTS)

    failed = [s for s in range(sessions) if verified(call, f"w{s}", REQUESTS).status != 200]
    assert failed == []
    assert held(call, "request_log_dropped_total") == 0
    assert warnings_of(caplog) == []
    # The documented size is not much more than what is used.
    assert 0.5 < held(call, "request_log_bytes") / held(call, "request_log_limit_bytes") <= 1


def test_dropped_requests_are_counted_and_logged_once_and_verify_names_the_setting(
    fresh: Make, caplog: pytest.LogCaptureFixture
) -> None:
    call = fresh(memory="5MiB")
    browse(call, 20, 10)
    assert warnings_of(caplog) == []
    browse(call, 20, 20)

    [warning] = warnings_of(caplog)
    assert "use 1MiB, their part of --memory" in warning
    assert "start the server with a higher --memory" in warning
    dropped = held(call, "request_log_dropped_total")
    assert dropped == sum(
        call("GET", f"/~w{session}/__mockpets/requests").json["dropped"] for session in range(20)
    )
    assert dropped > 0
    assert held(call, "request_log_bytes") <= MIB
    failed = verified(call, "w0", 30)
    assert_error(failed, "verification_failed", "details")
    assert failed.json["message"].endswith("or start the server with a higher --memory")


def test_the_memory_of_the_log_includes_the_bodies_of_requests(fresh: Make) -> None:
    call = fresh()
    used = [held(call, "request_log_bytes")]
    for length in (10, 3010):  # with the same response
        pet = {"name": "x" * length, "categoryId": 1}
        assert call("POST", "/v1/pets", json_body=pet, key="wrong").status == 401
        used.append(held(call, "request_log_bytes"))

    assert 3000 <= (used[2] - used[1]) - (used[1] - used[0]) < 3100


def test_the_memory_of_the_log_includes_the_bodies_of_responses(fresh: Make) -> None:
    call = fresh()
    used = [held(call, "request_log_bytes")]
    call("HEAD", "/v1/pets?limit=5")
    used.append(held(call, "request_log_bytes"))
    body = call("GET", "/v1/pets?limit=5").body
    used.append(held(call, "request_log_bytes"))

    assert (used[2] - used[1]) - (used[1] - used[0]) == len(body) > 200


def test_requests_dropped_by_the_size_of_one_log_are_not_counted_and_not_logged(
    fresh: Make, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockpets.web.app.LOG_ENTRIES", 3)
    call = fresh()
    browse(call, 1, 10)

    assert call("GET", "/~w0/__mockpets/requests").json["dropped"] == 7
    assert held(call, "request_log_dropped_total") == 0
    assert warnings_of(caplog) == []
    message = verified(call, "w0", 10).json["message"]
    assert message.endswith("before the calls that you verify")
