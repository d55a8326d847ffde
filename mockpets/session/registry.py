"""All sessions of one server: made when first named, and bounded.

At the cap, a session that was not used for some minutes makes room for a new one; while
none is that old, a new one is refused: a running test is never reset behind its back.
"""

from __future__ import annotations

from math import inf
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final

from mockpets.constants import DEFAULT_SESSION, SESSION_IDLE_SECONDS
from mockpets.errors import RequestError
from mockpets.session.save_progress import SaveProgress
from mockpets.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.contract.control_types import Change
    from mockpets.session.shared import SharedState

_RESETS: Final = 20
"""Sessions that go back to the start with one request; less than a millisecond of work."""


class SessionRegistry:
    """The sessions by name. Safe to use from several threads.

    :param most: how many there may be at once, the default one among them.
    :param idle: seconds that a session must not have been used before another may take its place.
    :param reset_every: seconds after which all of them go back to the start; 0 for never. It is
        done when the next requests come, who could tell otherwise.
    :param clock: seconds, never going back.
    """

    def __init__(
        self,
        shared: SharedState,
        most: int,
        clock: Callable[[], float] = monotonic,
        *,
        idle: float = SESSION_IDLE_SECONDS,
        reset_every: float = 0.0,
    ) -> None:
        self.shared = shared
        self.most = most
        self.default = Session(DEFAULT_SESSION, shared)
        """The one for requests that name none; it is always there."""
        self.save_progress = SaveProgress()
        """How far they are saved in the state file."""
        self._clock = clock
        self._idle = idle
        self._reset_every = reset_every
        self._reset_at = clock() + reset_every if reset_every else inf
        self._due: dict[str, Session] = {}
        """Those that are to go back to the start now."""
        self._by_name = {DEFAULT_SESSION: self.default}
        self._lock = Lock()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._by_name)

    def all(self) -> list[Session]:
        """Return them by name, the default one first."""
        found = list(self._by_name.copy().values())
        return sorted(found, key=lambda session: (session is not self.default, session.name))

    def find(self, name: str) -> Session | None:
        """Return a session if there is one, which counts as using it."""
        now = self._clock()
        if now >= self._reset_at:
            with self._lock:
                self._reset_at = now + self._reset_every
                self._due = self._by_name.copy()
        if self._due:
            self._reset_some(name)
        with self._lock:  # else it could be dropped for being idle just before it is not
            session = self._by_name.get(name)
            if session is not None:
                session.used = now
        return session

    def _reset_some(self, name: str) -> None:
        """Have the session that is asked for, and some that nobody asks for, go back to the start.

        All of them at once may be thousands, and take longer than others should wait.
        """
        with self._lock:
            some = [self._due.pop(name)] if name in self._due else []
            while self._due and len(some) < _RESETS:
                some.append(self._due.popitem()[1])
        for session in some:
            session.reset()

    def take(self, name: str) -> Session:
        """Return a session, made if there is none.

        :raise RequestError: ``busy`` when as many are in use as may be.
        """
        session = self.find(name)
        if session is not None:
            return session
        left = None
        with self._lock:
            session = self._by_name.get(name)
            if session is None:
                if len(self._by_name) >= self.most:
                    left = self._make_room()
                session = self._by_name[name] = Session(name, self.shared)
                # Changes were told since an earlier one of this name was made, and with each of
                # its resets: so what it was last is not what this one is first.
                session.journal.resets = self.shared.changes.number
            session.used = self._clock()
        if left is not None:
            _end(left)
        self.tell_all("sessions")
        return session

    def look(self, name: str) -> Session:
        """Return a session; one that there is not as it would be, without keeping it."""
        session = self.find(name)
        if session is None:
            session = Session(name, self.shared)
            session.changes = self.shared.changes  # all that can be heard of it
        return session

    def _make_room(self) -> Session:
        """Take out the session that was not used for longest, and return it.

        :raise RequestError: ``busy`` when that was not long ago.
        """
        now = self._clock()
        idle = [
            session
            for session in self._by_name.values()
            if session is not self.default
            and now - session.used >= self._idle
            and not session.gates.waiting()
        ]
        if not idle:
            raise RequestError(
                "busy",
                f"all {self.most} sessions are in use; drop one (DELETE sessions/NAME), start the "
                f"server with a higher --max-sessions, or wait until one was not used for "
                f"{self._idle:.0f} seconds",
                [("Retry-After", str(int(self._idle)))],
            )
        return self._by_name.pop(min(idle, key=lambda session: session.used).name)

    def drop(self, name: str) -> bool:
        """Forget a session, its held answers let go; return whether there was one.

        :raise RequestError: ``invalid_request`` for the default one.
        """
        if name == DEFAULT_SESSION:
            what = f"the session '{name}' is always there; reset it instead"
            raise RequestError("invalid_request", what)
        with self._lock:
            session = self._by_name.pop(name, None)
        if session is None:
            return False
        _end(session)
        self.tell_all("sessions")
        return True

    def idle_seconds(self, session: Session) -> float:
        """Return how long ago a session was last used."""
        return max(self._clock() - session.used, 0.0)

    def tell_all(self, kind: Change) -> None:
        """Say in every session that something has changed that all of them see."""
        self.shared.changes.tell(kind)


def _end(session: Session) -> None:
    """Let go whoever waits for a session that is taken out, and keep nothing more in it."""
    session.gates.open_all()
    session.changes.tell("sessions")
    session.journal.close()
