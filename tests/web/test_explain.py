"""Explanations: they agree with what happens, change nothing, and name every condition."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mockpets import Settings, create_app
from tests.http_client import Client, InProcess, OverSocket, Response
from tests.server.raw_http import Wire
from tests.web.documents import client_of, document, json_of, operation, write

EXPLAINED = {"Mockpets-Session": "explained"}
KEY = {"Authorization": "Bearer mockpets"}
LIST: dict[str, Any] = {"method": "GET", "path": "/v1/pets", "headers": KEY}
REQUESTS = 6
"""Requests to each random scenario, so that counts and sequences matter."""


def explain(call: Client, session: str, request: dict[str, Any]) -> Any:
    response = call(
        "POST", "/__mockpets/explain", json_body=request, headers={"Mockpets-Session": session}
    )
    assert response.status == 200, response.body
    return response.json


def send(call: Client, session: str, request: dict[str, Any]) -> Response:
    return call(
        request["method"],
        request["path"],
        headers={**request["headers"], "Mockpets-Session": session},
        json_body=request.get("body"),
        key=None,
    )


def use(call: Client, session: str, **scenario: Any) -> None:
    contents = {"scenario": {"description": "d", **scenario}}
    assert call("PUT", f"/__mockpets/sessions/{session}", json_body=contents).status < 300


# --- Random scenarios -------------------------------------------------------------------------


def random_match(random: Random) -> dict[str, Any]:
    match: dict[str, Any] = {}
    if random.random() < 0.5:
        operations = random.sample(["listPets", "createPet", "getPet"], random.randint(1, 2))
        match["operation"] = operations
        if operations == ["getPet"]:
            match["params"] = {"petId": random.randint(1, 3)}
    if random.random() < 0.3:
        match["query"] = {"status": random.choice(["sold", {"present": False}, {"contains": "o"}])}
    if random.random() < 0.3:
        match["headers"] = {"x-user": random.choice(["ann", {"matches": "a*"}, {"present": True}])}
    if random.random() < 0.3:
        match["body"] = {"categoryId": random.choice([1, 2, {"present": True}])}
    return match


def random_stub(random: Random) -> dict[str, Any]:
    stub: dict[str, Any] = {"match": random_match(random), "off_contract": True}
    if random.random() < 0.3:
        stub["after"] = random.randint(1, 2)
    if random.random() < 0.3:
        stub["times"] = random.randint(1, 2)
    if random.random() < 0.3:
        stub["probability"] = random.choice([0.3, 0.7])
    effect = random.choice(["reply", "reply", "sequence", "fault", "delay", "throttle"])
    if effect == "reply":
        stub["reply"] = {"status": random.choice([200, 401, 429, 500, 503]), "body": {"a": 1}}
    elif effect == "sequence":
        choices: list[Any] = ["pass", {"status": 503}, {"fault": "malformed_json"}]
        stub["sequence"] = random.choices(choices, k=random.randint(1, 2))
        stub["repeat"] = random.choice(["last", "cycle", "none", "none"])
    elif effect == "fault":
        stub["fault"] = random.choice(["malformed_json", "truncated_body", "connection_reset"])
    elif effect == "delay":
        stub["delay"] = {"min": "0ms", "max": "1ms"}
        del stub["off_contract"]
    else:
        stub["throttle"] = "9 MB/s"
        del stub["off_contract"]
    return stub


def random_request(random: Random) -> dict[str, Any]:
    headers = {"Authorization": random.choice(["Bearer mockpets"] * 9 + ["Bearer wrong"])}
    if random.random() < 0.5:
        headers["X-User"] = random.choice(["ann", "bob"])
    match random.randrange(4):
        case 0:
            query = random.choice(["", "?status=sold", "?status=x&limit=0", "?limit=2"])
            return {"method": "GET", "path": f"/v1/pets{query}", "headers": headers}
        case 1:
            pet = random.choice([1, 2, 99, "x"])
            return {"method": "GET", "path": f"/v1/pets/{pet}", "headers": headers}
        case 2:
            body = {"name": "Miso", "categoryId": random.choice([1, 2, "no"])}
            return {"method": "POST", "path": "/v1/pets", "headers": headers, "body": body}
        case _:
            method = random.choice(["GET", "PUT"])
            return {"method": method, "path": "/v1/store/orders", "headers": headers}


def comparable(explanation: Any) -> Any:
    """Return an explanation without the times, and what only a request that was sent has."""
    times = {"at": "", "app_ms": 0, "total_ms": 0}
    request = {**explanation["request"], **times, "outcome": ""}
    return {**explanation, "request": request, "sent": None}


@pytest.mark.parametrize("scenarios", [
    pytest.param(25, marks=pytest.mark.slow),
    pytest.param(60, marks=pytest.mark.long),
    pytest.param(1_700, marks=pytest.mark.long),
], ids=["few", "some", "many"])  # fmt: skip
def test_an_explanation_is_what_then_happens_and_changes_nothing(
    fresh: Callable[..., Client], scenarios: int
) -> None:
    call, responders = fresh(), set()
    for seed in range(scenarios):
        random = Random(seed)
        stubs = [random_stub(random) for _ in range(random.randint(1, 4))]
        for session in ("explained", "other"):
            call("DELETE", f"/__mockpets/sessions/{session}?closed=0s")
            use(call, session, stubs=stubs)
        for number in range(1, REQUESTS + 1):
            request = random_request(random)
            explained = explain(call, "explained", request)
            assert explain(call, "explained", request)["stubs"] == explained["stubs"]
            response, other = (send(call, each, request) for each in ("explained", "other"))
            recorded = call("GET", f"/__mockpets/requests/{number}/explain?", headers=EXPLAINED)
            assert comparable(explained) == comparable(recorded.json)
            row = explained["request"]
            assert row["status"] in (response.status, None)
            assert response.header("Mockpets-Stub") == (", ".join(row["stubs"]) or "-")
            # The session in which nothing was explained is in the same state.
            assert (response.status, response.body) == (other.status, other.body)
            responders.add((explained["by"], *(each["result"] for each in explained["stubs"])))
    results = {result for each in responders for result in each[1:]}
    limits = {"after", "times", "sequence", "probability"}
    assert results == {"responds", "applies", "no_match", "not_reached", *limits}
    assert {each[0] for each in responders} == {"stub", "operation", "check"}


@pytest.mark.parametrize(("mebibytes", "status"), [(80, 200), (1, 507)])
def test_pets_that_only_an_explanation_needs_are_not_charged(mebibytes: int, status: int) -> None:
    app = create_app(Settings(data=("pets=2",), memory=mebibytes * 2**20))
    call, pets = Client(InProcess(app)), app.extensions["mockpets"].sessions.shared.records
    use(call, "s", data={"pets": [{"id": 1, "name": "Miso", "categoryId": 1}]})
    used = pets.used
    request = {**LIST, "path": "/~s+crowded/v1/pets"}

    assert explain(call, "s", request)["request"]["status"] == status
    assert pets.used == used > 0
    assert send(call, "s", request).status == status, "with pets that the explanation did not keep"
    assert (pets.used > used) == (status == 200)


# --- What an explanation contains -------------------------------------------------------------


def conditions(stub: Any) -> list[tuple[Any, ...]]:
    return [tuple(each.values()) for each in stub["conditions"]]


def test_each_condition_has_the_expected_and_the_actual_value(fresh: Callable[..., Client]) -> None:
    call = fresh()
    match = {
        "operation": "createPet",
        "query": {"full": {"present": True}},
        "headers": {"x-user": {"matches": "a*"}},
        "body": {"name": "Miso", "categoryId": {"one_of": [1, 2]}},
    }
    use(call, "s", stubs=[{"name": "one", "match": match, "reply": {"error": "invalid_request"}}])
    body = {"name": "Miso", "categoryId": 3}
    request = {"method": "POST", "path": "/v1/pets", "headers": {**KEY, "X-User": "bob"}}

    explained = explain(call, "s", {**request, "body": body})

    (stub,) = explained["stubs"]
    assert conditions(stub) == [
        ("operation", "createPet", "createPet", True),
        ("query.full", "present", "absent", False),
        ("headers.x-user", 'matches "a*"', '"bob"', False),
        ("body.name", '"Miso"', '"Miso"', True),
        ("body.categoryId", "one of 1, 2", "3", False),
    ]
    assert stub["result"] == "no_match"
    assert (stub["passed"], stub["used"], stub["draw"]) == (None, None, None)
    assert explained["nearest"] == stub["label"]
    assert explained["by"] == "operation"
    assert explained["summary"] == (
        f"operation createPet responds with 201; no stub responds to this request "
        f"(nearest: {stub['label']})"
    )


@pytest.mark.parametrize(("probability", "reason"), [
    (0.25, "responds: 0.134364 is below 0.25, seed 1"),
    (0.1, "not drawn: 0.134364 is not below 0.1, seed 1"),
])  # fmt: skip
def test_a_draw_is_compared_with_the_probability(
    fresh: Callable[..., Client], probability: float, reason: str
) -> None:
    call = fresh()
    use(call, "s", stubs=[{"probability": probability, "reply": {"error": "unauthorized"}}])

    assert explain(call, "s", LIST)["stubs"][0]["reason"] == reason


def test_a_recorded_request_is_explained_with_the_stubs_of_that_time(
    fresh: Callable[..., Client],
) -> None:
    call = fresh()
    use(call, "s", stubs=[{"name": "old", "times": 1, "reply": {"error": "unauthorized"}}])
    send(call, "s", LIST)
    before = call("GET", "/~s/__mockpets/requests/1/explain").json
    use(call, "s", stubs=[{"name": "new", "delay": "1ms"}])
    send(call, "s", LIST)

    assert call("GET", "/~s/__mockpets/requests/1/explain").json == before
    assert before["stubs"][0]["label"].endswith("/old")


def test_the_nearest_stub_is_not_one_of_another_operation(fresh: Callable[..., Client]) -> None:
    call = fresh()
    sold = {"operation": "listPets", "query": {"status": "sold", "limit": "5"}}
    stubs = [
        {"name": "other", "match": {"operation": "getPet"}, "reply": {"error": "pet_not_found"}},
        {"name": "far", "match": sold, "reply": {"error": "unauthorized"}},
        {
            "name": "near",
            "match": {"query": {"status": "sold"}},
            "reply": {"error": "unauthorized"},
        },
    ]
    use(call, "s", stubs=stubs)

    assert explain(call, "s", LIST)["nearest"].endswith("/near")


def test_a_response_made_by_a_check_names_the_check(fresh: Callable[..., Client]) -> None:
    call = fresh()
    orders = {"method": "GET", "path": "/v1/store/orders", "headers": KEY}

    delete = explain(call, "s", {"method": "DELETE", "path": "/v1/pets/3", "headers": KEY})
    undefined = explain(call, "s", orders)
    use(call, "s", stubs=[{"match": {"operation": "getPet"}, "reply": {"error": "unauthorized"}}])
    unmatched = explain(call, "s", orders)

    assert delete["summary"].startswith(
        "405 before any scenario ran: DELETE is not allowed on /v1/pets/3; allowed: GET"
    )
    status = undefined["request"]["status"]
    for explained, reason in (
        (undefined, "the active scenarios have no stubs"),
        (unmatched, "no stub responds to this request"),
    ):
        assert explained["summary"].startswith(
            f"{status}, because {reason}: the contract names GET"
        )


def test_secrets_are_hidden_but_a_stub_that_matched_them_did(fresh: Callable[..., Client]) -> None:
    call = fresh()
    key = {"headers": {"authorization": "Bearer mockpets"}}
    wrong = {"headers": {"authorization": "Bearer other"}, "query": {"a": {"present": False}}}
    use(call, "s", stubs=[
        {"name": "wrong", "match": wrong, "reply": {"error": "unauthorized"}},
        {"name": "both", "match": {**wrong, "query": {"a": "b"}}, "delay": "1ms"},
        {"name": "right", "match": key, "reply": {"error": "unauthorized"}},
    ])  # fmt: skip

    explained = explain(call, "s", LIST)

    assert "Bearer mockpets" not in str(explained["request"])
    held = [[each["holds"] for each in stub["conditions"]] for stub in explained["stubs"]]
    # Of the first stub, only the hidden condition can be the one that fails; of the second, not.
    assert held == [[True, False], [False, None], [True]]
    assert "Bearer mockpets" not in str(explained["stubs"][2]["conditions"][0]["got"])


@pytest.mark.parametrize(
    ("padding", "holds"), [(100, False), (5_000, None)], ids=["short", "longer than recorded"]
)
def test_a_recorded_body_that_was_cut_off_leaves_conditions_unknown(
    fresh: Callable[..., Client], padding: int, holds: bool | None
) -> None:
    call = fresh()
    wanted = {"body": {"categoryId": 1, "name": "Miso"}}
    stub = {"match": {"operation": "createPet", **wanted}, "reply": {"error": "invalid_request"}}
    use(call, "s", stubs=[stub])
    body = {"name": "n" * padding, "categoryId": 2}
    request = {"method": "POST", "path": "/v1/pets", "headers": KEY, "body": body}

    before = explain(call, "s", request)
    send(call, "s", request)
    after = call("GET", "/~s/__mockpets/requests/1/explain").json

    # A request that was not sent is known as a whole.
    assert [each["holds"] for each in before["stubs"][0]["conditions"]] == [True, False, False]
    assert [each["holds"] for each in after["stubs"][0]["conditions"]] == [True, holds, holds]


def test_at_most_a_hundred_stubs_are_listed_with_those_that_take_part(
    fresh: Callable[..., Client],
) -> None:
    call = fresh()
    wanted = [
        {"match": {"query": {"status": f"s{number}"}}, "delay": "1s"} for number in range(150)
    ]
    use(call, "s", stubs=[*wanted, {"name": "last", "reply": {"error": "unauthorized"}}])

    explained = explain(call, "s", LIST)

    assert (len(explained["stubs"]), explained["omitted"]) == (100, 51)
    assert explained["stubs"][-1]["label"] == explained["stub"]
    assert explained["stub"].endswith("/last")


def test_an_explanation_neither_waits_nor_breaks(call: Client) -> None:
    for scenario in ("loading", "slow", "offline", "truncated"):
        request = {**LIST, "headers": {**KEY, "Mockpets-Scenario": scenario}}
        explained = explain(call, "calm", request)
        assert explained["request"]["scenarios"] == [scenario]
    assert explained["summary"] == (
        "stub truncated/cut responds with 200 and closes the connection in the middle of the body "
        "(truncated_body)"
    )


# --- It changes nothing -----------------------------------------------------------------------


def test_an_explanation_creates_no_session_entry_pet_or_metric(
    fresh: Callable[..., Client],
) -> None:
    call = fresh()

    def observed() -> Any:
        metrics = call("GET", "/__mockpets/metrics").body.decode().splitlines()
        return (
            call("GET", "/__mockpets/sessions").json["sessions"][0]["requests"],
            len(call("GET", "/__mockpets/sessions").json["sessions"]),
            call("GET", "/__mockpets/requests").json["requests"],
            call("GET", "/__mockpets/data/pets").json,
            call("GET", "/__mockpets/events").json,
            [line for line in metrics if line.startswith(("mockpets_requests", "mockpets_pets"))],
        )

    before = observed()
    body = {"name": "Miso", "categoryId": 1}
    create = {"method": "POST", "path": "/v1/pets", "headers": KEY, "body": body}
    for session in ("default", "new"):
        first, second = (explain(call, session, create) for _ in range(2))
        assert first["request"]["status"] == second["request"]["status"] == 201
        assert comparable(first) == comparable(second)

    assert observed() == before


# --- Which request ----------------------------------------------------------------------------


def test_a_servers_prefix_may_be_left_out(fresh: Callable[..., Client]) -> None:
    call = fresh(prefix="/mock")
    statuses = []
    for path in ("/v1/pets", "/mock/v1/pets"):
        request = {"method": "GET", "path": path, "headers": KEY}
        response = call("POST", "/mock/__mockpets/explain", json_body=request)
        statuses.append(response.json["request"]["status"])

    assert statuses == [200, 200]


def test_with_declared_sessions_the_request_must_name_one(fresh: Callable[..., Client]) -> None:
    call = fresh(sessions="declared")
    use(call, "one", data={"pets": []})

    assert explain(call, "one", LIST)["request"]["status"] == 200
    response = call("POST", "/__mockpets/explain", json_body=LIST)
    assert response.json["by"] == "check"
    assert "the request names no session" in response.json["summary"]


@pytest.mark.parametrize(("request_", "message"), [
    ({}, "missing key 'method'"),
    ({"method": "GET"}, "missing key 'path'"),
    ({"method": "G T", "path": "/v1/pets"}, "must be a method such as GET or POST"),
    ({"method": "GET", "path": "v1/pets"}, "must be a path such as /v1/items?limit=5"),
    ({"method": "GET", "path": "/v1/pets#a"}, "must be a path"),
    ({"method": "GET", "path": "/v1/p\u00e4ts"}, "percent-encode it"),
    ({"method": "GET", "path": "/v1/pets", "header": {}}, "did you mean 'headers'?"),
    ({"method": "GET", "path": "/v1/pets", "headers": {"a:": "b"}}, "invalid header name 'a:'"),
    ({"method": "GET", "path": "/v1/pets", "headers": {"a": 1}}, "must be printable ASCII"),
    ({"method": "GET", "path": "/v1/pets", "headers": {"a": "b\r\nc: d"}}, "printable ASCII"),
    ({"method": "OPTIONS", "path": "/v1/pets"}, "no scenario applies to a preflight"),
    ({"method": "GET", "path": "/__mockpets/state"}, "no scenario applies to the control API"),
    ({"method": "GET", "path": "/~a/__mockpets"}, "no scenario applies to the control API"),
    ({"method": "GET", "path": "/%5f_mockpets/pets"}, "no scenario applies to the control API"),
    ([], "must be a mapping"),
])  # fmt: skip
def test_an_invalid_request_is_rejected(call: Client, request_: Any, message: str) -> None:
    response = call("POST", "/__mockpets/explain", json_body=request_)

    assert response.status == 400
    assert message in response.body.decode()


# --- Requests as the server reads them ----------------------------------------------------------

METHODS = ["GET", "GET", "GET", "POST", "HEAD", "PUT", "get", "CONNECT", "TRACE", "~"]
PATHS = [
    *("/v1/pets", "/v1/pets/1", "/v1/pets/x", "/v1/store/orders", "/v1/other", "/", "/docs"),
    *("//x/v1/pets", "//v1/pets", "//[/v1/pets", "/v1//pets", "/v1/pets/", "///", "/v1/%2e/pets"),
    *("/~s/v1/pets", "/~s+empty/v1/pets", "/~S!/v1/pets", "/~s", "/~/v1/pets", "/s/v1/pets"),
    *("/v1/p%65ts", "/v1/pets%00", "/v1/%c3%a9", "/v1/%ff%zz", "/pets"),
]
QUERIES = [
    "", "", "?limit=0", "?status=x", "?limit=%zz", "?a" + "&a" * 1000, "??", "?limit=1&limit=2",
]  # fmt: skip
HEADERS = {
    "Authorization": ["Bearer mockpets", "Bearer mockpets~t", "Bearer mockpets~t+empty", "Basic x"],
    "authorization": ["Bearer mockpets", "Bearer other"],
    "Host": ["localhost", "", "a b", "[::1]:80", "a@b"],
    "host": ["localhost"],
    "Accept": ["text/html", "*/*"],
    "Expect": ["100-continue", "200-ok"],
    "Transfer-Encoding": ["gzip", "gzip, chunked"],
    "Transfer_Encoding": ["chunked"],
    "Content-Length": ["-1", "x", "1" * 19, "9" * 9, "0"],
    "Content-Type": ["application/json", "text/plain"],
    "content-type": ["application/json"],
    "Mockpets-Session": ["s", "S ", "a b", ""],
    "mockpets-session": ["t"],
    "Mockpets_Session": ["x"],
    "Mockpets-Scenario": ["empty", "missing", ",", "empty, empty"],
    "Mockpets-Delay": ["0s", "x"],
    "Mockpets-Sesion": ["x"],
    "baggage": ["mockpets.session=t", "mockpets.scenario=empty", "mockpets.x=y", "a=b"],
    "Cookie": ["mockpets=t", "mockpets=t%2Bempty", "mockpets=+missing", "a=b"],
    "Origin": ["https://other.example", "http://localhost:5173"],
    "X-API-Key": ["mockpets"],
    "a_b": ["c"],
}
FIELDS = [(name, value) for name, values in HEADERS.items() for value in values]


heads = st.tuples(
    st.sampled_from(METHODS),
    st.builds("".join, st.tuples(st.sampled_from(PATHS), st.sampled_from(QUERIES))),
    st.lists(st.sampled_from(FIELDS), max_size=4, unique_by=lambda field: field[0]),
)


@given(heads)
@example(("GET", "/v1/pets", [(f"X-{number}", "v" * 4_000) for number in range(5)]))
@example(("GET", "/~t/v1/pets", [("Authorization", "Bearer mockpets")]))
@example(("GET", "/v1/pets", [("Mockpets-Sesion", "x")]))
@example(("GET", "/v1/pets", [("Authorization", "Bearer mockpets~t")]))
@example(("GET", "/v1/pets", [("Authorization", "Bearer mockpets"), ("Cookie", "mockpets=t")]))
def test_a_request_is_explained_as_the_server_reads_it(
    port: int, head: tuple[str, str, list[tuple[str, str]]]
) -> None:
    method, path, fields = head
    headers = dict(fields)
    request = {"method": method, "path": path, "headers": headers}
    call = Client(OverSocket(f"http://127.0.0.1:{port}"))

    explained = explain(call, "default", request)

    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields)]
    if not headers.keys() & {"Host", "host"}:
        lines.append("Host: localhost")
    with Wire(port) as wire:
        wire.send("\r\n".join([*lines, "", ""]).encode())
        reply = wire.read(has_body=method != "HEAD")
    asked = explained["request"]
    assert asked["status"] == reply.status
    if session := reply.headers.get("Mockpets-Session"):
        named = asked["session"], ", ".join(asked["scenarios"])
        assert named == (session, reply.headers.get("Mockpets-Scenario", ""))
    if explained["by"] == "check" and reply.body:
        assert reply.json["message"] in explained["summary"]


@pytest.mark.parametrize("number", ["0", "99", "x", "-1", "last"])
def test_a_number_that_is_not_in_the_log_is_reported(call: Client, number: str) -> None:
    response = call("GET", f"/~nobody/__mockpets/requests/{number}/explain")

    assert response.status == 404
    assert "has no request" in response.json["message"]


def test_a_limit_that_rejects_a_decided_response_is_explained(fresh: Callable[..., Client]) -> None:
    call = fresh(public=True, control_token="secret-token")
    request = {**LIST, "headers": {**KEY, "Mockpets-Scenario": "offline"}}

    explained = call("POST", "/__mockpets/explain", json_body=request, key="secret-token").json

    assert (explained["by"], explained["request"]["status"]) == ("check", 403)
    assert [each["result"] for each in explained["stubs"]] == ["responds"]
    assert explained["summary"].startswith(
        "403 from a limit, in place of what the stubs decided: connection faults are disabled"
    )


def test_the_summary_names_the_stubs_that_only_delay(fresh: Callable[..., Client]) -> None:
    call = fresh()
    delays = [{"name": name, "delay": "1s"} for name in ("one", "two")]
    use(call, "s", stubs=[*delays, {"name": "last", "reply": {"error": "unauthorized"}}])
    both = explain(call, "s", LIST)
    use(call, "s", stubs=delays[:1])
    one = explain(call, "s", LIST)

    assert both["summary"].endswith(
        "/last responds with 401; inline-1/one and inline-1/two apply too"
    )
    assert one["summary"] == (
        "operation listPets responds with 200; no stub responds to this request; "
        "inline-1/one applies too"
    )


# --- The key ----------------------------------------------------------------------------------

SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "api_key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
}
PAIR = "m:p"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """Return a client of a document with an operation for each scheme, and of one without."""
    paths: dict[str, Any] = {
        f"/{name}": {"get": {**operation(), "security": [{name: []}]}} for name in SCHEMES
    }
    paths["/none"] = {"get": operation()}
    root = document(paths, components={"securitySchemes": SCHEMES})
    file = write(tmp_path_factory.mktemp("secured") / "a.json", root)
    given = {"api_key": ("--api-key", 0, 0, "")}  # else any key is valid
    return client_of(file, api_key=("m", PAIR), sources=given)


@pytest.mark.parametrize("path", [
    *(f"/{name}" for name in SCHEMES), "/none", "/query?page=1", "/query?", "/~s/header",
])  # fmt: skip
def test_the_key_is_sent_where_the_operation_needs_one(secured: Client, path: str) -> None:
    key = PAIR if path == "/basic" else "m"
    request = {"method": "GET", "path": path}

    assert explain(secured, "s", {**request, "key": key})["request"]["status"] == 200
    without = explain(secured, "s", request)["request"]["status"]
    assert without == (200 if path == "/none" else 401)
    wrong = "x:y" if path == "/basic" else "x"
    status = explain(secured, "s", {**request, "key": wrong})["request"]["status"]
    assert status == (200 if path == "/none" else 401)


@pytest.mark.parametrize(("path", "headers"), [
    ("/bearer", {"authorization": "Bearer x"}),
    ("/header", {"x-key": "x"}),
    ("/query?api_key=x", {}),
    ("/cookie", {"Cookie": "sid=x"}),
])  # fmt: skip
def test_a_credential_of_the_request_is_kept(
    secured: Client, path: str, headers: dict[str, str]
) -> None:
    request = {"method": "GET", "path": path, "headers": headers, "key": "m"}
    assert explain(secured, "s", request)["request"]["status"] == 401


@pytest.mark.parametrize("key", ["", "a b", "ä", 3, None])
def test_an_invalid_key_to_send(secured: Client, key: object) -> None:
    body = {"method": "GET", "path": "/header", "key": key}
    response = secured("POST", "/__mockpets/explain", json_body=body)
    assert response.status == 400
    assert b"key" in response.body


TEXT: Any = {"type": "string"}
ERRORS: dict[str, tuple[Any, str]] = {
    "message": ({"message": TEXT}, "limit must be"),
    "problem of RFC 9457": ({"title": TEXT, "detail": TEXT}, "limit must be"),
    "object": ({"error": {"required": ["message"], "properties": {"message": TEXT}}}, "limit must"),
    "list": ({"errors": {"type": "array", "minItems": 1, "items": TEXT}}, '{"errors":["limit must'),
}


@pytest.mark.parametrize(("properties", "reason"), ERRORS.values(), ids=ERRORS)
def test_an_error_of_a_document_has_its_reason(
    tmp_path: Path, properties: Any, reason: str
) -> None:
    limit = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
    failed = json_of({"required": [*properties], "properties": properties})
    listed = operation(limit, name="listItems", _200=json_of({"type": "string"}), _400=failed)
    call = client_of(write(tmp_path / "api.json", document({"/items": {"get": listed}})))
    assert [call("GET", f"/items?limit={each}").status for each in ("x", "1")] == [400, 200]

    wrong, right = (
        call("GET", f"/__mockpets/requests/{number}/explain").json["summary"] for number in (1, 2)
    )
    start, end = "operation listItems (example, rule ", "; the active scenarios have no stubs"
    assert wrong.startswith(start) and f"responds with 400 ({reason}" in wrong, wrong
    assert right.startswith(start) and right.endswith(f"responds with 200{end}"), right
    assert wrong.endswith(f"){end}")
