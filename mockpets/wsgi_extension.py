"""The border between the app and the server: what is to be done with an answer.

The server puts a `Server` into each request's WSGI environ under `SERVER`. An app that finds it
may put an `DeliveryOrder` under `ORDER` and return the whole answer at once; the server then sends
it late, slowly, when a gate opens, or not at all, and no thread waits. Where there is no `Server`,
on any other WSGI server, the app has to do what it can itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SERVER: Final = "mockpets.server"
ORDER: Final = "mockpets.order"
RETRIED: Final = "mockpets.again"
"""In the environ of a request that was asked again as an `DeliveryOrder.again` had it."""
JOB_RESULTS: Final = "mockpets.made"
"""In the environ of a server's request: a list of what its jobs have returned so far."""


class Server(Protocol):
    """What a server that takes orders lets an app know."""

    def room(self) -> bool:
        """Whether one more answer may be delayed, slow or held."""
        ...

    def close_idle(self) -> None:
        """End the connections that have no request under way; only the answering thread may ask."""
        ...

    def parked(self) -> int:
        """How many answers are delayed, slow or held now."""
        ...

    def refused(self) -> Mapping[int, int]:
        """How many answers were its own and not the app's, by status."""
        ...


@dataclass(frozen=True, slots=True)
class DeliveryOrder:
    """What the server is to do with one answer.

    :param delay: seconds, from now.
    :param hold: is called with what sends the answer, to be called when it may go, from any
        thread; returns what makes it forget that. Delay and hold run side by side.
    :param throttle: bytes of the body a second, None for as fast as the client takes them.
    :param fault: what the client gets instead of the answer, one of `CONNECTION_FAULTS`.
    :param close: the connection ends with the answer.
    :param job: work too long for the thread that answers. The answer is thrown away, the job done
        by the server's helper thread, and the app called again with the same request, which has
        what the job returned under `JOB_RESULTS`.
    :param patience: seconds after which a hold ends by itself, and a delay with it.
    :param again: when the hold ends, either way, the app is called again with the same request,
        and gives the answer that is sent. The one at hand is sent when the server stops already.
    """

    delay: float = 0.0
    hold: Callable[[Callable[[], None]], Callable[[], None]] | None = None
    throttle: int | None = None
    fault: str | None = None
    close: bool = False
    job: Callable[[], object] | None = None
    patience: float | None = None
    again: bool = False
