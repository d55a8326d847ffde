"""Each shipped scenario does what its description states, tested through the public interface."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.contract.pet_store import BUILT_IN
from mockpets.packaged_data import shipped
from mockpets.scenario.library import load_library
from tests.http_client import JSON, KEY, Client, OverSocket, Response

Make = Callable[..., Client]

NEW_PET: Any = {"name": "Miso", "categoryId": 2}
LIST, CREATE, GET = "GET /v1/pets", "POST /v1/pets", "GET /v1/pets/1"
OFF, DELAY = "Mockpets-Off-Contract", "Server-Timing"
TABLE: dict[str, tuple[list[str], list[int], dict[str, str]]] = {
    # scenario: requests, their statuses, and parts of headers, only with the highest status
    "after-removal": ([LIST, CREATE, GET], [200, 201, 410],
        {"Sunset": "Thu, 05 Dec 2030 00:00:00 GMT",
         OFF: "status 410 is not in the contract for getPet"}),
    "create-rejected": ([LIST, CREATE, GET, LIST], [200, 400, 200, 200], {}),
    "default": ([LIST, CREATE, GET], [200, 201, 200], {}),
    "double-submit": ([CREATE, LIST], [201, 200], {DELAY: "delay;dur=3000"}),
    "expired-key": ([LIST] * 6, [200, 200, 200, 401, 401, 401], {}),
    "maintenance": ([LIST, CREATE, GET], [503] * 3, {"Retry-After": "120"}),
    "rate-limited": ([LIST, CREATE, GET], [429] * 3, {"Retry-After": "5"}),
    "retry": ([LIST] * 5, [503, 503, 200, 200, 200], {}),
    "retry-now": ([LIST] * 4, [503, 503, 200, 200], {"Retry-After": "0"}),
    "server-error": ([LIST, CREATE, GET], [500] * 3, {OFF: "status 500 is not in the contract"}),
    "slow": (["GET /v1/pets/999"], [404], {DELAY: "delay;dur=2000"}),  # errors are delayed too
    "slow-body": ([GET], [200], {}),
    "unauthorized": ([LIST, CREATE, GET], [401] * 3, {"WWW-Authenticate": "invalid_token"}),
}  # fmt: skip


def statuses(call: Client, count: int) -> list[int]:
    return [call("GET", "/v1/pets").status for _ in range(count)]


def pets(call: Client, query: str = "limit=100") -> list[dict[str, Any]]:
    response = call("GET", f"/v1/pets?{query}")
    assert response.status == 200
    listed: list[dict[str, Any]] = response.json
    return listed


@pytest.mark.parametrize("scenario", TABLE)
def test_statuses_and_headers(scenario: str, fresh: Make) -> None:
    requests, expected, headers = TABLE[scenario]
    call = fresh(scenario=(scenario,))
    responses = [
        call(*request.split(), json_body=NEW_PET if request == CREATE else None)
        for request in requests
    ]

    assert [response.status for response in responses] == expected
    for response in responses:
        if response.status >= 400:
            assert response.json["status"] == response.status
        in_contract = response.status in (200, 201, 400, 401, 404)
        assert (response.header(OFF) is None) == in_contract
        for name, part in {DELAY: "delay;dur=", **headers}.items():
            has = part in (response.header(name) or "")
            assert has == (name in headers and response.status == max(expected)), name


@pytest.mark.parametrize("name", sorted(path.stem for path in shipped("scenarios").iterdir()))
def test_each_content_and_stub_of_a_scenario_has_an_effect(name: str, fresh: Make) -> None:
    call, scenario = fresh(scenario=(name,)), load_library([], []).scenarios[name]
    unused = {stub.label for stub in scenario.stubs}
    paths = [stub.match.path for stub in scenario.stubs if stub.match.path]
    known = [*BUILT_IN.collections.values(), *scenario.resources]
    assert scenario.data.keys() <= {"*", *(one.name for one in known)}
    if scenario.data.keys() & {"*", "pets"}:
        assert pets(call) != pets(fresh())
    for resource in scenario.resources:
        content = scenario.data.get(resource.name, ())
        assert call("GET", resource.path).json == [json.loads(row) for row in content]  # type: ignore[union-attr]  # only the contract's are generated
    for _ in range(50):  # some stubs skip requests, or apply by chance
        for request in (LIST, CREATE, GET, *(f"GET {path}" for path in paths)):
            body = NEW_PET if request == CREATE else None
            response = call(*request.split(), json_body=body)
            unused -= {*(response.header("Mockpets-Stub") or "").split(", ")}
        if not unused:
            break

    assert not unused


def test_empty(fresh: Make) -> None:
    call = fresh(scenario=("empty",))

    assert pets(call) == []
    assert call("POST", "/v1/pets", json_body=NEW_PET).json == {"id": 1} | NEW_PET
    assert pets(call) == [{"id": 1} | NEW_PET]
    assert len(json.loads(call("GET", "/v1/pets", scenario="default").body)) == 16


def test_missing(fresh: Make) -> None:
    call = fresh(scenario=("missing",))

    assert len(pets(call)) == 16
    response = call("GET", "/v1/pets/1")
    assert (response.status, response.json["code"]) == (404, "pet_not_found")
    assert response.json["message"] == "no animal has the id 1"


def delay_of(response: Response) -> float:
    """Return the delay of a response by its header, in seconds."""
    return float((response.header("Server-Timing") or "").partition("delay;dur=")[2] or 0) / 1000


def test_jittery(fresh: Make) -> None:
    call = fresh(scenario=("jittery",))
    responses = [call("GET", "/v1/pets") for _ in range(5)]
    delays = [delay_of(response) for response in responses]

    assert len(set(delays)) == 5
    assert responses[0].header("Mockpets-Seed") == "1"


def test_flaky(fresh: Make) -> None:
    first, again, other = (fresh(scenario=("flaky",), seed=seed) for seed in (1, 1, 2))
    seen = statuses(first, 100)

    assert set(seen) == {200, 503}
    assert 10 < seen.count(503) < 45
    assert statuses(again, 100) == seen
    assert statuses(other, 100) != seen


def test_retry_counts_requests_that_name_it(fresh: Make) -> None:
    call = fresh()
    named = [call("GET", "/v1/pets", scenario="retry").status for _ in range(4)]

    assert named == [503, 503, 200, 200]


def test_crowded(fresh: Make) -> None:
    call = fresh(scenario=("crowded",))

    assert len(pets(call)) == 100
    assert call("POST", "/v1/pets", json_body=NEW_PET).json["id"] == 5001


def test_full_page(fresh: Make) -> None:
    call = fresh(scenario=("full-page",))

    assert len(pets(call)) == 100
    assert call("POST", "/v1/pets", json_body=NEW_PET).json["id"] == 101


def test_sold_out(fresh: Make) -> None:
    call = fresh(scenario=("sold-out",))

    assert pets(call, "status=available") == pets(call, "status=pending") == []
    assert pets(call, "status=sold") == pets(call)
    assert len(pets(call)) > 5


def test_no_status(fresh: Make) -> None:
    call = fresh(scenario=("no-status",))

    assert len(pets(call)) > 5
    assert all("status" not in pet for pet in pets(call))
    assert pets(call, "status=sold") == []


def test_awkward_names(fresh: Make) -> None:
    names = [pet["name"] for pet in pets(fresh(scenario=("awkward-names",)))]

    assert {"", "Nul\x00Byte", "{{7*7}}", "\u202eoleM\u202c", "__proto__"} <= {*names}


def test_big_ids(fresh: Make) -> None:
    call = fresh(scenario=("big-ids",))
    ids = [pet["id"] for pet in pets(call)]

    assert all(number > 2**53 for number in ids)
    assert len({float(number) for number in ids}) < len(ids)
    assert call("GET", f"/v1/pets/{ids[-1]}").json["id"] == ids[-1]
    assert call("POST", "/v1/pets", json_body=NEW_PET).json["id"] == ids[-1] + 1


def test_flaky_create(fresh: Make) -> None:
    call = fresh(scenario=("flaky-create",))
    created = [call("POST", "/v1/pets", json_body=NEW_PET) for _ in range(7)]

    assert [response.status for response in created] == [201, 201, 503, 201, 201, 503, 201]
    assert created[2].json["status"] == 503
    assert created[3].json["id"] == 19  # a request that fails adds nothing
    assert len(pets(call)) == 21
    assert call("GET", "/v1/pets/1").status == 200


def test_loading() -> None:
    with (
        MockpetsServer(Settings(port=0, scenario=("loading",))) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        client = ControlClient(server.url)
        change = client.events()["change"]
        held = pool.submit(Client(OverSocket(server.url)), "GET", "/v1/pets")
        while not client.gates():
            change = client.events(since=change, wait=20)["change"]
        assert (client.gates(), held.done()) == ({"loading": 1}, False)
        client.open_gate("loading")
        response = held.result()

    assert response.status == 200
    assert len(response.json) == 16


def test_orders(fresh: Make) -> None:
    call = fresh(scenario=("orders",))
    response = call("GET", "/v1/store/orders")

    assert response.status == 200
    assert [order["id"] for order in response.json] == [1, 2]
    assert response.header("Mockpets-Stub") == "orders/list-orders"
    assert response.header("Mockpets-Off-Contract") is None
    assert call("GET", "/v1/store/orders", key=None).status == 401
    assert call("HEAD", "/v1/store/orders").status == 200
    rejected = call("DELETE", "/v1/store/orders")
    assert (rejected.status, rejected.header("Allow")) == (405, "GET, HEAD, OPTIONS")


# --- Broken responses, over a socket ----------------------------------------------------------


def over_socket(scenario: str) -> tuple[int, bytes | Exception]:
    """Return the status and the body, or the error while reading them."""
    with MockpetsServer(Settings(port=0, scenario=(scenario,))) as server:
        connection = HTTPConnection(server.url.split("/")[2], timeout=10)
        try:
            connection.request("POST", "/v1/pets", json.dumps(NEW_PET), KEY | JSON)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, HTTPException) as error:
            return 0, error
        finally:
            connection.close()


def test_broken_json() -> None:
    status, body = over_socket("broken-json")

    assert status == 201
    assert isinstance(body, bytes)
    assert body.startswith(b'{"id":17')
    with pytest.raises(json.JSONDecodeError):
        json.loads(body)


def test_truncated() -> None:
    _, error = over_socket("truncated")

    assert isinstance(error, HTTPException)
    assert "IncompleteRead" in repr(error)


def test_offline() -> None:
    _, error = over_socket("offline")

    assert isinstance(error, Exception)
