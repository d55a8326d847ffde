"""Create, read, change and delete the records of a document."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.web.checked_client import Checked, at, op, several, thing, write

READ_ONLY = {"type": "integer", "readOnly": True}
ITEM = thing(
    *("id", "name", "count"),
    id=READ_ONLY,
    name={"type": "string", "minLength": 1},
    count="integer",
    tags=several({"type": "string"}),
    secret={"type": "string", "writeOnly": True},
    note={"type": ["string", "null"]},
    size=thing(w="number", h="number"),
    updatedAt={"type": "string", "format": "date-time", "readOnly": True},
)
NEW = thing("name", **{k: v for k, v in ITEM["properties"].items() if k not in ("id", "updatedAt")})
CHANGE = {**NEW, "required": []}
PART = thing("id", "kind", id=READ_ONLY, kind="string")
NEW_PART = thing("kind", kind="string")
POST = thing("slug", "title", slug="string", title="string")
FILE = thing("name", "size", name="string", size="integer")
JOB = thing("id", "task", id={"type": "string", "format": "uuid"}, task="string")
LABEL = thing("text", text="string", color="string")
PATCH = several(thing("op", "path", op="string", path="string", value={}, **{"from": {}}))
IDS = {"name": "id", "schema": several({"type": "integer"})}
SHOP: dict[str, Any] = {
    "/items": {
        "get": op(thing("data", data=several(ITEM), total="integer"), None, "limit"),
        "post": op(thing("data", data=ITEM), NEW, status=201, headers=("Location",)),
        "delete": op(None, None, IDS, status=204),
    },
    "/items/{itemId}": at(
        "itemId",
        get=op(thing("data", data=ITEM)),
        put=op(thing("data", data=ITEM), NEW),
        patch=op(thing("data", data=ITEM), CHANGE),
        delete=op(None, status=204),
    ),
    "/items/{itemId}/parts": at(
        "itemId", get=op(several(PART)), post=op(PART, NEW_PART, status=201, headers=("Location",))
    ),
    "/items/{itemId}/parts/{partId}": at(
        "itemId,partId",
        get=op(PART),
        patch=op(PART, PATCH, kind="application/json-patch+json"),
        delete=op(None, status=204),
    ),
    "/items/{itemId}/parts/{partId}/screws": at(
        "itemId,partId", get=op(several(PART)), post=op(PART, NEW_PART, status=201)
    ),
    "/items/{itemId}/label": at("itemId", get=op(LABEL), put=op(LABEL, LABEL)),
    "/posts": {
        "get": op(several(POST)),
        "post": op(POST, thing("title", title="string"), status=201),
        "put": op(POST, POST),
    },
    "/posts/{slug}": at("slug", "string", get=op(POST), delete=op(POST)),
    "/posts/batch": {
        "post": op(several(POST), several(thing("title", title="string")), status=201)
    },
    "/files": {"get": op(several(FILE)), "delete": op(None, status=204)},
    "/files/{name}": at(
        "name", "string", get=op(FILE), put=op(FILE, thing("size", size="integer")), delete=op(None)
    ),
    "/jobs": {"get": op(several(JOB)), "post": op(None, thing("task", task="string"), status=202)},
    "/jobs/{jobId}": at("jobId", "uuid", get=op(JOB)),
    "/coupons/{code}": at(
        "code",
        "string",
        get=op(thing("code", "used", code="string", used="boolean")),
        patch=op(thing("code", "used", code="string", used="boolean"), thing(used="boolean")),
        delete=op(None, status=204),
    ),
    "/prefs": {"get": op(LABEL), "put": op(LABEL, LABEL), "patch": op(LABEL, LABEL)},
}  # fmt: skip


@pytest.fixture(scope="module")
def shared_shop(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    return Checked(write(tmp_path_factory.mktemp("shop"), SHOP), max_records="50")


@pytest.fixture
def shop(shared_shop: Checked) -> Checked:
    shared_shop.control("POST", "reset")
    return shared_shop


def test_what_is_created_is_listed_changed_and_gone(shop: Checked) -> None:
    made = shop("POST", "/items", {"name": "Bolt", "secret": "s", "note": None, "id": 99})
    item = made.json["data"]
    assert made.status == 201 and made.header("Location") == f"/items/{item['id']}"
    assert item == {"id": 17, "name": "Bolt", "count": 0, "note": None} | {
        "updatedAt": item["updatedAt"]
    }
    assert shop.control("GET", "data/items/17")["secret"] == "s"
    assert shop("GET", "/items/17").json == {"data": item}
    assert shop("GET", "/items", limit=50).json["data"][-1] == item

    changed = shop("PATCH", "/items/17", {"size": {"w": 1}, "count": 3, "secret": "t"}).json["data"]
    assert changed == item | {"size": {"w": 1}, "count": 3, "updatedAt": changed["updatedAt"]}
    merged = shop("PATCH", "/items/17", {"size": {"h": 2}, "note": "x"}).json["data"]
    assert (merged["size"], merged["note"], merged["count"]) == ({"w": 1, "h": 2}, "x", 3)
    again = shop("PATCH", "/items/17", {"note": None}).json["data"]
    assert again["note"] is None and shop("GET", "/items/17").json["data"] == again

    replaced = shop("PUT", "/items/17", {"name": "Nut", "count": 1}).json["data"]
    assert replaced == {
        "id": 17, "name": "Nut", "count": 1, "updatedAt": replaced["updatedAt"]
    }  # fmt: skip
    assert shop("DELETE", "/items/17").status == 204
    for method, body in {"GET": None, "DELETE": None, "PUT": {"name": "a"}, "PATCH": {}}.items():
        assert shop(method, "/items/17", body).status == 404
    assert shop("GET", "/items", limit=50).json["total"] == 16
    assert shop("POST", "/items", {"name": "New"}).json["data"]["id"] == 18, "no key twice"


def test_an_alternative_does_not_show_what_is_write_only(tmp_path: Path) -> None:
    card = thing("number", number="string", cvc={"type": "string", "writeOnly": True})
    order = thing("id", id=READ_ONLY, card=card) | {
        "oneOf": [thing("card", card="object"), thing("cash", cash="integer")]
    }
    paths = {"/orders": {"get": op(several(order)), "post": op(order, order, status=201)}}
    call = Checked(write(tmp_path, paths))

    made = call("POST", "/orders", {"card": {"number": "4", "cvc": "123", "note": "gift"}})
    assert made.json["card"] == {"number": "4", "note": "gift"}
    assert made.json in call("GET", "/orders", limit=50).json
    assert "cvc" not in call("GET", "/orders").text


@pytest.mark.parametrize(
    ("collection", "name"),
    [("movies", "Movie"), ("houses", "House"), ("statuses", "Status"), ("categories", "Category")],
)
def test_an_error_names_one_record_of_the_collection(
    tmp_path: Path, collection: str, name: str
) -> None:
    item, book = thing("id", id="integer"), thing("title", title="string")
    read = op({"$ref": "#/components/schemas/Item"})
    read["responses"]["404"]["content"]["application/json"]["example"] = {
        "message": "Book not found"
    }
    paths = {
        f"/{collection}": {"get": op(several({"$ref": "#/components/schemas/Item"}))},
        f"/{collection}/{{id}}": at("id", get=read),
    }
    call = Checked(write(tmp_path, paths, components={"schemas": {"Item": item, "Book": book}}))

    assert call("GET", f"/{collection}/99").json == {"message": f"{name} not found"}


BAD_ITEMS: list[Any] = [{}, {"name": ""}, {"name": "a", "count": "1"}, [], "a", {"name": None}]


@pytest.mark.parametrize("body", BAD_ITEMS, ids=json.dumps)
def test_an_invalid_body_changes_nothing(shop: Checked, body: object) -> None:
    before = shop.control("GET", "data/items?limit=50")["records"]
    assert shop("POST", "/items", body).status == 400
    assert shop("PUT", "/items/1", body).status == 400
    assert shop.control("GET", "data/items?limit=50")["records"] == before


def test_clients_cannot_write_the_properties_that_no_response_shows(shop: Checked) -> None:
    made = shop("POST", "/items/3/parts", {"kind": "a", "~items": 4, "~x": 1}).json
    assert made in shop("GET", "/items/3/parts").json
    assert made not in shop("GET", "/items/4/parts").json
    assert shop("POST", "/items", {"name": "a", "~gone": True, "other": 1}).status == 201
    assert "~x" not in json.dumps(shop.control("GET", "data/parts?limit=50"))


def test_children_are_those_of_their_parent_and_gone_with_it(shop: Checked) -> None:
    parts = shop("GET", "/items/3/parts").json
    assert parts, "each parent has some at the start"
    made = shop("POST", "/items/3/parts", {"kind": "a"})
    key = made.json["id"]
    assert made.header("Location") == f"/items/3/parts/{key}"
    assert shop("GET", "/items/3/parts").json == [*parts, made.json]
    assert shop("GET", f"/items/3/parts/{key}").json == made.json
    assert shop("GET", f"/items/4/parts/{key}").status == 404
    assert shop("DELETE", f"/items/4/parts/{key}").status == 404
    screw = shop("POST", f"/items/3/parts/{key}/screws", {"kind": "s"}).json
    assert screw in shop("GET", f"/items/3/parts/{key}/screws").json
    assert shop("GET", f"/items/4/parts/{key}/screws").status == 404
    assert shop("GET", f"/items/3/parts/{parts[0]['id']}/screws").json

    for path in ("/items/99/parts", "/items/3/parts/9999/screws"):
        assert shop("GET", path).status == shop("POST", path, {"kind": "a"}).status == 404
    assert shop("DELETE", "/items/3").status == 204
    assert shop("GET", "/items/3/parts").status == 404
    assert shop("GET", f"/items/3/parts/{key}").status == 404
    kept = shop.control("GET", "data/parts?limit=100")["records"]
    assert key not in [each["id"] for each in kept]
    screws = shop.control("GET", "data/screws?limit=100")["records"]
    assert screw["id"] not in [each["id"] for each in screws]


PATCHES: dict[str, tuple[list[dict[str, Any]], int, Any]] = {
    "replace": ([{"op": "replace", "path": "/kind", "value": "b"}], 200, {"kind": "b"}),
    "add": ([{"op": "add", "path": "/kind", "value": "b"}], 200, {"kind": "b"}),
    "test": (
        [{"op": "test", "path": "/kind", "value": "a"},
         {"op": "add", "path": "/kind", "value": "c"}],
        200,
        {"kind": "c"},
    ),
    "test fails": (
        [{"op": "add", "path": "/kind", "value": "c"},
         {"op": "test", "path": "/kind", "value": "a"}],
        409,
        {"kind": "a"},
    ),
    "remove": ([{"op": "remove", "path": "/kind"}], 400, {"kind": "a"}),
    "wrong type": ([{"op": "replace", "path": "/kind", "value": 1}], 400, {"kind": "a"}),
    "the key": ([{"op": "replace", "path": "/id", "value": 9999}], 200, {"kind": "a"}),
    "nothing there": ([{"op": "replace", "path": "/zz/y", "value": 1}], 409, {"kind": "a"}),
    "unknown": ([{"op": "zz", "path": "/kind"}], 400, {"kind": "a"}),
    "no list": ([{"op": "add", "path": "/kind/0", "value": 1}], 409, {"kind": "a"}),
    "no pointer": ([{"op": "add", "path": "kind", "value": 1}], 400, {"kind": "a"}),
    "no value": ([{"op": "add", "path": "/kind"}], 400, {"kind": "a"}),
    "own": ([{"op": "add", "path": "/~0items", "value": 4}], 200, {"kind": "a"}),
    "whole": ([{"op": "replace", "path": "", "value": {"kind": "z"}}], 200, {"kind": "z"}),
    "nothing": ([], 200, {"kind": "a"}),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "status", "expected"), PATCHES.values(), ids=PATCHES)
def test_a_json_patch(shop: Checked, changes: object, status: int, expected: Any) -> None:
    key = shop("POST", "/items/3/parts", {"kind": "a"}).json["id"]
    path = f"/items/3/parts/{key}"
    assert shop("PATCH", path, changes, kind="application/json-patch+json").status == status
    assert shop("GET", path).json == {"id": key, **expected}


def test_a_slug_follows_the_title_and_is_unique(shop: Checked) -> None:
    slugs = [
        shop("POST", "/posts", {"title": title}).json["slug"]
        for title in ("Hello, World!", "Hello world", "hello-WORLD", "!?", "é Ü", "x" * 90)
    ]
    assert slugs == ["hello-world", "hello-world-2", "hello-world-3", "untitled", "é-ü", "x" * 60]
    assert shop("GET", "/posts/hello-world-2").json["title"] == "Hello world"
    assert shop("GET", "/posts/%C3%A9-%C3%BC").json["title"] == "é Ü"
    assert shop("DELETE", "/posts/hello-world").json["title"] == "Hello, World!"
    assert shop("GET", "/posts/hello-world").status == 404


def test_the_key_of_a_client_counts_and_conflicts(tmp_path: Path) -> None:
    note = thing("id", "text", id="string", text="string")
    call = Checked(
        write(tmp_path, {
            "/notes": {"get": op(several(note)), "post": op(note, {**note, "required": ["text"]})},
            "/notes/{id}": at("id", "string", get=op(note)),
        })
    )  # fmt: skip
    assert call("POST", "/notes", {"id": "mine", "text": "t"}).json["id"] == "mine"
    assert call("POST", "/notes", {"id": "mine", "text": "u"}).status == 409
    assert call("GET", "/notes/mine").json["text"] == "t"
    for invalid in ("", "a/b", "x" * 101, ".."):
        assert call("POST", "/notes", {"id": invalid, "text": "u"}).status == 400
    given = call("POST", "/notes", {"text": "t"}).json["id"]
    assert call("GET", f"/notes/{given}").json["text"] == "t"


def test_a_null_key_is_assigned(tmp_path: Path) -> None:
    item = thing("name", id={"type": ["integer", "null"]}, name="string")
    post = op(item, item, status=201)
    paths = {
        "/things": {"get": op(several(item)), "post": post},
        "/things/{id}": at("id", get=op(item)),
    }
    api = Checked(write(tmp_path, paths))

    before, after = ({"id": None, "name": "a"}, {"name": "b", "id": None})
    first, second = (api("POST", "/things", body).json for body in (before, after))

    assert isinstance(first["id"], int)
    assert second == {"name": "b", "id": first["id"] + 1}
    assert api("GET", f"/things/{first['id']}").json == first


def test_the_highest_key_of_a_client_does_not_end_creates(tmp_path: Path) -> None:
    note = thing("id", id={"type": "integer", "format": "int64"})
    call = Checked(
        write(tmp_path, {
            "/notes": {"get": op(several(note)), "post": op(note, {**note, "required": []})},
            "/notes/{id}": at("id", "integer", get=op(note)),
        })
    )  # fmt: skip
    last = call("GET", "/notes").json[-1]["id"]
    assert call("POST", "/notes", {"id": 2**63 - 1}).json == {"id": 2**63 - 1}
    assert [call("POST", "/notes", {}).json["id"] for _ in range(2)] == [last + 1, last + 2]


def test_a_record_is_as_large_as_a_body(shop: Checked) -> None:
    made = shop("POST", "/items", {"name": "x" * 1_000_000}).json["data"]
    path = f"/items/{made['id']}"
    assert shop("GET", path).json["data"]["name"] == "x" * 1_000_000
    response = shop("PATCH", path, {"note": "y" * 100_000})
    what = "the record is too large; a record may have at most 1024 KiB"
    assert (response.status, response.json) == (400, {"message": what})
    assert "note" not in shop("GET", path).json["data"]


def test_several_records_are_created_at_once(shop: Checked) -> None:
    before = len(shop("GET", "/posts").json)
    made = shop("POST", "/posts/batch", [{"title": "A"}, {"title": "B"}])
    assert [each["slug"] for each in made.json] == ["a", "b"]
    assert len(shop("GET", "/posts").json) == before + 2
    assert shop("POST", "/posts/batch", []).json == []
    assert shop("POST", "/posts/batch", [{"title": "C"}, {}]).status == 400
    assert len(shop("GET", "/posts").json) == before + 2, "all or nothing"


def test_a_put_creates_where_no_post_does(shop: Checked) -> None:
    assert shop("GET", "/files/a.txt").status == 404
    assert shop("PUT", "/files/a.txt", {"size": 3}).json == {"name": "a.txt", "size": 3}
    assert shop("PUT", "/files/a.txt", {"size": 4}).json == {"name": "a.txt", "size": 4}
    assert shop("GET", "/files/a.txt").json in shop("GET", "/files").json
    assert shop("PUT", "/files/7", {"size": 1}).json == {"name": "7", "size": 1}
    assert shop("GET", "/files/7").json == {"name": "7", "size": 1}
    assert shop("PUT", "/items/99", {"name": "a"}).status == 404
    assert shop("DELETE", "/files/a.txt").status == 200
    assert shop("DELETE", "/files").status == 204
    assert shop("GET", "/files").json == []


def test_a_202_without_a_body_creates(shop: Checked) -> None:
    before = shop("GET", "/jobs").json
    assert shop("POST", "/jobs", {"task": "t"}).body == b""
    (made,) = [each for each in shop("GET", "/jobs").json if each not in before]
    assert made["task"] == "t" and shop("GET", f"/jobs/{made['id']}").json == made


def test_the_key_may_be_in_the_query_or_the_body(shop: Checked) -> None:
    assert shop("DELETE", "/items", id=[1, 2, 99]).status == 204
    kept = [each["id"] for each in shop("GET", "/items", limit=50).json["data"]]
    assert kept == [*range(3, 17)]
    assert shop("DELETE", "/items").status == 400
    assert shop("DELETE", "/items", id=99).status == 404
    assert len(shop("GET", "/items", limit=50).json["data"]) == 14
    shop("POST", "/posts", {"title": "One"})
    assert shop("PUT", "/posts", {"slug": "one", "title": "Two"}).json["title"] == "Two"
    assert shop("GET", "/posts/one").json["title"] == "Two"
    assert shop("PUT", "/posts", {"slug": "zz", "title": "Two"}).status == 404


def test_every_key_of_a_collection_that_nobody_lists_exists_until_it_is_deleted(
    shop: Checked,
) -> None:
    first = shop("GET", "/coupons/abc").json
    assert first["code"] == "abc" and shop("GET", "/coupons/abc").json == first
    used = not first["used"]
    assert shop("PATCH", "/coupons/abc", {"used": used}).json == {"code": "abc", "used": used}
    assert shop("GET", "/coupons/abc").json["used"] is used
    for key in ("abc", "def"):
        assert shop("DELETE", f"/coupons/{key}").status == 204
        assert shop("GET", f"/coupons/{key}").status == 404
        assert shop("DELETE", f"/coupons/{key}").status == 404
    assert shop("GET", "/coupons/ghi").status == 200


def test_a_single_object_is_changed(shop: Checked) -> None:
    first = shop("GET", "/prefs").json
    assert shop("PATCH", "/prefs", {"text": "a", "color": "red"}).json == {
        "text": "a",
        "color": "red",
    }
    assert shop("PATCH", "/prefs", {"text": "b"}).json == {"text": "b", "color": "red"}
    assert shop("PUT", "/prefs", {"text": "c"}).json == {"text": "c"}
    assert shop("GET", "/prefs").json == {"text": "c"} != first


def test_each_parent_has_a_single_object_of_its_own(shop: Checked) -> None:
    second = shop("GET", "/items/2/label").json
    assert shop("PUT", "/items/1/label", {"text": "mine"}).json == {"text": "mine"}
    assert shop("GET", "/items/1/label").json == {"text": "mine"}
    assert shop("GET", "/items/2/label").json == second
    assert shop("GET", "/items/99/label").status == 404
    key = shop("POST", "/items", {"name": "a"}).json["data"]["id"]
    first = shop("GET", f"/items/{key}/label").json
    assert shop("GET", f"/items/{key}/label").json == first != second
    other = shop("POST", "/items", {"name": "b"}).json["data"]["id"]
    assert shop("GET", f"/items/{other}/label").json != first
    assert shop("PUT", f"/items/{key}/label", {"text": "new"}).json == {"text": "new"}
    assert shop("GET", f"/items/{key}/label").json == {"text": "new"}
    assert shop("PUT", f"/items/{other}/label", {"text": "other"}).status == 200
    assert shop("GET", f"/items/{key}/label").json == {"text": "new"}
    assert shop("DELETE", f"/items/{key}").status == 204
    assert shop("GET", f"/items/{key}/label").status == 404


@pytest.mark.parametrize(
    ("writes", "exists"),
    [
        ({"patch": op(LABEL, LABEL)}, True),
        ({"put": op(LABEL, LABEL), "patch": op(LABEL, LABEL)}, True),
        ({"put": op(LABEL, LABEL), "delete": op(None, status=204)}, False),
        ({"put": op(LABEL, LABEL, status=201)}, False),
        ({"post": op(LABEL, LABEL), "patch": op(LABEL, LABEL)}, False),
    ],
)
def test_the_single_object_of_a_new_parent_exists_unless_clients_create_it(
    tmp_path: Path, writes: dict[str, Any], exists: bool
) -> None:
    items = {"get": op(several(PART)), "post": op(PART, NEW_PART, status=201)}
    paths = {
        "/items": items,
        "/items/{itemId}": at("itemId", get=op(PART)),
        "/items/{itemId}/label": at("itemId", get=op(LABEL, headers=("Location",)), **writes),
    }
    shop = Checked(write(tmp_path, paths))
    key = shop("POST", "/items", {"kind": "a"}).json["id"]
    path = f"/items/{key}/label"
    assert shop("GET", "/items/1/label").status == 200, "it has one from the start"
    assert shop("GET", path).status == (200 if exists else 404)
    assert shop("GET", "/items/99/label").status == 404
    if exists:
        first = shop("GET", path).json
        assert shop("PATCH", path, {"color": "red", "text": "a"}).json["color"] == "red"
        assert shop("GET", path).json == first | {"color": "red", "text": "a"}
    else:
        method = next(iter(writes)).upper()
        assert shop(method, path, {"text": "new"}).status in (200, 201)
        assert shop("GET", path).json == {"text": "new"}
    if "delete" in writes:
        assert shop("DELETE", path).status == 204
        assert shop("GET", path).status == 404


def test_a_session_has_a_limit_of_new_records(shop: Checked) -> None:
    statuses = [shop("POST", "/items", {"name": "a"}).status for _ in range(51)]
    assert statuses == [201] * 50 + [507]
    assert shop("DELETE", "/items/1").status == 204
    assert shop("POST", "/items", {"name": "a"}).status == 201


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        ("GET", "/owners/99", "owner 99 not found"),
        ("GET", "/owners/99/animals", "owner 99 not found"),
        ("POST", "/owners/99/animals", "owner 99 not found"),
        ("GET", "/owners/x/animals", "owner x not found"),
        ("DELETE", "/animals/99/favorite", "animal 99 not found"),
        ("GET", "/animals/x", "animal x not found"),
    ],
)
def test_an_error_names_what_is_missing(
    clinic: Checked, method: str, path: str, message: str
) -> None:
    body = {"name": "Rex", "species": "dog"} if method == "POST" else None
    response = clinic(method, path, body)
    assert (response.status, response.json["message"]) == (404, message)


def test_an_action_sets_what_it_is_named_after(clinic: Checked) -> None:
    body = {"animalId": 1, "startsAt": "2030-01-01T09:00:00Z"}
    made = clinic("POST", "/appointments", {**body, "status": "done"}).json
    assert made["minutes"] == 15 and made.get("status") != "done"
    cancelled = clinic("POST", f"/appointments/{made['id']}/cancel").json
    assert cancelled == {**made, "status": "cancelled"}
    assert cancelled in clinic("GET", "/appointments", status="cancelled", limit=50).json["items"]
    replaced = clinic("PUT", f"/appointments/{made['id']}", {**body, "minutes": 20}).json
    assert (replaced["minutes"], replaced["status"]) == (20, "cancelled")
    unknown = "00000000-0000-4000-8000-000000000000"
    assert clinic("POST", f"/appointments/{unknown}/cancel").status == 404
    assert clinic("GET", "/appointments/zz").status == 404


def test_an_action_that_has_happened_is_a_conflict_where_the_document_has_one(
    clinic: Checked, tmp_path: Path
) -> None:
    body = {"animalId": 1, "startsAt": "2030-01-01T09:00:00Z"}
    path = f"/appointments/{clinic('POST', '/appointments', body).json['id']}"
    assert clinic("POST", f"{path}/cancel").status == 200
    cancelled = clinic("GET", path).json
    again = clinic("POST", f"{path}/cancel")
    assert again.status == 409 and clinic("GET", path).json == cancelled

    text = thing(
        *("id", "status"),
        id=READ_ONLY,
        status={"enum": ["draft", "published", "assigned"]},
        editor="string",
        liked="boolean",
        likes="integer",
        updatedAt={"type": "string", "format": "date-time"},
    )
    undocumented = op(text)
    del undocumented["responses"]["409"]
    undocumented["responses"]["4XX"] = {"description": ""}
    paths = {
        "/texts": {"get": op(several(text)), "post": op(text, thing(editor="string"), status=201)},
        "/texts/{id}": at("id", get=op(text), patch=op(text, thing(status="string"))),
        "/texts/{id}/publish": at("id", post=op(text)),
        "/texts/{id}/draft": at("id", post=undocumented),
        "/texts/{id}/assign": at("id", post=op(text, thing(editor="string"))),
        "/texts/{id}/like": at("id", post=op(text), delete=op(text)),
    }
    call = Checked(write(tmp_path, paths))
    path = f"/texts/{call('POST', '/texts', {'editor': 'Ada'}).json['id']}"
    assert [call("POST", f"{path}/draft").status for _ in range(2)] == [200, 200]
    assert [call("POST", f"{path}/publish").status for _ in range(3)] == [200, 409, 409]
    message = call("POST", f"{path}/publish").json["message"]
    assert message == 'status is already "published"'
    assert call("PATCH", path, {"status": "published"}).status == 200, "no action"
    call("POST", f"{path}/draft")
    assert call("POST", f"{path}/publish").status == 200
    # With another editor it is another action.
    for editor, status in (("Ben", 200), ("Ada", 200), ("Ada", 409), ("Ben", 200)):
        assert call("POST", f"{path}/assign", {"editor": editor}).status == status

    likes = call("GET", path).json.get("likes", 0)
    for method, status in (("DELETE", 409), ("POST", 200), ("POST", 409), ("DELETE", 200)):
        assert call(method, f"{path}/like").status == status
    assert call("POST", "/texts/99/like").status == 404
    assert call("GET", path).json.get("likes", 0) == likes


def test_what_is_write_only_is_kept_and_never_shown(clinic: Checked) -> None:
    body = {"name": "Rex", "species": "dog", "chipCode": "123456789012345"}
    made = clinic("POST", "/owners/1/animals", body).json
    assert made == {
        "name": "Rex", "species": "dog", "id": made["id"], "ownerId": 1, "favorite": False,
        "favoritesCount": 0,
    }  # fmt: skip
    assert clinic.control("GET", f"data/animals/{made['id']}")["chipCode"] == body["chipCode"]
    assert made in clinic("GET", "/owners/1/animals").json
    assert clinic("DELETE", "/owners/1").status == 204
    assert clinic("GET", f"/animals/{made['id']}").status == 404


@pytest.mark.parametrize("path", ["/parts", "/items/7/parts"])
def test_a_location_is_below_the_base_path(tmp_path: Path, path: str) -> None:
    template = path.replace("7", "{itemId}")
    operations: dict[str, Any] = {
        "get": op(several(PART)),
        "post": op(PART, NEW_PART, status=201, headers=("Location",)),
    }
    paths = {template: at("itemId", **operations) if "7" in path else operations}
    call = Checked(write(tmp_path, paths, servers=[{"url": "/v1"}]))
    response = call("POST", path, {"kind": "bolt"})
    assert response.header("Location") == f"/v1{path}/{response.json['id']}"


def test_the_children_of_several_deleted_records_are_gone(shop: Checked) -> None:
    keys = [shop("POST", "/items", {"name": name}).json["data"]["id"] for name in "abc"]
    parts = [shop("POST", f"/items/{key}/parts", {"kind": "bolt"}).json["id"] for key in keys]
    assert shop("DELETE", "/items", id=keys[:2]).status == 204
    known = shop.control("GET", "data/parts?limit=100")["records"]
    assert [each["id"] for each in known if each["id"] in parts] == parts[2:]
