"""Memory budgets: the limit, automatic return of bytes, and threads."""

import gc
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import pytest

from mockpets.errors import RequestError
from mockpets.memory_budget import Charge, MemoryBudget

MIB = 2**20


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
    assert budget.used == MIB
    budget.take(MIB // 2)


def test_what_can_go_first_makes_room_before_anything_is_rejected() -> None:
    budget = MemoryBudget(100, "records")
    undoable, charge = Charge(budget), Charge(budget)
    undoable.add(60)
    budget.make_room = undoable.close
    charge.add(80)

    assert (undoable.size, charge.size, budget.used) == (0, 80, 80)


def test_a_charge_grows_shrinks_and_closes() -> None:
    budget = MemoryBudget(100, "records")
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


def test_collecting_a_reference_cycle_returns_its_bytes() -> None:
    budget = MemoryBudget(100, "records")
    cycle: list[object] = [Charge(budget)]
    assert isinstance(cycle[0], Charge)
    cycle[0].add(100)
    cycle.append(cycle)
    del cycle
    gc.collect()

    assert budget.used == 0


def test_a_charge_collected_while_the_budget_is_locked_does_not_deadlock() -> None:
    """Garbage collection can run on any thread at any time, even within `take`."""
    budget = MemoryBudget(100, "records")
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


def test_threads_stay_within_the_limit_and_return_everything() -> None:
    budget = MemoryBudget(1000, "records")

    def work(_: int) -> int:
        charge, rejected = Charge(budget), 0
        for turn in range(2000):
            try:
                charge.add(7 if turn % 3 else -charge.size)
            except RequestError:
                rejected += 1
                charge.close()
            assert budget.used <= 1000
        budget.take(1)
        return rejected

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    assert budget.used == 4
