"""Many threads that call one app: nothing is lost or mixed up."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from mockpets import Settings, create_app
from tests.http_client import Client, InProcess

THREADS = 16


@pytest.mark.parametrize(
    "each",
    [10, pytest.param(50, marks=pytest.mark.slow), pytest.param(500, marks=pytest.mark.long)],
)
def test_16_threads_create_pets(each: int) -> None:
    app = create_app(Settings(data=("pets=0",)))
    barrier = Barrier(THREADS)

    def work(number: int) -> list[int]:
        call = Client(InProcess(app))
        made = []
        barrier.wait(20)
        for turn in range(each):
            body = {"name": f"{number}-{turn}", "categoryId": number}
            for prefix in ("", f"/~w{turn}"):  # also in a session that is new to all threads
                response = call("POST", f"{prefix}/v1/pets", json_body=body)
                assert response.status == 201
                path = f"{prefix}/v1/pets/{response.json['id']}"
                assert call("GET", path).json == response.json
                if not prefix:
                    made.append(response.json["id"])
            if turn % 10 == 0:
                page = call("GET", "/v1/pets?limit=100").json
                assert [pet["id"] for pet in page] == list(range(1, len(page) + 1))
        return made

    with ThreadPoolExecutor(THREADS) as pool:
        made = list(pool.map(work, range(THREADS)))
    call = Client(InProcess(app))
    sessions = call("GET", "/__mockpets/sessions", key=None).json["sessions"]
    metrics = call("GET", "/__mockpets/metrics", key=None).body.decode()
    line = 'mockpets_requests_total{operation="createPet",status="201"}'

    assert sorted(number for ids in made for number in ids) == list(range(1, THREADS * each + 1))
    assert all(ids == sorted(ids) for ids in made)
    assert [session["records"] for session in sessions] == [THREADS * each] + [THREADS] * each
    assert f"{line} {2 * THREADS * each:.1f}\n" in metrics
