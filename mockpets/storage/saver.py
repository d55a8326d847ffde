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
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Final

from mockpets.clock import REAL
from mockpets.constants import INT64_MAX
from mockpets.errors import InputError, printable
from mockpets.public.visitor_names import is_visitor
from mockpets.records.saved import changed_rows
from mockpets.records.store import Store, Unsaved
from mockpets.session.save_progress import HURRY_KEYS
from mockpets.session.session import records_without
from mockpets.storage.database import reason
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.records.store import Contents
    from mockpets.records.table import Table
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Place, Session
    from mockpets.storage.database import Database

SAVE_SECONDS: Final = 1.0
"""The interval between two saves; longer if a save takes long."""
_SHARE: Final = 10  # saving takes at most one part in this many of the time
STOP_SECONDS: Final = 5.0
"""How long the last save may take, for example on a disk that does not respond."""
SEPARATOR: Final = "+"
"""Between the scenarios of a stack, as in a base path."""

_REPLACED: Final = "another program changed or removed %s; saving all sessions from memory again"
_log: Final = logging.getLogger("mockpets")


@dataclass(eq=False)
class _SessionFile:
    """What the file has of a session.

    :param bases: the names of the bases of its collections, not the records: those of a deleted
        session must be free at once. `starts` are those of its initial records.
    :param is_new: whether all of it must be written; `restarts` are those of the session then.
    """

    session: Session
    bases: dict[Place, str] = field(default_factory=dict)
    starts: set[str] = field(default_factory=set)
    restarts: int = 0
    is_new: bool = True


class Saver:
    """Saves the sessions of one server to one file.

    :param database: used and closed by the saver's thread once it runs.
    :param bases: the names of those in the file; new sessions skip `skipped_keys`.
    """

    def __init__(
        self, database: Database, sessions: SessionRegistry, bases: Iterable[str], skipped_keys: int
    ) -> None:
        self._database = database
        self._shown = printable(str(database.path))
        self._sessions = sessions
        self._skipped_keys = skipped_keys
        self._progress = sessions.save_progress
        self._files: dict[str, _SessionFile] = {}
        """The sessions of the last save."""
        self._changed_names: set[str] = set()
        """The sessions that have changed since the last save. By name, since a deleted session that
        refers to itself would not free its memory at once."""
        self._saved: set[str] = set()  # the sessions in the file
        self._bases = {*bases}
        self._logged = ""
        self._is_stopping = False
        self.thread: Thread | None = None  # saves from `start` to `stop`

    def track(self, session: Session) -> None:
        """Begin to save a session that is new, or put back, unless it is a visitor's."""
        if not is_visitor(session.name):  # a visitor gets a new name after a restart
            # A server that crashed may have lost a session of this name, and the keys that it gave.
            session.skipped_keys = max(session.skipped_keys, self._skipped_keys)
            session.track(partial(self._note_change, session.name))
            session.note_change()  # a save may have begun since it exists

    def _note_change(self, name: str, unsaved_keys: int) -> None:
        self._changed_names.add(name)
        if unsaved_keys > HURRY_KEYS:
            self._progress.requested.set()

    def _current(self) -> dict[str, _SessionFile]:
        """Return the sessions that exist, by name, and forget the others."""
        files: dict[str, _SessionFile] = {}
        for session in self._sessions.all():
            if not is_visitor(session.name):
                file = self._files.get(session.name)
                if file is None or file.session is not session:
                    file = _SessionFile(session)
                files[session.name] = file
        self._files = files
        return files

    # --- Writing ------------------------------------------------------------------------------

    def save(self) -> None:
        """Write what changed, or could not be written before; log the first of equal failures."""
        self._progress.begin()
        try:
            if not self._database.is_unchanged():
                self._database = self._database.replace()
                _log.warning(_REPLACED, self._shown)
                self._files, self._bases, self._saved = {}, set(), set()
            self._write(is_last=self._is_stopping)
            if not self._database.is_unchanged():
                raise OSError(None, "another program changed the file meanwhile")
            trouble = ""
        except (InputError, OSError, sqlite3.Error) as error:
            trouble = reason(error)
        if trouble and trouble != self._logged:
            what = "cannot save the state to %s: %s; keeping the changes in memory and retrying"
            _log.warning(what, self._shown, trouble)
        elif self._logged and not trouble:
            _log.warning("saving the state to %s works again", self._shown)
        self._logged = trouble
        self._progress.end(trouble)

    def _write(self, *, is_last: bool) -> None:
        """Write the sessions that changed, and remove deleted ones, or raise `sqlite3.Error`."""
        database, changed = self._database, self._changed_names.copy()
        if self._saved and not changed and not is_last:
            return  # creating and deleting a session is a change too
        self._changed_names.difference_update(changed)  # what changes from here on is saved again
        current = self._current()
        files = [file for name, file in current.items() if file.is_new or name in changed]
        bases = self._bases.copy()
        try:
            with database.transaction(is_clean=is_last):
                for name in self._saved - current.keys():
                    database.remove("sessions", name)
                    self._remove(name)
                for file in files:
                    self._write_session(file)
                used = set[str]().union(*(file.starts for file in current.values()))
                used |= {base for file in current.values() for base in file.bases.values()}
                for unused in self._bases - used:
                    database.remove("bases", unused)
                self._bases &= used
        except BaseException:
            self._bases = bases
            self._changed_names.update(changed)
            for file in files:
                file.is_new = True
            raise
        self._saved = {*current}
        for file in files:
            file.is_new = False

    def _write_session(self, file: _SessionFile) -> None:
        database, shared, session = self._database, self._sessions.shared, file.session
        name, inline = session.name, {*session.documents.by_name}
        if file.is_new or file.restarts != session.restarts:
            file.restarts, file.bases = session.restarts, {}
            self._remove(name)
        sources = records_without(inline, session.records())
        for place in file.bases.keys() - sources.keys():
            del file.bases[place]
            self._remove(name, *place)
        for place, (digest, source) in sources.items():
            self._write_records(file, place, digest, source)
        active = tuple(each for each in session.active if each not in inline)
        scenarios = None if active in ((), shared.scenarios) else SEPARATOR.join(active)
        clock = None if session.clock == shared.clock else dump_json(session.clock or REAL).decode()
        starts, file.starts = None, set()
        if session.starts is not shared.starts:
            named = {label: self._write_table(table) for label, table in session.starts.items()}
            starts, file.starts = dump_json(named).decode(), {*named.values()}
        seed = None if session.seed == shared.seed else session.seed
        head = name, session.id, scenarios, seed, clock, starts, session.skipped_keys
        database.put_all("sessions", [head])
        if file.restarts != session.restarts:  # these records are of before
            self._write_session(file)

    def _remove(self, session: str, *place: str) -> None:
        """Remove the records of a session, or of one of its collections."""
        for table in ("collections", "records"):
            self._database.remove(table, session, *place)

    def _write_records(
        self, file: _SessionFile, place: Place, digest: str, source: Store | Contents
    ) -> None:
        """Write what has changed in a collection, or all if the file has other records."""
        base = file.bases.get(place, "")
        if isinstance(source, Store):
            contents, rows, next_key = source.take_unsaved(everything=not base)
        elif not base:
            contents, rows, next_key = Unsaved(source, {}, source.next_key)
        else:
            return
        key = file.session.name, *place
        if contents is not None:
            base, rows = self._write_table(contents.base), changed_rows(contents)
            self._remove(*key)
        collection = *key, digest, base, min(next_key - 1, INT64_MAX)
        self._database.put_all("collections", [collection])
        self._database.put_all(
            "records",
            ((*key, each, None if row is None else row.decode()) for each, row in rows.items()),
        )
        file.bases[place] = base

    def _write_table(self, table: Table) -> str:
        """Write the rows of a table as a base, unless the file has it; return its name."""
        if table.digest not in self._bases:
            rows = b"\n".join(table.in_order()).decode()
            self._database.put_all("bases", [(table.digest, rows)])
            self._bases.add(table.digest)
        return table.digest

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
        pause, is_last = SAVE_SECONDS, False
        while not is_last:
            if not self._is_stopping:
                self._progress.requested.wait(pause)
            is_last, began = self._is_stopping, perf_counter()
            try:
                self.save()
            except Exception:  # noqa: BLE001 - a bug must not end the saving forever
                _log.exception("unexpected error while saving the state; retrying")
                self._progress.end("unexpected error; the log has the details")
            pause = max(SAVE_SECONDS, _SHARE * (perf_counter() - began))
        self.close()

    def close(self) -> None:
        """Close the file; `stop` saves before."""
        self._database.close()
