"""Do to an answer what the scenarios decided: late, slowly, broken.

This works on any WSGI server, at the price of the worker that waits: a delay sleeps, a throttle
sleeps between pieces, and a connection can only be broken by ending it before the body that its
headers have announced.
"""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, Final

from mockpets.scenario.model import BREAKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Response

    from mockpets.scenario.engine import Outcome

__all__ = ["deliver"]

_PIECES_A_SECOND: Final = 10


def deliver(response: Response, outcome: Outcome) -> None:
    """Spoil and shape a response that is complete but for this, as an outcome has it.

    Sleeps for as long as the outcome's delay.
    """
    body = response.get_data()
    headers = response.headers
    if outcome.fault == "malformed_json" and body:
        body = body.rstrip()[:-1] + b","  # no JSON text ends in a comma
        headers["Content-Length"] = str(len(body))
    elif outcome.fault == "truncated_body":
        headers["Content-Length"] = str(len(body))
        body = body[: len(body) // 2]
    elif outcome.fault in BREAKING:
        headers["Content-Length"] = str(len(body) + 1)
        body = b""
    sleep(outcome.delay)
    response.response = [body] if outcome.throttle is None else _slowly(body, outcome.throttle)


def _slowly(body: bytes, rate: int) -> Iterator[bytes]:
    """Return a body piece by piece, so that it takes so many bytes a second."""
    size = max(rate // _PIECES_A_SECOND, 1)
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        sleep(len(piece) / rate)
        yield piece
