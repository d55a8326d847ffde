"""The store: pages, ids, what is shared and what is copied."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mockpets.constants import INT64_MAX
from mockpets.errors import Refusal
from mockpets.pets.store import Store, make_table

if TYPE_CHECKING:
    from mockpets.contract import Pet


def pet(number: int, status: str | None = None) -> Pet:
    made: Pet = {"id": number, "name": f"pet {number}", "categoryId": 1}
    if status is not None:
        made["status"] = status
    return made


def ids(store: Store, limit: int = 100, status: str | None = None) -> list[int]:
    return [row["id"] for row in json.loads(store.page(limit, status))]


def test_a_page_is_by_id_whatever_the_order_they_came_in() -> None:
    store = Store(make_table([pet(9), pet(-3, "sold"), pet(4, "sold")]), 10)

    assert ids(store) == [-3, 4, 9]
    assert ids(store, 2) == [-3, 4]
    assert ids(store, 100, "sold") == [-3, 4]
    assert ids(store, 1, "sold") == [-3]
    assert ids(store, 100, "pending") == []


@pytest.mark.parametrize(("start", "expected"), [([], 1), ([-5], 1), ([3], 4), ([7, 2], 8)])
def test_the_next_id_follows_the_highest_and_is_at_least_one(
    start: list[int], expected: int
) -> None:
    store = Store(make_table(map(pet, start)), 10)

    assert store.create({"name": "x", "categoryId": 1})[0] == expected
    assert store.create({"name": "y", "categoryId": 1})[0] == expected + 1


def test_what_is_created_is_found_by_id_page_and_status() -> None:
    store = Store(make_table([pet(1, "sold")]), 10)
    number, row = store.create({"name": "Zoé", "categoryId": 2, "status": "sold"})

    assert row == '{"id":2,"name":"Zoé","categoryId":2,"status":"sold"}'.encode()
    assert store.get(number) == row
    assert ids(store, 100, "sold") == [1, 2]


def test_stores_that_share_a_table_do_not_see_each_other() -> None:
    table = make_table([pet(1, "available")])
    one, other = Store(table, 10), Store(table, 10)
    one.create({"name": "x", "categoryId": 1, "status": "available"})

    assert ids(one) == ids(one, 100, "available") == [1, 2]
    assert ids(other) == ids(other, 100, "available") == [1]
    one.reset()
    assert ids(one) == [1]
    assert one.create({"name": "y", "categoryId": 1})[0] == 2


def test_requests_may_add_so_many_until_a_reset() -> None:
    store = Store(make_table(map(pet, range(1, 6))), 2)
    for _ in range(2):
        store.create({"name": "x", "categoryId": 1})

    with pytest.raises(Refusal, match="at most 2 pets") as caught:
        store.create({"name": "x", "categoryId": 1})
    assert caught.value.code == "store_full"
    assert len(ids(store)) == 7
    store.reset()
    store.create({"name": "x", "categoryId": 1})


def test_the_highest_id_leaves_no_room() -> None:
    store = Store(make_table([pet(INT64_MAX)]), 10)

    with pytest.raises(Refusal, match="the highest id that int64 has") as caught:
        store.create({"name": "x", "categoryId": 1})
    assert caught.value.code == "store_full"
    assert ids(store) == [INT64_MAX]
