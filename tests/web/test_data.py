"""The records of collections through the control API, and whose records a request sees."""

import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app, errors
from mockpets.records import store as records_store
from mockpets.records import table
from mockpets.scenario.language import mappings
from tests.http_client import JSON, Client, InProcess, OverSocket, Response

NUMBERS = count()
MISO: Any = {"name": "Miso", "categoryId": 2}
REX: Any = {"name": "Rex", "categoryId": 1, "status": "sold"}
FAIL = {"match": {"operation": "createPet"}, "reply": {"status": 503}}


class Store:
    """A session on a server that other tests use too."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.name = f"store{next(NUMBERS)}"

    def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> Response:
        return self._client(method, f"/~{self.name}{path}", json_body=body, **more)

    def control(self, method: str, path: str, body: Any = None) -> Response:
        return self(method, f"/__mockpets/{path}", body, key=None)

    def use(self, *scenarios: str | Mapping[str, Any]) -> Response:
        response = self.control("PUT", "scenario", {"scenario": [*scenarios]})
        assert response.status == 200, response.body
        return response

    def ids(self, path: str = "/v1/pets", scenario: str | None = None) -> list[Any]:
        return [record["id"] for record in self("GET", path, scenario=scenario).json]

    def found(self, query: str = "", name: str = "pets") -> list[Any]:
        page = self.control("GET", f"data/{name}?{query}").json
        assert page["total"] == len(page["records"]), page
        return [record["id"] for record in page["records"]]


@pytest.fixture(scope="module")
def client() -> Client:
    return Client(InProcess(create_app(Settings())))


@pytest.fixture
def store(client: Client) -> Store:
    return Store(client)


# --- Pets -----------------------------------------------------------------------------------------


def test_pets_are_read_and_changed_like_other_records(store: Store) -> None:
    store.use({"description": "d", "data": {"pets": [{"id": 7, **REX}]}, "stubs": [FAIL]})

    added = store.control("POST", "data/pets", MISO)
    assert (added.status, added.json) == (201, {"id": 8, **MISO}), "whatever the stubs respond"
    assert store.control("GET", "data/pets/8").json == {"id": 8, **MISO}
    changed = store.control("PATCH", "data/pets/7", {"status": None, "name": "Rey"})
    assert changed.json == {"id": 7, "name": "Rey", "categoryId": 1}
    assert store("GET", "/v1/pets").json == [changed.json, added.json]
    assert store.control("DELETE", "data/pets/7").json == {"total": 1}
    assert store.control("DELETE", "data/pets/7").json["code"] == "pet_not_found"
    assert store.ids() == [8]


@pytest.mark.parametrize(
    ("body", "total"),
    [
        ([], 0),
        (40, 40),
        ("no-status", 12),
        ({"count": 3, "seed": 5, "locale": "de_DE"}, 3),
        ({"records": [{"id": 9, **MISO}]}, 1),
    ],
    ids=["a list", "a number", "a fixture", "what to generate", "records"],
)
def test_pets_are_replaced_in_every_form(store: Store, body: Any, total: int) -> None:
    response = store.control("PUT", "data/pets", body)

    assert response.json == {"total": total}
    summary = store.control("GET", "data").json["data"][0]
    assert (summary["name"], summary["total"], summary["changed"]) == ("pets", total, True)
    store.control("POST", "reset")
    assert len(store.ids()) == 16


def test_what_get_returns_can_be_put_again(store: Store) -> None:
    before = store.control("GET", "data/pets").json["records"]
    other = Store(store._client)

    assert other.control("PUT", "data/pets", {"records": before[:3]}).json == {"total": 3}
    assert other.control("GET", "data/pets").json["records"] == before[:3]


@pytest.mark.parametrize(
    ("body", "start"),
    [
        ({}, "name is required"),
        ({**MISO, "colour": "red"}, "unknown property 'colour'; known properties: "),
        ({**MISO, "id": 3}, "id cannot be "),
        ([MISO], "the body must be an object"),
    ],
)
def test_an_invalid_pet_is_not_added(store: Store, body: Any, start: str) -> None:
    response = store.control("POST", "data/pets", body)

    assert (response.status, response.json["code"]) == (400, "invalid_request")
    assert response.json["message"].startswith(start), response.json["message"]
    assert len(store.ids()) == 16


def test_a_generated_record_is_the_next_of_the_generator(store: Store) -> None:
    store.control("PUT", "data/pets", 17)
    *_, next_pet = store.control("GET", "data/pets").json["records"]
    store.control("POST", "reset")
    store.use({"description": "d", "stubs": [FAIL]})

    added = store.control("POST", "data/pets")
    assert (added.status, added.json) == (201, next_pet), "whatever the stubs respond"
    store.control("DELETE", "data/pets/17")
    assert store.control("POST", "data/pets").json == {**next_pet, "id": 18}, "ids are not reused"


def test_a_record_of_a_scenario_cannot_be_generated(store: Store) -> None:
    store.use({"description": "d", "resources": [{"path": "/v1/orders"}]})

    response = store.control("POST", "data/orders")

    message = "records of orders cannot be generated; send a record as JSON"
    assert (response.status, response.json["message"]) == (400, message)
    assert store.control("GET", "data/orders").json["total"] == 0


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets each key for which the nearest one is searched."""
    words: list[str] = []

    def nearest(word: str, *arguments: Any) -> str | None:
        words.append(word)
        return errors.nearest(word, *arguments)

    monkeypatch.setattr(mappings, "nearest", nearest)
    return words


@pytest.mark.parametrize("name", ["nmae", "nmae{}"], ids=["one name", "many names"])
def test_only_the_problems_that_are_shown_get_the_nearest_name(
    store: Store, compared: list[str], name: str
) -> None:
    pets = [{"id": n, "name": "a", "categoryId": 1, name.format(n): 1} for n in range(1, 501)]
    response = store.control("PUT", "data/pets", pets)

    assert (response.status, response.json["code"]) == (400, "invalid_request")
    *shown, more = response.json["details"]["problems"]
    assert [problem["what"] for problem in shown] == [
        f"unknown key '{name.format(number)}'" for number in range(1, 21)
    ]
    assert {problem["hint"] for problem in shown} == {"did you mean 'name'?"}
    assert more["what"] == "and 480 more problems"
    assert len(compared) <= 20


def test_a_misspelt_property_of_many_pets_is_one_problem_of_each(
    store: Store, compared: list[str]
) -> None:
    pets = [{"id": number, "nmea": "a", "categoryId": 1} for number in range(1, 501)]
    *_, more = store.control("PUT", "data/pets", pets).json["details"]["problems"]

    assert more["what"] == "and 480 more problems"
    assert len(compared) <= 2, "a hint, and whether it is the missing name"


# --- Filters --------------------------------------------------------------------------------------

ZOO = [
    {"id": 1, "name": "Miso", "categoryId": 2, "status": "sold"},
    {"id": 2, "name": "Rex", "categoryId": 2},
    {"id": 3, "name": "Ada", "categoryId": 1, "status": "pending"},
    {"id": 4, "name": "Miso", "categoryId": 1, "status": "sold"},
]
NOTES = [
    {"id": "a", "n": 1, "tag": "x", "deep": {"n": 1}},
    {"id": "b", "n": 1.0, "tag": "y"},
    {"id": "c", "n": "1", "tag": None, "flag": True},
]


@pytest.mark.parametrize(("query", "expected"), [
    ("", [1, 2, 3, 4]), ("status=sold", [1, 4]), ("status=lost", []), ("name=Miso", [1, 4]),
    ("name=Miso&categoryId=1", [4]), ("status=sold&status=pending", [1, 3, 4]),
    ("categoryId=2.0", [1, 2]), ("id=3", [3]), ("status=sold&after=1", [4]),
    ("name=miso", []), ("status=", []),
])  # fmt: skip
def test_any_property_of_pets_is_a_filter(store: Store, query: str, expected: list[int]) -> None:
    store.control("PUT", "data/pets", ZOO)
    page = store.control("GET", f"data/pets?{query}").json

    assert [pet["id"] for pet in page["records"]] == expected


@pytest.mark.parametrize("filters", [[], ["n"], ["n", "tag", "flag"]], ids=["none", "one", "all"])
@pytest.mark.parametrize(("query", "expected"), [
    ("n=1", ["a", "b", "c"]), ("n=1e0", ["a", "b"]), ("n=2", []), ("tag=x", ["a"]),
    ("tag=null", ["c"]), ("flag=true", ["c"]), ("flag=1", []), ("n=1&tag=y", ["b"]),
    ("tag=x&tag=y", ["a", "b"]), ("deep=1", []), ("n=1e1000000", []),
    ("n=1e-999999999999", []), (f"n={'9' * 4000}", []),
])  # fmt: skip
def test_a_filter_finds_the_same_records_with_and_without_an_index(
    store: Store, filters: list[str], query: str, expected: list[str]
) -> None:
    document: dict[str, Any] = {"description": "d", "resources": [{"path": "/notes"}]}
    if filters:
        document["resources"][0]["filters"] = filters
    store.use({**document, "data": {"notes": NOTES}})

    assert store.ids(f"/notes?{query}") == expected
    assert store.found(query, "notes") == expected


def test_a_filter_follows_every_change(store: Store) -> None:
    resource = {"path": "/notes", "filters": ["tag"]}
    store.use({"description": "d", "resources": [resource], "data": {"notes": NOTES}})

    store("PATCH", "/notes/a", {"tag": "z"})
    store("POST", "/notes", {"id": "d", "n": 1, "tag": "z"})
    store("DELETE", "/notes/b")
    assert store.found("tag=z", "notes") == store.ids("/notes?tag=z") == ["a", "d"]
    assert store.found("tag=x", "notes") == store.found("tag=y", "notes") == []
    store("PUT", "/notes/a", {"n": 1})
    store.control("PUT", "data/notes", [{"id": "e", "n": 1, "tag": "z"}])
    assert store.found("tag=z", "notes") == ["e"]
    store.control("POST", "reset")
    assert store.found("tag=x", "notes") == ["a"]


def test_a_property_that_no_record_has_is_an_error_in_the_control_api(store: Store) -> None:
    response = store.control("GET", "data/pets?statu=sold")

    assert (response.status, response.json["code"]) == (400, "invalid_request")
    message = "no record of pets has the property 'statu'; did you mean 'status'?"
    assert response.json["message"] == message


def test_a_filtered_list_has_pages(store: Store) -> None:
    store.control("PUT", "data/pets", 500)
    page = store.control("GET", "data/pets?status=sold").json
    sold = [pet["id"] for pet in page["records"]]
    assert len(sold) > 20
    part = store.control("GET", "data/pets?status=sold&limit=7").json
    ids = [pet["id"] for pet in part["records"]]
    while part["next"] is not None:
        query = f"status=sold&limit=7&after={part['next']}"
        part = store.control("GET", f"data/pets?{query}").json
        assert part["total"] == len(sold)
        ids += [pet["id"] for pet in part["records"]]

    assert ids == sold


# --- Searches of many records ---------------------------------------------------------------------

MANY = [{"id": number, "name": "n", "tag": "x", "n": number % 7} for number in range(1, 2001)]
NOTE = {"name": "n", "tag": "x", "n": 8}
STUBS = [{"match": {"path": "/v1/notes", "method": "GET"}, "after": 2, "reply": {"status": 503}}]
WORKER = "mockpets-helper"


class Searched:
    """Counts the rows that each thread parses; holds up the worker until a request is served."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.rows = Counter[str]()
        self.begun, self.served = threading.Event(), threading.Event()

    def parse_row(self, row: bytes) -> Any:
        thread = threading.current_thread().name
        self.rows[thread] += 1
        self.begun.set()
        if thread == WORKER:
            assert self.served.wait(20), "no other request was served"
        return table.parse_row(row)


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Searched]:
    """Return a server with 2,000 notes, each search of which waits for another request."""
    document = {"description": "d", "resources": [{"path": "/v1/notes", "filters": ["tag"]}]}
    with MockpetsServer(Settings(port=0)) as server:
        store = Store(Client(OverSocket(server.url)))
        store.use({**document, "stubs": STUBS, "data": {"notes": MANY}})
        assert store("POST", "/v1/notes", {"id": 5000, **NOTE}).status == 201
        searched = Searched(store)
        monkeypatch.setattr(records_store, "parse_row", searched.parse_row)
        yield searched
        searched.served.set()


SEARCHES = {
    "/__mockpets/data/notes?n=8": 200,
    "/__mockpets/data/notes?n=3&tag=x&limit=3": 200,
    "/__mockpets/data/notes?nope=1": 400,
    "/v1/notes?n=8": 200,
    "/v1/notes?nope=1&limit=3": 200,
    "/v1/notes?tag=x&n=8": 200,
}


@pytest.mark.parametrize(
    ("target", "status"),
    [
        pytest.param(*each, marks=pytest.mark.slow if number > 1 else ())
        for number, each in enumerate(SEARCHES.items())
    ],
    ids=SEARCHES,
)
def test_other_requests_are_served_while_many_records_are_searched(
    searched: Searched, target: str, status: int
) -> None:
    """They also change the records; the search finds those of its beginning."""
    store = searched.store
    with ThreadPoolExecutor(1) as pool:
        search = pool.submit(store, "GET", target)
        assert searched.begun.wait(20)
        assert store("GET", "/v1/notes/5000").json == {"id": 5000, **NOTE}
        assert store("POST", "/v1/notes", {"id": 5001, **NOTE}).status == 201
        assert store("DELETE", "/v1/notes/5000").status == 204
        searched.served.set()
        response = search.result()

    assert response.status == status, response.body
    assert b"5001" not in response.body
    assert (b"5000" in response.body) == ("n=8" in target)
    assert searched.rows[WORKER] >= 2000
    assert searched.rows.total() - searched.rows[WORKER] <= 2, "the change and the delete"


def test_a_search_finds_the_same_on_the_worker_thread(searched: Searched) -> None:
    searched.served.set()
    page = searched.store.control("GET", "data/notes?n=3&limit=2&after=3").json
    last = searched.store.control("GET", "data/notes?n=3&limit=2&after=1992").json
    missing = searched.store.control("GET", "data/notes?n=3&after=9999")

    assert [record["id"] for record in page["records"]] == [10, 17]
    assert (page["total"], page["next"], last["next"]) == (286, "17", None)
    assert [record["id"] for record in last["records"]] == [1998]
    assert missing.json["message"] == "notes has no record with the id 9999"
    listed = searched.store("GET", "/v1/notes?n=3&nope=1&limit=2")
    assert [record["id"] for record in listed.json] == [3, 10]
    notes = searched.store.control("GET", "requests?limit=1").json["requests"][-1]["notes"]
    assert {"code": "ignored_query", "text": "ignored parameters: 'nope'"} in notes


@pytest.mark.parametrize(
    "query",
    [
        "?tag=x",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("", "?tag=x&tag=y", "?id=7&n=0")),
    ],
)
def test_a_list_that_needs_no_search_is_read_at_once(searched: Searched, query: str) -> None:
    assert searched.store("GET", f"/v1/notes{query}").status == 200
    assert searched.store.control("GET", f"data/notes{query}").status == 200
    assert searched.rows[WORKER] == 0


@pytest.mark.slow
def test_stubs_count_a_search_of_many_records_once(searched: Searched) -> None:
    searched.served.set()

    assert [searched.store("GET", "/v1/notes?n=8").status for _ in range(3)] == [200, 200, 503]


# --- Paths and keys -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/orders", "/v2/orders", "/v1/store/orders", "/v1/pets-list"])
def test_a_collection_is_served_at_any_path_outside_the_contract(store: Store, path: str) -> None:
    resource = {"path": path, "name": "orders"}
    store.use({"description": "d", "resources": [resource], "data": {"orders": [{"id": 1}]}})
    created = store("POST", path, {"n": 1})

    assert created.header("Location") == f"/~{store.name}{path}/2"
    assert store("GET", path).json == [{"id": 1}, {"id": 2, "n": 1}]
    assert store("GET", f"{path}/2").header("Mockpets-Off-Contract") is None
    assert store("DELETE", f"{path}/1").status == 204
    assert store("GET", path, key="wrong").status == 401
    assert store("PUT", path, {}).status == 405
    assert store("GET", "/v1/pets").status == 200


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/v1/pets", "is a path of listPets"),
        ("/v1/pets/7", "is a path of getPet"),
        ("/__mockpets", "is a path of mockpets itself"),
        ("/__mockpets/orders", "is a path of mockpets itself"),
        ("/~orders", "is a path of mockpets itself"),
        ("/", "must be a path such as"),
        ("/orders/*", "must be a path such as"),
        ("orders", "must be a path such as"),
    ],
)
def test_other_paths_are_rejected(store: Store, path: str, problem: str) -> None:
    document = {"description": "d", "resources": [{"path": path, "name": "orders"}]}
    response = store.control("PUT", "scenario", {"scenario": document})

    assert (response.status, response.json["code"]) == (422, "invalid_scenario")
    assert problem in response.json["message"], response.json["message"]


def test_keys_that_a_path_cannot_tell_apart_are_one_key(store: Store) -> None:
    store.use({"description": "d", "resources": [{"path": "/notes"}]})

    assert store("POST", "/notes", {"id": 0}).status == 201
    for key in ("-0", "0", 0):
        assert store("POST", "/notes", {"id": key}).status == 409, key
    response = store.control("PUT", "data/notes", [{"id": "-0"}, {"id": 0}])
    assert (response.status, response.json["code"]) == (409, "conflict")
    assert store("GET", "/notes/0").json == store("GET", "/notes/-0").json == {"id": 0}


@pytest.mark.slow
def test_records_that_are_put_and_created_at_the_same_time_get_different_ids(
    tmp_path: Path,
) -> None:
    (tmp_path / "notes.yaml").write_text("description: d\nresources: [{path: /notes}]\n")
    settings = Settings(port=0, scenarios_dir=(tmp_path,), scenario=("notes",))
    with MockpetsServer(settings) as server, ThreadPoolExecutor(2) as pool:
        call = Client(OverSocket(server.url))
        long = pool.submit(call, "PUT", "/__mockpets/data/notes", json_body=[{}] * 8000, key=None)
        created = [call("POST", "/notes", json_body={}).json["id"]]
        while not long.done():
            created.append(call("POST", "/notes", json_body={}).json["id"])
        assert long.result().json == {"total": 8000}
        created += [call("POST", "/notes", json_body={}).json["id"] for _ in range(3)]
        pages = [
            call("GET", f"/__mockpets/data/notes?after={after}", key=None).json["records"]
            for after in created[-3:-1]
        ]
        first = call("GET", "/__mockpets/data/notes", key=None).json

    assert len({*created}) == len(created)
    assert [[record["id"] for record in page] for page in pages] == [created[-2:], created[-1:]]
    assert not {record["id"] for record in first["records"]} & {*created}


@pytest.mark.parametrize(
    ("path", "record"), [("/v1/pets", MISO), ("/notes", {})], ids=["pets", "own"]
)
def test_max_records_limits_what_requests_add_to_the_initial_records(
    path: str, record: Any
) -> None:
    store = Store(Client(InProcess(create_app(Settings(max_records=3)))))
    store.use({"description": "d", "resources": [{"path": "/notes"}]})
    name = path.rpartition("/")[2]
    records = [{"id": number, **record} for number in range(1, 11)]
    assert store.control("PUT", f"data/{name}", records).json == {"total": 10}

    for _ in range(2):
        assert [store("POST", path, record).status for _ in range(4)] == [201, 201, 201, 507]
        for number in (11, 12, 13):
            store.control("DELETE", f"data/{name}/{number}")
        records = [{"id": number, **record} for number in range(8, 11)]
        assert store.control("PUT", f"data/{name}", records).json == {"total": 3}


# --- Whose records a request sees -----------------------------------------------------------------

FILES: dict[str, Any] = {
    "one": {"data": {"pets": [{"id": 1, **MISO}], "orders": [{"id": 1}]}, "extends": "shop"},
    "two": {"data": {"pets": [{"id": 2, **MISO}]}},
    "based": {"extends": "two", "stubs": [{"match": {"operation": "getPet"}, "delay": "1ms"}]},
    "shop": {"resources": [{"path": "/orders"}], "data": {"orders": [{"id": 5}]}},
    "plain": {"resources": [{"path": "/carts"}]},
    "bare": {"stubs": [{"match": {"operation": "getPet"}, "delay": "1ms"}]},
}
OWN = [*range(1, 17)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, document in FILES.items():
        save(tmp_path, name, document)
    return tmp_path


@pytest.fixture
def market(folder: Path) -> Store:
    return Store(Client(InProcess(create_app(Settings(scenarios_dir=(folder,))))))


def save(folder: Path, name: str, document: Mapping[str, Any]) -> None:
    (folder / f"{name}.json").write_text(json.dumps({"description": "d", **document}))


def replace_file(store: Store, name: str, document: Mapping[str, Any]) -> None:
    """Save a scenario file through the control API, which reloads it at once."""
    digest = store.control("GET", f"scenarios/{name}").json["digest"]
    text = json.dumps({"description": "d", **document}).encode()
    headers = {**JSON, "If-Match": f'"{digest}"'}
    response = store._client(
        "PUT", f"/__mockpets/scenarios/{name}", body=text, headers=headers, key=None
    )
    assert response.status == 200, response.body


@pytest.mark.parametrize(
    ("stack", "pets", "giver"),
    [
        ("default", OWN, None),
        ("bare", OWN, None),
        ("one", [1], "one"),
        ("two", [2], "two"),
        ("one, two", [1], "one"),
        ("two, one", [2], "two"),
        ("bare, two", [2], "two"),
        ("based", [2], "two"),
        ("based, one", [2], "two"),
        ("shop, one", [1], "one"),
        ("empty", [], "empty"),
        ("empty, one", [], "empty"),
        ("one, empty", [1], "one"),
    ],
)
def test_the_first_scenario_that_gives_content_decides(
    market: Store, stack: str, pets: list[int], giver: str | None
) -> None:
    assert market.ids(scenario=stack) == pets
    market.use(*stack.split(", "))
    assert market.ids() == pets
    summary = market.control("GET", "data").json["data"][0]
    assert (summary["total"], summary["content_of"]) == (len(pets), giver)


def test_stacks_share_the_records_of_a_scenario_and_no_others(market: Store) -> None:
    created = market("POST", "/v1/pets", MISO, scenario="two")
    assert created.json["id"] == 3

    for stack in ("two", "based", "two, one", "bare, two", "based, empty"):
        assert market.ids(scenario=stack) == [2, 3], stack
    for stack, pets in (("default", OWN), ("one, two", [1]), ("empty, two", [])):
        assert market.ids(scenario=stack) == pets, stack
    assert Store(market._client).ids(scenario="two") == [2], "another session has its own"


def test_each_collection_of_a_stack_has_its_own_giver(market: Store) -> None:
    market.use("two", "one")

    assert (market.ids(), market.ids("/orders")) == ([2], [1])
    market.use("shop", "two")
    assert (market.ids(), market.ids("/orders")) == ([2], [5])
    market.use("one")
    assert (market.ids(), market.ids("/orders")) == ([1], [1]), "not what it extends gives"


def test_a_star_empties_every_collection_and_keeps_what_is_added(market: Store) -> None:
    market.use("empty", "shop", "plain")

    assert [market.ids(path) for path in ("/v1/pets", "/orders", "/carts")] == [[], [], []]
    assert market("POST", "/v1/pets", MISO).json["id"] == 1
    assert market("POST", "/orders", {}).json["id"] == 1
    assert (market.ids(), market.ids("/orders"), market.ids("/carts")) == ([1], [1], [])
    assert market.ids("/orders", "shop") == [5]
    market.use({"description": "d", "data": {"*": [], "pets": [{"id": 4, **MISO}]}}, "shop")
    assert (market.ids(), market.ids("/orders")) == ([4], [])


@pytest.mark.parametrize("name", [".pets", "..pets", ".orders"])
def test_a_scenario_without_a_name_is_not_part_of_the_name_of_a_collection(
    market: Store, name: str
) -> None:
    market.use("shop")
    listed = market.control("GET", f"data/{name}")
    replaced = market.control("PUT", f"data/{name}", [])
    made = market.control("PUT", f"sessions/{market.name}", {"data": {name: []}})

    near = f"unknown collection '{name}'; did you mean '{name.strip('.')}'?"
    for response in (listed, replaced, made):
        assert (response.status, response.json["code"]) == (404, "not_found")
        assert response.json["message"] == near
    assert market.control("GET", "data/shop.orders").status == 200


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"*": [{"id": 1}]}, "must be an empty list, got a list"),
        ({"*": 3}, "must be an empty list, got 3"),
        ({"petz": []}, "unknown collection 'petz'; did you mean 'pets'?"),
        ({"orders": []}, "unknown collection 'orders'; known collections: pets"),
        ({"pets": [{"id": 1}]}, "is required"),
        ({"pets": {}}, "is empty; add count, seed, locale or records"),
        ({"petz": 3}, "did you mean 'pets'?"),
        ([], "name the collection: data: {pets: ...}"),
    ],
)
def test_content_that_no_collection_can_have_is_rejected(
    market: Store, data: Any, problem: str
) -> None:
    document = {"description": "d", "data": data}
    response = market.control("PUT", "scenario", {"scenario": document})

    assert (response.status, response.json["code"]) == (422, "invalid_scenario")
    problems = [response.json["message"], *map(str, response.json["details"]["problems"])]
    assert any(problem in each for each in problems), response.json


def test_pets_at_the_top_are_rejected_with_the_line_to_write(market: Store) -> None:
    document = {"description": "d", "pets": 3}
    response = market.control("PUT", "scenario", {"scenario": document})

    assert response.status == 422
    assert "data: {pets: ...}" in response.json["message"]


def test_the_records_of_a_document_end_with_it(market: Store) -> None:
    document = {"description": "d", "data": {"pets": [{"id": 7, **MISO}]}}
    market.use(document)
    market("POST", "/v1/pets", MISO)
    assert market.ids() == [7, 8]

    market.use("default", "two")
    assert market.ids() == [2]
    market.use(document)
    assert market.ids() == [7], "another document with the same name and content starts again"


def test_an_override_has_its_own_content(market: Store) -> None:
    market.use("two")
    market("POST", "/v1/pets", MISO)
    text = {"description": "d", "data": {"pets": [{"id": 9, **MISO}]}}
    response = market.control("PUT", "overrides/two", text)
    assert response.status in (200, 201), response.body

    assert market.ids() == [9]
    assert Store(market._client).ids(scenario="two") == [2]
    market.control("DELETE", "overrides/two")
    assert market.ids() == [2]


@pytest.mark.parametrize(
    ("document", "pets"),
    [
        (FILES["two"] | {"description": "other"}, [2, 3]),
        (FILES["two"] | {"stubs": [FAIL]}, [2, 3]),
        ({"data": {"pets": [{"id": 6, **MISO}]}}, [6]),
        ({"data": {"pets": []}}, []),
        ({}, OWN),
    ],
    ids=["description", "stubs", "content", "empty", "none"],
)
def test_a_saved_file_starts_its_records_again_only_with_other_content(
    market: Store, document: Mapping[str, Any], pets: list[int]
) -> None:
    market.use("two")
    market("POST", "/v1/pets", MISO)
    replace_file(market, "two", document)

    assert market.ids() == pets
    assert market.ids(scenario="based") == pets
    replace_file(market, "two", FILES["two"])
    assert market.ids()[0] == 2


def test_a_file_saved_with_another_line_above_costs_no_memory(folder: Path) -> None:
    text = "description: d\nresources: [{path: /orders}]\ndata: {orders: [{id: 1}]}\n"
    (folder / "long.yaml").write_text(text)
    app = create_app(Settings(scenarios_dir=(folder,), scenario=("long",), memory=8 * 2**20))
    store, budget = Store(Client(InProcess(app))), app.extensions["mockpets"].sessions.shared
    while store("POST", "/orders", {"text": "x" * 60_000}).status == 201:
        pass
    used = budget.records.used
    (folder / "long.yaml").write_text(f"# a comment\n{text}")
    app.extensions["mockpets"].reloader.look()

    for _ in range(3):
        assert store("GET", "/orders").status == 200
    assert budget.records.used <= used


def test_a_reset_and_an_undo_are_of_all_collections(market: Store) -> None:
    market.use("two", "shop")
    undo = f"sessions/{market.name}/undo"
    for path, body in (("/v1/pets", MISO), ("/orders", {})):
        market("POST", path, body)
    market("POST", "/v1/pets", MISO, scenario="default")
    market.control("POST", "reset")

    assert (market.ids(), market.ids("/orders")) == ([2], [5])
    assert market.ids(scenario="default") == OWN
    assert market.control("POST", undo).json["undone"] == "reset"
    assert (market.ids(), market.ids("/orders")) == ([2, 3], [5, 6])
    assert market.ids(scenario="default") == [*OWN, 17]


def test_after_an_undo_no_key_is_assigned_again_in_collections_without_earlier_requests(
    market: Store,
) -> None:
    market.use("two", "shop")
    market.control("POST", "reset")
    assert market("POST", "/v1/pets", MISO).json["id"] == 3
    assert market("POST", "/orders", {}).json["id"] == 6
    market.control("POST", f"sessions/{market.name}/undo")

    assert (market.ids(), market.ids("/orders")) == ([2], [5])
    assert market("POST", "/v1/pets", MISO).json["id"] == 4
    assert market("POST", "/orders", {}).json["id"] == 7


def test_an_explanation_sees_the_same_records_and_changes_nothing(market: Store) -> None:
    market.use("two", "shop")
    market("POST", "/v1/pets", MISO)
    headers = {"Authorization": "Bearer mockpets", "Content-Type": "application/json"}
    for method, path, body, status in (
        ("GET", "/v1/pets/3", None, 200),
        ("POST", "/v1/pets", MISO, 201),
        ("DELETE", "/orders/5", None, 204),
        ("POST", "/orders", {}, 201),
    ):
        request = {"method": method, "path": path, "headers": headers}
        request |= {} if body is None else {"body": body}
        explained = market.control("POST", "explain", request)
        assert explained.json["request"]["status"] == status, explained.body

    assert (market.ids(), market.ids("/orders")) == ([2, 3], [5])
    assert market("POST", "/v1/pets", MISO).json["id"] == 4


def test_a_session_starts_with_other_records(market: Store) -> None:
    body = {
        "data": {"pets": 2, "shop.orders": [{"id": 8}, {}], "carts": [{"n": 1}]},
        "scenario": ["plain"],
    }
    made = market._client("PUT", f"/__mockpets/sessions/{market.name}", json_body=body, key=None)
    assert made.status == 201, made.body

    assert (market.ids(), market.ids("/carts")) == ([1, 2], [1])
    assert market.ids("/orders", "shop") == [5], "a scenario that gives content comes first"
    market("POST", "/carts", {})
    market.control("POST", "reset")
    assert market.ids("/carts") == [1]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"petz": []}, "not_found"),
        ({"petz": 3}, "invalid_request"),
        ({"orders": 3}, "invalid_request"),
        ({"pets": "nothing"}, "invalid_request"),
        ({"carts": [{"id": 1}, {"id": 1}]}, "conflict"),
        ({"carts": [{"id": True}]}, "invalid_request"),
    ],
)
def test_a_session_with_invalid_records_is_not_created(market: Store, data: Any, code: str) -> None:
    path = f"/__mockpets/sessions/{market.name}"
    response = market._client("PUT", path, json_body={"data": data}, key=None)

    assert response.json["code"] == code, response.body
    assert market._client("GET", path, key=None).status == 404
