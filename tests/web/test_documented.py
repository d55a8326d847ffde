"""The responses to documents' operations: what is documented, and what `Prefer` asks for."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from mockpets.contract.media_types import json_media
from mockpets.contract.openapi_loader import Described, load, operations
from mockpets.strict_json import load_json
from tests.contract.json_schema import is_valid_by
from tests.http_client import KEY, Client, Response
from tests.web.documents import (
    CLINIC,
    ERROR,
    Node,
    Serve,
    client_of,
    document,
    json_of,
    operation,
    serve_in,
    write,
)

DOCUMENT = load(CLINIC, CLINIC.name)
DESCRIBED = operations(DOCUMENT)
IS_VALID = is_valid_by(DOCUMENT)
LABEL = "mockpets-off-contract"
BODIES: dict[str, dict[str, object]] = {
    "logIn": {"email": "kim@clinic.example", "password": "let-me-in"},
    "register": {"name": "Lee", "email": "lee@clinic.example", "password": "let-me-in"},
    "updateMe": {"name": "Kim"},
    "createOwner": {"name": "Ada", "email": "ada@example.com"},
    "replaceOwner": {"name": "Ada", "email": "ada@example.com", "phone": None},
    "updateOwner": {"phone": None},
    "createAnimal": {"name": "Rex", "species": "dog", "chipCode": "123456789012345"},
    "updateAnimal": {"name": "Rex"},
    "createAppointment": {"animalId": 7, "startsAt": "2026-05-04T09:00:00Z"},
    "replaceAppointment": {"animalId": 7, "startsAt": "2026-05-04T09:00:00Z", "minutes": 20},
    "replaceSettings": {"name": "Clinic", "opensAt": "08:00", "closesAt": "18:00"},
}
UUID = "4f5e1f0e-8c1d-4b7e-9c1e-2f3a4b5c6d7e"
IDS = {"memberId": UUID, "id": UUID}


@pytest.fixture(scope="module")
def clinic() -> Client:
    return client_of(CLINIC)


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    return serve_in(tmp_path)


@pytest.fixture(scope="module")
def keys(clinic: Client) -> dict[str, str]:
    """The keys of existing records, by the name of the parameter."""
    paths = {
        "ownerId": "owners",
        "animalId": "animals",
        "memberId": "members",
        "id": "appointments?status=booked",  # a cancelled one cannot be cancelled
    }

    def first(path: str) -> str:
        listed = clinic("GET", f"/api/{path}").json
        records = listed if isinstance(listed, list) else next(iter(listed.values()))
        return str(records[0]["id"])

    return {name: first(path) for name, path in paths.items()}


def send(call: Client, described: Described, headers: Node, keys: dict[str, str] = IDS) -> Response:
    """Send a valid request to an operation of the clinic."""
    path = re.sub(r"\{(\w+)\}", lambda found: keys.get(found[1], "7"), f"/api{described.path}")
    if described.body is not None:
        headers = {"Content-Type": next(iter(described.body["content"])), **headers}
    return call(described.method, path, headers=headers, json_body=BODIES.get(described.name))


def check(response: Response, documented: Node) -> None:
    """Check the media type, the body and the headers of a documented response."""
    content = documented.get("content")
    assert response.header(LABEL) is None
    if not content:
        assert response.status == 204 or response.header("Content-Type") == (
            "application/problem+json"
        )
        return
    found = json_media(content)
    if found is None:
        assert response.header("Content-Type") in content
        return
    assert response.header("Content-Type") == found[0]
    assert IS_VALID(found[1].get("schema", {}), load_json(response.text)), response.text
    assert all(response.header(name) is not None for name in documented.get("headers", ()))


# --- Every response of a document -------------------------------------------------------------


@pytest.mark.parametrize("described", DESCRIBED, ids=[each.name for each in DESCRIBED])
def test_the_success_of_each_operation_is_valid(
    clinic: Client, keys: dict[str, str], described: Described
) -> None:
    session = {"Mockpets-Session": described.name}  # so that nothing is deleted for the others
    response = send(clinic, described, session, keys)

    known = sorted(status for status in described.responses if status[0] == "2")
    assert str(response.status) == known[0]
    check(response, described.responses[known[0]])


@pytest.mark.parametrize("dynamic", ["", ", dynamic=true"])
@pytest.mark.parametrize("described", DESCRIBED, ids=[each.name for each in DESCRIBED])
def test_each_documented_response_can_be_chosen(
    clinic: Client, described: Described, dynamic: str
) -> None:
    for status, documented in described.responses.items():
        response = send(clinic, described, {"Prefer": f"code={status}{dynamic}"})

        assert response.status == int(status)
        check(response, documented)


def test_a_chosen_error_has_its_status_and_the_key_of_the_request(clinic: Client) -> None:
    def message(status: int) -> Any:
        path = f"/api/members/{UUID}" if status == 404 else "/api/me"
        return clinic("GET", path, headers={"Prefer": f"code={status}"}).json

    # The only example is that of a 404, and of an owner.
    missing = f"member {UUID} not found"
    assert message(404) == {"error": "not_found", "message": missing, "status": 404}
    assert message(401)["status"] == 401
    assert "not found" not in message(401)["message"]


def test_the_text_of_an_example_of_an_error_stays(serve: Serve) -> None:
    taken = {"message": "the title is taken", "status": 422}
    responses: Any = {"_200": json_of({}), "_422": json_of(ERROR, example=taken)}
    call = serve({"/a": {"get": operation(**responses)}})

    assert call("GET", "/a", headers={"Prefer": "code=422"}).json == taken


def test_values_of_the_request_are_repeated(clinic: Client) -> None:
    body = {"name": "Zoe Zimt", "email": "zoe@example.com"}
    assert body.items() <= clinic("POST", "/api/owners", json_body=body).json["data"].items()
    chosen = {"Prefer": "code=200"}
    assert clinic("GET", "/api/animals/4711", headers=chosen).json["id"] == 4711


def test_a_write_only_property_is_not_sent(clinic: Client, keys: dict[str, str]) -> None:
    session = {"Mockpets-Session": "secret"}
    sent = BODIES["createAnimal"]
    responses = [
        clinic("GET", "/api/animals", headers={"Prefer": "dynamic=true"}),
        clinic("GET", f"/api/animals/{keys['animalId']}"),
        clinic("POST", f"/api/owners/{keys['ownerId']}/animals", json_body=sent, headers=session),
    ]

    for response in responses:
        assert response.status in (200, 201)
        assert "chipCode" not in response.text


SECRET: Node = {"type": "string", "writeOnly": True}
CARD: Node = {
    "type": "object",
    "required": ["number", "cvc"],
    "properties": {"number": {"type": "string"}, "cvc": SECRET},
}
CASH: Node = {"type": "object", "required": ["till"], "properties": {"till": {"type": "integer"}}}
CARDS: Node = {"type": "array", "items": CARD}
OPEN: Node = {"properties": {"number": {}}, "additionalProperties": True}
SENT = {"number": "4242", "cvc": "123"}
SAFE = {"number": "4242"}


@pytest.mark.parametrize(
    ("schema", "example", "expected"),
    [
        (CARD, SENT, SAFE),
        (CARD, SAFE, SAFE),
        (CARD, {"note": {"cvc": 1}, **SENT}, {"note": {"cvc": 1}, **SAFE}),  # not declared
        ({"allOf": [CARD, {"required": ["cvc"]}]}, SENT, SAFE),
        ({"properties": {"cvc": {"allOf": [{"type": "string"}, SECRET]}}}, SENT, SAFE),
        ({"oneOf": [CASH, CARD]}, SENT, SAFE),
        ({"oneOf": [CASH, CARD]}, {"till": 1, "cvc": "123"}, {"till": 1, "cvc": "123"}),
        ({"anyOf": [OPEN, CARD]}, SENT, SAFE),
        ({"allOf": [CARD], "oneOf": [OPEN, CASH]}, SENT, SAFE),
        ({"properties": {"card": CARD}}, {"card": SENT}, {"card": SAFE}),
        (
            {"properties": {"card": CARD}, "oneOf": [{"properties": {"card": {}}}]},
            {"card": SENT},
            {"card": SAFE},
        ),
        ({"type": "array", "items": CARDS}, [[SENT, SAFE]], [[SAFE, SAFE]]),
        ({"prefixItems": [CARD]}, [SENT, SENT], [SAFE, SENT]),
        ({"additionalProperties": CARD}, {"x": SENT}, {"x": SAFE}),
        ({"patternProperties": {"^c": SECRET}}, SENT, SAFE),
        ({"properties": {"pay": {"anyOf": [CARDS, CARD]}}}, {"pay": [SENT]}, {"pay": [SAFE]}),
    ],
)
def test_a_write_only_property_of_an_example_is_not_sent(
    serve: Serve, schema: Node, example: object, expected: object
) -> None:
    examples = {"one": {"value": example}}
    ok, failed = json_of(schema, example=example), json_of(schema, examples=examples)
    own = json_of({**schema, "example": example})
    call = serve(
        {
            "/a": {"get": operation(_200=ok, _418=failed)},
            "/b": {"get": operation(_200=failed)},
            "/c": {"get": operation(_200=own)},
        }
    )

    assert call("GET", "/a").json == expected
    assert call("GET", "/a", headers={"Prefer": "code=418, example=one"}).json == expected
    assert call("GET", "/b", headers={"Prefer": "example=one"}).json == expected
    assert call("GET", "/c", headers={"Prefer": "dynamic=true"}).json == expected


def test_a_required_write_only_property_is_not_generated(serve: Serve) -> None:
    responses: Any = {"_200": json_of(CARDS), "_402": json_of(CARD)}
    call = serve({"/a": {"get": operation(**responses)}})

    for prefer in ("", "dynamic=true", "code=402"):
        response = call("GET", "/a", headers={"Prefer": prefer})
        assert response.json
        assert "cvc" not in response.text


def test_an_example_with_an_invalid_property_is_not_sent_without_it(serve: Serve) -> None:
    call = serve({"/a": {"get": operation(_200=json_of(CARD, example={**SENT, "number": 1}))}})

    assert call("GET", "/a").json["number"] != 1


def test_equal_requests_get_equal_responses_from_two_servers(clinic: Client) -> None:
    other = client_of(CLINIC)
    for path in ("/api/animals", "/api/owners/3", "/api/appointments", "/api/me"):
        assert clinic("GET", path).body == other("GET", path).body
    seeded = client_of(CLINIC, seed=7)
    assert clinic("GET", "/api/animals").body != seeded("GET", "/api/animals").body


# --- The header Prefer ------------------------------------------------------------------------

TEXT: Node = {"type": "string"}
NAMED = json_of(
    TEXT, examples={"cat": {"value": "Tom"}, "dog": {"value": "Rex"}, "bad": {"value": 1}}
)


@pytest.mark.parametrize(
    ("prefer", "status", "body"),
    [
        ("", 200, "Tom"),
        ("example=dog", 200, "Rex"),
        ('example="dog"', 200, "Rex"),
        ("code=200, example=dog", 200, "Rex"),
        ("code=200; example=cat", 200, "Tom"),
        ("CODE=404", 200, "Tom"),  # as Prism: in lower case
        ("code=404", 404, "gone"),
        ("code = 404", 404, "gone"),
        ("code=503", 503, "later"),  # 5XX
        ("respond-async, code=404", 404, "gone"),
        ("error-code=404", 200, "Tom"),
        ("dynamic=false", 200, "Tom"),
        ("return=minimal", 200, "Tom"),
    ],
)
def test_prefer_chooses_the_response(serve: Serve, prefer: str, status: int, body: str) -> None:
    responses: Any = {
        "_200": NAMED,
        "_404": json_of(TEXT, example="gone"),
        "_5XX": json_of(TEXT, example="later"),
    }
    call = serve({"/a": {"get": operation(**responses)}})

    response = call("GET", "/a", headers={"Prefer": prefer})

    assert (response.status, response.json) == (status, body)
    assert response.header(LABEL) is None


def test_a_status_of_networks_is_in_the_contract_if_the_operation_lists_it(serve: Serve) -> None:
    listed = {"_200": NAMED, "_503": json_of(TEXT, example="later")}
    paths = {
        "/a": {"get": operation(name="a", **listed)},
        "/b": {"get": operation(name="b", _200=NAMED)},
    }
    call = serve(paths)
    for name, labels in (("a", [True]), ("b", [False]), (["a", "b"], [False, False])):
        stub = {"match": {"operation": name}, "reply": {"status": 503, "body": "soon"}}
        used = {"scenario": {"stubs": [stub]}}
        assert call("PUT", "/__mockpets/scenario", json_body=used).status == 200
        for path, is_listed in zip(name, labels, strict=True):
            response = call("GET", f"/{path}")
            assert (response.status, response.json) == (503, "soon")
            assert (response.header(LABEL) is None) == is_listed


def test_a_dynamic_response_is_not_the_example(clinic: Client) -> None:
    example = clinic("GET", "/api/owners", headers={"Prefer": "example=two"}).json
    assert [each["name"] for each in example["data"]] == ["Ada Berg", "Ben Roth"]
    dynamic = clinic("GET", "/api/owners", headers={"Prefer": "dynamic=true"})
    assert dynamic.status == 200
    assert dynamic.json != example


@pytest.mark.parametrize(
    ("prefer", "reason"),
    [
        ("code=418", "code=418 is not documented; getA has 200, 404"),
        ("code=100", "code must be a status such as 404, got '100'"),
        ("code=600", "code must be a status such as 404, got '600'"),
        ("code=abc", "code must be a status such as 404, got 'abc'"),
        ("code=99999999999", "code must be a status such as 404, got '99999999999'"),
        ("example=bird", "example=bird is unknown or invalid; valid examples: cat, dog"),
        ("example=bad", "example=bad is unknown or invalid; valid examples: cat, dog"),
        ("code=404, example=cat", "example=cat is unknown or invalid; valid examples: none"),
    ],
)
def test_an_unknown_preference_is_an_error(serve: Serve, prefer: str, reason: str) -> None:
    responses: Any = {"_200": NAMED, "_404": json_of(TEXT, example="gone")}
    call = serve({"/a": {"get": operation(name="getA", **responses)}})

    response = call("GET", "/a", headers={"Prefer": prefer})

    assert response.status == 400
    assert response.header("Content-Type") == "application/problem+json"
    assert response.json["detail"] == f"Prefer {reason}"
    assert response.header(LABEL)


def test_an_invalid_request_is_one_before_its_preference(clinic: Client) -> None:
    response = clinic("POST", "/api/owners", headers={"Prefer": "code=409"}, json_body={})
    assert response.status == 422


# --- Which status -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "statuses", "expected"),
    [
        ("get", ["201", "200"], 200),
        ("get", ["206", "202"], 202),
        ("get", ["404", "202"], 202),
        ("get", ["302", "404"], 302),
        ("get", ["2XX"], 200),
        ("get", ["default"], 200),
        ("get", ["404", "default"], 200),
        ("get", ["404"], 200),
        ("post", ["200", "201", "202"], 201),
        ("post", ["200", "202"], 200),
        ("post", ["204"], 204),
        ("put", ["201", "200"], 200),
        ("put", ["201", "204"], 204),  # 201 is for a record that it creates
    ],
)
def test_of_several_statuses_the_usual_one_is_sent(
    serve: Serve, method: str, statuses: list[str], expected: int
) -> None:
    item: Node = {"type": "object", "properties": {"id": {"type": "integer"}}}
    responses: Any = {
        f"_{each}": {"description": ""} if each == "204" else json_of(item) for each in statuses
    }
    every = {"200": json_of({"type": "array", "items": item})}
    paths = {"/cats": {"get": {"responses": every}, "post": operation(_201=json_of(item))}}
    path = "/cats" if method == "post" else "/cats/{id}"
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    parameters = [] if method == "post" else [key]
    paths.setdefault(path, {})[method] = operation(*parameters, **responses)
    call = serve(paths)

    response = call(method.upper(), path.replace("{id}", "1"))

    assert response.status == expected
    assert (response.header(LABEL) is None) == (statuses != ["404"])
    assert (response.body == b"") == (expected == 204 or statuses == ["404"])


# --- Media types ------------------------------------------------------------------------------

PROBLEM: Node = {"type": "object", "required": ["title"], "properties": {"title": TEXT}}
BINARY: Node = {"type": "string", "format": "binary"}


@pytest.mark.parametrize(
    ("media_type", "media", "sent", "body"),
    [
        ("application/json", {"example": {"title": "a"}}, "application/json", b'{"title":"a"}\n'),
        ("application/hal+json", {"example": {"title": "a"}}, "", b'{"title":"a"}\n'),
        ("application/json; charset=utf-8", {"example": {"title": "a"}}, "", b'{"title":"a"}\n'),
        ("json; charset=utf-8", {"schema": {"const": "a"}}, "", b'"a"\n'),
        ("*/*", {"example": {"title": "a"}}, "application/json", b'{"title":"a"}\n'),
        ("application/*", {"example": {"title": "a"}}, "application/json", b'{"title":"a"}\n'),
        ("text/plain", {"schema": TEXT, "example": "ä\nb"}, "", "ä\nb".encode()),
        ("text/html", {"schema": TEXT, "example": "<p>"}, "", b"<p>"),
        ("text/*", {"schema": TEXT, "example": "a"}, "text/plain", b"a"),
        ("text/csv", {"schema": TEXT, "examples": {"a": {"value": "a,b"}}}, "", b"a,b"),
        ("application/pdf", {"schema": BINARY, "example": "%PDF-1.7"}, "", b"%PDF-1.7"),
        ("image/svg+xml", {"schema": BINARY, "example": "<svg/>"}, "", b"<svg/>"),
    ],
)
def test_the_documented_media_type_is_sent(
    serve: Serve, media_type: str, media: dict[str, object], sent: str, body: bytes
) -> None:
    media = {"schema": PROBLEM} | media
    call = serve(
        {"/a": {"get": operation(_200={"description": "", "content": {media_type: media}})}}
    )

    response = call("GET", "/a")

    assert (response.status, response.body) == (200, body)
    assert response.header("Content-Type") == (sent or media_type)


@pytest.mark.parametrize("other", ["application/xml", "application/pdf", "text/event-stream"])
@pytest.mark.parametrize("media_type", ["text/csv", "image/png", "application/hal+json", "*/*"])
def test_the_media_type_that_mockpets_can_make_is_sent(
    serve: Serve, media_type: str, other: str
) -> None:
    both = {each: {"schema": TEXT} for each in (other, media_type)}
    call = serve({"/a": {"get": operation(_200={"description": "", "content": both})}})

    for accept in ("*/*", other):
        response = call("GET", "/a", headers={"Accept": accept})
        assert response.status == 200
        assert response.header("Content-Type") == media_type.replace("*/*", "application/json")


@pytest.mark.parametrize("schema", [TEXT, {}, {"type": "string", "pattern": "^a+$"}])
def test_a_text_is_generated(serve: Serve, schema: Node) -> None:
    call = serve({"/a": {"get": operation(_200=json_of(schema, "text/plain"))}})
    response = call("GET", "/a")
    assert (response.status, response.header("Content-Type")) == (200, "text/plain")


@pytest.mark.parametrize(
    ("documented", "sent", "kind"),
    [
        ("image/png", "image/png", "PNG"),
        ("image/gif", "image/gif", "GIF"),
        ("image/jpeg", "image/jpeg", "JPEG"),
        ("image/webp", "image/webp", "WEBP"),
        ("image/*", "image/png", "PNG"),
    ],
)
def test_an_image_has_one_pixel(serve: Serve, documented: str, sent: str, kind: str) -> None:
    image = pytest.importorskip("PIL.Image", exc_type=ImportError)
    call = serve({"/a": {"get": operation(_200=json_of(BINARY, documented))}})

    response = call("GET", "/a")

    assert (response.status, response.header("Content-Type")) == (200, sent)
    opened = image.open(BytesIO(response.body))
    opened.load()
    assert (opened.format, opened.size) == (kind, (1, 1))


def test_an_svg_has_one_pixel(serve: Serve) -> None:
    call = serve({"/a": {"get": operation(_200=json_of(TEXT, "image/svg+xml"))}})
    response = call("GET", "/a")
    assert response.header("Content-Type") == "image/svg+xml"
    assert response.text.startswith("<svg ")
    assert 'width="1"' in response.text


XML = "mockpets sends JSON, text and images, and the response is application/xml"
ZIP = (
    "mockpets sends JSON, text and images, and examples of other types, and the response is "
    "application/zip"
)
TIFF = "the document has no example for a response of the type image/tiff"


@pytest.mark.parametrize(
    ("media_type", "reason"),
    [("application/xml", XML), ("application/zip", ZIP), ("image/tiff", TIFF)],
)
def test_what_is_not_served_is_a_501_that_says_why(
    serve: Serve, media_type: str, reason: str
) -> None:
    call = serve(
        {
            "/bare": {"get": operation(_200=json_of(BINARY, media_type))},
            "/default": {
                "get": operation(_200=json_of(BINARY, media_type), default=json_of(ERROR))
            },
        }
    )

    bare, default = call("GET", "/bare"), call("GET", "/default")

    assert (bare.status, bare.json["detail"]) == (501, reason)
    assert bare.header("Content-Type") == "application/problem+json"
    assert bare.header(LABEL)
    assert (default.status, default.json) == (501, {"message": reason, "status": 501})
    assert default.header(LABEL) is None
    assert [entry["status"] for entry in call("GET", "/__mockpets/requests").json["requests"]] == [
        501,
        501,
    ]


# --- Headers ----------------------------------------------------------------------------------


def test_documented_headers_are_sent_and_exposed_to_pages(serve: Serve) -> None:
    headers = {
        "X-Total": {"schema": {"type": "integer"}, "example": 42},
        "X-Names": {"schema": {"type": "array", "items": TEXT}, "example": ["a", "b"]},
        "X-Rate": {"schema": {"type": "integer", "minimum": 1, "maximum": 3}},
        "X-Page": {"content": {"application/json": {"schema": {"type": "integer", "enum": [7]}}}},
        "X-Last": {"content": {"text/plain": {"schema": TEXT, "example": "z"}}},
        "X-Old": {"schema": {"type": "integer", "enum": [5]}, "examples": [5, 6]},
        "X-Any": {"schema": None, "example": "any"},
        "ETag": {"$ref": "#/components/headers/tag"},
    }
    shared = {"headers": {"tag": {"schema": {"type": "string", "enum": ['"abc"']}}}}
    responses: Any = {"_200": json_of(TEXT) | {"headers": headers}, "_404": json_of(ERROR)}
    responses["_404"] |= {"headers": {"X-Reason": {"schema": {"type": "string", "enum": ["r"]}}}}
    call = serve({"/a": {"get": operation(**responses)}}, components=shared)

    response = call("GET", "/a", headers={"Origin": "https://app.example"})

    assert response.header("X-Total") == "42"
    assert response.header("X-Names") == "a,b"
    assert response.header("X-Rate") in ("1", "2", "3")
    assert response.header("ETag") == '"abc"'
    assert [response.header(f"X-{name}") for name in ("Page", "Last", "Old", "Any")] == [
        *("7", "z", "5", "any")
    ]
    assert response.header("X-Reason") is None
    exposed = str(response.header("Access-Control-Expose-Headers")).split(", ")
    assert {"X-Total", "X-Names", "X-Rate", "ETag", "X-Reason"} <= {*exposed}
    assert call("GET", "/a", headers={"Prefer": "code=404"}).header("X-Reason") == "r"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Content-Type", "text/html"),
        ("content-length", "1"),
        ("Content-Encoding", "gzip"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "upgrade"),
        ("Access-Control-Allow-Origin", "https://other.example"),
        ("X Bad", "a"),
        ("X-Bad:", "a"),
        ("X-Split", "a\r\nX-Injected: b"),
        ("X-Umlaut", "ä"),
    ],
)
def test_a_header_that_would_break_the_response_is_not_sent(
    serve: Serve, name: str, value: str
) -> None:
    headers = {name: {"schema": {"type": "string", "enum": [value]}, "example": value}}
    call = serve({"/a": {"get": operation(_200=json_of(TEXT) | {"headers": headers})}})

    response = call("GET", "/a", headers={"Origin": "https://app.example"})

    assert response.status == 200
    assert response.header(name) != value
    assert response.header("X-Injected") is None
    assert response.header("Access-Control-Allow-Origin") == "https://app.example"
    assert "\n" not in "".join(response.headers.values())


# --- The request log --------------------------------------------------------------------------


def test_the_request_log_has_the_operation_and_why_names_role_and_rule(
    clinic: Client, keys: dict[str, str]
) -> None:
    headers = {"Mockpets-Session": "logged"}
    clinic("GET", f"/api/animals/{keys['animalId']}", headers=headers)
    clinic("GET", "/api/animals/seven", headers=headers)

    log = clinic("GET", "/__mockpets/requests", headers=headers).json["requests"]
    why = clinic("GET", f"/__mockpets/requests/{log[0]['number']}/explain", headers=headers).json

    assert [(entry["operation"], entry["status"]) for entry in log] == [
        ("getAnimal", 200),
        ("getAnimal", 404),
    ]
    assert why["summary"].startswith(
        "operation getAnimal (get of animals, rule item) responds with 200; "
    )


@pytest.mark.parametrize(("path", "expected"), [
    ("/a/items", "a.list (list of a.items, rule list) responds with 200"),
    ("/a/items/1", "a.get (get of a.items, given) responds with 200"),
    ("/b/items", "b.list (list of b.items, rule list) responds with 200"),
    ("/b/rates", "b.rates (example, rule stable) responds with 200"),
    ("/b/feed", "b.feed (not served) responds with 501 (mockpets sends JSON"),
])  # fmt: skip
def test_why_says_what_an_operation_was_taken_for_in_the_words_of_the_command(
    tmp_path: Path, path: str, expected: str
) -> None:
    item = {"type": "object", "properties": {"id": {"type": "integer"}}}
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    paths = {
        "/items": {"get": operation(name="list", _200=json_of({"type": "array", "items": item}))},
        "/items/{id}": {"get": operation(key, name="get", _200=json_of(item))},
        "/rates": {"get": operation(name="rates", _200=json_of({}, example={"EUR": 1}))},
        "/feed": {"get": operation(name="feed", _200=json_of({}, media_type="application/xml"))},
    }
    files = [write(tmp_path / f"{name}.json", document(paths)) for name in ("a", "b")]
    (tmp_path / "a.mockpets.yaml").write_text("operations: {get: {get: items}}\n")
    call = client_of(*(f"/{file.stem}={file}" for file in files))
    call("GET", path)

    why = call("GET", "/__mockpets/requests/1/explain").json
    assert why["summary"].startswith(f"operation {expected}")
    assert why["summary"].endswith("; the active scenarios have no stubs")


def test_a_request_can_be_explained_without_being_sent(clinic: Client) -> None:
    request = {"method": "GET", "path": "/api/animals/7", "headers": KEY}
    response = clinic("POST", "/__mockpets/explain", json_body=request)
    assert response.status == 200, response.text
    assert "getAnimal" in response.json["summary"]
