"""Change notifications: which parts of a session have changed since when.

Each change gets the next number of its server, and only the last number of each kind is kept. A
subscriber that knows a number can ask which kinds have changed since then, and stays up to date
even if the session is deleted and created again.
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
    """The changes of one session and, in the feed `common`, those of all sessions. Thread-safe."""

    __slots__ = ("_common", "_last", "_latest", "_lock", "_numbers", "_waiting")

    def __init__(self, common: ChangeFeed | None = None) -> None:
        self._common = common
        # One lock for both feeds: a number must not be visible before a lower one of the other.
        self._lock: Lock = Lock() if common is None else common._lock
        self._numbers: Iterator[int] = count(1) if common is None else common._numbers
        self._last = 0
        self._latest: dict[Change, int] = {}
        self._waiting: dict[object, tuple[ChangeFeed, Callable[[], None]]] = {}
        """Subscribers by ticket, with the feed at which they wait."""

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
            waiting = [*self._waiting.items()]
            for ticket, (feed, _) in waiting:
                feed._remove(ticket)
        for _, (_, release) in waiting:
            release()

    def since(self, number: int) -> list[Change]:
        """Return the kinds that have changed after a number, in the order of `KINDS`."""
        with self._lock:
            latest = [feed._latest for feed in self._feeds()]
            return [kind for kind in KINDS if any(last.get(kind, 0) > number for last in latest)]

    def wait(self, number: int, release: Callable[[], None]) -> Callable[[], None]:
        """Call a function at the next change after a number; return one that cancels the wait.

        :param release: called once, by the thread that publishes the change, or immediately if
            there already is one; it must not block.
        """
        ticket = object()
        with self._lock:
            must_wait = all(feed._last <= number for feed in self._feeds())
            if must_wait:
                for feed in self._feeds():
                    feed._waiting[ticket] = self, release
        if not must_wait:
            release()
        return partial(self._cancel, ticket)

    def _cancel(self, ticket: object) -> None:
        with self._lock:
            self._remove(ticket)

    def _remove(self, ticket: object) -> None:
        """Forget a subscriber of this feed; the caller holds the lock."""
        for feed in self._feeds():
            feed._waiting.pop(ticket, None)
