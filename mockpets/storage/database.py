"""The state file as an SQLite database in which damage does not go unnoticed.

SQLite checks the structure of a file, but not its content: it misses most flipped bytes. Here each
row has a digest, and the one row of the table `file` has the seal, which is the exclusive or of all
digests. So a changed row and a missing row are both found when the file is read.

The journal is a rollback journal and not a write-ahead log: SQLite ignores what follows a damaged
page of such a log, and with it changes that were reported as saved. One connection keeps the
file locked while the server runs, so that a second server cannot use it, not even by another link.

SQLite does not notice a program that ignores the lock and changes or replaces the file: commits
still succeed. So `is_unchanged` checks it. Open the file only through SQLite: this process loses
the lock when it closes a file that it opened in another way.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from mockpets.errors import InputError, invalid
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Value = str | int | None
    Row = tuple[Value, ...]
    Connect = Callable[..., sqlite3.Connection]

FORMAT: Final = 3
"""The version of the tables; a file with another one is rejected."""
_APPLICATION: Final = 0x6D706574
"""SQLite's ``application_id`` of our files."""
AWAY: Final = "restore a backup, or move the file away to start with new pets"

_MODE: Final = 0o600
"""Only the owner: other users of the machine must not read what the pets contain."""


class _Table(NamedTuple):
    """The columns of a table; the first `keys` are the primary key."""

    columns: tuple[str, ...]
    keys: int


TABLES: Final = {
    # Pets that many stores share, as one JSON array; the name is a digest of them.
    "bases": _Table(("name", "pets"), 1),
    "sessions": _Table(("name", "id", "active", "seed", "start"), 1),
    # `last_id` is the highest ID that the server may have assigned.
    "stores": _Table(("session", "stack", "pets_digest", "base", "last_id"), 2),
    # What requests changed in a store; `pet` is null for a deleted pet of the base.
    "pets": _Table(("session", "stack", "id", "pet"), 3),
    # What else a session keeps, as JSON: `data SCENARIO NAME` has the records of a resource.
    "parts": _Table(("session", "part", "content"), 2),
}


class Content(NamedTuple):
    """What is in a state file.

    :param is_clean: whether the last server stopped normally.
    :param rows: the rows of each table, without their digests.
    """

    is_clean: bool
    rows: dict[str, list[Row]]


def _schema() -> dict[str, str]:
    """Return the statements that create the tables, by name."""
    statements = {}
    for name, table in TABLES.items():
        keys = ", ".join(table.columns[: table.keys])
        parts = [*table.columns, "digest BLOB NOT NULL", f"PRIMARY KEY ({keys})"]
        statements[name] = f"CREATE TABLE {name} ({', '.join(parts)}) WITHOUT ROWID"
    statements["file"] = "CREATE TABLE file (is_clean INTEGER, seal BLOB)"
    return statements


class Database:
    """An open state file. Use it on one thread at a time; `open_database` returns it.

    :param path: as the user wrote it.
    """

    def __init__(self, path: Path, target: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.target = target
        self.connection = connection
        self._seal = 0
        self._content: tuple[int, int] | None = None
        """The `_identity` of what the last transaction left; None before the first."""
        self._signature = _signature(target)

    def close(self) -> None:
        """Close the file and release the lock."""
        journal = self.target.with_name(f"{self.target.name}-journal")
        with suppress(OSError):
            # The next server needs a journal with content, and that of another file is not ours.
            if self._is_ours(self.target.lstat()) and not journal.stat().st_size:
                journal.unlink()
        self.connection.close()

    def _is_ours(self, status: os.stat_result) -> bool:
        return (status.st_dev, status.st_ino) == self._signature[:2]

    def is_unchanged(self) -> bool:
        """Return whether the file exists and has what the last transaction left in it.

        :raise OSError: the folder is missing.
        :raise sqlite3.Error: the file cannot be opened.
        """
        self.target.parent.stat()
        if not os.path.lexists(self.target):
            return False
        if _signature(self.target) == self._signature:
            return True
        with suppress(sqlite3.Error, ValueError):
            _file_row(self.connection)  # SQLite undoes the rest of a failed transaction here
        if _signature(self.target)[:3] == self._signature[:3]:
            # Only the time differs, as also in a shared folder that reports it late.
            disk = _connect(self.target, sqlite3.connect, _READ_ONLY)
            with closing(disk), suppress(sqlite3.Error, ValueError):
                return _identity(disk) == self._content
        return False

    def move_away(self) -> Path:
        """Close the file, and rename what another program made of it; return the new path.

        It replaces what was renamed before.

        :raise OSError: it cannot be renamed, or another program uses it.
        """
        place = self.target
        is_file = place.is_file()  # opening a named pipe would block
        if is_file and not self._is_ours(place.stat()) and _is_in_use(place):
            raise OSError(None, "another mockpets uses the file; each server needs its own")
        away = place.with_name(f"{place.name}-changed")
        journal = place.with_name(f"{place.name}-journal")
        journal_away = away.with_name(f"{away.name}-journal")
        journal_away.unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            # SQLite would undo the transaction of the changed file in the new one.
            if journal.stat().st_size:
                journal.rename(journal_away)
        place.rename(away)
        self.close()
        return away

    # --- Reading ------------------------------------------------------------------------------

    def read(self) -> Content:
        """Return what is in the file.

        :raise InputError: the file is damaged.
        """
        rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        try:
            self._check_structure()
            is_clean, stored_seal = _file_row(self.connection)
            seal = _file_digest(is_clean)
            for name, table in TABLES.items():
                for *values, stored in self.connection.execute(f"SELECT * FROM {name}"):  # noqa: S608 - a name of ours
                    digest = _digest(name, values)
                    seal ^= int.from_bytes(digest)
                    rows[name].append(tuple(values))
                    if digest != stored:
                        key = ", ".join(map(str, values[: table.keys]))
                        raise ValueError(f"the digest of a row is wrong: {name} ({key})")
            if seal != stored_seal:
                raise ValueError("rows are missing or changed")
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise _damaged(self.path, str(error)) from error
        return Content(bool(is_clean), rows)

    def _check_structure(self) -> None:
        """Check that the file has our tables, and let SQLite check its own structures.

        :raise ValueError: a check failed.
        """
        found = dict(self.connection.execute("SELECT name, sql FROM sqlite_master"))
        if found != _schema():
            raise ValueError("the tables are not those of mockpets")
        (result,) = self.connection.execute("PRAGMA integrity_check(1)").fetchone()
        if result != "ok":
            raise ValueError(" ".join(str(result).split()))

    # --- Writing ------------------------------------------------------------------------------

    @contextmanager
    def transaction(self, *, is_clean: bool) -> Iterator[None]:
        """Commit the changes that are made inside, or none of them.

        :param is_clean: whether the server stops afterwards.
        :raise sqlite3.Error: the changes cannot be written.
        """
        execute = self.connection.execute
        try:
            execute("BEGIN IMMEDIATE")
            self._content = self._content or _identity(self.connection)
            before, seal = _file_row(self.connection)
            self._seal = seal ^ _file_digest(before)
            yield
            seal = self._seal ^ _file_digest(int(is_clean))
            values = int(is_clean), seal.to_bytes(_DIGEST_BYTES)
            execute("UPDATE file SET is_clean = ?, seal = ?", values)
            execute("COMMIT")
            self._content = seal, self._content[1]
        except BaseException:
            # SQLite ends some transactions by itself, and the disk may fail again.
            with suppress(sqlite3.Error):
                execute("ROLLBACK")
            raise
        with suppress(OSError):  # deleted meanwhile; the next check finds that
            self._signature = _signature(self.target)

    def put(self, name: str, *values: Value) -> None:
        """Add a row to a table, or replace the row with the same key."""
        table = TABLES[name]
        self._unseal(name, values[: table.keys])
        digest = _digest(name, values)
        self._seal ^= int.from_bytes(digest)
        marks = ", ".join("?" * (len(values) + 1))
        self.connection.execute(f"REPLACE INTO {name} VALUES ({marks})", (*values, digest))  # noqa: S608 - a name of ours

    def remove(self, name: str, *key: Value) -> None:
        """Remove all rows whose key starts with these values."""
        where = self._unseal(name, key)
        self.connection.execute(f"DELETE FROM {name} WHERE {where}", key)  # noqa: S608 - columns of ours

    def _unseal(self, name: str, key: Row) -> str:
        """Take rows out of the seal; return the condition that selects them."""
        where = " AND ".join(f"{column} = ?" for column in TABLES[name].columns[: len(key)])
        rows = self.connection.execute(f"SELECT digest FROM {name} WHERE {where}", key)  # noqa: S608 - columns of ours
        for (digest,) in rows:
            self._seal ^= int.from_bytes(digest)
        return where


_DIGEST_BYTES: Final = 8


def _digest(name: str, values: object) -> bytes:
    return blake2b(dump_json([name, values]), digest_size=_DIGEST_BYTES).digest()


def _file_digest(is_clean: int) -> int:
    return int.from_bytes(_digest("file", (is_clean,)))


def _file_row(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return the values of the table `file`, the seal as a number."""
    rows = connection.execute("SELECT * FROM file").fetchall()
    if len(rows) != 1:
        raise ValueError(f"the table 'file' has {len(rows)} rows, expected 1")
    is_clean, seal = rows[0]
    return is_clean, int.from_bytes(seal)


def _identity(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return what identifies the content of the file and the pages that have it."""
    # `VACUUM` moves rows to other pages, unknown to our connection, and increases the version.
    (version,) = connection.execute("PRAGMA schema_version").fetchone()
    return _file_row(connection)[1], version


def _damaged(path: Path, what: str) -> InputError:
    return invalid(str(path), f"is damaged: {what}", AWAY)


def _signature(path: Path) -> tuple[int, ...]:
    """Return what differs after a change of the file: first its identity, then its size."""
    status = path.lstat()  # a link in its place is another file
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _is_in_use(path: Path) -> bool:
    """Return whether another program has locked a file, which must not be ours: see above."""
    try:
        with closing(_connect(path, sqlite3.connect, "mode=ro")) as connection:
            connection.execute("SELECT * FROM sqlite_master").fetchall()
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
    return False


# --- Opening ----------------------------------------------------------------------------------


def open_database(path: Path, connect: Connect = sqlite3.connect) -> Database:
    """Open the state file, create it if it is missing, and lock it until it is closed.

    :param path: as the user wrote it; a link stays one.
    :raise InputError: the file is in use, is not a state file, or cannot be written.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # `realpath` follows all links but those of a loop
        what, hint = "is a loop of symbolic links", "use another file, or remove the links"
        raise _not_usable(path, what, hint)
    try:
        with _locked_folder(target.parent):
            if not target.exists():
                _create(target, connect)
            _check_kind(path, target, connect)
        connection = _connect(target, connect)
    except FileNotFoundError as error:
        raise _not_usable(path, "the folder does not exist", "create it first") from error
    except (OSError, sqlite3.Error) as error:
        raise not_writable(path, reason(error)) from error
    try:
        _lock(connection, path)
        return Database(path, target, connection)
    except BaseException:
        connection.close()
        raise


@contextmanager
def _locked_folder(folder: Path) -> Iterator[None]:
    """Keep other servers from creating a state file here; OSError if the folder is missing."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        with suppress(OSError):  # the name of a new file, after a power failure
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _create(target: Path, connect: Connect) -> None:
    """Create a state file that is complete when it gets its name, or raise OSError."""
    new = target.with_name(f"{target.name}-new")
    new.unlink(missing_ok=True)
    os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE))
    try:
        with closing(_connect(new, connect)) as connection:
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.execute("BEGIN")
            for statement in _schema().values():
                connection.execute(statement)
            values = 1, _file_digest(1).to_bytes(_DIGEST_BYTES)
            connection.execute("INSERT INTO file VALUES (?, ?)", values)
            connection.execute("COMMIT")
        new.rename(target)
    except (OSError, sqlite3.Error) as error:
        new.unlink(missing_ok=True)
        raise OSError(None, str(error)) from error


_READ_ONLY: Final = "mode=ro&immutable=1"


def _connect(target: Path, connect: Connect, options: str = "mode=rw") -> sqlite3.Connection:
    return connect(
        f"file:{quote(os.fsencode(target))}?{options}",
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
    )


def _check_kind(path: Path, target: Path, connect: Connect) -> None:
    """Check that a file is a state file of our format, without changing it.

    :raise InputError: it is not.
    :raise OSError: it cannot be read.
    """
    no_state_file = _not_usable(
        path, "is not a mockpets state file", "use another file, or move it away"
    )
    if not target.is_file():
        raise no_state_file
    if not os.access(target, os.R_OK | os.W_OK):
        raise PermissionError(None, "Permission denied")
    try:
        # Immutable: takes no lock, and does not undo the last transaction of a crashed program.
        with closing(_connect(target, connect, _READ_ONLY)) as connection:
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.DatabaseError:
        journal = target.with_name(f"{target.name}-journal")
        if journal.exists() and journal.stat().st_size:
            return  # of a program that was killed: `_lock` restores the file, `read` checks it
        application = version = None
    if application != _APPLICATION:
        raise no_state_file
    if version != FORMAT:
        what = f"another version of mockpets wrote it: format {version}, not {FORMAT}"
        raise _not_usable(path, what, AWAY)


_SETTINGS: Final = (
    "locking_mode = EXCLUSIVE",
    "synchronous = FULL",
    "temp_store = MEMORY",
    "trusted_schema = OFF",
    "cell_size_check = ON",
)


def _lock(connection: sqlite3.Connection, path: Path) -> None:
    """Lock a file for this connection, and undo the last transaction of a server that crashed.

    :raise InputError: another program uses it, it is damaged, or it cannot be written.
    """
    try:
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
        # Not before the lock, since it reads the file. Syncs the end of each transaction too.
        connection.execute("PRAGMA journal_mode = TRUNCATE")
    except UnicodeDecodeError as error:  # SQLite's message quotes a damaged name
        raise _damaged(path, "the names of the tables cannot be read") from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "")
        if code.startswith("SQLITE_BUSY"):
            hint = "stop it, or use another file: each server needs its own"
            raise _not_usable(path, "in use by another mockpets", hint) from error
        if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            raise _damaged(path, str(error)) from error
        raise not_writable(path, str(error)) from error


def reason(error: Exception) -> str:
    """Return why a file cannot be used."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def not_writable(path: Path, why: str) -> InputError:
    """Return the error for a file or a folder that cannot be written."""
    hint = "SQLite writes the file and others beside it: use a folder that this user may write to"
    return _not_usable(path, f"cannot be written: {why}", hint)


def _not_usable(path: Path, what: str, hint: str) -> InputError:
    return invalid(f"--state {path}", what, hint)
