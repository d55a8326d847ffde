"""Keep the sessions of a server in its state file: bring them back at the start, save what changes.

What is kept of a session are its own pets, those it starts from, its active scenarios and its seed.
What scenarios bring comes with them; counters, journals, snapshots and documents begin anew. Of a
visitor's session nothing is kept: after a restart the visitor has another one, and nobody could get
at the old.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mockpets.errors import InputError, Problem, Refusal
from mockpets.rate import is_visitor
from mockpets.saver import Saver, read_state
from mockpets.state import SessionState
from mockpets.state_file import claim

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.sessions import Sessions

__all__ = ["keeping"]

_log: Final = logging.getLogger("mockpets")


@contextmanager
def keeping(path: str, sessions: Sessions) -> Iterator[None]:
    """Have sessions as a file has them, and the file as they become, until the end.

    :param path: of the state file; empty for none.
    :raise InputError: the file cannot be used, or another server uses it.
    """
    if not path:
        yield
        return
    world = sessions.world
    with claim(Path(path)) as file:
        for state in read_state(file, world.start, world.pets):
            _restore(sessions, state, path)
        saver = Saver(file, partial(_collect, sessions))
        sessions.saving = partial(_told, saver)
        saver.start()
        try:
            yield
        finally:
            saver.stop()


def _restore(sessions: Sessions, state: SessionState, path: str) -> None:
    """Make a session as it was.

    :raise InputError: there is no room for it.
    """
    world = sessions.world
    names = state.active
    try:
        if names is not None:
            world.library().stack(names)
    except Refusal as refusal:
        _log.warning("session '%s' starts in %s: %s", state.name, world.scenarios, refusal.message)
        names = None
    try:
        session = sessions.take(state.name)
        if state.start is not None:
            session.start_from(world.seed, state.start)
        session.adopt(state.pets, names, state.seed)
    except Refusal as refusal:
        hint = "start the server with higher limits, or move the file away"
        problem = Problem(path, 0, 0, f"session {state.name}", refusal.message, hint)
        raise InputError([problem]) from refusal


def _collect(sessions: Sessions) -> list[SessionState]:
    """Return what is to be kept of the sessions."""
    world = sessions.world
    found = []
    for session in sessions.all():
        if is_visitor(session.name):
            continue
        names = session.active_of_files
        active = None if names in ((), world.scenarios) else names
        seed = None if session.seed == world.seed else session.seed
        own = session.own
        start = None if own.start is world.start else own.start
        found.append(SessionState(session.name, own.save(None), active, seed, start))
    return found


def _told(saver: Saver) -> dict[str, object]:
    """Return what a client may know of the saving.

    What was answered before a client read `begun` is on the disk when `saved` is above that.
    """
    return {"begun": saver.begun, "saved": saver.saved, "trouble": saver.trouble}
