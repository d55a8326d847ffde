"""Sessions taken to another server: what an export has, what an import rejects, and equality."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets import Settings, create_app
from mockpets.constants import INT64_MAX, VERSION
from tests.cases import each
from tests.http_client import Client, InProcess

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.http_client import Response

MISO: Any = {"name": "Miso", "categoryId": 2}
STUB = {"match": {"operation": "listPets"}, "times": 2, "reply": {"status": 503}}
TWICE = {"name": "twice", "description": "d", "pets": 2, "stubs": [STUB]}
OTHER = {key: TWICE[key] for key in ("description", "pets", "stubs")}
SHOP = {
    "name": "shop",
    "description": "d",
    "resources": [{"path": "/v1/store/orders", "items": [{"id": 1, "total": 1.5}]}],
}
UNNAMED = {"description": "no name", "stubs": [{"match": {"operation": "getPet"}, "delay": "1ms"}]}
AT = {"now": "2031-02-03T04:05:06.789Z", "frozen": True}
names = (f"t{number}" for number in count())


@pytest.fixture(scope="module")
def servers() -> tuple[Client, Client]:
    """Two servers that start with other pets, seeds and scenarios."""
    one = Settings(max_sessions=10_000, max_pets=20)
    other = Settings(max_sessions=10_000, max_pets=20, count=3, seed=9, scenario=("empty",))
    return Client(InProcess(create_app(one))), Client(InProcess(create_app(other)))


def exported(call: Client, name: str, query: str = "") -> Any:
    call("GET", f"/__mockpets/sessions/{name}")  # makes the pets of the active scenarios
    response = call("GET", f"/__mockpets/sessions/{name}/export{query}")
    assert response.status == 200, response.body
    return response.json


def imported(call: Client, name: str, document: object) -> Response:
    return call("PUT", f"/__mockpets/sessions/{name}/export", json_body=document)


def valid(**changes: Any) -> dict[str, Any]:
    """Return an exported session with changes."""
    pets = {"pets": [{"id": 1, **MISO}], "added": 0, "next_id": 2}
    return {"format": 1, "scenario": "default", "seed": 1, "pets": pets, **changes}


# --- What an export has -------------------------------------------------------------------------


def test_an_export_has_the_contents_of_a_session(servers: tuple[Client, Client]) -> None:
    call, name = servers[0], next(names)
    contents = {"scenario": [TWICE, UNNAMED], "seed": 5, "pets": 1, "clock": AT}
    call("PUT", f"/__mockpets/sessions/{name}", json_body=contents)
    call("GET", f"/~{name}/v1/pets")
    call("POST", f"/~{name}/v1/pets", json_body=MISO, scenario="default")
    call("GET", f"/~{name}/v1/pets/1", scenario="flaky")
    document = exported(call, name)

    assert {key: document[key] for key in ("mockpets", "format", "session", "scenario")} == {
        "mockpets": VERSION,
        "format": 1,
        "session": name,
        "scenario": [TWICE, UNNAMED],
    }
    assert (document["seed"], document["clock"], document["draws"]) == (5, AT, 1)
    assert [pet["id"] for pet in document["start"]] == [1]
    assert document["pets"]["pets"] == [*document["start"], {"id": 2, **MISO}]
    assert (document["pets"]["added"], document["pets"]["next_id"]) == (1, 3)
    [stack] = [each for each in document["stacks"] if each["scenarios"] == ["twice", "inline-2"]]
    assert stack["counters"] == {"twice/1": {"passed": 0, "used": 1}}
    assert len(stack["pets"]["pets"]) == 2
    assert "log" not in document


def test_the_log_is_there_on_request_and_redacted(servers: tuple[Client, Client]) -> None:
    call, name = servers[0], next(names)
    call("GET", f"/~{name}/v1/pets")

    [entry] = exported(call, name, "?log=true")["log"]["log"]["entries"]
    shown = {pair["name"].lower(): pair["value"] for pair in entry["request"]["headers"]}
    assert shown["authorization"] == "Bearer [redacted]"
    assert "log" not in exported(call, name, "?log=false")
    assert call("GET", f"/__mockpets/sessions/{name}/export?log=x").status == 400
    assert call("GET", "/__mockpets/sessions/nothing/export").status == 404


def test_an_import_creates_the_session_and_ignores_the_log(
    servers: tuple[Client, Client],
) -> None:
    (one, other), name = servers, next(names)
    one("PUT", f"/__mockpets/sessions/{name}", json_body={"pets": [{"id": 7, **MISO}]})
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


# --- What an import rejects ---------------------------------------------------------------------


def pets(**changes: Any) -> dict[str, Any]:
    return {"pets": {**valid()["pets"], **changes}}


@each(
    "document, status, problems",
    [
        ([], 400, ["must be a mapping, got a list"]),
        ({}, 400, ["'format'", "'scenario'", "'seed'", "'pets'"]),
        (valid(format=0), 400, ["format: must be an integer from 1 to 1, got 0"]),
        (
            valid(seed=-1, draws=10_000_001, more=1),
            400,
            ["seed: ", "draws: ", "unknown key 'more'"],
        ),
        (pets(added=2), 400, ["'format'", "'scenario'", "'seed'", "pets.added"]),
        (valid(**pets(added=2)), 400, ["pets.added: must be at most the number of pets, 1, got 2"]),
        (valid(**pets(next_id=1)), 400, ["pets.next_id: must be greater than the id 1, got 1"]),
        (
            valid(**pets(pets=[{"id": 1, "name": 5}])),
            400,
            ["pets.pets.1.categoryId: is required", "pets.pets.1.name: must be a string"],
        ),
        (valid(start=[{"id": 1, **MISO}] * 2), 400, ["start.2.id: pet 1 already has the id 1"]),
        (valid(clock={"now": "soon"}), 400, ["clock.now: must be a date and time"]),
        (
            valid(records=[{"scenario": "shop", "name": "orders", "next": 0, "records": {}}]),
            400,
            ["records.1.next: must be an integer from 1", "records.1.records: must be a list"],
        ),
        (
            valid(records=[{"scenario": "shop", "name": "x", "next": 2, "records": []}]),
            400,
            ['records.1: unknown resource "shop/x"'],
        ),
        (
            valid(
                scenario=SHOP,
                records=[{"scenario": "shop", "name": "orders", "next": 2, "records": [{}, 5]}],
            ),
            400,
            ["records.1: record 1: id must be an integer"],
        ),
        (
            valid(overrides={"a": 5, "A b": ""}),
            400,
            ["overrides.a", "invalid scenario name"],
        ),
        (
            valid(overrides={"a": "stubs: 3"}),
            422,
            ["missing key 'description'", "stubs: must"],
        ),
        (valid(scenario="nothing"), 422, ["unknown scenario 'nothing'"]),
        (valid(scenario={"description": 3}), 422, ["scenario.description: must be one line"]),
        (
            valid(stacks=[{"scenarios": ["nothing"], "counters": {}}, {"counters": {}}]),
            400,
            ["stacks.2: missing key 'scenarios'"],
        ),
        (
            valid(
                stacks=[
                    {"scenarios": ["nothing"], "counters": {}},
                    {"scenarios": ["retry"], "counters": {"retry/x": {"passed": 0, "used": 1}}},
                ]
            ),
            400,
            ["stacks.1.scenarios: unknown scenario 'nothing'", "unknown stub 'retry/x'"],
        ),
    ],
)
def test_every_problem_of_a_document_is_reported_and_nothing_changes(
    servers: tuple[Client, Client], document: Any, status: int, problems: list[str]
) -> None:
    call, name = servers[1], next(names)
    response = imported(call, name, document)

    assert response.status == status, response.body
    listed = response.json.get("details", {}).get("problems", ())
    found = [f"{one['where']}: {one['what']}" for one in listed] or [response.json["message"]]
    assert len(found) == len(problems)
    for problem in problems:
        assert any(problem in text for text in found), found
    assert call("GET", f"/__mockpets/sessions/{name}").status == 404


def test_a_document_of_a_newer_version_is_rejected_by_its_name(
    servers: tuple[Client, Client],
) -> None:
    document = valid(format=2, mockpets="7.1.0", more=[], seed="new")
    response = imported(servers[0], next(names), document)

    assert response.json["message"] == (
        "body:1:12: was exported by mockpets 7.1.0 in format 2; "
        f"mockpets {VERSION} reads format 1: update this server"
    )


def test_the_limits_of_a_server_hold(fresh: Callable[..., Client]) -> None:
    many = [{"id": number, **MISO} for number in range(1, 40)]
    document = valid(**pets(pets=many, added=30, next_id=INT64_MAX))
    assert imported(fresh(), "a", document).status == 201
    full = imported(fresh(max_pets=29), "a", document)
    assert (full.status, full.json["code"]) == (507, "store_full")
    large = valid(**pets(pets=[{**MISO, "id": 1, "name": "x" * 2**20}]))
    assert imported(fresh(), "a", large).json["code"] == "payload_too_large"
    inline = imported(fresh(public=True, control_token="token-token"), "a", valid(scenario=TWICE))
    assert inline.status == 401


def test_after_the_highest_id_an_imported_store_is_full(fresh: Callable[..., Client]) -> None:
    call = fresh()
    imported(call, "a", valid(**pets(next_id=INT64_MAX + 1)))

    assert call("POST", "/~a/v1/pets", json_body=MISO).status == 507


# --- Equality -----------------------------------------------------------------------------------

SCENARIOS = ["default", "retry", "flaky", "empty", "flaky, retry", "sold-out"]
REQUESTS = st.one_of(
    st.tuples(st.sampled_from(["GET", "POST"]), st.just("/v1/pets"), st.sampled_from(SCENARIOS)),
    st.tuples(st.just("GET"), st.just("/v1/pets"), st.none()),
    st.tuples(st.just("POST"), st.just("/v1/pets"), st.none()),
    st.tuples(st.sampled_from(["GET", "POST"]), st.just("/v1/store/orders"), st.none()),
    st.tuples(st.just("DELETE"), st.integers(1, 3).map("/v1/store/orders/{}".format), st.none()),
)
CHANGES = st.one_of(
    st.tuples(
        st.just("PUT"),
        st.just("scenario"),
        st.sampled_from(
            [
                {"scenario": each}
                for each in ("flaky", ["retry", "flaky"], TWICE, [UNNAMED, "empty"], [TWICE, SHOP])
            ]
        ),
    ),
    st.tuples(st.just("PUT"), st.just("pets"), st.sampled_from([0, 3, [{"id": 50, **MISO}]])),
    st.tuples(st.just("PATCH"), st.integers(1, 18).map("pets/{}".format), st.just({"name": "‮é"})),
    st.tuples(st.just("DELETE"), st.integers(1, 18).map("pets/{}".format), st.none()),
    st.tuples(st.just("PUT"), st.just("clock"), st.sampled_from([AT, {"now": None}])),
    st.tuples(st.just("PUT"), st.just("overrides/retry"), st.just(OTHER)),
    st.tuples(st.just("POST"), st.just("reset"), st.none()),
)


def run(call: Client, name: str, step: tuple[str, str, Any]) -> tuple[int, bytes, Any]:
    method, path, more = step
    if path.startswith("/v1"):
        body = MISO if method == "POST" else None
        response = call(method, f"/~{name}{path}", scenario=more, json_body=body)
    else:
        response = call(method, f"/~{name}/__mockpets/{path}", json_body=more)
    body = response.body if "resets" not in path else b""
    return response.status, body, response.header("Mockpets-Stub")


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
    contents = {"scenario": "default", "clock": AT, **({"seed": seed} if seed else {})}
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
