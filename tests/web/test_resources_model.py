"""Random requests to resources in several sessions, compared with an independent model."""

import json
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mockpets import Settings, create_app
from tests.http_client import Client, InProcess, Response
from tests.server.raw_http import Clock

FILES: dict[str, Any] = {
    "shop": {
        "description": "d",
        "resources": [
            {"path": "/v1/orders", "required": ["n"], "filters": ["n", "s"]},
            {"path": "/v1/notes"},
        ],
        "data": {"orders": [{"id": 1, "n": 1, "s": "a"}, {"id": 7, "n": 2}]},
    },
    "rival": {
        "description": "d",
        "resources": [{"path": "/v1/notes"}],
        "data": {"notes": [{"id": 4}]},
    },
    "based": {"description": "d", "extends": ["rival", "shop"]},
}
ITEMS: dict[tuple[str, str], list[Any]] = {
    ("shop", "orders"): FILES["shop"]["data"]["orders"],
    ("shop", "notes"): [],
    ("rival", "notes"): FILES["rival"]["data"]["notes"],
}
CACHED_STACKS = {
    "shop": {"orders": ("shop", "orders"), "notes": ("shop", "notes")},
    "shop,rival": {"orders": ("shop", "orders"), "notes": ("shop", "notes")},
    "missing,shop": {"orders": ("shop", "orders"), "notes": ("shop", "notes")},
    "rival,shop": {"orders": ("shop", "orders"), "notes": ("rival", "notes")},
    "based": {"orders": ("shop", "orders"), "notes": ("rival", "notes")},
    "rival": {"notes": ("rival", "notes")},
}
"""Each stack to its resources by path, and the key of the records that serve the path."""

SESSIONS = st.sampled_from(["w1", "w1", "w1", "w2"])
NAMES = st.sampled_from(["orders", "notes"])
LEAVES = st.none() | st.booleans() | st.integers(-3, 300) | st.sampled_from(["", "a", "3", 'é/"E'])
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["n", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)
PROPERTIES = st.dictionaries(st.sampled_from(["n", "s", "x", "id"]), VALUES, max_size=4)
CHOSEN: Any = st.sampled_from([1, 2, 3, 8, "2", "3", "5", "9", "a", "", "a/b", None, 1.5])
BODIES = st.one_of(
    PROPERTIES,
    st.builds(lambda n: {"n": n}, st.integers()),
    st.builds(lambda n, more: {**more, "n": n}, st.integers(), PROPERTIES),
    st.builds(lambda n, chosen: {"n": n, "id": chosen}, st.integers(), CHOSEN),
)
IDS = st.sampled_from(["1", "2", "3", "4", "7", "8", "a", "zz", "01"])
SCENARIO = st.sampled_from([None, None, None, *CACHED_STACKS])


def patched(target: Any, patch: Any) -> Any:
    """Return what RFC 7396 says, written after its pseudocode."""
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        else:
            target[name] = patched(target.get(name), value)
    return target


@dataclass
class Collection:
    records: list[dict[str, Any]]
    next: int

    def find(self, text: str) -> int | None:
        texts = [str(record["id"]) for record in self.records]
        return texts.index(text) if text in texts else None


def fresh(key: tuple[str, str]) -> Collection:
    return Collection(deepcopy(ITEMS[key]), 1 + max([0, *(item["id"] for item in ITEMS[key])]))


@dataclass
class Session:
    active: str = "shop"
    data: dict[tuple[str, str], Collection] = field(
        default_factory=lambda: {key: fresh(key) for key in ITEMS}
    )
    saved: dict[tuple[str, str], Collection] | None = None


def is_valid(key: tuple[str, str], record: dict[str, Any]) -> bool:
    if key != ("shop", "orders"):
        types: dict[str, Any] = {"id": int} if key[0] == "rival" else {}
        return all(type(record[name]) is kind for name, kind in types.items() if name in record)
    kinds = {"n": int, "s": str, "id": int}
    right = all(type(record[name]) is kind for name, kind in kinds.items() if name in record)
    return right and "n" in record


class Resources(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        for name, document in FILES.items():
            (Path(self.folder.name) / f"{name}.json").write_text(json.dumps(document))
        settings = Settings(scenarios_dir=(Path(self.folder.name),), scenario=("shop",))
        self.client = Client(InProcess(create_app(settings, Clock())))
        self.sessions = {"w1": Session(), "w2": Session()}

    def teardown(self) -> None:
        self.folder.cleanup()

    def call(self, session: str, method: str, path: str, body: Any = None, **more: Any) -> Response:
        return self.client(method, f"/~{session}{path}", json_body=body, **more)

    def served(
        self, session: str, name: str, scenario: str | None
    ) -> tuple[tuple[str, str], Collection] | None:
        """Return the records that a path has in a stack; None if it has none."""
        stack = CACHED_STACKS[scenario or self.sessions[session].active]
        key = stack.get(name)
        return None if key is None else (key, self.sessions[session].data[key])

    @rule(session=SESSIONS, name=NAMES, scenario=SCENARIO, body=BODIES)
    def post(self, session: str, name: str, scenario: str | None, body: dict[str, Any]) -> None:
        response = self.call(session, "POST", f"/v1/{name}", body, scenario=scenario)
        found = self.served(session, name, scenario)
        if found is None:
            assert response.status == 404
            return
        key, collection = found
        given = {name: value for name, value in body.items() if (name, value) != ("id", None)}
        record_id = given.get("id")
        is_id = type(record_id) is int or (
            isinstance(record_id, str) and record_id != "" and "/" not in record_id
        )
        if not is_valid(key, given) or ("id" in given and not is_id):
            assert response.status == 400, response.body
        elif "id" in given and collection.find(str(record_id)) is not None:
            assert response.status == 409
        else:
            if "id" not in given:
                while collection.find(str(collection.next)) is not None:
                    collection.next += 1
                record_id = collection.next
            if type(record_id) is int:
                collection.next = max(collection.next, record_id + 1)
            record = {"id": record_id, **given}
            collection.records.append(record)
            assert (response.status, response.json) == (201, record)

    @rule(
        session=SESSIONS,
        name=NAMES,
        scenario=SCENARIO,
        text=IDS,
        body=BODIES,
        method=st.sampled_from(["PUT", "PATCH", "GET", "DELETE"]),
    )
    def one(
        self,
        session: str,
        name: str,
        scenario: str | None,
        text: str,
        body: dict[str, Any],
        method: str,
    ) -> None:
        sent = body if method in ("PUT", "PATCH") else None
        response = self.call(session, method, f"/v1/{name}/{text}", sent, scenario=scenario)
        found = self.served(session, name, scenario)
        position = None if found is None else found[1].find(text)
        if found is None or position is None:
            assert response.status == 404
            return
        key, collection = found
        record = collection.records[position]
        if method == "GET":
            assert response.json == record
            return
        if method == "DELETE":
            assert (response.status, response.body) == (204, b"")
            del collection.records[position]
            return
        given = {name: value for name, value in body.items() if name != "id"}
        changed = {**given, "id": record["id"]} if method == "PUT" else patched(record, given)
        if is_valid(key, {name: value for name, value in changed.items() if name != "id"}):
            assert (response.status, response.json) == (200, changed)
            collection.records[position] = changed
        else:
            assert response.status == 400

    @rule(
        session=SESSIONS,
        name=NAMES,
        prop=st.sampled_from(["id", "n", "s", "x"]),
        value=LEAVES,
        limit=st.integers(1, 4),
    )
    def filtered(self, session: str, name: str, prop: str, value: Any, limit: int) -> None:
        found = self.served(session, name, None)
        text = value if isinstance(value, str) else json.dumps(value)
        response = self.call(
            session, "GET", f"/v1/{name}?{urlencode({prop: text, 'limit': limit})}"
        )
        if found is None:
            assert response.status == 404
            return
        key, collection = found
        named = {name for item in ITEMS[key] for name in item} | {"id"}
        is_known = prop in named or any(prop in record for record in collection.records)
        plain = [
            record
            for record in collection.records
            if not is_known or (prop in record and text in (record[prop], json.dumps(record[prop])))
        ]
        assert response.json == plain[:limit]

    @rule(session=SESSIONS, stack=st.sampled_from([*CACHED_STACKS]))
    def activate(self, session: str, stack: str) -> None:
        self.call(session, "PUT", "/__mockpets/scenario", {"scenario": stack.split(",")})
        self.sessions[session].active = stack

    @rule(session=SESSIONS, bodies=st.lists(st.integers(), max_size=3))
    def replace_all(self, session: str, bodies: list[int]) -> None:
        found = self.served(session, "notes", None)
        assert found is not None, "each stack has it"
        records = [{"x": number} for number in bodies]
        response = self.call(session, "PUT", "/__mockpets/data/notes", records, key=None)
        assert response.json == {"total": len(records)}
        collection = found[1]
        collection.records = [
            {"id": collection.next + place, **record} for place, record in enumerate(records)
        ]
        collection.next += len(records)

    @rule(session=SESSIONS)
    def reset(self, session: str) -> None:
        self.call(session, "POST", "/__mockpets/reset")
        model = self.sessions[session]
        model.saved, model.data = model.data, {key: fresh(key) for key in ITEMS}

    @precondition(lambda self: any(each.saved for each in self.sessions.values()))
    @rule(session=SESSIONS)
    def undo(self, session: str) -> None:
        response = self.call(session, "POST", f"/__mockpets/sessions/{session}/undo", key=None)
        model = self.sessions[session]
        assert response.status == (200 if model.saved else 404)
        if model.saved is None:
            return
        now, model.data, model.saved = model.data, model.saved, None
        for key, collection in model.data.items():
            collection.next = max(collection.next, now[key].next)

    @invariant()
    def every_record_is_as_expected(self) -> None:
        for session, model in self.sessions.items():
            for name, key in CACHED_STACKS[model.active].items():
                expected = model.data[key].records
                assert self.call(session, "GET", f"/v1/{name}?limit=100").json == expected[:100]


TestResources = pytest.mark.slow(Resources.TestCase)
TestResources.settings = settings(max_examples=settings().max_examples // 3, stateful_step_count=50)
