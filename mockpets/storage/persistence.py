"""Persist the sessions of a server: restore them from the state file, and save changes.

The file keeps each session's ID, active scenarios, seed, initial pets, all its stores (its own
pets, and those of each stack of scenarios that defines pets), and the changed records of its
resources. It does not keep counters, journals, scenarios that were sent in requests, and
the sessions of visitors.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import DEFAULT_SESSION
from mockpets.errors import InputError, Problem, RequestError, invalid
from mockpets.pets.store import Store
from mockpets.scenario.resources import Records
from mockpets.session.session import StackStore
from mockpets.storage.database import not_writable, open_database
from mockpets.storage.records import read_records
from mockpets.storage.saver import Saver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import SharedState
    from mockpets.storage.database import Database
    from mockpets.storage.records import Names, SessionRecord

_log: Final = logging.getLogger("mockpets")


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
    shared, content = sessions.shared, database.read()
    records, bases = read_records(content.rows, database.path, shared.start, shared.pets)
    needed = len({DEFAULT_SESSION, *(record.name for record in records)})
    if needed > sessions.limit:
        what = f"has {needed} sessions, and --max-sessions allows {sessions.limit}"
        hint = f"set --max-sessions to at least {needed}, or move the file away to start with new "
        raise invalid(str(database.path), what, f"{hint}pets")
    for record in records:
        if _restore(sessions, record, database.path) and content.is_clean:
            sessions.get_or_create(record.name, declare=True).identify(record.id)
    if not content.is_clean:
        _log.warning(
            "the server did not stop normally: the last changes may be lost, and all sessions have "
            "new IDs"
        )
    saver = Saver(database, sessions, bases)
    saver.adopt(records)
    saver.save()
    if trouble := sessions.save_progress.trouble:
        raise not_writable(database.path, trouble)
    sessions.on_create = saver.track
    sessions.save_progress.restored = len(records)
    sessions.save_progress.is_active = True
    return saver


def _restore(sessions: SessionRegistry, record: SessionRecord, path: Path) -> bool:
    """Make a session as it was; return whether all of it could be restored.

    :raise InputError: there is no room for it.
    """
    shared, active = sessions.shared, record.active
    problems: list[str] = []
    if active is not None and (problem := _unknown(shared, active)):
        instead = "+".join(shared.scenarios)
        problems.append(f"is restored with scenario {instead} instead of its own: {problem}")
        active = None
    try:
        session = sessions.get_or_create(record.name, declare=True)
        stores = {}
        for names, each in record.stores.items():
            if names and (problem := _unknown(shared, names)):
                problems.append(f"has pets that wait for their scenario: {problem}")
            elif names and shared.library().stack(names).pets_digest != each.pets_digest:
                stack = "+".join(names)
                problems.append(f"has new pets for scenario {stack}: the file defines others now")
                continue
            start = each.pets.shared if names else record.start or shared.start
            store = Store(start, shared.max_new, shared.pets)
            store.restore(each.pets._replace(next_id=each.last_id + 1))
            stores[names] = StackStore(each.pets_digest, store)
        session.restore(active, record.seed, stores, _parts(shared, record, problems))
    except RequestError as error:
        hint = "start the server with higher limits, or move the file away to start with new pets"
        where = f"session {record.name}"
        raise InputError([Problem(str(path), 0, 0, where, error.message, hint)]) from error
    for text in problems:
        _log.warning("session '%s' %s", record.name, text)
    return not problems


def _parts(shared: SharedState, record: SessionRecord, problems: list[str]) -> Mapping[str, Any]:
    """Return the parts to restore; add a problem for each that cannot be restored."""
    parts = {}
    for part, value in record.parts.items():
        if not isinstance(value, Records):
            parts[part] = value
            continue
        _, scenario, name = part.split(" ")
        known = shared.library().scenarios.get(scenario)
        resources = known.resources if known else ()
        resource = next((one for one in resources if one.name == name), None)
        if resource is not None and resource.start.digest != value.digest:
            problems.append(f"has new records for {resource.note[1]}: its items have changed")
            continue
        if resource is None:
            problems.append(f"has records that wait for their resource {scenario}/{name}")
        parts[part] = value
    return parts


def _unknown(shared: SharedState, names: Names) -> str:
    """Return why a stack cannot be used, or an empty string."""
    try:
        shared.library().stack(names)
    except RequestError as error:
        return error.message
    return ""
