"""Keep the state file up to date: a thread that saves what changed, about once a second.

A save writes the changes of all sessions in one transaction. If that fails, the saver logs the
problem once and tries again, with all that the changed sessions have. A change is saved when
`SaveProgress.saved` confirms it, which may be after the response to the request that made it.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import INT64_MAX
from mockpets.errors import InputError, printable
from mockpets.session.data import part_text
from mockpets.session.visitors import is_visitor
from mockpets.storage.database import open_database, reason
from mockpets.storage.records import SEPARATOR, base_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mockpets.pets.store import Saved, Store
    from mockpets.pets.table import Table
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Session
    from mockpets.storage.database import Database
    from mockpets.storage.records import Names, SessionRecord

SAVE_SECONDS: Final = 1.0
"""The interval between two saves; longer if a save takes long."""
_SHARE: Final = 10
"""Saving takes at most one part in this many of the time."""
STOP_SECONDS: Final = 5.0
"""How long the last save may take, for example on a disk that does not respond."""
RESERVED_IDS: Final = 1000
"""The IDs of a store or a resource that the file reserves at once; a crash skips unused ones."""

_log: Final = logging.getLogger("mockpets")


@dataclass
class _StoreFile:
    """What the file has of a store.

    :param base: the base of its pets; None if all pets must be written.
    :param last_id: the highest ID that the file has reserved.
    """

    store: Store
    base: Table | None = None
    last_id: int = -1


@dataclass(eq=False)
class _SessionFile:
    """What the file has of a session.

    :param stores: by the names of their stack.
    :param is_new: whether all of it must be written, and any rows of its name removed first.
    """

    session: Session
    stores: dict[Names, _StoreFile] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)
    start: Table | None = None
    is_new: bool = True

    def confirm(self, *, spare: int) -> None:
        """Note that the session is saved, with so many IDs of each resource in reserve."""
        self.is_new = False
        self.session.data.reserve(self.parts, spare=spare, is_saved=True)
        for file in self.stores.values():
            file.store.reserve(file.last_id + 1)


class Saver:
    """Saves the sessions of one server to one file.

    :param database: used and closed by the saver's thread once it runs.
    :param bases: the tables of pets that the file has, by name.
    """

    def __init__(
        self,
        database: Database,
        sessions: SessionRegistry,
        bases: Mapping[str, Table],
        seconds: float = SAVE_SECONDS,
    ) -> None:
        self._database = database
        self._sessions = sessions
        self._bases = {table: name for name, table in bases.items()}
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
        self._logged = ""
        self._changed = ""
        """That another program changed the file, until all sessions are written again."""
        self._is_stopping = False
        self.thread: Thread | None = None
        """Saves until `stop`; None before `start`."""

    # --- Sessions -----------------------------------------------------------------------------

    def track(self, session: Session) -> None:
        """Begin to save a session that is new, or put back, unless it is a visitor's.

        After a restart a visitor gets a new session name, so the old session would be useless.
        """
        if not is_visitor(session.name):
            session.track(partial(self._changed_names.add, session.name))
            with self._lock:
                self._tracked[session.name] = _SessionFile(session)

    def adopt(self, records: Iterable[SessionRecord]) -> None:
        """Begin to save the sessions that exist already.

        :param records: what the file has of them.
        """
        for session in self._sessions.all():
            self.track(session)
        for record in records:
            self._saved.add(record.name)
            file = self._tracked[record.name]
            stores = file.session.stores()
            if not stores.keys() >= record.stores.keys():
                continue  # a scenario defines other pets now
            file.is_new = False
            self._changed_names.add(record.name)  # the file is not clean from now on
            file.parts = dict.fromkeys(record.parts)  # to be written again, to reserve IDs
            for names, each in record.stores.items():
                stores[names].store.take_unsaved()  # the file has all of it
                known = _StoreFile(stores[names].store, each.pets.shared, each.last_id)
                file.stores[names] = known

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
        progress = self._progress
        progress.begin()
        try:
            if not self._database.is_unchanged():
                if os.path.lexists(self._database.target):
                    self._move_away()
                self._replace_database()
            self._write(is_last=self._is_stopping)
        except (InputError, OSError, sqlite3.Error) as error:
            self._failed(error)
            return
        if self._changed:
            # Only the next save is confirmed, so that a client sees the problem.
            progress.end(self._changed)
            self._changed = ""
            return
        if self._logged:
            self._logged = ""
            _log.warning("saving the state to %s works again", self._shown)
        progress.end()

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

    def _move_away(self) -> None:
        """Rename the file that another program changed or put in its place, or raise OSError."""
        away = printable(self._database.move_away().name)
        self._changed = (
            f"another program changed the file; mockpets renamed it to {away} and saved all "
            "sessions from memory again"
        )
        what = "another program changed %s; renamed it to %s, saving all sessions from memory again"
        _log.warning(what, self._shown, away)

    def _replace_database(self) -> None:
        """Create the file again after it was deleted or renamed, or raise `InputError`."""
        self._database.close()
        self._database = open_database(self._database.path)
        if not self._changed:
            _log.warning("%s was deleted; creating it again", self._shown)
        self._bases, self._saved = {}, set()
        self._write_again(self._current().values())

    def _write(self, *, is_last: bool) -> None:
        """Write the sessions that changed, and remove deleted ones; an error changes nothing.

        :param is_last: whether the server stops afterwards, so that no IDs need to be reserved.
        :raise sqlite3.Error: the file cannot be written.
        """
        database, bases, current = self._database, self._bases.copy(), self._current()
        changed = self._changed_names.copy()
        # A name may lose its mark to an earlier session of this name, while it is written.
        files = [
            file for name, file in current.items() if is_last or file.is_new or name in changed
        ]
        gone = self._saved - current.keys()
        if not files and not gone:
            return
        try:
            with database.transaction(is_clean=is_last):
                for name in gone:
                    self._remove(name)
                for file in files:
                    self._write_session(file, bases, is_last=is_last)
                for unused in bases.keys() - _used_bases(current.values()):
                    name = bases.pop(unused)
                    if name not in bases.values():
                        database.remove("bases", name)
        except BaseException:
            self._write_again(files)
            raise
        self._bases, self._saved = bases, {*current}
        for file in files:
            file.confirm(spare=0 if is_last else RESERVED_IDS)

    def _write_again(self, files: Iterable[_SessionFile]) -> None:
        """Have the next save write whole sessions."""
        for file in files:
            file.is_new = True
            for store in file.stores.values():
                store.base = None

    def _remove(self, session: str) -> None:
        for table in ("sessions", "stores", "pets", "parts"):
            self._database.remove(table, session)

    def _write_session(self, file: _SessionFile, bases: dict[Table, str], *, is_last: bool) -> None:
        database, shared, session = self._database, self._sessions.shared, file.session
        name, inline = session.name, session.documents.keys()
        self._changed_names.discard(name)  # first: what changes from here on is saved again
        if file.is_new:
            self._remove(name)
            file.parts = {}
        stores = {key: each for key, each in session.stores().items() if not inline & {*key}}
        for dropped in file.stores.keys() - stores.keys():
            del file.stores[dropped]
            for table in ("stores", "pets"):
                database.remove(table, name, SEPARATOR.join(dropped))
        for names, each in stores.items():
            known = file.stores.get(names)
            if known is None or known.store is not each.store:
                known = file.stores[names] = _StoreFile(each.store)
            key = name, SEPARATOR.join(names)
            self._write_store(key, known, each.pets_digest, bases, is_last=is_last)
        parts, spare = session.parts(), 0 if is_last else RESERVED_IDS
        session.data.reserve(parts, spare=spare, is_saved=False)
        for part in file.parts.keys() - parts.keys():
            database.remove("parts", name, part)
        for part, value in parts.items():
            if is_last or value is not file.parts.get(part):
                database.put("parts", name, part, part_text(value, spare))
        file.parts = parts
        active = tuple(each for each in session.active if each not in inline)
        scenarios = None if active in ((), shared.scenarios) else SEPARATOR.join(active)
        seed = None if session.seed == shared.seed else session.seed
        file.start = None if session.own.start is shared.start else session.own.start
        start = None if file.start is None else self._write_base(file.start, bases)
        database.put("sessions", name, session.id, scenarios, seed, start)

    def _write_store(
        self,
        key: tuple[str, str],
        file: _StoreFile,
        pets_digest: str,
        bases: dict[Table, str],
        *,
        is_last: bool,
    ) -> None:
        """Write the changes of a store, whose key has the session and the stack."""
        database, base, last_id = self._database, file.base, file.last_id
        pets, rows, next_id = file.store.take_unsaved(everything=base is None)
        if is_last:
            last_id = next_id - 1
        elif pets is not None or last_id - next_id < RESERVED_IDS // 2:
            last_id = min(next_id - 1 + RESERVED_IDS, INT64_MAX)
        if last_id < file.last_id:  # after a reset
            file.store.reserve(last_id + 1)
        if pets is not None:
            base, rows = pets.shared, _changed_pets(pets)
            database.remove("pets", *key)
        assert base is not None  # noqa: S101 - without a base, the store returns all pets
        if pets is not None or last_id != file.last_id:
            database.put("stores", *key, pets_digest, self._write_base(base, bases), last_id)
        for pet_id, row in rows.items():
            if row is None and pet_id not in base.rows:
                database.remove("pets", *key, pet_id)
            else:
                database.put("pets", *key, pet_id, None if row is None else row.decode())
        file.base, file.last_id = base, last_id

    def _write_base(self, table: Table, bases: dict[Table, str]) -> str:
        """Return the name of a table in the file; write it if it is new."""
        if table not in bases:
            name, pets = base_content(table)
            if name not in bases.values():
                self._database.put("bases", name, pets)
            bases[table] = name
        return bases[table]

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


def _used_bases(files: Iterable[_SessionFile]) -> set[Table | None]:
    """Return the tables that the file needs."""
    used: set[Table | None] = set()
    for file in files:
        used |= {file.start, *(store.base for store in file.stores.values())}
    return used


def _changed_pets(pets: Saved) -> dict[int, bytes | None]:
    """Return the pets that differ from the base by ID; None for a deleted one."""
    changed: dict[int, bytes | None] = {}
    if pets.base is not pets.shared:
        now = pets.base.rows
        for pet_id, row in pets.shared.rows.items():
            if now.get(pet_id) is not row:
                changed[pet_id] = now.get(pet_id)
    return changed | pets.own.rows
