"""What operations do, by the rules: a small document for each rule, and for each trap."""

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pytest

from mockpets.contract.corrections import (
    CollectionCorrection,
    CorrectedRole,
    Corrections,
    OperationCorrection,
)
from mockpets.contract.inference import Guess, Inferred, infer
from mockpets.contract.openapi_loader import Document, load, operations
from mockpets.contract.query_meanings import Meaning
from mockpets.contract.role_rules import RULES
from mockpets.errors import InputError

Json = dict[str, Any]
Paths = dict[tuple[str, ...], object]

CLINIC = Path(__file__).parent / "documents/clinic.yaml"
TEXT, NUMBER, FLAG, PRICE = (
    {"type": "string"},
    {"type": "integer"},
    {"type": "boolean"},
    {"type": "number"},
)


def record(*names: str, **properties: Json) -> Json:
    """Return the schema of an object; the properties that are only named are texts."""
    return {"type": "object", "properties": dict.fromkeys(names, TEXT) | properties}


def many(item: Json) -> Json:
    return {"type": "array", "items": item}


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def json_of(schema: Json, media_type: str = "application/json") -> Json:
    return {"content": {media_type: {"schema": schema}}}


def op(
    gives: Json | None = None,
    takes: Json | None = None,
    *query: str | Json,
    status: int = 200,
    media: str = "application/json",
    **more: Any,
) -> Json:
    """Return an operation with the schemas of its response and of its body."""
    operation: Json = {
        "responses": {str(status): {"description": "", **json_of(gives)} if gives else {}}
    }
    if takes:
        operation["requestBody"] = json_of(takes, media)
    operation["parameters"] = [
        {"in": "query", **({"name": each, "schema": TEXT} if isinstance(each, str) else each)}
        for each in query
    ]
    return operation | more


def document_of(requests: dict[str, Json], **schemas: Json) -> Document:
    """Return a document with these operations, and with schemas in addition to `SCHEMAS`."""
    paths: Json = {}
    for request, operation in requests.items():
        method, path = request.split()
        inside = [part for part in path.split("/") if part.startswith("{")]
        own = [{"in": "path", "name": part[1:-1], "schema": TEXT} for part in inside]
        operation = {"operationId": request, **operation}
        operation["parameters"] = [*own, *operation["parameters"]]
        paths.setdefault(path, {})[method.lower()] = operation
    components = {"schemas": SCHEMAS | schemas}
    root = {"openapi": "3.1.0", "paths": paths, "components": components}
    with TemporaryDirectory() as folder:
        file = Path(folder, "test.json")
        file.write_text(json.dumps(root))
        return load(file, "test.json")


def read(requests: dict[str, Json], corrections: Corrections | None = None) -> Inferred:
    """Return what is inferred of operations, named by method and path."""
    document = document_of(requests)
    described = operations(document)
    inferred = infer(document, described, corrections)
    names = {each.name: f"{each.method} {each.path}" for each in described}
    return inferred._replace(
        operations={names[name]: guess for name, guess in inferred.operations.items()}
    )


SCHEMAS: Json = {
    "Pet": record("name", "status", id=NUMBER, tags=many(TEXT), userId=NUMBER),
    "Post": record(
        "slug", "body", "createdAt", liked=FLAG, likesCount=NUMBER, tagList=many(TEXT),
        status={"enum": ["draft", "published"]}, author=ref("Profile"),
    ),
    "Profile": record("username", "bio", following=FLAG),
    "User": record("username", "email", "bio", "token"),
    "NewUser": record("username", "email", "password"),
    "State": {"type": "string", "enum": ["draft", "published"]},
    "Order": record("id", items=many(record("sku"))),
    "Node": {"allOf": [{"$ref": "#/components/schemas/Node"}], **record("id")},
}  # fmt: skip
PET, POST, ORDER = ref("Pet"), ref("Post"), ref("Order")
PETS = {"GET /pets": op(many(PET)), "GET /pets/{petId}": op(PET)}
POSTS = {"GET /posts": op(many(POST)), "POST /posts": op(POST, POST), "GET /posts/{slug}": op(POST)}
LOGIN = {
    "POST /users": op(record(user=ref("User")), record(user=ref("NewUser")), status=201),
    "POST /users/login": op(record(user=ref("User")), record(user=record("email", "password"))),
}

ROLES: dict[str, tuple[dict[str, Json], dict[str, str]]] = {
    "a path with a key, and the path without it": (
        {
            **PETS,
            "POST /pets": op(PET, PET, status=201),
            "PUT /pets/{petId}": op(PET, PET),
            "PATCH /pets/{petId}": op(PET, record("name")),
            "DELETE /pets/{petId}": op(status=204),
        },
        {
            "GET /pets": "list pets",
            "POST /pets": "create pets",
            "GET /pets/{petId}": "get pets",
            "PUT /pets/{petId}": "replace pets",
            "PATCH /pets/{petId}": "update pets",
            "DELETE /pets/{petId}": "delete pets",
        },
    ),
    "POST on a record changes it": (
        PETS | {"POST /pets/{petId}": op(PET, None, "name", "status")},
        {"POST /pets/{petId}": "update pets"},
    ),
    "a PUT that cannot say all of a record updates": (
        POSTS
        | {
            "POST /posts": op(POST, {"required": ["body"], **record("body", "slug")}),
            "PUT /posts/{slug}": op(POST, record("body")),
        },
        {"PUT /posts/{slug}": "update posts"},
    ),
    "several parameters: the last one is the key": (
        {
            "GET /repos/{owner}/{repo}": op(record("name", owner=record("login"))),
            "DELETE /repos/{owner}/{repo}": op(status=204),
        },
        {"GET /repos/{owner}/{repo}": "get repos", "DELETE /repos/{owner}/{repo}": "delete repos"},
    ),
    "a list of what the first parameter owns": (
        {
            "GET /keys/{user}": op(record(keys=many(record("id", "title")))),
            "DELETE /keys/{user}": op(status=204),
            "GET /keys/{user}/{keyId}": op(record("id", "title")),
        },
        {
            "GET /keys/{user}": "list keys",
            "DELETE /keys/{user}": "delete keys",
            "GET /keys/{user}/{keyId}": "get keys",
        },
    ),
    "a list in an envelope with other properties": (
        {"GET /pets": op(record("took", "a", "b", "c", "d", "e", data=many(PET)))},
        {"GET /pets": "list pets"},
    ),
    "a list two envelopes deep": (
        {"GET /pets": op(record(data=record("query", results=many(PET), total=NUMBER)))},
        {"GET /pets": "list pets"},
    ),
    "a list of HAL": (
        {"GET /pets": op(record(_embedded=record(pets=many(PET)), _links=record("self")))},
        {"GET /pets": "list pets"},
    ),
    "a record that has items is no list": (
        {
            "GET /orders/{id}": op(ORDER),
            "GET /orders": op(many(ORDER)),
            "POST /carts": op(record("id"), record("id")),
            "GET /carts/{id}": op(record(items=many(record("sku")))),
        },
        {
            "GET /orders/{id}": "get orders",
            "GET /orders": "list orders",
            "GET /carts/{id}": "get carts",
        },
    ),
    "a cart with items and a price is a single object": (
        {
            "GET /cart": op(record("currency", items=many(record("sku")), total=PRICE)),
            "PUT /cart": op(record("currency", items=many(record("sku")))),
        },
        {"GET /cart": "one cart", "PUT /cart": "one cart"},
    ),
    "POST below a collection creates with 201 and a record, or an array": (
        PETS
        | {
            "POST /pets/import": op(PET, record("url"), status=201),
            "POST /pets/batch": op(PET, many(PET)),
            "POST /pets/check": op(PET, PET),
        },
        {
            "POST /pets/import": "create pets",
            "POST /pets/batch": "create pets",
            "POST /pets/check": "example",
        },
    ),
    "a POST of something with a key creates, even if nobody lists it": (
        {"POST /tickets": op(record("ticketId", "date"), record("date"), status=201)},
        {"POST /tickets": "create tickets"},
    ),
    "a POST of something without a key does not": (
        {"POST /quote": op(record("price"), record("sku"))},
        {"POST /quote": "example"},
    ),
    "a list of another collection's records is a view": (
        PETS
        | {"GET /users/{id}/favourites": op(many(PET)), "GET /pets/findByStatus": op(many(PET))},
        {"GET /users/{id}/favourites": "list pets", "GET /pets/findByStatus": "list pets"},
    ),
    "a nested collection is the one at the root if the component is the same": (
        PETS
        | {
            "GET /users/{id}/pets": op(many(PET)),
            "POST /users/{id}/pets": op(PET, PET),
            "DELETE /users/{id}/pets/{petId}": op(status=204),
        },
        {
            "GET /users/{id}/pets": "list pets",
            "POST /users/{id}/pets": "create pets",
            "DELETE /users/{id}/pets/{petId}": "delete pets",
        },
    ),
    "collections that look alike stay apart": (
        {
            "GET /cats": op(many(record("id", "name"))),
            "GET /cats/{id}": op(record("id", "name")),
            "GET /dogs": op(many(record("id", "name"))),
            "GET /shops/{id}/dogs": op(many(record("id", "name"))),
        },
        {
            "GET /cats": "list cats",
            "GET /dogs": "list dogs",
            "GET /shops/{id}/dogs": "list shops-dogs",
        },
    ),
    "so do two with one component and a path each": (
        PETS | {"GET /lost": op(many(PET)), "POST /lost": op(PET, PET), "GET /lost/{id}": op(PET)},
        {"GET /lost": "list lost", "POST /lost": "create lost", "GET /pets": "list pets"},
    ),
    "the key in the body or in the query": (
        {
            "PUT /pet": op(PET, PET),
            "DELETE /pet": op(None, None, {"name": "ids", "schema": many(NUMBER)}, status=204),
            "GET /pet/{petId}": op(PET),
            "PATCH /pet": op(PET, record("name")),
        },
        {"PUT /pet": "replace pet", "DELETE /pet": "delete pet", "PATCH /pet": "example"},
    ),
    "a DELETE of a whole list": (
        PETS | {"GET /users/{id}/pets": op(many(PET)), "DELETE /users/{id}/pets": op(status=204)},
        {"DELETE /users/{id}/pets": "delete pets"},
    ),
    "a DELETE of what a query selects": (
        PETS | {"DELETE /pets": op(None, None, "olderThan", status=204)},
        {"DELETE /pets": "example"},
    ),
    "POST and DELETE of a boolean's verb": (
        POSTS | {"POST /posts/{slug}/like": op(POST), "DELETE /posts/{slug}/like": op(POST)},
        {"POST /posts/{slug}/like": "toggle posts", "DELETE /posts/{slug}/like": "toggle posts"},
    ),
    "POST of an enum value's verb": (
        POSTS
        | {
            "POST /posts/{slug}/publish": op(POST),
            "POST /posts/{slug}/unlike": op(POST),
            "POST /posts/{slug}/print": op(record("url")),
            "POST /posts/{slug}/comments": op(record("id", "text"), record("text"), status=201),
        },
        {
            "POST /posts/{slug}/publish": "act posts",
            "POST /posts/{slug}/unlike": "act posts",
            "POST /posts/{slug}/print": "example",
            "POST /posts/{slug}/comments": "create comments",
        },
    ),
    "PUT of a part of a record": (
        POSTS | {"PUT /posts/{slug}/status": op(POST, record("status"))},
        {"PUT /posts/{slug}/status": "update posts"},
    ),
    "one object with writes": (
        {"GET /settings": op(record("theme")), "PATCH /settings": op(None, record("theme"))},
        {"GET /settings": "one settings", "PATCH /settings": "one settings"},
    ),
    "one object for each parent": (
        PETS
        | {
            "GET /pets/{petId}/passport": op(record("number")),
            "PUT /pets/{petId}/passport": op(record("number"), record("number")),
        },
        {"PUT /pets/{petId}/passport": "one passport"},
    ),
    "one object without writes": (
        {"GET /status": op(record("uptime")), "GET /stock": op({"additionalProperties": NUMBER})},
        {"GET /status": "example", "GET /stock": "example"},
    ),
    "a list of plain values": (
        POSTS | {"GET /tags": op(record(tags=many(TEXT))), "GET /moods": op(many(TEXT))},
        {"GET /tags": "values posts", "GET /moods": "example"},
    ),
    "log in, register, and the person of the token": (
        LOGIN
        | {
            "GET /user": op(record(user=ref("User"))),
            "GET /profiles/{username}": op(record(profile=ref("Profile"))),
        },
        {
            "POST /users": "create users",
            "POST /users/login": "login users",
            "GET /user": "get users",
            "GET /profiles/{username}": "get profiles",
        },
    ),
    "a password without a token creates": (
        {"POST /users": op(record("id", "email"), ref("NewUser"), status=201)},
        {"POST /users": "create users"},
    ),
    "/me without a log-in": (
        {"GET /me": op(record("name")), "GET /me/pets": op(many(record("id")))},
        {"GET /me": "example", "GET /me/pets": "list pets"},
    ),
    "what cannot be read": (
        PETS
        | {
            "GET /pets/{petId}/photo": {
                "responses": {"200": json_of(TEXT, "image/png")},
                "parameters": [],
            },
            "GET /": op(),
            "POST /rpc": op(record("result"), record("method")),
        },
        {"GET /pets/{petId}/photo": "example", "GET /": "example", "POST /rpc": "example"},
    ),
    "a circular schema": (
        {"GET /nodes": op(many(ref("Node"))), "GET /nodes/{id}": op(ref("Node"))},
        {"GET /nodes": "list nodes", "GET /nodes/{id}": "get nodes"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ROLES)
def test_the_role_and_the_collection_of_operations(case: str) -> None:
    requests, expected = ROLES[case]

    guesses = read(requests).operations

    given = {name: f"{each.role} {each.collection}".strip() for name, each in guesses.items()}
    assert {name: given[name] for name in expected} == expected


def test_each_rule_says_what_it_is_about_and_one_applies_it() -> None:
    used = {
        guess.rule for requests, _ in ROLES.values() for guess in read(requests).operations.values()
    }

    assert used == {*RULES}
    assert all(f"Rule `{name}`:" in str(rule.__doc__) for name, rule in RULES.items())


def only(request: str, requests: dict[str, Json]) -> Guess:
    return read(requests).operations[request]


@pytest.mark.parametrize(("parameter", "properties", "key"), [
    ("petId", {"id": NUMBER, "petId": TEXT}, "petId"),
    ("pet_id", {"petId": TEXT}, "petId"),
    ("petId", {"id": NUMBER, "name": TEXT}, "id"),
    ("petName", {"name": TEXT, "id": NUMBER}, "name"),
    ("id", {"petId": NUMBER, "name": TEXT}, "petId"),
    ("pet", {"uuid": TEXT, "slug": TEXT}, "slug"),
    ("number", {"login": TEXT}, "login"),
    ("petId", {"id": {"type": "object"}, "slug": TEXT}, "slug"),
    ("petId", {"color": TEXT}, "petId hidden"),
])  # fmt: skip
def test_the_property_that_is_the_key(parameter: str, properties: Json, key: str) -> None:
    path = f"/pets/{{{parameter}}}"
    pets = read({f"GET {path}": op(record(**properties))}).collections["pets"]

    assert f"{pets.key}{' hidden' if pets.is_hidden else ''}" == key


@pytest.mark.parametrize(("gives", "envelope"), [
    (many(PET), ()),
    (record(pets=many(PET), total=NUMBER), ("pets",)),
    (record(results=many(PET), warnings=many(record("text"))), ("results",)),
    (record(data=record(items=many(PET))), ("data", "items")),
    ({"allOf": [record(data={"type": "array"}), record(data=many(PET))]}, ("data",)),
    ({"oneOf": [{"type": "null"}, many(PET)]}, ()),
])  # fmt: skip
def test_where_the_list_is(gives: Json, envelope: tuple[str, ...]) -> None:
    assert only("GET /pets", {"GET /pets": op(gives)}).envelope == envelope


@pytest.mark.parametrize(("gives", "envelope"), [
    (PET, ()),
    (record(pet=PET), ("pet",)),
    (record("message", data=PET, links=record("self")), ("data",)),
    (record(data=record(pet=PET)), ("data", "pet")),
    (record("id", "name", data=record("color")), ()),
    (record("name", "age", owner=record("id")), ()),
])  # fmt: skip
def test_where_the_record_is_in_response_and_body(gives: Json, envelope: tuple[str, ...]) -> None:
    guess = only(
        "PUT /pets/{id}", {"GET /pets/{id}": op(gives), "PUT /pets/{id}": op(gives, gives)}
    )

    assert (guess.envelope, guess.body_envelope) == (envelope, envelope)


RECORD = record(
    "name", "country_code", "size", "status", born={"type": "string", "format": "date"},
    id=NUMBER, price=NUMBER, sold=FLAG, dogs_allowed=FLAG, tags=many(TEXT), ownerId=NUMBER,
    labels=many(record("name", "id")), author=record("username", "bio"), home=record("city"),
)  # fmt: skip
DATE = {"type": "string", "format": "date"}


@pytest.mark.parametrize(("name", "schema", "meaning"), [
    *((name, NUMBER, ("limit",)) for name in ("limit", "per_page", "pageSize", "page[size]")),
    *((name, NUMBER, ("offset",)) for name in ("offset", "skip", "start")),
    *((name, NUMBER, ("page",)) for name in ("page", "pageNumber", "page[number]")),
    *((name, TEXT, ("cursor",)) for name in ("cursor", "starting_after", "pageToken")),
    *((name, TEXT, ("sort",)) for name in ("sort", "order_by", "sortBy", "order")),
    ("order", {"enum": ["asc", "desc"]}, ("direction",)),
    *((name, TEXT, ("search",)) for name in ("q", "search", "keyword")),
    ("fields", TEXT, ("fields",)),
    ("status", TEXT, ("equal", "status")),
    ("filter[status]", TEXT, ("equal", "status")),
    ("size", TEXT, ("equal", "size")),
    ("statuses", many(TEXT), ("equal", "status")),
    ("tag", TEXT, ("equal", "tags")),
    ("labels", TEXT, ("equal", "labels", "name")),
    ("author", TEXT, ("equal", "author", "username")),
    ("author.bio", TEXT, ("equal", "author", "bio")),
    ("owner", NUMBER, ("equal", "ownerId")),
    ("owner_id", NUMBER, ("equal", "ownerId")),
    ("country", TEXT, ("equal", "country_code")),
    ("city", TEXT, ("equal", "home", "city")),
    ("sold", FLAG, ("equal", "sold")),
    ("dogs", FLAG, ("flag", "dogs_allowed")),
    ("bornAfter", DATE, ("least", "born")),
    ("born_to", DATE, ("most", "born")),
    ("from", DATE, ("least", "born")),
    ("endDate", DATE, ("most", "born")),
    ("after", DATE, ("least", "born")),
    ("min_price", NUMBER, ("least", "price")),
    ("price[lte]", NUMBER, ("most", "price")),
    ("sold", TEXT, ("ignored",)),  # by whom? nobody logs in
    ("mood", TEXT, ("ignored",)),
    ("minMood", NUMBER, ("ignored",)),
    ("author.age", TEXT, ("ignored",)),
])  # fmt: skip
def test_what_a_query_parameter_means(name: str, schema: Json, meaning: tuple[str, ...]) -> None:
    guess = only(
        "GET /pets", {"GET /pets": op(many(RECORD), None, {"name": name, "schema": schema})}
    )

    found = guess.query[name]
    assert (found.word, *found.path) == meaning
    assert (name in guess.note) == (found.word == "ignored")


def test_pages_from_zero() -> None:
    page = {"name": "page", "schema": NUMBER | {"minimum": 0}}

    assert only("GET /pets", {"GET /pets": op(many(PET), None, page)}).query["page"].first == 0


LINK = {"type": "string", "format": "uri"}


@pytest.mark.parametrize(("beside", "words"), [
    ({"total": NUMBER}, {"total": "total"}),
    ({"count": NUMBER}, {"count": "total"}),
    ({"total": NUMBER, "count": NUMBER}, {"total": "total", "count": "count"}),
    ({"petsCount": NUMBER}, {"petsCount": "total"}),
    ({"next": LINK, "prev": LINK}, {"next": "next", "prev": "previous"}),
    ({"next": NUMBER}, {"next": "next_page"}),
    ({"nextCursor": TEXT, "hasMore": FLAG}, {"nextCursor": "next_cursor", "hasMore": "more"}),
    ({"meta": record(page=NUMBER, pages=NUMBER)}, {"meta.page": "page", "meta.pages": "pages"}),
    ({"total": {"type": "number"}, "warning": TEXT}, {}),
])  # fmt: skip
def test_what_stands_beside_a_list(beside: Json, words: dict[str, str]) -> None:
    guess = only("GET /pets", {"GET /pets": op(record(pets=many(PET), **beside))})

    assert {".".join(path): word for path, word in guess.paging.items()} == words


@pytest.mark.parametrize(("path", "item", "where"), [
    ("/users/{id}/pets", record("id", userId=NUMBER), ("userId",)),
    ("/users/{user_id}/pets", record("id", "user_id"), ("user_id",)),
    ("/users/{id}/pets", record("id", user=record("id", "name")), ("user", "id")),
    ("/users/{username}/pets", record("id", user=record("id", "username")), ("user", "username")),
    ("/users/{id}/pets", record("id", "color"), ()),
])  # fmt: skip
def test_the_parent_of_a_nested_list(path: str, item: Json, where: tuple[str, ...]) -> None:
    inferred = read({
        "GET /users": op(many(record("id", "username"))),
        f"GET {path}": op(many(item)),
        f"POST {path}": op(item, item, status=201),
    })  # fmt: skip

    assert [*inferred.operations[f"POST {path}"].where.values()] == [where]
    pets = inferred.collections["pets"]
    assert (pets.parent, pets.link) == ("users", where)


@pytest.mark.parametrize(("path", "text", "fixed"), [
    ("/posts/published", "", {("status",): "published"}),
    ("/posts/liked", "", {("liked",): True}),
    ("/posts/feed", "Posts of users that you follow.", {("author", "following"): True}),
    ("/posts/popular", "Posts.", {}),
])  # fmt: skip
def test_what_limits_a_view(path: str, text: str, fixed: Paths) -> None:
    request = f"GET {path}"
    guess = only(request, POSTS | {request: op(many(POST), description=text)})

    assert guess.view
    assert dict(guess.fixed) == fixed
    assert bool(guess.note) == (not fixed)


@pytest.mark.parametrize("wrap", [
    lambda ref: {"allOf": [ref], "description": "Where it is."},
    lambda ref: {"anyOf": [ref, {"type": "null"}]},
    lambda ref: {"$ref": ref["$ref"], "description": "Where it is."},
])  # fmt: skip
def test_an_action_sets_a_value_of_an_enum_in_a_part(wrap: Callable[[Json], Json]) -> None:
    entry = record("id", status=wrap(ref("State")))
    requests = {
        "GET /entries/{id}": op(entry), "GET /entries": op(many(entry)),
        "POST /entries/{id}/publish": op(entry),
    }  # fmt: skip

    guess = read(requests).operations["POST /entries/{id}/publish"]

    assert (guess.role, guess.change) == ("act", {("status",): "published"})


def test_a_body_needs_what_its_parts_need() -> None:
    new = {
        "allOf": [{"required": ["name", "status"]}, record("name", "status")],
        "required": ["name"],
    }
    part = {**record("name"), "required": ["name"]}
    requests = PETS | {"POST /pets": op(PET, new), "PUT /pets/{petId}": op(PET, part)}

    assert read(requests).operations["PUT /pets/{petId}"].role == "update"


@pytest.mark.parametrize(("request_", "change", "counter"), [
    ("POST /posts/{slug}/like", {("liked",): True}, ("likesCount",)),
    ("DELETE /posts/{slug}/like", {("liked",): False}, ("likesCount",)),
    ("POST /posts/{slug}/publish", {("status",): "published"}, ()),
    ("POST /posts/{slug}/unlike", {("liked",): False}, ()),
])  # fmt: skip
def test_what_a_toggle_and_an_action_set(request_: str, change: Paths, counter: tuple[str]) -> None:
    requests = POSTS | {
        f"{each} /posts/{{slug}}/{verb}": op(POST)
        for each, verb in (
            ("POST", "like"),
            ("DELETE", "like"),
            ("POST", "publish"),
            ("POST", "unlike"),
        )
    }
    guess = only(request_, requests)

    assert dict(guess.change) == change
    assert (guess.counter, guess.key) == (counter, "slug")


def test_the_people_who_log_in_and_what_is_theirs() -> None:
    inferred = read({
        **LOGIN,
        **POSTS,
        "GET /profiles/{username}": op(record(profile=ref("Profile"))),
        "GET /me/posts": op(many(POST)),
        "GET /posts": op(many(POST), None, "liked"),
    })  # fmt: skip
    login = inferred.operations["POST /users/login"].credentials

    assert login is not None
    assert login == (("user", "email"), ("user", "password"), ("user", "token"))
    users, profiles, posts = (inferred.collections[name] for name in ("users", "profiles", "posts"))
    assert (users.is_people, profiles.shows, profiles.is_open) == (True, "users", True)
    assert posts.owner == ("author", "username")
    assert inferred.operations["GET /me/posts"].mine
    assert inferred.operations["GET /posts"].query["liked"] == Meaning("toggled", ("liked",))


def test_writes_that_are_not_plain() -> None:
    patch = many(record("op", "path", "value"))
    guesses = read({
        **PETS,
        "PATCH /pets/{petId}": op(PET, patch, media="application/json-patch+json"),
        "PUT /pets/{petId}": op(PET, PET, status=201),
        "POST /pets/bulk": op(record(pets=many(PET)), record(pets=many(PET))),
    }).operations  # fmt: skip

    assert guesses["PATCH /pets/{petId}"].patch == "json-patch"
    assert guesses["PUT /pets/{petId}"].creates  # nothing else does
    bulk = guesses["POST /pets/bulk"]
    assert (bulk.many, bulk.body_envelope, bulk.envelope, bulk.returns) == (
        True, ("pets",), ("pets",), "list",
    )  # fmt: skip


@pytest.mark.parametrize(("text", "query", "sort"), [
    ("", (), "-createdAt"),
    ("", ("sort",), ""),
    ("The latest posts.", ("sort",), "-createdAt"),
])  # fmt: skip
def test_the_order_of_a_list(text: str, query: tuple[str, ...], sort: str) -> None:
    posts = {"GET /posts": op(many(POST), None, *query, description=text)}

    assert only("GET /posts", posts).sort == sort


PLACE = ("test.mockpets.yaml", 2, 3)


def operation(
    role: CorrectedRole | Literal[""], collection: str, **more: Any
) -> OperationCorrection:
    given = {"property": "", "where": {}, "set": {}, "sort": ""} | more
    return OperationCorrection(role, collection, **given, place=PLACE)


def test_a_correction_gives_the_role() -> None:
    requests = POSTS | {
        "GET /posts/feed": op(many(POST)),
        "GET /moods": op(record(moods=many(TEXT))),
        "POST /posts/{slug}/hide": op(POST),
        "GET /charts": op(record(charts=many(record("id", "title")), id=NUMBER)),
        "PUT /posts/{slug}": op(POST, POST),
    }
    for request in requests:
        requests[request] = requests[request] | {"operationId": request.replace(" ", "_")}
    inferred = read(requests, Corrections({
        "GET_-posts-feed": operation("", "", where={"author.following": True}, sort="-createdAt"),
        "GET_-moods": operation("values", "posts", property="status"),
        "POST_-posts--slug--hide": operation("act", "posts", set={"status": "draft"}),
        "GET_-charts": operation("list", "charts"),
        "PUT_-posts--slug-": operation("example", ""),
    }, {"posts": CollectionCorrection("title", "charts", "", {}, "", PLACE)}))  # fmt: skip
    guesses = inferred.operations

    feed, moods = guesses["GET /posts/feed"], guesses["GET /moods"]
    assert feed.fixed == {("author", "following"): True}
    assert (feed.role, feed.rule, feed.sort) == ("list", "view", "-createdAt")
    assert (moods.role, moods.values, moods.envelope) == ("values", ("status",), ("moods",))
    assert moods.rule == "x-mockpets"
    hide = guesses["POST /posts/{slug}/hide"]
    assert (hide.role, hide.key) == ("act", "slug")
    assert hide.change == {("status",): "draft"}
    assert (guesses["GET /charts"].role, inferred.collections["charts"].key) == ("list", "id")
    assert guesses["PUT /posts/{slug}"].role == "example"
    posts = inferred.collections["posts"]
    assert (posts.key, posts.is_hidden, posts.parent) == ("title", True, "charts")


@pytest.mark.parametrize(("corrections", "message"), [
    (Corrections({"get-pets": operation("list", "pet")}),
     "operations.get-pets: unknown collection 'pet'; did you mean 'pets'?"),
    (Corrections({"get-pets": operation("delete", "boats")}),
     "operations.get-pets: unknown collection 'boats'; collections: pets"),
    (Corrections({}, {"boats": CollectionCorrection("", "", "", {}, "", PLACE)}),
     "collections.boats: unknown collection 'boats'; collections: pets"),
    (Corrections({}, {"pets": CollectionCorrection("", "pats", "", {}, "", PLACE)}),
     "collections.pets: unknown collection 'pats'; did you mean 'pets'?"),
])  # fmt: skip
def test_a_correction_with_an_unknown_collection(corrections: Corrections, message: str) -> None:
    requests = {"GET /pets": op(many(PET), operationId="get-pets")}

    with pytest.raises(InputError) as error:
        read(requests, corrections)

    assert str(error.value) == f"test.mockpets.yaml:2:3: {message}"


def test_a_guess_does_not_depend_on_those_that_were_needed_before() -> None:
    cat = record("id", coat=record(colour=ref("Tabby")))
    dog = record("id", coat=record(colour=ref("Colour")))
    document = document_of(
        {"GET /cats": op(many(cat), None, "colour"), "GET /dogs": op(many(dog), None, "colour")},
        Colour={"oneOf": [ref("Tabby")]},
        Tabby={"allOf": [ref("Colour"), record("stripes")]},
    )
    names = [each.name for each in operations(document)]

    def guesses(order: list[str]) -> dict[str, Guess]:
        inferred = infer(document, operations(document))
        return {name: inferred.operations[name] for name in order}

    assert guesses(names) == guesses(names[::-1])


def test_an_operation_that_is_not_served_is_an_example_with_the_reason() -> None:
    document = load(CLINIC, "clinic.yaml")
    first, *rest = operations(document)

    inferred = infer(document, [first._replace(not_served="XML is not served"), *rest])

    assert inferred.operations[first.name].role == "example"
    assert inferred.operations[first.name].note == "XML is not served"


def test_the_clinic() -> None:
    document = load(CLINIC, "clinic.yaml")
    inferred = infer(document, operations(document))

    roles = {name: f"{each.role} {each.collection}" for name, each in inferred.operations.items()}
    assert roles == {
        "logIn": "login members", "register": "create members", "getMe": "get members",
        "updateMe": "update members", "listMembers": "list members", "getMember": "get members",
        "listOwners": "list owners", "createOwner": "create owners", "getOwner": "get owners",
        "replaceOwner": "replace owners", "updateOwner": "update owners",
        "deleteOwner": "delete owners", "listAnimalsOfOwner": "list animals",
        "createAnimal": "create animals", "listAnimals": "list animals", "getAnimal": "get animals",
        "updateAnimal": "update animals", "deleteAnimal": "delete animals",
        "favoriteAnimal": "toggle animals", "unfavoriteAnimal": "toggle animals",
        "getPhoto": "example ", "listAppointments": "list appointments",
        "createAppointment": "create appointments", "getAppointment": "get appointments",
        "replaceAppointment": "replace appointments", "deleteAppointment": "delete appointments",
        "cancelAppointment": "act appointments", "listTags": "values animals",
        "getSettings": "one settings", "replaceSettings": "one settings", "get-version": "example ",
    }  # fmt: skip
    assert {each.name: each.key for each in inferred.collections.values()} == {
        "members": "id", "owners": "id", "animals": "id", "appointments": "id", "settings": "",
    }  # fmt: skip
    animals, appointments = inferred.collections["animals"], inferred.collections["appointments"]
    assert (animals.parent, animals.link) == ("owners", ("ownerId",))
    assert appointments.refers == {("animalId",): "animals"}
    owners = inferred.operations["listOwners"]
    assert owners.query["city"] == Meaning("equal", ("address", "city"))
    assert owners.paging == {
        ("meta", "total"): "total",
        ("meta", "page"): "page",
        ("meta", "pages"): "pages",
    }
