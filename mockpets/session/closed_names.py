"""The names of deleted sessions that are closed for some time.

A page that still polls would create its session again; a closed name rejects it instead.
"""

from __future__ import annotations

from math import ceil, inf
from typing import TYPE_CHECKING

from mockpets.constants import CLOSED_NAMES
from mockpets.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable


class ClosedNames:
    """The closed names of one server, up to a limit. The caller serializes changes.

    :param clock: returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}
        """In the order in which the names were closed."""

    def close(self, name: str, seconds: float) -> None:
        """Close a name; at the limit, forget the expired ones, or the one that was closed first."""
        now = self._clock()
        if len(self._until) >= CLOSED_NAMES and name not in self._until:
            expired = [each for each, until in self._until.items() if until <= now]
            for each in expired or [next(iter(self._until))]:
                del self._until[each]
        self._until[name] = now + seconds

    def open(self, name: str) -> None:
        """Open a name, whether or not it is closed."""
        self._until.pop(name, None)

    def seconds(self, name: str) -> float:
        """Return how long a name stays closed; 0 if it is open."""
        return max(self._until.get(name, -inf) - self._clock(), 0.0)

    def check(self, name: str) -> None:
        """Check that a name is not closed.

        :raise RequestError: ``session_dropped``.
        """
        if seconds := self.seconds(name):
            raise RequestError(
                "session_dropped",
                f"the session '{name}' was deleted and stays closed for {ceil(seconds)} s; use "
                f"another name, or create it again with PUT sessions/{name}",
            )
