"""What one loop has to do: now, later, and what other threads ask of it.

Connections put their work here and the loop takes it; neither needs to know the other. It also
is the `mockpets.wsgi_extension.Server` that apps find.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from mockpets.server.http.response_head import ResponseHeadWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.server.limits import Limits

IDENT: Final = "mockpets"
"""What the Server header says."""
_CANCELLED_KEPT: Final = 1000
"""Cancelled timers that stay on the heap until they are due, at least."""


class Task(Protocol):
    """What is put into the queue; waitress calls it a task."""

    def service(self) -> None:
        """Do it."""
        ...


class Parked(Protocol):
    """An answer that is delayed, slow or held."""

    def flush(self) -> None:
        """Send it at once: the server stops."""
        ...


@dataclass(slots=True)
class Timer:
    """A call at a time; `call` is None once it is cancelled or done."""

    when: float
    number: int
    call: Callable[[], None] | None

    def __lt__(self, other: Timer) -> bool:
        """Return whether it comes first."""
        return (self.when, self.number) < (other.when, other.number)


class Timers:
    """The one heap of timers.

    :param clock: seconds, never going back.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self._heap: list[Timer] = []
        self._made = 0
        self._cancelled = 0

    def __len__(self) -> int:
        """How many are to come."""
        return len(self._heap) - self._cancelled

    def at(self, when: float, call: Callable[[], None]) -> Timer:
        """Have something called at a time of the clock; of equal times the first asked is first."""
        self._made += 1
        timer = Timer(when, self._made, call)
        heapq.heappush(self._heap, timer)
        return timer

    def cancel(self, timer: Timer) -> None:
        """Have it not called; does nothing when it was."""
        if timer.call is None:
            return
        timer.call = None
        self._cancelled += 1
        # Clients that ask for a long delay and leave would fill the heap with what is dead.
        if self._cancelled > max(_CANCELLED_KEPT, len(self._heap) // 2):
            self._heap = [item for item in self._heap if item.call is not None]
            heapq.heapify(self._heap)
            self._cancelled = 0

    def seconds(self) -> float | None:
        """Return how long it is until the next, 0 when one is due, None when there is none."""
        return max(self._heap[0].when - self.clock(), 0.0) if self._heap else None

    def run(self) -> None:
        """Call what is due."""
        now = self.clock()
        while self._heap and self._heap[0].when <= now:
            timer = heapq.heappop(self._heap)
            call, timer.call = timer.call, None
            if call is None:
                self._cancelled -= 1
            else:
                call()


class Job(Protocol):
    """Takes work that is too long for the loop."""

    def __call__(self, job: Callable[[], object], then: Callable[[], None]) -> None:
        """Do a job elsewhere, and call `then` on the loop's thread when it is done."""
        ...


class Scheduler:
    """The queue, the timers and the waiting answers of one loop; also waitress' dispatcher.

    :param wake: ends the loop's wait for sockets; called from any thread.
    :param help_with: does a job on the helper thread.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float],
        wake: Callable[[], None],
        help_with: Job,
    ) -> None:
        self.limits = limits
        self.timers = Timers(clock)
        self.queue: deque[Task] = deque()
        self.waiting: set[Parked] = set()
        self.changed: set[object] = set()
        """Connections that may have to be watched for something else from now on."""
        self.draining = False
        """No more is read; what is complete is answered, and the connection ends."""
        self.help_with = help_with
        self.heads = ResponseHeadWriter(IDENT)
        self.errors: Counter[int] = Counter()
        """How many answers were the server's own and not the app's, by status."""
        self.close_idle: Callable[[], None] = lambda: None
        """Ends the connections without a request; the loop, which has them, sets it."""
        self._asked: deque[Callable[[], None]] = deque()
        self._wake = wake

    def add_task(self, task: Task) -> None:
        """Put a task into the queue; waitress' name for it."""
        self.queue.append(task)

    def soon(self, call: Callable[[], None]) -> None:
        """Have something called by the loop's thread; from any thread."""
        self._asked.append(call)
        self._wake()

    def room(self) -> bool:
        """Whether one more answer may wait."""
        return len(self.waiting) < self.limits.parked

    def parked(self) -> int:
        """How many answers wait now."""
        return len(self.waiting)

    def refused(self) -> Counter[int]:
        """How many answers were the server's own and not the app's, by status."""
        return self.errors

    def seconds(self) -> float | None:
        """Return how long the loop may wait for sockets, None for as long as it takes."""
        return 0.0 if self.queue or self._asked else self.timers.seconds()

    def run(self) -> None:
        """Do what is there now; what comes of it is for the next turn, after the sockets."""
        for _ in range(len(self.queue)):
            self.queue.popleft().service()
        while self._asked:
            self._asked.popleft()()
        self.timers.run()
