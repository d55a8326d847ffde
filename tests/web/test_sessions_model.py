"""Random calls on several sessions, compared with a model of all of them."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mockpets import Settings, create_app
from mockpets.contract.pet_store import PET_STORE
from mockpets.seed.generator import generate
from tests.http_client import Client, InProcess, Response

STATUSES = tuple(PET_STORE.document["components"]["schemas"]["PetStatus"]["enum"])

COUNT = 4
"""The initial pets of a session."""
BROUGHT = [{"id": 2, "name": "Two", "categoryId": 2}, {"id": 9, "name": "Nine", "categoryId": 9}]

Pets = dict[int, dict[str, Any]]


def by_id(pets: Any) -> Pets:
    return {pet["id"]: dict(pet) for pet in pets}


def grown(seed: int) -> Pets:
    return by_id(generate(COUNT, seed, "en_US"))


@dataclass
class Store:
    start: Pets
    pets: Pets = field(init=False)
    next_id: int = field(init=False)

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.pets = deepcopy(self.start)
        self.next_id = max([0, *self.start]) + 1

    def turn_to(self, pets: Pets) -> None:
        """Replace the pets; ids are never reused."""
        self.pets = deepcopy(pets)
        self.next_id = max([self.next_id, *(each + 1 for each in pets)])


@dataclass
class World:
    """The expected state of one session.

    :param own: the pets of the session, unless a scenario gives others.
    :param stores: by the scenario that gives pets, the first one of a stack that does.
    :param failed: the number of failures of `retry`, up to two.
    """

    seed: int = 1
    active: tuple[str, ...] = ("default",)
    document: int = 0
    own: Store = field(default_factory=lambda: Store(grown(1)))
    stores: dict[str, Store] = field(default_factory=dict)
    failed: int = 0
    requests: int = 0

    def store(self, names: tuple[str, ...]) -> Store:
        for name in names:
            if name in ("empty", "inline-1"):
                given = BROUGHT if name == "inline-1" else []
                return self.stores.setdefault(name, Store(by_id(given)))
        return self.own

    def fails(self, names: tuple[str, ...]) -> bool:
        if "retry" not in names or self.failed == 2:
            return False
        self.failed += 1
        return True

    def activate(self, names: tuple[str, ...]) -> None:
        if "inline-1" in self.active:
            self.stores.pop("inline-1", None)
        if "retry" in names and ("retry" not in self.active or {*names} == {*self.active}):
            self.failed = 0
        self.active = names

    def reset(self) -> None:
        self.own.reset()
        self.stores, self.failed, self.requests = {}, 0, 0


SESSIONS = st.sampled_from(["default", "w1", "w2"])
IDS = st.integers(-1, 12)
NAMES = st.text(min_size=0, max_size=5).filter(lambda text: text.isprintable())
STATUS = st.none() | st.sampled_from(STATUSES)
CACHED_STACKS = st.sampled_from(
    [("default",), ("empty",), ("retry",), ("retry", "empty"), ("empty", "retry"), ("missing",)]
)
PLUS = st.just(()) | CACHED_STACKS
PETS = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(-3, 20), "name": NAMES, "categoryId": st.integers(0, 9)},
        optional={"status": st.sampled_from(STATUSES)},
    ),
    max_size=4,
    unique_by=lambda pet: pet["id"],
)
DOCUMENT = {"description": "d", "data": {"pets": BROUGHT}}


class Worlds(RuleBasedStateMachine):
    """One server, and the expected state of its sessions."""

    def __init__(self) -> None:
        super().__init__()
        self.call = Client(InProcess(create_app(Settings(data=(f"pets={COUNT}",), max_sessions=3))))
        self.worlds = {"default": World()}
        self.not_created: set[str] = set()
        """Sessions whose first call in this step failed, and so has not created them."""

    def world(self, session: str) -> World:
        return self.worlds.setdefault(session, World())

    def control(
        self, session: str, method: str, path: str, body: Any = None, plus: tuple[str, ...] = ()
    ) -> Response:
        is_new = session not in self.worlds or session in self.not_created
        self.world(session)
        base = "+".join([f"/~{session}", *plus])
        response = self.call(method, f"{base}/__mockpets/{path}", json_body=body, key=None)
        if is_new and response.status >= 400:
            self.not_created.add(session)
        else:
            self.not_created.discard(session)
        return response

    def ask(
        self, session: str, method: str, path: str, plus: tuple[str, ...], body: Any = None
    ) -> tuple[Response, Store, bool]:
        """Make a request to ``/v1``; return the response, its store, and whether it fails."""
        world, names = self.world(session), plus or self.world(session).active
        base = "+".join([f"/~{session}", *plus])
        response = self.call(method, f"{base}/v1/pets{path}", json_body=body)
        world.requests += 1
        assert response.header("Mockpets-Session") == session
        assert response.header("Mockpets-Scenario") == ", ".join(names)
        assert response.header("Mockpets-Request") == str(world.requests)
        store = world.store(names)
        fails = world.fails(names)
        if fails:
            assert response.status == 503
        return response, store, fails

    # --- Requests -----------------------------------------------------------------------------

    @rule(session=SESSIONS, plus=PLUS, name=NAMES, status=STATUS)
    def create(self, session: str, plus: tuple[str, ...], name: str, status: str | None) -> None:
        new: dict[str, Any] = {"name": name, "categoryId": 1}
        if status is not None:
            new["status"] = status
        response, store, fails = self.ask(session, "POST", "", plus, new)
        if fails:
            return
        pet = {"id": store.next_id, **new}
        assert (response.status, response.json) == (201, pet)
        store.pets[store.next_id] = pet
        store.next_id += 1

    @rule(session=SESSIONS, plus=PLUS, status=STATUS)
    def list(self, session: str, plus: tuple[str, ...], status: str | None) -> None:
        query = f"?limit=100{'' if status is None else f'&status={status}'}"
        response, store, fails = self.ask(session, "GET", query, plus)
        if not fails:
            pets = [pet for _, pet in sorted(store.pets.items())]
            assert response.json == [each for each in pets if status in (None, each.get("status"))]

    @rule(session=SESSIONS, plus=PLUS, pet_id=IDS)
    def get(self, session: str, plus: tuple[str, ...], pet_id: int) -> None:
        response, store, fails = self.ask(session, "GET", f"/{pet_id}", plus)
        names = plus or self.world(session).active
        if fails:
            return
        if pet_id in store.pets and "missing" not in names:
            assert (response.status, response.json) == (200, store.pets[pet_id])
        else:
            assert (response.status, response.json["code"]) == (404, "pet_not_found")

    # --- Pets ---------------------------------------------------------------------------------

    @rule(session=SESSIONS, plus=PLUS, pets=PETS)
    def put(self, session: str, plus: tuple[str, ...], pets: Any) -> None:
        response = self.control(session, "PUT", "data/pets", pets, plus)
        assert response.json == {"total": len(pets)}
        self.about(session, plus).turn_to(by_id(pets))

    @rule(session=SESSIONS, plus=PLUS, pet_id=IDS, name=st.none() | NAMES, status=STATUS)
    def patch(
        self, session: str, plus: tuple[str, ...], pet_id: int, name: str | None, status: str | None
    ) -> None:
        changes: dict[str, Any] = {"status": status} | ({} if name is None else {"name": name})
        response = self.control(session, "PATCH", f"data/pets/{pet_id}", changes, plus)
        pets = self.about(session, plus).pets
        if pet_id not in pets:
            assert response.status == 404
            return
        changed = {key: each for key, each in (pets[pet_id] | changes).items() if each is not None}
        pets[pet_id] = changed
        assert response.json == changed

    @rule(session=SESSIONS, plus=PLUS, pet_id=IDS)
    def delete(self, session: str, plus: tuple[str, ...], pet_id: int) -> None:
        response = self.control(session, "DELETE", f"data/pets/{pet_id}", plus=plus)
        pets = self.about(session, plus).pets
        gone = pets.pop(pet_id, None)
        assert response.status == (404 if gone is None else 200)

    def about(self, session: str, plus: tuple[str, ...]) -> Store:
        world = self.world(session)
        return world.store(plus or world.active)

    # --- Scenarios and sessions ---------------------------------------------------------------

    @rule(session=SESSIONS, stack=CACHED_STACKS)
    def use(self, session: str, stack: tuple[str, ...]) -> None:
        response = self.control(session, "PUT", "scenario", {"scenario": [*stack]})
        self.world(session).activate(stack)
        assert response.json["active"] == [*stack]
        assert response.json.keys() <= {"active", "notes"}

    @rule(session=SESSIONS, name=st.sampled_from([(), ("retry",)]))
    def use_a_document(self, session: str, name: tuple[str, ...]) -> None:
        body = {"scenario": [*name, DOCUMENT]}
        assert self.control(session, "PUT", "scenario", body).status == 200
        self.world(session).activate((*name, "inline-1"))

    @rule(
        session=SESSIONS,
        body=st.sampled_from(
            [{"scenario": ["empty", "emtpy"]}, {"scenario": [DOCUMENT, {"stubs": 1}]}, {}]
        ),
    )
    def use_badly(self, session: str, body: Any) -> None:
        assert self.control(session, "PUT", "scenario", body).status in (400, 422)
        assert self.control(session, "PUT", "data/pets", [{"id": 1}]).status == 400

    @rule(session=SESSIONS)
    def reset(self, session: str) -> None:
        assert self.control(session, "POST", "reset").status == 200
        self.world(session).reset()

    @rule(session=SESSIONS)
    def clear(self, session: str) -> None:
        assert self.control(session, "DELETE", "requests").status == 200

    @rule(
        session=SESSIONS,
        seed=st.none() | st.integers(0, 3),
        pets=st.none() | PETS,
        stack=st.none() | CACHED_STACKS,
    )
    def put_session(
        self, session: str, seed: int | None, pets: Any, stack: tuple[str, ...] | None
    ) -> None:
        body: dict[str, Any] = {}
        if seed is not None:
            body["seed"] = seed
        if pets is not None:
            body["data"] = {"pets": pets}
        if stack is not None:
            body["scenario"] = [*stack]
        is_new = session not in self.worlds
        response = self.call("PUT", f"/__mockpets/sessions/{session}", json_body=body, key=None)
        assert response.status == (201 if is_new else 200)
        world = self.world(session)
        world.seed = world.seed if seed is None else seed
        if seed is not None or pets is not None:
            world.own = Store(grown(world.seed) if pets is None else by_id(pets))
            world.reset()
        if stack is not None:
            world.activate(stack)

    @rule(session=st.sampled_from(["w1", "w2"]))
    def drop(self, session: str) -> None:
        response = self.call("DELETE", f"/__mockpets/sessions/{session}", key=None)
        assert response.status == (404 if self.worlds.pop(session, None) is None else 200)

    @invariant()
    def every_session_is_as_it_ought_to_be(self) -> None:
        for name in self.not_created:
            self.worlds.pop(name)
        self.not_created.clear()
        listed = self.call("GET", "/__mockpets/sessions", key=None).json["sessions"]
        assert {each["name"] for each in listed} == {*self.worlds}
        for told in listed:
            world = self.worlds[told["name"]]
            assert (told["active"], told["seed"]) == ([*world.active], world.seed)
            assert told["records"] == len(world.store(world.active).pets)
            base = f"/~{told['name']}/__mockpets"
            pets = self.call("GET", f"{base}/data/pets", key=None).json["records"]
            assert pets == [pet for _, pet in sorted(world.store(world.active).pets.items())]
            assert (
                self.call("GET", f"{base}/requests?limit=1", key=None).json["last"]
                == world.requests
            )


TestWorlds = pytest.mark.slow(Worlds.TestCase)
TestWorlds.settings = settings(max_examples=settings().max_examples // 5, stateful_step_count=30)
