"""The interface between the app and our server: how to deliver a response.

The server puts a `Server` into each request's WSGI environ under `SERVER`. An app that finds it
may put an `Order` under `ORDER` and return the whole response at once; the server then
sends it after a delay, throttled, when a gate opens, or not at all, without a waiting thread. A
test client has no `Server`, and gets every response at once.

An app whose attribute `early_calls` is true is called before a large body has arrived, and may
respond to its head; see `BodyState`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from wsgiref.types import WSGIApplication

    from mockpets.constants import ResponseEnd
    from mockpets.faults import FaultKind

    OnEnd = Callable[[ResponseEnd], None]

SERVER: Final = "mockpets.server"
HEAD: Final = "mockpets.head"
"""In the environ: the request's head in bytes, from the request line to the empty line. Middleware
that changes the environ's headers must remove it."""
ORDER: Final = "mockpets.order"
RETRIED: Final = "mockpets.retried"
"""In the environ if the app is called again because of a `CallAgain`: the seconds that are left of
the patience of its first such order, 0 if it has run out or the server is stopping."""
HEADERS_MEMO: Final = "mockpets.headers_memo"
"""In the environ: a `dict` for what the app derives from the names of the request's headers alone,
the same one for requests with the same headers. As with `HEAD`, middleware must remove it."""
MEMO: Final = "mockpets.memo"
"""In the environ: a `dict` for the app, the same one if it is called again with the request."""
JOB_RESULTS: Final = "mockpets.job_results"
"""In the environ if the app is called again because of a `RunJob`: all jobs' results."""
BodyState = Literal["large", "read"]
"""What has arrived of a body that is larger than `BODY_BYTES`: only its beginning, or all of it.

In an early call, the app responds without the body, and the server discards the rest and closes the
connection; or it orders the body."""
BODY: Final = "mockpets.body"
"""In the environ of an early call, and of the call after it: the `BodyState`."""
HEADER_BLOCK: Final = "mockpets.header_block"
"""The app may put the `slice` of its headers that many responses share under this key, so that the
server makes their text once. Content-Length, Date, Server and hop-by-hop headers are never among
them."""
SESSION: Final = "mockpets.session"
"""The app may put the name of a request's session under this key, for `Server.close_idle`."""
ON_END: Final = "mockpets.on_end"
"""The app may put an `OnEnd` under this key. The server calls it once, on the app's thread, when
the response has ended; never for a response that it discards."""


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

    def counts(self) -> ServerCounts:
        """Return what the server holds now, and its limits."""

    def stops_in(self) -> float | None:
        """Return the seconds until the server stops, None if it goes on."""


Hold = Callable[[Callable[[], None]], Callable[[], None]]
"""Called with a function that releases the response, which any thread may call; returns a function
that cancels the hold."""


Release = Callable[["WSGIApplication | None"], None]
"""Sends a response that waits now, or another one that an app returns in its place, as its order
says. Any thread may call it. It has no effect on a response that does not wait."""


@dataclass(frozen=True, slots=True)
class Deliver:
    """Order to send the response in another way than at once.

    :param delay: seconds, from now.
    :param hold: runs at the same time as the delay.
    :param throttle: bytes of the body per second, None for no limit.
    :param fault: whether to send nothing, and how to end the connection; the app has damaged the
        body.
    :param close: whether to close the connection after the response.
    :param patience: seconds after which the hold ends by itself, and a delay with it.
    :param owner: the session of the response, which `Server.room` counts.
    :param watch: called once with a `Release`; None if the response is only sent as ordered.
    """

    delay: float = 0.0
    hold: Hold | None = None
    throttle: int | None = None
    fault: FaultKind | None = None
    close: bool = False
    patience: float | None = None
    owner: str = ""
    watch: Callable[[Release], None] | None = None


@dataclass(frozen=True, slots=True)
class CallAgain:
    """Order to discard the response and call the app again with the same request after a hold.

    If the server is already stopping, it calls the app again at once, and then sends the response.

    :param patience: seconds after which the hold ends by itself.
    :param owner: as for `Deliver`.
    """

    hold: Hold
    patience: float
    owner: str


@dataclass(frozen=True, slots=True)
class RunJob:
    """Order to discard the response, run a job on the worker thread, and call the app again.

    :param job: work too long for the app's thread; its result is then under `JOB_RESULTS`.
    :param owner: the session; the jobs of different owners take turns.
    """

    job: Callable[[], object]
    owner: str = ""


@dataclass(frozen=True, slots=True)
class AwaitBody:
    """Order in an early call to discard the response, and to call the app again with the body."""


Order = Deliver | CallAgain | RunJob | AwaitBody
