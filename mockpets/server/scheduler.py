"""What one loop does besides watching sockets: calls and timers.

Connections add work here and the loop does it, so neither needs to know the other. Apps get the
scheduler with each request, as the `mockpets.interface.Server`.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Final

from mockpets.server.body_budget import BodyBudget
from mockpets.server.memory import return_free_memory
from mockpets.server.parking import Parking
from mockpets.server.timers import Timers
from mockpets.server.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from mockpets.interface import ServerCounts
    from mockpets.server.poller import Handler
    from mockpets.server.server_limits import ServerLimits
    from mockpets.server.timers import Timer

_BATCH_SECONDS: Final = 0.002
"""How long a response may wait for the others of its turn, to be sent with them."""
_TRIM_SECONDS: Final = 3.0
"""How long to wait before freed memory is returned, and the shortest time between two returns."""


class Scheduler:
    """The calls and timers of one loop, and what its connections share.

    :param wake: ends the loop's wait for sockets; called from any thread.
    :param close_idle: see `mockpets.interface.Server`.
    :param connections: the open connections, only counted here.
    """

    def __init__(
        self,
        limits: ServerLimits,
        clock: Callable[[], float],
        wake: Callable[[], None],
        close_idle: Callable[[str], None],
        connections: Sized,
    ) -> None:
        self.limits = limits
        self.timers = Timers(clock)
        self.bodies = BodyBudget(limits.bodies_bytes)
        self.worker = Worker(self.call_soon_threadsafe)
        self.close_idle = close_idle
        self.parking = Parking(limits.parked, self.timers, self.call_soon_threadsafe)
        self.changed: set[Handler] = set()
        """Sockets whose `interest` may have changed in this turn."""
        self.stop_at: float | None = None
        """When the loop stops, in seconds of its clock; None until `Loop.stop_after`."""
        self.draining = False
        """Nothing more is read; complete requests get their response, then connections end."""
        self.evicted = 0
        """Connections closed because of a limit of connections."""
        self.errors: Counter[str] = Counter()
        """Responses that the server made itself, without the app, by error code."""
        self._connections = connections
        self._trim: Timer | None = None
        self._ready: deque[Callable[[], None]] = deque()
        self._unsent: deque[Callable[[], None]] = deque()
        self._wake = wake

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Schedule a call for this turn of the loop or the next."""
        self._ready.append(callback)

    def call_soon_threadsafe(self, callback: Callable[[], None]) -> None:
        """Schedule a call on the loop's thread, from any thread."""
        self._ready.append(callback)
        self._wake()

    def send_soon(self, send: Callable[[], None]) -> None:
        """Schedule the sending of a response for the end of this turn, when all are made.

        The first response wakes a client in another process; sent together, they wake it only once.
        """
        self._unsent.append(send)

    def send_all(self) -> None:
        """Send the responses that are ready."""
        while self._unsent:
            self._unsent.popleft()()

    def room(self, session: str = "") -> bool:
        """Return whether one more response, of a session, may be parked."""
        return self.parking.room(session)

    def time(self) -> float:
        """Return the seconds of the clock."""
        return self.timers.clock()

    def counts(self) -> ServerCounts:
        """Return what the server holds now, and its limits."""
        return {
            "parked_answers": len(self.parking.responses),
            "parked_answers_limit": self.limits.parked,
            "connections": len(self._connections),
            "connections_limit": self.limits.connections,
            "connections_evicted_total": self.evicted,
            "arriving_bodies_bytes": self.bodies.used,
            "arriving_bodies_limit_bytes": self.limits.bodies_bytes,
            "rejected": self.errors,
        }

    def stops_in(self) -> float | None:
        """Return the seconds until the server stops, None if it keeps running."""
        return None if self.stop_at is None else max(self.stop_at - self.timers.clock(), 0.0)

    def return_memory_soon(self) -> None:
        """Return freed memory after a delay: the connections that had it are still closing."""
        if self._trim is None or self._trim.callback is None:
            when = self.timers.clock() + _TRIM_SECONDS
            self._trim = self.timers.call_at(when, return_free_memory)

    def timeout(self) -> float | None:
        """Return how many seconds the loop may wait for sockets, None for as long as it takes."""
        return 0.0 if self._ready or self._unsent else self.timers.timeout()

    def run(self) -> None:
        """Make the calls that are due now; calls they schedule run in the next turn."""
        clock = self.timers.clock
        send_at = clock() + _BATCH_SECONDS
        for _ in range(len(self._ready)):
            self._ready.popleft()()
            if (now := clock()) >= send_at:
                self.send_all()
                send_at = now + _BATCH_SECONDS
        self.timers.run()
        self.send_all()
