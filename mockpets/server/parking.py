"""Answers that wait, as data: none has a thread, and each can be hurried or dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.constants import PIECES_A_SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.server.scheduler import Scheduler, Timer
    from mockpets.wsgi_extension import DeliveryOrder


class ParkedResponse:
    """An answer that is delayed, held or both; it goes when neither keeps it back.

    :param go: called once, by the loop's thread.
    """

    def __init__(self, work: Scheduler, order: DeliveryOrder, go: Callable[[], None]) -> None:
        self._work = work
        self._go = go
        self._reasons = 0
        self._timers: list[Timer] = []
        self._withdraw: Callable[[], None] | None = None
        work.waiting.add(self)
        if order.delay > 0:
            self._reasons += 1
            self._timers.append(work.timers.at(work.timers.clock() + order.delay, self._one_less))
        if order.patience is not None:
            self._timers.append(work.timers.at(work.timers.clock() + order.patience, self.flush))
        if order.hold is not None:
            self._reasons += 1
            # A gate may be opened by any thread.
            self._withdraw = order.hold(lambda: work.soon(self._opened))

    def _opened(self) -> None:
        if self in self._work.waiting:  # else it went, or its client did, on the way here
            self._one_less()

    def _one_less(self) -> None:
        self._reasons -= 1
        if self._reasons == 0:
            self.flush()

    def flush(self) -> None:
        """Send it now."""
        self.drop()
        self._go()

    def drop(self) -> None:
        """Forget it: it goes now, or its client has left."""
        self._work.waiting.discard(self)
        for timer in self._timers:
            self._work.timers.cancel(timer)
        if self._withdraw is not None:
            self._withdraw()


class ThrottledBody:
    """A body that goes out at so many bytes a second.

    :param rate: bytes a second.
    :param send: sends bytes.
    :param full: whether the client has not yet taken what was sent before.
    :param done: called when the last byte was sent.
    """

    def __init__(
        self,
        work: Scheduler,
        body: bytes,
        rate: int,
        send: Callable[[bytes], None],
        full: Callable[[], bool],
        done: Callable[[], None],
    ) -> None:
        self._work = work
        self._body = body
        self._rate = rate
        self._send = send
        self._full = full
        self._done = done
        self._size = max(rate // PIECES_A_SECOND, 1)
        self._sent = 0
        self._timer: Timer | None = None
        self._start = work.timers.clock()
        work.waiting.add(self)
        self._next()

    def _next(self) -> None:
        """Set the timer for the next piece: each is due when its last byte is."""
        end = min(self._sent + self._size, len(self._body))
        due = max(self._start + end / self._rate, self._work.timers.clock())
        self._timer = self._work.timers.at(due, self._tick)

    def _tick(self) -> None:
        if self._full():  # the client is slower still; look again a piece later
            self._start += self._size / self._rate
            self._next()
            return
        piece = self._body[self._sent : self._sent + self._size]
        self._sent += len(piece)
        if self._sent >= len(self._body):
            self.drop()
            self._send(piece)
            self._done()
        else:
            self._send(piece)
            if self in self._work.waiting:  # sending may have shown that the client left
                self._next()

    def flush(self) -> None:
        """Send all the rest now."""
        self.drop()
        self._send(self._body[self._sent :])
        self._done()

    def drop(self) -> None:
        """Forget it: it is done, or its client has left."""
        self._work.waiting.discard(self)
        if self._timer is not None:
            self._work.timers.cancel(self._timer)
