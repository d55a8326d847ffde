"""The journal: what was asked and answered in each session, bounded in number and in bytes.

Plain values in, plain values out: the app says what there is to keep, once for each answer, and
what it reads is made then, not before. Secrets are gone before anything is kept. All journals of
a server share one budget; whoever holds most makes room, so a busy session cannot push out what
a quiet one has done.
"""

from __future__ import annotations

from collections import deque
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

if TYPE_CHECKING:
    from mockpets.journal.entry import Entry

_ENTRY_BYTES: Final = 1400
"""What an entry takes in memory besides its longer texts and its bodies."""
_NOTE_BYTES: Final = 150
_SHARE: Final = 8
"""The journal that has to make room loses one in so many of its entries."""


class Journals:
    """Makes journals that share a budget. Safe to use from several threads.

    :param budget_bytes: what all of them may hold together.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._budget = budget_bytes
        self._lock = Lock()
        self._live: WeakSet[Journal] = WeakSet()
        self._used = 0
        # A journal can end while the lock is held, wherever the garbage collector likes: then it
        # may neither wait for the lock nor count, so it leaves here what it had.
        self._left: deque[int] = deque()

    def new(self, size: int, *, bodies: bool = True) -> Journal:
        """Return an empty journal.

        :param size: entries it keeps at most.
        :param bodies: whether it keeps bodies; their sizes it keeps anyhow.
        """
        journal = Journal(self, size, bodies=bodies)
        with self._lock:
            self._settled()  # else what is left would pile up while no journal is full
            self._live.add(journal)
        return journal

    @property
    def used(self) -> int:
        """Bytes that all journals hold."""
        with self._lock:
            return self._settled()

    def _settled(self) -> int:
        """Return what is in use; the lock is held."""
        while self._left:
            self._used -= self._left.popleft()
        return self._used

    def _make_room(self) -> None:
        """Drop old entries of the journals that hold most; the lock is held."""
        while self._settled() > self._budget:
            largest = max(self._live, key=lambda journal: journal._bytes, default=None)
            if largest is None or not len(largest):
                return  # what there was too much of is about to be left
            largest._drop(1 + len(largest) // _SHARE)


class Journal:
    """What one session was asked; `Journals.new` makes it. Safe to use from several threads.

    :param journals: with whom it shares a budget.
    """

    __slots__ = (
        "__weakref__",
        "_bytes",
        "_closed",
        "_entries",
        "_journals",
        "_left",
        "_lock",
        "_size",
        "_with_bodies",
        "dropped",
        "last",
        "resets",
    )

    def __init__(self, journals: Journals, size: int, *, bodies: bool) -> None:
        self.last = 0
        """The highest number given so far."""
        self.resets = 0
        """Another number after each reset."""
        self.dropped = 0
        """Entries that made room for newer ones, since it was last cleared or reset."""
        self._journals = journals
        self._lock = journals._lock
        self._left = journals._left
        self._size = size
        self._with_bodies = bodies
        # Each with its cost. Most sessions of a test run are made and dropped without a request, so
        # room for entries is made with the first.
        self._entries: deque[tuple[Entry, int]] | None = None
        self._bytes = 0
        self._closed = False

    def next_number(self) -> int:
        """Return the number of a request: from 1, and none twice until a reset."""
        with self._lock:
            self.last += 1
            return self.last

    def add(self, entry: Entry) -> None:
        """Keep an entry, at the cost of the oldest when there is no room; once closed, do not."""
        if not self._with_bodies:
            entry = entry._replace(
                request=entry.request._replace(body=b""),
                response=entry.response._replace(body=b""),
            )
        cost = _cost(entry)
        with self._lock:
            if self._closed:
                return
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

    def entries(self) -> list[Entry]:
        """Return what is kept, by number."""
        with self._lock:
            kept = [entry for entry, _ in self._entries or ()]
        # Of two threads, the one that took its number first may be the last to add.
        return sorted(kept, key=itemgetter(0))

    def get(self, number: int) -> Entry | None:
        """Return the entry of this number, if it is kept."""
        return next((entry for entry in self.entries() if entry.number == number), None)

    def clear(self) -> int:
        """Forget all entries and return how many; numbers go on."""
        with self._lock:
            return self._empty()

    def reset(self) -> None:
        """Forget all entries, and begin with number 1 again."""
        with self._lock:
            self._empty()
            self.last = 0
            self.resets += 1

    def close(self) -> None:
        """Forget all entries for good: its session is gone, though a request may be under way."""
        with self._lock:
            self._empty()
            self._closed = True

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self._entries or ())

    def __del__(self) -> None:
        """Give back what it holds."""
        self._left.append(self._bytes)

    def _empty(self) -> int:
        count = len(self)
        self._drop(count)
        self.dropped = 0
        return count

    def _drop(self, count: int) -> None:
        """Drop so many of the oldest entries; the lock is held."""
        entries = self._entries or deque()
        for _ in range(count):
            _, cost = entries.popleft()
            self._bytes -= cost
            self._journals._used -= cost
        self.dropped += count


def _cost(entry: Entry) -> int:
    """Return about how many bytes of memory an entry takes."""
    request, response = entry.request, entry.response
    # Targets and heads are Latin-1, a byte a character; a decoded path may take four.
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
