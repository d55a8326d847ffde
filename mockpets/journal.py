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
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qsl
from weakref import WeakSet

from mockpets.secret_names import REDACTED, is_secret, redacted_target

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Entry", "Journal", "Journals", "Message", "Note", "message"]

MESSAGE_BYTES: Final = 4096
"""How much of a body is kept."""
_ENTRY_BYTES: Final = 1400
"""What an entry takes in memory besides its longer texts and its bodies."""
_NOTE_BYTES: Final = 150
_SHARE: Final = 8
"""The journal that has to make room loses one in so many of its entries."""


class Note(NamedTuple):
    """Something a front-end developer should know of one request.

    :param code: one of a fixed few: ``deprecated``, ``ignored_query``.
    """

    code: str
    text: str


class Message(NamedTuple):
    """A request or an answer as it is kept: secrets hidden, the body no longer than it may be.

    :param head: the headers, a line each: one text takes a third of the memory of many.
    :param size: bytes of the whole body.
    """

    head: str = ""
    body: bytes = b""
    size: int = 0

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers in the order they came."""
        lines = self.head.split("\n") if self.head else []
        return [(name, value) for name, _, value in (line.partition(": ") for line in lines)]

    @property
    def cut(self) -> bool:
        """Whether there is less of the body here than there was."""
        return len(self.body) < self.size

    def header(self, name: str) -> str:
        """Return the last header of this name, in any case, or an empty text."""
        lower = {known.lower(): value for known, value in self.headers}
        return lower.get(name.lower(), "")


class Entry(NamedTuple):
    """One request and its answer.

    :param number: in its session; see `Journal.next_number`.
    :param at: when it came, in seconds since 1970, UTC.
    :param target: path and query as they were sent, without secrets: see `secret_names`.
    :param path: decoded, from ``/v1`` on.
    :param pet_id: of the path, when it is an int64.
    :param status: None when the connection was broken instead of an answer.
    :param app_ms: milliseconds of own work.
    :param delay_ms: milliseconds that scenarios, or the request itself, have added.
    :param throttle: bytes a second.
    """

    number: int
    at: float
    session: str
    method: str
    target: str
    path: str
    operation: str | None = None
    pet_id: int | None = None
    status: int | None = None
    scenarios: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()
    fault: str | None = None
    off_contract: str | None = None
    app_ms: float = 0.0
    delay_ms: float = 0.0
    hold: str | None = None
    throttle: int | None = None
    notes: tuple[Note, ...] = ()
    request: Message = Message()
    response: Message = Message()

    @property
    def query(self) -> list[tuple[str, str]]:
        """The parameters of the target in the order they came, values of secrets hidden."""
        # Not kept, since a query of some thousand names takes a hundred times its text.
        query = self.target.partition("?")[2]
        return parse_qsl(query, keep_blank_values=True, errors="backslashreplace")


def message(headers: Iterable[tuple[str, str]], body: bytes, limit: int = MESSAGE_BYTES) -> Message:
    """Return what is kept of a request or an answer.

    :param limit: bytes of the body.
    """
    lines = [f"{name}: {REDACTED if is_secret(name) else value}" for name, value in headers]
    head = "\n".join(lines)
    if "?" in head or head.count("\n") >= len(lines):
        # URLs in Referer, Location and Link have queries too; and another server, or a test, may
        # let a line end pass that HTTP does not have.
        head = "\n".join(redacted_target(line.replace("\n", " ")) for line in lines)
    return Message(head, body[:limit], len(body))


# --- Keeping ----------------------------------------------------------------------------------


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
