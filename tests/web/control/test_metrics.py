"""`GET metrics`: access, and values after known requests."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from prometheus_client.parser import text_string_to_metric_families

from mockpets import MockpetsServer, Settings, create_app
from mockpets.constants import SERVER_LIMIT_ERRORS
from mockpets.contract.pet_store import PET_STORE
from mockpets.server.server_limits import ServerLimits
from tests.http_client import Client, InProcess, OverSocket, Response
from tests.server.raw_http import Clock, Running, Wire, port_of, running

Make = Callable[..., Client]
Sample = tuple[str, str | None, str | None]

TOKEN = "a-token-of-the-tests"
PATH = "/__mockpets/metrics"
PET = {"name": "Miso", "categoryId": 2}


def read(response: Response) -> dict[Sample, float]:
    """Return the samples of a scrape by name, operation or code, and status, each unique."""
    assert response.status == 200
    assert (response.header("Content-Type") or "").startswith("text/plain; version=")
    found: dict[Sample, float] = {}
    for family in text_string_to_metric_families(response.body.decode()):
        for sample in family.samples:
            if "le" not in sample.labels:
                first = sample.labels.get("operation") or sample.labels.get("code")
                key = (sample.name, first, sample.labels.get("status"))
                assert key not in found
                found[key] = sample.value
    return found


def counted(call: Client) -> dict[tuple[str | None, str | None], float]:
    """Return the number of responses by operation and status."""
    return {
        (operation, status): value
        for (name, operation, status), value in read(call("GET", PATH)).items()
        if name == "mockpets_requests_total"
    }


def held(call: Client, name: str) -> float:
    return read(call("GET", PATH))[f"mockpets_{name}", None, None]


# --- Access -------------------------------------------------------------------------------------


def test_prometheus_sends_the_token(fresh: Make) -> None:
    assert read(fresh(control_token=TOKEN)("GET", PATH, key=TOKEN))


# --- Values -------------------------------------------------------------------------------------


def test_it_counts_requests(call: Client) -> None:
    """The same in the process and over a socket."""
    before = counted(call)
    for _ in range(3):
        call("GET", "/v1/pets")
    call("POST", "/__mockpets/reset")  # clears no counter
    call("HEAD", "/v1/pets")
    call("GET", "/v1/pets?limit=0")
    call("POST", "/~m/v1/pets", json_body=PET)
    call("POST", "/~m/v1/pets", json_body={})
    call("GET", "/v1/pets/1")
    call("GET", "/v1/pets/99", key="wrong")
    call("GET", "/v1/pets/99")
    call("GET", "/v1/pets", scenario="server-error")
    call("DELETE", "/v1/pets")
    call("GET", "/nowhere")
    call("OPTIONS", "/v1/pets", key=None)
    call("GET", "/__mockpets/state")
    after = counted(call)

    more = {key: after[key] - before.get(key, 0) for key in after}
    assert {key: value for key, value in more.items() if value} == {
        ("listPets", "200"): 4, ("listPets", "400"): 1, ("listPets", "500"): 1,
        ("createPet", "201"): 1, ("createPet", "400"): 1, ("getPet", "200"): 1,
        ("getPet", "401"): 1, ("getPet", "404"): 1, ("other", "404"): 1, ("other", "405"): 1,
    }  # fmt: skip


def test_a_503_of_the_server_has_its_limit_as_a_label_and_one_of_a_scenario_has_none(
    fresh: Make,
) -> None:
    call = fresh(max_sessions=1, max_records=1)
    assert [call("GET", f"/~{name}/v1/pets").status for name in ("two", "three")] == [503, 503]
    assert [call("POST", "/v1/pets", json_body=PET).status for _ in range(2)] == [201, 507]
    assert call("GET", "/v1/pets", scenario="maintenance").status == 503
    families = text_string_to_metric_families(call("GET", PATH).body.decode())
    samples = [sample for family in families for sample in family.samples]
    responses = {
        each.labels.get("limit"): each.value
        for each in samples
        if each.name == "mockpets_requests_total" and each.labels["status"] == "503"
    }
    rejections = {
        each.labels["code"]: each.value
        for each in samples
        if each.name == "mockpets_limit_rejections_total"
    }

    assert responses == {"busy": 2, None: 1}
    assert rejections == {"busy": 2, "rate_limited": 0, "store_full": 1}


def test_it_counts_broken_and_delayed_responses() -> None:
    with MockpetsServer(Settings(port=0)) as server:
        call = Client(OverSocket(server.url))
        with pytest.raises(OSError):
            call("GET", "/v1/pets", scenario="offline")
        call("GET", "/v1/pets", headers={"Mockpets-Delay": "400ms"})
        found = read(call("GET", PATH))

    assert found["mockpets_requests_total", "listPets", "broken"] == 1
    assert found["mockpets_requests_total", "listPets", "200"] == 1
    assert found["mockpets_request_duration_seconds_count", "listPets", None] == 2
    assert found["mockpets_request_duration_seconds_sum", "listPets", None] < 0.4, (
        "without the delay"
    )


def test_it_counts_requests_that_the_server_rejects() -> None:
    limits = ServerLimits(head_seconds=0.05)
    bad = b"GET /v1/pets HTTP/1.1\r\n\r\n"  # no Host
    long = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * limits.head_bytes + b"\r\n\r\n"
    with MockpetsServer(Settings(port=0), limits=limits) as server:
        for sent, status in ((bad, 400), (bad, 400), (long, 431), (b"GET /", 408)):
            with Wire(port_of(server.url)) as wire:
                assert wire.send(sent).read().status == status
        call = Client(OverSocket(server.url))
        call("GET", "/nowhere", headers={"Host": "no host"})
        assert counted(call) == {("other", "400"): 3, ("other", "431"): 1, ("other", "408"): 1}


def test_it_counts_limits_that_the_server_rejects_without_the_app() -> None:
    limits = ServerLimits(bodies_bytes=60_000)
    with running(create_app(Settings()), limits) as server, Wire(server.port) as wire:
        wire.send(b"POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 65000\r\n\r\n")
        assert wire.send(b" " * 64_000).read().json["code"] == "busy"
        call = Client(OverSocket(f"http://127.0.0.1:{server.port}"))
        samples = read(call("GET", PATH))
        assert samples["mockpets_limit_rejections_total", "busy", None] == 1
        assert samples["mockpets_requests_total", "other", "503"] == 1


def test_open_and_evicted_connections_are_counted_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()
    with (
        running(create_app(Settings()), ServerLimits(connections=3), clock) as server,
        ExitStack() as on,
    ):
        call = Client(OverSocket(f"http://127.0.0.1:{server.port}"))
        early = [on.enter_context(Wire(server.port)) for _ in range(2)]
        server.until(lambda: server.connections, 2)
        assert (held(call, "connections"), held(call, "connections_evicted_total")) == (3, 0)
        server.until(lambda: server.connections, 2)  # those of the two calls are gone
        for _ in range(3):
            on.enter_context(Wire(server.port))
        assert [wire.rest() for wire in early] == [b"", b""]
        server.until(lambda: held_now(server), (3, 2))
        assert caplog.messages == [  # once a second, and the clock stands still
            "the limit of 3 connections is reached: closing those that are idle, incomplete or slow"
        ]


def held_now(server: Running) -> tuple[int, int]:
    counts = server.loop.scheduler.counts()
    return counts["connections"], counts["connections_evicted_total"]


def test_it_reports_sessions_pets_and_the_request_log(fresh: Make) -> None:
    call = fresh(data=("pets=3",))
    assert (held(call, "sessions"), held(call, "records")) == (1, 3)
    call("POST", "/~one/v1/pets", json_body=PET)
    call("POST", "/~two/v1/pets", json_body=PET)
    assert (held(call, "sessions"), held(call, "records")) == (3, 11)
    kept = held(call, "request_log_bytes")
    assert kept > 1000
    call("DELETE", "/__mockpets/sessions/two")
    assert (held(call, "sessions"), held(call, "records")) == (2, 7)
    assert held(call, "request_log_bytes") == kept  # until an undo is impossible
    call("PUT", "/__mockpets/sessions/two")
    assert held(call, "request_log_bytes") < kept
    assert held(call, "parked_answers") == 0


def test_it_reports_parked_responses() -> None:
    server = MockpetsServer(Settings(port=0))
    with ThreadPoolExecutor(4) as pool:
        with server:
            call = Client(OverSocket(server.url))
            change = call("GET", "/__mockpets/state").json["change"]
            late = {"Mockpets-Delay": "60s"}
            asked = [pool.submit(call, "GET", "/v1/pets", headers=late) for _ in range(4)]
            while call("GET", "/__mockpets/requests").json["total"] < 4:
                events = call("GET", f"/__mockpets/events?since={change}&wait=20").json
                change = events["change"]
            assert held(call, "parked_answers") == 4
        assert [each.result(20).status for each in asked] == [200] * 4  # released by the stop


def test_it_reports_invalid_files(tmp_path: Path) -> None:
    good = "description: x\nstubs: []\n"
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(good)
    app = create_app(Settings(scenarios_dir=(tmp_path,)))
    call, reloader = Client(InProcess(app)), app.extensions["mockpets"].reloader
    assert (held(call, "scenario_problems"), held(call, "scenario_reloads_total")) == (0, 0)
    (tmp_path / "one.yaml").write_text("description: x\nstubs: 3\n")
    reloader.look()

    assert (held(call, "scenario_problems"), held(call, "scenario_reloads_total")) == (1, 1)


# --- Limits for clients -------------------------------------------------------------------------


@pytest.mark.slow
def test_clients_cannot_add_labels(fresh: Make) -> None:
    call, random = fresh(), Random(3)
    letters = 'abcXYZ019/%~+-_."\\{}\u00e9'
    for number in range(500):
        path = "/v1/" + "".join(random.choices(letters, k=random.randint(0, 20)))
        method = random.choice(["GET", "POST", "BREW", "x" * random.randint(1, 30)])
        session = {"Mockpets-Session": f"s{number % 7}", "Mockpets-Scenario": f"n{number}"}
        call(method, path, headers=session, key=f"k{number}")
    found = read(call("GET", PATH))

    operations = {operation for _, operation, _ in found} - {None}
    statuses = {status for _, _, status in found} - {None}
    assert operations == {*PET_STORE.operations, "other", *SERVER_LIMIT_ERRORS}
    assert statuses <= {"200", "201", "400", "401", "404", "405", "422"}
    assert len(found) < 60
