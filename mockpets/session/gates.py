"""The responses of a session that wait, and the gates that hold some until a client opens them.

Safe to use from several threads. A gate exists while something is held at it. Opening it releases
what is held at that moment; what arrives later is held until the gate is opened again.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.request_log.wait import Wait


class Gates:
    """The gates of one session; `changed`, called after a hold or a release, must not block."""

    __slots__ = ("_changed", "_held", "_lock", "_waits")

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._lock = Lock()
        self._waits: dict[Wait, None] = {}
        self._held: dict[Wait, Callable[[], None]] = {}
        """Those at a gate, with the function that releases each."""

    def add(self, wait: Wait) -> None:
        """List a response as waiting, until `remove`."""
        self._waits[wait] = None

    def remove(self, wait: Wait) -> None:
        """Remove a response that has ended, and free what it was made from."""
        wait.ended = perf_counter()
        wait.read = wait.release = None
        self._waits.pop(wait, None)

    def all(self) -> list[Wait]:
        """Return the responses that wait, the first one first."""
        return [*self._waits.copy()]

    def hold(self, wait: Wait, release: Callable[[], None]) -> Callable[[], None]:
        """Hold a response at its gate; return a function that cancels the hold.

        :param release: called once, by the thread that opens the gate; it must not block.
        """
        with self._lock:
            self._held[wait] = release
        self._changed()
        return partial(self._leave, wait)

    def open(self, name: str | None = None) -> int:
        """Release everything held at a gate, or at all of them; return how many were held."""
        return self._open(lambda wait: name in (None, wait.gate))

    def _open(self, is_selected: Callable[[Wait], bool], *, release: bool = True) -> int:
        with self._lock:
            selected = [wait for wait in self._held if is_selected(wait)]
            releases = [self._held.pop(wait) for wait in selected]
            for wait in selected:
                wait.left_gate, wait.is_opened = perf_counter(), True
        for send in releases if release else ():
            send()
        if releases:
            self._changed()
        return len(releases)

    def release(self, wait: Wait, delay: float = 0.0) -> None:
        """End the hold and the delay of a response that its caller sends after another delay."""
        self._open(lambda held: held is wait, release=False)
        wait.due = perf_counter() + delay
        wait.release = None  # until the server has the response that is sent now

    def waiting(self) -> dict[str, int]:
        """Return the number held at each gate, by name."""
        with self._lock:
            return dict(sorted(Counter(wait.gate or "" for wait in self._held).items()))

    def _leave(self, wait: Wait) -> None:
        with self._lock:
            was_held = self._held.pop(wait, None) is not None
            if was_held:
                wait.left_gate = perf_counter()
        if was_held:
            self._changed()
