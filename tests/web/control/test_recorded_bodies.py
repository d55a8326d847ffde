"""A recording has conditions on the property of the body that decides the response."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.http_client import Client
from tests.web.documents import FAILED, Node, json_of, operation, serve_in

ARTICLE: Node = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "kind": {"type": "string"},
        "sentAt": {"type": "string"},
        "ref": {"type": "string"},
        "password": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "equals": {"type": "string"},
        "author": {"type": "object", "properties": {"age": {"type": "integer"}}},
    },
}
BODY: Node = {"type": "object", "properties": {"article": ARTICLE}}
CREATE = operation(name="Create", body=json_of(BODY), _201=json_of(BODY), _422=FAILED, _503=FAILED)
FREE: Node = {"/free": {"post": operation(name="Free", body=json_of({}), _422=FAILED)}}
PATHS: Node = {"/articles": {"post": CREATE}, **FREE}


@pytest.fixture
def blog(tmp_path: Path) -> Client:
    return serve_in(tmp_path)(PATHS)


def failing(wanted: object, status: int = 422, **match: Any) -> dict[str, Any]:
    reply = {"status": status, "body": {"message": "no", "status": status}}
    return {"match": {"operation": "Create", **match, "body": wanted}, "reply": reply}


def put(call: Client, session: str, *stubs: object) -> None:
    scenario = {"scenario": {"description": "d", "stubs": stubs}}
    assert call("PUT", f"/__mockpets/sessions/{session}", json_body=scenario).status < 300


def recorded(call: Client, stub: object, bodies: list[Any], path: str = "/articles") -> Any:
    """Send bodies while a stub is active; return the stubs of the recording, which repeats it."""
    put(call, "live", stub)
    before = [call("POST", f"/~live{path}", json_body=body).status for body in bodies]
    recording = call("GET", "/~live/__mockpets/recording").json
    stubs = yaml.safe_load(recording["yaml"]).get("stubs", [])
    put(call, "again", *stubs)
    after = [call("POST", f"/~again{path}", json_body=body).status for body in bodies]

    assert (recording["notes"], after) == ([], before)
    return stubs


def articles(*articles: Node) -> list[Any]:
    return [{"article": article} for article in articles]


TAKEN = articles(
    {"kind": "a", "title": "One"}, {"kind": "a", "title": "Taken"}, {"kind": "a", "title": "Two"}
)


@pytest.mark.parametrize(("bodies", "wanted"), [
    (TAKEN, {"article": {"title": "Taken"}}),
    (TAKEN * 2, {"article": {"title": "Taken"}}),
    (articles({"title": "A", "kind": "b"}, {"title": "B", "kind": "c"}, {"title": "C", "kind": "b"},
              {"title": "D", "kind": "c"}), {"article": {"kind": "c"}}),
    (articles({"title": "A"}, {"kind": "b"}), {"article": {"title": {"present": False}}}),
    (articles({"author": {"age": 3}}, {"author": {"age": 4}}, {"author": {"age": 3}}),
     {"article": {"author": {"age": 4}}}),
    (articles({"sentAt": "2026-11-28T10:00:00Z", "title": "A"},
              {"sentAt": "2026-11-28T10:00:01Z", "title": "B"}), {"article": {"title": "B"}}),
    (articles({"ref": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "title": "A"},
              {"ref": "6ba7b811-9dad-11d1-80b4-00c04fd430c8", "title": "B"}),
     {"article": {"title": "B"}}),
])  # fmt: skip
def test_the_property_that_decides_is_a_condition(
    blog: Client, bodies: list[Any], wanted: object
) -> None:
    (stub,) = recorded(blog, failing(wanted), bodies)

    assert stub["match"] == {"operation": "Create", "body": wanted}
    assert stub.keys() == {"match", "reply"}
    assert stub["reply"]["status"] == 422


@pytest.mark.parametrize(("bodies", "wanted", "status"), [
    (articles({"title": "A"}, {"title": "B"}), {"article": {"title": "B"}}, 503),
    (articles({"password": "abc"}, {"password": "def"}), {"article": {"password": "def"}}, 422),
    (articles({"tags": ["a"]}, {"tags": ["b"]}), {"article": {"tags": ["b"]}}, 422),
    (articles({"sentAt": "2026-11-28"}, {"sentAt": "2026-11-29"}),
     {"article": {"sentAt": "2026-11-29"}}, 422),
    (articles({"equals": "a"}, {"equals": "b"}), {"article": {"present": True}}, 422),
])  # fmt: skip
def test_without_such_a_property_the_order_decides(
    blog: Client, bodies: list[Any], wanted: object, status: int
) -> None:
    """The last case fails for all bodies, the others for the second one."""
    stubs = recorded(blog, failing(wanted, status), bodies)

    assert stubs
    assert all("body" not in stub["match"] for stub in stubs)


def test_the_same_body_with_two_responses_is_no_reason(blog: Client) -> None:
    once = {**failing({"article": {"title": "A"}}), "times": 1}
    (stub,) = recorded(blog, once, articles({"title": "A"}, {"title": "A"}, {"title": "B"}))

    assert stub["match"] == {"operation": "Create"}


def test_a_body_that_is_nested_deep_or_is_not_an_object_is_no_reason(blog: Client) -> None:
    deep: dict[str, Any] = {"a": 1}
    for _ in range(30):
        deep = {"a": deep}
    for other in (deep, [1], "text", 3):
        reply = {"status": 422, "body": {"message": "no", "status": 422}}
        stub = {"match": {"operation": "Free", "body": {"n": 2}}, "reply": reply}
        (found,) = recorded(blog, stub, [{"n": 2}, other], "/free")

        assert found["match"] == {"operation": "Free"}


@pytest.mark.parametrize("name", ["contians", "equals"])
def test_a_name_that_a_condition_cannot_have_is_left_out(blog: Client, name: str) -> None:
    """No schema describes it, so that it could be an operator."""
    wanted = {"operation": "Free", "body": {"n": 2}}
    reply = {"status": 422, "body": {"message": "no", "status": 422}}
    bodies = [{"a": {name: value}, "n": value} for value in (1, 2)]
    (stub,) = recorded(blog, {"match": wanted, "reply": reply}, bodies, "/free")

    assert stub["match"] == wanted
