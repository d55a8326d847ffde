"""Undo: what the last reset, clear or delete of each session removed, kept for ten seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.constants import Removal
    from mockpets.session.session import Session, Snapshot

UNDO_SECONDS: Final = 10.0
"""As long as people take to notice a mistake; what is removed still uses memory."""
REMOVED: Final = 100
"""Sessions of which something is kept; the suites of a busy server delete many each second."""


class Removed(NamedTuple):
    """What was removed of a session.

    :param put_back: restores it.
    :param kept: what needs memory until then.
    :param free: frees what only `put_back` needs, if it is not called.
    :param until: when it is discarded, in seconds of the clock.
    """

    kind: Removal
    put_back: Callable[[], None]
    kept: Session | Snapshot | None
    free: Callable[[], object]
    until: float


class Undo:
    """What can be put back, by session name. Safe to use from several threads.

    :param clock: returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._removed: dict[str, Removed] = {}
        """The oldest first."""

    def __len__(self) -> int:
        """Return the number of undoable sessions."""
        return len(self._removed)

    def keep(
        self,
        name: str,
        kind: Removal,
        put_back: Callable[[], None],
        kept: Session | Snapshot | None = None,
        free: Callable[[], object] = lambda: None,
    ) -> None:
        """Keep what was removed of a session, in place of what was kept of it before."""
        self.discard(name)
        self.expire()
        if len(self) >= REMOVED:
            self.discard(next(iter(self._removed), ""))
        until = self._clock() + UNDO_SECONDS
        self._removed[name] = Removed(kind, put_back, kept, free, until)

    def all_kept(self) -> list[Session | Snapshot]:
        """Return what needs memory."""
        return [each.kept for each in [*self._removed.values()] if each.kept is not None]

    def put_back(self, name: str) -> Removal:
        """Put back what was removed last, and return what that was.

        :raise RequestError: ``not_found`` if nothing is kept; as `Store.restore`.
        """
        self.expire()
        removed = self._removed.pop(name, None)
        if removed is None:
            message = f"session '{name}' has nothing to undo: a reset, clear or delete of the last "
            raise RequestError("not_found", f"{message}{UNDO_SECONDS:.0f} seconds can be undone")
        try:
            removed.put_back()
        except RequestError:
            removed.free()
            raise
        return removed.kind

    def discard(self, name: str) -> None:
        """Free what is kept of a session."""
        removed = self._removed.pop(name, None)
        if removed is not None:
            removed.free()

    def expire(self) -> None:
        """Free what was removed too long ago."""
        now = self._clock()
        for name, removed in [*self._removed.items()]:
            if removed.until > now:
                return
            self.discard(name)

    def clear(self) -> None:
        """Free everything, because memory is needed."""
        for name in [*self._removed]:
            self.discard(name)
