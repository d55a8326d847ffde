"""The journal: the requests and responses of a session, bounded in number and bytes.

The app adds one entry for each response, without secrets. All journals of a server share one
budget. The largest journal drops entries first, so a busy session cannot displace the entries of
a quiet one.
"""

from __future__ import annotations

from collections import deque
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

from mockpets.journal.entry import Entry

if TYPE_CHECKING:
    from mockpets.constants import ResponseEnd

_ENTRY_BYTES: Final = 1400
"""Memory of an entry without its longer texts and bodies."""
_NOTE_BYTES: Final = 150
_SHARE: Final = 8
"""To make room, a journal drops one in 8 of its entries at once."""


class Journals:
    """Creates journals that share a budget. Safe to use from several threads.

    :param budget_bytes: the limit for all journals together.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._budget = budget_bytes
        self._lock = Lock()
        self._live: WeakSet[Journal] = WeakSet()
        self._used = 0
        # The garbage collector can destroy a journal while the lock is held, so a destroyed journal
        # cannot take the lock; it adds its bytes here instead.
        self._released: deque[int] = deque()

    def new(self, size: int, *, bodies: bool = True) -> Journal:
        """Return an empty journal.

        :param size: the maximum number of entries.
        :param bodies: whether to record bodies; their sizes are always recorded.
        """
        journal = Journal(self, size, bodies=bodies)
        with self._lock:
            self._settled()  # otherwise `_released` would grow while no journal is full
            self._live.add(journal)
        return journal

    @property
    def used(self) -> int:
        """Bytes that all journals use."""
        with self._lock:
            return self._settled()

    def _settled(self) -> int:
        """Return the used bytes without destroyed journals; the caller holds the lock."""
        while self._released:
            self._used -= self._released.popleft()
        return self._used

    def _make_room(self) -> None:
        """Drop old entries of the largest journals; the caller holds the lock."""
        while self._settled() > self._budget:
            largest = max(self._live, key=lambda journal: journal._bytes, default=None)
            if largest is None or not len(largest):
                return  # a journal that is being destroyed will release the rest
            largest._drop(1 + len(largest) // _SHARE)


class Journal:
    """The request log of one session; `Journals.new` creates it. Safe to use from several threads.

    :param journals: the journals that share its budget.
    """

    __slots__ = (
        "__weakref__",
        "_bytes",
        "_closed",
        "_entries",
        "_journals",
        "_lock",
        "_released",
        "_size",
        "_with_bodies",
        "dropped",
        "last",
        "resets",
    )

    def __init__(self, journals: Journals, size: int, *, bodies: bool) -> None:
        self.last = 0
        """The highest number so far."""
        self.resets = 0
        """The number of resets."""
        self.dropped = 0
        """Entries dropped to make room for newer ones, since the last clear or reset."""
        self._journals = journals
        self._lock = journals._lock
        self._released = journals._released
        self._size = size
        self._with_bodies = bodies
        # Each entry with its cost. Created with the first entry, because most sessions of a test
        # run never get a request.
        self._entries: deque[tuple[Entry, int]] | None = None
        self._bytes = 0
        self._closed = False

    def next_number(self) -> int:
        """Return the next request number: from 1, and unique until a reset."""
        with self._lock:
            self.last += 1
            return self.last

    def add(self, entry: Entry) -> Entry:
        """Add an entry and return it as stored; drop the oldest if there is no room.

        A closed journal stores nothing.
        """
        if not self._with_bodies:
            entry = entry._replace(
                request=entry.request._replace(body=b""),
                response=entry.response._replace(body=b""),
            )
        cost = _cost(entry)
        with self._lock:
            if self._closed:
                return entry
            if self._entries is None:
                self._entries = deque()
            self._entries.append((entry, cost))
            self._bytes += cost
            journals = self._journals
            journals._used += cost
            if len(self._entries) > self._size:
                self._drop(1)
            if journals._used > journals._budget:
                journals._make_room()
        return entry

    def end(self, entry: Entry, outcome: ResponseEnd) -> bool:
        """Record the outcome of a pending entry; return whether the journal still has the entry.

        :param entry: as `add` returned it. It is found by identity, since a reset reuses numbers.
        """
        with self._lock:
            entries = self._entries or deque()
            # Most responses end right after their entry is added: try the newest without a loop.
            if entries and entries[-1][0] is entry:
                entries[-1] = Entry(*entry[:-1], outcome), entries[-1][1]
                return True
            for back, (stored, cost) in enumerate(reversed(entries), 1):
                if stored is entry:
                    # The outcome is the last field; `_replace` takes three times as long.
                    entries[-back] = Entry(*entry[:-1], outcome), cost
                    return True
        return False

    def entries(self) -> list[Entry]:
        """Return the entries, by number."""
        with self._lock:
            entries = [entry for entry, _ in self._entries or ()]
        # The thread that took its number first may add its entry last.
        return sorted(entries, key=itemgetter(0))

    def get(self, number: int) -> Entry | None:
        """Return the entry with this number, if the journal has it."""
        return next((entry for entry in self.entries() if entry.number == number), None)

    def clear(self) -> int:
        """Remove all entries and return how many; numbers continue."""
        with self._lock:
            return self._empty()

    def reset(self) -> None:
        """Remove all entries, and start again with number 1."""
        with self._lock:
            self._empty()
            self.last = 0
            self.resets += 1

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

    def _empty(self) -> int:
        count = len(self)
        self._drop(count)
        self.dropped = 0
        return count

    def _drop(self, count: int) -> None:
        """Drop this many of the oldest entries; the caller holds the lock."""
        entries = self._entries or deque()
        for _ in range(count):
            _, cost = entries.popleft()
            self._bytes -= cost
            self._journals._used -= cost
        self.dropped += count


def _cost(entry: Entry) -> int:
    """Return roughly how many bytes of memory an entry takes."""
    request, response = entry.request, entry.response
    # Targets and heads are Latin-1, one byte per character; a decoded path may take four.
    cost = (
        _ENTRY_BYTES
        + len(entry.target)
        + 4 * len(entry.path)
        + len(request.head)
        + len(response.head)
        + len(request.body)
        + len(response.body)
    )
    for note in entry.notes:
        cost += _NOTE_BYTES + 4 * len(note.text)
    return cost
