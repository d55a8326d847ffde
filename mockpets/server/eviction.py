"""Choose the connection to close at a limit, at a cost that does not grow with their number.

A heap has a lower bound of each connection's key, which is corrected only when it comes to the top.
So a connection in use costs nothing per request, and a choice looks at few connections.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from mockpets.constants import ResponseEnd

ANY: Final = ""
"""In place of a peer: all connections."""
_OUTDATED_KEPT: Final = 64
"""Minimum of outdated keys before they are removed from the heap."""

_Key = tuple[int, float, int]
"""A rank, then the time that decides within it, then the number of the connection."""


class Evictable(Protocol):
    """What a queue reads of a `Connection`, and what is done with the chosen one."""

    number: int
    since: float
    served: int
    pace: float
    connected: bool

    @property
    def phase(self) -> str: ...  # noqa: D102 - as in `Connection`
    @property
    def is_incomplete(self) -> bool: ...  # noqa: D102
    @property
    def is_slow(self) -> bool: ...  # noqa: D102
    def read_available(self) -> None: ...  # noqa: D102
    def close(self, end: ResponseEnd = ...) -> None: ...  # noqa: D102


class EvictionQueue:
    """Open connections of a peer, the one that can be spared most easily first.

    :param peer: the name under which connections of its address are counted, or `ANY`.
    """

    def __init__(self, peer: str = ANY) -> None:
        self.peer = peer
        self._connections: dict[int, Evictable] = {}
        self._heap: list[_Key] = []
        self._keys: dict[int, _Key] = {}
        """The key in the heap that counts, by number; other keys in the heap are outdated."""
        self._behind: OrderedDict[int, Evictable] = OrderedDict()
        """Connections whose client takes less than it requests, but not yet for long enough to be
        slow, in the order in which they become slow."""

    def __len__(self) -> int:
        """Return the number of connections."""
        return len(self._connections)

    def add(self, connection: Evictable) -> None:
        """Add an open connection; call `update` next."""
        self._connections[connection.number] = connection

    def remove(self, connection: Evictable) -> None:
        """Remove a connection that is being closed."""
        number = connection.number
        del self._connections[number]
        self._keys.pop(number, None)
        self._behind.pop(number, None)
        self._compact()

    def update(self, connection: Evictable) -> None:
        """Note a connection that may be spared more easily than before: its phase has changed."""
        queued = self._keys.get(connection.number)
        if queued is not None and connection.phase == "idle":
            return  # it was used since, so the key in the heap is lower
        key = _key(connection)
        if key is not None and (queued is None or key < queued):
            heapq.heappush(self._heap, key)
            self._keys[connection.number] = key
            self._compact()

    def fall_behind(self, connection: Evictable) -> None:
        """Note that a client begins to take less than it requests."""
        self._behind[connection.number] = connection

    def catch_up(self, connection: Evictable) -> None:
        """Note that a client has taken everything."""
        self._behind.pop(connection.number, None)

    def first(self) -> Evictable | None:
        """Return the connection that can be spared most easily.

        None if all have a request in progress. First those whose client requests more than it
        takes, the slowest first. Then those that have waited longest for a request: new ones before
        those that have been used. A connection that only waits for its client to close it counts
        as new.
        """
        self._note_slow()
        heap, keys = self._heap, self._keys
        while heap:
            queued = heap[0]
            number = queued[2]
            if keys.get(number) != queued:
                heapq.heappop(heap)
                continue
            connection = self._connections[number]
            key = _key(connection)
            if key == queued:
                return connection
            if key is None:  # in use: it is added again when it waits for a request
                heapq.heappop(heap)
                del keys[number]
            else:
                heapq.heapreplace(heap, key)
                keys[number] = key
        return None

    def _note_slow(self) -> None:
        behind = self._behind
        while behind:
            connection = next(iter(behind.values()))
            if not connection.is_slow:
                return
            del behind[connection.number]
            self.update(connection)

    def _compact(self) -> None:
        """Remove the outdated keys if there are many."""
        if len(self._heap) > 2 * len(self._keys) + _OUTDATED_KEPT:
            self._heap = [*self._keys.values()]
            heapq.heapify(self._heap)


def _key(connection: Evictable) -> _Key | None:
    """Return the place of a connection among those to spare, None while it is in use."""
    if connection.is_slow:
        return 0, connection.pace, connection.number
    if not (connection.is_incomplete or connection.phase == "linger"):
        return None
    is_used = connection.phase == "idle" and connection.served > 0
    return 2 if is_used else 1, connection.since, connection.number
