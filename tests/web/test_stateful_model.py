"""Random requests to two sessions of the clinic, compared with an independent model."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.web.checked_client import CLINIC, Checked

SESSIONS = st.sampled_from(["one", "one", "two"])
IDS = st.integers(0, 5)
WHO = st.integers(0, 9)
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


MEMBERS: list[dict[str, Any]] = [
    {"id": f"00000000-0000-4000-8000-00000000000{number}", "name": name, "role": "vet",
     "email": f"{name}@example.com"}
    for number, name in enumerate(("kim", "lou"))
]  # fmt: skip
EMAILS = st.sampled_from(["kim@example.com", "max@example.com", "Eva@example.com"])
PASSWORDS = st.sampled_from(["password-1", "password-2"])
STATUSES = st.sampled_from(["booked", "cancelled"])
CONTENTS = {"owners": OWNERS, "animals": ANIMALS, "members": MEMBERS, "appointments": []}
Records = dict[Any, dict[str, Any]]


class Model:
    """What a session has, by id.

    :param passwords: by the id of the member; who has none logs in with any.
    :param likes: who likes an animal.
    """

    def __init__(self) -> None:
        self.owners = by_id(OWNERS)
        self.animals = by_id(ANIMALS)
        self.members = by_id(MEMBERS)
        self.appointments: Records = {}
        self.next_owner = self.next_animal = 3
        self.passwords: dict[str, str] = {}
        self.likes: dict[int, set[str]] = {}

    def caller(self, who: str) -> str:
        """Return the id of a member; an unknown token is that of the first one."""
        return who if who in self.members else next(iter(self.members))

    def animal(self, key: int, who: str) -> dict[str, Any]:
        """Return an animal as a member sees it."""
        likes = self.caller(who) in self.likes.get(key, set())
        return {**self.animals[key], "favorite": likes}


def by_id(records: list[dict[str, Any]]) -> Records:
    return {each["id"]: deepcopy(each) for each in records}


class ClinicMachine(RuleBasedStateMachine):
    """Two sessions of the clinic, and what they should have."""

    call = Checked(CLINIC)

    def __init__(self) -> None:
        super().__init__()
        self.call.control("DELETE", "sessions")
        for session in ("one", "two"):
            for name, records in CONTENTS.items():
                assert self.call.control("PUT", f"data/{name}", records, session=session)
        self.models = {"one": Model(), "two": Model()}
        self.tokens = {"nobody": "somebody"}
        """The token of each member who has logged in, by id; they are valid in each session."""

    # --- Members ----------------------------------------------------------------------------------

    @rule(session=SESSIONS, email=EMAILS, password=PASSWORDS, name=NAMES)
    def register(self, session: str, email: str, password: str, name: str) -> None:
        model = self.models[session]
        is_taken = any(each["email"] == email for each in model.members.values())
        body = {"name": name, "email": email, "password": password}
        response = self.call("POST", "/auth/register", body, session=session, who=None)
        assert response.status == (409 if is_taken else 201)
        if not is_taken:
            member = response.json["member"]
            assert member["id"] not in model.members
            assert member == {**member, "name": name, "email": email}
            model.members[member["id"]] = member
            model.passwords[member["id"]] = password
            self.tokens[member["id"]] = response.json["token"]

    @rule(session=SESSIONS, email=EMAILS, password=PASSWORDS)
    def log_in(self, session: str, email: str, password: str) -> None:
        model = self.models[session]
        member = next((each for each in model.members.values() if each["email"] == email), None)
        body = {"email": email, "password": password}
        response = self.call("POST", "/auth/login", body, session=session, who=None)
        if member is None or model.passwords.get(member["id"], password) != password:
            assert response.status == 401
            return
        assert response.json["member"] == member
        token = self.tokens.setdefault(member["id"], response.json["token"])
        assert token == response.json["token"]

    @rule(session=SESSIONS, who=WHO, name=NAMES)
    def rename_me(self, session: str, who: int, name: str) -> None:
        model, member = self.models[session], self.somebody(who)
        key, token = model.caller(member), self.tokens[member]
        model.members[key] = {**model.members[key], "name": name}
        response = self.call("PATCH", "/me", {"name": name}, session=session, who=token)
        assert response.json == model.members[key]
        assert self.call("GET", "/me", session=session, who=token).json == model.members[key]

    def somebody(self, number: int) -> str:
        """Return the id of a member with a token."""
        return [*self.tokens][number % len(self.tokens)]

    # --- Owners and animals -----------------------------------------------------------------------

    @rule(session=SESSIONS, body=NEW_OWNERS)
    def create_owner(self, session: str, body: dict[str, Any]) -> None:
        model = self.models[session]
        made = self.call("POST", "/owners", body, session=session)
        owner = made.json["data"]
        key, model.next_owner = max(model.next_owner, owner["id"]), owner["id"] + 1
        assert owner == {**body, "id": key, "createdAt": owner["createdAt"]}
        assert made.header("Location") == f"/~{session}/api/owners/{key}"
        model.owners[key] = owner

    @rule(session=SESSIONS, key=IDS, body=OWNER_CHANGES)
    def update_owner(self, session: str, key: int, body: dict[str, Any]) -> None:
        owners = self.models[session].owners
        kind = "application/merge-patch+json"
        response = self.call("PATCH", f"/owners/{key}", body, kind=kind, session=session)
        assert response.status == (200 if key in owners else 404)
        if key in owners:
            owners[key] = {**owners[key], **body}

    @rule(session=SESSIONS, key=IDS, body=NEW_OWNERS)
    def replace_owner(self, session: str, key: int, body: dict[str, Any]) -> None:
        owners = self.models[session].owners
        response = self.call("PUT", f"/owners/{key}", body, session=session)
        assert response.status == (200 if key in owners else 404)
        if key in owners:
            owners[key] = {**body, "id": key, "createdAt": owners[key]["createdAt"]}

    @rule(session=SESSIONS, key=IDS)
    def delete_owner(self, session: str, key: int) -> None:
        model = self.models[session]
        response = self.call("DELETE", f"/owners/{key}", session=session)
        assert response.status == (204 if model.owners.pop(key, None) else 404)
        gone = [each["id"] for each in model.animals.values() if each["ownerId"] == key]
        for each in gone:
            self.forget(model, each)

    def forget(self, model: Model, animal: int) -> None:
        del model.animals[animal]
        model.likes.pop(animal, None)

    @rule(session=SESSIONS, owner=IDS, body=NEW_ANIMALS)
    def create_animal(self, session: str, owner: int, body: dict[str, Any]) -> None:
        model = self.models[session]
        response = self.call("POST", f"/owners/{owner}/animals", body, session=session)
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
        response = self.call("PATCH", f"/animals/{key}", body, session=session)
        assert response.status == (200 if key in animals else 404)
        if key in animals:
            animals[key] = {**animals[key], **body}

    @rule(session=SESSIONS, key=IDS)
    def delete_animal(self, session: str, key: int) -> None:
        model = self.models[session]
        response = self.call("DELETE", f"/animals/{key}", session=session)
        assert response.status == (204 if key in model.animals else 404)
        if key in model.animals:
            self.forget(model, key)

    @rule(session=SESSIONS, key=IDS, likes=st.booleans(), who=WHO)
    def like(self, session: str, key: int, likes: bool, who: int) -> None:
        model, member = self.models[session], self.somebody(who)
        method, token = "POST" if likes else "DELETE", self.tokens[member]
        response = self.call(method, f"/animals/{key}/favorite", session=session, who=token)
        assert response.status == (200 if key in model.animals else 404)
        if key in model.animals:
            caller, known = model.caller(member), model.likes.setdefault(key, set())
            if likes is not (caller in known):
                known ^= {caller}
                model.animals[key]["favoritesCount"] += 1 if likes else -1
            assert response.json == model.animal(key, member)

    # --- Appointments -----------------------------------------------------------------------------

    @rule(session=SESSIONS, animal=IDS, minutes=st.sampled_from([5, 30, None]))
    def create_appointment(self, session: str, animal: int, minutes: int | None) -> None:
        appointments = self.models[session].appointments
        body: dict[str, Any] = {"animalId": animal, "startsAt": "2030-01-01T10:00:00Z"}
        body |= {} if minutes is None else {"minutes": minutes}
        made = self.call("POST", "/appointments", body, session=session).json
        assert made["id"] not in appointments
        assert made == {"minutes": 15, **body, "id": made["id"], **made}
        appointments[made["id"]] = made

    @rule(session=SESSIONS, number=WHO, is_deleted=st.booleans())
    def end_appointment(self, session: str, number: int, is_deleted: bool) -> None:
        appointments = self.models[session].appointments
        keys = [*appointments, "00000000-0000-4000-8000-000000000009"]
        path = f"/appointments/{(key := keys[number % len(keys)])}"
        if is_deleted:
            response = self.call("DELETE", path, session=session)
        else:
            response = self.call("POST", f"{path}/cancel", session=session)
        if key not in appointments:
            assert response.status == 404
        elif is_deleted:
            del appointments[key]
        elif appointments[key].get("status") == "cancelled":
            assert response.status == 409  # has happened already
        else:
            appointments[key] = {**appointments[key], "status": "cancelled"}
            assert response.json == appointments[key]

    @rule(session=SESSIONS, animal=st.none() | IDS, status=STATUSES, limit=st.integers(1, 3))
    def follow_cursors(self, session: str, animal: int | None, status: str, limit: int) -> None:
        expected = [
            each
            for each in self.models[session].appointments.values()
            if each.get("status") == status and animal in (None, each["animalId"])
        ]
        query: dict[str, Any] = {"status": status, "limit": limit}
        query |= {} if animal is None else {"animalId": animal}
        found: list[Any] = []
        while True:
            page = self.call("GET", "/appointments", session=session, **query).json
            assert len(page["items"]) <= limit
            found += page["items"]
            if not page.get("nextCursor"):
                break
            query["cursor"] = page["nextCursor"]
        assert found == expected

    # --- Lists ------------------------------------------------------------------------------------

    @rule(session=SESSIONS, body=st.sampled_from([{}, {"name": ""}, {"name": 1, "email": "a"}, []]))
    def reject(self, session: str, body: object) -> None:
        assert self.call("POST", "/owners", body, session=session).status == 422
        assert self.call("PUT", "/owners/1", body, session=session).status == 422

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
        model = self.models[session]
        found = [
            model.animal(key, "nobody")
            for key, each in sorted(model.animals.items())
            if each["species"] == query.get("species", each["species"])
            and each["ownerId"] == query.get("ownerId", each["ownerId"])
            and ("tag" not in query or query["tag"] in each.get("tags", ()))
            and ("bornAfter" not in query or each.get("bornOn", "") >= query["bornAfter"])
            and ("bornBefore" not in query or each.get("bornOn", "z") <= query["bornBefore"])
        ]
        response = self.call(
            "GET", "/animals", session=session, limit=limit, offset=offset, **query
        )
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
        response = self.call("GET", "/owners", session=session, **query)
        assert response.json == {
            "data": found[(page - 1) * limit : page * limit],
            "meta": {"total": len(found), "page": page, "pages": -(-len(found) // limit)},
        }

    @rule(session=SESSIONS, owner=IDS, who=WHO)
    def list_children(self, session: str, owner: int, who: int) -> None:
        model, member = self.models[session], self.somebody(who)
        own = [key for key, each in model.animals.items() if each["ownerId"] == owner]
        path, token = f"/owners/{owner}/animals", self.tokens[member]
        response = self.call("GET", path, session=session, who=token)
        assert response.status == (200 if owner in model.owners else 404)
        if owner in model.owners:
            assert response.json == [model.animal(key, member) for key in own]
        tags = {tag for each in model.animals.values() for tag in each.get("tags", ())}
        assert {*self.call("GET", "/tags", session=session).json} == tags

    @invariant()
    def all_is_there(self) -> None:
        for session, model in self.models.items():
            self.check(model, *(self.found(session, name) for name in CONTENTS))

    def found(self, session: str, name: str) -> Records:
        """Return the records of a collection by id."""
        query: dict[str, Any] = {} if name == "members" else {"limit": 50}
        body = self.call("GET", f"/{name}", session=session, **query).json
        records = body if name == "members" else next(iter(body.values()))
        return {each["id"]: each for each in records}

    def check(
        self, model: Model, owners: Records, animals: Records, members: Records, visits: Records
    ) -> None:
        """Compare the records of a session with those of its model."""
        assert owners == model.owners
        assert animals == {key: model.animal(key, "nobody") for key in model.animals}
        assert members == model.members
        assert visits == model.appointments


TestClinic = pytest.mark.slow(ClinicMachine.TestCase)
TestClinic.settings = settings(stateful_step_count=12)
