"""Requests to operations of documents: each mistake gets the documented error, or a label."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from mockpets import MockpetsServer, Settings
from tests.http_client import Client, OverSocket, Response
from tests.web.documents import (
    CLINIC,
    FAILED,
    Node,
    Serve,
    client_of,
    document,
    json_of,
    operation,
    serve_in,
    write,
)

LABEL = "mockpets-off-contract"
TEXT: Node = {"type": "string"}
INTEGER: Node = {"type": "integer"}


@pytest.fixture(scope="module")
def clinic() -> Client:
    return client_of(CLINIC)


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    return serve_in(tmp_path)


def parameter(place: str, name: str, schema: Node, **more: object) -> Node:
    more = {"required": True} | more if place == "path" else more
    return {"name": name, "in": place, "schema": schema, **more}


def echoing(parameter: Node) -> Node:
    """Return an operation that responds with what it has read of a parameter."""
    schema = parameter["schema"]
    body = json_of({"type": "object", "required": ["p"], "properties": {"p": schema}})
    return operation(parameter, _200=body, _400=FAILED)


def reason(response: Response, status: int) -> str:
    """Return the reason in a documented error."""
    assert (response.status, response.header(LABEL)) == (status, None), response.text
    assert response.json["status"] == status
    return str(response.json["message"])


# --- Parameters -------------------------------------------------------------------------------

LIST: Node = {"type": "array", "items": INTEGER}
OBJECT: Node = {"type": "object", "properties": {"a": INTEGER, "b": TEXT}}


@pytest.mark.parametrize(
    ("schema", "style", "query", "value"),
    [
        (INTEGER, {}, "p=7", 7),
        (INTEGER, {}, "p=9007199254740993", 9007199254740993),
        ({"type": "boolean"}, {}, "p=false", False),
        (TEXT, {}, "p=a%20b%2Bc", "a b+c"),
        (TEXT, {}, "p=7", "7"),
        (TEXT, {}, "q=1&p=a", "a"),
        ({"type": ["integer", "null"]}, {}, "p=7", 7),
        (LIST, {}, "p=1&p=2", [1, 2]),
        (LIST, {}, "p=1", [1]),
        (LIST, {"explode": False}, "p=1,2", [1, 2]),
        (LIST, {"style": "pipeDelimited", "explode": False}, "p=1%7C2", [1, 2]),
        (LIST, {"style": "spaceDelimited", "explode": False}, "p=1%202", [1, 2]),
        (OBJECT, {"style": "deepObject"}, "p[a]=1&p[b]=x", {"a": 1, "b": "x"}),
        (LIST, {"style": "deepObject"}, "p[]=1&p[]=2", [1, 2]),
        (LIST, {"style": "deepObject"}, "p[0]=1&p[1]=2", [1, 2]),
        (OBJECT, {}, "a=1&b=x", {"a": 1, "b": "x"}),
        (OBJECT, {"explode": False}, "p=a,1,b,x", {"a": 1, "b": "x"}),
    ],
)
def test_a_query_parameter_is_read(
    serve: Serve, schema: Node, style: Node, query: str, value: object
) -> None:
    call = serve({"/a": {"get": echoing(parameter("query", "p", schema, **style))}})
    response = call("GET", f"/a?{query}")
    assert (response.status, response.json) == (200, {"p": value})


@pytest.mark.parametrize(
    ("schema", "more", "query", "message"),
    [
        (INTEGER, {"required": True}, "", "p is required"),
        (INTEGER, {}, "p=seven", "p must be an integer"),
        (INTEGER, {}, "p=", "p must be an integer"),
        (INTEGER, {}, "p=1&p=2", "p must be sent only once, got 2 values"),
        ({"type": "integer", "minimum": 1}, {}, "p=0", "p must be an integer of at least 1"),
        ({"type": "string", "enum": ["a", "b"]}, {}, "p=c", "p must be one of a, b"),
        ({"type": "string", "maxLength": 2}, {}, "p=abc", "p must have at most 2 characters"),
        ({"type": "string", "format": "date"}, {}, "p=today", "p must be a date"),
        (LIST, {}, "p=1&p=x", "p.1 must be an integer"),
        (LIST, {"style": "deepObject"}, "p[0]=1&p[1]=x", "p.1 must be an integer"),
        (LIST, {"style": "deepObject"}, "p[0]=1&p[a]=2", "p must be an array, got an object"),
        (OBJECT, {"style": "deepObject"}, "p[a]=x", "p.a must be an integer"),
    ],
)
def test_an_invalid_query_parameter_gets_the_documented_error(
    serve: Serve, schema: Node, more: Node, query: str, message: str
) -> None:
    call = serve({"/a": {"get": echoing(parameter("query", "p", schema, **more))}})
    assert reason(call("GET", f"/a?{query}"), 400).startswith(message)


@pytest.mark.parametrize(
    ("schema", "style", "text", "value"),
    [
        (INTEGER, {}, "7", 7),
        (TEXT, {}, "a%2Fb", None),  # a decoded slash separates segments
        (TEXT, {}, "ä%20b", "ä b"),
        (TEXT, {}, "a:b", "a:b"),
        (LIST, {}, "1,2", [1, 2]),
        (LIST, {"style": "label"}, ".1,2", [1, 2]),
        (LIST, {"style": "matrix"}, ";p=1,2", [1, 2]),
        (LIST, {"style": "matrix", "explode": True}, ";p=1;p=2", [1, 2]),
        (OBJECT, {}, "a,1,b,x", {"a": 1, "b": "x"}),
        (OBJECT, {"explode": True}, "a=1,b=x", {"a": 1, "b": "x"}),
    ],
)
def test_a_path_parameter_is_read(
    serve: Serve, schema: Node, style: Node, text: str, value: object
) -> None:
    call = serve({"/a/{p}": {"get": echoing(parameter("path", "p", schema, **style))}})
    chosen = {"Prefer": "code=200"}  # without it, a record would be looked for
    response = call("GET", f"/a/{quote(text, safe='%,;=.:')}", headers=chosen)
    assert response.status == (404 if value is None else 200)
    assert value is None or response.json == {"p": value}


@pytest.mark.parametrize(
    ("documented", "status"), [(["404", "400"], 404), (["422"], 422), (["400", "422"], 400)]
)
def test_a_key_of_another_form_is_not_found(
    serve: Serve, documented: list[str], status: int
) -> None:
    responses: Any = {f"_{each}": FAILED for each in documented} | {"_200": json_of(TEXT)}
    call = serve({"/a/{p}": {"get": operation(parameter("path", "p", INTEGER), **responses)}})
    assert reason(call("GET", "/a/x"), status).startswith('p must be an integer, got "x"')


def test_headers_and_cookies_are_read(serve: Serve) -> None:
    schema: Node = {
        "type": "object",
        "required": ["X-Count", "theme"],
        "properties": {"X-Count": LIST, "theme": {"type": "string", "enum": ["dark", "light"]}},
    }
    parameters = [
        parameter("header", "X-Count", LIST, required=True),
        parameter("cookie", "theme", {"type": "string", "enum": ["dark", "light"]}),
        parameter("header", "Accept", INTEGER, required=True),  # ignored, by OpenAPI
    ]
    call = serve({"/a": {"get": operation(*parameters, _200=json_of(schema), _400=FAILED)}})

    def ask(**headers: str) -> Response:
        return call("GET", "/a", headers={k.replace("_", "-"): v for k, v in headers.items()})

    assert ask(x_count="1, 2").status == 200
    assert ask(x_count="1", cookie="a=b; theme=dark").status == 200
    assert reason(ask(), 400) == "X-Count is required"
    assert reason(ask(x_count="1,x"), 400).startswith("X-Count.1 must be an integer")
    assert "theme must be one of dark, light" in reason(ask(x_count="1", cookie="theme=x"), 400)


def test_every_problem_is_reported_at_once(serve: Serve) -> None:
    parameters = [
        parameter("query", "page", INTEGER),
        parameter("header", "X-Tenant", TEXT, required=True),
        parameter("cookie", "lang", {"type": "string", "minLength": 2}),
    ]
    call = serve({"/a": {"get": operation(*parameters, _400=FAILED, _200=json_of(TEXT))}})

    message = reason(call("GET", "/a?page=x", headers={"Cookie": "lang=d"}), 400)

    assert [part.split(" ")[0] for part in message.split("; ")] == ["page", "X-Tenant", "lang"]


def test_an_unknown_query_parameter_is_a_note(clinic: Client) -> None:
    headers = {"Mockpets-Session": "noted"}
    assert clinic("GET", "/api/animals?limt=5", headers=headers).status == 200
    entry = clinic("GET", "/__mockpets/requests", headers=headers).json["requests"][0]
    assert [note["code"] for note in entry["notes"]] == ["ignored_query"]
    assert "'limt'" in entry["notes"][0]["text"]


# --- Bodies -----------------------------------------------------------------------------------

OWNER = {"name": "Ada", "email": "ada@example.com"}


@pytest.mark.parametrize(
    ("body", "content_type", "message"),
    [
        (b"", "application/json", "is required"),
        (b"{", "application/json", "is not JSON: "),
        (b'{"name": "Ada",}', "application/json", "is not JSON: "),
        (b"\xff\xfe", "application/json", "must be UTF-8"),
        (b"NaN", "application/json", "is not JSON: "),
        (b"[]", "application/json", "must be an object"),
        (b"null", "application/json", "must be an object"),
        (b"{}", "application/json", "name is required; email is required"),
        (b'{"name": 7, "email": "a@b.c"}', "application/json", "name must be a string"),
        (
            b'{"name": "", "email": "a@b.c"}',
            "application/json",
            "name must have 1 to 80 characters",
        ),
        (b'{"name": "A", "email": "ada"}', "application/json", "email must be an email address"),
        (
            b'{"name": "A", "email": "a@b.c", "emial": 1}',
            "application/json",
            "emial is not a known property; did you mean 'email'?",
        ),
        (json.dumps(OWNER).encode(), "text/plain", "Content-Type must be application/json, got"),
        (json.dumps(OWNER).encode(), "", "Content-Type is missing; send the header"),
        (json.dumps(OWNER).encode(), "application/json; charset=latin-1", "Content-Type must have"),
        (b"name=Ada", "application/x-www-form-urlencoded", "Content-Type must be application/json"),
        (b"[" * 100_000, "application/json", "is "),
        (b'{"name": ' + b"9" * 100_000 + b"}", "application/json", ""),
        (b"x" * (2**20 + 1), "application/json", ""),
    ],
    ids=lambda value: repr(value[:30]) if isinstance(value, bytes) else None,
)
def test_an_invalid_body_gets_the_documented_error(
    clinic: Client, body: bytes, content_type: str, message: str
) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    response = clinic("POST", "/api/owners", headers=headers, body=body)

    if len(body) > 2**20:  # no 413 is documented, and a 422 would not say what to do
        assert response.status == 413
        assert response.header(LABEL)
        assert response.json["detail"] == "must have at most 1 MiB"
        return
    assert message in reason(response, 422)


@pytest.mark.parametrize("value", ["bird", "Dog", "", None, 7])
def test_an_unknown_value_of_an_enum_gets_the_documented_error(
    clinic: Client, value: object
) -> None:
    body = {"name": "Rex", "species": value}
    message = reason(clinic("POST", "/api/owners/7/animals", json_body=body), 422)
    assert message.startswith("species must be")


def test_each_property_has_its_reasons_in_the_error(clinic: Client) -> None:
    error = clinic("POST", "/api/owners", json_body={"name": "", "phone": 7}).json
    assert {*error["fields"]} == {"name", "email", "phone"}
    assert error["fields"]["email"] == ["is required"]


def test_a_read_only_property_is_ignored(clinic: Client) -> None:
    body = {"animalId": 7, "startsAt": "2026-05-04T09:00:00Z", "id": 5, "status": "unknown"}
    assert clinic("POST", "/api/appointments", json_body=body).status == 201


@pytest.mark.parametrize(
    ("documented", "status"),
    [
        ({"_415": FAILED, "_400": FAILED}, 415),
        ({"_400": FAILED, "_422": FAILED}, 400),
        ({"_4XX": FAILED}, 415),
        ({"default": FAILED}, 415),
    ],
)
def test_a_wrong_media_type_gets_the_nearest_documented_error(
    serve: Serve, documented: dict[str, Any], status: int
) -> None:
    body = json_of({}) | {"required": True}
    call = serve({"/a": {"post": operation(body=body, _200=json_of(TEXT), **documented)}})
    response = call("POST", "/a", headers={"Content-Type": "text/csv"}, body=b"a")
    assert reason(response, status) == "Content-Type must be application/json, got text/csv"


@pytest.mark.parametrize(
    ("documented", "status"),
    [({"_415": FAILED}, 415), ({"_400": FAILED}, 400), ({"_422": FAILED}, 422), ({}, 415)],
)
def test_xml_that_a_document_lists_is_an_unknown_media_type(
    serve: Serve, documented: dict[str, Any], status: int
) -> None:
    order: Node = {"type": "object", "properties": {"id": INTEGER, "quantity": INTEGER}}
    both = {kind: {"schema": order} for kind in ("application/xml", "application/json")}
    call = serve(
        {
            "/orders": {
                "post": operation(body={"content": both}, _201={"content": both}, **documented),
                "get": operation(_200=json_of({"type": "array", "items": order})),
            },
            "/orders/{id}": {
                "get": operation(parameter("path", "id", INTEGER), _200={"content": both})
            },
        }
    )
    before = call("GET", "/orders").json

    headers = {"Content-Type": "application/xml"}
    response = call(
        "POST", "/orders", headers=headers, body=b"<order><quantity>7</quantity></order>"
    )

    why = "Content-Type must be application/json, got application/xml; mockpets does not read XML"
    if documented:
        assert reason(response, status) == why
    else:
        assert (response.status, response.json["detail"]) == (status, why)
        assert response.header("Content-Type") == "application/problem+json"
        assert response.header(LABEL) == f"status {status} is not in the contract for post-orders"
    assert call("GET", "/orders").json == before
    created = call(
        "POST", "/orders", headers={"Accept": "application/xml"}, json_body={"quantity": 7}
    )
    assert (created.status, created.header("Content-Type")) == (201, "application/json")
    assert created.json["quantity"] == 7


def test_an_operation_that_takes_only_xml_is_not_served(serve: Serve) -> None:
    body = json_of({"type": "object"}, "application/xml")
    call = serve({"/a": {"post": operation(body=body | {"required": True}, _200=json_of(TEXT))}})

    for kind in ("application/xml", "application/json"):
        response = call("POST", "/a", headers={"Content-Type": kind}, body=b"<a/>")
        assert response.status == 501
        assert response.json["detail"] == (
            "mockpets reads JSON, forms, text and files, and the request body is application/xml"
        )


def test_an_operation_without_errors_responds_with_a_labelled_problem(serve: Serve) -> None:
    body = json_of({"type": "object", "required": ["name"]}) | {"required": True}
    call = serve({"/a": {"post": operation(body=body)}})

    response = call("POST", "/a", json_body={})

    assert response.status == 400
    assert response.header("Content-Type") == "application/problem+json"
    assert response.json == {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": "name is required",
    }
    assert response.header(LABEL) == "status 400 is not in the contract for post-a"


def test_a_documented_error_without_a_body_says_why(serve: Serve) -> None:
    bare: Node = {"description": "Invalid."}
    body = json_of({"type": "object", "required": ["name"]}) | {"required": True}
    call = serve({"/a": {"post": operation(body=body, _200=json_of(TEXT), _422=bare)}})
    response = call("POST", "/a", json_body={})
    assert (response.status, response.json["detail"]) == (422, "name is required")
    assert response.header(LABEL) is None


def test_a_body_is_optional_unless_required_and_ignored_unless_described(serve: Serve) -> None:
    call = serve(
        {
            "/optional": {"post": operation(body=json_of({"type": "object"}), _200=json_of(TEXT))},
            "/none": {"post": operation(_200=json_of(TEXT))},
        }
    )
    assert call("POST", "/optional").status == 200
    assert call("POST", "/optional", json_body={}).status == 200
    assert call("POST", "/optional", json_body=[]).status == 400
    assert call("POST", "/none", headers={"Content-Type": "a/b"}, body=b"\xff").status == 200


def test_any_json_media_type_of_the_document_is_read(serve: Serve) -> None:
    body = json_of({"type": "object", "required": ["a"]}, "application/vnd.api+json")
    call = serve({"/a": {"post": operation(body=body | {"required": True}, _400=FAILED)}})

    def send(kind: str) -> Response:
        return call("POST", "/a", headers={"Content-Type": kind}, body=b'{"a": 1}')

    assert send("application/vnd.api+json").status == 200
    assert send("application/vnd.api+json; charset=UTF-8").status == 200
    assert reason(send("application/json"), 400).startswith("Content-Type must be")


# --- Forms ------------------------------------------------------------------------------------

FORM: Node = {
    "type": "object",
    "required": ["name", "age"],
    "properties": {
        "name": TEXT,
        "age": {"type": "integer", "minimum": 0},
        "tags": {"type": "array", "items": TEXT},
        "photo": {"type": "string", "format": "binary"},
        "address": {"type": "object", "properties": {"city": TEXT}},
    },
}
UPLOAD: Node = {
    "type": "object",
    "required": ["name", "size", "type"],
    "properties": {"name": TEXT, "size": INTEGER, "type": TEXT},
}
KINDS = ("application/x-www-form-urlencoded", "multipart/form-data")


def form() -> Node:
    content = {kind: {"schema": FORM} for kind in KINDS}
    return operation(
        body={"required": True, "content": content},
        _200=json_of({"type": "object", "properties": {**FORM["properties"], "photo": UPLOAD}}),
        _400=FAILED,
    )


def multipart(*parts: tuple[str, str, bytes]) -> bytes:
    """Return a body with a boundary ``b``: parameters after the name, more headers, contents."""
    lines = [
        b"--b\r\nContent-Disposition: form-data; name=%s\r\n%s\r\n%s\r\n"
        % (name.encode(), headers.encode(), contents)
        for name, headers, contents in parts
    ]
    return b"".join(lines) + b"--b--\r\n"


def test_a_form_is_an_object(serve: Serve) -> None:
    call = serve({"/a": {"post": form()}})

    def send(text: str) -> Response:
        return call("POST", "/a", headers={"Content-Type": KINDS[0]}, body=text.encode())

    response = send("name=Ada+B&age=7&tags=a&tags=b&address[city]=Bern")
    assert response.status == 200
    assert {"name": "Ada B", "age": 7, "tags": ["a", "b"]}.items() <= response.json.items()
    assert reason(send("name=Ada"), 400) == "age is required"
    assert reason(send("name=Ada&age=old"), 400).startswith("age must be an integer")
    assert reason(send("name=Ada&age=-1"), 400).startswith("age must be an integer of at least 0")
    assert reason(send(""), 400) == "is required"
    assert reason(send("&".join("a=1" for _ in range(2000))), 400)


def test_a_multipart_form_has_files_as_name_and_size(serve: Serve) -> None:
    call = serve({"/a": {"post": form()}})

    def send(body: bytes, kind: str = f"{KINDS[1]}; boundary=b") -> Response:
        return call("POST", "/a", headers={"Content-Type": kind}, body=body)

    fields = ("name", "", b"Ada"), ("age", "", b"7")
    photo = ('photo; filename="rex.png"', "Content-Type: image/png\r\n", b"\x89PNG\x00")
    assert send(multipart(*fields)).status == 200
    response = send(multipart(*fields, photo))
    assert response.status == 200
    assert response.json["photo"] == {"name": "rex.png", "size": 5, "type": "image/png"}
    assert reason(send(multipart(fields[0])), 400) == "age is required"
    assert reason(send(multipart(*fields)[:-20]), 400)
    assert reason(send(b"nonsense"), 400)
    assert reason(send(multipart(*fields), KINDS[1]), 400)


# --- Over a socket ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def over_socket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    header = {"name": "x_trace", "in": "header", "required": True, "schema": INTEGER}
    size: Node = {"type": "object", "required": ["text"], "properties": {"text": TEXT}}
    body = json_of(size) | {"required": True}
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "api_key"}}
    root = document(
        {
            "/trace": {"get": operation(header, _200=json_of(TEXT), _400=FAILED)},
            "/key": {
                "get": operation(_200=json_of(TEXT), _401=FAILED) | {"security": [{"key": []}]}
            },
            "/large": {
                "post": operation(body=body, _200=json_of(TEXT), _413=FAILED),
                "put": operation(body=body, _200=json_of(TEXT)),
                "delete": operation(_204={"description": ""}),
            },
        },
        components={"securitySchemes": schemes},
    )
    file = write(tmp_path_factory.mktemp("socket") / "test.json", root)
    with MockpetsServer(Settings(port=0, contract=(str(file),))) as server:
        yield Client(OverSocket(server.url))


def test_a_header_with_an_underscore_is_read(over_socket: Client) -> None:
    assert over_socket("GET", "/trace", headers={"x_trace": "7"}).status == 200
    assert reason(over_socket("GET", "/trace"), 400) == "x_trace is required"
    invalid = over_socket("GET", "/trace", headers={"X_Trace": "x"})
    assert reason(invalid, 400).startswith("x_trace must be an integer")
    # A header with a hyphen is another one.
    assert reason(over_socket("GET", "/trace", headers={"x-trace": "7"}), 400)


def test_an_api_key_in_a_header_with_an_underscore_is_read(over_socket: Client) -> None:
    assert over_socket("GET", "/key", headers={"api_key": "k"}).status == 200
    assert reason(over_socket("GET", "/key"), 401) == "the header api_key is missing"


@pytest.mark.parametrize("length", [100_000, 2**20 - 20, 2**20])
def test_a_body_of_one_mebibyte_is_read(over_socket: Client, length: int) -> None:
    empty = len(b'{"text": ""}')
    body = json.dumps({"text": "x" * (length - empty)}).encode()
    assert len(body) == length
    headers = {"Content-Type": "application/json"}
    assert over_socket("POST", "/large", headers=headers, body=body).status == 200


def test_a_larger_body_is_rejected_by_the_server(over_socket: Client) -> None:
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"text": "x" * 2**20}).encode()

    for method in ("POST", "PUT", "DELETE"):
        assert over_socket(method, "/large", headers=headers, body=body).status == 413
    assert over_socket("GET", "/trace", headers={"x_trace": "7"}).status == 200


def test_an_invalid_large_body_gets_the_reason(over_socket: Client) -> None:
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"txt": "x" * 200_000}).encode()
    response = over_socket("PUT", "/large", headers=headers, body=body)
    assert (response.status, response.json["detail"]) == (400, "text is required")
