"""Gates: hold responses until a client opens the gate.

Safe to use from several threads. A gate exists while something is held at it. Opening it releases
what is held at that moment; what arrives later is held until the gate is opened again.
"""

from __future__ import annotations

from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Gates:
    """The gates of one session; `changed`, called after a hold or a release, must not block."""

    __slots__ = ("_changed", "_held", "_lock")

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._lock = Lock()
        self._held: dict[str, dict[object, Callable[[], None]]] = {}

    def wait(self, name: str, release: Callable[[], None]) -> Callable[[], None]:
        """Hold something at a gate; return a function that cancels the hold.

        :param release: called once, by the thread that opens the gate; it must not block.
        """
        ticket = object()
        with self._lock:
            self._held.setdefault(name, {})[ticket] = release
        self._changed()
        return partial(self._cancel, name, ticket)

    def open(self, name: str) -> int:
        """Release everything held at a gate, in FIFO order; return how many were held."""
        with self._lock:
            held = self._held.pop(name, {})
        for release in held.values():
            release()
        if held:
            self._changed()
        return len(held)

    def open_all(self) -> None:
        """Release everything held at all gates."""
        for name in self.waiting():
            self.open(name)

    def waiting(self) -> dict[str, int]:
        """Return the number held at each gate, by name."""
        with self._lock:
            return {name: len(held) for name, held in sorted(self._held.items())}

    def _cancel(self, name: str, ticket: object) -> None:
        with self._lock:
            held = self._held.get(name, {})
            was_held = held.pop(ticket, None) is not None
            if not held:
                self._held.pop(name, None)
        if was_held:
            self._changed()
