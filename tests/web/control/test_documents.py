"""The control API and the reference page of servers that serve documents."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.http_client import Client
from tests.web.documents import Serve, client_of, document, json_of, operation, serve_in, write

ITEM = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
}
KEY = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
ITEMS: dict[str, Any] = {
    "/items": {"get": operation(name="list", _200=json_of({"type": "array", "items": ITEM}))},
    "/items/{id}": {"get": operation(KEY, name="get", _200=json_of(ITEM))},
}
RATES: dict[str, Any] = {"/rates": {"get": operation(_200=json_of({}, example={"EUR": 1}))}}


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    return serve_in(tmp_path)


@pytest.mark.parametrize("base", ["", "/api", "/api/v2"])
@pytest.mark.parametrize("session", ["", "/~w1"])
def test_a_recorded_target_has_no_prefix(serve: Serve, base: str, session: str) -> None:
    """Also if the base path of the contract begins like the prefix."""
    call = serve(ITEMS, {"prefix": "/api"}, servers=[{"url": base or "/"}])
    call("GET", f"/api{session}{base}/items/3?x=%2Fapi")
    call("GET", f"/api{session}{base}/item")

    stub, missing = (
        call("GET", f"/api{session}/__mockpets/requests/{number}/stub").json for number in (1, 2)
    )
    assert f"'From request 1: GET {base}/items/3?x=%2Fapi'" in stub["yaml"]
    assert f"/api{base}/items" not in missing["yaml"]


def test_the_response_of_a_list_becomes_a_stub(serve: Serve) -> None:
    call = serve(ITEMS)
    items = call("GET", "/items").json

    stub = call("POST", "/__mockpets/requests/1/stub").json["stub"]
    assert stub == {"match": {"operation": "list"}, "reply": {"status": 200, "body": items}}
    assert call("GET", "/items").json == items


def test_a_recording_begins_with_the_records_of_all_collections(serve: Serve) -> None:
    orders = {path.replace("items", "orders"): item for path, item in ITEMS.items()}
    for paths, total in ((RATES, 0), (ITEMS, 16), (ITEMS | orders, 32)):
        call = serve(paths)
        assert call("POST", "/__mockpets/recording").json == {"after": 0, "records": total}


def test_the_records_of_many_collections_are_not_counted(serve: Serve) -> None:
    """Counting would generate them while every other request waits."""

    def paths(count: int) -> dict[str, Any]:
        return {
            f"/items{number}": {"get": operation(_200=json_of({"type": "array", "items": ITEM}))}
            for number in range(count)
        }

    for count, total in ((50, 800), (51, None)):
        state = serve(paths(count))("GET", "/__mockpets/state").json
        assert state["counts"]["records"] == total
        lists = [one["lists"] for one in state["contracts"][0]["collections"]]
        assert lists == [[f"get-items{number}"] for number in range(count)]


@pytest.fixture
def several(tmp_path: Path) -> Client:
    """A client of a server with two documents that have the same names, and the pet store."""
    for name in ("shop", "blog"):
        write(tmp_path / f"{name}.json", document(ITEMS | RATES, name.title()))
    shop, blog = tmp_path / "shop.json", tmp_path / "blog.json"
    return client_of(f"/shop={shop}", f"/blog={blog}", "pet-store")


def test_several_contracts_are_described_with_the_names_that_are_served(several: Client) -> None:
    shop, blog, store = several("GET", "/__mockpets/contract").json["contracts"]

    assert [(each["label"], each["base"]) for each in (shop, blog, store)] == [
        ("shop", "/shop"),
        ("blog", "/blog"),
        ("pet-store", "/v1"),
    ]
    assert [each["name"] for each in blog["collections"]] == ["blog.items"]
    assert [(each["name"], each["collection"]) for each in blog["operations"]] == [
        ("blog.list", "blog.items"),
        ("blog.get", "blog.items"),
        ("blog.get-rates", None),
    ]
    assert store["share"] == {"state": 3, "example": 0, "not_served": 0}
    assert [each["role"] for each in store["operations"]] == ["list", "create", "get"]


def test_a_description_has_phrases_for_people_and_the_schemas_of_records(several: Client) -> None:
    shop, _, store = several("GET", "/__mockpets/contract").json["contracts"]

    assert shop["operations"][0]["does"][0] == "list (rule list)"
    assert [each["about"] for each in (*shop["collections"], *store["collections"])] == [
        "key id"
    ] * 2
    document = several("GET", "/__mockpets/openapi.json?contract=pet-store").json
    [pets] = store["collections"]
    name = pets["schema"]["$ref"].removeprefix("#/components/schemas/")
    assert list(document["components"]["schemas"][name]["properties"])[:2] == ["id", "name"]
    assert next(iter(shop["collections"][0]["schema"]["properties"])) == "id"


@pytest.mark.parametrize(("query", "title", "base"), [
    ("", "Shop", "/shop"), ("?contract=shop", "Shop", "/shop"), ("?contract=blog", "Blog", "/blog"),
    ("?contract=pet-store", "Pet store", "/v1"),
])  # fmt: skip
def test_each_of_several_contracts_has_its_document_and_its_page(
    several: Client, query: str, title: str, base: str
) -> None:
    root = several("GET", f"/~w1/__mockpets/openapi.json{query}").json
    page = several("GET", f"/__mockpets/docs{query}").text

    assert (root["info"]["title"], root["servers"][0]["url"]) == (title, f"/~w1{base}")
    assert f"<h2>{title} 1" in page
    label = next(each["label"] for each in contracts_of(several) if each["title"] == title)
    assert f'href="openapi.json?contract={label}"' in page
    assert re.findall(r'href="docs\?contract=([\w-]+)"( aria-current="page")?', page) == [
        (each, ' aria-current="page"' if each == label else "")
        for each in ("shop", "blog", "pet-store")
    ]


def contracts_of(call: Client) -> Any:
    return call("GET", "/__mockpets/state").json["contracts"]


@pytest.mark.parametrize("page", ["openapi.json", "docs"])
@pytest.mark.parametrize(("query", "problem"), [
    ("shp", "one of shop, blog, pet-store, got 'shp'; did you mean 'shop'?"),
    ("", "one of shop, blog, pet-store, got ''"),
    ("Shop&contract=blog", "sent only once, got 2 values"),
])  # fmt: skip
def test_an_unknown_contract_is_rejected_with_those_that_are_served(
    several: Client, page: str, query: str, problem: str
) -> None:
    response = several("GET", f"/__mockpets/{page}?contract={query}", key=None)

    assert response.status == 400
    assert response.json["message"] == f"contract must be {problem}"


def test_a_page_of_the_only_contract_lists_no_others(serve: Serve) -> None:
    page = serve(ITEMS)("GET", "/__mockpets/docs?theme=x").text

    assert "docs?contract=" not in page
    assert '<a href="openapi.json">' in page


@pytest.mark.parametrize("is_first", [False, True])
def test_a_deprecated_operation_of_the_pet_store_links_to_its_page(
    tmp_path: Path, *, is_first: bool
) -> None:
    shop = f"/shop={write(tmp_path / 'shop.json', document(ITEMS))}"
    call = client_of(*(("pet-store", shop) if is_first else (shop, "pet-store")))
    links = call("GET", "/~w1/v1/pets/1").header("Link") or ""
    [link] = re.findall('<([^>]+)>; rel="deprecation"', links)

    assert link == f"/~w1/__mockpets/docs{'' if is_first else '?contract=pet-store'}"
    assert "<h2>Pet store 1" in call("GET", link).text


def test_a_document_without_info_is_called_like_its_file(tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text(
        "openapi: 3.1.0\npaths: {/a: {get: {responses: {'204': {description: ''}}}}}\n"
    )
    call = client_of(tmp_path / "shop.yaml")
    assert call("GET", "/__mockpets/state").json["contracts"][0]["title"] == "shop"
    assert call("GET", "/__mockpets/openapi.json").json["info"] == {"title": "shop"}
    assert "<h2>shop </h2>" in call("GET", "/__mockpets/docs").text


@pytest.mark.parametrize(
    ("described", "names"),
    [
        ([{"name": "late", "description": "Last."}, "odd", {}, {"name": "unused"}], "late early"),
        (None, "early late"),
        (7, "early late"),
    ],
)
def test_the_reference_page_groups_operations_by_their_first_tag(
    serve: Serve, described: object, names: str
) -> None:
    tags = {"a": ["early", "late"], "b": ["late"], "c": "wrong", "d": []}
    paths = {f"/{name}": {"get": {**operation(name=name), "tags": each}}
             for name, each in tags.items()}  # fmt: skip

    page = serve(paths, tags=described)("GET", "/__mockpets/docs").text

    listed = re.findall(r"<summary>(\w+) <span", page)
    assert listed == [*names.split(), "Operations"]
    assert re.findall(r'href="#(\w)"', page) == [
        *("ba" if names.startswith("late") else "ab"),
        *"cd",
    ]
    assert ("<p>Last.</p>" in page) is isinstance(described, list)


def test_the_reference_page_shows_what_is_served(tmp_path: Path) -> None:
    """References are followed, also to other files; what no operation reaches may be invalid."""
    (tmp_path / "parts.yaml").write_text(
        "Q: {name: quantity, in: query, schema: {type: integer}}\n"
    )
    (tmp_path / "shop.yaml").write_text("""\
openapi: 3.1.0
info: {title: Shop, description: 12}
paths:
  x-stage: 1
  /orders/{id}: {$ref: "#/components/pathItems/Order"}
  /rates:
    x-list: [1]
    parameters: [{$ref: "#/components/parameters/A"}, {$ref: "parts.yaml#/Q"}]
    get:
      responses: {"200": {$ref: "#/components/responses/Rates"}}
components:
  parameters:
    A: {$ref: "#/components/parameters/B"}
    B: {name: base, in: query, schema: {type: string}}
  responses:
    Rates:
      description: Rates.
      content: {application/vnd.rates+json; v=1: {schema: {type: object}, example: {EUR: 1}}}
  pathItems:
    Order:
      get:
        operationId: getOrder
        parameters: [{name: id, in: path, required: true, schema: true}]
        responses: {"200": {description: ok, content: {application/json: {schema: true}}}}
  schemas: {A: , B: true, C: {properties: [a]}, D: {type: array, items: true}, E: {allOf: [true]}}
""")
    page = client_of(tmp_path / "shop.yaml")("GET", "/__mockpets/docs").text
    for part in (
        ">getOrder<",
        ">get-rates<",
        "<code>base</code>",
        "<code>quantity</code>",
        "array of any",
    ):
        assert part in page
    assert "{&#34;EUR&#34;:1}" in page
    assert 'data-try="GET /orders/{id}" data-name="getOrder"' in page
    assert "Authorization" not in page  # the document requires no key
