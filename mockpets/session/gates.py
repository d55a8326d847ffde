"""Gates: answers are held behind one until someone opens it.

A leaf, and safe to use from several threads. Whoever holds an answer says how to let it go; the
gate itself knows nothing of answers. A gate exists while something waits behind it, and opening
it lets go what waits then: what comes later waits for the next time.
"""

from __future__ import annotations

from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Gates:
    """The gates of one session.

    :param changed: called after what waits has changed; it must not block.
    """

    __slots__ = ("_changed", "_held", "_lock")

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._lock = Lock()
        self._held: dict[str, dict[object, Callable[[], None]]] = {}

    def wait(self, name: str, release: Callable[[], None]) -> Callable[[], None]:
        """Wait behind a gate.

        :param release: called once, by the thread that opens the gate; it must not block.
        :return: what ends the waiting without a release; does nothing after one.
        """
        ticket = object()
        with self._lock:
            self._held.setdefault(name, {})[ticket] = release
        self._changed()
        return partial(self._leave, name, ticket)

    def open(self, name: str) -> int:
        """Let go all that waits behind a gate, in the order it came; return how many it was."""
        with self._lock:
            held = self._held.pop(name, {})
        for release in held.values():
            release()
        if held:
            self._changed()
        return len(held)

    def open_all(self) -> None:
        """Let go all that waits."""
        for name in self.waiting():
            self.open(name)

    def waiting(self) -> dict[str, int]:
        """Return how many wait behind each gate, by name."""
        with self._lock:
            return {name: len(held) for name, held in sorted(self._held.items())}

    def _leave(self, name: str, ticket: object) -> None:
        with self._lock:
            held = self._held.get(name, {})
            was_there = held.pop(ticket, None) is not None
            if not held:
                self._held.pop(name, None)
        if was_there:
            self._changed()
