"""What is saved, how much is written, and what a failing disk or a crash leaves."""

import logging
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from mockpets.constants import INT64_MAX
from mockpets.errors import InputError
from mockpets.records.table import Table, make_table, rows_of
from mockpets.session import save_progress
from mockpets.session.save_progress import HURRY_KEYS, SKIPPED_KEYS
from mockpets.session.session_scenarios import Documents
from mockpets.storage.database import TABLES
from tests.pet_store import PETS
from tests.storage.servers import (
    DISK_ERROR,
    EMPTY,
    ORDERS,
    SOLD,
    TEXTS,
    Server,
    failing,
    pets,
    scenario,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uses locks and permissions")
TARGETS = (("default",), ("default", "sold"), ("default", "empty"), ("w3", "empty"), ("w4",))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept" / "pets.state"


@pytest.fixture
def messages(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, "mockpets")
    return lambda: [record.getMessage() for record in caplog.records]


def rows_in(server: Server) -> dict[str, list[Any]]:
    return {table: server.rows(table) for table in TABLES}


def table(*names: str) -> Table:
    """Return the pets with these names, for `Store.replace`."""
    return make_table(PETS, rows_of(pets(*names)))


def left_in(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


# --- What comes back --------------------------------------------------------------------------


@pytest.mark.parametrize("end", [Server.stop, Server.crash])
def test_every_store_of_every_session_comes_back(
    path: Path, messages: Callable[[], list[str]], end: Callable[[Server], None]
) -> None:
    server = Server(path)
    for number in range(3):
        for target in TARGETS:
            server.post(*target, name=f"{number} Zo\u00eb\0\U0001f431")
    server.store("w4").delete("1")
    server.store("w4").change("2", lambda pet: pet | {"name": "Renamed", "status": "sold"})
    server.store("w4").delete("3")
    server.store("default", "sold").change("2", lambda pet: pet | {"name": "Changed"})
    server.session("w3").activate(("empty", "sold"))
    before = {target: server.store(*target).rows() for target in TARGETS}
    ids = {name: server.session(name).id for name in ("default", "w3", "w4")}
    assert server.save()
    end(server)

    server = Server(path)
    assert {target: server.store(*target).rows() for target in TARGETS} == before
    assert server.session("w3").active == ("empty", "sold")
    assert server.names("default", "sold")[:2] == ["Kit", "Changed"]
    for name, before_id in ids.items():
        assert (server.session(name).id == before_id) is (end is Server.stop)
    lost = "the server did not stop normally: the last changes may be lost"
    assert (lost in messages()[-1]) if end is Server.crash else (messages() == [])


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems reject such names")
@pytest.mark.parametrize("name", [os.fsdecode(b"\xff"), "a?mode=memory#%41"])
def test_a_file_may_have_any_name(path: Path, name: str) -> None:
    server = Server(path.with_name(name))
    server.post()
    server.stop()

    assert left_in(path) == [name]
    assert Server(path.with_name(name)).names() == ["Ada", "Bo", "Miso"]


def test_a_reset_removes_the_stores_of_scenarios(path: Path) -> None:
    server = Server(path)
    server.post("w3", "sold")
    server.post("w3", "empty")
    server.post("w3")
    server.stop()
    server = Server(path)
    server.names("w3", "sold")
    server.session("w3").reset()
    server.stop()

    server = Server(path)
    assert server.rows("collections") == server.rows("records") == []
    assert server.names("w3") == ["Ada", "Bo"]
    assert server.names("w3", "sold") == ["Kit", "Tom"]


def test_pets_that_were_replaced_or_restored_come_back(path: Path) -> None:
    server = Server(path)
    store = server.store()
    server.post()
    saved = store.save()
    store.replace(table("One", "Two", "Three"))
    store.delete("2")
    server.save()
    assert server.post("w3") == 3
    server.stop()
    server = Server(path)
    assert server.names() == ["One", "Three"]
    server.store().restore(saved)
    server.store().change("3", lambda pet: pet | {"name": "Changed"})
    server.stop()

    server = Server(path)
    assert server.names() == ["Ada", "Bo", "Changed"]
    assert len(server.rows("bases")) == 1, "the pets of the saved base are still used"


def test_the_initial_records_of_a_session_come_back(
    path: Path, messages: Callable[[], list[str]]
) -> None:
    server = Server(path)
    contents: dict[str, Any] = {"pets": pets("One"), "orders": (b'{"id":8}', b'{"note":"no id"}')}
    starts = server.sessions.shared.starts_with(contents, 7)
    server.session("w3").start_from(7, starts)
    plain = scenario("sold", "Kit", orders=None)
    own = replace(SOLD, data={"pets": SOLD.data["pets"]})  # orders without content
    server.stop()
    for scenarios in ((own, EMPTY), (EMPTY,), (plain,), (EMPTY,)):
        server = Server(path, *scenarios)
        assert server.names("w3") == ["One"]
        assert server.session("w3").seed == 7
        server.post("w3")
        server.session("w3").reset()
        server.stop()
    text = "session 'w3' has initial records of sold/orders that wait for their scenario"
    assert messages().count(text) == 3

    server = Server(path, own, EMPTY)
    assert server.orders("w3") == [{"id": 8}, {"id": 9, "note": "no id"}]
    assert server.order("w3") == 10
    server.session("w3").reset()
    server.stop()
    server = Server(path, own, EMPTY)
    assert server.orders("w3") == [{"id": 8}, {"id": 9, "note": "no id"}]


def test_initial_records_without_the_key_of_the_file_are_dropped_with_a_warning(
    path: Path, messages: Callable[[], list[str]]
) -> None:
    own = replace(SOLD, data={})
    server = Server(path, own)
    starts = server.sessions.shared.starts_with({"orders": (b'{"id":8}',)}, 1)
    server.session("w3").start_from(1, starts)
    server.stop()
    renamed = replace(ORDERS, key="number")
    server = Server(path, replace(own, resources=(renamed,)))

    text = "session 'w3' has no initial records of sold/orders: the file defines others now"
    assert text in messages()
    assert server.orders("w3", renamed) == []


def test_deleted_sessions_do_not_come_back(path: Path) -> None:
    server = Server(path)
    old = server.session("w3").id
    server.post("w3", "sold")
    server.post("w4")
    server.save()
    for name in ("w3", "w4"):
        assert server.sessions.drop(name)
    server.session("w5")
    server.sessions.drop("w5")  # was never saved
    new = server.session("w3").id
    server.stop()

    server = Server(path)
    assert [session.name for session in server.sessions.all()] == ["default", "w3"]
    assert server.names("w3") == ["Ada", "Bo"]
    assert server.session("w3").id == new != old


def test_a_scenario_with_other_pets_starts_with_them(
    path: Path, messages: Callable[[], list[str]]
) -> None:
    server = Server(path)
    before = server.session("w3").id
    server.post("w3", "sold")
    server.stop()

    server = Server(path, scenario("sold", "New"), EMPTY)
    assert messages() == [
        "session 'w3' has new records of pets in scenario sold: the file defines others now"
    ]
    assert server.names("w3", "sold") == ["New"]
    assert server.session("w3").id != before
    server.stop()
    server = Server(path, scenario("sold", "New"), EMPTY)
    assert len(messages()) == 1


def test_records_wait_for_a_missing_scenario(path: Path, messages: Callable[[], list[str]]) -> None:
    server = Server(path)
    server.session("w3").activate(("sold",))
    server.post("w3", "sold")
    server.order("w3", petId=7)
    server.session("w3").store(server.session("w3").stack(("sold",)), ORDERS).delete("1")
    server.stop()
    for end in (Server.stop, Server.crash, Server.stop):
        server = Server(path, EMPTY, active=("empty",))
        server.post("w3")
        server.save()
        os.utime(path)  # all is written again
        server.post("w3")
        assert server.save()
        end(server)

    texts = [text.partition(";")[0] for text in messages() if text.startswith("session")]
    assert texts[:3] == [
        "session 'w3' is restored with scenario empty instead of its own: unknown scenario 'sold'",
        "session 'w3' has records of pets in scenario sold that wait for their scenario",
        "session 'w3' has records of sold/orders in scenario sold that wait for their scenario",
    ]
    server = Server(path)
    assert server.names("w3", "sold") == ["Kit", "Tom", "Miso"]
    assert server.orders("w3") == [{"id": 2, "petId": 7}]
    assert server.post("w3", "sold") == 4 + SKIPPED_KEYS, "one of the servers has crashed"


def test_scenarios_sent_in_requests_are_not_saved(path: Path) -> None:
    server = Server(path)
    inline = {"inline-1": (scenario("inline-1", "Own"), "text")}
    server.session("w3").activate(("inline-1", "sold"), inline)
    server.post("w3", "inline-1", "sold")
    server.session("w4").documents = Documents({"sold": (SOLD, "")})
    assert server.order("w4") == 2
    server.post("w4", "sold")
    server.stop()

    server = Server(path)
    assert server.session("w3").active == ("sold",)
    assert server.rows("collections") == server.rows("records") == []


def test_more_sessions_than_allowed_are_reported(path: Path) -> None:
    server = Server(path)
    for name in ("w3", "w4"):
        server.post(name)
    server.stop()
    data = path.read_bytes()

    with pytest.raises(InputError) as rejected:
        Server(path, limit=2)
    assert str(rejected.value) == (
        f"{path}: has 3 sessions, and --max-sessions allows 2; set --max-sessions to at least 3, "
        "or move the file away to start with new records"
    )
    assert path.read_bytes() == data


def test_many_pets_share_their_base(path: Path) -> None:
    names = [f"pet {number}" for number in range(2000)]
    server = Server(path, scenario("sold", *names), start=names)
    for number in range(5):
        server.post(f"w{number}", "sold")
        server.store(f"w{number}").delete(str(number + 1))
    server.save()
    assert (len(server.rows("bases")), len(server.rows("records"))) == (1, 10)
    server.stop()

    assert path.stat().st_size < 400_000
    server = Server(path, scenario("sold", *names), start=names)
    assert server.names("w3") == [*names[:3], *names[4:]]
    for session in server.sessions.all():
        server.store(session.name).replace(table())
        session.reset()
    server.stop()
    server = Server(path, start=names)
    assert server.rows("bases") == [], "no session uses the base"


def test_a_base_is_removed_with_the_last_session_that_uses_it(path: Path) -> None:
    server = Server(path)
    for session in ("w3", "w4"):
        server.store(session).replace(table("One", "Two"))
    assert server.save()
    assert len(server.rows("bases")) == 1
    server.stop()
    server = Server(path)
    server.sessions.drop("w3")
    assert server.save()
    assert len(server.rows("bases")) == 1
    server.store("w4").replace(table("Three"))
    assert server.save()
    assert [rows for _, rows in server.rows("bases")] == [pets("Three")[0].decode()]
    server.sessions.drop("w4")
    assert server.save()
    assert server.rows("bases") == []


# --- How much is written ----------------------------------------------------------------------

SIZES = [10, 2_000, pytest.param(100_000, marks=pytest.mark.long)]


def replaced(server: Server, size: int) -> None:
    server.store().replace(table(*(f"pet {number}" for number in range(size))))


def added(server: Server, size: int) -> None:
    for number in range(size):
        server.post(name=f"pet {number}")


def waiting(server: Server, size: int) -> None:
    server.store("w3").replace(table(*(f"pet {number}" for number in range(size))))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("prepare", [replaced, added, waiting])
@pytest.mark.parametrize("is_restarted", [False, True])
def test_one_change_is_one_row(
    path: Path, prepare: Callable[[Server, int], None], size: int, is_restarted: bool
) -> None:
    server = Server(path)
    prepare(server, size)
    server.post(name="Last")
    if is_restarted:
        server.stop()
        server = Server(path)
        server.names()
        server.session().note_change()
    assert server.save()

    for change in (
        partial(server.post, name="New"),
        partial(server.store().change, "1", lambda pet: pet | {"name": "Changed"}),
        partial(server.store().delete, "2"),
    ):
        connection = server.database.connection
        steps: list[str] = []
        before = connection.total_changes
        connection.set_trace_callback(steps.append)
        change()
        assert server.save()
        connection.set_trace_callback(None)
        writes = [step.split()[:3] for step in steps if step.startswith(("REPLACE", "UPDATE"))]
        assert writes == [
            ["REPLACE", "INTO", "collections"],
            ["REPLACE", "INTO", "records"],
            ["REPLACE", "INTO", "sessions"],
            ["UPDATE", "file", "SET"],
        ]
        assert connection.total_changes - before == 4
        assert sum(map(len, steps)) < 1000


@pytest.mark.long
def test_a_change_in_63_megabytes_does_not_write_them_again(path: Path) -> None:
    server = Server(path)
    rows = (b'{"id":%d,"note":"%s"}' % (number, b"x" * 64_000) for number in range(1, 1001))
    store = server.store("default", "sold", collection=ORDERS)
    store.replace(make_table(ORDERS, rows_of(rows)))
    assert server.save()
    assert path.stat().st_size > 63_000_000
    server.stop()
    server = Server(path)
    store = server.store("default", "sold", collection=ORDERS)
    steps: list[str] = []
    server.database.connection.set_trace_callback(steps.append)
    store.change("7", lambda order: order | {"note": "changed"})
    assert server.save()

    assert sum(map(len, steps)) < 1000, "neither the base nor other records"
    server.crash()
    assert Server(path).orders()[6] == {"id": 7, "note": "changed"}


def test_a_base_in_the_file_is_not_written_again_at_a_start(path: Path) -> None:
    server = Server(path, start=[f"pet {number}" for number in range(2000)])
    server.post()
    server.stop()
    steps: list[str] = []

    class Traced(sqlite3.Connection):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.set_trace_callback(steps.append)

    Server(path, connect=partial(sqlite3.connect, factory=Traced))
    assert any(step.startswith("REPLACE INTO sessions") for step in steps)
    assert not [step[:50] for step in steps if step.startswith("REPLACE INTO bases")]


def test_without_changes_nothing_is_written(path: Path) -> None:
    server = Server(path)
    server.post()
    server.save()
    data, saved = path.read_bytes(), server.progress.saved
    for _ in range(3):
        server.names("default", "sold")
        assert server.save()

    assert server.progress.saved == saved + 3
    assert path.read_bytes() == data
    server.session("w3")
    assert server.save()
    assert path.read_bytes() != data


# --- Keys after a crash -----------------------------------------------------------------------


def create(server: Server, session: str, kind: str) -> object:
    """Create a record of a kind, and return its key."""
    if kind == "pets":
        return server.post(session)
    if kind == "scenario":
        return server.post(session, "sold")
    return server.order(session, TEXTS if kind == "texts" else ORDERS)


KINDS = ("pets", "scenario", "integers", "texts")
KEYS = replace(SOLD, resources=(ORDERS, TEXTS))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("session", ["default", "w3"])
def test_no_key_is_given_twice_after_crashes(path: Path, kind: str, session: str) -> None:
    given: list[object] = []
    for lost in (0, 1, HURRY_KEYS + 7, SKIPPED_KEYS):
        server = Server(path, KEYS)
        given += [create(server, session, kind) for _ in range(3)]
        server.save()
        given += [create(server, session, kind) for _ in range(lost)]
        server.crash()

    assert len(given) == len({*given})
    server = Server(path, KEYS)
    given = [create(server, session, kind)]
    server.stop()
    server = Server(path, KEYS)
    following = create(server, session, kind)
    assert kind == "texts" or following == int(str(given[0])) + 1, "a normal stop skips no key"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_saved", [False, True])
def test_keys_are_skipped_after_a_crash_also_by_a_later_server(
    path: Path, kind: str, is_saved: bool
) -> None:
    """The server that follows the crash may end before a request asks for the records."""
    server = Server(path, KEYS)
    server.session("w3")
    given = [create(server, "w3", kind) for _ in range(3)] if is_saved else []
    server.save()
    given += [create(server, "w3", kind) for _ in range(3)]
    server.crash()
    Server(path, KEYS).stop()
    Server(path, KEYS).stop()

    assert create(Server(path, KEYS), "w3", kind) not in given


@pytest.mark.parametrize("kind", KINDS)
def test_a_session_that_a_crash_has_lost_gives_no_key_twice(path: Path, kind: str) -> None:
    server = Server(path, KEYS)
    given = [create(server, "new", kind) for _ in range(3)]
    server.crash()
    server = Server(path, KEYS)
    given.append(create(server, "new", kind))
    server.stop()
    server = Server(path, KEYS)
    given += [create(server, "new", kind) for _ in range(3)]
    assert len(given) == len({*given})
    server.stop()
    assert create(Server(path, KEYS), "newer", "pets") == 3, "only after a crash"


def test_a_save_begins_at_once_after_many_new_keys(path: Path) -> None:
    server = Server(path)
    for _ in range(HURRY_KEYS):
        server.post()
    assert not server.progress.requested.is_set()
    server.post()
    assert server.progress.requested.is_set()


def test_no_id_is_given_twice_after_a_reset_and_a_crash(path: Path) -> None:
    server = Server(path)
    for _ in range(SKIPPED_KEYS):
        server.post()
    server.save()
    server.session().reset()
    assert server.post() == 3, "a reset restores the IDs too"
    server.crash()
    server = Server(path)  # the reset was not saved
    assert server.post() > SKIPPED_KEYS
    server.session().reset()
    server.save()
    given = [server.post() for _ in range(SKIPPED_KEYS)]
    assert given[0] == 3
    server.crash()
    assert Server(path).post() > given[-1]


def test_no_id_is_given_twice_if_pets_are_added_while_a_reset_is_saved(path: Path) -> None:
    connect, connection = failing()
    server = Server(path, connect=connect)
    server.post()
    server.session().reset()
    store, given = server.store(), list[Any]()

    def add(statement: str) -> None:
        if statement == "COMMIT":
            given.extend(store.create({"name": "x", "categoryId": 2})[1]["id"] for _ in range(100))

    connection.fails = staticmethod(add)
    server.save()
    server.crash()

    assert len(given) == 100
    assert Server(path).post() > max(given)


@pytest.mark.parametrize("is_restarted", [False, True])
def test_an_undone_reset_gives_no_id_twice(path: Path, is_restarted: bool) -> None:
    server = Server(path)
    server.post("w3", "sold")
    if is_restarted:
        server.stop()
        server = Server(path)
    server.sessions.reset(server.session("w3"))
    given = [server.post("w3", *stack) for stack in ((), ("sold",)) for _ in range(9)]
    server.sessions.undo.put_back("w3")

    assert server.post("w3") not in given
    assert server.post("w3", "sold") not in given


def test_a_deleted_session_that_is_put_back_is_saved_again(path: Path) -> None:
    server = Server(path)
    server.post("w3", name="First")
    server.order("w3", petId=7)
    server.stop()
    server = Server(path)
    server.post("w3", name="Second")
    server.save()
    server.sessions.drop("w3")
    server.save()
    assert {name for name, *_ in server.rows("sessions")} == {"default"}
    server.sessions.undo.put_back("w3")
    server.save()
    server.crash()

    server = Server(path)
    assert server.names("w3") == ["Ada", "Bo", "First", "Second"]
    assert server.orders("w3") == [{"id": 1, "petId": 3}, {"id": 2, "petId": 7}]


def test_an_undone_reset_after_a_crash_gives_no_id_twice(path: Path) -> None:
    server = Server(path)
    server.session("w3")
    server.save()
    given = server.post("w3")
    server.crash()
    server = Server(path)
    server.sessions.reset(server.session("w3"))
    server.sessions.undo.put_back("w3")

    assert server.post("w3") > given


def test_the_highest_id_can_be_given(path: Path) -> None:
    server = Server(path)
    store = server.store()
    store.replace(store.read([{"id": INT64_MAX - 2, "name": "x", "categoryId": 1}]))
    assert server.post() == INT64_MAX - 1
    server.stop()
    server = Server(path)
    assert server.post() == INT64_MAX
    server.stop()
    server = Server(path)
    with pytest.raises(Exception, match="the highest int64 id is already used"):
        server.post()
    server.crash()
    with pytest.raises(Exception, match="the highest int64 id is already used"):
        Server(path).post()


# --- IDs of sessions --------------------------------------------------------------------------


def test_the_first_change_after_a_stop_gives_new_ids_if_it_is_lost(path: Path) -> None:
    server = Server(path)
    server.post()
    before = server.session().id
    server.stop()
    server = Server(path)
    assert server.session().id == before
    server.store().delete("1")
    server.crash()

    server = Server(path)
    assert server.names() == ["Ada", "Bo", "Miso"]
    assert server.session().id != before


# --- Failing disks ----------------------------------------------------------------------------


def test_after_any_failure_the_file_is_intact_and_the_next_save_works(
    path: Path, messages: Callable[[], list[str]]
) -> None:
    connect, connection = failing()
    server = Server(path, connect=connect)
    server.post("w3", "sold", name="First")
    server.save()
    number = 0
    for failing_step in count():
        before, saved = rows_in(server), server.progress.saved
        steps = count()

        def fails(_: str, steps: Iterator[int] = steps, last: int = failing_step) -> None:
            if next(steps) == last:
                raise DISK_ERROR

        number += 1
        server.post("w3", "sold", name=f"New {number}")
        server.store("w3").replace(table(f"Replaced {number}"))
        server.session(f"w{number + 10}" if number < 4 else "w3")
        connection.fails = staticmethod(fails)
        works = server.save()
        connection.fails = staticmethod(lambda _: None)
        if works:
            break
        assert server.progress.trouble == "disk I/O error"
        assert server.progress.saved == saved
        assert rows_in(server) == before
        assert server.save()
        assert (server.progress.trouble, server.progress.saved) == ("", server.progress.begun)
    assert failing_step > 10
    assert not [text for text in messages() if "another program" in text]
    server.crash()

    server = Server(path)
    assert server.names("w3", "sold") == [
        *("Kit", "Tom", "First"),
        *(f"New {each}" for each in range(1, number + 1)),
    ]
    assert server.names("w3") == [f"Replaced {number}"]


KILLED_WHILE_GROWING = """
import resource, signal, sys
from pathlib import Path
from tests.storage.servers import Server
path = Path(sys.argv[1])
server = Server(path)
for number in range(100):
    server.post(name="n" * 100)
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size,) * 2)
server.save()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of a file")
def test_a_kill_while_the_file_grows_is_undone(path: Path) -> None:
    """The first page then has the new size of the file, and the last pages are missing."""
    server = Server(path)
    for number in range(100):
        server.post(name=f"{number}")
    server.stop()
    run = subprocess.run([sys.executable, "-c", KILLED_WHILE_GROWING, path], check=False)
    assert run.returncode == -signal.SIGXFSZ
    assert path.with_name("pets.state-journal").stat().st_size > 0

    assert Server(path).names() == ["Ada", "Bo", *map(str, range(100))]


def _throw(error: Exception, _: str) -> None:
    raise error


def test_a_failing_disk_is_logged_once_and_serving_goes_on(
    path: Path, messages: Callable[[], list[str]]
) -> None:
    connect, connection = failing()
    server = Server(path, connect=connect)
    connection.fails = staticmethod(lambda _: (_ for _ in ()).throw(DISK_ERROR))
    given = [server.post("w3", "sold") for _ in range(3)]
    assert given == [3, 4, 5]
    assert not server.save()
    for reason in ("database or disk is full", "attempt to write a readonly database"):
        error = sqlite3.OperationalError(reason)
        connection.fails = staticmethod(partial(_throw, error))
        assert not server.save()
        assert server.progress.trouble == reason
    connection.fails = staticmethod(lambda _: None)
    assert server.save()
    server.crash()

    retrying = "keeping the changes in memory and retrying"
    assert messages() == [
        f"cannot save the state to {path}: disk I/O error; {retrying}",
        f"cannot save the state to {path}: database or disk is full; {retrying}",
        f"cannot save the state to {path}: attempt to write a readonly database; {retrying}",
        f"saving the state to {path} works again",
    ]
    assert Server(path).names("w3", "sold") == ["Kit", "Tom", "Miso", "Miso", "Miso"]


WRITTEN_AGAIN = "another program changed or removed {}; saving all sessions from memory again"


def test_a_deleted_file_is_created_again(path: Path, messages: Callable[[], list[str]]) -> None:
    server = Server(path)
    server.post("w3", "sold")
    server.save()
    for each in path.parent.iterdir():
        each.unlink()
    server.post()
    assert server.save()
    server.post("w3")
    assert server.save()
    ids = server.session("w3").id
    server.stop()

    assert messages() == [WRITTEN_AGAIN.format(path)]
    server = Server(path)
    assert server.names("w3", "sold") == ["Kit", "Tom", "Miso"]
    assert server.names("w3") == server.names() == ["Ada", "Bo", "Miso"]
    assert server.session("w3").id == ids


def elsewhere(script: str, *arguments: object) -> None:
    """Run a script in another process: closing the file in this one would drop the lock."""
    command = [sys.executable, "-c", f"import os, shutil, sqlite3, sys\n{script}"]
    subprocess.run([*command, *map(str, arguments)], check=True)


COPY, TRUNCATE = "shutil.copyfile(*sys.argv[1:])", "open(sys.argv[1], 'w')"
VACUUM = "sqlite3.connect(sys.argv[2]).execute('VACUUM')"
CHANGES = {
    "truncated": TRUNCATE,
    "touched": "os.utime(sys.argv[1])",
    "one byte": "open(sys.argv[1], 'r+b').write(b'x')",
    "backup": "shutil.copyfile(sys.argv[2], sys.argv[1])",
    "same rows": "shutil.copyfile(*sys.argv[1:])\n" + VACUUM + "\n"
    "shutil.copyfile(sys.argv[2], sys.argv[1])",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_changed_in_place_is_written_again(
    path: Path, tmp_path: Path, messages: Callable[[], list[str]], change: str
) -> None:
    server, backup = Server(path), tmp_path / "backup"
    server.post(name="First")
    server.save()
    elsewhere(COPY, path, backup)
    server.post(name="Second")
    server.post("w3", "sold", name="Third")
    assert server.save()
    elsewhere(CHANGES[change], path, backup)
    server.database.connection.execute("PRAGMA shrink_memory")  # which then reads the file again
    ids = {name: server.session(name).id for name in ("default", "w3")}

    assert server.save()
    assert server.progress.saved == server.progress.begun
    assert server.save()
    server.stop()
    assert left_in(path) == ["pets.state"]
    server = Server(path)
    assert server.names() == ["Ada", "Bo", "First", "Second"]
    assert server.names("w3", "sold") == ["Kit", "Tom", "Third"]
    assert {name: server.session(name).id for name in ids} == ids
    assert messages() == [WRITTEN_AGAIN.format(path)]


REPLACED: dict[str, Callable[[Path, Path], object]] = {
    "mv": lambda backup, path: backup.rename(path),
    "another program's": lambda _, path: path.write_bytes(b"precious"),
    "a copy of itself": lambda backup, path: shutil.copyfile(backup.with_name("now"), path),
    "folder": lambda _, path: path.mkdir(),
    "link": lambda backup, path: path.symlink_to(backup),
    "broken link": lambda backup, path: path.symlink_to(backup.with_name("missing")),
    "loop of links": lambda _, path: path.symlink_to(path),
    "named pipe": lambda _, path: os.mkfifo(path),
}


@pytest.mark.parametrize("is_linked", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("replace", REPLACED.values(), ids=REPLACED)
def test_what_took_the_place_of_the_file_is_replaced(
    path: Path, tmp_path: Path, is_linked: bool, replace: Callable[[Path, Path], object]
) -> None:
    backup, used = tmp_path / "backup", path
    if is_linked:
        used = tmp_path / "link"
        used.symlink_to(path)
    server = Server(used)
    server.post(name="First")
    assert server.save()
    elsewhere(COPY, path, backup)
    server.post(name="Second")
    assert server.save()
    elsewhere(COPY, path, tmp_path / "now")
    path.unlink()
    replace(backup, path)
    kept = backup.exists() and backup.read_bytes()

    server.post(name="Third")
    if path.is_dir() and not path.is_symlink():
        saved = server.progress.saved
        assert not server.save()
        assert server.progress.trouble
        assert server.progress.saved == saved
        path.rmdir()
    assert server.save()
    server.crash()
    assert (backup.exists() and backup.read_bytes()) == kept, "a link was followed"

    assert Server(used).names() == ["Ada", "Bo", "First", "Second", "Third"]
    assert used.is_symlink() == is_linked


def test_a_file_replaced_during_a_save_is_written_again(path: Path, tmp_path: Path) -> None:
    connect, connection = failing()
    server = Server(path, connect=connect)
    server.post(name="First")
    assert server.save()
    elsewhere(COPY, path, tmp_path / "backup")
    saved = server.progress.saved

    def replace(statement: str) -> None:
        if statement == "COMMIT" and (tmp_path / "backup").exists():
            (tmp_path / "backup").rename(path)

    connection.fails = staticmethod(replace)
    server.post(name="Second")
    assert not server.save()
    assert server.progress.saved == saved
    assert server.progress.trouble == "another program changed the file meanwhile"
    assert server.save()
    server.crash()
    assert Server(path).names() == ["Ada", "Bo", "First", "Second"]


@pytest.mark.parametrize("script", ["os.chmod(sys.argv[1], 0o640)", "os.link(*sys.argv[1:])"])
def test_the_file_stays_if_only_its_mode_or_links_change(
    path: Path, tmp_path: Path, messages: Callable[[], list[str]], script: str
) -> None:
    server = Server(path)
    for number in range(3):
        server.post(name=f"{number}")
        assert server.save()
        elsewhere(script, path, tmp_path / f"other{number}")
        assert server.save()
    with pytest.raises(subprocess.CalledProcessError):  # the lock is still there
        elsewhere("sqlite3.connect(sys.argv[1], timeout=0).execute('SELECT * FROM file')", path)
    server.crash()

    assert messages() == []
    assert Server(path).names() == ["Ada", "Bo", "0", "1", "2"]


def test_a_server_whose_file_is_gone_leaves_the_files_of_another(path: Path) -> None:
    first = Server(path)
    first.post()
    path.unlink()
    second = Server(path)
    second.post()
    assert not first.save()
    what = "another mockpets uses the file that was put in its place; stop it: each server needs"
    assert first.progress.trouble == f"--state {path}: {what} its own file"
    first.stop()
    assert path.with_name("pets.state-journal").exists(), "the second server still needs it"
    second.stop()

    assert Server(path).names() == ["Ada", "Bo", "Miso"]


def test_a_server_saves_again_when_the_other_server_has_stopped(path: Path) -> None:
    first = Server(path)
    first.post(name="First")
    path.unlink()
    second = Server(path)
    assert not first.save()
    assert not first.save()
    second.stop()
    assert first.save()
    first.crash()

    assert Server(path).names() == ["Ada", "Bo", "First"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_read_only_folder_is_reported_and_heals(path: Path) -> None:
    server = Server(path)
    server.post(name="First")
    assert server.save()
    path.unlink()
    path.parent.chmod(0o500)
    saved = server.progress.saved
    server.post(name="Second")
    assert not server.save()
    assert "Permission denied" in server.progress.trouble
    assert server.progress.saved == saved
    path.parent.chmod(0o700)
    assert server.save()
    server.crash()

    assert Server(path).names() == ["Ada", "Bo", "First", "Second"]


def test_a_folder_that_was_moved_away_may_come_back(path: Path) -> None:
    away = path.parent.with_name("away")
    server = Server(path)
    server.post()
    server.save()
    path.parent.rename(away)
    server.post()
    assert not server.save()
    assert server.progress.trouble == "No such file or directory"
    away.rename(path.parent)
    assert server.save()
    server.crash()

    assert Server(path).names() == ["Ada", "Bo", "Miso", "Miso"]


def test_a_server_that_cannot_save_does_not_start(path: Path) -> None:
    Server(path).stop()
    connect, connection = failing()
    data = path.read_bytes()

    def fails(statement: str) -> None:
        if statement == "COMMIT":
            raise sqlite3.OperationalError("attempt to write a readonly database")

    def connect_later(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection.fails = staticmethod(fails if "mode=rw" in arguments[0] else lambda _: None)
        return connect(*arguments, **options)

    with pytest.raises(InputError, match="cannot be written: attempt to write a readonly database"):
        Server(path, connect=connect_later)
    assert path.read_bytes() == data


def test_a_full_disk_that_stays_full_at_the_stop_leaves_the_last_save(
    path: Path, messages: Callable[[], list[str]]
) -> None:
    connect, connection = failing()
    server = Server(path, connect=connect)
    server.post(name="Saved")
    server.save()
    before = server.session().id
    server.post(name="Lost")
    connection.fails = staticmethod(lambda _: (_ for _ in ()).throw(DISK_ERROR))
    server.stop()

    server = Server(path)
    assert server.names() == ["Ada", "Bo", "Saved"]
    assert server.session().id != before
    assert server.post() > 4
    assert "cannot save the state" in messages()[0]
    assert "the last changes may be lost" in messages()[1]


# --- The thread -------------------------------------------------------------------------------


def test_a_change_during_a_save_is_part_of_the_next(path: Path) -> None:
    connect, connection = failing()
    server = Server(path, connect=connect)
    during: list[str] = []

    def post(statement: str) -> None:
        if statement.startswith(("REPLACE INTO sessions", "COMMIT")) and len(during) < 2:
            during.append(statement[:7])
            server.store().create({"name": statement[:7], "categoryId": 1})

    server.post(name="Before")
    connection.fails = staticmethod(post)
    assert server.save()
    assert len(server.rows("records")) == 1
    assert server.save()
    server.crash()

    assert Server(path).names() == ["Ada", "Bo", "Before", "REPLACE", "COMMIT"]


def test_a_hanging_disk_blocks_neither_requests_nor_the_stop(
    path: Path, messages: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(save_progress, "STALL_SECONDS", 0.05)
    connect, connection = failing()
    server = Server(path, connect=connect)
    hangs, goes_on = Event(), Event()

    def hang(statement: str) -> None:
        if statement == "COMMIT":
            hangs.set()
            goes_on.wait(10)

    server.store().create({"name": "x", "categoryId": 1})
    connection.fails = staticmethod(hang)
    server.saver.start()
    server.progress.requested.set()
    assert hangs.wait(10)
    server.progress.wait_for_save()
    assert server.progress.trouble == "the disk has not responded for 0 seconds"
    thread = server.saver.thread
    server.saver.stop(0.01)
    goes_on.set()
    assert thread is not None
    thread.join(10)

    assert messages() == ["timed out while saving the state; the last changes may be lost"]


# --- Records of resources -------------------------------------------------------------------------


def test_a_reset_and_an_undo_of_records_are_saved(path: Path) -> None:
    server = Server(path)
    server.order(petId=7)
    server.save()
    server.sessions.reset(server.session())
    server.save()
    assert server.rows("collections") == server.rows("records") == []
    server.sessions.undo.put_back("default")
    server.stop()

    server = Server(path)
    assert server.orders() == [{"id": 1, "petId": 3}, {"id": 2, "petId": 7}]
    server.session().reset()
    server.stop()
    server = Server(path)
    assert server.orders() == [{"id": 1, "petId": 3}]
    assert server.order() == 2


def test_a_reset_and_an_undo_of_waiting_records_are_saved(path: Path) -> None:
    server = Server(path)
    server.order(petId=7)
    server.post()
    server.stop()
    server = Server(path)  # no request asks for the records
    server.sessions.reset(server.session())
    server.save()
    assert server.rows("collections") == server.rows("records") == []
    server.sessions.undo.put_back("default")
    server.save()
    server.crash()

    server = Server(path)
    assert server.orders() == [{"id": 1, "petId": 3}, {"id": 2, "petId": 7}]
    assert server.names() == ["Ada", "Bo", "Miso"]


def test_changed_records_of_a_scenario_come_back(path: Path) -> None:
    server = Server(path)
    for number in range(3):
        server.order(petId=number)
    store = server.store("default", "sold", collection=ORDERS)
    store.change("1", lambda order: order | {"petId": 4})
    store.change("2", lambda order: order | {"petId": 5})
    store.delete("3")
    store.create({"id": "mine", "petId": 6})
    server.order("w3", petId=1)
    other = server.store("w3", "sold", collection=ORDERS)
    other.replace(other.read([{"id": "b"}, {"petId": 8}, {"id": "a"}]))
    other.delete("a")
    before = server.orders(), server.orders("w3")
    server.stop()
    for end in (Server.stop, Server.crash):
        server = Server(path)
        assert (server.orders(), server.orders("w3")) == before
        assert server.save()
        end(server)

    assert [order["id"] for order in Server(path).orders()] == [1, 2, 4, "mine"]


def test_changed_content_starts_again_with_a_warning(
    path: Path, messages: Callable[[], list[str]]
) -> None:
    server = Server(path)
    server.order()
    before = server.session().id
    server.stop()

    server = Server(path, scenario("sold", "Kit", "Tom", orders=[b'{"id":5}']), EMPTY)
    assert server.orders() == [{"id": 5}]
    assert server.session().id != before
    whose = "sold/orders in scenario sold"
    text = f"session 'default' has new records of {whose}: the file defines others now"
    assert text in messages()
