"""OpenAPI documents are read as they are, or rejected with file, line and the nearest remedy."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from mockpets.contract import reading
from mockpets.contract.media_types import json_media
from mockpets.contract.openapi_loader import Document, Note, base_path, load, not_served, operations
from mockpets.errors import InputError, Problem
from tests.contract.bad_documents import BAD_DOCUMENTS, BAD_FILES, START
from tests.contract.damaged_documents import CLINIC, damaged

OK = "responses: {200: {description: ok}}"


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / next(iter(files))


def loaded(folder: Path, text: str, name: str = "clinic.yaml", **files: str) -> Document:
    others = {key.replace("__", "/") + ".yaml": each for key, each in files.items()}
    return load(write(folder, {name: text, **others}), name)


def listed(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(path, path.name)
    return str(caught.value).splitlines()


def noted(document: Document) -> list[tuple[str, str, int]]:
    """Return kind, sentence and line of each note."""
    return [(each.kind, each.what, document.place(each.at)[1]) for each in not_served(document)]


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.setattr(reading, "_LOADER", yaml.SafeLoader)


# --- Values -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("parser")
def test_unquoted_scalars_mean_what_they_mean_in_yaml_1_2(tmp_path: Path) -> None:
    words = {
        **{word: word for word in ("18:00", "NO", "yes", "on", "2030-12-05", "1_000", ".inf")},
        **{word: word for word in (".nan", "0x", "1.2.3", "--", "+", ".", "e3", "~a", "'no'")},
        "true": True,
        "False": False,
        "null": None,
        "~": None,
        "NULL": None,
        '"5"': "5",
        "5": 5,
        "-7": -7,
        "+5": 5,
        "0777": 777,
        "0x1F": 31,
        "0o17": 15,
        "1e3": Decimal(1000),
        "1.50": Decimal("1.50"),
        ".5": Decimal("0.5"),
        "9007199254740993.0": Decimal("9007199254740993.0"),
        "1" * 45: Decimal("1" * 45),
        "!!str 5": "5",
        "!!int '5'": 5,
        "!sub 5": "5",
        "! 5": "5",
    }
    words["'no'"] = "no"
    lines = "".join(f"- {word}\n" for word in words)

    document = loaded(tmp_path, f"{START}  /a: {{get: {{{OK}}}}}\nx-words:\n{lines}")

    values = document.root["x-words"]
    assert values == list(words.values())
    assert [type(value) for value in values] == [type(value) for value in words.values()]


@pytest.mark.usefixtures("parser")
def test_keys_are_texts(tmp_path: Path) -> None:
    document = loaded(
        tmp_path, f"{START}  /a: {{get: {{{OK}}}}}\nx: {{200: a, true: b, ~: c, 1e3: d}}"
    )

    assert document.root["x"] == {"200": "a", "true": "b", "~": "c", "1e3": "d"}


@pytest.mark.usefixtures("parser")
def test_anchors_and_merge_keys(tmp_path: Path) -> None:
    text = f"""{START}  /a: &a
    get: &get
      operationId: getA
      {OK}
  /b:
    get:
      <<: *get
      operationId: getB
  /c:
    get:
      operationId: &name getC
      <<: [{{operationId: no, summary: first}}, {{summary: second, *name : named}}, *get]
  /d: *a
"""
    document = loaded(tmp_path, text)

    assert [each.name for each in operations(document)] == ["getA", "getB", "getC", "getA-2"]
    assert operations(document)[1].responses == {"200": {"description": "ok"}}
    merged = operations(document)[2].node
    assert (merged["summary"], merged["getC"]) == ("first", "named")
    assert document.place(("paths", "/b", "get", "responses")) == ("clinic.yaml", 6, 7)


def test_json_numbers_are_exact(tmp_path: Path) -> None:
    paths = '"openapi": "3.0.3", "paths": {"/a": {"get": {}}}'
    text = f'{{{paths}, "x": [9007199254740993.0, 1e3, 12345678901234567890, 0.10]}}'

    document = loaded(tmp_path, text, "clinic.json")

    assert [str(each) for each in document.root["x"]] == [
        *("9007199254740993.0", "1E+3", "12345678901234567890", "0.10")
    ]
    assert document.version == "3.0"


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.yaml", ""), ("a.json", ""), ("api", ""), ("a.yml", "\ufeff"), ("a.json", "\ufeff")],
)
def test_json_is_read_whatever_the_file_is_called(tmp_path: Path, name: str, start: str) -> None:
    text = start + json.dumps({"openapi": "3.1.0", "paths": {"/a": {"get": {}}}}, indent="\t")

    assert loaded(tmp_path, text, name).place(("paths", "/a", "get")) == (name, 5, 4)


@pytest.mark.parametrize(
    ("version", "expected"),
    [("3.0.3", "3.0"), ("3.0", "3.0"), ("3.1.0", "3.1"), ("'3.1.1'", "3.1"), ("3.2.0", "3.1")],
)
def test_version(tmp_path: Path, version: str, expected: str) -> None:
    text = f"openapi: {version}\npaths: {{/a: {{get: {{}}}}}}"

    assert loaded(tmp_path, text).version == expected


# --- References -------------------------------------------------------------------------------


def test_references_lead_through_files_and_back(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        f"""{START}  /pets:
    $ref: parts/paths.yaml#/~1pets
components:
  schemas:
    Name: {{type: string}}
""",
        parts__paths="""/pets:
  get:
    operationId: listPets
    parameters: [{$ref: './param%65ters.yaml#/Limit'}]
    responses:
      200:
        content: {application/json: {schema: {type: array, items: {$ref: 'pet.yaml'}}}}
""",
        parts__parameters="Limit: {name: limit, in: query, schema: {type: integer}}",
        parts__pet="""type: object
properties:
  name: {$ref: '../clinic.yaml#/components/schemas/Name'}
  mother: {$ref: '#'}
  friend: {$ref: 'pet.yaml#', description: Another one.}
""",
    )
    [operation] = operations(document)

    [limit] = operation.parameters
    assert limit["name"] == "limit"
    schema = operation.responses["200"]["content"]["application/json"]["schema"]
    pet = document.resolve(schema["items"])
    assert document.name_of(schema["items"]) == "pet"
    assert document.resolve(pet["properties"]["mother"]) is pet
    friend = document.resolve(pet["properties"]["friend"])
    assert friend == {**pet, "description": "Another one."}
    assert document.resolve(pet["properties"]["friend"]) is friend
    assert document.resolve(pet["properties"]["name"]) == {"type": "string"}
    assert document.name_of(pet["properties"]["name"]) == "Name"
    path = (*operation.at, "responses", "200", "content", "application/json", "schema", "items")
    assert document.place((*path, "properties", "mother")) == ("parts/pet.yaml", 4, 3)
    assert {each.name for each in document.paths} == {
        *("clinic.yaml", "paths.yaml", "parameters.yaml", "pet.yaml")
    }


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("#/components/schemas/Pet", "Pet"),
        ("#/components/schemas/a~1b%20c", "a/b c"),
        ("#/components/schemas/Pet/properties/name", ""),
        ("#/paths/~1a/get/responses/200/content/application~1json/schema", ""),
        ("pets.yaml#/definitions/Pet", "Pet"),
        ("pets.yaml#/Pet", "Pet"),
        ("parts/cat.json", "cat"),
        ("#", ""),
    ],
)
def test_name_of_a_reference(tmp_path: Path, reference: str, name: str) -> None:
    document = loaded(tmp_path, f"{START}  /a: {{get: {{{OK}}}}}")

    assert document.name_of({"$ref": reference}) == name


def test_a_reference_through_a_reference(tmp_path: Path) -> None:
    text = f"""{START}  /a:
    get:
      responses:
        200:
          content:
            application/json: {{schema: {{$ref: '#/components/schemas/A/properties/b'}}}}
components:
  schemas:
    A: {{$ref: '#/components/schemas/B'}}
    B: {{properties: {{b: {{type: integer}}}}}}
"""
    [operation] = operations(document := loaded(tmp_path, text))

    schema = operation.responses["200"]["content"]["application/json"]["schema"]
    assert document.resolve(schema) == {"type": "integer"}


def test_a_reference_to_a_boolean_schema(tmp_path: Path) -> None:
    text = f"""{START}  /a:
    get:
      responses: {{200: {{headers: {{X-A: {{schema: {{$ref: '#/components/schemas/None'}}}}}}}}}}
components: {{schemas: {{None: false}}}}
"""
    [operation] = operations(document := loaded(tmp_path, text))

    schema = operation.responses["200"]["headers"]["X-A"]["schema"]
    assert document.resolve(schema) == {"not": {}}
    assert document.resolve(schema) is document.resolve(schema)


def test_only_what_operations_reach_is_looked_at(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        f"""{START}  /a: {{get: {{{OK}, x-more: {{$ref: nowhere.md}}}}}}
x-topics: [{{$ref: ./docs/start.md}}]
components:
  schemas: {{Unused: {{properties: [{{$ref: '#/nowhere'}}]}}}}
  responses: no mapping
tags: 5
""",
    )

    assert not not_served(document)


# --- Operations -------------------------------------------------------------------------------


def test_names_of_operations(tmp_path: Path) -> None:
    paths = {
        "/users/{id}": {"get": {}, "patch": {"operationId": "update user/é"}},
        "/Users/{id}:act": {"get": {}},
        "/": {"get": {}},
        "/a": {"get": {"operationId": "List"}, "post": {"operationId": "list"}},
        "/b": {"get": {"operationId": "日本"}, "post": {"operationId": 5}},
        "/a/{b}.{c}": {"delete": {"operationId": "List"}},
    }
    document = loaded(tmp_path, json.dumps({"openapi": "3.1.0", "paths": paths}), "a.json")

    names = operations(document)

    assert [each.name for each in names] == [
        *("get-users-id", "update-user--", "get-Users-id-act", "get", "List", "list-2"),
        *("get-b", "5", "List-3"),
    ]
    assert (names[-1].method, names[-1].path) == ("DELETE", "/a/{b}.{c}")
    assert names[-1].at == ("paths", "/a/{b}.{c}", "delete")
    warnings = [each.what for each in not_served(document) if "not described" not in each.what]
    assert warnings == ["the operationId 'List' is not unique"]


def test_parameters_of_the_operation_replace_those_of_the_path(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        f"""{START}  /pets/{{id}}:
    parameters:
      - $ref: '#/components/parameters/id'
      - {{name: limit, in: query, schema: {{type: integer}}}}
      - {{name: token, in: header}}
    get:
      parameters:
        - {{name: limit, in: query, schema: {{type: string}}}}
        - {{name: limit, in: header, content: {{application/json: }}}}
        - {{name: ide, in: path, schema: {{type: string}}}}
      {OK}
components:
  parameters:
    id: {{name: id, in: path, schema: {{type: integer}}}}
""",
    )
    [operation] = operations(document)

    assert [dict(each) for each in operation.parameters] == [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
        {"name": "limit", "in": "query", "schema": {"type": "string"}},
        {"name": "token", "in": "header", "schema": {}},
        {"name": "limit", "in": "header", "content": {"application/json": {"schema": {}}},
         "schema": {}},
    ]  # fmt: skip
    assert noted(document) == [
        ("warning", "the path '/pets/{id}' has no parameter 'ide'; did you mean 'id'?", 9)
    ]


def test_security_is_that_of_the_operation_else_of_the_document(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        f"""openapi: 3.1.0
security: [{{key: []}}, {{}}]
paths:
  /a: {{get: {{{OK}}}, post: {{security: [], {OK}}}, put: {{security: [{{kee: [], key: }}], {OK}}}}}
components: {{securitySchemes: {{key: {{type: apiKey, in: header, name: api_key}}}}}}
""",
    )

    assert [each.security for each in operations(document)] == [
        ({"key": []}, {}),
        (),
        ({"key": ()},),
    ]
    what = "unknown security scheme 'kee' is not required; did you mean 'key'?"
    assert noted(document) == [("warning", what, 4)]


def test_bodies_and_responses_are_resolved(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        f"""{START}  /a:
    post:
      requestBody: {{$ref: '#/components/requestBodies/A'}}
      responses:
        201: {{$ref: '#/components/responses/A', description: Mine.}}
        4xx:
        default: {{headers: {{X-A: {{$ref: '#/components/headers/A'}}}}}}
        x-note: 5
components:
  requestBodies: {{A: {{required: true, content: {{application/json: }}}}}}
  responses: {{A: {{description: Theirs., content: {{text/plain: {{schema: true}}}}}}}}
  headers: {{A: {{schema: {{type: integer}}}}}}
""",
    )
    [operation] = operations(document)

    assert operation.body == {"required": True, "content": {"application/json": {"schema": {}}}}
    assert operation.responses == {
        "201": {"description": "Mine.", "content": {"text/plain": {"schema": {}}}},
        "4XX": {},
        "default": {"headers": {"X-A": {"schema": {"type": "integer"}}}},
    }


def schema_of(folder: Path, schema: object, version: str = "3.1.0") -> tuple[Any, Document]:
    media = {"application/json": {"schema": schema}}
    paths = {"/a": {"get": {"responses": {"200": {"content": media}}}}}
    document = loaded(folder, json.dumps({"openapi": version, "paths": paths}), "a.json")
    [operation] = operations(document)
    return operation.responses["200"]["content"]["application/json"]["schema"], document


SCHEMAS: list[tuple[object, object, str]] = [
    # as described, as read, the note
    (True, {}, ""),
    (False, {"not": {}}, ""),
    (None, {}, ""),
    ({"items": True}, {"items": {}}, ""),
    ({"additionalProperties": False}, {"additionalProperties": False}, ""),
    ({"properties": {"a": None}, "required": None}, {"properties": {"a": {}}}, ""),
    ({"allOf": [], "enum": []}, {}, ""),
    ({"type": ["string", None]}, {"type": ["string", "null"]}, ""),
    ({"items": [{"type": "string"}]}, {"prefixItems": [{"type": "string"}]}, ""),
    (
        {"type": "String"},
        {},
        "`type` is ignored: it must be string, number, integer, boolean, object, array or null, "
        "got \"String\"; did you mean 'string'?",
    ),
    (
        {"required": True},
        {},
        "`required` is ignored: it must be a list of property names, got true",
    ),
    ({"required": ["a", 5]}, {"required": ["a"]}, "`required` is ignored: it must be a list of"),
    (
        {"minLength": "3"},
        {},
        '`minLength` is ignored: it must be an integer of at least 0, got "3"; remove the quotes',
    ),
    ({"maxItems": -1}, {}, "`maxItems` is ignored: it must be an integer of at least 0, got -1"),
    ({"multipleOf": 0}, {}, "`multipleOf` is ignored: it must be a number greater than 0, got 0"),
    ({"exclusiveMinimum": True}, {"exclusiveMinimum": True}, ""),
    ({"if": {}, "then": {}}, {"if": {}, "then": {}}, "`if` is not enforced"),
    ({"unevaluatedProperties": False}, ..., "`unevaluatedProperties` is not enforced"),
    ({"dependentSchemas": {"a": True}}, ..., "`dependentSchemas` is not enforced"),
    ({"pattern": "(a+)+$"}, ..., "the pattern '(a+)+$' is not enforced: it has a repeat inside a"),
    ({"pattern": r"\p{L}"}, ..., r"the pattern '\\p{L}' is not enforced: it has"),
    ({"pattern": "^[a-z]+$", "patternProperties": {"^x": {}}}, ..., ""),
    ({"discriminator": "kind"}, {}, "`discriminator` is ignored: it must be a mapping with"),
]


@pytest.mark.parametrize(("described", "read", "note"), SCHEMAS)
def test_schemas_have_keywords_of_the_right_types(
    tmp_path: Path, described: object, read: object, note: str
) -> None:
    schema, document = schema_of(tmp_path, described)

    if read is not ...:
        assert schema == read
    notes = not_served(document)
    assert len(notes) == bool(note)
    assert all(each.kind == "keyword" and each.what.startswith(note) for each in notes)
    assert all(document.place(each.at)[1] == 1 for each in notes)


def test_a_keyword_is_noted_once(tmp_path: Path) -> None:
    schema = {"anyOf": [{"if": {}}, {"if": True}, {"properties": {"b": {"if": {}}}}]}

    _, document = schema_of(tmp_path, schema)

    assert [each.what for each in not_served(document)] == ["`if` is not enforced (2 places)"]


def test_a_discriminator_maps_to_references(tmp_path: Path) -> None:
    pets = {"Cat": {"type": "object"}, "Dog": {"type": "object"}}
    mapping = {"cat": "Cat", "dog": "#/components/schemas/Dog"}
    pet = {"discriminator": {"propertyName": "kind", "mapping": mapping}}
    media = {"application/json": {"schema": pet}}
    paths = {"/a": {"get": {"responses": {"200": {"content": media}}}}}
    root = {"openapi": "3.0.0", "paths": paths, "components": {"schemas": pets}}

    [operation] = operations(loaded(tmp_path, json.dumps(root), "a.json"))

    schema = operation.responses["200"]["content"]["application/json"]["schema"]
    assert schema["discriminator"]["mapping"] == {
        "cat": "#/components/schemas/Cat",
        "dog": "#/components/schemas/Dog",
    }


# --- Not served -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("responses", "sentence"),
    [
        ("200: {content: {application/xml: {}}}", "and the response is application/xml"),
        ("200: {content: {application/xml: {example: <a/>}}}", "the response is application/xml"),
        ("200: {content: {application/soap+xml: }}, 404: {}", "is application/soap+xml"),
        (
            "200: {content: {application/pdf: , application/zip: }}",
            "mockpets sends JSON, text and images, and examples of other types, and the response "
            "is application/pdf or application/zip",
        ),
        ("default: {content: {text/event-stream: }}", "is text/event-stream"),
        ("200: {content: {application/pdf: {example: x}}}", ""),
        ("200: {content: {application/xml: , application/json: }}", ""),
        ("200: {content: {application/xml: }}, 204: {}", ""),
        ("200: {content: {image/png: }}", ""),
        ("200: {content: {text/csv: }}", ""),
        ("404: {content: {application/xml: }}", ""),
        ("default: {description: all}", ""),
        ("", ""),
    ],
)
def test_an_operation_without_json_is_not_served(
    tmp_path: Path, responses: str, sentence: str
) -> None:
    document = loaded(tmp_path, f"{START}  /a:\n    get: {{responses: {{{responses}}}}}")
    [operation] = operations(document)

    assert operation.not_served.endswith(sentence)
    assert bool(operation.not_served) == bool(sentence)
    notes = [("operation", f"GET /a responds with 501: {operation.not_served}", 4)]
    assert noted(document) == (notes if sentence else [])


def test_what_else_is_not_served(tmp_path: Path) -> None:
    document = loaded(
        tmp_path,
        f"""{START}  /a/{{x}}:
    servers: [{{url: /other}}]
    parameters: [{{name: x, in: path}}]
    parametrs: []
    get: {{{OK}, callbacks: {{done: {{$ref: nowhere}}}}, servers: [{{url: /b}}]}}
  /a/{{y}}: {{get: {{{OK}}}, parameters: [{{name: y, in: path}}, {{name: y, in: path}}]}}
  /a?b=c: {{get: {{{OK}}}}}
webhooks: {{new: {{post: {{}}}}}}
""",
    )

    assert sorted(noted(document), key=lambda note: note[2]) == [
        ("keyword", "`servers` of a path is not used; the path is served below the base path", 4),
        ("warning", "unknown key 'parametrs'; did you mean 'parameters'?", 6),
        ("part", "callbacks are not sent", 7),
        ("keyword", "`servers` of an operation is not used; it is served below the base path", 7),
        ("warning", "the path '/a/{y}' matches the same requests as '/a/{x}'", 8),
        ("warning", "the parameter 'y' is listed twice", 8),
        (
            "operation",
            "GET /a?b=c responds with 501: the path of a request has no query, but this template "
            "has one",
            9,
        ),
        ("part", "webhooks are not sent", 10),
    ]
    [same] = [each for each in not_served(document) if each.also]
    assert document.place(same.also)[1] == 3
    assert isinstance(same, Note)


# --- Servers and media types ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("servers", "path"),
    [
        ("[]", ""),
        ("", ""),
        ("[{url: /}]", ""),
        ("[{url: ''}]", ""),
        ("[{url: https://example.com}]", ""),
        ("[{url: https://example.com/api/v1/}, {url: /other}]", "/api/v1"),
        ("[{url: //example.com/v2}]", "/v2"),
        ("[{url: api/}]", "/api"),
        ("[{url: ./api}]", "/api"),
        ("[{url: /a/../b//c}]", "/b/c"),
        ("[{url: 'http://[::1]:80/a?b#c'}]", "/a"),
        ("[{url: https://example.com/Train+Travel/1.0.0}]", "/Train+Travel/1.0.0"),
        ("[{url: 'https://{host}/{base}', variables: {base: {default: v1}}}]", "/v1"),
        ("[{url: 'https://{h}/{v}', variables: {h: {default: x.org/a}, v: {default: 2}}}]", "/a/2"),
        ("[{url: '/{v}', variables: {v: {enum: [a, b]}}}]", "/a"),
        ("[{url: '/{v}', variables: {v: 5}}]", "/v"),
        ("[{url: '/{v}', variables: {v: {default: , enum: [null, a]}}}]", "/a"),
        ("[{url: '/{v}', variables: {v: {default: [a]}}}]", "/v"),
        ("[{url: '/{v}', variables: {v: {default: 1.10}}}]", "/1.10"),
        ("[{url: localhost:3000/api}]", "/api"),
        ("[{url: api.example.com/v1}]", "/v1"),
        ("[{url: 5}]", ""),
        ("[{}]", ""),
        ("[text]", ""),
        ("text", ""),
    ],
)
def test_base_path(tmp_path: Path, servers: str, path: str) -> None:
    text = f"openapi: 3.1.0\nservers: {servers}\npaths: {{/a: {{get: {{}}}}}}"

    assert base_path(loaded(tmp_path, text)) == path


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["application/xml", "application/json"], "application/json"),
        (["application/hal+json", "application/json"], "application/json"),
        (["*/*", "application/problem+json"], "application/problem+json"),
        (["*/*", "application/json; charset=utf-8"], "application/json; charset=utf-8"),
        (["application/vnd.a+json;v=1"], "application/vnd.a+json;v=1"),
        (["text/json"], "text/json"),
        (["json; x"], "json; x"),
        (["json"], "json"),
        (["Application/JSON"], "Application/JSON"),
        (["text/plain", "*/*"], "*/*"),
        (["application/*"], "application/*"),
        (["application/jsonlines", "text/plain", "application/json-seq"], None),
        ([], None),
    ],
)
def test_json_media(types: list[str], expected: str | None) -> None:
    content = {each: {"example": each} for each in types}

    found = json_media(content)

    assert found == (None if expected is None else (expected, {"example": expected}))


# --- Bad documents ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", BAD_DOCUMENTS)
def test_bad_documents(tmp_path: Path, name: str) -> None:
    text, expected = BAD_DOCUMENTS[name]
    file = "clinic.json" if text.startswith("{") else "clinic.yaml"

    assert listed(write(tmp_path, {file: text})) == [f"{file}:{line}" for line in expected]


@pytest.mark.parametrize(("data", "expected"), BAD_FILES)
def test_bad_files(tmp_path: Path, data: bytes, expected: str) -> None:
    path = tmp_path / "clinic.yaml"
    path.write_bytes(data)

    assert listed(path) == [f"clinic.yaml:{expected}"]


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    assert listed(tmp_path / "a.yaml") == ["a.yaml: file not found; check the path"]
    (tmp_path / "b.yaml").mkdir()
    assert listed(tmp_path / "b.yaml") == ["b.yaml: is a folder; name a file in it"]


REFERENCED = [
    # the reference, the text of parts/a.yaml, the problem
    ("parts/b.yaml", "", "leads to a missing file; did you mean 'a.yaml'?"),
    ("../clinic.yaml", "", "leads out of the folder of clinic.yaml; move that file into"),
    ("parts/../../a.yaml", "", "leads out of the folder of clinic.yaml"),
    ("/etc/passwd", "", "leads out of the folder of clinic.yaml"),
    ("file:///etc/passwd", "", "leads to the network, which mockpets does not use"),
    ("//example.com/a.yaml", "", "leads to the network, which mockpets does not use"),
    ("parts/link.yaml", "", "leads out of the folder of clinic.yaml"),
    ("parts/a.yaml#/Cat", "Cat: 5", "must lead to a response (a mapping), not to 5"),
    ("parts/a.yaml#/Cat", "Cats: {}", "leads nowhere; did you mean 'parts/a.yaml#/Cats'?"),
    ("parts", "", "parts: is a folder; name a file in it"),
    ("parts/a.yaml", "a: [\n", "parts/a.yaml:2:1: a bracket is never closed; add the closing"),
    ("parts/a.yaml", "a: {$ref: b}\na: 1", "parts/a.yaml:2:1: duplicate key 'a', first set on"),
    (
        "parts/a.yaml",
        "content: {application/json: {schema: {$ref: '#/B'}}}",
        "parts/a.yaml:1:45: content.'application/json'.schema.$ref: the reference "
        "'parts/a.yaml#/B' leads nowhere",
    ),
    ("parts/a.yaml#/A", "A: {$ref: '#/A'}", "leads only to other references"),
    ("parts/a.yaml#/A/00000000001", "A: [{}]", "leads nowhere"),
    ("parts/a.yaml#/A/" + "9" * 5000, "A: [{}]", "leads nowhere"),
    (f"{'a' * 300}.yaml", "", "leads to a missing file; check the path"),
]


@pytest.mark.parametrize(("reference", "text", "expected"), REFERENCED)
def test_bad_references_to_files(tmp_path: Path, reference: str, text: str, expected: str) -> None:
    (tmp_path / "secret.yaml").write_text("description: a secret")
    folder = tmp_path / "api"
    root = f"{START}  /a:\n    get: {{responses: {{200: {{$ref: '{reference}'}}}}}}"
    path = write(folder, {"clinic.yaml": root, "parts/a.yaml": text})
    (folder / "parts/link.yaml").symlink_to(tmp_path / "secret.yaml")

    [problem] = listed(path)

    assert expected in problem
    assert "secret" not in problem


@pytest.mark.parametrize(
    ("number", "rest"),
    [(21, "1 more problem"), (50, "30 more problems"), (2000, "1980 more problems")],
)
@pytest.mark.parametrize("kind", ["operation", "duplicate key"])
def test_at_most_twenty_problems_are_listed(
    tmp_path: Path, number: int, rest: str, kind: str
) -> None:
    numbers = range(number + (kind != "operation"))
    paths = "".join(f"  /a{each if kind == 'operation' else ''}: {{get: 5}}\n" for each in numbers)

    lines = listed(write(tmp_path, {"clinic.yaml": START + paths}))

    assert len(lines) == 21
    assert lines[-1] == f"clinic.yaml: and {rest}"


# --- Limits -----------------------------------------------------------------------------------


def chain(number: int, link: str) -> str:
    """Return a document with a chain of schemas."""
    schemas = {
        f"S{index}": json.loads(link.replace("NEXT", f"#/components/schemas/S{index + 1}"))
        for index in range(number)
    }
    media = {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}
    paths = {"/a": {"get": {"responses": {"200": {"content": media}}}}}
    components = {"schemas": {**schemas, f"S{number}": {"type": "string"}}}
    return json.dumps({"openapi": "3.1.0", "paths": paths, "components": components})


@pytest.mark.parametrize(
    ("link", "number", "is_valid"),
    [
        ('{"allOf": [{"$ref": "NEXT"}]}', 3000, True),
        ('{"properties": {"next": {"$ref": "NEXT"}}}', 3000, True),
        ('{"$ref": "NEXT"}', 30, True),
        ('{"$ref": "NEXT"}', 3000, False),
        ('{"$ref": "NEXT/x"}', 3000, False),
    ],
)
def test_long_chains_of_references(tmp_path: Path, link: str, number: int, is_valid: bool) -> None:
    path = write(tmp_path, {"clinic.json": chain(number, link)})

    if is_valid:
        load(path, "clinic.json")
    else:
        assert listed(path)[0].startswith("clinic.json:1:")


@pytest.mark.slow
def test_the_number_of_operations_is_limited(tmp_path: Path) -> None:
    paths: dict[str, object] = {f"/a{number}": {"get": {}} for number in range(10_001)}
    path = write(tmp_path, {"a.json": json.dumps({"openapi": "3.1.0", "paths": paths})})

    [problem] = listed(path)

    assert "has more than 10000 operations; remove the paths that your app does not use" in problem


def test_the_size_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(50_000_000)

    assert listed(path) == ["a.json: is larger than 32768 KiB; shorten or split it"]


# --- Damaged documents ------------------------------------------------------------------------


def test_the_undamaged_documents_load(tmp_path: Path) -> None:
    for name, text in CLINIC.items():
        document = loaded(tmp_path, text, name)
        assert len(operations(document)) == 8
        assert not not_served(document)


@pytest.mark.parametrize("count", [100, pytest.param(2000, marks=pytest.mark.long)])
def test_damaged_documents_load_or_have_listed(tmp_path: Path, count: int) -> None:
    loads = 0
    for number in range(count):
        name, data = damaged(number)
        path = tmp_path / name
        path.write_bytes(data)
        document = None
        problems: tuple[Problem, ...] = ()
        try:
            document = load(path, name)
        except InputError as error:
            problems = error.problems
        if document is None:
            assert problems, number
            assert {problem.file for problem in problems} == {name}, number
            assert all("\n" not in str(problem) for problem in problems), number
        else:
            loads += 1
            assert operations(document), number
            places = [document.place(note.at) for note in not_served(document)]
            assert all(file == name and line > 0 for file, line, _ in places), number
    assert 0 < loads < count
