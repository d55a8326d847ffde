"""`mockpets contract`: what it prints of a document, writes, and rejects."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.documents import client_of

Run = Callable[..., tuple[int, list[str], list[str]]]

CLINIC = Path(__file__).parents[1] / "contract/documents/clinic.yaml"
SHOP = """\
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [url: https://shop.example/api]
paths:
  /orders:
    get:
      operationId: listOrders
      parameters:
        - {name: page, in: query, schema: {type: integer}}
        - {name: status, in: query, schema: {type: string}}
        - {name: colour, in: query, schema: {type: string}}
      responses: &orders
        "200":
          description: Orders.
          content:
            application/json:
              schema:
                properties:
                  orders: {type: array, items: {$ref: "#/components/schemas/Order"}}
                  total: {type: integer}
  /orders/{orderId}/cancel:
    post:
      operationId: cancel
      parameters: [{name: orderId, in: path, required: true, schema: {type: string}}]
      responses: &order
        "200":
          description: An order.
          content:
            application/json: {schema: {$ref: "#/components/schemas/Order"}}
  /orders/{orderId}:
    get:
      parameters: [{name: orderId, in: path, required: true, schema: {type: string}}]
      responses: *order
  /stats:
    get: {operationId: getStats, responses: {"200": {description: Stats.}}}
  /feed:
    get:
      operationId: feed
      responses: {"200": {description: Feed., content: {application/atom+xml: {schema: {}}}}}
components:
  schemas:
    Order:
      properties:
        id: {type: string}
        status: {enum: [open, cancelled]}
"""
SHOWN = """\
shop.yaml: Shop 1, 5 operations below /api

orders: key id
  GET /orders
    listOrders: list (rule list); in orders; page; filters status; total in
      total; ignored: colour
  POST /orders/{orderId}/cancel
    cancel: act (rule action); sets status to "cancelled"
  GET /orders/{orderId}
    get-orders-orderId: get (rule item)

Without state:
  GET /stats
    getStats: example (rule example)

Not served:
  GET /feed
    feed: mockpets sends JSON, text and images, and the response is
      application/atom+xml

5 operations: 3 with state (60%), 1 without (20%), 1 not served (20%)
"""
NEW = """\
# Corrections of shop.yaml: what mockpets cannot know from the document.
# To correct an operation, remove the '# ' before 'operations:' and before its name, and
# fix role and collection. Collections: orders.
collections: {}

# operations:
#   getStats: {list: COLLECTION} # GET /stats: example (rule example)
"""


@pytest.fixture
def shop(here: Path) -> Path:
    path = here / "shop.yaml"
    path.write_text(SHOP)
    return Path("shop.yaml")


def test_what_each_operation_does(run: Run, shop: Path) -> None:
    status, out, err = run("contract", shop)

    assert (status, err) == (0, [])
    assert "\n".join(out) + "\n" == SHOWN


def test_it_fits_a_terminal(run: Run) -> None:
    _, out, _ = run("contract", CLINIC)

    assert max(map(len, out[1:])) <= 80


def test_json_has_the_same(run: Run, shop: Path) -> None:
    status, out, _ = run("contract", shop, "--json")

    data = json.loads("\n".join(out))
    listed, *_ = data["operations"]
    assert status == 0
    assert data["share"] == {"state": 3, "example": 1, "not_served": 1}
    assert (data["label"], data["base"]) == ("shop", "/api")
    assert [each["name"] for each in data["collections"]] == ["orders"]
    assert listed["rule"] == "list"
    assert listed["envelope"] == ["orders"]
    assert listed["query"] == {
        "page": {"means": "page", "property": None},
        "status": {"means": "equal", "property": "status"},
        "colour": {"means": "ignored", "property": None},
    }
    assert listed["note"] == "ignored: colour"


def test_a_note_names_the_file_of_its_line(run: Run, shop: Path, here: Path) -> None:
    order = "properties:\n  id: {type: string}\nif: {required: [id]}\n"
    (here / "order.yaml").write_text(order, encoding="utf-8")
    text = shop.read_text(encoding="utf-8").replace("#/components/schemas/Order", "order.yaml")
    shop.write_text(text, encoding="utf-8")
    assert "\n  order.yaml:3: " in "\n".join(run("contract", "shop.yaml")[1])
    [note] = json.loads("\n".join(run("contract", "shop.yaml", "--json")[1]))["notes"][1:]
    assert (note["kind"], note["file"], note["line"]) == ("keyword", "order.yaml", 3)


def test_the_control_api_returns_the_same_for_each_contract(run: Run, shop: Path) -> None:
    Path("shop.mockpets.yaml").write_text("operations: {cancel: {act: orders, set: {id: 1.5}}}\n")
    served = client_of(shop, "pet-store")("GET", "/__mockpets/contract").json["contracts"]

    for file, data in zip(((shop,), ()), served, strict=True):
        assert json.loads("\n".join(run("contract", *file, "--json")[1])) == data
    assert served[0]["operations"][1]["sets"] == {"id": 1.5}


def test_the_pet_store_without_a_file(run: Run) -> None:
    status, out, _ = run("contract")

    assert status == 0
    assert out[0] == "pet-store: Pet store 1.0.0, 3 operations below /v1"
    assert out[3:5] == ["  GET /pets", "    listPets: list (given); limit; filters status"]


def test_without_a_file_it_shows_the_contracts_of_the_settings(run: Run, shop: Path) -> None:
    Path("mockpets.toml").write_text(f'contract = ["{shop}", "pet-store"]\n')
    status, out, err = run("contract")
    assert (status, err) == (0, [])
    alone = "\n".join(run("contract", shop)[1])
    assert "\n".join(out).startswith(f"{alone}\n\npet-store: Pet store 1.0.0, 3 operations")
    data = json.loads("\n".join(run("contract", "--json")[1]))
    assert [each["label"] for each in data["contracts"]] == ["shop", "pet-store"]

    Path("mockpets.toml").write_text(f'contract = ["{shop}"]\n')
    assert "\n".join(run("contract")[1]) == alone
    assert json.loads("\n".join(run("contract", "--json")[1]))["label"] == "shop"
    Path("none.toml").write_text("")
    assert run("contract", "--config", "none.toml")[1][0].startswith("pet-store: ")

    shop.write_text("openapi: 3.1.0\npaths: {}\n")
    status, out, err = run("contract")
    assert (status, out, len(err)) == (2, [], 1)
    assert err[0].startswith("mockpets: shop.yaml:1:1: has no paths")


def test_corrections_of_another_file_are_applied(run: Run, shop: Path) -> None:
    Path("fixes.yaml").write_text("operations: {getStats: {get: stats}}\n")

    _, out, _ = run("contract", shop, "--corrections", "fixes.yaml")

    assert "    getStats: get (given)" in out


def test_openapi_prints_the_contract_of_the_settings(run: Run, shop: Path) -> None:
    def titled(*arguments: str) -> str:
        status, out, err = run("openapi", *arguments)
        assert (status, err) == (0, [])
        return str(json.loads("\n".join(out))["info"]["title"])

    assert titled() == "Pet store"
    Path("mockpets.toml").write_text(f'contract = ["{shop}", "pet-store"]\n')
    assert titled() == titled("shop") == "Shop"
    assert titled("pet-store") == titled("--contract", "pet-store") == "Pet store"
    assert "mockpets" in titled("--control")
    unknown = "mockpets: CONTRACT: unknown contract 'shopp'; did you mean 'shop'?"
    assert run("openapi", "shopp") == (2, [], [unknown])
    unknown = "mockpets: CONTRACT: unknown contract 'x'; contracts: shop, pet-store"
    assert run("openapi", "x") == (2, [], [unknown])


def test_corrections_beside_the_document_are_applied(run: Run, shop: Path) -> None:
    Path("shop.mockpets.yaml").write_text("operations: {getStats: {get: stats}}\n")

    _, out, _ = run("contract", shop)

    assert "    getStats: get (given)" in out


def test_a_new_file_of_corrections(run: Run, shop: Path) -> None:
    assert run("contract", shop, "--new") == (0, ["wrote shop.mockpets.yaml"], [])
    assert Path("shop.mockpets.yaml").read_text() == NEW


def test_the_new_file_changes_nothing_until_it_is_edited(run: Run, shop: Path) -> None:
    before = run("contract", shop)
    run("contract", shop, "--new")

    assert run("contract", shop) == before

    path = Path("shop.mockpets.yaml")
    path.write_text(re.sub("(?m)^# (?=operations|  get)", "", path.read_text()))
    assert "    getStats: list (given)" in run("contract", shop)[1]


@pytest.mark.parametrize(("arguments", "message"), [
    (("--new",), "--new: needs FILE; name an OpenAPI document"),
    (("shop.yaml", "--new", "--json"), "--new: cannot be combined with --json; remove one"),
    (("none.yaml",), "none.yaml: file not found; check the path"),
    ((".",), ".: is a folder; name a file in it"),
    (("/", "--new"), "/: is a folder; name a file in it"),
    (("shop.yaml", "--jsn"), "--jsn: unknown option; did you mean '--json'?"),
])  # fmt: skip
def test_errors(run: Run, shop: Path, arguments: tuple[str, ...], message: str) -> None:  # noqa: ARG001 - exists
    assert run("contract", *arguments) == (2, [], [f"mockpets: {message}"])


@pytest.mark.parametrize("name", ["shop.mockpets.yaml", "shop.mockpets.yml", "shop.mockpets.json"])
def test_a_file_is_never_overwritten_or_hidden(run: Run, shop: Path, here: Path, name: str) -> None:
    Path(name).write_text("{}\n")

    status, _, err = run("contract", shop, "--new")

    hint = "edit it, or delete it first"
    assert (status, err) == (2, [f"mockpets: {name} already exists; {hint}"])
    assert Path(name).read_text() == "{}\n"
    assert [each.name for each in here.glob("*.mockpets.*")] == [name]


def test_a_folder_that_cannot_be_written(run: Run, shop: Path, here: Path) -> None:
    Path("shop.mockpets.yaml").mkdir()

    status, _, err = run("contract", shop, "--new")

    assert here.exists() and status == 2
    assert err == ["mockpets: shop.mockpets.yaml already exists; edit it, or delete it first"]


def test_corrections_with_an_unknown_collection(run: Run, shop: Path) -> None:
    Path("shop.mockpets.yaml").write_text("operations:\n  getStats: {list: order}\n")

    status, _, err = run("contract", shop)

    assert status == 2
    assert err == [
        "mockpets: shop.mockpets.yaml:2:13: operations.getStats: unknown collection 'order'; "
        "did you mean 'orders'?"
    ]
