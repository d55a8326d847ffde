"""Lists that follow changes, and what requests to large collections cost, counted and not timed."""

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest

from mockpets import Settings, create_app
from mockpets.records.table import dumped, make_table
from tests.http_client import Client, InProcess
from tests.test_cost import counted_calls, quiet
from tests.web.checked_client import ok, op, write

__all__ = ["quiet"]

ITEM = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "color": {"type": "string"},
        "size": {"type": "integer"},
    },
}
NEW = {**ITEM, "required": ["name"]}
PARTS = {**ITEM, "properties": {**ITEM["properties"], "boxId": {"type": ["integer", "string"]}}}  # type: ignore[dict-item]
KEY = {"in": "path", "required": True, "schema": {"type": "integer"}}
SLUG = {"type": "object", "required": ["slug", "title"],
        "properties": {"slug": {"type": "string"}, "title": {"type": "string"}}}  # fmt: skip
PAGE = {
    "type": "object",
    "required": ["items", "total"],
    "properties": {"items": {"type": "array", "items": ITEM}, "total": {"type": "integer"}},
}
SORT = {"name": "sort", "schema": {"type": "string"}}
COLOR = {"name": "color", "schema": {"type": "string"}}
SEARCH = {"name": "q", "schema": {"type": "string"}}
CURSOR = {"name": "cursor", "schema": {"type": "string"}}


def item(schema: object, name: str) -> dict[str, Any]:
    return {
        "get": op(schema),
        "put": op(schema, NEW),
        "delete": {"responses": ok(status=204)},
        "parameters": [{**KEY, "name": name}],
    }


PATHS: dict[str, Any] = {
    "/items": {
        "get": op(PAGE, None, "limit", "offset", COLOR, SORT, SEARCH),
        "post": op(ITEM, NEW, status=201),
    },
    "/items/{itemId}": item(ITEM, "itemId"),
    "/boxes": {
        "get": op({"type": "array", "items": ITEM}, None, "limit", CURSOR),
        "post": op(ITEM, NEW, status=201),
    },
    "/boxes/{boxId}": item(ITEM, "boxId"),
    "/boxes/{boxId}/parts": {
        "get": op({"type": "array", "items": PARTS}),
        "post": op(PARTS, NEW, status=201),
        "parameters": [{**KEY, "name": "boxId"}],
    },
    "/boxes/{boxId}/parts/{partId}": {
        "get": op(PARTS),
        "delete": {"responses": ok(status=204)},
        "parameters": [{**KEY, "name": "boxId"}, {**KEY, "name": "partId"}],
    },
    "/posts": {"post": op(SLUG, {**SLUG, "required": ["title"]}, status=201)},
    "/posts/{slug}": {
        "get": op(SLUG),
        "parameters": [{**KEY, "name": "slug", "schema": {"type": "string"}}],
    },
}


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    return write(tmp_path, PATHS)


# --- Lists that follow changes --------------------------------------------------------------------

COLORS = ("red", "green", "Blue")
QUERIES: dict[str, Callable[[list[Any]], list[Any]]] = {
    "": lambda items: items,
    "color=red": lambda items: [each for each in items if each.get("color") == "red"],
    "q=UE": lambda items: [each for each in items if each.get("color") == "Blue"],
    "sort=size": lambda items: by_size(items, 1),
    "sort=-size": lambda items: by_size(items, -1),
    "sort=color,-size": lambda items: sorted(
        by_size(items, -1), key=lambda each: ("color" not in each, each.get("color", "").lower())
    ),
    "color=green&sort=-size": lambda items: by_size(
        [each for each in items if each.get("color") == "green"], -1
    ),
}


def by_size(items: list[Any], sign: int) -> list[Any]:
    return sorted(items, key=lambda each: ("size" not in each, sign * each.get("size", 0)))


def changed(random: Random, name: str) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name}
    if random.random() < 0.8:
        made["color"] = random.choice(COLORS)
    if random.random() < 0.8:
        made["size"] = random.randrange(4)
    return made


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))]
)
def test_lists_are_those_of_the_records_after_each_change(contract: Path, seed: int) -> None:
    client = Client(InProcess(create_app(Settings(contract=(str(contract),)))))
    random, taken = Random(seed), 30
    start = [{"id": key, **changed(random, f"i{key}")} for key in range(1, taken)]
    client("PUT", "/__mockpets/data/items", json_body=start)
    sessions = {"one": [*start], "two": [*start]}
    for each in sessions:
        client("PUT", f"/__mockpets/sessions/{each}")
        client("PUT", f"/~{each}/__mockpets/data/items", json_body=start)
    counts = dict.fromkeys(sessions, taken)
    for step in range(120):
        session = random.choice([*sessions])
        items, path = sessions[session], f"/~{session}/items"
        action = random.random()
        if action < 0.4 or not items:
            body = changed(random, f"n{step}")
            response = client("POST", path, json_body=body)
            assert response.status == 201
            items.append({"id": counts[session], **body})
            counts[session] += 1
        elif action < 0.7:
            index = random.randrange(len(items))
            body = changed(random, f"c{step}")
            key = items[index]["id"]
            assert client("PUT", f"{path}/{key}", json_body=body).status == 200
            items[index] = {"id": key, **body}
        else:
            key = items.pop(random.randrange(len(items)))["id"]
            assert client("DELETE", f"{path}/{key}").status == 204
        for query in random.sample([*QUERIES], 3):
            expected = QUERIES[query](items)
            offset = random.randrange(len(items) + 2)
            page = client("GET", f"{path}?{query}&limit=7&offset={offset}").json
            assert page["total"] == len(expected), query
            assert page["items"] == expected[offset : offset + 7], query


def test_records_below_a_parent_follow_changes_whatever_the_type_of_their_link(
    contract: Path,
) -> None:
    client = Client(InProcess(create_app(Settings(contract=(str(contract),)))))
    client("PUT", "/__mockpets/data/boxes", json_body=[{"id": 1, "name": "a"}, {"id": 2}])
    parts = [{"id": key, "name": "p", "boxId": link} for key, link in enumerate((1, 2, "1", 1), 1)]
    client("PUT", "/__mockpets/data/parts", json_body=parts)

    def keys(box: int) -> list[int]:
        return [each["id"] for each in client("GET", f"/boxes/{box}/parts").json]

    assert keys(1) == [1, 3, 4]
    new = client("POST", "/boxes/1/parts", json_body={"name": "new"}).json
    assert new["boxId"] == 1
    assert client("DELETE", "/boxes/1/parts/1").status == 204
    assert (keys(1), keys(2)) == ([3, 4, new["id"]], [2])
    assert client("DELETE", "/boxes/1").status == 204
    assert client("GET", "/__mockpets/data/parts").json["records"] == [parts[1]]


# --- Cost -----------------------------------------------------------------------------------------

BODY = {"name": "new", "color": "red", "size": 0}


class Large:
    """An app whose collections have a number of records."""

    def __init__(self, contract: Path, size: int) -> None:
        self.size = size
        app = create_app(Settings(contract=(str(contract),), memory=2**30, max_records=10**6))
        self.call = Client(InProcess(app))
        session = app.extensions["mockpets"].sessions.all()[0]
        for name in ("items", "boxes", "parts"):
            collection = session.library.collection(name)
            store = session.store(session.stack(session.active), collection)
            records = (
                {
                    "id": key,
                    "name": f"Number {key}",
                    "color": "red" if key % (size // 20) == 0 else f"color{key}",
                    "size": key,
                    **({"boxId": 7 if key % (size // 20) == 0 else key} if name == "parts" else {}),
                }
                for key in range(1, size + 1)
            )
            store.replace(make_table(collection, dumped(collection, records)))

    def costs(self) -> dict[str, float]:
        """Return how many functions each kind of request calls."""
        middle = f"/items/{self.size // 2}"
        boxes = count(8)  # each with at most one part
        calls = {
            "create": self._calls(lambda: self.send("POST", "/items", BODY)),
            "get": self._calls(lambda: self.send("GET", middle)),
            "replace": self._calls(lambda: self.send("PUT", middle, BODY)),
            "delete a parent": self._calls(lambda: self.send("DELETE", f"/boxes/{next(boxes)}")),
        }
        for name, target in AFTER_A_CHANGE.items():
            calls[name] = self._calls(partial(self._list_after_create, target))
        return calls

    def _list_after_create(self, target: str) -> None:
        self.send("POST", target.partition("?")[0], BODY)
        self.send("GET", target)

    def _calls(self, send: Callable[[], None]) -> float:
        send()  # what is kept afterwards, and lazy imports
        return median(counted_calls(send))

    def send(self, method: str, target: str, body: object = None) -> None:
        response = self.call(method, target, json_body=body)
        assert response.status < 300, response


AFTER_A_CHANGE = {
    "page": "/items?limit=20",
    "second page": "/items?limit=20&offset=20",
    "filter": "/items?limit=20&color=red",
    "search": "/items?limit=20&q=red",
    "filter and order": "/items?limit=20&color=red&sort=-size",
    "cursor": "/boxes?limit=20&cursor=30",
    "below a parent": "/boxes/7/parts",
}


@pytest.mark.slow
@pytest.mark.usefixtures("quiet")
def test_requests_call_hardly_more_with_10_000_records_than_with_100(contract: Path) -> None:
    few, many = (Large(contract, size).costs() for size in (100, 10_000))
    above = {name: (few[name], calls) for name, calls in many.items() if calls > 1.2 * few[name]}
    assert not above


@pytest.mark.slow
@pytest.mark.usefixtures("quiet")
def test_a_slug_that_many_records_want_is_found_in_few_calls(contract: Path) -> None:
    client = Client(InProcess(create_app(Settings(contract=(str(contract),)))))

    slugs: list[str] = []

    def create() -> None:
        response = client("POST", "/posts", json_body={"title": "The same"})
        assert response.status == 201
        slugs.append(response.json["slug"])

    few = median(counted_calls(create))
    while len(slugs) < 1_000:
        create()
    many = median(counted_calls(create))
    assert slugs == ["the-same", *(f"the-same-{number}" for number in range(2, len(slugs) + 1))]
    assert many <= 2 * few, (few, many)
