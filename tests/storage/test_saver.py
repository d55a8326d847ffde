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
from mockpets.pets.table import make_table

from mockpets.constants import INT64_MAX
from mockpets.errors import InputError
from mockpets.session import save_progress
from mockpets.storage.saver import RESERVED_IDS
from tests.storage.servers import DISK_ERROR, EMPTY, SOLD, Server, failing, pets, resource, scenario

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
    return server.database.read().rows


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
    server.store("w4").delete(1)
    server.store("w4").change(2, {"name": "Renamed", "status": "sold"})
    server.store("w4").delete(3)
    server.store("default", "sold").change(2, {"name": "Changed"})
    server.session("w3").activate(("empty", "sold"))
    before = {target: server.store(*target).rows(None, 100) for target in TARGETS}
    ids = {name: server.session(name).id for name in ("default", "w3", "w4")}
    assert server.save()
    end(server)

    server = Server(path)
    assert {target: server.store(*target).rows(None, 100) for target in TARGETS} == before
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
    assert [session + stack for session, stack, *_ in rows_in(server)["stores"]] == [
        "default",
        "w3",
    ]
    assert server.names("w3") == ["Ada", "Bo"]
    assert server.names("w3", "sold") == ["Kit", "Tom"]


def test_pets_that_were_replaced_or_restored_come_back(path: Path) -> None:
    server = Server(path)
    store = server.store()
    server.post()
    saved = store.save(None)
    store.replace(make_table(pets("One", "Two", "Three")))
    store.delete(2)
    server.save()
    assert server.post("w3") == 3
    server.stop()
    server = Server(path)
    assert server.names() == ["One", "Three"]
    server.store().restore(saved)
    server.store().change(3, {"name": "Changed"})
    server.stop()

    server = Server(path)
    assert server.names() == ["Ada", "Bo", "Changed"]
    assert rows_in(server)["bases"], "the pets of the saved base are still used"


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
        "session 'w3' has new pets for scenario sold: the file defines others now"
    ]
    assert server.names("w3", "sold") == ["New"]
    assert server.session("w3").id != before
    server.stop()
    server = Server(path, scenario("sold", "New"), EMPTY)
    assert len(messages()) == 1


def test_pets_wait_for_a_missing_scenario(path: Path, messages: Callable[[], list[str]]) -> None:
    server = Server(path)
    server.session("w3").activate(("sold",))
    server.post("w3", "sold")
    server.stop()
    server = Server(path, EMPTY, active=("empty",))
    server.post("w3")
    server.stop()

    assert [text.partition(";")[0] for text in messages()] == [
        "session 'w3' is restored with scenario empty instead of its own: unknown scenario 'sold'",
        "session 'w3' has pets that wait for their scenario: unknown scenario 'sold'",
    ]
    server = Server(path)
    assert server.names("w3", "sold") == ["Kit", "Tom", "Miso"]


def test_scenarios_sent_in_requests_are_not_saved(path: Path) -> None:
    server = Server(path)
    inline = {"inline-1": (scenario("inline-1", "Own"), "text")}
    server.session("w3").activate(("inline-1", "sold"), inline)
    server.post("w3", "inline-1", "sold")
    server.session("w4").inline = {"sold": (SOLD, "")}
    assert server.order("w4") == 2
    server.stop()

    server = Server(path)
    assert server.session("w3").active == ("sold",)
    assert [stack for _, stack, *_ in rows_in(server)["stores"]] == ["", "", ""]
    assert rows_in(server)["parts"] == []


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
        "or move the file away to start with new pets"
    )
    assert path.read_bytes() == data


def test_many_pets_share_their_base(path: Path) -> None:
    names = [f"pet {number}" for number in range(2000)]
    server = Server(path, scenario("sold", *names), start=names)
    for number in range(5):
        server.post(f"w{number}", "sold")
        server.store(f"w{number}").delete(number + 1)
    server.save()
    assert (len(rows_in(server)["bases"]), len(rows_in(server)["pets"])) == (1, 10)
    server.stop()

    assert path.stat().st_size < 400_000
    server = Server(path, scenario("sold", *names), start=names)
    assert server.names("w3") == [*names[:3], *names[4:]]
    for session in server.sessions.all():
        session.own.replace(make_table([]))
        session.reset()
    server.stop()
    server = Server(path)
    assert len(rows_in(server)["bases"]) == 1, "the sessions keep the pets that they had"


# --- How much is written ----------------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 2_000])
def test_one_new_pet_is_one_row(path: Path, size: int) -> None:
    server = Server(path, start=[f"pet {number}" for number in range(size)])
    server.post()
    server.order()
    server.save()
    connection = server.database.connection
    steps: list[str] = []
    before = connection.total_changes
    connection.set_trace_callback(steps.append)
    server.post(name="New")
    server.save()
    connection.set_trace_callback(None)

    writes = [step.split()[:3] for step in steps if step.startswith(("REPLACE", "UPDATE"))]
    assert writes == [
        ["REPLACE", "INTO", "pets"],
        ["REPLACE", "INTO", "sessions"],
        ["UPDATE", "file", "SET"],
    ]
    assert connection.total_changes - before == 3


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


# --- IDs of pets ------------------------------------------------------------------------------


def test_no_id_is_given_twice_after_a_reset_and_a_crash(path: Path) -> None:
    server = Server(path)
    for _ in range(RESERVED_IDS * 3):
        server.post()
    server.save()
    server.session().reset()
    assert server.post() == 3, "a reset restores the IDs too"
    server.crash()
    server = Server(path)  # the reset was not saved
    assert server.post() > RESERVED_IDS * 3
    server.session().reset()
    server.save()
    given = [server.post() for _ in range(RESERVED_IDS + 5)]
    assert given[0] == 3
    server.crash()
    assert Server(path).post() > given[-1]


def test_no_id_is_given_twice_if_pets_are_added_while_a_reset_is_saved(path: Path) -> None:
    connect, connection = failing()
    server = Server(path, connect=connect)
    for _ in range(RESERVED_IDS + 1):
        server.post()
    server.session().reset()
    store, given = server.store(), []

    def add(statement: str) -> None:
        while statement == "COMMIT" and store.has_reserved_id:
            given.append(store.create({"name": "Miso", "categoryId": 2})[0])

    connection.fails = staticmethod(add)
    server.save()
    server.crash()

    assert len(given) == RESERVED_IDS
    assert Server(path).post() > given[-1]


def test_the_highest_id_can_be_given(path: Path) -> None:
    server = Server(path)
    server.store().replace(make_table([{"id": INT64_MAX - 2, "name": "x", "categoryId": 1}]))
    assert server.post() == INT64_MAX - 1
    server.stop()
    server = Server(path)
    assert server.post() == INT64_MAX
    server.stop()
    server = Server(path)
    with pytest.raises(Exception, match="the highest int64 id is already used"):
        server.post()


# --- IDs of sessions --------------------------------------------------------------------------


def test_the_first_change_after_a_stop_gives_new_ids_if_it_is_lost(path: Path) -> None:
    server = Server(path)
    server.post()
    before = server.session().id
    server.stop()
    server = Server(path)
    assert server.session().id == before
    server.store().delete(1)
    server.crash()

    server = Server(path)
    assert server.names() == ["Ada", "Bo", "Miso"]
    assert server.session().id != before


# --- Failing disks ----------------------------------------------------------------------------


def test_after_any_failure_the_file_is_intact_and_the_next_save_works(path: Path) -> None:
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
        server.store("w3").replace(make_table(pets(f"Replaced {number}")))
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

    assert messages() == [f"{path} was deleted; creating it again"]
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
    saved = server.progress.saved
    elsewhere(CHANGES[change], path, backup)
    server.database.connection.execute("PRAGMA shrink_memory")  # which then reads the file again
    wrong = path.read_bytes()
    ids = {name: server.session(name).id for name in ("default", "w3")}

    assert not server.save()
    away = path.with_name("pets.state-changed")
    assert away.read_bytes() == wrong
    assert server.progress.saved == saved
    assert server.progress.trouble == (
        f"another program changed the file; mockpets renamed it to {away.name} and saved all "
        "sessions from memory again"
    )
    assert server.save()
    assert server.progress.saved == server.progress.begun
    server.stop()
    assert left_in(path) == ["pets.state", away.name]
    server = Server(path)
    assert server.names() == ["Ada", "Bo", "First", "Second"]
    assert server.names("w3", "sold") == ["Kit", "Tom", "Third"]
    assert {name: server.session(name).id for name in ids} == ids
    assert messages() == [
        f"another program changed {path}; renamed it to {away.name}, saving all sessions from "
        "memory again"
    ]


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


@pytest.mark.parametrize("is_linked", [False, True])
@pytest.mark.parametrize("replace", REPLACED.values(), ids=REPLACED)
def test_what_took_the_place_of_the_file_is_renamed(
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
    saved = server.progress.saved
    elsewhere(COPY, path, tmp_path / "now")
    path.unlink()
    replace(backup, path)
    before = path.lstat()

    assert not server.save()
    away = path.with_name("pets.state-changed")
    assert os.path.samestat(away.lstat(), before)
    assert server.progress.saved == saved
    assert f"renamed it to {away.name}" in server.progress.trouble
    server.post(name="Third")
    assert server.save()
    server.crash()

    assert Server(used).names() == ["Ada", "Bo", "First", "Second", "Third"]
    assert used.is_symlink() == is_linked


@pytest.mark.parametrize(
    "script", ["os.chmod(sys.argv[1], 0o640)", "os.link(*sys.argv[1:])", "os.utime(sys.argv[1])"]
)
def test_the_file_stays_if_only_its_mode_links_or_time_change(
    path: Path, tmp_path: Path, messages: Callable[[], list[str]], script: str
) -> None:
    server = Server(path)
    for number in range(3):
        server.post(name=f"{number}")
        assert server.save()
        elsewhere(script, path, tmp_path / f"other{number}")
        assert server.save()
    with pytest.raises(subprocess.CalledProcessError):  # the lock is still there
        elsewhere("sqlite3.connect(sys.argv[1], timeout=0).execute('SELECT * FROM pets')", path)
    server.crash()

    assert messages() == []
    assert Server(path).names() == ["Ada", "Bo", "0", "1", "2"]


def test_the_last_changed_file_is_kept(path: Path) -> None:
    other = path.with_name("pets.state-changed-by-me")
    other.write_bytes(b"precious")
    server = Server(path)
    for number in range(3):
        server.post(name=f"{number}")
        elsewhere("open(sys.argv[1], 'w').write(sys.argv[2])", path, number)
        assert not server.save()
    server.crash()

    assert path.with_name("pets.state-changed").read_text() == "2"
    assert other.read_bytes() == b"precious"
    assert Server(path).names() == ["Ada", "Bo", "0", "1", "2"]


def test_a_server_whose_file_is_gone_leaves_the_files_of_another(path: Path) -> None:
    first = Server(path)
    first.post()
    path.unlink()
    second = Server(path)
    second.post()
    assert not first.save()
    assert first.progress.trouble == ("another mockpets uses the file; each server needs its own")
    first.stop()
    assert path.with_name("pets.state-journal").exists(), "the second server still needs it"
    second.stop()

    assert Server(path).names() == ["Ada", "Bo", "Miso"]


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
    assert len(rows_in(server)["pets"]) == 1
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


def test_a_row_that_cannot_be_read_is_reported(path: Path) -> None:
    server = Server(path)
    with server.database.transaction(is_clean=True):
        server.database.put("stores", "default", "sold", "", "missing", 7)
    server.database.close()

    with pytest.raises(InputError, match="cannot be restored: 'missing'; restore a backup, or"):
        Server(path)


# --- Records of resources -------------------------------------------------------------------------


@pytest.mark.parametrize("is_text", [False, True])
def test_no_id_of_a_record_is_assigned_again_after_a_crash(path: Path, is_text: bool) -> None:
    orders = resource(b'{"id":"a"}' if is_text else b'{"id":1}', name="sales")
    scenarios = replace(SOLD, resources=(orders,)), EMPTY
    given: list[object] = []
    for lost in (0, 1, RESERVED_IDS // 2 + 7, RESERVED_IDS * 2):
        server = Server(path, *scenarios)
        given += [server.order(resource=orders) for _ in range(3)]
        server.save()
        given += [server.order(resource=orders) for _ in range(lost)]
        server.crash()

    assert len(given) == len({*given})
    server = Server(path, *scenarios)
    given = [server.order(resource=orders)]
    server.stop()
    server = Server(path, *scenarios)
    following = server.order(resource=orders)
    assert is_text or following == int(str(given[0])) + 1, "a normal stop skips no ID"


def test_a_reset_and_an_undo_of_records_are_saved(path: Path) -> None:
    server = Server(path)
    server.order(petId=7)
    server.save()
    server.sessions.reset(server.session())
    server.save()
    assert rows_in(server)["parts"] == []
    server.sessions.undo.put_back("default")
    server.stop()

    server = Server(path)
    assert server.orders() == [{"id": 1, "petId": 3}, {"id": 2, "petId": 7}]
    server.session().reset()
    server.stop()
    server = Server(path)
    assert server.orders() == [{"id": 1, "petId": 3}]
    assert server.order() == 2


def test_records_of_changed_items_start_again_with_a_warning(
    path: Path, messages: Callable[[], list[str]]
) -> None:
    server = Server(path)
    server.order()
    before = server.session().id
    server.stop()
    changed = replace(SOLD, resources=(resource(b'{"id":5}'),))

    server = Server(path, changed, EMPTY)
    assert server.orders(resource=changed.resources[0]) == [{"id": 5}]
    assert server.session().id != before
    text = "session 'default' has new records for resource sold/orders: its items have changed"
    assert text in messages()


def test_records_wait_for_their_scenario(path: Path, messages: Callable[[], list[str]]) -> None:
    server = Server(path)
    server.order(petId=7)
    server.stop()
    Server(path, EMPTY).stop()
    text = "session 'default' has records that wait for their resource sold/orders"
    assert text in messages()

    assert Server(path).orders() == [{"id": 1, "petId": 3}, {"id": 2, "petId": 7}]
