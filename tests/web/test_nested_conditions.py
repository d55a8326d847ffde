"""Conditions on the properties of objects in a body, of a document whose bodies are wrapped."""

from pathlib import Path
from typing import Any

import pytest

from tests.http_client import Client
from tests.web.documents import FAILED, Node, json_of, operation, serve_in

AUTHOR: Node = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"name": {"type": "string"}, "password": {"type": "string"}},
}
ARTICLE: Node = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "content": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "blocks": {"type": "array", "items": {"type": "object", "properties": {"present": {}}}},
        "author": {"$ref": "#/components/schemas/Author"},
        "cover": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"one-of": {}}}]},
        "size": {"type": "integer", "anyOf": [{"minimum": 3}, {"maximum": 1}]},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "anything": {},
    },
}
BODY: Node = {"type": "object", "required": ["article"], "properties": {"article": ARTICLE}}
PATHS: Node = {
    "/articles": {
        "post": operation(name="CreateArticle", body=json_of(BODY), _201=json_of(BODY), _422=FAILED)
    },
    "/articles/batch": {
        "post": operation(name="Batch", body=json_of({"type": "array", "items": ARTICLE}))
    },
}
SENT: Node = {
    "article": {
        "title": "Hi",
        "tags": ["a", "b"],
        "blocks": [{"present": 1}, {"present": 2}],
        "author": {"name": "Ann", "password": "geheim"},
    }
}
CREATE = "CreateArticle"


@pytest.fixture
def blog(tmp_path: Path) -> Client:
    return serve_in(tmp_path)(PATHS, components={"schemas": {"Author": AUTHOR}})


def verify(call: Client, body: object, match: Node | None = None) -> Any:
    match = {"operation": CREATE} if match is None else match
    wanted = {"match": {**match, "body": body}, "times": 1}
    return call("POST", "/__mockpets/verify", json_body=wanted)


@pytest.mark.parametrize(("article", "matches"), [
    ({"title": "Hi"}, True),
    ({"title": "Ho"}, False),
    ({"title": {"contains": "i", "matches": "H*"}}, True),
    ({"title": {"contains": "i", "matches": "I*"}}, False),
    ({"title": "Hi", "author": {"name": {"one_of": ["Ann", "Ada"]}}}, True),
    ({"title": "Hi", "author": {"name": {"one_of": ["Bo", "Ada"]}}}, False),
    ({"author": {"present": True}}, True),
    ({"author": {"name": {"present": False}}}, False),
    ({"cover": {"url": {"present": False}}}, True),
    ({"cover": {"url": {"present": True}}}, False),
    ({"tags": {"contains": "b"}}, True),
    ({"tags": ["a", "b"]}, True),
    ({"tags": {"1": "b"}}, True),
    ({"tags": {"2": {"present": True}}}, False),
    ({"blocks": {"1": {"summary": {"present": False}}}}, True),
    ({"title": {"present": True}, "content": {"present": False}}, True),
])  # fmt: skip
def test_conditions_nest_in_verify_and_in_stubs(
    blog: Client, article: object, matches: bool
) -> None:
    match = {"operation": CREATE, "body": {"article": article}}
    stubs = [{"match": match, "reply": {"status": 422, "body": {"message": "m", "status": 422}}}]
    scenario = {"scenario": {"description": "d", "stubs": stubs}}
    assert blog("PUT", "/__mockpets/sessions/s", json_body=scenario).status < 300
    failed = blog("POST", "/~s/articles", json_body=SENT).status == 422
    assert blog("POST", "/articles", json_body=SENT).status == 201

    assert failed is matches
    assert (verify(blog, {"article": article}).status == 200) is matches


def test_an_item_of_a_body_that_is_a_list_has_its_position(blog: Client) -> None:
    blog("POST", "/articles/batch", json_body=[{"title": "A"}, {"title": "B"}])

    of_batch = {"operation": "Batch"}
    assert verify(blog, {"1": {"title": "B"}}, of_batch).status == 200
    assert verify(blog, {"0": {"title": "B"}}, of_batch).status == 409
    assert verify(blog, {"2": {"title": {"present": False}}}, of_batch).status == 200


def test_a_failed_verification_names_the_path(blog: Client) -> None:
    blog("POST", "/articles", json_body=SENT)
    wanted = {"article": {"title": "Ho", "author": {"name": {"contains": "x"}, "age": 3}}}
    response = verify(blog, wanted).json
    details = response["details"]

    assert 'body.article.title: expected "Ho", got "Hi"; body.article.a' in response["message"]
    assert "; body.article.author.age is missing, expected 3\n" in response["message"]
    assert details["match"] == (
        'CreateArticle with body.article.title equals "Ho" and body.article.author.name contains '
        '"x" and body.article.author.age equals 3'
    )
    assert details["nearest"][0]["differences"] == [
        {"where": "body.article.title", "expected": '"Ho"', "got": '"Hi"'},
        {"where": "body.article.author.name", "expected": 'contains "x"', "got": '"Ann"'},
        {"where": "body.article.author.age", "expected": "3", "got": "absent"},
    ]


def test_the_explanation_of_a_request_names_the_path_and_hides_secrets(blog: Client) -> None:
    wanted = {"title": "Ho", "author": {"password": "x"}}
    match = {"operation": CREATE, "body": {"article": wanted}}
    scenario = {"description": "d", "stubs": [{"match": match, "delay": "1ms"}]}
    blog("PUT", "/__mockpets/sessions/s", json_body={"scenario": scenario})
    blog("POST", "/~s/articles", json_body=SENT)
    explained = blog("GET", "/~s/__mockpets/requests/1/explain").json

    assert explained["stubs"][0]["conditions"][1:] == [
        {"where": "body.article.title", "expected": '"Ho"', "got": '"Hi"', "holds": False},
        {"where": "body.article.author.password", "expected": '"x"', "got": '"[redacted]"',
         "holds": False},
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["credentials.user", "tokens.0"])
def test_what_is_in_an_object_or_a_list_with_a_secret_name_is_hidden(
    blog: Client, path: str
) -> None:
    name, step = path.split(".")
    blog("POST", "/articles", json_body={**SENT, "credentials": {"user": "A"}, "tokens": ["b"]})
    details = verify(blog, {name: {step: "x"}}).json["details"]

    assert details["nearest"][0]["differences"] == [
        {"where": f"body.{path}", "expected": '"x"', "got": '"[redacted]"'}
    ]


def test_a_body_that_was_cut_off_leaves_a_nested_condition_unknown(blog: Client) -> None:
    blog("POST", "/articles", json_body={"article": {"title": "Hi", "content": "x" * 5000}})
    details = verify(blog, {"article": {"title": "Hi"}}).json["details"]

    assert details["nearest"][0]["differences"] == [
        {"where": "body.article.title", "expected": '"Hi"', "got": "cut off after 4096 bytes"}
    ]


# --- Typos ----------------------------------------------------------------------------------------

KNOWN = "known keys: equals, contains, matches, present, one_of"
PROPERTY = "If it is a property, write {equals: ...} below it"
CONTAINS = "unknown key 'contians'; did you mean 'contains'?"


@pytest.mark.parametrize(("article", "problem"), [
    ({"title": {"contians": "x"}}, f"article.title: {CONTAINS}"),
    ({"title": {"wombat": "x"}}, f"article.title: unknown key 'wombat'; {KNOWN}"),
    ({"title": {"wombat": {"equals": 3}}}, f"article.title: unknown key 'wombat'; {KNOWN}"),
    ({"size": {"wombat": 3}}, f"article.size: unknown key 'wombat'; {KNOWN}"),
    ({"tags": {"wombat": "x"}}, f"article.tags: unknown key 'wombat'; {KNOWN}"),
    ({"tags": {"0": {"wombat": "x"}}}, f"article.tags.0: unknown key 'wombat'; {KNOWN}"),
    ({"contians": "x"}, f"article: {CONTAINS} {PROPERTY}"),
    ({"oneOf": ["x"]}, f"article: unknown key 'oneOf'; did you mean 'one_of'? {PROPERTY}"),
    ({"anything": {"contians": "x"}}, f"article.anything: {CONTAINS} {PROPERTY}"),
    ({"unknown": {"contians": "x"}}, f"article.unknown: {CONTAINS} {PROPERTY}"),
    ({"equals": 1, "title": "x"}, f"article: unknown key 'title'; {KNOWN}"),
    ({"title": {}}, "article.title: the condition has no operator; add equals, contains, matches, "
     "present or one_of"),
    ({"equals": {"title": "x"}}, "article.equals: must be a string, a number, true or false, null "
     "or a list, got a mapping; to match the properties of an object, remove 'equals'"),
    ({"title": {"one_of": []}}, "article.title.one_of: must have at least 1 item, got 0"),
    ([{"title": "x"}], "article: must be a single value or a list of single values; remove the "
     "nested list or mapping"),
])  # fmt: skip
def test_a_misspelt_operator_is_not_a_property(blog: Client, article: object, problem: str) -> None:
    response = verify(blog, {"article": article})

    assert response.status == 400
    (found,) = response.json["details"]["problems"]
    assert f"{found['where']}: {found['what']}; {found['hint']}".rstrip("; ") == (
        f"match.body.{problem}"
    )


@pytest.mark.parametrize(("match", "body"), [
    ({}, {"article": {"content": "x", "labels": {"contians": "x"}, "blocks": {"0": {"a": 1}}}}),
    ({}, {"article": {"cover": {"one-of": 3}}}),
    ({}, {"article": {"container": {"equals": "x"}, "equal": {"matches": "x"}}}),
    ({}, {"article": {"anything": {"wombat": 1, "content": 2}}}),
    ({"operation": "Batch"}, {"wombat": {"title": 1, "content": 3}}),
    ({"method": "POST", "path": "/other"}, {"article": {"title": "x", "content": 2}}),
])  # fmt: skip
def test_a_property_that_a_schema_has_or_allows_is_no_misspelt_operator(
    blog: Client, match: Node, body: object
) -> None:
    assert verify(blog, body, match).status == 409


def test_nesting_is_limited_as_elsewhere(blog: Client) -> None:
    body: dict[str, object] = {"a": 1}
    for _ in range(40):
        body = {"a": body}
    response = verify(blog, body)

    assert response.status == 400
    assert "is nested deeper than 40 levels" in response.json["message"]
