"""Everything one loop has to do besides watching sockets: calls, timers and parked responses.

Connections add work here and the loop does it, so neither needs to know the other. Apps find the
scheduler in their environ as the `mockpets.wsgi_extension.Server`.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from mockpets.http.response_head import ResponseHeadWriter
from mockpets.server.body_budget import BodyBudget
from mockpets.server.memory import return_free_memory
from mockpets.server.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from mockpets.constants import ErrorCode
    from mockpets.server.limits import Limits
    from mockpets.server.poller import Handler

IDENT: Final = "mockpets"
"""The value of the Server header."""
_TRIM_SECONDS: Final = 3.0
"""How long to wait before freed memory is returned, and the shortest time between two returns."""
_CANCELLED_KEPT: Final = 1000
"""Minimum of cancelled timers before they are removed from the heap."""


class Parked(Protocol):
    """A response that is delayed, throttled or held."""

    def flush(self) -> None:
        """Send it now: the server is stopping."""
        ...


@dataclass(slots=True)
class Timer:
    """A scheduled call; `callback` is None once it is cancelled or done."""

    when: float
    number: int
    callback: Callable[[], None] | None

    def __lt__(self, other: Timer) -> bool:
        """Return whether this timer runs before another."""
        return (self.when, self.number) < (other.when, other.number)


class Timers:
    """A heap of timers.

    :param clock: returns seconds and never goes back.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self._heap: list[Timer] = []
        self._created = 0
        self._cancelled = 0

    def __len__(self) -> int:
        """Return how many timers are pending."""
        return len(self._heap) - self._cancelled

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        """Schedule a call; ties run in FIFO order.

        :param when: seconds of the clock.
        """
        self._created += 1
        timer = Timer(when, self._created, callback)
        heapq.heappush(self._heap, timer)
        return timer

    def cancel(self, timer: Timer) -> None:
        """Cancel a call, unless it has been made."""
        if timer.callback is None:
            return
        timer.callback = None
        self._cancelled += 1
        # Clients that request a long delay and leave would fill the heap with cancelled timers.
        if self._cancelled > max(_CANCELLED_KEPT, len(self._heap) // 2):
            self._heap = [item for item in self._heap if item.callback is not None]
            heapq.heapify(self._heap)
            self._cancelled = 0

    def timeout(self) -> float | None:
        """Return the seconds until the next call, 0 if one is due, None without a call."""
        return max(self._heap[0].when - self.clock(), 0.0) if self._heap else None

    def run(self) -> None:
        """Make the calls that are due."""
        now = self.clock()
        while self._heap and self._heap[0].when <= now:
            timer = heapq.heappop(self._heap)
            callback, timer.callback = timer.callback, None
            if callback is None:
                self._cancelled -= 1
            else:
                callback()


class Scheduler:
    """The calls, the timers and the parked responses of one loop, and what connections share.

    :param wake: ends the loop's wait for sockets; called from any thread.
    :param close_idle: see `mockpets.wsgi_extension.Server`.
    :param connections: the open connections, only counted here.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float],
        wake: Callable[[], None],
        close_idle: Callable[[str], None],
        connections: Sized,
    ) -> None:
        self.limits = limits
        self.timers = Timers(clock)
        self.bodies = BodyBudget(limits.bodies_bytes, self.return_memory_soon)
        self.worker = Worker(self.call_soon_threadsafe)
        self.head_writer = ResponseHeadWriter(IDENT)
        self.close_idle = close_idle
        self.parked_responses: dict[Parked, str] = {}
        """The parked responses, and their owners."""
        self._owned = Counter[str]()
        """The number of parked responses of each owner."""
        self.changed: set[Handler] = set()
        """Sockets whose events to watch for may have changed in this turn."""
        self.stop_at: float | None = None
        """When the loop stops, in seconds of its clock; None until `Loop.stop_after`."""
        self.draining = False
        """Nothing more is read; complete requests get their response, then connections end."""
        self.evicted = 0
        """Connections closed because of a limit of connections."""
        self.errors: Counter[ErrorCode] = Counter()
        """Responses that the server made itself, without the app, by error code."""
        self._connections = connections
        self._trim: Timer | None = None
        self._ready: deque[Callable[[], None]] = deque()
        self._wake = wake

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Schedule a call for this turn of the loop or the next."""
        self._ready.append(callback)

    def call_soon_threadsafe(self, callback: Callable[[], None]) -> None:
        """Schedule a call on the loop's thread, from any thread."""
        self._ready.append(callback)
        self._wake()

    def park(self, response: Parked, owner: str) -> None:
        """Count a response as parked."""
        self.parked_responses[response] = owner
        self._owned[owner] += 1

    def unpark(self, response: Parked) -> None:
        """Count a response as parked no longer, if it is."""
        owner = self.parked_responses.pop(response, None)
        if owner is not None:
            self._owned[owner] -= 1
            if not self._owned[owner]:
                del self._owned[owner]

    def room(self, session: str = "") -> bool:
        """Return whether one more response, of a session, may be parked."""
        free = self.limits.parked - len(self.parked_responses)
        return free > (self._owned[session] if session else 0)

    def parked(self) -> int:
        """Return how many responses are parked."""
        return len(self.parked_responses)

    def rejected(self) -> Counter[ErrorCode]:
        """Return how many responses the server made itself, without the app, by error code."""
        return self.errors

    def open_connections(self) -> int:
        """Return how many connections are open."""
        return len(self._connections)

    def stops_in(self) -> float | None:
        """Return the seconds until the server stops, None if it goes on."""
        return None if self.stop_at is None else max(self.stop_at - self.timers.clock(), 0.0)

    def body_bytes(self) -> int:
        """Return the size of all bodies that are arriving."""
        return self.bodies.used

    def evicted_connections(self) -> int:
        """Return how many connections were closed because of a limit of connections."""
        return self.evicted

    def return_memory_soon(self) -> None:
        """Return freed memory after some seconds: the connections that had it are still closing."""
        if self._trim is None or self._trim.callback is None:
            when = self.timers.clock() + _TRIM_SECONDS
            self._trim = self.timers.call_at(when, return_free_memory)

    def timeout(self) -> float | None:
        """Return how many seconds the loop may wait for sockets, None for as long as it takes."""
        return 0.0 if self._ready else self.timers.timeout()

    def run(self) -> None:
        """Make the calls that are due now; calls they schedule run in the next turn."""
        for _ in range(len(self._ready)):
            self._ready.popleft()()
        self.timers.run()
