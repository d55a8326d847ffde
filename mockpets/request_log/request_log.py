"""The request log: the requests and responses of a session, bounded in number and bytes.

The app adds one entry for each response. An entry is made, and secrets are redacted, when it is
first read: most entries never are. All request logs of a server share one budget. The largest one
drops entries first, so a busy session cannot displace the entries of a quiet one.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from http import HTTPStatus
from operator import attrgetter, itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakSet

from mockpets.request_log.entry import MESSAGE_BYTES, Entry
from mockpets.units import size_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockpets.constants import RequestOutcome, ResponseEnd
    from mockpets.request_log.wait import Wait

_log: Final = logging.getLogger("mockpets")
_SPARE: Final = 16
"""The part of the budget that is free after room was made: a sixteenth."""


class RequestLogs:
    """Creates request logs that share a budget in bytes. Safe to use from several threads."""

    def __init__(self, budget_bytes: int) -> None:
        self.budget = budget_bytes
        self.dropped = 0
        """Entries dropped because of the limit, since the start."""
        self._lock = Lock()
        self._live: WeakSet[RequestLog] = WeakSet()
        self._used = 0
        # The garbage collector can destroy a request log while the lock is held, so a destroyed one
        # cannot take the lock; it adds its bytes here instead.
        self._released: deque[int] = deque()

    def new(self, size: int, body_bytes: int = MESSAGE_BYTES) -> RequestLog:
        """Return an empty request log, for at most `size` entries."""
        request_log = RequestLog(self, size, body_bytes)
        with self._lock:
            self._settled()  # otherwise `_released` would grow while no request log is full
            self._live.add(request_log)
        return request_log

    @property
    def used(self) -> int:
        """Bytes that all request logs use."""
        with self._lock:
            return self._settled()

    def _settled(self) -> int:
        """Return the used bytes without destroyed request logs; the caller holds the lock."""
        while self._released:
            self._used -= self._released.popleft()
        return self._used

    def _make_room(self) -> None:
        """Drop old entries of the largest request logs; the caller holds the lock."""
        if self._settled() <= self.budget:
            return
        # With room for many entries, only few requests look through all request logs.
        target = self.budget - self.budget // _SPARE
        logs = sorted(self._live, key=attrgetter("_bytes"), reverse=True)
        for request_log in [each for each in logs if each.is_detached]:
            if self._used > target:
                request_log._drop(len(request_log))
        if self._used <= target:
            return
        if not self.dropped:
            _log.warning(
                "the request logs of all sessions together use %s, their part of "
                "--memory: the longest ones lose their oldest requests from now on, "
                "and a verify that such a request could change fails; start the server with a "
                "higher --memory, or delete sessions after their tests",
                size_text(self.budget),
            )
        full = [each for each in logs if each._bytes]
        level = _level([each._bytes for each in full], self._used - target)
        for request_log in full:
            if self._used <= target:
                return
            count, left = 0, request_log._bytes
            for kept in request_log._entries or ():
                if left <= level:
                    break
                count, left = count + 1, left - kept.cost
            request_log._drop(count)
            request_log.dropped_for_memory += count
            self.dropped += count


def _level(sizes: Sequence[int], excess: int) -> int:
    """Return the size to which to cut all larger ones, so that together they lose an excess.

    :param sizes: the largest first.
    """
    total = count = 0
    for size in sizes:
        if count and (total - excess) // count >= size:
            break
        total += size
        count += 1
    return max(total - excess, 0) // max(count, 1)


@dataclass(slots=True, eq=False)
class Kept:
    """An entry in a request log, which is made when it is first read; see `RequestLog.add`."""

    _make: Callable[[], Entry] | None
    cost: int
    outcome: RequestOutcome
    _wait: Wait | None
    _entry: Entry | None = None
    seconds: float | None = None
    """From the arrival of the request until its response ended."""
    is_dropped: bool = False
    status: int = 0
    """What was sent, or would be without a broken connection."""

    def read(self) -> Entry:
        """Return the entry with its present outcome and times."""
        make = self._make  # before the entry: another thread sets that one first
        entry = self._entry
        if entry is None:
            assert make is not None  # noqa: S101 - one of the two is set
            entry = make()
        wait, outcome = self._wait, self.outcome
        if entry.outcome != outcome or wait is not None:
            held = None if wait is None else wait.held_seconds()
            total = entry.total_ms if self.seconds is None else _ms(self.seconds)
            kind = None if wait is None else wait.kind(outcome)
            entry = Entry(*entry[:-4], outcome, None if held is None else _ms(held), total, kind)
        self._entry, self._make = entry, None
        return entry


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)


class Snapshot(NamedTuple):
    """The content of a request log at one moment.

    :param dropped: as `RequestLog` has it, like `dropped_for_memory`.
    """

    kept: list[Kept]
    dropped: int
    dropped_for_memory: int


class RequestLog:
    """The requests of a session; `RequestLogs.new` creates it. Safe to use from several threads."""

    __slots__ = (
        *("__weakref__", "_bytes", "_closed", "_entries", "_request_logs", "_lock"),
        *("_released", "_size", "body_bytes", "dropped", "dropped_for_memory", "is_detached"),
        *("last", "resets"),
    )

    def __init__(self, request_logs: RequestLogs, size: int, body_bytes: int) -> None:
        self.last = 0
        """The highest number so far."""
        self.resets = 0
        self.dropped = 0
        """Entries dropped to make room for newer ones, since the last clear or reset."""
        self.dropped_for_memory = 0
        """Those of them that were dropped because of the limit of all request logs together."""
        self.is_detached = False
        """Whether it only keeps what another request log may get back; it goes first."""
        self._request_logs = request_logs
        self._lock = request_logs._lock
        self._released = request_logs._released
        self._size = size
        self.body_bytes = body_bytes
        """The longest recorded body; sizes are always recorded."""
        # Created with the first entry, because most sessions of a test run never get a request.
        self._entries: deque[Kept] | None = None
        self._bytes = 0
        self._closed = False

    def next_number(self) -> int:
        """Return the next request number: from 1, and unique until a reset."""
        with self._lock:
            self.last += 1
            return self.last

    def add(
        self,
        make: Callable[[], Entry],
        cost: int,
        outcome: RequestOutcome,
        wait: Wait | None = None,
    ) -> Kept:
        """Add an entry; drop the oldest if there is no room. A closed request log stores nothing.

        :param make: returns the entry; called when it is first read.
        :param cost: roughly the bytes of memory that the entry takes, before and after that.
        :param outcome: what became of the response so far; `end` changes it.
        :param wait: what the response waits for; None if it is sent at once.
        """
        kept = Kept(make, cost, outcome, wait)
        with self._lock:
            if self._closed:
                kept.is_dropped = True
                return kept
            entries = self._entries
            if entries is None:
                entries = self._entries = deque()
            entries.append(kept)
            self._bytes += cost
            request_logs = self._request_logs
            request_logs._used += cost
            if len(entries) > self._size:
                self._drop(1)
            if request_logs._used > request_logs.budget:
                request_logs._make_room()
        return kept

    def end(self, kept: Kept, outcome: ResponseEnd, seconds: float | None = None) -> bool:
        """Record the outcome of a pending entry; return whether the log still has the entry.

        :param seconds: from the arrival of the request until now.
        """
        kept.seconds = seconds
        kept.outcome = outcome
        return not kept.is_dropped

    def amend(self, kept: Kept, entry: Entry, cost: int) -> None:
        """Replace an entry, which then takes this many bytes more."""
        with self._lock:
            kept._entry = entry
            if not kept.is_dropped:
                kept.cost += cost
                self._bytes += cost
                self._request_logs._used += cost

    def entries(self) -> list[Entry]:
        """Return the entries, by number."""
        # The thread that took its number first may add its entry last.
        return sorted([kept.read() for kept in self.snapshot().kept], key=itemgetter(0))

    def snapshot(self) -> Snapshot:
        """Return the entries in the order in which they were added, without reading them."""
        with self._lock:
            kept = [*(self._entries or ())]
            return Snapshot(kept, self.dropped, self.dropped_for_memory)

    def failed(self) -> int:
        """Return how many requests have an error status, a broken connection or no client left."""
        ended = [kept for kept in self.snapshot().kept if kept.outcome != "pending"]
        return sum(
            kept.status >= HTTPStatus.BAD_REQUEST or kept.outcome != "sent" for kept in ended
        )

    def newest(self) -> Entry | None:
        """Return the entry that was added last, if there is one."""
        with self._lock:
            kept = self._entries[-1] if self._entries else None
        return None if kept is None else kept.read()

    def get(self, number: int) -> Entry | None:
        """Return the entry with this number, if the request log has it."""
        return next((entry for entry in self.entries() if entry.number == number), None)

    def reset(self) -> None:
        """Remove all entries, and start again with number 1."""
        with self._lock:
            self._empty()
            self.last = 0
            self.resets += 1

    def detach(self) -> RequestLog:
        """Move all entries to a new request log, from which `put_back` can get them."""
        kept = self._request_logs.new(self._size, self.body_bytes)
        with self._lock:
            kept.is_detached = kept._closed = True
            kept.last, kept.dropped = self.last, self.dropped
            kept.dropped_for_memory = self.dropped_for_memory
            kept._entries, self._entries = self._entries, None
            kept._bytes, self._bytes = self._bytes, 0
            self.dropped = self.dropped_for_memory = 0
            for entry in kept._entries or ():
                entry.is_dropped = True
        return kept

    def put_back(self, kept: RequestLog, *, restart: bool) -> None:
        """Move the entries back that `detach` moved to a request log.

        :param restart: whether to remove the entries that came since, whose numbers may be the
            same.
        """
        with self._lock:
            if restart:
                self._empty()
                self.last = kept.last
                self.resets += 1
            self._entries = (kept._entries or deque()) + (self._entries or deque())
            self._bytes += kept._bytes
            self.dropped += kept.dropped
            self.dropped_for_memory += kept.dropped_for_memory
            kept._entries, kept._bytes = None, 0
            for entry in self._entries:
                entry.is_dropped = False
            self._drop(max(len(self) - self._size, 0))

    def stop(self) -> None:
        """Accept no more entries, even from requests that are still running, and go first."""
        with self._lock:
            self._closed = self.is_detached = True

    def go_on(self) -> None:
        """Accept entries again after `stop`."""
        with self._lock:
            self._closed = self.is_detached = False

    def close(self) -> None:
        """Remove all entries and accept no more, even from requests that are still running."""
        with self._lock:
            self._empty()
            self._closed = True

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._entries or ())

    def __del__(self) -> None:
        """Release the used bytes."""
        self._released.append(self._bytes)

    def _empty(self) -> None:
        self._drop(len(self))
        self.dropped = self.dropped_for_memory = 0

    def _drop(self, count: int) -> None:
        """Drop this many of the oldest entries; the caller holds the lock."""
        entries = self._entries or deque()
        for _ in range(count):
            kept = entries.popleft()
            kept.is_dropped = True
            self._bytes -= kept.cost
            self._request_logs._used -= kept.cost
        self.dropped += count
