"""The documented error: the right response, the real reason, and always a valid body."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mockpets.contract.openapi_loader import Node
from mockpets.seed.documented_errors import PROBLEM, ErrorResponse, documented_error
from tests.contract.json_schema import is_valid_by
from tests.seed.documents import document_with, response, values_of

TEXT: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}
REASONS = ((("pet", "title"), "is missing"), (("price",), "must be a number"))
BOTH = "pet.title is missing; price must be a number"
GONE = (((), "the pet 'x1' does not exist"),)


def texts(*names: str, **parts: Node) -> dict[str, Any]:
    return {"type": "object", "properties": {**dict.fromkeys(names, TEXT), **parts}}


def array(items: Node) -> dict[str, Any]:
    return {"type": "array", "items": items}


def respond(
    folder: Path,
    responses: Node,
    wanted: Sequence[int] = (400, 422),
    reasons: Sequence[tuple[tuple[str | int, ...], str]] = REASONS,
    **options: str,
) -> ErrorResponse:
    success = {"200": {"description": ""}}
    schemas = {"User": {"type": "object"}, "Article": {"type": "object"}}
    document = document_with(folder, {"get": {**success, **responses}}, schemas)
    values = values_of(document)
    result = documented_error(document.operations[0], wanted, reasons, values, **options)
    is_valid = is_valid_by(document)
    for documented in responses.values():
        for media in documented.get("content", {}).values():
            if result.is_documented and result.media_type:
                assert is_valid(media.get("schema", {}), result.body), result
    return result


@pytest.mark.parametrize(
    ("documented", "wanted", "status", "is_documented"),
    [
        (["400", "422"], (400, 422), 400, True),
        (["422", "4XX"], (400, 422), 422, True),
        (["4xx", "default"], (400, 422), 400, True),
        (["default"], (404,), 404, True),
        (["500", "5XX"], (404,), 404, False),
        ([], (409,), 409, False),
    ],
)
def test_the_nearest_documented_response_is_chosen(
    folder: Path, documented: list[str], wanted: tuple[int, ...], status: int, is_documented: bool
) -> None:
    result = respond(folder, dict.fromkeys(documented, response({"schema": TEXT})), wanted)
    assert (result.status, result.is_documented) == (status, is_documented)


def test_an_error_that_is_not_documented_is_a_problem(folder: Path) -> None:
    body = {"type": "about:blank", "title": "Not Found", "status": 404, "detail": GONE[0][1]}
    result = respond(folder, {}, (404,), GONE)
    assert result == ErrorResponse(404, PROBLEM, body, is_documented=False, example="")


GENERAL_PROBLEM = {"type": "about:blank", "title": "Bad Request", "status": 400, "detail": BOTH}


@pytest.mark.parametrize(
    ("content", "media_type", "body"),
    [
        ({}, PROBLEM, GENERAL_PROBLEM),
        ({"application/xml": {}}, PROBLEM, GENERAL_PROBLEM),
        ({"text/plain": {"schema": TEXT}}, "text/plain", BOTH),
        ({"application/problem+json": {"schema": texts("detail")}}, PROBLEM, {"detail": BOTH}),
    ],
)
def test_the_documented_media_type_is_sent(
    folder: Path, content: Node, media_type: str, body: object
) -> None:
    result = respond(folder, {"400": {"description": "", "content": content}})
    assert (result.media_type, result.body, result.is_documented) == (media_type, body, True)


LISTS = [
    {"field": "pet.title", "message": "is missing"},
    {"field": "price", "message": "must be a number"},
]
PLACES = [
    {"loc": ["body", "pet", "title"], "msg": "is missing"},
    {"loc": ["body", "price"], "msg": "must be a number"},
]
POINTERS = [
    {"source": {"pointer": "/pet/title"}, "detail": "is missing"},
    {"source": {"pointer": "/price"}, "detail": "must be a number"},
]
MAP = {"title": ["is missing"], "price": ["must be a number"]}


@pytest.mark.parametrize(
    ("schema", "body"),
    [
        ({}, {"message": BOTH}),
        (TEXT, BOTH),
        (array(TEXT), ["pet.title is missing", "price must be a number"]),
        (texts("message", "trace"), {"message": BOTH}),
        (texts("title"), {"title": BOTH}),
        (texts("title", "detail"), {"title": "Bad Request", "detail": BOTH}),
        (texts("error", "message"), {"error": "Bad Request", "message": BOTH}),
        (texts("message", code=INTEGER), {"message": BOTH, "code": 400}),
        (texts("msg", "code"), {"msg": BOTH, "code": "validation_error"}),
        (texts("status", statusCode=INTEGER), {"status": "400", "statusCode": 400}),
        (texts(code={"enum": ["NOT_FOUND", "INVALID_BODY"]}), {"code": "INVALID_BODY"}),
        (texts("message", success={"type": "boolean"}), {"message": BOTH, "success": False}),
        (texts(error=texts("message")), {"error": {"message": BOTH}}),
        (texts(errors=array(texts("field", "message"))), {"errors": LISTS}),
        (texts("path", "message"), {"path": "/pets/x1", "message": BOTH}),
        (texts(details=array({"type": "object"})), {"details": LISTS}),
        (texts(detail=array(texts("msg", loc=array({})))), {"detail": PLACES}),
        (texts(errors=array(texts("detail", source=texts("pointer")))), {"errors": POINTERS}),
        (texts(errors={"type": "object", "additionalProperties": array(TEXT)}), {"errors": MAP}),
        (
            texts(errors={"type": "object", "additionalProperties": TEXT}),
            {"errors": {"title": "is missing", "price": "must be a number"}},
        ),
        (
            texts(errors=texts(body=array(TEXT))),
            {"errors": {"body": ["pet.title is missing", "price must be a number"]}},
        ),
        (
            texts("message", timestamp={"type": "string", "format": "date-time"}),
            {"message": BOTH, "timestamp": "2026-05-04T09:30:00.000Z"},
        ),
        (texts(message={**TEXT, "maxLength": 20}), {"message": "pet.title is missing"}),
        (
            {
                "oneOf": [
                    {**texts(x=INTEGER), "required": ["x"]},
                    {**texts("message"), "maxProperties": 1},
                ]
            },
            {"message": BOTH},
        ),
    ],
)
def test_the_reason_stands_where_the_schema_has_room(
    folder: Path, schema: Node, body: object
) -> None:
    responses = {"400": response({"schema": schema})}
    assert respond(folder, responses, request_path="/pets/x1").body == body


def test_a_general_list_may_have_the_name_of_an_invalid_property(folder: Path) -> None:
    reasons = [(("article", "body"), "is required")]

    def body(*names: str) -> object:
        lists = texts(**{name: array(TEXT) for name in names})
        responses = {"422": response({"schema": texts(errors=lists)})}
        return respond(folder, responses, wanted=(422,), reasons=reasons).body

    assert body("body") == {"errors": {"body": ["article.body is required"]}}
    assert body("title", "body") == {"errors": {"body": ["is required"]}}


@pytest.mark.parametrize(
    ("example", "status", "body"),
    [
        ({"message": "Invalid", "code": 4001}, 400, {"message": BOTH, "code": 4001}),
        ({"message": "Gone", "code": "E-17"}, 404, {"message": "Gone", "code": "E-17"}),
        ({"message": "No user with id 42"}, 404, {"message": "No pet with id x1"}),
        ({"message": "User 'bob' not found"}, 404, {"message": "Pet 'x1' not found"}),
        ({"message": "Gone", "userId": "bob"}, 404, {"message": "Gone", "userId": "x1"}),
        ({"errors": {"article": ["not found"]}}, 404, {"errors": {"pet": ["not found"]}}),
        ({"errors": {"title": ["can't be blank"]}}, 422, {"errors": MAP}),
        ({"errors": [{"field": "a", "message": "is bad"}]}, 422, {"errors": LISTS}),
        ({"status": 500, "message": "Oops"}, 404, {"message": "the pet 'x1' does not exist"}),
        ({"message": "Log in first"}, 401, {"message": "Log in first"}),
    ],
)
def test_an_example_is_a_template(
    folder: Path, example: Node, status: int, body: dict[str, object]
) -> None:
    media = {"schema": texts("message"), "example": example}
    reasons = REASONS if status in {400, 422} else GONE
    result = respond(
        folder, {str(status): response(media)}, (status,), reasons, key="x1", name="pet"
    )
    assert result.body == body


def test_the_example_of_the_status_is_chosen(folder: Path) -> None:
    examples = {
        "invalid": {"value": {"code": 400, "message": "Bad"}},
        "missing": {"value": {"code": 404, "message": "Gone"}},
    }
    media = {"schema": texts("message", code=INTEGER), "examples": examples}
    result = respond(folder, {"4XX": response(media)}, (404,), GONE)
    assert (result.example, result.body) == ("missing", {"code": 404, "message": "Gone"})


NAMES = st.sampled_from(
    """message detail title error errors code status type field path timestamp success details
    instance name loc id trace""".split()  # noqa: SIM905
)
PARTS: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.sampled_from(
        [
            {},
            TEXT,
            INTEGER,
            {"type": "boolean"},
            {"type": "object"},
            {**TEXT, "maxLength": 5},
            {**TEXT, "format": "uri"},
            {**TEXT, "pattern": "^E-[0-9]{3}$"},
            {**INTEGER, "minimum": 1000},
            {"enum": ["a", "not_found"]},
            {"const": "error"},
            {"type": ["string", "null"]},
        ]
    ),
    lambda parts: st.one_of(
        st.builds(
            lambda properties, is_required, is_closed: {
                "type": "object",
                "properties": properties,
                **({"required": sorted(properties)} if is_required and properties else {}),
                **({"additionalProperties": False} if is_closed else {}),
            },
            st.dictionaries(NAMES, parts, max_size=5),
            st.booleans(),
            st.booleans(),
        ),
        parts.map(array),
        parts.map(lambda part: {"type": "object", "additionalProperties": part}),
        st.lists(parts, min_size=1, max_size=2).map(lambda each: {"anyOf": each}),
    ),
    max_leaves=8,
)


@pytest.mark.slow
@settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
@given(schema=PARTS, status=st.sampled_from([400, 401, 404, 422]))
def test_the_body_for_any_schema_is_valid(folder: Path, schema: Node, status: int) -> None:
    respond(folder, {"4XX": response({"schema": schema})}, (status,), key="x1", name="pet")
