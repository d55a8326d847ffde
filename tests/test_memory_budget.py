"""The bytes that all sessions share: the bound, what comes back by itself, threads."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import pytest

from mockpets.errors import RequestError
from mockpets.memory_budget import Charge, MemoryBudget

MIB = 2**20


def test_what_is_taken_and_given_is_counted() -> None:
    budget = MemoryBudget(100, "pets")
    budget.take(60)
    budget.take(40)
    assert budget.used == 100

    budget.give(30)
    assert budget.used == 70
    budget.take(30)
    assert budget.used == 100


def test_more_than_is_left_is_refused_and_takes_nothing() -> None:
    budget = MemoryBudget(3 * MIB // 2, "snapshots")
    budget.take(MIB)

    with pytest.raises(RequestError) as caught:
        budget.take(MIB // 2 + 1)
    assert (caught.value.code, caught.value.status) == ("store_full", 507)
    assert caught.value.message == (
        "the snapshots of all sessions together may use at most 1.5 MiB; reset or drop "
        "sessions, or use fewer or smaller snapshots"
    )
    assert budget.used == MIB
    budget.take(MIB // 2)


def test_a_charge_grows_shrinks_and_closes() -> None:
    budget = MemoryBudget(100, "pets")
    one, other = Charge(budget), Charge(budget)
    one.add(50)
    other.add(50)
    one.add(-20)
    assert (one.size, other.size, budget.used) == (30, 50, 80)

    with pytest.raises(RequestError):
        other.add(21)
    assert (one.size, other.size, budget.used) == (30, 50, 80)
    other.close()
    other.close()
    assert (other.size, budget.used) == (0, 30)


def test_a_charge_without_a_budget_still_knows_its_size() -> None:
    charge = Charge(None)
    charge.add(10**12)

    assert charge.size == 10**12


def test_what_is_dropped_comes_back() -> None:
    budget = MemoryBudget(100, "pets")
    charge = Charge(budget)
    charge.add(100)
    assert budget.used == 100
    del charge

    assert budget.used == 0


def test_what_is_dropped_in_a_circle_comes_back_when_it_is_collected() -> None:
    budget = MemoryBudget(100, "pets")
    circle: list[object] = [Charge(budget)]
    assert isinstance(circle[0], Charge)
    circle[0].add(100)
    circle.append(circle)
    del circle
    gc.collect()

    assert budget.used == 0


def test_a_charge_collected_while_the_budget_is_locked_waits_for_nobody() -> None:
    """A collection can run in any thread at any moment, so also within `take`."""
    budget = MemoryBudget(100, "pets")
    charge = Charge(budget)
    charge.add(40)
    closed: list[int] = []

    class Late(int):
        def __radd__(self, other: int) -> int:
            closed.append(charge.size)
            charge.close()
            return other + int(self)

    thread = Thread(target=budget.take, args=(Late(10),), daemon=True)
    thread.start()
    thread.join(10)

    assert not thread.is_alive()
    assert closed == [40]
    assert budget.used == 10


def test_threads_take_no_more_than_there_is_and_all_comes_back() -> None:
    budget = MemoryBudget(1000, "pets")

    def work(_: int) -> int:
        charge, refused = Charge(budget), 0
        for turn in range(2000):
            try:
                charge.add(7 if turn % 3 else -charge.size)
            except RequestError:
                refused += 1
                charge.close()
            assert budget.used <= 1000
        budget.take(1)
        return refused

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    assert budget.used == 4
