"""Scheduled calls of the event loop."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_CANCELLED_KEPT: Final = 1000
"""Minimum of cancelled timers before they are removed from the heap."""


@dataclass(slots=True)
class Timer:
    """A scheduled call; `callback` is None once it is cancelled or done."""

    when: float
    callback: Callable[[], None] | None


class Timers:
    """A heap of timers.

    :param clock: returns seconds and never goes back.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self._heap: list[tuple[float, int, Timer]] = []
        self._numbers = count()  # ties run in FIFO order
        self._cancelled = 0  # since these were removed from the heap

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        """Schedule a call; ties run in FIFO order.

        :param when: seconds of the clock.
        """
        timer = Timer(when, callback)
        heapq.heappush(self._heap, (when, next(self._numbers), timer))
        return timer

    def cancel(self, timer: Timer) -> None:
        """Cancel a call, unless it has been made."""
        if timer.callback is None:
            return
        timer.callback = None
        self._cancelled += 1
        # Clients that request a long delay and leave would fill the heap with cancelled timers.
        if self._cancelled > max(_CANCELLED_KEPT, len(self._heap) // 2):
            self._heap = [item for item in self._heap if item[2].callback is not None]
            heapq.heapify(self._heap)
            self._cancelled = 0

    def timeout(self) -> float | None:
        """Return the seconds until the next call, 0 if one is due, None without a call."""
        return max(self._heap[0][0] - self.clock(), 0.0) if self._heap else None

    def run(self) -> None:
        """Make the calls that are due."""
        now = self.clock()
        while self._heap and self._heap[0][0] <= now:
            _, _, timer = heapq.heappop(self._heap)
            callback, timer.callback = timer.callback, None
            if callback is not None:
                callback()
