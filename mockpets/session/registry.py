"""All sessions of one server: created when a request first names them, up to a limit.

At the limit, a new session replaces the one that was idle longest. If every session was used
recently, the new one is rejected, so that a running test never loses its session. An owner of
sessions has such a limit too.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import islice
from math import ceil, inf
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from mockpets.constants import DEFAULT_SESSION
from mockpets.errors import RequestError, did_you_mean
from mockpets.memory_budget import MemoryBudget
from mockpets.session.save_progress import SaveProgress
from mockpets.session.session import Session
from mockpets.session.undo import Undo

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from mockpets.admission import Owner
    from mockpets.memory_budget import Shared
    from mockpets.records.table import Table
    from mockpets.session.session import SharedState

CLOSED_NAMES: Final = 10_000
"""Maximum number of closed names, and of replaced sessions to report."""
_RESETS: Final = 20
"""The most sessions to reset during one request, which takes less than a millisecond."""
_COMPARED: Final = 100
"""How many idle sessions to search for one without changes: thousands would take too long."""


class SessionRegistry:
    """The sessions of one server, by name. Safe to use from several threads.

    :param limit: the maximum number of sessions, including the default one; by default that of
        the shared state.
    :param clock: returns monotonic seconds.
    :param declared: whether requests that name an unknown session are rejected.
    """

    def __init__(
        self,
        shared: SharedState,
        limit: int | None = None,
        clock: Callable[[], float] = monotonic,
        *,
        declared: bool = False,
    ) -> None:
        self.shared = shared
        self.limit = limit or shared.limits.sessions
        self.default = Session(DEFAULT_SESSION, shared)
        self.save_progress = SaveProgress()
        self.closed_names = ClosedNames(clock)
        self.undo = Undo(clock)
        shared.records.count, shared.records.make_room = self._count, self._free_memory
        self.on_create: Callable[[Session], None] | None = None
        self.unnamed = 0
        """The number of requests that were rejected because they named no session."""
        self._clock = clock
        self.default.used = clock()
        self._idle = shared.limits.idle_seconds
        self.declared = declared
        self._reset_every = shared.limits.reset_seconds
        self._reset_at = clock() + (self._reset_every or inf)
        self._replaced: dict[str, None] = {}
        """The names of owners' sessions that were replaced with changes, the latest last."""
        self._owned = Counter[str]()
        """The number of sessions of each owner; counting them again takes a millisecond."""
        self._budgets: WeakValueDictionary[str, MemoryBudget] = WeakValueDictionary()
        """The memory for the records of each owner."""
        self._due: dict[str, Session] = {}
        """Those still to be reset."""
        self._by_name = {DEFAULT_SESSION: self.default}
        self._others: dict[str, Session] = {}
        """The sessions of another registry that were not copied; their memory counts too."""
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of sessions."""
        return len(self._by_name)

    def all(self) -> list[Session]:
        """Return the sessions sorted by name, the default one first."""
        sessions = list(self._by_name.copy().values())
        return sorted(sessions, key=lambda session: (session is not self.default, session.name))

    def get(self, name: str) -> Session | None:
        """Return a session or None; this does not count as use."""
        return self._by_name.get(name)

    def find(self, name: str) -> Session | None:
        """Return a session or None; this counts as use of the session."""
        now = self._clock()
        if self.undo:
            self.undo.expire()
        if now >= self._reset_at:
            with self._lock:
                self._reset_at = now + self._reset_every
                self._due = self._by_name.copy()
        if self._due:
            self._reset_some(name)
        with self._lock:  # otherwise another thread could drop it as idle in between
            session = self._by_name.get(name)
            if session is not None:
                session.used = now
        return session

    def _reset_some(self, name: str) -> None:
        """Reset a session if it is due, and some others: resetting thousands takes too long."""
        with self._lock:
            batch = [self._due.pop(name)] if name in self._due else []
            while self._due and len(batch) < _RESETS:
                batch.append(self._due.popitem()[1])
        for session in batch:
            session.reset()

    def get_or_create(
        self,
        name: str,
        *,
        declare: bool = False,
        reopen: bool = False,
        owner: Owner | None = None,
    ) -> Session:
        """Return a session, and create it if it does not exist.

        :param declare: whether to create it even if sessions must be declared.
        :param reopen: whether to create it even if its name is closed.
        :param owner: whose session it becomes. Creates it even if its name is closed.
        :raise RequestError: ``busy`` if all sessions are in use, ``session_dropped`` for a closed
            name, and once for an owner whose session was replaced with changes,
            ``unknown_session``.
        """
        session = self.find(name)
        if session is not None:
            return session
        if not declare:
            self.check_declared(name)
        replaced = None
        with self._lock:
            session = self._by_name.get(name)
            if session is None:
                if not (reopen or owner):
                    self.closed_names.check(name)
                if owner is not None and name in self._replaced:
                    del self._replaced[name]
                    raise RequestError(
                        "session_dropped",
                        f"the changes of an idle session are lost: all {self.limit} sessions, or "
                        "those of its address, were in use; start the server with a higher "
                        "--max-sessions",
                    )
                replaced = self._make_room(owner)
                self.closed_names.until.pop(name, None)
                self.undo.discard(name)
                session = Session(name, self.shared, self._budget(owner))
                session.unnamed_before = self.unnamed
                session.owner = owner.key if owner else ""
                self._add(session)
                # Higher than the count of any earlier session of this name, because creating a
                # session and each of its resets publish a change. Clients notice the new session.
                session.request_log.resets = self.shared.changes.number
                if self.on_create is not None:
                    self.on_create(session)
            session.used = self._clock()
        if replaced is not None:
            _release(replaced)
            replaced.free()
        self.shared.changes.publish("sessions")
        return session

    def read(self, name: str) -> Session:
        """Return a session as `find_or_temporary` does.

        :raise RequestError: ``session_dropped`` or ``unknown_session``, as for any request.
        """
        if self.find(name) is None:
            self.closed_names.check(name)
            self.check_declared(name)
        return self.find_or_temporary(name)

    def copy_from(self, others: SessionRegistry, names: Iterable[str], without: str = "") -> None:
        """Copy those sessions of another registry that exist, and its rules; see `Session.copy`."""
        self.declared, self.closed_names = others.declared, others.closed_names
        self._others, self._by_name = others._by_name.copy(), {}
        for name in self._others.keys() & {*names}:
            self._by_name[name] = self._others.pop(name).copy(self.shared, without)

    def start_again(self, name: str) -> Session | None:
        """Reset a session, if it exists; forget that it was replaced."""
        self._replaced.pop(name, None)
        session = self.find(name)
        if session is not None:
            session.reset()
        return session

    def check_declared(self, name: str) -> None:
        """Check that any request may create a session; raise `RequestError` ``unknown_session``."""
        if self.declared:
            near = did_you_mean(name, self._by_name.copy())
            message = (
                f"unknown session '{name}'; {near + ' or ' if near else ''}create it first with "
                f"PUT sessions/{name}: the server runs with '--sessions declared'"
            )
            raise RequestError("unknown_session", message)

    def find_or_temporary(self, name: str) -> Session:
        """Return a session; if it does not exist, a new one that is not kept."""
        session = self.find(name)
        if session is None:
            session = Session(name, self.shared)
            session.unnamed_before = self.unnamed
            session.changes = self.shared.changes  # the only changes it can have
        return session

    def _make_room(self, owner: Owner | None) -> Session | None:
        """Remove an idle session if there are as many as allowed, and return it.

        Of all sessions, or those of an owner, this is the one that was idle longest, for an owner
        one without changes.

        :raise RequestError: ``busy`` if all were used recently.
        """
        sessions = [*self._by_name.values()]
        if owner is not None and self._owned[owner.key] >= owner.sessions:
            sessions = [session for session in sessions if session.owner == owner.key]
            message = f"all {owner.sessions} sessions of one address are in use;"
        elif len(sessions) < self.limit:
            return None
        else:
            message = f"all {self.limit} sessions are in use; delete one (DELETE sessions/NAME),"
        last = self._clock() - self._idle
        idle = [other for other in sessions if other.used <= last and other is not self.default]
        by_age = sorted(idle, key=lambda session: session.used)
        free = [*islice((other for other in by_age if not other.gates.waiting()), _COMPARED)]
        if not free:
            raise RequestError(
                "busy",
                f"{message} start the server with a higher --max-sessions, or wait until a session "
                f"was idle for {self._idle:.0f} seconds",
                [("Retry-After", str(int(self._idle)))],
            )
        unchanged = (session for session in free if owner and not session.is_changed)
        removed = next(unchanged, free[0])
        self._remove(removed)
        if removed.owner and removed.is_changed:
            if len(self._replaced) >= CLOSED_NAMES:
                del self._replaced[next(iter(self._replaced))]
            self._replaced[removed.name] = None
        return removed

    def _add(self, session: Session) -> None:
        """Add a session; the caller holds the lock."""
        self._by_name[session.name] = session
        self._owned[session.owner] += 1

    def _remove(self, session: Session) -> None:
        """Remove a session; the caller holds the lock."""
        del self._by_name[session.name]
        self._owned[session.owner] -= 1
        if not self._owned[session.owner]:
            del self._owned[session.owner]

    def _budget(self, owner: Owner | None) -> MemoryBudget:
        records = self.shared.records
        if owner is None:
            return records
        budget = MemoryBudget(owner.memory, records.what, parent=records)
        budget.count = partial(self._count_of, owner.key)
        return self._budgets.setdefault(owner.key, budget)

    def _count(self, shared: Collection[Shared]) -> tuple[int, int]:
        """Count as `MemoryBudget.count`; miss what another thread has taken and not kept yet."""
        tables = {*self.shared.tables.kept.values()}
        size = self._count_into(tables)
        new = {*shared} - tables
        return size + sum([each.size for each in tables]), sum([each.size for each in new])

    def _count_into(self, tables: set[Table]) -> int:
        """Add all shared tables in use to a set; return how many bytes the rest takes."""
        sessions = [*self._others.values(), *self._by_name.copy().values()]
        return sum([each.count_into(tables) for each in [*sessions, *self.undo.all_kept()]])

    def _count_of(self, owner: str, _: Collection[Shared]) -> tuple[int, int]:
        """Count the sessions of an owner, without what they may share with others."""
        sessions = [*self._by_name.copy().values()]
        return sum([each.count_into(set()) for each in sessions if each.owner == owner]), 0

    def _free_memory(self) -> bool:
        """Free what undo keeps and generated tables that no session uses; return if anything."""
        used: set[Table] = set()
        before = len(self.undo) + len(self.shared.tables.kept)
        self.undo.clear()
        self._count_into(used)
        self.shared.tables.keep(used)
        return len(self.shared.tables.kept) < before

    def drop(self, name: str, closed: float = 0.0, *, undoable: bool = True) -> Session | None:
        """Delete a session and release its held responses; return it, or None if it is unknown.

        :param closed: the seconds for which its name stays closed.
        :param undoable: whether `undo` can put it back for some time.
        :raise RequestError: ``invalid_request`` for the default session.
        """
        if name == DEFAULT_SESSION:
            message = f"the session '{name}' cannot be deleted; reset it instead"
            raise RequestError("invalid_request", message)
        with self._lock:
            session = self._by_name.get(name)
            if session is None:
                return None
            self._remove(session)
            if closed:
                self.closed_names.close(name, closed)
        _release(session)
        if undoable:
            session.request_log.stop()
            put_back = partial(self._put_back, session)
            self.undo.keep(name, "delete", put_back, session, session.free)
        else:
            session.free()
        self.shared.changes.publish("sessions")
        return session

    def _put_back(self, session: Session) -> None:
        """Put a deleted session back, or raise `RequestError` ``busy``."""
        with self._lock:
            if session.name in self._by_name or len(self) >= self.limit:
                message = f"session '{session.name}' is in use again, or all {self.limit} are"
                raise RequestError("busy", f"{message}; delete one")
            self.closed_names.until.pop(session.name, None)
            session.used = self._clock()
            session.request_log.go_on()
            self._add(session)
            if self.on_create is not None:
                self.on_create(session)
        session.note_change()
        self.shared.changes.publish("sessions")

    def reset(self, session: Session) -> None:
        """Reset a session so that `undo` can put back what it had."""
        snapshot, log = session.snapshot(), session.request_log.detach()
        session.reset()
        self.undo.keep(session.name, "reset", partial(session.put_back, snapshot, log), snapshot)

    def clear_requests(self, session: Session) -> int:
        """Clear a session's request log so that `undo` can put it back; return how many it had."""
        log = session.request_log.detach()

        def put_back() -> None:
            session.request_log.put_back(log, restart=False)
            session.changes.publish("requests")

        self.undo.keep(session.name, "clear", put_back)
        session.changes.publish("requests")
        return len(log)

    def reset_all(self) -> int:
        """Reset all sessions; return how many."""
        with self._lock:
            sessions = [*self._by_name.values()]
            self._due = {}
        for session in sessions:
            self.reset(session)
        return len(sessions)

    def drop_all(self, closed: float = 0.0) -> int:
        """Delete all sessions but the default one, which is reset; return how many were deleted."""
        names = self._by_name.copy().keys() - {DEFAULT_SESSION}
        dropped = [self.drop(name, closed) for name in names]
        self.reset(self.default)
        return len(dropped) - dropped.count(None)

    def idle_seconds(self, session: Session) -> float:
        """Return the seconds since a session was last used."""
        return max(self._clock() - session.used, 0.0)


def _release(session: Session) -> None:
    """Release all that wait for a removed session."""
    session.gates.open()
    session.changes.publish("sessions")
    session.note_change()


class ClosedNames:
    """The names of deleted sessions that are closed for some time.

    A page that still polls would create its session again; a closed name rejects it instead.
    The caller serializes changes.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.until: dict[str, float] = {}
        """In the order in which the names were closed."""

    def close(self, name: str, seconds: float) -> None:
        """Close a name; at the limit, forget the one that was closed first."""
        if len(self.until) >= CLOSED_NAMES and name not in self.until:
            del self.until[next(iter(self.until))]
        self.until[name] = self._clock() + seconds

    def seconds(self, name: str) -> float:
        """Return how long a name stays closed; 0 if it is open."""
        return max(self.until.get(name, -inf) - self._clock(), 0.0)

    def check(self, name: str) -> None:
        """Check that a name is not closed; raise `RequestError` ``session_dropped``."""
        if seconds := self.seconds(name):
            raise RequestError(
                "session_dropped",
                f"the session '{name}' was deleted and stays closed for {ceil(seconds)} s; use "
                f"another name, or create it again with PUT sessions/{name}",
            )
