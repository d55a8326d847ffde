"""Do to an answer what the scenarios decided: late, slowly, held, broken.

The bytes are damaged here. The rest is an order to the server (`mockpets.wsgi_extension`), which
sends the response when its time comes while no thread waits. Other WSGI servers take no orders:
there a delay, a throttle and a hold keep the worker, and a connection can only be broken by ending
it before the body that its headers have announced.
"""

from __future__ import annotations

import logging
from functools import partial
from math import ceil
from threading import Event
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, cast

from mockpets.constants import DELAY_SECONDS, PIECES_A_SECOND
from mockpets.faults import CONNECTION_FAULTS
from mockpets.wsgi_extension import ORDER, SERVER, DeliveryOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from wsgiref.types import WSGIEnvironment

    from flask import Response

    from mockpets.scenario.engine import Outcome
    from mockpets.session.gates import Gates
    from mockpets.wsgi_extension import Server

_log: Final = logging.getLogger("mockpets")


def has_room(environ: WSGIEnvironment, outcome: Outcome) -> bool:
    """Whether the server can keep an answer back, if that is what an outcome wants."""
    server: Server | None = environ.get(SERVER)
    waits = outcome.delay or outcome.throttle or outcome.hold
    return server is None or not waits or server.room()


class Delivery:
    """Hands over answers; has to be one object for an app, since it says some things once.

    :param patience: seconds after which a held answer goes by itself, and that a slow one takes at
        most; None for no limit.
    """

    def __init__(self, patience: float | None = None) -> None:
        self._patience = patience
        self._said = False

    def deliver(
        self,
        response: Response,
        environ: WSGIEnvironment,
        outcome: Outcome,
        gates: Gates | None,
        *,
        close: bool,
    ) -> None:
        """Damage a response that is otherwise complete, and have it sent as an outcome has it.

        Without a server that takes orders, waits for as long as the outcome wants, at a gate for
        `DELAY_SECONDS` if there is no patience.

        :param close: the connection is to end with the answer, whatever the outcome.
        """
        fault = outcome.fault
        breaks = fault in CONNECTION_FAULTS
        if fault is not None and not breaks:
            close = BODY_FAULTS[fault](response) or close
        throttle = outcome.throttle
        if throttle is not None and self._patience is not None:
            throttle = max(throttle, ceil(len(response.get_data()) / self._patience))
        if SERVER in environ:
            held = gates is not None and outcome.hold is not None
            if held:
                _log.info("an answer is held until the gate '%s' is opened", outcome.hold)
            environ[ORDER] = DeliveryOrder(
                outcome.delay,
                partial(cast("Gates", gates).wait, cast("str", outcome.hold)) if held else None,
                throttle,
                fault if breaks else None,
                close,
                patience=self._patience if held else None,
            )
            return
        self._say_once(outcome)
        waited = 0.0
        if outcome.hold is not None and gates is not None:
            begun = monotonic()
            _wait_at(gates, outcome.hold, self._patience or DELAY_SECONDS)
            waited = monotonic() - begun
        sleep(max(outcome.delay - waited, 0.0))
        if breaks:
            response.headers["Content-Length"] = str(len(response.get_data()) + 1)
            response.response = []
        elif throttle is not None:
            response.response = _slowly(response.get_data(), throttle)

    def _say_once(self, outcome: Outcome) -> None:
        waits = outcome.delay or outcome.throttle or outcome.hold
        if self._said or not (waits or outcome.fault in CONNECTION_FAULTS):
            return
        self._said = True
        _log.warning(
            "this WSGI server is not mockpets' own: an answer that waits keeps a worker, and a "
            "connection cannot be reset, only ended too early"
        )


# --- Faults that damage the body: each returns whether the connection has to end with it ----------


def _truncate_body(response: Response) -> bool:
    """Send half of the body that the headers announce."""
    body = response.get_data()
    response.headers["Content-Length"] = str(len(body))
    response.response = [body[: len(body) // 2]]
    return True


def _corrupt_json(response: Response) -> bool:
    """Replace the end of the body by a comma, in which no JSON text ends."""
    if body := response.get_data():
        body = body.rstrip()[:-1] + b","
        response.headers["Content-Length"] = str(len(body))
        response.response = [body]
    return False


BODY_FAULTS: Final[Mapping[str, Callable[[Response], bool]]] = {
    "truncated_body": _truncate_body,
    "malformed_json": _corrupt_json,
}


# --- Servers that take no orders --------------------------------------------------------------


def _wait_at(gates: Gates, name: str, seconds: float) -> None:
    opened = Event()
    leave = gates.wait(name, opened.set)
    opened.wait(seconds)
    leave()


def _slowly(body: bytes, rate: int) -> Iterator[bytes]:
    """Return a body piece by piece, so that it takes so many bytes a second."""
    size = max(rate // PIECES_A_SECOND, 1)
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        sleep(len(piece) / rate)
        yield piece
