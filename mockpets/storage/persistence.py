"""Persist the sessions of a server: restore them from the state file, and save changes.

The file keeps each session's ID, active scenarios, seed, clock, initial records, and the changed
records of its collections. It does not keep counters, journals, scenarios that were sent in
requests, and the sessions of visitors.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mockpets.clock import LATEST, REAL, Clock
from mockpets.constants import DEFAULT_SESSION, INT64_MAX
from mockpets.contract.collections import Collection, OwnSchema, key_problem
from mockpets.errors import InputError, Problem, RequestError, invalid
from mockpets.memory_budget import Charge
from mockpets.records.saved import SavedRecords
from mockpets.records.table import Table, empty_table, make_table, rows_of
from mockpets.session.save_progress import SKIPPED_KEYS
from mockpets.storage.database import damaged, not_writable, open_database
from mockpets.storage.saver import SEPARATOR, Saver, base_name
from mockpets.strict_json import dump_json, load_json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Place, SharedState
    from mockpets.storage.database import Database

    Bases = Mapping[str, Sequence[bytes]]

_log: Final = logging.getLogger("mockpets")
_UNKNOWN: Final = Collection("", "", OwnSchema(""))
"""The collection of records whose scenario is missing."""


@contextmanager
def persist_sessions(path: str, sessions: SessionRegistry) -> Iterator[None]:
    """Restore the sessions from a file, and save them to it until the end.

    :raise InputError: the file is invalid, cannot be written, or another server uses it.
    """
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
    """Restore the sessions, and return the saver that saves them.

    :raise InputError: the file is invalid or cannot be written, or the sessions exceed a limit.
    """
    path, restored = database.path, database.rows("sessions")
    needed = len({DEFAULT_SESSION, *(name for name, *_ in restored)})
    if needed > sessions.limit:
        what = f"has {needed} sessions, and --max-sessions allows {sessions.limit}"
        hint = f"set --max-sessions to at least {needed}, or move the file away to start with new "
        raise invalid(str(path), what, f"{hint}records")
    try:
        ((is_clean,),) = database.rows("file")
        bases = {
            name: text.encode().split(b"\n") if text else []
            for name, text in database.rows("bases")
        }
        skipped = 0 if is_clean else SKIPPED_KEYS
        records = _records(database, bases, skipped)
        checked: set[tuple[int, str | None]] = set()
        for row in restored:
            _restore(sessions, row, records, bases, path, skipped, checked)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise damaged(path, f"a value cannot be read: {error}") from error
    if skipped:
        _log.warning(
            "the server did not stop normally: the last changes may be lost, all sessions have new "
            f"IDs, and the IDs of new records are {SKIPPED_KEYS} higher"
        )
    saver = Saver(database, sessions, bases, skipped)
    for session in sessions.all():
        saver.track(session)
    saver.save()
    if trouble := sessions.save_progress.trouble:
        raise not_writable(path, trouble)
    sessions.on_create = saver.track
    sessions.save_progress.restored = len(restored)
    sessions.save_progress.is_active = True
    return saver


def _records(
    database: Database, bases: Bases, skipped: int
) -> dict[str, dict[Place, SavedRecords]]:
    """Return the records in the file by session and place."""
    changes: dict[tuple[str, str, str], dict[int, bytes | None]] = defaultdict(dict)
    for session, label, giver, place, text in database.rows("records"):
        changes[session, label, giver][int(place)] = None if text is None else text.encode()
    records: dict[str, dict[Place, SavedRecords]] = defaultdict(dict)
    for session, label, giver, digest, base, last_key in database.rows("collections"):
        rows, next_key = changes[session, label, giver], last_key + 1 + skipped
        records[session][label, giver] = SavedRecords(digest, bases[base], rows, next_key)
    return records


def _restore(
    sessions: SessionRegistry,
    row: tuple[str, str, str | None, int | None, str | None, str | None, int],
    records: Mapping[str, Mapping[Place, SavedRecords]],
    bases: Bases,
    path: Path,
    skipped: int,
    checked: set[tuple[int, str | None]],
) -> None:
    """Make a session as it was, with its ID if nothing can be lost.

    :param row: of the table of sessions.
    :param skipped: how many keys the server that crashed may have assigned; 0 without a crash.
    :param checked: see `_usable`.
    :raise InputError: there is no room for it.
    """
    name, session_id, active, seed, clock, starts, skipped_before = row
    shared, problems = sessions.shared, list[str]()
    if not session_id.isalnum():
        raise ValueError(f"the ID of session {name} has other characters than letters and digits")
    if not 0 <= skipped_before <= INT64_MAX - SKIPPED_KEYS:
        raise ValueError("skipped_keys is out of range")
    names = shared.scenarios if active is None else tuple(active.split(SEPARATOR))
    if problem := _unknown(shared, names):
        instead = SEPARATOR.join(shared.scenarios)
        problems.append(f"is restored with scenario {instead} instead of its own: {problem}")
        names = shared.scenarios
    try:
        session = sessions.get_or_create(name, declare=True)
        session.restore(
            names,
            shared.seed if seed is None else int(seed),
            shared.clock if clock is None else _clock(clock),
            shared.starts if starts is None else _starts(shared, starts, bases, problems),
            _usable(shared, records.get(name, {}), problems, checked),
            skipped_keys=skipped_before + skipped,
        )
    except RequestError as error:
        hint = (
            "start the server with higher limits, or move the file away to start with new records"
        )
        where = f"session {name}"
        raise InputError([Problem(str(path), 0, 0, where, error.message, hint)]) from error
    for text in problems:
        _log.warning("session '%s' %s", name, text)
    if not skipped and not problems:
        session.identify(session_id)


def _clock(text: str) -> Clock | None:
    content = json.loads(text)
    if content == REAL:
        return None
    ms, is_frozen = content
    if type(ms) is not int or abs(ms) > LATEST or type(is_frozen) is not bool:
        raise ValueError(f"a clock is a number of milliseconds and true or false, got {text[:80]}")
    return Clock(ms, is_frozen)


def _starts(
    shared: SharedState, text: str, bases: Bases, problems: list[str]
) -> Mapping[str, Table]:
    """Return the initial records of a session; raise ``store_full``."""
    starts, saved = {}, json.loads(text)
    if not isinstance(saved, dict):
        raise TypeError(f"starts must be an object, got {text[:80]}")
    for label, base in saved.items():
        binding, known = shared.library().binding(label, ""), shared.starts.get(label)
        rows = bases[base]
        if known is not None and base_name(known.in_order()) == base:
            starts[label] = known
        elif binding is None:
            problems.append(f"has initial records of {label} that wait for their scenario")
            _check_rows(rows, None)
            starts[label] = Table(
                _UNKNOWN, None, dict(enumerate(rows)), [*range(len(rows))], frozen=True
            )
        else:
            _check_rows(rows, None)
            try:
                table = make_table(binding.collection, rows_of(rows), shared.records)
            except KeyError:  # its records have another key now
                problems.append(f"has no initial records of {label}: the file defines others now")
                table = empty_table(binding.collection)
            starts[label] = table
    return starts


def _check_rows(rows: Iterable[bytes | None], key: str | None) -> None:
    """Check that records can be read, before a request needs them; raise ValueError or KeyError.

    :param key: what they must have.
    """
    for row in rows:
        if row is None:
            continue
        record = load_json_of(row.decode())
        dump_json(record)  # half of a surrogate pair cannot be sent
        if not isinstance(record, dict):
            raise TypeError(f"a record must be an object, got {row.decode()[:80]}")
        if key is not None and (problem := key_problem(record[key])):
            raise ValueError(f"{key} {problem}")


def _usable(
    shared: SharedState,
    records: Mapping[Place, SavedRecords],
    problems: list[str],
    checked: set[tuple[int, str | None]],
) -> dict[Place, SavedRecords]:
    """Return the records whose definition is as before, charged to the budget.

    :param checked: the bases that were checked before, by `id`, with the key that they must have.
    :raise RequestError: ``store_full``.
    """
    usable = {}
    for (label, giver), saved in records.items():
        binding = shared.library().binding(label, giver)
        whose = f"of {label}{f' in scenario {giver}' * bool(giver)}"
        if binding is not None and binding.digest != saved.digest:
            problems.append(f"has new records {whose}: the file defines others now")
            continue
        if binding is None:
            problems.append(f"has records {whose} that wait for their scenario")
        key = None if binding is None else binding.collection.key
        _check_rows(saved.changes.values(), key)
        if (id(saved.base), key) not in checked:  # many sessions may have the same base
            _check_rows(saved.base, key)
            checked.add((id(saved.base), key))
        charge = Charge(shared.records)
        charge.add(sum(len(row) for row in saved.changes.values() if row))
        usable[label, giver] = SavedRecords(
            saved.digest, saved.base, saved.changes, saved.next_key, charge
        )
    return usable


def _unknown(shared: SharedState, names: tuple[str, ...]) -> str:
    """Return why a stack cannot be used, or an empty string."""
    try:
        shared.library().stack(names)
    except RequestError as error:
        return error.message
    return ""
