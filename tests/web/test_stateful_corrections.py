"""Corrections of a contract act: what an author says in `x-mockpets` of a document."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.web.checked_client import Checked, at, op, several, thing, write

USER = thing("username", "token", username="string", email="string", token="string")
PERSON = thing("username", username="string")
POST = {"$ref": "#/components/schemas/Post"}
SCHEMA = thing(
    *("slug", "title", "writer"),
    slug="string",
    title="string",
    writer=PERSON,
    state={"type": "string", "enum": ["draft", "public"]},
    rank="integer",
    words=several({"type": "string"}),
)
NOTE = thing("id", "text", id="integer", text="string", postSlug="string", code="string")
NEW_NOTE = thing("text", text="string", code="string")
NEW_POST = thing("title", title="string", rank="integer", state="string", words=several({}))
DOCUMENT: dict[str, Any] = {
    "/users": {
        "post": op(USER, thing("username", "password", username="string", password="string"),
                   status=201, security=[])
    },
    "/posts": {"get": op(several(POST), None, "limit"), "post": op(POST, NEW_POST, status=201)},
    "/posts/{slug}": at(
        "slug",
        "string",
        get=op(POST),
        patch=op(POST, {**NEW_POST, "required": []}),
        delete=op(None, status=204),
    ),
    "/posts/{slug}/send": at("slug", "string", post=op(POST)),
    "/front": {"get": op(several(POST))},
    "/topics": {"get": op(several({"type": "string"}))},
    "/persons/{name}": at("name", "string", get=op(PERSON)),
    "/notes": {"get": op(several(NOTE)), "post": op(NOTE, NEW_NOTE, status=201)},
    "/notes/{note}": at("note", "string", get=op(NOTE)),
}  # fmt: skip


def corrected(folder: Path, corrections: dict[str, Any], *, is_beside: bool = False) -> Checked:
    """Return a server of the document with corrections, in it or in the file beside it."""
    schemes = {"key": {"type": "http", "scheme": "bearer"}}
    more: Any = {} if is_beside else {"x-mockpets": corrections}
    components = {"securitySchemes": schemes, "schemas": {"Post": SCHEMA}}
    file = write(folder, DOCUMENT, security=[{"key": []}], components=components, **more)
    if is_beside:
        (folder / "api.mockpets.json").write_text(json.dumps(corrections))
    checked = Checked(file)
    posts = [
        {"slug": name, "title": name, "rank": rank, "state": state, "words": [state, name],
         "writer": {"username": name}}
        for rank, (name, state) in enumerate([("b", "draft"), ("c", "public"), ("a", "public")])
    ]  # fmt: skip
    assert checked.control("PUT", "data/posts", posts)
    return checked


def slugs(call: Checked, path: str = "/posts", **options: Any) -> list[str]:
    return [each["slug"] for each in call("GET", path, **options).json]


@pytest.mark.parametrize("is_beside", [False, True])
def test_where_and_sort_of_a_list(tmp_path: Path, is_beside: bool) -> None:
    front = {"list": "posts", "where": {"state": "public"}, "sort": "slug"}
    call = corrected(tmp_path, {"operations": {"GET /front": front}}, is_beside=is_beside)
    assert slugs(call) == ["b", "c", "a"]
    assert slugs(call, "/front") == ["a", "c"]


def test_where_names_the_person(tmp_path: Path) -> None:
    mine = {"list": "posts", "where": {"writer.username": {"from": "me"}}}
    sets = {"writer": {"from": "me"}}
    call = corrected(
        tmp_path, {"operations": {"GET /front": mine}, "collections": {"posts": {"set": sets}}}
    )
    ann = {"username": "ann", "password": "p", "email": "a"}
    token = call("POST", "/users", ann, who=None).json["token"]
    made = call("POST", "/posts", {"title": "Mine"}, who=token).json
    assert made["writer"] == {"username": "ann"}
    assert slugs(call, "/front", who=token) == [made["slug"]]


def test_a_collection_has_an_order(tmp_path: Path) -> None:
    sort = {"collections": {"posts": {"sort": "-rank"}}}
    call = corrected(
        tmp_path, {**sort, "operations": {"GET /front": {"list": "posts", "sort": "slug"}}}
    )
    assert (slugs(call), slugs(call, "/front")) == (["a", "c", "b"], ["a", "b", "c"])


def test_a_collection_sets_properties_of_new_records(tmp_path: Path) -> None:
    sets = {"slug": {"slugify": "title"}, "state": "draft", "rank": {"from": "body.rank"}}
    call = corrected(tmp_path, {"collections": {"posts": {"set": sets}}})
    for slug in ("hello-you", "hello-you-2"):
        body = {"title": "Hello, you!", "rank": 4, "state": "public"}
        made = call("POST", "/posts", body).json
        assert (made["slug"], made["state"], made["rank"]) == (slug, "draft", 4)
    assert call("PATCH", "/posts/hello-you", {"state": "public"}).json["state"] == "public"


def test_an_action_and_a_write_set_properties(tmp_path: Path) -> None:
    operations = {
        "POST /posts/{slug}/send": {"act": "posts", "set": {"state": "public", "rank": 9}},
        "PATCH /posts/{slug}": {"set": {"state": "draft"}},
        "POST /posts": {"set": {"words": ["new"]}},
    }
    call = corrected(tmp_path, {"operations": operations})
    sent = call("POST", "/posts/b/send").json
    assert (sent["state"], sent["rank"], sent["title"]) == ("public", 9, "b")
    assert call("GET", "/posts/b").json == sent
    assert call("POST", "/posts/zz/send").status == 404
    changed = call("PATCH", "/posts/b", {"title": "B", "state": "public"}).json
    assert (changed["title"], changed["state"]) == ("B", "draft")
    assert call("POST", "/posts", {"title": "t"}).json["words"] == ["new"]


def test_values_are_those_of_a_property(tmp_path: Path) -> None:
    call = corrected(tmp_path, {"operations": {"GET /topics": {"values": "posts.words"}}})
    assert call("GET", "/topics").json == ["draft", "b", "public", "c", "a"]
    call("DELETE", "/posts/b")
    assert call("GET", "/topics").json == ["public", "c", "a"]


def test_a_collection_shows_another(tmp_path: Path) -> None:
    call = corrected(tmp_path, {"collections": {"persons": {"shows": "users", "id": "username"}}})
    call("POST", "/users", {"username": "ann", "password": "p"}, who=None)
    assert call("GET", "/persons/ann").json == {"username": "ann"}
    assert call("GET", "/persons/nobody").status == 404


def test_a_collection_has_another_key(tmp_path: Path) -> None:
    call = corrected(tmp_path, {"collections": {"notes": {"id": "code"}}})
    made = call("POST", "/notes", {"text": "t", "code": "n-1"}).json
    assert call("GET", "/notes/n-1").json == made
    assert call("POST", "/notes", {"text": "t", "code": "n-1"}).status == 409
    first = call("GET", "/notes").json[0]
    assert call("GET", f"/notes/{first['code']}").json == first


def test_a_collection_is_gone_with_its_parent(tmp_path: Path) -> None:
    call = corrected(tmp_path, {"collections": {"notes": {"parent": "posts"}}})
    call.control("PUT", "data/notes", [
        {"id": 1, "text": "t", "postSlug": "b"}, {"id": 2, "text": "t", "postSlug": "c"}
    ])  # fmt: skip
    assert call("DELETE", "/posts/b").status == 204
    assert [each["id"] for each in call("GET", "/notes").json] == [2]


def test_a_token_has_another_prefix(tmp_path: Path) -> None:
    call = corrected(tmp_path, {"security": {"prefix": "Token"}})
    assert call("GET", "/posts", headers={"Authorization": "Token abc"}).status == 200
    assert call.call("GET", "/posts", headers={"Authorization": "Bearer abc"}).status == 401


def test_an_example_has_no_state(tmp_path: Path) -> None:
    call = corrected(tmp_path, {"operations": {"DELETE /posts/{slug}": {"example": True}}})
    assert call("DELETE", "/posts/b").status == 204
    assert call("GET", "/posts/b").status == 200
