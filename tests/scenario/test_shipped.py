"""Each shipped scenario does what its description states, tested through the public interface."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.packaged_data import shipped
from tests.http_client import JSON, KEY, Client, OverSocket

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.http_client import Response

    Make = Callable[..., Client]

NEW_PET: Any = {"name": "Miso", "categoryId": 2}


def every_operation(call: Client) -> list[Response]:
    return [
        call("GET", "/v1/pets"),
        call("POST", "/v1/pets", json_body=NEW_PET),
        call("GET", "/v1/pets/1"),
    ]


def statuses(call: Client, count: int) -> list[int]:
    return [call("GET", "/v1/pets").status for _ in range(count)]


def pets(call: Client, query: str = "limit=100") -> list[dict[str, Any]]:
    response = call("GET", f"/v1/pets?{query}")
    assert response.status == 200
    listed: list[dict[str, Any]] = response.json
    return listed


def test_every_shipped_scenario_has_a_test() -> None:
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}

    for path in shipped("scenarios").iterdir():
        assert path.stem.replace("-", "_") in tested


def test_default(fresh: Make) -> None:
    call = fresh()

    assert len(pets(call)) == 16
    assert [response.status for response in every_operation(call)] == [200, 201, 200]


def test_empty(fresh: Make) -> None:
    call = fresh(scenario=("empty",))

    assert pets(call) == []
    assert call("POST", "/v1/pets", json_body=NEW_PET).json == {"id": 1} | NEW_PET
    assert pets(call) == [{"id": 1} | NEW_PET]
    assert len(json.loads(call("GET", "/v1/pets", scenario="default").body)) == 16


def test_unauthorized(fresh: Make) -> None:
    for response in every_operation(fresh(scenario=("unauthorized",))):
        assert (response.status, response.json["code"]) == (401, "unauthorized")
        assert "invalid_token" in (response.header("WWW-Authenticate") or "")
        assert response.header("Mockpets-Off-Contract") is None


def test_expired_key(fresh: Make) -> None:
    assert statuses(fresh(scenario=("expired-key",)), 6) == [200, 200, 200, 401, 401, 401]


def test_missing(fresh: Make) -> None:
    call = fresh(scenario=("missing",))

    assert len(pets(call)) == 16
    response = call("GET", "/v1/pets/1")
    assert (response.status, response.json["code"]) == (404, "pet_not_found")
    assert response.json["message"] == "no animal has the id 1"


def delay_of(response: Response) -> float:
    """Return the delay of a response by its header, in seconds."""
    return float((response.header("Server-Timing") or "").partition("delay;dur=")[2] or 0) / 1000


def test_slow(fresh: Make) -> None:
    response = fresh(scenario=("slow",))("GET", "/v1/pets/999")

    assert response.status == 404  # errors are delayed too
    assert delay_of(response) == 2.0


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


def test_server_error(fresh: Make) -> None:
    for response in every_operation(fresh(scenario=("server-error",))):
        assert (response.status, response.json["code"]) == (500, "internal_server_error")
        assert response.header("Mockpets-Off-Contract") == "status 500 is not in the contract"


def test_maintenance(fresh: Make) -> None:
    for response in every_operation(fresh(scenario=("maintenance",))):
        assert (response.status, response.json["status"]) == (503, 503)
        assert response.header("Retry-After") == "120"


def test_rate_limited(fresh: Make) -> None:
    for response in every_operation(fresh(scenario=("rate-limited",))):
        assert (response.status, response.json["code"]) == (429, "too_many_requests")
        assert response.header("Retry-After") == "5"


def test_retry_now(fresh: Make) -> None:
    call = fresh(scenario=("retry-now",))
    first = call("GET", "/v1/pets")
    assert (first.status, first.header("Retry-After")) == (503, "0")
    assert statuses(call, 3) == [503, 200, 200]


def test_retry(fresh: Make) -> None:
    assert statuses(fresh(scenario=("retry",)), 5) == [503, 503, 200, 200, 200]
    # Requests that each name the scenario count the same way.
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


def test_create_rejected(fresh: Make) -> None:
    call = fresh(scenario=("create-rejected",))

    assert [response.status for response in every_operation(call)] == [200, 400, 200]
    assert len(pets(call)) == 16


def test_flaky_create(fresh: Make) -> None:
    call = fresh(scenario=("flaky-create",))
    created = [call("POST", "/v1/pets", json_body=NEW_PET) for _ in range(7)]

    assert [response.status for response in created] == [201, 201, 503, 201, 201, 503, 201]
    assert created[2].json["status"] == 503
    assert created[3].json["id"] == 19  # a request that fails adds nothing
    assert len(pets(call)) == 21
    assert call("GET", "/v1/pets/1").status == 200


def test_slow_body(fresh: Make) -> None:
    response = fresh(scenario=("slow-body",))("GET", "/v1/pets/1")

    assert (response.status, delay_of(response)) == (200, 0)


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


def test_double_submit(fresh: Make) -> None:
    call = fresh(scenario=("double-submit",))
    response = call("POST", "/v1/pets", json_body=NEW_PET)

    assert (response.status, delay_of(response)) == (201, 3.0)
    assert delay_of(call("GET", "/v1/pets")) == 0


def test_after_removal(fresh: Make) -> None:
    listed, created, got = every_operation(fresh(scenario=("after-removal",)))

    assert (listed.status, created.status, got.status) == (200, 201, 410)
    assert got.json["status"] == 410
    assert got.header("Sunset") == "Thu, 05 Dec 2030 00:00:00 GMT"
    assert got.header("Mockpets-Off-Contract") == "status 410 is not in the contract for getPet"


def test_orders(fresh: Make) -> None:
    call = fresh(scenario=("orders",))
    response = call("GET", "/v1/store/orders")

    assert response.status == 200
    assert [order["id"] for order in response.json] == [1, 2]
    assert response.header("Mockpets-Stub") == "orders/list-orders"
    assert response.header("Mockpets-Off-Contract")
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
