"""Random requests to the clinic's owners and animals, compared with an independent model."""

from copy import deepcopy
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.web.checked_client import CLINIC, Checked

CALL = Checked(CLINIC)
SESSIONS = st.sampled_from(["one", "one", "two"])
IDS = st.integers(0, 5)
NAMES = st.sampled_from(["Ada", "Bo", "ada b", "é/?&", "1", "null"])
PHONES = st.none() | st.sampled_from(["1", "2"])
ADDRESSES = st.fixed_dictionaries({"street": NAMES, "city": st.sampled_from(["Bern", "Basel"])})
NEW_OWNERS = st.fixed_dictionaries(
    {"name": NAMES, "email": st.just("a@example.com")},
    optional={"phone": PHONES, "address": ADDRESSES},
)
OWNER_CHANGES = st.fixed_dictionaries(
    {}, optional={"name": NAMES, "phone": PHONES, "address": ADDRESSES}
)
TAGS = st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=2)
DATES = st.sampled_from(["2020-01-01", "2021-06-15", "2022-12-31"])
SPECIES = st.sampled_from(["dog", "cat"])
NEW_ANIMALS = st.fixed_dictionaries(
    {"name": NAMES, "species": SPECIES},
    optional={"bornOn": DATES, "tags": TAGS, "chipCode": st.just("123456789012345")},
)
ANIMAL_CHANGES = st.fixed_dictionaries({"name": NAMES}) | st.fixed_dictionaries(
    {"tags": TAGS}, optional={"bornOn": DATES}
)
OWNERS: list[dict[str, Any]] = [
    {"id": 1, "name": "Cleo", "email": "c@example.com", "createdAt": "2024-01-01T00:00:00Z"},
    {"id": 2, "name": "Dan", "email": "d@example.com", "createdAt": "2024-01-02T00:00:00Z"},
]
ANIMALS: list[dict[str, Any]] = [
    {"id": key, "ownerId": key, "name": "Rex", "species": species, "favorite": False,
     "favoritesCount": 3}
    for key, species in ((1, "dog"), (2, "cat"))
]  # fmt: skip


class Model:
    """What a session has, by id."""

    def __init__(self) -> None:
        self.owners = {each["id"]: deepcopy(each) for each in OWNERS}
        self.animals = {each["id"]: deepcopy(each) for each in ANIMALS}
        self.next_owner = self.next_animal = 3


class ClinicMachine(RuleBasedStateMachine):
    """Two sessions of the clinic, and what they should have."""

    def __init__(self) -> None:
        super().__init__()
        CALL.control("DELETE", "sessions")
        for session in ("one", "two"):
            assert CALL.control("PUT", "data/owners", OWNERS, session=session)
            assert CALL.control("PUT", "data/animals", ANIMALS, session=session)
        self.models = {"one": Model(), "two": Model()}

    @rule(session=SESSIONS, body=NEW_OWNERS)
    def create_owner(self, session: str, body: dict[str, Any]) -> None:
        model = self.models[session]
        made = CALL("POST", "/owners", body, session=session)
        owner = made.json["data"]
        key, model.next_owner = max(model.next_owner, owner["id"]), owner["id"] + 1
        assert owner == {**body, "id": key, "createdAt": owner["createdAt"]}
        assert made.header("Location") == f"/~{session}/api/owners/{key}"
        model.owners[key] = owner

    @rule(session=SESSIONS, key=IDS, body=OWNER_CHANGES)
    def update_owner(self, session: str, key: int, body: dict[str, Any]) -> None:
        owners = self.models[session].owners
        kind = "application/merge-patch+json"
        response = CALL("PATCH", f"/owners/{key}", body, kind=kind, session=session)
        assert response.status == (200 if key in owners else 404)
        if key in owners:
            owners[key] = {**owners[key], **body}

    @rule(session=SESSIONS, key=IDS, body=NEW_OWNERS)
    def replace_owner(self, session: str, key: int, body: dict[str, Any]) -> None:
        owners = self.models[session].owners
        response = CALL("PUT", f"/owners/{key}", body, session=session)
        assert response.status == (200 if key in owners else 404)
        if key in owners:
            owners[key] = {**body, "id": key, "createdAt": owners[key]["createdAt"]}

    @rule(session=SESSIONS, key=IDS)
    def delete_owner(self, session: str, key: int) -> None:
        model = self.models[session]
        response = CALL("DELETE", f"/owners/{key}", session=session)
        assert response.status == (204 if model.owners.pop(key, None) else 404)
        kept = model.animals.items()
        model.animals = {name: each for name, each in kept if each["ownerId"] != key}

    @rule(session=SESSIONS, owner=IDS, body=NEW_ANIMALS)
    def create_animal(self, session: str, owner: int, body: dict[str, Any]) -> None:
        model = self.models[session]
        response = CALL("POST", f"/owners/{owner}/animals", body, session=session)
        assert response.status == (201 if owner in model.owners else 404)
        if owner in model.owners:
            key = response.json["id"]
            assert key == max(model.next_animal, key)
            model.next_animal = key + 1
            shown = {name: value for name, value in body.items() if name != "chipCode"}
            given = {"id": key, "ownerId": owner, "favorite": False, "favoritesCount": 0}
            model.animals[key] = {**shown, **given}

    @rule(session=SESSIONS, key=IDS, body=ANIMAL_CHANGES)
    def update_animal(self, session: str, key: int, body: dict[str, Any]) -> None:
        animals = self.models[session].animals
        response = CALL("PATCH", f"/animals/{key}", body, session=session)
        assert response.status == (200 if key in animals else 404)
        if key in animals:
            animals[key] = {**animals[key], **body}

    @rule(session=SESSIONS, key=IDS)
    def delete_animal(self, session: str, key: int) -> None:
        response = CALL("DELETE", f"/animals/{key}", session=session)
        assert response.status == (204 if self.models[session].animals.pop(key, None) else 404)

    @rule(session=SESSIONS, key=IDS, likes=st.booleans())
    def like(self, session: str, key: int, likes: bool) -> None:
        animal = self.models[session].animals.get(key)
        method = "POST" if likes else "DELETE"
        response = CALL(method, f"/animals/{key}/favorite", session=session)
        assert response.status == (404 if animal is None else 200)
        if animal is not None and animal["favorite"] is not likes:
            animal["favorite"] = likes
            animal["favoritesCount"] += 1 if likes else -1

    @rule(session=SESSIONS, body=st.sampled_from([{}, {"name": ""}, {"name": 1, "email": "a"}, []]))
    def reject(self, session: str, body: object) -> None:
        assert CALL("POST", "/owners", body, session=session).status == 422
        assert CALL("PUT", "/owners/1", body, session=session).status == 422

    @rule(
        session=SESSIONS,
        query=st.fixed_dictionaries({}, optional={
            "species": SPECIES, "ownerId": IDS, "tag": st.sampled_from(["a", "b"]),
            "bornAfter": DATES, "bornBefore": DATES,
        }),
        limit=st.integers(1, 3),
        offset=IDS,
    )  # fmt: skip
    def filter_animals(self, session: str, query: dict[str, Any], limit: int, offset: int) -> None:
        found = [
            each
            for _, each in sorted(self.models[session].animals.items())
            if each["species"] == query.get("species", each["species"])
            and each["ownerId"] == query.get("ownerId", each["ownerId"])
            and ("tag" not in query or query["tag"] in each.get("tags", ()))
            and ("bornAfter" not in query or each.get("bornOn", "") >= query["bornAfter"])
            and ("bornBefore" not in query or each.get("bornOn", "z") <= query["bornBefore"])
        ]
        response = CALL("GET", "/animals", session=session, limit=limit, offset=offset, **query)
        assert response.json == {"animals": found[offset : offset + limit], "total": len(found)}

    @rule(session=SESSIONS, q=NAMES, limit=st.integers(1, 3), page=st.integers(1, 3))
    def search_owners(self, session: str, q: str, limit: int, page: int) -> None:
        owners = [*self.models[session].owners.values()]
        texts = [(each, [*each.values(), *each.get("address", {}).values()]) for each in owners]
        found = sorted(
            (each for each, values in texts if any(q.lower() in str(value).lower()
             for value in values if isinstance(value, str))),
            key=lambda each: each["id"],
        )  # fmt: skip
        found.sort(key=lambda each: str(each["name"]).lower(), reverse=True)
        query: Any = {"q": q, "limit": limit, "page": page, "sort": "-name"}
        response = CALL("GET", "/owners", session=session, **query)
        assert response.json == {
            "data": found[(page - 1) * limit : page * limit],
            "meta": {"total": len(found), "page": page, "pages": -(-len(found) // limit)},
        }

    @invariant()
    def all_is_there(self) -> None:
        for session, model in self.models.items():
            owners = CALL("GET", "/owners", session=session, limit=50).json["data"]
            assert {each["id"]: each for each in owners} == model.owners
            animals = CALL("GET", "/animals", session=session, limit=100).json["animals"]
            assert {each["id"]: each for each in animals} == model.animals
            for key in (1, 2, 3):
                response = CALL("GET", f"/owners/{key}/animals", session=session)
                if key in model.owners:
                    own = [each for each in animals if each["ownerId"] == key]
                    assert response.json == own
                else:
                    assert response.status == 404
            tags = {tag for each in animals for tag in each.get("tags", ())}
            assert {*CALL("GET", "/tags", session=session).json} == tags


TestClinic = ClinicMachine.TestCase
TestClinic.settings = settings(stateful_step_count=12)
