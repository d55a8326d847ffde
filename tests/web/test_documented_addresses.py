"""Where documents lie: below a path or at the root, beside each other and the paths of mockpets."""

from pathlib import Path

import pytest

from tests.http_client import Client, Response
from tests.web.documents import FAILED, Node, client_of, document, json_of, operation, write

ITEM: Node = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {"id": {"type": "integer", "readOnly": True}, "name": {"type": "string"}},
}
TEXT: Node = {"type": "string"}
PAIR = json_of({"type": "object", "required": ["a", "b"], "properties": {"a": TEXT, "b": TEXT}})


def in_path(name: str, schema: Node = TEXT) -> Node:
    return {"name": name, "in": "path", "required": True, "schema": schema}


def users(name: str = "User") -> dict[str, Node]:
    """Return the paths of a small service."""
    key = in_path("id", {"type": "integer"})
    listed = json_of({"type": "array", "items": ITEM})
    body = json_of(ITEM) | {"required": True}
    return {
        "/users": {
            "get": operation(name=f"list{name}s", _200=listed),
            "post": operation(name=f"create{name}", body=body, _201=json_of(ITEM)),
        },
        "/users/{id}": {"get": operation(key, name=f"get{name}", _200=json_of(ITEM), _404=FAILED)},
    }


@pytest.fixture
def blog(tmp_path: Path) -> Path:
    root = document(users(), title="Blog", servers=[{"url": "https://api.example/blog"}])
    return write(tmp_path / "blog.json", root)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = document(users(), title="Shop", servers=[{"url": "//api.example/v1.2/shop+a"}])
    return write(tmp_path / "shop.json", root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    paths = users() | {
        "/Case/{id}/Items/": {"get": operation(in_path("id"), name="items")},
        "/files/{a}.{b}": {"get": operation(in_path("a"), in_path("b"), name="file", _200=PAIR)},
        "/files/{a}.json": {"get": operation(in_path("a"), name="json")},
        "/files/new": {"get": operation(name="newFile")},
        "/head": {"head": operation(name="onlyHead", _204={"description": ""})},
    }
    return write(tmp_path / "root.json", document(paths, title="Root"))


def message(response: Response, status: int = 404) -> str:
    assert response.status == status
    assert response.header("Mockpets-Off-Contract")
    return str(response.json["message"])


# --- Paths ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/blog/users", "/v1.2/shop+a/users", "/v1.2/shop%2Ba/users"])
def test_two_documents_lie_beside_each_other(blog: Path, shop: Path, path: str) -> None:
    call = client_of(blog, shop)

    assert call("GET", path).status == 200
    log = call("GET", "/__mockpets/requests").json["requests"]
    assert log[0]["operation"] == ("blog" if "blog" in path else "shop") + ".listUsers"


def test_documents_that_are_alike_keep_their_own_records(blog: Path, shop: Path) -> None:
    call = client_of(blog, shop)
    created = call("POST", "/blog/users", json_body={"name": "Zoe"})
    assert created.status == 201
    assert "Zoe" in call("GET", "/blog/users").text
    assert "Zoe" not in call("GET", "/v1.2/shop+a/users").text


def test_a_document_lies_where_it_is_put(blog: Path) -> None:
    call = client_of(f"/a/b={blog}")
    assert call("GET", "/a/b/users").status == 200
    assert "/a/b/users" in message(call("GET", "/blog/users"))


def test_the_pet_store_is_served_beside_a_document(blog: Path) -> None:
    call = client_of("pet-store", blog)

    assert call("GET", "/v1/pets/1").status == 200
    assert call("GET", "/v1/pets/1", key=None).status == 401
    assert call("GET", "/blog/users", key=None).status == 200
    assert message(call("GET", "/users")).endswith("must end with /blog: /blog/users")
    assert message(call("GET", "/pets")).endswith("must end with /v1: /v1/pets")
    alone = client_of(blog)
    assert message(alone("GET", "/v1/pets"))


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/blog/users/", "remove the trailing slash: /blog/users"),
        ("/blog/Users", "did you mean '/blog/users'?"),
        ("/BLOG/USERS/7", "did you mean '/blog/users/7'?"),
        ("/users", "the base URL must end with /blog: /blog/users"),
        ("/users/7", "the base URL must end with /blog: /blog/users/7"),
        ("/blog/user", "did you mean '/blog/users'?"),
        ("//blog/users", "remove the extra slash: /blog/users"),
        ("/blog//users", "remove the extra slash: /blog/users"),
        ("/", "Blog is at /blog/users"),
        ("/blog", "Blog is at /blog/users"),
        ("/nothing/here", "Blog is at /blog/users"),
        ("/blog/%00", "Blog is at /blog/users"),
        ("/w1/blog/users", "the base path of a session starts with a tilde: /~w1/blog/users"),
        ("/" + "x" * 5000, "Blog is at /blog/users"),
    ],
)
def test_an_unknown_path_gets_the_right_one(blog: Path, path: str, hint: str) -> None:
    assert hint in message(client_of(blog)("GET", path))


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/Case/7/Items", "add the trailing slash: /Case/7/Items/"),
        ("/case/7/items/", "did you mean '/Case/7/Items/'?"),
        ("/case/7/items", "did you mean '/Case/7/Items/'?"),
        ("/Users", "did you mean '/users'?"),
        ("/user", "did you mean '/users'?"),
        ("/files/ab", "Root is at /users"),
        ("/files/.b", "Root is at /users"),
    ],
)
def test_an_unknown_path_at_the_root_gets_the_right_one(root: Path, path: str, hint: str) -> None:
    text = message(client_of(root)("GET", path))
    assert hint in text
    assert "tilde" not in text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/files/a.b", {"a": "a", "b": "b"}),
        ("/files/a.b.c", {"a": "a", "b": "b.c"}),
        ("/files/a.json", "done"),
        ("/files/new", "done"),
        ("/files/%C3%A4.x%20y", {"a": "ä", "b": "x y"}),
    ],
)
def test_a_segment_may_have_two_parameters(root: Path, path: str, body: object) -> None:
    response = client_of(root)("GET", path, headers={"Prefer": "code=200"})
    assert (response.status, response.json) == (200, body)


# --- Methods ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get"])
def test_another_method_is_not_allowed(blog: Path, method: str) -> None:
    response = client_of(blog)(method, "/blog/users")
    if method == "get":
        assert response.status in (200, 405)
        return
    assert message(response, 405)
    assert response.header("Allow") == "GET, HEAD, POST, OPTIONS"


def test_head_is_get_without_the_body(blog: Path, root: Path) -> None:
    call = client_of(blog)
    got, head = call("GET", "/blog/users"), call("HEAD", "/blog/users")
    assert (head.status, head.body) == (200, b"")
    assert head.header("Content-Length") == str(len(got.body))
    assert call("HEAD", "/blog/nothing").status == 404
    own = client_of(root)
    assert own("HEAD", "/head").status == 204
    assert own("GET", "/head").header("Allow") == "HEAD, OPTIONS"


def test_options_lists_the_methods(blog: Path) -> None:
    response = client_of(blog)("OPTIONS", "/blog/users/7", key=None)
    assert (response.status, response.header("Allow")) == (204, "GET, HEAD, OPTIONS")


def test_a_preflight_needs_no_key_even_if_the_document_describes_options(tmp_path: Path) -> None:
    secured = operation(name="options", _200=json_of(TEXT), _401=FAILED)
    secured["security"] = [{"key": []}]
    scheme = {"key": {"type": "http", "scheme": "bearer"}}
    root = document(
        {"/a": {"options": secured, "get": operation()}}, components={"securitySchemes": scheme}
    )
    call = client_of(write(tmp_path / "a.json", root))
    headers = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization, x-tenant",
    }

    preflight = call("OPTIONS", "/a", headers=headers, key=None)

    assert preflight.status == 204
    assert preflight.header("Access-Control-Allow-Origin") == "https://app.example"
    assert preflight.header("Access-Control-Allow-Headers") == "authorization, x-tenant"
    assert call("OPTIONS", "/a", key=None).status == 401
    assert call("OPTIONS", "/a").status == 200
    assert call("OPTIONS", "/a", headers=headers, key=None).status == 204


# --- At the root ------------------------------------------------------------------------------

PAGE = {"Accept": "text/html"}


def test_the_paths_of_mockpets_win_over_a_document_at_the_root(tmp_path: Path) -> None:
    anything = {
        "/{a}": {"get": operation(in_path("a"))},
        "/{a}/{b}": {"get": operation(in_path("a"), in_path("b"))},
        "/__mockpets/health": {"get": operation(name="hidden")},
    }
    call = client_of(write(tmp_path / "a.json", document(anything)))

    assert call("GET", "/__mockpets/health").json["status"] == "ok"
    assert call("GET", "/__mockpets/nothing").json["code"] == "not_found"
    assert call("GET", "/x/y").status == 200
    assert call("GET", "/~w1/x/y").header("Mockpets-Session") == "w1"
    assert call("GET", "/~w1/__mockpets/requests").json["total"] == 1


def test_browsers_reach_the_panel_unless_the_document_has_the_root(
    root: Path, tmp_path: Path
) -> None:
    def location(call: Client, path: str) -> str | None:
        return call("GET", path, headers=PAGE, key=None).header("Location")

    call = client_of(root)
    assert location(call, "/") == "/__mockpets/"
    assert call("GET", "/", key=None).status == 404

    home = write(tmp_path / "home.json", document({"/": {"get": operation(name="home")}}))
    own = client_of(home)
    assert location(own, "/") is None
    assert own("GET", "/", headers=PAGE).json == "done"
    assert own("HEAD", "/").status == 200
    assert own("POST", "/").header("Allow") == "GET, HEAD, OPTIONS"
    put = client_of(f"/api={home}")
    assert put("GET", "/api/").json == "done"
    assert location(put, "/") == "/__mockpets/"


def test_sessions_of_a_document_at_the_root_are_apart(root: Path) -> None:
    call = client_of(root)
    assert call("POST", "/~a/users", json_body={"name": "Zoe"}).status == 201
    assert "Zoe" in call("GET", "/~a/users").text
    assert "Zoe" not in call("GET", "/~b/users").text
    assert "Zoe" not in call("GET", "/users").text


def test_the_most_similar_of_many_paths_is_suggested(tmp_path: Path) -> None:
    paths = {f"/parts-{number}/prices": {"get": operation()} for number in range(1000)}
    call = client_of(
        write(tmp_path / "parts.json", document({**paths, "/orders": paths["/parts-0/prices"]}))
    )
    for unknown, similar in (("/part-999/prices", "/parts-999/prices"), ("/order", "/orders")):
        assert f"did you mean '{similar}'?" in call("GET", unknown).json["message"]
