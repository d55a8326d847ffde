"""The store: pages, keys, sharing, copying, memory, and what a file keeps of it."""

import json
import re
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Self, TypeGuard

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mockpets.constants import INT64_MAX, INT64_MIN, SAFE_INTEGER
from mockpets.contract.collections import OwnSchema
from mockpets.contract.contract_model import Collection
from mockpets.errors import RequestError
from mockpets.memory_budget import MemoryBudget, Shared
from mockpets.records.saved import SavedRecords
from mockpets.records.store import Contents, Store
from mockpets.records.table import Table, dumped, index_key, make_table
from tests.pet_store import PETS

Record = dict[str, Any]
ORDERS = Collection(
    "orders", "/orders", OwnSchema("id", properties=("id", "a")), owner="shop", filters=("a",)
)


def pet(number: int, status: str | None = None) -> Record:
    made: Record = {"id": number, "name": f"pet {number}", "categoryId": 1}
    return made if status is None else made | {"status": status}


def table_of(collection: Collection, *records: Record) -> Table:
    return make_table(collection, dumped(collection, map(dict, records)))


def ids(store: Store) -> list[int]:
    return [json.loads(row)["id"] for row in store.rows()]


def test_no_pet_can_be_created_after_the_highest_id() -> None:
    store = Store(table_of(PETS, pet(INT64_MAX - 1)), 10)
    assert store.create({"name": "x", "categoryId": 1})[1]["id"] == INT64_MAX

    with pytest.raises(RequestError, match="the highest int64 id is already used") as caught:
        store.create({"name": "x", "categoryId": 1})
    assert caught.value.code == "store_full"
    assert ids(store) == [INT64_MAX - 1, INT64_MAX]


@pytest.mark.parametrize("key", [INT64_MAX, INT64_MAX - 1, SAFE_INTEGER + 1])
def test_a_high_key_of_a_client_does_not_end_creates(key: int) -> None:
    store = Store(table_of(ORDERS, {"id": 1}), 10)
    assert store.create({"id": key})[1]["id"] == key
    assert [store.create({})[1]["id"] for _ in range(3)] == [2, 3, 4]
    store.replace(store.read([{"id": key}, {"id": 7}]))
    assert store.create({})[1]["id"] == 8


def test_the_next_key_follows_the_highest_safe_one_of_a_client() -> None:
    store = Store(table_of(ORDERS, {"id": SAFE_INTEGER + 1}), 10)
    store.create({"id": SAFE_INTEGER})
    assert store.create({})[1]["id"] == SAFE_INTEGER + 2


def test_a_store_is_changed_from_the_first_pet_on() -> None:
    """Also after the pet was deleted, since its ID stays assigned."""
    store = Store(table_of(PETS, pet(1)), 10)
    assert not store.is_changed

    store.create({"name": "x", "categoryId": 1})
    assert store.is_changed
    store.delete("2")
    assert store.is_changed


CHANGES: dict[str, Callable[[Store], object]] = {
    "create": lambda store: store.create({"name": "x", "categoryId": 1}),
    "change": lambda store: store.change("1", lambda record: {**record, "name": "y"}),
    "delete": lambda store: store.delete("1"),
    "replace": lambda store: store.replace(table_of(PETS, pet(5))),
    "restore": lambda store: store.restore(store.save()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_each_change_forgets_the_results_of_a_store(change: Callable[[Store], object]) -> None:
    store = Store(table_of(PETS, pet(1), pet(2)), 10)
    store.create(pet(3))
    store.results["total"] = 3
    before = store.revision
    assert store.results == {"total": 3} and store.revision is before

    change(store)
    assert store.results == {} and store.revision is not before


def test_stores_that_changed_nothing_share_their_results_and_their_revision() -> None:
    start = table_of(PETS, pet(1), pet(2))
    one, other, changed = (Store(start, 10) for _ in range(3))
    changed.delete("1")
    one.results["total"] = 2

    assert other.results == {"total": 2} and other.revision is one.revision
    assert changed.results == {} and changed.revision is not one.revision
    changed.replace(start)
    assert changed.results == {"total": 2} and changed.revision is one.revision


def test_a_session_costs_only_what_it_changes() -> None:
    """200 stores share 10,000 pets; with a copy for each they would take 90 MB."""
    table = table_of(PETS, *map(pet, range(1, 10_001)))
    stores = [Store(table, 10) for _ in range(200)]
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        saved = []
        for store in stores:
            store.create({"name": "x", "categoryId": 1})
            saved.append(store.save())
            store.change("7", lambda old: old | {"status": "sold"})
            store.delete("9")
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()

    assert len(saved) == 200
    assert peak < 200 * 4096
    assert all(store.total() == 10_000 for store in stores)


# --- Against a plain model --------------------------------------------------------------------

MAX_NEW = 3
WHICH = st.integers(0, 1)
VALUE = st.none() | st.integers(0, 9)
TEXT = st.text(max_size=9)


def same_key(key: object) -> object:
    """Return a key so that those which a path cannot tell apart are equal."""
    is_number = re.fullmatch("-?(0|[1-9][0-9]{0,18})", str(key))
    return int(str(key)) if is_number and INT64_MIN <= int(str(key)) <= INT64_MAX else key


def is_equal(one: object, other: object) -> bool:
    """Return whether two values are equal in JSON, where true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


def as_json(record: Record) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()


@dataclass
class Model:
    """The expected contents of a store, now or when it was saved.

    :param base: the records of the shared table; one object for each such table.
    :param records: in order, each with whether it is an unchanged one of the base.
    :param next: the next number of the store.
    """

    base: list[Record]
    records: list[tuple[Record, bool]]
    next: int

    def copy(self) -> Self:
        return replace(self, records=list(self.records))

    def place(self, key: object) -> int | None:
        """Return the position of the record with a key."""
        keys = [same_key(record["id"]) for record, _ in self.records]
        return keys.index(same_key(key)) if same_key(key) in keys else None

    def cost(self, entry: int) -> int:
        own = [record for record, is_base in self.records if not is_base]
        gone = len(self.base) - (len(self.records) - len(own))
        return sum(len(as_json(record)) + entry for record in own) + gone * entry


def rejection(call: Callable[[], object]) -> str | None:
    """Return the error code, but not the exception: its traceback would keep tables alive."""
    try:
        call()
    except RequestError as refusal:
        return refusal.code
    return None


class TwoStores(RuleBasedStateMachine):
    """Two stores with the same base, what was saved of them, and the expected contents of each.

    Each store has a file, which gets what changed since it was last written.
    """

    collection = PETS
    limit = 2500
    filter = "status"
    values: tuple[object, ...] = ("sold", "pending", "available")
    keys: tuple[object, ...] = (None,)

    def __init__(self) -> None:
        super().__init__()
        self.entry = self.collection.entry_bytes
        self.budget = MemoryBudget(self.limit, "records")
        self.budget.count = self.count
        first = [self.record(number, value) for number, value in ((1, 0), (2, None), (5, 0))]
        self.start = table_of(self.collection, *first)
        self.start.size = 0
        self.stores = [Store(self.start, MAX_NEW, self.budget) for _ in range(2)]
        self.first = first
        self.models = [Model(first, [(record, True) for record in first], 6) for _ in range(2)]
        self.saved: list[tuple[Contents, Model]] = []
        self.files: list[tuple[list[bytes], dict[int, bytes | None], int]] = []
        self.files += [([], {}, 0), ([], {}, 0)]
        for which in range(2):
            self.write(which)

    def record(self, key: object, value: int | None, text: str = "x") -> Record:
        """Return a record with a key, unless it is None, and a value that is filtered by."""
        key_part = {} if key is None else {"id": key}
        value_part = {} if value is None else {self.filter: self.values[value % len(self.values)]}
        if self.collection is PETS:
            return {**key_part, "name": text, "categoryId": 1, **value_part}
        return {**key_part, **value_part, "text": text}

    def counts(self, key: object) -> TypeGuard[int]:
        """Return whether later keys exceed a chosen one."""
        return isinstance(key, int) and (self.collection is PETS or key <= SAFE_INTEGER)

    def used(self) -> int:
        """Return the bytes of changes, and of shared tables other than the initial one."""
        models = [*self.models, *(model for _, model in self.saved)]
        bases = {id(model.base): model.base for model in models if model.base is not self.first}
        tables = sum(len(as_json(each)) + self.entry for base in bases.values() for each in base)
        return sum(model.cost(self.entry) for model in self.models) + tables

    def count(self, shared: Iterable[Shared]) -> tuple[int, int]:
        """Return what the stores and what is saved of them hold, as a registry does."""
        tables: set[Shared] = {contents.base for contents, _ in self.saved}
        tables |= {table for store in self.stores for table in (store.start, store.base)}
        held = sum(each.size for each in [*self.stores, *tables])
        return held, sum(each.size for each in {*shared} - tables)

    def becomes(
        self, which: int, model: Model, call: Callable[[], object], new_table: int = 0
    ) -> bool:
        """Make a change that only the budget can reject; return whether it succeeded."""
        more = model.cost(self.entry) - self.models[which].cost(self.entry) + new_table
        if more > 0 and self.used() + more > self.limit:
            assert rejection(call) == "store_full"
            return False
        call()
        self.models[which] = model
        return True

    @rule(
        data=st.data(), which=WHICH, value=st.none() | st.integers(0, 9), text=st.text(max_size=9)
    )
    def create(self, data: st.DataObject, which: int, value: int | None, text: str) -> None:
        key = data.draw(st.sampled_from(self.keys))
        model, store = self.models[which].copy(), self.stores[which]
        new = self.record(key, value, text)
        if len(model.records) - len(model.base) >= MAX_NEW:
            assert rejection(lambda: store.create(new)) == "store_full"
            return
        if key is not None and model.place(key) is not None:
            assert rejection(lambda: store.create(new)) == "conflict"
            return
        if key is None:
            key = model.next
            while model.place(key) is not None:
                key += 1
            if key > INT64_MAX:
                assert rejection(lambda: store.create(new)) == "store_full"
                return
        if self.counts(key) or "id" not in new:
            assert isinstance(key, int)
            model.next = max(model.next, key + 1)
        expected = {"id": key} | new
        model.records.append((expected, False))
        made: list[tuple[bytes, Record]] = []
        if self.becomes(which, model, lambda: made.append(store.create(new))):
            assert made == [(as_json(expected), expected)]

    def any_key(self, data: st.DataObject, which: int) -> object:
        present = [record["id"] for record, _ in self.models[which].records]
        return data.draw(st.sampled_from([*present, 3, 9, "-0", "gone"]))

    @rule(
        data=st.data(), which=WHICH, value=st.none() | st.integers(0, 9), text=st.text(max_size=9)
    )
    def change(self, data: st.DataObject, which: int, value: int | None, text: str) -> None:
        key = self.any_key(data, which)
        model, store = self.models[which].copy(), self.stores[which]
        place = model.place(key)
        if place is None:
            assert rejection(lambda: store.change(str(key), dict)) in ("pet_not_found", "not_found")
            return
        old, _ = model.records[place]
        new = self.record(old["id"], value, text)
        model.records[place] = new, False

        def make(record: Record) -> Record:
            assert record == old
            return new

        made: list[tuple[bytes, Record]] = []
        if self.becomes(which, model, lambda: made.append(store.change(str(key), make))):
            assert made == [(as_json(new), new)]

    @rule(data=st.data(), which=WHICH)
    def delete(self, data: st.DataObject, which: int) -> None:
        key = self.any_key(data, which)
        model, store = self.models[which].copy(), self.stores[which]
        place = model.place(key)
        if place is None:
            assert rejection(lambda: store.delete(str(key))) in ("pet_not_found", "not_found")
            return
        del model.records[place]
        self.becomes(which, model, lambda: store.delete(str(key)))

    @rule(data=st.data(), which=WHICH, count=st.integers(0, 4))
    def replace(self, data: st.DataObject, which: int, count: int) -> None:
        """Replace all records; those without a key get one that the store never assigned."""
        numbers = st.sampled_from([-3, 0, 2, 7, 8, *self.keys]).filter(
            lambda key: self.collection is not PETS or key is not None
        )
        keys = data.draw(st.lists(numbers, max_size=count, unique_by=lambda k: str(same_key(k))))
        model, store = self.models[which], self.stores[which]
        given = {same_key(key) for key in keys if key is not None}
        following = max([model.next, *(key + 1 for key in given if self.counts(key))])
        base = []
        for number, key in enumerate(keys):
            if key is None:
                while following in given:
                    following += 1
                if following > INT64_MAX:
                    return
                key, following = following, following + 1
            base.append(self.record(key, number))
        records = [self.record(key, number) for number, key in enumerate(keys)]
        if self.collection is PETS:
            base.sort(key=lambda record: record["id"])
        size = sum(len(as_json(record)) + self.entry for record in base)
        table = store.read([*map(dict, records)])
        model.next = following
        following = max([following, *(r["id"] + 1 for r in base if self.counts(r["id"]))])
        new = Model(base, [(record, True) for record in base], following)
        self.becomes(which, new, lambda: store.replace(table), size)

    @precondition(lambda self: len(self.saved) < 4)
    @rule(which=WHICH)
    def save(self, which: int) -> None:
        self.saved.append((self.stores[which].save(), self.models[which].copy()))

    @precondition(lambda self: self.saved)
    @rule(which=WHICH, number=st.integers(0, 3))
    def restore(self, which: int, number: int) -> None:
        contents, then = self.saved[number % len(self.saved)]
        model = replace(then.copy(), next=max(then.next, self.models[which].next))
        self.becomes(which, model, lambda: self.stores[which].restore(contents))

    @precondition(lambda self: self.saved)
    @rule(number=st.integers(0, 3))
    def forget(self, number: int) -> None:
        del self.saved[number % len(self.saved)]
        self.budget.note_freed()

    @rule(which=WHICH)
    def fork(self, which: int) -> None:
        """Change everything in a copy; no other store and nothing saved notices."""
        copy = self.stores[which].fork()
        assert copy.rows() == [as_json(record) for record, _ in self.models[which].records]
        for record, _ in self.models[which].records:
            copy.change(str(record["id"]), lambda old: old | {self.filter: self.values[0]})
            copy.delete(str(record["id"]))
        assert copy.rows() == []
        assert rejection(lambda: copy.create(self.record(None, 0))) in (None, "store_full")

    @rule(which=WHICH)
    def write(self, which: int) -> None:
        """Write what changed to the file, and restore all of it in another process."""
        unsaved = self.stores[which].take_unsaved()
        base, changes, _ = self.files[which]
        if (contents := unsaved.contents) is not None:
            base = contents.base.in_order()
            changes = {**dict.fromkeys(contents.gone.rows), **contents.changed.rows}
        changes = {**changes, **unsaved.rows}
        self.files[which] = base, changes, unsaved.next_key
        saved = SavedRecords("", base, changes, unsaved.next_key)
        store = Store(self.start, MAX_NEW)
        store.restore(saved.contents(self.start))
        model = self.models[which]
        assert store.rows() == [as_json(record) for record, _ in model.records]
        assert store.next_key == model.next
        self.filters_agree(store, model)

    def filters_agree(self, store: Store, model: Model) -> None:
        wanted = [*((value,) for value in self.values), self.values[:2], (Decimal("1.0"),), ()]
        for values in wanted:
            filters = {self.filter: {index_key(value): None for value in values}}
            rows = [
                as_json(record)
                for record, _ in model.records
                if self.filter in record
                and any(is_equal(record[self.filter], value) for value in values)
            ]
            assert store.total(filters) == len(rows), values
            assert store.rows(None, filters) == rows, values
            assert store.rows(2, filters) == rows[:2]
        self.filters_by_key_agree(store, model)

    def filters_by_key_agree(self, store: Store, model: Model) -> None:
        """A filter by key finds the records that have it in JSON's sense: 2 is 2.0, not "2"."""
        present = [record["id"] for record, _ in model.records]
        for values in ((), (2,), (Decimal("2.0"),), ("2", "-0", True, None, "gone"), present):
            filters = {"id": {index_key(value): None for value in values}}
            rows = [
                as_json(record)
                for record, _ in model.records
                if any(is_equal(record["id"], value) for value in values)
            ]
            assert store.total(filters) == len(rows), values
            assert store.rows(None, filters) == rows, values
            for record in [record for record, _ in model.records][:1]:
                place = rows.index(as_json(record)) + 1 if as_json(record) in rows else 0
                assert store.rows(None, filters, str(record["id"])) == rows[place:]

    @invariant()
    def contents_are_as_expected(self) -> None:
        for store, model in zip(self.stores, self.models, strict=True):
            rows = [as_json(record) for record, _ in model.records]
            assert store.total() == len(rows)
            assert store.page(3) == b"[" + b",".join(rows[:3]) + b"]"
            assert store.next_key == model.next
            self.filters_agree(store, model)
            for place, (record, _) in enumerate(model.records):
                assert store.get(str(record["id"])) == rows[place]
                assert store.rows(2, after=str(record["id"])) == rows[place + 1 : place + 3]
        for contents, model in self.saved:
            assert contents.rows() == [as_json(record) for record, _ in model.records]
        assert self.start.in_order() == [as_json(record) for record in self.first]

    @invariant()
    def sizes_are_as_expected(self) -> None:
        assert self.count(())[0] == self.used() <= self.limit

    @rule()
    def fill(self) -> None:
        """Take all that is left, and give it back: what was freed since can be used."""
        left = self.limit - self.used()
        assert rejection(lambda: self.budget.take(left + 1)) == "store_full"
        self.budget.take(left)
        self.budget.take(-left)


class TwoStoresOfOrders(TwoStores):
    """The same for records whose keys clients may choose, in the order of their arrival."""

    collection = ORDERS
    limit = 7000
    filter = "a"
    values = (1, "1", True, None, "sold", [1])
    keys = (None, None, 0, "-0", 7, "7", "a", 30, INT64_MAX)


def short(machine: type[RuleBasedStateMachine]) -> Any:
    case = machine.TestCase
    case.settings = settings(max_examples=min(settings().max_examples, 60), stateful_step_count=40)
    return case


TestTwoStores = pytest.mark.slow(short(TwoStores))
TestTwoStoresOfOrders = pytest.mark.slow(short(TwoStoresOfOrders))
