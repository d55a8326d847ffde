"""What has changed in a session, and who waits to hear of it.

A leaf, and safe to use from several threads. Each change gets the next number of its server, and
only the last number of each kind is kept: whoever was told up to a number can ask what is new
since, and needs nothing else to stay up to date, also while a session goes and comes again.
"""

from __future__ import annotations

from functools import partial
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, get_args

from mockpets.contract.control_types import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KINDS: tuple[Change, ...] = get_args(Change)


class ChangeFeed:
    """The changes of one session, with those that all sessions of its server hear of.

    :param common: what they all hear of; None for that itself.
    """

    __slots__ = ("_common", "_last", "_latest", "_lock", "_numbers", "_waiting")

    def __init__(self, common: ChangeFeed | None = None) -> None:
        self._common = common
        # One lock for all: a number may not be seen before a lower one of the other.
        self._lock: Lock = Lock() if common is None else common._lock
        self._numbers: Iterator[int] = count(1) if common is None else common._numbers
        self._last = 0
        self._latest: dict[Change, int] = {}
        self._waiting: set[_Ticket] = set()

    @property
    def number(self) -> int:
        """That of the last change."""
        with self._lock:
            return max(each._last for each in self._heard())

    def _heard(self) -> tuple[ChangeFeed, ...]:
        """Return those whose changes are heard of here; the lock is held."""
        return (self,) if self._common is None else (self, self._common)

    def tell(self, kind: Change) -> None:
        """Say that something of this kind has changed."""
        with self._lock:
            self._latest[kind] = self._last = next(self._numbers)
            if not self._waiting:
                return
            waiting, self._waiting = self._waiting, set()
            released = [release for ticket in waiting if (release := ticket.take())]
        for release in released:
            release()

    def since(self, number: int) -> list[Change]:
        """Return the kinds that have changed after a number, in the order of `KINDS`."""
        with self._lock:
            found = [each._latest for each in self._heard()]
            return [kind for kind in KINDS if any(when.get(kind, 0) > number for when in found)]

    def wait(self, number: int, release: Callable[[], None]) -> Callable[[], None]:
        """Wait for a change after a number.

        :param release: called once, by the thread that tells of it, or at once when it has come
            already; it must not block.
        :return: what ends the waiting; after a release there is nothing more to end.
        """
        ticket = _Ticket(release)
        with self._lock:
            if all(each._last <= number for each in self._heard()):
                for each in self._heard():
                    each._waiting.add(ticket)
                return partial(self._leave, ticket)
        release()
        return partial(self._leave, ticket)

    def _leave(self, ticket: _Ticket) -> None:
        with self._lock:
            ticket.take()
            for each in self._heard():
                each._waiting.discard(ticket)


class _Ticket:
    """Someone who waits, and is released once, wherever it is told first."""

    __slots__ = ("_release",)

    def __init__(self, release: Callable[[], None]) -> None:
        self._release: Callable[[], None] | None = release

    def take(self) -> Callable[[], None] | None:
        """Return what releases, the first time; the lock is held."""
        release, self._release = self._release, None
        return release
