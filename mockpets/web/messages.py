"""The request and response classes: what the app knows of one exchange beyond Flask's."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

import flask

from mockpets.scenario.engine import NOTHING

if TYPE_CHECKING:
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.library import Stack
    from mockpets.session import Session

__all__ = ["Exchange", "Request", "Response", "current_request"]


@dataclass(slots=True)
class Exchange:
    """What is known of one request so far; the headers that explain its answer come from here.

    :param started: seconds on the performance counter.
    :param operation: the contract's operation, once the route is known; None for others.
    :param session: None until the selection is made, as is `stack`.
    """

    started: float
    operation: str | None = None
    session: Session | None = None
    stack: Stack | None = None
    outcome: Outcome = NOTHING


class Request(flask.Request):
    """A request with its exchange."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.exchange = Exchange(perf_counter())


class Response(flask.Response):
    """A response that is JSON unless it says otherwise."""

    default_mimetype = "application/json"


def current_request() -> Request:
    """Return the request being answered; only views may ask, everything else is handed it."""
    return cast(Request, flask.request)
