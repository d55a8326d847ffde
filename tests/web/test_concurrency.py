"""Many concurrent clients of one server: nothing is lost or mixed up."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import pytest

from mockpets import MockpetsServer, Settings
from tests.http_client import JSON, KEY

THREADS = 16


@pytest.mark.parametrize("each", [50, pytest.param(500, marks=pytest.mark.slow)])
def test_16_threads_create_pets(each: int) -> None:
    with MockpetsServer(Settings(port=0, pets="0")) as server:
        address = server.url.removeprefix("http://").removesuffix("/v1")

        def work(number: int) -> list[int]:
            connection = HTTPConnection(address, timeout=30)
            made = []
            for turn in range(each):
                body = json.dumps({"name": f"{number}-{turn}", "categoryId": number})
                connection.request("POST", "/v1/pets", body, KEY | JSON)
                response = connection.getresponse()
                assert response.status == 201
                made.append(json.loads(response.read())["id"])
                if turn % 10 == 0:
                    connection.request("GET", "/v1/pets?limit=100", headers=KEY)
                    page = json.loads(connection.getresponse().read())
                    assert [pet["id"] for pet in page] == list(range(1, len(page) + 1))
            connection.close()
            return made

        with ThreadPoolExecutor(THREADS) as pool:
            made = list(pool.map(work, range(THREADS)))

    assert sorted(number for ids in made for number in ids) == list(range(1, THREADS * each + 1))
    assert all(ids == sorted(ids) for ids in made)
