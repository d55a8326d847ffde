"""What one client may send to a collection of a scenario, and what it costs all others."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mockpets import Settings, create_app
from mockpets.records import store, table
from tests.http_client import JSON, Client, InProcess

ORDERS = "/v1/store/orders"
DATA = "/__mockpets/data/orders"
RECORDS = 64
LARGE = b"7" * 4_000  # the longest integer
TEXT = b'"' + b"y" * 64_000 + b'"'
FRACTION = b"1." + b"7" * 65_000
VALUES = "&".join(f"a={number}" for number in range(1_000))
NAMES = "&".join(f"unknown{number}=1" for number in range(1_000))


@pytest.fixture
def call() -> Client:
    """Return a client of a server with a collection of orders."""
    call = Client(InProcess(create_app(Settings())))
    resource = {"path": ORDERS, "filters": ["b"]}
    document = {"scenario": {"description": "d", "resources": [resource]}}
    assert call("PUT", "/__mockpets/scenario", json_body=document, key=None).status == 200
    return call


def add(call: Client, record: bytes) -> None:
    assert call("POST", ORDERS, headers=JSON, body=record).status == 201


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets an entry for each row that is parsed and each value converted."""
    done: list[str] = []

    def counted(name: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def call(value: Any) -> Any:
            done.append(name)
            return function(value)

        return call

    monkeypatch.setattr(store, "parse_row", counted("row", table.parse_row))
    monkeypatch.setattr(store, "index_key", counted("value", table.index_key))
    return done


# 64 records of 65 kB: 1,000 values once took 11 s, and 1,000 names 3.6 s.
@pytest.mark.parametrize(
    "value",
    [LARGE, *(pytest.param(value, marks=pytest.mark.slow) for value in (TEXT, FRACTION))],
    ids=["integer", "text", "fraction"],
)
@pytest.mark.parametrize(
    ("target", "status", "most"),
    [
        (f"{ORDERS}?{VALUES}", 200, 2 * RECORDS + 1),
        (f"{ORDERS}?{NAMES}", 200, RECORDS),
        (f"{ORDERS}?{VALUES}&{NAMES}", 200, 3 * RECORDS + 1),
        (f"{ORDERS}?{VALUES.replace('a=', 'b=')}", 200, 0),
        (f"{DATA}?{VALUES}", 200, 4 * RECORDS + 1),
        (f"{DATA}?{NAMES}", 400, RECORDS),
    ],
    ids=["values", "names", "both", "declared", "control-values", "control-names"],
)
def test_a_query_reads_each_record_a_few_times_whatever_its_length(
    call: Client, work: list[str], value: bytes, target: str, status: int, most: int
) -> None:
    for _ in range(RECORDS):
        add(call, b'{"a": %s}' % value)
    work.clear()
    response = call("GET", target)

    assert response.status == status, response.body[:200]
    assert len(work) <= most


@pytest.mark.parametrize(("query", "found"), [
    ("id=7", ["7"]), ("id=zz", []), ("id=7.0&id=x&id=07&id=null&id=1e1000000", ["7", "x"]),
    ("id=-7", []), ("id=x&a=1", ["x"]), ("id=7&a=2", []), ("id=x&b=1", []),
])  # fmt: skip
def test_a_filter_by_key_reads_only_the_records_with_these_keys(
    call: Client, work: list[str], query: str, found: list[str]
) -> None:
    for _ in range(RECORDS):
        add(call, b'{"a": 1}')
    add(call, b'{"a": 1, "id": "x"}')
    for target in (ORDERS, DATA):
        work.clear()
        page = call("GET", f"{target}?{query}").json
        records = page if target == ORDERS else page["records"]

        assert [str(record["id"]) for record in records] == found
        assert work.count("row") <= 4, "once or twice for each of the two keys"


@pytest.mark.parametrize("text", ["1e1000000", "-1e1000000", "1e-1000000", "1E+999999999", "NaN"])
@pytest.mark.parametrize("name", ["a", "b", "x"])
def test_a_number_that_nothing_can_hold_is_a_filter_like_others(
    call: Client, name: str, text: str
) -> None:
    add(call, b'{"a": 1, "b": 1}')
    found = call("GET", f"{ORDERS}?{name}={text}")
    control = call("GET", f"{DATA}?{name}={text}", key=None)

    # The last one is unknown, which only the control API rejects.
    assert (found.status, len(found.json)) == (200, 1 if name == "x" else 0)
    assert control.status == (400 if name == "x" else 200)


@pytest.mark.parametrize("number", ["1e1000000", "1e-1000000", "7" * 4_000])
@pytest.mark.parametrize("name", ["a", "b"])
def test_a_record_with_such_a_number_is_found_by_it(call: Client, name: str, number: str) -> None:
    add(call, b'{"%s": %s}' % (name.encode(), number.encode()))

    assert call("GET", f"{ORDERS}?{name}={number}").body.count(b'"id"') == 1


# --- Keys -------------------------------------------------------------------------------------


@pytest.fixture
def during(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[], None]], None]]:
    """Return a function that has something done twice while a PUT reads its records."""

    def arrange(act: Callable[[], None]) -> None:
        real = table.make_table

        def make_table(*arguments: Any) -> table.Table:
            act()
            return real(*arguments)

        def dumped(*arguments: Any) -> Any:
            act()
            return table.dumped(*arguments)

        monkeypatch.setattr(store, "make_table", make_table)
        monkeypatch.setattr(store, "dumped", dumped)

    yield arrange
    monkeypatch.undo()


def test_no_id_is_given_twice_if_records_are_added_during_a_put(
    call: Client, during: Callable[[Callable[[], None]], None]
) -> None:
    created: list[int] = []

    def create() -> None:
        created.append(call("POST", ORDERS, json_body={"by": "client"}).json["id"])

    create()
    during(create)
    put = call("PUT", DATA, json_body=[{"by": "put"}, {"id": 9}, {"by": "put"}], key=None)
    assert put.json == {"total": 3}
    create()

    records = call("GET", ORDERS).json
    put_ids = [record["id"] for record in records if record.get("by") == "put"]
    given = [*created, *put_ids]
    assert len(created) == 4
    assert len(put_ids) == 2
    assert len({*given, 9}) == len(given) + 1, given


def test_ids_that_a_path_cannot_tell_apart_are_one_id(call: Client) -> None:
    add(call, b'{"id": "-0"}')
    again = call("POST", ORDERS, json_body={"id": 0})
    both = call("PUT", DATA, json_body=[{"id": "-0"}, {"id": 0}], key=None)

    assert (again.status, again.json["message"]) == (
        409,
        "orders already has a record with the id 0",
    )
    assert (both.status, both.json["message"]) == (
        409,
        "record 2: orders already has a record with the id 0",
    )
    for key in ("0", "-0"):
        assert json.loads(call("GET", f"{ORDERS}/{key}").body) == {"id": "-0"}, key
    assert call("DELETE", f"{ORDERS}/0").status == 204
    assert call("GET", ORDERS).json == []
