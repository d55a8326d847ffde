"""Change notifications: which parts of a session have changed since when.

Safe to use from several threads. Each change gets the next number of its server, and only the last
number of each kind is kept. A subscriber that knows a number can ask which kinds have changed since
then, and stays up to date even if the session is deleted and created again.
"""

from __future__ import annotations

from functools import partial
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, get_args

from mockpets.constants import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KINDS: tuple[Change, ...] = get_args(Change)


class ChangeFeed:
    """The changes of one session, including the changes that affect all sessions of its server.

    :param common: the feed for changes that affect all sessions; None to create that feed.
    """

    __slots__ = ("_common", "_last", "_latest", "_lock", "_numbers", "_waiting")

    def __init__(self, common: ChangeFeed | None = None) -> None:
        self._common = common
        # One lock for both feeds: a number must not be visible before a lower one of the other.
        self._lock: Lock = Lock() if common is None else common._lock
        self._numbers: Iterator[int] = count(1) if common is None else common._numbers
        self._last = 0
        self._latest: dict[Change, int] = {}
        self._waiting: set[_Ticket] = set()

    @property
    def number(self) -> int:
        """The number of the last change."""
        with self._lock:
            return max(feed._last for feed in self._feeds())

    def _feeds(self) -> tuple[ChangeFeed, ...]:
        """Return the feeds that this one includes; the caller holds the lock."""
        return (self,) if self._common is None else (self, self._common)

    def publish(self, kind: Change) -> None:
        """Record a change of this kind and release all waiting subscribers."""
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
            latest = [feed._latest for feed in self._feeds()]
            return [kind for kind in KINDS if any(each.get(kind, 0) > number for each in latest)]

    def wait(self, number: int, release: Callable[[], None]) -> Callable[[], None]:
        """Call a function at the next change after a number.

        :param release: called once, by the thread that publishes the change, or immediately if
            there already is one; it must not block.
        :return: a function that cancels the wait; it does nothing after the release.
        """
        ticket = _Ticket(release)
        with self._lock:
            if all(feed._last <= number for feed in self._feeds()):
                for feed in self._feeds():
                    feed._waiting.add(ticket)
                return partial(self._cancel, ticket)
        release()
        return partial(self._cancel, ticket)

    def _cancel(self, ticket: _Ticket) -> None:
        with self._lock:
            ticket.take()
            for feed in self._feeds():
                feed._waiting.discard(ticket)


class _Ticket:
    """A waiting subscriber, released once, by whichever feed changes first."""

    __slots__ = ("_release",)

    def __init__(self, release: Callable[[], None]) -> None:
        self._release: Callable[[], None] | None = release

    def take(self) -> Callable[[], None] | None:
        """Return the release function on the first call, then None; the caller holds the lock."""
        release, self._release = self._release, None
        return release
