"""The interface between the server and the app: ``handle(request) -> Reply | Later``.

The `Delivery` of a `Reply` describes how to send it: at once, delayed, throttled, held at a gate,
or broken. A `Later` names what must happen first, and how to resume the app. Neither occupies a
thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from wsgiref.types import WSGIEnvironment

    from mockpets.constants import ResponseEnd
    from mockpets.faults import FaultKind

    Pair = tuple[str, str]
    OnEnd = Callable[[ResponseEnd], None]

Hold = Callable[[Callable[[], None]], Callable[[], None]]
"""Called with a function that ends the hold, which any thread may call; returns a function that
cancels the hold."""
Send = Callable[["Reply | None"], None]
"""Sends a reply that waits now, or another one in its place. Any thread may call it. It has no
effect on a reply that does not wait."""


class App(Protocol):
    """What a server serves."""

    def handle(self, request: Incoming, /) -> Reply | Later:
        """Return the reply to a request, or what must happen first."""


@dataclass(slots=True)
class Incoming:
    """A request as it arrived.

    :param environ: as in PEP 3333.
    :param head: the bytes from the request line to the empty line; empty without our server.
    :param names: the keys of the headers in the environ: one object for many requests.
    :param server: None without our server, for example with a test client.
    :param is_arriving: whether the end of a large body has yet to arrive. A `Reply` then closes the
        connection; an app that needs the body returns a `Later` with `Arrival`.
    """

    environ: WSGIEnvironment
    head: bytes = b""
    names: tuple[str, ...] = ()
    server: Server | None = None
    is_arriving: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """How to send a reply in another way than at once.

    :param delay: seconds, from now.
    :param hold: runs at the same time as the delay.
    :param throttle: bytes of the body per second, None for no limit.
    :param fault: how to break the connection; the app has already damaged the body.
    :param close: whether to close the connection after the reply.
    :param patience: seconds after which the hold ends by itself, and a delay with it.
    :param owner: the session, which `Server.room` counts.
    :param watch: called once with a `Send`; None if nothing can release the reply early.
    """

    delay: float = 0.0
    hold: Hold | None = None
    throttle: int | None = None
    fault: FaultKind | None = None
    close: bool = False
    patience: float | None = None
    owner: str = ""
    watch: Callable[[Send], None] | None = None


IMMEDIATE: Final = Delivery()


@dataclass(slots=True)
class Reply:
    """A complete response. The server adds Content-Length, Date, Server and Connection.

    :param status: such as ``200 OK``.
    :param length: what Content-Length says if the body is cut off; None for the body's.
    :param shared: which of the headers many replies have; the server makes their text once.
    :param session: its name, for `Server.close_idle`; may be empty.
    :param on_end: called once, on the app's thread, when the response has ended.
    """

    status: str
    headers: list[Pair]
    body: bytes = b""
    length: int | None = None
    shared: slice | None = None
    delivery: Delivery = IMMEDIATE
    session: str = ""
    on_end: OnEnd | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """Work that is too long for the app's thread; it keeps its own result.

    :param owner: the session; the jobs of different owners take turns.
    """

    run: Callable[[], object]
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Pause:
    """A wait for a change; the app gets whether its time is over, or the server stops.

    :param until: when it ends by itself, in seconds of `Server.time`.
    :param owner: as for `Delivery`.
    """

    hold: Hold
    until: float
    owner: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """The rest of a body, if `Incoming.is_arriving`; the app gets the whole body."""


After = Job | Pause | Arrival
Result = bytes | bool | None
"""The body, whether a pause is over, or nothing after a job."""


@dataclass(frozen=True, slots=True)
class Later:
    """What must happen before the app continues.

    :param resume: called with the result.
    :param cancel: called instead if the client leaves or the request turns out to be invalid.
    """

    after: After
    resume: Callable[[Result], Reply | Later]
    cancel: Callable[[], None]


class ServerCounts(TypedDict, total=False):
    """What our server holds; `telemetry.metrics` describes each count. A test client has none.

    :param rejected: responses that the server made itself, without the app, by error code.
    """

    parked_answers: int
    parked_answers_limit: int
    connections: int
    connections_limit: int
    connections_evicted_total: int
    arriving_bodies_bytes: int
    arriving_bodies_limit_bytes: int
    rejected: Mapping[str, int]


class Server(Protocol):
    """The methods of our server that an app may call."""

    def room(self, session: str = "") -> bool:
        """Return whether one more response may be delayed, throttled or held.

        :param session: whose response it is: more places must be free than it uses already, so
            that it gets at most half of those that the others leave; empty to ask for any place.
        """

    def close_idle(self, session: str) -> None:
        """Close the connections without a request in progress that had requests of a session.

        Only on the app's thread.
        """

    def time(self) -> float:
        """Return monotonic seconds: the time that delays and pauses follow."""

    def counts(self) -> ServerCounts:
        """Return what the server holds now, and its limits."""

    def stops_in(self) -> float | None:
        """Return the seconds until the server stops, None if it keeps running."""
