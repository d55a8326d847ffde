"""Deliver a response as the scenarios decided: delayed, throttled, held, damaged or not at all.

Our server gets a `Delivery`, so that no thread waits. A test client gets the response at once.
"""

from __future__ import annotations

import logging
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Final

from mockpets.contract.error_messages import SESSION_PARKED, TOO_MANY_PARKED
from mockpets.errors import RequestError
from mockpets.faults import FAULTS
from mockpets.interface import IMMEDIATE, Delivery

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.faults import FaultKind
    from mockpets.interface import Hold, Send
    from mockpets.scenario.engine import Outcome
    from mockpets.session.session import Session
    from mockpets.web.messages import Request, Response

_log: Final = logging.getLogger("mockpets")
_STALLS: Final = {name for name, kind in FAULTS.items() if kind.then == "wait"}
_PARTS: Final = {"head": 0.0, "half": 0.5}
"""The part of a body that a fault sends."""


def waits(outcome: Outcome) -> bool:
    """Return whether a response must be delayed, throttled, held or stalled."""
    return bool(outcome.delay or outcome.throttle or outcome.hold or outcome.fault in _STALLS)


def check_room(request: Request, session: str) -> None:
    """Check that the server can delay, throttle or hold one more response of a session.

    :raise RequestError: ``busy``.
    """
    server = request.incoming.server
    if server is not None and not server.room(session):
        message = SESSION_PARKED.format(name=session) if server.room() else TOO_MANY_PARKED
        raise RequestError("busy", message, [("Retry-After", "1")])


def delivery_of(
    request: Request,
    response: Response,
    session: Session,
    watch: Callable[[Send], None] | None,
    *,
    close: bool,
) -> Delivery:
    """Damage a complete response if its outcome says so, and return how to deliver it.

    :param watch: as in `Delivery`.
    :param close: whether to close the connection after the response in any case.
    """
    outcome, wait = request.outcome, request.wait
    fault = None if outcome.fault is None else FAULTS[outcome.fault]
    if fault is not None:
        _damage(response, fault)
        close = close or fault.then != "keep open"
    if request.incoming.server is None:
        if waits(outcome) or (fault is not None and fault.sends == "nothing"):
            _log.warning(
                "sending a response at once: only mockpets' own server can break it or make it wait"
            )
        return IMMEDIATE
    throttle, longest = outcome.throttle, session.shared.limits.wait_seconds
    if throttle is not None and longest is not None:
        throttle = max(throttle, ceil(len(response.body) / longest))
    hold: Hold | None = None
    if wait is not None:
        session.gates.add(wait)
        if outcome.hold is not None:
            hold = partial(session.gates.hold, wait)
            _log.info("holding a response until the gate '%s' is opened", outcome.hold)
    return Delivery(
        outcome.delay,
        hold,
        throttle,
        fault,
        close,
        patience=None if hold is None else longest,
        owner="" if request.session is None else session.name,
        watch=watch,
    )


def _damage(response: Response, fault: FaultKind) -> None:
    """Cut off the body but keep its Content-Length, or make its JSON invalid."""
    body = response.body
    if response.is_damaged:  # by a fault before it was released
        return
    response.is_damaged = True
    if fault.sends in _PARTS:
        response.length = len(body)
        response.body = body[: int(len(body) * _PARTS[fault.sends])]
    elif fault.sends == "all" and body:
        response.body = body.rstrip()[:-1] + b","
