"""Records in the envelopes of JSON:API and of HAL."""

from pathlib import Path
from typing import Any

import pytest

from tests.web.checked_client import Checked, at, op, several, thing, write

JSON_API, HAL = "application/vnd.api+json", "application/hal+json"
MOMENT = {"type": "string", "format": "date-time", "readOnly": True}
LINK = thing("href", href="string")
NAMES = thing(
    *("title", "createdAt", "words"),
    title="string",
    status={"enum": ["draft", "live", "archived"]},
    starred="boolean",
    stars="integer",
    words={"type": "integer", "readOnly": True},
    createdAt=MOMENT,
    updatedAt=MOMENT,
)
AUTHOR = thing(author=thing(data=thing("type", "id", type="string", id="string")))
ARTICLE = thing(
    *("type", "id", "attributes"),
    type="string",
    id="string",
    attributes=NAMES,
    relationships=AUTHOR,
    links=thing(self="string"),
)
NEW = thing("type", "attributes", type="string", attributes=NAMES, relationships=AUTHOR)
CHANGE = thing("type", "id", type="string", id="string", attributes={**NAMES, "required": []})
ORDER = thing(
    *("id", "state"),
    id={"type": "integer", "readOnly": True},
    state={"enum": ["open", "paid"]},
    _links=thing("self", self=LINK, payment=LINK),
)
PAGE = thing(size="integer", totalElements="integer", totalPages="integer", number="integer")
LINKS = thing(self=LINK, next=LINK, prev=LINK)


def sent_as(kind: str, operation: dict[str, Any]) -> dict[str, Any]:
    """Return an operation whose responses have another media type in place of JSON."""
    for part in operation["responses"].values():
        if "content" in part:
            part["content"] = {kind: part["content"]["application/json"]}
    return operation


def json_api(schema: object, body: object = None, **options: Any) -> dict[str, Any]:
    body = None if body is None else thing("data", data=body)
    return sent_as(JSON_API, op(thing("data", data=schema), body, kind=JSON_API, **options))


def text(name: str) -> dict[str, Any]:
    return {"name": name, "schema": {"type": "string"}}


WHOLE: Any = {"page[size]": 100}
LIVE: Any = {"filter[status]": "live", "page[size]": 100}
SORTED: Any = {"sort": "-title", "page[size]": 3}
BLOG: dict[str, Any] = {
    "/articles": {
        "get": sent_as(
            JSON_API,
            op(
                thing(
                    "data",
                    data=several(ARTICLE),
                    links=thing(next=LINK),
                    meta=thing(total="integer"),
                ),
                None,
                *("page[number]", "page[size]", text("filter[status]"), text("sort")),
            ),
        ),
        "post": json_api(ARTICLE, NEW, status=201, headers=("Location",)),
    },
    "/articles/{id}": at(
        "id",
        "string",
        get=json_api(ARTICLE),
        patch=json_api(ARTICLE, CHANGE),
        delete=op(status=204),
    ),
    "/articles/{id}/archive": at("id", "string", post=json_api(ARTICLE)),
    "/articles/{id}/star": at("id", "string", post=json_api(ARTICLE), delete=json_api(ARTICLE)),
}
ORDERS: dict[str, Any] = {
    "/orders": {
        "get": sent_as(
            HAL,
            op(
                thing("_embedded", _embedded=thing("orders", orders=several(ORDER)),
                      _links=LINKS, page=PAGE),
                None,
                *("page", "size", text("state")),
            ),
        ),
        "post": sent_as(HAL, op(ORDER, thing("state", state="string"), status=201)),
    },
    "/orders/{orderId}": at("orderId", get=sent_as(HAL, op(ORDER)), delete=op(status=204)),
    "/orders/paid": {
        "get": sent_as(HAL, op(thing(_embedded=thing(items=several(ORDER)), _links=LINKS)))
    },
}  # fmt: skip


@pytest.fixture
def blog(tmp_path: Path) -> Checked:
    return Checked(write(tmp_path, BLOG), now="2030-05-01T12:00:00Z")


@pytest.fixture
def orders(tmp_path: Path) -> Checked:
    return Checked(write(tmp_path, ORDERS))


def new(**attributes: object) -> dict[str, Any]:
    author = {"author": {"data": {"type": "people", "id": "3"}}}
    return {"data": {"type": "articles", "attributes": attributes, "relationships": author}}


def test_a_resource_of_json_api_is_created_changed_and_gone(blog: Checked) -> None:
    made = blog("POST", "/articles", new(title="On cats"), kind=JSON_API)
    assert made.status == 201 and made.header("Content-Type") == JSON_API
    article = made.json["data"]
    path = f"/articles/{article['id']}"
    assert made.header("Location") == path
    now = "2030-05-01T12:00:00.000Z"
    assert article == new()["data"] | {
        "id": article["id"],
        "attributes": {"title": "On cats", "words": 0, "createdAt": now, "updatedAt": now},
        "links": {"self": f"http://localhost{path}"},
    }
    assert blog("GET", path).json == {"data": article}

    blog.control("PUT", "clock", {"now": "2030-05-02T12:00:00Z"})
    body = {"data": {"type": "articles", "id": article["id"], "attributes": {"status": "live"}}}
    changed = blog("PATCH", path, body, kind=JSON_API).json["data"]
    later = {"status": "live", "updatedAt": "2030-05-02T12:00:00.000Z"}
    assert changed == article | {"attributes": article["attributes"] | later}
    bodies: list[Any] = [new(title=1), {"data": {"type": "articles"}}, {"title": "a"}, []]
    for invalid in bodies:
        assert blog("POST", "/articles", invalid, kind=JSON_API).status == 400
    assert blog("DELETE", path).status == 204 and blog("GET", path).status == 404


def test_attributes_filter_and_sort_and_are_set_by_actions(blog: Checked) -> None:
    listed = blog("GET", "/articles", **WHOLE).json
    assert listed["meta"] == {"total": 16} and listed["links"] == {}
    assert {each["type"] for each in listed["data"]} == {"articles"}
    for each in listed["data"]:
        assert each.get("links", {}).get("self") == f"http://localhost/articles/{each['id']}"
    live = blog("GET", "/articles", **LIVE).json["data"]
    assert {each["attributes"]["status"] for each in live} == {"live"}
    page = blog("GET", "/articles", **SORTED).json
    titles = sorted((each["attributes"]["title"] for each in listed["data"]), reverse=True)
    assert [each["attributes"]["title"] for each in page["data"]] == titles[:3]
    target = page["links"]["next"]["href"].removeprefix("http://localhost")
    assert [each["attributes"]["title"] for each in blog("GET", target).json["data"]] == titles[3:6]

    article = live[0]
    archived = blog("POST", f"/articles/{article['id']}/archive").json["data"]
    assert archived["attributes"]["status"] == "archived"
    starred = blog("POST", f"/articles/{article['id']}/star").json["data"]["attributes"]
    assert starred["starred"] is True
    unstarred = blog("DELETE", f"/articles/{article['id']}/star").json["data"]["attributes"]
    assert unstarred["starred"] is False


def test_a_list_of_hal_is_embedded_and_links_to_its_pages(orders: Checked) -> None:
    body = orders("GET", "/orders", size=3, page=2).json
    assert [each["id"] for each in body["_embedded"]["orders"]] == [4, 5, 6]
    for each in body["_embedded"]["orders"]:
        assert each["_links"]["self"] == {"href": f"http://localhost/orders/{each['id']}"}
    links = {name: link["href"] for name, link in body["_links"].items()}
    start = "http://localhost/orders?size=3&page="
    assert links == {"self": f"{start}2", "next": f"{start}3", "prev": f"{start}1"}
    assert body["page"] == {"size": 3, "totalElements": 16, "totalPages": 6, "number": 2}

    last = orders("GET", "/orders", size=3, page=6).json
    assert len(last["_embedded"]["orders"]) == 1 and last["_links"].keys() == {"self", "prev"}
    assert last["page"]["size"] == 3, "the size of a full page"
    assert orders("GET", "/orders", size=3).json["_links"].keys() == {"self", "next"}
    made = orders("POST", "/orders", {"state": "open"}).json
    link = {"self": {"href": f"http://localhost/orders/{made['id']}"}}
    assert made == {"id": 17, "state": "open", "_links": link}
    state = orders("GET", "/orders", state="open", size=50).json["_embedded"]["orders"]
    assert made in state and {each["state"] for each in state} == {"open"}
    paid = orders("GET", "/orders/paid").json["_embedded"]["items"]
    assert paid == orders("GET", "/orders", state="paid", size=50).json["_embedded"]["orders"]


def test_the_link_of_a_record_has_the_base_path_of_the_session(tmp_path: Path) -> None:
    servers = [{"url": "https://shop.example/v2"}]
    orders = Checked(write(tmp_path, ORDERS, servers=servers))
    made = orders.call("POST", "/~mine/v2/orders", json_body={"state": "open"}).json
    assert made["_links"]["self"]["href"] == f"http://localhost/~mine/v2/orders/{made['id']}"


def test_attributes_without_a_type_are_a_property_like_others(tmp_path: Path) -> None:
    lamp = thing("id", "attributes", id="integer", attributes=thing(updatedAt="string"))
    paths = {
        "/lamps": {"get": op(several(lamp), None, text("sort")), "post": op(lamp, thing())},
        "/lamps/{id}": at("id", get=op(lamp), patch=op(lamp, thing(attributes={}))),
    }
    lamps = Checked(write(tmp_path, paths))
    changed = lamps("PATCH", "/lamps/1", {"attributes": {"updatedAt": "never"}})
    assert changed.json["attributes"] == {"updatedAt": "never"}
