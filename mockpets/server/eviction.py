"""Choose the connection to close at a limit, at a cost that does not grow with their number.

A connection that is in use stays in its queue until it comes to the front, so a request costs one
move within a queue, and a choice looks at each such connection once.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from mockpets.constants import ResponseEnd

ANY: Final = ""
"""In place of a peer: all connections."""


class Evictable(Protocol):
    """What a queue reads of a `Connection`, and what is done with the chosen one."""

    served: int
    pace: float
    connected: bool

    @property
    def phase(self) -> str: ...
    @property
    def is_incomplete(self) -> bool: ...
    @property
    def is_slow(self) -> bool: ...
    def read_available(self) -> None: ...
    def close(self, end: ResponseEnd = ...) -> None: ...


class EvictionQueue:
    """Open connections of a peer, the one that can be spared most easily first.

    :param peer: the name under which connections of its address are counted, or `ANY`.
    """

    def __init__(self, peer: str = ANY) -> None:
        self.peer = peer
        self._connections: set[Evictable] = set()
        self._new: OrderedDict[Evictable, None] = OrderedDict()
        self._used: OrderedDict[Evictable, None] = OrderedDict()
        self._behind: OrderedDict[Evictable, None] = OrderedDict()
        """Connections whose client takes less than it requests, but not yet for long enough to be
        slow, in the order in which they become slow."""
        self._slow: dict[int, Evictable] = {}
        self._paces: list[tuple[float, int]] = []
        """A heap with a lower bound of the pace of each slow connection, and its key in `_slow`."""

    def __len__(self) -> int:
        """Return the number of connections."""
        return len(self._connections)

    def add(self, connection: Evictable) -> None:
        """Add an open connection; call `update` next."""
        self._connections.add(connection)

    def remove(self, connection: Evictable) -> None:
        """Remove a connection that is being closed."""
        self._connections.remove(connection)
        for queue in (self._new, self._used):
            queue.pop(connection, None)
        self.catch_up(connection)

    def update(self, connection: Evictable) -> None:
        """Note a connection that begins to wait for its client."""
        queue = self._used if connection.served and connection.phase == "idle" else self._new
        queue[connection] = None
        queue.move_to_end(connection)

    def fall_behind(self, connection: Evictable) -> None:
        """Note that a client begins to take less than it requests."""
        self._behind[connection] = None

    def catch_up(self, connection: Evictable) -> None:
        """Note that a client has taken everything."""
        self._behind.pop(connection, None)
        self._slow.pop(id(connection), None)

    def first(self) -> Evictable | None:
        """Return the connection that can be spared most easily.

        None if all have a request in progress. First those whose client requests more than it
        takes, the slowest first. Then those that have waited longest for a request: new ones before
        those that have been used. A connection that only waits for its client to close it counts
        as new.
        """
        if (slowest := self._slowest()) is not None:
            return slowest
        for queue in (self._new, self._used):
            while queue:
                connection = next(iter(queue))
                is_waiting = connection.is_incomplete or connection.phase == "linger"
                is_used = connection.served > 0 and connection.phase == "idle"
                if is_waiting and is_used == (queue is self._used):
                    return connection
                del queue[connection]  # it is added again when it waits for a request
        return None

    def _slowest(self) -> Evictable | None:
        while self._behind and (waiting := next(iter(self._behind))).is_slow:
            del self._behind[waiting]
            self._slow[id(waiting)] = waiting
            heapq.heappush(self._paces, (waiting.pace, id(waiting)))
        while self._paces:
            pace, number = self._paces[0]
            connection = self._slow.get(number)
            if connection is None:  # closed, or no longer slow
                heapq.heappop(self._paces)
            elif pace < connection.pace:
                heapq.heapreplace(self._paces, (connection.pace, number))
            else:
                return connection
        return None
