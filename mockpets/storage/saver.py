"""Keep the state file up to date: a thread that saves what changed, about once a second.

A save writes the changes of all sessions in one transaction. If that fails, the saver logs the
problem once and tries again, with all that the changed sessions have. A change is saved when
`SaveProgress.saved` confirms it, which may be after the response to the request that made it.
"""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from threading import Lock, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Final

from mockpets.clock import REAL
from mockpets.constants import INT64_MAX
from mockpets.errors import InputError, printable
from mockpets.records.saved import changed_rows
from mockpets.records.store import Contents, Store, Unsaved
from mockpets.session.save_progress import HURRY_KEYS
from mockpets.session.visitors import is_visitor
from mockpets.storage.database import reason
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mockpets.records.table import Table
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Place, Session
    from mockpets.storage.database import Database

SAVE_SECONDS: Final = 1.0
"""The interval between two saves; longer if a save takes long."""
_SHARE: Final = 10
"""Saving takes at most one part in this many of the time."""
STOP_SECONDS: Final = 5.0
"""How long the last save may take, for example on a disk that does not respond."""
SEPARATOR: Final = "+"
"""Between the scenarios of a stack, as in a base path."""

_log: Final = logging.getLogger("mockpets")


@dataclass(eq=False)
class _SessionFile:
    """What the file has of a session.

    :param records: the records of each collection, with the name of their base.
    :param starts: the names of the bases of its initial records.
    :param is_new: whether all of it must be written, and any rows of its name removed first.
    """

    session: Session
    records: dict[Place, tuple[Store | Contents, str]] = field(default_factory=dict)
    starts: set[str] = field(default_factory=set)
    is_new: bool = True


class Saver:
    """Saves the sessions of one server to one file.

    :param database: used and closed by the saver's thread once it runs.
    :param bases: the names of the bases in the file.
    :param skipped_keys: how many keys new sessions skip.
    """

    def __init__(
        self,
        database: Database,
        sessions: SessionRegistry,
        bases: Iterable[str] = (),
        skipped_keys: int = 0,
        seconds: float = SAVE_SECONDS,
    ) -> None:
        self._database = database
        self._sessions = sessions
        self._skipped_keys = skipped_keys
        self._seconds = seconds
        self._progress = sessions.save_progress
        self._lock = Lock()
        self._tracked: dict[str, _SessionFile] = {}
        """The latest session of each name; with `_lock`."""
        self._changed_names: set[str] = set()
        """The sessions that have changed since the last save. By name, since a deleted session that
        refers to itself would not free its memory at once."""
        self._saved: set[str] = set()
        """The sessions in the file."""
        self._bases = {*bases}
        """The names of the bases in the file."""
        self._names: dict[Table, str] = {}
        """The names of the tables that are in use."""
        self._logged = ""
        self._is_stopping = False
        self.thread: Thread | None = None
        """Saves until `stop`; None before `start`."""

    # --- Sessions -----------------------------------------------------------------------------

    def track(self, session: Session) -> None:
        """Begin to save a session that is new, or put back, unless it is a visitor's.

        After a restart a visitor gets a new session name, so the old session would be useless.
        """
        if not is_visitor(session.name):
            # A server that crashed may have lost a session of this name, and the keys that it gave.
            session.skipped_keys = max(session.skipped_keys, self._skipped_keys)
            session.track(partial(self._note_change, session.name))
            with self._lock:
                self._tracked[session.name] = _SessionFile(session)

    def _note_change(self, name: str, unsaved_keys: int) -> None:
        self._changed_names.add(name)
        if unsaved_keys > HURRY_KEYS:
            self._progress.requested.set()

    def _current(self) -> dict[str, _SessionFile]:
        """Return the sessions that exist, by name, and forget the others."""
        with self._lock:
            for name, file in [*self._tracked.items()]:
                if self._sessions.get(name) is not file.session:
                    del self._tracked[name]
                    self._changed_names.discard(name)
            return self._tracked.copy()

    # --- Writing ------------------------------------------------------------------------------

    def save(self) -> None:
        """Write what changed, or could not be written before."""
        self._progress.begin()
        try:
            if not self._database.is_unchanged():
                self._replace_database()
            self._write(is_last=self._is_stopping)
            if not self._database.is_unchanged():
                raise OSError(None, "another program changed the file meanwhile")
        except (InputError, OSError, sqlite3.Error) as error:
            self._failed(error)
            return
        if self._logged:
            self._logged = ""
            _log.warning("saving the state to %s works again", self._shown)
        self._progress.end()

    @property
    def _shown(self) -> str:
        return printable(str(self._database.path))

    def _failed(self, error: Exception) -> None:
        """Log why a save failed, unless the last one failed for the same reason."""
        trouble = reason(error)
        if trouble != self._logged:
            self._logged = trouble
            what = "cannot save the state to %s: %s; keeping the changes in memory and retrying"
            _log.warning(what, self._shown, trouble)
        self._progress.end(trouble)

    def _replace_database(self) -> None:
        """Create the file again after another program changed or removed it.

        :raise InputError: it cannot be written, or another server uses the file there.
        """
        self._database = self._database.replace()
        what = "another program changed or removed %s; saving all sessions from memory again"
        _log.warning(what, self._shown)
        self._bases, self._saved = set(), set()
        self._write_again(self._current().values())

    def _write(self, *, is_last: bool) -> None:
        """Write the sessions that changed, and remove deleted ones; an error changes nothing.

        :raise sqlite3.Error: the file cannot be written.
        """
        database, current, changed = self._database, self._current(), self._changed_names.copy()
        # A name may lose its mark to an earlier session of this name, while it is written.
        files = [file for name, file in current.items() if file.is_new or name in changed]
        gone = self._saved - current.keys()
        if not files and not gone and not is_last:
            return
        bases = self._bases.copy()
        try:
            with database.transaction(is_clean=is_last):
                for name in gone:
                    self._remove(name)
                for file in files:
                    self._write_session(file)
                used = set[str]().union(*map(_bases_of, current.values()))
                for unused in self._bases - used:
                    database.remove("bases", unused)
                self._bases &= used
        except BaseException:
            self._bases = bases
            self._write_again(files)
            raise
        self._names = {table: name for table, name in self._names.items() if name in self._bases}
        self._saved = {*current}
        for file in files:
            file.is_new = False

    def _write_again(self, files: Iterable[_SessionFile]) -> None:
        """Have the next save write whole sessions."""
        for file in files:
            file.is_new = True
            self._changed_names.add(file.session.name)

    def _remove(self, session: str) -> None:
        for table in ("sessions", "collections", "records"):
            self._database.remove(table, session)

    def _write_session(self, file: _SessionFile) -> None:
        database, shared, session = self._database, self._sessions.shared, file.session
        name, inline = session.name, session.documents.by_name.keys()
        self._changed_names.discard(name)  # first: what changes from here on is saved again
        if file.is_new:
            self._remove(name)
            file.records = {}
        kept, waiting = session.records()
        sources: dict[Place, tuple[str, Store | Contents]] = {
            **{place: (digest, contents) for place, (digest, contents, _) in waiting.items()},
            **kept,
        }
        sources = {place: each for place, each in sources.items() if not inline & _givers(place)}
        for place in file.records.keys() - sources.keys():
            del file.records[place]
            database.remove("collections", name, *place)
            database.remove("records", name, *place)
        for place, (digest, source) in sources.items():
            self._write_records(file, place, digest, source)
        active = tuple(each for each in session.active if each not in inline)
        scenarios = None if active in ((), shared.scenarios) else SEPARATOR.join(active)
        clock = None
        if session.clock != shared.clock:
            clock = dump_json(session.clock or REAL).decode()
        starts, file.starts = None, set()
        if session.starts is not shared.starts:
            named = {label: self._write_table(table) for label, table in session.starts.items()}
            starts, file.starts = dump_json(named).decode(), {*named.values()}
        seed = None if session.seed == shared.seed else session.seed
        head = name, session.id, scenarios, seed, clock, starts, session.skipped_keys
        database.put_all("sessions", [head])

    def _write_records(
        self, file: _SessionFile, place: Place, digest: str, source: Store | Contents
    ) -> None:
        """Write what has changed in a collection, or all if the file has other records."""
        known, base = file.records.get(place, (None, ""))
        if isinstance(source, Store):
            contents, rows, next_key = source.take_unsaved(everything=known is not source)
        elif known is not source:
            contents, rows, next_key = Unsaved(source, {}, source.next_key)
        else:
            return
        key = file.session.name, *place
        if contents is not None:
            base, rows = self._write_table(contents.base), changed_rows(contents)
            self._database.remove("records", *key)
        last_key = min(next_key - 1, INT64_MAX)
        self._database.put_all("collections", [(*key, digest, base, last_key)])
        self._database.put_all(
            "records",
            ((*key, each, None if row is None else row.decode()) for each, row in rows.items()),
        )
        file.records[place] = source, base

    def _write_table(self, table: Table) -> str:
        """Write the rows of a table as a base, unless the file has it; return its name."""
        name = self._names.get(table)
        if name is None or name not in self._bases:
            rows = table.in_order()
            name = self._names[table] = base_name(rows)
        if name not in self._bases:
            self._database.put_all("bases", [(name, b"\n".join(rows).decode())])
            self._bases.add(name)
        return name

    # --- The thread ---------------------------------------------------------------------------

    def start(self) -> None:
        """Save about once a second on a thread, until `stop`."""
        self.thread = Thread(target=self._run, name="mockpets-state", daemon=True)
        self.thread.start()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Save what is new and close the file; wait at most so many seconds for the disk."""
        self._is_stopping = True
        self._progress.requested.set()
        if self.thread is not None:
            self.thread.join(seconds)
            if self.thread.is_alive():
                _log.error("timed out while saving the state; the last changes may be lost")
            self.thread = None

    def _run(self) -> None:
        pause = self._seconds
        while not self._is_stopping:
            self._progress.requested.wait(pause)
            began = perf_counter()
            self._try()
            pause = max(self._seconds, _SHARE * (perf_counter() - began))
        self._try()  # `stop` may have been called during the last save
        self.close()

    def close(self) -> None:
        """Close the file; a save with `stop` comes before."""
        self._database.close()

    def _try(self) -> None:
        try:
            self.save()
        except Exception:  # noqa: BLE001 - a bug must not end the saving forever
            _log.exception("unexpected error while saving the state; retrying")
            self._progress.end("unexpected error; the log has the details")


def _bases_of(file: _SessionFile) -> set[str]:
    """Return the names of the bases that a session needs."""
    return {*file.starts, *(base for _, base in file.records.values())}


def base_name(rows: Sequence[bytes]) -> str:
    """Return the name of the rows of a base: a digest of them."""
    return blake2b(b"\n".join(rows), digest_size=16).hexdigest()


def _givers(place: Place) -> set[str]:
    """Return the scenarios that define a collection or give it content."""
    label, giver = place
    return {label.partition("/")[0], giver}
