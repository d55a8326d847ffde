"""Those who log in to a document's operations: tokens, favorites and owners."""

from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.http_client import Response
from tests.web.checked_client import Checked, at, content, op, several, thing, write

KIM: Any = {"email": "kim@example.com", "password": "let-me-in"}


def token_of(response: Response) -> str:
    """Return the token in the response to a log-in, or what is wrong."""
    assert response.status in (200, 201), response
    return str(response.json["token"])


def test_a_person_registers_logs_in_and_is_me(clinic: Checked) -> None:
    assert clinic("POST", "/auth/login", KIM, who=None).status == 401
    made = clinic("POST", "/auth/register", {**KIM, "name": "Kim"}, who=None)
    assert made.status == 201
    member = made.json["member"]
    assert member == {"id": member["id"], "name": "Kim", "email": KIM["email"], "role": "vet"}
    again = clinic("POST", "/auth/register", {**KIM, "name": "Kim 2"}, who=None)
    assert again.status == 409 and "email" in again.json["message"]

    token = token_of(clinic("POST", "/auth/login", KIM, who=None))
    assert clinic("GET", "/me", who=token).json == member
    wrong = clinic("POST", "/auth/login", {**KIM, "password": "wrong"}, who=None)
    assert wrong.status == 401 and "invalid" in wrong.json["message"]
    changed = clinic("PATCH", "/me", {"name": "K", "password": "new-password"}, who=token)
    assert changed.json == {**member, "name": "K"}
    assert clinic("POST", "/auth/login", KIM, who=None).status == 401
    renewed = {**KIM, "password": "new-password"}
    assert clinic("POST", "/auth/login", renewed, who=None).status == 200
    assert clinic("GET", f"/members/{member['id']}").json["name"] == "K"
    assert clinic("GET", "/members").json[-1]["name"] == "K"


def test_a_token_of_nobody_is_the_first_person(clinic: Checked) -> None:
    first = clinic("GET", "/members").json[0]
    for token in ("somebody", "a.b.c", "é", "mockpets"):
        assert clinic("GET", "/me", who=token).json == first
    assert clinic("GET", "/me", who=None).status == 401
    login = {"email": first["email"], "password": "any"}
    assert clinic("POST", "/auth/login", login, who=None).json["member"] == first


def test_a_token_that_is_nested_deeply_names_nobody(clinic: Checked) -> None:
    token = f"a.{urlsafe_b64encode(b'[' * 30_000).decode()}.c"
    assert clinic("GET", "/me", who=token).json == clinic("GET", "/members").json[0]


def test_the_example_of_a_log_in_logs_in(clinic: Checked) -> None:
    example = {"email": "kim@clinic.example", "password": "let-me-in"}
    member = clinic("POST", "/auth/login", example, who=None).json["member"]
    assert member == clinic("GET", "/members").json[0]
    assert member["email"] == example["email"]


def test_people_are_those_of_a_session(clinic: Checked) -> None:
    body = {**KIM, "name": "Kim"}
    one = token_of(clinic("POST", "/auth/register", body, who=None, session="one"))
    other = {**body, "name": "Kim of two", "password": "two-passwords"}
    two = token_of(clinic("POST", "/auth/register", other, who=None, session="two"))
    assert clinic("GET", "/me", who=one, session="one").json["name"] == "Kim"
    assert clinic("GET", "/me", who=two, session="two").json["name"] == "Kim of two"
    assert clinic("POST", "/auth/login", KIM, who=None, session="two").status == 401
    assert clinic("POST", "/auth/login", KIM, who=None).status == 401


def test_each_person_has_favorites(clinic: Checked) -> None:
    one = token_of(clinic("POST", "/auth/register", {**KIM, "name": "Kim"}, who=None))
    count = clinic("GET", "/animals/1", who=one).json["favoritesCount"]
    for _ in range(2):  # once is as often as twice
        liked = clinic("POST", "/animals/1/favorite", who=one).json
        assert (liked["favorite"], liked["favoritesCount"]) == (True, count + 1)
    assert clinic("GET", "/animals", who=one).json["animals"][0]["favorite"] is True
    other = clinic("GET", "/animals/1").json
    assert (other["favorite"], other["favoritesCount"]) == (False, count + 1)
    assert clinic("POST", "/animals/1/favorite").json["favoritesCount"] == count + 2
    for _ in range(2):
        less = clinic("DELETE", "/animals/1/favorite", who=one).json
        assert (less["favorite"], less["favoritesCount"]) == (False, count + 1)
    assert clinic("GET", "/animals/1").json["favorite"] is True
    assert clinic("POST", "/animals/99/favorite").status == 404


USER = thing("email", "username", "token", email="string", username="string", token="string",
             bio={"type": ["string", "null"]})  # fmt: skip
PROFILE = thing("username", "following", username="string", following="boolean",
                bio={"type": ["string", "null"]})  # fmt: skip
ARTICLE = {"$ref": "#/components/schemas/Article"}
ARTICLE_SCHEMA = thing(
    *("slug", "title", "author", "favorited", "favoritesCount"),
    slug="string",
    title="string",
    body="string",
    createdAt={"type": "string", "format": "date-time"},
    favorited="boolean",
    favoritesCount="integer",
    author=PROFILE,
)
ONE_USER, ONE_PROFILE = thing("user", user=USER), thing("profile", profile=PROFILE)
ONE_ARTICLE = thing("article", article=ARTICLE)
ARTICLES = thing("articles", "count", articles=several(ARTICLE), count="integer")
COMMENT = thing("id", "body", "author", id="integer", body="string", author=PROFILE)


def text(name: str) -> dict[str, Any]:
    return {"name": name, "schema": {"type": "string"}}


def wrapped(name: str, *required: str, **properties: Any) -> dict[str, Any]:
    return thing(name, **{name: thing(*required, **properties)})


NEW_ARTICLE = wrapped("article", "title", title="string", body="string")
CHANGED_ARTICLE = wrapped("article", title="string", body="string")
FORBIDDEN = {
    "403": {"description": "Somebody else's.", **content(thing("message", message="string"))}
}


def with_403(operation: dict[str, Any]) -> dict[str, Any]:
    return {**operation, "responses": {**operation["responses"], **FORBIDDEN}}


BLOG: dict[str, Any] = {
    "/users": {
        "post": op(ONE_USER, wrapped("user", "email", "username", "password", email="string",
                                     username="string", password="string"), status=201)
    },
    "/users/login": {
        "post": op(ONE_USER, wrapped("user", "email", "password", email="string",
                                     password="string"))
    },
    "/user": {
        "get": op(ONE_USER),
        "put": op(ONE_USER, wrapped("user", username="string", bio={"type": ["string", "null"]})),
    },
    "/profiles/{username}": at("username", "string", get=op(ONE_PROFILE)),
    "/profiles/{username}/follow": at(
        "username", "string", post=op(ONE_PROFILE), delete=op(ONE_PROFILE)
    ),
    "/articles": {
        "get": op(ARTICLES, None, "limit", "offset", text("author"), text("favorited")),
        "post": op(ONE_ARTICLE, NEW_ARTICLE, status=201),
    },
    "/articles/feed": {
        "get": op(ARTICLES, None, "limit", description="Articles of the users you follow.")
    },
    "/articles/{slug}": at(
        "slug",
        "string",
        get=op(ONE_ARTICLE),
        put=with_403(op(ONE_ARTICLE, CHANGED_ARTICLE)),
        delete=with_403(op(None, status=204)),
    ),
    "/articles/{slug}/favorite": at(
        "slug", "string", post=op(ONE_ARTICLE), delete=op(ONE_ARTICLE)
    ),
    "/articles/{slug}/comments": at(
        "slug",
        "string",
        get=op(thing("comments", comments=several(COMMENT))),
        post=op(thing("comment", comment=COMMENT), wrapped("comment", "body", body="string")),
    ),
    "/user/articles": {"get": op(ARTICLES)},
}  # fmt: skip


@pytest.fixture(scope="module")
def shared_blog(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "Authorization"}}
    file = write(
        tmp_path_factory.mktemp("blog"),
        BLOG,
        components={"securitySchemes": schemes, "schemas": {"Article": ARTICLE_SCHEMA}},
    )
    return Checked(file)


@pytest.fixture
def blog(shared_blog: Checked) -> Checked:
    shared_blog.control("POST", "reset")
    return shared_blog


def person(blog: Checked, name: str) -> dict[str, str]:
    """Register a person and return the headers of their requests."""
    user = {"email": f"{name}@example.com", "username": name, "password": f"secret-{name}"}
    made = blog("POST", "/users", {"user": user}, who=None)
    assert made.status == 201, made
    return {"Authorization": f"Token {made.json['user']['token']}"}


def test_a_name_is_taken_and_a_password_is_wrong(blog: Checked) -> None:
    person(blog, "ann")
    taken = {"email": "ann@example.com", "username": "an", "password": "p"}
    assert blog("POST", "/users", {"user": taken}, who=None).status == 409
    same = {"email": "other@example.com", "username": "ann", "password": "p"}
    assert blog("POST", "/users", {"user": same}, who=None).status == 409


def test_a_favorite_of_a_favorite_is_a_conflict_for_the_same_person(blog: Checked) -> None:
    ann, bob = person(blog, "ann"), person(blog, "bob")
    blog("POST", "/articles", {"article": {"title": "On cats"}}, headers=ann)
    for headers in (ann, bob):
        for method in ("POST", "DELETE", "POST"):
            statuses = [
                blog(method, "/articles/on-cats/favorite", headers=headers).status for _ in range(2)
            ]
            assert statuses == [200, 409]
    article = blog("GET", "/articles/on-cats", headers=bob).json["article"]
    assert (article["favorited"], article["favoritesCount"]) == (True, 2)


def test_people_write_follow_and_favorite(blog: Checked) -> None:
    ann, bob = person(blog, "ann"), person(blog, "bob")
    assert blog("GET", "/user", headers=ann).json["user"]["username"] == "ann"
    blog("PUT", "/user", {"user": {"bio": "I write"}}, headers=ann)
    made = blog("POST", "/articles", {"article": {"title": "On cats"}}, headers=ann).json["article"]
    assert (made["slug"], made["author"]["username"]) == ("on-cats", "ann")
    assert (made["author"]["bio"], made["author"]["following"]) == ("I write", False)
    assert blog("GET", "/articles", headers=bob).json["articles"][0] == made, "newest first"
    assert blog("GET", "/articles/feed", headers=bob).json == {"articles": [], "count": 0}

    profile = blog("POST", "/profiles/ann/follow", headers=bob).json["profile"]
    assert profile == {"username": "ann", "following": True, "bio": "I write"}
    assert blog("GET", "/profiles/ann", headers=ann).json["profile"]["following"] is False
    feed = blog("GET", "/articles/feed", headers=bob).json
    assert [each["slug"] for each in feed["articles"]] == ["on-cats"]
    assert feed["articles"][0]["author"]["following"] is True
    blog("POST", "/articles/on-cats/favorite", headers=bob)
    liked = blog("GET", "/articles", favorited="bob", headers=ann).json["articles"]
    assert [(each["slug"], each["favorited"], each["favoritesCount"]) for each in liked] == [
        ("on-cats", False, 1)
    ]
    assert blog("GET", "/articles", author="ann").json["count"] == 1
    assert blog("GET", "/articles", author="nobody").json == {"articles": [], "count": 0}
    mine = blog("GET", "/user/articles", headers=ann).json["articles"]
    assert [each["slug"] for each in mine] == ["on-cats"]
    assert blog("GET", "/user/articles", headers=bob).json["articles"] == []
    comment = blog("POST", "/articles/on-cats/comments", {"comment": {"body": "b"}}, headers=bob)
    assert comment.json["comment"]["author"]["username"] == "bob"
    assert comment.json["comment"] in blog("GET", "/articles/on-cats/comments").json["comments"]
    assert blog("DELETE", "/profiles/ann/follow", headers=bob).json["profile"]["following"] is False
    assert blog("GET", "/articles/feed", headers=bob).json["articles"] == []
    assert blog("GET", "/profiles/nobody").status == 404


def test_a_list_that_was_read_before_shows_changes_of_records_and_people(blog: Checked) -> None:
    ann, bob = person(blog, "ann"), person(blog, "bob")

    def newest() -> tuple[str, str, bool, bool]:
        article = blog("GET", "/articles", headers=bob).json["articles"][0]
        author = article["author"]
        return article["title"], author["bio"], author["following"], article["favorited"]

    made = blog("POST", "/articles", {"article": {"title": "On cats"}}, headers=ann)
    blog("PUT", "/user", {"user": {"bio": "I write"}}, headers=ann)
    assert newest() == newest() == ("On cats", "I write", False, False)
    blog("PUT", "/user", {"user": {"bio": "I draw"}}, headers=ann)
    assert newest() == ("On cats", "I draw", False, False)
    blog("POST", "/profiles/ann/follow", headers=bob)
    assert newest() == ("On cats", "I draw", True, False)
    path = f"/articles/{made.json['article']['slug']}"
    blog("POST", f"{path}/favorite", headers=bob)
    assert newest() == ("On cats", "I draw", True, True)
    blog("DELETE", path, headers=ann)
    assert newest()[0] != "On cats"


def test_others_are_forbidden_where_the_document_says_so(blog: Checked) -> None:
    ann, bob = person(blog, "ann"), person(blog, "bob")
    blog("POST", "/articles", {"article": {"title": "Mine"}}, headers=ann)
    change = {"article": {"body": "b"}}
    assert blog("PUT", "/articles/mine", change, headers=bob).status == 403
    assert blog("DELETE", "/articles/mine", headers=bob).status == 403
    assert blog("DELETE", "/articles/mine", who=None).status == 403
    assert blog("PUT", "/articles/mine", change, headers=ann).json["article"]["body"] == "b"
    assert blog("DELETE", "/articles/nothing", headers=bob).status == 404
    assert blog("DELETE", "/articles/mine", headers=ann).status == 204


def test_an_optional_key_names_a_person(tmp_path: Path) -> None:
    member = thing("id", "email", id="integer", email="string")
    login = op(
        thing("token", "member", token="string", member=member),
        thing("email", "password", email="string", password="string"),
    )
    paths = {
        "/members": {
            "get": op(several(member)), "post": op(member, thing("email", email="string"))
        },
        "/login": {"post": login},
        "/me": {"get": op(member, security=[{}, {"key": []}])},
    }  # fmt: skip
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    call = Checked(write(tmp_path, paths, components={"securitySchemes": schemes}))
    third = call("GET", "/members", who=None).json[2]
    body = {"email": third["email"], "password": "p"}
    token = call("POST", "/login", body, who=None).json["token"]

    assert call("GET", "/me", who=None, headers={"X-Key": token}).json == third


def test_a_cookie_logs_in(tmp_path: Path) -> None:
    member = thing("id", "email", id="integer", email="string")
    login = op(
        thing("token", "member", token="string", member=member),
        thing("email", "password", email="string", password="string"),
        security=[],
    )
    paths = {
        "/members": {
            "get": op(several(member)), "post": op(member, thing("email", email="string"))
        },
        "/login": {"post": login},
        "/me": {"get": op(member, security=[{"session": []}])},
        "/whoami": {"get": op(member)},
    }  # fmt: skip
    schemes = {"session": {"type": "apiKey", "in": "cookie", "name": "sid"}}
    file = write(tmp_path, paths, components={"securitySchemes": schemes})
    call = Checked(file)
    third = call("GET", "/members", who=None).json[2]
    logged_in = call("POST", "/login", {"email": third["email"], "password": "p"}, who=None)
    cookie = (logged_in.header("Set-Cookie") or "").partition(";")[0]
    assert cookie == f"sid={logged_in.json['token']}"
    for path in ("/me", "/whoami"):
        assert call("GET", path, who=None, headers={"Cookie": cookie}).json == third
    assert call.call("GET", "/me", key=None).status == 401
