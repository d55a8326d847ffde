"""Parked responses as data: they need no thread, and can be flushed or dropped at any time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from mockpets.constants import PIECES_A_SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.interface import Delivery
    from mockpets.server.timers import Timer, Timers


class Parking:
    """The parked responses of one loop.

    :param call_soon: schedules a call on the loop's thread, from any thread.
    """

    def __init__(
        self, limit: int, timers: Timers, call_soon: Callable[[Callable[[], None]], None]
    ) -> None:
        self.responses: dict[Parked, str] = {}
        """And their owners."""
        self.timers = timers
        self.call_soon = call_soon
        self._limit = limit

    def room(self, owner: str) -> bool:
        """See `mockpets.interface.Server.room`."""
        owned = [*self.responses.values()].count(owner) if owner else 0
        return self._limit - len(self.responses) > owned


class Parked(ABC):
    """A response that is delayed, throttled or held.

    :param owner: as in a `Delivery`.
    """

    def __init__(self, parking: Parking, owner: str) -> None:
        self._parking = parking
        self._timers: list[Timer] = []
        parking.responses[self] = owner

    @property
    def _is_parked(self) -> bool:
        """False once it was released or dropped."""
        return self in self._parking.responses

    @abstractmethod
    def flush(self) -> None:
        """Send it now, or the rest of it: the server is stopping."""

    def drop(self) -> None:
        """Cancel it: it is being sent, or its client has left."""
        self._parking.responses.pop(self, None)
        for timer in self._timers:
            self._parking.timers.cancel(timer)


class ParkedResponse(Parked):
    """A response that is delayed, held or both; it is released when both have ended.

    :param release: called once, on the loop's thread.
    """

    def __init__(self, parking: Parking, delivery: Delivery, release: Callable[[], None]) -> None:
        super().__init__(parking, delivery.owner)
        self._release = release
        self._pending = 0
        self._leave_gate: Callable[[], None] | None = None
        timers = parking.timers
        if delivery.delay > 0:
            self._pending += 1
            self._timers.append(timers.call_at(timers.clock() + delivery.delay, self._one_ended))
        if delivery.patience is not None:
            self._timers.append(timers.call_at(timers.clock() + delivery.patience, self.flush))
        if delivery.hold is not None:
            self._pending += 1
            # Any thread may open a gate.
            self._leave_gate = delivery.hold(lambda: parking.call_soon(self._gate_opened))

    def _gate_opened(self) -> None:
        if self._is_parked:
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
        """Cancel it, and leave the gate."""
        super().drop()
        if self._leave_gate is not None:
            self._leave_gate()


class ThrottledBody(Parked):
    """A body that is sent at a limited rate.

    :param rate: bytes per second.
    :param is_blocked: returns whether the client has yet to take bytes that were sent before.
    :param done: called after the last byte was sent.
    """

    def __init__(
        self,
        parking: Parking,
        body: bytes,
        rate: int,
        owner: str,
        send: Callable[[bytes], None],
        is_blocked: Callable[[], bool],
        done: Callable[[], None],
    ) -> None:
        super().__init__(parking, owner)
        self._body = body
        self._rate = rate
        self._send = send
        self._is_blocked = is_blocked
        self._done = done
        self._size = max(rate // PIECES_A_SECOND, 1)
        self._sent = 0
        self._start = parking.timers.clock()
        self._schedule_next()

    def _schedule_next(self) -> None:
        """Set the timer for the next piece: a piece is due when its last byte is."""
        timers = self._parking.timers
        end = min(self._sent + self._size, len(self._body))
        due = max(self._start + end / self._rate, timers.clock())
        self._timers = [timers.call_at(due, self._send_piece)]

    def _send_piece(self) -> None:
        if self._is_blocked():  # the client reads even slower than the rate; retry later
            self._start += self._size / self._rate
            self._schedule_next()
            return
        if self._sent + self._size >= len(self._body):
            self.flush()
            return
        self._send(self._body[self._sent : self._sent + self._size])
        self._sent += self._size
        if self._is_parked:  # else the client has left
            self._schedule_next()

    def flush(self) -> None:
        """Send the rest now."""
        self.drop()
        self._send(self._body[self._sent :])
        self._done()
