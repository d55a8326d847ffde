"""The state file as an SQLite database.

One connection keeps the file locked while the server runs, so that no other program that uses
SQLite can write it, not even by another link. SQLite does not notice a program that ignores the
lock and removes, replaces or shortens the file: `is_unchanged` does. Open the file only through
SQLite: this process loses the lock when it closes a file that it opened in another way.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from mockpets.errors import InputError, invalid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Connect = Callable[..., sqlite3.Connection]

FORMAT: Final = 4
"""The version of the tables; a file with another one is rejected."""
_APPLICATION: Final = 0x6D706574
"""SQLite's ``application_id`` of our files."""
AWAY: Final = "restore a backup, or move the file away to start with new records"
_MODE: Final = 0o600
"""Only the owner: other users of the machine must not read what the records contain."""
TABLES: Final = {
    # One row: whether the last server stopped normally.
    "file": "is_clean INTEGER NOT NULL",
    # Records from which collections start, one row of JSON per line; the name is a digest of them.
    "bases": "name TEXT PRIMARY KEY, rows TEXT NOT NULL",
    # Null stands for what the server starts with.
    "sessions": "name TEXT PRIMARY KEY, id TEXT NOT NULL, active TEXT, seed INTEGER, "
    "clock TEXT, starts TEXT, skipped_keys INTEGER NOT NULL",
    # `giver` is the scenario that gives the content, empty for the session; `last_key` is the
    # highest integer that was assigned, since SQLite cannot store the one after the highest.
    "collections": "session TEXT, label TEXT, giver TEXT, digest TEXT NOT NULL, "
    "base TEXT NOT NULL, last_key INTEGER NOT NULL, PRIMARY KEY (session, label, giver)",
    # What requests changed; `record` is null for a deleted record of the base.
    "records": "session TEXT, label TEXT, giver TEXT, place INTEGER, record TEXT, "
    "PRIMARY KEY (session, label, giver, place)",
}
"""The columns of each table."""
_COLUMNS: Final = {
    name: dict(re.findall(r"(\w+) (TEXT|INTEGER)", columns)) for name, columns in TABLES.items()
}
_SCHEMA: Final = {
    name: f"CREATE TABLE {name} ({columns}){' WITHOUT ROWID' if 'KEY' in columns else ''}"
    for name, columns in TABLES.items()
}


class Database:
    """An open state file, for one thread at a time: `path` as written, `target` without links."""

    def __init__(self, path: Path, target: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.target = target
        self.connection = connection
        self._journal = target.with_name(f"{target.name}-journal")
        self._signature: tuple[int, ...] = _signature(target)

    def close(self) -> None:
        """Close the file and release the lock."""
        with suppress(OSError):
            # The next server needs a journal with content, and that of another file is not ours.
            if self.is_unchanged() and not self._journal.stat().st_size:
                self._journal.unlink()
        self.connection.close()

    def is_unchanged(self) -> bool:
        """Return whether the file is as the last transaction left it; raise OSError if unknown."""
        self.target.parent.stat()
        try:
            return _signature(self.target) == self._signature
        except FileNotFoundError:
            return False

    def replace(self) -> Database:
        """Return a new file in place of this one, or raise `InputError` if it cannot be written."""
        self.close()
        self._signature = ()  # if this fails, the next save tries it again
        if self.target.is_file() and _is_in_use(self.target):
            what = "another mockpets uses the file that was put in its place"
            raise _not_usable(self.path, what, "stop it: each server needs its own file")
        for each in (self.target, self._journal):
            each.unlink(missing_ok=True)
        return open_database(self.path)

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        """Return the rows of a table; raise `InputError` if the file is damaged."""
        execute = self.connection.execute
        # Another program may have written any type: SQLite 3.37 was the first to check them.
        kinds = _COLUMNS[table].items()
        wrong = " OR ".join(f"upper(typeof({n})) NOT IN ('NULL', '{kind}')" for n, kind in kinds)
        try:
            if execute(f"SELECT 1 FROM {table} WHERE {wrong}").fetchone():  # noqa: S608 - names of ours
                raise ValueError(f"a value cannot be read: a row of '{table}' has another type")
            return execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - a name of ours
        except (sqlite3.Error, ValueError) as error:
            raise damaged(self.path, str(error)) from error

    @contextmanager
    def transaction(self, *, is_clean: bool) -> Iterator[None]:
        """Commit the changes made inside, or none of them; `is_clean` if the server then stops."""
        execute = self.connection.execute
        try:
            execute("BEGIN IMMEDIATE")
            yield
            execute("UPDATE file SET is_clean = ?", (int(is_clean),))
            execute("COMMIT")
        except BaseException:
            # SQLite ends some transactions by itself, and the disk may fail again.
            with suppress(sqlite3.Error):
                execute("ROLLBACK")
            raise
        finally:  # a rollback may have written the file too
            with suppress(OSError):  # removed meanwhile; the next check finds that
                now = _signature(self.target)
                if now[:2] == self._signature[:2]:  # else replaced meanwhile
                    self._signature = now

    def put_all(self, table: str, rows: Iterable[tuple[str | int | None, ...]]) -> None:
        """Add rows to a table, or replace those with the same keys."""
        marks = ", ".join("?" * len(_COLUMNS[table]))
        self.connection.executemany(f"REPLACE INTO {table} VALUES ({marks})", rows)  # noqa: S608 - a name of ours

    def remove(self, table: str, *key: str | int) -> None:
        """Remove all rows whose key starts with these values."""
        where = " AND ".join(f"{column} = ?" for column in [*_COLUMNS[table]][: len(key)])
        self.connection.execute(f"DELETE FROM {table} WHERE {where}", key)  # noqa: S608 - columns of ours


def damaged(path: Path, what: str) -> InputError:
    """Return the error for a file that cannot be read."""
    return invalid(str(path), f"is damaged: {what}", AWAY)


def _signature(path: Path) -> tuple[int, ...]:
    """Return what differs after a change of the file by another program."""
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
    """Open the state file, or create it, and lock it; raise `InputError` if that is impossible."""
    target = Path(os.path.realpath(path))  # a link stays one
    if target.is_symlink():  # `realpath` follows all links but those of a loop
        hint = "use another file, or remove the links"
        raise _not_usable(path, "is a loop of symbolic links", hint)
    try:
        # Not with `rwc`, since SQLite would let others read it.
        with suppress(FileExistsError):
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE))
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


def _connect(target: Path, connect: Connect, options: str = "mode=rw") -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(target))}?{options}"
    return connect(uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)


def _check_kind(path: Path, target: Path, connect: Connect) -> None:
    """Check that a file is empty or of our format, without changing it, or raise `InputError`."""
    kind: tuple[int | None, ...] = None, None
    if target.is_file():
        if not os.access(target, os.R_OK | os.W_OK):
            raise PermissionError(None, "Permission denied")
        if not target.stat().st_size:
            return
        try:
            # Takes no lock, and does not undo the last transaction of a crashed program.
            with closing(_connect(target, connect, "mode=ro&immutable=1")) as connection:
                names = ("application_id", "user_version")
                kind = (*(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names),)
        except sqlite3.DatabaseError as error:
            journal = target.with_name(f"{target.name}-journal")
            if journal.exists() and journal.stat().st_size:
                return  # of a server that was killed: `_lock` restores the file and checks it
            if error.sqlite_errorname == "SQLITE_CORRUPT":
                raise damaged(path, str(error)) from error
    if kind[0] != _APPLICATION:
        raise _not_usable(path, "is not a mockpets state file", "use another file, or move it away")
    if kind[1] != FORMAT:
        what = f"another version of mockpets wrote it: format {kind[1]}, not {FORMAT}"
        raise _not_usable(path, what, AWAY)


def _lock(connection: sqlite3.Connection, path: Path) -> None:
    """Lock a file for this connection, and undo the last transaction of a server that crashed.

    Create the tables of an empty file; check those of another one, or raise `InputError`.
    """
    execute, is_locked = connection.execute, False
    try:
        connection.executescript("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY")
        connection.executescript("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        execute("BEGIN EXCLUSIVE")
        if execute("PRAGMA schema_version").fetchone() == (0,):
            execute(f"PRAGMA application_id = {_APPLICATION}")
            execute(f"PRAGMA user_version = {FORMAT}")
            for statement in _SCHEMA.values():
                execute(statement)
            execute("INSERT INTO file VALUES (1)")
        execute("COMMIT")
        execute("PRAGMA locking_mode = EXCLUSIVE")
        execute("BEGIN EXCLUSIVE")
        execute("COMMIT")
        # Not before the lock, since it reads the file. Syncs the end of each transaction too.
        execute("PRAGMA journal_mode = TRUNCATE")
        is_locked = True
        tables = dict(execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL"))
        (result,) = execute("PRAGMA quick_check(1)").fetchone()
    except (sqlite3.Error, ValueError) as error:
        code = getattr(error, "sqlite_errorname", "")
        if code.startswith("SQLITE_BUSY"):
            hint = "stop it, or use another file: each server needs its own"
            raise _not_usable(path, "in use by another mockpets", hint) from error
        if isinstance(error, ValueError):  # SQLite's message quotes a damaged name
            raise damaged(path, "the names of the tables cannot be read") from error
        if is_locked or code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            raise damaged(path, str(error)) from error
        raise not_writable(path, str(error)) from error
    if tables != _SCHEMA:
        raise damaged(path, "the tables are not those of mockpets")
    if result != "ok":
        raise damaged(path, " ".join(str(result).split()))


def reason(error: Exception) -> str:
    """Return why a file cannot be used."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def not_writable(path: Path, why: str) -> InputError:
    """Return the error for a file or a folder that cannot be written."""
    hint = "SQLite writes the file and others beside it: use a folder that this user may write to"
    return _not_usable(path, f"cannot be written: {why}", hint)


def _not_usable(path: Path, what: str, hint: str) -> InputError:
    return invalid(f"--state {path}", what, hint)
