"""Random creates, lists, gets and resets, compared with a model of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mockpets import Settings, create_app
from mockpets.constants import INT64_MAX, INT64_MIN, PET_STATUSES
from mockpets.pets.generator import generate
from tests.http_client import Client, InProcess

if TYPE_CHECKING:
    from mockpets.contract.schemas import Pet

START = {pet["id"]: pet for pet in generate(16, 1, "en_US")}
STATUS = st.none() | st.sampled_from(PET_STATUSES)


class Server(RuleBasedStateMachine):
    """One server, and its expected pets."""

    def __init__(self) -> None:
        super().__init__()
        app = create_app(Settings(max_pets=8))
        self.call = Client(InProcess(app))
        self.session = app.extensions["mockpets"].sessions.default
        self.pets: dict[int, Pet] = dict(START)

    @rule(name=st.text(max_size=30), category=st.integers(INT64_MIN, INT64_MAX), status=STATUS)
    def create(self, name: str, category: int, status: str | None) -> None:
        sent: dict[str, Any] = {"name": name, "categoryId": category}
        if status is not None:
            sent["status"] = status
        response = self.call("POST", "/v1/pets", json_body=sent)
        if len(self.pets) == len(START) + 8:
            assert (response.status, response.json["code"]) == (507, "store_full")
            return
        expected = {"id": len(self.pets) + 1, **sent}
        assert (response.status, response.json) == (201, expected)
        self.pets[response.json["id"]] = response.json

    @rule(body=st.sampled_from([b"", b"[]", b'{"name":"x"}', b'{"name":"x","categoryId":true}']))
    def create_badly(self, body: bytes) -> None:
        response = self.call(
            "POST", "/v1/pets", body=body, headers={"Content-Type": "application/json"}
        )
        assert response.status == 400

    @rule(limit=st.integers(1, 100), status=STATUS)
    def list(self, limit: int, status: str | None) -> None:
        query = f"limit={limit}" + (f"&status={status}" if status else "")
        wanted = [pet for pet in self.pets.values() if status in (None, pet.get("status"))]
        assert self.call("GET", f"/v1/pets?{query}").json == wanted[:limit]

    @rule(pet_id=st.integers(-1, 30))
    def get(self, pet_id: int) -> None:
        response = self.call("GET", f"/v1/pets/{pet_id}")
        if pet_id in self.pets:
            assert (response.status, response.json) == (200, self.pets[pet_id])
        else:
            assert (response.status, response.json["code"]) == (404, "pet_not_found")

    @rule()
    def elsewhere(self) -> None:
        """Changes in a scenario's own store do not affect the session's."""
        response = self.call(
            "POST", "/v1/pets", scenario="empty", json_body={"name": "x", "categoryId": 1}
        )
        assert response.status in (201, 507)

    @precondition(lambda self: len(self.pets) > len(START))
    @rule()
    def reset(self) -> None:
        self.session.reset()
        self.pets = dict(START)

    @invariant()
    def the_first_page_is_the_models(self) -> None:
        assert self.call("GET", "/v1/pets").json == list(self.pets.values())[:20]


TestServer = Server.TestCase
TestServer.settings = settings(max_examples=settings().max_examples // 5, stateful_step_count=40)
