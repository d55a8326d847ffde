"""References in replies: each source, over HTTP, and against an independent model."""

import json
import re
import tracemalloc
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets import MockpetsServer, Settings, create_app
from mockpets.constants import HEADER_VALUE_BYTES
from tests.http_client import JSON, Client, InProcess, OverSocket, Response

ORDERS = "/v1/store/{shop}/orders"
ORDER = {"petId": 9007199254740993, "name": "Mío", "items": [{"price": 1.5}], "gift": None}
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture(scope="module")
def call() -> Iterator[Client]:
    with MockpetsServer(Settings(port=0)) as server:
        yield Client(OverSocket(server.url))


def use(call: Client, reply: dict[str, Any], **match: Any) -> None:
    """Activate a scenario with one stub, by default for POST requests to `ORDERS`."""
    stub = {
        "name": "order",
        "match": match or {"method": "POST", "path": ORDERS},
        "off_contract": True,
        "reply": reply,
    }
    document = {"description": "d", "stubs": [stub]}
    response = call("PUT", "/__mockpets/scenario", json_body={"scenario": document})
    assert response.status == 200, response.body


def order(call: Client, body: object = None, query: str = "", **headers: str) -> Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = ORDER if body is None else body
    return call("POST", f"/v1/store/main/orders{query}", json_body=sent, headers=names)


def notes(call: Client, session: str = "default") -> dict[str, str]:
    last = call("GET", f"/~{session}/__mockpets/requests?limit=1").json["requests"][-1]
    return {note["code"]: note["text"] for note in last["notes"]}


@pytest.mark.parametrize(("source", "value"), [
    ("body", ORDER), ("body.petId", 9007199254740993), ("body.items", [{"price": 1.5}]),
    ("body.items.0.price", 1.5), ("body.gift", None), ("query.page", "2"), ("query.a.b", "x"),
    ("headers.X-User", "ann"), ("path.shop", "main"), ("session", "default"), ("count", 1),
])  # fmt: skip
def test_a_reference_keeps_the_type_of_its_value(call: Client, source: str, value: object) -> None:
    use(call, {"status": 201, "body": {"is": [{"from": source, "default": "unused"}]}})
    response = order(call, query="?page=2&page=3&a.b=x", X_User="ann")

    assert response.json == {"is": [value]}
    assert source in notes(call)["references"]


@pytest.mark.parametrize(
    "source", ["body.nick", "body.items.1", "body.items.x", "body.name.0", "query.q", "headers.x"]
)
def test_a_missing_value_is_its_default_or_null_with_a_note(call: Client, source: str) -> None:
    use(call, {"status": 201, "body": [{"from": source, "default": {"a": [1]}}, {"from": source}]})

    assert order(call).json == [{"a": [1]}, None]
    assert notes(call)["reference_missing"] == f"the request has no {source}"


def test_one_response_has_one_time_and_different_uuids_which_the_seed_repeats(call: Client) -> None:
    body = [{"from": "now"}, {"from": "now"}, {"from": "uuid"}, {"from": "uuid"}]
    use(call, {"status": 201, "body": body})
    first, second = order(call).json, order(call).json
    call("POST", "/__mockpets/reset")
    again = order(call).json

    assert first[0] == first[1]
    assert MOMENT.fullmatch(first[0])
    assert len({*first[2:], *second[2:]}) == 4
    assert all(UUID(text).version == 4 for text in first[2:])
    assert again[2:] == first[2:]


def test_count_is_the_position_among_the_requests_that_the_stub_responds_to(call: Client) -> None:
    stub = {"match": {"operation": "listPets"}, "after": 2, "off_contract": True}
    stub |= {"sequence": [{"status": 200, "body": [{"from": "count"}]}, "pass"], "repeat": "cycle"}
    document = {"description": "d", "stubs": [stub]}
    call("PUT", "/__mockpets/scenario", json_body={"scenario": document})
    bodies = [call("GET", "/v1/pets").json for _ in range(5)]

    assert [bodies[2], bodies[4]] == [[1], [3]]


def test_only_an_object_with_exactly_its_keys_is_a_reference(call: Client) -> None:
    body = {
        "a": {"from": "session", "to": 1},
        "b": {"literal": {"from": "Berlin"}},
        "c": {"literal": 5},
        "d": {"literal": {"literal": {"from": "x", "default": 2}}},
        "e": "{session}",
        "f": {"from": "session"},
    }
    use(call, {"status": 201, "body": body})

    assert order(call).json == {
        "a": {"from": "session", "to": 1},
        "b": {"from": "Berlin"},
        "c": {"literal": 5},
        "d": {"literal": {"from": "x", "default": 2}},
        "e": "{session}",
        "f": "default",
    }


def test_texts_and_headers_replace_known_sources_in_braces(call: Client) -> None:
    text = "{body.name} {body.petId} {body.items} {body.gift}|{body.nick}| {x} {{session}} \\{now}"
    reply = {"status": 201, "text": text}
    headers = {
        "Location": "/v1/orders/{body.name}",
        "X-Shop": "at {path.shop}",
        "X-No": "{query.q}",
    }
    use(call, reply | {"headers": headers})
    response = order(call)

    shown = 'Mío 9007199254740993 [{"price":1.5}] null|| {x} {{session}} {now}'
    assert response.body.decode() == shown
    assert response.header("Location") == "/v1/orders/M%C3%ADo"
    assert response.header("X-Shop") == "at main"
    assert response.header("X-No") is None
    assert notes(call)["reference_missing"] == "the request has no body.nick, query.q"


def test_a_header_cannot_be_split(call: Client) -> None:
    use(call, {"status": 201, "headers": {"X-Name": "{body.name}"}})
    response = order(call, {"name": "a\r\nSet-Cookie: x=1\x00\u2028"})

    assert response.header("X-Name") == "a%0D%0ASet-Cookie: x=1%00%E2%80%A8"
    assert response.header("Set-Cookie") is None
    assert order(call, {"name": "x" * 5000}).header("X-Name") is None


def test_a_message_repeats_the_name_of_a_pet(call: Client) -> None:
    reply = {"error": "invalid_request", "message": 'a pet called "{body.name}" exists'}
    use(call, reply, operation="createPet")
    response = call("POST", "/v1/pets", json_body={"name": 'M"\n', "categoryId": 1})

    message = 'a pet called "M"\n" exists'
    assert response.json == {"code": "invalid_request", "message": message, "status": 400}


def test_a_pet_with_the_requested_id(call: Client) -> None:
    body = {"id": {"from": "path.petId"}, "name": "Miso", "categoryId": 2}
    document = {
        "description": "d",
        "stubs": [{"match": {"operation": "getPet"}, "reply": {"status": 200, "body": body}}],
    }
    assert call("PUT", "/__mockpets/scenario", json_body={"scenario": document}).status == 200

    assert call("GET", "/v1/pets/77").json == {"id": 77, "name": "Miso", "categoryId": 2}
    assert call("GET", "/v1/pets/77").header("Mockpets-Off-Contract") is None
    assert call("GET", "/v1/pets/x").json["id"] is None


def test_a_reply_over_one_mebibyte_is_a_500_that_names_the_stub(call: Client) -> None:
    use(call, {"status": 201, "body": [{"from": "body"}] * 20})
    response = order(call, {"name": "x" * 60_000})

    assert response.status == 500
    message = "the reply of stub inline-1/order would have more than 1048576 bytes"
    assert response.json["message"] == message
    assert order(call, {}).json == [{}] * 20


@pytest.mark.parametrize("place", ["body", "text", "header"])
def test_values_are_not_collected_beyond_the_largest_reply(place: str) -> None:
    """In a process without a server, whose memory can be measured."""
    text = "{body}" * 100
    replies: dict[str, dict[str, Any]] = {
        "body": {"body": [{"from": "body"}] * 100},
        "text": {"text": text},
        "header": {"headers": {"X-All": text}},
    }
    app = Client(InProcess(create_app(Settings())))
    use(app, {"status": 201, **replies[place]})
    order(app, {})
    tracemalloc.start()
    try:
        response = order(app, {"name": "x" * 60_000})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert response.status == 500
    assert peak < 5 * 2**20


@pytest.mark.parametrize(("reply", "place"), [
    pytest.param({"status": 201, "body": [{"from": "body"}] * 101}, "body.101.from", id="body"),
    pytest.param({"status": 201, "text": "{count}" * 101}, "text", id="text"),
    pytest.param({"status": 201, "headers": {"X-A": "{now}" * 101}}, "headers.X-A", id="header"),
    pytest.param({"status": 201, "body": [{"from": "count"}] * 99, "headers": {"X-A": "{now}" * 2}},
                 "body.99.from", id="together"),
    pytest.param({"error": "invalid_request", "message": "{now}" * 101}, "message", id="message"),
])  # fmt: skip
def test_a_reply_has_at_most_100_references(
    call: Client, reply: dict[str, Any], place: str
) -> None:
    stub = {"match": {"method": "POST", "path": ORDERS}, "off_contract": True, "reply": reply}
    text = json.dumps({"description": "d", "stubs": [stub]})
    yaml = {"Content-Type": "application/yaml"}
    checked = call("POST", "/__mockpets/scenarios/check", body=text.encode(), headers=yaml)

    [problem] = checked.json["problems"]
    assert problem["what"] == "the reply has more than 100 references"
    assert problem["where"] == f"stubs.1.reply.{place}"
    assert (problem["line"], text[problem["column"] - 1]) == (1, '"')


def test_a_reply_with_100_references_is_valid(call: Client) -> None:
    headers = {"X-At": "{session}" * 50 + "\\{now}" * 50}
    use(call, {"status": 201, "body": [{"from": "count"}] * 50, "headers": headers})
    response = order(call, {})

    assert response.json == [1] * 50
    assert response.header("X-At") == "default" * 50 + "{now}" * 50


@pytest.mark.parametrize(
    "body",
    [
        {"from": "body", "default": "\ud800"},
        {"from": "body", "default": [{"a\ud800": 1}]},
        [{"from": "body"}, "\ud800"],
        {"a": {"from": "body"}, "\ud800": 1},
    ],
    ids=["default", "name in a default", "value", "name"],
)
def test_half_of_a_surrogate_pair_in_a_reply_is_a_problem(call: Client, body: object) -> None:
    stub = {"match": {"path": ORDERS, "method": "POST"}, "off_contract": True}
    stub["reply"] = {"status": 201, "body": body}
    text = json.dumps({"scenario": {"description": "d", "stubs": [stub]}})
    response = call("PUT", "/__mockpets/scenario", body=text.encode(), headers=JSON)

    assert response.status == 400
    [problem] = response.json["details"]["problems"]
    assert problem["what"] == "U+D800 is half of a surrogate pair"


def test_half_of_a_surrogate_pair_is_missing(call: Client) -> None:
    use(call, {"status": 201, "body": {"from": "body.name"}})
    response = call("POST", "/v1/store/main/orders", body=b'{"name": "\\ud800"}')

    assert (response.status, response.json) == (201, None)


def test_an_explanation_has_the_values_and_their_sources(call: Client) -> None:
    use(call, {"status": 201, "body": [{"from": "body.petId"}, {"from": "body.nick"}]})
    request = {"method": "POST", "path": "/v1/store/main/orders", "body": ORDER}
    request["headers"] = {"Authorization": "Bearer mockpets"}
    explanation = call("POST", "/__mockpets/explain", json_body=request).json

    found = {note["code"]: note["text"] for note in explanation["request"]["notes"]}
    assert found["references"] == "body.petId is 9007199254740993"
    assert found["reference_missing"] == "the request has no body.nick"


# --- Against a model ----------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "0", "1"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5).filter(lambda text: text.isprintable()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
PATHS = st.lists(NAMES, min_size=1, max_size=3)


def expected(body: object, path: list[str]) -> Any:
    for step in path:
        if isinstance(body, list) and int(step) < len(body) if step.isdigit() else False:
            body = body[int(step)]  # type: ignore[index] # checked above
        elif isinstance(body, dict) and step in body:
            body = body[step]
        else:
            return "default"
    return body


@pytest.mark.slow
@given(
    body=st.dictionaries(NAMES, VALUES, max_size=3),
    paths=st.lists(PATHS, min_size=1, max_size=4),
    key=st.text(max_size=4).filter(lambda text: text.isprintable()),
)
def test_any_body_and_any_paths(
    call: Client, body: dict[str, Any], paths: list[list[str]], key: str
) -> None:
    wanted = [{"from": ".".join(["body", *path]), "default": "default"} for path in paths]
    texts = [{key: each} for each in wanted]
    use(call, {"status": 201, "body": {"texts": texts, "end": key}})
    response = order(call, body)

    values = [{key: expected(json.loads(json.dumps(body)), path)} for path in paths]
    assert response.json == {"texts": values, "end": key}


SOURCES = st.one_of(
    st.sampled_from(
        ["body", "session", "now", "count", "uuid", "path.shop", "query.q", "headers.x-h"]
    ),
    st.lists(st.sampled_from(["a", "0", "-1", "1", "99999999999999999999"]), min_size=1).map(
        lambda steps: ".".join(["body", *steps])
    ),
)
BODIES = st.one_of(
    st.binary(max_size=40),
    st.dictionaries(NAMES, VALUES, max_size=3).map(lambda body: json.dumps(body).encode()),
    st.sampled_from([b"", b"[[[[1]]]]", b'{"a": 1e999}', b'{"a": "\\ud800"}', b'{"a":"x"}' * 3]),
)
TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)


@pytest.mark.slow
@given(sources=st.lists(SOURCES, min_size=1, max_size=6), body=BODIES, text=TEXTS)
def test_no_request_makes_references_fail_or_see_another_session(
    call: Client, sources: list[str], body: bytes, text: str
) -> None:
    """Each session has its own secret, which only its own requests send."""
    reply = {
        "status": 201,
        "headers": {"X-All": "".join(f"{{{source}}}" for source in sources)},
        "body": [{"from": source} for source in sources] + ["end"],
    }
    stub = {"match": {"path": ORDERS, "method": "POST"}, "off_contract": True, "reply": reply}
    document = {"description": "d", "stubs": [stub]}
    secrets = {"r1": "secret-of-1", "r2": "secret-of-2"}
    for name in secrets:
        call("PUT", f"/__mockpets/sessions/{name}", json_body={"scenario": document})
    for name, secret in [*secrets.items()] * 2:
        other = next(each for each in secrets.values() if each != secret)
        response = call(
            "POST",
            f"/~{name}/v1/store/{secret}/orders?q={secret}",
            headers={"X-H": f"{secret}{text}", "Content-Type": "application/json"},
            body=body,
        )
        assert response.status == 201
        assert response.json[-1] == "end" and len(response.json) == len(sources) + 1
        sent = response.header("X-All") or ""
        assert len(sent) <= HEADER_VALUE_BYTES and sent.isascii() and sent.isprintable()
        assert other not in f"{response.headers}{response.body.decode()}"
        for source, value in zip(sources, response.json, strict=False):
            kind = {"count": int, "session": str, "now": str, "uuid": str, "path.shop": str}
            assert source not in kind or type(value) is kind[source]
