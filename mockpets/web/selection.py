"""Which session and which scenarios a request is for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mockpets.constants import NAME_LENGTH, SCENARIO_HEADER, SCENARIO_NAME, STACK_DEPTH
from mockpets.errors import Refusal

if TYPE_CHECKING:
    from mockpets.session import Session
    from mockpets.web.messages import Request

__all__ = ["select"]


def select(request: Request, session: Session) -> None:
    """Put the session and the scenarios that a request names into its exchange.

    Scenarios named by the `Mockpets-Scenario` header hold for that request alone and replace the
    session's active ones.

    :raise Refusal: ``unknown_scenario`` for a name that is none.
    """
    exchange = request.exchange
    exchange.session = session
    exchange.activation = session.use(_named(request) or session.active)


def _named(request: Request) -> tuple[str, ...]:
    """Return the scenarios that the header names, none when it is not there."""
    header = request.headers.get(SCENARIO_HEADER)
    if header is None:
        return ()
    names = tuple(name.strip().lower() for name in header.split(","))
    for name in names:
        if len(name) > NAME_LENGTH or not re.fullmatch(SCENARIO_NAME, name):
            raise Refusal(
                "unknown_scenario",
                f"{SCENARIO_HEADER} must be a scenario's name, or several with commas between; "
                f"{name[:NAME_LENGTH]!r} can be none",
            )
    if len(names) > STACK_DEPTH:
        raise Refusal(
            "unknown_scenario",
            f"{SCENARIO_HEADER} may name at most {STACK_DEPTH} scenarios, not {len(names)}",
        )
    return tuple(dict.fromkeys(names))
