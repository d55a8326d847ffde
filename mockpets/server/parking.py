"""Parked responses as data: they need no thread, and can be flushed or dropped at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.constants import PIECES_A_SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.server.scheduler import Scheduler, Timer
    from mockpets.wsgi_extension import Deliver


class ParkedResponse:
    """A response that is delayed, held or both; it is released when both have ended.

    :param release: called once, on the loop's thread.
    """

    def __init__(self, scheduler: Scheduler, order: Deliver, release: Callable[[], None]) -> None:
        self._scheduler = scheduler
        self._release = release
        self._pending = 0
        self._timers: list[Timer] = []
        self._leave_gate: Callable[[], None] | None = None
        scheduler.park(self, order.owner)
        timers = scheduler.timers
        if order.delay > 0:
            self._pending += 1
            self._timers.append(timers.call_at(timers.clock() + order.delay, self._one_ended))
        if order.patience is not None:
            self._timers.append(timers.call_at(timers.clock() + order.patience, self.flush))
        if order.hold is not None:
            self._pending += 1
            # Any thread may open a gate.
            self._leave_gate = order.hold(lambda: scheduler.call_soon_threadsafe(self._gate_opened))

    def _gate_opened(self) -> None:
        if self in self._scheduler.parked_responses:  # else it was released or dropped
            self._one_ended()

    def _one_ended(self) -> None:
        self._pending -= 1
        if self._pending == 0:
            self.flush()

    def flush(self) -> None:
        """Release it now."""
        self.drop()
        self._release()

    def drop(self) -> None:
        """Cancel it: it is being released, or its client has left."""
        self._scheduler.unpark(self)
        for timer in self._timers:
            self._scheduler.timers.cancel(timer)
        if self._leave_gate is not None:
            self._leave_gate()


class ThrottledBody:
    """A body that is sent at a limited rate.

    :param rate: bytes per second.
    :param owner: as in a `Deliver`.
    :param send: sends bytes.
    :param is_blocked: returns whether the client has yet to take bytes that were sent before.
    :param done: called after the last byte was sent.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        body: bytes,
        rate: int,
        owner: str,
        send: Callable[[bytes], None],
        is_blocked: Callable[[], bool],
        done: Callable[[], None],
    ) -> None:
        self._scheduler = scheduler
        self._body = body
        self._rate = rate
        self._send = send
        self._is_blocked = is_blocked
        self._done = done
        self._size = max(rate // PIECES_A_SECOND, 1)
        self._sent = 0
        self._timer: Timer | None = None
        self._start = scheduler.timers.clock()
        scheduler.park(self, owner)
        self._schedule_next()

    def _schedule_next(self) -> None:
        """Set the timer for the next piece: a piece is due when its last byte is."""
        timers = self._scheduler.timers
        end = min(self._sent + self._size, len(self._body))
        due = max(self._start + end / self._rate, timers.clock())
        self._timer = timers.call_at(due, self._send_piece)

    def _send_piece(self) -> None:
        if self._is_blocked():  # the client reads even slower than the rate; retry later
            self._start += self._size / self._rate
            self._schedule_next()
            return
        piece = self._body[self._sent : self._sent + self._size]
        self._sent += len(piece)
        if self._sent >= len(self._body):
            self.drop()
            self._send(piece)
            self._done()
        else:
            self._send(piece)
            if self in self._scheduler.parked_responses:  # else the client has left
                self._schedule_next()

    def flush(self) -> None:
        """Send the rest now."""
        self.drop()
        self._send(self._body[self._sent :])
        self._done()

    def drop(self) -> None:
        """Cancel it: it is sent, or its client has left."""
        self._scheduler.unpark(self)
        if self._timer is not None:
            self._scheduler.timers.cancel(self._timer)
