"""Keep the state file up to date: a thread that saves what changed, about once a second.

A save takes the changes of all sessions and writes them in one transaction. If that fails, the
saver logs the problem once, keeps the changes, and tries again. A change is saved when
`SaveProgress.saved` confirms it, which may be after the response to the request that made it.
"""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass, field
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import INT64_MAX
from mockpets.errors import InputError, printable
from mockpets.session.data import part_text
from mockpets.session.visitors import is_visitor
from mockpets.storage.database import open_database
from mockpets.storage.records import SEPARATOR, base_content
from mockpets.storage.unsaved_marks import boot_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mockpets.pets.store import Saved, Store
    from mockpets.pets.table import Table
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Session
    from mockpets.storage.database import Database
    from mockpets.storage.records import Names, SessionRecord
    from mockpets.storage.unsaved_marks import Mark, UnsavedMarks

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
    """A store in the file, and its changes that are not saved.

    :param base: the base that the file has; None if it has none yet.
    :param pets: all pets, if all must be written.
    :param rows: the changed pets by ID; None for a deleted one.
    :param last_id: the highest ID that the file has reserved, and `next_last_id` the one that the
        save in progress reserves.
    """

    store: Store
    pets_digest: str
    base: Table | None = None
    last_id: int = -1
    next_last_id: int = -1
    pets: Saved | None = None
    rows: dict[int, bytes | None] = field(default_factory=dict)

    @property
    def next_base(self) -> Table:
        """The base that the save in progress writes."""
        base = self.base if self.pets is None else self.pets.shared
        assert base is not None  # noqa: S101 - a store without a base is new, so `pets` is set
        return base

    def take(self, *, everything: bool, is_stopping: bool) -> None:
        """Take the store's changes, and choose the IDs to reserve."""
        pets, rows, next_id = self.store.take_unsaved(everything=everything or self.base is None)
        if pets is not None:
            self.pets, self.rows = pets, {}
        self.rows.update(rows)
        if is_stopping:
            self.next_last_id = next_id - 1
        elif self.pets is not None or self.last_id - next_id < RESERVED_IDS // 2:
            self.next_last_id = min(next_id - 1 + RESERVED_IDS, INT64_MAX)
        if self.next_last_id < self.last_id:  # after a reset
            self.store.reserve(self.next_last_id + 1)

    def confirm(self) -> None:
        """Note that the changes are saved."""
        self.base, self.pets, self.rows = self.next_base, None, {}
        self.last_id = self.next_last_id
        self.store.reserve(self.last_id + 1)


@dataclass
class _SessionFile:
    """A session in the file, and its changes that are not saved.

    :param stores: by the names of their stack.
    :param dropped: the stacks to remove from the file.
    :param saved_parts: the parts in the file, and `parts` those that the save in progress writes.
    :param spare: how many IDs of each resource the save reserves.
    :param is_unsaved: whether it must be written, also because a save failed.
    """

    session: Session
    mark: Mark
    stores: dict[Names, _StoreFile] = field(default_factory=dict)
    dropped: set[Names] = field(default_factory=set)
    saved_parts: dict[str, Any] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)
    is_unsaved: bool = True
    number: int = 0
    active: Names = ()
    seed: int = 0
    start: Table | None = None
    spare: int = RESERVED_IDS

    def take(self, *, everything: bool, is_stopping: bool) -> None:
        """Take the session's changes."""
        session, self.is_unsaved = self.session, True
        self.number = self.mark.clear()
        inline = session.documents.keys()
        self.active = tuple(name for name in session.active if name not in inline)
        self.seed, self.start = session.seed, session.own.start
        current = {names: each for names, each in session.stores().items() if not inline & {*names}}
        for names, file in [*self.stores.items()]:
            if names not in current or current[names].store is not file.store:
                del self.stores[names]
                self.dropped.add(names)
        for names, (pets_digest, store) in current.items():
            file = self.stores.setdefault(names, _StoreFile(store, pets_digest))
            file.take(everything=everything, is_stopping=is_stopping)
        if everything:
            self.saved_parts = {}
        self.parts, self.spare = session.parts(), 0 if is_stopping else RESERVED_IDS
        session.data.reserve(self.parts, spare=self.spare, is_saved=False)

    def confirm(self) -> None:
        """Note that the changes are saved."""
        self.is_unsaved, self.dropped = False, set()
        self.saved_parts = self.parts
        self.session.data.reserve(self.parts, spare=self.spare, is_saved=True)
        for file in self.stores.values():
            file.confirm()


class Saver:
    """Saves the sessions of one server to one file.

    :param database: used and closed by the saver's thread once it runs.
    :param bases: the tables of pets that the file has, by name.
    """

    def __init__(
        self,
        database: Database,
        sessions: SessionRegistry,
        marks: UnsavedMarks,
        bases: Mapping[str, Table],
        seconds: float = SAVE_SECONDS,
    ) -> None:
        self._database = database
        self._sessions = sessions
        self._marks = marks
        self._bases = {table: name for name, table in bases.items()}
        self._seconds = seconds
        self._progress = sessions.save_progress
        self._tracked: dict[Session, Mark] = {}
        self._files: dict[str, _SessionFile] = {}
        self._gone: list[tuple[str, Mark]] = []
        """The deleted sessions that are still in the file."""
        self._logged = ""
        self._changed = ""
        """That another program changed the file, until all sessions are written again."""
        self._is_stopping = False
        self.thread: Thread | None = None
        """Saves until `stop`; None before `start`."""

    # --- Sessions -----------------------------------------------------------------------------

    def track(self, session: Session) -> None:
        """Begin to save a new session, unless it is a visitor's; called on the app's thread.

        After a restart a visitor gets a new session name, so the old session would be useless.
        """
        if not is_visitor(session.name):
            mark = self._marks.new()
            session.track(mark.set)
            self._tracked[session] = mark

    def adopt(self, records: Iterable[SessionRecord]) -> None:
        """Begin to save the sessions that exist already.

        :param records: what the file has of them.
        """
        for session in self._sessions.all():
            self.track(session)
        for record in records:
            session = self._sessions.get_or_create(record.name, declare=True)
            file = _SessionFile(session, self._tracked[session])
            current = session.stores()
            for names, each in record.stores.items():
                if names in current:
                    store = current[names].store
                    store.take_unsaved()  # the file has all of it
                    known = _StoreFile(store, each.pets_digest, each.pets.shared, each.last_id)
                    file.stores[names] = known
                else:
                    file.dropped.add(names)
            file.saved_parts = dict.fromkeys(record.parts)  # to be written again, to reserve IDs
            self._files[session.name] = file

    def _collect(self, *, everything: bool, is_stopping: bool) -> list[_SessionFile]:
        """Take the changes of all sessions; return the sessions to write.

        :param everything: whether the file has nothing yet.
        :param is_stopping: whether this is the last save, so that no IDs need to be reserved.
        """
        tracked = self._tracked.copy()  # first: a session in it was in the registry before
        current = {session for session in self._sessions.all() if session in tracked}
        for session in tracked.keys() - current:
            if self._tracked[session] is not tracked[session]:
                continue  # an undo has put it back meanwhile
            mark = self._tracked.pop(session)
            file = self._files.get(session.name)
            if file is not None and file.session is session:
                del self._files[session.name]
            self._gone.append((session.name, mark))
        for session in current:
            mark = self._tracked[session]
            file = self._files.get(session.name)
            if file is not None and file.mark is not mark:  # deleted, and put back by an undo
                self._gone.append((session.name, file.mark))
                file = None
            if file is None:
                file = self._files[session.name] = _SessionFile(session, mark)
            if file.mark.is_set or everything or is_stopping:
                file.take(everything=everything, is_stopping=is_stopping)
        return [file for file in self._files.values() if file.is_unsaved]

    # --- Writing ------------------------------------------------------------------------------

    def save(self) -> None:
        """Write what changed, or could not be written before."""
        progress, is_stopping = self._progress, self._is_stopping
        progress.begin()
        try:
            database, is_new = self._database, False
            while (place := database.place()) != database.target or not database.is_unchanged():
                is_new = True
                if place is None:
                    break
                self._move_away(place)
            if is_new:
                self._replace_database()
            files = self._collect(everything=is_new, is_stopping=is_stopping)
            if files or self._gone:
                self._write(files, is_clean=is_stopping)
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
        trouble = (error.strerror if isinstance(error, OSError) else None) or str(error)
        if trouble != self._logged:
            self._logged = trouble
            what = "cannot save the state to %s: %s; keeping the changes in memory and retrying"
            _log.warning(what, self._shown, trouble)
        self._progress.end(trouble)

    def _move_away(self, place: Path) -> None:
        """Rename the file that another program changed or put in its place, or raise OSError."""
        away = printable(self._database.move_away(place).name)
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
        self._bases, self._gone = {}, []
        for file in self._files.values():
            file.stores = {}

    def _write(self, files: list[_SessionFile], *, is_clean: bool) -> None:
        """Write sessions, and remove deleted ones; after an error, nothing is written.

        :raise OSError: the file was changed or deleted.
        :raise sqlite3.Error: the file cannot be written.
        """
        database, gone, bases = self._database, [*self._gone], self._bases.copy()
        if not database.is_unchanged():
            raise OSError(None, "another program changed the file during a save")
        with database.transaction(is_clean=is_clean, boot=boot_id()):
            for name, _ in gone:
                for table in ("sessions", "stores", "pets", "parts"):
                    database.remove(table, name)
            for file in files:
                self._write_session(file, bases)
            for unused in bases.keys() - self._used_bases():
                name = bases.pop(unused)
                if name not in bases.values():
                    database.remove("bases", name)
        self._bases = bases
        self._gone = self._gone[len(gone) :]
        for file in files:
            file.confirm()
        for _, mark in gone:
            self._marks.release(mark)

    def _write_session(self, file: _SessionFile, bases: dict[Table, str]) -> None:
        database, shared, name = self._database, self._sessions.shared, file.session.name
        for names in file.dropped:
            for table in ("stores", "pets"):
                database.remove(table, name, SEPARATOR.join(names))
        for names, store in file.stores.items():
            self._write_store(name, SEPARATOR.join(names), store, bases)
        for part in file.saved_parts.keys() - file.parts.keys():
            database.remove("parts", name, part)
        for part, value in file.parts.items():
            if file.spare == 0 or value is not file.saved_parts.get(part):
                database.put("parts", name, part, part_text(value, file.spare))
        active = None if file.active in ((), shared.scenarios) else SEPARATOR.join(file.active)
        seed = None if file.seed == shared.seed else file.seed
        start = None
        if file.start is not None and file.start is not shared.start:
            start = self._write_base(file.start, bases)
        mark = file.mark.slot, file.number
        database.put("sessions", name, file.session.id, active, seed, start, *mark)

    def _write_store(
        self, session: str, stack: str, file: _StoreFile, bases: dict[Table, str]
    ) -> None:
        database, base = self._database, file.next_base
        if file.pets is not None:
            database.remove("pets", session, stack)
        if file.pets is not None or file.next_last_id != file.last_id:
            name = self._write_base(base, bases)
            database.put("stores", session, stack, file.pets_digest, name, file.next_last_id)
        changed = {} if file.pets is None else _changed_pets(file.pets)
        for pet_id, row in (changed | file.rows).items():
            if row is None and pet_id not in base.rows:
                database.remove("pets", session, stack, pet_id)
            else:
                database.put("pets", session, stack, pet_id, None if row is None else row.decode())

    def _write_base(self, table: Table, bases: dict[Table, str]) -> str:
        """Return the name of a table in the file; write it if it is new."""
        if table not in bases:
            name, pets = base_content(table)
            if name not in bases.values():
                self._database.put("bases", name, pets)
            bases[table] = name
        return bases[table]

    def _used_bases(self) -> set[Table]:
        """Return the tables that the file needs after the save in progress."""
        shared = self._sessions.shared
        used = {store.next_base for file in self._files.values() for store in file.stores.values()}
        starts = {file.start for file in self._files.values() if file.start is not None}
        return used | (starts - {shared.start})

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
        """Close the files; a save with `stop` comes before."""
        self._database.close()
        self._marks.close(remove=self._is_stopping and not self._progress.trouble)

    def _try(self) -> None:
        try:
            self.save()
        except Exception:  # noqa: BLE001 - a bug must not end the saving forever
            _log.exception("unexpected error while saving the state; retrying")
            self._progress.end("unexpected error; the log has the details")


def _changed_pets(pets: Saved) -> dict[int, bytes | None]:
    """Return what differs from the base, as `_StoreFile.rows` has it."""
    changed: dict[int, bytes | None] = {}
    if pets.base is not pets.shared:
        now = pets.base.rows
        for pet_id, row in pets.shared.rows.items():
            if now.get(pet_id) is not row:
                changed[pet_id] = now.get(pet_id)
    return changed | pets.own.rows
