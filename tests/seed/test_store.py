"""The store: pages, ids, sharing, copying and charges."""

import json
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self, cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from mockpets.pets.store import Saved, Store
from mockpets.pets.table import ENTRY_BYTES, Table, make_table

from mockpets.constants import INT64_MAX, PET_STATUSES, PetStatus
from mockpets.contract.schemas import NewPet, Pet
from mockpets.contract.serialization import dump_pet
from mockpets.errors import RequestError
from mockpets.memory_budget import MemoryBudget


def pet(number: int, status: str | None = None) -> Pet:
    made: Pet = {"id": number, "name": f"pet {number}", "categoryId": 1}
    if status is not None:
        made["status"] = cast("PetStatus", status)
    return made


def ids(store: Store, limit: int = 100, status: PetStatus | None = None) -> list[int]:
    return [row["id"] for row in json.loads(store.page(limit, status))]


def test_no_pet_can_be_created_after_the_highest_id() -> None:
    store = Store(make_table([pet(INT64_MAX - 1)]), 10)
    assert store.create({"name": "x", "categoryId": 1})[0] == INT64_MAX

    with pytest.raises(RequestError, match="the highest int64 id is already used") as caught:
        store.create({"name": "x", "categoryId": 1})
    assert caught.value.code == "store_full"
    assert ids(store) == [INT64_MAX - 1, INT64_MAX]


# --- What the control API changes -------------------------------------------------------------


def test_a_store_is_changed_from_the_first_pet_until_a_reset() -> None:
    """Also after the pet was deleted, since its ID stays assigned."""
    store = Store(make_table([pet(1)]), 10)
    assert not store.is_changed

    store.create({"name": "x", "categoryId": 1})
    assert store.is_changed
    store.delete(2)
    assert store.is_changed
    store.reset()
    assert not store.is_changed


# --- Charges ----------------------------------------------------------------------------------


def test_charges() -> None:
    pets, kept = MemoryBudget(10**6, "pets"), MemoryBudget(10**6, "saved pets")
    store = Store(make_table(map(pet, range(1, 4))), 10, pets)
    assert pets.used == 0

    number, row = store.create({"name": "x", "categoryId": 1})
    own = len(row) + ENTRY_BYTES
    assert pets.used == own
    saved = store.save(kept)
    assert (pets.used, kept.used) == (own, own)
    changed = store.change(1, {"name": "a longer name"})
    copy = 3 * ENTRY_BYTES
    assert pets.used == own + copy + len(changed)
    store.change(1, {"name": "pet 1"})
    assert pets.used == own + copy + len(b'{"id":1,"name":"pet 1","categoryId":1}')
    store.delete(1)
    assert pets.used == own + copy
    store.delete(number)
    assert pets.used == copy
    store.restore(saved)
    assert (pets.used, kept.used) == (own, own)
    store.replace(make_table([pet(1)], pets))
    assert pets.used == ENTRY_BYTES + len(b'{"id":1,"name":"pet 1","categoryId":1}')
    del saved
    assert kept.used == 0
    store.reset()
    assert pets.used == 0


def test_a_session_costs_only_what_it_adds() -> None:
    """200 stores share 10,000 pets; with a copy for each they would take 90 MB."""
    table = make_table(map(pet, range(1, 10_001)))
    stores = [Store(table, 10) for _ in range(200)]
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        saved = []
        for store in stores:
            store.create({"name": "x", "categoryId": 1})
            saved.append(store.save(None))
            store.create({"name": "y", "categoryId": 1, "status": "sold"})
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()

    assert len(saved) == 200
    assert peak < 200 * 4096
    assert all(store.total() == 10_002 for store in stores)


# --- Against a plain model --------------------------------------------------------------------

MAX_NEW = 3
STATUS = st.none() | st.sampled_from(PET_STATUSES)
PLACE = st.integers(0, 1)
IDS = st.sampled_from([-3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 30, INT64_MAX])
START = {number: pet(number, status) for number, status in ((1, "sold"), (2, None), (5, "sold"))}


@dataclass
class Model:
    """The expected contents of a store, now or when it was saved.

    :param shared: the pets of the shared table; one object for each such table.
    :param changed: ids of changed pets in the base.
    :param next: the next id of the store.
    """

    shared: dict[int, Pet]
    base: dict[int, Pet] = field(default_factory=dict)
    own: dict[int, Pet] = field(default_factory=dict)
    changed: frozenset[int] = frozenset()
    copied: bool = False
    next: int = 1

    def copy(self) -> Self:
        return replace(self, base=dict(self.base), own=dict(self.own))

    @property
    def pets(self) -> dict[int, Pet]:
        return self.base | self.own

    @property
    def cost(self) -> int:
        copy = ENTRY_BYTES * len(self.shared) if self.copied else 0
        return cost(self.own) + copy + sum(len(dump_pet(self.base[each])) for each in self.changed)


def cost(pets: dict[int, Pet]) -> int:
    return sum(len(dump_pet(each)) + ENTRY_BYTES for each in pets.values())


def listed(pets: dict[int, Pet], status: str | None = None) -> list[bytes]:
    return [dump_pet(pets[n]) for n in sorted(pets) if status in (None, pets[n].get("status"))]


def rejection(call: Callable[[], object]) -> str | None:
    """Return the error code, but not the exception: its traceback would keep tables alive."""
    try:
        call()
    except RequestError as refusal:
        return refusal.code
    return None


class TwoStores(RuleBasedStateMachine):
    """Two stores with the same base, their saved pets, and the expected contents of each."""

    def __init__(self) -> None:
        super().__init__()
        self.pets, self.kept = MemoryBudget(2500, "pets"), MemoryBudget(1500, "saved pets")
        self.start = make_table(START.values())
        self.stores = [Store(self.start, MAX_NEW, self.pets) for _ in range(2)]
        self.models = [Model(START, dict(START), next=6) for _ in range(2)]
        self.saved: list[Saved] = []
        self.saved_models: list[Model] = []

    def used(self) -> int:
        """Bytes of pets in stores, and in shared tables other than the initial one."""
        everyone = [*self.models, *self.saved_models]
        tables = {id(model.shared): model.shared for model in everyone if model.shared is not START}
        return sum(model.cost for model in self.models) + sum(map(cost, tables.values()))

    def becomes(self, place: int, model: Model, call: Callable[[], object]) -> bool:
        """Make a change that only the budget can reject; return whether it succeeded."""
        more = model.cost - self.models[place].cost
        if more > 0 and self.used() + more > self.pets.limit:
            assert rejection(call) == "store_full"
            return False
        call()
        model.next = max([self.models[place].next, model.next, *(n + 1 for n in model.pets)])
        self.models[place] = model
        return True

    @rule(place=PLACE, name=st.text(max_size=40), status=STATUS)
    def create(self, place: int, name: str, status: str | None) -> None:
        model = self.models[place].copy()
        number = model.next
        new: NewPet = {"name": name, "categoryId": 1}
        if status is not None:
            new["status"] = cast("PetStatus", status)
        if len(model.own) == MAX_NEW or number > INT64_MAX:
            assert rejection(lambda: self.stores[place].create(new)) == "store_full"
            return
        model.own[number] = {"id": number, **new}
        made: list[tuple[int, bytes]] = []
        if self.becomes(place, model, lambda: made.append(self.stores[place].create(new))):
            assert made == [(number, dump_pet(model.own[number]))]

    @rule(place=PLACE, number=IDS, name=st.none() | st.text(max_size=40), status=STATUS)
    def change(self, place: int, number: int, name: str | None, status: str | None) -> None:
        model, store = self.models[place].copy(), self.stores[place]
        changes = {"status": status} | ({} if name is None else {"name": name})
        if number not in model.pets:
            assert rejection(lambda: store.change(number, changes)) == "pet_not_found"
            return
        changed = pet(number, status) | {
            "name": model.pets[number]["name"] if name is None else name
        }
        if number in model.own:
            model.own[number] = changed
        else:
            model.base[number] = changed
            model.copied, model.changed = True, model.changed | {number}
        self.becomes(place, model, lambda: store.change(number, changes))

    @rule(place=PLACE, number=IDS)
    def delete(self, place: int, number: int) -> None:
        model, store = self.models[place].copy(), self.stores[place]
        if number not in model.pets:
            assert rejection(lambda: store.delete(number)) == "pet_not_found"
            return
        if number in model.base:
            del model.base[number]
            model.copied, model.changed = True, model.changed - {number}
        else:
            del model.own[number]
        self.becomes(place, model, lambda: store.delete(number))

    @rule(place=PLACE, numbers=st.sets(IDS, max_size=4), status=STATUS)
    def replace(self, place: int, numbers: set[int], status: str | None) -> None:
        table = {number: pet(number, status) for number in numbers}
        made: list[Table] = []
        code = rejection(lambda: made.append(make_table(table.values(), self.pets)))
        if self.used() + cost(table) > self.pets.limit:
            assert code == "store_full"
            return
        self.becomes(place, Model(table, dict(table)), lambda: self.stores[place].replace(made[0]))

    @precondition(lambda self: len(self.saved) < 4)
    @rule(place=PLACE)
    def save(self, place: int) -> None:
        model = self.models[place].copy()
        code = rejection(lambda: self.saved.append(self.stores[place].save(self.kept)))
        if sum(each.cost for each in [*self.saved_models, model]) > self.kept.limit:
            assert code == "store_full"
            return
        assert code is None
        self.saved_models.append(model)

    @precondition(lambda self: self.saved)
    @rule(place=PLACE, which=st.integers(0, 3))
    def restore(self, place: int, which: int) -> None:
        which %= len(self.saved)
        model = self.saved_models[which].copy()
        self.becomes(place, model, lambda: self.stores[place].restore(self.saved[which]))

    @precondition(lambda self: self.saved)
    @rule(which=st.integers(0, 3))
    def forget(self, which: int) -> None:
        del self.saved[which % len(self.saved)], self.saved_models[which % len(self.saved_models)]

    @rule(place=PLACE)
    def reset(self, place: int) -> None:
        self.becomes(place, Model(START, dict(START)), self.stores[place].reset)
        self.models[place].next = 6

    @invariant()
    def contents_are_as_expected(self) -> None:
        for store, model in zip(self.stores, self.models, strict=True):
            for status in (None, *PET_STATUSES):
                rows = listed(model.pets, status)
                later = [row for row in rows if json.loads(row)["id"] > 2]
                assert store.total(status) == len(rows)
                assert store.rows(None, 100, status) == rows
                assert store.rows(2, 2, status) == later[:2]
                assert store.page(3, status) == b"[" + b",".join(rows[:3]) + b"]"
            for number in (-3, 1, 6, 9, INT64_MAX):
                known = model.pets.get(number)
                assert store.get(number) == (known and dump_pet(known))
        for saved, model in zip(self.saved, self.saved_models, strict=True):
            assert saved.rows(None, 100) == listed(model.pets)
        assert list(self.start.rows.values()) == listed(START)

    @invariant()
    def charges_are_as_expected(self) -> None:
        assert self.pets.used == self.used() <= self.pets.limit
        assert self.kept.used == sum(model.cost for model in self.saved_models)

    def teardown(self) -> None:
        self.stores.clear()
        self.saved.clear()
        assert (self.pets.used, self.kept.used) == (0, 0)


TestTwoStores = TwoStores.TestCase
TestTwoStores.settings = settings(
    max_examples=min(settings().max_examples, 60), stateful_step_count=40
)
