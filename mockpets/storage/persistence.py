"""Persist the sessions of a server: restore them from the state file, and save changes.

The file keeps each session's ID, active scenarios, seed, clock, initial records, and the changed
records of its collections. It does not keep counters, request logs, responses to repeat, scenarios
that were sent in requests, and the sessions of visitors.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mockpets.clock import LATEST, REAL, Clock
from mockpets.constants import DEFAULT_SESSION, INT64_MAX
from mockpets.contract.collections import OwnSchema, key_problem
from mockpets.contract.contract_model import Collection
from mockpets.errors import RequestError, invalid
from mockpets.records.saved import Records, contents_of
from mockpets.records.table import Table, empty_table, make_table
from mockpets.session.save_progress import SKIPPED_KEYS
from mockpets.session.session import Snapshot
from mockpets.storage.database import damaged, not_writable, open_database
from mockpets.storage.saver import SEPARATOR, Saver
from mockpets.strict_json import dump_json, load_json_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mockpets.contract.contract_model import Record
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Place, SharedState
    from mockpets.storage.database import Database

_log: Final = logging.getLogger("mockpets")
_UNKNOWN: Final = Collection("", "", OwnSchema(""), key="", is_ordered=True)
"""The collection of records that wait for the scenario that defines it."""


@contextmanager
def persist_sessions(path: str, sessions: SessionRegistry) -> Iterator[None]:
    """Restore the sessions from a file, and save them until the end, or raise `InputError`."""
    database = open_database(Path(path))
    try:
        saver = restore_sessions(database, sessions)
    except BaseException:
        database.close()
        raise
    saver.start()
    try:
        yield
    finally:
        saver.stop()


def restore_sessions(database: Database, sessions: SessionRegistry) -> Saver:
    """Restore the sessions, and return the saver that saves them, or raise `InputError`."""
    path, restored = database.path, database.rows("sessions")
    needed = len({DEFAULT_SESSION, *(name for name, *_ in restored)})
    if needed > sessions.limit:
        what = f"has {needed} sessions, and --max-sessions allows {sessions.limit}"
        hint = f"set --max-sessions to at least {needed}, or move the file away to start with new "
        raise invalid(str(path), what, f"{hint}records")
    try:
        reader = _Reader(database, sessions.shared)
        for row in restored:
            _restore(sessions, reader, row, path)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise damaged(path, f"a value cannot be read: {error}") from error
    if reader.skipped:
        _log.warning(
            "the server did not stop normally: the last changes may be lost, all sessions have new "
            f"IDs, and the IDs of new records are {SKIPPED_KEYS} higher"
        )
    saver = Saver(database, sessions, reader.bases, reader.skipped)
    for session in sessions.all():
        saver.track(session)
    saver.save()
    if trouble := sessions.save_progress.trouble:
        raise not_writable(path, trouble)
    sessions.on_create = saver.track
    sessions.save_progress.restored = len(restored)
    sessions.save_progress.is_active = True
    return saver


def _restore(sessions: SessionRegistry, reader: _Reader, row: tuple[Any, ...], path: Path) -> None:
    """Make a session as it was, with its ID if nothing can be lost; raise as `_Reader`."""
    (name, session_id, *_), problems = row, list[str]()
    try:
        session = sessions.get_or_create(name, declare=True)
        session.load(reader.snapshot(row, problems))
    except RequestError as error:
        hint = "start the server with higher limits, or move the file away to start with new "
        what = f"session {name}: {error.message}"
        raise invalid(str(path), what, f"{hint}records") from error
    for text in problems:
        _log.warning("session '%s' %s", name, text)
    if not reader.skipped and not problems:
        session.identify(session_id)


class _Reader:
    """Makes snapshots of the rows of a state file.

    Its methods raise ``store_full``, or ValueError, KeyError or TypeError for a damaged value.
    """

    def __init__(self, database: Database, shared: SharedState) -> None:
        self._shared = shared
        ((is_clean,),) = database.rows("file")
        self.skipped = 0 if is_clean else SKIPPED_KEYS
        """How many keys the last server may have assigned in vain."""
        bases = database.rows("bases")
        self.bases = {name: text.encode().split(b"\n") if text else [] for name, text in bases}
        self._tables = {(each.digest, each.collection): each for each in shared.starts.values()}
        self._changes: dict[tuple[str, ...], dict[int, bytes | None]] = defaultdict(dict)
        for session, label, giver, place, text in database.rows("records"):
            self._changes[session, label, giver][place] = None if text is None else text.encode()
        self._collections: dict[str, list[list[Any]]] = defaultdict(list)
        for session, *row in database.rows("collections"):
            self._collections[session].append(row)

    def snapshot(self, row: tuple[Any, ...], problems: list[str]) -> Snapshot:
        """Return a session by its row; add what differs from then to `problems`."""
        (name, session_id, active, seed, clock, starts, skipped), shared = row, self._shared
        if not session_id.isalnum() or not 0 <= skipped <= INT64_MAX - SKIPPED_KEYS:
            raise ValueError(f"the ID of session {name} or its skipped_keys")
        names = shared.scenarios if active is None else tuple(active.split(SEPARATOR))
        try:
            shared.library().stack(names)
        except RequestError as error:
            names = shared.scenarios
            what = f"is restored with scenario {SEPARATOR.join(names)} instead of its own"
            problems.append(f"{what}: {error.message}")
        return Snapshot(
            active=names,
            seed=shared.seed if seed is None else seed,
            clock=shared.clock if clock is None else _clock(clock),
            starts=shared.starts if starts is None else self._starts(starts, problems),
            records=dict(self._records(name, problems)),
            skipped_keys=skipped + self.skipped,
        )

    def _starts(self, text: str, problems: list[str]) -> Mapping[str, Table]:
        starts, saved = {}, json.loads(text)
        if not isinstance(saved, dict):
            raise TypeError(f"starts must be an object, got {text[:80]}")
        for label, base in saved.items():
            binding = self._shared.library().binding(label, "")
            if binding is None:
                problems.append(f"has initial records of {label} that wait for their scenario")
            known = _UNKNOWN if binding is None else binding.collection
            if base not in self.bases:
                raise ValueError(f"the file has no base {base}")
            try:
                starts[label] = self._table(base, known)
            except KeyError:  # its records have another key now
                problems.append(f"has no initial records of {label}: the file defines others now")
                starts[label] = empty_table(known)
        return starts

    def _records(self, session: str, problems: list[str]) -> Iterator[tuple[Place, Records]]:
        for label, giver, digest, base, last_key in self._collections[session]:
            binding = self._shared.library().binding(label, giver)
            whose = f"of {label}{f' in scenario {giver}' * bool(giver)}"
            if binding is not None and binding.digest != digest:
                is_schema = binding.collection.schema.digest and not giver
                why = "its schema has changed" if is_schema else "the file defines others now"
                problems.append(f"has new records {whose}: {why}")
                continue
            if binding is None:
                kind = "scenario" if giver or "/" in label else "contract"
                problems.append(f"has records {whose} that wait for their {kind}")
            collections = self._shared.library().contracts.collections
            known = collections.get(label, _UNKNOWN) if binding is None else binding.collection
            changes = {
                place: None if row is None else _pair(row, known, place)
                for place, row in self._changes[session, label, giver].items()
            }
            next_key = min(last_key + self.skipped, INT64_MAX) + 1
            contents = contents_of(self._table(base, known), changes, next_key)
            yield (label, giver), Records(digest, contents)

    def _table(self, base: str, collection: Collection) -> Table:
        """Return the rows of a base as a table, the same one for all sessions."""
        if (base, collection) not in self._tables:
            pairs = (_pair(row, collection, place) for place, row in enumerate(self.bases[base]))
            self._tables[base, collection] = make_table(collection, pairs)
        return self._tables[base, collection]


def _pair(row: bytes, collection: Collection, place: int) -> tuple[Record, bytes]:
    """Return a record with its JSON."""
    record: Any = load_json_of(row.decode())
    dump_json(record)  # half of a surrogate pair cannot be sent
    if not isinstance(record, dict):
        raise TypeError(f"a record must be an object, got {row.decode()[:80]}")
    if collection is _UNKNOWN:
        record[""] = place
    if problem := key_problem(record[collection.key]):
        raise ValueError(f"{collection.key} {problem}")
    return record, row


def _clock(text: str) -> Clock | None:
    content = json.loads(text)
    if content == REAL:
        return None
    ms, is_frozen = content
    if type(ms) is not int or abs(ms) > LATEST or type(is_frozen) is not bool:
        raise ValueError(f"a clock is a number of milliseconds and true or false, got {text[:80]}")
    return Clock(ms, is_frozen)
