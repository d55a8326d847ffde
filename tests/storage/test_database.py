"""The state file: what is one, who may use it, and how damage is found."""

import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mockpets.errors import InputError
from mockpets.storage.database import TABLES, open_database
from tests.storage.servers import Server, failing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uses locks and permissions")
LONG = pytest.param(10_000, marks=pytest.mark.long)
AWAY = "restore a backup, or move the file away to start with new records"
NO_STATE_FILE = "is not a mockpets state file; use another file, or move it away"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept" / "pets.state"


Content = dict[str, list[tuple[Any, ...]]]


def content(path: Path) -> Content:
    """Return the rows of all tables."""
    database = open_database(path)
    try:
        return {table: database.rows(table) for table in TABLES}
    finally:
        database.close()


def problem(path: Path) -> str:
    """Return the one line with which the file is rejected."""
    with pytest.raises(InputError) as rejected:
        content(path)
    [line] = str(rejected.value).splitlines()
    return line


def fill(path: Path, count: int = 40) -> None:
    """Write a file with all kinds of rows, as a server that was stopped does."""
    server = Server(path)
    for number in range(count):
        server.post("w3", "sold", name=f"pet {number}")
    server.order("w3", petId=3)
    server.post("w4")
    server.store("w4").delete("1")
    server.stop()


def left_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


# --- Rows -------------------------------------------------------------------------------------


def test_only_the_owner_can_read_the_files(path: Path) -> None:
    server = Server(path)
    server.post()
    server.save()

    assert left_in(path.parent) == [*("pets.state", "pets.state-journal")]
    assert {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {0o600}
    server.stop()
    assert left_in(path.parent) == ["pets.state"]


def test_pets_are_not_in_temporary_files_elsewhere(path: Path) -> None:
    database = open_database(path)
    pragmas = {
        name: database.connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("temp_store", "journal_mode", "locking_mode", "synchronous")
    }
    database.close()

    memory, full = 2, 2
    assert pragmas == {
        "temp_store": memory,
        "journal_mode": "truncate",
        "locking_mode": "exclusive",
        "synchronous": full,
    }


# --- Damage -----------------------------------------------------------------------------------


def damage(path: Path) -> str:
    """Return why a server does not start with the file; empty if it starts and can be used."""
    data = path.read_bytes()
    try:
        server = Server(path)
    except InputError as error:
        [line] = str(error).splitlines()
        assert path.read_bytes() == data, "a damaged file was changed"
        return line
    for session in server.sessions.all():
        for stack in ((), ("sold",), ("empty",)):
            server.store(session.name, *stack).rows()
        server.orders(session.name)
    server.crash()
    return ""


@pytest.mark.parametrize("count", [pytest.param(200, marks=pytest.mark.slow), LONG])
def test_a_flipped_bit_is_found_or_harmless(path: Path, count: int) -> None:
    fill(path)
    data, found = path.read_bytes(), 0
    for place in random.Random(7).choices(range(len(data) * 8), k=count):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        found += bool(damage(path))

    assert found > count // 50  # most of the file is free space


def test_damage_in_any_structure_is_found(path: Path) -> None:
    fill(path, 200)
    data = path.read_bytes()
    pages = range(0, len(data), 4096)
    assert len(pages) > 8
    for page in pages:
        start = page + 100 * (page == 0)
        path.write_bytes(data[:start] + b"\xff" * 8 + data[start + 8 :])
        assert damage(path).startswith(f"{path}: is damaged: "), page


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_found(path: Path, part: float) -> None:
    fill(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * part)])

    assert damage(path).endswith(f"; {AWAY}")


@pytest.mark.parametrize(("statement", "message"), [
    ("DELETE FROM file", "a value cannot be read: "),
    ("DELETE FROM bases", "a value cannot be read: "),
    ("UPDATE records SET record = 'x' WHERE place = 4", "a value cannot be read: "),
    ("UPDATE records SET record = '{}' WHERE place = 4", "a value cannot be read: 'id'"),
    ("UPDATE records SET record = '[4]' WHERE place = 4", "a value cannot be read: "),
    ("UPDATE records SET record = CAST(x'ff' AS TEXT)", "Could not decode to UTF-8"),
    ("UPDATE records SET place = 'x' WHERE place = 4", "a value cannot be read: "),
    ("UPDATE sessions SET clock = 'x'", "a value cannot be read: "),
    ("UPDATE sessions SET starts = 'x'", "a value cannot be read: "),
    ("UPDATE sessions SET seed = 'x'", "a value cannot be read: "),
    ("UPDATE collections SET last_key = 'x'", "a value cannot be read: "),
    ("UPDATE sessions SET name = x'ff' WHERE name = 'w4'", "a value cannot be read: "),
    ("UPDATE sessions SET id = x'ff'", "a value cannot be read: "),
    ("UPDATE sessions SET seed = 1e300", "a value cannot be read: "),
    ("UPDATE sessions SET seed = 9e999", "a value cannot be read: "),
    ("UPDATE sessions SET skipped_keys = 9223372036854775807", "a value cannot be read: "),
    ("UPDATE sessions SET clock = '[NaN, NaN]'", "a value cannot be read: "),
    ("UPDATE sessions SET clock = '[1e400, null]'", "a value cannot be read: "),
    ("""UPDATE sessions SET clock = '["x", "y"]'""", "a value cannot be read: "),
    ("UPDATE sessions SET clock = '[" + "[" * 2000 + "'", "a value cannot be read: "),
    ("UPDATE sessions SET starts = '[]'", "a value cannot be read: "),
    ("UPDATE sessions SET starts = '5'", "a value cannot be read: "),
    ("""UPDATE sessions SET starts = '{"pets": "missing"}'""", "a value cannot be read: "),
    ("UPDATE bases SET rows = x'ff'", "a value cannot be read: "),
    ("UPDATE bases SET rows = 'junk'", "a value cannot be read: "),
    ("UPDATE bases SET rows = '[1]'", "a value cannot be read: "),
    ("UPDATE bases SET rows = '{}'", "a value cannot be read: "),
    ("""UPDATE bases SET rows = '{"id": null}'""", "a value cannot be read: "),
    ("""UPDATE records SET record = '{"id": 4, "a": NaN}' WHERE place = 4""", "a value cannot "),
    ("CREATE TABLE more (x)", "the tables are not those of mockpets"),
    ("CREATE TRIGGER t AFTER DELETE ON bases BEGIN DELETE FROM file; END", "the tables are not"),
    ("DROP TABLE records", "the tables are not those of mockpets"),
])  # fmt: skip
def test_values_that_cannot_be_used_are_rejected(path: Path, statement: str, message: str) -> None:
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()

    line = damage(path)
    assert line.startswith(f"{path}: is damaged: ")
    assert message in line
    assert line.endswith(f"; {AWAY}")


# --- Other files ------------------------------------------------------------------------------


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


def of_version(version: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        fill(path)
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
        connection.close()

    return make


@pytest.mark.parametrize(("make", "message"), [
    (lambda path: path.write_bytes(b'{"pets": []}\n'), NO_STATE_FILE),
    (lambda path: path.write_bytes(bytes(8192)), NO_STATE_FILE),
    (foreign, NO_STATE_FILE),
    (of_version(3), f"another version of mockpets wrote it: format 3, not 4; {AWAY}"),
    (of_version(99), f"another version of mockpets wrote it: format 99, not 4; {AWAY}"),
    (Path.mkdir, NO_STATE_FILE),
    (os.mkfifo, NO_STATE_FILE),
], ids=["JSON", "zeros", "foreign", "older", "newer", "folder", "pipe"])  # fmt: skip
def test_other_files_are_rejected_and_left_alone(
    path: Path, make: Callable[[Path], object], message: str
) -> None:
    make(path)
    data = path.read_bytes() if path.is_file() else None

    assert problem(path) == f"--state {path}: {message}"
    assert left_in(path.parent) == ["pets.state"]
    assert data is None or path.read_bytes() == data


def test_unusable_folders_are_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert problem(tmp_path / "none" / "state") == (
        f"--state {tmp_path}/none/state: the folder does not exist; create it first"
    )
    assert problem(tmp_path / "file" / "state") == (
        f"--state {tmp_path}/file/state: cannot be written: Not a directory; SQLite writes the "
        "file and others beside it: use a folder that this user may write to"
    )


@pytest.mark.parametrize("statement", ["PRAGMA application_id = ", "CREATE TABLE ", "COMMIT"])
def test_a_file_that_cannot_be_created_is_created_by_the_next_start(
    path: Path, statement: str
) -> None:
    connect, connection = failing()

    def fails(given: str) -> None:
        if given.startswith(statement):
            raise sqlite3.OperationalError("database or disk is full")

    connection.fails = staticmethod(fails)
    with pytest.raises(InputError, match="cannot be written: database or disk is full;"):
        open_database(path, connect)
    assert path.read_bytes() == b""
    fill(path)
    assert damage(path) == ""


KILLED_AT_START = """
import os, signal, sqlite3, sys
from pathlib import Path
from mockpets.storage.database import open_database
class Connection(sqlite3.Connection):
    def execute(self, statement, *parameters):
        if statement == sys.argv[2]:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(statement, *parameters)
def connect(*arguments, **options):
    return sqlite3.connect(*arguments, factory=Connection, **options)
open_database(Path(sys.argv[1]), connect)
"""


@pytest.mark.parametrize("statement", ["BEGIN EXCLUSIVE", "COMMIT"])
def test_a_start_that_was_killed_leaves_a_file_for_the_next(path: Path, statement: str) -> None:
    run = subprocess.run([sys.executable, "-c", KILLED_AT_START, path, statement], check=False)
    assert run.returncode == -signal.SIGKILL
    fill(path)

    assert left_in(path.parent) == ["pets.state"]
    assert damage(path) == ""


# --- Locks and links --------------------------------------------------------------------------


def test_two_servers_cannot_use_one_file(path: Path, tmp_path: Path) -> None:
    symbolic, hard = tmp_path / "symbolic", tmp_path / "hard"
    first = open_database(path)
    with first.transaction(is_clean=False):
        first.put_all("bases", [("zero", "[]")])
    symbolic.symlink_to(path)
    hard.hardlink_to(path)
    for each in (path, symbolic, hard):
        message = (
            f"--state {each}: in use by another mockpets; stop it, or use another file: each "
            "server needs its own"
        )
        assert problem(each) == message
        script = (
            "import sys, pathlib; from mockpets.storage.database import open_database; "
            "open_database(pathlib.Path(sys.argv[1]))"
        )
        run = subprocess.run(
            [sys.executable, "-c", script, each], capture_output=True, text=True, check=False
        )
        assert run.stderr.splitlines()[-1].endswith(message)
    assert "pets.state-journal" in left_in(path.parent), "the first server still needs it"
    with first.transaction(is_clean=False):
        first.put_all("bases", [("one", "[]")])
    first.close()

    assert content(hard)["bases"] == [("one", "[]"), ("zero", "[]")]


def test_a_loop_of_links_is_rejected(path: Path) -> None:
    other = path.with_name("other")
    path.symlink_to(other)
    other.symlink_to(path)

    hint = "use another file, or remove the links"
    assert problem(path) == f"--state {path}: is a loop of symbolic links; {hint}"
    assert path.is_symlink()
    assert other.is_symlink()
    assert left_in(path.parent) == ["other", "pets.state"]


def test_a_copy_without_its_journal_is_found(path: Path, tmp_path: Path) -> None:
    """The last transaction of a crashed server is undone with the journal."""
    database = open_database(path)

    def put_all(text: str) -> None:
        rows = (("w3", "pets", "", number, text * 100) for number in range(2000))
        database.put_all("records", rows)

    with database.transaction(is_clean=True):
        put_all("x")
    database.connection.execute("PRAGMA cache_size = 1")
    database.connection.execute("BEGIN")
    database.remove("records", "w3", "pets", "", 5)
    put_all("yy")
    copies = [tmp_path / "with" / path.name, tmp_path / "without" / path.name]
    for copy in copies:
        copy.parent.mkdir()
        shutil.copy(path, copy)
    journal = path.with_name("pets.state-journal")
    assert journal.stat().st_size > 0
    shutil.copy(journal, copies[0].parent)
    database.close()

    assert {record for *_, record in content(copies[0])["records"]} == {"x" * 100}
    assert "is damaged" in problem(copies[1])
