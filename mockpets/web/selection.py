"""Which session and which scenarios a request is for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mockpets.constants import (
    DELAY_HEADER,
    DELAY_SECONDS,
    NAME_LENGTH,
    SCENARIO_HEADER,
    SCENARIO_NAME,
    SESSION_HEADER,
    STACK_DEPTH,
)
from mockpets.errors import Refusal
from mockpets.scenario.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.scenario.library import Stack
    from mockpets.session import Session
    from mockpets.web.messages import Request

__all__ = ["asked_delay", "checked", "select"]


def select(request: Request, session: Session) -> tuple[Session, Stack]:
    """Put the session and the scenarios that a request names into its exchange, and return them.

    Scenarios named by the `Mockpets-Scenario` header hold for that request alone and replace the
    session's active ones. Nothing is kept of it, so it may come before the key is checked.

    :raise Refusal: ``unknown_scenario`` for a name that is none, ``not_implemented`` for a
        session other than the one there is.
    """
    exchange = request.exchange
    exchange.session = session
    wanted = request.headers.get(SESSION_HEADER, session.name)
    if wanted.lower() != session.name:
        # Quietly sharing the pets of others would be worse than a refusal.
        raise Refusal(
            "not_implemented",
            f"{SESSION_HEADER}: there is no session but '{session.name}' yet; leave the header out",
        )
    exchange.stack = session.stack(_named(request) or session.active)
    return session, exchange.stack


def _named(request: Request) -> tuple[str, ...]:
    """Return the scenarios that the header names, none when it is not there."""
    header = request.headers.get(SCENARIO_HEADER)
    return () if header is None else checked(header.split(","), SCENARIO_HEADER)


def checked(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Return names that scenarios can have, in lower case and each once.

    :param where: they were given, for the message.
    :raise Refusal: ``unknown_scenario`` when one can be none, or they are too many.
    """
    lower = tuple(name.strip().lower() for name in names)
    expected = f"{where} must be a scenario's name, or several"
    for name in lower:
        if not name:
            raise Refusal("unknown_scenario", f"{expected}; a name is missing")
        if len(name) > NAME_LENGTH or not re.fullmatch(SCENARIO_NAME, name):
            what = f"{expected}; {name[:NAME_LENGTH]!r} can be none (a-z, 0-9, single dashes)"
            raise Refusal("unknown_scenario", what)
    if len(lower) > STACK_DEPTH:
        what = f"{where} may name at most {STACK_DEPTH} scenarios, not {len(lower)}"
        raise Refusal("unknown_scenario", what)
    return tuple(dict.fromkeys(lower))


def asked_delay(request: Request) -> float:
    """Return the seconds that a request asks to be delayed, by the `Mockpets-Delay` header.

    :raise Refusal: ``invalid_request`` when it is no duration.
    """
    header = request.headers.get(DELAY_HEADER)
    if header is None:
        return 0.0
    try:
        return min(parse_duration(header.strip()), DELAY_SECONDS)
    except ValueError as error:
        raise Refusal("invalid_request", f"{DELAY_HEADER} {error}") from error
