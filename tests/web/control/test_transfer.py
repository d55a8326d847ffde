"""Sessions taken to another server: what an export has, what an import rejects, and equality."""

import json
import re
import shutil
import struct
from base64 import b64encode
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets import MockpetsServer, Settings, create_app
from mockpets.client import ControlClient
from mockpets.constants import INT64_MAX, VERSION
from tests.http_client import Client, InProcess, Response
from tests.session.test_undo import wait_for_save

MISO: Any = {"name": "Miso", "categoryId": 2}
STUB = {"match": {"operation": "listPets"}, "times": 2, "reply": {"status": 503}}
TWICE = {"name": "twice", "description": "d", "data": {"pets": 2}, "stubs": [STUB]}
OTHER = {key: TWICE[key] for key in ("description", "data", "stubs")}
ORDERS = [{"id": 1, "total": 1.5}]
SHOP: Any = {
    "name": "shop",
    "description": "d",
    "resources": [{"path": "/v1/store/orders", "filters": ["total"]}, {"path": "/v1/carts"}],
    "data": {"orders": ORDERS, "carts": [{"id": "a"}]},
}
UNNAMED = {"description": "no name", "stubs": [{"match": {"operation": "getPet"}, "delay": "1ms"}]}
AT = {"now": "2031-02-03T04:05:06.789Z", "frozen": True}
USED = {"passed": 0, "used": 1}
names = (f"t{number}" for number in count())


@pytest.fixture(scope="module")
def servers() -> tuple[Client, Client]:
    """Two servers that start with other pets, seeds and scenarios."""
    one = Settings(max_sessions=10_000, max_records=20)
    other = Settings(
        max_sessions=10_000, max_records=20, data=("pets=3",), seed=9, scenario=("empty",)
    )
    return Client(InProcess(create_app(one))), Client(InProcess(create_app(other)))


def exported(call: Client, name: str, query: str = "") -> Any:
    response = call("GET", f"/__mockpets/sessions/{name}/export{query}")
    assert response.status == 200, response.body
    return response.json


def imported(call: Client, name: str, document: object) -> Response:
    text = json.dumps(document).replace(f'"{BIG}"', BIG.rpartition(" ")[2])
    headers = {"Content-Type": "application/json"}
    path = f"/__mockpets/sessions/{name}/export"
    return call("PUT", path, body=text.encode(), headers=headers)


def without_name(document: bytes) -> bytes:
    """Return an exported session, byte by byte, without the name of the session."""
    return re.sub(rb'"session":"[^"]*"', b"", document)


def data(**changes: Any) -> dict[str, Any]:
    """Return the records of a collection as an export has them, with changes."""
    records = [{"id": 1, **MISO}]
    return {"collection": "pets", "scenario": None, "next": 2, "records": records, **changes}


def valid(**changes: Any) -> dict[str, Any]:
    """Return an exported session with changes."""
    return {"format": 1, "scenario": "default", "seed": 1, "data": [data()], **changes}


# --- What an export has -------------------------------------------------------------------------


def test_an_export_has_the_contents_of_a_session(servers: tuple[Client, Client]) -> None:
    call, name = servers[0], next(names)
    contents = {"scenario": [TWICE, UNNAMED], "seed": 5, "data": {"pets": 1}, "clock": AT}
    call("PUT", f"/__mockpets/sessions/{name}", json_body=contents)
    call("PUT", f"/~{name}/__mockpets/overrides/retry", json_body=OTHER)
    call("GET", f"/~{name}/v1/pets")
    call("POST", f"/~{name}/v1/pets", json_body=MISO, scenario="default")
    call("DELETE", f"/~{name}/__mockpets/data/pets/1")
    call("GET", f"/~{name}/v1/pets/1", scenario="flaky")
    document = exported(call, name)

    assert {key: document[key] for key in ("mockpets", "format", "session", "scenario")} == {
        "mockpets": VERSION,
        "format": 1,
        "session": name,
        "scenario": [TWICE, UNNAMED],
    }
    assert (document["seed"], document["clock"]) == (5, AT)
    assert json.loads(document["overrides"]["retry"]) == OTHER
    assert len(document["random"]) == 3336  # 625 integers of 32 bits
    assert {name: [one["id"] for one in each] for name, each in document["starts"].items()} == {
        "pets": [1]
    }
    assert document["counters"].pop("twice/1") == {"passed": 0, "used": 1}
    stack, own = document["data"]
    assert own == data(next=3, records=[*document["starts"]["pets"], {"id": 2, **MISO}])
    assert (stack["scenario"], stack["next"]) == ("twice", 3)
    assert [pet["id"] for pet in stack["records"]] == [2]
    assert "log" not in document


def test_unchanged_records_are_only_in_starts(servers: tuple[Client, Client]) -> None:
    call, name = servers[0], next(names)
    call("PUT", f"/__mockpets/sessions/{name}", json_body={"scenario": SHOP})
    for path in ("/v1/pets", "/v1/store/orders", "/v1/carts"):
        assert call("GET", f"/~{name}{path}").status == 200
    document = exported(call, name)

    assert (document["data"], document["counters"]) == ([], {})
    assert len(document["starts"]["pets"]) == 16
    assert document.keys().isdisjoint({"random", "clock", "log"})


def test_the_log_is_there_on_request_and_redacted(servers: tuple[Client, Client]) -> None:
    call, name = servers[0], next(names)
    call("GET", f"/~{name}/v1/pets")

    [entry] = exported(call, name, "?log=true")["log"]["log"]["entries"]
    shown = {pair["name"].lower(): pair["value"] for pair in entry["request"]["headers"]}
    assert shown["authorization"] == "Bearer [redacted]"
    assert "log" not in exported(call, name, "?log=false")
    assert call("GET", f"/__mockpets/sessions/{name}/export?log=x").status == 400
    assert call("GET", "/__mockpets/sessions/nothing/export").status == 404


def test_an_import_creates_the_session_and_ignores_the_log(servers: tuple[Client, Client]) -> None:
    (one, other), name = servers, next(names)
    start = {"data": {"pets": [{"id": 7, **MISO}]}}
    one("PUT", f"/__mockpets/sessions/{name}", json_body=start)
    one("GET", f"/~{name}/v1/pets")
    document = exported(one, name, "?log=true")
    first, again = imported(other, "copy", document), imported(other, "copy", document)

    assert (first.status, again.status) == (201, 200)
    assert first.json["active"] == ["default"]
    assert other("GET", "/~copy/v1/pets").json == [{"id": 7, **MISO}]
    assert len(other("GET", "/~copy/__mockpets/requests").json["requests"]) == 1
    other("POST", "/~copy/__mockpets/reset")
    assert other("GET", "/~copy/v1/pets").json == [{"id": 7, **MISO}]


def test_without_a_clock_an_import_restores_the_real_time(servers: tuple[Client, Client]) -> None:
    call, name = servers[1], next(names)
    call("PUT", f"/__mockpets/sessions/{name}", json_body={"clock": AT})
    imported(call, name, valid())

    assert call("GET", f"/__mockpets/sessions/{name}").json["clock"] is None


def test_an_import_replaces_all_that_a_session_had(servers: tuple[Client, Client]) -> None:
    call, name = servers[1], next(names)
    call("PUT", f"/__mockpets/sessions/{name}", json_body={"scenario": [SHOP, TWICE], "seed": 3})
    call("PUT", f"/~{name}/__mockpets/overrides/retry", json_body=OTHER)
    call("POST", f"/~{name}/v1/store/orders", json_body={})
    call("GET", f"/~{name}/v1/pets")
    imported(call, name, valid())
    document = exported(call, name)

    # The IDs continue after those of the server's initial pets.
    starts = document.pop("starts")
    assert len(starts["pets"]) == 3
    assert document == {
        **valid(mockpets=VERSION, session=name, scenario=["default"], data=[data(next=4)]),
        "overrides": {},
        "counters": {},
    }


def test_a_waiting_client_learns_of_an_import(servers: tuple[Client, Client]) -> None:
    call, name = servers[1], next(names)
    imported(call, name, valid())
    before = call("GET", f"/~{name}/__mockpets/state").json["change"]
    imported(call, name, valid())
    response = call("GET", f"/~{name}/__mockpets/events?since={before}")

    assert set(response.json["changed"]) >= {"data", "scenario", "clock", "requests"}


@pytest.mark.parametrize("record", [
    b'{"a":1e400,"b":-1E-400,"c":1.50}',
    b'{"a":%s,"b":0.%s}' % (b"9" * 300, b"1" * 300),
    b'{"<<":{"":[{"a b":null}]},"\\u0000":"\\ud83d\\ude00"}',
    b'{"a":%s1%s}' % (b"[" * 18, b"]" * 18),
    pytest.param(b'{"a":[%s]}' % b",".join([b"0"] * 30_000), marks=pytest.mark.slow),
])  # fmt: skip
def test_what_a_record_may_have_can_be_imported(
    servers: tuple[Client, Client], record: bytes
) -> None:
    call, name = servers[0], next(names)
    call("PUT", f"/__mockpets/sessions/{name}", json_body={"scenario": SHOP})
    json_type = {"Content-Type": "application/json"}
    for _ in range(10):
        sent = call("POST", f"/~{name}/v1/carts", body=record, headers=json_type)
        assert sent.status == 201, sent.body
    document = call("GET", f"/__mockpets/sessions/{name}/export").body
    copy = f"/__mockpets/sessions/{next(names)}/export"
    response = call("PUT", copy, body=document, headers=json_type)

    assert response.status == 201, response.body
    assert without_name(call("GET", copy).body) == without_name(document)


# --- What an import rejects ---------------------------------------------------------------------


def random_state(first: int, others: int, position: int) -> str:
    """Return a state of random numbers as an export has it."""
    return b64encode(struct.pack(">625I", first, *[others] * 623, position)).decode()


BIG = "the number 1e99999999999999999999"
INVALID: list[tuple[str, Any, int, list[str]]] = [
    ("a list", [], 400, ["must be a mapping, got a list"]),
    ("nothing", {}, 400, ["'format'", "'scenario'", "'seed'"]),
    ("format 0", valid(format=0), 400, ["format: must be an integer from 1 to 1, got 0"]),
    (
        "numbers",
        valid(seed=-1, random=5, more=1),
        400,
        ["seed: ", "random: ", "unknown key 'more'"],
    ),
    ("random numbers", valid(random="AAAA"), 400, ["random: must be the state of random numbers"]),
    *(
        (
            f"random numbers: {why}",
            valid(random=state),
            400,
            ["random: must be the state of random"],
        )
        for why, state in {
            "zeros": random_state(0, 0, 0),
            "zeros in effect": random_state(2**31 - 1, 0, 624),
            "position": random_state(2**31, 0, 625),
            "a byte less": b64encode(bytes([255] * 2499)).decode(),
            "a byte more": b64encode(bytes([0, 255, *[0] * 2499])).decode(),
            "not base64": random_state(2**31, 0, 0)[:-1] + "*",
        }.items()
    ),
    (
        "a number too large for any record",
        valid(data=[data(records=[{"id": 1, **MISO, "name": BIG}])]),
        400,
        ["data.1.records.1.name: 1e99999999999999999999 is not a JSON number"],
    ),
    (
        "a collection twice",
        valid(data=[data(), data(scenario="empty"), data(records=[])]),
        400,
        ["data.3: data.1 has the same collection and scenario"],
    ),
    (
        "a collection twice, by two names",
        valid(
            scenario=SHOP,
            data=[data(collection=each, records=[]) for each in ("orders", "shop.orders")],
        ),
        400,
        ["data.2: data.1 has the same collection and scenario"],
    ),
    (
        "pets",
        valid(data=[data(records=[{"id": 1, "name": 5}])]),
        400,
        ["data.1.records.1.categoryId: is required", "data.1.records.1.name: must be a string"],
    ),
    (
        "start",
        valid(starts={"pets": [{"id": 1, **MISO}] * 2}),
        400,
        ["starts.pets.2.id: pet 1 already has the id 1"],
    ),
    ("start of nothing", valid(starts={"order": []}), 404, ["unknown collection 'order'"]),
    ("clock", valid(clock={"now": "soon"}), 400, ["clock.now: must be a date and time"]),
    (
        "records",
        valid(data=[data(next=0, records={}), {"collection": "pets"}]),
        400,
        [
            *("data.1.next: must be an integer from 1", "data.1.records: must be a list"),
            *("data.2: missing key 'next'", "data.2: missing key 'records'"),
        ],
    ),
    ("collection", valid(data=[data(collection="x")]), 404, ["unknown collection 'x'"]),
    (
        "scenario of records",
        valid(data=[data(scenario="emty")]),
        422,
        ["unknown scenario 'emty'; did you mean 'empty'?"],
    ),
    (
        "scenario without records",
        valid(data=[data(scenario="flaky")]),
        422,
        ["scenario 'flaky' gives no content to pets"],
    ),
    (
        "a scenario's record",
        valid(scenario=SHOP, data=[data(collection="shop.orders", records=[{}, 5])]),
        400,
        ["data.1.records.2: must be a "],
    ),
    (
        "a scenario's key",
        valid(
            scenario=SHOP,
            data=[data(collection="orders", scenario="shop", records=[{"id": 2}, {"id": True}])],
        ),
        400,
        ["orders: record 2: id must be "],
    ),
    (
        "a scenario's key, twice",
        valid(scenario=SHOP, data=[data(collection="orders", records=[{"id": 2}, {"id": 2}])]),
        409,
        ["orders: record 2: "],
    ),
    ("overrides", valid(overrides={"a": 5, "A b": ""}), 400, ["overrides.a", "invalid scenario"]),
    (
        "more overrides than a session may have",
        valid(overrides={f"n{number}": json.dumps(OTHER) for number in range(21)}),
        400,
        ["overrides: must have at most 20 keys, got 21"],
    ),
    (
        "an override",
        valid(overrides={"a": "stubs: 3"}),
        422,
        ["missing key 'description'", "stubs: must"],
    ),
    ("scenario", valid(scenario="nothing"), 422, ["unknown scenario 'nothing'"]),
    (
        "document",
        valid(scenario={"description": 3}),
        422,
        ["scenario.description: must be one line"],
    ),
    (
        "counters",
        valid(counters={"a/1": {"passed": 0, "used": -1}, "a": USED, "b/1": {"passed": 1}}),
        400,
        [
            *("counters.'a/1'.used: must be an integer", "counters: invalid stub 'a'"),
            "counters.'b/1': missing key 'used'",
        ],
    ),
    (
        "more counters than a session may have",
        valid(counters={f"retry/{number}": USED for number in range(1001)}),
        400,
        ["counters: must have at most 1000 keys, got 1001"],
    ),
    ("a list of counters", valid(counters=[]), 400, ["counters: must be a mapping"]),
]


@pytest.mark.parametrize("exists", [False, True], ids=["new", "existing"])
@pytest.mark.parametrize(
    ("document", "status", "problems"),
    [each[1:] for each in INVALID],
    ids=[each[0] for each in INVALID],
)
def test_every_problem_of_a_document_is_reported_and_nothing_changes(
    servers: tuple[Client, Client], document: Any, status: int, problems: list[str], exists: bool
) -> None:
    call, name = servers[1], next(names)
    before = {}
    if exists:
        contents = {"scenario": [SHOP, "flaky"], "seed": 4, "clock": AT}
        call("PUT", f"/__mockpets/sessions/{name}", json_body=contents)
        call("POST", f"/~{name}/v1/pets", json_body=MISO)
        call("POST", f"/~{name}/v1/store/orders", json_body={})
        before = exported(call, name)
    response = imported(call, name, document)

    assert response.status == status, response.body
    listed = response.json.get("details", {}).get("problems", ())
    found = [f"{one['where']}: {one['what']}" for one in listed] or [response.json["message"]]
    assert len(found) == len(problems), found
    for problem in problems:
        assert any(problem in text for text in found), found
    if exists:
        assert exported(call, name) == before
    else:
        assert call("GET", f"/__mockpets/sessions/{name}").status == 404


@pytest.mark.parametrize(
    ("written", "writer"),
    [({"mockpets": "7.1.0"}, "mockpets 7.1.0"), ({}, "a newer mockpets")],
    ids=["named", "unnamed"],
)
def test_a_document_of_a_newer_version_is_rejected_by_its_name(
    servers: tuple[Client, Client], written: dict[str, str], writer: str
) -> None:
    document = valid(format=2, **written, more=[], seed="new")
    response = imported(servers[0], next(names), document)

    assert response.json["message"] == (
        f"body:1:12: was exported by {writer} in format 2; "
        f"mockpets {VERSION} reads format 1: update this server"
    )


def test_counters_of_scenarios_that_a_server_does_not_have_are_left_out(
    servers: tuple[Client, Client],
) -> None:
    call, name = servers[0], next(names)
    known = {"retry/fail-twice": USED}
    stale = {"flaky/removed": USED, "removed/1": USED}
    imported(call, name, valid(counters={**stale, **known}))

    assert exported(call, name)["counters"] == known
    assert [call("GET", f"/~{name}+retry/v1/pets").status for _ in range(2)] == [503, 200]


@pytest.mark.slow
def test_the_limits_of_a_server_hold(fresh: Callable[..., Client]) -> None:
    many = [{"id": number, **MISO, "name": "x" * 900} for number in range(1, 1000)]
    document = valid(data=[data(records=many, next=INT64_MAX)])
    small = fresh(memory=2**20)  # of which four fifths are for records
    full = imported(small, "a", document)
    assert (full.status, full.json["code"]) == (507, "store_full")
    assert small("GET", "/__mockpets/sessions/a").status == 404
    assert imported(small, "a", valid()).status == 201
    assert imported(fresh(), "a", document).status == 201
    large = valid(data=[data(records=[{**MISO, "id": 1, "name": "x" * 2**20}])])
    rejected = imported(fresh(), "a", large)
    assert (rejected.status, rejected.json["code"]) == (413, "payload_too_large")


@pytest.mark.parametrize(
    "changes",
    [{"scenario": TWICE}, {"overrides": {"retry": json.dumps(OTHER)}}],
    ids=["inline", "override"],
)
def test_a_public_server_takes_no_scenarios(
    fresh: Callable[..., Client], changes: dict[str, Any]
) -> None:
    call = fresh(public=True, control_token="token-token")
    token = {"Authorization": "Bearer token-token"}
    path = "/__mockpets/sessions/a/export"

    assert call("PUT", path, json_body=valid(**changes)).status == 401
    response = call("PUT", path, json_body=valid(**changes), headers=token)
    assert (response.status, response.json["code"]) == (403, "forbidden")
    assert call("GET", "/__mockpets/sessions/a", headers=token).status == 404
    assert call("PUT", path, json_body=valid(), headers=token).status == 201


def test_imported_records_count_until_their_session_is_deleted(
    fresh: Callable[..., Client],
) -> None:
    call = fresh(memory=2**20)
    many = [{"id": number, **MISO, "name": "x" * 900} for number in range(1, 500)]
    document = valid(data=[data(records=many, next=500)])
    assert [imported(call, name, document).status for name in "ab"] == [201, 507]
    call("DELETE", "/__mockpets/sessions/a")

    assert imported(call, "b", document).status == 201


@pytest.mark.parametrize("position", [0, 1, 623, 624])
def test_valid_random_numbers_go_on_after_an_import(
    servers: tuple[Client, Client], position: int
) -> None:
    call, name = servers[0], next(names)
    document = valid(random=random_state(2**31, 0, position))
    assert imported(call, name, document).status == 201
    for _ in range(3):
        call("GET", f"/~{name}/v1/pets", scenario="flaky")
        assert imported(call, next(names), exported(call, name)).status == 201


def test_a_session_that_no_import_would_read_cannot_be_exported(
    fresh: Callable[..., Client],
) -> None:
    call = fresh(max_records=100_000)
    many = [{"id": number, **MISO, "name": "x" * 1000} for number in range(1, 1100)]
    half = len(many) // 2
    for part, status in ((many[:half], 200), (many[half:], 409)):
        for pet in part:
            assert call("POST", "/~a/v1/pets", json_body=pet).status == 201
        assert call("GET", "/__mockpets/sessions/a/export").status == status
    rejected = call("GET", "/__mockpets/sessions/a/export").json

    assert rejected["code"] == "conflict"
    assert rejected["message"] == (
        "the session is too large for an export: an import reads 1024 KiB; delete some records "
        "first"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("saves_often")
def test_after_a_crash_the_highest_id_can_be_exported_and_imported(tmp_path: Path) -> None:
    settings = Settings(port=0, state=str(tmp_path / "pets.state"))
    document: Any = valid(data=[data(next=INT64_MAX + 1)])
    with MockpetsServer(settings) as server:
        ControlClient(server.url, "a").import_session(document)
        wait_for_save(ControlClient(server.url, "a"))
        shutil.copy(tmp_path / "pets.state", tmp_path / "crashed")
    with MockpetsServer(Settings(port=0, state=str(tmp_path / "crashed"))) as server:
        client = ControlClient(server.url, "a")
        for is_asked in (False, True):
            if is_asked:
                client.records("pets")
            exported = client.export_session()
            assert exported["data"][0]["next"] == INT64_MAX + 1
            client.import_session(exported, "b")


def test_after_the_highest_id_an_imported_store_is_full(fresh: Callable[..., Client]) -> None:
    call = fresh()
    imported(call, "a", valid(data=[data(next=INT64_MAX + 1)]))

    assert call("POST", "/~a/v1/pets", json_body=MISO).status == 507


def test_an_imported_session_is_saved(tmp_path: Path) -> None:
    settings = Settings(port=0, state=str(tmp_path / "pets.state"))
    document: Any = valid(data=[data(next=30)])
    with MockpetsServer(settings) as server:
        ControlClient(server.url, "a").import_session(document)
    with MockpetsServer(settings) as server:
        client = ControlClient(server.url, "a")
        assert client.export_session()["data"] == document["data"]
        assert client.add_record("pets", MISO)["id"] == 30


# --- Equality -----------------------------------------------------------------------------------

SCENARIOS = ["default", "retry", "flaky", "empty", "flaky, retry", "sold-out"]
ORDER: Any = {"total": 1.5}
REQUESTS = st.one_of(
    st.tuples(st.sampled_from(["GET", "POST"]), st.just("/v1/pets"), st.sampled_from(SCENARIOS)),
    st.tuples(st.just("GET"), st.just("/v1/pets"), st.none()),
    st.tuples(st.just("POST"), st.just("/v1/pets"), st.none()),
    st.tuples(st.sampled_from(["GET", "POST"]), st.just("/v1/store/orders"), st.none()),
    st.tuples(st.just("GET"), st.just("/v1/store/orders?total=1.50"), st.none()),
    st.tuples(st.sampled_from(["GET", "POST"]), st.just("/v1/carts"), st.none()),
    st.tuples(st.just("DELETE"), st.integers(1, 3).map("/v1/store/orders/{}".format), st.none()),
)
CHANGES = st.one_of(
    st.tuples(
        st.just("PUT"),
        st.just("scenario"),
        st.sampled_from(
            [
                {"scenario": each}
                for each in (
                    *("flaky", ["retry", "flaky"], TWICE, [UNNAMED, "empty"], [TWICE, SHOP]),
                    *([SHOP, "empty"], ["empty", SHOP], [{**SHOP, "data": {"orders": []}}]),
                )
            ]
        ),
    ),
    st.tuples(st.just("PUT"), st.just("data/pets"), st.sampled_from([0, 3, [{"id": 50, **MISO}]])),
    st.tuples(
        st.just("PATCH"),
        st.integers(1, 18).map("data/pets/{}".format),
        st.just({"name": "\u202eé"}),
    ),
    st.tuples(st.just("DELETE"), st.integers(1, 18).map("data/pets/{}".format), st.none()),
    st.tuples(st.just("PUT"), st.just("data/orders"), st.just([{"id": 5}, *ORDERS, {"n": 1e30}])),
    st.tuples(st.just("PUT"), st.just("data/carts"), st.just([{"id": "b"}, {}])),
    st.tuples(st.just("DELETE"), st.just("data/carts/a"), st.none()),
    st.tuples(st.just("PUT"), st.just("clock"), st.sampled_from([AT, {"now": None}])),
    st.tuples(st.just("PUT"), st.just("overrides/retry"), st.just(OTHER)),
    st.tuples(st.just("DELETE"), st.just("overrides/retry"), st.none()),
    st.tuples(st.just("POST"), st.just("reset"), st.none()),
)


def run(call: Client, name: str, step: tuple[str, str, Any]) -> tuple[int, bytes, Any]:
    method, path, more = step
    if path.startswith("/v1"):
        body = None if method != "POST" else MISO if path == "/v1/pets" else ORDER
        response = call(method, f"/~{name}{path}", scenario=more, json_body=body)
    else:
        response = call(method, f"/~{name}/__mockpets/{path}", json_body=more)
    return response.status, response.body, response.header("Mockpets-Stub")


@pytest.mark.slow
@given(
    before=st.lists(REQUESTS | CHANGES, max_size=12),
    after=st.lists(REQUESTS, max_size=8),
    seed=st.none() | st.integers(0, 3),
)
def test_an_imported_session_is_equal(
    servers: tuple[Client, Client],
    before: list[tuple[str, str, Any]],
    after: list[tuple[str, str, Any]],
    seed: int | None,
) -> None:
    (one, other), name = servers, next(names)
    contents: dict[str, Any] = {"scenario": "default", "clock": AT}
    if seed is not None:
        contents["seed"] = seed
    one("PUT", f"/__mockpets/sessions/{name}", json_body=contents)
    for step in before:
        run(one, name, step)
    document = exported(one, name)
    # As another program would write it: no character is escaped.
    raw = json.dumps(document, ensure_ascii=False).encode()
    response = other(
        "PUT",
        f"/__mockpets/sessions/{name}/export",
        body=raw,
        headers={"Content-Type": "application/json"},
    )
    assert response.status == 201, response.body

    assert exported(other, name) == document
    for step in [*after, ("POST", "reset", None), *after]:
        assert run(one, name, step) == run(other, name, step)
    assert exported(other, name) == exported(one, name)
