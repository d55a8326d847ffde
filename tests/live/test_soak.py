"""Many mixed requests to the real program do not make it grow."""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random

import pytest

from tests.http_client import JSON, KEY
from tests.live.processes import serving

THREADS = 4
GROWTH = 5 * 1024  # KiB
SCENARIOS = ["default", "empty", "flaky", "retry", "missing", "orders", "truncated", "full-page"]
SCENARIOS += ["nix", "offline", "broken-json"]


def held(pid: int) -> tuple[int, int, int]:
    """Return resident memory in KiB, threads and open files of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    memory, threads = (
        int(re.findall(rf"{name}:\s*(\d+)", status)[0]) for name in ("VmRSS", "Threads")
    )
    return memory, threads, len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208 - names alone


def send(address: str, seed: int, count: int) -> int:
    """Send `count` valid and invalid requests; return the number of responses."""
    random = Random(seed)
    connection = HTTPConnection(address, timeout=30)
    answered = 0
    for _ in range(count):
        headers = dict(KEY) if random.random() < 0.9 else {}
        if random.random() < 0.5:
            headers["Mockpets-Scenario"] = random.choice(SCENARIOS)
        method, target, body = random.choice(
            [
                ("GET", f"/v1/pets?limit={random.randint(0, 110)}", None),
                ("GET", f"/v1/pets?status={random.choice(['sold', 'lost'])}", None),
                ("GET", f"/v1/pets/{random.randint(-1, 60)}", None),
                ("HEAD", "/v1/pets", None),
                ("DELETE", "/v1/pets/1", None),
                ("GET", f"/v1/{random.randint(0, 99)}", None),
                ("GET", "/v1/store/orders", None),
                ("OPTIONS", "/v1/pets", None),
                ("POST", "/v1/pets", json.dumps({"name": "x", "categoryId": True})),
                ("POST", "/v1/pets", "{" * random.randint(0, 40)),
                ("GET", "/__mockpets/openapi.json", None),
            ]
        )
        try:
            connection.request(method, target, body, headers | (JSON if body else {}))
            response = connection.getresponse()
            response.read()
            assert response.status != 500
            answered += 1
        except (OSError, HTTPException):  # a scenario broke the connection
            connection.close()
    connection.close()
    return answered


@pytest.mark.long
def test_memory_descriptors_and_threads_do_not_grow() -> None:
    count = int(os.environ.get("SOAK_REQUESTS", "8000"))
    with serving() as (port, pid), ThreadPoolExecutor(THREADS) as pool:

        def work(seed: int, requests: int) -> int:
            share = requests // THREADS
            seeds = range(seed, seed + THREADS)
            return sum(pool.map(lambda each: send(f"127.0.0.1:{port}", each, share), seeds))

        work(1, count // 4)  # warm up
        before = held(pid)
        answered = work(100, count)
        after = held(pid)

    assert answered > count * 0.8
    assert after[0] - before[0] < GROWTH, (before, after)
    assert after[1] == before[1]
    assert after[2] <= before[2] + THREADS
