"""Memory budgets: the limit, counting again, parts of a budget, and threads."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from mockpets.errors import RequestError
from mockpets.memory_budget import MemoryBudget, Shared

MIB = 2**20


@dataclass(frozen=True, eq=False)
class Table:
    """Something that several holders can share."""

    size: int


class Holder:
    """What takes memory of a budget, which it keeps until it is cleared.

    :param own: bytes that nothing else holds.
    """

    def __init__(self, budget: MemoryBudget) -> None:
        budget.count = self.count
        self.budget = budget
        self.own = 0
        self.tables: set[Shared] = set()
        self.counts = 0
        """How often it was counted."""

    def count(self, shared: Collection[Shared]) -> tuple[int, int]:
        self.counts += 1
        held = self.own + sum(each.size for each in self.tables)
        return held, sum(each.size for each in {*shared} - self.tables)

    def take(self, size: int, *tables: Table) -> None:
        self.budget.take(size, tables)
        self.own += size
        self.tables |= {*tables}

    def clear(self) -> None:
        self.own, self.tables = 0, set()
        self.budget.note_freed()


def rejected(holder: Holder, size: int, *tables: Table) -> bool:
    try:
        holder.take(size, *tables)
    except RequestError:
        return True
    return False


def test_taking_more_than_is_left_fails_and_reserves_nothing() -> None:
    budget = MemoryBudget(3 * MIB // 2, "records")
    budget.take(MIB)

    with pytest.raises(RequestError) as caught:
        budget.take(MIB // 2 + 1)
    assert (caught.value.code, caught.value.status) == ("store_full", 507)
    assert caught.value.message == (
        "the records of all sessions together may use at most 1.5 MiB; reset or drop "
        "sessions, or use fewer or smaller records"
    )
    budget.take(MIB // 2)
    budget.take(-1)
    budget.take(1)
    with pytest.raises(RequestError):
        budget.take(1)


def test_what_was_freed_can_be_taken_at_once() -> None:
    holder = Holder(MemoryBudget(100, "records"))
    holder.take(100)
    assert rejected(holder, 1)
    holder.clear()
    holder.take(100)
    assert rejected(holder, 1)


def test_a_full_budget_counts_only_after_something_was_freed() -> None:
    holder = Holder(MemoryBudget(100, "records"))
    for _ in range(9):
        holder.clear()
        holder.take(90)
    assert [rejected(holder, 20) for _ in range(50)] == [True] * 50
    counts = holder.counts
    assert [rejected(holder, 20) for _ in range(50)] == [True] * 50
    assert holder.counts == counts
    holder.take(10)
    holder.take(-5)
    assert rejected(holder, 6)
    holder.take(5)
    assert holder.counts == counts


def test_what_can_go_first_makes_room_before_anything_is_rejected() -> None:
    holder = Holder(MemoryBudget(100, "records"))
    cleared: list[int] = []

    def make_room() -> bool:
        cleared.append(holder.own)
        holder.clear()
        return True

    holder.budget.make_room = make_room
    holder.take(60)
    holder.clear()
    holder.take(50)
    assert cleared == [], "there is room without it"
    holder.take(80)
    assert (cleared, holder.own) == ([50], 80)


def test_what_is_shared_counts_once_and_until_nobody_has_it() -> None:
    holder, table = Holder(MemoryBudget(100, "records")), Table(60)
    for _ in range(50):
        holder.take(0, table)
    assert rejected(holder, 0, Table(41))
    assert rejected(holder, 1, Table(40))
    holder.take(40, table)
    assert rejected(holder, 1, table)
    holder.clear()
    holder.take(0, table)
    holder.take(40)
    assert rejected(holder, 1)


def test_a_part_is_counted_apart_and_what_is_shared_counts_in_the_whole() -> None:
    whole = Holder(MemoryBudget(100, "records"))
    part = MemoryBudget(50, "records", parent=whole.budget)
    part.count = lambda _: (whole.own, 0)
    part.take(0, [Table(60)])
    part.take(40)
    whole.own += 40
    with pytest.raises(RequestError, match="the records of one address's sessions together"):
        part.take(11)
    whole.take(60)
    with pytest.raises(RequestError, match="the records of all sessions together"):
        part.take(1)
    whole.own = 0
    part.note_freed()
    part.take(50)
    whole.own += 50
    assert not rejected(whole, 50)


def test_a_copy_begins_with_what_is_in_use_and_counts_for_itself() -> None:
    holder = Holder(MemoryBudget(100, "records"))
    holder.take(90)
    copy = Holder(holder.budget.fork())
    copy.own = 50
    copy.take(50)
    assert rejected(copy, 1)
    assert not rejected(holder, 10)


def test_threads_stay_within_the_limit_and_return_everything() -> None:
    budget = MemoryBudget(1000, "records")

    def work(_: int) -> int:
        size = rejections = 0
        for turn in range(2000):
            more = 7 if turn % 3 else -size
            try:
                budget.take(more)
            except RequestError:
                rejections += 1
            else:
                size += more
        budget.take(1 - size)
        return rejections

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    budget.take(996)
    with pytest.raises(RequestError):
        budget.take(1)
