"""Scheduled calls of the event loop."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_CANCELLED_KEPT: Final = 1000
"""Minimum of cancelled timers before they are removed from the heap."""


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
