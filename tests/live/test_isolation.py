"""16 threads on one server, each with its own session and scenario: no state leaks between them.

Each thread compares every response with a plain model of its session.
`ISOLATION_REQUESTS` is the number of requests per thread; 500 take half a minute.
"""

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from random import Random
from typing import Any, Literal

import pytest

from mockpets import MockpetsServer, Settings
from tests.http_client import JSON

THREADS = 16
REQUESTS = int(os.environ.get("ISOLATION_REQUESTS", "120"))

Place = Literal["path", "header", "key", "mixed"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with MockpetsServer(Settings(port=0)) as server:
        yield server.url.removeprefix("http://")


class Worker:
    """One client of one session, with a model of the expected state.

    :param number: makes all of its data unique.
    """

    def __init__(self, address: str, number: int, place: Place) -> None:
        self.number, self.place = number, place
        self.name = f"{place}-{number}"
        self.random = Random(number)
        self.connection = HTTPConnection(address, timeout=30)
        self.start = {
            each: {"id": each, "name": f"{self.name} {each}", "categoryId": number}
            for each in range(1, number + 2)
        }
        self.stores = {"": dict(self.start), "+empty": dict[int, Any]()}
        self.next_id = {"": number + 2, "+empty": 1}
        self.position = 0
        self.sent: list[tuple[str, str, int]] = []

    @property
    def document(self) -> dict[str, Any]:
        """A scenario whose sequence has a unique length and a reply that names the worker."""
        replies = [
            {"status": 200, "text": f"{self.name} {turn}"} for turn in range(self.number + 2)
        ]
        match = {"method": "GET", "path": "/v1/count"}
        counts = {"match": match, "sequence": replies, "repeat": "cycle", "off_contract": True}
        return {"description": self.name, "stubs": [{"name": "counts", **counts}]}

    # --- Calls --------------------------------------------------------------------------------

    def control(self, method: str, path: str, body: Any = None) -> Any:
        raw = None if body is None else json.dumps(body)
        target = f"/~{self.name}/__mockpets/{path}"
        self.connection.request(method, target, raw, {} if raw is None else JSON)
        response = self.connection.getresponse()
        got = json.loads(response.read())
        assert response.status in (200, 201), got
        return got

    def ask(self, method: str, path: str, body: Any = None, plus: str = "") -> tuple[int, str]:
        """Make one request to ``/v1``; the response must have this session's next number."""
        how = self.place
        if how == "mixed":
            how = self.random.choice(("path", "header", "key"))
        headers = {"Authorization": "Bearer mockpets"}
        base = ""
        if how == "path":
            base = f"/~{self.name}{plus}"
        elif how == "key":
            headers["Authorization"] += f"~{self.name}{plus}"
        else:
            headers["Mockpets-Session"] = self.name
            if plus:
                headers["Mockpets-Scenario"] = plus[1:]
        raw = None if body is None else json.dumps(body)
        target = f"{base}{path}{'&' if '?' in path else '?'}by={self.name}"
        self.connection.request(method, target, raw, headers | ({} if raw is None else JSON))
        response = self.connection.getresponse()
        text = response.read().decode()
        self.sent.append((method, target, response.status))
        assert response.headers["Mockpets-Session"] == self.name
        assert response.headers["Mockpets-Request"] == str(len(self.sent))
        assert response.headers["Mockpets-Scenario"] == (plus[1:] or "inline-1")
        return response.status, text

    # --- Actions ------------------------------------------------------------------------------

    def count(self) -> None:
        assert self.ask("GET", "/v1/count") == (200, f"{self.name} {self.position}")
        self.position = (self.position + 1) % (self.number + 2)

    def create(self) -> None:
        plus = self.random.choice(("", "+empty"))
        new = {"name": f"{self.name} {len(self.sent)}", "categoryId": self.number}
        status, text = self.ask("POST", "/v1/pets", new, plus)
        pet = {"id": self.next_id[plus], **new}
        assert (status, json.loads(text)) == (201, pet)
        self.stores[plus][self.next_id[plus]] = pet
        self.next_id[plus] += 1

    def list(self) -> None:
        plus = self.random.choice(("", "+empty"))
        status, text = self.ask("GET", "/v1/pets?limit=100", plus=plus)
        assert (status, json.loads(text)) == (200, [*self.stores[plus].values()][:100])

    def get(self) -> None:
        pet_id = self.random.randint(1, 40)
        status, text = self.ask("GET", f"/v1/pets/{pet_id}")
        pet = self.stores[""].get(pet_id)
        assert status == (200 if pet else 404)
        assert pet is None or json.loads(text) == pet

    def refused(self) -> None:
        assert self.ask("POST", "/v1/pets", {"name": 7})[0] == 400

    def change(self) -> None:
        pets = self.stores[""]
        pet_id = self.random.choice([*pets])
        if self.random.random() < 0.3 and len(pets) > 1:
            assert self.control("DELETE", f"data/pets/{pet_id}") == {"total": len(pets) - 1}
            del pets[pet_id]
            return
        name = f"{self.name} changed {len(self.sent)}"
        pets[pet_id] = {**pets[pet_id], "name": name}
        assert self.control("PATCH", f"data/pets/{pet_id}", {"name": name}) == pets[pet_id]

    def use(self) -> None:
        """Restart the scenario's counters."""
        active = self.control("PUT", "scenario", {"scenario": self.document})["active"]
        assert active == ["inline-1"]
        self.position = 0

    def reset(self) -> None:
        self.check()
        self.control("POST", "reset")
        self.stores = {"": dict(self.start), "+empty": {}}
        self.next_id = {"": self.number + 2, "+empty": 1}
        self.position, self.sent = 0, []

    def check(self) -> None:
        """Compare request log and state with the requests that were sent."""
        state = self.control("GET", "state")
        assert (state["session"], state["active"]) == (self.name, ["inline-1"])
        assert state["counts"]["records"] == len(self.stores[""])
        request_log = self.control("GET", "requests?limit=1000")
        assert {row["session"] for row in request_log["requests"]} <= {self.name}
        rows = [(row["method"], row["target"], row["status"]) for row in request_log["requests"]]
        assert rows == self.sent
        assert request_log["last"] == len(self.sent)
        answered = [status == 201 for _, _, status in self.sent]
        wanted = {"match": {"operation": "createPet", "body": {"name": {"contains": self.name}}}}
        verdict = self.control("POST", "verify", wanted | {"times": sum(answered)})
        assert verdict["matched"] == sum(answered)

    def work(self) -> int:
        """Make all requests; return the number of correct responses."""
        made = {"scenario": self.document, "data": {"pets": [*self.start.values()]}}
        assert self.control("PUT", f"sessions/{self.name}", made)["active"] == ["inline-1"]
        most: list[Callable[[], None]] = [self.count, self.create, self.list, self.get]
        seldom: list[Callable[[], None]] = [*(self.refused, self.change, self.use, self.reset)]
        for turn in range(REQUESTS):
            self.random.choice(seldom if turn % 10 == 9 else most)()
        self.check()
        self.connection.close()
        return REQUESTS


LONG = pytest.mark.long


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("mixed", marks=pytest.mark.slow),
        *(pytest.param(one, marks=LONG) for one in ("path", "header", "key")),
    ],
)
def test_no_session_sees_the_state_of_another(address: str, place: Place) -> None:
    workers = [Worker(address, number, place) for number in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        done = sum(pool.map(Worker.work, workers))

    assert done == THREADS * REQUESTS
