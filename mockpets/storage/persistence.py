"""Persist the sessions of a server: restore them from the state file, and save changes.

The file keeps a session's own pets, its initial pets, its active scenarios and its seed. The pets
of scenarios are loaded from their files again; counters, journals, snapshots and inline scenarios
are not kept. The sessions of visitors are not saved, because after a restart every visitor gets a
new session name.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mockpets.errors import InputError, Problem, RequestError
from mockpets.session.visitors import is_visitor
from mockpets.storage.format import SessionState
from mockpets.storage.saver import Saver, read_state
from mockpets.storage.state_file import claim

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.session.registry import SessionRegistry

_log: Final = logging.getLogger("mockpets")


@contextmanager
def persist_sessions(path: str, sessions: SessionRegistry) -> Iterator[None]:
    """Have sessions as a file has them, and the file as they become, until the end.

    :param path: of the state file; empty for none.
    :raise InputError: the file cannot be used, or another server uses it.
    """
    if not path:
        yield
        return
    shared = sessions.shared
    with claim(Path(path)) as file:
        for state in read_state(file, shared.start, shared.pets):
            _restore(sessions, state, path)
        saver = Saver(file, partial(_collect, sessions), sessions.save_progress)
        saver.start()
        try:
            yield
        finally:
            saver.stop()


def _restore(sessions: SessionRegistry, state: SessionState, path: str) -> None:
    """Make a session as it was.

    :raise InputError: there is no room for it.
    """
    shared = sessions.shared
    names = state.active
    try:
        if names is not None:
            shared.library().stack(names)
    except RequestError as refusal:
        _log.warning(
            "session '%s' is restored with scenario %s instead of its own: %s",
            state.name,
            "+".join(shared.scenarios),
            refusal.message,
        )
        names = None
    try:
        session = sessions.get_or_create(state.name)
        if state.start is not None:
            session.start_from(shared.seed, state.start)
        session.adopt(state.pets, names, state.seed)
    except RequestError as refusal:
        hint = "start the server with higher limits, or move the file away to start with new pets"
        problem = Problem(path, 0, 0, f"session {state.name}", refusal.message, hint)
        raise InputError([problem]) from refusal


def _collect(sessions: SessionRegistry) -> list[SessionState]:
    """Return what is to be kept of the sessions."""
    shared = sessions.shared
    found = []
    for session in sessions.all():
        if is_visitor(session.name):
            continue
        names = session.active_of_files
        active = None if names in ((), shared.scenarios) else names
        seed = None if session.seed == shared.seed else session.seed
        own = session.own
        start = None if own.start is shared.start else own.start
        found.append(SessionState(session.name, own.save(None), active, seed, start))
    return found
