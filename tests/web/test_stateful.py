"""What operations of a document do with records, by the role that was inferred."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.http_client import Response
from tests.web.checked_client import CLINIC, Checked, at, content, op, several, thing, write


@pytest.fixture(scope="module")
def shared() -> Checked:
    return Checked(CLINIC)


@pytest.fixture
def clinic(shared: Checked) -> Checked:
    """A server of the clinic as at its start."""
    shared.control("DELETE", "sessions")
    shared.control("POST", "reset")
    return shared


# --- Lists --------------------------------------------------------------------------------------

ANIMALS: list[dict[str, Any]] = [
    {"id": 1, "ownerId": 1, "species": "dog", "bornOn": "2020-01-01", "tags": ["a", "b"]},
    {"id": 2, "ownerId": 2, "species": "cat", "bornOn": "2021-01-01", "tags": ["b"]},
    {"id": 3, "ownerId": 1, "species": "dog", "bornOn": "2022-01-01", "tags": []},
    {"id": 4, "ownerId": 1, "species": "rabbit"},
]  # fmt: skip
FILTERS = {
    "": [1, 2, 3, 4],
    "species=dog": [1, 3],
    "species=parrot": [],
    "ownerId=1&species=dog": [1, 3],
    "tag=b": [1, 2],
    "tag=": [1, 2, 3, 4],
    "tag=zz": [],
    "bornAfter=2021-01-01": [2, 3],
    "bornBefore=2021-01-01": [1, 2],
    "bornAfter=2020-06-01&bornBefore=2021-06-01": [2],
    "mood=any": [1, 2, 3, 4],
    "limit=2": [1, 2],
    "limit=2&offset=1": [2, 3],
    "offset=9": [],
    "offset=99999999999999999999": [],
}


@pytest.mark.parametrize(("query", "keys"), FILTERS.items())
def test_a_list_is_filtered_by_what_its_parameters_are_named_after(
    clinic: Checked, query: str, keys: list[int]
) -> None:
    assert clinic.control("PUT", "data/animals", ANIMALS)
    assert clinic.control("PATCH", "data/animals/4", {"bornOn": None})  # it was generated
    response = clinic("GET", f"/animals?{query}")
    assert [each["id"] for each in response.json["animals"]] == keys
    total = response.json["total"]
    assert total == (
        len(keys) if not {"limit", "offset"} & {*query.replace("=", "&").split("&")} else 4
    )


OWNERS = [
    {"id": number, "name": name, "createdAt": f"2024-0{number}-01T00:00:00Z",
     "email": f"{name}@example.com", "address": {"street": "s", "city": city}}
    for number, name, city in [(1, "Cleo", "Bern"), (2, "anna", "Basel"), (3, "Bert", "Bern")]
]  # fmt: skip
OWNER_PAGES: dict[str, tuple[list[int], dict[str, int]]] = {
    "": ([1, 2, 3], {"total": 3, "page": 1, "pages": 1}),
    "limit=2": ([1, 2], {"total": 3, "page": 1, "pages": 2}),
    "limit=2&page=2": ([3], {"total": 3, "page": 2, "pages": 2}),
    "limit=2&page=3": ([], {"total": 3, "page": 3, "pages": 2}),
    "page=99999999999999999999": ([], {"total": 3, "page": 99999999999999999999, "pages": 1}),
    "city=Bern": ([1, 3], {"total": 2, "page": 1, "pages": 1}),
    "city=Bern&limit=1&page=2": ([3], {"total": 2, "page": 2, "pages": 2}),
    "q=an": ([2], {"total": 1, "page": 1, "pages": 1}),
    "q=BER": ([1, 3], {"total": 2, "page": 1, "pages": 1}),
    "q=zz": ([], {"total": 0, "page": 1, "pages": 0}),
    "sort=name": ([2, 3, 1], {"total": 3, "page": 1, "pages": 1}),
    "sort=-name": ([1, 3, 2], {"total": 3, "page": 1, "pages": 1}),
    "sort=-createdAt&limit=1": ([3], {"total": 3, "page": 1, "pages": 3}),
}


@pytest.mark.parametrize(("query", "expected"), OWNER_PAGES.items())
def test_a_page_has_its_totals(
    clinic: Checked, query: str, expected: tuple[list[int], dict[str, int]]
) -> None:
    clinic.control("PUT", "data/owners", OWNERS)
    body = clinic("GET", f"/owners?{query}").json
    assert ([each["id"] for each in body["data"]], body["meta"]) == expected


@pytest.mark.parametrize("query", ["limit=0", "limit=51", "page=0", "limit=x", "sort=email"])
def test_a_list_rejects_what_the_document_does_not_allow(clinic: Checked, query: str) -> None:
    assert clinic("GET", f"/owners?{query}").status == 422


def test_cursors_lead_to_every_record_once(clinic: Checked) -> None:
    keys, cursor = [], None
    for _ in range(4):
        body = clinic(
            "GET", "/appointments", limit=5, **({"cursor": cursor} if cursor else {})
        ).json
        keys += [each["id"] for each in body["items"]]
        cursor = body.get("nextCursor")
        if not cursor:
            break
    assert len(keys) == len({*keys}) == 16
    for invalid in ("zz", "é", "YWZ0ZXI6LTU", "a" * 5000):  # the third is after:-5
        assert clinic("GET", "/appointments", cursor=invalid, limit=50).status == 200
    assert len(clinic("GET", "/appointments?cursor=YWZ0ZXI6LTU&limit=50").json["items"]) == 16


NOTE = thing("id", "title", id="integer", title="string", rank="number")
PAGED: dict[str, tuple[Any, list[Any]]] = {
    "links": (
        thing("items", items=several(NOTE), next={"type": ["string", "null"]},
              prev={"type": ["string", "null"]}, count="integer", has_more="boolean"),
        ["limit", "offset"],
    ),
    "bare": (several(NOTE), ["per_page", "page"]),
}  # fmt: skip


def notes(folder: Path, **more: Any) -> Checked:
    """Return a server of notes: `links` has links in the body, `bare` in the header Link."""
    paths: dict[str, Any] = {
        f"/{name}": {
            "get": op(
                schema, None, *query, headers=("Link", "X-Total-Count") if name == "bare" else ()
            )
        }
        for name, (schema, query) in PAGED.items()
    }
    checked = Checked(write(folder, paths | more))
    for name in PAGED:
        records = [{"id": n, "title": f"t{n}", "rank": 6 - n} for n in range(1, 6)]
        assert checked.control("PUT", f"data/{name}", records), name
    return checked


def test_links_in_the_body_lead_to_the_other_pages(tmp_path: Path) -> None:
    call = notes(tmp_path)
    first = call("GET", "/links?limit=2").json
    assert first["next"] == "http://localhost/links?limit=2&offset=2"
    assert (first["prev"], first["count"], first["has_more"]) == (None, 5, True)
    last = call("GET", "/links?limit=2&offset=4").json
    assert (last["next"], last["has_more"]) == (None, False)
    assert last["prev"] == "http://localhost/links?limit=2&offset=2"
    assert [each["id"] for each in last["items"]] == [5]
    beyond = call("GET", "/links?limit=2&offset=50").json
    assert (beyond["items"], beyond["next"]) == ([], None)
    none = call("GET", "/links?limit=0").json
    assert (none["items"], none["count"], none["has_more"], none["next"]) == ([], 5, False, None)


def test_the_header_link_leads_to_the_other_pages(tmp_path: Path) -> None:
    call = notes(tmp_path)
    response = call("GET", "/bare?per_page=2&page=2&title=")
    assert [each["id"] for each in response.json] == [3, 4]
    url = "http://localhost/bare?per_page=2&page={}&title="
    assert response.header("Link") == ", ".join(
        f'<{url.format(page)}>; rel="{name}"'
        for name, page in {"next": 3, "prev": 1, "first": 1, "last": 3}.items()
    )
    assert response.header("X-Total-Count") == "5"
    assert 'rel="next"' not in (call("GET", "/bare?per_page=2&page=3").header("Link") or "")


SORTS = {
    "sort=rank": [5, 4, 3, 2, 1],
    "sort=-rank": [1, 2, 3, 4, 5],
    "sort=rank:desc": [1, 2, 3, 4, 5],
    "sort=rank&order=desc": [1, 2, 3, 4, 5],
    "sort=-rank&order=asc": [1, 2, 3, 4, 5],
    "sort=group,-rank": [1, 3, 5, 2, 4],
    "sort=group&sort=rank": [5, 3, 1, 4, 2],
    "sort=created_at": [1, 2, 3, 4, 5],
    "sort=-created_at": [5, 4, 3, 2, 1],
    "sort=nothing": [1, 2, 3, 4, 5],
    "sort=": [1, 2, 3, 4, 5],
}


@pytest.mark.parametrize(("query", "keys"), SORTS.items())
def test_a_list_is_sorted(tmp_path: Path, query: str, keys: list[int]) -> None:
    note = thing("id", id="integer", rank="number", group="integer", createdAt="string")
    sort = {
        "name": "sort",
        "schema": {"type": "array", "items": {"type": "string"}},
        "explode": True,
    }
    if "," in query:
        sort = {"name": "sort", "schema": {"type": "string"}}
    order = {"name": "order", "schema": {"type": "string", "enum": ["asc", "desc"]}}
    call = Checked(write(tmp_path, {"/notes": {"get": op(several(note), None, sort, order)}}))
    records = [
        {"id": n, "rank": 6 - n, "group": (n + 1) % 2, "createdAt": f"2024-01-0{n}"}
        for n in range(1, 6)
    ]
    call.control("PUT", "data/notes", records)
    assert [each["id"] for each in call("GET", f"/notes?{query}").json] == keys


RANGES = {
    "since=2024-03-02": [2, 3],
    "until=2024-03-02": [1, 2],
    "since=2024-03-02T00:00:00%2B05:00": [2, 3],
    "min_price=9": [2, 3],
    "max_price=9.5": [1, 2],
    "min_price=9&max_price=9.5": [2],
    "open=true": [1],
    "open=false": [1, 2, 3, 4],
}


@pytest.mark.parametrize(("query", "keys"), RANGES.items())
def test_ranges_and_flags(tmp_path: Path, query: str, keys: list[int]) -> None:
    moment = {"type": "string", "format": "date-time"}
    sale = thing(
        "id", id="integer", soldAt=moment, price="number", isOpened="boolean", openNow="boolean"
    )
    sale["properties"].pop("isOpened")
    parameters: list[Any] = [
        {"name": "since", "schema": {"type": "string"}},
        {"name": "until", "schema": {"type": "string"}},
        {"name": "min_price", "schema": {"type": "number"}},
        {"name": "max_price", "schema": {"type": "number"}},
        {"name": "open", "schema": {"type": "boolean"}},
    ]
    call = Checked(write(tmp_path, {"/sales": {"get": op(several(sale), None, *parameters)}}))
    records = [
        {"id": 1, "soldAt": "2024-03-01T23:00:00+05:00", "price": 2, "openNow": True},
        {"id": 2, "soldAt": "2024-03-02T10:00:00Z", "price": 9.5, "openNow": False},
        {"id": 3, "soldAt": "2024-03-03T00:00:00.5Z", "price": 10, "openNow": False},
        {"id": 4, "openNow": False},
    ]
    call.control("PUT", "data/sales", records)
    call.control("PATCH", "data/sales/4", {"soldAt": None, "price": None})
    assert [each["id"] for each in call("GET", f"/sales?{query}").json] == keys


# --- Writes -------------------------------------------------------------------------------------

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
    assert shop("GET", f"/items/{key}/label").status == 404
    assert shop("PUT", f"/items/{key}/label", {"text": "new"}).json == {"text": "new"}
    assert shop("DELETE", f"/items/{key}").status == 204
    assert shop("GET", f"/items/{key}/label").status == 404


def test_a_session_has_a_limit_of_new_records(shop: Checked) -> None:
    statuses = [shop("POST", "/items", {"name": "a"}).status for _ in range(51)]
    assert statuses == [201] * 50 + [507]
    assert shop("DELETE", "/items/1").status == 204
    assert shop("POST", "/items", {"name": "a"}).status == 201


# --- People -------------------------------------------------------------------------------------

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


def test_tags_are_the_distinct_ones_of_all_animals(clinic: Checked) -> None:
    clinic.control("PUT", "data/animals", ANIMALS)
    assert clinic("GET", "/tags").json == ["a", "b"]
    clinic("PATCH", "/animals/3", {"tags": ["b", "c"]})
    assert clinic("GET", "/tags").json == ["a", "b", "c"]


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
