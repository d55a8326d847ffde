"""What has changed in a session, and who waits to hear of it.

A leaf, and safe to use from several threads. Each change gets the next number of its server, and
only the last number of each kind is kept: whoever was told up to a number can ask what is new
since, and needs nothing else to stay up to date, also while a session goes and comes again.
"""

from __future__ import annotations

from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["KINDS", "Changes", "Kind"]

Kind = Literal["requests", "scenario", "pets", "snapshots", "gates", "sessions", "files"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Changes:
    """The changes of one session.

    :param numbers: gives each change its number; shared by all of a server.
    """

    __slots__ = ("_latest", "_lock", "_numbers", "_waiting", "number")

    def __init__(self, numbers: Iterator[int]) -> None:
        self.number = 0
        """That of the last change."""
        self._latest: dict[Kind, int] = {}
        self._numbers = numbers
        self._waiting: dict[object, Callable[[], None]] = {}
        self._lock = Lock()

    def tell(self, kind: Kind) -> None:
        """Say that something of this kind has changed."""
        with self._lock:
            self.number = next(self._numbers)
            self._latest[kind] = self.number
            if not self._waiting:
                return
            waiting, self._waiting = self._waiting, {}
        for release in waiting.values():
            release()

    def since(self, number: int) -> list[Kind]:
        """Return the kinds that have changed after a number, in the order of `KINDS`."""
        with self._lock:
            return [kind for kind in KINDS if self._latest.get(kind, 0) > number]

    def wait(self, number: int, release: Callable[[], None]) -> Callable[[], None]:
        """Wait for a change after a number.

        :param release: called once, by the thread that tells of it, or at once when it has come
            already; it must not block.
        :return: what ends the waiting without a release; does nothing after one.
        """
        ticket = object()
        with self._lock:
            if self.number <= number:
                self._waiting[ticket] = release
                return partial(self._leave, ticket)
        release()
        return partial(self._leave, ticket)

    def _leave(self, ticket: object) -> None:
        with self._lock:
            self._waiting.pop(ticket, None)
