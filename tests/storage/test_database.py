"""The state file: what is one, who may use it, and how damage is found."""

import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mockpets.errors import InputError
from mockpets.storage.database import Content, open_database
from tests.storage.servers import Server, failing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uses locks and permissions")
LONG = pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.long])
AWAY = "restore a backup, or move the file away to start with new pets"
NO_STATE_FILE = "is not a mockpets state file; use another file, or move it away"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept" / "pets.state"


def content(path: Path) -> Content:
    database = open_database(path)
    try:
        return database.read()
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
    server.store("w4").delete(1)
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


def damaged_or_same(path: Path, data: bytes, good: Content) -> bool:
    """Write a file; return whether it is rejected and left unchanged, and not just the same."""
    path.write_bytes(data)
    try:
        now = content(path)
    except InputError:
        assert path.read_bytes() == data, "a damaged file was changed"
        return True
    assert (now.rows, now.is_clean) == (good.rows, good.is_clean), "damage was not found"
    return False


@pytest.mark.parametrize("count", [200, LONG])
def test_a_flipped_bit_is_found_or_harmless(path: Path, count: int) -> None:
    fill(path)
    data, good = path.read_bytes(), content(path)
    found = 0
    for place in random.Random(7).choices(range(len(data) * 8), k=count):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        found += damaged_or_same(path, bytes(flipped), good)

    assert found > count // 20  # most of the file is free space


def test_a_flipped_byte_in_any_row_is_found(path: Path) -> None:
    fill(path, 8)
    data, good = path.read_bytes(), content(path)
    texts = [
        str(value).encode() for rows in good.rows.values() for row in rows for value in row if value
    ]
    for text in texts:
        place = data.find(text)
        if len(text) > 3 and place > 0:
            flipped = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
            assert damaged_or_same(path, flipped, good), text


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_found(path: Path, part: float) -> None:
    fill(path)
    data, good = path.read_bytes(), content(path)

    assert damaged_or_same(path, data[: int(len(data) * part)], good)


@pytest.mark.parametrize(("statement", "message"), [
    ("DELETE FROM pets WHERE id = 4", "rows are missing or changed"),
    ("DELETE FROM sessions", "rows are missing or changed"),
    ("UPDATE file SET is_clean = 0", "rows are missing or changed"),
    ("DELETE FROM file", "the table 'file' has 0 rows, expected 1"),
    ("UPDATE pets SET pet = 'x' WHERE id = 4", "the digest of a row is wrong: pets (w3, sold, 4)"),
    ("UPDATE pets SET pet = x'ff' WHERE id = 4", "is not JSON serializable"),
    ("UPDATE pets SET pet = CAST(x'ff' AS TEXT) WHERE id = 4", "Could not decode to UTF-8"),
    ("CREATE TABLE more (x)", "the tables are not those of mockpets"),
    ("CREATE TRIGGER t AFTER DELETE ON pets BEGIN DELETE FROM pets; END", "the tables are not"),
    ("DROP TABLE pets", "the tables are not those of mockpets"),
])  # fmt: skip
def test_changes_by_other_programs_are_rejected(path: Path, statement: str, message: str) -> None:
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    data = path.read_bytes()

    line = problem(path)
    assert line.startswith(f"{path}: is damaged: ")
    assert message in line
    assert line.endswith(f"; {AWAY}")
    assert path.read_bytes() == data


# --- Other files ------------------------------------------------------------------------------


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


def newer(path: Path) -> None:
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


@pytest.mark.parametrize(("make", "message"), [
    (lambda path: path.write_bytes(b""), NO_STATE_FILE),
    (lambda path: path.write_bytes(b'{"pets": []}\n'), NO_STATE_FILE),
    (lambda path: path.write_bytes(bytes(8192)), NO_STATE_FILE),
    (foreign, NO_STATE_FILE),
    (newer, f"another version of mockpets wrote it: format 99, not 3; {AWAY}"),
    (Path.mkdir, NO_STATE_FILE),
    (os.mkfifo, NO_STATE_FILE),
], ids=["empty", "JSON", "zeros", "foreign", "newer", "folder", "pipe"])  # fmt: skip
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
def test_a_file_that_cannot_be_created_leaves_nothing(path: Path, statement: str) -> None:
    connect, connection = failing()

    def fails(given: str) -> None:
        if given.startswith(statement):
            raise sqlite3.OperationalError("database or disk is full")

    connection.fails = staticmethod(fails)
    with pytest.raises(InputError, match="cannot be written: database or disk is full;"):
        open_database(path, connect)
    assert left_in(path.parent) == []


def test_what_a_killed_start_left_is_replaced(path: Path) -> None:
    path.with_name("pets.state-new").write_bytes(b"half")
    fill(path)

    assert left_in(path.parent) == ["pets.state"]


# --- Locks and links --------------------------------------------------------------------------


def test_two_servers_cannot_use_one_file(path: Path, tmp_path: Path) -> None:
    symbolic, hard = tmp_path / "symbolic", tmp_path / "hard"
    first = open_database(path)
    with first.transaction(is_clean=False):
        first.put("bases", "zero", "[]")
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
        first.put("bases", "one", "[]")
    first.close()

    assert content(hard).rows["bases"] == [("one", "[]"), ("zero", "[]")]


def test_a_loop_of_links_is_rejected(path: Path) -> None:
    other = path.with_name("other")
    path.symlink_to(other)
    other.symlink_to(path)

    hint = "use another file, or remove the links"
    assert problem(path) == f"--state {path}: is a loop of symbolic links; {hint}"
    assert path.is_symlink()
    assert other.is_symlink()
    assert left_in(path.parent) == ["other", "pets.state"]


def test_a_link_in_place_of_a_new_file_is_not_followed(path: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    path.with_name("pets.state-new").symlink_to(victim)
    fill(path)

    assert victim.read_bytes() == b"precious"


def test_a_copy_without_its_journal_is_found(path: Path, tmp_path: Path) -> None:
    """The last transaction of a crashed server is undone with the journal."""
    database = open_database(path)
    with database.transaction(is_clean=True):
        for number in range(2000):
            database.put("pets", "w3", "", number, "x" * 100)
    database.connection.execute("PRAGMA cache_size = 1")
    database.connection.execute("BEGIN")
    database.remove("pets", "w3", "", 5)
    for number in range(2000):
        database.put("pets", "w3", "", number, "y" * 100)
    copies = [tmp_path / "with" / path.name, tmp_path / "without" / path.name]
    for copy in copies:
        copy.parent.mkdir()
        shutil.copy(path, copy)
    journal = path.with_name("pets.state-journal")
    assert journal.stat().st_size > 0
    shutil.copy(journal, copies[0].parent)
    database.close()

    assert {pet for *_, pet in content(copies[0]).rows["pets"]} == {"x" * 100}
    assert "is damaged" in problem(copies[1])


def test_a_file_that_is_moved_away_takes_its_journal_along(path: Path) -> None:
    database = open_database(path)
    with database.transaction(is_clean=True):
        for number in range(2000):
            database.put("pets", "w3", "", number, "x" * 100)
    database.connection.execute("PRAGMA cache_size = 1")
    database.connection.execute("BEGIN")
    database.remove("pets", "w3", "")
    assert path.with_name("pets.state-journal").stat().st_size > 0
    away = database.move_away()

    assert content(path).rows["pets"] == []
    assert {pet for *_, pet in content(away).rows["pets"]} == {"x" * 100}
