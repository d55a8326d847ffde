"""Deliver a response as the scenarios decided: delayed, throttled, held, damaged or not at all.

Our server gets an order (`mockpets.wsgi_extension`), so that no thread waits. On other WSGI
servers, a delay, a throttle or a hold blocks the worker, and a fault can only cut off the body.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from math import ceil
from threading import Event
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Final

from mockpets.constants import DELAY_SECONDS, PIECES_A_SECOND
from mockpets.contract.error_messages import SESSION_PARKED, TOO_MANY_PARKED
from mockpets.errors import RequestError
from mockpets.faults import FAULTS, NO_RESPONSE_FAULTS
from mockpets.wsgi_extension import ORDER, SERVER, SESSION, Deliver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from wsgiref.types import WSGIEnvironment

    from mockpets.faults import FaultKind
    from mockpets.journal.journal import Kept
    from mockpets.journal.wait import Wait
    from mockpets.scenario.engine import Outcome
    from mockpets.session.gates import Gates
    from mockpets.web.exchange import Request, Response
    from mockpets.wsgi_extension import Hold, Release, Server

_log: Final = logging.getLogger("mockpets")
_STALLS: Final = {name for name, kind in FAULTS.items() if kind.then == "wait"}
_PARTS: Final = {"head": 0.0, "half": 0.5}
"""The part of a body that a fault sends."""


def waits(outcome: Outcome) -> bool:
    """Return whether a response must be delayed, throttled, held or stalled."""
    return bool(outcome.delay or outcome.throttle or outcome.hold or outcome.fault in _STALLS)


def check_room(environ: WSGIEnvironment, session: str) -> None:
    """Check that the server can delay, throttle or hold one more response of a session.

    :raise RequestError: ``busy``.
    """
    server: Server | None = environ.get(SERVER)
    if server is not None and not server.room(session):
        message = SESSION_PARKED.format(name=session) if server.room() else TOO_MANY_PARKED
        raise RequestError("busy", message, [("Retry-After", "1")])


@dataclass(slots=True)
class Prepared:
    """A response that waits, with its request: the `context` of a `Wait`.

    :param kept: its entry in the journal; None before it is recorded.
    :param release: see `wsgi_extension.Release`; None on other WSGI servers.
    """

    request: Request
    response: Response
    kept: Kept | None = None
    release: Release | None = None


class Delivery:
    """Delivers the responses of one app.

    :param patience: the longest time in seconds that a response is held, or takes if throttled.
    """

    def __init__(self, patience: float | None = None) -> None:
        self._patience = patience
        self._has_warned = False

    def deliver(
        self,
        response: Response,
        environ: WSGIEnvironment,
        outcome: Outcome,
        gates: Gates,
        wait: Wait | None,
        *,
        close: bool,
    ) -> None:
        """Damage a complete response if the outcome says so, and order how to deliver it.

        On other WSGI servers this blocks for the delay, and at a gate for at most `patience` or
        `DELAY_SECONDS`.

        :param wait: what the response waits for; None if it is not to wait.
        :param close: whether to close the connection after the response in any case.
        """
        fault = None if outcome.fault is None else FAULTS[outcome.fault]
        if fault is not None:
            _damage(response, fault)
            close = close or fault.then != "go on"
        throttle = outcome.throttle
        if throttle is not None and self._patience is not None:
            throttle = max(throttle, ceil(len(response.body) / self._patience))
        hold: Hold | None = None
        if wait is not None:
            gates.add(wait)
            if outcome.hold is not None:
                hold = partial(gates.hold, wait)
        if SERVER in environ:
            if hold is not None:
                _log.info("holding a response until the gate '%s' is opened", outcome.hold)
            environ[ORDER] = Deliver(
                outcome.delay,
                hold,
                throttle,
                fault,
                close,
                owner=environ.get(SESSION, ""),
                patience=None if hold is None else self._patience,
                watch=None if wait is None else partial(setattr, wait.context, "release"),
            )
            return
        self._warn_once(outcome)
        if wait is not None:
            if hold is not None:
                _wait_for_gate(hold, self._patience or DELAY_SECONDS)
            sleep(max(wait.due - perf_counter(), 0.0))
            gates.remove(wait)
        if fault is not None and fault.sends == "nothing":
            response.set_header("Content-Length", "1")
            response.chunks = ()
        elif throttle is not None:
            response.chunks = _throttled(response.body, throttle)

    def _warn_once(self, outcome: Outcome) -> None:
        if self._has_warned or not (waits(outcome) or outcome.fault in NO_RESPONSE_FAULTS):
            return
        self._has_warned = True
        _log.warning(
            "this app does not run on mockpets' own server: delayed, throttled and held responses "
            "block a worker, and connection faults cut off the body instead"
        )


def _damage(response: Response, fault: FaultKind) -> None:
    """Cut off the body but keep its Content-Length, or make its JSON invalid."""
    body = response.body
    if fault.sends in _PARTS:
        response.set_header("Content-Length", str(len(body)))
        response.body = body[: int(len(body) * _PARTS[fault.sends])]
    elif fault.sends == "all" and body:
        response.body = body.rstrip()[:-1] + b","


# --- Other WSGI servers -----------------------------------------------------------------------


def _wait_for_gate(hold: Hold, seconds: float) -> None:
    opened = Event()
    cancel = hold(opened.set)
    opened.wait(seconds)
    cancel()


def _throttled(body: bytes, rate: int) -> Iterator[bytes]:
    """Yield a body piece by piece, at `rate` bytes a second."""
    size = max(rate // PIECES_A_SECOND, 1)
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        sleep(len(piece) / rate)
        yield piece
